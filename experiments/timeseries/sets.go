// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A set is series in two parts, with their classes from 0 on.
type set struct {
	name      string
	train     *mat.Dense
	test      *mat.Dense
	classes   []int // of train
	want      []int // of test; −1 is a class that train does not have
	count     int   // of classes
	published string
}

// A source is a set that is not read yet.
type source struct {
	name string
	load func() (*set, error)
}

// find returns the sets of a scope.
func find(size scope) ([]source, error) {
	if size.data == "" {
		return []source{{"pulses", func() (*set, error) { return pulses(), nil }}}, nil
	}
	const end = "_TRAIN.tsv.gz"
	folder := size.data
	paths, _ := filepath.Glob(filepath.Join(folder, "*"+end))
	if len(paths) == 0 {
		folder = filepath.Join(folder, "ucr")
		paths, _ = filepath.Glob(filepath.Join(folder, "*"+end))
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no *%s in %s, and none in its folder ucr", end, size.data)
	}
	published, err := anchors(filepath.Join(folder, "anchors.csv"))
	if err != nil {
		return nil, err
	}
	var all []source
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), end)
		all = append(all, source{name, func() (*set, error) {
			s := &set{name: name, published: published[name]}
			return s, s.read(folder)
		}})
	}
	if size.sets > 0 {
		return shortest(all, size.sets)
	}
	return all, nil
}

// shortest returns the n sources of the shortest series.
func shortest(all []source, n int) ([]source, error) {
	length := make(map[string]int)
	for _, of := range all {
		s, err := of.load()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.name, err)
		}
		_, length[of.name] = s.train.Dims()
	}
	slices.SortStableFunc(all, func(a, b source) int { return cmp.Compare(length[a.name], length[b.name]) })
	return all[:min(n, len(all))], nil
}

// anchors returns the published accuracies of MiniRocket, by set; no accuracies if there is no such
// file.
func anchors(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	published := make(map[string]string)
	for _, r := range records {
		if len(r) > 1 {
			published[r[0]] = r[1]
		}
	}
	return published, nil
}

// read reads both parts of the set.
func (s *set) read(folder string) error {
	train, names, err := readSeries(filepath.Join(folder, s.name+"_TRAIN.tsv.gz"))
	if err != nil {
		return err
	}
	test, others, err := readSeries(filepath.Join(folder, s.name+"_TEST.tsv.gz"))
	if err != nil {
		return err
	}
	_, a := train.Dims()
	if _, b := test.Dims(); a != b {
		return fmt.Errorf("series of %d values to train on, and of %d to test", a, b)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	number := func(names []string) (classes []int) {
		for _, name := range names {
			classes = append(classes, slices.Index(sorted, name))
		}
		return classes
	}
	s.train, s.test, s.classes, s.want, s.count = train, test, number(names), number(others), len(sorted)
	return nil
}

// readSeries reads a file of lines with a class and values.
func readSeries(path string) (x *mat.Dense, classes []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<26)
	var data []float64
	length := 0
	for lines.Scan() {
		fields := strings.Split(strings.TrimSpace(lines.Text()), "\t")
		if length == 0 {
			length = len(fields) - 1
		}
		if len(fields) < 2 || len(fields)-1 != length {
			return nil, nil, fmt.Errorf("%s:%d: %d values, not %d", path, len(classes)+1, len(fields)-1, length)
		}
		classes = append(classes, fields[0])
		for j, field := range fields[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil || math.IsNaN(v) {
				return nil, nil, fmt.Errorf("%s:%d: value %d is %q: series of other lengths must be cut, or resampled", path, len(classes), j+1, field)
			}
			data = append(data, v)
		}
	}
	if err := lines.Err(); err != nil || length == 0 {
		return nil, nil, fmt.Errorf("%s: no series, %v", path, err)
	}
	return mat.NewDense(len(classes), length, data), classes, nil
}

// pulses returns series of noise with a pulse somewhere, which swings up first or down.
func pulses() *set {
	const train, test, length = 60, 200, 15
	s := featuremap.NewSampler(1)
	part := func(n int) (*mat.Dense, []int) {
		x, classes := mat.NewDense(n, length, nil), make([]int, n)
		for i := range n {
			classes[i] = i % 2
			at := 3 + (length-6)*s.Float64()
			for p := range length {
				t := float64(p) - at
				x.Set(i, p, 0.2*s.Normal()+float64(1-2*classes[i])*t*math.Exp(-t*t/2))
			}
		}
		return x, classes
	}
	of := &set{name: "pulses", count: 2}
	of.train, of.classes = part(train)
	of.test, of.want = part(test)
	return of
}
