// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

//go:embed peer.py
var script string

// An interpreter is a Python that has scikit-learn.
type interpreter struct {
	path        string
	environment []string
	versions    string // of Python, numpy and scikit-learn, and the settings of the BLAS
}

// findPython returns the interpreter with this name, or nil and the reason for its absence.
func findPython(name string) (python *interpreter, missing string) {
	const how = "Debian has scikit-learn in the package python3-sklearn; -python says which Python to take."
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Sprintf("%v. %s", err, how)
	}
	settings := []string{fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", runtime.GOMAXPROCS(0))}
	switch {
	case cpu.X86.HasAVX512DQ:
		settings = append(settings, "OPENBLAS_CORETYPE=SkylakeX")
	case cpu.X86.HasAVX2:
		settings = append(settings, "OPENBLAS_CORETYPE=Haswell")
	}
	python = &interpreter{path: path, environment: append(os.Environ(), settings...)}
	const ask = "import platform, numpy, sklearn\n" +
		"print('Python', platform.python_version() + ', numpy', numpy.__version__ + ', scikit-learn', sklearn.__version__)"
	answer, err := python.command(ask).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			said := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
			err = errors.New(said[len(said)-1])
		}
		return nil, fmt.Sprintf("%s has none that works (%v). %s", name, err, how)
	}
	python.versions = strings.Join(append([]string{strings.TrimSpace(string(answer))}, settings...), ", ")
	return python, ""
}

// command returns a process that runs a program of Python.
func (p *interpreter) command(program string) *exec.Cmd {
	c := exec.Command(p.path, "-c", program)
	c.Env = p.environment
	return c
}

// peer is a process of scikit-learn that has the rows of a task.
type peer struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    bytes.Buffer // on its standard error
}

// description is what peer.py needs to know about a task, before its rows.
type description struct {
	Train       int       `json:"train"`       // rows
	Own         int       `json:"own"`         // how many of them to fit on while choosing
	Test        int       `json:"test"`        // rows
	Coordinates int       `json:"coordinates"` // of a row
	Classes     int       `json:"classes"`     // 0: regression
	Lengths     []float64 `json:"lengths"`     // candidates of the length scale
	Ridges      []float64 `json:"ridges"`      // candidates of λ
	Features    []int     `json:"features"`
	Nystroem    int       `json:"nystroem"` // largest number of its features
	Methods     []string  `json:"methods"`  // the classes of maps
}

// start starts a process and gives it a task.
func (p *interpreter) start(t *task, size scope) (*peer, error) {
	s := &peer{process: p.command(script)}
	s.process.Stderr = &s.said
	var err error
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	lengths := make([]float64, len(factors))
	for i, f := range factors {
		lengths[i] = f * t.median
	}
	methods := []string{"RBFSampler", "Nystroem"}
	if size.landmarks {
		methods = methods[1:]
	}
	err = json.NewEncoder(s.in).Encode(description{t.train.Len(), t.own, t.test.Len(), t.train.Dim(), t.train.Classes,
		lengths, ridges, size.features, size.nystroem, methods})
	for _, part := range []*sets.Set{t.train, t.test} {
		if err == nil {
			err = binary.Write(s.in, binary.LittleEndian, numbers(part))
		}
	}
	if err != nil {
		s.close()
		return nil, s.failed(err)
	}
	return s, nil
}

// numbers returns all rows, and then their targets or classes.
func numbers(s *sets.Set) []float64 {
	all := append([]float64(nil), s.X.RawMatrix().Data...)
	if s.Target != nil {
		return append(all, mat.Col(nil, 0, s.Target)...)
	}
	for _, c := range s.Class {
		all = append(all, float64(c))
	}
	return all
}

// round returns the results of a round.
func (p *peer) round(seed int) ([]result, error) {
	if _, err := fmt.Fprintln(p.in, seed); err != nil {
		return nil, p.failed(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, p.failed(err)
	}
	var results []result
	return results, json.Unmarshal(line, &results)
}

// failed ends the process, and returns an error with what it said.
func (p *peer) failed(err error) error {
	p.close()
	return fmt.Errorf("scikit-learn: %w\n%s", err, &p.said)
}

// close ends the process, which stops at the end of its input.
func (p *peer) close() {
	p.in.Close()
	p.process.Wait()
}
