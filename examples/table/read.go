// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// read returns the names of the columns and the records of the file, and writes what it skips.
func (j *job) read(w io.Writer) (header []string, records [][]string, err error) {
	if header, records, err = j.Read(w, j.file); err != nil {
		return nil, nil, err
	}
	j.leaveIndex(w, header, records)
	return header, records, j.explain(header)
}

// leaveIndex ignores columns without a name if they are empty, or contain a different whole number in each row, like an
// index of pandas.
func (j *job) leaveIndex(w io.Writer, header []string, records [][]string) {
	for i, name := range header {
		if strings.HasPrefix(name, csvfile.Unnamed) && name != j.Target && j.Kinds[name] == table.Automatic && isIndex(records, i) {
			j.Kinds[name] = table.Ignored
			fmt.Fprintf(w, "Column %d has no name and counts the rows, or is empty: it is left out.\n", i)
		}
	}
}

// isIndex reports whether the fields of a column are different whole numbers, or all empty.
func isIndex(records [][]string, column int) bool {
	seen, empty := make(map[int]bool), 0
	for _, r := range records {
		if strings.TrimSpace(r[column]) == "" {
			empty++
		} else if n, err := strconv.Atoi(strings.TrimSpace(r[column])); err == nil {
			seen[n] = true
		}
	}
	return len(seen) == len(records) || empty == len(records)
}

// explain refuses duplicate names, and names in flags that are not columns, with a possible reason.
func (j *job) explain(header []string) error {
	is := make(map[string]bool)
	for _, name := range header {
		if is[name] {
			return fmt.Errorf("the name %q is twice there: if the file has no line of names, -header=false", name)
		}
		is[name] = true
	}
	names := []string{j.Target, j.time, j.group}
	for name := range j.Kinds {
		names = append(names, name)
	}
	for _, name := range names {
		if name == "" || is[name] {
			continue
		}
		return fmt.Errorf("%q is no column: the names are %q%s", name, header, j.Hint(header))
	}
	return nil
}
