// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The weighted sum of the best kernels of several shapes.

package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A blend is a sum of kernels with weights, relative to λ = 1.
type blend struct {
	*bank
	grams   []blas64.Symmetric // of the members
	sum     blas64.Symmetric
	lambdas []float64 // of the targets, in units of the weights
}

// newBlend returns the blend of members.
func (b *bank) newBlend(members []*member) *blend {
	n, _ := b.x.Dims()
	l := &blend{bank: b, sum: blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}}
	for _, m := range members {
		var g mat.SymDense
		featuremap.Gram(&g, m.expression(), b.x)
		l.grams = append(l.grams, g.RawSymmetric())
	}
	return l
}

// set makes the kernel matrix of the rows that of some weights.
func (l *blend) set(weights []float64) {
	for i := range l.sum.N {
		to := l.sum.Data[i*l.sum.Stride:][i:l.sum.N]
		clear(to)
		for k, w := range weights {
			if w == 0 {
				continue
			}
			for j, v := range l.grams[k].Data[i*l.grams[k].Stride:][i:l.sum.N] {
				to[j] = math.FMA(w, v, to[j])
			}
		}
	}
	l.rows.SetKernel(l.sum)
}

// loss returns the loss of weights with the current λ of the targets.
func (l *blend) loss(weights []float64) float64 {
	l.set(weights)
	w := l.newWalk()
	for _, v := range l.lambdas {
		w.try(v)
	}
	return w.fit().loss
}

// Weights are multiplied or divided by these factors, and set to 0 where that costs less than a share of the loss.
var blendSteps = []float64{8, 8, 3, 3}

const blendSlack = 1e-4

// descend changes weights, one at a time, while the loss falls, and returns the least loss.
func (l *blend) descend(weights []float64) (float64, error) {
	least := l.loss(weights)
	for _, step := range blendSteps {
		for k := range weights {
			if err := l.tell("bank: sum of kernels"); err != nil {
				return 0, err
			}
			before := weights[k]
			for _, factor := range []float64{step, 1 / step} {
				weights[k] = before * factor
				if loss := l.loss(weights); loss < least {
					least = loss
					break
				}
				weights[k] = before
			}
		}
	}
	for k, before := range weights {
		weights[k] = 0
		if slices.Max(weights) > 0 {
			if loss := l.loss(weights); loss < least+float64(blendSlack*least) {
				least = min(least, loss)
				continue
			}
		}
		weights[k] = before
	}
	return least, nil
}

// blend returns the sum of the members' kernels with the best weights, of sum 1, or the best single kernel if no sum
// gains.
func (b *bank) blend(members []*member) (*member, error) {
	l := b.newBlend(members)
	best := slices.MinFunc(members, func(a, b *member) int { return cmp.Compare(a.loss, b.loss) })
	var weights []float64
	least := math.Inf(1)
	for _, single := range []bool{false, true} { // equal weights, and the best one with a little of the others
		start := make([]float64, len(members))
		for k, m := range members {
			start[k] = 1 / (typical(m.lambda) * float64(len(members)))
			if single {
				if start[k] *= float64(len(members)); m != best {
					start[k] *= singleShare
				}
			}
		}
		l.lambdas = nil
		for _, v := range best.lambda {
			if v > 0 {
				l.lambdas = append(l.lambdas, v/typical(best.lambda))
			}
		}
		slices.Sort(l.lambdas)
		l.lambdas = slices.Compact(l.lambdas)
		loss, err := l.descend(start)
		if err != nil {
			return nil, err
		}
		if loss < least {
			weights, least = start, loss
		}
	}
	var total float64
	for _, w := range weights {
		total += w
	}
	for k := range weights {
		weights[k] /= total
	}
	l.set(weights)
	f := b.walkFrom(best.place, 1)
	if !(f.loss < best.loss) {
		members, weights, f = []*member{best}, []float64{1}, best.fit
	}
	sum := sumOf(members, weights)
	sum.fit = f
	return sum, nil
}

// sumOf returns the sum of the members' kernels with weights, on columns in logarithms if all use these.
func sumOf(members []*member, weights []float64) *member {
	var names []string
	var taken []*member
	for k, m := range members {
		if weights[k] > 0 {
			taken, names = append(taken, m), append(names, fmt.Sprintf("%.2g of %v", weights[k], m.shape))
		}
	}
	scales := taken[0].scales
	for _, m := range taken {
		if !slices.Equal(m.scales, scales) {
			scales = nil
		}
	}
	sum := func(kernel func(m *member) featuremap.Kernel) featuremap.Kernel {
		var parts []featuremap.Kernel
		for k, m := range members {
			if weights[k] > 0 {
				part := kernel(m)
				if scales == nil {
					part = m.raw(part)
				}
				if len(taken) > 1 {
					part = featuremap.Scale(weights[k], part)
				}
				parts = append(parts, part)
			}
		}
		return featuremap.Sum(parts...)
	}
	c := candidate{
		name:   "sum: " + strings.Join(names, ", "),
		kernel: sum(func(m *member) featuremap.Kernel { return m.kernel }),
		scales: scales,
	}
	folds := 0
	for _, m := range taken {
		folds = max(folds, len(m.folds))
	}
	for i := range folds {
		c.folds = append(c.folds, sum(func(m *member) featuremap.Kernel { return m.inFold(i) }))
	}
	return &member{candidate: c, parts: members, weights: weights}
}

// singleShare is the share of all other kernels in the start where one kernel dominates.
const singleShare = 1. / 30

// typical returns the geometric mean of the positive λ.
func typical(lambda []float64) float64 {
	sum, count := 0.0, 0
	for _, v := range lambda {
		if v > 0 {
			sum += detmath.Log(v)
			count++
		}
	}
	return detmath.Exp(sum / float64(max(count, 1)))
}
