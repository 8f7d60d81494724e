// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	Table(&out, []string{"a", "b", "c"}, []string{"x", "y"}, func(i, j int) string { return Number(float64(1 + 2*i + j)) })
	if want := "| a | b | c |\n|---|---|---|\n| x | 1.00 | 2.00 |\n| y | 3.00 | 4.00 |\n"; out.String() != want {
		t.Errorf("the table is\n%s", out.String())
	}
	for v, want := range map[float64]string{0.0123: "0.0123", 12.34: "12.3", 123.4: "123", 1234: "1234"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestWriteCSV(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := WriteCSV(file, [][]string{{"a", "b"}, {"1,2", "3"}}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "a,b\n\"1,2\",3\n" {
		t.Errorf("it wrote %q, %v", text, err)
	}
	if err := WriteCSV(filepath.Join(file, "b"), nil); err == nil {
		t.Error("no error for a file in a file")
	}
}
