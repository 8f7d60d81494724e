// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A task is a split of a set: rows to train on and test rows.
type task struct {
	name        string // of the set, and the number of the split
	train, test *sets.Set
	key         string // depends on all numbers of the rows
}

// newTask returns a split of a set, with at most rows training rows.
func newTask(all *sets.Set, mask [][folds]bool, name string, split, rows int) (*task, error) {
	var train, test []int
	for i := range mask {
		if mask[i][split] {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	if len(train) == 0 || len(test) == 0 {
		return nil, fmt.Errorf("split %d has %d rows to train on and %d test rows", split, len(train), len(test))
	}
	t := &task{name: fmt.Sprintf("%s_%d", name, split), train: all.Rows(thin(train, rows)), test: all.Rows(test)}
	if all.Class != nil {
		t.test = renumber(t.train, t.test)
	}
	h := fnv.New64a()
	for _, s := range []*sets.Set{t.train, t.test} {
		binary.Write(h, binary.LittleEndian, s.X.RawMatrix().Data) // a hash returns no error
		binary.Write(h, binary.LittleEndian, s.Truth())
	}
	t.key = fmt.Sprintf("%016x", h.Sum64())
	return t, nil
}

// thin returns at most most of the rows, evenly spread.
func thin(rows []int, most int) []int {
	if len(rows) <= most {
		return rows
	}
	thinned := make([]int, most)
	for i := range thinned {
		thinned[i] = rows[i*len(rows)/most]
	}
	return thinned
}

// renumber numbers the classes of the training rows from 0, without gaps. It returns the test rows without rows of
// other classes.
func renumber(train, test *sets.Set) *sets.Set {
	numbers := make([]int, train.Classes)
	n := 0
	for c := range numbers {
		if numbers[c] = -1; slices.Contains(train.Class, c) {
			numbers[c] = n
			n++
		}
	}
	var known []int
	for i, c := range test.Class {
		if numbers[c] >= 0 {
			known = append(known, i)
		}
	}
	test = test.Rows(known)
	for _, s := range []*sets.Set{train, test} {
		s.Classes = n
		for i, c := range s.Class {
			s.Class[i] = numbers[c]
		}
	}
	return test
}

// export writes the rows to a file of a folder for peers.py: a line with a description, the number of training rows,
// and the key; then the training rows, each with its target or class at the end, and the test rows, with nan there.
func (t *task) export(folder string) error {
	kind := "regression"
	if t.train.Class != nil {
		kind = "classes"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s %d %s\n", kind, t.train.Len(), t.key)
	for _, s := range []*sets.Set{t.train, t.test} {
		y := s.Truth()
		for i := range y {
			for _, v := range s.X.RawRowView(i) {
				fmt.Fprint(&b, number(v), ",")
			}
			if s == t.train {
				fmt.Fprintln(&b, number(y[i]))
			} else {
				fmt.Fprintln(&b, "nan")
			}
		}
	}
	return os.WriteFile(filepath.Join(folder, t.name+".csv"), b.Bytes(), 0o666)
}

// number returns v in as few digits as possible.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
