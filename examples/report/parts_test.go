// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// labels returns the labels of ticks.
func labels(all []plot.Tick) string {
	var texts []string
	for _, t := range all {
		texts = append(texts, t.Label)
	}
	return strings.Join(texts, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"}, {-21, 118, "0 50 100"}, {0, 79, "0 20 40 60"}, {1e6, 1.5e6, "1e+06 1.1e+06 1.2e+06 1.3e+06 1.4e+06 1.5e+06"},
		{-0.31, 0.32, "-0.2 0 0.2"}, {7, 7, "7"},
		{2459999.5, 2460001.6, "2459999.5 2460000 2460000.5 2460001 2460001.5"}, // a label for each, far from 0
		{5, 5 + 0x1p-50, "5"}, // next numbers of float64, between which there is nothing
	} {
		if got := labels(ticks(c.low, c.high)); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	for _, c := range []struct{ low, high, want string }{
		{"2025-01-02", "2025-12-30", "2025-04 2025-07 2025-10"},
		{"2025-01-02", "2025-04-10", "2025-02 2025-03 2025-04"},
		{"2025-03-01", "2025-03-31", "Mar 3 Mar 13 Mar 23"},
		{"1969-06-01", "1975-06-01", "1970 1972 1974"},
		{"1600-01-02", "2020-01-01", "1700 1800 1900 2000"},
	} {
		day := func(text string) float64 { return float64(must(time.Parse(time.DateOnly, text)).Unix()) / 86400 }
		got := dateTicks(day(c.low), day(c.high))
		if labels(got) != c.want || got[0].Value < day(c.low) || got[len(got)-1].Value > day(c.high) {
			t.Errorf("from %s to %s: %s, want %s", c.low, c.high, labels(got), c.want)
		}
	}
}

// What examples/table printed is taken apart: long lines of a paragraph are joined, short ones stay, and cells are cut where the words of the
// head begin, counted in characters.
func TestParseTrial(t *testing.T) {
	long := strings.Repeat("word ", 25)
	var steps strings.Builder
	w := tabwriter.NewWriter(&steps, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "step\ttaken\tof\tlog evidence\tRMSE\tnext best\tseconds\nkernel\tlengths λ\t4\t-2.6\t0.0988\tλ +0.7 %\t1.40\nfit\tλ = 3\t\t\t\t\t0.05\n\tagain\t\t\t\t\t0.04\n")
	w.Flush()
	got := parseTrial("fitted on a.csv, SHA-256 " + strings.Repeat("0", 64) + "\nscore on held-out rows: RMSE 2.8; 90 % intervals\n\na  number\nb  date\n\ntitle\n\n" +
		steps.String() + "\n" + long + "\nmore\n\nRMSE 2.8\n90 % intervals\n\n\nclasses: a, b\n")
	if got.score != "RMSE 2.8; 90 % intervals" || strings.Join(got.before, "|") != "a  number\nb  date|title" || strings.Join(got.after, "|") != long+" more|classes: a, b" {
		t.Errorf("%+v", got)
	}
	for k, want := range []string{"kernel|lengths λ|4|-2.6|0.0988|λ +0.7 %|1.40", "fit|λ = 3|||||0.05", "fit|again|||||0.04"} {
		if text := strings.Join(got.steps.Rows[k], "|"); text != want {
			t.Errorf("row %d: %s, want %s", k, text, want)
		}
	}
	if got := parseTrial("any text"); len(got.steps.Rows) > 0 || strings.Join(got.before, "|") != "any text" {
		t.Errorf("%+v", got)
	}
}

// The intervals are those of a sample with known mean and deviation, and of tables.
func TestIntervals(t *testing.T) {
	if mean, lo, hi := interval([]float64{1, 3, 1, 3}); mean != 2 || !near(lo, 2-1.1316) || !near(hi, 2+1.1316) { // 1.96·√(4/3)/2
		t.Errorf("%v from %v to %v", mean, lo, hi)
	}
	if lo, hi := intervalOfShare(0.9, 10); !near(lo, 0.5958) || !near(hi, 0.9821) { // Wilson's, of 9 in 10
		t.Errorf("from %v to %v", lo, hi)
	}
	if lo, hi := intervalOfAUC(0.5, 100, 100); !near(lo, 0.5-1.96*0.04093) || !near(hi, 0.5+1.96*0.04093) { // √(201/120000)
		t.Errorf("from %v to %v", lo, hi)
	}
}

// wide returns a table of some records of 15 numbers, a date, a category of 12 long values, and a target of 12 classes.
func wide(records int) string {
	rng := rand.New(rand.NewPCG(3, 0))
	var b strings.Builder
	for j := range 15 {
		fmt.Fprintf(&b, "number %d,", j)
	}
	b.WriteString("day,town,constant,class\n")
	for range records {
		class := rng.IntN(12)
		for range 15 {
			fmt.Fprintf(&b, "%.3f,", float64(class)/6+rng.NormFloat64())
		}
		fmt.Fprintf(&b, "20%02d-0%d-11 1%d:30,a town of a very long name %c,1,class %c\n", rng.IntN(25), 1+rng.IntN(9), rng.IntN(10), 'A'+class/2*2+rng.IntN(2), 'A'+class)
	}
	return b.String()
}

// A page of many rows, columns, values and classes shows some, and says so. It stays small.
func TestWide(t *testing.T) {
	for target, wants := range map[string][]string{
		"class":    {"The most frequent mistakes", "The first 12 of 18 columns", "The 6 most frequent of 12 classes are shown"},
		"number 3": {"Dots are 1000 of the 1500 rows.", "Residuals are shown along 12 of 18 columns."},
	} {
		page := pageOf(t, classified(t, wide(1500), target, nil))
		wellFormed(t, page)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page has no %q", target, want)
			}
		}
		if len(page) > 3<<20 || strings.Contains(page, "Prediction along constant") {
			t.Errorf("%s: %d bytes, or a curve along a constant", target, len(page))
		}
	}
}

// A curve along dates is at dates of the rows, one along numbers at numbers between them, or at these if they are few, and all are predictions.
func TestGrid(t *testing.T) {
	s := loaded(t, sales())
	typical := s.typical()
	for k := range s.columns {
		c := &s.columns[k]
		v := must(s.along(c, typical))
		fields := s.grid(c)
		for i, f := range fields {
			r := slices.Clone(typical)
			if r[c.field] = f; s.Ridge.PredictVec(nil, must(s.Encoder.EncodeVec(nil, r)))[0] != v.mean[i] {
				t.Errorf("%s = %s: another prediction", c.Name, f)
			}
			if c.Kind != table.Number && !slices.ContainsFunc(s.records, func(r []string) bool { return r[c.field] == f }) {
				t.Errorf("%s = %s is in no record", c.Name, f)
			}
		}
		if c.Kind != table.Category && (!slices.IsSorted(v.x) || len(fields) < 40) {
			t.Errorf("%s: %d places, or not in order", c.Name, len(fields))
		}
		if c.Kind == table.Number {
			for i := range s.records {
				s.x.Set(i, c.from, float64(i%5))
			}
			if fields := s.grid(c); !slices.Equal(fields, []string{"0", "1", "2", "3", "4"}) {
				t.Errorf("%s of 5 values: %q", c.Name, fields)
			}
		}
	}
}

// Values of a category that differ by spaces around them are one.
func TestSpaces(t *testing.T) {
	j := copyOf(sales(), func(j *job) {
		j.file = filepath.Join(t.TempDir(), "spaces.csv")
		text := string(must(os.ReadFile(sales().file)))
		must(0, os.WriteFile(j.file, []byte(strings.ReplaceAll(text, "9,Lima", "9, Lima ")), 0o600))
	})
	s, same := loaded(t, j), loaded(t, sales())
	for k := range s.columns {
		if got, want := s.grid(&s.columns[k]), same.grid(&same.columns[k]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", s.columns[k].Name, got, want)
		}
	}
}

// Of many classes the table has the most frequent mistakes.
func TestConfused(t *testing.T) {
	counts := [][]int{{5, 1, 0}, {0, 7, 2}, {3, 0, 1}}
	g := confused([]string{"a", "b", "c"}, counts)
	if len(g.Rows) != 3 || strings.Join(g.Rows[0], " ") != "c a 3 4" || strings.Join(g.Rows[2], " ") != "a b 1 6" {
		t.Errorf("%q", g.Rows)
	}
}

// Codes have no derivative, but changes from each value to others, however near; numbers with many values have their derivative.
func TestImportanceOfCodes(t *testing.T) {
	const n = 60
	effects := []float64{1, -1, 2, 0}
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.SetRow(i, []float64{[]float64{0, 1, 1.001, 3}[i%4], float64(i)})
		y.Set(i, 0, effects[i%4]+float64(i)/30)
	}
	code := featuremap.Select([]int{0}, featuremap.Laplacian{LengthScale: 0.001 / 64})
	smooth := featuremap.Select([]int{1}, featuremap.Gaussian{LengthScale: 100})
	phi := must(featuremap.NewNystrom(featuremap.Sum(code, featuremap.Scale(100, smooth)), x, n, featuremap.NewSampler(1), nil))
	s := &study{Model: &table.Model{Ridge: must(ridge.Fit(phi, x, y, &ridge.Options{Lambda: 1e-6}))}, records: make([][]string, n), x: x,
		columns: []column{{Kind: table.Number, Deviations: []float64{1}, to: 1}, {Kind: table.Number, Deviations: []float64{20}, from: 1, to: 2}}}
	important := must(s.importances())
	want := []float64{1.25, 4. / 9} // the variance of the effects, and (20/30)²
	for k, i := range important {
		if i.column != &s.columns[k] || !(math.Abs(i.square-want[k]) < 0.02*want[k]) || !near(i.share, i.square/(important[0].square+important[1].square)) {
			t.Errorf("column %d: %v, a share of %v, want %v", k, i.square, i.share, want[k])
		}
	}
}
