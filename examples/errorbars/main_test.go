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

// The function is within three standard deviations of the mean nearly everywhere. In the gap the standard deviation is larger than
// elsewhere, the function is within two of them, the mean is within the range of the function, and samples are on both sides of it. Samples are within
// three standard deviations of the mean.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	var out strings.Builder
	if err := run(&out, 6, file); err != nil {
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
	far, gap, elsewhere, above, mean, deviation := 0, 0.0, math.Inf(1), 0, 0.0, 0.0
	for _, record := range records[1:] {
		counts[record[0]]++
		if record[0] != "mean" && record[0] != "sample" {
			continue
		}
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(record[2+k], 64); err != nil {
				t.Fatal(err)
			}
		}
		if record[0] == "sample" { // which follows the mean at its place
			if v[0] == 5 && v[1] > mean {
				above++
			}
			if math.Abs(v[1]-mean) > 3*deviation {
				t.Errorf("at %v sample %s is %v, the mean %v ± %v", v[0], record[1], v[1], mean, deviation)
			}
			continue
		}
		if mean, deviation = v[1], v[2]; math.Abs(mean-f(v[0])) > 3*deviation {
			far++
		}
		if inside := v[0] > 4 && v[0] < 6; inside && (math.Abs(mean-f(v[0])) > 2*v[2] || math.Abs(mean) > 1.4) {
			t.Errorf("at %v the mean is %v ± %v, the function %v", v[0], mean, v[2], f(v[0]))
		}
		if gap = max(gap, v[2]); v[0] < 3.5 {
			elsewhere = min(elsewhere, v[2])
		}
	}
	if counts["observation"] != 45 || counts["mean"] != 401 || counts["sample"] != 6*401 || counts["function"] != 401 {
		t.Errorf("%v", counts)
	}
	if far > 20 || !(gap > 5*elsewhere) {
		t.Errorf("%d of 401 places beyond three standard deviations, which are from %v to %v", far, elsewhere, gap)
	}
	if above == 0 || above == 6 {
		t.Errorf("%d of 6 samples are above the mean at 5", above)
	}
	if text := out.String(); !strings.Contains(text, "the fit estimates 0.1") {
		t.Error(text)
	}
}
