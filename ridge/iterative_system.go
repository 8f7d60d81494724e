// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/krylov"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A system is the equations of the targets that have the same λ, and of the samples of their posterior, which are
// solved together. All systems share the passes.
//
// A target is solved when its residual r = b − Ax is within the tolerance, or, without a tolerance, once
//
//	rᵀA⁻¹r ≤ settles·σ²·tr(G(G + λI)⁻¹),   G = ΦᵀΦ.
//
// The left side is the squared error of x, summed over the rows, plus λ times the square of its weights. The right side
// without settles is about the squared error that the noise makes in any solution. A⁻¹ is replaced by P⁻¹/(θ + λ), of
// the preconditioner. That is too small if A has many smaller eigenvalues, which the falls f and g of the objective
// reveal: g in the last √k of k steps, and f in as many before. If they go on in proportion, g²/(f − g) is left, which
// is taken if it is larger. (The falls of single steps vary. When these decided, a small one by chance ended fits of
// smooth functions with little noise after half of the passes that they needed.)
type system struct {
	f       *iteration
	lambda  float64
	free    float64 // see ridge
	targets []int
	b       blas64.General // of the targets, and of the samples
	yy      []float64      // yᵀy of the targets
	norms   []float64      // ‖b‖
	solver  *krylov.Solver
	pre     func(dst, r blas64.General)

	little     float64     // the error, in units of σ², that is small enough; 0: the tolerance decides
	settled    []bool      // targets whose error is small enough
	left       []float64   // remaining error of each target, about rᵀA⁻¹r
	objectives [][]float64 // of each target, before the first step and after each
}

// settles is the part of the squared error from noise that is small enough.
const settles = 0.09

// separate makes a system of the targets of each λ, with the given number of samples, which continues from the
// solutions so far.
func (f *iteration) separate(lambdas []float64, samples int) {
	before := f.systems
	f.systems = nil
	for t, l := range lambdas {
		k := slices.IndexFunc(f.systems, func(s *system) bool { return s.lambda == l })
		if k < 0 {
			k = len(f.systems)
			f.systems = append(f.systems, &system{f: f, lambda: l, pre: f.pre.At(l)})
		}
		f.systems[k].targets = append(f.systems[k].targets, t)
	}
	for _, s := range f.systems {
		s.b = slabs.New(len(s.targets)+samples, f.out)
		for i, t := range s.targets {
			copy(vector(s.b, i), vector(f.all.b, t))
			s.yy = append(s.yy, f.all.yy[t])
		}
		f.samples(s, samples)
		for t := range s.b.Rows {
			s.norms = append(s.norms, krylov.Norm(vector(s.b, t)))
		}
		if f.o.Tolerance == 0 {
			s.little = settles * f.trace(s.lambda).freedom
		}
		s.begin(slabs.New(s.b.Rows, f.out), slabs.New(s.b.Rows, f.out))
	}
	if before != nil {
		f.resume(before)
	}
}

// resume continues from the solutions of other systems of the same targets, and keeps those that are the same.
func (f *iteration) resume(before []*system) {
	for k, s := range f.systems {
		if o, _ := find(before, s.targets[0]); o.lambda == s.lambda && o.b.Rows == s.b.Rows && slices.Equal(o.targets, s.targets) {
			f.systems[k] = o
			continue
		}
		x, gx := slabs.New(s.b.Rows, f.out), slabs.New(s.b.Rows, f.out)
		for i, t := range s.targets {
			o, j := find(before, t)
			copy(vector(x, i), vector(o.solver.X, j))
			copy(vector(gx, i), vector(o.b, j))
			axpy(vector(gx, i), -1, vector(o.solver.R, j))
			axpy(vector(gx, i), -o.lambda, vector(x, i))
		}
		s.begin(x, gx)
	}
}

// find returns the system of a target, and its place there.
func find(systems []*system, target int) (*system, int) {
	for _, s := range systems {
		if i := slices.Index(s.targets, target); i >= 0 {
			return s, i
		}
	}
	panic("ridge: no system has the target")
}

// samples sets the right-hand sides of samples, Φᵀε + √λ·ζ.
func (f *iteration) samples(s *system, samples int) {
	zeta, root := featuremap.NewSampler(1), math.Sqrt(s.lambda)
	for i := range samples {
		to := vector(s.b, len(s.targets)+i)
		zeta.FillNormal(to)
		for k, v := range vector(f.noise, i) {
			to[k] = math.FMA(root, to[k], v)
		}
	}
}

// begin continues from x, whose sums ΦᵀΦx are gx.
func (s *system) begin(x, gx blas64.General) {
	r := slabs.New(s.b.Rows, s.b.Cols)
	for t := range s.b.Rows {
		copy(vector(r, t), vector(s.b, t))
		axpy(vector(r, t), -1, vector(gx, t))
		axpy(vector(r, t), -s.lambda, vector(x, t))
	}
	s.solver = &krylov.Solver{X: x, R: r, Precondition: s.pre}
	n := len(s.targets)
	s.settled, s.left, s.objectives = make([]bool, n), make([]float64, n), make([][]float64, n)
	s.settle()
}

// settle estimates the remaining error of the targets, and marks those for which it is small enough.
func (s *system) settle() {
	if s.little == 0 && s.f.undecided == nil {
		return
	}
	r := s.solver.R
	r.Rows = len(s.targets)
	z := slabs.New(r.Rows, r.Cols)
	s.pre(z, r)
	for t := range s.settled {
		e := tiled.Dot(vector(z, t), vector(r, t)) / (s.f.pre.Least() + s.lambda)
		s.objectives[t] = append(s.objectives[t], s.objective(t))
		e = max(e, fallLeft(s.objectives[t], s.rounding(t)))
		if s.left[t] = e; s.little > 0 && e <= max(s.little*s.f.variance(s, t), s.rounding(t)) {
			s.settled[t] = true
		}
	}
}

// fallLeft returns by how much an objective will still fall if it continues in proportion to its falls so far: 0 before
// the first step, and after a fall that was no more than rounding.
func fallLeft(objectives []float64, rounding float64) float64 {
	last := len(objectives) - 1
	steps := max(min(int(math.Sqrt(float64(last))), last/2), 1)
	if last < 1 {
		return 0
	}
	fall := objectives[last-steps] - objectives[last]
	if fall <= rounding {
		return 0
	}
	if last < 2 {
		return math.Inf(1)
	}
	before := objectives[last-2*steps] - objectives[last-steps]
	if !(fall < before) {
		return math.Inf(1)
	}
	return fall * fall / (before - fall)
}

// rounding returns the part of the objective of a target that may be rounding.
func (s *system) rounding(t int) float64 { return 64 * 0x1p-52 * s.yy[t] }

// from begins with the solutions of a model, of the same λ.
func (s *system) from(m *Model, samples int) {
	for i, t := range s.targets {
		copy(vector(s.solver.X, i), m.weight(t, m.out))
	}
	if m.samples(m.out) != samples {
		return
	}
	deltas := m.deltas(m.of[s.targets[0]])
	for i := range samples {
		copy(vector(s.solver.X, len(s.targets)+i), deltas[i*m.out:])
	}
}

// objective returns ‖y − Φx‖² + λ‖x‖² of a target.
func (s *system) objective(t int) float64 {
	x := vector(s.solver.X, t)
	return s.yy[t] - tiled.Dot(vector(s.b, t), x) - tiled.Dot(x, vector(s.solver.R, t))
}

// residual returns the relative residual of right-hand side t.
func (s *system) residual(t int) float64 {
	if s.norms[t] == 0 {
		return 0
	}
	return krylov.Norm(vector(s.solver.R, t)) / s.norms[t]
}

// active returns the right-hand sides that are not solved.
func (s *system) active(tolerance float64) (active []int) {
	for t := range s.norms {
		limit := max(tolerance, least)
		switch {
		case t >= len(s.targets):
			limit = max(tolerance, looseTolerance)
		case s.settled[t]:
			continue
		}
		if !(s.residual(t) <= limit) {
			active = append(active, t)
		}
	}
	return active
}

// directions returns the next directions, none if the system is solved.
func (s *system) directions(tolerance float64) blas64.General {
	active := s.active(tolerance)
	if len(active) == 0 {
		return blas64.General{}
	}
	return s.solver.Directions(active)
}

// take takes a step along directions v whose sums ΦᵀΦv are g, which it overwrites.
func (s *system) take(g, v blas64.General) {
	for i := range v.Rows {
		axpy(vector(g, i), s.lambda, vector(v, i))
	}
	s.solver.Take(g)
	s.settle()
}
