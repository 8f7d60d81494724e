// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// behind is the kernel k(Ax, Ay) for the linear map A of a warp.
type behind struct {
	operation
	warp warp.Warp
	in   int // the number of coordinates of its points; 0 means any, if the points have the columns that the warp selects
	k    Kernel
}

// Eval returns k(Ax, Ay). It evaluates the stationary parts of k at A(x − y).
func (b *behind) Eval(x, y []float64) float64 {
	if b.in != 0 && len(x) != b.in {
		panic(mat.ErrShape)
	}
	return b.operation.Eval(x, y)
}

// made sets the operation that made the kernel.
func (b *behind) made(op string, err error) {
	b.operation = newOperation(op, err, &expr.Behind{Warp: b.warp, In: b.in, K: exprOf(b.k)}, b.k)
}

// linear returns the linear map and the kernel behind it. Only kernels that embed a behind have the method.
func (b *behind) linear() *behind { return b }

type projectKernel struct {
	A mat.Matrix `save:"A,required"`
	K Kernel     `save:"k,required"`
	behind
}

// Project returns the kernel k(Ax, Ay) on R^n for a p×n matrix A and a kernel k on R^p. A is copied.
//
// The result is stationary if k is, with frequencies Aᵀω. If k is radial, the designs for radial kernels apply:
// frequencies are designed in R^p and then mapped to R^n.
//
// Center the data first. Eval takes stationary parts of k at A(x − y), which loses no digits far from the origin. Other
// kernels see Ax and Ay rounded, and so do the features of all kernels. Eval panics with mat.ErrShape unless points
// have length n.
//
// A constructor refuses the result if k is nil or refused itself, or if A is nil, empty or has an element that is not
// finite (then Eval is NaN). It also refuses a product with a matrix inside k that overflows or underflows in an
// element, and an in that is not n. A Project of Categories or of the kernel of a skeleton has no map unless its matrix
// selects columns.
func Project(a mat.Matrix, k Kernel) Kernel {
	k = copyPart(k)
	p := &projectKernel{A: a, K: k, behind: behind{k: k}}
	var err error
	if check.IsNil(a) {
		err = errors.New("featuremap: Project A = nil")
	} else if r, c := a.Dims(); r < 1 || c < 1 {
		err = fmt.Errorf("featuremap: Project A is %d×%d: must not be empty", r, c)
	} else if size := 8 * float64(r) * float64(c); size > float64(memory.Limit())/2 {
		err = fmt.Errorf("featuremap: Project A is %d×%d: takes %.3g bytes", r, c, size)
	} else {
		p.warp, p.in = warp.New(a), c
		p.A, err = p.warp.Matrix(), p.warp.Validate()
	}
	p.made("Project", err)
	return p
}

func (p *projectKernel) Parts() []Kernel             { return []Kernel{p.K} }
func (p *projectKernel) With(parts ...Kernel) Kernel { return Project(p.A, onePart(parts)) }
func (p *projectKernel) String() string              { return gosyntax.Of(p) }
func (p *projectKernel) GoString() string            { return gosyntax.Call("Project", p.A, p.K) }

// parameters returns the elements of the matrix by rows, or only the diagonal of a diagonal matrix.
func (p *projectKernel) parameters() parameters {
	return parameters{p.warp.Elements(), func(v []float64) Kernel {
		w := p.warp
		if w.Diag != nil {
			w.Diag = v
		} else {
			w.Dense = v
		}
		return Project(w.Matrix(), p.K)
	}}
}

type ardKernel struct {
	LengthScales []float64 `save:"lengthScales,required"`
	K            Kernel    `save:"k,required"`
	behind
}

// ARD returns the kernel k(x/ℓ, y/ℓ), which divides coordinate i of x and y by ℓᵢ = lengthScales[i]. Fitting one length
// scale for each coordinate is called automatic relevance determination (MacKay 1994; Neal 1996). ARD is Project with
// the diagonal matrix of the 1/ℓᵢ. k keeps its own length scale, which is usually 1.
//
// Use ARD to standardize columns: take their standard deviations (StdDevs) as length scales. Then the map takes points
// as they are, and its file contains the scales. The length scale of k is in standard deviations, and √d is a first
// guess for d columns.
//
// A constructor refuses the result if a length scale is not positive and finite, and for the reasons of Project.
func ARD(lengthScales []float64, k Kernel) Kernel {
	k = copyPart(k)
	p := &ardKernel{LengthScales: append([]float64{}, lengthScales...), K: k, behind: behind{k: k, in: len(lengthScales)}}
	var err error
	if p.in == 0 {
		err = errors.New("featuremap: ARD lengthScales = []: must not be empty")
	}
	p.warp.Diag = make([]float64, p.in)
	for i, l := range lengthScales {
		if refused := check.Length("ARD", fmt.Sprintf("lengthScales[%d]", i), l); err == nil {
			err = refused
		}
		p.warp.Diag[i] = 1 / l
	}
	p.made("ARD", err)
	return p
}

func (p *ardKernel) Parts() []Kernel             { return []Kernel{p.K} }
func (p *ardKernel) With(parts ...Kernel) Kernel { return ARD(p.LengthScales, onePart(parts)) }
func (p *ardKernel) String() string              { return gosyntax.Of(p) }
func (p *ardKernel) GoString() string            { return gosyntax.Call("ARD", p.LengthScales, p.K) }

func (p *ardKernel) parameters() parameters {
	return parameters{p.LengthScales, func(v []float64) Kernel { return ARD(v, p.K) }}
}

type selectKernel struct {
	Cols []int  `save:"cols,required"`
	K    Kernel `save:"k,required"`
	behind
}

// Select returns the kernel k(x[cols], y[cols]), which reads some columns of the points, in the given order. It is
// stationary if k is: its frequencies are 0 in the other columns. Its Fourier and Maclaurin maps read the other columns
// with weight 0, so a NaN there still makes features NaN.
//
// A constructor refuses the result if cols is empty, names a column twice or a column that the points do not have, or
// if k is nil or refused itself.
func Select(cols []int, k Kernel) Kernel {
	cols = append([]int{}, cols...)
	k = copyPart(k)
	p := &selectKernel{Cols: cols, K: k, behind: behind{k: k, warp: warp.Warp{Cols: cols}}}
	var err error
	switch sorted := slices.Sorted(slices.Values(cols)); {
	case len(cols) == 0:
		err = errors.New("featuremap: Select cols = []: must not be empty")
	case sorted[0] < 0:
		err = fmt.Errorf("featuremap: Select column %d: must be at least 0", sorted[0])
	case len(slices.Compact(sorted)) < len(cols):
		err = fmt.Errorf("featuremap: Select cols = %v: a column is given twice", cols)
	}
	p.made("Select", err)
	return p
}

func (p *selectKernel) Parts() []Kernel             { return []Kernel{p.K} }
func (p *selectKernel) With(parts ...Kernel) Kernel { return Select(p.Cols, onePart(parts)) }
func (p *selectKernel) String() string              { return gosyntax.Of(p) }
func (p *selectKernel) GoString() string            { return gosyntax.Call("Select", p.Cols, p.K) }

var (
	_ Expression = (*projectKernel)(nil)
	_ Expression = (*ardKernel)(nil)
	_ Expression = (*selectKernel)(nil)
)
