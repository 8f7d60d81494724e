// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package eigen

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// random returns a symmetric matrix of rank at most rank, of normal numbers.
func random(rnd *rand.Rand, n, rank int) *mat.SymDense {
	z := mat.NewDense(rank, n, nil)
	for i := range rank {
		for j := range n {
			z.Set(i, j, rnd.NormFloat64())
		}
	}
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(1/float64(rank), z.T())
	return a
}

// matrices are matrices of many kinds: random, of low rank, with equal eigenvalues, indefinite, diagonal, graded, tiny and huge.
func matrices() map[string]*mat.SymDense {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := map[string]*mat.SymDense{"zero": mat.NewSymDense(6, nil)}
	sizes := []int{1, 2, 3, 4, 7, 40, 130}
	if testing.Short() {
		sizes = sizes[:6]
	}
	for _, n := range sizes {
		all[fmt.Sprintf("random %d", n)] = random(rnd, n, 2*n)
		all[fmt.Sprintf("rank %d of %d", (n+1)/2, n)] = random(rnd, n, (n+1)/2)
	}
	indefinite, graded, equal, path := mat.NewSymDense(30, nil), mat.NewSymDense(20, nil), mat.NewSymDense(25, nil), mat.NewSymDense(50, nil)
	for i := range 30 {
		for j := i; j < 30; j++ {
			indefinite.SetSym(i, j, rnd.NormFloat64())
		}
	}
	for i := range 20 {
		for j := i; j < 20; j++ {
			graded.SetSym(i, j, math.Pow(10, -float64(i+j)/4)*rnd.NormFloat64())
		}
	}
	for i := range 25 {
		equal.SetSym(i, i, float64(1+i%3))
	}
	for i := range 50 { // a path: 2 − 2cos(πk/51)
		path.SetSym(i, i, 2)
		if i > 0 {
			path.SetSym(i-1, i, -1)
		}
	}
	all["indefinite"], all["graded"], all["diagonal with equal elements"], all["path"] = indefinite, graded, equal, path
	for name, c := range map[string]float64{"tiny": 1e-140, "huge": 1e140} {
		scaled := mat.NewSymDense(30, nil)
		scaled.ScaleSym(c, indefinite)
		all[name] = scaled
	}
	return all
}

// Eigenvalues agree with gonum's to rounding, n times 2⁻⁵³ of the largest. Eigenvectors are orthogonal and satisfy the
// equation.
func TestSymmetric(t *testing.T) {
	for name, a := range matrices() {
		n := a.SymmetricDim()
		values, vectors, err := Symmetric(a)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		norm := mat.Norm(a, math.Inf(1))
		var unit mat.SymDense // gonum panics on matrices that it scales itself
		unit.ScaleSym(1/max(norm, 1e-300), a)
		var want mat.EigenSym
		if !want.Factorize(&unit, false) {
			t.Fatal(name)
		}
		limit := float64(n) * 8 * 0x1p-53 * norm
		for k, v := range want.Values(nil) { // in ascending order
			if got := values[n-1-k]; !(math.Abs(got-v*norm) <= limit) {
				t.Errorf("%s: eigenvalue %v, want %v", name, got, v*norm)
			}
			if k > 0 && values[k] > values[k-1] {
				t.Errorf("%s: eigenvalues are not in order", name)
			}
		}
		var products, images mat.Dense
		products.Mul(vectors, vectors.T())
		images.Mul(vectors, a)
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if !(math.Abs(products.At(i, j)-want) < float64(n)*8*0x1p-53) {
					t.Fatalf("%s: vectors %d and %d have the product %v", name, i, j, products.At(i, j))
				}
				if !(math.Abs(images.At(i, j)-values[i]*vectors.At(i, j)) <= 2*limit) {
					t.Fatalf("%s: vector %d is none", name, i)
				}
			}
		}
		for i := range n {
			row := vectors.RawRowView(i)
			if most, least := mat.Max(vectors.RowView(i)), mat.Min(vectors.RowView(i)); most < -least {
				t.Errorf("%s: vector %d has %v for its largest element", name, i, row)
			}
		}
	}
}

// The eigenvalues of a path are known: 2 − 2cos(πk/(n+1)).
func TestPath(t *testing.T) {
	values, _, err := Symmetric(matrices()["path"])
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range values {
		if want := 2 - 2*math.Cos(math.Pi*float64(50-k)/51); math.Abs(got-want) > 1e-13 {
			t.Errorf("eigenvalue %d = %v, want %v", k, got, want)
		}
	}
}

// Errors name what is refused.
func TestErrors(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1), 0x1p500} {
		a := mat.NewSymDense(3, nil)
		a.SetSym(0, 2, v)
		if _, _, err := Symmetric(a); err == nil || err.Error() != fmt.Sprintf("eigen: element 0, 2 = %v: must be finite and less than 2^500 in magnitude", v) {
			t.Error(err)
		}
	}
	if _, _, err := Symmetric(new(mat.SymDense)); err == nil {
		t.Error("an empty matrix is taken")
	}
}

// The bits for a few matrices of small integers, which every architecture computes.
//
//	go test ./internal/eigen -update
//
// rewrites the file, which is right only if bits are meant to change.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	for _, n := range []int{1, 2, 5, 12} {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, float64((7*i+3*j*j)%11-4))
			}
		}
		values, vectors, err := Symmetric(a)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d: %x, %x\n", n, values, vectors.RawRowView(n-1))
	}
	golden.Compare(t, "symmetric.golden", b.Bytes())
}

// BenchmarkSymmetric takes matrices of up to 500 columns.
func BenchmarkSymmetric(b *testing.B) {
	for _, n := range []int{30, 100, 500} {
		a := random(rand.New(rand.NewPCG(3, 4)), n, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Symmetric(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
