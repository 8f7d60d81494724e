// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "math"

// work returns about how many multiply-adds it takes to draw the map of a plan.
func (p *Plan) work() (work float64) {
	for _, b := range p.blocks {
		work += drawWork(b.recipe)
	}
	return work
}

// drawWork returns about how many multiply-adds it takes to draw the map of a recipe. It may be too much by some times,
// and is hardly ever too little.
func drawWork(r recipe) float64 {
	const draw = 20 // of a number
	f := r.shape()
	in, dim, columns := float64(f.in), float64(f.dim()), float64(f.columns)
	rows := in // of packing a form
	if f.warp.dense != nil {
		rows = in * dim
	}
	switch r := r.(type) {
	case *fourierRecipe:
		forms := float64(r.forms())
		work := forms * (draw*dim*r.spectrum.cost() + rows)
		if r.design() == Orthogonal {
			work += 2 * forms * dim * min(dim, forms)
		}
		return work
	case *maclaurinRecipe:
		factors := float64(r.draws()) * r.degrees.mean()
		if r.terms != nil {
			factors = float64(r.draws()) * sumFactors(r.terms)
		}
		return factors*(draw*dim+rows) + r.low.count*in
	case *neuronsRecipe:
		directions := float64(r.directions())
		work := directions * (draw*dim + rows)
		if r.form != normalNeurons {
			work += 2 * directions * dim * min(dim, directions)
		}
		return work + columns*rows
	case *compositionalRecipe:
		visits, err := r.graph.visits()
		if err != nil {
			return math.Inf(1)
		}
		return float64(r.draws) * draw * (visits + r.graph.complexity()*r.graph.widest())
	}
	return columns * rows
}

// cost returns how many normal variates a coordinate of a frequency is worth.
func (s spectrum) cost() float64 { return s.work * max(s.slow, 1) }

// mean returns the mean degree.
func (d *degrees) mean() (mean float64) {
	for i, w := range d.w {
		mean += float64(d.from+i) * w / d.total
	}
	return mean
}

// widest returns the largest number of numbers that the feature of an input is drawn with.
func (p *graph) widest() float64 {
	widest := 1.0
	for _, n := range p.nodes {
		of := float64(len(n.cols))
		if s, ok := n.base.(stationaryScheme); ok {
			of *= s.spectrum.cost()
		}
		widest = max(widest, of)
	}
	return widest
}
