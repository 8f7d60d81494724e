// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

var best = flag.Bool("best", false, "test the best tier alone, as on an emulated CPU, which is slow")

// tiers returns the tiers to test.
func tiers() []tier.Tier {
	if *best {
		return []tier.Tier{tier.Best()}
	}
	return tier.Available()
}

// sizes are around the widths of strips and panels, and the blocks of a factorization.
func sizes() []int {
	if testing.Short() {
		return []int{1, 2, 7, 9, 25, 95, 200}
	}
	return []int{1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 23, 24, 25, 47, 49, 95, 96, 97, 193, 215, 216, 400}
}

// random returns rows of normal numbers, a few elements apart.
func random(rnd *rand.Rand, rows, cols int) blas64.General {
	z := blas64.General{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float64, rows*(cols+3))}
	for i := range z.Data {
		z.Data[i] = rnd.NormFloat64()
	}
	return z
}

// rowsOf returns the rows [lo, hi).
func rowsOf(z blas64.General, lo, hi int) blas64.General {
	z.Rows, z.Data = hi-lo, z.Data[lo*z.Stride:]
	return z
}

// gram adds ZᵀZ to m, in batches of some rows.
func gram(t testing.TB, m *Matrix, z blas64.General, batch int) {
	b := newBlockIn(m.tier, z.Cols)
	for i := 0; i < z.Rows; i += batch {
		for lo, hi := i, min(i+batch, z.Rows); lo < hi; {
			end := min(hi, lo+b.Room())
			if bad := b.Append(rowsOf(z, lo, end)); bad >= 0 {
				t.Fatalf("row %d refused", bad)
			}
			if lo = end; b.Room() == 0 {
				m.Update(b)
				b.Truncate(0)
			}
		}
	}
	m.Update(b)
}

// wantGram is ZᵀZ by the specification: a chain for each entry.
func wantGram(z blas64.General) [][]float64 {
	want := make([][]float64, z.Cols)
	for i := range want {
		want[i] = make([]float64, z.Cols)
	}
	for k := range z.Rows {
		row := z.Data[k*z.Stride:][:z.Cols]
		for i, v := range row {
			for j := i; j < len(row); j++ {
				want[i][j] = math.FMA(v, row[j], want[i][j])
			}
		}
	}
	return want
}

// wantFactor is U by the specification, in place.
func wantFactor(a [][]float64) {
	for i := range a {
		for k := range i {
			a[i][i] = math.FMA(-a[k][i], a[k][i], a[i][i])
		}
		a[i][i] = math.Sqrt(a[i][i])
		inverse := 1 / a[i][i]
		for k := range i {
			for j := i + 1; j < len(a); j++ {
				a[i][j] = math.FMA(-a[k][i], a[k][j], a[i][j])
			}
		}
		for j := i + 1; j < len(a); j++ {
			a[i][j] *= inverse
		}
	}
}

// elementsOf returns the elements of a factor of n columns.
func elementsOf(f *Factor, n int) [][]float64 {
	u := make([][]float64, n)
	for i := range u {
		u[i] = make([]float64, n)
		for j := i; j < n; j++ {
			u[i][j] = f.At(i, j)
		}
	}
	return u
}

// compare tells of the first entry of the upper triangle that is not want's, in a bit.
func compare(t *testing.T, name string, n int, got func(i, j int) float64, want [][]float64) {
	t.Helper()
	for i := range n {
		for j := i; j < n; j++ {
			if g, w := got(i, j), want[i][j]; math.Float64bits(g) != math.Float64bits(w) {
				t.Fatalf("%s, n = %d: element %d, %d = %v, want %v", name, n, i, j, g, w)
			}
		}
	}
}

// The update and the factor have the bits of the specification in every tier, for any batches and goroutines.
func TestBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes() {
		rows := n + 20
		z := random(rnd, rows, n)
		want := wantGram(z)
		factor := make([][]float64, n)
		for i := range factor {
			factor[i] = slices.Clone(want[i])
		}
		wantFactor(factor)
		for _, tr := range tiers() {
			batches := []int{rows, 1, 7, 128}
			if testing.Short() {
				batches = batches[:2]
			}
			for i, batch := range batches {
				if n >= 95 && n < 400 && i%2 != n%2 {
					continue // neighbors have the others
				}
				runtime.GOMAXPROCS(1 + i%4)
				name := fmt.Sprintf("%v, batches of %d, %d goroutines", tr, batch, 1+i%4)
				m := newIn(tr, n)
				gram(t, m, z, batch)
				compare(t, name, n, m.At, want)
				f, bad := m.Factorize(0)
				if bad >= 0 {
					t.Fatalf("%s, n = %d: pivot %d refused", name, n, bad)
				}
				compare(t, name+", factor", n, f.At, factor)
			}
		}
	}
}

// So many columns that their strips are in two groups, in every tier: the update and the factor have the bits of the
// specification.
func TestGroups(t *testing.T) {
	const n, rows = 912, 30
	if n*BlockRows <= stripBlock {
		t.Fatalf("%d columns are one group", n)
	}
	if testing.Short() {
		t.Skip("the specification takes a second")
	}
	z := random(rand.New(rand.NewPCG(13, 14)), rows, n)
	want := wantGram(z)
	factor := make([][]float64, n)
	for i := range factor {
		factor[i] = slices.Clone(want[i])
		factor[i][i] += n
	}
	wantFactor(factor)
	for _, tr := range tiers() {
		m := newIn(tr, n)
		gram(t, m, z, rows)
		compare(t, tr.String(), n, m.At, want)
		m.AddDiagonal(n)
		f, bad := m.Factorize(0)
		if bad >= 0 {
			t.Fatalf("%v: pivot %d refused", tr, bad)
		}
		compare(t, tr.String()+", factor", n, f.At, factor)
	}
}
