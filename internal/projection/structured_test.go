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

// structuredProblem is a structured projection with what it was made from.
type structuredProblem struct {
	s            *Structured
	stack        *Stack
	signs        [][]float64 // by block and factor
	length, bias []float64
	scale        float64
	before       *problem
	diagonal     []float64
}

func newStructuredProblem(rnd *rand.Rand, on tier.Tier, forms, in, p int, e Epilogue, before *problem, diagonal []float64) structuredProblem {
	q := structuredProblem{scale: rnd.Float64(), before: before, diagonal: diagonal}
	pre := Before{Diagonal: diagonal}
	if before != nil {
		pre.Linear = before.p
	}
	q.s = newStructuredIn(on, 0, forms, in, p, e, q.scale, pre)
	for first := 0; first < forms; first += p {
		for f := range factors {
			signs := make([]float64, p)
			for i := range signs {
				signs[i] = 1
				if rnd.IntN(2) == 0 {
					signs[i] = -1
					q.s.Signs(first, f)[i] = 1 << 63
				}
			}
			q.signs = append(q.signs, signs)
		}
	}
	for i := range forms {
		q.length, q.bias = append(q.length, rnd.ExpFloat64()), append(q.bias, rnd.Float64())
		q.s.Set(i, q.length[i], q.bias[i])
	}
	inputs := in
	if before != nil {
		inputs = before.p.in
	}
	q.stack = NewStack(inputs, len(q.want(make([]float64, inputs), nil)), q.s)
	return q
}

// want is the specification, written as in the doc comments.
func (q structuredProblem) want(x, _ []float64) []float64 {
	if q.before != nil {
		x = q.before.want(x, nil)
	}
	for i, v := range q.diagonal {
		x = slices.Clone(x)
		x[i] *= v
	}
	p, forms := q.s.p, q.s.forms
	norm := float64(p) * math.Sqrt(float64(p))
	out := make([]float64, 2*forms)
	for i := range forms {
		block := i / p
		if i%p != 0 {
			continue
		}
		v := make([]float64, p)
		copy(v, x)
		for f := range factors {
			for k, sign := range q.signs[block*factors+f] {
				v[k] *= sign
			}
			for stride := p / 2; stride > 0; stride /= 2 {
				for k := range p {
					if k&stride == 0 {
						v[k], v[k+stride] = v[k]+v[k+stride], v[k]-v[k+stride]
					}
				}
			}
		}
		for k := 0; k < p && i+k < forms; k++ {
			t := math.FMA(v[k], q.length[i+k]/norm, q.bias[i+k])
			out[i+k], out[forms+i+k] = wantCosSin(t, q.scale)
		}
	}
	if q.s.epilogue == Cos {
		return out[:forms]
	}
	return out
}

// Structured projections in every tier equal the specification to the last bit, in
// strips and by single rows, with whole blocks and a part of one.
func TestStructuredEqualsSpecification(t *testing.T) {
	for _, on := range tiers() {
		for _, e := range []Epilogue{Cos, CosSin} {
			for _, p := range []int{8, 16, 32, 64, 128, 1024} {
				t.Run(fmt.Sprintf("%v/%v/p=%d", on, e, p), func(t *testing.T) {
					rnd := rand.New(rand.NewPCG(uint64(p), uint64(e)))
					for range min(7, 2048/p) {
						rows, in, forms := 1+rnd.IntN(25), 1+rnd.IntN(p), 1+rnd.IntN(3*p)
						q := newStructuredProblem(rnd, on, forms, in, p, e, nil, nil)
						if err := checkTransform(rnd, q.stack, q.want, rows, in, len(q.want(make([]float64, in), nil))); err != nil {
							t.Fatalf("%d rows of R^%d, %d forms: %v", rows, in, forms, err)
						}
					}
				})
			}
		}
	}
}

// Points may go through a linear map first.
func TestStructuredBefore(t *testing.T) {
	for _, on := range tiers() {
		t.Run(on.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 1))
			for range 20 {
				rows, in, mid, forms := 1+rnd.IntN(25), 1+rnd.IntN(70), 1+rnd.IntN(64), 1+rnd.IntN(150)
				before := newProblem(rnd, on, mid, in, Store)
				q := newStructuredProblem(rnd, on, forms, mid, 64, CosSin, &before, nil)
				if err := checkTransform(rnd, q.stack, q.want, rows, in, 2*forms); err != nil {
					t.Fatalf("%d rows of R^%d, through R^%d, %d forms: %v", rows, in, mid, forms, err)
				}
				diagonal := make([]float64, mid)
				for i := range diagonal {
					diagonal[i] = rnd.NormFloat64()
				}
				q = newStructuredProblem(rnd, on, forms, mid, 64, Cos, nil, diagonal)
				if err := checkTransform(rnd, q.stack, q.want, rows, mid, forms); err != nil {
					t.Fatalf("%d rows of R^%d, times a diagonal, %d forms: %v", rows, mid, forms, err)
				}
			}
		})
	}
}

// Many forms take several calls of a kernel, and many rows several goroutines.
func TestStructuredInParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, on := range tiers() {
		t.Run(on.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(2, 2))
			q := newStructuredProblem(rnd, on, callForms+1000, 100, 2*callForms, CosSin, nil, nil)
			x := mat.NewDense(101, 100, nil)
			for i := range x.RawMatrix().Data {
				x.RawMatrix().Data[i] = rnd.NormFloat64()
			}
			got := mat.NewDense(101, 2*q.s.forms, nil)
			q.stack.Transform(got, x)
			for i := 0; i < 101; i += 10 {
				want := q.want(x.RawRowView(i), nil)
				if !sameBits(got.RawRowView(i), want) {
					t.Fatalf("row %d differs", i)
				}
				vec := make([]float64, 2*q.s.forms)
				q.stack.TransformVec(vec, x.RawRowView(i))
				if !sameBits(vec, want) {
					t.Fatalf("row %d by itself differs", i)
				}
			}
		})
	}
}
