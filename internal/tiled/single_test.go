// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/fma"
)

// singleGram adds ZᵀZ to m by blocks of float32, in batches of some rows.
func singleGram(t testing.TB, m *Matrix, z blas64.General, shift []float64, batch int) {
	b := newSingleBlockIn(m.tier, z.Cols)
	b.Shift = shift
	for i := 0; i < z.Rows; {
		end := min(i+batch, z.Rows, i+b.Room())
		if bad := b.Append(rowsOf(z, i, end)); bad >= 0 {
			t.Fatalf("row %d refused", bad)
		}
		if i = end; b.Room() == 0 {
			m.Update(b)
			b.Truncate(0)
		}
	}
	m.Update(b)
}

// wantSingleGram is the same by the specification.
func wantSingleGram(z blas64.General, shift []float64) [][]float64 {
	want := make([][]float64, z.Cols)
	for i := range want {
		want[i] = make([]float64, z.Cols)
		for j := i; j < z.Cols; j++ {
			for first := 0; first < z.Rows; first += BlockRows {
				var sum float32
				for k := first; k < min(first+BlockRows, z.Rows); k++ {
					row := z.Data[k*z.Stride:]
					sum = fma.Float32(float32(row[i]-shift[i]), float32(row[j]-shift[j]), sum)
				}
				want[i][j] += float64(sum)
			}
		}
	}
	return want
}

// Sums of blocks of float32 have the bits of the specification in every tier, for any batches and goroutines.
func TestSingleBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{1, 2, 4, 5, 8, 9, 16, 17, 23, 25, 47, 48, 49, 73, 100} {
		for _, rows := range []int{1, 7, 15, 16, 17, BlockRows, BlockRows + 21} {
			z, shift := random(rnd, rows, n), make([]float64, n)
			copy(shift, z.Data)
			z.Data[rnd.IntN(rows)*z.Stride] = 1e-30 // squares are subnormal
			want := wantSingleGram(z, shift)
			for _, tr := range tiers() {
				for i, batch := range []int{rows, 1, 10} {
					runtime.GOMAXPROCS(1 + i)
					m := newIn(tr, n)
					singleGram(t, m, z, shift, batch)
					compare(t, fmt.Sprintf("%v, %d rows in batches of %d", tr, rows, batch), n, m.At, want)
				}
			}
		}
	}
}

// Many columns are in several groups of strips, with an odd number of panels.
func TestSingleGroups(t *testing.T) {
	const n, rows = 940, 3
	z, shift := random(rand.New(rand.NewPCG(13, 14)), rows, n), make([]float64, n)
	want := wantSingleGram(z, shift)
	for _, tr := range tiers() {
		m := newIn(tr, n)
		singleGram(t, m, z, shift, rows)
		compare(t, tr.String(), n, m.At, want)
	}
}

// Numbers of 2⁵⁹ or more are refused, and those below have finite sums.
func TestSingleRange(t *testing.T) {
	for _, tr := range tiers() {
		for _, n := range []int{1, 20, 100} {
			for _, rows := range []int{1, 3} {
				z := blas64.General{Rows: rows, Cols: n, Stride: n, Data: make([]float64, rows*n)}
				b := newSingleBlockIn(tr, n)
				for _, v := range []float64{SingleLimit, -SingleLimit, math.Inf(1), math.NaN(), math.MaxFloat64} {
					for _, at := range []int{0, rows*n - 1} {
						z.Data[at] = v
						if bad := b.Append(z); bad != at/n || b.Rows() != 0 {
							t.Errorf("%v, %d columns: Append of %v returns %d", tr, n, v, bad)
						}
						z.Data[at] = 0
					}
				}
				z.Data[0] = math.Nextafter(SingleLimit, 0)
				b.Shift[0] = -z.Data[0]
				m := newIn(tr, n)
				for b.Room() >= rows {
					if bad := b.Append(z); bad >= 0 {
						t.Fatalf("%v: refused %v", tr, z.Data[0])
					}
				}
				m.Update(b)
				if v := m.At(0, 0); !(v <= math.MaxFloat32) || !(v > 0x1p120) {
					t.Errorf("%v: the sum of squares is %v", tr, v)
				}
			}
		}
	}
}

// A single row is packed as in a batch, factors are rounded once, and a copy has the same rows.
func TestSingleBlock(t *testing.T) {
	z := random(rand.New(rand.NewPCG(3, 4)), 5, 21)
	for _, tr := range tiers() {
		a, b := newSingleBlockIn(tr, 21), newSingleBlockIn(tr, 21)
		a.Append(z)
		for i := range z.Rows {
			if !b.AppendRow(z.Data[i*z.Stride:][:z.Cols]) {
				t.Fatal("refused")
			}
		}
		c := newSingleBlockIn(tr, 21)
		c.CopyFrom(b)
		a.Scale([]float64{math.Sqrt2, 1})
		for i := range z.Rows {
			for j, v := range z.Data[i*z.Stride:][:z.Cols] {
				at := (j/a.strip*BlockRows+i)*a.strip + j%a.strip
				scaled := float32(v)
				if i == 3 {
					scaled = float32(float64(float32(v)) * math.Sqrt2)
				}
				if a.single[at] != scaled || b.single[at] != float32(v) || c.single[at] != float32(v) {
					t.Fatalf("%v: element %d, %d is %v, by itself %v, of a copy %v", tr, i, j, a.single[at], b.single[at], c.single[at])
				}
			}
		}
	}
}
