// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Comparison of kernels of several shapes and length scales by leave-one-out error.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/dual"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// bankRows is the largest number of different rows that are left out, one at a time. Tests use fewer, to save time.
var bankRows = 1000

// A shape is a class of kernels. The best kernel of each shape is a member of the sum that the model uses.
type shape int

const (
	taken     shape = iota // the one chosen by validation fits
	gaussian               // smooth
	matern                 // less smooth
	laplacian              // of ℓ1 distances: nearly a sum over columns
	shapes
)

func (s shape) String() string {
	return [...]string{"as in the validation fits", "Gaussian", "Matérn", "Laplacian"}[s]
}

// A metric is a linear map of the columns, raw or in logarithms.
type metric struct {
	name   string
	warp   warp
	scales []float64 // of SymLog; nil: raw columns
	folds  []warp    // that each fold has learned from its own rows; nil: warp in all
}

// usable reports whether a metric has columns, and finite factors for them.
func (m *metric) usable() bool {
	if m.warp.out() == 0 {
		return false
	}
	for _, v := range m.warp.elements() {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// kernel returns a kernel of length scale 1 in a metric, with its length scales multiplied by lengths.
func (m *metric) kernel(base featuremap.Kernel, lengths float64) featuremap.Kernel {
	w := m.warp.scaled(1 / lengths)
	return w.expression(base)
}

// A bank compares kernels by ridge regression on its rows, each of which is predicted by a fit of all others. All rows
// are landmarks, so that the features have exactly the kernel.
type bank struct {
	*study
	x         *mat.Dense
	index     []int // the numbers of its rows
	rows      *dual.Rows
	gram      mat.SymDense
	weights   []float64 // of rows, of sum 1
	variances []float64 // of targets; 0 for constant ones, which do not count
	scores    int       // number of targets that are not constant
	members   []*member // the best kernel of each shape, after the one chosen by validation fits
	least     []float64 // the least squared error of each target with any kernel
}

// A member is a kernel with its losses.
type member struct {
	candidate
	shape shape
	fit
	parts   []*member // of a sum
	weights []float64 // of these
	codes   bool      // of some columns, which centers of k-means have not
	inFolds []float64 // see foldLosses; nil: not known
}

// A candidate is a kernel to be judged, on columns in logarithms with some scales, or raw.
type candidate struct {
	name   string
	kernel featuremap.Kernel
	scales []float64
	folds  []featuremap.Kernel // in the metric that each fold has learned from its own rows; nil: kernel in all
}

// expression returns the kernel as a function of raw columns.
func (c *candidate) expression() featuremap.Kernel { return c.raw(c.kernel) }

// raw returns a kernel of the candidate as a function of raw columns.
func (c *candidate) raw(k featuremap.Kernel) featuremap.Kernel {
	if c.scales == nil {
		return k
	}
	return featuremap.SymLog(c.scales, k)
}

// inFold returns the kernel of a fold.
func (c *candidate) inFold(k int) featuremap.Kernel {
	if c.folds == nil {
		return c.kernel
	}
	return c.folds[k]
}

// expressions returns the kernel of each fold as a function of raw columns; nil if all have the same.
func (c *candidate) expressions() (all []featuremap.Kernel) {
	for _, k := range c.folds {
		all = append(all, c.raw(k))
	}
	return all
}

// newBank returns the bank of a study.
func (s *study) newBank() *bank {
	b := &bank{study: s}
	all := s.copiesOf(s.rest)
	index := some(all.first, min(s.most(bankRows), bankRows))
	b.index = index
	var total float64
	for _, i := range index {
		b.weights = append(b.weights, all.weight(i))
		total += all.weight(i)
	}
	y := dense(all, index)
	b.x, b.rows = dense(s.x, index), dual.NewRows(y, b.weights)
	for i := range b.weights {
		b.weights[i] /= total
	}
	for _, c := range rows.Spreads(y, nil) {
		b.variances = append(b.variances, c.Deviation*c.Deviation)
		b.least = append(b.least, math.Inf(1))
		if c.Deviation > 0 {
			b.scores++
		}
	}
	return b
}

// λ is chosen from a path in half decades that starts at 1e-8 of the mean diagonal element. Rough kernels without noise
// need the smallest values.
const (
	pathPlaces  = 23
	leastPlace  = -16 // half decades
	startPlace  = 8   // the first place that is tried: 1e-4
	coarseSteps = 2   // places from one λ to the next while kernels are compared
)

// atPlace returns λ at a place of the path, in units of the mean diagonal element.
func atPlace(place int) float64 {
	return detmath.Exp(float64(place+leastPlace) * 0.5 * math.Ln10)
}

// A fit is the loss of a kernel with the best λ of each target.
type fit struct {
	loss   float64   // mean squared error over rows and targets, in variances of the targets
	place  int       // of λ on the path, for most targets
	sums   []float64 // mean squared error of each target
	lambda []float64 // of each target
	floor  float64   // the least λ of the path
}

// A walk looks for the best λ of each target.
type walk struct {
	*bank
	errors blas64.General // a row a target
	sums   []float64      // least squared errors of each target so far, with weights of sum 1
	lambda []float64
}

func (b *bank) newWalk() *walk {
	n, _ := b.x.Dims()
	targets := len(b.variances)
	w := &walk{bank: b, sums: make([]float64, targets), lambda: make([]float64, targets)}
	w.errors = newGeneral(targets, n, n)
	for t := range w.sums {
		w.sums[t] = math.Inf(1)
	}
	return w
}

// try leaves rows out with a λ, and reports whether the error of any target falls.
func (w *walk) try(lambda float64) (better bool) {
	if err := w.rows.LeaveOneOut(w.errors, lambda); err != nil {
		return false
	}
	for t, variance := range w.variances {
		if variance == 0 {
			continue
		}
		row := w.errors.Data[t*w.errors.Stride:][:w.errors.Cols]
		var sum float64
		for i, e := range row {
			sum = math.FMA(w.bank.weights[i]*e, e, sum)
		}
		if sum < w.sums[t] {
			better = true
			w.sums[t], w.lambda[t] = sum, lambda
		}
	}
	return better
}

// fit returns the losses with the best λ of each target.
func (w *walk) fit() fit {
	f := fit{lambda: w.lambda, sums: w.sums}
	for t, variance := range w.variances {
		if variance > 0 {
			f.loss += w.sums[t] / variance / float64(w.scores)
		}
	}
	return f
}

// walkFrom walks along the path from a place on, in both directions while any target gains, for the kernel matrix of
// the rows. One target that gains in the first direction has its least error there.
func (b *bank) walkFrom(place, step int) fit {
	w := b.newWalk()
	unit := b.rows.Scale()
	best := place
	w.try(atPlace(place) * unit)
	for _, direction := range []int{-step, step} {
		for at := place + direction; at >= 0 && at < pathPlaces && w.try(atPlace(at)*unit); at += direction {
			best = at
		}
		if best != place && w.scores == 1 {
			break
		}
	}
	f := w.fit()
	f.place, f.floor = best, atPlace(0)*unit
	return f
}

// judge returns a kernel with its losses. The search for λ begins at a place of the path.
func (b *bank) judge(s shape, c candidate, place int) (*member, error) {
	if err := b.tell("bank: " + c.name); err != nil {
		return nil, err
	}
	m := &member{candidate: c, shape: s}
	featuremap.Gram(&b.gram, c.expression(), b.x)
	b.rows.SetKernel(b.gram.RawSymmetric())
	m.fit = b.walkFrom(place, coarseSteps)
	for t, v := range m.sums {
		b.least[t] = min(b.least[t], v)
	}
	return m, nil
}

// bestOf judges kernels of a shape, one after the other, and returns the best; nil if all fail.
func (b *bank) bestOf(s shape, all []candidate) (best *member, err error) {
	place := startPlace
	for _, c := range all {
		m, err := b.judge(s, c, place)
		if err != nil {
			return nil, err
		}
		place = m.place
		if !math.IsInf(m.loss, 1) && (best == nil || m.loss < best.loss) {
			best = m
		}
	}
	return best, nil
}

// Factors for length scales that the marginal likelihood has found for a Gaussian.
var (
	gaussianLengths = []float64{1, 2}
	maternLengths   = []float64{1, 4}
	roughLengths    = []float64{4}                                    // of Matérn 1/2
	medians         = []float64{0.35, 0.7, 1.4, 2.8, 5.6, 11.2, 44.8} // of the Laplacian, times the median distance
)

// smooth returns the candidates that are functions of the distance in a metric: Gaussian ones or others.
func (m *metric) smooth(s shape) (all []candidate) {
	add := func(name string, base featuremap.Kernel, lengths []float64) {
		for _, v := range lengths {
			c := candidate{name: fmt.Sprintf("%s, %v times %s", name, v, m.name), kernel: m.kernel(base, v), scales: m.scales}
			for _, w := range m.folds {
				of := metric{warp: w}
				c.folds = append(c.folds, of.kernel(base, v))
			}
			all = append(all, c)
		}
	}
	if s == gaussian {
		add("Gaussian", featuremap.Gaussian{LengthScale: 1}, gaussianLengths)
		return all
	}
	add("Matérn 5/2", featuremap.Matern{Nu: 2.5, LengthScale: 1}, maternLengths)
	add("Matérn 3/2", featuremap.Matern{Nu: 1.5, LengthScale: 1}, maternLengths)
	add("Matérn 1/2", featuremap.Matern{Nu: 0.5, LengthScale: 1}, roughLengths)
	return all
}

// sums returns the Laplacian candidates of a metric, which is in units of the median ℓ1 distance.
func (m *metric) sums() (all []candidate) {
	for _, v := range medians {
		all = append(all, candidate{fmt.Sprintf("Laplacian, %v times the median distance, %s", v, m.name), m.kernel(featuremap.Laplacian{LengthScale: 1}, v), m.scales, nil})
	}
	return all
}
