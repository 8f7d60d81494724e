// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Text returns the table of a plan: see Plan.String of the root package.
func (p *Plan) Text() string {
	if p.Kernel == nil {
		return "a zero value, which is no plan"
	}
	_, out := p.Dims()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: R^%d → R^%d\n", gosyntax.Of(p.Kernel), p.In, out)
	s, err := p.Sample()
	if err != nil {
		return p.Describe(p.columns())
	}
	nearest := s.Nearest()
	rounding := roundedError * rootMeanSquare(s, p.Kernel)
	digits := func(v float64) string {
		if v > 0 && v <= rounding {
			return "rounding"
		}
		return fmt.Sprintf("%.2g", v)
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\tcolumns\terror\tnearest\tfeatures\n")
	at := 0
	for i, n := range p.columns() {
		planned := p.Segments[i]
		squaredError := planned.SquaredError
		if len(p.Segments) == 1 {
			squaredError = arith.Square(p.PredictedError())
		}
		fmt.Fprintf(w, "\t%d to %d\t%s\t%s\t%s\n", at, at+n-1, digits(math.Sqrt(squaredError)), digits(planned.over(s, nearest)), p.features(i))
		at += n
		for _, o := range planned.others[:min(len(planned.others), mostOthers)] {
			if r, err := o.make(); err == nil {
				b := Segment{Term: o.Term, Recipe: r, Given: planned.Given}
				name := b.Name() + b.estimate()
				if o.barred {
					name += " (but its error is too large far out)"
				}
				fmt.Fprintf(w, "\tor %d\t%s\t%s\t%s\n", r.Shape().Columns, digits(math.Sqrt(o.squaredError)), digits(b.over(s, nearest)), name)
			}
		}
	}
	w.Flush()
	over, bias, relative := p.rmseOver(surePairs)
	if p.relative > 0 {
		relative = p.relative
	}
	if p.PredictedError() > 0 && p.PredictedError() <= rounding {
		b.WriteString("  predicted root mean square error: that of rounding")
	} else {
		fmt.Fprintf(&b, "  predicted root mean square error %.3g, give or take %.0f %%", p.PredictedError(), 100*relative)
		if relative > ofFewRows {
			b.WriteString(" (a few rows have most of it: other rows may have many times more, or less)")
		}
		if bias > 0 {
			b.WriteString("; " + biasPart(arith.Square(bias/over)))
		}
	}
	if warning := p.warning(s, p.PredictedError()); warning != "" {
		b.WriteString("\n  " + warning)
	}
	return b.String()
}

// biasPart says what part of a mean squared error is bias.
func biasPart(share float64) string {
	percent := math.Round(100 * share)
	if percent == 100 {
		return "all of it is bias"
	}
	return fmt.Sprintf("%.0f %% of its square is bias", percent)
}

const (
	// surePairs is the number of pairs for the standard error of a predicted error.
	surePairs = 1000

	// ofFewRows is the relative standard error above which a few rows account for most of an error. It is 1/√m if all
	// pairs of m rows, and no others, have an error.
	ofFewRows = 0.4

	// roundedError is the largest error of features that are as good as exact, relative to the kernel's own root mean
	// square.
	roundedError = 1e-14

	// mostOthers is the number of maps of a term that were not chosen, in a plan's Text.
	mostOthers = 3
)

// If an error is more than 1/poor of the kernel's own root mean square, there is a warning.
const poor = 20

// columns returns the number of columns of each segment.
func (p *Plan) columns() []int {
	columns := make([]int, len(p.Segments))
	for i, b := range p.Segments {
		columns[i] = b.Shape().Columns
	}
	return columns
}

// over returns the root mean square error of the segment over pairs of rows of a sample, given by their numbers.
func (b Segment) over(s *sample.Sample, pairs [][2]int) float64 {
	at := (&Plan{In: s.In, Segments: []Segment{b}}).MomentsOver(s)
	var sum float64
	for _, ij := range pairs {
		v, bias := at(ij[0], ij[1])
		sum += (v + bias*bias) / float64(len(pairs))
	}
	return math.Sqrt(sum)
}

// Name returns the kind of map and its options, and says whether points are centered or weighted by an exponential.
func (b Segment) Name() string {
	name := b.Recipe.String()
	if b.Warp.Center != nil || b.Shape().Warp.Center != nil {
		name += ", of points less their mean"
	}
	if b.WeightedByExponential() {
		name += ", weighted by an exponential"
	}
	if centered := b.Side == form.SideDot || b.Side == form.SideCentered; centered && b.MaxNorm > 0 && arith.Finite(b.MaxNorm) {
		name += fmt.Sprintf(", up to norm %.3g", b.MaxNorm)
	}
	return name
}

// estimate says whether errors of the segment are estimated, for Text.
func (b Segment) estimate() string {
	if n := b.Recipe.Estimated(); n > 0 {
		return fmt.Sprintf(" (error estimated, by %d scrambles)", n)
	}
	return ""
}

// WeightedByExponential tells whether the term is the other side of an exponential, which adds such a
// weight.
func (b Segment) WeightedByExponential() bool {
	return slices.ContainsFunc(b.Weights, func(w form.Weight) bool {
		_, ok := w.Weighter.(form.ExponentialWeight)
		return ok
	})
}

// features describes segment i: its map, its term if there are several, and how many columns would make it exact.
func (p *Plan) features(i int) string {
	b := p.Segments[i]
	name := b.Name() + b.estimate()
	if len(p.Segments) > 1 {
		name += ", of " + b.Given.String()
	}
	if b.ExactWith > 0 {
		name += fmt.Sprintf(" (%d columns would be exact)", b.ExactWith)
	}
	return name
}

// Describe returns the table of the terms without errors, given their numbers of columns.
func (p *Plan) Describe(columns []int) string {
	var b strings.Builder
	out := 0
	for _, n := range columns {
		out += n
	}
	fmt.Fprintf(&b, "%s: R^%d → R^%d", gosyntax.Of(p.Kernel), p.In, out)
	if len(p.Segments) == 1 {
		return b.String() + ", " + p.features(0)
	}
	at := 0
	for i, n := range columns {
		fmt.Fprintf(&b, "\n\tcolumns %d to %d: %s", at, at+n-1, p.features(i))
		at += n
	}
	return b.String()
}

// warning says that an error is too large, and what to do if the norms of the points may be the cause. Otherwise it is
// "".
func (p *Plan) warning(s *sample.Sample, rmse float64) string {
	for _, b := range p.Segments {
		if termGrowsFast(b.Given) {
			return sampleWarning(s, p.Kernel, rmse)
		}
	}
	return ""
}

// termGrowsFast tells whether a term is, or has as a factor or an argument, a series of ⟨x, y⟩ or of another unbounded
// kernel that is not a polynomial. Then the errors of its maps grow with the norms of the points faster than any power.
func termGrowsFast(t form.Term) bool {
	switch b := t.Base.(type) {
	case form.Dot:
		_, polynomial := power.DegreeOf(b.F)
		return !polynomial
	case form.Product:
		return slices.ContainsFunc(b.Factors, growsFast)
	case form.Composed:
		_, polynomial := power.DegreeOf(b.F)
		_, bounded := b.K.Spectrum()
		return !bounded && (!polynomial || growsFast(b.K))
	}
	return false
}

func growsFast(f form.Form) bool { return slices.ContainsFunc(f, termGrowsFast) }

// sampleWarning says what is wrong, and what to do, if an error is more than 1/poor of the kernel's own root mean
// square over the sample, or if values or variances overflow. Otherwise it is "".
func sampleWarning(p *sample.Sample, k expr.Kernel, rmse float64) string {
	own := rootMeanSquare(p, k)
	switch {
	case !arith.Finite(own) || math.IsInf(rmse, 0): // a NaN error may just be unknown
		return fmt.Sprintf("values or variances overflow: %s", sampleAdvice(p))
	case !(rmse > own/poor):
		return ""
	}
	return fmt.Sprintf("an error of %.3g is %.2g of the kernel's own root mean square, %.3g: %s", rmse, rmse/own, own, sampleAdvice(p))
}

// rootMeanSquare returns the root mean square of a kernel over pairs of the sample.
func rootMeanSquare(p *sample.Sample, k expr.Kernel) float64 {
	var sum float64
	pairs := p.Numbers(sample.MinPairs)
	x, y := make([]float64, p.In), make([]float64, p.In)
	for _, ij := range pairs {
		sum += arith.Square(k.Eval(sample.Full(x, p.Rows[ij[0]]), sample.Full(y, p.Rows[ij[1]]))) / float64(len(pairs))
	}
	return math.Sqrt(sum)
}

// sampleAdvice returns what to do about points whose norms are too large, with their norms.
func sampleAdvice(p *sample.Sample) string {
	var norms []float64
	for _, x := range p.Behind(warp.Warp{}, p.Rows) {
		norms = append(norms, x.Norm)
	}
	slices.Sort(norms)
	median, largest := norms[len(norms)/2], norms[len(norms)-1]
	for _, x := range p.Behind(warp.Warp{}, p.Long) {
		largest = max(largest, x.Norm)
	}
	return fmt.Sprintf("none of the maps that were tried is good for points of norms %.3g (median) to %.3g; scale the points down, or take a larger length scale",
		median, largest)
}
