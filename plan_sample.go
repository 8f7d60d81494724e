// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// mostRows is the maximum number of rows of a sample. samplePairs is the number of pairs, at least, for
	// Compositional maps, whose moments take longer.
	mostRows    = 300
	samplePairs = 2000

	// manyPairs is the number of pairs of all terms together, above samplePairs for each: those of mostRows
	// rows for eight terms.
	manyPairs = 8 * mostRows * (mostRows - 1) / 2

	// sphereRows is the number of points on the unit sphere in a sample without given points.
	sphereRows = 32
)

// A sample is the points that a plan is made for, and their pairs.
type sample struct {
	rows [][]float64

	views []view // made so far
}

// A view is the pairs of rows behind a warp, at least most of them, and their row numbers.
type view struct {
	warp    warp
	most    int
	numbers [][2]int
	pairs   []pair
}

// newSample returns a sample of up to mostRows rows of points, or of the sphere of R^in if points is nil.
func newSample(points mat.Matrix, in int) (*sample, error) {
	if isNil(points) {
		b := builder{in: in, out: 1}
		if err := b.reserve(8 * sphereRows * float64(in)); err != nil {
			return nil, err
		}
		p := &sample{}
		s := NewSampler(1)
		for range sphereRows {
			row := make([]float64, in)
			onSphereFill(row, s)
			p.rows = append(p.rows, row)
		}
		return p, nil
	}
	n, d := points.Dims()
	switch {
	case d != in:
		return nil, fmt.Errorf("featuremap: Points has %d columns: must have in = %d", d, in)
	case n < 2:
		return nil, fmt.Errorf("featuremap: Points has %d rows: must have at least 2", n)
	}
	if err := validateFinite("Points", points, 0); err != nil {
		return nil, err
	}
	p := &sample{}
	m := min(n, mostRows)
	for i := range m {
		p.rows = append(p.rows, mat.Row(nil, i*n/m, points))
	}
	return p, nil
}

// numbers returns the row numbers of at least most pairs, or of all pairs if there are fewer, always the
// same: (i, i + step) for steps spread over 1 … n − 1.
func (p *sample) numbers(most int) (all [][2]int) {
	n := len(p.rows)
	stride := int(0.618 * float64(n-1))
	for ; stride > 1 && gcd(stride, n-1) > 1; stride-- {
	}
	for k := 0; k < n-1 && len(all) < most; k++ {
		step := 1 + k*max(stride, 1)%(n-1)
		for i := 0; i+step < n; i++ {
			all = append(all, [2]int{i, i + step})
		}
	}
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// onSphereFill sets x to a uniform point of the unit sphere.
func onSphereFill(x []float64, s *Sampler) {
	s.FillNormal(x)
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	divide(x, math.Sqrt(sum))
}

// view returns at least most pairs of rows behind a warp.
func (p *sample) view(w warp, most int) *view {
	for i := range p.views {
		if v := &p.views[i]; v.most == most && v.warp.equal(w) {
			return v
		}
	}
	points := make([]point, len(p.rows))
	for i, row := range p.rows {
		points[i] = newPoint(w.image(row))
	}
	v := view{warp: w, most: most, numbers: p.numbers(most)}
	for _, of := range v.numbers {
		v.pairs = append(v.pairs, newPair(points[of[0]], points[of[1]]))
	}
	p.views = append(p.views, v)
	return &p.views[len(p.views)-1]
}

// means returns the means over pairs of a recipe's statistics times the squared weights of a term.
func (p *sample) means(r recipe, t term, most int) []float64 {
	v := p.view(r.shape().warp, most)
	squares := make([]float64, len(p.rows))
	for i, row := range p.rows {
		squares[i] = square(t.weight(row))
	}
	means := make([]float64, r.statistics())
	var of pair // keeps its buffers
	for k, at := range v.numbers {
		delta, zero := of.delta, of.zero
		of = v.pairs[k]
		of.delta, of.zero = delta, zero
		r.add(means, &of, squares[at[0]]*squares[at[1]]/float64(len(v.pairs)))
	}
	return means
}
