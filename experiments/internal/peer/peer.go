// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package peer runs scikit-learn in a child process, to compare a program's results with it.
package peer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// A Python is an interpreter that has scikit-learn.
type Python struct {
	path     string
	Versions string // of scikit-learn and numpy
}

// Find returns the named interpreter, or for "" the first of python3 and /usr/bin/python3 with
// scikit-learn. The error says how to install it.
func Find(name string) (*Python, error) {
	names := []string{name}
	if name == "" {
		names = []string{"python3", "/usr/bin/python3"}
	}
	for _, path := range names {
		const versions = `from importlib.metadata import version
print("scikit-learn", version("scikit-learn") + ", numpy", version("numpy"))` // an import takes a second
		if out, err := exec.Command(path, "-c", versions).Output(); err == nil {
			return &Python{path, strings.TrimSpace(string(out))}, nil
		}
	}
	return nil, fmt.Errorf("no scikit-learn for %s (on Debian: apt-get install python3-sklearn libopenblas0-pthread; elsewhere: python3 -m pip install scikit-learn)",
		strings.Join(names, " or "))
}

// A Process is a script that answers each line of its input by a line of numbers.
type Process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	errors  bytes.Buffer
	folder  string
}

// Start starts a script. Its arguments are files, one for each matrix, with its numbers row by row,
// as float64 in the machine's byte order. OpenBLAS runs on a number of threads, with the kernels
// for the widest registers that this package may use.
func (python *Python) Start(script string, threads int, matrices ...*mat.Dense) (*Process, error) {
	folder, err := os.MkdirTemp("", "peer")
	if err != nil {
		return nil, err
	}
	p := &Process{command: exec.Command(python.path, "-c", script), folder: folder}
	for i, m := range matrices {
		path := filepath.Join(folder, strconv.Itoa(i))
		if err := write(path, m); err != nil {
			return nil, p.end(err)
		}
		p.command.Args = append(p.command.Args, path)
	}
	p.command.Env = append(os.Environ(), fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads))
	switch tier.Best() {
	case tier.AVX512:
		p.command.Env = append(p.command.Env, "OPENBLAS_CORETYPE=SkylakeX")
	case tier.AVX2:
		p.command.Env = append(p.command.Env, "OPENBLAS_CORETYPE=Haswell")
	}
	p.command.Stderr = &p.errors
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, p.end(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, p.end(err)
	}
	p.out = bufio.NewScanner(out)
	p.out.Buffer(nil, longest)
	if err := p.command.Start(); err != nil {
		return nil, p.end(err)
	}
	return p, nil
}

// longest is the largest number of bytes of an answer: about fifty million numbers.
const longest = 1 << 30

// write writes the numbers of a matrix to a file.
func write(path string, m *mat.Dense) error {
	var b bytes.Buffer
	n, _ := m.Dims()
	for i := range n {
		if err := binary.Write(&b, binary.NativeEndian, m.RawRowView(i)); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// Ask sends a line of words and returns the numbers of the answer.
func (p *Process) Ask(words ...any) ([]float64, error) {
	if _, err := fmt.Fprintln(p.in, words...); err != nil {
		return nil, p.failure(err)
	}
	if !p.out.Scan() {
		err := p.out.Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		p.command.Process.Kill() // otherwise it waits forever for the rest of the answer to be read
		return nil, p.failure(err)
	}
	var numbers []float64
	for _, field := range strings.Fields(p.out.Text()) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, p.failure(err)
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}

// failure ends the process, and returns an error with the last line that it wrote to its standard
// error.
func (p *Process) failure(err error) error {
	p.Close()
	lines := strings.Split(strings.TrimSpace(p.errors.String()), "\n")
	return fmt.Errorf("%s: %w: %s", p.command.Path, err, lines[len(lines)-1])
}

// Close ends the input, waits for the process to end, and removes its files.
func (p *Process) Close() error {
	p.in.Close()
	return p.end(p.command.Wait())
}

func (p *Process) end(err error) error {
	os.RemoveAll(p.folder)
	return err
}
