// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

// New returns the map that suits k best, R^in to at most out features (Dims says how many), with
// weights drawn from a Split of s. For each term of the sum that k is, it asks in this order:
//
//   - Are there exact features, and do they fit? For constants one, for ⟨x, y⟩, its multiples
//     and Quadratic as many as coordinates (or rows of the matrix), for FromMap the map's, for
//     Circle two, for Categories N.
//   - Is it stationary? A Fourier map of pairs, with the Orthogonal design for the radial kernels
//     of the package and what is made of them. (For points of hundreds of coordinates NewFourier
//     with Structured is faster.)
//   - Is it a dot product kernel? A Maclaurin map with OptimalLaw, for points of norm r with
//     r² = 1, or R/√8 if that is less, R the radius of convergence, and ExactLow if its columns take
//     no more than half of the features; with TensorSRHT from 64 coordinates on.
//   - Is it an ArcCosine? Neurons.
//   - Is it an expression of such, or the kernel of a Skeleton? A Compositional map of as many
//     draws as their distinct features are expected to fit.
//
// Otherwise it returns ErrNoMap. A kernel of one term that is not exact gets the map itself, with
// all its methods. A sum gets the features of its terms side by side, exact ones first, then
// the others in the order of the terms: its exact terms are reproduced exactly. What exact features
// leave of out is shared in proportion to the terms' standard deviations per feature, the best
// for independent terms: root mean squares of exact variances over pairs of points uniform on the
// unit sphere of R^in, the same ones always, on which small maps of the terms are drawn: a Weight's
// function and a BlackBox's Draw are called for it. (So the points should be scaled to norms of about
// 1, or the shares are not the best, which costs features and no bias.)
//
// A Weight multiplies the features of its kernel. Products of stationary kernels take one
// frequency for each feature, not a tensor product.
//
// The map is a Variancer unless it has a BlackBox. Its Variance is exact where that of its terms
// is.
//
// It returns an error, and leaves s as it was, if k or s is nil, if a parameter of k is refused,
// if in or out is less than 1, if in is not what k takes, if out is too small for one feature of
// each term, or a pair, or for what the constructor of a term's map refuses.
func New(k Kernel, in, out int, s *Sampler) (FeatureMap, error) {
	if err := validateArguments(k, in, out, s); err != nil {
		return nil, err
	}
	c := composer{k: k, in: in, out: out}
	if err := c.plan(); err != nil {
		return nil, err
	}
	before := *s
	m, err := c.build(s.Split())
	if err != nil {
		*s = before
		return nil, err
	}
	return m, nil
}

// validateArguments checks what constructors of maps take.
func validateArguments(k Kernel, in, out int, s *Sampler) error {
	switch {
	case s == nil:
		return fmt.Errorf("featuremap: sampler s = nil")
	case in < 1:
		return fmt.Errorf("featuremap: in = %d: must be at least 1", in)
	case out < 1:
		return fmt.Errorf("featuremap: out = %d: must be at least 1", out)
	}
	if err := validateMemory(in, out); err != nil {
		return err
	}
	return validateKernel(k, in)
}

// validateMemory refuses a point and its features that the memory does not hold.
func validateMemory(in, out int) error {
	if limit := memory.Limit(); 8*(float64(in)+float64(out)) > float64(limit) {
		return fmt.Errorf("featuremap: out = %d with in = %d: must fit in memory, which has %.3g bytes", out, in, float64(limit))
	}
	return nil
}

// A composer makes the map of a kernel.
type composer struct {
	k       Kernel
	in, out int

	exact  []block
	terms  []term // that have no exact features
	shares []int  // of the terms, in columns
}

// leastShare is the least number of columns of a term that is drawn.
const leastShare = 2

// plan decides on the terms and their shares.
func (c *composer) plan() error {
	left := c.out
	terms := termsOf(c.k, nil)
	for i, t := range terms {
		// A term that is drawn, or may be, keeps its least share.
		reserve := leastShare * len(c.terms)
		for _, later := range terms[i+1:] {
			if b, ok := later.exact(c.in, c.out); !ok {
				reserve += leastShare
			} else {
				reserve += min(b.columns, leastShare)
			}
		}
		if b, ok := t.exact(c.in, left-reserve); ok {
			c.exact = append(c.exact, b)
			left -= b.columns
			continue
		}
		c.terms = append(c.terms, t)
	}
	if len(c.terms) == 0 {
		return nil
	}
	least := leastShare * len(c.terms)
	if len(c.terms) == 1 && len(c.exact) == 0 {
		least = 1
	}
	if left < least {
		return fmt.Errorf("featuremap: out = %d: %d exact features and %d terms that are drawn take at least %d",
			c.out, c.out-left, len(c.terms), c.out-left+least)
	}
	return c.share(left)
}

// share sets the shares of the terms.
func (c *composer) share(columns int) error {
	if len(c.terms) == 1 {
		c.shares = []int{columns}
		return nil
	}
	deviations := make([]float64, len(c.terms))
	var sum, known float64
	for i, t := range c.terms {
		d, err := t.deviation(c.in)
		if err != nil {
			return err
		}
		deviations[i] = d
		if d > 0 && d <= math.MaxFloat64 {
			sum += d
			known++
		}
	}
	for i, d := range deviations {
		if !(d >= 0 && d <= math.MaxFloat64) { // not known: as the mean of the others
			deviations[i] = 1
			if known > 0 {
				deviations[i] = sum / known
			}
		}
	}
	c.shares = divideColumns(columns, deviations)
	return nil
}

// divideColumns divides columns in proportion to weights, each at least leastShare and all but
// one even.
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
			// What is a whole number but for rounding is that number.
			shares[i] += int(float64(rest)*(w/sum)+1e-3) &^ 1
		}
		left -= shares[i]
	}
	shares[largest] += left
	return shares
}

// pilotColumns is the number of drawn features of the maps that tell the terms' deviations.
const pilotColumns = 64

// deviation returns the root mean square error of a term's map at points of the unit sphere,
// times the root of its columns.
func (t term) deviation(in int) (float64, error) {
	m, err := t.draw(in, pilotColumns+in+1, NewSampler(0))
	if err != nil {
		return 0, err
	}
	v, ok := m.(Variancer)
	if !ok || !knowsVariance(m) {
		return math.NaN(), nil
	}
	_, out := m.Dims()
	if mac, ok := m.(*Maclaurin); ok {
		out -= mac.exact()
	}
	const pairs = 16
	s := NewSampler(1)
	x, y := make([]float64, in), make([]float64, in)
	var sum float64
	b := block{drawn: v.(FeatureMap), weight: t.weight}
	for range pairs {
		onSphereFill(x, s)
		onSphereFill(y, s)
		sum += b.variance(x, y)
	}
	return coarse(math.Sqrt(sum / pairs * float64(out))), nil
}

// coarse rounds to 16 bits: variances have no promise of bits, and the shares of columns that follow
// from them must not depend on the last ones.
func coarse(v float64) float64 {
	const lost = 52 - 16
	return math.Float64frombits((math.Float64bits(v) + 1<<(lost-1)) &^ (1<<lost - 1))
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

// build draws the map.
func (c *composer) build(s *Sampler) (FeatureMap, error) {
	if len(c.exact) == 0 && len(c.terms) == 1 && c.terms[0].weight == nil {
		m, err := c.terms[0].draw(c.in, c.shares[0], s)
		if err != nil {
			return nil, err
		}
		if own, ok := m.(*Compositional); ok {
			own.of = c.k
		}
		if knowsVariance(m) {
			return m, nil
		}
		return newAssembly(c.k, c.in, []block{drawnBlock(m, nil)}), nil
	}
	blocks := c.exact
	for i, t := range c.terms {
		m, err := t.draw(c.in, c.shares[i], s.Split())
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, drawnBlock(m, t.weight))
	}
	return newAssembly(c.k, c.in, blocks), nil
}

// draw draws the map of a term, without its weight, in at most so many columns.
func (t term) draw(in, out int, s *Sampler) (FeatureMap, error) {
	base := bind(t.k, in)
	if p, ok := base.(projector); ok {
		_, base = p.projection()
	}
	switch base := pointee(base).(type) {
	case Stationary:
		opts := &FourierOptions{RandomPhase: out == 1}
		if isOwnRadial(base) {
			opts.Design = Orthogonal
		}
		if out > 1 {
			out &^= 1
		}
		return asMap(NewFourier(t.k, in, out, s, opts))
	case DotProduct:
		return newBestMaclaurin(t.k, base.Series(), in, out, s)
	case ArcCosine:
		return asMap(NewNeurons(t.k, in, out, s))
	}
	if k, ok := t.k.(skeletonKernel); ok {
		return newFittingCompositional(&Skeleton{in: in, nodes: k.nodes}, out, s)
	}
	sk := NewSkeleton(in)
	sk.Input(t.k)
	return newFittingCompositional(sk, out, s)
}

// isOwnRadial tells whether a kernel is one of the package's radial ones, or made of them. A caller's
// that embeds one may have frequencies of its own.
func isOwnRadial(k Kernel) bool {
	all := func(ks []Stationary) bool {
		for _, k := range ks {
			if !isOwnRadial(k) {
				return false
			}
		}
		return true
	}
	switch k := k.(type) {
	case Gaussian, Matern, RationalQuadratic, Constant, *Gaussian, *Matern, *RationalQuadratic, *Constant:
		return true
	case radialSum:
		return all(k.ks)
	case radialProduct:
		return all(k.ks)
	case radialComposition:
		return isOwnRadial(k.k)
	}
	return false
}

// asMap returns a map and an error as New does.
func asMap[M FeatureMap](m M, err error) (FeatureMap, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// newBestMaclaurin returns the Maclaurin map that New describes.
func newBestMaclaurin(k Kernel, f Series, in, out int, s *Sampler) (FeatureMap, error) {
	opts := &MaclaurinOptions{Law: OptimalLaw{}}
	if r := f.Radius(); r < 2*math.Sqrt2 { // √2·Norm² is half of it
		opts.Law = OptimalLaw{Norm: math.Sqrt(r / 2 / math.Sqrt2)}
	}
	if in >= 64 {
		opts.Sketch = TensorSRHT
	}
	opts.ExactLow = 2*(term{k: k}.dim(in)+1) <= out
	m, err := NewMaclaurin(k, in, out, s, opts)
	if err != nil && opts.ExactLow {
		opts.ExactLow = false
		return asMap(NewMaclaurin(k, in, out, s, opts))
	}
	return asMap(m, err)
}

// newFittingCompositional returns the map of as many draws as fit in out columns. Their number is
// found on draws of another stream, so that the features of the map do not decide on it, which
// would bias them. The number of different features varies by no more than the root of its mean
// (whether one is drawn is negatively associated with whether others are: Dubhashi and Ranjan
// 1998), that of columns by √2 times the root of its own, and six times that is left free.
func newFittingCompositional(sk *Skeleton, out int, s *Sampler) (FeatureMap, error) {
	if out == 1 {
		return asMap(NewCompositional(sk, 1, s, &CompositionalOptions{RandomPhase: true}))
	}
	draws, err := fittingDraws(sk, out)
	if err != nil {
		return nil, noMap(err)
	}
	before := *s
	m, err := NewCompositional(sk, draws, s, nil)
	if err != nil {
		return nil, noMap(err)
	}
	if _, columns := m.Dims(); columns > out { // with a probability of some 1e-9
		*s = before
		return asMap(NewCompositional(sk, out/2, s, nil))
	}
	return m, nil
}

// fittingDraws returns a number of draws, from out/2, which fit in any case, to 64·out.
func fittingDraws(sk *Skeleton, out int) (int, error) {
	fits := func(draws int) (bool, error) {
		m, err := NewCompositional(sk, draws, NewSampler(2), nil)
		if err != nil {
			return false, err
		}
		_, columns := m.Dims()
		if m.Distinct() == draws && columns == draws { // real and never the same, as a BlackBox's
			return columns <= out, nil
		}
		return float64(columns)+6*math.Sqrt(2*float64(columns)) <= float64(out), nil
	}
	low, high := out/2, out/2
	for ok := true; ok && high < 64*out; {
		var err error
		low, high = high, 2*high
		if ok, err = fits(high); err != nil {
			return 0, err
		}
	}
	// Between a number that fits and one that may not, to a per cent.
	for high-low > max(1, low/100) {
		middle := low + (high-low)/2
		ok, err := fits(middle)
		switch {
		case err != nil:
			return 0, err
		case ok:
			low = middle
		default:
			high = middle
		}
	}
	return low, nil
}

// noMap wraps ErrNoMap, if that is not there.
func noMap(err error) error {
	if errors.Is(err, ErrNoMap) || errors.Is(err, ErrNotPSD) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoMap, err)
}
