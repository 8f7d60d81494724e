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

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// The observations have the mean sin x, and nine tenths of 20,000 are between the quantiles, with a standard error of
// .0021.
func TestObserve(t *testing.T) {
	x, y := observe(featuremap.NewSampler(1), 20_000)
	var in, sum float64
	for i, at := range x.RawMatrix().Data {
		v := y.At(i, 0)
		if quantile(at, 0.05) <= v && v <= quantile(at, 0.95) {
			in++
		}
		sum += (v - math.Sin(at)) / deviation(at)
	}
	if share, mean := in/20_000, sum/20_000; math.Abs(share-0.9) > 4*0.0021 || math.Abs(mean) > 4*0.0071 {
		t.Errorf("%.4f are between the quantiles, and the mean of the noise is %.4f standard deviations", share, mean)
	}
}

// Calibrated intervals contain their share on both sides and at both ends. Gaussian ones contain all observations where
// there is little noise. The file has a line for each observation, and at 401 places the quantiles, and of both methods
// the mean and the interval.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "intervals.csv")
	var out strings.Builder
	if err := run(&out, scope{rows: 500, fresh: 20_000, csv: file}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| calibrated | 9") || !strings.Contains(out.String(), "| Gaussian | 9") {
		t.Errorf("the output is\n%s", &out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 1+500+401*5+4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	shares := make(map[string]float64)
	for _, line := range lines[1:] {
		low, err := strconv.ParseFloat(line[3], 64)
		if err != nil {
			t.Fatal(line, err)
		}
		if line[0] == "share" {
			shares[line[1]+line[2]] = low
		}
	}
	for at, want := range map[string][2]float64{"calibrated1.25": {0.85, 0.96}, "calibrated8.75": {0.85, 0.96}, "Gaussian1.25": {0.98, 1}} {
		if v := shares[at]; !(v >= want[0] && v <= want[1]) {
			t.Errorf("%s: %v, want it within %v", at, v, want)
		}
	}
	if err := run(&out, scope{rows: 500, fresh: 100, csv: filepath.Join(file, "none")}); err == nil {
		t.Error("no error for a file that cannot be written")
	}
}

// An interval without observations has shares of 0, and all observations are above.
func TestMeasure(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 5, 9})
	c := measure("high", fixed{2, 3}, x, mat.NewDense(3, 1, []float64{4, 1, 2.5}))
	if c.above*3 != 1 || c.below*3 != 1 || c.first != 0 || c.last != 1 || c.width != 1 || c.all*3 != 1 {
		t.Errorf("%+v", c)
	}
}

// fixed has the same interval everywhere.
type fixed struct{ low, high float64 }

func (f fixed) IntervalTo(lo, hi *mat.Dense, x mat.Matrix, _ float64) {
	n, _ := x.Dims()
	lo.CloneFrom(mat.NewDense(n, 1, nil))
	hi.CloneFrom(mat.NewDense(n, 1, nil))
	for i := range n {
		lo.Set(i, 0, f.low)
		hi.Set(i, 0, f.high)
	}
}
