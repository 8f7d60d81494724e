// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package wht

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

var best = flag.Bool("best", false, "test the best tier alone, as on an emulated CPU, which is slow")

// engines returns the engines of all tiers that can run here, or with -best of the best.
func engines(t testing.TB) []Engine {
	var e []Engine
	for _, a := range tier.Available() {
		if *best && a != tier.Best() {
			continue
		}
		if For(a).tier != a {
			t.Errorf("For(%v) is of %v", a, For(a).tier)
		}
		e = append(e, For(a))
	}
	t.Logf("tiers: %v", tier.Available())
	return e
}

// A transform is Batch or Vector.
type transform struct {
	name  string
	lanes int
	of    func(e Engine, dst, src []float64, signs []uint64)
}

var transforms = []transform{{"Batch", Lanes, Engine.Batch}, {"Vector", 1, Engine.Vector}}

// specified returns what a transform of some lanes should give: the loop of the package
// comment on each vector.
func specified(src []float64, signs []uint64, lanes int) []float64 {
	dst := make([]float64, len(src))
	m := len(src) / lanes
	x := make([]float64, m)
	for l := range lanes {
		for i := range x {
			x[i] = src[i*lanes+l]
			if signs != nil && signs[i] != 0 {
				x[i] = -x[i]
			}
		}
		for s := m / 2; s > 0; s /= 2 {
			for i := range m {
				if i&s == 0 {
					x[i], x[i+s] = x[i]+x[i+s], x[i]-x[i+s]
				}
			}
		}
		for i, v := range x {
			dst[i*lanes+l] = v
		}
	}
	return dst
}

// differ returns the first element in which a and b differ in a bit, other than those of
// NaNs, or −1.
func differ(a, b []float64) int {
	for i, x := range a {
		if y := b[i]; math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
			return i
		}
	}
	return -1
}

// inputs are the distributions of elements.
var inputs = []struct {
	name string
	next func(r *rand.Rand) float64
}{
	{"wide", func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(100)-50) }},
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }},
	{"denormal", func(r *rand.Rand) float64 {
		return math.Copysign(math.Float64frombits(r.Uint64N(1<<53)), r.NormFloat64())
	}},
	{"zeros", func(r *rand.Rand) float64 { return math.Copysign(0, r.NormFloat64()) }},
	{"overflow", func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), 1018+r.IntN(4)) }},
	// One in 64, so that some results are not NaN.
	{"special", func(r *rand.Rand) float64 {
		s := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 5e-324, 1e300, math.MaxFloat64}
		if i := r.IntN(64 * len(s)); i < len(s) {
			return s[i]
		}
		return r.NormFloat64()
	}},
}

// masks returns n masks.
func masks(r *rand.Rand, n int) []uint64 {
	signs := make([]uint64, n)
	for i := range signs {
		signs[i] = r.Uint64() & (1 << 63)
	}
	return signs
}

// Each tier gives the bits of the specification.
func TestBits(t *testing.T) {
	engines := engines(t)
	for _, f := range transforms {
		for m := 1; m <= 4096*Lanes/f.lanes; m *= 2 {
			for i, in := range inputs {
				if testing.Short() && m > 256 && i > 0 {
					break
				}
				r := rand.New(rand.NewPCG(uint64(m), uint64(i)))
				src := make([]float64, m*f.lanes)
				for k := range src {
					src[k] = in.next(r)
				}
				for _, signs := range [][]uint64{nil, masks(r, m)} {
					want := specified(src, signs, f.lanes)
					for _, e := range engines {
						if err := run(f, e, src, signs, want); err != nil {
							t.Fatalf("%v %s, m = %d, %s, signs %t: %v", e.tier, f.name, m, in.name, signs != nil, err)
						}
					}
				}
			}
		}
	}
}

// run compares a transform with what is wanted, out of place and in place, between
// guards.
func run(f transform, e Engine, src []float64, signs []uint64, want []float64) error {
	dst, in, masks := guard(src), guard(src), guard(signs)
	if signs == nil {
		masks.part = nil
	}
	f.of(e, dst.part, in.part, masks.part)
	if !slices.EqualFunc(in.part, src, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
		return fmt.Errorf("src has changed")
	}
	f.of(e, in.part, in.part, masks.part)
	for _, got := range [][]float64{dst.part, in.part} {
		if i := differ(got, want); i >= 0 {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
	if !dst.intact() || !in.intact() || !masks.intact() || signs != nil && !slices.Equal(masks.part, signs) {
		return fmt.Errorf("a write out of bounds")
	}
	return nil
}

// A guarded slice is a part of a whole, and canaries before and after it.
type guarded[T comparable] struct{ whole, part []T }

// guardSize is odd, so that vectors are not aligned.
const guardSize = 2*Lanes + 1

// guard returns a copy of x.
func guard[T float64 | uint64](x []T) guarded[T] {
	whole := make([]T, len(x)+2*guardSize)
	for i := range whole {
		whole[i] = 77
	}
	part := whole[guardSize : len(x)+guardSize : len(x)+guardSize]
	copy(part, x)
	return guarded[T]{whole, part}
}

func (g guarded[T]) intact() bool {
	for i := range guardSize {
		if g.whole[i] != g.whole[0] || g.whole[len(g.whole)-1-i] != g.whole[0] {
			return false
		}
	}
	return true
}

// The specification is the product by the Hadamard matrix: of integers, whose sums are
// exact, by the definition of the matrix.
func TestDefinition(t *testing.T) {
	engines := engines(t)
	for m := 1; m <= 128; m *= 2 {
		r := rand.New(rand.NewPCG(2, uint64(m)))
		src := make([]float64, m)
		for i := range src {
			src[i] = float64(r.IntN(2001) - 1000)
		}
		want := make([]float64, m)
		for i := range m {
			for j, x := range src {
				want[i] += x * float64(1-2*(bits.OnesCount(uint(i&j))%2))
			}
		}
		for _, e := range engines {
			got := make([]float64, m)
			if e.Vector(got, src, nil); differ(got, want) >= 0 {
				t.Errorf("%v, m = %d: %v, want %v", e.tier, m, got, want)
			}
		}
	}
}

// Vector has the bits of each lane of Batch.
func TestVectorIsLane(t *testing.T) {
	for _, e := range engines(t) {
		for m := 1; m <= 4096; m *= 2 {
			r := rand.New(rand.NewPCG(3, uint64(m)))
			src, signs := make([]float64, m*Lanes), masks(r, m)
			for i := range src {
				src[i] = r.NormFloat64()
			}
			batch := make([]float64, m*Lanes)
			e.Batch(batch, src, signs)
			x, lane := make([]float64, m), make([]float64, m)
			for l := range Lanes {
				for i := range m {
					x[i], lane[i] = src[i*Lanes+l], batch[i*Lanes+l]
				}
				if e.Vector(x, x, signs); differ(x, lane) >= 0 {
					t.Fatalf("%v, m = %d: vector %d differs", e.tier, m, l)
				}
			}
		}
	}
}

// What is too large for the caches is done in several calls.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	engines := engines(t)
	for _, f := range transforms {
		for m := 1 << 15; m <= 1<<17*Lanes/f.lanes; m *= 4 {
			r := rand.New(rand.NewPCG(4, uint64(m)))
			src, signs := make([]float64, m*f.lanes), masks(r, m)
			for i := range src {
				src[i] = r.NormFloat64()
			}
			want := specified(src, signs, f.lanes)
			for _, e := range engines {
				if err := run(f, e, src, signs, want); err != nil {
					t.Errorf("%v %s, m = %d: %v", e.tier, f.name, m, err)
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	engines := engines(t)
	x, signs := make([]float64, 64*Lanes), make([]uint64, 64*Lanes)
	for _, f := range transforms {
		for _, c := range []struct {
			name            string
			dst, src, signs int // lengths
		}{
			{"empty", 0, 0, 0},
			{"not a power of two", 24 * f.lanes, 24 * f.lanes, 24},
			{"dst too short", 16 * f.lanes, 32 * f.lanes, 32},
			{"dst too long", 64 * f.lanes, 32 * f.lanes, 32},
			{"signs too short", 32 * f.lanes, 32 * f.lanes, 31},
			{"no signs, not nil", 32 * f.lanes, 32 * f.lanes, 0},
			{"signs too long", 32 * f.lanes, 32 * f.lanes, 33},
			{"a row and a half", f.lanes + 4, f.lanes + 4, 1},
		} {
			for _, e := range engines {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%v %s, %s: no panic", e.tier, f.name, c.name)
						}
					}()
					f.of(e, x[:c.dst], x[:c.src], signs[:c.signs])
				}()
			}
		}
	}
}

func TestAllocs(t *testing.T) {
	for _, e := range engines(t) {
		for _, m := range []int{1, 16, 64, 1024} {
			n := testing.AllocsPerRun(10, func() {
				// On the stack, unless they escape.
				var x [1024 * Lanes]float64
				var signs [1024]uint64
				e.Batch(x[:m*Lanes], x[:m*Lanes], signs[:m])
				e.Vector(x[:m], x[:m], signs[:m])
			})
			if n != 0 {
				t.Errorf("%v, m = %d: %v allocations", e.tier, m, n)
			}
		}
	}
}

// The zero Engine, and that of a tier that is not there, is plain Go.
func TestFor(t *testing.T) {
	for _, e := range []Engine{{}, For(-1), For(tier.AVX512 + 1)} {
		if e.tier != tier.Plain {
			t.Errorf("%v, want %v", e.tier, tier.Plain)
		}
	}
}

// FuzzTiers compares the tiers on any bits: 8 bytes an element.
func FuzzTiers(f *testing.F) {
	engines := engines(f)
	r := rand.New(rand.NewPCG(5, 5))
	for n := 1; n <= 1024; n *= 4 {
		data := make([]byte, 8*n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data, r.Uint64())
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		n := len(data) / 8
		if n == 0 {
			return
		}
		n = 1 << (bits.Len(uint(n)) - 1)
		src := make([]float64, n)
		for i := range src {
			src[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		for _, tr := range transforms {
			if n < tr.lanes {
				continue
			}
			for _, signs := range [][]uint64{nil, masks(rand.New(rand.NewPCG(seed, 0)), n/tr.lanes)} {
				want := specified(src, signs, tr.lanes)
				for _, e := range engines {
					if err := run(tr, e, src, signs, want); err != nil {
						t.Fatalf("%v %s, %d elements, signs %t: %v", e.tier, tr.name, n, signs != nil, err)
					}
				}
			}
		}
	})
}
