// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package region

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// view returns a random rectangle of data.
func view(rnd *rand.Rand, data []float64) (g blas64.General, first int) {
	g.Stride = 1 + rnd.IntN(6)
	g.Cols = 1 + rnd.IntN(g.Stride)
	g.Rows = 1 + rnd.IntN(4)
	first = rnd.IntN(len(data) - end(g) + 1)
	g.Data = data[first : first+end(g)]
	return g, first
}

// elements returns the indices of the elements of g, whose first is at first.
func elements(g blas64.General, first int) map[int]bool {
	set := make(map[int]bool)
	for i := range g.Rows {
		for j := range g.Cols {
			set[first+i*g.Stride+j] = true
		}
	}
	return set
}

func panics(f func()) (message any) {
	defer func() { message = recover() }()
	f()
	return nil
}

// Check finds every shared element, and refuses disjoint rectangles only where gonum
// does: where the strides differ and the regions interlock.
func TestCheck(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	data := make([]float64, 40)
	shared, interlocked := 0, 0
	for range 200_000 {
		a, firstA := view(rnd, data)
		b, firstB := view(rnd, data)
		overlap := false
		inB := elements(b, firstB)
		for e := range elements(a, firstA) {
			overlap = overlap || inB[e]
		}
		message := panics(func() { Check(a, b) })
		switch {
		case overlap && message == nil:
			t.Fatalf("missed: %v at %d and %v at %d", a, firstA, b, firstB)
		case overlap:
			shared++
		case message != nil:
			if a.Stride == b.Stride || a.Rows == 1 || b.Rows == 1 {
				t.Fatalf("%v: disjoint %v at %d and %v at %d", message, a, firstA, b, firstB)
			}
			interlocked++
		}
	}
	if shared < 1000 || interlocked < 1000 {
		t.Errorf("%d pairs overlap, %d interlock: too few to tell", shared, interlocked)
	}
	if message := panics(func() { Check(Vector(data), Vector(data)) }); message != "mat: bad region: identical" {
		t.Errorf("of a vector with itself: %v", message)
	}
	if message := panics(func() { Check(Vector(nil), Vector(data)) }); message != nil {
		t.Errorf("of an empty vector: %v", message)
	}
}

// hidden is a matrix that does not show its data.
type hidden struct{ mat.Matrix }

func TestCheckMatrix(t *testing.T) {
	data := make([]float64, 16)
	dst := mat.NewDense(2, 4, data[:8]).RawMatrix()
	for name, x := range map[string]mat.Matrix{
		"dense":      mat.NewDense(2, 4, data[7:15]),
		"transposed": mat.NewDense(2, 4, data[7:15]).T(),
		"symmetric":  mat.NewSymDense(3, data[7:]),
		"triangular": mat.NewTriDense(3, mat.Upper, data[7:]),
		"vector":     mat.NewVecDense(3, data[7:10]),
		"column":     mat.NewDense(2, 4, data[:8]).ColView(3),
		"diagonal":   mat.NewDiagDense(3, data[7:10]),
		"band":       mat.NewBandDense(3, 3, 1, 0, data[7:13]),
		"sym. band":  mat.NewSymBandDense(3, 1, data[7:13]),
		"tri. band":  mat.NewTriBandDense(3, 1, mat.Upper, data[7:13]),
	} {
		if panics(func() { CheckMatrix(dst, x) }) == nil {
			t.Errorf("%s: overlap missed", name)
		}
	}
	for name, x := range map[string]mat.Matrix{
		"dense":  mat.NewDense(2, 4, data[8:16]),
		"vector": mat.NewVecDense(3, data[8:11]),
		"hidden": hidden{mat.NewDense(2, 4, data[:8])},
	} {
		if message := panics(func() { CheckMatrix(dst, x) }); message != nil {
			t.Errorf("%s: %v", name, message)
		}
	}
}
