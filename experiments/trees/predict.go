// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/learn"
)

// ours is the name of learn among the methods, and before the name of another learn's predictions.
const ours, before = "learn", "learn before"

// predictions is the predictions of a method for the test rows of a task.
type predictions struct {
	seconds float64     // of CPU time, from the rows to the predictions
	rows    [][]float64 // the probabilities of classes; or the mean and, if the method has it, the standard deviation of an observation, or an interval of 90 %
}

// measure returns the line of a set, and a list of what is missing in it. There is no line if learn fails, or if the
// rows are to be exported.
func (s source) measure(show func(doing string), size scope, splits []int) (*line, []string, error) {
	all, mask, err := s.load(size.data)
	if err != nil {
		return nil, nil, err
	}
	l := &line{set: s.name, classes: all.Class != nil, columns: all.Dim(), splits: len(splits), scores: make(map[string]*score)}
	for _, split := range splits {
		t, err := newTask(all, mask, s.name, split, size.rows)
		if err != nil {
			return nil, nil, err
		}
		if size.export != "" {
			show(t.name + ": export …")
			if err := t.export(size.export); err != nil {
				return nil, nil, err
			}
			continue
		}
		l.rows = t.train.Len()
		var p *predictions
		if size.resume {
			if p, err = t.read(size.out, ours); err != nil && !os.IsNotExist(err) {
				return nil, nil, err
			}
		}
		if p == nil {
			show(t.name + ": learn …")
			if p, err = t.learn(); err != nil {
				return nil, []string{fmt.Sprintf("%s, since learn failed: %v", t.name, err)}, nil
			}
			if size.out != "" {
				if err := t.write(size.out, ours, p); err != nil {
					return nil, nil, err
				}
			}
		}
		l.add(ours, t, p)
		if err := l.addPeers(t, size); err != nil {
			return nil, nil, err
		}
	}
	if size.export != "" {
		return nil, nil, nil
	}
	return l, l.drop(), nil
}

// addPeers adds the predictions of others to a line.
func (l *line) addPeers(t *task, size scope) error {
	if size.baseline != "" {
		p, err := t.read(size.baseline, ours)
		if err == nil {
			l.add(before, t, p)
		} else if !os.IsNotExist(err) {
			return err
		}
	}
	if size.peers == "" {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(size.peers, t.name+".*.csv"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		method := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), t.name+"."), ".csv")
		if method == ours {
			continue
		}
		p, err := t.read(size.peers, method)
		if err != nil {
			return err
		}
		l.add(method, t, p)
	}
	return nil
}

// learn returns learn's predictions, with default options.
func (t *task) learn() (*predictions, error) {
	p := &predictions{}
	start := peak.CPU()
	if t.train.Class != nil {
		r, err := learn.Classification(t.train.X, t.train.Class, nil)
		if err != nil {
			return nil, err
		}
		var probabilities mat.Dense
		r.Model.ProbabilityTo(&probabilities, t.test.X)
		for i := range t.test.Len() {
			p.rows = append(p.rows, probabilities.RawRowView(i))
		}
	} else {
		r, err := learn.Regression(t.train.X, t.train.Target, nil)
		if err != nil {
			return nil, err
		}
		for i := range t.test.Len() {
			row := t.test.X.RawRowView(i)
			lo, hi := r.Model.Interval(row, 0.9)
			p.rows = append(p.rows, []float64{r.Model.PredictVec(nil, row)[0], lo[0], hi[0]})
		}
	}
	p.seconds = (peak.CPU() - start).Seconds()
	return p, nil
}

// path returns the file of a method's predictions.
func (t *task) path(folder, method string) string {
	return filepath.Join(folder, t.name+"."+method+".csv")
}

// write writes predictions to a file, as peers.py does: a line with the key of the rows and the seconds, then a line for each test row.
func (t *task) write(folder, method string, p *predictions) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s %.6g\n", t.key, p.seconds)
	for _, row := range p.rows {
		for j, v := range row {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(number(v))
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(t.path(folder, method), b.Bytes(), 0o666)
}

// read reads predictions from a file. They must be for the same rows, complete, and finite.
func (t *task) read(folder, method string) (*predictions, error) {
	f, err := os.Open(t.path(folder, method))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := t.parse(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(f.Name()), err)
	}
	return p, nil
}

// parse parses predictions.
func (t *task) parse(r *bufio.Reader) (*predictions, error) {
	head, err := r.ReadString('\n')
	if err != nil && err != io.EOF {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 || fields[0] != "#" {
		return nil, fmt.Errorf("the first line is %q, not # and a key and seconds", head)
	}
	if fields[1] != t.key {
		return nil, fmt.Errorf("it is of other rows than these, with the key %s, not %s: the same -rows and data?", fields[1], t.key)
	}
	p := &predictions{}
	if p.seconds, err = strconv.ParseFloat(fields[2], 64); err != nil {
		return nil, err
	}
	if p.rows, err = parse(r); err != nil {
		return nil, err
	}
	width := len(p.rows[0])
	if len(p.rows) != t.test.Len() || t.test.Class != nil && width != t.test.Classes || t.test.Class == nil && width > 3 {
		return nil, fmt.Errorf("%d × %d predictions of %d test rows", len(p.rows), width, t.test.Len())
	}
	for i, row := range p.rows {
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("prediction %d is %v", i+1, v)
			}
		}
	}
	return p, nil
}
