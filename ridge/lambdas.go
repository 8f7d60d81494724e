// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// All targets share the sums and the factor of a λ. Each target takes its own λ from the path, and the model keeps a
// factor for each different λ taken.

// mostFactors is the largest number of factors in a model.
const mostFactors = 13

// factorBytes is the largest number of bytes that they take: 2 GB.
var factorBytes = 2e9

// factors returns the number of factors that a fit may keep: at least one, and as many as fit in memory.
func (a *Accumulator) factors() int {
	each := 8 * float64(triangle(a.out))
	free := float64(memory.Limit()) - bytesOfFit(a.out, a.targets, a.in32)
	return int(max(min(mostFactors, factorBytes/each, 1+free/each), 1))
}

// groups returns the groups of targets that share a λ: a single one if shared is set, and otherwise one for each
// target. A constant target, which tells nothing about λ unless the noise is known, joins the first one that is not
// constant.
func groups(spans []span, intercept, known, shared bool) [][]int {
	var all [][]int
	var constant []int
	for t, s := range spans {
		switch {
		case !known && s.least == s.most && (intercept || s.most == 0):
			constant = append(constant, t)
		case shared && all != nil:
			all[0] = append(all[0], t)
		default:
			all = append(all, []int{t})
		}
	}
	if all == nil {
		return [][]int{constant}
	}
	all[0] = append(all[0], constant...)
	slices.Sort(all[0])
	return all
}

// share returns for each solution the kept one with the nearest λ, by its logarithm. If there are at most most
// different λ, all are kept. Otherwise one after the other is dropped: the one whose targets, and those that went to
// it, have the shortest way to go; of two equal ones the smaller λ.
func share(all []*normal.Solution, most int) []*normal.Solution {
	different := slices.Clone(all)
	slices.SortFunc(different, func(a, b *normal.Solution) int { return cmp.Compare(a.Lambda, b.Lambda) })
	different = slices.Compact(different)
	counts := make(map[*normal.Solution]float64)
	for _, s := range all {
		counts[s]++
	}
	kept := slices.Clone(different)
	nearest := func(s, but *normal.Solution) (best *normal.Solution, distance float64) {
		distance = math.Inf(1)
		for k := len(kept) - 1; k >= 0; k-- { // of two that are equally near, the larger λ
			if kept[k] == but {
				continue
			}
			if d := apart(s.Lambda, kept[k].Lambda); best == nil || d < distance {
				best, distance = kept[k], d
			}
		}
		return best, distance
	}
	for len(kept) > most {
		leave, least := 0, math.Inf(1)
		for k, but := range kept {
			var way float64
			for _, s := range different {
				_, d := nearest(s, but)
				way += float64(counts[s] * d)
			}
			if way < least {
				leave, least = k, way
			}
		}
		kept = slices.Delete(kept, leave, leave+1)
	}
	shared := make([]*normal.Solution, len(all))
	for i, s := range all {
		shared[i], _ = nearest(s, nil)
	}
	return shared
}

// apart returns the distance of the logarithms of two λ.
func apart(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(detmath.Log(a) - detmath.Log(b))
}

// A taken is a λ of some targets, with its own factor, and the weights of all targets for it.
type taken struct {
	*normal.Solution
	targets   []int
	weights   blas64.General // a row a target
	intercept []float64
	inverse   inverse
	condition func() float64 // of A, an estimate
}

// gathered returns the λ taken for the targets of groups, in the order of the targets.
func gathered(groups [][]int, solutions []*normal.Solution) []taken {
	var all []taken
	for g, s := range solutions {
		k := slices.IndexFunc(all, func(t taken) bool { return t.Solution == s })
		if k < 0 {
			k = len(all)
			all = append(all, taken{Solution: s})
		}
		all[k].targets = append(all[k].targets, groups[g]...)
	}
	for k := range all {
		slices.Sort(all[k].targets)
	}
	slices.SortFunc(all, func(a, b taken) int { return cmp.Compare(a.targets[0], b.targets[0]) })
	return all
}

// take returns the λ taken, with their factors and weights.
func take(e *normal.Equations, groups [][]int, solutions []*normal.Solution) []taken {
	all := gathered(groups, solutions)
	for k := len(all) - 1; k >= 0; k-- {
		t := &all[k]
		t.Solution = e.Again(t.Solution)
		t.weights, t.intercept = e.Weights(t.Solution)
		if k > 0 { // the last one keeps the memory of the equations
			t.Solution = t.WithFactor()
		}
		t.inverse, t.condition = byFeatures{t.Factor}, t.Solution.Condition
	}
	return all
}

// areLabels reports whether all rows are those of Labels: with several targets, one is +1 and the others are −1.
func areLabels(y mat.Matrix, rows int) bool {
	_, targets := y.Dims()
	for i := range rows {
		ones := 0
		for t := range targets {
			switch y.At(i, t) {
			case 1:
				ones++
			case -1:
			default:
				return false
			}
		}
		if ones != 1 {
			return false
		}
	}
	return targets > 1
}
