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

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A pilot is the ridge regression on a sample of m rows, in the space of the rows. Let K = Φ̃Φ̃ᵀ for features minus the
// mean of all rows, times the roots u of the weights, M = K + λI and P = M⁻¹ − M⁻¹u(uᵀM⁻¹u)⁻¹uᵀM⁻¹, or P = M⁻¹ without
// an intercept. Twice the log evidence of a target y, also times the roots, is
//
//	−(W − 1)·log yᵀPy − log|M| − log uᵀM⁻¹u − (W − m)·log λ,
//
// and (Py)ᵢ/Pᵢᵢ is the leave-one-out error of row i. λ is in units of σ²/τ, for weights with prior variance τ, which do
// not depend on the number of rows: so a sample chooses it for all rows, and needs no pass. M + c·uuᵀ has the same P,
// and the same product |M|·uᵀM⁻¹u; without it u would nearly be a null vector of K.
type pilot struct {
	rows     int
	sample   int            // number of rows from which these are
	m        *tiled.Matrix  // K + c·uuᵀ
	few      *fewFeatures   // instead of m; nil if features are not few
	vectors  blas64.General // the targets, and u if there is an intercept
	targets  int
	roots    []float64 // of the weights of the rows
	each     float64   // rows for each group of copies, of which the pilot has one; 1 without copies
	marks    []bool    // rows that do not judge λ: see linear.Marks; nil: all judge
	weight   float64   // of all of them
	noise    *noise    // nil if it is not known
	least    float64   // up to this λ the noise variance is the likeliest one, if that is larger than the known one
	scales   []float64 // 1 over the variance of each target; 0 for a constant one
	labels   bool      // the targets are Labels
	all      float64   // weight of all rows; 0: not known
	features float64   // the number of them
}

// newPilot returns the pilot of one row of each group of copies in a sample, without its matrix or equations.
func (f *iteration) newPilot(one *oneOfEach, sample int) *pilot {
	p := &pilot{rows: len(one.rows), sample: sample, targets: f.targets, labels: one.labels, each: one.each}
	for _, weight := range one.weights {
		p.weight += weight
	}
	for t, s := range f.all.yy {
		variance := s / f.all.weight
		if constant := f.p.spans[t].least == f.p.spans[t].most; variance > 0 && !(constant && !f.o.NoIntercept) {
			p.scales = append(p.scales, 1/variance)
		} else {
			p.scales = append(p.scales, 0)
		}
	}
	return p
}

// setMatrix sets the matrix of a pilot, given the kernel matrix of all kept rows above the diagonal.
func (f *iteration) setMatrix(p *pilot, k blas64.General, kept []keptRow, one *oneOfEach) {
	m := p.rows
	p.m, p.vectors = tiled.New(m), slabs.New(f.targets+1, m)
	var trace float64
	factors := make([]float64, m)
	for i, at := range one.rows {
		r, weight := kept[at], one.weights[i]
		root := math.Sqrt(weight)
		factors[i] = math.Sqrt(weight / r.weight)
		for t, y := range r.y {
			vector(p.vectors, t)[i] = (y - f.all.level[t]) * root
		}
		vector(p.vectors, f.targets)[i] = root
		trace += float64(factors[i]*factors[i]) * k.Data[at*k.Stride+at]
	}
	u := vector(p.vectors, f.targets)
	p.roots = u
	c := trace / float64(m) / p.weight
	if f.o.NoIntercept {
		p.vectors.Rows, c = f.targets, 0
	}
	column := make([]float64, m)
	for j := range m {
		for i := range j + 1 {
			column[i] = math.FMA(c*u[i], u[j], float64(factors[i]*factors[j])*k.Data[one.rows[i]*k.Stride+one.rows[j]])
		}
		p.m.SetColumn(j, column[:j+1])
	}
}

// factor returns the factor of M + c·uuᵀ, or nil if λ is too small for it.
func (p *pilot) factor(lambda float64) *tiled.Factor {
	const tiny = 1e-13
	m := tiled.New(p.m.Dim())
	m.CopyFrom(p.m)
	m.AddDiagonal(lambda)
	f, _ := m.Factorize(tiny)
	return f
}

// A trial is the result of a pilot for a λ: the log evidence of each target, and the squared leave-one-out errors, in
// units of its variance.
type trial struct {
	lambda   float64
	evidence []float64
	errors   blas64.General // a row a target
	inverse  float64        // tr M⁻¹; 0 without errors
}

// try returns the trial of a λ, with errors if they are asked for; nil if λ is too small.
func (p *pilot) try(lambda float64, leaveOut bool) *trial {
	if p.few != nil {
		return p.few.try(p, lambda, leaveOut)
	}
	f := p.factor(lambda)
	if f == nil {
		return nil
	}
	m := f.Dim()
	half := slabs.New(p.vectors.Rows, m)
	copy(half.Data, p.vectors.Data)
	f.SolveTransVecs(half)
	intercept := p.vectors.Rows > p.targets
	determinant, s, freedom := 0.0, 1.0, p.weight
	for i := range m {
		determinant += float64(2 * detmath.Log(f.At(i, i)))
	}
	if intercept {
		u := vector(half, p.targets)
		s = tiled.Dot(u, u)
		determinant += detmath.Log(s)
		if freedom--; !(freedom > 0) {
			freedom = p.weight
		}
	}
	t := &trial{lambda: lambda, evidence: make([]float64, p.targets)}
	levels := make([]float64, p.targets) // uᵀM⁻¹y/uᵀM⁻¹u
	for k := range t.evidence {
		y := vector(half, k)
		square := tiled.Dot(y, y)
		if intercept {
			levels[k] = tiled.Dot(vector(half, p.targets), y) / s
			square = math.FMA(-levels[k]*levels[k], s, square)
		}
		t.evidence[k] = -0.5 * (determinant + p.misfit(square, lambda, freedom))
	}
	if leaveOut {
		t.errors, t.inverse = p.leaveOut(f, lambda, half, levels, s)
	}
	return t
}

// misfit returns the part of −2 log evidence that depends on yᵀPy: with known noise of variance s
//
//	λ·yᵀPy/s + (W − 1)·log s − (m − 1)·log λ.
func (p *pilot) misfit(square, lambda, freedom float64) float64 {
	log := detmath.Log(lambda)
	square = max(square, math.SmallestNonzeroFloat64)
	rows := float64(p.rows)
	if p.noise == nil {
		return float64(freedom*detmath.Log(square)) + float64((p.weight-rows)*log)
	}
	if p.vectors.Rows > p.targets {
		rows--
	}
	s := p.noise.variance
	if likeliest := lambda * square / freedom; lambda <= p.least {
		s = max(s, likeliest)
	}
	return lambda*square/s + float64(freedom*detmath.Log(s)) - float64(rows*log)
}

// leaveOut returns the squared leave-one-out errors, and tr M⁻¹. It overwrites half, which is U⁻ᵀ times the vectors.
func (p *pilot) leaveOut(f *tiled.Factor, lambda float64, half blas64.General, levels []float64, s float64) (errors blas64.General, inverse float64) {
	m := f.Dim()
	diagonal := make([]float64, m)
	f.InverseDiagonal(diagonal)
	f.SolveVecs(half)
	all := slabs.New(p.targets, m-count(p.marks))
	k := 0
	for i := range m {
		var u float64
		if inverse += diagonal[i]; p.marks != nil && p.marks[i] {
			continue
		}
		if half.Rows > p.targets {
			u = vector(half, p.targets)[i]
		}
		d := math.FMA(-u/s, u, diagonal[i])
		for t := range p.targets {
			e := math.FMA(-u, levels[t], vector(half, t)[i]) / d
			if vector(all, t)[k] = e * e * p.scales[t]; !(d > 0) {
				vector(all, t)[k] = math.Inf(1)
			}
		}
		k++
	}
	return all, inverse
}

// A trace is an estimate, from a sample, of traces of G = ΦᵀΦ of all rows, at a λ.
type trace struct {
	lambda      float64
	freedom     float64 // about 1 + tr G(G + λI)⁻¹ with an intercept, without the 1 otherwise
	determinant float64 // log|I + G/λ| plus a number that is the same for all λ
}

// half returns the pilot of every second row, for its traces.
func (p *pilot) half() *pilot {
	m := (p.rows + 1) / 2
	h := &pilot{rows: m, m: tiled.New(m)}
	for j := range m {
		for i := range j + 1 {
			h.m.Set(i, j, p.m.At(2*i, 2*j))
		}
		root := p.roots[2*j]
		h.roots = append(h.roots, root)
		h.weight = math.FMA(root, root, h.weight)
	}
	return h
}

// trace returns the trace at λ for rows of the given weight: that of the sample at a λ that is smaller in proportion to
// the weight. If that is too small the determinant is infinite.
func (p *pilot) trace(lambda, weight float64, intercept bool) trace {
	t := trace{lambda: lambda, freedom: float64(p.rows), determinant: math.Inf(1)}
	lambda *= p.weight / weight
	if p.few != nil {
		t.freedom, t.determinant = traceOf(p.few.equations, lambda)
		t.freedom = max(t.freedom, 1)
		return t
	}
	f, rows := p.factor(lambda), t.freedom
	if f == nil {
		return t
	}
	t.determinant = 0
	diagonal := make([]float64, f.Dim())
	f.InverseDiagonal(diagonal)
	for i, v := range diagonal {
		t.freedom = math.FMA(-lambda, v, t.freedom)
		t.determinant += float64(2 * detmath.Log(f.At(i, i)))
	}
	if intercept {
		u := slices.Clone(p.roots)
		f.SolveTransVec(u)
		s := tiled.Dot(u, u)
		t.freedom = math.FMA(lambda, s/p.weight, t.freedom) // which makes it 1 for u
		t.determinant += detmath.Log(s)
		rows--
	}
	t.freedom = max(t.freedom, 1)
	t.determinant -= float64(rows * detmath.Log(lambda))
	return t
}

// trace returns the trace at λ. The sample has less freedom than all rows, by a part that is about the inverse of its
// number of rows; half of the sample tells how much.
func (f *iteration) trace(lambda float64) trace {
	k := slices.IndexFunc(f.traces, func(t trace) bool { return t.lambda == lambda })
	if k < 0 {
		k = len(f.traces)
		if f.half == nil && f.pilot.few == nil { // otherwise the pilot has all rows
			f.half = f.pilot.half()
		}
		t := f.pilot.trace(lambda, f.all.weight, !f.o.NoIntercept)
		if f.half == nil {
			f.traces = append(f.traces, t)
			return t
		}
		if h := f.half.trace(lambda, f.all.weight, !f.o.NoIntercept); !math.IsInf(h.determinant, 1) {
			rest := 1 - f.pilot.weight/f.all.weight
			t.freedom += max(float64((t.freedom-h.freedom)*rest), 0)
			t.determinant += float64((t.determinant - h.determinant) * rest)
		}
		f.traces = append(f.traces, t)
	}
	return f.traces[k]
}

// standing returns the standing of a trial for a group of targets, without those whose scale is 0; nil scales leave out
// no target.
func (t *trial) standing(group []int, scales []float64) *standing {
	s := new(standing)
	for _, k := range group {
		if scales != nil && scales[k] == 0 {
			continue
		}
		s.evidence += t.evidence[k]
		if t.errors.Rows > 0 {
			if s.errors == nil {
				s.errors = make([]float64, t.errors.Cols)
			}
			axpy(s.errors, 1, vector(t.errors, k))
		}
	}
	s.sum = total(s.errors, 0)
	return s
}

// choose returns the λ of each target from a path: that of GuardedEvidence, or of the largest evidence if noise is
// known or the rows are few. Targets of a group share one. known are the trials, in the order of λ.
func (p *pilot) choose(path []float64, groups [][]int, cautious bool, slack float64) (all []float64, known []*trial, err error) {
	all = make([]float64, p.targets)
	trials, tried := make([]*trial, len(path)), make([]bool, len(path))
	scales := p.scales
	if p.noise != nil && p.noise.variance > 0 { // with which constant targets have an evidence, too
		scales = nil
	}
	beside := len(path)
	if cautious { // otherwise a trial takes half the time, and the path of known noise has only one λ
		beside = besideBest
	}
	for near := []int{len(path) / 3}; len(near) > 0; {
		for _, i := range near {
			for i := max(i-beside, 0); i <= min(i+beside, len(path)-1); i++ {
				if !tried[i] {
					trials[i], tried[i] = p.try(path[i], cautious), true
				}
			}
		}
		known = slices.DeleteFunc(slices.Clone(trials), func(t *trial) bool { return t == nil })
		if len(known) == 0 { // all that were tried are too small
			if near[0] += beside; near[0] >= len(path)+beside {
				return nil, nil, fmt.Errorf("ridge: Path: no λ is large enough, of %v at most", path[len(path)-1])
			}
			continue
		}
		near = nil
		for _, g := range groups {
			standings := p.standings(known, g, scales)
			least, likeliest := peaks(standings)
			for _, k := range []int{least, likeliest} {
				i, _ := slices.BinarySearch(path, known[k].lambda)
				if slices.Contains(tried[max(i-beside, 0):min(i+beside+1, len(path))], false) {
					near = append(near, i)
				}
			}
			lambda := known[pick(standings, cautious, slack)].lambda
			for _, t := range g {
				all[t] = lambda
			}
		}
	}
	return all, known, nil
}

// chooseForCopies is choose for all rows, with λ in units of these: by so many times as there are rows for each of the pilot.
func (p *pilot) chooseForCopies(path []float64, groups [][]int, cautious bool, slack float64) ([]float64, error) {
	one := make([]float64, len(path))
	for i, v := range path {
		one[i] = v / p.each
	}
	all, _, err := p.choose(one, groups, cautious, slack)
	for t, v := range all {
		i, _ := slices.BinarySearch(one, v)
		all[t] = path[i]
	}
	return all, err
}

// besideBest is the number of λ that are tried on both sides of the best ones by either criterion. All others are
// farther from the best.
const besideBest = 2

// equalTo reports whether the error of s exceeds the least by at most a number of standard errors.
func (s *standing) equalTo(least *standing, errors float64) bool {
	return equalTo(s, least, errors, float64(len(s.errors)), func(v []float64) float64 { return total(v, 0) })
}

// peaks returns the indices of the standings of least error and of largest evidence, of those in the order of λ.
func peaks(all []*standing) (least, likeliest int) {
	for i, s := range all {
		if s.sum <= all[least].sum {
			least = i
		}
		if s.evidence >= all[likeliest].evidence {
			likeliest = i
		}
	}
	return least, likeliest
}

// pick returns the index of the standing that GuardedEvidence or Evidence takes, of those in the order of λ.
func pick(all []*standing, cautious bool, slack float64) int {
	k, _ := peaks(all)
	least, best := all[k], -1
	for i, s := range all {
		if cautious && s != least && least.errors != nil && !s.equalTo(least, 1) {
			continue
		}
		if best < 0 || s.evidence >= all[best].evidence {
			best = i
		}
	}
	for i, s := range all {
		if i < best && s.evidence >= all[best].evidence-slack && slack > 0 {
			return i
		}
	}
	return best
}

// mostOfAll is the largest share of rows that are landmarks and do not judge λ with which all rows may decide.
const mostOfAll = 0.05

// lambdas returns the λ of each target: the given one, that of Start, or the pilot's choice.
func (f *iteration) lambdas() ([]float64, error) {
	if f.o.NoiseVariance != nil {
		f.known = &noise{variance: f.o.NoiseVariance[0]}
	}
	if from := f.o.Start; from != nil {
		all := make([]float64, f.targets)
		for t := range all {
			all[t] = from.lambda(t)
		}
		if f.known != nil {
			f.known.variance, f.floor = from.unit, 0
		}
		if f.given = from.given; from.iterative != nil {
			f.sampled = from.iterative.held
		}
		return all, nil
	}
	path, slack := f.path()
	if f.given {
		return slices.Repeat(path, f.targets), nil
	}
	if f.pilot == nil || f.pilot.rows < 2 {
		return nil, errFewRows
	}
	m := f.pilot.sample
	f.sampled = m
	f.pilot.noise, f.pilot.least, f.pilot.all = f.known, f.floor, f.all.weight/f.pilot.each
	f.pilot.features = float64(f.out)
	cautious := f.known == nil && m >= min(f.rows, keptLeast)
	shared := f.o.SharedLambda || f.pilot.labels
	path = slices.Compact(slices.Sorted(slices.Values(path)))
	all := groups(f.p.spans, !f.o.NoIntercept, f.known != nil, shared)
	if f.pilot.each != 1 {
		return f.pilot.chooseForCopies(path, all, cautious, slack)
	}
	lambdas, known, err := f.pilot.choose(path, all, cautious, slack)
	if err != nil || !cautious || m == f.rows || float64(count(f.pilot.marks)) > mostOfAll*float64(m) {
		return lambdas, err
	}
	for _, g := range all {
		if u := f.undecide(path, known, g, lambdas[g[0]]); u != nil {
			f.undecided = append(f.undecided, u)
		}
	}
	if f.undecided == nil {
		return lambdas, nil
	}
	return f.decide(lambdas)
}

// path returns the λ to choose from, or the given one, in units of the sums, and the difference in log evidence that
// does not matter.
func (f *iteration) path() (path []float64, slack float64) {
	k := f.known
	scale := f.scale
	if !(scale > 0) {
		scale = 1
	}
	spread := cmp.Or(float64(f.scale*float64(f.out))/f.all.weight, 1)
	switch {
	case f.given && k != nil:
		k.variance = max(k.variance, leastNoise*spread/f.o.Lambda)
		return []float64{k.variance * f.o.Lambda}, 0
	case f.given:
		return []float64{f.o.Lambda}, 0
	case f.o.Path != nil && k != nil:
		for _, l := range f.o.Path {
			path = append(path, k.variance*l)
		}
		return path, 0
	case f.o.Path != nil:
		return f.o.Path, 0
	case k != nil:
		path, f.floor = largeEnough(k.path(spread, f.all.variances), leastNoise*spread)
		return path, nearly
	}
	for _, v := range []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6} {
		path = append(path, float64(v*scale))
	}
	return path, 0
}

var errFewRows = errors.New("ridge: 1 row kept of the sample is too few to choose λ: give Lambda, or use Fit")
