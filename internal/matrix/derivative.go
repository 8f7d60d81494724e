// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// The derivative of kernel values with respect to the first of their two points. A program is visited from its root to
// its statistics and weights. From these, gradients go on to the images of the points and the points.

// A FeatureDerivative turns gradients with respect to features into gradients with respect to points.
type FeatureDerivative interface {
	PullbackTo(dst *mat.Dense, x, g mat.Matrix)
}

// Derivative is the derivative of the rows of a kernel matrix.
type Derivative struct {
	m       *Matrix
	pulls   []*gram.Pull        // one for each statistic
	through []FeatureDerivative // one for each image: the derivative of its map, if there is one
}

// NewDerivative returns the derivative of the rows of a kernel matrix, or an error that names the part of the kernel
// without a derivative. derivative returns the derivative of a map in the kernel.
func NewDerivative(m *Matrix, derivative func(FeatureMap) (FeatureDerivative, error)) (*Derivative, error) {
	p := m.program
	if err := p.Root.underivable(p); err != nil {
		return nil, err
	}
	d := &Derivative{m: m, through: make([]FeatureDerivative, len(p.images))}
	for i, image := range p.images {
		if image.through == nil {
			continue
		}
		back, err := derivative(image.through)
		if err != nil {
			return nil, fmt.Errorf("featuremap: FromMap: %w", check.Unprefix(err))
		}
		d.through[i] = back
	}
	for _, points := range m.points {
		d.pulls = append(d.pulls, gram.NewPull(points))
	}
	return d, nil
}

// batchGradients holds the gradients of Σⱼ gᵢⱼ·k(xᵢ, sⱼ) with respect to what a program computes of the rows xᵢ
// of a batch.
type batchGradients struct {
	d          *Derivative
	rows       *pointSet
	values     blas64.General   // with respect to kernel values, g: a row for each row, a column for each point
	statistics []blas64.General // with respect to statistics of the pairs of rows and points
	weights    [][]float64      // with respect to the weights of rows
}

// AddTo adds to row i of dst the gradient at row i of x of Σⱼ gᵢⱼ·k(xᵢ, sⱼ).
func (d *Derivative) AddTo(dst, x, g blas64.General) {
	c := d.m.call(nil)
	d.m.batch(&c.points, x)
	a := d.gradient(&c.points, x.Rows, d.m.N)
	a.values = g
	const together = 8 * gram.MaxRows
	parallel.Run(a, (x.Rows+together-1)/together, 1+serialWork/(together*d.m.N*(d.m.program.work+1)))
	images := d.images(x.Rows)
	for i, s := range d.m.program.statistics {
		d.pulls[i].To(images[s.image], c.points.batches[i], a.statistics[i])
	}
	d.finish(dst, x, a, images)
	c.done()
}

// AddDiagonalTo adds to row i of dst factors[i] times the gradient of k(x, x) at row i of x.
func (d *Derivative) AddDiagonalTo(dst, x blas64.General, factors []float64) {
	c := d.m.call(nil)
	s := d.m.strip()
	for lo := 0; lo < x.Rows; lo += groupColumns {
		hi := min(lo+groupColumns, x.Rows)
		part, to := x, dst
		part.Rows, part.Data = hi-lo, x.Data[lo*x.Stride:]
		to.Rows, to.Data = hi-lo, dst.Data[lo*dst.Stride:]
		d.m.batch(&c.points, part)
		a := d.gradient(&c.points, hi-lo, 1)
		s.diagonalOf(&c.points, hi-lo)
		b := &gradientStrip{strip: s, statistics: make([][]float64, len(a.statistics)), weights: a.weights}
		for i := range b.statistics {
			b.statistics[i] = a.statistics[i].Data
		}
		d.m.program.Root.back(b, factors[lo:hi])
		images := d.images(hi - lo)
		for i, s := range d.m.program.statistics {
			d.m.points[i].PullDiagonal(images[s.image], c.points.batches[i], b.statistics[i])
		}
		d.finish(to, part, a, images)
	}
	s.done()
	c.done()
}

// gradient returns a gradient of zeros, for a batch of n rows with this number of pairs for each.
func (d *Derivative) gradient(b *pointSet, n, pairs int) *batchGradients {
	a := &batchGradients{d: d, rows: b}
	for range d.m.program.statistics {
		a.statistics = append(a.statistics, zeroRows(n, pairs))
	}
	for range d.m.program.weights {
		a.weights = append(a.weights, make([]float64, n))
	}
	return a
}

// images returns gradients of zeros with respect to the images of n rows.
func (d *Derivative) images(n int) (images []blas64.General) {
	for i := range d.m.program.images {
		columns := d.m.in
		if d.m.self.lists == nil {
			columns = d.m.self.images[i].Cols
		}
		images = append(images, zeroRows(n, columns))
	}
	return images
}

func zeroRows(n, columns int) blas64.General {
	return blas64.General{Rows: n, Cols: columns, Stride: columns, Data: make([]float64, n*columns)}
}

// Do takes the gradients of the rows of some tasks back to the statistics and weights. parallel.Run calls it.
func (a *batchGradients) Do(from, to int) {
	m := a.d.m
	s := m.strip()
	b := &gradientStrip{strip: s, weights: a.weights}
	for range m.program.statistics {
		b.statistics = append(b.statistics, s.get())
	}
	const together = 8 * gram.MaxRows
	values := s.get()
	for row := from * together; row < min(to*together, a.values.Rows); row += gram.MaxRows {
		end := min(row+gram.MaxRows, a.values.Rows)
		for lo, group := 0, m.group(); lo < m.N; lo += group {
			s.pairs(a.rows, row, end, lo, min(lo+group, m.N), false)
			a.strip(b, values[:s.size()])
		}
	}
	s.put(values)
	for _, v := range b.statistics {
		s.put(v[:cap(v)])
	}
	s.done()
}

// strip takes the gradient of a strip back.
func (a *batchGradients) strip(b *gradientStrip, values []float64) {
	s := b.strip
	clear(values)
	for i := s.row; i < s.end; i++ {
		copy(values[(i-s.row)*s.stride:][:s.hi-s.lo], a.values.Data[i*a.values.Stride+s.lo:])
	}
	for i := range b.statistics {
		b.statistics[i] = b.statistics[i][:s.size()]
		clear(b.statistics[i])
	}
	a.d.m.program.Root.back(b, values)
	for k, v := range b.statistics {
		to := a.statistics[k]
		for i := s.row; i < s.end; i++ {
			copy(to.Data[i*to.Stride+s.lo:i*to.Stride+s.hi], v[(i-s.row)*s.stride:])
		}
	}
}

// finish adds to dst, the gradients with respect to the rows of x, what follows from gradients by
// weights and images.
func (d *Derivative) finish(dst, x blas64.General, a *batchGradients, images []blas64.General) {
	p := d.m.program
	for k, w := range p.weights {
		to := images[w.Image]
		eachRow(a.rows.images[w.Image], func(i int, row []float64) {
			gradient := make([]float64, len(row))
			w.Gradient(gradient, row)
			for c, v := range gradient {
				Row(to, i)[c] += float64(a.weights[k][i] * v)
			}
		})
	}
	for i, image := range p.images {
		by := images[i]
		if d.through[i] != nil {
			before := Image{logs: image.logs, Warps: image.Warps}.apply(x, nil)
			var points, features, to mat.Dense
			points.SetRawMatrix(before)
			features.SetRawMatrix(by)
			d.through[i].PullbackTo(&to, &points, &features)
			by = to.RawMatrix()
		}
		eachRow(by, func(i int, row []float64) {
			to := Row(dst, i)
			gradient := image.pull(row, x.Cols)
			if image.logs != nil {
				gradient = slices.Clone(gradient)
				rows.Chain(gradient, Row(x, i), image.logs)
			}
			for c, v := range gradient {
				to[c] += v
			}
		})
	}
}
