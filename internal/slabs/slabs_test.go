// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package slabs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// random returns rows of normal numbers, with memory for whole tiles of them.
func random(rnd *rand.Rand, n, columns int) blas64.General {
	a := New((n+TileRows-1)/TileRows*TileRows, columns)
	a.Rows = n
	for i := range n {
		for k := range columns {
			a.Data[i*a.Stride+k] = rnd.NormFloat64()
		}
	}
	return a
}

func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride:][:a.Cols] }

// Forward has the bits of tiled.Dot of rows less c, and Backward one chain for each number, in every tier.
func TestProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 4, 7, 16} {
		for _, columns := range []int{1, 8, 31, 33, 256, 300, 777} {
			for _, vectors := range []int{1, 2, 3, 4, 7, 10} {
				z, w, c := random(rnd, n, columns), random(rnd, vectors, columns), random(rnd, 1, columns)
				g := random(rnd, vectors, columns)
				for _, shift := range [][]float64{nil, c.Data} {
					centered := z
					centered.Data = slices.Clone(z.Data)
					for i := range n {
						for k := range columns {
							if shift != nil {
								centered.Data[i*z.Stride+k] -= shift[k]
							}
						}
					}
					for _, tier := range tier.Available() {
						name := fmt.Sprintf("%d×%d, %d vectors, %v", n, columns, vectors, tier)
						u := blas64.General{Rows: n, Cols: vectors, Stride: vectors + 1, Data: make([]float64, n*(vectors+1))}
						work := z
						work.Data = slices.Clone(z.Data)
						p := &Products{tier: tier}
						p.Forward(u, work, shift, w)
						if !slices.Equal(work.Data, centered.Data) {
							t.Fatalf("%s: rows are not less c", name)
						}
						sum := g
						sum.Data = slices.Clone(g.Data)
						backwardIn(tier, sum, work, u, 0, padded(columns), nextSlab)
						for v := range vectors {
							for i := range n {
								if got, want := u.Data[i*u.Stride+v], tiled.Dot(row(centered, i), row(w, v)); got != want {
									t.Fatalf("%s: product %d, %d is %v, want %v", name, i, v, got, want)
								}
							}
							for k := range columns {
								want := row(g, v)[k]
								for i := range n {
									want = math.FMA(u.Data[i*u.Stride+v], row(centered, i)[k], want)
								}
								if got := row(sum, v)[k]; got != want {
									t.Fatalf("%s: sum %d, %d is %v, want %v", name, v, k, got, want)
								}
							}
							if slices.ContainsFunc(sum.Data[v*sum.Stride+columns:(v+1)*sum.Stride], func(v float64) bool { return v != 0 }) {
								t.Fatalf("%s: the padding is not 0", name)
							}
						}
					}
				}
			}
		}
	}
}

// Combine has the bits of Backward.
func TestCombine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, columns := range []int{1, 1024, 2050, 4100} {
		z, u, g := random(rnd, 9, columns), random(rnd, 9, 5), random(rnd, 5, columns)
		want := g
		want.Data = slices.Clone(g.Data)
		Backward(want, z, u)
		Combine(g, z, u)
		if !slices.Equal(g.Data, want.Data) {
			t.Errorf("%d columns: other bits", columns)
		}
	}
}

// Without padding each number is one chain in the order of the rows too, in every tier, and nothing else is written.
func TestCombineUnpadded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	unpadded := func(n, columns int) blas64.General {
		a := blas64.General{Rows: n, Cols: columns, Stride: columns + n%2, Data: make([]float64, (n-1)*(columns+n%2)+columns)}
		for i := range a.Data {
			a.Data[i] = rnd.NormFloat64()
		}
		return a
	}
	for _, tr := range tier.Available() {
		for _, rows := range []int{1, 3, 17, 144} {
			for _, vectors := range []int{1, 2, 4, 5, 10, 13} {
				for _, columns := range []int{1, 31, 32, 33, 100, 300} {
					z, u, g := unpadded(rows, columns), unpadded(rows, vectors), unpadded(vectors, columns)
					want := slices.Clone(g.Data)
					for v := range vectors {
						for k := range columns {
							sum := &want[v*g.Stride+k]
							for i := range rows {
								*sum = math.FMA(u.Data[i*u.Stride+v], z.Data[i*z.Stride+k], *sum)
							}
						}
					}
					combineUnpaddedIn(tr, g, z, u, columns*rows%500) // what it fetches meanwhile does not matter
					if !slices.Equal(g.Data, want) {
						t.Fatalf("%v: %d rows, %d columns, %d vectors: not the chains", tr, rows, columns, vectors)
					}
				}
			}
		}
	}
}

// BenchmarkPass is both products of 16 rows with 10 vectors, in nanoseconds of CPU time a feature and row: the least of a tenth of the
// turns at a time. 65,536 features, the vectors and their sums are each larger than a second-level cache.
func BenchmarkPass(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, columns := range []int{4096, 65536} {
		const n, vectors = 16, 10
		z, w, c, g := random(rnd, n, columns), random(rnd, vectors, columns), New(1, columns), New(vectors, columns)
		u := New(n, vectors)
		p := NewProducts()
		for _, part := range []struct {
			name string
			f    func()
		}{
			{"forward", func() { p.Forward(u, z, nil, w) }},
			{"centered", func() { p.Forward(u, z, c.Data, w) }},
			{"backward", func() { Backward(g, z, u) }},
			{"both", func() { p.Forward(u, z, c.Data, w); Backward(g, z, u) }},
		} {
			b.Run(fmt.Sprintf("%d/%s", columns, part.name), func(b *testing.B) {
				least := math.Inf(1)
				for done := 0; done < b.N; {
					turns := min(b.N/10+1, b.N-done)
					start := peak.CPU()
					for range turns {
						part.f()
					}
					least = min(least, float64((peak.CPU()-start).Nanoseconds())/float64(turns*n*columns))
					done += turns
				}
				b.ReportMetric(least, "ns/feature")
				b.ReportMetric(peak.FMA(tier.Best()), "peak")
			})
		}
	}
}
