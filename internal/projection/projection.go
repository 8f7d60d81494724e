// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package projection computes Ωx + b for many x at once, and what follows from it,
// in one pass and in one set of bits.
//
// Each output is one chain of fused multiply-adds in the order of the
// coordinates, starting at the bias, then a fixed sequence of operations (see
// cosine). So a result depends neither on the number of rows that are
// transformed together, nor on their layout, nor on the number of goroutines, nor
// on the machine. This is why the product is not gonum's Mul, whose kernels sum in
// different orders on different architectures, and which cannot take the cosine
// while the tile is in registers.
//
// Package projection knows nothing of kernels: it takes forms and biases in turns
// (1 turn = 2π radians).
package projection

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// An Epilogue is what is done to t = Ωx + b, form by form.
type Epilogue int

const (
	Cos    Epilogue = iota // scale·cos(2πt), one column a form
	CosSin                 // the cosines of all forms, then the sines of all forms
)

// panelWidth is the number of forms that are computed together.
const panelWidth = 8

// A Projection is a matrix of linear forms Ω and a bias b with an epilogue. The
// zero value is of no use; use New, and Set for each form. It is safe for
// concurrent use once all forms are set.
type Projection struct {
	forms, in int
	epilogue  Epilogue
	coeffs    sinTurns

	// packed holds the forms by panels of panelWidth, each panel stored as
	// panelWidth biases, then panelWidth weights of coordinate 0, of coordinate 1, …
	// The last panel is padded with zeros.
	packed []float64

	jobs sync.Pool // of *job
}

// New returns a projection of R^in by the given number of forms, all zero, whose
// outputs are multiplied by scale.
func New(forms, in int, e Epilogue, scale float64) *Projection {
	panels := (forms + panelWidth - 1) / panelWidth
	return &Projection{
		forms:    forms,
		in:       in,
		epilogue: e,
		coeffs:   scaledSinTurns(scale),
		packed:   make([]float64, panels*(in+1)*panelWidth),
	}
}

// Set makes form i x ↦ w·x + b, in turns.
func (p *Projection) Set(i int, w []float64, b float64) {
	panel := p.panel(i / panelWidth)
	lane := i % panelWidth
	panel[lane] = b
	for k, v := range w[:p.in] {
		panel[(k+1)*panelWidth+lane] = v
	}
}

func (p *Projection) panel(i int) []float64 {
	n := (p.in + 1) * panelWidth
	return p.packed[i*n : (i+1)*n]
}

// TransformVec writes the outputs of x to dst. Lengths are the caller's to check.
func (p *Projection) TransformVec(dst, x []float64) {
	p.strip(
		blas64.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst},
		blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x},
	)
}

const (
	// stripRows is how many rows pass over a panel while it is in the cache.
	stripRows = 16

	// serialWork is the number of multiply-adds, some tens of microseconds of
	// them, under which a second goroutine does not pay.
	serialWork = 1 << 16
)

// Transform writes the outputs of each row of x to the same row of dst, over up to
// GOMAXPROCS goroutines. Shapes and overlap are the caller's to check.
func (p *Projection) Transform(dst *mat.Dense, x mat.Matrix) {
	rows, _ := x.Dims()
	j, _ := p.jobs.Get().(*job)
	if j == nil {
		j = &job{p: p}
	}
	j.dst, j.x = dst.RawMatrix(), x
	raw, ok := x.(mat.RawMatrixer)
	if ok {
		j.raw = raw.RawMatrix()
	}
	j.isRaw = ok

	grain := stripRows
	if work := float64(rows) * float64(p.forms) * float64(p.in+1); work < serialWork {
		grain = rows
	} else if workers := runtime.GOMAXPROCS(0); rows < workers*stripRows {
		grain = (rows-1)/workers + 1
	}
	parallel.Run(j, rows, grain)

	j.dst, j.x, j.raw = blas64.General{}, nil, blas64.General{}
	p.jobs.Put(j)
}

// A job is one call of Transform.
type job struct {
	p       *Projection
	dst     blas64.General
	x       mat.Matrix
	raw     blas64.General
	isRaw   bool
	scratch sync.Pool // of *[]float64, stripRows rows of x
}

// Do transforms the rows [lo, hi).
func (j *job) Do(lo, hi int) {
	if j.isRaw {
		for ; lo < hi; lo += stripRows {
			j.strip(lo, min(lo+stripRows, hi), rowRange(j.raw, lo, min(lo+stripRows, hi)))
		}
		return
	}
	in := j.p.in
	buf, _ := j.scratch.Get().(*[]float64)
	if buf == nil {
		s := make([]float64, stripRows*in)
		buf = &s
	}
	for ; lo < hi; lo += stripRows {
		end := min(lo+stripRows, hi)
		x := blas64.General{Rows: end - lo, Cols: in, Stride: in, Data: *buf}
		for i := range x.Rows {
			for k := range in {
				x.Data[i*in+k] = j.x.At(lo+i, k)
			}
		}
		j.strip(lo, end, x)
	}
	j.scratch.Put(buf)
}

// strip transforms the rows x into rows [lo, hi) of the destination.
func (j *job) strip(lo, hi int, x blas64.General) {
	j.p.strip(rowRange(j.dst, lo, hi), x)
}

// rowRange returns rows [lo, hi) of a.
func rowRange(a blas64.General, lo, hi int) blas64.General {
	a.Data = a.Data[lo*a.Stride:]
	a.Rows = hi - lo
	return a
}

// strip transforms the rows of x into those of dst, panel by panel.
func (p *Projection) strip(dst, x blas64.General) {
	var t [panelWidth]float64
	for first := 0; first < p.forms; first += panelWidth {
		panel := p.panel(first / panelWidth)
		width := min(panelWidth, p.forms-first)
		for i := range x.Rows {
			affine(&t, panel, x.Data[i*x.Stride:i*x.Stride+p.in])
			row := dst.Data[i*dst.Stride : i*dst.Stride+dst.Cols]
			switch p.epilogue {
			case Cos:
				for l, v := range t[:width] {
					row[first+l] = p.coeffs.cos(v)
				}
			case CosSin:
				for l, v := range t[:width] {
					row[first+l], row[p.forms+first+l] = p.coeffs.cosSin(v)
				}
			}
		}
	}
}

// affine sets t to the forms of a panel at x. It is the specification that every
// faster path equals to the last bit:
//
//	copy(t, panel)
//	for k, v := range x {
//		for l := range t {
//			t[l] = math.FMA(panel[(k+1)*panelWidth+l], v, t[l])
//		}
//	}
//
// unrolled so that the eight chains run side by side in registers.
func affine(t *[panelWidth]float64, panel, x []float64) {
	b := (*[panelWidth]float64)(panel)
	t0, t1, t2, t3, t4, t5, t6, t7 := b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
	panel = panel[panelWidth:]
	for _, v := range x {
		w := (*[panelWidth]float64)(panel)
		t0 = math.FMA(w[0], v, t0)
		t1 = math.FMA(w[1], v, t1)
		t2 = math.FMA(w[2], v, t2)
		t3 = math.FMA(w[3], v, t3)
		t4 = math.FMA(w[4], v, t4)
		t5 = math.FMA(w[5], v, t5)
		t6 = math.FMA(w[6], v, t6)
		t7 = math.FMA(w[7], v, t7)
		panel = panel[panelWidth:]
	}
	*t = [panelWidth]float64{t0, t1, t2, t3, t4, t5, t6, t7}
}
