// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/krylov"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// An iteration is the state of a call of FitIterative. Vectors are for features minus the mean c of all rows if there
// is an intercept. For landmarks passes take their raw features, and what goes in and out is converted here.
type iteration struct {
	o            *IterativeOptions
	phi          featuremap.FeatureMap
	raw          *raws // nil if the map has no raw features
	out, targets int
	p            *passer
	rows         int // without those of weight 0

	mean        []float64      // c; zeros without an intercept
	all         *equationsOf   // for features without the mean
	noise       blas64.General // Φᵀε
	pre         *krylov.Preconditioner
	pilot       *pilot  // of the sample; nil if no row was kept
	half        *pilot  // of every second row of the sample
	traces      []trace // of the sample
	undecided   []*undecided
	sampleTakes []float64 // λ that the sample would take for each target, while all rows decide; nil before and afterwards
	sampled     int       // number of rows in the sample
	sampleRows  []keptRow // the rows
	mostFew     int       // features, with which more rows choose λ
	scale       float64   // about tr(ΦᵀΦ)/D
	left        float64   // mean of what landmarks miss of k(x, x)
	lefts       []float64 // what they miss at the rows of the sample
	leftWeights []float64 // of these rows
	known       *noise    // nil if the noise is not known
	floor       float64   // up to this λ the noise variance is the likeliest one, if that is larger than the known one

	systems []*system
	passes  int
	given   bool
}

func newIteration(phi featuremap.FeatureMap, from source, o *IterativeOptions) *iteration {
	f := &iteration{o: o, phi: phi, raw: rawsOf(phi), given: o.Lambda > 0, mostFew: mostFew}
	f.p = newPasser(summedBy(phi, f.raw), phi, from, o)
	f.out = f.p.out
	return f
}

// summedBy returns the map whose features are summed for phi, which may have raw features.
func summedBy(phi featuremap.FeatureMap, raw *raws) featuremap.FeatureMap {
	if raw != nil {
		return raw.phi
	}
	return phi
}

// run makes all passes.
func (f *iteration) run() error {
	if err := f.firstPass(); err != nil {
		return err
	}
	if err := f.begin(); err != nil {
		return err
	}
	return f.fit()
}

// firstPass makes the first pass, which determines the number of targets.
func (f *iteration) firstPass() error {
	return f.p.firstPass(func(targets int) error {
		f.targets = targets
		return f.o.validateTargets(f.phi, targets)
	})
}

// fit chooses λ and makes all passes after the first.
func (f *iteration) fit() error {
	lambdas, err := f.lambdas()
	if err != nil {
		return err
	}
	if f.o.Tolerance == 0 && f.pilot == nil {
		f.o.Tolerance = defaultTolerance
	}
	different := len(slices.Compact(slices.Sorted(slices.Values(lambdas))))
	if err := f.o.validateMemory(f.out, f.targets, different); err != nil {
		return err
	}
	decided := f.systems != nil
	f.separate(lambdas, f.o.Samples)
	f.free()
	f.pilot, f.half = nil, nil
	if !decided {
		if err := f.start(); err != nil {
			return err
		}
	}
	return f.finish()
}

// begin makes the equations of the first pass.
func (f *iteration) begin() error {
	n := f.p.size()
	f.rows = n
	intercept := !f.o.NoIntercept
	weight := f.p.sums.u[f.targets]
	switch {
	case n == 0:
		return errors.New("ridge: no rows: must be at least 1")
	case intercept && !(weight > 1):
		return fmt.Errorf("ridge: rows of weight %v: must be more than 1 with an intercept", weight)
	}
	if err := validateBeyond(f.p.beyond, n, f.o.Beyond); err != nil {
		return err
	}
	if err := validateSpans(f.p.spans, intercept, normal.Least); err != nil {
		return err
	}
	shift := f.whiten(f.p.center)
	sums := &setSums{g: slabs.New(f.p.sums.g.Rows, f.out), u: slices.Clone(f.p.sums.u), yy: slices.Clone(f.p.sums.yy)}
	copy(sums.g.Data, f.p.sums.g.Data)
	f.whitenRows(sums.g)
	e := newEquationsOf(sums, f.targets, shift, f.p.level, intercept)
	f.all = e
	f.mean = make([]float64, len(shift))
	if intercept {
		raw := vector(f.p.sums.g, f.targets)
		for k := range f.out {
			f.mean[k] = shift[k] + e.mean[k]
			f.p.center[k] += raw[k] / weight
		}
	} else {
		f.p.center = nil
	}
	f.noise = f.noiseOf(sums, e)
	e.mean = nil
	f.precondition(weight)
	return nil
}

// noiseOf returns Φᵀε of all rows.
func (f *iteration) noiseOf(total *setSums, e *equationsOf) blas64.General {
	noise := slabs.New(f.o.Samples, f.out)
	for s := range noise.Rows {
		at := f.targets + 1 + s
		for k := range f.out {
			noise.Data[s*noise.Stride+k] = math.FMA(-e.mean[k], total.u[at], total.g.Data[at*total.g.Stride+k])
		}
	}
	return noise
}

// whiten turns a summed row of features into features of the map.
func (f *iteration) whiten(v []float64) []float64 {
	w := slices.Clone(v[:f.out])
	if f.raw != nil {
		f.raw.u.SolveTransVec(w)
	}
	return w
}

// whitenRows turns sums of raw features into sums of features.
func (f *iteration) whitenRows(g blas64.General) {
	if f.raw != nil && g.Rows > 0 {
		f.raw.u.SolveTransVecs(g)
	}
}

// multiply returns the sums Σw(φ − c)(φ − c)ᵀv for each row v of some vectors: a pass.
func (f *iteration) multiply(v blas64.General) (g blas64.General, err error) {
	in := slabs.New(v.Rows, v.Cols)
	for i := range v.Rows {
		copy(in.Data[i*in.Stride:][:v.Cols], v.Data[i*v.Stride:])
	}
	if f.raw != nil {
		f.raw.u.SolveVecs(in)
	}
	if err := f.p.multiply(in); err != nil {
		if _, ok := err.(*yieldedError); ok && f.passes > 0 {
			err = f.interrupted(err)
		}
		return g, err
	}
	f.passes++
	g = slabs.New(v.Rows, v.Cols)
	copy(g.Data, f.p.sums.g.Data)
	f.whitenRows(g)
	return g, nil
}

// vector returns row i of a.
func vector(a blas64.General, i int) []float64 { return a.Data[i*a.Stride:][:a.Cols] }

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	for k, v := range x {
		y[k] = math.FMA(a, v, y[k])
	}
}

// least is the least residual that float64 can tell from 0. Below it, the iteration would only shrink the rounding
// errors of its residual.
const least = 0x1p-53

// stall is the number of passes without a smaller residual after which the iteration ends, if the residual is no more
// than rounding may be. Above that, residuals may rise for long while the error shrinks.
const stall = 15

// solve goes on until all systems are solved, no directions are left, or the passes are used up.
func (f *iteration) solve() error {
	best, since := math.Inf(1), 0
	for f.passes < f.o.Passes {
		if !f.trusted() && (since >= stall || f.passes == f.o.Passes-1) {
			return nil // the last pass is for the true residual: see finish
		}
		more, err := f.step()
		if !more || err != nil {
			return err
		}
		r := f.largest()
		if since++; r < 0.9*best {
			best, since = r, 0
		}
		if err := f.progress(r); err != nil {
			return err
		}
	}
	return nil
}

// step makes a pass with the next directions of all systems, and reports whether there were any.
func (f *iteration) step() (more bool, err error) {
	var directions []blas64.General
	var all blas64.General
	for _, s := range f.systems {
		d := s.directions(f.o.Tolerance)
		directions = append(directions, d)
		all.Rows += d.Rows
	}
	if all.Rows == 0 {
		return false, nil
	}
	all = slabs.New(all.Rows, f.out)
	row := 0
	for _, d := range directions {
		for i := range d.Rows {
			copy(vector(all, row), vector(d, i))
			row++
		}
	}
	g, err := f.multiply(all)
	if err != nil {
		return false, err
	}
	row = 0
	for i, s := range f.systems {
		if d := directions[i]; d.Rows > 0 {
			s.take(rowsAt(g, row, d.Rows), d)
			row += d.Rows
		}
	}
	return true, nil
}

// rowsAt returns a copy of some rows of a.
func rowsAt(a blas64.General, first, count int) blas64.General {
	b := slabs.New(count, a.Cols)
	copy(b.Data, a.Data[first*a.Stride:][:count*a.Stride])
	return b
}

// largest returns the largest residual of the targets.
func (f *iteration) largest() (r float64) {
	for _, s := range f.systems {
		for t := range s.targets {
			r = max(r, s.residual(t))
		}
	}
	return r
}

// progress calls Progress after a pass.
func (f *iteration) progress(r float64) error {
	if f.o.Progress == nil {
		return nil
	}
	if err := f.o.Progress(f.passes, r); err != nil {
		return f.interrupted(err)
	}
	return nil
}

// interrupted returns an error with the solution so far.
func (f *iteration) interrupted(err error) error {
	if f.sampleTakes != nil {
		f.separate(f.sampleTakes, 0)
	}
	return &InterruptedError{newModel(f.phi, f.numbers()), err}
}

// start starts the systems, from Start if there is one.
func (f *iteration) start() error {
	if from := f.o.Start; from != nil {
		for _, s := range f.systems {
			s.from(from, f.o.Samples)
		}
		if err := f.renew(); err != nil {
			return err
		}
	}
	return f.progress(f.largest())
}

// renew computes the residuals of the solutions so far from scratch: a pass.
func (f *iteration) renew() error {
	all := slabs.New(0, f.out)
	for _, s := range f.systems {
		all.Data = append(all.Data, s.solver.X.Data[:s.solver.X.Rows*all.Stride]...)
		all.Rows += s.solver.X.Rows
	}
	g, err := f.multiply(all)
	if err != nil {
		return err
	}
	row := 0
	for _, s := range f.systems {
		s.begin(s.solver.X, rowsAt(g, row, s.b.Rows))
		row += s.b.Rows
	}
	return nil
}

// finish solves all systems. If rounding may keep true residuals above the tolerance, it computes these, and continues
// from there while that gains anything.
func (f *iteration) finish() error {
	before := math.Inf(1)
	var best []*krylov.Solver
	for {
		if err := f.solve(); err != nil {
			return err
		}
		if f.trusted() || f.passes >= f.o.Passes {
			return nil
		}
		if err := f.renew(); err != nil {
			return err
		}
		r := f.largest()
		if r >= before && best != nil {
			for i, s := range f.systems {
				s.solver = best[i]
			}
			return nil
		}
		if f.solved() || r > before/2 {
			return nil
		}
		before, best = r, nil
		for _, s := range f.systems {
			best = append(best, &krylov.Solver{X: clone(s.solver.X), R: clone(s.solver.R)})
		}
	}
}

func clone(a blas64.General) blas64.General {
	a.Data = slices.Clone(a.Data)
	return a
}

// solved reports whether all systems are solved.
func (f *iteration) solved() bool {
	return !slices.ContainsFunc(f.systems, func(s *system) bool { return len(s.active(f.o.Tolerance)) > 0 })
}

// settled reports whether the targets are solved.
func (f *iteration) settled() bool {
	for _, s := range f.systems {
		if active := s.active(f.o.Tolerance); len(active) > 0 && active[0] < len(s.targets) {
			return false
		}
	}
	return true
}

// trusted reports whether rounding is well below the residuals or the tolerance, so that residuals need not be computed
// again.
func (f *iteration) trusted() bool {
	for _, s := range f.systems {
		size := float64(f.scale*float64(f.out)) + s.lambda
		for t := range s.targets {
			limit := float64(max(f.o.Tolerance, s.residual(t)) * s.norms[t])
			if x := krylov.Norm(vector(s.solver.X, t)); float64(16*0x1p-52*size*x) > limit && !s.settled[t] {
				return false
			}
		}
	}
	return true
}

// numbers returns the model so far.
func (f *iteration) numbers() numbers {
	n := numbers{
		rows: f.rows, of: make([]int, f.targets), evidence: nan, given: f.given, left: f.left, beyond: f.p.beyond,
		weights: make([]float64, f.targets*f.out), intercept: make([]float64, f.targets), noise: make([]float64, f.targets),
	}
	if f.all.weight != float64(n.rows) {
		n.total = f.all.weight
	}
	if f.known != nil {
		n.known, n.unit = true, cmp.Or(f.known.variance, 1)
	}
	if !f.o.NoIntercept {
		n.mean = slices.Clone(f.mean)
	}
	n.iterative = &iterated{residual: f.largest(), tolerance: f.o.Tolerance, passes: f.passes}
	if !f.given {
		n.iterative.held = f.sampled
	}
	if f.o.Tolerance == 0 && f.settled() {
		n.iterative.tolerance = n.iterative.residual
	}
	for k, s := range f.systems {
		n.ridges = append(n.ridges, ridge{lambda: s.lambda, free: s.free})
		for i, t := range s.targets {
			w := vector(s.solver.X, i)
			copy(n.weights[t*f.out:], w)
			n.of[t], n.noise[t], n.intercept[t] = k, f.variance(s, i), f.all.level[t]
			if f.known != nil {
				known := normal.Noise{Variance: f.known.variance, Least: f.floor}
				n.fits(known.Misfit(f.likeliest(s, i), f.all.variances[t], s.lambda), f.freedom())
			}
			if n.mean != nil {
				n.intercept[t] -= tiled.Dot(n.mean, w)
			}
		}
		for i := len(s.targets); i < s.solver.X.Rows; i++ {
			n.iterative.deltas = append(n.iterative.deltas, vector(s.solver.X, i)...)
		}
	}
	squares := make([]float64, f.targets)
	for t, s := range f.all.yy {
		squares[t] = s / f.all.weight
	}
	n.boundPrior(squares, float64(f.scale*float64(f.out))/f.all.weight+f.left)
	if n.domain = domainOf(f.phi) != nil; n.spreadMatters() {
		n.setParts(f.lefts, f.leftWeights)
	}
	return n
}

// variance returns σ² of a target of a system.
func (f *iteration) variance(s *system, i int) float64 {
	likeliest := f.likeliest(s, i)
	switch k := f.known; {
	case k == nil:
		return likeliest
	case s.lambda <= f.floor:
		return max(likeliest, k.variance)
	default:
		return k.variance
	}
}

// likeliest returns the likeliest σ² of a target of a system.
func (f *iteration) likeliest(s *system, i int) float64 {
	return max(s.objective(i), 0x1p-52*s.yy[i]) / f.freedom()
}

// freedom returns the denominator of σ², by which a sum of squares is divided.
func (f *iteration) freedom() float64 {
	if w := f.all.weight; f.o.NoIntercept || !(w > 1) {
		return w
	}
	return f.all.weight - 1
}
