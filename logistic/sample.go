// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A sample has three folds. Of many rows one fold is fitted at first and the others, which cost little, are held back; of few rows, and
// later of all, one is held back and the others are fitted. There can be three such fits, by turns.
const (
	foldCount       = 3
	manyRows        = 3000 // effective ones, of all rows; about so many are sampled of fewer
	sampleRows      = 7500 // about so many are sampled of more
	enoughLoss      = 100  // of the rows held back in one fit: neighbours on the path can be told apart; of less, all three are made
	sampleTolerance = 3e-2 // of the fits of the first walk
	closeTolerance  = 1e-2 // of those of the second
	heldPart        = 0.15 // of many rows, of the mean loss of those held back last: tolerances are parts of no less
	sampleWindow    = 3    // of all their descents
)

// A sample is some of the rows.
type sample struct {
	rows    []int          // their numbers, in ascending order in each fold
	ends    [foldCount]int // of the folds
	classes []int32
	weights []float64 // under which each class has the same part of the sum as of all rows
	chunk   blas64.General

	fits    []*heldBack
	all     *descent
	factor  *tiled.Factor // for a place on the path
	turned  *tiled.Turned
	place   int       // that place; those below begin have the factor of ridge regression
	start   int       // of the path
	many    bool      // rows: more than manyRows
	turns   int       // the number of fits that are made
	penalty float64   // of a row: λ/n for the λ that ridge regression leads to
	fitted  functions // of the first fit, at the best place so far
}

// A heldBack is a fit of some folds, judged by the others.
type heldBack struct {
	*descent
	fold   int     // that is fitted, or the first of two
	part   float64 // heldPart; of few rows 0
	held   *training
	last   functions       // the result of the last descent, from which the next one begins
	unused functions       // the gradient of the rows held back
	losses map[int]float64 // sums over the rows held back, by the place j on the path
}

// newSample returns a sample of the rows, with their features.
func (d *descent) newSample() (*sample, error) {
	s := &sample{all: d, start: d.pathStart(), turns: 1, penalty: d.lambda / d.total, many: d.effective() > manyRows}
	if s.many {
		s.deal(d, sampleRows)
	} else {
		s.deal(d, manyRows)
	}
	if err := s.gather(d); err != nil {
		return nil, err
	}
	for fold := range foldCount {
		if f := s.newFit(fold, s.many); f.held.total > 0 {
			s.fits = append(s.fits, f)
		}
	}
	return s, nil
}

// newFit returns the fit of a fold, or of that and the next.
func (s *sample) newFit(fold int, one bool) *heldBack {
	chosen := func(f int) bool { return f == fold || !one && f == (fold+1)%foldCount }
	f := s.all.newHeldBack(s.training(chosen), s.training(func(f int) bool { return !chosen(f) }))
	if f.fold = fold; s.many {
		f.part = heldPart
	}
	return f
}

// draw chooses about size rows at random, and returns those of each class, and by what the weights of each class are to be multiplied to have
// the sum over all its rows. A rare class has all its rows in the sample, or at least half as many as if all classes were equally frequent.
func (t *training) draw(size int) (chosen [][]int, factors []float64) {
	chosen, factors = make([][]int, t.count), make([]float64, t.count)
	n := 0
	for i, c := range t.classes {
		if w := t.weight(i); w > 0 {
			chosen[c] = append(chosen[c], i)
			factors[c] += w
			n++
		}
	}
	random := featuremap.NewSampler(0)
	for c, group := range chosen {
		quota := len(group)
		if n > size {
			quota = min(max(quota*size/n, size/(2*t.count), foldCount), quota)
		}
		var some float64
		for k := range quota {
			j := k + random.IntN(len(group)-k)
			group[k], group[j] = group[j], group[k]
			some += t.weight(group[k])
		}
		chosen[c], factors[c] = group[:quota], factors[c]/some
	}
	return chosen, factors
}

// deal draws about size rows, and deals out those of each class to the folds.
func (s *sample) deal(d *descent, size int) {
	chosen, factors := d.draw(size)
	var folds [foldCount][]int
	for c, rows := range chosen {
		for k, i := range rows {
			f := (k + c) % foldCount
			folds[f] = append(folds[f], i)
		}
	}
	for f, rows := range folds {
		slices.Sort(rows)
		s.rows = append(s.rows, rows...)
		s.ends[f] = len(s.rows)
	}
	for _, i := range s.rows {
		c := d.classes[i]
		s.classes = append(s.classes, c)
		s.weights = append(s.weights, d.weight(i)*(factors[c]/d.total)*float64(len(s.rows)))
	}
}

// gather copies the features of the rows.
func (s *sample) gather(d *descent) error {
	s.chunk = blas64.General{Rows: len(s.rows), Cols: d.out, Stride: d.stride, Data: make([]float64, len(s.rows)*d.stride)}
	var next [foldCount]int
	copy(next[1:], s.ends[:])
	return d.chunks(func(first int, features blas64.General) error {
		for f, end := range s.ends {
			for ; next[f] < end && s.rows[next[f]] < first+features.Rows; next[f]++ {
				copy(s.chunk.Data[next[f]*s.chunk.Stride:][:d.out], features.Data[(s.rows[next[f]]-first)*features.Stride:])
			}
		}
		return d.tell(0, math.NaN())
	})
}

// training returns the training of the folds that are chosen.
func (s *sample) training(chosen func(fold int) bool) *training {
	d := s.all
	t := &training{
		Options: Options{Tolerance: sampleTolerance, Progress: func(int, float64) error { return d.progress(0, math.NaN()) }},
		phi:     d.training.phi, in: d.in, out: d.out, count: d.count, raw: d.training.raw, mean: d.mean, stride: d.stride, keeping: true,
	}
	lo := 0
	for f, hi := range s.ends {
		if chosen(f) && lo < hi {
			part := s.chunk
			part.Rows, part.Data = hi-lo, s.chunk.Data[lo*s.chunk.Stride:hi*s.chunk.Stride]
			t.kept = append(t.kept, part)
			t.classes = append(t.classes, s.classes[lo:hi]...)
			t.weights = append(t.weights, s.weights[lo:hi]...)
		}
		lo = hi
	}
	for _, w := range t.weights {
		t.total += w
	}
	return t
}

// newHeldBack returns a fit, with the factor of the fit of all rows, that begins with the frequencies of the classes alone: weights of all
// rows know those that are held back.
func (d *descent) newHeldBack(fitted, held *training) *heldBack {
	e := *d
	e.training, e.window = fitted, sampleWindow
	e.start, e.at, e.gradient, e.scratch = e.newFunctions(), e.newFunctions(), e.newFunctions(), e.newFunctions()
	if e.raw = e.at; fitted.raw != nil {
		e.raw = e.newFunctions()
	}
	f := &heldBack{descent: &e, held: held, last: e.newFunctions(), unused: e.newFunctions(), losses: make(map[int]float64)}
	for i, c := range fitted.classes {
		f.last.intercept[c] += fitted.weight(i) / fitted.total
	}
	held.total = 0
	for i, c := range held.classes {
		if f.last.intercept[c] == 0 { // no row of the class is fitted
			held.weights[i] = 0
		}
		held.total += held.weights[i]
	}
	for c, v := range f.last.intercept {
		f.last.intercept[c] = detmath.Log(max(v, 1/float64(len(fitted.classes))))
	}
	return f
}

// fit descends from the last result, for a penalty of each row, and returns the sum of the losses of the rows held back.
func (f *heldBack) fit(penalty float64) (float64, error) {
	f.lambda = penalty * f.total
	f.start.copy(f.last)
	f.search = lbfgs.New(make([]float64, f.count*(f.out+1)), rememberedSteps)
	f.values = f.values[:0]
	if err := f.run(); err != nil {
		return 0, err
	}
	f.move(f.search.Best())
	f.last.copy(f.at)
	sum, err := f.held.traverse(f.raw, f.unused)
	f.least = f.part * sum / f.held.total
	return sum, err
}

// closer begins a second walk, of fits of two folds, from where those of the first have come, which know nothing of the third.
func (s *sample) closer() {
	for i, f := range s.fits {
		next := s.newFit(f.fold, false)
		next.Tolerance, next.last, next.least = closeTolerance, f.last, f.least
		s.fits[i] = next
	}
}

// loss returns the sum of the losses of the rows held back by some of the fits, for λ = 4ʲ times that of ridge regression.
func (s *sample) loss(j int) (sum float64, err error) {
	for _, f := range s.fits[:s.turns] {
		if _, ok := f.losses[j]; !ok {
			s.factorize(j)
			f.factor, f.turned = s.factor, s.turned
			if f.losses[j], err = f.fit(math.Ldexp(s.penalty, 2*j)); err != nil {
				return 0, err
			}
		}
		sum += f.losses[j]
	}
	return sum, nil
}

// factorize sets the factor for a place on the path, which is that of ridge regression if its λ is not much less.
func (s *sample) factorize(j int) {
	lambda := math.Ldexp(s.all.lambda, 2*j) / s.all.share()
	if lambda <= muchLarger*s.all.ridgeLambda {
		s.factor, s.turned = s.all.factor, s.all.turned
		return
	}
	if s.turned != nil && s.place == j {
		return
	}
	if factor, ok := s.all.stiffened(lambda); ok {
		s.factor, s.turned, s.place = factor, factor.Turned(), j
	}
}

// effective returns the effective number of the rows of a fit, in the mean over the fits.
func (s *sample) effective() (mean float64) {
	for _, f := range s.fits {
		mean += f.training.effective() / float64(len(s.fits))
	}
	return mean
}
