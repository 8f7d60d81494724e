// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

const (
	largestRows = 2048  // rows that may have the largest errors, whose errors are computed, at most, for one group of targets
	manyGroups  = 4     // with more groups there are no more of these rows
	otherRows   = 1024  // other rows whose errors are computed, which stand for the rest
	perLambda   = 1000  // rows with the largest estimated errors that are found for each λ
	probeRows   = 16    // random projections from which leverages are estimated
	leastRest   = 1e-10 // a difference of 1 and a leverage up to this is only rounding
	everyRow    = 20000 // up to this number of rows, the error of the chosen λ is computed from all of them
)

// A leftOut is a set of rows that are left out, one at a time, to choose λ by the errors of their predictions.
//
// Leverages take D²/2 multiply-adds for each row and λ. If there are many rows, errors are computed for some of them
// only: those that may be the largest, and others. (With heavy tails twenty rows of ten thousand may cause nearly all
// of the error.) With 16 rows R of random signs, the mean of ‖RU⁻ᵀ(φ−φ̄)‖²/16 is the leverage, which is good enough to
// rank rows.
type leftOut struct {
	e       *normal.Facts
	of      *normal.Equations // of the weights; nil if there are no equations
	phi     featuremap.FeatureMap
	raw     *raws // raw features of phi; nil if it has no raw features
	rows    rereader
	n       int             // number of rows
	marks   []bool          // rows that must not judge λ: see linear.Marks; nil: all judge
	marked  int             // number of these
	part    float64         // the share of the others' weight
	share   float64         // 1/(mean weight of the rows): errors are weighted by weights whose mean is 1
	copies  *groupsOfCopies // of the rows; nil: each leaves alone
	inverse []float64       // 1/variance of each target; 0 if it is constant
	groups  [][]int         // of targets, whose errors are added up

	few     someRows // the rows that a search uses; empty if all λ are solved
	largest int      // number of rows in some, from the first on, that may have the largest errors
	some    someRows // the rows whose errors are computed: those, and others

	measured map[float64][]float64 // leverages of some, of the λ that have been left out

	own   *rowFit // on the rows' side; else nil
	index []int   // the numbers of the rows in own; nil: all

	memory *linear.Features // for those of some; nil: their own

	seen *seen // results for all rows, once they have judged the λ taken; nil if nobody asks
}

// someRows are the targets of rows, and their features, centered if there is an intercept.
type someRows struct {
	features blas64.General
	y        blas64.General
	weights  []float64 // nil if all are 1
	times    []float64 // see copies; nil: 1
}

// newLeftOut returns the leftOut of rows, which are some or all of the rows of a choice, given the sum of their
// weights.
func newLeftOut(c *choice, a *Accumulator, rows rereader, weight float64) *leftOut {
	l := &leftOut{e: c.Facts, phi: a.phi, raw: a.raw, inverse: make([]float64, a.targets), groups: c.groups}
	l.of, _ = c.equations.(*normal.Equations)
	for t, v := range c.Variances {
		if v > 0 {
			l.inverse[t] = 1 / v
		}
	}
	l = l.with(rows, weight)
	l.copies = rows.copyFinder().copies(c.labels)
	if !c.marksJudge {
		l.mark(a.Rows())
	}
	return l
}

// with returns the leftOut of other rows of the same fit, given the sum of their weights.
func (l *leftOut) with(rows rereader, weight float64) *leftOut {
	n := rows.size()
	return &leftOut{own: l.own, e: l.e, of: l.of, phi: l.phi, raw: l.raw, inverse: l.inverse, groups: l.groups, rows: rows, n: n, share: float64(n) / weight}
}

// project sets the weights and the probes RU⁻ᵀ of a candidate, but no errors yet; on the rows' side it sets all errors.
func (l *leftOut) project(c *candidate) {
	if l.own != nil {
		l.own.set(l, c)
		return
	}
	c.weights, c.intercept = l.of.Weights(c.Solution)
	c.probes = blas64.General{Rows: probeRows, Cols: l.e.Features, Stride: l.e.Features, Data: make([]float64, probeRows*l.e.Features)}
	for i := range c.probes.Data {
		c.probes.Data[i] = float64(int64(splitmix.Output(0, uint64(i))>>63)*2 - 1)
	}
	c.Factor.SolveVecs(c.probes)
	if l.few.y.Rows > 0 {
		l.guess(c)
	}
}

// guess sets the guess of a candidate of a search, whose factor is valid: the sum of the squared residuals of all rows,
// which the equations provide, times the ratio of errors to squared residuals of a few rows. If these are all rows, it
// is the sum of errors. If some rows do not judge, it is the mean error of a few others times their number.
func (l *leftOut) guess(c *candidate) {
	targets := l.groups[searched]
	errors, residuals := l.errors(l.leftOutResiduals(c.Factor, c.weights, &l.few), &l.few, targets), l.residuals(c.weights, &l.few)
	var squares float64
	for i, v := range errors {
		c.guess += v
		squares += float64(l.weight(&l.few, i) * l.square(residuals.Data[i*residuals.Stride:][:residuals.Cols], targets))
	}
	if len(errors) == l.judges() {
		c.groups[searched].errors, c.groups[searched].sum = errors, c.guess
		return
	}
	if l.marks != nil { // the residuals of landmarks are in those of all rows
		c.guess *= float64(l.judges()) / float64(len(errors))
		return
	}
	c.guess *= l.square(l.of.Residuals(c.Solution, c.weights), targets) / squares
}

// setFew chooses a few rows, whose leverages take no longer than the solution for a λ if there are many features.
func (l *leftOut) setFew(step func() error) (err error) {
	if l.own != nil {
		return nil
	}
	if l.few, err = l.gather(l.judging(max(l.e.Features/8, 256))); err != nil {
		return err
	}
	return step()
}

// prepare sets the bounds and estimates of candidates, and chooses the rows whose errors are computed: all if they are
// few.
func (l *leftOut) prepare(all []*candidate, step func() error) error {
	if l.own != nil {
		return nil
	}
	l.measured = make(map[float64][]float64)
	if l.few.y.Rows == l.judges() { // all have been left out already
		l.some, l.largest = l.few, l.judges()
		return step()
	}
	for _, c := range all {
		for g := range c.groups {
			c.groups[g].bound, c.groups[g].estimate, c.groups[g].errors = 0, 0, nil
		}
	}
	var index []int
	if every := l.judges() <= keptMost; !every || len(all) > 1 { // for one λ with all rows, no bounds matter
		var err error
		if index, err = l.rank(all, step); err != nil {
			return err
		}
	}
	if l.judges() <= keptMost {
		if l.largest = l.judges(); l.some.y.Rows == l.judges() {
			return step() // all are there already
		}
		index = l.judging(l.judges())
	}
	l.largest = len(index)
	if l.largest < l.judges() {
		for _, i := range l.judging(otherRows) {
			if _, found := slices.BinarySearch(index[:l.largest], i); !found {
				index = append(index, i)
			}
		}
	}
	p, err := l.read(index)
	if err != nil {
		return err
	}
	if l.some, err = l.featuresIn(l.memory, l.whitened(), p); err != nil {
		return err
	}
	return step()
}

// targets returns the number of targets.
func (l *leftOut) targets() int { return len(l.inverse) }

// places returns lo, lo+1, …, hi−1.
func places(lo, hi int) []int {
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	return rows
}

// gather returns the rows with the given numbers.
func (l *leftOut) gather(index []int) (someRows, error) {
	p, err := l.read(index)
	if err != nil {
		return someRows{}, err
	}
	return l.featuresOf(l.whitened(), p)
}

// A basis is the features in which rows are read, and their mean; nil without an intercept.
type basis struct {
	phi  featuremap.FeatureMap
	mean []float64
}

// whitened returns the features of the map.
func (l *leftOut) whitened() basis { return basis{l.phi, l.e.Mean} }

// featuresOf returns a part of the rows with their features, in a basis. It keeps the targets and weights of the part.
func (l *leftOut) featuresOf(in basis, p part) (someRows, error) { return l.featuresIn(nil, in, p) }

// featuresIn is featuresOf in some memory.
func (l *leftOut) featuresIn(memory *linear.Features, in basis, p part) (someRows, error) {
	n := p.y.Rows
	r := someRows{
		features: blas64.General{Rows: n, Cols: l.e.Features, Stride: tiled.Stride(l.e.Features)},
		y:        p.y,
		weights:  p.weights,
		times:    p.times,
	}
	r.features.Data = memory.Room(n, r.features.Stride)
	var view mat.Dense
	view.SetRawMatrix(r.features)
	if err := l.transform(&view, in.phi, p.x); err != nil {
		return r, err
	}
	in.center(r.features)
	return r, nil
}

// weight returns the weight of the error of row i of some rows.
func (l *leftOut) weight(rows *someRows, i int) float64 {
	if rows.weights == nil {
		return l.share
	}
	return l.share * rows.weights[i]
}

// transform sets dst to the features of x, and returns an error if they are not finite. They are for rows that were
// added, but a forged file may have others.
func (l *leftOut) transform(dst *mat.Dense, phi featuremap.FeatureMap, x mat.Matrix) error {
	phi.TransformTo(dst, x)
	if raw := dst.RawMatrix(); !rows.AllFinite(raw) {
		return errors.New("ridge: a row that was kept has features that are not finite, which cannot have been added")
	}
	return nil
}

// center subtracts the mean, if there is one, from features.
func (b basis) center(features blas64.General) {
	if b.mean == nil {
		return
	}
	const work = 1 << 15
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := features.Data[i*features.Stride:][:features.Cols]
			for j, v := range b.mean {
				row[j] -= v
			}
		}
	}), features.Rows, 1+work/features.Cols)
}

// residuals returns the targets of some rows minus their predictions.
func (l *leftOut) residuals(weights blas64.General, rows *someRows) blas64.General {
	r := rows.y
	r.Data = slices.Clone(r.Data)
	products := blas64.General{Rows: r.Rows, Cols: r.Cols, Stride: r.Cols, Data: make([]float64, len(r.Data))}
	tiled.Products(products, rows.features, weights.Data, weights.Stride)
	for i, v := range products.Data {
		r.Data[i] -= l.e.Level[i%r.Cols] + v
	}
	return r
}

// leftOutResiduals returns the leave-one-out errors of some rows, by the factor and the weights that belong to their
// basis.
func (l *leftOut) leftOutResiduals(factor *tiled.Factor, weights blas64.General, rows *someRows) blas64.General {
	r := l.residuals(weights, rows)
	leave(r, rows.withCopies(l.leverages(factor, rows)))
	return r
}

// leverages returns the leverages of some rows, by the factor that belongs to their basis: h = w·(1/Σw + φ̃ᵀA⁻¹φ̃),
// without 1/Σw if there is no intercept.
func (l *leftOut) leverages(factor *tiled.Factor, rows *someRows) []float64 {
	leverages := make([]float64, rows.y.Rows)
	factor.SquaredNorms(leverages, rows.features)
	for i, h := range leverages {
		if l.e.Mean != nil {
			h += 1 / l.e.Weight
		}
		if rows.weights != nil {
			h *= rows.weights[i]
		}
		leverages[i] = h
	}
	return leverages
}

// measure returns the leverages of some for a solution, whose factor must be valid if they have not been measured.
func (l *leftOut) measure(s *normal.Solution) []float64 {
	h, ok := l.measured[s.Lambda]
	if !ok {
		h = l.leverages(s.Factor, &l.some)
		l.measured[s.Lambda] = h
	}
	return slices.Clone(h)
}

// leave turns residuals r into leave-one-out errors r/(1 − h). If a leverage h is 1 to rounding, no other row predicts
// that row, and they are +Inf.
func leave(r blas64.General, leverages []float64) {
	for i, h := range leverages {
		rest := 1 - h
		for t := range r.Cols {
			if v := &r.Data[i*r.Stride+t]; rest > leastRest {
				*v /= rest
			} else {
				*v = math.Inf(1)
			}
		}
	}
}

// square returns the sum of the squares of a row's residuals for some targets, each in units of the variance of its target.
func (l *leftOut) square(residuals []float64, targets []int) (sum float64) {
	for _, t := range targets {
		r := residuals[t]
		if v := l.inverse[t]; v > 0 {
			sum = math.FMA(r*v, r, sum)
		}
	}
	return sum
}

// set computes the errors of a candidate. The factor of its solution must be valid.
func (l *leftOut) set(c *candidate) {
	r := l.residuals(c.weights, &l.some)
	leave(r, l.some.withCopies(l.measure(c.Solution)))
	for g, targets := range l.groups {
		of := &c.groups[g]
		of.errors = l.errors(r, &l.some, targets)
		of.sum = l.total(of.errors)
	}
}

// errors returns the errors of some rows and targets, from the leave-one-out residuals of rows.
func (l *leftOut) errors(r blas64.General, rows *someRows, targets []int) []float64 {
	errors := make([]float64, r.Rows)
	for i := range errors {
		errors[i] = l.weight(rows, i) * l.square(r.Data[i*r.Stride:][:r.Cols], targets)
	}
	return errors
}

// total estimates the sum over all rows of a quantity v that is known for some: those that may have the largest errors
// count once each, and the mean of the others stands for each of the remaining rows.
func (l *leftOut) total(v []float64) (sum float64) {
	for _, v := range v[:l.largest] {
		sum += v
	}
	if others := v[l.largest:]; len(others) > 0 {
		var rest float64
		for _, v := range others {
			rest += v
		}
		sum = math.FMA(float64(l.judges()-l.largest)/float64(len(others)), rest, sum)
	}
	return sum
}

// equalTo reports whether the error of c exceeds the best candidate's by at most a standard error, and is at most 1.1 +
// 25/n times as large. With dᵢ the differences for n rows and Δ their sum, the standard error is √(Σdᵢ² − Δ²/n), times
// 1 + 10/n because few rows estimate it badly. The second limit is for data in which one row causes nearly all of Δ:
// the standard error is then about Δ, and would allow any difference.
func (l *leftOut) equalTo(c, best *standing) bool {
	return equalTo(c, best, l.copies.errors(), float64(l.judges()), l.total)
}

// equalTo is leftOut.equalTo for standings, given a function for the total over n rows and the number of standard
// errors.
func equalTo(c, best *standing, errors, n float64, total func([]float64) float64) bool {
	if !(c.sum <= float64((1.1+25/n)*best.sum)) {
		return false
	}
	differences, squares := make([]float64, len(c.errors)), make([]float64, len(c.errors))
	var most float64
	for i, v := range c.errors {
		differences[i] = v - best.errors[i]
		most = max(most, math.Abs(differences[i]))
	}
	if !(most <= math.MaxFloat64) {
		return false
	}
	if most == 0 {
		return true
	}
	for i := range differences { // scaled to magnitudes of at most 1, so that no square overflows
		differences[i] /= most
		squares[i] = differences[i] * differences[i]
	}
	delta := total(differences)
	variance := math.FMA(-delta/n, delta, total(squares))
	return delta <= errors*(1+10/n)*math.Sqrt(max(variance, 0))
}

// sweep calls do for all rows in their order, in parts from number lo on, with their residuals and leverages for each λ
// taken.
func (l *leftOut) sweep(all []taken, step func() error, do func(lo, k int, rows *someRows, residuals blas64.General, leverages []float64)) error {
	cheap := make([]cheapest, len(all))
	for k, s := range all {
		cheap[k] = l.cheapest(s.Solution, s.weights)
	}
	return l.each(l.chunk(), func(lo int, p part) (err error) {
		var rows someRows
		for k := range all {
			if k == 0 || cheap[k].raw != cheap[k-1].raw {
				if rows, err = l.featuresOf(cheap[k].basis, p); err != nil {
					return err
				}
			}
			do(lo, k, &rows, l.residuals(cheap[k].weights, &rows), l.leverages(cheap[k].factor, &rows))
		}
		return step()
	})
}

// glance returns the stray among one in 32 rows, at least 64 and at most 1,024: a small part of the work of adding all.
func (l *leftOut) glance(all []taken, spans []span) (found stray, err error) {
	const least, most = 64, 1024
	rows, err := l.gather(l.judging(min(max(l.n/32, least), most)))
	if err != nil {
		return found, err
	}
	for _, s := range all {
		found.look(l.leftOutResiduals(s.Factor, s.weights, &rows), &rows, spans, s.targets)
	}
	return found, nil
}

// look returns the stray among the rows with the largest estimated errors.
func (l *leftOut) look(all []taken, spans []span, step func() error) (found stray, err error) {
	for _, s := range all {
		c := &candidate{Solution: s.Solution, groups: make([]standing, len(l.groups))}
		l.project(c)
		index, err := l.rank([]*candidate{c}, step)
		if err != nil {
			return found, err
		}
		rows, err := l.gather(index)
		if err != nil {
			return found, err
		}
		found.look(l.leftOutResiduals(s.Factor, s.weights, &rows), &rows, spans, s.targets)
	}
	return found, nil
}

// chunk returns the number of rows that go through the map at once.
func (l *leftOut) chunk() int {
	return min(linear.BlockRows(tiled.Stride(l.e.Features)), l.rows.step(), l.n)
}
