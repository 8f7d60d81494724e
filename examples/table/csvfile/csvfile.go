// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package csvfile reads CSV files as programs write them: with a byte order mark, in an encoding other than UTF-8, with spaces around names,
// with lines that have no values, and with columns in another order than a model expects.
package csvfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Format describes how a CSV file is written.
type Format struct {
	Comma    rune   // between fields
	Headless bool   // the file has no line of names
	Encoding string // "utf-8", "latin1" or "windows-1252"; "" is UTF-8
}

// Flags defines the flags that set the format, and sets it to their defaults.
func (f *Format) Flags(set *flag.FlagSet) {
	*f = Format{Comma: ',', Encoding: "utf-8"}
	set.Func("comma", "`character` between fields; \\t is a tab (default ,)", f.SetComma)
	set.BoolFunc("header", "the file has a line of names; with -header=false, columns are named 0, 1, … (default true)", func(text string) error {
		header, err := strconv.ParseBool(text)
		f.Headless = !header
		return err
	})
	set.StringVar(&f.Encoding, "encoding", f.Encoding, "of the file: utf-8, latin1 or windows-1252")
}

// SetComma sets the character between fields. text is that character, or \t for a tab.
func (f *Format) SetComma(text string) error {
	if f.Comma, _ = utf8.DecodeRuneInString(text); text == `\t` {
		f.Comma = '\t'
	} else if utf8.RuneCountInString(text) != 1 {
		return fmt.Errorf("-comma %q: must be one character, or \\t for a tab", text)
	}
	return nil
}

// Unnamed, followed by a number, is the name that pandas gives to a column without one. Read does the same.
const Unnamed = "Unnamed: "

// Read returns the names of the columns and the records of a file. It writes to w how many lines it skips.
func (f *Format) Read(w io.Writer, file string) (header []string, records [][]string, err error) {
	open, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer open.Close()
	text, err := f.Text(open)
	if err != nil {
		return nil, nil, err
	}
	if records, err = f.records(bufio.NewReader(text)); err != nil {
		return nil, nil, err
	}
	if !f.Headless && len(records) > 0 {
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
	if f.Headless {
		header = slices.Clone(records[0])
	}
	f.Name(header)
	return header, records, nil
}

// records returns the records of a text. A first line such as sep=; names the character between fields, as Excel writes it.
func (f *Format) records(text *bufio.Reader) (records [][]string, err error) {
	r := csv.NewReader(text)
	r.Comma = f.Comma
	const named = len("sep=;")
	skipped := 0
	if start, _ := text.Peek(named + 1); len(start) > named && strings.HasPrefix(string(start), "sep=") && strings.ContainsRune("\r\n", rune(start[named])) {
		r.Comma = rune(start[named-1])
		text.ReadString('\n')
		skipped = 1
	}
	for {
		record, err := r.Read()
		switch {
		case err == io.EOF:
			if len(records) == 1 && strings.Contains(strings.Join(records[0], ""), "\r") {
				return nil, errors.New("lines end with CR alone: save the file with LF or CRLF")
			}
			return records, nil
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d has %d fields, and the first %d: wrong number of fields, or quotes are missing", line+skipped, len(record), len(records[0]))
		case err != nil:
			return nil, err
		}
		records = append(records, record)
	}
}

// Name removes spaces around names, and names columns without one. Of a file without a line of names, header is a
// record, and becomes 0, 1, ….
func (f *Format) Name(header []string) {
	for i := range header {
		if header[i] = strings.TrimSpace(header[i]); f.Headless {
			header[i] = strconv.Itoa(i)
		} else if header[i] == "" {
			header[i] = Unnamed + strconv.Itoa(i)
		}
	}
}

// byteOrderMark is the mark of UTF-8, which some programs write before a file.
const byteOrderMark = "\ufeff"

// Text returns a reader for the text of a file: UTF-8 without a byte order mark. It refuses UTF-16.
func (f *Format) Text(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	start, _ := b.Peek(len(byteOrderMark))
	switch {
	case string(start) == byteOrderMark:
		b.Discard(len(byteOrderMark))
	case strings.HasPrefix(string(start), "\xff\xfe"), strings.HasPrefix(string(start), "\xfe\xff"):
		return nil, errors.New("the file is UTF-16: save it as UTF-8, or as CSV of Latin-1 or Windows-1252 for -encoding")
	}
	return decoded(b, f.Encoding)
}

// withValues returns the records that have values.
func withValues(records [][]string) (some [][]string) {
	for _, r := range records {
		if !Blank(r) {
			some = append(some, r)
		}
	}
	return some
}

// Blank reports whether a record has no values.
func Blank(record []string) bool {
	return !slices.ContainsFunc(record, func(field string) bool { return strings.TrimSpace(field) != "" })
}

// Places returns the place of each wanted name in a header, and −1 for an optional one that is missing. Another that is
// missing is an error.
func Places(header, wanted []string, optional func(name string) bool) ([]int, error) {
	place := make([]int, len(wanted))
	for k, name := range wanted {
		if place[k] = slices.Index(header, name); place[k] < 0 && !optional(name) {
			return nil, fmt.Errorf("%q is no column: the names are %q", name, header)
		}
		if place[k] >= 0 && slices.Contains(header[place[k]+1:], name) {
			return nil, fmt.Errorf("the name %q is twice there", name)
		}
	}
	return place, nil
}

// Order returns records with a field for each wanted name, in that order, given the names of their columns. A missing
// column has empty fields if it is optional, and is an error otherwise. Other columns are dropped.
func Order(header []string, records [][]string, wanted []string, optional func(name string) bool) ([][]string, error) {
	place, err := Places(header, wanted, optional)
	if err != nil {
		return nil, err
	}
	ordered := make([][]string, len(records))
	for i, r := range records {
		ordered[i] = make([]string, len(place))
		for k, at := range place {
			if at >= 0 {
				ordered[i][k] = r[at]
			}
		}
	}
	return ordered, nil
}

// NotUTF8 is the end of an error that names what has other bytes, and says what to do.
const NotUTF8 = "is not UTF-8: -encoding latin1 or windows-1252"

// Hint returns a possible reason why a name is not among the columns, to be appended to an error, or "".
func (f *Format) Hint(header []string) string {
	_, err := strconv.ParseFloat(header[0], 64)
	switch {
	case len(header) == 1 && strings.ContainsAny(header[0], ",;\t|"):
		return `; what is between fields may be something else: -comma ';' or -comma '\t'`
	case err == nil && !f.Headless:
		return "; if the file has no line of names, -header=false"
	case !utf8.ValidString(strings.Join(header, "")):
		return "; the file " + NotUTF8
	}
	return ""
}

// Sum returns the SHA-256 of a file, in hexadecimal digits. It tells whether two files are the same.
func Sum(file string) (string, error) {
	data, err := os.ReadFile(file)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
