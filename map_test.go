// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

func init() { testkit.PlanOf = PlanOf }

// zeroMaps are the zero values of all types of maps.
var zeroMaps = []FeatureMap{new(Fourier), new(Maclaurin), new(Neurons), new(Compositional), new(DataDependent)}

// A zero map has no dimensions and no kernel, its String says that it is no map, and all that takes a map refuses it.
func TestZeroMaps(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	base := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 1, 4, NewSampler(1), nil))
	for _, m := range zeroMaps {
		if in, out := m.Dims(); in != 0 || out != 0 || m.Kernel() != nil || fmt.Sprint(m) != "a zero value, which is no map" {
			t.Errorf("%T: Dims %d, %d, Kernel %v, String %q", m, in, out, m.Kernel(), fmt.Sprint(m))
		}
		for _, x := range [][]float64{nil, {}, {1}} {
			func() {
				defer func() {
					if p := recover(); p != mat.ErrShape {
						t.Errorf("%T: TransformVec of %v: panic %v, want %v", m, x, p, mat.ErrShape)
					}
				}()
				m.TransformVec(nil, x)
			}()
		}
		name := strings.TrimPrefix(fmt.Sprintf("%T", m), "*featuremap.")
		errs := map[string]error{
			"NewDataDependent":          testkit.Second(NewDataDependent(m, x, nil)),
			"NewDataDependent Features": testkit.Second(NewDataDependent(base, x, &DataDependentOptions{Alpha: 1, Features: m})),
			"FromMap":                   testkit.Second(testkit.New(FromMap(m), 1, 4, NewSampler(1))),
			"FromMap in a product":      testkit.Second(testkit.New(Product(FromMap(m), Gaussian{LengthScale: 1}), 1, 4, NewSampler(1))),
			"Encode":                    Encode(new(bytes.Buffer), m),
			"PlanOf":                    testkit.Second(PlanOf(m)),
			"MarshalKernel":             testkit.Second(MarshalKernel(FromMap(m))),
		}
		if v, ok := m.(Variancer); ok {
			errs["RMSE"] = testkit.Second(PredictedRMSE(v, x, 10, NewSampler(1)))
		}
		for of, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "zero value") && !strings.Contains(err.Error(), name+" was drawn from no plan") {
				t.Errorf("%s of a zero %s: %v", of, name, err)
			}
		}
	}
}
