// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/eigen"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A PCA holds principal components: the directions in which the features of rows vary most. It is safe for concurrent
// use.
type PCA struct {
	phi       featuremap.FeatureMap
	mean      []float64      // of the features
	vectors   blas64.General // a row a component
	variances []float64
	total     float64
}

// FitPCA returns the k leading principal components of the features of x, n×in with n ≥ 2, for k from 1 to D. These are
// k directions v, of length 1 and orthogonal to each other, in which ⟨φ(x), v⟩ has the largest variance over the rows
// of x, largest first. With features of a kernel this is kernel principal component analysis (Schölkopf, Smola and
// Müller 1998, "Nonlinear component analysis as a kernel eigenvalue problem"; by random features Lopez-Paz et al. 2014,
// "Randomized nonlinear component analysis"). Plot the first two to see the rows in the plane.
//
// FitPCA reads the rows once, for the D×D covariance of the features, which takes n·D²/2 multiply-adds. Block Krylov
// iterations then find its leading eigenvectors, in about 20·k·D² multiply-adds, more where eigenvalues are close. Each
// component has a sign such that its largest weight is positive. Directions of equal variance are not unique: you get
// one choice of many.
//
// It returns an error if phi is nil or a zero value, if x is empty, has one row, or contains a number that is not
// finite, if k is out of range, or if the covariance does not fit in memory.
func FitPCA(phi featuremap.FeatureMap, x mat.Matrix, k int) (*PCA, error) {
	f, err := newFeatures(phi, "x", x)
	switch {
	case err != nil:
		return nil, err
	case f.n < 2:
		return nil, fmt.Errorf("unsupervised: x has %d row: must have 2 or more", f.n)
	case k < 1 || k > f.out:
		return nil, fmt.Errorf("unsupervised: k = %d: must be from 1 to the %d features", k, f.out)
	}
	most := float64(f.out) + min(6*float64(k+8), 3*float64(f.out)) // rows of the covariance, and of the search
	if err := validateMemory(normal.Bytes(f.out, 0)+8*float64(tiled.Stride(f.out))*most, "the sums and the covariance of %d features", f.out); err != nil {
		return nil, err
	}
	sums := normal.New(f.out, 0)
	sums.Begin(f.n)
	if err := f.each(func(_ int, chunk blas64.General) {
		next := sums.Next(chunk.Rows)
		for i := range chunk.Rows {
			copy(row(next, i), row(chunk, i))
		}
		sums.Append(nil, nil) // all rows have been checked, so that this returns no error
	}); err != nil {
		return nil, err
	}
	sums.Commit()
	c := &PCA{phi: phi}
	covariance := c.measure(sums)
	values, vectors, err := eigen.Leading(covariance, k)
	if err != nil {
		return nil, fmt.Errorf("unsupervised: the covariance of features: %w", err)
	}
	for i, v := range values {
		values[i] = max(v, 0)
	}
	c.variances, c.vectors = values, newRows(k, f.out)
	for i := range k {
		copy(row(c.vectors, i), vectors.RawRowView(i))
	}
	return c, nil
}

// measure sets the mean and the total variance, and returns the covariance.
func (c *PCA) measure(sums *normal.Sums) blas64.General {
	shift, n := sums.Shift(), float64(sums.Rows())
	d := len(shift)
	covariance := newRows(d, d)
	c.mean = make([]float64, d)
	j := 0
	for column := range sums.Columns() {
		if j < d {
			copy(row(covariance, j), column)
		} else {
			copy(c.mean, column[:d])
		}
		j++
	}
	for i := range d {
		for j := range i + 1 {
			v := (row(covariance, i)[j] - float64(c.mean[i]*c.mean[j])/n) / (n - 1)
			row(covariance, i)[j], row(covariance, j)[i] = v, v
		}
		c.total += max(row(covariance, i)[i], 0)
	}
	for i := range c.mean {
		c.mean[i] = shift[i] + c.mean[i]/n
	}
	return covariance
}

// Dims returns the number of coordinates of a row of x and the number of components.
func (c *PCA) Dims() (in, components int) {
	in, _ = c.phi.Dims()
	return in, c.vectors.Rows
}

// Variances returns the variance of the rows along each component, largest first, and the total variance of all D
// features, both with n − 1 in the denominator. Their quotient is the share of the variance that a component explains.
func (c *PCA) Variances() (variances []float64, total float64) {
	return slices.Clone(c.variances), c.total
}

// Vectors returns the components as rows of a matrix, k×D.
func (c *PCA) Vectors() *mat.Dense {
	dst := mat.NewDense(c.vectors.Rows, c.vectors.Cols, nil)
	for i := range c.vectors.Rows {
		dst.SetRow(i, row(c.vectors, i))
	}
	return dst
}

// TransformTo sets row i of dst, n×k, to the coordinates ⟨φ(xᵢ) − mean, v⟩ of row i of x, n×in, along the components.
// An empty dst is resized. A row with a NaN gets NaN. It panics with mat.ErrShape if a shape is wrong.
func (c *PCA) TransformTo(dst *mat.Dense, x mat.Matrix) {
	in, k := c.Dims()
	n, columns := x.Dims()
	if columns != in {
		panic(mat.ErrShape)
	}
	size(dst, n, k)
	if n == 0 {
		return
	}
	f := featuresOf(c.phi, x)
	raw := dst.RawMatrix()
	for lo := 0; lo < n; lo += f.chunk {
		hi := min(lo+f.chunk, n)
		chunk := f.transform(lo, hi)
		for i := range chunk.Rows {
			chain.Add(row(chunk, i), -1, c.mean)
		}
		tiled.Products(between(raw, lo, hi), chunk, c.vectors.Data, c.vectors.Stride)
	}
}

// TransformVec sets dst, of length k or nil, to the coordinates of x, of length in, along the components, and returns
// it. It panics with mat.ErrShape if a length is wrong.
func (c *PCA) TransformVec(dst, x []float64) []float64 {
	in, k := c.Dims()
	if dst == nil {
		dst = make([]float64, k)
	}
	if len(x) != in || len(dst) != k {
		panic(mat.ErrShape)
	}
	c.TransformTo(mat.NewDense(1, k, dst), mat.NewDense(1, in, x))
	return dst
}

// size makes dst r×c, or panics if it has another shape.
func size(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		if r > 0 {
			dst.ReuseAs(r, c)
		}
		return
	}
	if m, n := dst.Dims(); m != r || n != c {
		panic(mat.ErrShape)
	}
}
