// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A skeletonCase is a skeleton for the conformance suite.
type skeletonCase struct {
	name  string
	build func(sk *Skeleton)
	dims  []int
	space func(s *Sampler, x []float64) // draws a point

	heavy bool // heavy tails of the estimate
	box   bool // the variance is not known
}

// skeletonCases are every base space, every dual that can be drawn, and graphs of every kind.
func skeletonCases() []skeletonCase {
	gaussian := Gaussian{LengthScale: 1.3}
	unit := func(f series.Series, base Kernel, d int) func(sk *Skeleton) {
		return func(sk *Skeleton) { sk.Unit(f, testkit.Each(sk, base, d)...) }
	}
	lone := func(base Kernel) func(sk *Skeleton) {
		return func(sk *Skeleton) { sk.Input(base) }
	}
	box := BlackBox{Of: gaussian, Draw: testkit.DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
		w := []float64{s.Normal() / 1.3, s.Normal() / 1.3}
		b := 2 * math.Pi * s.Float64()
		return func(x []float64) float64 { return math.Sqrt2 * math.Cos(floats.Dot(w, x)+b) }, nil
	})}
	relu := series.ReLUDual{}
	return []skeletonCase{
		{name: "Binary", build: unit(series.ExpDual(1), Binary{}, 5), dims: []int{5}, space: testkit.Signs},
		{name: "Binary/lone", build: lone(Binary{}), dims: []int{1}, space: testkit.Signs},
		{name: "Circle", build: unit(series.ExpDual(2), Circle{}, 3), dims: []int{3}, space: testkit.Angles},
		{name: "Circle/lone", build: lone(Circle{}), dims: []int{1}, space: testkit.Angles},
		{name: "Categories", build: unit(series.ExpDual(1), Categories{N: 4}, 3), dims: []int{3}, space: testkit.Categories(4)},
		{name: "Categories/odd", build: unit(series.HermiteDual{N: 2}, Categories{N: 5}, 2), dims: []int{2}, space: testkit.Categories(5)},
		{name: "Sphere", build: lone(Sphere{}), dims: []int{1, 2, 3, 5}, space: testkit.Sphere},
		{name: "Sphere/square", build: func(sk *Skeleton) {
			sk.Unit(series.Coefficients{0.2, 0.3, 0.5}, sk.Input(Sphere{}))
		}, dims: []int{2, 3}, space: testkit.Sphere},
		{name: "Gaussian", build: lone(gaussian), dims: []int{1, 3}, space: testkit.Angles},
		{name: "Matern", build: lone(Scale(2, Matern{Nu: 1.5, LengthScale: 4})), dims: []int{2}, space: testkit.Angles},
		{name: "Linear", build: lone(Linear{}), dims: []int{1, 3}, space: testkit.Ball},
		{name: "ExpDot", build: lone(ExpDot{LengthScale: 1.5}), dims: []int{1, 3}, space: testkit.Ball, heavy: true},
		{name: "Geometric", build: lone(Dot(series.Geometric{Ratio: 1})), dims: []int{3}, space: testkit.Ball, heavy: true},
		{name: "Constant", build: lone(Constant{Value: 2.5}), dims: []int{2}, space: testkit.Angles},
		{name: "BlackBox", build: lone(box), dims: []int{2}, space: testkit.Ball, box: true},
		{name: "Compose/BlackBox", build: lone(Compose(series.ExpDual(1), box)), dims: []int{2}, space: testkit.Ball, box: true},
		{name: "Compose", build: lone(Compose(series.Coefficients{0.5, 0, 1.5}, gaussian)), dims: []int{2}, space: testkit.Ball},
		{name: "Sum", build: lone(Sum(gaussian, Linear{}, Constant{Value: 0.3})), dims: []int{2}, space: testkit.Ball},
		{name: "one-sided frequencies", build: func(sk *Skeleton) {
			k := testkit.OneSided{Gaussian: Gaussian{LengthScale: 1.5}}
			sk.Product(sk.Unit(series.HermiteDual{N: 2}, sk.Input(k, 0)), sk.Input(k, 1), sk.Input(Circle{}, 0))
		}, dims: []int{2}, space: testkit.Ball},
		{name: "unequal masses in a layer", build: func(sk *Skeleton) {
			sk.Patches(1, 3, 1, 1, 1, Circle{})
			in := []Node{sk.Input(Scale(2, Gaussian{LengthScale: 1}), 0), sk.Input(Gaussian{LengthScale: 1}, 1)}
			sk.Unit(series.HermiteDual{N: 1}, sk.Unit(series.Coefficients{1, 0, 1}, in[0]), sk.Unit(series.Coefficients{1, 0, 1}, in[1]))
		}, dims: []int{3}, space: testkit.Ball},
		{name: "ReLU below mass 1", build: func(sk *Skeleton) {
			sk.Unit(relu, sk.Unit(series.Coefficients{0, 0.9}, testkit.Each(sk, Circle{}, 2)...))
		}, dims: []int{2}, space: testkit.Angles},
		{name: "ReLU", build: unit(relu, Circle{}, 3), dims: []int{3}, space: testkit.Angles},
		{name: "Erf", build: unit(series.ErfDual{}, Circle{}, 2), dims: []int{2}, space: testkit.Angles},
		{name: "Sine", build: unit(series.SineDual{Rate: 1.5}, Circle{}, 2), dims: []int{2}, space: testkit.Angles},
		{name: "Cosine", build: unit(series.CosineDual{Rate: 1.5}, Circle{}, 2), dims: []int{2}, space: testkit.Angles},
		{name: "Identity", build: unit(series.HermiteDual{N: 1}, Circle{}, 4), dims: []int{4}, space: testkit.Angles},
		{name: "shared nodes", build: func(sk *Skeleton) {
			in := testkit.Each(sk, Circle{}, 4)
			a := sk.Unit(series.ExpDual(0.7), in[0], in[1], in[1])
			b := sk.Unit(relu, in[1], in[2], a)
			sk.Unit(series.ExpDual(1.2), a, b, a, in[3])
		}, dims: []int{4}, space: testkit.Angles},
		{name: "convolution", build: func(sk *Skeleton) {
			sk.Image(4, 4, 1, Circle{}).Conv(series.ExpDual(1), 2, 1).Conv(relu, 2, 1).Dense(relu)
		}, dims: []int{16}, space: testkit.Angles},
		{name: "product", build: func(sk *Skeleton) {
			in := testkit.Each(sk, Circle{}, 3)
			sk.Product(in[0], sk.Unit(series.ExpDual(1), in[1], in[2]), sk.Input(gaussian, 3))
		}, dims: []int{4}, space: testkit.Angles},
		{name: "weighted, unnormalized", build: func(sk *Skeleton) {
			in := testkit.Each(sk, Circle{}, 3)
			a := sk.Unit(series.Exp{Rate: 1, Shift: 0.5}, in[0], in[1])
			sk.WeightedUnit(series.Coefficients{0.4, 1, 0.2}, []float64{1, 0.5, 2}, a, in[2], sk.Input(Constant{Value: 3}))
		}, dims: []int{3}, space: testkit.Angles},
		{name: "mixed bases", build: func(sk *Skeleton) {
			sk.Unit(series.Coefficients{0.1, 0.5, 0.4}, sk.Input(Circle{}, 0),
				sk.Input(Linear{}, 1, 2), sk.Input(gaussian, 2, 0), sk.Input(Sphere{}, 1), sk.Input(Sphere{}, 2, 1))
		}, dims: []int{3}, space: testkit.Sphere},
	}
}

// mapCase returns the suite's case of a skeleton.
func (c skeletonCase) mapCase() testkit.MapCase {
	return testkit.MapCase{
		New: func(in, _ int, s *Sampler) (FeatureMap, error) {
			sk := NewSkeleton(in)
			c.build(sk)
			return NewCompositional(sk, 24, s)
		},
		Dims: c.dims,
		Pairs: func(d int) []testkit.Pair {
			s := NewSampler(uint64(d))
			var pairs []testkit.Pair
			for i := range 6 {
				x, y := make([]float64, d), make([]float64, d)
				c.space(s, x)
				c.space(s, y)
				switch {
				case i == 0:
					copy(y, x)
				case i == 1:
					copy(y[:d-1], x)
				}
				pairs = append(pairs, testkit.Pair{Name: fmt.Sprint("pair ", i), X: x, Y: y})
			}
			return pairs
		},
		UnknownVariance: c.box,
		HeavyTails:      c.heavy,
		Cancels:         true,
		Reads: func(m FeatureMap, feature, coordinate int) bool {
			return slices.Contains(m.(*Compositional).Support(feature), coordinate)
		},
	}
}

// Compositional maps of all base spaces pass the conformance suite of maps.
func TestCompositional(t *testing.T) {
	for _, c := range skeletonCases() {
		t.Run(c.name, func(t *testing.T) { testkit.Map(t, c.mapCase()) })
	}
}

// For the same draws merged and unmerged maps have the same inner products.
func TestCompositionalMerging(t *testing.T) {
	t.Parallel()
	draws := testkit.Times(1000, 1000, 3000)
	for _, c := range skeletonCases() {
		d := c.dims[len(c.dims)-1]
		sk := NewSkeleton(d)
		c.build(sk)
		merged, kept := testkit.Must(NewCompositional(sk, draws, NewSampler(1))), testkit.Must(UnmergedCompositional(sk, draws, NewSampler(1)))
		if kept.Distinct() != draws || merged.Distinct() > draws {
			t.Errorf("%s: %d and %d distinct features of %d draws", c.name, merged.Distinct(), kept.Distinct(), draws)
		}
		sum := 0
		for i := range merged.Distinct() {
			sum += merged.Count(i)
		}
		if sum != draws {
			t.Errorf("%s: the counts of merged features add up to %d, want %d", c.name, sum, draws)
		}
		s := NewSampler(2)
		x, y := make([]float64, d), make([]float64, d)
		for range 5 {
			c.space(s, x)
			c.space(s, y)
			a := floats.Dot(merged.TransformVec(nil, x), merged.TransformVec(nil, y))
			b := floats.Dot(kept.TransformVec(nil, x), kept.TransformVec(nil, y))
			if !(math.Abs(a-b) <= 1e-12*max(1, math.Abs(a))) {
				t.Errorf("%s: ⟨φ(x), φ(y)⟩ = %v merged, %v unmerged", c.name, a, b)
			}
		}
	}
}

// Variance is +Inf where moments leave the disc of convergence or overflow, 0 where nothing is random, and NaN at NaN; a black
// box of weight 0 does no harm.
func TestCompositionalVarianceExtremes(t *testing.T) {
	variance := func(build func(sk *Skeleton), x, y []float64) float64 {
		sk := NewSkeleton(len(x))
		build(sk)
		return testkit.Must(NewCompositional(sk, 10, NewSampler(1))).Variance(x, y)
	}
	relu := func(sk *Skeleton) { sk.Unit(series.ReLUDual{}, sk.Input(Linear{})) }
	if v := variance(relu, []float64{1, 0.5}, []float64{1, 0.5}); !math.IsInf(v, 1) {
		t.Errorf("Variance = %v where E|ψ|⁴ is beyond the disc, want +Inf", v)
	}
	if v := variance(func(sk *Skeleton) { sk.Input(Scale(0, Linear{})) }, []float64{1, 2}, []float64{1, 2}); v != 0 {
		t.Errorf("Variance = %v of the kernel 0", v)
	}
	if v := variance(func(sk *Skeleton) { sk.Input(Circle{}) }, []float64{math.NaN()}, []float64{1}); !math.IsNaN(v) {
		t.Errorf("Variance = %v at NaN", v)
	}
	box := BlackBox{Of: Linear{}, Draw: testkit.DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
		return func(x []float64) float64 { return x[0] }, nil
	})}
	weightless := func(sk *Skeleton) {
		sk.WeightedUnit(series.HermiteDual{N: 1}, []float64{0, 1, 1}, sk.Input(box, 0), sk.Input(Circle{}, 1), sk.Input(Circle{}, 2))
	}
	if v := variance(weightless, []float64{1, 2, 0}, []float64{1, 3, 0}); !(v > 0) {
		t.Errorf("Variance = %v with a black box of weight 0", v)
	}
	huge := func(sk *Skeleton) { sk.Unit(series.Coefficients{0, 1e200}, testkit.Each(sk, Circle{}, 2)...) }
	if v := variance(huge, []float64{1, 2}, []float64{2, 2}); !math.IsInf(v, 1) {
		t.Errorf("Variance = %v of mass 1e200, want +Inf", v)
	}
	sk := NewSkeleton(1)
	sk.Unit(series.Coefficients{1e308}, sk.Input(Circle{}))
	z := testkit.Must(NewCompositional(sk, 1000, NewSampler(1))).TransformVec(nil, []float64{1})
	if !(math.Abs(z[0]/1e154-1) <= 1e-12) {
		t.Errorf("the feature of a constant of 1e308 is %v", z[0])
	}
}

// A countedMap counts the points that it transforms.
type countedMap struct {
	FeatureMap
	points *atomic.Int64
}

func (m countedMap) TransformVec(dst, x []float64) []float64 {
	m.points.Add(1)
	return m.FeatureMap.TransformVec(dst, x)
}

// A map inside a product, a composition or a skeleton is computed once for each row, as are weights, not once for each
// column, by row, in batches, and from several goroutines at once, to the same bits.
func TestMapInsideOnce(t *testing.T) {
	const in, out, n = 4, 96, 150
	var points atomic.Int64
	inner := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, in, 30, NewSampler(1), nil))
	m := FromMap(countedMap{inner, &points})
	two := FromMap(countedMap{testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 2, 1, NewSampler(1), &FourierOptions{RandomPhase: true})), &points})
	w := WeightFunc(func(x []float64) float64 {
		points.Add(1)
		return 1 + x[0]*x[0]
	})
	g := Gaussian{LengthScale: 2}
	patches := NewSkeleton(in)
	patches.Unit(series.Exp{Rate: 1}, patches.Input(two, 0, 1), patches.Input(two, 3, 2), patches.Input(two, 0, 1))
	x := testkit.NormalPoints(3, n, in)
	for _, c := range []struct {
		name string
		k    Kernel
		once int64 // calls for a row
	}{
		{"product", Product(m, g), 1},
		{"product of it twice", Product(m, g, m), 1},
		{"composition", Compose(series.Exp{Rate: 1}, m), 1},
		{"sum in a product", Product(Sum(m, Linear{}), Sum(m, g)), 1},
		{"behind a matrix", Product(ARD([]float64{1, 2, 3, 4}, m), g), 1},
		{"of some columns", Product(Select([]int{1, 3}, two), g), 1},
		{"of others too", Product(Select([]int{1, 3}, two), Select([]int{3, 1}, two), g), 2},
		{"patches", testkit.Must(patches.Kernel()), 2},
		{"weight", Compose(series.Exp{Rate: 1}, Weight(w, g)), 1},
	} {
		phi := testkit.Must(testkit.New(c.k, in, out, NewSampler(2)))
		if _, ok := phi.(*Compositional); !ok {
			t.Fatalf("%s: a %T", c.name, phi)
		}
		points.Store(0)
		var z mat.Dense
		phi.TransformTo(&z, x)
		if got := points.Load(); got != n*c.once {
			t.Errorf("%s: %d calls for %d rows, want %d a row", c.name, got, n, c.once)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for i := range n {
					if got := phi.TransformVec(nil, x.RawRowView(i)); !slices.Equal(got, z.RawRowView(i)) {
						t.Errorf("%s: row %d has other features by itself", c.name, i)
						return
					}
				}
			}()
		}
		all.Wait()
		if got := points.Load(); got != 5*n*c.once {
			t.Errorf("%s: %d calls for %d rows one by one, want %d a row", c.name, got-n*c.once, 4*n, c.once)
		}
	}
}

// The features of a map inside a product are its own, times those of the others: against the map itself.
func TestMapInsideFeatures(t *testing.T) {
	m := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 3, 8, NewSampler(1), nil))
	sk := NewSkeleton(3)
	sk.Input(FromMap(m))
	phi := testkit.Must(NewCompositional(sk, 50, NewSampler(2)))
	x := []float64{0.5, -1, 0.25}
	of := m.TransformVec(nil, x)
	seen := make(map[int]bool)
	for i, v := range phi.TransformVec(nil, x) {
		at := slices.IndexFunc(of, func(u float64) bool { return math.Abs(u*math.Sqrt(8.0/50)-v) <= 1e-15 })
		if at < 0 {
			t.Errorf("feature %d is %v, which is none of the map's", i, v)
		}
		seen[at] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d of 8 features of the map are drawn", len(seen))
	}
}

// The bits of compositional maps of all base spaces.
func TestGoldenCompositional(t *testing.T) {
	var b bytes.Buffer
	for _, c := range skeletonCases() {
		d := c.dims[len(c.dims)-1]
		sk := NewSkeleton(d)
		c.build(sk)
		m := testkit.Must(NewCompositional(sk, 300, NewSampler(5)))
		if c.box {
			continue // the functions of the test are made with package math
		}
		x := make([]float64, d) // bits do not ask whether it is in the space
		for i := range x {
			x[i] = float64(i%5)*0.375 - 0.5
		}
		z := m.TransformVec(nil, x)
		fmt.Fprintf(&b, "%s: %d %x %016x\n", c.name, m.Distinct(), z[:min(4, len(z))], golden.Fold(z))
	}
	golden.Compare(t, "compositional.golden", b.Bytes())
}
