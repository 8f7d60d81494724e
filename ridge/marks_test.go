// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// texts returns rows of texts, with the difference of the numbers of their two topics and noise as targets.
func texts(t *testing.T, n int, s *featuremap.Sampler) (x *sparse.Rows, y *mat.Dense) {
	t.Helper()
	const common, words, topics = 150, 60, 3
	x, _ = testkit.Texts(t, n, s)
	y = mat.NewDense(n, 1, nil)
	for i := range n {
		var target float64
		x.DoRowNonZero(i, func(i, j int, v float64) {
			if topic := (j - common) / words; j >= common {
				target += v / 7.5 * float64(topic%topics) * float64(1-topic/topics*2)
			}
		})
		y.Set(i, 0, target+0.3*s.Normal())
	}
	return x, y
}

// ofTexts returns a map of a length scale of half the median distance, with landmarks that are some of the rows.
func ofTexts(x mat.Matrix, landmarks int) *featuremap.Nystrom {
	return must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 3.5}, x, landmarks, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))
}

// Kernels that are small between most rows need a far smaller λ than landmarks demand that are left out. By default, and by
// leave-one-out, the error on new rows is the least of a path to 1 %; with landmarks as judges it is 1.09 and 1.14 times that.
func TestLandmarksDoNotJudge(t *testing.T) {
	s := featuremap.NewSampler(3)
	x, y := texts(t, 400, s)
	lists, freshY := texts(t, 500, s)
	fresh := mat.DenseCopyOf(lists)
	for _, landmarks := range []int{50, 100} {
		phi, off := ofTexts(x, landmarks), &IntervalOptions{Off: true}
		models := map[string]*Model{
			"default":       must(Fit(phi, x, y, &Options{Intervals: off})),
			"leave-one-out": must(Fit(phi, x, y, &Options{Criterion: LeaveOneOut, Intervals: off})),
			"iterative":     must(FitIterative(phi, Rows(x, y), &IterativeOptions{Intervals: off})),
		}
		best := math.Inf(1)
		for e := -6; e <= 6; e += 2 {
			o := &Options{Lambda: models["default"].Lambda()[0] * math.Pow10(e), Intervals: off}
			best = min(best, meanSquare(must(Fit(phi, x, y, o)), fresh, freshY))
		}
		for name, m := range models {
			if got := meanSquare(m, fresh, freshY); !(got <= 1.02*best) {
				t.Errorf("%d landmarks, %s: error %v, at the best λ %v", landmarks, name, math.Sqrt(got), math.Sqrt(best))
			}
		}
	}
}

// Every kind of fit leaves the landmarks out of the rows that judge, and that calibrate intervals, if there are 150 others, or more
// than there are landmarks: of lists or not, on both sides, of all rows or some that were kept.
func TestLandmarksAmongRows(t *testing.T) {
	const n, landmarks = 320, 60
	s := featuremap.NewSampler(4)
	lists, y := texts(t, n, s)
	x, phi := mat.DenseCopyOf(lists), ofTexts(lists, landmarks)
	first := func(n int) *mat.Dense { return x.Slice(0, n, 0, 510).(*mat.Dense) }
	firstY := func(n int) *mat.Dense { return y.Slice(0, n, 0, 1).(*mat.Dense) }
	var twice, twiceY mat.Dense
	twice.Stack(first(160), first(160))
	twiceY.Stack(firstY(160), firstY(160))
	moved := *mat.DenseCopyOf(&twiceY)
	moved.Apply(func(i, _ int, v float64) float64 { return v + float64(i/160) }, &moved)
	kept := must(NewAccumulator(phi, 1))
	addBatches(t, kept, x, y, 50)
	some := must(NewAccumulator(phi, 1))
	if err := some.KeepRows(200); err != nil {
		t.Fatal(err)
	}
	addBatches(t, some, x, y, 50)
	zeros := slices.Repeat([]float64{1}, n)
	clear(zeros[200:])
	all := must(Fit(phi, x, y, nil))
	for _, c := range []struct {
		name string
		m    *Model
		want int
	}{
		{"dense", all, n - landmarks},
		{"lists", must(Fit(phi, lists, y, nil)), n - landmarks},
		{"batches", must(FitBatches(phi, Rows(lists, y), nil)), n - landmarks},
		{"kept", must(kept.Fit(nil)), n - landmarks},
		{"rows' side", must(Fit(phi, x, y, &Options{Side: RowSide})), n - landmarks},
		{"iterative", must(FitIterative(phi, Rows(x, y), &IterativeOptions{Samples: 16})), n - landmarks},
		{"λ is given", must(Fit(phi, x, y, &Options{Lambda: 1e-3})), n - landmarks},
		{"groups", must(Fit(phi, x, y, &Options{Intervals: &IntervalOptions{Groups: places(n)}})), n - landmarks},
		{"weights", must(Fit(ofTexts(first(200), landmarks), x, y, &Options{Weights: zeros})), 200 - landmarks},
		{"two of each, which leave together", must(Fit(ofTexts(&twice, landmarks), &twice, &twiceY, nil)), n - 2*landmarks},
		{"two of each, one of them with another target", must(Fit(ofTexts(&twice, landmarks), &twice, &moved, nil)), n},
		{"most rows", must(Fit(ofTexts(x, 175), x, y, nil)), n},
		{"other rows", must(Fit(ofTexts(first(100), landmarks), x.Slice(100, n, 0, 510), y.Slice(100, n, 0, 1), nil)), n - 100},
	} {
		if got := c.m.IntervalRows(); got != c.want {
			t.Errorf("%s: %d rows judge, want %d", c.name, got, c.want)
		}
	}
	if got := must(some.Fit(nil)).IntervalRows(); !(got > 200-landmarks && got < 190) {
		t.Errorf("%d of 200 rows kept judge", got)
	}
	if got, want := leftOutOf(must(FitBatches(phi, Rows(lists, y), nil)))[0], leftOutOf(all)[0]; got != want {
		t.Errorf("leave-one-out error by batches %v, want %v", got, want)
	}
	if got, want := leftOutOf(must(Fit(phi, x, y, &Options{Side: RowSide})))[0], leftOutOf(all)[0]; !(math.Abs(got/want-1) < 1e-6) {
		t.Errorf("leave-one-out error on the rows' side %v, want %v", got, want)
	}
}

// places returns 0, 1, …, n − 1.
func places(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Intervals of 90 %, and 1.645 standard deviations, cover about 90 % of new rows where half of the rows are landmarks: 84 and 97 % if
// landmarks were among the rows that calibrate, and 75 within 1.645 standard deviations with a σ² of all rows.
func TestIntervalsOfLandmarksCover(t *testing.T) {
	const n, landmarks, fresh = 620, 305, 1000
	s := featuremap.NewSampler(5)
	x, y := texts(t, n, s)
	newX, newY := texts(t, fresh, s)
	var width [2]float64
	for k := range width {
		m := must(Fit(ofTexts(x, landmarks), x, y, &Options{Intervals: &IntervalOptions{NoVariance: k == 1}}))
		var lo, hi, mean, sd mat.Dense
		m.IntervalTo(&lo, &hi, newX, 0.9)
		m.PredictTo(&mean, newX)
		m.StdDevTo(&sd, newX)
		var in, within float64
		for i := range fresh {
			v := newY.At(i, 0)
			if lo.At(i, 0) <= v && v <= hi.At(i, 0) {
				in += 1. / fresh
			}
			if math.Abs(v-mean.At(i, 0)) <= 1.645*sd.At(i, 0) {
				within += 1. / fresh
			}
			width[k] += (hi.At(i, 0) - lo.At(i, 0)) / fresh
		}
		if !(in >= 0.87 && in <= 0.93) {
			t.Errorf("%d: %.3f are covered", k, in)
		}
		if !(within >= 0.87 && within <= 0.93) {
			t.Errorf("%d: %.3f are within 1.645 standard deviations", k, within)
		}
	}
	if !(width[0] <= 1.2*width[1]) {
		t.Errorf("intervals are %.3g wide, %.3g without the variance", width[0], width[1])
	}
}

// Where λ is far below the noise over the prior variance, far rows have that of the targets, of standard deviation 1.7; by σ²/λ they have
// 540. So does the model that was saved.
func TestFarFromLandmarks(t *testing.T) {
	const n, landmarks, d = 620, 310, 20
	s := featuremap.NewSampler(6)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		r := x.RawRowView(i)
		y.Set(i, 0, float64(r[0]*r[1])+float64(r[2]*r[3])+r[4])
	}
	phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 3.1}, x, landmarks, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))
	m := must(Fit(phi, x, y, nil))
	var data bytes.Buffer
	must(m.WriteTo(&data))
	for name, m := range map[string]*Model{"fitted": m, "read": must(ReadModel(&data, nil))} {
		if _, sd := m.Predict(slices.Repeat([]float64{9}, d)); !(sd[0] > 1 && sd[0] < 3) {
			t.Errorf("%s: the standard deviation is %v far out", name, sd)
		}
	}
}

// Joint and gradients have the variance of VarianceTo where that of the targets limits what is missing far out.
func TestJointFarFromLandmarks(t *testing.T) {
	const n, landmarks, d = 620, 60, 3
	s := featuremap.NewSampler(7)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, x.At(i, 0)+0.5*s.Normal())
	}
	phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1.5}, x, landmarks, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))
	p := must(must(Fit(phi, x, y, &Options{Path: []float64{0.1}})).Posterior())
	points := mat.NewDense(3, d, []float64{0, 0, 0, 3, 3, 3, 40, 40, 40})
	var want mat.Dense
	p.VarianceTo(&want, points)
	_, got := p.Joint(points, 0)
	for i := range 3 {
		if got, want := got.At(i, i), want.At(i, 0); !(math.Abs(got/want-1) < 1e-6) {
			t.Errorf("%v: variance %v, want %v", points.RawRowView(i), got, want)
		}
		at := slices.Clone(points.RawRowView(i))
		gradient := p.VarianceGradientVec(nil, at, 0)
		at[0] += 1e-3
		after := p.VarianceVec(nil, at)[0]
		at[0] -= 2e-3
		if got, want := gradient[0], (after-p.VarianceVec(nil, at)[0])/2e-3; !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
			t.Errorf("%v: derivative %v, want %v", points.RawRowView(i), got, want)
		}
	}
}

// Rows that judge may weigh less than the rounding of the weight of all.
func TestLightJudges(t *testing.T) {
	const n, landmarks = 320, 60
	s := featuremap.NewSampler(8)
	lists, y := texts(t, n, s)
	x, phi := mat.DenseCopyOf(lists), ofTexts(lists, landmarks)
	weights := slices.Repeat([]float64{1e-18}, n)
	at := phi.Landmarks()
	for i := range n {
		for j := range landmarks {
			if slices.Equal(x.RawRowView(i), at.RawRowView(j)) {
				weights[i] = 1
			}
		}
	}
	m := must(Fit(phi, x, y, &Options{Weights: weights}))
	if got := leftOutOf(m)[0]; !(got > 0 && got < 10) {
		t.Errorf("leave-one-out error %v", got)
	}
	var data bytes.Buffer
	must(m.WriteTo(&data))
	must(ReadModel(&data, nil))
}

// RPCholesky takes the outer rows of heavy tails as landmarks, for which other rows do not stand: by these alone λ is 1e5 times too small,
// and the error on new rows eight to sixteen times that by the best λ.
func TestOuterLandmarksJudge(t *testing.T) {
	const n, d, fresh = 310, 4, 1000
	rows := func(n int, s *featuremap.Sampler) (x, y *mat.Dense) {
		x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			r := x.RawRowView(i)
			s.FillNormal(r)
			for j := 0; j < d; j += 2 {
				r[j] /= max(math.Abs(s.Normal()), 0.05)
			}
			y.Set(i, 0, float64(1.3*math.Sin(2*r[1]))+math.Tanh(r[0])+float64(0.5*s.Normal()))
		}
		return x, y
	}
	for seed := range uint64(2) {
		s := featuremap.NewSampler(seed + 1)
		x, y := rows(n, s)
		newX, newY := rows(fresh, s)
		phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 9}, x, 140, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RPCholesky}))
		o := Options{Intervals: &IntervalOptions{Off: true}}
		m := must(Fit(phi, x, y, &o))
		got, best := meanSquare(m, newX, newY), math.Inf(1)
		for e := -2; e <= 6; e += 2 {
			o.Lambda = m.Lambda()[0] * math.Pow10(e)
			best = min(best, meanSquare(must(Fit(phi, x, y, &o)), newX, newY))
		}
		if !(got <= 1.2*best) {
			t.Errorf("seed %d: error %v, by the best λ %v", seed, math.Sqrt(got), math.Sqrt(best))
		}
	}
}
