// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// The weights of least loss are a linear combination of the rows' features, centered by their mean. So with n rows and
// more features a fit takes place in n coordinates. With K = ΦΦᵀ, of centered features, and its factor K = UᵀU,
//
//	Φ = UᵀB, BBᵀ = I:  scores are Φw = Uᵀv, and ‖w‖ = ‖v‖, for w = Bᵀv = ΦᵀU⁻¹v
//
// and columns of U take the place of rows of Φ. Sums and factors of the descent are then n×n, not D×D: with 120 rows of
// 9,996 features a fit takes a thousandth of the time. Rounding of K matters where rows are far apart and λ is tiny. It
// shows in the loss of the weights that are turned back, and then all features are fitted.

// Largest ratios of rows to features of a fit in the span of the rows, and the least number of features. A given λ takes
// fewer factors.
const (
	narrowRows      = 0.75
	narrowRowsGiven = 0.5
	leastFeatures   = 64
)

// lostInSpan is the part of Tolerance by which the loss may change if functions of coordinates are turned back.
const lostInSpan = 0.1

var errSpan = errors.New("logistic: rounding matters in the span of the rows")

// A span is the training whose features are replaced by coordinates, with what turns weights back.
type span struct {
	*training
	factor *tiled.Factor // U
	mean   []float64     // of the features φ
}

// narrow replaces features by coordinates in the span of the rows, if there are few rows.
func (t *training) narrow() error {
	n, most := len(t.classes), narrowRows
	if t.Lambda > 0 {
		most = narrowRowsGiven
	}
	if t.begun != nil || t.whole || t.out < leastFeatures || float64(n) > most*float64(t.out) {
		return nil
	}
	all := *t
	s := &span{training: &all}
	usable, err := s.findMean()
	if err != nil || !usable {
		return err
	}
	if s.factor, err = s.factorize(); err != nil {
		return err
	}
	t.spanned, t.out, t.stride = s, n, tiled.Stride(n)
	t.features, t.raw, t.keeping, t.chunk = nil, nil, true, blas64.General{}
	t.slab = blas64.General{Rows: n, Cols: n, Stride: t.stride, Data: make([]float64, n*t.stride)}
	column := make([]float64, n)
	for i := range n {
		s.factor.Column(column, i)
		copy(t.slab.Data[i*t.stride:], column[:i+1])
	}
	t.kept = []blas64.General{t.slab}
	return nil
}

// findMean sets the mean by weight, and centers features that are kept. It does nothing, and
// reports that features are not usable, if one is too large, which ridge regression refuses by its name, or if they
// hardly differ.
func (s *span) findMean() (usable bool, err error) {
	const smallest = 1e-140
	var first, mean []float64
	var spread, total float64
	usable = true
	err = s.chunks(func(at int, features blas64.General) error {
		for i := range features.Rows {
			row := features.Data[i*features.Stride:][:features.Cols]
			w := s.weight(at + i)
			if w == 0 {
				continue
			}
			if first == nil {
				first, mean = slices.Clone(row), make([]float64, len(row))
			}
			total += w
			share := w / total
			for j, v := range row {
				usable = usable && math.Abs(v) < tiled.Limit
				d := v - first[j]
				spread = max(spread, math.Abs(d))
				mean[j] = math.FMA(share, d-mean[j], mean[j])
			}
		}
		return s.tell(0, math.NaN())
	})
	if usable = usable && spread > smallest; err != nil || !usable {
		return false, err
	}
	for j, v := range first {
		mean[j] += v
	}
	s.training.mean, s.mean = mean, slices.Clone(mean)
	if s.raw != nil {
		s.raw.SolveTransVec(s.mean)
	}
	if s.keeping {
		for _, chunk := range s.kept {
			s.center(chunk)
			s.solve(chunk)
		}
	}
	return true, nil
}

// solve turns raw features into features.
func (s *span) solve(features blas64.General) {
	if s.raw != nil {
		s.raw.SolveTransVecs(features)
	}
}

// centered calls f with the centered features of all rows, chunk by chunk.
func (s *span) centered(f func(first int, features blas64.General) error) error {
	return s.chunks(func(first int, features blas64.General) error {
		if !s.keeping {
			s.solve(features)
		}
		return f(first, features)
	})
}

// factorize returns the factor U. The diagonal of K is a little larger, by as much as rounding, so that there is one also
// where rows repeat. Rows of weight 0 are 0.
func (s *span) factorize() (*tiled.Factor, error) {
	n := len(s.classes)
	products := tiled.New(n)
	for lo := 0; lo < n; {
		var some blas64.General // the rows from lo on
		if err := s.centered(func(first int, features blas64.General) error {
			if first < lo {
				return nil
			}
			if first == lo {
				some = features
				some.Data = slices.Clone(features.Data[:features.Rows*features.Stride])
			}
			part := slabs.New(some.Rows, features.Rows)
			tiled.Products(part, some, features.Data, features.Stride)
			for i := range some.Rows {
				from := max(lo+i-first, 0)
				products.SetRow(lo+i, first+from, s.weighed(lo+i, first, part.Data[i*part.Stride:][:part.Cols])[from:])
			}
			return s.tell(0, math.NaN())
		}); err != nil {
			return nil, err
		}
		lo += some.Rows
	}
	diagonal := make([]float64, n)
	products.Diagonal(diagonal)
	most := slices.Max(diagonal)
	for more := 4 * float64(n) * 0x1p-52; ; more *= 16 {
		a := tiled.New(n)
		a.CopyFrom(products)
		for i, v := range diagonal {
			a.Set(i, i, math.FMA(more, max(v, more*most), v))
		}
		if f, bad := a.Factorize(float64(n) * 0x1p-53); bad < 0 {
			return f, nil
		}
	}
}

// weighed sets the products of row i and some rows, from the first on, to 0 where one of both has no weight.
func (s *span) weighed(i, first int, products []float64) []float64 {
	for j := range products {
		if s.weight(i) == 0 || s.weight(first+j) == 0 {
			products[j] = 0
		}
	}
	return products
}

// widen returns the weights of features for functions of coordinates, a row of v a class, one row after the other, and
// their loss. It changes the intercepts accordingly, and calls tell now and then.
func (s *span) widen(v blas64.General, intercept []float64, lambda float64, tell func() error) ([]float64, float64, error) {
	n, classes := len(s.classes), len(intercept)
	alpha := slabs.New(classes, n)
	for k := range classes {
		copy(alpha.Data[k*alpha.Stride:][:n], v.Data[k*v.Stride:])
	}
	s.factor.SolveVecs(alpha)
	w := slabs.New(classes, s.out)
	err := s.centered(func(first int, features blas64.General) error {
		of := slabs.New(features.Rows, classes)
		for i := range of.Rows {
			for k := range classes {
				of.Data[i*of.Stride+k] = alpha.Data[k*alpha.Stride+first+i]
			}
		}
		slabs.CombineUnpadded(w, features, of)
		return tell()
	})
	if err != nil {
		return nil, 0, err
	}
	weights, square := make([]float64, classes*s.out), 0.0
	sum, err := s.losses(w, intercept, tell)
	for k := range intercept {
		row := w.Data[k*w.Stride:][:s.out]
		copy(weights[k*s.out:], row)
		intercept[k] -= chain.Dot(row, s.mean)
		square += chain.Dot(row, row)
	}
	return weights, sum/s.total + float64(0.5*lambda/s.total)*square, err
}

// losses returns the sum of the losses of functions of centered features.
func (s *span) losses(w blas64.General, intercept []float64, tell func() error) (sum float64, err error) {
	err = s.centered(func(first int, features blas64.General) error {
		scores := slabs.New(features.Rows, len(intercept))
		tiled.Products(scores, features, w.Data, w.Stride)
		for i := range scores.Rows {
			row, weight := scores.Data[i*scores.Stride:][:scores.Cols], s.weight(first+i)
			if weight == 0 {
				continue
			}
			for k, v := range intercept {
				row[k] += v
			}
			shiftRow(row)
			own := row[s.classes[first+i]]
			gram.Exponential{Rate: 1}.To(row, row)
			sum += float64(weight * (detmath.Log(normalize(row)) - own))
		}
		return tell()
	})
	return sum, err
}
