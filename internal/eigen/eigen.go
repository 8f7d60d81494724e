// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package eigen finds the eigenvalues and eigenvectors of symmetric matrices with the same bits on every machine: all
// of them up to about 500 columns, and the leading ones of larger matrices.
//
// Sums are chains of fused multiply-adds in the order of the columns, and all other operations are among those that
// IEEE 754 rounds correctly. gonum's mat.EigenSym sums in different orders on different architectures.
package eigen

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
)

// Elements are below limit in magnitude, so that squares do not overflow.
const limit = 0x1p500

// Symmetric returns the eigenvalues of a in descending order, and a matrix whose rows are the eigenvectors, orthogonal
// and of length 1. In each the element of largest magnitude (the first of several) is positive.
//
// It reduces a to a tridiagonal matrix by reflections (Householder 1958), and this to a diagonal one by rotations, with
// the implicit QL iteration (Dubrulle 1970, with Wilkinson's shift). This takes about 6n³ multiply-adds.
//
// It returns an error if a is empty, or has an element that is NaN, Inf or so large that squares may overflow.
func Symmetric(a mat.Symmetric) (values []float64, vectors *mat.Dense, err error) {
	n := a.SymmetricDim()
	if n == 0 {
		return nil, nil, errors.New("eigen: the matrix is empty")
	}
	rows := make([][]float64, n)
	largest := 0.0
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range n {
			v := a.At(i, j)
			if !(math.Abs(v) < limit) {
				return nil, nil, fmt.Errorf("eigen: element %d, %d = %v: must be finite and less than 2^500 in magnitude", i, j, v)
			}
			rows[i][j] = v
			largest = max(largest, math.Abs(v))
		}
	}
	scale := scaleOf(largest)
	for _, row := range rows {
		scaleBy(row, scale)
	}
	t := newTridiagonal(rows, largest*scale)
	if err := t.iterate(); err != nil {
		return nil, nil, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case t.diagonal[i] > t.diagonal[j]:
			return -1
		case t.diagonal[i] < t.diagonal[j]:
			return 1
		}
		return 0
	})
	values, vectors = make([]float64, n), mat.NewDense(n, n, nil)
	for k, i := range order {
		values[k] = t.diagonal[i] / scale
		vectors.SetRow(k, pointed(t.basis[i]))
	}
	return values, vectors, nil
}

// scaleOf returns a power of two for a matrix with the given largest magnitude. Multiplied by it, products of elements
// and small numbers do not underflow. It is 1 except for tiny matrices.
func scaleOf(largest float64) float64 {
	if largest < 0x1p-400 {
		return 0x1p600
	}
	return 1
}

func scaleBy(row []float64, scale float64) {
	if scale == 1 {
		return
	}
	for i := range row {
		row[i] *= scale
	}
}

// pointed returns v or −v: the one whose largest element is positive.
func pointed(v []float64) []float64 {
	at := 0
	for i, w := range v {
		if math.Abs(w) > math.Abs(v[at]) {
			at = i
		}
	}
	if v[at] < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
	return v
}

// A tridiagonal is a symmetric tridiagonal matrix T with A = BᵀTB, for orthogonal B.
type tridiagonal struct {
	diagonal, beside []float64 // elements (i, i) and (i, i+1); the last of these is 0
	basis            [][]float64
	largest, tiny    float64 // the largest magnitude in A; off-diagonal elements up to tiny count as 0
}

// newTridiagonal reflects a matrix, which it overwrites, to a tridiagonal one.
func newTridiagonal(a [][]float64, largest float64) *tridiagonal {
	n := len(a)
	t := &tridiagonal{diagonal: make([]float64, n), beside: make([]float64, n), basis: make([][]float64, n), largest: largest, tiny: largest * 0x1p-80}
	for i := range t.basis {
		t.basis[i] = make([]float64, n)
		t.basis[i][i] = 1
	}
	product := make([]float64, n)
	for k := range n - 1 {
		// The reflection I − c·vvᵀ that takes row k beyond its diagonal to one element. v is kept in that row.
		v := a[k][k+1:]
		c, beside := reflection(v)
		t.beside[k] = beside
		if c == 0 {
			continue
		}
		// A ← A − vwᵀ − wvᵀ with w = p − ½c·⟨p, v⟩·v and p = c·Av. Only rows and columns from k+1 on matter.
		w := product[:len(v)]
		for i := range w {
			w[i] = c * chain.Dot(a[k+1+i][k+1:], v)
		}
		chain.Add(w, -0.5*float64(c*chain.Dot(w, v)), v)
		for i := range w {
			row := a[k+1+i][k+1:]
			chain.Add(row, -v[i], w)
			chain.Add(row, -w[i], v)
		}
		// B ← (I − c·vvᵀ)B, by its rows from k+1 on.
		sums := make([]float64, n)
		for i, x := range v {
			chain.Add(sums, x, t.basis[k+1+i])
		}
		for i, x := range v {
			chain.Add(t.basis[k+1+i], -float64(c*x), sums)
		}
	}
	for i := range t.diagonal {
		t.diagonal[i] = a[i][i]
	}
	return t
}

// reflection overwrites x by a vector v such that only the first element of (I − c·vvᵀ)x is not 0. It returns this
// element and c, which is 0 if x has no other element.
func reflection(x []float64) (c, first float64) {
	scale := 0.0
	for _, v := range x[1:] {
		scale = max(scale, math.Abs(v))
	}
	if scale == 0 {
		return 0, x[0]
	}
	scale = max(scale, math.Abs(x[0]))
	for i := range x {
		x[i] /= scale
	}
	length := math.Sqrt(chain.Dot(x, x))
	// The sign that does not cancel.
	length = math.Copysign(length, x[0])
	x[0] += length
	return 2 / chain.Dot(x, x), -length * scale
}

// iterate rotates T to a diagonal matrix, and the basis with it.
func (t *tridiagonal) iterate() error {
	const (
		most  = 60 // rotations from end to end for one eigenvalue: three are usual
		usual = 20
	)
	n := len(t.diagonal)
	for first := range n {
		for round := 0; ; round++ {
			last := t.block(first)
			if last == first {
				break
			}
			if round == usual { // the rest is rounding, of other rotations and of A itself
				t.tiny = max(t.tiny, t.largest*0x1p-53)
			}
			if round == most {
				return fmt.Errorf("eigen: eigenvalue %d of %d is not found in %d iterations", first, n, most)
			}
			t.chase(first, last)
		}
	}
	return nil
}

// block returns the end of the block of T that begins at first: the next off-diagonal element counts as 0.
func (t *tridiagonal) block(first int) (last int) {
	for last = first; last < len(t.diagonal)-1; last++ {
		e := math.Abs(t.beside[last])
		if e <= t.tiny || e <= 0x1p-53*(math.Abs(t.diagonal[last])+math.Abs(t.diagonal[last+1])) {
			t.beside[last] = 0
			return last
		}
	}
	return last
}

// chase does one implicit QL step on the block from first to last. A rotation at its end, with Wilkinson's shift,
// creates an element outside the three diagonals, and further rotations chase it to the beginning.
func (t *tridiagonal) chase(first, last int) {
	d, e := t.diagonal, t.beside
	half := (d[first+1] - d[first]) / (2 * e[first])
	shift := d[first] - e[first]/(half+math.Copysign(hypotenuse(half, 1), half))
	bulge := d[last] - shift
	sine, cosine, moved := 1.0, 1.0, 0.0
	for i := last - 1; i >= first; i-- {
		f, b := sine*e[i], cosine*e[i]
		r := hypotenuse(f, bulge)
		e[i+1] = r
		if r == 0 { // the block falls apart here
			d[i+1] -= moved
			e[last] = 0
			return
		}
		sine, cosine = f/r, bulge/r
		bulge = d[i+1] - moved
		r = math.FMA(d[i]-bulge, sine, float64(2*cosine)*b)
		moved = sine * r
		d[i+1] = bulge + float64(moved)
		bulge = math.FMA(cosine, r, -b)
		rotate(t.basis[i], t.basis[i+1], cosine, sine)
	}
	d[first] -= float64(moved)
	e[first] = bulge
	e[last] = 0
}

// rotate turns two vectors in their plane.
func rotate(a, b []float64, cosine, sine float64) {
	for k, v := range a {
		w := b[k]
		b[k] = math.FMA(sine, v, float64(cosine*w))
		a[k] = math.FMA(cosine, v, -float64(sine*w))
	}
}

// hypotenuse returns √(a² + b²) without overflow.
func hypotenuse(a, b float64) float64 {
	a, b = math.Abs(a), math.Abs(b)
	if a < b {
		a, b = b, a
	}
	if b == 0 {
		return a
	}
	q := b / a
	return a * math.Sqrt(math.FMA(q, q, 1))
}
