// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// Rows and batches have the same bits, intervals nest, and of levels that rows are too few for they have no ends.
func TestIntervalTo(t *testing.T) {
	x, y := data(150, 2, 3, 7)
	n := 150.0
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 30, featuremap.NewSampler(1), nil))
	for name, m := range map[string]*Model{
		"features":    must(Fit(fourier(2, 40), x, y, nil)),
		"landmarks":   must(Fit(landmarks, x, y, nil)),
		"constant":    must(Fit(fourier(2, 40), x, y, &Options{Intervals: &IntervalOptions{Constant: true}})),
		"mean":        must(Fit(fourier(2, 40), x, y, &Options{Intervals: &IntervalOptions{NoVariance: true}})).MeanOnly(),
		"Gaussian":    must(Fit(fourier(2, 40), x, y, &Options{Intervals: &IntervalOptions{Off: true}})),
		"iterative":   must(FitIterative(fourier(2, 40), Rows(x, y), &IterativeOptions{Samples: 32, Intervals: &IntervalOptions{}})),
		"accumulated": must(accumulated(fourier(2, 40), x, y).Fit(nil)),
	} {
		if got, want := m.IntervalRows(), map[bool]int{true: 0, false: 150}[name == "Gaussian"]; got != want {
			t.Errorf("%s: %d rows, want %d", name, got, want)
		}
		points, _ := data(33, 2, 1, 8)
		points.Set(5, 0, math.NaN())
		points.Set(6, 0, 50) // far out
		var before [2]*mat.Dense
		for _, level := range []float64{0.1, 0.5, 0.9, 0.98} {
			lo, hi := new(mat.Dense), new(mat.Dense)
			m.IntervalTo(lo, hi, points, level)
			for i := range 33 {
				a, b := m.Interval(points.RawRowView(i), level)
				equal(t, fmt.Sprintf("%s, level %v, row %d", name, level, i), bits(slices.Concat(a, b)), bits(slices.Concat(lo.RawRowView(i), hi.RawRowView(i))))
				for j := range a {
					if nan := math.IsNaN(a[j]) || math.IsNaN(b[j]); nan != (i == 5) {
						t.Errorf("%s: row %d has the interval %v to %v", name, i, a[j], b[j])
					}
					if before[0] != nil && (lo.At(i, j) > before[0].At(i, j) || hi.At(i, j) < before[1].At(i, j)) {
						t.Errorf("%s, level %v: row %d is not around the one of less", name, level, i)
					}
				}
			}
			before[0], before[1] = lo, hi
		}
		if name != "Gaussian" {
			last := 1 - 2/(n+1)
			for level, infinite := range map[float64]bool{last - 1e-6: false, last + 1e-6: true} {
				lo, hi := m.Interval(points.RawRowView(0), level)
				if math.IsInf(lo[0], -1) != infinite || math.IsInf(hi[2], 1) != infinite {
					t.Errorf("%s, level %v: %v to %v", name, level, lo, hi)
				}
			}
		}
	}
}

// accumulated returns an accumulator that has rows.
func accumulated(phi featuremap.FeatureMap, x, y *mat.Dense) *Accumulator {
	_, targets := y.Dims()
	a := must(NewAccumulator(phi, targets))
	if err := a.Add(x, y); err != nil {
		panic(err)
	}
	return a
}

// What cannot be is refused, or said.
func TestIntervalsRefused(t *testing.T) {
	x, y := data(60, 2, 1, 9)
	phi := fourier(2, 12)
	asked := &IntervalOptions{}
	few := accumulated(phi, x, y)
	none := must(NewAccumulator(phi, 1))
	if err := none.KeepRows(20); err != nil {
		t.Fatal(err)
	}
	if err := none.Add(x, y); err != nil {
		t.Fatal(err)
	}
	head := func(n int) (mat.Matrix, mat.Matrix) { return x.Slice(0, n, 0, 2), y.Slice(0, n, 0, 1) }
	x18, y18 := head(18)
	x19, y19 := head(19)
	light := slices.Repeat([]float64{0.3}, 60)
	for want, fit := range map[string]func(o *IntervalOptions) (*Model, error){
		"no rows were kept to leave out, or fewer than 32 of more": func(o *IntervalOptions) (*Model, error) { return none.Fit(&Options{Intervals: o}) },
		"the rows to leave out weigh 18: must weigh at least 19": func(o *IntervalOptions) (*Model, error) {
			return Fit(phi, x18, y18, &Options{Intervals: o})
		},
		"the rows to leave out weigh 18: must weigh at least 19 ": func(o *IntervalOptions) (*Model, error) {
			return Fit(phi, x, y, &Options{Weights: light, Intervals: o})
		},
		"so that no other row predicts it: λ must be positive": func(o *IntervalOptions) (*Model, error) {
			far := mat.DenseCopyOf(x)
			far.SetRow(0, []float64{1, 0})
			lone := must(featuremap.NewFourierFrom(featuremap.Gaussian{LengthScale: 1}, mat.NewDense(1, 2, []float64{1, 0}), nil))
			only := mat.NewDense(60, 2, nil)
			only.Set(0, 0, 1)
			return Fit(lone, only, y, &Options{Path: []float64{0}, NoIntercept: false, Intervals: o})
		},
		"Samples = 8: must be at least 16": func(o *IntervalOptions) (*Model, error) {
			return FitIterative(phi, Rows(x, y), &IterativeOptions{Samples: 8, Intervals: o})
		},
	} {
		want = strings.TrimSpace(want)
		if m, err := fit(asked); m != nil || err == nil || !strings.HasPrefix(err.Error(), "ridge: Intervals: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %s", m, err, want)
		}
		if m := must(fit(nil)); m.IntervalRows() != 0 || !strings.Contains(m.String(), "Gaussian intervals (") || !strings.Contains(m.String(), want) {
			t.Errorf("%v, want %s", m, want)
		}
		if m := must(fit(&IntervalOptions{Off: true})); m.IntervalRows() != 0 || strings.Contains(m.String(), "intervals") {
			t.Errorf("off: %v", m)
		}
	}
	if m := must(Fit(phi, x19, y19, &Options{Intervals: asked})); m.IntervalRows() != 19 {
		t.Errorf("19 rows: %v", m)
	}
	groups := make([]int, 60)
	for i := range groups {
		groups[i] = i % 9
	}
	_, err := Fit(phi, x, y, &Options{Intervals: &IntervalOptions{Groups: groups}})
	expectError(t, err, "ridge: Intervals: Groups has 9 groups: must be at least 10")
	_, err = Fit(phi, x, y, &Options{Intervals: &IntervalOptions{Groups: groups[:59]}})
	expectError(t, err, "ridge: x has 60 rows, Intervals.Groups 59: must be as many")
	_, err = few.Fit(&Options{Intervals: &IntervalOptions{Groups: groups}})
	expectError(t, err, "ridge: Intervals.Groups are for the function Fit, which has all rows")
	_, err = FitBatches(phi, Rows(x, y), &Options{Intervals: &IntervalOptions{Groups: groups}})
	expectError(t, err, "ridge: Intervals.Groups are for the function Fit, which has all rows")
	_, err = FitIterative(phi, Rows(x, y), &IterativeOptions{Samples: 16, Intervals: &IntervalOptions{Groups: groups}})
	expectError(t, err, "ridge: Intervals.Groups are for the function Fit, which has all rows")

	m := must(Fit(phi, x, y, nil))
	for _, level := range []float64{0, 1, -1, 2, math.NaN()} {
		want := fmt.Sprintf("ridge: level = %v: must be between 0 and 1", level)
		expectPanic(t, want, want, func() { m.Interval(x.RawRowView(0), level) })
		expectPanic(t, want, want, func() { m.IntervalTo(new(mat.Dense), new(mat.Dense), x, level) })
	}
	expectPanic(t, "short", mat.ErrShape, func() { m.Interval([]float64{1}, 0.9) })
	expectPanic(t, "zero", mat.ErrShape, func() { new(Model).Interval([]float64{1}, 0.9) })
	var lo mat.Dense
	expectPanic(t, "same", "mat: bad region: identical", func() { m.IntervalTo(mat.NewDense(60, 1, nil), &lo, x, 0.9); m.IntervalTo(&lo, &lo, x, 0.9) })
	if text := refusal(func() { m.MeanOnly().Interval(x.RawRowView(0), 0.9) }); !strings.Contains(text, "no posterior") {
		t.Errorf("MeanOnly: %s", text)
	}
}

// refusal returns the text of a panic.
func refusal(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// Labels have none, constant targets their constant, and copies of rows are left out together.
func TestIntervalsOfSpecialTargets(t *testing.T) {
	x, y := data(80, 2, 1, 11)
	phi := fourier(2, 12)
	classes := make([]int, 80)
	for i := range classes {
		classes[i] = i % 3
	}
	labels := must(Labels(classes, 3))
	for _, m := range []*Model{must(Fit(phi, x, labels, nil)), must(FitBatches(phi, Rows(x, labels), nil)), must(accumulated(phi, x, labels).Fit(nil))} {
		if m.IntervalRows() != 0 {
			t.Errorf("labels: %v", m)
		}
	}
	var both mat.Dense
	both.Augment(y, mat.NewDense(80, 1, slices.Repeat([]float64{7}, 80)))
	lo, hi := must(Fit(phi, x, &both, nil)).Interval(x.RawRowView(0), 0.9)
	if lo[1] != 7 || hi[1] != 7 || !(lo[0] < hi[0]) {
		t.Errorf("a constant target has the interval %v to %v", lo[1], hi[1])
	}
	// Rows that are all there three times tell no more than once: with three times the λ the fit is the same one, and errors are. The variance of the
	// function is a third in units of the noise, at most some .3 of it here, so that b(x)/bᵢ differ by less than √(1.3/1.1) − 1 = .09 at either end.
	var x3, y3 mat.Dense
	var tmp mat.Dense
	tmp.Stack(x, x)
	x3.Stack(&tmp, x)
	var tmpY mat.Dense
	tmpY.Stack(y, y)
	y3.Stack(&tmpY, y)
	one := must(Fit(phi, x, y, &Options{Lambda: 1}))
	three := must(Fit(phi, &x3, &y3, &Options{Lambda: 3}))
	for i := range 20 {
		a, b := one.Interval(x.RawRowView(i), 0.5)
		c, d := three.Interval(x.RawRowView(i), 0.5)
		if w, w3 := b[0]-a[0], d[0]-c[0]; !(math.Abs(w3/w-1) < 0.2) {
			t.Errorf("row %d: %v to %v, of three copies %v to %v", i, a, b, c, d)
		}
	}
}

// Changed numbers of intervals are refused behind a right checksum.
func TestIntervalsHostile(t *testing.T) {
	models := savedModels()
	data := written(models["intervals"])
	for name, change := range map[string][2]string{
		"rows 0":             {`"intervals":{"rows":300`, `"intervals":{"rows":0`},
		"rows −1":            {`"intervals":{"rows":300`, `"intervals":{"rows":-1`},
		"two targets":        {`"scores":[300,300,300]`, `"scores":[450,450]`},
		"none of one":        {`"scores":[300,300,300]`, `"scores":[600,300,0]`},
		"negative":           {`"scores":[300,300,300]`, `"scores":[600,600,-300]`},
		"others":             {`"scores":[300,300,300]`, `"scores":[299,301,300]`},
		"2⁴⁰":                {`"scores":[300,300,300]`, `"scores":[1099511627776,300,300]`},
		"power":              {`"power":[`, `"power":[9,`},
		"unknown":            {`"intervals":{`, `"intervals":{"x":1,`},
		"weights":            {`"scores":`, `"weighted":[true,true,true],"scores":`},
		"without scores":     {`"scores":[300,300,300]`, `"why":"x"`},
		"with and without":   {`"scores":[300,300,300]`, `"why":"x","scores":[300,300,300]`},
		"weights of targets": {`"scores":`, `"weighted":[true],"scores":`},
	} {
		bad := withDocument(data, change[0], change[1])
		if bytes.Equal(bad, data) {
			t.Fatalf("%s: %q is not in the file", name, change[0])
		}
		if m, err := ReadModel(bytes.NewReader(bad), nil); err == nil || m != nil || !strings.HasPrefix(err.Error(), "ridge: ") {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}
