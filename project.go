// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Project returns the kernel k(Ax, Ay) on R^n for a p×n matrix A and a kernel k on
// R^p. A is copied.
//
// It is stationary if k is, with frequencies Aᵀω. If k is radial, the frequency
// designs of radial kernels apply as well: the frequencies are designed in R^p and
// then taken to R^n.
//
// A constructor refuses the result if k is nil or refused itself, or if A is nil,
// empty or has an element that is not finite (then Eval is NaN), and if the map's in
// is not n. Eval panics with mat.ErrShape on points of another length than n.
//
// Eval rounds Ax and Ay: far from the origin, centre the data first. Of Categories and of the kernel
// of a skeleton a Project has no map.
func Project(a mat.Matrix, k Kernel) Kernel {
	if isNil(a) {
		return refused{fmt.Errorf("featuremap: Project A = nil")}
	}
	if diag, ok := a.(*mat.DiagDense); ok && !diag.IsEmpty() {
		n, _ := diag.Dims()
		scale := make([]float64, n)
		for i := range scale {
			scale[i] = diag.At(i, i)
		}
		return project(linear{p: n, n: n, diag: scale}, k)
	}
	p, n := a.Dims()
	if p == 0 || n == 0 {
		return refused{fmt.Errorf("featuremap: Project A is %d×%d: must not be empty", p, n)}
	}
	l := linear{p: p, n: n, dense: make([]float64, p*n)}
	for i := range p {
		for j := range n {
			l.dense[i*n+j] = a.At(i, j)
		}
	}
	return project(l, k)
}

// ARD returns the kernel k(x/ℓ, y/ℓ), where coordinate i of x and y is divided by
// lengthScales[i]: one length scale for each coordinate, and automatic relevance
// determination when they are fitted (MacKay 1994; Neal 1996). It is Project with
// the diagonal matrix of the 1/ℓᵢ. The length scale of k itself remains and is
// usually 1.
//
// A constructor refuses the result if a length scale is not positive and finite,
// and for Project's reasons.
func ARD(lengthScales []float64, k Kernel) Kernel {
	n := len(lengthScales)
	if n == 0 {
		return refused{fmt.Errorf("featuremap: ARD lengthScales = []: must not be empty")}
	}
	scale := make([]float64, n)
	for i, l := range lengthScales {
		if err := validateLength("ARD", fmt.Sprintf("lengthScales[%d]", i), l); err != nil {
			return refused{err}
		}
		scale[i] = 1 / l
	}
	return project(linear{p: n, n: n, diag: scale}, k)
}

// project returns k(Ax, Ay) in the normal form that k allows.
func project(a linear, k Kernel) Kernel {
	if err := validateKernel(k, a.p); err != nil {
		return refused{err}
	}
	if inner, ok := k.(projector); ok {
		b, base := inner.projection()
		a, k = b.times(a), base
	}
	if err := a.validate(); err != nil {
		return refused{err}
	}
	switch k := pointee(k).(type) {
	case expression:
		return k.with(func(k Kernel) Kernel { return project(a, k) })
	case weighted:
		return weighted{a.then(k.f), project(a, k.k)}
	case selector:
		cols, inner := k.selection()
		return project(a.rows(cols), inner)
	case Binary, Sphere, SphereUniform, SphereCoordinate:
		return projected{a, Linear{}} // these are its schemes on their spaces
	}
	if _, ok := k.(Stationary); ok {
		return stationaryProjected{projected{a, k}}
	}
	return projected{a, k}
}

// A projector is a kernel k(Ax, Ay).
type projector interface {
	projection() (linear, Kernel)
}

// projected is the kernel k(Ax, Ay).
type projected struct {
	a linear
	k Kernel
}

func (p projected) projection() (linear, Kernel) { return p.a, p.k }

func (p projected) Eval(x, y []float64) float64 {
	sameLength(x, y)
	buf := make([]float64, 2*p.a.p) // not shared: Eval may run concurrently
	ax, ay := buf[:p.a.p], buf[p.a.p:]
	p.a.apply(ax, x)
	p.a.apply(ay, y)
	return p.k.Eval(ax, ay)
}

func (p projected) validate(in int) error {
	if in != p.a.n {
		return fmt.Errorf("featuremap: in = %d: the matrix of Project or ARD has %d columns", in, p.a.n)
	}
	return validateKernel(p.k, p.a.p)
}

// stationaryProjected is k(Ax, Ay) for a stationary k.
type stationaryProjected struct{ projected }

func (p stationaryProjected) Mass() float64 { return p.k.(Stationary).Mass() }

// Frequency draws Aᵀω.
func (p stationaryProjected) Frequency(dst []float64, s *Sampler) {
	if len(dst) != p.a.n {
		panic(mat.ErrShape)
	}
	w := make([]float64, p.a.p)
	p.k.(Stationary).Frequency(w, s)
	p.a.pull(dst, w)
}

// Select returns the kernel k(x[cols], y[cols]) of some columns of the points, in the order
// given. It is stationary if k is: its frequencies are 0 elsewhere. A column may not repeat. (Its
// Fourier and Maclaurin maps read the other columns with weight 0, so that a NaN there is seen.)
//
// A constructor refuses the result if cols is empty, or has a column twice, or one that the
// points do not have, or if k is nil or refused itself.
func Select(cols []int, k Kernel) Kernel {
	if len(cols) == 0 {
		return refused{fmt.Errorf("featuremap: Select cols = []: must not be empty")}
	}
	if i := slices.Min(cols); i < 0 {
		return refused{fmt.Errorf("featuremap: Select column %d: must be at least 0", i)}
	}
	if sorted := slices.Sorted(slices.Values(cols)); len(slices.Compact(sorted)) < len(cols) {
		return refused{fmt.Errorf("featuremap: Select cols = %v: a column is given twice", cols)}
	}
	if err := validateKernel(k, len(cols)); err != nil {
		return refused{err}
	}
	cols = slices.Clone(cols)
	switch k := k.(type) {
	case expression:
		return k.with(func(k Kernel) Kernel { return Select(cols, k) })
	case weighted:
		selections := newScratch(len(cols))
		return weighted{func(x []float64) float64 {
			u := selections.get()
			defer selections.put(u)
			for i, c := range cols {
				(*u)[i] = x[c]
			}
			return k.f(*u)
		}, Select(cols, k.k)}
	case selector:
		of, inner := k.selection()
		outer := make([]int, len(of))
		for i, c := range of {
			outer[i] = cols[c]
		}
		return Select(outer, inner)
	case Stationary:
		return stationarySelected{selected{cols, k}}
	}
	return selected{cols, k}
}

// A selector is a kernel k(x[cols], y[cols]).
type selector interface {
	selection() ([]int, Kernel)
}

// selected is the kernel k(x[cols], y[cols]).
type selected struct {
	cols []int
	k    Kernel
}

func (s selected) selection() ([]int, Kernel) { return s.cols, s.k }

func (s selected) Eval(x, y []float64) float64 {
	sameLength(x, y)
	buf := make([]float64, 0, 2*len(s.cols))
	for _, p := range [2][]float64{x, y} {
		for _, c := range s.cols {
			if c >= len(p) {
				panic(mat.ErrShape)
			}
			buf = append(buf, p[c])
		}
	}
	return s.k.Eval(buf[:len(s.cols)], buf[len(s.cols):])
}

func (s selected) validate(in int) error {
	if c := slices.Max(s.cols); c >= in {
		return fmt.Errorf("featuremap: in = %d: Select takes column %d", in, c)
	}
	return validateKernel(s.k, len(s.cols))
}

// bound returns k(Ax, Ay) with the matrix that selects the columns of R^in.
func (s selected) bound(in int) Kernel {
	a := linear{p: len(s.cols), n: in, dense: make([]float64, len(s.cols)*in)}
	for i, c := range s.cols {
		a.dense[i*in+c] = 1
	}
	return project(a, s.k)
}

// stationarySelected is k(x[cols], y[cols]) for a stationary k.
type stationarySelected struct{ selected }

func (s stationarySelected) Mass() float64 { return s.k.(Stationary).Mass() }

// Frequency draws a frequency that is 0 in the other columns.
func (s stationarySelected) Frequency(dst []float64, sampler *Sampler) {
	w := make([]float64, len(s.cols))
	s.k.(Stationary).Frequency(w, sampler)
	clear(dst)
	for i, c := range s.cols {
		dst[c] = w[i]
	}
}

// bind returns a kernel for points of R^in as maps take it, with the selection of columns as a
// matrix.
func bind(k Kernel, in int) Kernel {
	if s, ok := k.(selector); ok {
		cols, inner := s.selection()
		return selected{cols, inner}.bound(in)
	}
	return k
}
