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

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// whole returns all elements of a.
func whole(a mat.Symmetric) blas64.General { return mat.DenseCopyOf(a).RawMatrix() }

// spectrum returns a random matrix with the given eigenvalues, largest first: the rows of a random orthogonal matrix are its eigenvectors.
func spectrum(rnd *rand.Rand, values []float64) *mat.SymDense {
	n := len(values)
	z := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			z.Set(i, j, rnd.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(z)
	var q, scaled, a mat.Dense
	qr.QTo(&q)
	scaled.Apply(func(_, j int, v float64) float64 { return v * values[j] }, &q)
	a.Mul(&scaled, q.T())
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// Leading eigenvectors satisfy the equation, are orthonormal, and their values are the largest of all by gonum's method.
func TestLeading(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	laws := map[string]func(i int) float64{
		"geometric": func(i int) float64 { return math.Pow(.9, float64(i)) },
		"slow":      func(i int) float64 { return 1 / (1 + float64(i)/10) },
		"equal":     func(i int) float64 { return float64(1 + (200-i)/50) },
		"steps":     func(i int) float64 { return math.Pow(10, -float64(i/3)) },
		"tiny":      func(i int) float64 { return 1e-300 * math.Pow(.9, float64(i)) },
		"huge":      func(i int) float64 { return 1e149 * math.Pow(.9, float64(i)) },
		"rank 5":    func(i int) float64 { return max(0, 5-float64(i)) },
		"one":       func(i int) float64 { return max(0, 1-float64(i)) },
	}
	for name, law := range laws {
		for _, n := range []int{1, 5, 97, 130} {
			for _, k := range []int{1, 2, 10, 40} {
				if k > n || n == 97 && k > 10 || n == 130 && (k == 2 || k == 10) || testing.Short() && (k > 10 || n > 97) {
					continue
				}
				t.Run(fmt.Sprint(name, n, k), func(t *testing.T) {
					want := make([]float64, n)
					for i := range want {
						want[i] = law(i)
					}
					a := spectrum(rnd, want)
					values, vectors, err := Leading(whole(a), k)
					if err != nil {
						t.Fatal(err)
					}
					if len(values) != k || vectors.RawMatrix().Rows != k {
						t.Fatalf("%d values", len(values))
					}
					for i, v := range values {
						// A residual of 1e-11 of the largest bounds the distance to an eigenvalue; elements are
						// rounded to about 1e-15.
						if !(math.Abs(v-want[i]) <= 2e-11*want[0]) {
							t.Errorf("value %d is %v, want %v", i, v, want[i])
						}
						for j := range i + 1 {
							inner := mat.Dot(vectors.RowView(i), vectors.RowView(j))
							if i == j {
								inner--
							}
							if !(math.Abs(inner) < 1e-12) {
								t.Errorf("vectors %d and %d: %v", i, j, inner)
							}
						}
						var r mat.VecDense
						r.MulVec(a, vectors.RowView(i))
						r.AddScaledVec(&r, -v, vectors.RowView(i))
						r.ScaleVec(1/want[0], &r)
						if norm := r.Norm(2); !(norm <= 2e-11) {
							t.Errorf("residual %d is %v", i, norm)
						}
					}
				})
			}
		}
	}
}

func TestGoldenLeading(t *testing.T) {
	const n = 100
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := float64((7*i+3*j*j)%11) / float64(1+i-j)
			a[i*n+j], a[j*n+i] = v, v
		}
		a[i*n+i] += 60
	}
	values, vectors, err := Leading(blas64.General{Rows: n, Cols: n, Stride: n, Data: a}, 3)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%x\n%x\n", values, vectors.RawRowView(2))
	golden.Compare(t, "leading.golden", b.Bytes())
}

func TestLeadingRefuses(t *testing.T) {
	a := whole(random(rand.New(rand.NewPCG(1, 1)), 120, 30))
	for _, k := range []int{-1, 0, 121} {
		if _, _, err := Leading(a, k); err == nil {
			t.Errorf("k = %d", k)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1), 0x1p500} {
		b := whole(random(rand.New(rand.NewPCG(1, 1)), 120, 30))
		b.Data[7*120+3] = v
		if _, _, err := Leading(b, 3); err == nil || err.Error() != fmt.Sprintf("eigen: element 7, 3 = %v: must be finite and less than 2^500 in magnitude", v) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if values, vectors, err := Leading(blas64.General{Rows: 120, Cols: 120, Stride: 120, Data: make([]float64, 120*120)}, 2); err != nil || values[1] != 0 || mat.Norm(vectors, 2) == 0 {
		t.Errorf("zero: %v %v", values, err)
	}
}

func BenchmarkLeading(b *testing.B) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{512, 2048} {
		values := make([]float64, n) // those of features of a smooth kernel fall like this
		for i := range values {
			values[i] = math.Pow(1+float64(i), -1.5)
		}
		a := whole(spectrum(rnd, values))
		for _, k := range []int{2, 32} {
			b.Run(fmt.Sprintf("%d of %d", k, n), func(b *testing.B) {
				for range b.N {
					Leading(a, k)
				}
			})
		}
	}
}
