// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Of z²z̄ and zz̄², and of z³ and z̄³, one is taken: two features of ⟨x, y⟩³ in the plane.
func TestCompositionalConjugates(t *testing.T) {
	sk := NewSkeleton(2)
	sk.Unit(HermiteDual{N: 3}, sk.Input(Sphere{}))
	m := must(NewCompositional(sk, 1000, NewSampler(1), nil))
	if m.Distinct() != 2 {
		t.Errorf("%d distinct features, want 2", m.Distinct())
	}
	// Powers of 1 of n categories, whose sum is beyond 32 bits.
	const n = 300_000_000
	sk = NewSkeleton(1)
	sk.Unit(HermiteDual{N: 15}, sk.Input(Categories{N: n}))
	m = must(NewCompositional(sk, 3000, NewSampler(1), nil))
	got := floats.Dot(m.TransformVec(nil, []float64{0}), m.TransformVec(nil, []float64{1}))
	// The kernel is 0, the variance ½·1/3000.
	if dev := math.Sqrt(0.5 / 3000); !(math.Abs(got) <= 5*dev) {
		t.Errorf("⟨φ(0), φ(1)⟩ = %v, want 0 ± %v", got, dev)
	}
}

// Variance where moments leave the disc of convergence, where nothing is random, and for NaN.
func TestCompositionalVarianceEdges(t *testing.T) {
	variance := func(build func(sk *Skeleton), x, y []float64) float64 {
		sk := NewSkeleton(len(x))
		build(sk)
		return must(NewCompositional(sk, 10, NewSampler(1), nil)).Variance(x, y)
	}
	relu := func(sk *Skeleton) { sk.Unit(ReLUDual{}, sk.Input(Linear{})) }
	if v := variance(relu, []float64{1, 0.5}, []float64{1, 0.5}); !math.IsInf(v, 1) {
		t.Errorf("Variance = %v where E|ψ|⁴ is beyond the disc, want +Inf", v)
	}
	if v := variance(func(sk *Skeleton) { sk.Input(Scale(0, Linear{})) }, []float64{1, 2}, []float64{1, 2}); v != 0 {
		t.Errorf("Variance = %v of the kernel 0", v)
	}
	if v := variance(func(sk *Skeleton) { sk.Input(Circle{}) }, []float64{math.NaN()}, []float64{1}); !math.IsNaN(v) {
		t.Errorf("Variance = %v at NaN", v)
	}
	box := BlackBox{Of: Linear{}, Draw: DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
		return func(x []float64) float64 { return x[0] }, nil
	})}
	weightless := func(sk *Skeleton) {
		sk.WeightedUnit(IdentityDual{}, []float64{0, 1, 1}, sk.Input(box, 0), sk.Input(Circle{}, 1), sk.Input(Circle{}, 2))
	}
	if v := variance(weightless, []float64{1, 2, 0}, []float64{1, 3, 0}); !(v > 0) {
		t.Errorf("Variance = %v with a black box of weight 0", v)
	}
	huge := func(sk *Skeleton) { sk.Unit(Coefficients{0, 1e200}, each(sk, Circle{}, 2)...) }
	if v := variance(huge, []float64{1, 2}, []float64{2, 2}); !math.IsInf(v, 1) {
		t.Errorf("Variance = %v of mass 1e200, want +Inf", v)
	}
	sk := NewSkeleton(1)
	sk.Unit(Coefficients{1e308}, sk.Input(Circle{}))
	z := must(NewCompositional(sk, 1000, NewSampler(1), nil)).TransformVec(nil, []float64{1})
	if !(math.Abs(z[0]/1e154-1) <= 1e-12) {
		t.Errorf("the feature of a constant of 1e308 is %v", z[0])
	}
}

// Rounding in a steep layer does not leave the domain of the one above.
func TestSkeletonSteep(t *testing.T) {
	sk := NewSkeleton(5)
	sk.Unit(ReLUDual{}, sk.Unit(ExpDual(2e4), sk.Input(Sphere{})))
	k := kernelOf(t, sk)
	s, x := NewSampler(1), make([]float64, 5)
	for range 1000 {
		sphere(s, x)
		if v := k.Eval(x, x); !(math.Abs(v-1) <= 1e-5) {
			t.Fatalf("k(x, x) = %v", v)
		}
	}
}

// Neither a caller's slices nor expressions that repeat themselves go further than they should.
func TestSkeletonKeepsNothing(t *testing.T) {
	c := Coefficients{0, 1}
	sk := NewSkeleton(1)
	cols := []int{0}
	sk.Unit(c, sk.Input(Circle{}, cols...))
	k := kernelOf(t, sk)
	c[1], cols[0] = 7, 9
	if v := k.Eval([]float64{1}, []float64{1}); v != 1 {
		t.Errorf("k(x, x) = %v after the caller changed his series, want 1", v)
	}
	for _, base := range []Kernel{Circle{}, Linear{}, Product(Circle{}, Linear{}), FromMap(must(NewNeurons(ArcCosine{}, 1, 1, NewSampler(1), nil)))} {
		for _, of := range []func(ks ...Kernel) Kernel{Sum, Product} {
			k := base
			for range 60 {
				k = of(k, k)
			}
			if _, err := New(k, 1, 10, NewSampler(1)); err == nil {
				t.Error("an expression of 2⁶⁰ kernels was not refused")
			}
		}
	}
}

// Bound by the rules of section 4: norms multiply in products and powers.
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
		{"efficient", func(sk *Skeleton) { sk.Unit(ReLUDual{}, each(sk, Circle{}, 3)...) }, 1},
		{"mass", func(sk *Skeleton) { sk.Unit(Coefficients{0, 9}, each(sk, Circle{}, 3)...) }, 3},
		{"sphere", func(sk *Skeleton) { sk.Input(Sphere{}) }, 2},
		{"power", func(sk *Skeleton) { sk.Unit(HermiteDual{N: 3}, sk.Input(Sphere{})) }, 8},
		{"product", func(sk *Skeleton) { sk.Product(sk.Input(Sphere{}), sk.Input(SphereCoordinate{})) }, 2 * math.Sqrt(8)},
		{"series without end", func(sk *Skeleton) { sk.Unit(ExpDual(1), sk.Input(Sphere{})) }, math.Inf(1)},
		{"black box", func(sk *Skeleton) {
			sk.Input(BlackBox{Of: Linear{}, Bound: 3, Draw: DrawFunc(func(*Sampler) (func([]float64) float64, error) { return nil, nil })})
		}, 3},
		{"error", func(sk *Skeleton) {}, math.NaN()},
	} {
		if got := bound(c.build); !(math.Abs(got-c.want) <= 1e-12) && got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: Bound = %v, want %v", c.name, got, c.want)
		}
	}
}

// Features that do not fit in memory are refused while they are drawn.
func TestCompositionalMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
	sk := NewSkeleton(1000)
	sk.Input(Gaussian{LengthScale: 1})
	s := NewSampler(1)
	if _, err := NewCompositional(sk, 10_000, s, nil); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("error %v of 10,000 frequencies in R¹⁰⁰⁰ in one megabyte", err)
	}
	if s.Uint64() != NewSampler(1).Uint64() {
		t.Error("the sampler was changed")
	}
}

// A unit over ⟨x, y⟩ has the value of its series for points of a norm above 1, next to 1 as well; only
// at the edge of the disc of convergence is rounding taken back.
func TestSkeletonAboveMass(t *testing.T) {
	sk := NewSkeleton(1)
	sk.Unit(ExpDual(2000), sk.Input(Linear{}))
	k := kernelOf(t, sk)
	for _, e := range []float64{1e-12, 1e-10, 1e-3} {
		x := []float64{math.Sqrt(1 + e)}
		// The square of the root is 1 + e up to two roundings, which the series takes 2000 times.
		if got, want := k.Eval(x, x), math.Exp(2000*e); !(math.Abs(got/want-1) <= 2000*0x1p-51) {
			t.Errorf("k(x, x) = %v at ‖x‖² = 1 + %v, want %v", got, e, want)
		}
	}
	step := NewSkeleton(1)
	step.Unit(StepDual{}, step.Input(Linear{}))
	if got := kernelOf(t, step).Eval([]float64{1.1}, []float64{1.1}); !math.IsInf(got, 1) {
		t.Errorf("k(x, x) = %v beyond the disc of convergence, want +Inf", got)
	}
}

// A map whose draws take more columns than were planned has fewer draws, and no more columns. An estimate
// of exp(cos(x − y) − 1) of 10 draws varies by at most 1/10.
func TestCompositionalOverflow(t *testing.T) {
	t.Parallel()
	sk := NewSkeleton(2)
	sk.Unit(ExpDual(1), sk.Input(Circle{}, 0), sk.Input(Circle{}, 1))
	k := must(sk.Kernel())
	x, y := []float64{0.1, 2}, []float64{1, 1.5}
	var sum float64
	const seeds = 2000
	for seed := range uint64(seeds) {
		m := must(DrawTight(sk, 1000, 20, NewSampler(seed)))
		if _, out := m.Dims(); out > 20 || m.Draws() != 10 {
			t.Fatalf("seed %d: %d columns of %d draws, want at most 20 of 10", seed, out, m.Draws())
		}
		sum += floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
	}
	if got, want := sum/seeds, k.Eval(x, y); !(math.Abs(got-want) <= 5*math.Sqrt(0.1/seeds)) {
		t.Errorf("mean of the estimates %v, want %v", got, want)
	}
	// Those that fit stay.
	if m := must(DrawTight(sk, 1000, 1000, NewSampler(1))); m.Draws() != 1000 {
		t.Errorf("%d draws, want 1000", m.Draws())
	}
}
