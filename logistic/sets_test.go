// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
)

// noisy returns normal points of two classes that a parabola divides, of which some are by chance: all whose first coordinate is positive with
// a probability of part, the others with a tenth of that.
func noisy(n int, part float64, seed uint64) (*mat.Dense, []int) {
	s := featuremap.NewSampler(seed)
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		u, v := x.At(i, 0), x.At(i, 1)
		if u*u > 0.6*(1+v) {
			classes[i] = 1
		}
		p := part
		if u <= 0 {
			p /= 10
		}
		if s.Float64() < p {
			classes[i] = s.IntN(2)
		}
	}
	return x, classes
}

// repeated returns points each of which is there so often, one after the other, with the class of its first row.
func repeated(x *mat.Dense, classes []int, times int) (*mat.Dense, []int) {
	n, d := x.Dims()
	all, of := mat.NewDense(n*times, d, nil), make([]int, n*times)
	for i := range of {
		all.SetRow(i, x.RawRowView(i/times))
		of[i] = classes[i/times]
	}
	return all, of
}

// Sets cover new rows as often as they say, over many fits: with λ chosen and with so small a one that the fits know their rows by heart, of points
// that are there three times, of rows with weights, which count as so many, and of classes that are balanced.
//
// The coverage of a fit varies by that of its quantile, of variance .9·.1/m by m different rows, and of new rows, .9·.1/test. The mean of all fits may be
// 3.5 standard errors off, and larger by 1/m for the new row and by .02 because folds are fitted on fewer rows than the model. Calibrated by fits of all rows it is
// .843 with the small λ, by folds that have copies apart .851, by rows that count as one each .855 and .941, and by balanced weights .949.
func TestPredictionSetCoverage(t *testing.T) {
	testkit.OnlyLong(t)
	const level, test = 0.9, 400
	for _, c := range []struct {
		name   string
		n      int // different rows
		times  int // that each is there
		weight func(x []float64) float64
		o      Options
	}{
		{"λ chosen", 100, 1, nil, Options{}},
		{"small λ", 200, 1, nil, Options{Lambda: 1e-3}},
		{"copies", 200, 3, nil, Options{Lambda: 1e-3}},
		{"weights of noise", 300, 1, func(x []float64) float64 { return 1 + 3*step(x[0]) }, Options{Lambda: 0.3}},
		{"weights of certainty", 300, 1, func(x []float64) float64 { return 1 + 3*step(-x[0]) }, Options{Lambda: 0.3}},
		{"balanced", 300, 1, nil, Options{Lambda: 0.3, Balanced: true}},
	} {
		var covered, total, rows float64
		const fits = 40
		for seed := range uint64(fits) {
			x, classes := noisy(c.n+test, 0.4, seed+1)
			if c.o.Balanced {
				x, classes = scarce(c.n+test, seed+1)
			}
			first, of := repeated(x.Slice(0, c.n, 0, 2).(*mat.Dense), classes[:c.n], c.times)
			weight := func(i int) float64 { return 1 }
			o := c.o
			o.PredictionSets = true
			if c.weight != nil {
				weight = func(i int) float64 { return c.weight(x.RawRowView(i)) }
				for i := range c.n {
					o.Weights = append(o.Weights, weight(i))
				}
			}
			m := must(Fit(fourier(2, 60), first, of, &o))
			var sum, square float64
			for i := c.n; i < c.n+test; i++ {
				w := weight(i)
				if slices.Contains(m.PredictionSet(x.RawRowView(i), level), classes[i]) {
					covered += w
				}
				sum, square = sum+w, square+w*w
			}
			total, rows = total+sum, sum*sum/square // which tell as much as those of weights
		}
		got := covered / total
		m := float64(c.n) * rows / test
		deviation := math.Sqrt(level * (1 - level) * (1/m + 1/rows) / float64(fits))
		t.Logf("%s: %.4f ± %.4f", c.name, got, deviation)
		if !(got >= level-3.5*deviation && got <= level+3.5*deviation+1/m+0.02) {
			t.Errorf("%s: sets at a level of %v cover %v, ± %v", c.name, level, got, deviation)
		}
	}
}

// step returns 1 for positive numbers, and 0.
func step(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}

// scarce returns points of which one in ten is of a class that overlaps with the other.
func scarce(n int, seed uint64) (*mat.Dense, []int) {
	s := featuremap.NewSampler(seed)
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		if s.IntN(10) == 0 {
			classes[i] = 1
			x.Set(i, 0, x.At(i, 0)+1.2)
		}
	}
	return x, classes
}

// Sets of digits, and in long of letter and nursery, cover 89 to 93 of 100 other rows at a level of 90 %.
func TestPredictionSetsOfData(t *testing.T) {
	type trial struct {
		name      string
		set       labeled
		rows, out int
		length    float64
	}
	trials := []trial{{"digits", embedded(dataset.Digits()), 900, 200, 30}}
	if testkit.Long() {
		letter, nursery := embedded(dataset.Letter()), school()
		trials = append(trials, []trial{
			{"digits", trials[0].set, 1200, 256, 30},
			{"nursery", nursery, 2000, 512, 4},
			{"nursery", nursery, 9000, 512, 4},
			{"letter", letter, 2000, 512, 5},
			{"letter", letter, 16000, 1024, 5},
		}...)
	}
	levels := []float64{0.5, 0.8, 0.9, 0.95, 0.99}
	for _, c := range trials {
		n, in := c.set.x.Dims()
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: c.length}, in, c.out, featuremap.NewSampler(1), nil))
		m := must(Fit(phi, c.set.x.Slice(0, c.rows, 0, in), c.set.classes[:c.rows], &Options{PredictionSets: true}))
		var covered, size, empty [5]float64
		wrong, held := 0.0, float64(n-c.rows)
		for i := c.rows; i < n; i++ {
			x, class := c.set.x.RawRowView(i), c.set.classes[i]
			if best, _ := m.Predict(x); best != class {
				wrong += 100 / held
			}
			for l, level := range levels {
				set := m.PredictionSet(x, level)
				size[l] += float64(len(set)) / held
				if slices.Contains(set, class) {
					covered[l] += 100 / held
				}
				if len(set) == 0 {
					empty[l] += 100 / held
				}
			}
		}
		line := fmt.Sprintf("%s, %d rows, %d features, %.0f others: %.1f %% wrong; level: covered, mean size, empty", c.name, c.rows, c.out, held, wrong)
		for l, level := range levels {
			line += fmt.Sprintf("; %.0f: %.1f %%, %.3f, %.1f %%", 100*level, covered[l], size[l], empty[l])
		}
		t.Log(line)
		if !(covered[2] >= 89 && covered[2] <= 93) {
			t.Errorf("%s, %d rows: sets at a level of 90 %% cover %.1f %%", c.name, c.rows, covered[2])
		}
	}
}

// Sets are the likeliest classes, the first one being Predict's, and grow with the level, up to all classes at levels that the rows are too few for.
// That of a NaN is empty.
func TestPredictionSet(t *testing.T) {
	x, classes := rings(120)
	m := must(Fit(fourier(2, 30), x, classes, &Options{PredictionSets: true, Lambda: 0.1}))
	sizes := make(map[int]bool)
	for i := range 120 {
		point := []float64{1.5 * x.At(i, 0), 1.5 * x.At(i, 1)}
		best, p := m.Predict(point)
		before := 0
		for _, level := range []float64{1e-300, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 120. / 121, 0.995, 1 - 1e-16} {
			set := m.PredictionSet(point, level)
			if len(set) < before || len(set) > 0 && set[0] != best {
				t.Errorf("level %v: the set %v after one of %d, of the probabilities %v", level, set, before, p)
			}
			if all := level > 120./121; all && len(set) != 3 {
				t.Errorf("level %v by 120 rows: the set %v", level, set)
			}
			before = len(set)
			sizes[before] = true
			out := 0.0
			for c, v := range p {
				if !slices.Contains(set, c) {
					out = max(out, v)
				}
			}
			for _, c := range set {
				if p[c] < out {
					t.Errorf("level %v: the set %v of the probabilities %v", level, set, p)
				}
			}
			if !slices.IsSortedFunc(set, func(a, b int) int { return int(1e9 * (p[b] - p[a])) }) {
				t.Errorf("level %v: the set %v is not sorted by the probabilities %v", level, set, p)
			}
		}
	}
	if len(sizes) != 4 {
		t.Errorf("sets of sizes %v, want all from 0 to 3", sizes)
	}
	if set := m.PredictionSet([]float64{0, math.NaN()}, 0.999); len(set) != 0 {
		t.Errorf("a point with a NaN has the set %v", set)
	}
	if !strings.HasSuffix(m.String(), ", prediction sets by 120 rows") {
		t.Error(m)
	}
}

// What has no set panics, and says why.
func TestPredictionSetPanics(t *testing.T) {
	x, classes := rings(60)
	with := must(Fit(fourier(2, 8), x, classes, &Options{PredictionSets: true, Lambda: 1}))
	without := must(Fit(fourier(2, 8), x, classes, &Options{Lambda: 1}))
	point := []float64{0, 0}
	for _, c := range []struct {
		m     *Model
		x     []float64
		level float64
		want  any
	}{
		{new(Model), point, 0.9, mat.ErrShape},
		{with, point[:1], 0.9, mat.ErrShape},
		{with, nil, 0.9, mat.ErrShape},
		{without, point, 0.9, "logistic: no prediction sets: the model was fitted without Options.PredictionSets"},
		{with, point, 0, "logistic: level = 0: must be between 0 and 1"},
		{with, point, 1, "logistic: level = 1: must be between 0 and 1"},
		{with, point, -0.5, "logistic: level = -0.5: must be between 0 and 1"},
		{with, point, 90, "logistic: level = 90: must be between 0 and 1"},
		{with, point, math.NaN(), "logistic: level = NaN: must be between 0 and 1"},
		{with, point, math.Inf(1), "logistic: level = +Inf: must be between 0 and 1"},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("level %v: panic %v, want %v", c.level, got, c.want)
				}
			}()
			set := c.m.PredictionSet(c.x, c.level)
			t.Errorf("level %v: the set %v", c.level, set)
		}()
	}
}

// Too few rows are refused before there is any work, with what there is and what must be. As few as are taken have sets.
func TestPredictionSetsRefused(t *testing.T) {
	x, classes := rings(60)
	first := func(n int) []float64 {
		w := make([]float64, 60)
		for i := range n {
			w[i] = 2
		}
		return w
	}
	heavy := slices.Repeat([]float64{1}, 60)
	heavy[7], heavy[8], heavy[9] = 3.3, 3.3, 3.3 // 66.9 = 20.3·3.3
	taken := slices.Clone(heavy)
	heavy[7] = 3.6 // 67.2 = 18.7·3.6
	two := append(slices.Repeat([]int{0}, 58), 1, 1)
	same := mat.DenseCopyOf(x)
	same.SetRow(59, same.RawRowView(58))
	three, alternate := mat.DenseCopyOf(x), make([]int, 60) // fewer points than folds
	for i := range alternate {
		three.SetRow(i, x.RawRowView(i%3))
		alternate[i] = i % 2
	}
	for _, c := range []struct {
		x       *mat.Dense
		classes []int
		weights []float64
		want    string
	}{
		{x, classes, first(31), "31 rows of positive weight: must be at least 32"},
		{x, classes, first(32), ""},
		{x, classes, heavy, "the sum of the weights is 18.7 times the largest: must be at least 19 times"},
		{x, classes, taken, ""},
		{x, two, nil, ""},
		{three, alternate, nil, ""},
		{same, two, nil, "class 1 has one row, or copies of one: must have 2 different ones, to be fitted without one"},
		{x, append(two[:59:59], 2), nil, "class 1 has one row, or copies of one: must have 2 different ones, to be fitted without one"},
	} {
		calls := 0
		o := Options{PredictionSets: true, Lambda: 1, Progress: func(pass int, _ float64) error {
			if calls++; c.want != "" && pass > 0 {
				return errors.New("there is work")
			}
			return nil
		}}
		count := slices.Max(c.classes) + 1
		m, err := FitBatches(fourier(2, 8), batches(c.x, c.classes, c.weights, 25), count, &o)
		o.Weights = c.weights
		m2, err2 := Fit(fourier(2, 8), c.x, c.classes, &o)
		for _, err := range []error{err, err2} {
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != "logistic: PredictionSets: "+c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		}
		if c.want == "" {
			for _, m := range []*Model{m, m2} {
				if set := m.PredictionSet(x.RawRowView(0), 0.99); len(set) != count {
					t.Errorf("the set %v, of %d classes", set, count)
				}
			}
		}
	}
}

// Whichever call of Progress stops the calibration, there is no model, and it has the pass of the fit.
func TestPredictionSetsStopped(t *testing.T) {
	x, classes := rings(100)
	calls, last, before := 0, 0, 0
	count := func(pass int, _ float64) error {
		if calls++; pass < last {
			t.Errorf("pass %d after %d", pass, last)
		}
		last = pass
		return nil
	}
	fit := func(sets bool, progress func(int, float64) error) (*Model, error) {
		return Fit(fourier(2, 20), x, classes, &Options{Lambda: 0.1, PredictionSets: sets, Progress: progress})
	}
	plain := must(fit(false, count))
	before, end := calls, last
	calls, last = 0, 0
	m := must(fit(true, count))
	if last != end || calls < before+10 {
		t.Errorf("%d calls up to pass %d, without sets %d up to pass %d", calls, last, before, end)
	}
	if farthest(m, plain, x) != 0 || m.Loss() != plain.Loss() {
		t.Error("the model with sets is another one")
	}
	stop := errors.New("enough")
	for _, k := range []int{before, before + 5, calls - 1} {
		left := k
		m, err := fit(true, func(int, float64) error {
			if left--; left < 0 {
				return stop
			}
			return nil
		})
		if m != nil || !errors.Is(err, stop) || err.Error() != "logistic: interrupted by Progress: enough" {
			t.Errorf("stopped at call %d of %d: model %v, error %v", k, calls, m, err)
		}
	}
}

// A model serves sets to many goroutines.
func TestPredictionSetConcurrently(t *testing.T) {
	x, classes := rings(100)
	m := must(Fit(fourier(2, 20), x, classes, &Options{PredictionSets: true, Lambda: 0.1}))
	var want [100][]int
	for i := range want {
		want[i] = m.PredictionSet(x.RawRowView(i), 0.95)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range want {
				if got := m.PredictionSet(x.RawRowView(i), 0.95); !slices.Equal(got, want[i]) {
					t.Errorf("row %d: %v, want %v", i, got, want[i])
				}
			}
		}()
	}
	all.Wait()
}
