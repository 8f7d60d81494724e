// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A setting is what is learned: λ, and for each term its scale and its warp, for points in units of the table.
type setting struct {
	lambda float64
	scales []float64
	warps  []warp
}

// A slope is the gradient at a setting, by the logarithms of λ and of the scales, and by the elements of the warps of
// stationary terms.
type slope struct {
	lambda float64
	scales []float64
	warps  [][]float64
}

// A group is the columns of one term among the features: √scale·(features of the term).
//
// For a stationary term they are √(mass/m)·(cos ωⱼ·Ax, …, sin ωⱼ·Ax, …) with m fixed base frequencies ωⱼ of the kernel
// with A = I. With a factor that is held fixed, with frequencies νⱼ, the phase is ω·Ax + νⱼ·x instead of ω·Ax. The
// columns of other terms do not change.
type group struct {
	at, columns int
	frequencies *mat.Dense // m×p; nil for other terms
	held        *mat.Dense // νⱼ, m×d, in the units of x; nil if no factor is held
	mass        float64
	fixed       blas64.General // n×columns features
}

// A model is the Gaussian process on some features of the rows of a table. Its log evidence, with the noise of each
// target at its maximum, is that of package normal, except for what the method evidence changes.
//
// With Φ the features, B = ΦᵀΦ + λI, w = B⁻¹Φᵀy, r = y − Φw and T targets, minus the gradient of the log evidence by Φ
// is
//
//	P = TΦB⁻¹ − Σ r·wᵀ/σ² = Φ(TB⁻¹ + Σ w·wᵀ/σ²) − Σ y·wᵀ/σ², the sums over targets,
//
// one product with [Φ, y]. With C and S the cosines and sines of a term, H = P_S∘C − P_C∘S is the gradient by the
// phases ω·Ax, so minus the gradient by A is WᵀHᵀX, for rows W of frequencies. With an intercept, Φ and y in B, w, r
// and P are centered. (The derivation follows Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
// section 5.4.1, by way of features.)
type model struct {
	table  *table
	terms  []term
	groups []group
	width  int // the number D of features

	features blas64.General // n×(D + T): features, and then the targets
	slopes   blas64.General // n×D, P; nil until a gradient is asked for
	turned   blas64.General // Hᵀ, a row for each frequency
	points   *projection.Projection
}

// value returns the log evidence, the normal equations and their solution for λ. The evidence is NaN if features are
// too large or B cannot be factorized.
func (m *model) value(set *setting) (float64, *normal.Equations, *normal.Solution) {
	m.transform(set)
	e, err := m.equations()
	if err != nil {
		return math.NaN(), nil, nil
	}
	s, err := e.Solve(set.lambda)
	if err != nil {
		return math.NaN(), e, nil
	}
	return m.evidence(s), e, s
}

// transform sets the features.
func (m *model) transform(set *setting) {
	if m.features.Data == nil {
		n, columns := m.table.x.Rows, m.width+m.table.y.Cols
		m.features = newGeneral(n, columns, tiled.Stride(columns))
		targets := columnsOf(m.features, m.width, m.table.y.Cols)
		for i := range n {
			copy(targets.Data[i*targets.Stride:][:targets.Cols], m.table.y.Data[i*m.table.y.Stride:])
		}
	}
	for i := range m.groups {
		g := &m.groups[i]
		view := columnsOf(m.features, g.at, g.columns)
		if g.frequencies == nil {
			root := math.Sqrt(set.scales[i])
			for r := range view.Rows {
				to, from := view.Data[r*view.Stride:][:g.columns], g.fixed.Data[r*g.fixed.Stride:][:g.columns]
				for j, v := range from {
					to[j] = root * v
				}
			}
			continue
		}
		var dst mat.Dense
		dst.SetRawMatrix(view)
		g.forms(set.scales[i], &set.warps[i], m.table.columns.scales()).Stack().Transform(&dst, m.table.points())
	}
}

// forms returns the projection to the columns of a stationary term, of points in units.
func (g *group) forms(scale float64, w *warp, units []float64) *projection.Projection {
	d := len(units)
	count := g.columns / 2
	p := projection.New(count, d, projection.CosSin, math.Sqrt(scale*g.mass/float64(count)))
	form := make([]float64, d)
	for j := range count {
		w.transposed(form, g.frequencies.RawRowView(j))
		if g.held != nil {
			for k, v := range g.held.RawRowView(j) {
				form[k] = math.FMA(v, units[k], form[k])
			}
		}
		for k := range form {
			form[k] *= 0.5 / math.Pi
		}
		p.Set(j, form, 0)
	}
	return p
}

// chunk is the number of rows that are added up together.
const chunk = tiled.BlockRows

// equations returns the normal equations of the features and targets. It is an error if a feature is not finite, or too large.
func (m *model) equations() (*normal.Equations, error) {
	sums := normal.New(m.width, m.table.y.Cols)
	for lo := 0; lo < m.features.Rows; lo += chunk {
		count := min(chunk, m.features.Rows-lo)
		sums.Begin(count)
		next := sums.Next(count)
		for i := range count {
			copy(next.Data[i*next.Stride:][:next.Cols], m.features.Data[(lo+i)*m.features.Stride:])
		}
		if err := sums.Append(nil, nil); err != nil {
			return nil, fmt.Errorf("features are too large: %w", err)
		}
		sums.Commit()
	}
	return normal.NewEquations(sums, m.table.intercept), nil
}

// gradient sets dst to the gradient of minus the log evidence, and returns minus the log evidence. If that is NaN, it
// sets nothing.
func (m *model) gradient(dst *slope, set *setting) float64 {
	value, e, s := m.value(set)
	if !(math.Abs(value) <= math.MaxFloat64) {
		return math.NaN()
	}
	weights, intercept := e.Weights(s)
	noise := slopeNoise(s.Noise)
	if m.slopes.Data == nil {
		m.slopes = newGeneral(m.features.Rows, m.width, tiled.Stride(m.width))
	}
	var explained float64
	if m.features.Rows <= 2*m.width {
		explained = m.rowSlopes(s.Factor, weights, noise, e.Mean, intercept)
	} else {
		inverse := m.inverse(s.Factor)
		explained = m.explained(set.lambda, inverse)
		m.featureSlopes(inverse, weights, noise, e.Mean, intercept)
	}
	dst.lambda = lambdaSlope(set.lambda, explained, weights, noise)
	m.scaleSlopes(dst.scales)
	m.warpSlopes(dst, set)
	return -value
}

// inverse returns B⁻¹ = U⁻¹U⁻ᵀ.
func (m *model) inverse(u *tiled.Factor) blas64.General {
	n := m.width
	rows, inverse := newGeneral(n, n, tiled.Stride(n)), newGeneral(n, n, tiled.Stride(n))
	for i := range n {
		rows.Data[i*rows.Stride+i] = 1
	}
	u.SolveTransVecs(rows) // row i of U⁻¹
	tiled.Products(inverse, rows, rows.Data, rows.Stride)
	return inverse
}

// explained returns tr ΦB⁻¹Φᵀ = D − λ·tr B⁻¹.
func (m *model) explained(lambda float64, inverse blas64.General) float64 {
	var trace float64
	for i := range m.width {
		trace += inverse.Data[i*inverse.Stride+i]
	}
	return float64(m.width) - float64(lambda*trace)
}

// lambdaSlope returns the derivative of minus the log evidence by log λ, ½·(λ·Σ‖w‖²/σ² − T·tr ΦB⁻¹Φᵀ).
func lambdaSlope(lambda, explained float64, weights blas64.General, noise []float64) float64 {
	var sum float64
	for t, v := range noise {
		w := weights.Data[t*weights.Stride:][:weights.Cols]
		sum += tiled.Dot(w, w) / v
	}
	return 0.5 * (float64(lambda*sum) - float64(float64(len(noise))*explained))
}

// rowSlopes sets slopes to P, and returns tr ΦB⁻¹Φᵀ. It works row by row, which takes less time than the inverse if
// there are few rows.
func (m *model) rowSlopes(u *tiled.Factor, weights blas64.General, noise, mean, intercept []float64) float64 {
	each := func(do func(i int, features, slopes []float64)) {
		parallel.Run(parallel.Func(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				do(i, m.features.Data[i*m.features.Stride:][:m.features.Cols], m.slopes.Data[i*m.slopes.Stride:][:m.width])
			}
		}), m.slopes.Rows, 32)
	}
	each(func(_ int, features, slopes []float64) {
		copy(slopes, features)
		for j, v := range mean {
			slopes[j] -= v
		}
	})
	squares := make([]float64, m.slopes.Rows)
	u.SolveTransVecs(m.slopes)
	each(func(i int, _, slopes []float64) { squares[i] = tiled.Dot(slopes, slopes) })
	u.Turned().SolveVecs(m.slopes)
	each(func(_ int, features, slopes []float64) {
		for j := range slopes {
			slopes[j] *= float64(len(noise))
		}
		for t, v := range noise {
			w := weights.Data[t*weights.Stride:][:weights.Cols]
			share := (tiled.Dot(features[:m.width], w) + intercept[t] - features[m.width+t]) / v // minus the residual
			for j, weight := range w {
				slopes[j] = math.FMA(share, weight, slopes[j])
			}
		}
	})
	var explained float64
	for _, v := range squares {
		explained += v
	}
	return explained
}

// featureSlopes sets slopes to P. It overwrites the inverse.
func (m *model) featureSlopes(inverse, weights blas64.General, noise, mean, intercept []float64) {
	shares := newGeneral(weights.Rows, weights.Cols, weights.Cols) // w/σ²
	for t, v := range noise {
		for j, w := range weights.Data[t*weights.Stride:][:weights.Cols] {
			shares.Data[t*shares.Stride+j] = w / v
		}
	}
	targets := float64(len(noise))
	p := projection.New(m.width, m.features.Cols, projection.Store, 0)
	form, biases := make([]float64, m.features.Cols), make([]float64, m.width)
	for j := range biases {
		row := inverse.Data[j*inverse.Stride:][:m.width]
		for k := range row {
			row[k] *= targets
		}
		if mean != nil {
			biases[j] = -tiled.Dot(row, mean)
		}
	}
	slabs.CombineUnpadded(inverse, weights, shares)
	for j, bias := range biases {
		copy(form, inverse.Data[j*inverse.Stride:][:m.width])
		for t, c := range intercept {
			share := shares.Data[t*shares.Stride+j]
			form[m.width+t] = -share
			bias = math.FMA(share, c, bias)
		}
		p.Set(j, form, bias)
	}
	multiply(m.slopes, m.features, p)
}

// scaleSlopes sets dst to the derivatives by the logarithms of the scales, ½⟨P, Φ⟩ over the columns of each term.
func (m *model) scaleSlopes(dst []float64) {
	if len(m.groups) == 1 {
		dst[0] = 0 // λ has the same effect
		return
	}
	for k, g := range m.groups {
		var sum float64
		for i := range m.features.Rows {
			sum += tiled.Dot(m.slopes.Data[i*m.slopes.Stride+g.at:][:g.columns], m.features.Data[i*m.features.Stride+g.at:][:g.columns])
		}
		dst[k] = 0.5 * sum
	}
}

// warpSlopes sets the gradients by the warps of stationary terms.
func (m *model) warpSlopes(dst *slope, set *setting) {
	frequencies := 0
	for _, g := range m.groups {
		if g.frequencies != nil {
			frequencies += g.columns / 2
		}
	}
	if frequencies == 0 {
		return
	}
	n, d := m.table.x.Rows, m.table.x.Cols
	if m.turned.Data == nil {
		m.turned = newGeneral(frequencies, n, tiled.Stride(n))
		if m.table.lists == nil {
			m.points = m.coordinates()
		}
	}
	first := 0
	for _, g := range m.groups {
		if g.frequencies != nil {
			m.turn(first, &g)
			first += g.columns / 2
		}
	}
	products := newGeneral(frequencies, d, d) // HᵀX
	if m.table.lists == nil {
		multiply(products, m.turned, m.points)
	} else {
		m.multiplyLists(products)
	}
	first = 0
	for i, g := range m.groups {
		if g.frequencies != nil {
			count := g.columns / 2
			some := products
			some.Rows, some.Data = count, products.Data[first*d:]
			warpSlope(dst.warps[i], &set.warps[i], g.frequencies, some)
			first += count
		}
	}
}

// multiplyLists sets dst to HᵀX for rows of X that are lists: a row adds to the columns where it has elements.
func (m *model) multiplyLists(dst blas64.General) {
	sums, turned := newGeneral(dst.Cols, dst.Rows, dst.Rows), make([]float64, dst.Rows) // XᵀH, and a row of H
	for i, row := range m.table.lists.Rows {
		for k := range turned {
			turned[k] = m.turned.Data[k*m.turned.Stride+i]
		}
		for e, j := range row.Columns {
			chain.Add(sums.Data[j*sums.Stride:][:sums.Cols], row.Values[e], turned)
		}
	}
	for j := range sums.Rows {
		for k, v := range sums.Data[j*sums.Stride:][:sums.Cols] {
			dst.Data[k*dst.Stride+j] = v
		}
	}
}

// coordinates returns the projection by the columns of x, for vectors of one element a row.
func (m *model) coordinates() *projection.Projection {
	x := m.table.x
	p := projection.New(x.Cols, x.Rows, projection.Store, 0)
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		for i := range column {
			column[i] = x.Data[i*x.Stride+j]
		}
		p.Set(j, column, 0)
	}
	return p
}

// turn sets rows of Hᵀ for a term, from row first on.
func (m *model) turn(first int, g *group) {
	count := g.columns / 2
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			p, f := m.slopes.Data[i*m.slopes.Stride+g.at:][:g.columns], m.features.Data[i*m.features.Stride+g.at:][:g.columns]
			cosines, sines := f[:count], f[count:][:count]
			byCosines, bySines := p[:count], p[count:][:count]
			to := m.turned.Data[first*m.turned.Stride+i:]
			for j, c := range cosines {
				to[j*m.turned.Stride] = float64(bySines[j]*c) - float64(byCosines[j]*sines[j])
			}
		}
	}), m.features.Rows, 64)
}

// warpSlope sets dst to the gradient WᵀG by the elements of a warp, for frequencies W and products G.
func warpSlope(dst []float64, w *warp, frequencies *mat.Dense, products blas64.General) {
	clear(dst)
	width := w.width()
	for i := range products.Rows {
		frequency, product := frequencies.RawRowView(i), products.Data[i*products.Stride:]
		if w.diagonal != nil {
			for j := range dst {
				dst[j] = math.FMA(frequency[j], product[w.column(j)], dst[j])
			}
			continue
		}
		for r, v := range frequency {
			row := dst[r*width:][:width]
			for j := range row {
				row[j] = math.FMA(v, product[w.column(j)], row[j])
			}
		}
	}
}

// multiply sets the rows of dst to the forms of the rows of a, over up to GOMAXPROCS goroutines.
func multiply(dst, a blas64.General, p *projection.Projection) {
	const together = 64
	parallel.Run(parallel.Func(func(lo, hi int) {
		to, from := dst, a
		to.Rows, to.Data = hi-lo, dst.Data[lo*dst.Stride:]
		from.Rows, from.Data = hi-lo, a.Data[lo*a.Stride:]
		p.Columns(to, from, 0, dst.Cols)
	}), a.Rows, together)
}

// newGeneral returns a matrix of zeros.
func newGeneral(rows, columns, stride int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: stride, Data: make([]float64, rows*stride)}
}

// columnsOf returns a view of some columns.
func columnsOf(a blas64.General, at, count int) blas64.General {
	return blas64.General{Rows: a.Rows, Cols: count, Stride: a.Stride, Data: a.Data[at : (a.Rows-1)*a.Stride+at+count]}
}
