// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sparse

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Rows that are appended have the elements and the features of a dense matrix.
func TestRows(t *testing.T) {
	want := mat.NewDense(3, 4, []float64{0, 2, 0, -1, 0, 0, 0, 0, 3, 0, 0, 0})
	s := NewRows(4)
	for _, r := range []struct {
		index  []int
		values []float64
	}{{[]int{1, 3}, []float64{2, -1}}, {}, {[]int{0}, []float64{3}}} {
		if err := s.Append(r.index, r.values); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(s, want) || !mat.Equal(s.T(), want.T()) {
		t.Errorf("%v", mat.Formatted(s))
	}
	phi, err := featuremap.NewMaclaurin(featuremap.Polynomial{Degree: 2, Gamma: 1}, 4, 32, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	var a, b mat.Dense
	phi.TransformTo(&a, s)
	phi.TransformTo(&b, want)
	if !mat.Equal(&a, &b) {
		t.Error("features of lists differ from those of rows")
	}
}

func TestRowsRefuse(t *testing.T) {
	s := NewRows(3)
	for want, err := range map[string]error{
		"2 columns has 1 values": s.Append([]int{0, 1}, []float64{1}),
		"column 3: must be":      s.Append([]int{0, 3}, []float64{1, 1}),
		"column -1: must be":     s.Append([]int{-1}, []float64{1}),
		"column 1 follows":       s.Append([]int{1, 1}, []float64{1, 1}),
		"column 0 follows":       s.Append([]int{1, 0}, []float64{1, 1}),
		"must be finite":         s.Append([]int{1}, []float64{math.NaN()}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	if rows, _ := s.Dims(); rows != 0 {
		t.Errorf("%d rows after errors", rows)
	}
	for want, call := range map[error]func(){
		mat.ErrRowAccess:  func() { s.At(0, 0) },
		mat.ErrZeroLength: func() { NewRows(0) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %v", got, want)
				}
			}()
			call()
		}()
	}
}
