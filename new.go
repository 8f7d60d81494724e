// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// New returns the map that suits k best, from R^in to at most out features (see Dims), with weights drawn
// from s: it is NewPlan without options, and Draw.
//
// It returns an error, and leaves s as it was, where NewPlan or Plan.Draw return an error.
func New(k Kernel, in, out int, s *Sampler) (FeatureMap, error) {
	if err := validateSampler(s); err != nil {
		return nil, err
	}
	p, err := NewPlan(k, in, out, nil)
	if err != nil {
		return nil, err
	}
	return p.Draw(s)
}

// NewPlan plans a map for k, from R^in to at most out features. For each term of k, written as a sum, it
// asks in this order:
//
//   - Are there exact features, and do they fit? There is one for constants, as many as coordinates (or
//     rows of the matrix) for ⟨x, y⟩, its multiples and Quadratic, the map's for FromMap, two for Circle,
//     N for Categories.
//   - Is it stationary? A Fourier map of pairs, with the Orthogonal design for the radial kernels of the
//     package and kernels made of them. (For points of hundreds of coordinates NewFourier with Structured
//     is faster.)
//   - Is it a dot product kernel? A Maclaurin map with OptimalLaw, for points of norm r with r² = 1, or
//     R/√8 if that is less, R the radius of convergence; with ExactLow if its columns take no more than
//     half of the features; with TensorSRHT from 64 coordinates on.
//   - Is it an ArcCosine? Neurons.
//   - Is it an expression of such, or the kernel of a Skeleton? A Compositional map, with as many draws
//     as are sure to fit when equal ones are merged.
//
// Otherwise it returns ErrNoMap. The number of features is a maximum: constructors of one kind of map
// take out exactly or refuse it, but a plan may use fewer, such as an even number for pairs.
//
// A sum gets the features of its terms side by side: exact ones, which reproduce their terms exactly,
// then the others in the order of the terms. A term without room for its exact features is drawn, as
// ⟨x, y⟩ by random projections; Plan.String and the map's show it. Drawn terms share the remaining
// features in proportion to their standard deviations per feature, which is best for independent terms:
// root mean squares of exact variances over pairs of PlanOptions.Points. Stationary terms are drawn
// together, from a mixture of their measures, where out is too small for two columns for each term or the
// mixture has less variance.
//
// A Weight multiplies the features of its kernel. Products of stationary kernels take one frequency for
// each feature, not a tensor product.
//
// It returns an error if k is nil, if a parameter of k or of an option is refused, if in or out is less
// than 1, if k does not take points of R^in, if Points has another width, fewer than two rows, or an
// element that is not finite, if out is too small (*TooFewError), or if the constructor of a term's map
// does; with RMSE set also if the variance of a term is unknown, or if out is above 2³¹ − 1. Planning
// draws no weights.
func NewPlan(k Kernel, in, out int, opts *PlanOptions) (*Plan, error) {
	var o PlanOptions
	if opts != nil {
		o = *opts
	}
	if !(o.RMSE >= 0 && o.RMSE <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: PlanOptions RMSE = %v: must be finite and at least 0", o.RMSE)
	}
	size := out
	if o.RMSE > 0 {
		if out > math.MaxInt32 {
			return nil, fmt.Errorf("featuremap: out = %d: must be at most %d with PlanOptions RMSE", out, math.MaxInt32)
		}
		size = min(out, 1) // out is a limit, and need not fit in memory
	}
	f, err := validateArguments(k, in, size)
	if err != nil {
		return nil, err
	}
	points, err := newSample(o.Points, in)
	if err != nil {
		return nil, err
	}
	p := &planner{kernel: k, in: in, sample: points, pairs: max(samplePairs, manyPairs/len(f)), mixed: make(map[int]*plannedTerm)}
	for _, t := range f {
		p.terms = append(p.terms, p.newTerm(t))
	}
	if o.RMSE > 0 {
		return p.least(out, o.RMSE)
	}
	return p.plan(out)
}

// leastShare is the least number of columns of a drawn term.
const leastShare = 2

// A planner makes the plans of a kernel.
type planner struct {
	kernel Kernel
	in     int
	sample *sample
	pairs  int // for each term, at least
	terms  []*plannedTerm
	mixed  map[int]*plannedTerm // mixtures of stationary terms, by number of terms
}

// plan returns the plan with at most out columns.
func (p *planner) plan(out int) (*Plan, error) {
	exact, drawn, left := p.takeExact(out)
	if len(drawn) == 0 {
		return p.assemble(exact, nil, nil)
	}
	least := func(n int) int {
		if n == 1 && len(exact) == 0 {
			return 1
		}
		return leastShare * n
	}
	mixed := p.mix(drawn)
	if need := least(len(mixed)); left < need {
		return nil, &TooFewError{out, out - left + need}
	}
	plan, err := p.share(exact, mixed, left)
	if err != nil || len(mixed) == len(drawn) || left < least(len(drawn)) {
		return plan, err
	}
	separate, err := p.share(exact, drawn, left)
	if err == nil && !(coarse(plan.RMSE()) < coarse(separate.RMSE())) {
		return separate, nil
	}
	return plan, nil
}

// takeExact returns the terms with exact features that fit, the others, and the columns left for these.
func (p *planner) takeExact(out int) (exact, drawn []*plannedTerm, left int) {
	left = out
	for i, t := range p.terms {
		// Each term that is drawn, or may be, keeps its least share.
		reserve := leastShare * len(drawn)
		for _, later := range p.terms[i+1:] {
			if later.exact == nil {
				reserve += leastShare
			} else {
				reserve += min(later.exact.columns, leastShare)
			}
		}
		if t.exact != nil && t.exact.columns <= left-reserve {
			exact = append(exact, t)
			left -= t.exact.columns
		} else {
			drawn = append(drawn, t)
		}
	}
	return exact, drawn, left
}

// mix returns terms with the stationary ones replaced by their mixture, in the place of the first.
func (p *planner) mix(terms []*plannedTerm) []*plannedTerm {
	var stationaries form
	var others []*plannedTerm
	first := 0
	for _, t := range terms {
		if f := (form{t.term}); f.isStationary() {
			if stationaries == nil {
				first = len(others)
			}
			stationaries = append(stationaries, t.term)
		} else {
			others = append(others, t)
		}
	}
	if len(stationaries) < 2 {
		return terms
	}
	m := p.mixed[len(stationaries)]
	if m == nil {
		of, _ := stationaries.spectrum()
		m = p.newTerm(term{scale: 1, warp: of.warp, base: stationary{of.spectrum}})
		p.mixed[len(stationaries)] = m
	}
	return slices.Insert(others, first, m)
}

// share returns the plan in which the drawn terms share the given number of columns.
func (p *planner) share(exact, drawn []*plannedTerm, columns int) (*Plan, error) {
	shares := []int{columns}
	if len(drawn) > 1 {
		deviations := make([]float64, len(drawn))
		for i, t := range drawn {
			var err error
			if deviations[i], err = t.deviation(max(columns/len(drawn), leastShare)); err != nil {
				return nil, err
			}
		}
		shares = divideColumns(columns, known(deviations))
	}
	return p.assemble(exact, drawn, shares)
}

// known replaces deviations that are unknown or not finite by the mean of the others.
func known(deviations []float64) []float64 {
	var sum, count float64
	for _, d := range deviations {
		if d > 0 && d <= math.MaxFloat64 {
			sum += d
			count++
		}
	}
	for i, d := range deviations {
		if !(d >= 0 && d <= math.MaxFloat64) {
			deviations[i] = 1
			if count > 0 {
				deviations[i] = sum / count
			}
		}
	}
	return deviations
}

// divideColumns divides columns in proportion to weights, at least leastShare each, all but one even.
func divideColumns(columns int, weights []float64) []int {
	var sum float64
	largest := 0
	for i, w := range weights {
		sum += w
		if w > weights[largest] {
			largest = i
		}
	}
	shares := make([]int, len(weights))
	rest := columns - leastShare*len(weights)
	left := columns
	for i, w := range weights {
		shares[i] = leastShare
		if sum > 0 {
			// 1e-3: a whole number stays one despite rounding.
			shares[i] += int(float64(rest)*(w/sum)+1e-3) &^ 1
		}
		left -= shares[i]
	}
	shares[largest] += left
	return shares
}

// assemble returns the plan of the exact terms, and of the drawn terms with their shares.
func (p *planner) assemble(exact, drawn []*plannedTerm, shares []int) (*Plan, error) {
	plan := &Plan{kernel: p.kernel, in: p.in, sample: func() (*sample, error) { return p.sample, nil }}
	for _, t := range exact {
		plan.blocks = append(plan.blocks, block{term: t.term, recipe: t.exact})
	}
	var recipes []recipe
	for i, t := range drawn {
		r, err := t.recipe(shares[i])
		if err != nil {
			return nil, err
		}
		recipes = append(recipes, r)
		b := block{term: t.term, recipe: r}
		if t.exact != nil {
			b.exact = t.exact.columns
		}
		plan.blocks = append(plan.blocks, b)
	}
	plan.rmse = sync.OnceValue(func() float64 {
		var sum float64
		for i, t := range drawn {
			sum += t.mean(recipes[i])
		}
		return math.Sqrt(sum)
	})
	return plan, nil
}

// least returns the plan with the least number of columns, at most out, whose error is at most rmse.
func (p *planner) least(out int, rmse float64) (*Plan, error) {
	var best *Plan
	low, high := 0, math.MaxInt32 // low has too large an error or too few columns; high has not
	for n := leastShare; high-low > 1; {
		plan, err := p.plan(n)
		var few *TooFewError
		switch {
		case errors.As(err, &few):
			low, n = few.Need-1, few.Need
			continue
		case err != nil:
			return nil, err
		case math.IsNaN(plan.RMSE()):
			return nil, errors.New("featuremap: PlanOptions RMSE: the variance is not known, of a BlackBox, or of a kernel or Weight that is not finite on the points")
		case plan.RMSE() <= rmse:
			best, high = plan, n
		case n == math.MaxInt32:
			return nil, fmt.Errorf("featuremap: PlanOptions RMSE = %v: takes more than %d features", rmse, n)
		default:
			low = n
		}
		if best == nil {
			n = min(2*n, math.MaxInt32)
		} else {
			n = low + (high-low)/2
		}
	}
	if _, need := best.Dims(); need > out {
		return nil, &TooFewError{out, need}
	}
	return best, nil
}

// PlanOptions are the options of NewPlan; nil is the zero value.
type PlanOptions struct {
	// Points are rows like those the map is for. Terms share columns, and errors are predicted, by all
	// pairs of up to 300 of them, evenly spread (for Compositional maps by some 2,000 of these pairs).
	// Nil stands for points uniform on the unit sphere.
	Points mat.Matrix

	// RMSE, if positive, asks for the least number of features, at most out, whose predicted root mean
	// square error over these pairs is no larger, or a *TooFewError. If 0, the plan makes the best use of
	// out features.
	RMSE float64
}

// ErrTooFew: a plan needs more features than it may have. See TooFewError.
var ErrTooFew = errors.New("featuremap: too few features")

// A TooFewError gives the number of features needed. It wraps ErrTooFew.
type TooFewError struct {
	Out  int // the largest number allowed
	Need int // the least number needed
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("featuremap: out = %d: it takes at least %d features", e.Out, e.Need)
}

// Unwrap returns ErrTooFew.
func (e *TooFewError) Unwrap() error { return ErrTooFew }
