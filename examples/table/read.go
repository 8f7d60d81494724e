// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/table"
)

// read returns the names of the columns and the records of the file, and writes what it leaves out.
func (j *job) read(w io.Writer) (header []string, records [][]string, err error) {
	if header, records, err = j.readFile(w, j.file); err != nil {
		return nil, nil, err
	}
	j.leaveIndex(w, header, records)
	return header, records, j.explain(header)
}

// readFile returns the names of the columns and the records of a file, and writes how many lines it leaves out.
func (j *job) readFile(w io.Writer, file string) (header []string, records [][]string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := unmarked(f)
	if err != nil {
		return nil, nil, err
	}
	if text, err = decoded(text, j.encoding); err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(text)
	r.Comma = j.comma
	records, err = r.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	if !j.headless && len(records) > 0 {
		header, records = records[0], records[1:]
	}
	lines := len(records)
	records = withValues(records)
	if left := lines - len(records); left > 0 {
		fmt.Fprintf(w, "Lines without any value are left out: %d.\n", left)
	}
	if len(records) < 1 {
		return nil, nil, fmt.Errorf("%s has no records: must have a line of names, or -header=false, and records", file)
	}
	for i := range records[0] {
		if j.headless {
			header = append(header, strconv.Itoa(i))
		}
		if header[i] = strings.TrimSpace(header[i]); header[i] == "" {
			header[i] = unnamed + strconv.Itoa(i)
		}
	}
	return header, records, nil
}

// unnamed is what pandas calls a column without a name, before its number.
const unnamed = "Unnamed: "

// byteOrderMark is that of UTF-8, which some programs write before a file.
const byteOrderMark = "\ufeff"

// unmarked returns a reader of what r has after a byte order mark, and refuses UTF-16.
func unmarked(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	start, _ := b.Peek(len(byteOrderMark))
	switch {
	case string(start) == byteOrderMark:
		b.Discard(len(byteOrderMark))
	case strings.HasPrefix(string(start), "\xff\xfe"), strings.HasPrefix(string(start), "\xfe\xff"):
		return nil, errors.New("the file is UTF-16: save it as UTF-8, or as CSV of Latin-1 or Windows-1252 for -encoding")
	}
	return b, nil
}

// withValues returns the records that have any.
func withValues(records [][]string) (some [][]string) {
	for _, r := range records {
		if strings.TrimSpace(strings.Join(r, "")) != "" {
			some = append(some, r)
		}
	}
	return some
}

// leaveIndex has columns without a name be ignored if they have nothing, or a whole number of its own in each row, as an index of pandas.
func (j *job) leaveIndex(w io.Writer, header []string, records [][]string) {
	for i, name := range header {
		if strings.HasPrefix(name, unnamed) && name != j.Target && j.Kinds[name] == table.Automatic && isIndex(records, i) {
			j.Kinds[name] = table.Ignored
			fmt.Fprintf(w, "Column %d has no name and counts the rows, or is empty: it is left out.\n", i)
		}
	}
}

// isIndex tells whether the fields of a column are whole numbers that all differ, or all empty.
func isIndex(records [][]string, column int) bool {
	seen, empty := make(map[int]bool), 0
	for _, r := range records {
		if strings.TrimSpace(r[column]) == "" {
			empty++
		} else if n, err := strconv.Atoi(r[column]); err == nil {
			seen[n] = true
		}
	}
	return len(seen) == len(records) || empty == len(records)
}

// explain refuses names that are twice there, and names in flags that are no columns, with what the reason may be.
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
		_, err := strconv.ParseFloat(header[0], 64)
		hint := ""
		switch {
		case len(header) == 1 && strings.ContainsAny(header[0], ";\t|"):
			hint = `; what is between fields may be something else: -comma ';' or -comma '\t'`
		case err == nil && !j.headless:
			hint = "; if the file has no line of names, -header=false"
		}
		return fmt.Errorf("%q is no column: the names are %q%s", name, header, hint)
	}
	return nil
}
