// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// The majorizer of the loss treats each row as if it were undecided. After some steps most rows are decided, and only
// few of them contribute to the Hessian of the loss for class c, Σ wᵢ·p(c | xᵢ)(1 − p(c | xᵢ))·φᵢφᵢᵀ. The descent then
// continues, once, in the coordinates of a new factor, from the mean of these Hessians over the classes: with the
// spread sᵢ = 1 − Σ p(c | xᵢ)² of row i,
//
//	UᵀU = 2·Σ wᵢsᵢ·φᵢφᵢᵀ + Kλ·I nearly, instead of ΦᵀΦ + Kλ·I
//
// which saves a quarter of all passes for the letters. (Of the mean, twice the mean and four times the mean, twice is
// the best.) Rows of small spread count with their mean spread, for which the sums over all rows are known, and so do
// others if they are too many.

const (
	stepsBefore = 5    // steps after which spreads are taken
	muchLarger  = 8    // more than so many times the λ of the current factor gets a factor of its own,
	muchSmaller = 1e-4 // and so does less than so many times that λ, or less than the square of it where no rows are held out
	worthPasses = 30   // the new factor must take fewer multiply-adds than so many passes
)

// A division says which rows, by their spreads, have a term of their own.
type division struct {
	mean  float64 // of the spreads of all rows, by weight
	least float64 // rows with a larger spread have a term of their own
	rest  float64 // the mean of the other rows
}

// meanSpread returns the mean spread of all rows, by weight.
func (t *training) meanSpread() float64 {
	var sum float64
	for i, v := range t.spreads {
		sum += float64(t.weight(i) * v)
	}
	return sum / t.total
}

// divide returns the division that gives about most rows, with the largest spreads, a term of their own.
func (t *training) divide(most int) division {
	s := division{mean: t.meanSpread()}
	s.least = s.mean / 2
	if most < len(t.spreads) {
		s.least = max(s.least, slices.Sorted(slices.Values(t.spreads))[len(t.spreads)-1-most])
	}
	var few, weight float64
	for i, v := range t.spreads {
		if v <= s.least {
			few += float64(t.weight(i) * v)
			weight += t.weight(i)
		}
	}
	if weight > 0 {
		s.rest = few / weight
	}
	return s
}

// recondition changes to the new factor if that is worth it, and reports whether it has. The point evaluated last is
// the best one.
func (d *descent) recondition() (changed bool, err error) {
	rows := 4*worthPasses*float64(len(d.classes))*float64(d.count)/float64(d.out) - float64(4*d.out/3)
	if rows < 0 {
		return false, nil
	}
	s := d.divide(int(min(rows, float64(len(d.classes)))))
	if !(s.mean > 0) {
		return false, nil
	}
	m, err := d.spreadSums(&s)
	if err != nil {
		return false, err
	}
	// The current factor contains the λ of ridge regression in addition to the sums.
	k := float64(d.count)
	m.AddDiagonal(max(float64(k*d.lambda)-float64(2*s.rest*d.ridgeLambda), 0))
	factor, bad := m.Factorize(float64(d.out) * 0x1p-52)
	if bad >= 0 {
		return false, nil
	}
	d.replace(factor)
	d.level = math.Sqrt(k / (2 * s.mean))
	d.start.copy(d.at)
	return true, d.recenter()
}

// replace changes to a factor of the descent's own, and makes another one of its own the spare one.
func (d *descent) replace(factor *tiled.Factor) {
	if d.own {
		d.spare = d.factor
	}
	d.factor, d.turned, d.own = factor, factor.TurnedIn(d.turned), true
}

// spreadSums returns 2·Σ wᵢsᵢ·φᵢφᵢᵀ, with the current factor for the rows of small spread.
func (d *descent) spreadSums(s *division) (*tiled.Matrix, error) {
	sums := d.beginSums()
	sums.addSquares(d.factor, 2*s.rest)
	sums.raw = d.training.raw
	err := d.chunks(func(first int, features blas64.General) error {
		for i := range features.Rows {
			if v, w := d.spreads[first+i], d.weight(first+i); v > s.least && w > 0 {
				copy(sums.next(2*float64(w*(v-s.rest))), features.Data[i*features.Stride:][:d.out])
			}
		}
		return d.tell(d.pass, d.search.Value())
	})
	return sums.take(), err
}

// scaledSums are sums of squares of rows, each with its own factor.
type scaledSums struct {
	matrix *tiled.Matrix
	block  *tiled.Block
	raw    *tiled.Factor  // the rows are its raw features; nil: they are features
	rows   blas64.General // waiting to be added
	roots  []float64      // of their factors
}

// beginSums begins sums, whose matrix is new or has the memory of the spare factor.
func (d *descent) beginSums() *scaledSums {
	if d.sums == nil {
		rows := blas64.General{Cols: d.out, Stride: d.stride, Data: make([]float64, tiled.BlockRows*d.stride)}
		d.sums = &scaledSums{block: tiled.NewBlock(d.out), rows: rows}
	}
	if d.sums.raw = nil; d.spare != nil {
		d.sums.matrix, d.spare = d.spare.Free(), nil
	} else {
		d.sums.matrix = tiled.New(d.out)
	}
	return d.sums
}

// next returns the memory for the next row, with a factor of at least 0.
func (s *scaledSums) next(factor float64) []float64 {
	if s.rows.Rows == tiled.BlockRows {
		s.flush()
	}
	s.roots = append(s.roots, math.Sqrt(factor))
	s.rows.Rows++
	return s.rows.Data[(s.rows.Rows-1)*s.rows.Stride:][:s.rows.Cols]
}

// addSquares adds scale·UᵀU.
func (s *scaledSums) addSquares(u *tiled.Factor, scale float64) {
	for k := range s.rows.Cols {
		row := s.next(scale)
		clear(row[:k])
		for j := k; j < len(row); j++ {
			row[j] = u.At(k, j)
		}
	}
	s.flush()
}

// stiffened returns the factor of UᵀU with another λ instead of ridgeLambda, and whether there is one.
func (d *descent) stiffened(lambda float64) (*tiled.Factor, bool) {
	sums := d.beginSums()
	sums.addSquares(d.factor, 1)
	m := sums.take()
	m.AddDiagonal(lambda - d.ridgeLambda)
	factor, bad := m.Factorize(float64(d.out) * 0x1p-52)
	return factor, bad < 0
}

// stiffen changes to the factor that ridge regression would have with the λ that corresponds to the one of the loss, if
// that is much larger or smaller, and to its weights if the descent starts from ridge regression.
func (d *descent) stiffen() {
	lambda := d.lambda / d.share()
	far := lambda < muchSmaller*muchSmaller*d.ridgeLambda // recondition replaces the factor soon
	if lambda <= muchLarger*d.ridgeLambda && !far {
		return
	}
	factor, ok := d.stiffened(lambda)
	if !ok {
		return
	}
	if d.fromRidge() {
		d.multiplyStart()
	}
	d.replace(factor)
	d.ridgeLambda = lambda
	if d.fromRidge() {
		d.factor.SolveTransVecs(d.start.w)
		d.turned.SolveVecs(d.start.w)
	}
}

// multiplyStart multiplies the weights of the start by UᵀU, which turns the weights of ridge regression into Φᵀy.
func (d *descent) multiplyStart() {
	column, image := make([]float64, d.out), make([]float64, d.out)
	for k := range d.count {
		row := d.row(d.start, k)
		clear(image)
		for j, w := range row {
			d.factor.Column(column, j)
			chain.Add(image[:j+1], w, column[:j+1])
		}
		for j := range row {
			d.factor.Column(column, j)
			row[j] = chain.Dot(column[:j+1], image[:j+1])
		}
	}
}

// take returns the matrix, which then belongs to the caller.
func (s *scaledSums) take() *tiled.Matrix {
	s.flush()
	m := s.matrix
	s.matrix = nil
	return m
}

// flush adds the waiting rows. They are finite, since the sums of ridge regression contain them.
func (s *scaledSums) flush() {
	if s.rows.Rows == 0 {
		return
	}
	if s.raw != nil {
		s.raw.SolveTransVecs(s.rows)
	}
	s.block.Append(s.rows)
	s.block.Scale(s.roots)
	s.matrix.Update(s.block)
	s.block.Truncate(0)
	s.rows.Rows, s.roots = 0, s.roots[:0]
}

// restart begins a search where the last one is, in the coordinates of the new factor. It reports whether the point can
// be left.
func (d *descent) restart(value float64, gradient []float64) bool {
	d.beginSearch()
	d.project(gradient)
	return d.search.Report(value, gradient) != lbfgs.Stuck
}

// recenter sets the centers m to the means of the features for each class, weighted by wᵢ·p(1 − p). The Hessian of the
// loss by the weights of a class and its intercept is then 0, so that an intercept moves with its weights. The scores
// are from the last pass.
func (d *descent) recenter() error {
	if d.middles.w.Data == nil {
		d.middles = d.newFunctions()
	}
	t, c := d.training, d.middles
	clear(c.w.Data)
	clear(c.intercept)
	err := t.parts(func(p *partial, first int, part blas64.General) {
		p.blocks(first, part, func(first int, features, scores blas64.General) {
			t.scoresTo(scores, first)
			for i := range scores.Rows {
				row, w := scores.Data[i*scores.Stride:][:scores.Cols], t.weight(first+i)
				for k, v := range d.at.intercept {
					row[k] += v
				}
				softmax(row)
				for k, v := range row {
					row[k] = float64(w * (v * (1 - v)))
					p.gradient.intercept[k] += row[k]
				}
			}
			slabs.CombineBlock(p.gradient.w, features, scores)
		})
	}, func(p *partial) { c.add(p.gradient) })
	if t.raw != nil {
		t.raw.SolveTransVecs(c.w)
	}
	for k, v := range c.intercept {
		row := d.row(c, k)
		for j := range row {
			row[j] /= max(v, leastWeight)
		}
	}
	d.centers = c
	return err
}
