// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// hold returns the numbers of the test records, nil for random ones, and sorts the records so that these come last, as
// package learn needs them. If the flags do not choose them, and random ones may resemble others, it writes a warning.
func (j *job) hold(w io.Writer, e *table.Encoder, records [][]string) (held []int, err error) {
	switch {
	case j.time != "" && j.group != "":
		return nil, errors.New("-time and -group: only one of them can choose the test rows")
	case j.time != "":
		keys, err := j.times(e, records)
		if err != nil {
			return nil, err
		}
		return last(records, keys, "-time "+j.time)
	case j.group != "":
		column := slices.Index(e.Header(), j.group)
		if i := slices.IndexFunc(records, func(r []string) bool { return strings.TrimSpace(r[column]) == "" }); i >= 0 {
			return nil, fmt.Errorf("-group %s: row %d has no value: leave such records out, or give each a group", j.group, i)
		}
		return last(records, groups(records, column), "-group "+j.group)
	}
	names := e.Names()
	for _, date := range e.Header() {
		if slices.Contains(names, date+", days") && slices.Contains(names, date+", sine of the year") {
			fmt.Fprintf(w, "%s is a date, and the test rows are random, among others of the same time. To predict later rows, use -time %q.\n\n", date, date)
		}
	}
	n, err := repeated(e, records)
	if 20*n >= len(records) {
		fmt.Fprintf(w, "%d of %d rows equal others except for the target, and the test rows are random. If such rows belong together, use -group for whole groups.\n\n", n, len(records))
	}
	return nil, err
}

// last sorts the records by keys. It returns the numbers of the last tenth, and of all that share the key of the first
// of these.
func last(records [][]string, keys []float64, name string) (held []int, err error) {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return keys[order[a]] < keys[order[b]] })
	sorted := make([][]string, len(records))
	for k, i := range order {
		sorted[k] = records[i]
	}
	copy(records, sorted)
	first := len(records) - max(len(records)/10, 1)
	for first > 0 && keys[order[first-1]] == keys[order[first]] {
		first--
	}
	if first == 0 {
		return nil, fmt.Errorf("%s: the column has one value in nearly all rows, so that none are left to learn from", name)
	}
	for i := first; i < len(records); i++ {
		held = append(held, i)
	}
	return held, nil
}

// validateHeld refuses test records by -time or -group that contain all rows of a class, and names the class.
func (j *job) validateHeld(classes, held []int, names []string) error {
	if held == nil {
		return nil
	}
	left := make([]int, len(names)) // training rows of each class
	for _, c := range classes {
		left[c]++
	}
	for _, i := range held {
		left[classes[i]]--
	}
	c := slices.Index(left, 0)
	if c < 0 {
		return nil
	}
	flag := "-time " + j.time
	if j.group != "" {
		flag = "-group " + j.group
	}
	return fmt.Errorf("%s: all rows of class %q are test rows, so that no row is left to learn it from", flag, names[c])
}

// times returns the column of -time as numbers; dates become days. It refuses a missing one, which has no place in the
// order.
func (j *job) times(e *table.Encoder, records [][]string) (keys []float64, err error) {
	at := slices.Index(e.Names(), j.time) // a number
	if at < 0 {
		at = slices.Index(e.Names(), j.time+", days")
	}
	if column := slices.Index(e.Header(), j.time); at < 0 || column < 0 {
		return nil, fmt.Errorf("-time %s: must be a column of dates or numbers, and not the target or ignored", j.time)
	}
	column := slices.Index(e.Header(), j.time)
	for i, r := range records {
		if field := strings.TrimSpace(r[column]); slices.ContainsFunc(j.Missing, func(text string) bool { return strings.TrimSpace(text) == field }) {
			return nil, fmt.Errorf("-time %s: row %d has no value: leave such records out", j.time, i)
		}
		row, err := e.EncodeVec(nil, r)
		if err != nil {
			return nil, err
		}
		keys = append(keys, row[at])
	}
	return keys, nil
}

// groups returns, for each record, the place of its group in a random order of the groups, which is always the same.
func groups(records [][]string, column int) (keys []float64) {
	number := make(map[string]int)
	for _, r := range records {
		if name := strings.TrimSpace(r[column]); number[name] == 0 {
			number[name] = 1 + len(number)
		}
	}
	place := make([]int, len(number))
	s := featuremap.NewSampler(0)
	for k := range place {
		other := s.IntN(k + 1)
		place[k] = place[other]
		place[other] = k
	}
	for _, r := range records {
		keys = append(keys, float64(place[number[strings.TrimSpace(r[column])]-1]))
	}
	return keys
}

// leastGroups is the number of groups of training rows that learn.Options.Groups needs.
const leastGroups = 10

// groupNumbers returns the number of each record's group, by which learn chooses λ and intervals for new groups. With too
// few groups of training rows it writes a warning and returns nil.
func (j *job) groupNumbers(w io.Writer, e *table.Encoder, records [][]string, held []int) []int {
	if j.group == "" {
		return nil
	}
	column := slices.Index(e.Header(), j.group)
	number, all := make(map[string]int), make([]int, len(records))
	for i, r := range records {
		name := strings.TrimSpace(r[column])
		if _, ok := number[name]; !ok {
			number[name] = len(number)
		}
		all[i] = number[name]
	}
	training := make(map[int]bool)
	for i, g := range all {
		if k, _ := slices.BinarySearch(held, i); k == len(held) || held[k] != i {
			training[g] = true
		}
	}
	if n := len(training); n < leastGroups {
		fmt.Fprintf(w, "-group %s: %d groups of training rows: with fewer than %d, error bars and intervals are for other rows of these groups.\n\n", j.group, n, leastGroups)
		return nil
	}
	return all
}

// repeated returns the number of records that have the same numbers as an earlier one.
func repeated(e *table.Encoder, records [][]string) (n int, err error) {
	seen := make(map[string]bool)
	for _, r := range records {
		row, err := e.EncodeVec(nil, r)
		if err != nil {
			return 0, err
		}
		var bits []byte
		for _, v := range row {
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
		}
		if seen[string(bits)] {
			n++
		}
		seen[string(bits)] = true
	}
	return n, nil
}
