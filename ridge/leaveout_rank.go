// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// rank returns the rows that may have the largest errors, in ascending order, and sets the candidates' bounds and estimates.
func (l *leftOut) rank(all []*candidate, step func() error) ([]int, error) {
	tops := make([][]topRows, len(all))
	for k := range tops {
		tops[k] = make([]topRows, len(l.groups))
	}
	for lo := 0; lo < len(all); {
		hi := min(lo+l.together(), len(all))
		if err := l.rankSome(all[lo:hi], tops[lo:hi], step); err != nil {
			return nil, err
		}
		lo = hi
	}
	// Each λ that may be chosen for a group adds its row of largest error, then each its second, and so on up to most
	// rows.
	most := largestRows * min(len(l.groups), manyGroups)
	var lists [][]errorRow
	for g := range l.groups {
		lowest := math.Inf(1)
		for _, c := range all {
			lowest = min(lowest, c.groups[g].estimate)
		}
		for i, c := range all {
			if c.groups[g].bound <= 2*lowest {
				lists = append(lists, tops[i][g].sorted())
			}
		}
	}
	var rows []int
	seen := make(map[int]bool)
	for k := 0; k < perLambda; k++ {
		for _, list := range lists {
			if len(seen) < most && k < len(list) && !seen[list[k].row] {
				seen[list[k].row] = true
				rows = append(rows, list[k].row)
			}
		}
	}
	slices.Sort(rows)
	return rows, nil
}

// together returns the number of candidates whose weights and probes are multiplied by features at once: as many as
// take no more memory than the factor, or 64 MB.
func (l *leftOut) together() int {
	d := float64(l.e.Features)
	return int(max(max(d*d/2, 1<<23)/(d*float64(len(l.inverse)+probeRows)), 1))
}

// rankSome sets bounds, estimates and tops of candidates whose weights and probes are multiplied by features at once.
func (l *leftOut) rankSome(all []*candidate, tops [][]topRows, step func() error) error {
	targets := len(l.inverse)
	each := targets + probeRows
	p := projection.New(each*len(all), l.e.Features, projection.Store, 1)
	for k, c := range all {
		weights, probes := l.served(c.weights.Data), l.served(c.probes.Data) // as many to a row as there are features
		for t := range targets {
			p.Set(k*each+t, weights[t*l.e.Features:], c.intercept[t])
		}
		for r := range probeRows {
			probe, offset := c.probes.Data[r*c.probes.Stride:][:l.e.Features], 0.0
			if l.e.Mean != nil {
				offset = -tiled.Dot(l.e.Mean, probe)
			}
			p.Set(k*each+targets+r, probes[r*l.e.Features:], offset)
		}
	}
	outputs := p.Stack()
	phi := l.phi
	if l.raw != nil {
		phi = l.raw.phi
	}
	chunk := l.chunk()
	features, products, scores := new(mat.Dense), new(mat.Dense), make([]rowScore, chunk*len(all)*len(l.groups))
	return l.each(chunk, func(lo int, p part) error {
		n := p.y.Rows
		features.Reset()
		products.Reset()
		products.ReuseAs(n, each*len(all))
		if err := l.transform(features, phi, p.x); err != nil {
			return err
		}
		outputs.Transform(products, features)
		raw := products.RawMatrix()
		parallel.Run(parallel.Func(func(from, to int) {
			for i := from; i < to; i++ {
				for k := range all {
					l.score(scores[(i*len(all)+k)*len(l.groups):], &p, i, raw.Data[i*raw.Stride+k*each:][:each])
				}
			}
		}), n, 64)
		for i := range n {
			if l.marks != nil && l.marks[lo+i] {
				continue
			}
			for k, c := range all {
				for g := range l.groups {
					v := scores[(i*len(all)+k)*len(l.groups)+g]
					c.groups[g].bound += v.bound
					c.groups[g].estimate += v.error
					tops[k][g].offer(errorRow{lo + i, v.error})
				}
			}
		}
		return step()
	})
}

// served returns weights for the features that ranking reads: raw ones, which cost less, if the map has some. Weights
// are a row for each function.
func (l *leftOut) served(weights []float64) []float64 {
	if l.raw != nil {
		return linear.Fold(l.raw.u, weights)
	}
	return weights
}

// A rowScore is an estimate of a row's squared leave-one-out error, which ranks it, and a lower bound of that error.
type rowScore struct{ error, bound float64 }

// score sets the score of a row of a part for each group. products are its predictions, which are overwritten, and its
// random projections.
func (l *leftOut) score(dst []rowScore, p *part, row int, products []float64) {
	targets := len(l.inverse)
	for t := range targets {
		products[t] = p.y.Data[row*p.y.Stride+t] - products[t]
	}
	var h float64
	for _, v := range products[targets:] {
		h = math.FMA(v, v, h)
	}
	h /= probeRows
	if l.e.Mean != nil {
		h += 1 / l.e.Weight
	}
	weight := 1.0
	if p.weights != nil {
		weight = p.weights[row]
	}
	h *= weight
	if p.times != nil {
		h *= p.times[row]
	}
	rest := 1 - min(h, 0.999)
	for g, of := range l.groups {
		square := l.square(products[:targets], of) * (l.share * weight)
		dst[g] = rowScore{error: square / (rest * rest), bound: square}
		if l.judges() > keptMost { // otherwise all errors are computed, and the bound must hold for certain
			dst[g].bound *= leastOfLeverage(min(h, 1))
		}
	}
}

// leastOfLeverage returns a number whose mean is at most 1/(1−h)², given an estimate of a leverage h by probeRows
// projections. It is the power series 1 + 2h + 3h² + 4h³ + … up to h³. For projections with normal numbers, which those
// with signs resemble, the estimate is h·χ²/16 with 16 degrees of freedom: its powers are divided by the moments of
// χ²/16.
func leastOfLeverage(estimate float64) float64 {
	const k = probeRows
	const second, third = (k + 2.0) / k, (k + 2.0) * (k + 4) / (k * k)
	return math.FMA(estimate, math.FMA(estimate, math.FMA(estimate, 4/third, 3/second), 2), 1)
}

// An errorRow is a row with the estimate of its squared error.
type errorRow struct {
	row   int
	error float64
}

// larger orders rows by their errors, the largest first, and equal ones by their places.
func larger(a, b errorRow) int {
	return cmp.Or(-cmp.Compare(a.error, b.error), cmp.Compare(a.row, b.row))
}

// before tells whether larger has a before b.
func before(a, b errorRow) bool {
	switch {
	case a.error > b.error:
		return true
	case a.error < b.error:
		return false
	}
	return larger(a, b) < 0 // equal ones, or no numbers
}

// topRows are up to perLambda rows with the largest errors, as many of them as a heap with the smallest of these first.
type topRows []errorRow

// offer adds a row if its error is among the perLambda largest so far.
func (h *topRows) offer(r errorRow) {
	if len(*h) < perLambda {
		if *h = append(*h, r); len(*h) == perLambda {
			for i := perLambda/2 - 1; i >= 0; i-- {
				h.down(i)
			}
		}
		return
	}
	if before(r, (*h)[0]) {
		(*h)[0] = r
		h.down(0)
	}
}

// down moves the row at place i behind those below it that are smaller.
func (h topRows) down(i int) {
	r := h[i]
	for {
		least := 2*i + 1
		if least >= len(h) {
			break
		}
		if least+1 < len(h) && before(h[least], h[least+1]) {
			least++
		}
		if !before(r, h[least]) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = r
}

// sorted returns the rows, the largest error first.
func (h topRows) sorted() []errorRow {
	rows := slices.Clone(h)
	slices.SortFunc(rows, larger)
	return rows
}
