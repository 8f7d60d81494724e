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

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// Options are the options of Fit; nil stands for the zero value. With many features FitIterative takes less time and memory.
type Options struct {
	// Lambda is the ridge λ, which is added to the diagonal of ΦᵀΦ. If 0, Criterion chooses one from Path.
	Lambda float64

	// Path lists the λ to choose from, in any order; nil: 13 powers of ten, from 1e-6 to 1e6, times tr(ΦᵀΦ)/D (of features minus their
	// mean, unless NoIntercept is set; 1 if the trace is 0). A λ of 0 is least squares. Not all may be tried: see docs/theory/lambda.md.
	Path      []float64
	Criterion Criterion // how λ is chosen from Path
	Side      Side      // whether to solve for features or for rows (in the function Fit only)

	// SharedLambda chooses one λ for all targets; Fit and FitBatches always do so for Labels. Otherwise each different λ takes a matrix of its
	// own: at most 13 matrices and 2 GB.
	SharedLambda bool

	// NoiseVariance is the variance of known noise: one number for all rows (0: none), or, in the function Fit, one for each row. λ is then 1/τ, for
	// weights with prior variance τ: see docs/theory/lambda.md. Model.String warns if too few features cause errors far above the noise.
	NoiseVariance []float64

	// Weights are the weights of the rows of x, in the function Fit only; nil: 1 each. See Accumulator.AddWeighted.
	Weights []float64

	// NoIntercept leaves out the intercept. An intercept is not penalized; features and targets are centered for it.
	NoIntercept bool

	// Beyond allows any number of rows outside the map's domain: see BeyondError.
	Beyond bool

	// Intervals are the options of Model.Interval; nil: the zero value, except that too few rows are then no error. Labels have no intervals.
	Intervals *IntervalOptions

	// Progress, if not nil, is called with the number of rows so far: by the function Fit every 144 rows, and by both Fits before each λ
	// that is tried and each part of leave-one-out. If it returns an error, the work stops, and the error is returned, wrapped.
	Progress func(rows int) error

	labels bool // targets are those of Labels

	//lint:ignore U1000 linear.Of finds it
	hiddenOptions
}

// hiddenOptions are those that other packages of the module set.
//
//lint:ignore U1000 it is embedded for linear.Of
type hiddenOptions = linear.Hidden[linear.RidgeOptions]

// orZero returns the options, those of nil, with the path of the λ that each target is given.
func (o *Options) orZero() Options {
	if o == nil {
		return Options{}
	}
	v := *o
	if each := linear.Of(o).Each; each != nil {
		v.Path = slices.Clone(each)
	}
	return v
}

// validate refuses a λ that is negative or not finite, an empty path, a λ together with a path, and an unknown
// criterion.
func (o *Options) validate() error {
	switch {
	case o.Lambda != 0 && o.Path != nil:
		return fmt.Errorf("ridge: Lambda = %v and a Path: must be one of them", o.Lambda)
	case !validLambda(o.Lambda):
		return fmt.Errorf("ridge: Lambda = %v: must be finite and at least 0", o.Lambda)
	case tinyLambda(o.Lambda):
		return fmt.Errorf("ridge: Lambda = %v: must be 0 or at least 2^-1000", o.Lambda)
	case o.Path != nil && len(o.Path) == 0:
		return errors.New("ridge: Path is empty: must be nil or have an element")
	case o.Side < AutoSide || o.Side > RowSide:
		return fmt.Errorf("ridge: Side = %d: must be AutoSide, FeatureSide or RowSide", o.Side)
	case o.Criterion < GuardedEvidence || o.Criterion > LeaveOneOut:
		return fmt.Errorf("ridge: Criterion = %d: must be GuardedEvidence, Evidence or LeaveOneOut", o.Criterion)
	}
	for i, l := range o.Path {
		if !validLambda(l) {
			return fmt.Errorf("ridge: Path[%d] = %v: must be finite and at least 0", i, l)
		}
		if tinyLambda(l) {
			return fmt.Errorf("ridge: Path[%d] = %v: must be 0 or at least 2^-1000", i, l)
		}
	}
	return o.validateNoise()
}

func validLambda(l float64) bool { return l >= 0 && l <= math.MaxFloat64 }

// tinyLambda reports whether λ is so small that its inverse overflows, or nearly.
func tinyLambda(l float64) bool { return l > 0 && l < 0x1p-1000 }

// Fit fits a model on the features of phi, for the rows of x, n×in, and y, n×T targets, a column for each target. nil
// opts stand for the zero value.
//
// With up to D/2 rows it solves an n×n system: see Side. With more, or with FeatureSide, it does what NewAccumulator,
// Add and Accumulator.Fit do, with the same bits. (With known noise and landmarks it sums other features, to keep digits.) To choose λ by
// leave-one-out it reads x again and leaves out all rows, where an Accumulator leaves out the at most 4,096 rows it keeps.
//
// It returns an error whenever those do, and if Side is RowSide and λ = 0.
func Fit(phi featuremap.FeatureMap, x, y mat.Matrix, opts *Options) (*Model, error) {
	o := opts.orZero()
	if err := o.validate(); err != nil {
		return nil, err
	}
	b, err := newAddition(x, y, o.Weights, "Weights", 0, 0, 0)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if err := o.validateIntervals(n); err != nil {
		return nil, err
	}
	if v := o.Intervals; v != nil && v.Groups != nil {
		of := *v
		of.Groups = each(&b, v.Groups)
		o.Intervals = &of
	}
	if len(o.NoiseVariance) > 1 || len(o.NoiseVariance) == n {
		if len(o.NoiseVariance) != n {
			return nil, fmt.Errorf("ridge: x has %d rows, NoiseVariance %d: must be as many, or one", n, len(o.NoiseVariance))
		}
		return fitNoise(phi, &b, &o)
	}
	k, err := o.oneNoise()
	if err != nil {
		return nil, err
	}
	return calibrated(fitAll(phi, &b, &o, k))
}

// calibrated returns a model with its intervals.
func calibrated(m *Model, err error) (*Model, error) {
	if err != nil || m.pending == nil {
		return m, err
	}
	if err := m.pending.run(); err != nil {
		return nil, err
	}
	m.pending = nil
	return m, nil
}

// fitAll fits rows with known noise, or nil if it is not known. The intervals of the model are still to be computed.
func fitAll(phi featuremap.FeatureMap, b *addition, o *Options, k *noise) (*Model, error) {
	if side, err := o.sideOf(phi, b); err != nil {
		return nil, err
	} else if side == RowSide {
		return fitRows(phi, b, o, k)
	}
	_, targets := b.y.Dims()
	a, err := NewAccumulator(phi, targets)
	if err != nil {
		return nil, err
	}
	if _, err := validateShapes(b.x, b.y, a.in, targets); b.size() > 0 && err != nil {
		return nil, err
	}
	if k != nil {
		a.keepDigits()
	}
	o.labels = areLabels(b.y, b.size())
	o.SharedLambda = o.SharedLambda || o.labels
	if !o.keepsRows(k) {
		a.kept = newKeptRows(0, 0)
	}
	if err := a.add(b, true, o.Progress); err != nil {
		return nil, err
	}
	return a.fitAgain(o, k, newMemoryRows(b.x, b.y, b.weights), total(b.weights, b.size()))
}

// keepsRows reports whether the function Fit keeps rows as an accumulator does: if λ is not chosen by all rows,
// intervals are calibrated by the kept ones.
func (o *Options) keepsRows(k *noise) bool {
	chosen := o.Lambda == 0 && o.Criterion != Evidence && k == nil
	each := k != nil && k.variances != nil
	return !chosen && !each && !o.labels && (o.Intervals == nil || !o.Intervals.Off && o.Intervals.Groups == nil)
}

// total returns the sum of the weights of the rows.
func total(weights []float64, rows int) (sum float64) {
	if weights == nil {
		return float64(rows)
	}
	for _, w := range weights {
		sum += w
	}
	return sum
}

// fitAgain is fit with all rows to leave out, of the given total weight, after all have been added.
func (a *Accumulator) fitAgain(o *Options, k *noise, rows rereader, weight float64) (*Model, error) {
	a.release() // frees memory for the factor
	return a.fit(o, k, rows, weight)
}

// release frees the memory for the next rows.
func (a *Accumulator) release() {
	a.sums.Release()
	a.view = mat.Dense{}
}

// Fit returns the model of the rows so far; nil opts stand for the zero value. It does not change the accumulator: you
// can add more rows and fit again, with the same bits as one fit of all rows.
//
// With A = ΦᵀΦ + λI and b = ΦᵀY the weights are w = A⁻¹b. They are the mean of the Gaussian process with kernel ⟨φ(x),
// φ(y)⟩·σ²/λ and noise variance σ², the most likely one for each target. The intercept has a flat prior. See Criterion
// for the choice of λ, and docs/theory/lambda.md for the formulas. A λ is skipped if it is so small compared with the
// squares of the features that A cannot be factorized.
//
// Each λ costs D³/6 + T·D²/2 multiply-adds, and each different λ that is taken D²/2 numbers of memory in addition to
// the sums; for leave-one-out see Criterion.
//
// It returns an error if an option is refused, if there are no rows, or only one and an intercept, if no λ is left, if
// the squares of features or targets underflow, if Criterion is LeaveOneOut and no rows were kept, if Progress returns
// one, or if the accumulator is a zero value. For least squares (λ = 0) it names a feature that depends linearly on
// those before it.
func (a *Accumulator) Fit(opts *Options) (*Model, error) {
	o := opts.orZero()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Weights != nil {
		return nil, errors.New("ridge: Weights are for the function Fit: an accumulator takes them by AddWeighted")
	}
	if a.sums == nil {
		return nil, errZero
	}
	if o.Side == RowSide {
		return nil, errRowSide
	}
	if err := o.validateIntervals(-1); err != nil {
		return nil, err
	}
	if linear.Of(&o).Release {
		a.release()
	}
	k, err := o.oneNoise()
	if err != nil {
		return nil, err
	}
	if n := len(a.kept.rows); n < min(a.Rows(), keptLeast) || n == 0 {
		if o.Criterion == LeaveOneOut && a.Rows() > 0 {
			return nil, fmt.Errorf("ridge: Criterion = LeaveOneOut: the accumulator has kept %d of %d rows, must be %d at least: see KeepRows", n, a.Rows(), min(a.Rows(), keptLeast))
		}
		return calibrated(a.fit(&o, k, nil, 0))
	}
	return calibrated(a.fitKept(&o, k))
}

// fitKept is fit with the kept rows to leave out.
func (a *Accumulator) fitKept(o *Options, k *noise) (*Model, error) {
	x, y, weights := a.kept.data(a.in, a.targets)
	o.labels = areLabels(y, len(a.kept.rows))
	all := newMemoryRows(x, y, weights)
	some := a.kept.withCopies(all, a.Rows(), o.labels)
	return a.fit(o, k, some, total(some.weights, some.size()))
}

// fit is Fit with rows to leave out, which are all rows or some of them, and the sum of their weights; nil if there are
// no such rows. The intervals of the model are still to be computed.
func (a *Accumulator) fit(o *Options, k *noise, rows rereader, weight float64) (*Model, error) {
	least := normal.Least
	if a.in32 {
		least = normal.LeastSingle
	}
	if err := a.admit(a.Rows(), a.Rows() == 1 && a.sums.Weight() == 1, least, o); err != nil {
		return nil, err
	}
	sums := a.sums
	if a.sumsRaw {
		sums = sums.Whitened(a.raw.u)
	}
	e := normal.NewEquations(sums, !o.NoIntercept)
	if err := validateWeights(&e.Facts, a.spans, e.Underflows); err != nil {
		return nil, err
	}
	if err := e.Validate(); err != nil {
		return nil, fmt.Errorf("ridge: x: %w", err)
	}
	c := &choice{Facts: &e.Facts, equations: e, criterion: o.Criterion, labels: o.labels, marksJudge: linear.Of(o).MarksJudge, progress: o.Progress}
	return a.finish(c, bySums{e, a}, o, k, func() *leftOut {
		if rows == nil {
			return nil
		}
		l := newLeftOut(c, a, rows, weight)
		l.memory = linear.Of(o).Features
		return l
	})
}

// admit refuses too few rows, too many rows outside the map's domain, and targets whose squares underflow.
func (a *Accumulator) admit(rows int, single bool, least float64, o *Options) error {
	switch {
	case rows == 0:
		return errors.New("ridge: no rows: must be at least 1")
	case single && !o.NoIntercept:
		return errors.New("ridge: 1 row: must be at least 2 with an intercept")
	}
	if err := validateBeyond(a.beyond, rows, o.Beyond); err != nil {
		return err
	}
	return validateSpans(a.spans, !o.NoIntercept, least)
}

// equations are the normal equations of features, or of rows.
type equations interface {
	solver

	path() []float64       // the λ to choose from
	spread() float64       // tr(ΦᵀΦ)/n, for centered features if there is an intercept
	meanSquare() float64   // of ‖φ‖²
	setNoise(normal.Noise) // known noise
	most() int             // different λ whose factors fit in memory, at most
	take(groups [][]int, solutions []*normal.Solution) []taken
	freedom(s *taken) float64 // estimate of the degrees of freedom of a fit, including the intercept's
}

// bySums are equations of features, from their sums.
type bySums struct {
	*normal.Equations
	a *Accumulator
}

func (e bySums) path() []float64          { return e.Path() }
func (e bySums) spread() float64          { return e.Spread() }
func (e bySums) meanSquare() float64      { return e.MeanSquare() }
func (e bySums) setNoise(n normal.Noise)  { e.SetNoise(n) }
func (e bySums) most() int                { return e.a.factors() }
func (e bySums) freedom(s *taken) float64 { return freedom(s.Factor, s.Lambda, e.Mean != nil) }
func (e bySums) take(groups [][]int, solutions []*normal.Solution) []taken {
	return take(e.Equations, groups, solutions)
}

// finish is the common part of the fits of both sides, once there are equations.
func (a *Accumulator) finish(c *choice, e equations, o *Options, k *noise, left func() *leftOut) (*Model, error) {
	path := o.Path
	switch {
	case o.Lambda > 0:
		path = []float64{o.Lambda}
	case path == nil:
		path = e.path()
	}
	if k != nil {
		var known normal.Noise
		path, known = k.apply(c, o, e.spread())
		e.setNoise(known)
	}
	most, hidden := e.most(), linear.Of(o)
	c.groups = groups(a.spans, !o.NoIntercept, k != nil, o.SharedLambda || o.Lambda > 0 || most == 1 && hidden.Each == nil)
	if hidden.Each != nil {
		c.given = make([]float64, len(c.groups))
		for g, targets := range c.groups {
			c.given[g] = hidden.Each[targets[0]]
		}
	}
	if c.left = left(); o.Lambda > 0 || c.left == nil || k != nil {
		c.criterion = Evidence
	}
	intervals := newCalibrator(a, c, o)
	chosen, err := c.solutions(path)
	if err != nil {
		return nil, err
	}
	solutions := share(chosen, most)
	all := e.take(c.groups, solutions)
	m := newNumbers(c.Facts, all)
	if m.side = FeatureSide; c.left != nil && c.left.own != nil {
		m.side = RowSide
	}
	m.criterion, m.given, m.left, m.beyond = c.criterion, o.Lambda > 0, a.meanLeft(c.Weight, e.meanSquare()), a.beyond
	if k != nil {
		m.known, m.unit = true, cmp.Or(k.variance, 1)
	} else if m.left > 0 {
		for i := range m.ridges {
			m.ridges[i].free = freePart(e.freedom(&all[i]), c.Weight)
		}
	}
	m.crowded = !slices.Equal(chosen, solutions) || most == 1 && a.targets > 1 && !o.SharedLambda && !m.given
	spread := e.spread() + m.left
	if !hidden.Unjudged {
		if err := c.judge(&m, all, a.spans); err != nil {
			return nil, err
		}
	}
	m.boundPrior(c.Squares, spread)
	if err := m.validateFinite(); err != nil {
		return nil, fmt.Errorf("ridge: λ = %v: the model has %w", m.lambdas(), err)
	}
	model := newModel(a.phi, m)
	if !hidden.Unjudged {
		if err := model.readParts(c.left); err != nil {
			return nil, err
		}
	}
	if intervals != nil {
		if intervals.m, intervals.all = model, all; hidden.Later {
			linear.Of(model).Calibrate = func() error {
				linear.Of(model).Calibrate = nil
				return intervals.run()
			}
		} else {
			model.pending = intervals
		}
	}
	return model, nil
}
