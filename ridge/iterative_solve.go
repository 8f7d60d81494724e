// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
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

// An iteration is a call of FitIterative. Vectors are those of features, less the mean c of all rows if there is an intercept; of
// landmarks passes take their raw features, and what goes in and out is changed here.
type iteration struct {
	o            *IterativeOptions
	phi          featuremap.FeatureMap
	raw          *raws // nil if there are none
	out, targets int
	p            *passer
	rows         int // those of weight 0 are not among them

	mean     []float64      // c; zeros without an intercept
	all, fit *equationsOf   // of all rows, and without those held back
	held     *equationsOf   // of the rows held back, less the means of the others
	noise    blas64.General // Φᵀε
	pre      *krylov.Preconditioner
	scale    float64 // about tr(ΦᵀΦ)/D
	left     float64 // the mean of what landmarks leave of k(x, x)

	lambda    float64
	now       *equationsOf // those that are solved
	solver    *krylov.Solver
	norms     []float64      // ‖b‖
	heldX     blas64.General // the sums over the rows held back, of the solution
	passes    int
	given     bool
	heldError []float64
}

func newIteration(phi featuremap.FeatureMap, from source, targets int, o *IterativeOptions) *iteration {
	f := &iteration{o: o, phi: phi, raw: rawsOf(phi), targets: targets, given: o.Lambda > 0}
	f.p = newPasser(summedBy(phi, f.raw), from, targets, o)
	f.out = f.p.out
	return f
}

// summedBy returns the map whose features are summed for those of phi, which may have raw ones.
func summedBy(phi featuremap.FeatureMap, raw *raws) featuremap.FeatureMap {
	if raw != nil {
		return raw.phi
	}
	return phi
}

// run makes all passes.
func (f *iteration) run() error {
	if err := f.p.firstPass(); err != nil {
		return err
	}
	if err := f.begin(); err != nil {
		return err
	}
	path := f.path()
	if f.o.Start != nil || f.given {
		return f.final(path[0], f.o.Start)
	}
	return f.search(path)
}

// begin makes the equations of the first pass.
func (f *iteration) begin() error {
	n := f.p.size()
	f.rows = n
	intercept := !f.o.NoIntercept
	var weight float64
	for _, s := range f.p.sums {
		if s != nil {
			weight += s.u[f.targets]
		}
	}
	switch {
	case n == 0:
		return errors.New("ridge: no rows: must be at least 1")
	case intercept && !(weight > 1):
		return fmt.Errorf("ridge: rows of weight %v: must be more than 1 with an intercept", weight)
	case f.p.hold && (f.p.sums[fitted].rows < 2 || f.p.sums[heldBack].rows < 1):
		return fmt.Errorf("ridge: %d rows are too few to hold some back and choose λ: give Lambda, or use Fit", n)
	}
	if err := validateSpans(f.p.spans, intercept, normal.Least); err != nil {
		return err
	}
	shift := f.whiten(f.p.centre)
	var parts [sets]*setSums
	for i, s := range f.p.sums {
		if s != nil {
			parts[i] = &setSums{g: slabs.New(s.g.Rows, f.out), u: slices.Clone(s.u), yy: slices.Clone(s.yy), rows: s.rows}
			copy(parts[i].g.Data, s.g.Data)
			f.whitenRows(parts[i].g)
		}
	}
	total := newSetSums(parts[0].g.Rows, f.out, f.targets)
	raw := slices.Clone(f.p.sums[0].g.Data[f.targets*f.p.sums[0].g.Stride:][:f.out])
	for i, s := range parts {
		if s != nil {
			total.add(s)
			if i > 0 {
				for k, v := range f.p.sums[i].g.Data[f.targets*s.g.Stride:][:f.out] {
					raw[k] += v
				}
			}
		}
	}
	e := newEquationsOf(total, f.targets, shift, f.p.level, intercept, nil)
	f.all = e
	f.mean = make([]float64, len(shift))
	if intercept {
		for k := range f.out {
			f.mean[k] = shift[k] + e.mean[k]
			f.p.centre[k] += raw[k] / weight
		}
	} else {
		f.p.centre = nil
	}
	if f.p.hold {
		f.fit = newEquationsOf(parts[fitted], f.targets, shift, f.p.level, intercept, nil)
		f.held = newEquationsOf(parts[heldBack], f.targets, shift, f.p.level, intercept, f.fit)
		if intercept { // means of features less that of all
			for k := range f.fit.mean {
				f.fit.mean[k] -= e.mean[k]
			}
		}
		f.fit.mean = ifAny(f.fit.mean, intercept)
	}
	f.noise = f.noiseOf(total, e)
	e.mean = nil
	return f.precondition(weight)
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

// whiten returns the features of a row that is summed.
func (f *iteration) whiten(v []float64) []float64 {
	w := slices.Clone(v[:f.out])
	if f.raw != nil {
		f.raw.u.SolveTransVec(w)
	}
	return w
}

// whitenRows makes sums of raw features sums of features.
func (f *iteration) whitenRows(g blas64.General) {
	if f.raw != nil && g.Rows > 0 {
		f.raw.u.SolveTransVecs(g)
	}
}

// multiply returns the sums Σw(φ − c)(φ − c)ᵀv of both sets, for each row v of some vectors: a pass.
func (f *iteration) multiply(v blas64.General) (g [sets]blas64.General, err error) {
	in := slabs.New(v.Rows, v.Cols)
	for i := range v.Rows {
		copy(in.Data[i*in.Stride:][:v.Cols], v.Data[i*v.Stride:])
	}
	if f.raw != nil {
		f.raw.u.SolveVecs(in)
	}
	if err := f.p.multiply(in); err != nil {
		return g, err
	}
	f.passes++
	for i, s := range f.p.sums {
		g[i] = slabs.New(v.Rows, v.Cols)
		if s != nil {
			copy(g[i].Data, s.g.Data)
			f.whitenRows(g[i])
		}
	}
	return g, nil
}

// product returns Av of the equations that are solved, from the sums of a pass.
func (f *iteration) product(v blas64.General, g [sets]blas64.General) blas64.General {
	q := slabs.New(v.Rows, v.Cols)
	copy(q.Data, g[fitted].Data)
	for i := range v.Rows {
		x, to := vector(v, i), vector(q, i)
		if f.now == f.all {
			for k, u := range vector(g[heldBack], i) {
				to[k] += u
			}
		}
		if d := f.now.mean; d != nil { // Σw(z − d)(z − d)ᵀ = Σwzzᵀ − Wddᵀ, as d is the mean
			axpy(to, -float64(f.now.weight*tiled.Dot(d, x)), d)
		}
		axpy(to, f.lambda, x)
	}
	return q
}

// vector returns row i of a.
func vector(a blas64.General, i int) []float64 { return a.Data[i*a.Stride:][:a.Cols] }

// axpy adds a·x to y.
func axpy(y []float64, a float64, x []float64) {
	for k, v := range x {
		y[k] = math.FMA(a, v, y[k])
	}
}

// residual returns the relative residual of right-hand side t.
func (f *iteration) residual(t int) float64 {
	if f.norms[t] == 0 {
		return 0
	}
	return krylov.Norm(vector(f.solver.R, t)) / f.norms[t]
}

// largest returns the largest residual of the targets.
func (f *iteration) largest() (r float64) {
	for t := range f.targets {
		r = max(r, f.residual(t))
	}
	return r
}

// least is the least residual that float64 can tell from 0. The iteration would go on to shrink what it holds for the residual.
const least = 0x1p-53

// active returns the right-hand sides that have not come to the tolerance.
func (f *iteration) active(tolerance float64) (active []int) {
	for t := range f.norms {
		limit := max(tolerance, least)
		if t >= f.targets {
			limit = max(tolerance, looseTolerance)
		}
		if !(f.residual(t) <= limit) {
			active = append(active, t)
		}
	}
	return active
}

// stall is the number of passes without a smaller residual after which a λ of a path is left, and otherwise the iteration where the residual is
// no more than rounding may be. Above that residuals may rise for long while the error shrinks.
const stall = 15

// solve goes on until all residuals are within a tolerance, no directions are left, or the passes are used up.
func (f *iteration) solve(tolerance float64) error {
	f.solver.Precondition = f.pre.At(f.lambda)
	best, since, most, path := math.Inf(1), 0, f.o.Passes, f.now != f.all
	if path {
		most -= most / 2 // the others are for the solution
	}
	for f.passes < most {
		if path && since >= stall || !path && !f.trusted() && (since >= stall || f.passes == most-1) {
			return nil // the last pass is for the true residual: see finish
		}
		active := f.active(tolerance)
		if len(active) == 0 {
			return nil
		}
		v := f.solver.Directions(active)
		if v.Rows == 0 {
			return nil
		}
		g, err := f.multiply(v)
		if err != nil {
			return err
		}
		alpha, used := f.solver.Take(f.product(v, g))
		if f.p.hold && f.now == f.fit {
			h := slabs.New(len(used), f.out)
			for i, k := range used {
				copy(vector(h, i), vector(g[heldBack], k))
			}
			slabs.Combine(f.heldX, h, alpha)
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

// progress reports a pass.
func (f *iteration) progress(r float64) error {
	if f.o.Progress == nil {
		return nil
	}
	if err := f.o.Progress(f.passes, r); err != nil {
		return &Interrupted{newModel(f.phi, f.numbers()), err}
	}
	return nil
}

// start makes the solver for some equations, from x, whose sums ΦᵀΦx are gx; both are nil for 0.
func (f *iteration) start(e *equationsOf, b, x, gx blas64.General) {
	f.now = e
	f.norms = f.norms[:0]
	r := slabs.New(b.Rows, b.Cols)
	for t := range b.Rows {
		f.norms = append(f.norms, krylov.Norm(vector(b, t)))
		copy(vector(r, t), vector(b, t))
		if t < gx.Rows {
			for k, v := range vector(gx, t) {
				r.Data[t*r.Stride+k] -= v
			}
			axpy(vector(r, t), -f.lambda, vector(x, t))
		}
	}
	full := slabs.New(b.Rows, b.Cols)
	copy(full.Data, x.Data[:x.Rows*x.Stride])
	f.solver = &krylov.Solver{X: full, R: r}
}

// final solves for all rows, from a start that may be nil.
func (f *iteration) final(lambda float64, from *Model) error {
	f.lambda = lambda
	b := f.rightHandSides()
	if from == nil {
		f.start(f.all, b, blas64.General{}, blas64.General{})
		if err := f.progress(f.largest()); err != nil {
			return err
		}
		return f.finish(b)
	}
	x := slabs.New(f.targets, f.out)
	for t := range f.targets {
		copy(vector(x, t), from.weight(t, f.out))
	}
	f.start(f.all, b, blas64.General{}, blas64.General{})
	if s := from.iterative; s.samples(f.out) == f.o.Samples && f.o.Samples > 0 {
		x = slabs.New(f.targets+f.o.Samples, f.out)
		for t := range x.Rows {
			if t < f.targets {
				copy(vector(x, t), from.weight(t, f.out))
			} else {
				copy(vector(x, t), s.deltas[(t-f.targets)*f.out:])
			}
		}
	}
	g, err := f.multiply(x)
	if err != nil {
		return err
	}
	f.start(f.all, b, x, f.both(g))
	if err := f.progress(f.largest()); err != nil {
		return err
	}
	return f.finish(b)
}

// both returns the sums over both sets.
func (f *iteration) both(g [sets]blas64.General) blas64.General {
	if f.p.hold {
		for k, v := range g[heldBack].Data {
			g[fitted].Data[k] += v
		}
	}
	return g[fitted]
}

// rightHandSides returns Φᵀy of all rows, and Φᵀε + √λ·ζ for the samples.
func (f *iteration) rightHandSides() blas64.General {
	b := slabs.New(f.targets+f.o.Samples, f.out)
	copy(b.Data, f.all.b.Data)
	zeta, root := featuremap.NewSampler(1), math.Sqrt(f.lambda)
	for s := range f.o.Samples {
		to := vector(b, f.targets+s)
		zeta.FillNormal(to)
		for k, v := range vector(f.noise, s) {
			to[k] = math.FMA(root, to[k], v)
		}
	}
	return b
}

// finish solves to the tolerance. Where rounding may keep the true residual above it, it looks at that, and goes on from there as long
// as this gains anything.
func (f *iteration) finish(b blas64.General) error {
	before := math.Inf(1)
	var best *krylov.Solver
	for {
		if err := f.solve(f.o.Tolerance); err != nil {
			return err
		}
		if f.trusted() || f.passes >= f.o.Passes {
			return nil
		}
		g, err := f.multiply(f.solver.X)
		if err != nil {
			return err
		}
		f.start(f.all, b, f.solver.X, f.both(g))
		r := f.largest()
		if r >= before && best != nil {
			f.solver = best
			return nil
		}
		if len(f.active(f.o.Tolerance)) == 0 || r > before/2 {
			return nil
		}
		before = r
		best = &krylov.Solver{X: clone(f.solver.X), R: clone(f.solver.R)}
	}
}

func clone(a blas64.General) blas64.General {
	a.Data = slices.Clone(a.Data)
	return a
}

// trusted tells whether rounding is well below the residual or the tolerance, so that residuals need not be computed anew.
func (f *iteration) trusted() bool {
	size := float64(f.scale*float64(f.out)) + f.lambda
	for t := range f.targets {
		limit := float64(max(f.o.Tolerance, f.residual(t)) * f.norms[t])
		if x := krylov.Norm(vector(f.solver.X, t)); float64(16*0x1p-52*size*x) > limit {
			return false
		}
	}
	return true
}

// numbers returns the model so far.
func (f *iteration) numbers() numbers {
	x := f.solver.X
	n := numbers{
		rows: f.rows, ridges: []ridge{{lambda: f.lambda}}, of: make([]int, f.targets), evidence: nan, given: f.given, left: f.left,
		weights: make([]float64, f.targets*f.out), intercept: make([]float64, f.targets), noise: make([]float64, f.targets),
	}
	if f.all.weight != float64(n.rows) {
		n.total = f.all.weight
	}
	it := &iterated{residual: f.largest(), tolerance: f.o.Tolerance, passes: f.passes, heldError: f.heldError}
	if f.p.hold {
		it.held = f.held.rows
	}
	n.iterative = it
	freedom := f.now.weight
	if !f.o.NoIntercept {
		n.mean = slices.Clone(f.mean)
		if freedom--; !(freedom > 0) {
			freedom = f.now.weight
		}
	}
	for t := range f.targets {
		w := vector(x, t)
		copy(n.weights[t*f.out:], w)
		left := f.now.yy[t] - tiled.Dot(vector(f.now.b, t), w)
		left -= tiled.Dot(w, vector(f.solver.R, t))
		n.noise[t] = max(left, 0x1p-52*f.now.yy[t]) / freedom
		n.intercept[t] = f.all.level[t]
		if n.mean != nil {
			n.intercept[t] -= tiled.Dot(n.mean, w)
		}
	}
	for s := f.targets; s < x.Rows; s++ {
		it.deltas = append(it.deltas, vector(x, s)...)
	}
	return n
}
