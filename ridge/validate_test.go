// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A callers is a map of a caller: features by any function of the point.
type callers struct {
	in, out int
	of      func(dst, x []float64)
}

func (m callers) Dims() (in, out int)                      { return m.in, m.out }
func (m callers) Kernel() featuremap.Kernel                { return nil }
func (m callers) TransformTo(dst *mat.Dense, x mat.Matrix) { transformRows(m, dst, x) }
func (m callers) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, m.out)
	}
	m.of(dst, x)
	return dst
}

// powersMap has the features 1, x, x², …, which overflow from |x| = 1e100 on.
func powersMap(out int) callers {
	return callers{1, out, func(dst, x []float64) {
		v := 1.0
		for j := range dst {
			dst[j] = v
			v *= x[0]
		}
	}}
}

// expectError checks the text of an error.
func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got error  %v\nwant error %s", err, want)
	}
}

// What constructors, options and data refuse, by name and value.
func TestErrors(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(5, 2, 1, 40)
	fit := func(o *Options) error {
		m, err := Fit(phi, x, y, o)
		if err != nil && m != nil {
			t.Error("a model and an error")
		}
		return err
	}
	_, err := NewAccumulator(nil, 1)
	expectError(t, err, "ridge: phi = nil")
	_, err = NewAccumulator((*featuremap.Fourier)(nil), 1)
	expectError(t, err, "ridge: phi = nil")
	_, err = NewAccumulator(&featuremap.Fourier{}, 1)
	expectError(t, err, "ridge: phi: R^0 → R^0 is no map")
	_, err = NewAccumulator(phi, 0)
	expectError(t, err, "ridge: targets = 0: must be at least 1")
	_, err = NewAccumulator(phi, -3)
	expectError(t, err, "ridge: targets = -3: must be at least 1")
	for _, targets := range []int{1 << 24, math.MaxInt} {
		if _, err = NewAccumulator(phi, targets); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("10 features and %d targets take", targets)) {
			t.Errorf("%d targets: %v", targets, err)
		}
	}
	expectError(t, fit(&Options{Lambda: -1}), "ridge: Lambda = -1: must be finite and at least 0")
	expectError(t, fit(&Options{Lambda: math.NaN()}), "ridge: Lambda = NaN: must be finite and at least 0")
	expectError(t, fit(&Options{Lambda: math.Inf(1)}), "ridge: Lambda = +Inf: must be finite and at least 0")
	expectError(t, fit(&Options{Path: []float64{}}), "ridge: Path is empty: must be nil or have an element")
	expectError(t, fit(&Options{Lambda: 5e-309}), "ridge: Lambda = 5e-309: must be 0 or at least 2^-1000")
	expectError(t, fit(&Options{Path: []float64{1, 5e-324}}), "ridge: Path[1] = 5e-324: must be 0 or at least 2^-1000")
	expectError(t, fit(&Options{Path: []float64{1, -0.5}}), "ridge: Path[1] = -0.5: must be finite and at least 0")
	expectError(t, fit(&Options{Path: []float64{math.NaN()}}), "ridge: Path[0] = NaN: must be finite and at least 0")
	expectError(t, fit(&Options{Lambda: 2, Path: []float64{1}}), "ridge: Lambda = 2 and a Path: must be one of them")
	expectError(t, fit(&Options{Path: []float64{0}}),
		"ridge: λ = 0: 5 rows do not determine the weights of 10 features and the intercept: λ must be positive")
	expectError(t, fit(&Options{Path: []float64{0}, NoIntercept: true}),
		"ridge: λ = 0: 5 rows do not determine the weights of 10 features: λ must be positive")

	a := must(NewAccumulator(phi, 1))
	_, err = a.Fit(nil)
	expectError(t, err, "ridge: no rows: must be at least 1")
	_, err = a.Fit(&Options{Lambda: -1})
	expectError(t, err, "ridge: Lambda = -1: must be finite and at least 0")
	addBatches(t, a, x.Slice(0, 1, 0, 2).(*mat.Dense), y.Slice(0, 1, 0, 1).(*mat.Dense), 1)
	_, err = a.Fit(nil)
	expectError(t, err, "ridge: 1 row: must be at least 2 with an intercept")
	if _, err = a.Fit(&Options{NoIntercept: true}); err != nil {
		t.Error(err)
	}

	zero := new(Accumulator)
	const isZero = "ridge: the accumulator is the zero value"
	expectError(t, zero.Add(x, y), isZero)
	expectError(t, zero.Merge(a), isZero)
	expectError(t, a.Merge(zero), isZero)
	_, err = zero.Fit(nil)
	expectError(t, err, isZero)
	_, err = zero.WriteTo(io.Discard)
	expectError(t, err, isZero)
	if zero.Rows() != 0 {
		t.Error("rows of a zero value")
	}
	expectError(t, a.Merge(nil), "ridge: b = nil")
	expectError(t, a.Merge(must(NewAccumulator(phi, 2))), "ridge: b has targets = 2: must be 1")
	expectError(t, a.Merge(must(NewAccumulator(fourier(2, 12), 1))), "ridge: b is of a map R^2 → R^12: must be one R^2 → R^10")
	other := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, 2, 10, featuremap.NewSampler(99), nil))
	before := encoded(a)
	expectError(t, a.Merge(must(NewAccumulator(other, 1))), "ridge: b is of another map, whose features differ")
	if !bytes.Equal(before, encoded(a)) {
		t.Error("an error of Merge changed something")
	}
	if err := a.Merge(must(NewAccumulator(fourier(2, 10), 1))); err != nil { // equal, drawn again
		t.Error(err)
	}
}
