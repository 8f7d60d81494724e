// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// factorized returns ZᵀZ + I of random rows, and its factor.
func factorized(t testing.TB, rnd *rand.Rand, tr tier.Tier, n int) (*Matrix, *Factor) {
	m := newIn(tr, n)
	gram(t, m, random(rnd, n+5, n), 64)
	m.AddDiagonal(1)
	c := newIn(tr, n)
	c.CopyFrom(m)
	f, bad := c.Factorize(0)
	if bad >= 0 {
		t.Fatalf("pivot %d refused", bad)
	}
	return m, f
}

// The solutions of triangular systems have the bits of the specification, one vector at a time or many.
func TestSolve(t *testing.T) {
	for _, n := range sizes() {
		for _, tr := range tiers() {
			rnd := rand.New(rand.NewPCG(3, 4))
			_, f := factorized(t, rnd, tr, n)
			u := elementsOf(f, n)
			b := random(rnd, 60, n)
			norms := make([]float64, 60)
			f.SquaredNorms(norms, b)
			together := blas64.General{Rows: 1 + n%7, Cols: n, Stride: n + 3, Data: slices.Clone(b.Data)}
			f.SolveVecs(together)
			for i := range together.Rows {
				x := slices.Clone(b.Data[i*b.Stride:][:n])
				if f.SolveVec(x); !slices.Equal(together.Data[i*together.Stride:][:n], x) {
					t.Fatalf("%v, n = %d, row %d of %d: Ux = b differs", tr, n, i, together.Rows)
				}
			}
			for i := range 60 {
				x := slices.Clone(b.Data[i*b.Stride:][:n])
				want := slices.Clone(x)
				var norm float64
				for j := range want {
					for k := range j {
						want[j] = math.FMA(-u[k][j], want[k], want[j])
					}
					want[j] *= 1 / f.At(j, j)
					norm = math.FMA(want[j], want[j], norm)
				}
				if got := f.SquaredNorm(x); !slices.Equal(x, want) || got != norm || norms[i] != norm {
					t.Fatalf("%v, n = %d, row %d: Uᵀx = b differs, norms %v, %v, want %v", tr, n, i, got, norms[i], norm)
				}
				if i > 3 {
					continue
				}
				for i := n - 1; i >= 0; i-- {
					for j := n - 1; j > i; j-- {
						want[i] = math.FMA(-u[i][j], want[j], want[i])
					}
					want[i] *= 1 / f.At(i, i)
				}
				if f.SolveVec(x); !slices.Equal(x, want) {
					t.Fatalf("%v, n = %d: Ux = b differs", tr, n)
				}
			}
		}
	}
}

// A few rows, which are solved in their own layout, have the same bits as many. Inputs are not changed, and nothing is
// written behind them.
func TestFewRows(t *testing.T) {
	for _, n := range sizes() {
		for _, tr := range tiers() {
			rnd := rand.New(rand.NewPCG(15, 16))
			_, f := factorized(t, rnd, tr, n)
			b := random(rnd, 60, n)
			all := make([]float64, 60)
			f.SquaredNorms(all, b)
			for rows := range fewRows + rowsTogether {
				lo := 13 * (rows % 2)
				some, norms := rowsOf(b, lo, lo+rows), make([]float64, rows)
				some.Data = slices.Clone(some.Data[:rows*b.Stride])
				before := slices.Clone(some.Data)
				if f.SquaredNorms(norms, some); !slices.Equal(norms, all[lo:lo+rows]) || !slices.Equal(some.Data, before) {
					t.Fatalf("%v, n = %d, %d rows: norms %v, want %v", tr, n, rows, norms, all[lo:lo+rows])
				}
				f.SolveTransVecs(some)
				for i := range rows {
					row, want := some.Data[i*b.Stride:][:b.Stride], before[i*b.Stride:][:b.Stride]
					if f.SolveTransVec(want[:n]); !slices.Equal(row, want) {
						t.Fatalf("%v, n = %d, row %d of %d: Uᵀx = b differs", tr, n, i, rows)
					}
				}
			}
		}
	}
}

// The estimate of the condition number is at most gonum's exact one, and not far from it.
func TestCondition(t *testing.T) {
	for _, n := range []int{1, 2, 5, 30, 100} {
		var first float64
		for _, tr := range tiers() {
			m, f := factorized(t, rand.New(rand.NewPCG(5, 6)), tr, n)
			dense := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range n {
					dense.Set(i, j, m.At(i, j))
				}
			}
			var inverse mat.Dense
			if err := inverse.Inverse(dense); err != nil {
				t.Fatal(err)
			}
			if got, want := m.Norm1(), mat.Norm(dense, 1); math.Abs(got-want) > 1e-12*want {
				t.Errorf("n = %d: norm %v, want %v", n, got, want)
			}
			got, want := f.InverseNorm1(), mat.Norm(&inverse, 1)
			if !(got > want/3 && got < want*(1+1e-9)) {
				t.Errorf("n = %d: norm of the inverse %v, want %v", n, got, want)
			}
			if tr == tiers()[0] {
				first = got
			} else if got != first {
				t.Errorf("n = %d: %v differs by the tier", n, tr)
			}
		}
	}
}

// A pivot that is not positive is told by its index, wherever it is.
func TestPivot(t *testing.T) {
	const n = 230
	for _, tr := range tiers() {
		for _, at := range []int{0, 1, 7, 8, 23, 24, 100, 191, 192, 229} {
			m := newIn(tr, n)
			for i := range n {
				m.Set(i, i, 1)
			}
			m.Set(at, at, 1e-20)
			if at > 0 { // dependent on the column before
				m.Set(at, at, 1)
				m.Set(at-1, at, 1)
			} else {
				m.Set(0, 0, -1)
			}
			if f, bad := m.Factorize(1e-13); f != nil || bad != at {
				t.Errorf("%v: pivot %d, want %d", tr, bad, at)
			}
		}
	}
}

// A factor without the rows that depend on others, wherever they are, has the same bits as the factor of a matrix in
// which rows of I replace them.
func TestFactorizeWithout(t *testing.T) {
	const n = 230
	left := []int{1, 7, 8, 23, 24, 100, 101, 102, 191, 192, 229}
	z := random(rand.New(rand.NewPCG(7, 8)), n+20, n)
	for _, j := range left { // a copy of the column before, except for its sign
		for i := range z.Rows {
			z.Data[i*z.Stride+j] = -z.Data[i*z.Stride+j-1]
		}
	}
	want := wantGram(z)
	for _, tr := range tiers() {
		m := newIn(tr, n)
		for j := range n {
			for i := range j + 1 {
				m.Set(i, j, want[i][j])
			}
		}
		f, got := m.FactorizeWithout(1e-13)
		if !slices.Equal(got, left) {
			t.Fatalf("%v: left %v, want %v", tr, got, left)
		}
		factor := make([][]float64, n)
		for i := range factor {
			factor[i] = slices.Clone(want[i])
			for j := range factor[i] {
				if slices.Contains(left, i) || slices.Contains(left, j) {
					factor[i][j] = 0
				}
			}
			if slices.Contains(left, i) {
				factor[i][i] = 1
			}
		}
		wantFactor(factor)
		compare(t, tr.String(), n, f.At, factor)
		b, x := z.Data[:n], slices.Clone(z.Data[:n])
		f.SolveTransVec(x)
		for _, i := range left {
			if x[i] != b[i] {
				t.Errorf("%v: element %d is %v, want %v", tr, i, x[i], b[i])
			}
		}
	}
}

// A block holds rows minus its shift, in every tier, and refusals do not depend on the shift.
func TestShift(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	for _, n := range sizes() {
		z, shift := random(rnd, 9, n), random(rnd, 1, n).Data[:n]
		less := blas64.General{Rows: 9, Cols: n, Stride: n, Data: make([]float64, 9*n)}
		for i := range 9 {
			for j, v := range shift {
				less.Data[i*n+j] = z.Data[i*z.Stride+j] - v
			}
		}
		for _, tr := range tiers() {
			got, want := newBlockIn(tr, n), newBlockIn(tr, n)
			copy(got.Shift, shift)
			if got.Append(z) >= 0 || want.Append(less) >= 0 || !slices.Equal(got.data, want.data) {
				t.Errorf("%v, n = %d: rows less a shift differ", tr, n)
			}
			large := blas64.General{Rows: 1, Cols: n, Stride: n, Data: slices.Clone(z.Data[:n])}
			got.Shift[n/2], large.Data[n/2] = Limit/2, Limit
			if got.Append(large) != 0 || got.AppendRow(large.Data) {
				t.Errorf("%v, n = %d: a number of Limit was added", tr, n)
			}
		}
	}
}

// A number that is not below Limit is refused wherever it is, by the index of its row, and nothing is added.
func TestLimit(t *testing.T) {
	const n, rows = 53, 20
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, tr := range tiers() {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), Limit, -Limit, 1e300} {
			for j := range n {
				z := random(rnd, rows, n)
				b := newBlockIn(tr, n)
				b.Append(rowsOf(z, 0, 3))
				z.Data[(j%rows)*z.Stride+j] = v
				if bad := b.Append(z); bad != j%rows || b.Rows() != 3 {
					t.Fatalf("%v, %v in column %d: row %d, want %d", tr, v, j, bad, j%rows)
				}
				z.Data[(j%rows)*z.Stride+j] = math.Copysign(math.Nextafter(Limit, 0), v)
				if bad := b.Append(z); bad != -1 || b.Rows() != 3+rows {
					t.Fatalf("%v, column %d: the largest number below Limit is refused", tr, j)
				}
			}
		}
	}
}

// Inner products have the bits of the specification for any number of rows.
func TestDots(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for n := range 70 {
		for rows := range 10 {
			a, w := random(rnd, 1, n+1).Data[:n], random(rnd, rows+1, n)
			for _, tr := range tiers() {
				got := make([]float64, rows)
				dots(tr, got, a, w.Data, w.Stride)
				for r, v := range got {
					var s [8]float64
					for k, x := range a {
						s[k%8] = math.FMA(x, w.Data[r*w.Stride+k], s[k%8])
					}
					if want := ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); v != want {
						t.Fatalf("%v, n = %d, row %d of %d: %v, want %v", tr, n, r, rows, v, want)
					}
				}
			}
		}
	}
}

// Products have the bits of Dots, of any numbers of rows and columns, and write nothing else.
func TestProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{1, 7, 8, 9, 23, 64, 301, productSlab - 1, productSlab, productSlab + 9, 2*productSlab + 8} {
		for rows := range 10 {
			if n > 64 && rows%3 != 1 {
				continue
			}
			for columns := 1; columns < 3*4*productTiles; columns++ {
				if columns > 12 && columns%(3*productTiles) > 1 && columns%(4*productTiles) > 1 || columns > 12 && rows > 4 {
					continue
				}
				a, w := random(rnd, rows+1, n), random(rnd, columns, n)
				a.Rows = rows
				for _, tr := range tiers() {
					dst := random(rnd, rows+1, columns)
					want := slices.Clone(dst.Data)
					for i := range rows {
						dots(tier.Plain, want[i*dst.Stride:][:columns], a.Data[i*a.Stride:][:n], w.Data, w.Stride)
					}
					dst.Rows = rows
					if products(tr, dst, a, w.Data, w.Stride); !slices.Equal(dst.Data, want) {
						t.Fatalf("%v, n = %d, %d rows and %d columns differ", tr, n, rows, columns)
					}
				}
			}
		}
	}
}

// Columns go out and in, of a matrix and of a part of it, to which products are added.
func TestColumns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 5, 24, 53} {
		for _, tr := range tiers() {
			a, b := newIn(tr, n), newIn(tr, n)
			column := make([]float64, n)
			for j := range n {
				for i := range j + 1 {
					a.Set(i, j, rnd.NormFloat64())
				}
				a.Column(column, j)
				b.SetColumn(j, column)
			}
			u, v := make([]float64, n), make([]float64, n)
			for i := range n {
				u[i], v[i] = rnd.NormFloat64(), rnd.NormFloat64()
			}
			for _, k := range []int{1, n/2 + 1, n} {
				part, more := newIn(tr, k), newIn(tr, k)
				part.CopyLeading(b)
				more.CopyLeading(b)
				more.AddProducts(u[:k], v[:k])
				for i := range k {
					for j := i; j < k; j++ {
						if part.At(i, j) != a.At(j, i) || more.At(i, j) != math.FMA(u[i], v[j], a.At(i, j)) {
							t.Fatalf("%v, n = %d, k = %d: element %d, %d", tr, n, k, i, j)
						}
					}
				}
			}
		}
	}
}
