// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package krylov

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// normals returns rows of normal numbers, column j times scale(j).
func normals(rnd *rand.Rand, n, d int, scale func(j int) float64) blas64.General {
	a := slabs.New(n, d)
	for i := range n {
		for j := range d {
			row(a, i)[j] = rnd.NormFloat64() * scale(j)
		}
	}
	return a
}

func one(int) float64 { return 1 }

// dense returns a copy of a.
func dense(a blas64.General) *mat.Dense {
	m := mat.NewDense(a.Rows, a.Cols, nil)
	for i := range a.Rows {
		m.SetRow(i, row(a, i))
	}
	return m
}

// gram returns ΦᵀΦ + λI.
func gram(phi blas64.General, lambda float64) *mat.SymDense {
	var a mat.SymDense
	a.SymOuterK(1, dense(phi).T())
	for j := range phi.Cols {
		a.SetSym(j, j, a.At(j, j)+lambda)
	}
	return &a
}

// solve solves AX = B and returns the rows of X and the number of products with A. It stops where all residuals are below the
// tolerance, or after most products.
func solve(a mat.Symmetric, b blas64.General, p *Preconditioner, lambda, tolerance float64, most int) (x *mat.Dense, steps int) {
	s := &Solver{X: slabs.New(b.Rows, b.Cols), R: slabs.New(b.Rows, b.Cols), Precondition: p.At(lambda)}
	copyRows(s.R, b)
	for ; steps < most; steps++ {
		var active []int
		for t := range b.Rows {
			if Norm(row(s.R, t)) > tolerance*Norm(row(b, t)) {
				active = append(active, t)
			}
		}
		d := s.Directions(active)
		if len(active) == 0 || d.Rows == 0 {
			break
		}
		var ad mat.Dense
		ad.Mul(dense(d), a)
		products := slabs.New(d.Rows, d.Cols)
		for i := range d.Rows {
			copy(row(products, i), ad.RawRowView(i))
		}
		s.Take(products)
	}
	return dense(s.X), steps
}

// sample returns the Preconditioner of all rows of phi.
func sample(rnd *rand.Rand, phi blas64.General, count int) *Preconditioner {
	k := slabs.New(phi.Rows, phi.Rows)
	multiply(k, phi, phi)
	return Eigenvectors(k, count, 1, phi.Cols, func(v []float64) {
		for i := range v {
			v[i] = rnd.NormFloat64()
		}
	}, func(add func(first int, rows blas64.General)) {
		half := phi.Rows / 2
		first, second := phi, phi
		first.Rows = half
		second.Rows, second.Data = phi.Rows-half, phi.Data[half*phi.Stride:]
		add(0, first)
		add(half, second)
	})
}

// Solutions are those of gonum's Cholesky factor, to the condition times the tolerance, whatever the right-hand sides: some
// equal, dependent or nearly so, zero, or more than there are columns.
func TestSolver(t *testing.T) {
	const d, lambda = 40, 1e-2
	rnd := rand.New(rand.NewPCG(1, 2))
	phi := normals(rnd, 120, d, func(j int) float64 { return math.Pow(10, -float64(j)*3/d) }) // a condition of about 1e6
	a := gram(phi, lambda)
	var c mat.Cholesky
	if !c.Factorize(a) {
		t.Fatal("no factor")
	}
	for name, b := range map[string]blas64.General{
		"one":     normals(rnd, 1, d, one),
		"block":   normals(rnd, 7, d, one),
		"square":  normals(rnd, d, d, one),
		"more":    normals(rnd, d+5, d, one),
		"huge":    normals(rnd, 2, d, func(int) float64 { return 1e140 }),
		"tiny":    normals(rnd, 2, d, func(int) float64 { return 1e-140 }),
		"scales":  normals(rnd, 3, d, func(j int) float64 { return math.Pow(10, float64(j%9-4)) }),
		"zero":    slabs.New(2, d),
		"equal":   dependentRows(rnd, d, 0),
		"similar": dependentRows(rnd, d, 1e-10),
	} {
		for _, p := range map[string]*Preconditioner{"none": nil, "eigenvectors": sample(rnd, phi, 12)} {
			x, steps := solve(a, b, p, lambda, 1e-12, 400)
			var want mat.Dense
			if err := c.SolveTo(&want, dense(b).T()); err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows {
				w := mat.Col(nil, i, &want)
				var difference mat.VecDense
				difference.SubVec(mat.NewVecDense(d, w), x.RowView(i))
				if size := Norm(w); !(mat.Norm(&difference, math.Inf(1)) <= 1e-12*c.Cond()*size) {
					t.Errorf("%s, %d steps: row %d is %v, want %v", name, steps, i, x.RawRowView(i), w)
				}
			}
			if steps == 400 {
				t.Errorf("%s: not solved", name)
			}
		}
	}
}

// dependentRows returns rows of which the second is the first, the third its double, the fourth 0, and the last others, except for a part of eps.
func dependentRows(rnd *rand.Rand, d int, eps float64) blas64.General {
	b := normals(rnd, 6, d, one)
	for j := range d {
		row(b, 1)[j] = row(b, 0)[j] + eps*row(b, 1)[j]
		row(b, 2)[j] = 2*row(b, 0)[j] + eps*row(b, 2)[j]
		row(b, 3)[j] = 0
	}
	return b
}

// With all eigenvectors P⁻¹ is the inverse of (ΦᵀΦ + λI)/(θ + λ), at every λ; V is orthonormal; and Θ has the eigenvalues of ΦᵀΦ.
func TestPreconditioner(t *testing.T) {
	const d = 15
	rnd := rand.New(rand.NewPCG(3, 4))
	phi := normals(rnd, 60, d, func(j int) float64 { return math.Pow(2, -float64(j)/2) })
	p := sample(rnd, phi, d)
	if p.v.Rows != d {
		t.Fatalf("%d eigenvectors", p.v.Rows)
	}
	var inner mat.Dense
	inner.Mul(dense(p.v), dense(p.v).T())
	for i := range d {
		for j := range d {
			want := 0.0
			if i == j {
				want = 1
			}
			if v := inner.At(i, j); !(math.Abs(v-want) < 1e-13) {
				t.Errorf("⟨v%d, v%d⟩ = %v", i, j, v)
			}
		}
	}
	for _, lambda := range []float64{0, 1e-3, 1, 1e3} {
		r, z := normals(rnd, 3, d, one), slabs.New(3, d)
		p.At(lambda)(z, r)
		var back mat.Dense
		back.Mul(dense(z), gram(phi, lambda))
		back.Scale(1/(p.least+lambda), &back)
		if !mat.EqualApprox(&back, dense(r), 1e-9) {
			t.Errorf("λ = %v: A·P⁻¹r/(θ + λ) is %v, want %v", lambda, back.RawMatrix().Data, dense(r).RawMatrix().Data)
		}
	}
	if p := sample(rnd, slabs.New(10, 4), 3); p != nil {
		t.Errorf("rows of zeros have %d eigenvectors", p.v.Rows)
	}
	few := normals(rnd, 20, 8, func(j int) float64 {
		if j < 3 {
			return 1
		}
		return 0
	})
	if p := sample(rnd, few, 8); p.v.Rows != 3 {
		t.Errorf("rank 3 has %d eigenvectors", p.v.Rows)
	}
}

// Eigenvectors save products if a few eigenvalues are large, and blocks save products compared with solving row by row.
func TestStepsAreSaved(t *testing.T) {
	const d, lambda = 200, 1e-3
	rnd := rand.New(rand.NewPCG(5, 6))
	phi := normals(rnd, 500, d, func(j int) float64 { return math.Pow(1+float64(j), -1.2) })
	a, b := gram(phi, lambda), normals(rnd, 8, d, one)
	_, plain := solve(a, b, nil, lambda, 1e-3, 1000)
	_, with := solve(a, b, sample(rnd, phi, 64), lambda, 1e-3, 1000)
	alone := 0
	for i := range b.Rows {
		single := between(b, i)
		_, steps := solve(a, single, nil, lambda, 1e-3, 1000)
		alone = max(alone, steps)
	}
	t.Logf("%d steps of a block, %d with eigenvectors, %d of the slowest row alone", plain, with, alone)
	if with > plain/2 || plain >= alone {
		t.Errorf("%d steps of a block, %d with eigenvectors, %d of the slowest row alone", plain, with, alone)
	}
}

// between returns row i of a by itself.
func between(a blas64.General, i int) blas64.General {
	a.Rows, a.Data = 1, a.Data[i*a.Stride:]
	return a
}

// A norm neither overflows nor underflows.
func TestNorm(t *testing.T) {
	for _, scale := range []float64{1e-300, 1e-160, 1, 1e160, 1e300} {
		if got := Norm([]float64{3 * scale, 0, -4 * scale}); !(math.Abs(got/scale-5) < 1e-14) {
			t.Errorf("scale %v: %v", scale, got)
		}
	}
	for _, v := range [][]float64{{math.NaN(), 1}, {math.Inf(-1), 1}} {
		if got := Norm(v); !(math.IsNaN(got) || math.IsInf(got, 1)) {
			t.Errorf("%v: %v", v, got)
		}
	}
	if got := fmt.Sprint(Norm(nil), Norm([]float64{0})); got != "0 0" {
		t.Error(got)
	}
}

// Rows of B that are nearly the same, to whatever degree, take no more products than the slowest of them alone.
// (Directions from residuals would take more than 400: residuals below a share are dropped, and some are near this
// share.)
func TestSimilarRows(t *testing.T) {
	const d, lambda = 40, 1e-2
	rnd := rand.New(rand.NewPCG(7, 8))
	a := gram(normals(rnd, 120, d, func(j int) float64 { return math.Pow(10, -float64(j)*3/d) }), lambda)
	for _, eps := range []float64{0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2} {
		for seed := range uint64(2) {
			b := dependentRows(rand.New(rand.NewPCG(seed, 9)), d, eps)
			alone := 0
			for i := range b.Rows {
				_, steps := solve(a, between(b, i), nil, lambda, 1e-12, 400)
				alone = max(alone, steps)
			}
			if _, steps := solve(a, b, nil, lambda, 1e-12, 400); steps > alone {
				t.Errorf("rows that differ by %v: %d steps, the slowest alone takes %d", eps, steps, alone)
			}
		}
	}
}

// AddProducts adds inner products that are summed up in slabs of 512 columns, to the last bit, on whatever number of rows.
func TestAddProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct{ a, b, columns int }{{1, 1, 7}, {70, 19, 600}, {3, 130, 1500}} {
		a, b := normals(rnd, c.a, c.columns, one), normals(rnd, c.b, c.columns, one)
		dst := normals(rnd, c.a, c.b, one)
		want := dense(dst)
		for i := range c.a {
			for j := range c.b {
				sum := want.At(i, j)
				for k := 0; k < c.columns; k += 512 {
					to := min(k+512, c.columns)
					sum += tiled.Dot(row(a, i)[k:to], row(b, j)[k:to])
				}
				want.Set(i, j, sum)
			}
		}
		AddProducts(dst, a, b, false)
		if !mat.Equal(dense(dst), want) {
			t.Errorf("%+v: other sums", c)
		}
	}
	a := normals(rnd, 150, 90, one)
	whole, upper := slabs.New(150, 150), slabs.New(150, 150)
	AddProducts(whole, a, a, false)
	AddProducts(upper, a, a, true)
	for i := range 150 {
		for j := i; j < 150; j++ {
			if row(whole, i)[j] != row(upper, i)[j] {
				t.Fatalf("element %d, %d: %v, want %v", i, j, row(upper, i)[j], row(whole, i)[j])
			}
		}
	}
}

// Many rows have an orthonormal basis with as many rows as they have dimensions, even if some depend on others and
// their lengths differ much.
func TestOrthonormalizeMany(t *testing.T) {
	const d, rank = 300, 90
	rnd := rand.New(rand.NewPCG(11, 12))
	from := normals(rnd, rank, d, func(j int) float64 { return math.Pow(10, -float64(j)/40) })
	z := slabs.New(rank+20, d)
	for i := range z.Rows {
		copy(row(z, i), row(from, (i*7)%rank)) // every row, and some twice
		for k := range row(z, i) {
			row(z, i)[k] *= math.Pow(10, float64(i%9-4))
		}
	}
	rows := dense(z)
	q := dense(orthonormalizeMany(z, dependent))
	if n, _ := q.Dims(); n != rank {
		t.Fatalf("%d rows, want %d", n, rank)
	}
	var inner, onto, back mat.Dense
	inner.Mul(q, q.T())
	for i := range rank {
		inner.Set(i, i, inner.At(i, i)-1)
	}
	if e := mat.Max(&inner); !(e < 1e-13) || !(mat.Min(&inner) > -1e-13) {
		t.Errorf("inner products are off by %v and %v", e, mat.Min(&inner))
	}
	onto.Mul(rows, q.T())
	back.Mul(&onto, q)
	for i := range rank + 20 {
		var left mat.VecDense
		left.SubVec(rows.RowView(i), back.RowView(i))
		if !(mat.Norm(&left, 2) <= 1e-9*mat.Norm(rows.RowView(i), 2)) {
			t.Errorf("row %d has a part of %v of %v outside", i, mat.Norm(&left, 2), mat.Norm(rows.RowView(i), 2))
		}
	}
}
