// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// inCopies returns rows of two columns, and targets of noise: of some points, one after the other, with the weights of
// the rows. The first of these have copies, which come later.
func inCopies(s *featuremap.Sampler, points, copied, times int) (x, y *mat.Dense, weights []float64) {
	var a, b []float64
	for p := range points {
		a, b = append(a, s.Normal(), s.Normal()), append(b, s.Normal())
		weights = append(weights, 0.5+float64(p%3))
	}
	for k := range times - 1 {
		a, b = append(a, a[:2*copied]...), append(b, b[:copied]...)
		for range copied {
			weights = append(weights, 1+float64(k))
		}
	}
	return mat.NewDense(len(b), 2, a), mat.NewDense(len(b), 1, b), weights
}

// Rows of noise, each there four times, have an error on new rows of at most 1.1 times the noise: λ is chosen by rows
// whose copies are left out too. (With copies in the fit it was 14 to 83.)
func TestCopiesLeaveTogether(t *testing.T) {
	for seed := range uint64(testkit.Times(1, 1, 3)) {
		s := featuremap.NewSampler(seed)
		x, y, weights := inCopies(s, 60, 60, 4)
		fresh := mat.NewDense(1000, 2, nil)
		s.FillNormal(fresh.RawMatrix().Data)
		targets := make([]float64, 1000)
		s.FillNormal(targets)
		var noise float64
		for _, v := range targets {
			noise += v * v
		}
		for _, out := range []int{100, 600} {
			phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, out, s, nil))
			check := func(name string, m *ridge.Model) {
				t.Helper()
				var got mat.Dense
				m.PredictTo(&got, fresh)
				var sum float64
				for i, v := range targets {
					sum += (v - got.At(i, 0)) * (v - got.At(i, 0))
				}
				if ratio := math.Sqrt(sum / noise); !(ratio < 1.1) {
					t.Errorf("seed %d, %d features, %s: error on new rows %.3g times the noise, λ = %v", seed, out, name, ratio, m.Lambda())
				}
			}
			for _, criterion := range []ridge.Criterion{ridge.GuardedEvidence, ridge.LeaveOneOut} {
				for _, side := range []ridge.Side{ridge.FeatureSide, ridge.RowSide} {
					for _, w := range [][]float64{nil, weights} {
						check(criterion.String(), must(ridge.Fit(phi, x, y, &ridge.Options{Criterion: criterion, Side: side, Weights: w})))
					}
				}
			}
			a := must(ridge.NewAccumulator(phi, 1))
			if err := a.Add(x, y); err != nil {
				t.Fatal(err)
			}
			check("Accumulator", must(a.Fit(nil)))
			check("FitIterative", must(ridge.FitIterative(phi, ridge.Rows(x, y), nil)))
		}
	}
}

// The leave-one-out error is that of fits without all copies of a row, or, where copies stay in, of fits without the row.
func TestLeaveCopiesOut(t *testing.T) {
	s := featuremap.NewSampler(7)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 40, s, nil))
	for _, c := range []struct {
		name                  string
		points, copied, times int
		differ                int  // points at which the last copy has another target
		more                  int  // points with a further copy
		two                   bool // targets, 1 and −1
		together              bool
	}{
		{"copies", 60, 24, 3, 0, 0, false, true},
		{"copies of all", 60, 60, 2, 0, 0, false, true},
		{"14 points with other targets", 60, 24, 3, 14, 0, false, true},
		{"15 points with other targets", 60, 24, 3, 15, 0, false, false},
		{"one point with another of two targets", 60, 24, 3, 1, 0, true, true},
		{"two points with others of two targets", 60, 24, 3, 2, 0, true, false},
		{"7 points with copies", 40, 7, 3, 0, 0, false, false},
		{"8 points with copies", 40, 8, 3, 0, 0, false, true},
		{"copies of less than a tenth", 230, 22, 2, 0, 0, false, false},
		{"one, two or three rows for a point", 60, 30, 2, 0, 5, false, false},
		{"two or three rows for a point", 60, 60, 2, 0, 5, false, true},
	} {
		x, y, weights := inCopies(s, c.points, c.copied, c.times)
		if c.two {
			y.Apply(func(_, _ int, v float64) float64 { return math.Copysign(1, v) }, y)
		}
		n, _ := x.Dims()
		differs := make(map[float64]bool)
		for k := range c.differ {
			y.Set(n-1-k, 0, y.At(n-1-k, 0)+1)
			differs[x.At(n-1-k, 0)] = true
		}
		if c.more > 0 {
			a, b := x.RawMatrix().Data, y.RawMatrix().Data
			x, y = mat.NewDense(n+c.more, 2, append(a, a[:2*c.more]...)), mat.NewDense(n+c.more, 1, append(b, b[:c.more]...))
			n, weights = n+c.more, append(weights, weights[:c.more]...)
		}
		for i := range n { // zeros of either sign
			if x.At(i, 0) == x.At(n-1, 0) && !differs[x.At(i, 0)] {
				y.Set(i, 0, math.Copysign(0, float64(i-n/2)))
			}
		}
		const lambda = 0.3
		var want, total float64
		for i := range n {
			without := append([]float64(nil), weights...)
			for j := range n {
				if j == i || c.together && x.At(j, 0) == x.At(i, 0) && y.At(j, 0) == y.At(i, 0) {
					without[j] = 0
				}
			}
			m := must(ridge.Fit(phi, x, y, &ridge.Options{Lambda: lambda, Weights: without, Side: ridge.FeatureSide, Intervals: noIntervals}))
			e := y.At(i, 0) - m.PredictVec(nil, x.RawRowView(i))[0]
			want = math.FMA(weights[i]*e, e, want)
			total += weights[i]
		}
		want /= total
		for _, side := range []ridge.Side{ridge.FeatureSide, ridge.RowSide} {
			m := must(ridge.Fit(phi, x, y, &ridge.Options{Path: []float64{lambda}, Criterion: ridge.LeaveOneOut, Weights: weights, Side: side, Intervals: noIntervals}))
			if got, _ := m.LeaveOneOutMSE(); !(math.Abs(got[0]/want-1) < 1e-9) {
				t.Errorf("%s, side %v: leave-one-out error %v, want %v", c.name, side, got[0], want)
			}
		}
	}
}

// Copies of tiny weight leave with those that have the weight of the point, on the rows' side too.
func TestLightCopies(t *testing.T) {
	s := featuremap.NewSampler(12)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 600, s, nil))
	x, y, weights := inCopies(s, 60, 60, 2)
	for i := range weights {
		if weights[i] = 1; i >= 60 {
			weights[i] = 1e-10
		}
	}
	o := ridge.Options{Path: []float64{1e-5}, Criterion: ridge.LeaveOneOut}
	want, _ := must(ridge.Fit(phi, x.Slice(0, 60, 0, 2), y.Slice(0, 60, 0, 1), &o)).LeaveOneOutMSE()
	o.Weights = weights
	if got, _ := must(ridge.Fit(phi, x, y, &o)).LeaveOneOutMSE(); !(math.Abs(got[0]/want[0]-1) < 1e-9) {
		t.Errorf("leave-one-out error %v, want %v", got, want)
	}
}

// Rows drawn from few points are no copies: new rows come to these points, whose targets are known exactly.
func TestDrawnPointsAreNoCopies(t *testing.T) {
	s := featuremap.NewSampler(13)
	prices := make([]float64, 60)
	s.FillNormal(prices)
	x, y := mat.NewDense(600, 1, nil), mat.NewDense(600, 1, nil)
	for i := range 600 {
		id := s.IntN(60)
		x.Set(i, 0, float64(id))
		y.Set(i, 0, prices[id])
	}
	m := must(ridge.Fit(must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 500, s, nil)), x, y, nil))
	var squares float64
	for id, v := range prices {
		e := v - m.PredictVec(nil, []float64{float64(id)})[0]
		squares += e * e
	}
	if rmse := math.Sqrt(squares / 60); !(rmse < 0.5) { // the mean has 1
		t.Errorf("error %.2f at known points, λ = %v", rmse, m.Lambda())
	}
}

// An accumulator that has dropped a few of its rows, which are copies, sees the others.
func TestCopiesOfKeptRows(t *testing.T) {
	s := featuremap.NewSampler(14)
	x, y, _ := inCopies(s, 60, 60, 4)
	a := must(ridge.NewAccumulator(must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 600, s, nil)), 1))
	if err := a.KeepRows(239); err != nil {
		t.Fatal(err)
	}
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	if m := must(a.Fit(nil)); !(m.Lambda()[0] > 1) {
		t.Errorf("λ = %v for noise in copies", m.Lambda())
	}
}

// Rows that are all there twice have the λ and the leave-one-out error of rows of weight 2, also with more rows than are
// all left out for each λ.
func TestCopiesAreWeights(t *testing.T) {
	const points = 2200
	s := featuremap.NewSampler(11)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.2}, 2, 600, s, nil))
	x, y, _ := inCopies(s, points, points, 2)
	for i := range 2 * points {
		y.Set(i, 0, math.FMA(0.3, y.At(i, 0), math.Sin(2*x.At(i, 0))))
	}
	twice := make([]float64, points)
	for i := range twice {
		twice[i] = 2
	}
	path := []float64{1e-3, 1e-2, 0.1, 1, 10, 100}
	check := func(name string, phi featuremap.FeatureMap, x, y mat.Matrix, once, onceY mat.Matrix) {
		t.Helper()
		n, _ := once.Dims()
		m := must(ridge.Fit(phi, x, y, &ridge.Options{Path: path, Criterion: ridge.LeaveOneOut, Intervals: noIntervals}))
		of := must(ridge.Fit(phi, once, onceY, &ridge.Options{Path: path, Criterion: ridge.LeaveOneOut, Weights: twice[:n], Intervals: noIntervals}))
		got, _ := m.LeaveOneOutMSE()
		want, _ := of.LeaveOneOutMSE()
		if m.Lambda()[0] != of.Lambda()[0] || !(math.Abs(got[0]/want[0]-1) < 1e-9) {
			t.Errorf("%s: λ = %v with leave-one-out error %v, want %v with %v", name, m.Lambda(), got, of.Lambda(), want)
		}
	}
	check("Fourier", phi, x, y, x.Slice(0, points, 0, 2), y.Slice(0, points, 0, 1))
	lists, wanted := texts(t, 300, s)
	once := mat.DenseCopyOf(lists)
	var both, bothY mat.Dense
	both.Stack(once, once)
	bothY.Stack(wanted, wanted)
	check("landmarks among the rows", ofTexts(once, 60), &both, &bothY, once, wanted)
}

// Rows that are all there five times have five times the λ of one of each, as rows of weight 5 would have with one observation each.
func TestCopiesAreOneObservation(t *testing.T) {
	const points, times = 120, 5
	for seed := range uint64(4) {
		s := featuremap.NewSampler(seed)
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 200, s, nil))
		x, y, _ := inCopies(s, points, points, times)
		for i := range points * times {
			y.Set(i, 0, math.FMA(0.3, y.At(i, 0), math.Sin(2*x.At(i, 0))*math.Cos(x.At(i, 1))))
		}
		for _, side := range []ridge.Side{ridge.FeatureSide, ridge.RowSide} {
			m := must(ridge.Fit(phi, x, y, &ridge.Options{Side: side, Intervals: noIntervals}))
			once := must(ridge.Fit(phi, x.Slice(0, points, 0, 2), y.Slice(0, points, 0, 1), &ridge.Options{Side: side, Intervals: noIntervals}))
			if got, want := m.Lambda()[0], times*once.Lambda()[0]; !(math.Abs(got/want-1) < 1e-9) {
				t.Errorf("seed %d, side %v: λ = %v, want %v", seed, side, got, want)
			}
		}
	}
}

// Batches have the bits of rows in memory, also with more rows than are kept, some of which are ranked.
func TestCopiesInBatches(t *testing.T) {
	s := featuremap.NewSampler(9)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 64, s, nil))
	for _, points := range []int{60, 3000} {
		x, y, weights := inCopies(s, points, points, 2)
		m := must(ridge.Fit(phi, x, y, &ridge.Options{Weights: weights, Side: ridge.FeatureSide}))
		var want bytes.Buffer
		if _, err := m.WriteTo(&want); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 70, 10000} {
			var got bytes.Buffer
			if _, err := must(ridge.FitBatches(phi, inBatches(x, y, weights, size), nil)).WriteTo(&got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%d points in batches of %d: another model than in memory", points, size)
			}
		}
	}
}

// Copies of tiny weight are no observations: λ is as for the heavy rows alone.
func TestLightCopiesAreNoObservations(t *testing.T) {
	const points = 150
	for seed := range uint64(4) {
		s := featuremap.NewSampler(seed)
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 300, s, nil))
		x, y, weights := inCopies(s, points, points, 2)
		for i := range 2 * points {
			y.Set(i, 0, math.FMA(0.7, y.At(i, 0), math.Sin(2*x.At(i, 0))*math.Cos(x.At(i, 1))))
			if weights[i] = 1; i >= points {
				weights[i] = 1e-6
			}
		}
		m := must(ridge.Fit(phi, x, y, &ridge.Options{Weights: weights, Intervals: noIntervals}))
		once := must(ridge.Fit(phi, x.Slice(0, points, 0, 2), y.Slice(0, points, 0, 1), &ridge.Options{Intervals: noIntervals}))
		if got, want := m.Lambda()[0], once.Lambda()[0]; !(math.Abs(got/want-1) < 1e-4) {
			t.Errorf("seed %d: λ = %v, want %v", seed, got, want)
		}
	}
}
