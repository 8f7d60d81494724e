// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// sparseProblem is a stack of a constant and of sparse forms, with its specification.
func sparseProblem(rnd *rand.Rand, on tier.Tier, in int, runs []SparseRun, sines bool) (*Stack, func(x, _ []float64) []float64, int) {
	const at = 1
	var cols []uint32
	var weights, amplitude []float64
	var terms []int // of each form
	for _, r := range runs {
		for range r.Forms {
			terms = append(terms, r.Terms)
			amplitude = append(amplitude, rnd.NormFloat64())
			for range r.Terms {
				cols = append(cols, uint32(rnd.IntN(in)))
				weights = append(weights, rnd.NormFloat64())
			}
		}
	}
	forms := len(terms)
	for _, w := range special { // those of a coordinate apart, which checkTransform has
		if len(weights) > 0 && rnd.IntN(8) == 0 {
			weights[rnd.IntN(len(weights))] = w
		}
	}
	sin, out := 0, at+forms
	if sines {
		sin = forms
		out += forms
	}
	s := NewStack(in, out, newSparseIn(on, in, at, sin, runs, cols, weights, amplitude),
		Constants{At: 0, Values: []float64{2.5}})
	return s, func(x, _ []float64) []float64 {
		z := make([]float64, out)
		z[0] = 2.5
		k := 0
		for i, n := range terms {
			v := 0.0
			for range n {
				v = math.FMA(weights[k], x[cols[k]], v)
				k++
			}
			cos, sin := wantCosSin(v, 1)
			z[at+i] = amplitude[i] * cos
			if sines {
				z[at+forms+i] = amplitude[i] * sin
			}
		}
		return z
	}, out
}

// randomRuns returns runs of so many forms together, of up to six terms each, some runs
// empty.
func randomRuns(rnd *rand.Rand, forms int) (runs []SparseRun) {
	for forms > 0 {
		r := SparseRun{Terms: rnd.IntN(7), Forms: rnd.IntN(min(forms, 30) + 1)}
		runs = append(runs, r)
		forms -= r.Forms
	}
	return runs
}

// Sparse forms in every tier equal the specification to the last bit, in strips and by
// single rows, and at all numbers of forms around the tiles of a kernel.
func TestSparseEqualsSpecification(t *testing.T) {
	rows := []int{64, 65}
	for n := range 20 {
		rows = append(rows, 1+n)
	}
	for _, on := range tiers() {
		t.Run(on.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 5))
			for forms := range 71 {
				for range 2 {
					rows, in := rows[rnd.IntN(len(rows))], 1+rnd.IntN(40)
					sines := rnd.IntN(2) == 0
					s, want, out := sparseProblem(rnd, on, in, randomRuns(rnd, forms), sines)
					if err := checkTransform(rnd, s, want, rows, in, out); err != nil {
						t.Fatalf("%d rows of R^%d, %d forms, sines=%v: %v", rows, in, forms, sines, err)
					}
				}
			}
		})
	}
}

// Many forms are several tiles, a form may have many terms, and points of many
// coordinates do not pass together; rows go to several goroutines.
func TestSparseInParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const in = sparsePoints/16 - 5 // 16 rows together
	for _, on := range tiers() {
		t.Run(on.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(2, 6))
			runs := slices.Concat(randomRuns(rnd, 2*sparseTile), []SparseRun{{callTerms / 3, 8}, {callTerms + 1, 2}}, randomRuns(rnd, 100))
			s, want, out := sparseProblem(rnd, on, in, runs, true)
			x := mat.NewDense(101, in, nil)
			for i := range x.RawMatrix().Data {
				x.RawMatrix().Data[i] = rnd.NormFloat64()
			}
			got := mat.NewDense(101, out, nil)
			s.Transform(got, x)
			for i := 0; i < 101; i += 10 {
				if !sameBits(got.RawRowView(i), want(x.RawRowView(i), nil)) {
					t.Fatalf("row %d differs", i)
				}
			}
		})
	}
}

// Coordinates that a form reads must exist, because assembly does not check them.
func TestSparseRefuses(t *testing.T) {
	one, two := []float64{1}, []float64{1, 1}
	for _, c := range []struct {
		name               string
		runs               []SparseRun
		cols               []uint32
		weights, amplitude []float64
	}{
		{"column", []SparseRun{{1, 1}}, []uint32{3}, one, one},
		{"columns", []SparseRun{{1, 1}}, []uint32{0, 0}, one, one},
		{"weights", []SparseRun{{1, 1}}, []uint32{0}, two, one},
		{"amplitude", []SparseRun{{1, 1}}, []uint32{0}, one, two},
		{"terms", []SparseRun{{-1, 1}, {2, 1}}, []uint32{0}, one, two},
		{"forms", []SparseRun{{1, -1}, {1, 2}}, []uint32{0}, one, one},
		{"overflow", []SparseRun{{math.MaxInt/2 + 1, 4}}, nil, nil, make([]float64, 4)},
	} {
		if !panics(func() { NewSparse(3, 0, 0, c.runs, c.cols, c.weights, c.amplitude) }) {
			t.Errorf("%s: no panic", c.name)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// Warm parts allocate nothing.
func TestPartsAllocateNothing(t *testing.T) {
	for _, on := range tiers() {
		rnd := rand.New(rand.NewPCG(3, 7))
		sparse, _, sparseOut := sparseProblem(rnd, on, 30, randomRuns(rnd, 300), true)
		monomials, _, monomialsOut := monomialProblem(rnd, on, 30, 100)
		for _, p := range []struct {
			name string
			s    *Stack
			out  int
		}{{"sparse", sparse, sparseOut}, {"monomials", monomials, monomialsOut}} {
			t.Run(fmt.Sprintf("%v/%v", on, p.name), func(t *testing.T) {
				x, z := mat.NewDense(19, 30, nil), mat.NewDense(19, p.out, nil)
				// A collection of garbage, and the race detector, empty the pools at times.
				least := math.Inf(1)
				for range 20 {
					least = min(least, testing.AllocsPerRun(1, func() {
						p.s.Transform(z, x)
						p.s.TransformVec(z.RawRowView(0), x.RawRowView(0))
					}))
				}
				if least != 0 {
					t.Errorf("%v allocations", least)
				}
			})
		}
	}
}
