// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// randomMatrix returns a matrix of normal elements.
func randomMatrix(rnd *rand.Rand, rows, cols int) *mat.Dense {
	a := mat.NewDense(rows, cols, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, a)
	return a
}

// The pullback of forms is, for each coordinate, one chain of fused multiply-adds in the order of the forms, in every tier.
func TestPullbackForms(t *testing.T) {
	for _, on := range tiers() {
		for _, e := range []Epilogue{Store, Cos, CosSin} {
			for _, size := range [][2]int{{1, 1}, {7, 3}, {24, 12}, {50, 25}, {130, 65}, {490, 8}, {970, 30}} {
				rnd := rand.New(rand.NewPCG(1, 2))
				forms, in := size[0], size[1]
				q := newProblem(rnd, on, forms, in, e)
				back, _ := q.p.Stack().Pullback()
				const n = 15 // strips of 8, 4, 2 and 1
				x, g := randomMatrix(rnd, n, in), randomMatrix(rnd, n, q.p.outputs())
				got := mat.NewDense(n, in, nil)
				back.PullbackTo(got, x, g)
				for i := range n {
					want := q.wantPullback(x.RawRowView(i), g.RawRowView(i))
					if !slices.Equal(got.RawRowView(i), want) {
						t.Fatalf("%v, %v, %d forms of R^%d: row %d is %v, want %v", on, e, forms, in, i, got.RawRowView(i), want)
					}
				}
			}
		}
	}
}

// wantPullback is the specification of the pullback.
func (q problem) wantPullback(x, g []float64) []float64 {
	forms, dst := len(q.w), make([]float64, len(x))
	for i, w := range q.w {
		phase, slope, factor := q.b[i], g[i], 1.0
		if q.e == Cos { // the derivative is −sin, the cosine a quarter turn on
			phase += 0.25
		}
		for k, v := range x {
			phase = math.FMA(w[k], v, phase)
		}
		if q.e != Store {
			factor = 2 * math.Pi
			cos, sin := wantCosSin(phase, q.scale)
			slope = cos * g[i]
			if q.e == CosSin {
				slope = float64(cos*g[forms+i]) - float64(sin*g[i])
			}
		}
		for k := range dst {
			dst[k] = math.FMA(factor*w[k], slope, dst[k])
		}
	}
	return dst
}

// Pullbacks have the same bits in every tier, for rows together and by themselves.
func TestPullbackTiers(t *testing.T) {
	const in = 21
	stacks := map[string]func(rnd *rand.Rand, on tier.Tier) *Stack{
		"real product": func(rnd *rand.Rand, on tier.Tier) *Stack {
			s, _, _ := productProblem(rnd, on, in, 50, false)
			return s
		},
		"complex product": func(rnd *rand.Rand, on tier.Tier) *Stack {
			s, _, _ := productProblem(rnd, on, in, 50, true)
			return s
		},
		"structured": func(rnd *rand.Rand, on tier.Tier) *Stack {
			return newStructuredProblem(rnd, on, 75, in, 32, CosSin, nil, nil).stack
		},
		"structured, of phases": func(rnd *rand.Rand, on tier.Tier) *Stack {
			before := newProblem(rnd, on, 12, in, Store)
			return newStructuredProblem(rnd, on, 75, 12, 32, Cos, &before, nil).stack
		},
		"neurons": func(rnd *rand.Rand, on tier.Tier) *Stack {
			p := newProblem(rnd, on, 40, in, Store).p
			return NewStack(in, 60, Neurons{Forms: Forms{p, 20}, Activation: ReLU, Scale: 0.7, Opposite: 20})
		},
		"tensor": func(rnd *rand.Rand, on tier.Tier) *Stack {
			s, _, _ := tensorProblem(rnd, on, in, 32, false)
			return s
		},
		"complex tensor": func(rnd *rand.Rand, on tier.Tier) *Stack {
			s, _, _ := tensorProblem(rnd, on, in, 32, true)
			return s
		},
	}
	for name, newStack := range stacks {
		for seed := range uint64(4) { // tensors have a center or none, and one block or several
			comparePullbacks(t, name, in, func(on tier.Tier) *Stack { return newStack(rand.New(rand.NewPCG(seed, 7)), on) })
		}
	}
}

// comparePullbacks compares the pullback of a stack with differences, and with its own in other tiers and by rows.
func comparePullbacks(t *testing.T, name string, in int, newStack func(on tier.Tier) *Stack) {
	t.Helper()
	const n = 19
	var want *mat.Dense
	for _, on := range append([]tier.Tier{tier.Plain}, tiers()...) {
		s := newStack(on)
		back, _ := s.Pullback()
		rnd := rand.New(rand.NewPCG(5, 6))
		x, g := randomMatrix(rnd, n, in), randomMatrix(rnd, n, s.Out())
		got, row := mat.NewDense(n, in, nil), mat.NewDense(1, in, nil)
		back.PullbackTo(got, x, g)
		if want == nil {
			want = got
			checkDifferences(t, name, s, x, g, got)
		}
		for i := range n {
			back.PullbackTo(row, x.Slice(i, i+1, 0, in), g.Slice(i, i+1, 0, s.Out()))
			for what, v := range map[string][]float64{"a batch": got.RawRowView(i), "itself": row.RawRowView(0)} {
				if !slices.Equal(v, want.RawRowView(i)) {
					t.Fatalf("%s, %v: row %d by %s is %v, want %v", name, on, i, what, v, want.RawRowView(i))
				}
			}
		}
	}
}

// checkDifferences compares pullbacks of the first rows with central differences of the fourth order.
func checkDifferences(t *testing.T, name string, s *Stack, x, g, got *mat.Dense) {
	t.Helper()
	const h = 1e-4
	out := make([]float64, s.Out())
	for i := range 3 {
		point := slices.Clone(x.RawRowView(i))
		at := func(k int, h float64) (sum float64) {
			point[k] += h
			s.TransformVec(out, point)
			point[k] = x.At(i, k)
			for j, v := range out {
				sum += v * g.At(i, j)
			}
			return sum
		}
		row := got.RawRowView(i)
		largest := math.Max(slices.Max(row), -slices.Min(row))
		for k, v := range row {
			want := (8*(at(k, h)-at(k, -h)) - (at(k, 2*h) - at(k, -2*h))) / (12 * h)
			if !(math.Abs(v-want) <= 1e-7*largest) {
				t.Errorf("%s: coordinate %d of row %d is %v, by differences %v", name, k, i, v, want)
			}
		}
	}
}

// Slopes are those of differences, 0 at 0, and NaN where a form is not finite.
func TestSlope(t *testing.T) {
	for a := Sign; a <= SquaredReLU; a++ {
		for _, v := range []float64{-2, -0.3, 0.5, 3} {
			want := (a.At(v+1e-5) - a.At(v-1e-5)) / 2e-5
			if got := a.Slope(v); math.Abs(got-want) > 1e-9 {
				t.Errorf("activation %d: the slope at %v is %v, by differences %v", a, v, got, want)
			}
		}
		if got := a.Slope(0); got != 0 {
			t.Errorf("activation %d: the slope at 0 is %v", a, got)
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if got := a.Slope(v); !math.IsNaN(got) {
				t.Errorf("activation %d: the slope at %v is %v", a, v, got)
			}
		}
	}
}

// A part without a derivative is the one that is returned.
func TestPullbackWithout(t *testing.T) {
	s := NewStack(2, 3, Constants{Values: []float64{1}}, Rows{At: 1, Columns: 2, Of: func(dst, x []float64) { copy(dst, x) }})
	if back, part := s.Pullback(); back != nil || part != 1 {
		t.Error(fmt.Sprint(back, part))
	}
}
