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
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
)

const (
	sampleBlock  = 512 // rows of the sample that go through the map at once
	eigenvectors = 256
)

// sampleRows returns the number of rows, out of n, that give eigenvectors and choose λ: 2,048, and fewer if n is below
// 16,384, so that their inner products take the time of a few passes, but at least 1,024 for the sake of λ. (With
// 16,000 letters, 1,024 rows lead to 13 passes instead of 10 for a letter by itself.)
func sampleRows(n int) int {
	const most = 2048
	return min(max(int(16*math.Sqrt(float64(n))), leastSample), most)
}

var leastSample = 1024 // fewer in tests for which the sample need not be that good

// precondition finds eigenvectors in the sample of the first pass, the scale, and the pilot.
func (f *iteration) precondition(weight float64) {
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
	f.few()
	f.p.kept.rows = kept[:min(len(kept), sampleRows(f.rows))]
	kept = f.p.kept.inOrder()
	var weights []float64
	for _, r := range kept {
		weights = append(weights, r.weight)
	}
	x, m := pointsOf(kept, f.p.in), len(kept)
	f.p.kept, f.sampleRows = keptRows{}, kept
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
	if m > 0 && f.pilot == nil {
		one := f.oneOfEach(x, kept)
		f.pilot = f.newPilot(one, m)
		f.setMatrix(f.pilot, k, kept, one)
		f.mark(x, one)
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
		return
	}
	f.pre = krylov.Eigenvectors(k, min(eigenvectors, max(m/2, 1), f.out), scale, f.out, featuremap.NewSampler(2).FillNormal,
		func(add func(first int, rows blas64.General)) {
			for i := 0; i < m; i += size {
				add(i, f.sample(a, x, weights, i, min(i+size, m)))
			}
		})
}

// few sets a pilot of all rows if λ is to be chosen, features are few, and all rows are kept and more than the sample.
func (f *iteration) few() {
	if f.out > f.mostFew || f.given || f.o.Start != nil || f.o.NoiseVariance != nil || len(f.p.kept.rows) < f.rows || f.rows <= sampleRows(f.rows) {
		return
	}
	kept := f.p.kept.inOrder()
	x := pointsOf(kept, f.p.in)
	one := f.oneOfEach(x, kept)
	few := f.newFew(x, kept, one)
	if few == nil {
		return
	}
	f.pilot = f.newPilot(one, len(kept))
	f.pilot.few = few
	f.mark(x, one)
}

// mark finds the rows of the pilot that do not judge λ.
func (f *iteration) mark(x mat.Matrix, one *oneOfEach) {
	var reader rows.Reader
	reader.Reset(rows.Select(x, one.rows))
	marks := linear.NewMarks(f.phi)
	marks.Note(&reader, one.weights)
	f.pilot.marks, _, _ = marks.NotJudging(f.rows, nil)
}

// A oneOfEach is one row of each group of copies in a sample.
type oneOfEach struct {
	rows    []int     // of the sample
	weights []float64 // of all copies among all rows, over each
	each    float64   // see groupsOfCopies; 1 without copies
	labels  bool      // the targets are Labels
}

// oneOfEach returns one row of each group of copies: among all rows, if these were noted, or else in the sample. If noise is
// known, each copy is an observation.
func (f *iteration) oneOfEach(x mat.Matrix, kept []keptRow) *oneOfEach {
	y, weights, arrivals := mat.NewDense(len(kept), f.targets, nil), make([]float64, len(kept)), make([]int, len(kept))
	for i, r := range kept {
		y.SetRow(i, r.y)
		weights[i], arrivals[i] = r.weight, r.arrival
	}
	one := &oneOfEach{rows: indices(len(kept)), weights: weights, each: 1, labels: areLabels(y, len(kept))}
	if f.o.NoiseVariance != nil {
		return one
	}
	finder := f.p.source.copyFinder()
	if finder == nil {
		finder, arrivals = newMemoryRows(x, y, weights).copyFinder(), indices(len(kept))
	}
	c := finder.copies(one.labels)
	if c == nil {
		return one
	}
	one.rows, one.weights, one.each = nil, nil, c.each
	seen := make(map[int]bool) // by the first row of a group
	for i, at := range arrivals {
		if g := c.first[at]; !seen[g] {
			seen[g] = true
			one.rows, one.weights = append(one.rows, i), append(one.weights, c.weights[at]*c.times[at]/c.each)
		}
	}
	return one
}

// sample sets z to the centered features of rows of the sample, times the roots of the weights.
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
