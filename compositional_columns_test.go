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
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The distinct features of a skeleton with phases and categories, the columns that each reads, and the weight √(count/draws) of
// each.
func TestCompositionalColumns(t *testing.T) {
	sk := NewSkeleton(4)
	in := testkit.Each(sk, Circle{}, 3)
	sk.Unit(series.Coefficients{0.3, 0.2, 0.5}, append(in, sk.Input(Categories{N: 2}, 3))...)
	m, err := NewCompositional(sk, 5000, NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	// Monomials up to conjugation: 1 and x₃ are real; z₀, z₁, z₂; zᵢ²; zᵢzⱼ and zᵢz̄ⱼ, i < j;
	// zᵢx₃. (zz̄ and x₃² are 1.)
	in0, out := m.Dims()
	if m.Distinct() != 2+3+3+6+3 || in0 != 4 || out != 2*m.Distinct()-2 || m.Draws() != 5000 {
		t.Errorf("%d distinct features and %d columns of %d draws, want 17, 32 and 5000", m.Distinct(), out, m.Draws())
	}
	x := []float64{1, 2, 3, 1}
	z := m.TransformVec(nil, x)
	supports := make(map[string]int)
	for i := range out {
		cols := m.Support(i)
		if !slices.IsSorted(cols) {
			t.Errorf("column %d reads %v", i, cols)
		}
		supports[fmt.Sprint(cols)]++
		moved := slices.Clone(x)
		for c := range x {
			moved[c] += 0.37
			changed := m.TransformVec(nil, moved)[i] != z[i]
			moved[c] = x[c]
			if changed != slices.Contains(cols, c) {
				t.Errorf("column %d depends on coordinate %d: %v, Support says %v", i, c, changed, cols)
			}
		}
	}
	want := map[string]int{"[]": 1, "[3]": 1, "[0]": 4, "[1]": 4, "[2]": 4,
		"[0 1]": 4, "[0 2]": 4, "[1 2]": 4, "[0 3]": 2, "[1 3]": 2, "[2 3]": 2}
	if fmt.Sprint(supports) != fmt.Sprint(want) {
		t.Errorf("columns by what they read: %v, want %v", supports, want)
	}
	// Re and Im of a phase have its weight together: √(count/draws).
	for i := range 15 {
		size, want := math.Hypot(z[i], z[i+m.Distinct()]), math.Sqrt(float64(m.Count(i))/5000)
		if !(math.Abs(size-want) <= 1e-15) || m.Count(i) != m.Count(i+m.Distinct()) {
			t.Errorf("feature %d, of %d draws, has size %v, want %v", i, m.Count(i), size, want)
		}
	}
	for _, i := range []int{-1, out} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrColAccess {
					t.Errorf("Count(%d): panic %v, want ErrColAccess", i, r)
				}
			}()
			m.Count(i)
		}()
	}
}

// A constant has one column.
func TestCompositionalConstant(t *testing.T) {
	sk := NewSkeleton(2)
	sk.Unit(series.Coefficients{3}, testkit.Each(sk, Circle{}, 2)...)
	z := testkit.Must(NewCompositional(sk, 1000, NewSampler(1))).TransformVec(nil, []float64{1, 2})
	if len(z) != 1 || !(math.Abs(z[0]*z[0]-3) <= 1e-14) {
		t.Errorf("the features of a constant are %v, want √3", z)
	}
}

// The 1000th power of one coordinate is one feature of one factor, and is not random.
func TestCompositionalPowers(t *testing.T) {
	const n = 1000
	sk := NewSkeleton(2)
	sk.Unit(series.HermiteDual{N: n}, sk.Input(Linear{}, 1))
	m, err := NewCompositional(sk, 7, NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{9, -0.999}, []float64{3, 1.001}
	got := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
	if want := math.Pow(0.999*1.001, n); !(math.Abs(got-want) <= 1e-12) || m.Distinct() != 1 {
		t.Errorf("%d features with the product %v, want 1 with %v", m.Distinct(), got, want)
	}
	if got := m.Variance(x, y); !(got <= 1e-12) {
		t.Errorf("Variance = %v of what is not random", got)
	}
}

// A feature and its conjugate are one: of ⟨x, y⟩³ in the plane z³ and z̄³ are, and z²z̄ and zz̄². Powers of the roots of unity
// of 300 million categories do not overflow 32 bits.
func TestCompositionalConjugates(t *testing.T) {
	sk := NewSkeleton(2)
	sk.Unit(series.HermiteDual{N: 3}, sk.Input(Sphere{}))
	m := testkit.Must(NewCompositional(sk, 1000, NewSampler(1)))
	if m.Distinct() != 2 {
		t.Errorf("%d distinct features, want 2", m.Distinct())
	}
	// Powers of 1 of n categories, whose sum is beyond 32 bits.
	const n = 300_000_000
	sk = NewSkeleton(1)
	sk.Unit(series.HermiteDual{N: 15}, sk.Input(Categories{N: n}))
	m = testkit.Must(NewCompositional(sk, 3000, NewSampler(1)))
	got := floats.Dot(m.TransformVec(nil, []float64{0}), m.TransformVec(nil, []float64{1}))
	// The kernel is 0, the variance ½·1/3000.
	if dev := math.Sqrt(0.5 / 3000); !(math.Abs(got) <= 5*dev) {
		t.Errorf("⟨φ(0), φ(1)⟩ = %v, want 0 ± %v", got, dev)
	}
}

// A map whose draws take more columns than were planned has fewer draws, and no more columns. An estimate
// of exp(cos(x − y) − 1) of 10 draws varies by at most 1/10.
func TestCompositionalOverflow(t *testing.T) {
	t.Parallel()
	sk := NewSkeleton(2)
	sk.Unit(series.ExpDual(1), sk.Input(Circle{}, 0), sk.Input(Circle{}, 1))
	k := testkit.Must(sk.Kernel())
	x, y := []float64{0.1, 2}, []float64{1, 1.5}
	var sum float64
	seeds := testkit.Times(500, 500, 2000)
	for seed := range uint64(seeds) {
		m := testkit.Must(DrawTight(sk, 1000, 20, NewSampler(seed)))
		if _, out := m.Dims(); out > 20 || m.Draws() != 10 {
			t.Fatalf("seed %d: %d columns of %d draws, want at most 20 of 10", seed, out, m.Draws())
		}
		sum += floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
	}
	if got, want := sum/float64(seeds), k.Eval(x, y); !(math.Abs(got-want) <= 5*math.Sqrt(0.1/float64(seeds))) {
		t.Errorf("mean of the estimates %v, want %v", got, want)
	}
	// Those that fit stay.
	if m := testkit.Must(DrawTight(sk, 1000, 1000, NewSampler(1))); m.Draws() != 1000 {
		t.Errorf("%d draws, want 1000", m.Draws())
	}
}
