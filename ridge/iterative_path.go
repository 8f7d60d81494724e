// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/krylov"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// path returns the λ to be tried, the largest first, or the one that is given.
func (f *iteration) path() []float64 {
	switch {
	case f.o.Start != nil:
		return []float64{f.o.Start.lambda(0)}
	case f.given:
		return []float64{f.o.Lambda}
	case f.o.Path != nil:
		path := slices.Clone(f.o.Path)
		slices.Sort(path)
		slices.Reverse(path)
		return slices.Compact(path)
	}
	scale := f.scale
	if !(scale > 0) {
		scale = 1
	}
	var path []float64
	for _, v := range []float64{1e2, 1e1, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6} {
		path = append(path, float64(v*scale))
	}
	return path
}

// search tries the λ of a path without the rows held back, takes that of the least error on these, and solves for all rows. It stops
// when the error grows, or when two λ in turn have not made it less by a thousandth.
func (f *iteration) search(path []float64) error {
	const pays = 1e-3
	f.lambda = path[0]
	f.heldX = slabs.New(f.targets, f.out)
	f.start(f.fit, f.fit.b, blas64.General{}, blas64.General{})
	if err := f.progress(f.largest()); err != nil {
		return err
	}
	best, flat := math.Inf(1), 0
	var lambda float64
	var x, heldX, r blas64.General
	for _, l := range path {
		for t := range f.targets { // the residual for another λ
			axpy(vector(f.solver.R, t), f.lambda-l, vector(f.solver.X, t))
		}
		f.lambda = l
		f.solver.Restart()
		if err := f.solve(max(f.o.Tolerance, looseTolerance)); err != nil {
			return err
		}
		each, sum := f.errors()
		if flat++; sum < best*(1-pays) || math.IsInf(best, 1) {
			flat = 0
		}
		if sum < best {
			best, lambda, f.heldError = sum, l, each
			x, heldX, r = clone(f.solver.X), clone(f.heldX), clone(f.solver.R)
		}
		if flat >= 2 || sum > best*(1+pays) || f.passes >= f.o.Passes-f.o.Passes/2 {
			break
		}
	}
	f.lambda = lambda
	gx := slabs.New(f.targets, f.out) // ΦᵀΦx of all rows
	for t := range f.targets {
		to, w := vector(gx, t), vector(x, t)
		for k := range to {
			to[k] = vector(f.fit.b, t)[k] - vector(r, t)[k]
		}
		axpy(to, -lambda, w)
		if d := f.fit.mean; d != nil {
			axpy(to, float64(f.fit.weight*tiled.Dot(d, w)), d)
		}
		for k, v := range vector(heldX, t) {
			to[k] += v
		}
	}
	b := f.rightHandSides()
	f.start(f.all, b, x, gx)
	return f.finish(b)
}

// errors returns the mean squared error of each target on the rows held back, and the sum of these over the variances:
//
//	Σw(e − zᵀx)² = eᵀe − 2eᵀz·x + xᵀΣwzzᵀx
//
// with targets e and features z less the means of the other rows.
func (f *iteration) errors() (each []float64, sum float64) {
	each = make([]float64, f.targets)
	for t := range each {
		x := vector(f.solver.X, t)
		v := f.held.yy[t] - float64(2*tiled.Dot(vector(f.held.b, t), x))
		v += tiled.Dot(x, vector(f.heldX, t))
		if d := f.fit.mean; d != nil { // Σw(z − d)(z − d)ᵀ, of which held.sum has Σw(z − d)
			dx := tiled.Dot(d, x)
			v -= float64(2 * dx * tiled.Dot(f.held.sum, x))
			v -= float64(float64(f.held.weight*dx) * dx)
		}
		each[t] = max(v, 0) / f.held.weight
		if variance := f.fit.yy[t] / f.fit.weight; variance > 0 {
			sum += each[t] / variance
		}
	}
	return each, sum
}

const (
	sampleBlock  = 512 // rows of the sample that go through the map together
	eigenvectors = 256
)

// sampleRows returns the number of rows, of n, in which eigenvectors are found: 2,048, and fewer of less than 16,384, so that their inner products
// take the time of two passes or so. (Of 16,000 letters 1,024 rows make it 13 passes in place of 10 for a letter by itself.)
func sampleRows(n int) int {
	const least, most = 512, 2048
	return min(max(int(16*math.Sqrt(float64(n))), least), most)
}

// precondition finds eigenvectors in the sample of the first pass, and the scale.
func (f *iteration) precondition(weight float64) error {
	kept := f.p.kept.rows
	slices.SortFunc(kept, func(a, b keptRow) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return a.arrival - b.arrival
	})
	f.p.kept.rows = kept[:min(len(kept), sampleRows(f.rows))]
	points := make([]rows.List, len(f.p.kept.rows))
	var weights []float64
	for i, r := range f.p.kept.inOrder() {
		points[i] = r.List
		weights = append(weights, r.weight)
	}
	x, m := rows.Join(points, f.p.in), len(points)
	f.p.kept = keptRows{}
	var sampled float64
	for _, w := range weights {
		sampled += w
	}
	scale := weight / sampled
	k := slabs.New(m, m)
	size := min(sampleBlock, max(m, 1))
	f.left = f.meanLeft(x, weights, size)
	a, b := slabs.New(size, f.out), slabs.New(size, f.out)
	for i := 0; i < m; i += size {
		left := f.sample(a, x, weights, i, min(i+size, m))
		for j := i; j < m; j += size {
			right := left
			if j > i {
				right = f.sample(b, x, weights, j, min(j+size, m))
			}
			at := k
			at.Data = k.Data[i*k.Stride+j:]
			krylov.AddProducts(at, left, right, i == j)
		}
	}
	var trace float64
	for i := range m {
		trace += k.Data[i*k.Stride+i]
		for j := range i {
			k.Data[i*k.Stride+j] = k.Data[j*k.Stride+i]
		}
	}
	f.scale = scale * trace / float64(f.out)
	if m == 0 || !(trace > 0) {
		return nil
	}
	f.pre = krylov.Eigenvectors(k, min(eigenvectors, max(m/2, 1), f.out), scale, f.out, featuremap.NewSampler(2).FillNormal,
		func(add func(first int, rows blas64.General)) {
			for i := 0; i < m; i += size {
				add(i, f.sample(a, x, weights, i, min(i+size, m)))
			}
		})
	return nil
}

// sample sets z to the features of rows of the sample, less the mean, times the roots of the weights.
func (f *iteration) sample(z blas64.General, x mat.Matrix, weights []float64, lo, hi int) blas64.General {
	view := z
	view.Rows, view.Data = hi-lo, z.Data[:(hi-lo-1)*z.Stride+z.Cols]
	var to mat.Dense
	to.SetRawMatrix(view)
	var reader rows.Reader
	reader.Reset(x)
	f.phi.TransformTo(&to, reader.Matrix(lo, hi))
	for i := range view.Rows {
		root := math.Sqrt(weights[lo+i])
		row := vector(view, i)
		for k := range row {
			row[k] = (row[k] - f.mean[k]) * root
		}
	}
	z.Rows = hi - lo
	return z
}
