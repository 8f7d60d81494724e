// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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

	// Of given points: their mean, those of largest distance from the mean, and those of largest norm. Else
	// nil.
	centre        []float64
	distant, long [][]float64

	views, reaches []*view // made so far
}

// A view is the pairs of rows behind a warp, at least most of them, and their row numbers.
type view struct {
	warp    warp
	most    int
	numbers [][2]int
	pairs   []pair

	// Of a view far out, how far, and the largest norm of its points.
	factor, norm float64
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
	p.look(points)
	return p, nil
}

// look finds the mean and the far rows of points.
func (p *sample) look(points mat.Matrix) {
	const most = 32
	n, d := points.Dims()
	row := make([]float64, d)
	read := func(i int) []float64 {
		if r, ok := points.(mat.RawRowViewer); ok {
			return r.RawRowView(i)
		}
		return mat.Row(row, i, points)
	}
	p.centre = make([]float64, d)
	for i := range n {
		for j, v := range read(i) {
			p.centre[j] += v / float64(n)
		}
	}
	norms, distances := make([]float64, n), make([]float64, n)
	zero := make([]float64, d)
	for i := range n {
		norms[i], distances[i] = squaredDistance(read(i), zero, 1), squaredDistance(read(i), p.centre, 1)
	}
	largest := func(by []float64) (rows [][]float64) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(coarse(by[j]), coarse(by[i])) })
		for _, i := range order[:min(most, n)] {
			rows = append(rows, slices.Clone(read(i)))
		}
		return rows
	}
	p.distant, p.long = largest(distances), largest(norms)
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
	for _, v := range p.views {
		if v.most == most && v.warp.equal(w) {
			return v
		}
	}
	points := make([]point, len(p.rows))
	for i, row := range p.rows {
		points[i] = newPoint(w.image(row))
	}
	v := &view{warp: w, most: most, numbers: p.numbers(most)}
	v.pairs = make([]pair, len(v.numbers))
	for k, of := range v.numbers {
		v.pairs[k] = newPair(points[of[0]], points[of[1]])
	}
	p.views = append(p.views, v)
	return v
}

// A plan made for given points holds up to reachFactor times the largest norm. Its error far out is that of
// pairs of mostFar rows of largest norm and of mostSpread others, at so many times their norms.
const (
	reachFactor = 1.5
	mostFar     = 8
	mostSpread  = 24
)

// reach returns the pairs of the rows of largest norm behind a warp and of others, all moved outward by a
// factor; none if no points were given.
func (p *sample) reach(w warp, factor float64) *view {
	for _, v := range p.reaches {
		if v.factor == factor && v.warp.equal(w) {
			return v
		}
	}
	v := &view{warp: w, factor: factor}
	p.reaches = append(p.reaches, v)
	if p.centre == nil {
		return v
	}
	rows := p.long
	if w.centre != nil {
		rows = p.distant
	}
	var all []point
	for _, row := range slices.Concat(rows, p.rows) {
		all = append(all, newPoint(w.image(row)))
	}
	// By norm, so that the order of rows does not matter, and once each.
	slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(coarse(b.norm), coarse(a.norm)) })
	for i := 0; i < len(all); i++ {
		rest := slices.DeleteFunc(all[i+1:], func(q point) bool { return slices.Equal(q.x, all[i].x) })
		all = all[:i+1+len(rest)]
	}
	v.norm = coarse(factor * all[0].norm)
	points := slices.Clone(all[:min(mostFar, len(all))])
	others := all[len(points):]
	for i := range min(mostSpread, len(others)) {
		points = append(points, others[i*len(others)/min(mostSpread, len(others))])
	}
	for i, of := range points {
		x := slices.Clone(of.x)
		for j := range x {
			x[j] *= factor
		}
		points[i] = newPoint(x)
		for j := range i {
			v.numbers = append(v.numbers, [2]int{i, j})
			v.pairs = append(v.pairs, newPair(points[i], points[j]))
		}
	}
	return v
}
