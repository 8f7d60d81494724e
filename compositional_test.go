// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	. "github.com/seed-0f95ebc1/featuremap"
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
	phase bool // tested with a random phase, too
}

// Points of the base spaces.
func angles(s *Sampler, x []float64) {
	for i := range x {
		x[i] = 7 * s.Normal()
	}
}

func signs(s *Sampler, x []float64) { s.FillRademacher(x) }

func ball(s *Sampler, x []float64) {
	s.FillNormal(x)
	floats.Scale(0.7/floats.Norm(x, 2), x)
}

func sphere(s *Sampler, x []float64) {
	s.FillNormal(x)
	floats.Scale(1/floats.Norm(x, 2), x)
}

func categories(n int) func(s *Sampler, x []float64) {
	return func(s *Sampler, x []float64) {
		for i := range x {
			x[i] = float64(s.IntN(n))
		}
	}
}

// each adds an input of one column for each column.
func each(sk *Skeleton, base Kernel, d int) []Node {
	var nodes []Node
	for c := range d {
		nodes = append(nodes, sk.Input(base, c))
	}
	return nodes
}

// oneSided has the frequencies of a kernel on one side: E cos(ω·Δ) is the same, E sin(ω·Δ) is not 0.
type oneSided struct{ Gaussian }

func (k oneSided) Frequency(dst []float64, s *Sampler) {
	k.Gaussian.Frequency(dst, s)
	if dst[0] < 0 {
		floats.Scale(-1, dst)
	}
}

// skeletonCases are every base space, every dual that can be drawn, and graphs of every kind.
func skeletonCases() []skeletonCase {
	gaussian := Gaussian{LengthScale: 1.3}
	unit := func(f Series, base Kernel, d int) func(sk *Skeleton) {
		return func(sk *Skeleton) { sk.Unit(f, each(sk, base, d)...) }
	}
	lone := func(base Kernel) func(sk *Skeleton) {
		return func(sk *Skeleton) { sk.Input(base) }
	}
	box := BlackBox{Of: gaussian, Draw: DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
		w := []float64{s.Normal() / 1.3, s.Normal() / 1.3}
		b := 2 * math.Pi * s.Float64()
		return func(x []float64) float64 { return math.Sqrt2 * math.Cos(floats.Dot(w, x)+b) }, nil
	})}
	relu := ReLUDual{}
	return []skeletonCase{
		{name: "Binary", phase: true, build: unit(ExpDual(1), Binary{}, 5), dims: []int{5}, space: signs},
		{name: "Binary/lone", build: lone(Binary{}), dims: []int{1}, space: signs},
		{name: "Circle", phase: true, build: unit(ExpDual(2), Circle{}, 3), dims: []int{3}, space: angles},
		{name: "Circle/lone", build: lone(Circle{}), dims: []int{1}, space: angles},
		{name: "Categories", phase: true, build: unit(ExpDual(1), Categories{N: 4}, 3), dims: []int{3}, space: categories(4)},
		{name: "Categories/odd", build: unit(HermiteDual{N: 2}, Categories{N: 5}, 2), dims: []int{2}, space: categories(5)},
		{name: "Sphere", build: lone(Sphere{}), dims: []int{1, 2, 3, 5}, space: sphere},
		{name: "Sphere/square", phase: true, build: func(sk *Skeleton) {
			sk.Unit(Coefficients{0.2, 0.3, 0.5}, sk.Input(Sphere{}))
		}, dims: []int{2, 3}, space: sphere},
		{name: "SphereUniform", build: lone(SphereUniform{}), dims: []int{1, 3}, space: sphere},
		{name: "SphereCoordinate", build: lone(SphereCoordinate{}), dims: []int{1, 3}, space: sphere, heavy: true},
		{name: "Gaussian", build: lone(gaussian), dims: []int{1, 3}, space: angles},
		{name: "Matern", build: lone(Scale(2, Matern{Nu: 1.5, LengthScale: 4})), dims: []int{2}, space: angles},
		{name: "Linear", build: lone(Linear{}), dims: []int{1, 3}, space: ball},
		{name: "ExpDot", build: lone(ExpDot{LengthScale: 1.5}), dims: []int{1, 3}, space: ball, heavy: true},
		{name: "InfinitePolynomial", build: lone(InfinitePolynomial{Scale: 1}), dims: []int{3}, space: ball, heavy: true},
		{name: "Constant", phase: true, build: lone(Constant{Value: 2.5}), dims: []int{2}, space: angles},
		{name: "BlackBox", phase: true, build: lone(box), dims: []int{2}, space: ball, box: true},
		{name: "Compose/BlackBox", build: lone(Compose(ExpDual(1), box)), dims: []int{2}, space: ball, box: true},
		{name: "Compose", build: lone(Compose(Coefficients{0.5, 0, 1.5}, gaussian)), dims: []int{2}, space: ball},
		{name: "Sum", build: lone(Sum(gaussian, Linear{}, Constant{Value: 0.3})), dims: []int{2}, space: ball},
		{name: "one-sided frequencies", build: func(sk *Skeleton) {
			k := oneSided{Gaussian{LengthScale: 1.5}}
			sk.Product(sk.Unit(HermiteDual{N: 2}, sk.Input(k, 0)), sk.Input(k, 1), sk.Input(Circle{}, 0))
		}, dims: []int{2}, space: ball},
		{name: "unequal masses in a layer", build: func(sk *Skeleton) {
			sk.Patches(1, 3, 1, 1, 1, Circle{})
			in := []Node{sk.Input(Scale(2, Gaussian{LengthScale: 1}), 0), sk.Input(Gaussian{LengthScale: 1}, 1)}
			sk.Unit(IdentityDual{}, sk.Unit(Coefficients{1, 0, 1}, in[0]), sk.Unit(Coefficients{1, 0, 1}, in[1]))
		}, dims: []int{3}, space: ball},
		{name: "ReLU below mass 1", build: func(sk *Skeleton) {
			sk.Unit(relu, sk.Unit(Coefficients{0, 0.9}, each(sk, Circle{}, 2)...))
		}, dims: []int{2}, space: angles},
		{name: "ReLU", build: unit(relu, Circle{}, 3), dims: []int{3}, space: angles},
		{name: "Erf", build: unit(ErfDual{}, Circle{}, 2), dims: []int{2}, space: angles},
		{name: "Sine", build: unit(SineDual{Rate: 1.5}, Circle{}, 2), dims: []int{2}, space: angles},
		{name: "Cosine", build: unit(CosineDual{Rate: 1.5}, Circle{}, 2), dims: []int{2}, space: angles},
		{name: "Identity", build: unit(IdentityDual{}, Circle{}, 4), dims: []int{4}, space: angles},
		{name: "shared nodes", build: func(sk *Skeleton) {
			in := each(sk, Circle{}, 4)
			a := sk.Unit(ExpDual(0.7), in[0], in[1], in[1])
			b := sk.Unit(relu, in[1], in[2], a)
			sk.Unit(ExpDual(1.2), a, b, a, in[3])
		}, dims: []int{4}, space: angles},
		{name: "convolution", phase: true, build: func(sk *Skeleton) {
			sk.Image(4, 4, 1, Circle{}).Conv(ExpDual(1), 2, 1).Conv(relu, 2, 1).Dense(relu)
		}, dims: []int{16}, space: angles},
		{name: "product", build: func(sk *Skeleton) {
			in := each(sk, Circle{}, 3)
			sk.Product(in[0], sk.Unit(ExpDual(1), in[1], in[2]), sk.Input(gaussian, 3))
		}, dims: []int{4}, space: angles},
		{name: "weighted, unnormalised", phase: true, build: func(sk *Skeleton) {
			in := each(sk, Circle{}, 3)
			a := sk.Unit(Exp{Rate: 1, Shift: 0.5}, in[0], in[1])
			sk.WeightedUnit(Coefficients{0.4, 1, 0.2}, []float64{1, 0.5, 2}, a, in[2], sk.Input(Constant{Value: 3}))
		}, dims: []int{3}, space: angles},
		{name: "mixed bases", phase: true, build: func(sk *Skeleton) {
			sk.Unit(Coefficients{0.1, 0.5, 0.4}, sk.Input(Circle{}, 0),
				sk.Input(Linear{}, 1, 2), sk.Input(gaussian, 2, 0), sk.Input(Sphere{}, 1), sk.Input(Sphere{}, 2, 1))
		}, dims: []int{3}, space: sphere},
	}
}

// mapCase returns the suite's case of a skeleton.
func (c skeletonCase) mapCase(t *testing.T, opts *CompositionalOptions) testkit.MapCase {
	return testkit.MapCase{
		New: func(in, _ int, s *Sampler) (FeatureMap, error) {
			sk := NewSkeleton(in)
			c.build(sk)
			return NewCompositional(sk, 24, s, opts)
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

func TestCompositional(t *testing.T) {
	for _, c := range skeletonCases() {
		t.Run(c.name, func(t *testing.T) { testkit.Map(t, c.mapCase(t, nil)) })
		if c.phase {
			t.Run(c.name+"/phase", func(t *testing.T) {
				testkit.Map(t, c.mapCase(t, &CompositionalOptions{RandomPhase: true}))
			})
		}
	}
}

// For the same draws merged and unmerged maps have the same inner products.
func TestCompositionalMerging(t *testing.T) {
	t.Parallel()
	for _, c := range skeletonCases() {
		for _, phase := range []bool{false, true} {
			d := c.dims[len(c.dims)-1]
			var maps [2]*Compositional
			for i := range maps {
				sk := NewSkeleton(d)
				c.build(sk)
				var err error
				maps[i], err = NewCompositional(sk, 3000, NewSampler(1),
					&CompositionalOptions{RandomPhase: phase, KeepDuplicates: i == 1})
				if err != nil {
					t.Fatal(c.name, err)
				}
			}
			merged, kept := maps[0], maps[1]
			if kept.Distinct() != 3000 || merged.Distinct() > 3000 {
				t.Errorf("%s: %d and %d distinct features of 3000 draws", c.name, merged.Distinct(), kept.Distinct())
			}
			draws := 0
			for i := range merged.Distinct() {
				draws += merged.Count(i)
			}
			if draws != 3000 {
				t.Errorf("%s: the counts of merged features add up to %d, want 3000", c.name, draws)
			}
			s := NewSampler(2)
			x, y := make([]float64, d), make([]float64, d)
			for range 5 {
				c.space(s, x)
				c.space(s, y)
				a := floats.Dot(merged.TransformVec(nil, x), merged.TransformVec(nil, y))
				b := floats.Dot(kept.TransformVec(nil, x), kept.TransformVec(nil, y))
				if !(math.Abs(a-b) <= 1e-12*max(1, math.Abs(a))) {
					t.Errorf("%s, phase %v: ⟨φ(x), φ(y)⟩ = %v merged, %v unmerged", c.name, phase, a, b)
				}
			}
		}
	}
}
