// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The complexity of skeletons, against values by hand: derivatives at 1 multiply along layers, add up over products, and are
// averaged over children.
func TestSkeletonComplexity(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(sk *Skeleton)
		want  float64
	}{
		{"input", func(sk *Skeleton) { sk.Input(Circle{}, 0) }, 1},
		// f′(1) of the exponential dual is its rate, of ReLU 1, of ρᴺ N.
		{"shallow", func(sk *Skeleton) { sk.Unit(series.ExpDual(0.25), testkit.Each(sk, Circle{}, 4)...) }, 0.25},
		{"layers", func(sk *Skeleton) {
			sk.Image(2, 2, 1, Circle{}).Conv(series.ExpDual(3), 1, 1).Conv(series.ReLUDual{}, 2, 1).Dense(series.HermiteDual{N: 2})
		}, 6},
		{"product", func(sk *Skeleton) {
			in := testkit.Each(sk, Circle{}, 2)
			sk.Product(in[0], sk.Unit(series.ExpDual(2), in...), in[1])
		}, 4},
		// The mean of a depth-0 and a depth-1 child, which the paper's f′(1)^depth does not bound.
		{"not layered", func(sk *Skeleton) {
			in := testkit.Each(sk, Circle{}, 2)
			sk.Unit(series.HermiteDual{N: 1}, in[0], sk.Unit(series.ExpDual(0.5), in...))
		}, 0.75},
		// Degrees of (1 + t)² at c = 2: 2c/(1 + c) = 4/3. Children are drawn by mass, 3 to 1.
		{"masses", func(sk *Skeleton) {
			a := sk.Input(Constant{Value: 3})
			b := sk.Unit(series.HermiteDual{N: 1}, sk.Unit(series.ExpDual(5), sk.Input(Circle{}, 0)))
			sk.Unit(series.Coefficients{1, 2, 1}, a, b)
		}, 4.0 / 3 * (3.0/4*1 + 1.0/4*5)},
	} {
		sk := NewSkeleton(4)
		c.build(sk)
		if got := sk.Complexity(); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: Complexity = %v, want %v", c.name, got, c.want)
		}
	}
}

// Bound follows the rules of section 4 of the paper: norms multiply in products and powers.
func TestSkeletonBound(t *testing.T) {
	bound := func(build func(sk *Skeleton)) float64 {
		sk := NewSkeleton(8)
		build(sk)
		return sk.Bound()
	}
	for _, c := range []struct {
		name  string
		build func(sk *Skeleton)
		want  float64
	}{
		{"efficient", func(sk *Skeleton) { sk.Unit(series.ReLUDual{}, testkit.Each(sk, Circle{}, 3)...) }, 1},
		{"mass", func(sk *Skeleton) { sk.Unit(series.Coefficients{0, 9}, testkit.Each(sk, Circle{}, 3)...) }, 3},
		{"sphere", func(sk *Skeleton) { sk.Input(Sphere{}) }, 2},
		{"power", func(sk *Skeleton) { sk.Unit(series.HermiteDual{N: 3}, sk.Input(Sphere{})) }, 8},
		{"product", func(sk *Skeleton) { sk.Product(sk.Input(Sphere{}), sk.Input(Sphere{}, 0, 1, 2, 3, 4, 5)) }, 2 * math.Sqrt(3)},
		{"series without end", func(sk *Skeleton) { sk.Unit(series.ExpDual(1), sk.Input(Sphere{})) }, math.Inf(1)},
		{"black box", func(sk *Skeleton) {
			sk.Input(BlackBox{Of: Linear{}, Bound: 3, Draw: testkit.DrawFunc(func(*Sampler) (func([]float64) float64, error) { return nil, nil })})
		}, 3},
		{"error", func(sk *Skeleton) {}, math.NaN()},
	} {
		if got := bound(c.build); !(math.Abs(got-c.want) <= 1e-12) && got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: Bound = %v, want %v", c.name, got, c.want)
		}
	}
}

// The norms of section 4, at points where they are reached, and Theorem 6: no scheme for the
// sphere is below √(d/2).
func TestBaseSupremums(t *testing.T) {
	for _, d := range []int{1, 2, 3, 10} {
		r := math.Sqrt(float64(d) / 2)
		if got := BaseSupremum(Sphere{}, d); !(math.Abs(got-max(r, 1)) <= 1e-15) {
			t.Errorf("d = %d: Sphere has norm %v, want %v", d, got, r)
		}
	}
	for _, k := range []Kernel{Binary{}, Circle{}, Categories{N: 3}, Gaussian{LengthScale: 1}} {
		if got := BaseSupremum(k, 1); got != 1 {
			t.Errorf("%T has norm %v, want 1", k, got)
		}
	}
	if got := BaseSupremum(Linear{}, 2); !math.IsInf(got, 1) {
		t.Errorf("Linear has norm %v, want +Inf", got)
	}
	// A draw of Sphere at e_j and near it: |ψ| = √(d/2) is reached and not passed.
	const d = 5
	sk := NewSkeleton(d)
	sk.Input(Sphere{})
	m := testkit.Must(NewCompositional(sk, 50, NewSampler(1)))
	n := m.Distinct()
	s := NewSampler(2)
	x, largest := make([]float64, d), 0.0
	for i := range 2000 {
		testkit.Sphere(s, x)
		if i < d {
			clear(x)
			x[i] = 1
		}
		z := m.TransformVec(nil, x)
		for j := range n {
			largest = max(largest, math.Hypot(z[j], z[j+n])*math.Sqrt(50/float64(m.Count(j))))
		}
	}
	if want := math.Sqrt(d / 2.0); !(math.Abs(largest-want) <= 1e-12) {
		t.Errorf("largest |ψ| = %v, want √(d/2) = %v", largest, want)
	}
}

// Rounding in a steep layer does not leave the domain of the layer above: k(x, x) is 1 within 1e-5.
func TestSkeletonSteep(t *testing.T) {
	sk := NewSkeleton(5)
	sk.Unit(series.ReLUDual{}, sk.Unit(series.ExpDual(2e4), sk.Input(Sphere{})))
	k := testkit.KernelOf(t, sk)
	s, x := NewSampler(1), make([]float64, 5)
	for range 1000 {
		testkit.Sphere(s, x)
		if v := k.Eval(x, x); !(math.Abs(v-1) <= 1e-5) {
			t.Fatalf("k(x, x) = %v", v)
		}
	}
}

// A unit over ⟨x, y⟩ has the value of its series for points of a norm above 1, next to 1 as well; only
// at the edge of the disc of convergence is rounding taken back.
func TestSkeletonAboveMass(t *testing.T) {
	sk := NewSkeleton(1)
	sk.Unit(series.ExpDual(2000), sk.Input(Linear{}))
	k := testkit.KernelOf(t, sk)
	for _, e := range []float64{1e-12, 1e-10, 1e-3} {
		x := []float64{math.Sqrt(1 + e)}
		// The square of the root is 1 + e up to two roundings, which the series takes 2000 times.
		if got, want := k.Eval(x, x), math.Exp(2000*e); !(math.Abs(got/want-1) <= 2000*0x1p-51) {
			t.Errorf("k(x, x) = %v at ‖x‖² = 1 + %v, want %v", got, e, want)
		}
	}
	step := NewSkeleton(1)
	step.Unit(series.StepDual{}, step.Input(Linear{}))
	if got := testkit.KernelOf(t, step).Eval([]float64{1.1}, []float64{1.1}); !math.IsInf(got, 1) {
		t.Errorf("k(x, x) = %v beyond the disc of convergence, want +Inf", got)
	}
}
