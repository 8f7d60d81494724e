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
)

const (
	sampleRows      = 3000 // about so many rows are in a sample
	foldCount       = 3
	oneFold         = 1500 // a sample that tells as much as more rows has one fold held back; one of fewer each of them
	sampleTolerance = 2e-2 // of its fits
)

// A sample is some of the rows, in folds.
type sample struct {
	folds []*fold
}

// A fold is the rows of a sample: those that are held back, and a descent for the rest.
type fold struct {
	*descent
	held    *training
	last    functions // that the descent ended with; the next begins there
	discard functions
}

// newSample returns a sample of the rows, with their features.
func (d *descent) newSample() (*sample, error) {
	rows := d.sampled()
	weights := d.sampledWeights(rows)
	features, err := d.gather(rows)
	if err != nil {
		return nil, err
	}
	s := new(sample)
	all := d.sub(features, rows, weights, func(int) bool { return true })
	of := foldsOf(all.classes, d.count)
	for f := range foldCount {
		held := d.sub(features, rows, weights, func(i int) bool { return of[i] == f })
		if len(held.classes) == 0 {
			continue
		}
		rest := d.sub(features, rows, weights, func(i int) bool { return of[i] != f })
		s.folds = append(s.folds, d.newFold(rest, held))
		if all.effective() > oneFold {
			break
		}
	}
	return s, nil
}

// sampled returns the numbers of the rows of the sample, in ascending order: of each class rows at random, at least half of
// what were its share if all classes had as many, if it has them.
func (d *descent) sampled() []int {
	groups := make([][]int, d.count)
	n := 0
	for i, c := range d.classes {
		if d.weight(i) > 0 {
			groups[c] = append(groups[c], i)
			n++
		}
	}
	if n <= sampleRows {
		return slices.Sorted(slices.Values(slices.Concat(groups...)))
	}
	s := featuremap.NewSampler(0)
	var rows []int
	for _, group := range groups {
		quota := max(len(group)*sampleRows/n, sampleRows/(2*d.count), foldCount)
		for k := range min(quota, len(group)) {
			j := k + s.IntN(len(group)-k)
			group[k], group[j] = group[j], group[k]
			rows = append(rows, group[k])
		}
	}
	slices.Sort(rows)
	return rows
}

// sampledWeights returns the weights of sampled rows, under which each class has the same part of the sum as of all rows.
func (d *descent) sampledWeights(rows []int) []float64 {
	all, some := make([]float64, d.count), make([]float64, d.count)
	for i, c := range d.classes {
		all[c] += d.weight(i)
	}
	for _, i := range rows {
		some[d.classes[i]] += d.weight(i)
	}
	weights := make([]float64, len(rows))
	for k, i := range rows {
		c := d.classes[i]
		weights[k] = d.weight(i) * (all[c] / some[c]) * (float64(len(rows)) / d.total)
	}
	return weights
}

// foldsOf returns the fold of each row, at random: of each class the folds have as many, to one. The only row of a class has none.
func foldsOf(classes []int32, count int) []int {
	s := featuremap.NewSampler(1)
	of := make([]int, len(classes))
	groups := make([][]int, count)
	for i, c := range classes {
		groups[c] = append(groups[c], i)
	}
	next := 0
	for _, group := range groups {
		if len(group) == 1 {
			of[group[0]] = -1
			continue
		}
		for k := range group {
			j := k + s.IntN(len(group)-k)
			group[k], group[j] = group[j], group[k]
			of[group[k]] = next % foldCount
			next++
		}
	}
	return of
}

// gather returns the features of some rows, in ascending order.
func (d *descent) gather(rows []int) (blas64.General, error) {
	g := blas64.General{Rows: len(rows), Cols: d.out, Stride: d.stride, Data: make([]float64, len(rows)*d.stride)}
	k := 0
	err := d.chunks(func(first int, features blas64.General) error {
		for ; k < len(rows) && rows[k] < first+features.Rows; k++ {
			copy(g.Data[k*g.Stride:][:g.Cols], features.Data[(rows[k]-first)*features.Stride:][:g.Cols])
		}
		return d.tell(0, math.NaN())
	})
	return g, err
}

// sub returns the training of those of the sampled rows that are chosen.
func (d *descent) sub(features blas64.General, rows []int, weights []float64, chosen func(i int) bool) *training {
	t := &training{
		Options: Options{Tolerance: sampleTolerance, Progress: func(int, float64) error {
			if d.Progress == nil {
				return nil
			}
			return d.Progress(0, math.NaN())
		}},
		phi: d.training.phi, in: d.in, out: d.out, count: d.count, raw: d.training.raw, mean: d.mean, stride: d.stride, keeping: true,
	}
	kept := blas64.General{Cols: features.Cols, Stride: features.Stride}
	for i, row := range rows {
		if chosen(i) {
			kept.Data = append(kept.Data, features.Data[i*features.Stride:][:features.Stride]...)
			t.classes = append(t.classes, d.classes[row])
			t.weights = append(t.weights, weights[i])
			t.total += weights[i]
		}
	}
	kept.Rows = len(t.classes)
	t.kept = []blas64.General{kept}
	return t
}

// newFold returns the fold of some rows held back and the rest. The descent has the factor at hand, and begins with the frequencies of
// the classes.
func (d *descent) newFold(rest, held *training) *fold {
	e := *d
	e.training = rest
	e.start, e.at, e.gradient, e.scratch = e.newFunctions(), e.newFunctions(), e.newFunctions(), e.newFunctions()
	if e.raw = e.at; rest.raw != nil {
		e.raw = e.newFunctions()
	}
	f := &fold{descent: &e, held: held, last: e.newFunctions(), discard: e.newFunctions()}
	for i, c := range rest.classes {
		f.last.intercept[c] += rest.weight(i) / rest.total
	}
	for c, v := range f.last.intercept {
		f.last.intercept[c] = detmath.Log(v)
	}
	return f
}

// fit goes on to the weights for a penalty a row, and returns the sum of the losses of the rows held back.
func (f *fold) fit(penalty float64) (float64, error) {
	f.lambda = penalty * f.total
	copy(f.start.w.Data, f.last.w.Data)
	copy(f.start.intercept, f.last.intercept)
	f.search = lbfgs.New(make([]float64, f.count*(f.out+1)), rememberedSteps)
	f.values = f.values[:0]
	if err := f.run(); err != nil {
		return 0, err
	}
	f.move(f.search.Best())
	copy(f.last.w.Data, f.at.w.Data)
	copy(f.last.intercept, f.at.intercept)
	return f.held.traverse(f.raw, f.discard)
}

// loss returns the mean loss of the rows held back, for a penalty a row.
func (s *sample) loss(penalty float64) (float64, error) {
	var sum, total float64
	for _, f := range s.folds {
		v, err := f.fit(penalty)
		if err != nil {
			return 0, err
		}
		sum += v
		total += f.held.total
	}
	return sum / total, nil
}

// effective returns that of the rows of a fit, in the mean over the folds.
func (s *sample) effective() (mean float64) {
	for _, f := range s.folds {
		mean += f.training.effective() / float64(len(s.folds))
	}
	return mean
}
