// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// undecided are the λ of a path among which the sample does not decide, for some targets that share one. They range
// from the least to the largest λ whose leave-one-out error, as it would be with all rows, is within a standard error
// of the least, or less if the sample has most rows. All rows decide, on the way to the solution for the least of these
// λ: while conjugate gradients approach the solution of a larger λ, they have hardly any other for the smaller one, but
// they do not get from the larger to the smaller. Once rᵀA⁻¹r of the solution x is at most 2.5 times the squared error
// σ²·tr G(G + λI)⁻¹ from noise, the solution for any λ is about
//
//	v = x + z,   z = P⁻¹r/(θ + λ),   r = b − Ax,
//
// where F = yᵀy − bᵀx − xᵀr − rᵀz is the objective, F − λ‖v‖² the sum of squared residuals, and
//
//	−((W − 1)·log F + log|I + G/λ|)/2   and   (F − λ‖v‖²)·n²/(n − 1 − tr G(G + λI)⁻¹)²
//
// are about the log evidence and the leave-one-out error (Golub, Heath, Wahba, Generalized cross-validation as a method
// for choosing a good ridge parameter, 1979). As Gv = b − λv, the errors of v and w, for λ and μ, differ with a
// standard error of about 2σ√((v − w)ᵀ(μw − λv)). GuardedEvidence takes one of these λ.
type undecided struct {
	targets []int
	scales  []float64 // of each: see pilot
	path    []float64 // in order
}

// undecidedErrors is the number of standard errors within which a sample of few of the rows does not decide.
const undecidedErrors = 1

// farErrors times the squared error from noise is the largest remaining error with which all rows decide.
const farErrors = 1

// undecide returns what the trials of a group of targets leave to all rows to decide; nil: nothing. lambda is the λ of
// the path that the sample would take.
func (f *iteration) undecide(path []float64, trials []*trial, group []int, lambda float64) *undecided {
	standings := f.pilot.standings(trials, group, f.pilot.scales)
	best, _ := peaks(standings)
	limit := undecidedErrors * math.Sqrt(1-float64(f.sampled)/float64(f.rows))
	least, most := lambda, lambda
	for i, s := range standings {
		if s.errors != nil && s.equalTo(standings[best], limit) {
			least, most = min(least, trials[i].lambda), max(most, trials[i].lambda)
		}
	}
	if least == most {
		return nil
	}
	from, _ := slices.BinarySearch(path, least)
	to, _ := slices.BinarySearch(path, most)
	u := &undecided{targets: group, path: path[from : to+1]}
	for _, t := range group {
		u.scales = append(u.scales, f.pilot.scales[t])
	}
	return u
}

// decide makes passes until all rows decide, and returns the λ of all targets, given those that the sample would take.
func (f *iteration) decide(lambdas []float64) ([]float64, error) {
	f.sampleTakes = lambdas
	lambdas = slices.Clone(lambdas)
	for _, u := range f.undecided {
		u.set(lambdas, u.path[0])
	}
	f.separate(lambdas, 0)
	for {
		if err := f.progress(f.largest()); err != nil {
			return nil, err
		}
		if f.passes == f.o.Passes || !slices.ContainsFunc(f.undecided, f.far) {
			break
		}
		if more, err := f.step(); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	for _, u := range f.undecided {
		u.set(lambdas, f.decided(u))
	}
	f.sampleTakes, f.undecided = nil, nil
	return lambdas, nil
}

// set sets the λ of the targets.
func (u *undecided) set(lambdas []float64, lambda float64) {
	for _, t := range u.targets {
		lambdas[t] = lambda
	}
}

// far reports whether a solution of undecided targets is so far off that predictions from it are of no use.
func (f *iteration) far(u *undecided) bool {
	freedom := f.trace(u.path[0]).freedom
	return slices.ContainsFunc(u.targets, func(t int) bool {
		s, i := find(f.systems, t)
		return s.left[i] > max(farErrors*freedom*f.variance(s, i), s.rounding(i))
	})
}

// decided returns the λ that GuardedEvidence takes for undecided targets.
func (f *iteration) decided(u *undecided) float64 {
	n, count := float64(f.rows), len(u.path)
	sums, evidence, squares := make([]float64, count), make([]float64, count), slabs.New(count, count) // squares are those of standard errors
	for k, t := range u.targets {
		scale := u.scales[k]
		if scale == 0 {
			continue
		}
		s, i := find(f.systems, t)
		guesses, variances := make([]guess, count), make([]float64, count)
		for j, l := range u.path {
			t, g := f.trace(l), s.guess(i, l)
			free := max(n-t.freedom, 1)
			guesses[j], variances[j] = g, g.rest/free
			sums[j] += float64(scale * g.rest * (n / free) * (n / free))
			evidence[j] -= float64(0.5 * (float64(f.freedom()*detmath.Log(g.objective)) + t.determinant))
		}
		for j, v := range guesses {
			for k, w := range guesses {
				vector(squares, j)[k] += float64(4 * scale * scale * variances[k] * v.distance(&w))
			}
		}
	}
	best := 0
	for j, v := range sums {
		if v <= sums[best] {
			best = j
		}
	}
	taken := best
	for j, v := range sums {
		if v-sums[best] <= math.Sqrt(vector(squares, j)[best]) && evidence[j] >= evidence[taken] {
			taken = j
		}
	}
	return u.path[taken]
}

// A guess is the predicted solution of a target for a λ.
type guess struct {
	lambda          float64
	x               []float64
	objective, rest float64 // F, and the sum of squares of residuals
}

// guess predicts the solution of target i for another λ.
func (s *system) guess(i int, lambda float64) guess {
	x := vector(s.solver.X, i)
	r, z := slabs.New(1, len(x)), slabs.New(1, len(x))
	copy(r.Data, vector(s.solver.R, i))
	axpy(vector(r, 0), s.lambda-lambda, x)
	s.f.pre.At(lambda)(z, r)
	size := s.f.pre.Least() + lambda
	before := s.yy[i] - tiled.Dot(vector(s.b, i), x) - tiled.Dot(x, vector(r, 0))
	g := guess{lambda: lambda, x: slices.Clone(x), objective: before - tiled.Dot(vector(r, 0), vector(z, 0))/size}
	axpy(g.x, 1/size, vector(z, 0))
	if g.rest = math.FMA(-lambda, tiled.Dot(g.x, g.x), g.objective); !(g.rest > 0) { // the solution is far off
		g.objective, g.rest = before, before
	}
	return g
}

// distance returns ‖Φ(v − w)‖².
func (v *guess) distance(w *guess) (sum float64) {
	for i, a := range v.x {
		b := w.x[i]
		sum = math.FMA(a-b, math.FMA(w.lambda, b, float64(-v.lambda*a)), sum)
	}
	return max(sum, 0)
}
