// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// columnsFor returns n rows of normal numbers, the last two columns of which have few values, and are constant.
func columnsFor(seed uint64, n, d int) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 9))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		row[d-2], row[d-1] = float64(r.IntN(3)), 7
	}
	return x
}

// Columns tell of the mean of a target, or of its square where they are part of a product; others do not, in 60 draws, and in
// long in 200.
func TestTelling(t *testing.T) {
	const n, d = 1000, 8
	noise := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name     string
		function func(x []float64) float64
		want     []int // nil: none or all
	}{
		{"noise", func([]float64) float64 { return 0 }, nil},
		{"linear", func(x []float64) float64 { return x[1] }, []int{1}},
		{"a square", func(x []float64) float64 { return x[2] * x[2] }, []int{2}},
		{"a product", func(x []float64) float64 { return 3 * math.Sin(x[0]) * x[3] }, []int{0, 3}},
		{"few values", func(x []float64) float64 { return x[6] }, []int{6}},
		{"a label", func(x []float64) float64 { return 100 * math.Copysign(1, x[0]+x[4]) }, []int{0, 4}},
	} {
		draws := 10
		if c.want == nil {
			if draws = 60; testkit.Long() {
				draws = 200
			}
		}
		for draw := range draws {
			x, y := columnsFor(uint64(draw), n, d), mat.NewDense(n, 2, nil)
			for i := range n {
				y.Set(i, 0, c.function(x.RawRowView(i))+noise.NormFloat64())
				y.Set(i, 1, noise.NormFloat64())
			}
			l := &learner{targets: []int{0, 1}}
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			var got []int
			for j, told := range telling(l.newTable(x, y, all)) {
				if told {
					got = append(got, j)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, draw %d: columns %v, want %v", c.name, draw, got, c.want)
			}
		}
	}
	// All columns tell, or there is only one.
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i))
		y.Set(i, 0, float64(i))
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if got := telling((&learner{targets: []int{0}}).newTable(x, y, all)); got != nil {
		t.Errorf("one column: %v, want nil", got)
	}
}

// errorOf returns the root mean square error of a kernel on new rows.
func errorOf(t *testing.T, k featuremap.Kernel, x, y, newX, newY *mat.Dense) float64 {
	t.Helper()
	_, d := x.Dims()
	phi, err := plannedMap(k, d, 300, featuremap.NewSampler(5))
	if err != nil {
		t.Fatal(err)
	}
	model, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	var p mat.Dense
	model.PredictTo(&p, newX)
	p.Sub(&p, newY)
	n, _ := newX.Dims()
	return mat.Norm(&p, 2) / math.Sqrt(float64(n))
}

// Two of a hundred columns, in a product, are found: all lengths alike say nothing of it, and neither does their gradient. Without
// the start that telling gives the error is that of the mean, .64.
func TestLearnsProduct(t *testing.T) {
	testkit.OnlyLong(t)
	fewFeatures(t)
	const n, d = 1000, 100
	draw := func(seed uint64) (x, y *mat.Dense) {
		x, y = columnsFor(seed, n, d), mat.NewDense(n, 1, nil)
		r := rand.New(rand.NewPCG(seed, 4))
		for i := range n {
			y.Set(i, 0, math.Sin(x.At(i, 3))*x.At(i, 8)+0.1*r.NormFloat64())
		}
		return x, y
	}
	x, y := draw(2)
	newX, newY := draw(101)
	learned, err := Kernel(featuremap.Gaussian{LengthScale: 10}, x, y, &KernelOptions{Seed: 1, LengthScales: PerColumn, Features: 128})
	if err != nil {
		t.Fatal(err)
	}
	if e := errorOf(t, learned.Kernel, x, y, newX, newY); !(e < 0.13) {
		t.Errorf("error %.3f, the noise is .1", e)
	}
}

// A target without noise, the sum of two columns that have tails, is learned: λ stays where rounding leaves digits, and rows far out,
// which the others tell little of, are no reason to refuse the lengths. Errors on new rows are up to .04 times those of the kernel that
// was given.
func TestLearnsWithoutNoise(t *testing.T) {
	testkit.OnlyLong(t)
	fewFeatures(t)
	const n, d = 1000, 16
	draw := func(seed uint64) (x, y *mat.Dense) {
		x, y = columnsFor(seed, n, d), mat.NewDense(n, 1, nil)
		for i := range n {
			row := x.RawRowView(i)
			row[0], row[1] = math.Exp(row[0]), math.Exp(row[1])
			row[2] += math.Log(row[0] + row[1])
			y.Set(i, 0, row[0]+row[1])
		}
		return x, y
	}
	units := make([]float64, d)
	for j := range units {
		units[j] = 1
	}
	units[0], units[1] = 2, 2
	given := featuremap.ARD(units, featuremap.Gaussian{LengthScale: 3})
	for _, seed := range []uint64{1, 3} {
		x, y := draw(10 + seed)
		newX, newY := draw(20 + seed)
		learned, err := Kernel(given, x, y, &KernelOptions{Seed: seed, LengthScales: PerColumn, Features: 128})
		if err != nil {
			t.Fatal(err)
		}
		before, after := errorOf(t, given, x, y, newX, newY), errorOf(t, learned.Kernel, x, y, newX, newY)
		if !(after < 0.2*before) {
			t.Errorf("seed %d: error %.4f, with the kernel that was given %.4f", seed, after, before)
		}
		k, ok := learned.Kernel.(featuremap.Expression)
		if !ok || k.Op() != "Scale" {
			t.Fatalf("seed %d: %v: want a Scale", seed, learned.Kernel)
		}
		if lambda := learned.NoiseVariance[0] / featuremap.Parameters(k)[0]; !(lambda >= leastLambda*n*(1-1e-9)) {
			t.Errorf("seed %d: λ = %v, at least %v", seed, lambda, leastLambda*n)
		}
	}
}

// No step of a search for lengths changes a logarithm by more than longestStep.
func TestShortSteps(t *testing.T) {
	x, y := rowsFor(2, 300, 5, 1)
	o, err := (&KernelOptions{Features: 32}).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLearner(featuremap.Gaussian{LengthScale: 30}, x, y, featuremap.NewSampler(1), o)
	if err != nil {
		t.Fatal(err)
	}
	from := l.start()
	p := newSpace(l.model, lengths, &from)
	last, largest := p.start(), 0.0
	if _, err := p.maximize(20, func(step int, _ float64, theta []float64) error {
		for i, v := range theta {
			largest = max(largest, math.Abs(v-last[i]))
		}
		copy(last, theta)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !(largest > 0.9 && largest <= longestStep*(1+1e-12)) {
		t.Errorf("the largest step changes a logarithm by %v, want about %v", largest, longestStep)
	}
}

// A function of many periods in the only column or in one of two is told from noise: its variance is .5, and what is left .01 and an error.
// Noise stays noise.
func TestManyPeriods(t *testing.T) {
	const n, noise = 400, 0.1
	defer func(most int) { refitFeatures = most }(refitFeatures)
	for _, c := range []struct {
		name             string
		columns, periods int
		unit             float64
		features         int
		least, most      float64 // noise
	}{
		{"hours of days", 1, 40, n, 256, 0, 0.03},
		{"one column of two", 2, 20, 1, 64, 0, 0.02},
		{"noise", 2, 0, 1, 64, 0.4, 0.6}, // .5 ± 5·√2/√n·.5
	} {
		refitFeatures = 2 * c.features
		s := featuremap.NewSampler(3)
		x, y := mat.NewDense(n, c.columns, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			for j := range c.columns {
				x.Set(i, j, c.unit*s.Float64())
			}
			y.Set(i, 0, math.Sin(2*math.Pi*float64(c.periods)*x.At(i, 0)/c.unit)+noise*s.Normal())
			if c.periods == 0 {
				y.Set(i, 0, s.Normal()*math.Sqrt(0.5))
			}
		}
		learned, err := learnKernel(featuremap.Gaussian{LengthScale: c.unit}, x, y, s, &KernelOptions{LengthScales: PerColumn, Features: c.features})
		if err != nil {
			t.Fatal(err)
		}
		if v := learned.NoiseVariance[0]; !(v >= c.least && v <= c.most) {
			t.Errorf("%s: noise %v, want from %v to %v: %v", c.name, v, c.least, c.most, learned.Kernel)
		}
	}
}
