// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"os"
	"strconv"
)

// writeCSV saves the correlations of the pixels shown with all others, with a head of names.
func writeCSV(path string, correlations []*correlation) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := csv.NewWriter(f)
	w.Write([]string{"kernel", "row", "column", "other row", "other column", "correlation"})
	for depth, c := range correlations {
		for _, p := range shown {
			for i := range side * side {
				if i == p.index() {
					continue
				}
				q := pixelAt(i)
				w.Write([]string{name(depth), strconv.Itoa(p.row), strconv.Itoa(p.col), strconv.Itoa(q.row), strconv.Itoa(q.col),
					strconv.FormatFloat(c.of.At(i, p.index()), 'g', 6, 64)})
			}
		}
	}
	w.Flush()
	return w.Error()
}
