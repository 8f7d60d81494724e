// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// noisy returns n records of x, a color that is ignored, and y = x + noise, and with -target none of y.
func noisy(n int, seed uint64) string {
	s := featuremap.NewSampler(seed)
	text := "x,color,y\n"
	for range n {
		x := s.Float64()
		text += fmt.Sprintf("%.4f,red,%.4f\n", x, x+0.1*s.Normal())
	}
	return text
}

// The file of predictions has the records and, between lo and hi, the share of targets that -level says: of 400 records the standard error
// is .02 by these and .02 by the 200 that are fitted. A higher level has longer intervals.
func TestPredictions(t *testing.T) {
	j := newJob(t, noisy(200, 1), "y", "color", "")
	header, records, err := j.read(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	e := must(table.Fit(header, records, &j.Options))
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 20, featuremap.NewSampler(1), nil))
	m := &table.Model{Encoder: e, Ridge: must(ridge.Fit(phi, must(e.Encode(records)), must(e.Targets(records)), nil))}
	j.predict = writeFile(t, strings.Replace(noisy(400, 2), "\n", "\n ,,\n", 1)) // and a line without values
	f, err := j.readFresh(io.Discard, e)
	if err != nil {
		t.Fatal(err)
	}
	length := 0.0
	for _, level := range []float64{0.5, 0.9} {
		var out strings.Builder
		if err := f.write(&out, m, ',', level); err != nil {
			t.Fatal(err)
		}
		lines := must(csv.NewReader(strings.NewReader(out.String())).ReadAll())
		if len(lines) != 401 || strings.Join(lines[0], " ") != "x color y predicted lo hi" {
			t.Fatalf("%d lines, the first is %q", len(lines), lines[0])
		}
		in, before := 0.0, length
		length = 0
		for _, l := range lines[1:] {
			var v [4]float64
			for k, field := range l[2:] {
				v[k] = must(strconv.ParseFloat(field, 64))
			}
			if v[2] <= v[0] && v[0] <= v[3] {
				in++
			}
			if length += v[3] - v[2]; !(v[2] <= v[1] && v[1] <= v[3]) {
				t.Fatalf("the prediction is not in the interval: %q", l)
			}
		}
		if math.Abs(in/400-level) > 4*math.Hypot(.025, .035) || !(length > before) {
			t.Errorf("level %v: %v of 400 are covered, with the length %v after %v", level, in, length, before)
		}
	}
	// Far from 0 a prediction keeps the digits in which its interval has a length: Julian days, for example.
	y := must(e.Targets(records))
	y.Apply(func(_, _ int, v float64) float64 { return 2460000 + v }, y)
	days := &table.Model{Encoder: e, Ridge: must(ridge.Fit(phi, must(e.Encode(records)), y, nil))}
	if err := f.write(io.Discard, m, ',', 0.9999); err == nil || !strings.Contains(err.Error(), "-level 0.9999: of 200 rows left out levels are up to 0.99") {
		t.Errorf("a level for which 200 rows are too few: %v", err)
	}
	_, columns, err := predict(days, f.x, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range days.Ridge.PredictVec(nil, f.x.RawRowView(0)) { // one target
		if c := columns[i]; must(strconv.ParseFloat(c[0], 64)) != want || !(must(strconv.ParseFloat(c[2], 64))-must(strconv.ParseFloat(c[1], 64)) > 0.2) {
			t.Errorf("predicted %q, want %v in an interval of noise .1", c, want)
		}
	}
	for text, want := range map[string]string{
		"x,y\n1,2\n":       "", // an ignored column and
		"x\n1\n":           "", // the target may be missing
		"x,x\n1,2\n":       `the name "x" is twice there`,
		"z,y\n1,2\n":       `"x" is no column: the names are ["z" "y"]`,
		"x\n1\nseven\n":    `row 1, column "x": "seven"`,
		"x,y\n":            "has no records",
		"x,color\n1,2,3\n": "wrong number of fields",
	} {
		j.predict = writeFile(t, text)
		if _, err := j.readFresh(io.Discard, e); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	// A file without a line of names has predictions without one.
	var out strings.Builder
	f.header, f.records, f.x = nil, f.records[:1], f.x.Slice(0, 1, 0, 1).(*mat.Dense)
	if err := f.write(&out, m, ';', 0.9); err != nil || strings.Count(out.String(), "\n") != 1 || strings.Count(out.String(), ";") != 5 {
		t.Errorf("%q, %v", &out, err)
	}
	for _, level := range []float64{0, 1, math.NaN()} {
		if err := (&job{level: level}).validatePredict(); err == nil || !strings.Contains(err.Error(), "-level") {
			t.Errorf("-level %v: %v", level, err)
		}
	}
}

// A file that cannot be written leaves nothing behind, and the one before as it was.
func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "predicted.csv")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(file, func(w io.Writer) error { return io.ErrShortWrite }); err == nil {
		t.Error("no error")
	}
	if text := must(os.ReadFile(file)); string(text) != "before" {
		t.Errorf("the file has %q", text)
	}
	if left := must(filepath.Glob(file + "?*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
