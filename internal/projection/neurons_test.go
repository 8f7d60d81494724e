// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// wantActivation is an activation as its comment has it.
func wantActivation(a Activation, t float64) float64 {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return math.NaN()
	}
	theta := 0.0
	if t > 0 {
		theta = 1
	}
	switch a {
	case Sign:
		if t == 0 {
			return 0
		}
		return math.Copysign(1, t)
	case Abs:
		return math.Abs(t)
	case SignedSquare:
		return t * math.Abs(t)
	case Step:
		return math.Sqrt2 * theta
	case ReLU:
		return math.Sqrt2 * math.Max(t, 0)
	}
	return math.Sqrt2 * (math.Max(t, 0) * math.Max(t, 0))
}

// Activations are what they should be in every tier, in the bits of plain Go, at every number of elements around the
// registers, of special values too.
func TestActivations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e200, -1e200, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64}
	for _, tr := range tiers() {
		p := NewIn(tr, 1, 1, Store, 1)
		for a := Sign; a <= SquaredReLU; a++ {
			for n := range 40 {
				forms := make([]float64, n)
				for i := range forms {
					forms[i] = rnd.NormFloat64()
					if rnd.IntN(3) == 0 {
						forms[i] = special[rnd.IntN(len(special))]
					}
				}
				for _, scale := range []float64{0.7, -0.7} {
					got := make([]float64, n+1)
					got[n] = 7
					Neurons{Forms: Forms{Projection: p}, Activation: a}.activate(got[:n], forms, scale)
					for i, v := range forms {
						want := 0.7 * wantActivation(a, math.Copysign(1, scale)*v)
						if g := got[i]; !(g == want && math.Signbit(g) == math.Signbit(want) || g != g && want != want) {
							t.Fatalf("%v, activation %d, scale %v: of %v %v, want %v", tr, a, scale, v, g, want)
						}
					}
					if got[n] != 7 {
						t.Fatalf("%v: written beyond %d elements", tr, n)
					}
				}
			}
		}
	}
}

// Neurons and their opposites are in their columns, by rows and in batches, in blocks of panels too.
func TestNeurons(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, tr := range tiers() {
		for _, forms := range []int{1, 2, 23, 24, 25, 60, 200} {
			for _, opposite := range []int{0, forms - 1, forms} {
				q := newProblem(rnd, tr, forms, 5, Store)
				q.p.shape.blockWeights = 300 // some panels at a time
				const before = 3             // columns of others
				n := Neurons{Forms: Forms{Projection: q.p, At: before + opposite}, Activation: ReLU, Scale: 0.3, Opposite: opposite}
				s := NewStack(5, before+opposite+forms, n)
				x := mat.NewDense(19, 5, nil)
				for i := range x.RawMatrix().Data {
					x.RawMatrix().Data[i] = rnd.NormFloat64()
				}
				z, row := mat.NewDense(19, s.Out(), nil), make([]float64, s.Out())
				s.Transform(z, x)
				for i := range 19 {
					clear(row)
					s.TransformVec(row, x.RawRowView(i))
					want := make([]float64, s.Out())
					for j, v := range q.want(x.RawRowView(i), make([]float64, forms)) {
						want[before+opposite+j] = 0.3 * wantActivation(ReLU, v)
						if j < opposite {
							want[before+j] = 0.3 * wantActivation(ReLU, -v)
						}
					}
					for j, w := range want {
						if z.At(i, j) != w || row[j] != w {
							t.Fatalf("%v, %d forms, %d opposites: row %d, column %d: %v and %v, want %v", tr, forms, opposite, i, j, z.At(i, j), row[j], w)
						}
					}
				}
			}
		}
	}
}
