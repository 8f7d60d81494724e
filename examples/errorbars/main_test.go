// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The function is within three deviations of the mean nearly everywhere, and the deviation is larger in the gap than elsewhere.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	var out strings.Builder
	if err := run(&out, 2, file); err != nil {
		t.Fatal(err)
	}
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	far, gap, beside := 0, 0.0, math.Inf(1)
	for _, record := range records[1:] {
		counts[record[0]]++
		if record[0] != "mean" {
			continue
		}
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(record[2+k], 64); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(v[1]-f(v[0])) > 3*v[2] {
			far++
		}
		if gap = max(gap, v[2]); v[0] < 3.5 {
			beside = min(beside, v[2])
		}
	}
	if counts["observation"] != 45 || counts["mean"] != 401 || counts["sample"] != 802 || counts["function"] != 401 {
		t.Errorf("%v", counts)
	}
	if far > 20 || !(gap > 5*beside) {
		t.Errorf("%d of 401 places beyond three deviations, which are from %v to %v", far, beside, gap)
	}
	if text := out.String(); !strings.Contains(text, "the fit says 0.1") {
		t.Error(text)
	}
}
