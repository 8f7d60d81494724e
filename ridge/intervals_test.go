// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// findIntervals returns the calibrator of a fit, with the errors that it has found.
func findIntervals(t *testing.T, phi featuremap.FeatureMap, x, y mat.Matrix, o *Options) *calibrator {
	t.Helper()
	b, err := newAddition(x, y, o.Weights, "Weights", 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitAll(phi, &b, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := m.pending
	if err := c.run(); err != nil {
		t.Fatal(err)
	}
	return c
}

// Rows that took no part in the fit make intervals longer, or shorter where they are many enough to show it: to the length that
// covers 90 % of them.
func TestIntervalScaling(t *testing.T) {
	const n = 2000
	s := featuremap.NewSampler(7)
	x, y, fresh, targets := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(fresh.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+0.3*s.Normal())
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 64, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Fit(phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	length := func() float64 {
		lo, hi := m.Interval([]float64{0.5}, 0.9)
		return hi[0] - lo[0]
	}
	// The 90 % quantiles of 2,000 scores and of 2,000 others have relative standard errors of 2 % and 1.2 %.
	const limit = 5 * 0.024
	for _, want := range []float64{0.5, 2} {
		for i := range n {
			lo, hi := m.Interval(fresh.RawRowView(i), 0.9)
			targets.Set(i, 0, (lo[0]+hi[0])/2+want*(hi[0]-lo[0])/2*(2*s.Float64()-1)/0.9)
		}
		scaling := m.intervalScaling(fresh, targets, 1, 0.9, 1)
		if math.Abs(scaling[0]/want-1) > limit {
			t.Errorf("%v, want %v", scaling, want)
		}
		if few := m.intervalScaling(fresh.Slice(0, 20, 0, 1), targets.Slice(0, 20, 0, 1), 1, 0.9, 1); want < 1 && few[0] != 1 {
			t.Errorf("%v by 20 rows, want 1", few)
		}
		before := length()
		m.scaleIntervals(scaling)
		if got := length() / before; math.Abs(got/scaling[0]-1) > 1e-12 {
			t.Errorf("intervals are %v times as long, want %v", got, scaling)
		}
		m.scaleIntervals([]float64{1 / scaling[0]})
	}
}

// What a calibrator says of rows that are left out, with their copies or groups, is what fits of the other rows say.
func TestIntervalsLeaveOut(t *testing.T) {
	const n = 60
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	weights, groups := make([]float64, n), make([]int, n)
	for i := range n {
		if i%7 == 3 {
			x.SetRow(i, x.RawRowView(i-2)) // copies
			y.SetRow(i, y.RawRowView(i-2))
		}
		if i%7 == 5 {
			x.SetRow(i, x.RawRowView(i-1)) // another target at the same point
		}
		weights[i], groups[i] = 0.5+float64(i%3), (i*7)%17%15
	}
	maps := map[string]featuremap.FeatureMap{}
	for name, k := range map[string]featuremap.Kernel{"Gaussian": featuremap.Gaussian{LengthScale: 1}} {
		f, err := featuremap.NewFourier(k, 2, 24, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := featuremap.NewNystrom(k, x, 15, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		maps[name], maps[name+", landmarks"] = f, l
	}
	for name, phi := range maps {
		for _, o := range []Options{
			{}, {NoIntercept: true}, {Weights: weights}, {Intervals: &IntervalOptions{Groups: groups}},
			{Weights: weights, Intervals: &IntervalOptions{Groups: groups}},
		} {
			o.Path = []float64{0.5}
			c := findIntervals(t, phi, x, y, &o)
			z, v := c.logarithms(places(0, n)), new(intervals)
			g, err := c.differs(v, places(0, n))
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				var index []int
				for j := range n {
					if o.Intervals != nil && groups[j] != groups[i] || o.Intervals == nil && !(mat.Equal(x.RowView(i), x.RowView(j)) && mat.Equal(y.RowView(i), y.RowView(j))) {
						index = append(index, j)
					}
				}
				part, targets, noise := mat.NewDense(len(index), 2, nil), mat.NewDense(len(index), 2, nil), mat.NewDense(len(index), 2, nil)
				var w []float64
				for k, j := range index {
					part.SetRow(k, x.RawRowView(j))
					targets.SetRow(k, y.RawRowView(j))
					noise.SetRow(k, vector(z, j))
					if o.Weights != nil {
						w = append(w, weights[j])
					}
				}
				others := &Options{Lambda: 0.5, Weights: w, NoIntercept: o.NoIntercept, Intervals: &IntervalOptions{Off: true}}
				m, err := Fit(phi, part, targets, others)
				if err != nil {
					t.Fatal(err)
				}
				logs, err := Fit(phi, part, noise, others)
				if err != nil {
					t.Fatal(err)
				}
				for target, want := range logs.PredictVec(nil, x.RawRowView(i)) {
					want = min(max(want, v.least[target]), v.most[target])
					if got := vector(g, i)[target]; !(math.Abs(got-want) <= 1e-9) {
						t.Fatalf("%s, %+v: row %d has the noise %v, want %v", name, o, i, got, want)
					}
				}
				mean := m.PredictVec(nil, x.RawRowView(i))
				// The variance of the features alone, in units of σ².
				square := m.squaresVec(make([]float64, 2), x.RawRowView(i), func(_ int, v float64) float64 { return v })
				left, _ := m.leftVariance(0, c.left[i])
				for target := range 2 {
					e := vector(c.errors, i)[target]
					if want := y.At(i, target) - mean[target]; !(math.Abs(e-want) <= 1e-9) {
						t.Fatalf("%s, %+v: row %d has the error %v, want %v", name, o, i, e, want)
					}
					if got, want := vector(c.squares, i)[target], square[target]-left; !(math.Abs(got-want) <= 1e-9) {
						t.Fatalf("%s, %+v: row %d has the variance %v, want %v", name, o, i, got, want)
					}
				}
			}
		}
	}
}

// Beyond the rows noise is as it was at the last of them: g is cut, and NaN stays.
func TestNoiseIsCut(t *testing.T) {
	v := &intervals{power: []float64{0, 1}, least: []float64{0, -2}, most: []float64{0, 3}}
	for g, want := range map[float64]float64{-1e9: math.Exp(-1), -2: math.Exp(-1), 0: 1, 2: math.E, 3: math.Exp(1.5), 1e300: math.Exp(1.5), math.Inf(1): math.Exp(1.5)} {
		if got := v.factor(1, g); !(math.Abs(got/want-1) < 1e-14) {
			t.Errorf("g = %v: %v, want %v", g, got, want)
		}
	}
	if got := v.factor(1, math.NaN()); got == got {
		t.Errorf("NaN: %v", got)
	}
}

// Of many targets fewer rows are left out, and of more than memory is for none.
func TestIntervalsOfManyTargets(t *testing.T) {
	for targets, want := range map[int][2]int{1: {20000, 4096}, 209: {20000, 4096}, 210: {19972, 4096}, 1024: {4096, 4096}, 2048: {2048, 2048}, 8192: {512, 512}} {
		c := &calibrator{targets: targets}
		if every, some := c.most(); every != want[0] || some != want[1] {
			t.Errorf("%d targets: %d and %d rows, want %v", targets, every, some, want)
		}
	}
	c := &calibrator{targets: 8193, l: &leftOut{n: 600}}
	if why, err := c.find(); why != "8193 targets: must be at most 8192" || err != nil {
		t.Errorf("%q, %v", why, err)
	}
}
