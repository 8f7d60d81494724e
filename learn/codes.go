// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Columns of few values, whose numbers may be codes of categories.

package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

const (
	mostCodes    = 32   // values of a column
	rowsACode    = 10   // rows for each value, at least
	leastStep    = 0.01 // of the loss, for each step
	codeErrors   = 2    // standard errors by which all steps must gain: less may be chance, which can triple the error of 100 rows of noise
	hopelessCode = 1.1  // a column whose first factor multiplies the loss by so much is not tried again
	codeLengths  = 64   // from one code to the next: exp(−64) is nothing
)

// mostCoded is the largest number of columns that may have codes: with more there are none. Tests use none, to compare.
var mostCoded = 16

// shares are candidates for the share of the kernel that is left between rows with different codes. The first one that is tried is in
// the middle.
var shares = []float64{1, 0.98, 0.9, 0.7, 0.4, 0.1}

const firstShare = 2

// A coded is a column whose values may be codes.
type coded struct {
	column int
	gap    float64 // the least difference of two values
	code   []int   // of each row
	share  int     // of shares
}

// factor returns the kernel that is 1 for equal codes, and the share for others.
func (c *coded) factor() featuremap.Kernel {
	share := shares[c.share]
	equal := featuremap.Select([]int{c.column}, featuremap.Laplacian{LengthScale: c.gap / codeLengths})
	rest := math.Round(100*(1-share)) / 100 // 1 − share, as it is to be printed
	return featuremap.Sum(featuremap.Constant{Value: share}, featuremap.Scale(rest, equal))
}

// near returns the shares to try.
func (c *coded) near() []int {
	switch c.share {
	case 0:
		return []int{firstShare}
	case len(shares) - 1:
		return []int{c.share - 1}
	}
	return []int{c.share - 1, c.share + 1}
}

// coded returns the columns whose values may be codes; nil if they are many, as in images. Those in logarithms are amounts.
func (b *bank) coded() (all []*coded) {
	n, d := b.x.Dims()
	scales := b.tailScales()
	for j := range d {
		if scales != nil && scales[j] > 0 {
			continue
		}
		column := mat.Col(nil, j, b.x)
		values := slices.Clone(column)
		slices.Sort(values)
		values = slices.Compact(values)
		if len(values) < 3 || len(values) > min(mostCodes, n/rowsACode) {
			continue
		}
		c := &coded{column: j, gap: math.Inf(1)}
		for i, v := range values[1:] {
			c.gap = min(c.gap, v-values[i])
		}
		if c.gap < leastGap*max(-values[0], values[len(values)-1]) || c.gap < leastLength {
			continue
		}
		for _, v := range column {
			k, _ := slices.BinarySearch(values, v)
			c.code = append(c.code, k)
		}
		if all = append(all, c); len(all) > mostCoded {
			return nil
		}
	}
	return all
}

const (
	leastGap    = 1e-12  // the least difference of codes, relative to the largest: a smaller one is rounding
	leastLength = 1e-148 // or of any: a 64th of it is a length scale, of 1e-150 at least
)

// A coding is the kernel of a member times the factors of columns.
type coding struct {
	*bank
	kernel, product blas64.Symmetric // matrices of the rows
	columns         []*coded
	best            fit
}

// fit returns the fit with the current shares.
func (c *coding) fit(place, step int) fit {
	for i := range c.kernel.N {
		to := c.product.Data[i*c.product.Stride:][:c.product.N]
		copy(to[i:], c.kernel.Data[i*c.kernel.Stride:][i:c.kernel.N])
		for _, col := range c.columns {
			share, code := shares[col.share], col.code[i]
			for j := i + 1; col.share > 0 && j < len(to); j++ {
				if col.code[j] != code {
					to[j] *= share
				}
			}
		}
	}
	c.rows.SetKernel(c.product)
	return c.walkFrom(place, step)
}

// step changes the share of the column that gains most by it, and returns the columns that are worth another step; nil if none gains
// enough.
func (c *coding) step(columns []*coded) (further []*coded, err error) {
	var next *coded
	var share int
	least := c.best
	for _, col := range columns {
		if err := c.tell("bank: codes"); err != nil {
			return nil, err
		}
		now, hopeless := col.share, col.share == 0
		for _, s := range col.near() {
			col.share = s
			f := c.fit(c.best.place, coarseSteps)
			hopeless = hopeless && f.loss > hopelessCode*c.best.loss
			if f.loss < least.loss {
				next, share, least = col, s, f
			}
		}
		if col.share = now; !hopeless {
			further = append(further, col)
		}
	}
	if next == nil {
		return nil, nil
	}
	now := next.share
	next.share = share
	if f := c.fit(least.place, 1); f.loss < (1-leastStep)*c.best.loss {
		c.best = f
		return further, nil
	}
	next.share = now
	return nil, nil
}

// withCodes returns a sum times factors for columns of few values, in whose order there may be nothing to learn, as in codes of
// categories. It returns the sum itself if all factors gain less than two standard errors of the loss.
func (b *bank) withCodes(sum *member) (*member, error) {
	c := &coding{bank: b, columns: b.coded()}
	if c.columns == nil {
		return sum, nil
	}
	var g mat.SymDense
	featuremap.Gram(&g, sum.expression(), b.x)
	c.kernel = g.RawSymmetric()
	n := c.kernel.N
	c.product = blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
	c.best = c.fit(sum.place, 1)
	before := b.rowLosses(&c.best)
	for columns := c.columns; columns != nil; {
		var err error
		if columns, err = c.step(columns); err != nil {
			return nil, err
		}
	}
	if c.columns = slices.DeleteFunc(c.columns, func(col *coded) bool { return col.share == 0 }); len(c.columns) == 0 {
		return sum, nil
	}
	c.best = c.fit(c.best.place, 1)
	if after := b.rowLosses(&c.best); before == nil || after == nil || !b.gains(before, after) {
		return sum, nil
	}
	coded := c.of(sum)
	coded.fit = c.best
	return coded, nil
}

// gains reports whether losses of rows are less by enough standard errors of the mean difference.
func (b *bank) gains(before, after []float64) bool {
	var mean, squares float64
	for i, w := range b.weights {
		mean = math.FMA(w, before[i]-after[i], mean)
	}
	for i, w := range b.weights {
		d := w * (before[i] - after[i] - mean)
		squares = math.FMA(d, d, squares)
	}
	return mean > codeErrors*math.Sqrt(squares)
}

// rowLosses returns the squared leave-one-out errors of a fit for the current kernel matrix, a mean over targets in units of their
// variances; nil if the matrix has no factor.
func (b *bank) rowLosses(f *fit) []float64 {
	n, targets := len(b.weights), len(b.variances)
	sums, errors := make([]float64, n), newGeneral(targets, n, n)
	for t, variance := range b.variances {
		if variance == 0 {
			continue
		}
		if err := b.rows.LeaveOneOut(errors, f.lambda[t]); err != nil {
			return nil
		}
		for i, e := range errors.Data[t*n:][:n] {
			sums[i] = math.FMA(e/variance/float64(b.scores), e, sums[i])
		}
	}
	return sums
}

// of returns a sum of which each kernel has the factors.
func (c *coding) of(sum *member) *member {
	var factors []featuremap.Kernel
	var names []string
	for _, col := range c.columns {
		factors = append(factors, col.factor())
		names = append(names, fmt.Sprintf("%d (%v)", col.column, shares[col.share]))
	}
	with := func(k featuremap.Kernel) featuremap.Kernel {
		return featuremap.Product(append([]featuremap.Kernel{k}, factors...)...)
	}
	var parts []*member
	for _, p := range sum.parts {
		q := *p
		q.kernel, q.folds = with(p.kernel), nil
		for _, k := range p.folds {
			q.folds = append(q.folds, with(k))
		}
		parts = append(parts, &q)
	}
	coded := sumOf(parts, sum.weights)
	coded.name += ", codes: columns " + strings.Join(names, ", ")
	coded.codes = true
	return coded
}
