// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// kernels are matrices of Gaussians of points on a line, of rank n to about 10⁻¹⁶ for short lengths and of few dozens for long ones,
// with elements of many decades. The rows of some are in the order of the points.
func kernels(rnd *rand.Rand, n int) (all [][][]float64) {
	for _, length := range []float64{0.3, 3, 20} {
		for _, sorted := range []bool{false, true} {
			x, scale, a := make([]float64, n), make([]float64, n), make([][]float64, n)
			for i := range x {
				x[i], scale[i] = 50*rnd.Float64(), math.Pow(10, 8*rnd.Float64())
			}
			if sorted {
				slices.Sort(x)
			}
			for i := range a {
				a[i] = make([]float64, n)
				for j := range a {
					d := (x[i] - x[j]) / length
					a[i][j] = scale[i] * scale[j] * math.Exp(-d*d/2)
				}
			}
			all = append(all, a)
		}
	}
	return all
}

// wantOrder is the order of pivots, by the definition: all pivots are brought up to date after each.
func wantOrder(a [][]float64, tiny float64) (order []int) {
	n := len(a)
	rest, u := make([]float64, n), make([][]float64, 0, n)
	for i := range a {
		rest[i] = a[i][i]
	}
	for range n {
		next := -1
		for i := range a {
			if !slices.Contains(order, i) && (next < 0 || rest[i]/a[i][i] > rest[next]/a[next][next]) {
				next = i
			}
		}
		if rest[next]/a[next][next] <= tiny {
			break
		}
		row := slices.Clone(a[next])
		for _, v := range u {
			for j := range row {
				row[j] -= v[next] * v[j]
			}
		}
		for j := range row {
			row[j] /= math.Sqrt(rest[next])
		}
		for j, v := range row {
			rest[j] -= v * v
		}
		order, u = append(order, next), append(u, row)
	}
	return order
}

// matrixOf returns the matrix of some rows and columns of a.
func matrixOf(m *Matrix, a [][]float64, order []int) *Matrix {
	for i, r := range order {
		for j, c := range order[:i+1] {
			m.Set(j, i, a[c][r])
		}
	}
	return m
}

// The order is by the largest pivots relative to the diagonal, and the factor has the bits of one that finds its rows in that
// order, in every tier and by any number of goroutines.
func TestFactorizePivoted(t *testing.T) {
	const tiny = 1e-10
	for _, n := range []int{1, 2, 7, 25, 143, 145, 300} {
		rnd := rand.New(rand.NewPCG(uint64(n), 2))
		for k, a := range kernels(rnd, n) {
			given := make([]int, n)
			for i := range given {
				given[i] = i
			}
			var first []int
			want := wantOrder(a, 10*tiny) // pivots next to tiny may fall on either side of it
			for _, tr := range tiers() {
				f, order, left := matrixOf(newIn(tr, n), a, given).FactorizePivoted(tiny)
				if first == nil {
					first = order
				}
				if !slices.Equal(order[:len(want)], want) || !slices.Equal(order, first) {
					t.Fatalf("%v, n = %d, matrix %d: order %v, want %v", tr, n, k, order, want)
				}
				again, leftAgain := matrixOf(newIn(tr, n), a, order).FactorizeWithout(tiny)
				if !slices.Equal(left, leftAgain) || len(left) > n-len(want) {
					t.Fatalf("%v, n = %d, matrix %d: left %v, of the matrix in that order %v", tr, n, k, left, leftAgain)
				}
				for i := range n {
					for j := i; j < n; j++ {
						if f.At(i, j) != again.At(i, j) {
							t.Fatalf("%v, n = %d, matrix %d: element %d, %d is %v, want %v", tr, n, k, i, j, f.At(i, j), again.At(i, j))
						}
					}
				}
				before := runtime.GOMAXPROCS(1)
				alone, sameOrder, _ := matrixOf(newIn(tr, n), a, given).FactorizePivoted(tiny)
				runtime.GOMAXPROCS(before)
				if !slices.Equal(sameOrder, order) || !slices.Equal(alone.u.data, f.u.data) {
					t.Errorf("%v, n = %d, matrix %d: other bits by one goroutine", tr, n, k)
				}
			}
		}
	}
}

// Rows with equal pivots relative to the diagonal come in the order of the matrix; rows whose diagonal element is not positive are left out.
func TestFactorizePivotedTies(t *testing.T) {
	const n = 300
	for _, tr := range tiers() {
		m := newIn(tr, n)
		for i := range n {
			m.Set(i, i, float64(i%3)) // 0 for every third
		}
		f, order, left := m.FactorizePivoted(1e-10)
		var want []int
		for i := range n {
			if i%3 > 0 {
				want = append(want, i)
			}
		}
		if !slices.Equal(order[:len(want)], want) || len(left) != n-len(want) || left[0] != len(want) {
			t.Errorf("%v: order %v, left %v", tr, order, left)
		}
		if f.At(0, 0) != 1 || f.At(1, 1) != math.Sqrt2 {
			t.Errorf("%v: diagonal %v, %v", tr, f.At(0, 0), f.At(1, 1))
		}
	}
}

// Rows are read and written in parts.
func TestRows(t *testing.T) {
	for _, n := range sizes() {
		z := random(rand.New(rand.NewPCG(13, 14)), n, n)
		for _, tr := range tiers() {
			m := newIn(tr, n)
			for i := range n {
				row, middle := z.Data[i*z.Stride:][:n], i+(n-i)/3
				m.SetRow(i, i, row[i:middle])
				m.SetRow(i, middle, row[middle:])
			}
			got := make([]float64, n)
			for i := range n {
				row := z.Data[i*z.Stride:][:n]
				if m.Row(got, i); !slices.Equal(got[i:], row[i:]) || m.At(i, n-1) != row[n-1] {
					t.Fatalf("%v, n = %d: row %d is %v, want %v", tr, n, i, got[i:], row[i:])
				}
			}
		}
	}
}
