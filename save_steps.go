// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Before a document is read, its costs are added up from what it declares. Memory has the limit of DecodeOptions. Steps
// that no honest document takes have a fixed limit; drawing as many numbers as are kept is free.

// mostSteps bounds the steps of understanding a document, each about a nanosecond (see power.TableSteps), and of
// drawing its maps, except the steps of a simple kernel with as many coordinates and features.
const mostSteps = 1 << 29

// parseSteps is about how many steps a byte of a document takes.
const parseSteps = 64

// take subtracts memory and steps from what is left, or returns an error.
func (l *loader) take(bytes, steps float64) error {
	switch {
	case !(bytes <= l.bytes):
		return l.beyond(fmt.Errorf("featuremap: it takes %.3g %w where %.3g are left of %.3g", bytes, recipe.ErrMemory, l.bytes, l.maxBytes))
	case !(steps <= l.steps):
		return document.Refused("it takes %.3g steps to make what it describes, where %.3g are left of %.3g", steps, l.steps, float64(mostSteps))
	}
	l.bytes -= max(bytes, 0)
	l.steps -= max(steps, 0)
	return nil
}

// beyond returns an error about a demand beyond MaxBytes that tells how the caller can allow more.
func (l *loader) beyond(err error) error { return fmt.Errorf("%w: %s", err, l.more) }

// A load is what is known of a kernel before its canonical form is made. All numbers are upper bounds.
type load struct {
	terms   float64 // of the canonical form
	weights float64 // of a term
	rows    float64 // of the matrices in front of its bases and weights; numbers counts their elements
	numbers float64
	dense   bool // whether one of them is not diagonal

	bases  float64 // simple kernels, each component of a SpectralMixture counted
	size   float64 // numbers in its bases, by which they are compared and evaluated
	tables float64 // the steps of the tables of its compositions, which are made again behind a matrix
	points float64 // the steps to find the points for which its dot product kernels have good features (newDotScheme of package graph)

	features, products float64 // of the maps in it, and the products with coordinates that these take
}

func (w *load) add(v load) {
	w.terms, w.weights, w.rows, w.numbers = w.terms+v.terms, max(w.weights, v.weights), w.rows+v.rows, w.numbers+v.numbers
	w.dense = w.dense || v.dense
	w.bases, w.size, w.tables = w.bases+v.bases, w.size+v.size, w.tables+v.tables
	w.points += v.points
	w.features, w.products = w.features+v.features, w.products+v.products
}

// weigh returns the load of a kernel on R^in that is a part of an operation. It takes the cost of its canonical form:
// terms are compared with each other, matrices multiplied, and degrees tabulated.
func (l *loader) weigh(k Kernel, in float64, within string) (w load, err error) {
	e, ok := check.Value(k).(ownExpression)
	if !ok || e.head().err != nil { // an expression that is refused is not looked into
		return l.weighLeaf(check.Value(k), in)
	}
	dim, front := in, warp.Warp{}
	if b, ok := e.(interface{ linear() *behind }); ok {
		front, in = b.linear().warp, cmp.Or(float64(b.linear().in), in)
		dim = float64(front.Dim(int(in)))
	}
	for _, part := range e.(Expression).Parts() {
		p, err := l.weigh(part, dim, e.head().op)
		if err != nil {
			return w, err
		}
		w.add(p)
	}
	if e.head().flat() && e.head().op == within { // it is a part of the same sum or product
		return w, nil
	}
	const compared, number = 16, 32 // two terms or weights; each number of them
	steps := 0.0
	switch k := e.(type) {
	case *productKernel: // Gaussian factors become one
		if w.numbers = w.terms * in; w.dense {
			w.numbers = w.rows * in
		}
		steps = w.numbers
	case *weightKernel:
		w.weights++
		w.rows += w.terms * in
	case *composeKernel:
		const nested = 150 // for each two series, one inside the other: all are validated again
		w.bases += power.ProfileOf(k.F).Parts()
		steps = power.DrawerSteps(k.F, math.NaN()) + nested*w.bases*w.bases
		w.tables += steps
	case interface{ linear() *behind }:
		steps = w.tables
		if w.numbers, w.dense = w.rows, w.dense || front.Dense != nil; w.dense {
			w.numbers = w.rows * in
			steps += w.numbers * dim
		}
	}
	steps += w.terms / 2 * (compared*w.terms*(1+w.weights) + number*w.size + w.numbers)
	return w, l.take(8*(w.numbers+16*w.terms), steps)
}

// weighLeaf is weigh for a kernel that is no expression.
func (l *loader) weighLeaf(k Kernel, in float64) (w load, err error) {
	const node, values, value = 16, 64, 64 // numbers of a node; how many points are looked at; the steps of a value
	w = load{terms: 1, rows: in, bases: 1, size: 1}
	switch k := k.(type) {
	case interface{ components() int }:
		w.bases = float64(k.components())
		w.size = w.bases * (1 + 2*in)
	case BlackBox:
		v, err := l.weigh(k.Of, in, "")
		w.size += v.size
		return w, err
	case skeletonKernel:
		for _, n := range k.Nodes {
			w.size += node + float64(len(n.Children)+len(n.Cols))
		}
	case fromMap:
		if !check.IsNil(k.M) {
			_, out := k.M.Dims()
			w.features = float64(out)
			w.products = w.features * in
		}
	case DotProduct:
		if check.Own(k) && !check.IsNil(k.Series()) {
			p := power.ProfileOf(k.Series())
			w.size += p.Parts() + float64(max(p.Degree, 0))
			w.points = values*p.EvaluationSteps() + value*p.Radius
		}
	}
	return w, nil
}
