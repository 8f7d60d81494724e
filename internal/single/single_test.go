// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/fma"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Cosines and sines are within 1.3e-7 of those of the float32 phase, and with a scale, whose products round to up to twice
// as much, within 1.6e-7 times the scale.
func TestCosines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, scale := range []float64{1, 0.0221, 0.3, 1.4142, 0.0625 * 1.99, 0.0313} {
		c, limit := scaledSinTurns(scale), 1.6e-7
		if scale == 1 {
			limit = 1.3e-7
		}
		for range 200_000 {
			phase := float32(20*rng.Float64() - 10)
			cos, sin := c.cosSin(phase)
			wantSin, wantCos := math.Sincos(2 * math.Pi * float64(phase))
			if d := math.Abs(float64(cos) - scale*wantCos); !(d <= limit*scale) {
				t.Fatalf("scale %v: the cosine of %v turns is off by %.3g", scale, phase, d/scale)
			}
			if d := math.Abs(float64(sin) - scale*wantSin); !(d <= limit*scale) {
				t.Fatalf("scale %v: the sine of %v turns is off by %.3g", scale, phase, d/scale)
			}
			if c.cos(phase) != cos {
				t.Fatalf("cos and cosSin differ at %v", phase)
			}
		}
	}
}

// random returns rows with some numbers that are special, with gaps of NaN between the rows.
func random(rng *rand.Rand, rows, cols int, special bool) blas32.General {
	g := blas32.General{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float32, (rows-1)*(cols+3)+cols)}
	for i := range g.Data {
		g.Data[i] = float32(rng.NormFloat64())
		if i%g.Stride >= cols {
			g.Data[i] = float32(math.NaN())
		}
	}
	if special {
		for i, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), 1e-42, math.MaxFloat32, 0, -1e-45} {
			if i < rows {
				g.Data[i*g.Stride+rng.IntN(cols)] = v
			}
		}
	}
	return g
}

// guarded returns a destination whose gaps hold a mark.
func guarded(rows, cols int) blas32.General {
	g := blas32.General{Rows: rows, Cols: cols, Stride: cols + 5, Data: make([]float32, rows*(cols+5))}
	for i := range g.Data {
		g.Data[i] = mark
	}
	return g
}

const mark = -12345

// same fails the test unless two results have the same bits, NaN being NaN, and nothing was written to gaps.
func same(t *testing.T, name string, got, want blas32.General) {
	t.Helper()
	for i, v := range got.Data {
		u := want.Data[i]
		if math.Float32bits(v) != math.Float32bits(u) && (v == v || u == u) {
			t.Fatalf("%s: element %d, %d is %x, want %x", name, i/got.Stride, i%got.Stride, v, u)
		}
		if i%got.Stride >= got.Cols && v != mark {
			t.Fatalf("%s: wrote to column %d of %d", name, i%got.Stride, got.Cols)
		}
	}
}

// stackIn returns a stack of one part in a tier.
func stackIn(tr tier.Tier, in, out int, p Part) *Stack {
	s := NewStack(in, out, p)
	s.tier = tr
	return s
}

// specification is a dense projection by its definition, form by form.
func specification(e Epilogue, scale float64, w [][]float64, bias []float64, x blas32.General) blas32.General {
	forms := len(w)
	out := forms
	if e == CosSin {
		out *= 2
	}
	dst := guarded(x.Rows, out)
	c := scaledSinTurns(scale)
	for r := range x.Rows {
		row := dst.Data[r*dst.Stride:]
		for i := range w {
			t := float32(bias[i])
			for k, v := range w[i] {
				t = fma.Float32(float32(v), x.Data[r*x.Stride+k], t)
			}
			switch e {
			case Store:
				row[i] = t
			case Cos:
				row[i] = c.cos(t)
			case CosSin:
				row[i], row[forms+i] = c.cosSin(t)
			}
		}
	}
	return dst
}

// Every tier gives the bits of the definition, for rows together and alone, and with coordinates in passes.
func TestDenseEqualsSpecification(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, c := range []struct{ rows, in, forms int }{
		{1, 1, 1}, {3, 2, 7}, {9, 3, 24}, {17, 5, 49}, {23, 16, 100}, {5, 101, 241}, {2, 390, 97},
	} {
		w, bias := make([][]float64, c.forms), make([]float64, c.forms)
		for i := range w {
			w[i] = make([]float64, c.in)
			for k := range w[i] {
				w[i][k] = rng.NormFloat64()
			}
			bias[i] = rng.Float64()
		}
		x := random(rng, c.rows, c.in, true)
		for _, e := range []Epilogue{Store, Cos, CosSin} {
			want := specification(e, 0.3, w, bias, x)
			for _, tr := range tier.Available() {
				for _, passCoords := range []int{shapes[tr].passCoords, 7} {
					p := newIn(tr, c.forms, c.in, e, 0.3)
					p.passCoords = passCoords
					for i := range w {
						p.Set(i, w[i], bias[i])
					}
					s := stackIn(tr, c.in, want.Cols, Forms{Projection: p})
					name := fmt.Sprintf("%v, %v, %d by passes of %d", c, e, tr, passCoords)
					got := guarded(c.rows, want.Cols)
					s.Transform(got, x)
					same(t, name, got, want)
					checkVec(t, name, s, want, x)
				}
			}
		}
	}
}

// checkVec compares rows one by one, and by panels.
func checkVec(t *testing.T, name string, s *Stack, want, x blas32.General) {
	t.Helper()
	for r := range x.Rows {
		got := guarded(1, want.Cols)
		s.TransformVec(got.Data[:got.Cols], x.Data[r*x.Stride:][:x.Cols])
		row := rowRange(want, r, r+1)
		same(t, name+", one row", got, row)
	}
	if !s.dense {
		return
	}
	got := guarded(x.Rows, want.Cols)
	for lo := range s.panels {
		s.byPanels(got, x, lo, lo+1)
	}
	same(t, name+", by panels", got, want)
}

func TestStructuredEqualsPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, c := range []struct{ rows, in, p, forms int }{
		{1, 3, 8, 5}, {17, 8, 8, 20}, {35, 20, 32, 70}, {3, 40, 64, 64*18 - 5}, {17, 64, 64, 64*3 - 7}, {16, 100, 128, 300}, {33, 200, 256, 256},
	} {
		blocks := (c.forms-1)/c.p + 1
		b := Block{Signs: make([]uint64, blocks*factors*c.p), Scale: make([]float64, blocks*c.p), Bias: make([]float64, blocks*c.p)}
		for i := range b.Signs {
			b.Signs[i] = uint64(rng.IntN(2)) << 63
		}
		for i := range b.Scale {
			b.Scale[i], b.Bias[i] = rng.Float64()/float64(c.p), rng.Float64()
		}
		x := random(rng, c.rows, c.in, true)
		diagonal := make([]float64, c.in)
		for i := range diagonal {
			diagonal[i] = 1 + rng.Float64()
		}
		linear := func(tr tier.Tier) *Projection {
			p := newIn(tr, c.in, c.in, Store, 1)
			for i := range c.in {
				row := make([]float64, c.in)
				row[i], row[(i+1)%c.in] = 1.5, 0.3
				p.Set(i, row, 0.1)
			}
			return p
		}
		for _, e := range []Epilogue{Cos, CosSin} {
			out := c.forms
			if e == CosSin {
				out *= 2
			}
			for kind := range 3 {
				before := func(tr tier.Tier) Before {
					return [...]Before{{}, {Diagonal: Rounded(diagonal), Center: Rounded(diagonal)}, {Linear: linear(tr)}}[kind]
				}
				make := func(tr tier.Tier) *Stack {
					return stackIn(tr, c.in, out, newStructuredIn(tr, 0, c.forms, c.in, c.p, e, 0.3, before(tr), b))
				}
				want := guarded(c.rows, out)
				make(tier.Plain).Transform(want, x)
				for _, tr := range tier.Available() {
					name := fmt.Sprintf("%v, %v, %v, before %d", c, e, tr, kind)
					got := guarded(c.rows, out)
					make(tr).Transform(got, x)
					same(t, name, got, want)
					checkVec(t, name, make(tr), want, x)
				}
			}
		}
	}
}

// A structured projection is the cosine of products by matrices that are its definition, for one point and for several.
func TestStructuredIsItsMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for _, c := range []struct{ p, blocks int }{{8, 1}, {64, 3}} {
		n := c.p * c.blocks
		b := Block{Signs: make([]uint64, factors*n), Scale: make([]float64, n), Bias: make([]float64, n)}
		for i := range b.Signs {
			b.Signs[i] = uint64(rng.IntN(2)) << 63
		}
		for i := range n {
			b.Scale[i], b.Bias[i] = rng.Float64()/float64(c.p*c.p), rng.Float64()
		}
		x := random(rng, 17, c.p, false)
		before := Before{Diagonal: make([]float32, c.p), Center: make([]float32, c.p)}
		for i := range c.p {
			before.Diagonal[i], before.Center[i] = 1+rng.Float32(), rng.Float32()
		}
		want := make([]float64, 0, n)
		for block := range c.blocks {
			v := make([]float64, c.p)
			for i := range v {
				v[i] = float64(x.Data[i])*float64(before.Diagonal[i]) - float64(before.Center[i])
			}
			for f := range factors {
				v = hadamard(v, b.Signs[(block*factors+f)*c.p:][:c.p])
			}
			want = append(want, v...)
		}
		got := guarded(17, n)
		s := NewStack(c.p, n, NewStructured(0, n, c.p, c.p, Cos, 1, before, b))
		s.Transform(got, x)
		one := make([]float32, n)
		s.TransformVec(one, x.Data[:c.p])
		for i, v := range want {
			want := math.Cos(2 * math.Pi * (v*b.Scale[i] + b.Bias[i]))
			for _, g := range []float32{one[i], got.Data[i]} {
				if !(math.Abs(float64(g)-want) < 1e-5) {
					t.Errorf("%v: form %d is %v, want %v", c, i, g, want)
				}
			}
		}
	}
}

// hadamard returns the product of a vector with its signs changed by the Hadamard matrix.
func hadamard(v []float64, signs []uint64) []float64 {
	product := make([]float64, len(v))
	for i := range product {
		for j, u := range v {
			if (signs[j] != 0) != (bits.OnesCount(uint(i&j))%2 != 0) {
				u = -u
			}
			product[i] += u
		}
	}
	return product
}

// A Copy is scale·x − scale·c, each product rounded by itself, and a Weighted part rounds products once from those in float64.
func TestCopyAndWeighted(t *testing.T) {
	x, center := []float32{1.1, -2.3, 3e38}, []float32{0.3, 1.7, -3e38}
	const scale, weight = float32(1.3), 1.0 / 3
	got := make([]float32, 3)
	NewStack(3, 3, Copy{Scale: scale, Center: center}, Weighted{Columns: 2, Weight: func([]float64) float64 { return weight }}).TransformVec(got, x)
	for k, v := range x {
		want := float32(scale*v) - float32(scale*center[k])
		if k < 2 {
			want = float32(float64(want) * weight)
		}
		if math.Float32bits(got[k]) != math.Float32bits(want) {
			t.Errorf("column %d is %v, want %v", k, got[k], want)
		}
	}
	if !math.IsInf(float64(got[2]), 1) {
		t.Errorf("what overflows is %v", got[2])
	}
}

func TestNeuronsEqualPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const in, forms, rows = 5, 75, 21
	x := random(rng, rows, in, true)
	clear(x.Data[6*x.Stride:][:in]) // where forms are 0
	for a := Sign; a <= SquaredReLU; a++ {
		for _, opposite := range []int{0, forms, forms - 1} {
			make := func(tr tier.Tier) *Stack {
				p := newIn(tr, forms, in, Store, 1)
				rng := rand.New(rand.NewPCG(1, 8))
				for i := range forms {
					w := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
					p.Set(i, w, 0)
				}
				return stackIn(tr, in, forms+opposite, Neurons{Forms: Forms{p, opposite}, Activation: a, Scale: 0.7, Opposite: opposite})
			}
			want := guarded(rows, forms+opposite)
			make(tier.Plain).Transform(want, x)
			for _, tr := range tier.Available() {
				name := fmt.Sprintf("activation %d, opposite %d, %v", a, opposite, tr)
				got := guarded(rows, forms+opposite)
				make(tr).Transform(got, x)
				same(t, name, got, want)
				checkVec(t, name, make(tr), want, x)
			}
		}
	}
	for a, want := range map[Activation][3]float32{
		Sign: {-1, 0, 1}, Abs: {2, 0, 2}, SignedSquare: {-4, 0, 4}, Step: {0, 0, math.Sqrt2}, ReLU: {0, 0, 2 * math.Sqrt2},
		SquaredReLU: {0, 0, 4 * math.Sqrt2},
	} {
		for i, v := range []float32{-2, 0, 2} {
			if got := a.at(v); got != want[i] {
				t.Errorf("activation %d of %v is %v, want %v", a, v, got, want[i])
			}
		}
	}
}

// FuzzTiers compares the tiers on any bits of rows and weights.
func FuzzTiers(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(5))
	f.Add(uint64(7), uint8(17), uint8(60))
	f.Fuzz(func(t *testing.T, seed uint64, in, forms uint8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		d, n := int(in)%40+1, int(forms)%120+1
		x := guarded(11, d)
		for i := range x.Data {
			x.Data[i] = math.Float32frombits(rng.Uint32())
		}
		var want blas32.General
		for _, tr := range tier.Available() {
			p := newIn(tr, n, d, CosSin, 1)
			rng := rand.New(rand.NewPCG(seed, 10))
			w := make([]float64, d)
			for i := range n {
				for k := range w {
					w[k] = float64(math.Float32frombits(rng.Uint32()))
				}
				p.Set(i, w, rng.Float64())
			}
			got := guarded(11, 2*n)
			stackIn(tr, d, 2*n, Forms{Projection: p}).Transform(got, x)
			if tr == tier.Plain {
				want = got
			}
			same(t, tr.String(), got, want)
		}
	})
}
