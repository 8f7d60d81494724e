// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Noise that differs by row, and scores of rows.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// powers are tried for the noise of a row. The scale of an interval is exp(power·g/2) times the model's standard
// deviation, where g(x) is a ridge regression, with the λ and the features of the target, on the logarithms of squared
// leave-one-out errors over their variances. 0: noise is the same everywhere.
var powers = [...]float64{0, 0.5, 1, 1.5}

const (
	judgedLevel = 0.9  // of the leave-one-out intervals that judge a power
	judgedRows  = 1024 // these rows, at most
	quiet       = 0.1  // of the median size of errors, added to squares before their logarithm
	cut         = 0.01 // of the rows at either end, beyond which g is limited
)

// base returns the standard deviation of the leave-one-out error of a row, in units of σ of a target, or 1 if intervals
// do not include the variance.
func (c *calibrator) base(i, t int) float64 {
	noise := 1 - c.m.leftPart(t)
	if c.noise != nil {
		noise = c.noise[i]
	}
	if c.options.NoVariance {
		if c.noise == nil {
			return 1
		}
		return math.Sqrt(noise)
	}
	more, _ := c.m.leftVariance(t, c.left[i])
	return math.Sqrt(noise + vector(c.squares, i)[t] + more)
}

// differs fits the regressions of noise, and returns the g of left-out rows for each target, nil if all noise is taken
// to be the same.
func (c *calibrator) differs(v *intervals, index []int) (blas64.General, error) {
	targets := c.m.targets()
	v.power = make([]float64, targets)
	if c.options.Constant {
		return blas64.General{}, nil
	}
	z := c.logarithms(index)
	v.weights, v.intercept = make([]float64, targets*c.m.out), make([]float64, targets)
	v.least, v.most = make([]float64, targets), make([]float64, targets)
	g, err := c.regress(v, z)
	if err != nil {
		return z, err
	}
	if err := c.leaveNoiseOut(g, z); err != nil {
		return z, err
	}
	column := make([]float64, len(index))
	for t := range targets {
		for k, i := range index {
			column[k] = vector(g, i)[t]
		}
		slices.Sort(column)
		last := len(column) - 1
		v.least[t], v.most[t] = column[int(cut*float64(last))], column[last-int(cut*float64(last))]
		if !(v.least[t] >= -math.MaxFloat64 && v.most[t] <= math.MaxFloat64) { // some rows are predicted by themselves alone
			v.least[t], v.most[t] = 0, 0
		}
		for _, i := range index {
			at := &vector(g, i)[t]
			*at = min(max(*at, v.least[t]), v.most[t])
		}
	}
	return g, nil
}

// regress sets the weights of the regressions of z, and returns their predictions.
func (c *calibrator) regress(v *intervals, z blas64.General) (g blas64.General, err error) {
	var all [][]float64
	if own := c.l.own; own != nil {
		all, g = own.noise(c.l, c.all, z, c.ratio)
	} else if all, err = c.solve(z); err != nil {
		return z, err
	}
	for t, w := range all {
		copy(v.weights[t*c.m.out:], w)
		for j, mean := range c.l.e.Mean {
			v.intercept[t] = math.FMA(-mean, w[j], v.intercept[t])
		}
	}
	if c.l.own != nil {
		return g, nil
	}
	return c.predict(v)
}

// solve returns the weights of the regressions of z.
func (c *calibrator) solve(z blas64.General) ([][]float64, error) {
	sums, err := c.sums(z)
	if err != nil {
		return nil, err
	}
	all := make([][]float64, z.Cols)
	for _, taken := range c.all {
		for _, t := range taken.targets {
			all[t] = vector(sums, t)
			taken.inverse.solve(all[t])
		}
	}
	return all, nil
}

// logarithms returns the centered log(u² + (quiet·median u)²) for all rows and targets, with u the size of errors over
// their standard deviations. It is 0 for rows that do not count, and for targets most of whose errors are 0.
func (c *calibrator) logarithms(index []int) blas64.General {
	n, targets := c.errors.Rows, c.errors.Cols
	z := blas64.General{Rows: n, Cols: targets, Stride: targets, Data: make([]float64, n*targets)}
	sizes := make([]float64, len(index))
	for t := range targets {
		for k, i := range index {
			sizes[k] = math.Abs(vector(c.errors, i)[t]) / c.base(i, t)
		}
		sorted := slices.Clone(sizes)
		slices.Sort(sorted)
		median := sorted[len(sorted)/2]
		if !(median > 0 && median <= math.MaxFloat64) {
			continue
		}
		for k, i := range index {
			u := min(sizes[k]/median, 1e100) // infinite for rows that are predicted by themselves alone
			vector(z, i)[t] = detmath.Log(math.FMA(u, u, quiet*quiet))
		}
		mean := c.mean(index, func(i int) float64 { return vector(z, i)[t] })
		for _, i := range index {
			vector(z, i)[t] -= mean
		}
	}
	return z
}

// sums returns Σ w·z·φ for each target over all rows that count, scaled to the weight of all rows of the fit. Features
// need not be centered, since the mean of z is 0.
func (c *calibrator) sums(z blas64.General) (blas64.General, error) {
	phi, raw := c.m.phi, c.l.raw != nil && c.l.raw.condition <= largestRawSums
	if raw {
		phi = c.l.raw.phi
	}
	sums := blas64.General{Rows: z.Cols, Cols: c.m.out, Stride: c.m.out, Data: make([]float64, z.Cols*c.m.out)}
	var features mat.Dense
	err := c.l.rows.each(c.l.chunk(), func(lo int, p part) error {
		u := blas64.General{Rows: p.y.Rows, Cols: z.Cols, Stride: z.Cols, Data: make([]float64, p.y.Rows*z.Cols)}
		for i := range u.Rows {
			for t, v := range vector(z, lo+i) {
				vector(u, i)[t] = c.ratio * c.fit(lo+i) * v
			}
		}
		features.Reset()
		phi.TransformTo(&features, p.x)
		slabs.CombineUnpadded(sums, features.RawMatrix(), u)
		return c.step()
	})
	if raw {
		c.l.raw.u.SolveTransVecs(sums)
	}
	return sums, err
}

// predict returns g of all rows.
func (c *calibrator) predict(v *intervals) (blas64.General, error) {
	g := blas64.General{Rows: c.l.n, Cols: len(v.intercept), Stride: len(v.intercept), Data: make([]float64, c.l.n*len(v.intercept))}
	predictor := linear.NewPredictor(c.m.phi, v.weights, v.intercept)
	var values mat.Dense
	err := c.l.rows.each(c.l.chunk(), func(lo int, p part) error {
		values.Reset()
		predictor.PredictTo(&values, p.x)
		copy(g.Data[lo*g.Stride:], values.RawMatrix().Data)
		return c.step()
	})
	return g, err
}

// leaveNoiseOut removes a row, its copies or its group from the predictions g of the logarithms z. If sums of some
// rows, times κ, stand for all, and H is the leverage of copies with mean z̄, the result is (g − κ·H·z̄)/(1 − H), and
// for a group (I − aW)⁻¹(g − κ·aW·z).
func (c *calibrator) leaveNoiseOut(g, z blas64.General) error {
	if c.options.Groups != nil {
		return c.eachGroup(func(members []int) error {
			return c.eachBlock(members, func(k int, b *block, _ blas64.General) error {
				for _, t := range c.all[k].targets {
					b.leaveNoise(members, g, z, t, c.ratio)
				}
				return nil
			})
		})
	}
	for k, taken := range c.all {
		if err := c.eachGroup(func(members []int) error {
			_, h, rest := c.leverage(k, members)
			for _, t := range taken.targets {
				mean := c.mean(members, func(i int) float64 { return vector(z, i)[t] })
				for _, i := range members {
					if at := &vector(g, i)[t]; rest > leastRest {
						*at = (*at - float64(c.ratio*h*mean)) / rest
					} else {
						*at = math.Inf(1)
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// leaveNoise is leaveNoiseOut of a group, for one target.
func (b *block) leaveNoise(members []int, g, z blas64.General, t int, ratio float64) {
	n := len(members)
	r := make([]float64, n)
	for j, i := range members { // W^½(g − κ·aW·z) = W^½·g − κ·S·W^½·z
		r[j] = vector(g, i)[t] * b.roots[j]
		for l, m := range members {
			r[j] = math.FMA(-ratio*b.s.Data[j*n+l], b.roots[l]*vector(z, m)[t], r[j])
		}
		r[j] /= b.roots[j]
	}
	b.leave(r)
	for j, i := range members {
		vector(g, i)[t] = r[j]
	}
}

// score sets the scores of each target, with the power of noise that makes the leave-one-out intervals of up to
// judgedRows rows best.
func (c *calibrator) score(v *intervals, index []int, g blas64.General) {
	judges := make([]int, 0, min(len(index), judgedRows))
	for _, k := range subset.Rows(len(index), judgedRows) {
		judges = append(judges, index[k])
	}
	widening := c.widening(index)
	const work = 1 << 14
	parallel.Run(parallel.Func(func(lo, hi int) {
		for t := lo; t < hi; t++ {
			powers := powers[:]
			if g.Data == nil || v.least[t] == v.most[t] {
				powers = powers[:1]
			}
			least := math.Inf(1)
			for _, power := range powers {
				scores, scales := c.scores(t, judges, g, power, widening)
				if loss := c.loss(&scores, t, judges, scales); power == 0 || loss < least {
					least, v.power[t] = loss, power
				}
			}
			v.scores[t], _ = c.scores(t, index, g, v.power[t], widening)
		}
	}), len(v.scores), 1+work/len(index))
}

// scores returns the scores of rows, widened, and their scales, with a power of noise.
func (c *calibrator) scores(t int, index []int, g blas64.General, power, widening float64) (conformal.Scores, []float64) {
	scales, scores := make([]float64, len(index)), make([]float64, len(index))
	var weights []float64
	for k, i := range index {
		if scales[k] = c.base(i, t); power > 0 {
			scales[k] *= detmath.Exp(power * vector(g, i)[t] / 2)
		}
		scores[k] = widening * vector(c.errors, i)[t] / scales[k]
		if c.weights != nil {
			weights = append(weights, c.weight(i))
		}
	}
	return conformal.New(scores, weights), scales
}

// loss returns the sum of the interval scores of rows that are left out.
func (c *calibrator) loss(s *conformal.Scores, t int, index []int, scales []float64) (sum float64) {
	lo, hi := endsAround(s, judgedLevel)
	for k, i := range index {
		if e := vector(c.errors, i)[t]; math.Abs(e) <= math.MaxFloat64 {
			sum = math.FMA(c.weight(i), conformal.Loss(float64(scales[k]*lo), float64(scales[k]*hi), e, judgedLevel), sum)
		}
	}
	return sum
}
