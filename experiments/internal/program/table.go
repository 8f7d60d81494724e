// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package program

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Table writes a table in Markdown: a row for each name, and a column for each head after the name's.
func Table(w io.Writer, heads, names []string, cell func(row, column int) string) {
	fmt.Fprintf(w, "| %s |\n%s|\n", strings.Join(heads, " | "), strings.Repeat("|---", len(heads)))
	for i, name := range names {
		fmt.Fprintf(w, "| %s |", name)
		for j := range heads[1:] {
			fmt.Fprintf(w, " %s |", cell(i, j))
		}
		fmt.Fprintln(w)
	}
}

// Number returns a positive v with at least three digits.
func Number(v float64) string {
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(v)))), 64)
}

// WriteCSV writes records as comma-separated values to the file that -csv names, and nothing if its path is "".
func WriteCSV(path string, records [][]string) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("-csv: %w", err)
	}
	if err := csv.NewWriter(f).WriteAll(records); err != nil {
		f.Close()
		return fmt.Errorf("-csv: %w", err)
	}
	return f.Close()
}
