// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The sample of many rows and of few, with weights, and of classes that are rare: its rows, parts, weights and features, and the rows
// of the first fit.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		name   string
		rows   int
		class  func(i int) int
		weight func(i int) float64
		most   int // rows of the sample
		rare   int // how many rows class 1 has in it
		keep   bool
	}{
		{"many", 20_000, func(i int) int { return i % 2 }, nil, 7500, 3750, true},
		{"many, not kept", 20_000, func(i int) int { return i % 2 }, nil, 7500, 3750, false},
		{"few", 999, func(i int) int { return i % 3 }, nil, 999, 333, true},
		{"rare", 9000, func(i int) int { return i / 8980 }, nil, 7500, 20, true},
		{"weights", 5000, func(i int) int { return i % 2 }, func(i int) float64 { return float64(i % 5) }, 3000, 1500, true},
		{"few effective rows", 9000, func(i int) int { return i / 8990 }, func(i int) float64 { return 1 + float64(i/8990*899) }, 7500, 10, true},
	} {
		checkSample(t, c.name, c.rows, c.class, c.weight, c.most, c.rare, c.keep)
	}
}

func checkSample(t *testing.T, name string, n int, class func(i int) int, weight func(i int) float64, most, rare int, keep bool) {
	t.Helper()
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	featuremap.NewSampler(2).FillNormal(x.RawMatrix().Data)
	var weights []float64
	for i := range classes {
		classes[i] = class(i)
		if weight != nil {
			weights = append(weights, weight(i))
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 4, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Weights: weights}
	if !keep {
		o.Memory = 1
	}
	d := newTestDescent(t, phi, x, classes, o)
	s, err := d.newSample()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.rows) > most+partCount || len(s.rows) < most*9/10 {
		t.Errorf("%s: %d rows, want about %d", name, len(s.rows), most)
	}
	var z mat.Dense
	phi.TransformTo(&z, x)
	sums, all, counts := make([]float64, d.count), make([]float64, d.count), make([]int, d.count)
	for i, k := range classes {
		all[k] += d.weight(i)
	}
	seen := make(map[int]bool)
	for k, i := range s.rows {
		if seen[i] || d.weight(i) == 0 {
			t.Fatalf("%s: row %d: twice in the sample, or without weight", name, i)
		}
		seen[i] = true
		sums[classes[i]] += s.weights[k]
		counts[classes[i]]++
		for j := range d.out {
			if got, want := s.chunk.Data[k*s.chunk.Stride+j], z.At(i, j)-d.mean[j]; got != want || int(s.classes[k]) != classes[i] {
				t.Fatalf("%s: row %d, feature %d: %v, want %v", name, i, j, got, want)
			}
		}
	}
	if !(math.Abs(float64(counts[1]-rare)) <= 0.1*float64(rare)) {
		t.Errorf("%s: %d rows of class 1, want %d", name, counts[1], rare)
	}
	for k, v := range sums {
		if want := all[k] / d.total * float64(len(s.rows)); !(math.Abs(v-want) <= 1e-9*want) {
			t.Errorf("%s: class %d: weights sum to %v, want %v", name, k, v, want)
		}
	}
	if len(s.fits) != 1 {
		t.Fatalf("%s: %d fits", name, len(s.fits))
	}
	fit, want := s.fits[0], 4./6
	if d.rowCount() > manyRows {
		want = 2. / 6
	}
	for what, c := range map[string]struct {
		t    *training
		want float64
	}{"fitted": {fit.training, want}, "held back": {fit.held, 2. / 6}} {
		if part := float64(len(c.t.classes)) / float64(len(s.rows)); !(math.Abs(part-c.want) <= 0.01) {
			t.Errorf("%s: %v of the rows are %s, want %v", name, part, what, c.want)
		}
		for k := range d.count {
			if !slices.Contains(c.t.classes, int32(k)) {
				t.Errorf("%s: class %d is not %s", name, k, what)
			}
		}
	}
	if got, want := fit.total, fit.training.effective(); !(math.Abs(got-want) <= 1e-9*want) {
		t.Errorf("%s: the weights of the fit add up to %v, to %v rows of equal weight", name, got, want)
	}
}

// newTestDescent returns a descent that is about to choose λ.
func newTestDescent(t *testing.T, phi featuremap.FeatureMap, x *mat.Dense, classes []int, o *Options) *descent {
	t.Helper()
	tr, err := newTraining(phi, o)
	if err != nil {
		t.Fatal(err)
	}
	tr.x = x
	tr.read = func(yield func(ridge.Batch, error) bool) {
		yield(ridge.Batch{X: x, Y: &classColumn{classes}, Weights: tr.Weights}, nil)
	}
	if err := tr.survey(slices.Max(classes) + 1); err != nil {
		t.Fatal(err)
	}
	start, err := tr.ridge()
	if err != nil {
		t.Fatal(err)
	}
	tr.begun = start // before features are centered
	d := tr.newDescent(start)
	for _, chunk := range tr.kept {
		tr.center(chunk)
	}
	return d
}

// A held-out row whose class no row of the fit has does not count: what it would lose says nothing of λ. If no row counts, ridge
// regression's λ stays.
func TestSampleOfSingleRows(t *testing.T) {
	x := mat.NewDense(12, 1, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 1, 6, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := newTestDescent(t, phi, x, []int{0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 1, 3}, nil)
	s, err := d.newSample()
	if err != nil {
		t.Fatal(err)
	}
	s.fits[0].losses[0] = 0.01 // too little: all rows are held back in turn
	s.fitted = d.newFunctions()
	s.closer(0)
	var counted float64
	for _, f := range s.fits {
		counted += f.held.total
	}
	if !(math.Abs(counted-10) <= 1e-12) {
		t.Errorf("rows that count: %v, want 10", counted)
	}
	d = newTestDescent(t, phi, x.Slice(0, 2, 0, 1).(*mat.Dense), []int{1, 0}, nil)
	want := d.lambda
	if err := d.chooseLambda(); err != nil || d.lambda != want {
		t.Errorf("two rows: λ = %v, want %v; error %v", d.lambda, want, err)
	}
}

// A walk goes down from its start as long as losses fall, over a rise of a tenth if it is far, or up if they never fall, and ends at the
// ends, where nothing changes, and where there is nothing to gain. A start from which nothing is told yet does not end it.
func TestWalk(t *testing.T) {
	bowl := func(least float64) func(j float64) float64 {
		return func(j float64) float64 { return 0.5 + 0.01*(j-least)*(j-least) }
	}
	for _, c := range []struct {
		name string
		loss func(j float64) float64
		from int
		p    patience
		at   int
		best float64
	}{
		{"down", bowl(6.3), 0, farPatience, 6, 6.25},
		{"down, near", bowl(6.3), 5, nearPatience, 6, 6.25},
		{"up", bowl(3.8), 7, nearPatience, 4, 3.75},
		{"here", bowl(5.2), 5, nearPatience, 5, 5.25},
		{"two minima, a low rise between", func(j float64) float64 { return min(bowl(4)(j), 0.45+0.02*(j-9)*(j-9)) }, 0, farPatience, 9, 9},
		{"the same, near", func(j float64) float64 { return min(bowl(4)(j), 0.45+0.02*(j-9)*(j-9)) }, 3, nearPatience, 4, 4},
		{"a high rise between", func(j float64) float64 { return min(0.5+0.03*(j-4)*(j-4), 0.4+0.03*(j-9)*(j-9)) }, 0, farPatience, 4, 4},
		{"falling", func(j float64) float64 { return 0.5 * math.Exp(-j/4) }, 0, farPatience, pathEnd, pathEnd},
		{"rising", func(j float64) float64 { return 0.5 * math.Exp(j/4) }, 3, farPatience, 0, 0},
		{"level after 5", func(j float64) float64 { return 0.5 + 0.1*max(5-j, 0) + 1e-3*max(j-5, 0) }, 0, farPatience, 5, 5},
		{"nothing to gain after 5", func(j float64) float64 { return 5e-5 * math.Exp(5-j) }, 0, farPatience, 5, 5},
		{"nothing told before 5", func(j float64) float64 { return 0.995 - 0.05*max(j-5, 0) + 0.03*max(j-9, 0)*max(j-9, 0) }, 0, farPatience, 10, 10},
		{"nothing told before 7, to rounding", func(j float64) float64 { return 1 + 1e-9*math.Sin(j) - 0.05*max(j-7, 0) + 0.03*max(j-9, 0)*max(j-9, 0) }, 0, farPatience, 10, 10},
		{"worse than the frequencies by a fiftieth", func(j float64) float64 { return 1 + 0.03*max(j-5, 0) - 0.5*max(j-7, 0) }, 0, farPatience, 0, 0},
		{"nothing told, and a rise at first", func(j float64) float64 {
			return 0.99 + 1e-3*min(j, 3) - 0.05*max(j-3, 0) + 0.04*max(j-9, 0)*max(j-9, 0)
		}, 0, farPatience, 10, 10},
	} {
		held := &training{total: 1000, out: 1, stride: 1, count: 1, classes: make([]int32, 1000)}
		held.classWeights = []float64{held.total}
		fitted := &descent{training: &training{classWeights: []float64{1}, total: math.E}} // by which the frequencies have a loss of 1
		f := &heldBack{descent: fitted, held: held, last: held.newFunctions(), losses: make(map[int]float64)}
		for j := range pathEnd + 1 {
			f.losses[j] = 1000 * c.loss(float64(j))
		}
		s := &sample{all: &descent{training: held}, fits: []*heldBack{f}}
		at, err := s.walk(c.from, c.p)
		if err != nil || at != c.at {
			t.Errorf("%s: %d, want %d; error %v", c.name, at, c.at, err)
			continue
		}
		if c.best == math.Trunc(c.best) {
			continue
		}
		if got := s.vertex(at); got != c.best {
			t.Errorf("%s: the parabola is least at %v, want %v", c.name, got, c.best)
		}
	}
}

// A second walk, judged by half as many rows, ends before a place that the first one has found to be far worse.
func TestSecondWalkEnds(t *testing.T) {
	const n = 3000
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	sampler := featuremap.NewSampler(8)
	sampler.FillNormal(x.RawMatrix().Data)
	for i := range n {
		if (x.At(i, 0) > 0) != (i%3 == 0) {
			classes[i] = 1
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 2, 10, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newTestDescent(t, phi, x, classes, nil).newSample()
	if err != nil {
		t.Fatal(err)
	}
	best, err := s.walk(0, farPatience)
	if err != nil {
		t.Fatal(err)
	}
	first := s.fits[0]
	first.losses[best+1] = 1.2 * first.losses[best]
	from, p, found := s.closer(best)
	if found || s.fits[0] == first {
		t.Fatal("no second walk")
	}
	if _, err := s.walk(from, p); err != nil {
		t.Fatal(err)
	}
	if _, taken := s.fits[0].losses[best]; !taken {
		t.Errorf("the walk does not come to place %d", best)
	}
	if _, taken := s.fits[0].losses[best+1]; taken {
		t.Errorf("the walk goes on to place %d", best+1)
	}
}

// Equal weights are as many rows as there are; one row of all the weight is one.
func TestEffective(t *testing.T) {
	tr := &training{classes: make([]int32, 8), total: 8}
	if got := tr.effective(); got != 8 {
		t.Errorf("no weights: %v", got)
	}
	tr.weights, tr.total = []float64{3, 3, 3, 3, 0, 0, 0, 0}, 12
	if got := tr.effective(); got != 4 {
		t.Errorf("four rows: %v", got)
	}
	tr.weights, tr.total = []float64{1e6, 1, 0, 0, 0, 0, 0, 0}, 1e6+1
	if got := tr.effective(); !(math.Abs(got-1) <= 1e-5) {
		t.Errorf("one row: %v", got)
	}
}

// Of labels with much noise a sixth of the rows tells enough and the others are fitted; of labels with some a third, of few errors that of
// one fit does not and there are three. The λ of all rows is that of the fits, whose weights add up to their effective number.
func TestChooseLambda(t *testing.T) {
	const n = 3000
	x, noisy, some, clear := mat.NewDense(n, 2, nil), make([]int, n), make([]int, n), make([]int, n)
	sampler := featuremap.NewSampler(8)
	sampler.FillNormal(x.RawMatrix().Data)
	for i := range n {
		if x.At(i, 0) > 0 {
			clear[i], noisy[i], some[i] = 1, 1, 1
		}
		if i%3 == 0 {
			noisy[i] = 1 - noisy[i]
		}
		if i%50 == 0 {
			some[i] = 1 - some[i]
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 2, 10, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		classes    []int
		fits, held int
	}{{noisy, 1, n / 6}, {some, 1, n / 3}, {clear, 3, n / 3}} {
		d := newTestDescent(t, phi, x, c.classes, nil)
		s, err := d.newSample()
		if err != nil {
			t.Fatal(err)
		}
		best, err := s.walk(0, farPatience)
		if err != nil {
			t.Fatal(err)
		}
		if from, p, found := s.closer(best); !found {
			if best, err = s.walk(from, p); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(s.fits[0].held.classes); len(s.fits) != c.fits || got != c.held {
			t.Errorf("%d fits, %d rows held back, want %d and %d", len(s.fits), got, c.fits, c.held)
		}
		s.restore()
		if err := d.chooseLambda(); err != nil {
			t.Fatal(err)
		}
		if want := s.top * math.Pow(4, -s.vertex(best)); !(math.Abs(d.lambda-want) <= 1e-9*want) {
			t.Errorf("λ = %v, want %v", d.lambda, want)
		}
	}
}

// Where λ is far above that of ridge regression, the descent has the factor and the start that ridge regression has at such a λ.
func TestStiffen(t *testing.T) {
	const n = 200
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	featuremap.NewSampler(3).FillNormal(x.RawMatrix().Data)
	for i := range n {
		classes[i] = i % 3
		x.Set(i, 0, x.At(i, 0)+float64(classes[i]))
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 12, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	descents := make([]*descent, 2)
	for k, lambda := range []float64{0.01, 1} {
		descents[k] = newTestDescent(t, phi, x, classes, &Options{Lambda: lambda})
	}
	d, want := descents[0], descents[1]
	for k, e := range descents {
		e.lambda = 1
		start, err := e.training.ridge()
		if err != nil {
			t.Fatal(err)
		}
		if err := e.begin(start); err != nil {
			t.Fatal(k, err)
		}
	}
	if !(math.Abs(d.ridgeLambda-want.ridgeLambda) <= 1e-12*want.ridgeLambda) {
		t.Errorf("λ of the factor: %v, want %v", d.ridgeLambda, want.ridgeLambda)
	}
	for j := range d.out {
		for i := range j + 1 {
			if got, want := d.factor.At(i, j), want.factor.At(i, j); !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Fatalf("factor at %d, %d: %v, want %v", i, j, got, want)
			}
		}
		for k := range d.count {
			if got, want := d.row(d.start, k)[j], want.row(want.start, k)[j]; !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("weight %d of class %d at the start: %v, want %v", j, k, got, want)
			}
		}
	}
}

// The start for all rows is the mean of the fits that have ended at the best place: one that was made before the others is where it went last.
func TestKeep(t *testing.T) {
	one := &training{out: 1, stride: 1, count: 2}
	s := &sample{all: &descent{training: one}}
	for place, v := range []float64{2, 4, 9} {
		f := &heldBack{last: one.newFunctions(), place: min(place, 1)}
		f.last.w.Data[0], f.last.intercept[1] = v, 10*v
		s.fits = append(s.fits, f)
	}
	s.keep(1)
	if got := s.fitted; got.w.Data[0] != 6.5 || got.intercept[1] != 65 {
		t.Errorf("kept %v, want the mean of 4 and 9, and of 40 and 90", got)
	}
}
