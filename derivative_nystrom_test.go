// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// landmarkDerivatives are Landmarks of all kinds of kernels that have tiles, and their raw features. Those that have a kink at
// landmarks or in coordinates have none near the points that are tested.
var landmarkDerivatives = testkit.Once(func(d int) (all []derivativeCase) {
	gaussian, lengths := Gaussian{LengthScale: 0.8}, testkit.F64s(d, func(i int) float64 { return 1 + float64(i%2) })
	a := testkit.NormalPoints(9, 2, d)
	inner := testkit.Must(NewFourier(gaussian, d, 12, NewSampler(3), nil))
	kernels := []Kernel{
		gaussian,
		ARD(lengths, gaussian),
		Project(a, gaussian),
		Select([]int{d - 1}, gaussian),
		Matern{Nu: 0.5, LengthScale: 2},
		Matern{Nu: 0.8, LengthScale: 2},
		Matern{Nu: 1, LengthScale: 2},
		Matern{Nu: 1.5, LengthScale: 1},
		ARD(lengths, Matern{Nu: 2.5, LengthScale: 1}),
		Matern{Nu: 3.2, LengthScale: 1},
		Matern{Nu: 70, LengthScale: 1},
		RationalQuadratic{Alpha: 0.7, LengthScale: 1},
		Laplacian{LengthScale: 3},
		Cauchy{LengthScale: 2},
		Periodic{Period: 3, LengthScale: 1.5},
		ExpDot{LengthScale: 1.5},
		Sum(Linear{}, Constant{Value: 1}, gaussian),
		Sum(gaussian, Polynomial{Degree: 3, Gamma: 1, Offset: 1}),
		Sum(gaussian, Dot(series.Geometric{Ratio: 0.01})),
		ArcCosine{Order: 0},
		ArcCosine{Order: 1},
		ARD(lengths, ArcCosine{Order: 2}),
		Sum(Scale(2, gaussian), ARD(lengths, Matern{Nu: 2.5, LengthScale: 1})),
		Product(gaussian, Sum(Constant{Value: 1}, Linear{}), Matern{Nu: 1.5, LengthScale: 2}),
		Weight(hill{}, gaussian),
		ARD(lengths, Weight(hill{}, Sum(gaussian, Weight(hill{}, Matern{Nu: 1.5, LengthScale: 2})))),
		Compose(series.Exp{Rate: 0.5}, Sum(gaussian, Linear{})),
		Compose(series.Coefficients{1, 0.5, 0.25}, gaussian),
		Sum(gaussian, Scale(3, ARD(lengths, FromMap(inner)))),
	}
	points := testkit.ScaledNormals(21, 14, d, 1/math.Sqrt(float64(d)))
	for i, k := range kernels {
		m := testkit.Must(NewNystrom(k, points, 14, NewSampler(3), nil))
		name := fmt.Sprintf("d = %d: %v", d, m)
		all = append(all, derivativeCase{name, m})
		if i%3 == 0 {
			raw, _ := m.Raw()
			all = append(all, derivativeCase{name + ", raw", raw})
		}
	}
	return all
})

func TestDerivativeLandmarks(t *testing.T) {
	t.Parallel()
	for _, d := range derivativeDims {
		if !testkit.Long() && d != 1 && d != 3 {
			continue // most of the time, for the same code
		}
		for i, c := range landmarkDerivatives(d) {
			if inTurn(i, d) {
				checkDerivative(t, c)
			}
		}
	}
}

// The bits of derivatives of landmarks, a line each.
func TestGoldenDerivativeOfLandmarks(t *testing.T) {
	var b bytes.Buffer
	for _, d := range []int{3, 65} {
		for _, c := range landmarkDerivatives(d) {
			in, out := c.m.Dims()
			var got mat.Dense
			testkit.Must(Derivative(c.m)).PullbackTo(&got, testkit.ScaledNormals(5, 13, in, 0.4), testkit.NormalPoints(6, 13, out))
			fmt.Fprintf(&b, "%s %x %016x\n", c.name, got.At(0, 0), golden.Fold(got.RawMatrix().Data))
		}
	}
	golden.Compare(t, "derivative_nystrom.golden", b.Bytes())
}

// Where a kernel has no derivative, at a landmark, at a coordinate of one, or at the origin, the gradient is finite: the share of that
// landmark is 0.
func TestDerivativeLandmarksKinks(t *testing.T) {
	points := testkit.NormalPoints(3, 5, 2)
	points.SetRow(4, []float64{0, 0})
	for _, k := range []Kernel{
		Matern{Nu: 0.5, LengthScale: 1}, Matern{Nu: 0.8, LengthScale: 1}, Matern{Nu: 1, LengthScale: 1},
		Laplacian{LengthScale: 1}, Sum(Gaussian{LengthScale: 1}, ArcCosine{Order: 0}),
		Sum(Gaussian{LengthScale: 1}, ArcCosine{Order: 1}),
	} {
		m := testkit.Must(NewNystrom(k, points, 5, NewSampler(1), nil))
		at := m.Landmarks()
		raw, _ := m.Raw()
		var got mat.Dense
		g := mat.NewDense(5, 5, nil)
		for i := range 5 {
			g.Set(i, i, 1)
		}
		testkit.Must(Derivative(raw)).PullbackTo(&got, at, g)
		for i := range 5 {
			origin := mat.Norm(at.RowView(i), 2) == 0
			for c, v := range got.RawRowView(i) {
				if !(math.Abs(v) <= math.MaxFloat64) || v != 0 && origin {
					t.Errorf("%v: coordinate %d at landmark %d is %v", k, c, i, v)
				}
			}
		}
	}
}

// Parts of kernels of landmarks without a derivative are named.
func TestDerivativeLandmarksRefused(t *testing.T) {
	gaussian := Gaussian{LengthScale: 1}
	flat := WeightFunc(func(x []float64) float64 { return 1 + math.Abs(x[0]) })
	plain := callersMap{testkit.Must(NewFourier(gaussian, 3, 4, NewSampler(1), nil))}
	for _, c := range []struct {
		k    Kernel
		want string
	}{
		{Weight(flat, gaussian), "WeightFunc"},
		{Sum(gaussian, Product(gaussian, FromMap(plain))), "callersMap"},
		{Sum(gaussian, callersGaussian{gaussian}), "callersGaussian"},
	} {
		m := testkit.Must(NewNystrom(c.k, testkit.NormalPoints(2, 20, 3), 5, NewSampler(1), nil))
		if _, err := Derivative(m); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, should name %s", c.k, err, c.want)
		}
	}
}

// callersGaussian is a kernel of a caller.
type callersGaussian struct{ Gaussian }
