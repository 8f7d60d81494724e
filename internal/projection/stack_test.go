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

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// productProblem is a stack of a constant, a copy and a product, with its specification.
func productProblem(rnd *rand.Rand, on tier.Tier, in, columns int, complex bool) (*Stack, func(x, _ []float64) []float64, int) {
	degrees := make([]int, columns)
	for i := range degrees {
		degrees[i] = 1 + rnd.IntN(4)
	}
	slices.Sort(degrees)
	imag := 0
	if complex {
		imag = columns
	}
	at := 1 + in
	p := newProductIn(on, in, at, imag, degrees)
	type factor struct {
		u, v []float64
		b, c float64
	}
	factors := make([][]factor, columns)
	for i, n := range degrees {
		for j := range n {
			f := factor{make([]float64, in), make([]float64, in), rnd.NormFloat64(), rnd.NormFloat64()}
			for k := range in {
				f.u[k], f.v[k] = rnd.NormFloat64(), rnd.NormFloat64()
			}
			p.SetReal(i, j, f.u, f.b)
			if complex {
				p.SetImag(i, j, f.v, f.c)
			}
			factors[i] = append(factors[i], f)
		}
		if p.Degree(i) != n {
			panic("degree")
		}
	}
	center := make([]float64, in)
	for k := range center {
		center[k] = rnd.NormFloat64()
	}
	s := NewStack(in, at+columns+imag, Constants{At: 0, Values: []float64{2.5}}, Copy{At: 1, Scale: 0.3, Center: center}, p)
	chain := func(w, x []float64, t float64) float64 {
		for k, v := range x {
			t = math.FMA(w[k], v, t)
		}
		return t
	}
	out := at + columns + imag
	return s, func(x, _ []float64) []float64 {
		z := make([]float64, out)
		z[0] = 2.5
		for k, v := range x {
			z[1+k] = float64(0.3*v) - float64(0.3*center[k])
		}
		for i, fs := range factors {
			re, im := chain(fs[0].u, x, fs[0].b), chain(fs[0].v, x, fs[0].c)
			for _, f := range fs[1:] {
				a, b := chain(f.u, x, f.b), chain(f.v, x, f.c)
				if complex {
					re, im = float64(re*a)-float64(im*b), float64(re*b)+float64(im*a)
				} else {
					re *= a
				}
			}
			z[at+i] = re
			if complex {
				z[at+imag+i] = im
			}
		}
		return z
	}, out
}

// tensorProblem is a stack of a tensor of several blocks, with its specification.
func tensorProblem(rnd *rand.Rand, on tier.Tier, in, p int, complex bool) (*Stack, func(x, _ []float64) []float64, int) {
	var blocks []TensorBlock
	columns := 0
	for range 1 + rnd.IntN(3) {
		b := TensorBlock{At: columns, Scale: rnd.Float64()}
		n := 1 + rnd.IntN(p)
		for range 1 + rnd.IntN(3) {
			var f TensorFactor
			for c := range f.Signs {
				f.Signs[c] = make([]uint64, p)
				for i := range f.Signs[c] {
					f.Signs[c][i] = uint64(rnd.IntN(2)) << 63
				}
			}
			f.Rows = rnd.Perm(p)[:n]
			b.Factors = append(b.Factors, f)
		}
		blocks = append(blocks, b)
		columns += n
	}
	imag := 0
	if complex {
		imag = columns
	}
	var center []float64
	if rnd.IntN(2) == 0 {
		for range in {
			center = append(center, rnd.NormFloat64())
		}
	}
	s := NewStack(in, columns+imag, newTensorIn(on, p, imag, center, blocks))
	transform := func(x []float64, signs []uint64) []float64 {
		v := make([]float64, p)
		copy(v, x)
		for i, c := range center {
			v[i] -= c
		}
		for i := range v {
			v[i] = math.Float64frombits(math.Float64bits(v[i]) ^ signs[i])
		}
		for stride := p / 2; stride > 0; stride /= 2 {
			for k := range p {
				if k&stride == 0 {
					v[k], v[k+stride] = v[k]+v[k+stride], v[k]-v[k+stride]
				}
			}
		}
		return v
	}
	return s, func(x, _ []float64) []float64 {
		z := make([]float64, columns+imag)
		for _, b := range blocks {
			for j, f := range b.Factors {
				u, v := transform(x, f.Signs[0]), transform(x, f.Signs[1])
				for i, r := range f.Rows {
					re := &z[b.At+i]
					im := new(float64)
					if complex {
						im = &z[b.At+imag+i]
					}
					switch {
					case j == 0:
						*re, *im = b.Scale*u[r], b.Scale*v[r]
					case complex:
						*re, *im = float64(*re*u[r])-float64(*im*v[r]), float64(*re*v[r])+float64(*im*u[r])
					default:
						*re *= u[r]
					}
				}
			}
		}
		return z
	}, columns + imag
}

// Stacks in every tier equal the specification to the last bit.
func TestStackEqualsSpecification(t *testing.T) {
	for _, on := range tiers() {
		for _, complex := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/complex=%v", on, complex), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(1, 3))
				for range 25 {
					rows, in, columns := 1+rnd.IntN(70), 1+rnd.IntN(40), 1+rnd.IntN(60)
					s, want, out := productProblem(rnd, on, in, columns, complex)
					if err := checkTransform(rnd, s, want, rows, in, out); err != nil {
						t.Fatalf("product: %d rows of R^%d, %d columns: %v", rows, in, columns, err)
					}
					p := 1 << rnd.IntN(8)
					in = 1 + rnd.IntN(p)
					s, want, out = tensorProblem(rnd, on, in, p, complex)
					if err := checkTransform(rnd, s, want, rows, in, out); err != nil {
						t.Fatalf("tensor: %d rows of R^%d, p = %d: %v", rows, in, p, err)
					}
				}
			})
		}
	}
}
