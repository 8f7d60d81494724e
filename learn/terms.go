// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A kind tells what is learned of a term.
type kind int

const (
	stationary kind = iota // a scale, and the linear map in front
	linear                 // a scale
	constant               // a scale; it replaces the intercept
	other                  // a scale
)

// A term is an addend of a kernel: scale·base(Ax, Ay) for the matrix A of a warp, times held(x, y) if held is not nil.
type term struct {
	kind  kind
	scale float64
	warp  warp
	base  featuremap.Kernel
	held  featuremap.Kernel // the Fixed factors of a stationary term, behind a linear map; or nil
}

// expression returns the kernel c·base(Ax, Ay), times held if that is not nil.
func (t *term) expression(c float64, w warp) featuremap.Kernel {
	if t.kind == constant {
		return featuremap.Constant{Value: c * t.base.(featuremap.Constant).Value}
	}
	k := w.expression(t.base)
	if t.held != nil {
		k = featuremap.Product(t.held, k)
	}
	if c != 1 {
		k = featuremap.Scale(c, k)
	}
	return k
}

// operations are the types of the expressions that functions of featuremap return. Other types, such as one that embeds
// an expression, may have an Eval of their own, and are not taken apart.
var operations = func() map[reflect.Type]string {
	leaf := featuremap.Kernel(featuremap.Gaussian{LengthScale: 1})
	types := make(map[reflect.Type]string)
	for _, k := range []featuremap.Kernel{
		featuremap.Sum(leaf, leaf),
		featuremap.Scale(2, leaf),
		featuremap.ARD([]float64{1}, leaf),
		featuremap.Project(mat.NewDense(1, 1, []float64{1}), leaf),
		featuremap.Select([]int{0}, leaf),
	} {
		types[reflect.TypeOf(k)] = k.(featuremap.Expression).Op()
	}
	return types
}()

// termsOf returns the terms of a kernel on R^d.
func termsOf(k featuremap.Kernel, d int) ([]term, error) {
	diagonal := make([]float64, d)
	for i := range diagonal {
		diagonal[i] = 1
	}
	k = featuremap.Sum(k) // the same kernel; a pointer is replaced by its value
	return appendTerms(nil, k, 1, warp{in: d, diagonal: diagonal})
}

// appendTerms appends the terms of scale·k(Ax, Ay), A being the matrix of w.
func appendTerms(terms []term, k featuremap.Kernel, scale float64, w warp) ([]term, error) {
	op, ok := operations[reflect.TypeOf(k)]
	if !ok {
		t, err := newTerm(k, scale, w)
		return append(terms, t), err
	}
	parts := k.(featuremap.Expression).Parts()
	var err error
	switch op {
	case "Sum":
		for _, part := range parts {
			if terms, err = appendTerms(terms, part, scale, w); err != nil {
				return nil, err
			}
		}
		return terms, nil
	case "Scale":
		scale *= featuremap.Parameters(k)[0]
	default:
		w = w.then(k.(featuremap.Expression))
	}
	return appendTerms(terms, parts[0], scale, w)
}

// newTerm returns the term scale·k(Ax, Ay), with the length scale of k, if it has one, in the warp.
func newTerm(k featuremap.Kernel, scale float64, w warp) (term, error) {
	t := term{kind: other, scale: scale, warp: w, base: k}
	if !(scale > 0) {
		return t, fmt.Errorf("learn: kernel k has the term %v of scale %v: must be positive, or the term has no effect", loose(k), scale)
	}
	switch b := k.(type) {
	case featuremap.Gaussian, featuremap.Laplacian, featuremap.Cauchy, featuremap.Matern, featuremap.RationalQuadratic:
		length := featuremap.Parameters(k)[0]
		base, err := featuremap.WithParameters(k, []float64{1})
		if err != nil {
			return t, err
		}
		t.kind, t.base, t.warp = stationary, base, w.scaled(1/length)
	case featuremap.Linear:
		t.kind = linear
	case featuremap.Constant:
		if t.kind = constant; b.Value == 0 {
			return t, fmt.Errorf("learn: kernel k has the term %v: its Value must be positive, or the term has no effect", k)
		}
	default:
		if hasFixed(k) {
			return newFixedTerm(k, scale, w)
		}
		if s, ok := featuremap.StationaryOf(k); ok {
			if t.kind = stationary; !(s.Mass() > 0) {
				return t, fmt.Errorf("learn: kernel k has the term %v of mass %v: must be positive, or the term has no effect", k, s.Mass())
			}
		}
	}
	return t, nil
}
