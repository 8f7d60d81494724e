// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
)

// String returns a table of the terms with their columns, the kind of map and its options, and the
// predicted errors: over the pairs that the plan was made for, and over each of the points with the one
// nearest to it. Maps that were not chosen follow, with their errors. The error of the whole is given or
// taken by its standard error for other rows like those that the plan was made for, which is unreliable if
// a few of these rows have most of the error. Where no map of so many features is good, String says so.
func (p *Plan) String() string {
	if p.kernel == nil {
		return "a zero value, which is no plan"
	}
	_, out := p.Dims()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: R^%d → R^%d\n", source(p.kernel), p.in, out)
	s, err := p.sample()
	if err != nil {
		return p.describe(p.columns())
	}
	nearest := s.nearest()
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\tcolumns\terror\tnearest\tfeatures\n")
	at := 0
	for i, n := range p.columns() {
		of := p.blocks[i]
		near := of.near
		if len(p.blocks) == 1 {
			near = square(p.RMSE())
		}
		fmt.Fprintf(w, "\t%d to %d\t%.2g\t%.2g\t%s\n", at, at+n-1, math.Sqrt(near), of.over(s, nearest), p.features(i))
		at += n
		for _, o := range of.others[:min(len(of.others), mostOthers)] {
			if r, err := o.make(); err == nil {
				b := block{term: o.term, recipe: r}
				name := b.name()
				if o.far {
					name += " (but its error is too large far out)"
				}
				fmt.Fprintf(w, "\tor %d\t%.2g\t%.2g\t%s\n", r.shape().columns, math.Sqrt(o.near), b.over(s, nearest), name)
			}
		}
	}
	w.Flush()
	_, relative := p.rmseOver(surePairs)
	fmt.Fprintf(&b, "  predicted root mean square error %.3g, give or take %.0f %%", p.RMSE(), 100*relative)
	if warning := p.warning(s, p.RMSE()); warning != "" {
		b.WriteString("\n  " + warning)
	}
	return b.String()
}

const (
	// surePairs is the number of pairs for the standard error of a predicted error.
	surePairs = 1000

	// mostOthers is the number of maps of a term that were not chosen, in a plan's String.
	mostOthers = 3
)

const poor = 20

// columns returns the number of columns of each block.
func (p *Plan) columns() []int {
	columns := make([]int, len(p.blocks))
	for i, b := range p.blocks {
		columns[i] = b.shape().columns
	}
	return columns
}

// nearest returns the numbers of each row of the sample and the one nearest to it.
func (p *sample) nearest() (pairs [][2]int) {
	for i, x := range p.rows {
		at, least := -1, math.Inf(1)
		for j, y := range p.rows {
			if d := floats.Distance(x, y, 2); j != i && d < least {
				at, least = j, d
			}
		}
		if at >= 0 {
			pairs = append(pairs, [2]int{i, at})
		}
	}
	return pairs
}

// over returns the root mean square error over some pairs.
func (b block) over(s *sample, pairs [][2]int) float64 {
	p := &Plan{in: len(s.rows[0]), blocks: []block{b}}
	var sum float64
	for _, of := range pairs {
		v, bias := p.moments(s.rows[of[0]], s.rows[of[1]])
		sum += (v + bias*bias) / float64(len(pairs))
	}
	return math.Sqrt(sum)
}

// name returns the kind of map and its options.
func (b block) name() string {
	name := b.recipe.String()
	if b.warp.centre != nil || b.shape().warp.centre != nil {
		name += ", of points less their mean"
	}
	if b.weightedByExponential() {
		name += ", weighted by an exponential"
	}
	return name
}

// weightedByExponential tells whether the features are of the other side of an exponential.
func (b block) weightedByExponential() bool {
	return slices.ContainsFunc(b.weights, func(w weight) bool {
		_, ok := w.of.(exponentialWeight)
		return ok
	})
}

// features returns what the columns of a block are.
func (p *Plan) features(i int) string {
	b := p.blocks[i]
	name := b.name()
	if len(p.blocks) > 1 {
		name += ", of " + b.of.String()
	}
	if b.exact > 0 {
		name += fmt.Sprintf(" (%d columns would be exact)", b.exact)
	}
	return name
}

// describe returns the table of the terms without errors, given their numbers of columns.
func (p *Plan) describe(columns []int) string {
	var b strings.Builder
	out := 0
	for _, n := range columns {
		out += n
	}
	fmt.Fprintf(&b, "%s: R^%d → R^%d", source(p.kernel), p.in, out)
	if len(p.blocks) == 1 {
		return b.String() + ", " + p.features(0)
	}
	at := 0
	for i, n := range columns {
		fmt.Fprintf(&b, "\n\tcolumns %d to %d: %s", at, at+n-1, p.features(i))
		at += n
	}
	return b.String()
}

// warning tells that the error is no good, and what to do, if that is because of the norms of the points.
func (p *Plan) warning(s *sample, rmse float64) string {
	for _, b := range p.blocks {
		if b.of.growsFast() {
			return s.warning(p.kernel, rmse)
		}
	}
	return ""
}

// growsFast tells whether a term is a dot product kernel that is no polynomial: errors of its maps grow with
// the norms of the points faster than any power.
func (t term) growsFast() bool {
	d, ok := t.base.(dot)
	if ok {
		_, polynomial := degreeOf(d.f)
		return !polynomial
	}
	return false
}

// warning returns that and what to do, if an error is more than 1/poor of the kernel's own root mean square.
func (p *sample) warning(k Kernel, rmse float64) string {
	var sum float64
	pairs := p.numbers(samplePairs)
	for _, of := range pairs {
		sum += square(k.Eval(p.rows[of[0]], p.rows[of[1]])) / float64(len(pairs))
	}
	own := math.Sqrt(sum)
	if !(rmse > own/poor) {
		return ""
	}
	norms := make([]float64, len(p.rows))
	for i, x := range p.rows {
		norms[i] = floats.Norm(x, 2)
	}
	slices.Sort(norms)
	return fmt.Sprintf("an error of %.3g is %.2g of the kernel's own root mean square, %.3g: no map of so many features is good for points of norms %.3g (median) to %.3g; scale the points down, or take a larger length scale",
		rmse, rmse/own, own, norms[len(norms)/2], norms[len(norms)-1])
}
