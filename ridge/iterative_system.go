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

// A system is the equations of the targets that have the same λ, and of the samples of their posterior, which are solved together. All
// systems share the passes.
//
// A target is solved when its residual r = b − Ax is within the tolerance, or if none was given once
//
//	rᵀA⁻¹r ≤ settles·σ²·tr(G(G + λI)⁻¹),   G = ΦᵀΦ.
//
// What is on the left is the squared error of x, summed over the rows, and λ times the square of the weights; what is on the right without settles is about the squared error
// that the noise makes in any solution. Instead of A⁻¹ there is P⁻¹/(θ + λ), of the preconditioner, which is less where A has smaller
// eigenvalues.
type system struct {
	f       *iteration
	lambda  float64
	targets []int
	b       blas64.General // of the targets, and of the samples
	yy      []float64      // yᵀy of the targets
	norms   []float64      // ‖b‖
	solver  *krylov.Solver
	pre     func(dst, r blas64.General)

	little  float64 // what error is little, in units of σ²; 0: the tolerance tells the end
	settled []bool  // the targets whose error is
}

// settles is the part of the squared error that noise makes which is little.
const settles = 0.02

// separate makes a system of the targets of each λ.
func (f *iteration) separate(lambdas []float64) {
	for t, l := range lambdas {
		k := slices.IndexFunc(f.systems, func(s *system) bool { return s.lambda == l })
		if k < 0 {
			k = len(f.systems)
			f.systems = append(f.systems, &system{f: f, lambda: l, pre: f.pre.At(l)})
		}
		f.systems[k].targets = append(f.systems[k].targets, t)
	}
	for _, s := range f.systems {
		s.b = slabs.New(len(s.targets)+f.o.Samples, f.out)
		for i, t := range s.targets {
			copy(vector(s.b, i), vector(f.all.b, t))
			s.yy = append(s.yy, f.all.yy[t])
		}
		f.samples(s)
		for t := range s.b.Rows {
			s.norms = append(s.norms, krylov.Norm(vector(s.b, t)))
		}
		if f.o.Tolerance == 0 {
			s.little = settles * f.pilot.freedom(s.lambda, f.all.weight)
		}
		s.begin(slabs.New(s.b.Rows, f.out), blas64.General{})
	}
}

// samples sets the right-hand sides of samples, Φᵀε + √λ·ζ.
func (f *iteration) samples(s *system) {
	zeta, root := featuremap.NewSampler(1), math.Sqrt(s.lambda)
	for i := range f.o.Samples {
		to := vector(s.b, len(s.targets)+i)
		zeta.FillNormal(to)
		for k, v := range vector(f.noise, i) {
			to[k] = math.FMA(root, to[k], v)
		}
	}
}

// begin goes on from x, whose sums ΦᵀΦx are gx, nil if x is 0.
func (s *system) begin(x, gx blas64.General) {
	r := slabs.New(s.b.Rows, s.b.Cols)
	for t := range s.b.Rows {
		copy(vector(r, t), vector(s.b, t))
		if gx.Rows > 0 {
			axpy(vector(r, t), -1, vector(gx, t))
			axpy(vector(r, t), -s.lambda, vector(x, t))
		}
	}
	s.solver = &krylov.Solver{X: x, R: r, Precondition: s.pre}
	if s.settled = make([]bool, len(s.targets)); gx.Rows > 0 {
		s.settle()
	}
}

// settle marks the targets whose error is little.
func (s *system) settle() {
	if s.little == 0 {
		return
	}
	r := s.solver.R
	r.Rows = len(s.targets)
	z := slabs.New(r.Rows, r.Cols)
	s.pre(z, r)
	for t := range s.settled {
		e := tiled.Dot(vector(z, t), vector(r, t)) / (s.f.pre.Least() + s.lambda)
		if e <= max(s.little*s.f.variance(s, t), 64*0x1p-52*s.yy[t]) {
			s.settled[t] = true
		}
	}
}

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
