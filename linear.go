// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// linear is a p×n matrix, dense in row-major order, or square and diagonal. Its
// products are rounded one operation at a time, in one set of bits, because
// frequencies pass through it.
type linear struct {
	p, n        int
	dense, diag []float64
}

func (a linear) validate() error {
	for _, s := range [2][]float64{a.dense, a.diag} {
		for i, v := range s {
			if !(math.Abs(v) <= math.MaxFloat64) {
				if a.diag != nil {
					i *= a.n + 1
				}
				return fmt.Errorf("featuremap: Project A(%d, %d) = %v: must be finite", i/a.n, i%a.n, v)
			}
		}
	}
	return nil
}

// apply sets dst to Ax.
func (a linear) apply(dst, x []float64) {
	if len(x) != a.n {
		panic(mat.ErrShape)
	}
	if a.diag != nil {
		for i, v := range a.diag {
			dst[i] = v * x[i]
		}
		return
	}
	for i := range a.p {
		var sum float64
		for j, v := range a.dense[i*a.n : (i+1)*a.n] {
			sum += float64(v * x[j])
		}
		dst[i] = sum
	}
}

// pull sets dst to Aᵀw.
func (a linear) pull(dst, w []float64) {
	if a.diag != nil {
		for i, v := range a.diag {
			dst[i] = v * w[i]
		}
		return
	}
	clear(dst)
	for i, u := range w {
		for j, v := range a.dense[i*a.n : (i+1)*a.n] {
			dst[j] += float64(u * v)
		}
	}
}

// before returns a as what structured projections put points through first: nothing
// if a is nil.
func (a *linear) before() projection.Before {
	if a == nil {
		return projection.Before{}
	}
	if a.diag != nil {
		return projection.Before{Diagonal: a.diag}
	}
	p := projection.New(a.p, a.n, projection.Store, 1)
	for i := range a.p {
		p.Set(i, a.dense[i*a.n:(i+1)*a.n], 0)
	}
	return projection.Before{Linear: p}
}

// then returns the function f(Ax).
func (a linear) then(f func(x []float64) float64) func(x []float64) float64 {
	images := newScratch(a.p)
	return func(x []float64) float64 {
		ax := images.get()
		defer images.put(ax)
		a.apply(*ax, x)
		return f(*ax)
	}
}

// A scratch is slices of a length, to be used again.
type scratch struct{ pool sync.Pool }

func newScratch(n int) *scratch {
	return &scratch{sync.Pool{New: func() any {
		s := make([]float64, n)
		return &s
	}}}
}

func (s *scratch) get() *[]float64  { return s.pool.Get().(*[]float64) }
func (s *scratch) put(v *[]float64) { s.pool.Put(v) }

// image returns Ax.
func (a linear) image(x []float64) []float64 {
	ax := make([]float64, a.p)
	a.apply(ax, x)
	return ax
}

// rows returns some rows of a.
func (a linear) rows(of []int) linear {
	b := linear{p: len(of), n: a.n, dense: make([]float64, len(of)*a.n)}
	for i, r := range of {
		if a.diag != nil {
			b.dense[i*a.n+r] = a.diag[r]
		} else {
			copy(b.dense[i*a.n:(i+1)*a.n], a.dense[r*a.n:(r+1)*a.n])
		}
	}
	return b
}

// times returns the product a·b.
func (a linear) times(b linear) linear {
	if a.diag != nil && b.diag != nil {
		c := linear{p: a.p, n: b.n, diag: make([]float64, a.p)}
		b.pull(c.diag, a.diag)
		return c
	}
	c := linear{p: a.p, n: b.n, dense: make([]float64, a.p*b.n)}
	for i := range a.p {
		row := c.dense[i*b.n : (i+1)*b.n]
		if a.diag == nil {
			b.pull(row, a.dense[i*a.n:(i+1)*a.n]) // bᵀ times row i of a
			continue
		}
		for j := range row {
			row[j] = a.diag[i] * b.dense[i*b.n+j]
		}
	}
	return c
}
