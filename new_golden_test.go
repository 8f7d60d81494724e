// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Golden maps that NewPlan chooses, without points and for digits, and the bits of their features: one seed gives one map on
// every architecture, though the errors that are compared have no promise of bits.
func TestGoldenPlans(t *testing.T) {
	const in, out = 64, 700
	digits := testkit.SpreadDigits(t, 60, 1)
	half := make([]float64, in)
	for j := range half {
		half[j] = 0.5 + float64(j%8)/8
	}
	left := mat.NewDense(8, in, nil)
	for i := range 8 {
		for j := range 8 {
			left.Set(i, 8*i+j, 0.25+float64(j)/8)
		}
	}
	g, e, l := Gaussian{LengthScale: 1}, ExpDot{LengthScale: 1}, Laplacian{LengthScale: 4}
	var b bytes.Buffer
	for i, k := range []Kernel{
		g, Gaussian{LengthScale: 0.3}, ARD(half, g), Project(left, g), Select([]int{10, 20, 30}, Gaussian{LengthScale: 0.2}),
		l, Matern{Nu: 2.5, LengthScale: 1}, RationalQuadratic{Alpha: 2, LengthScale: 1},
		e, ExpDot{LengthScale: 0.7}, Polynomial{Degree: 3, Gamma: 1, Offset: 0.5}, Dot(series.Geometric{Ratio: 0.3}), Dot(series.SineDual{Rate: 1}), Linear{},
		ArcCosine{Order: 0}, ArcCosine{Order: 1}, ArcCosine{Order: 2},
		Sum(Gaussian{LengthScale: 0.3}, Gaussian{LengthScale: 3}), Sum(g, Linear{}, ArcCosine{Order: 1}), Sum(e, Polynomial{Degree: 2, Gamma: 1, Offset: 1}),
		Product(g, Linear{}), Product(l, e), Select([]int{20, 3, 40}, Weight(testkit.Norm{Scale: 1}, g)),
	} {
		if emulated() && i%3 > 0 {
			continue
		}
		for _, points := range []mat.Matrix{nil, digits} {
			p := testkit.Must(NewPlan(k, points, out, &PlanOptions{In: in}))
			of := "the sphere"
			if points != nil {
				of = "digits"
			}
			fmt.Fprintf(&b, "%v for %s\n", k, of)
			centered, weighted := PlanSides(p)
			for i, shape := range PlanShape(p) {
				fmt.Fprintf(&b, "\t%s", shape)
				if centered[i] {
					fmt.Fprint(&b, ", centered")
				}
				if weighted[i] {
					fmt.Fprint(&b, ", weighted")
				}
				fmt.Fprintln(&b)
			}
			m := testkit.Must(p.Draw(NewSampler(42)))
			features := slices.Concat(m.TransformVec(nil, digits.RawRowView(7)), m.TransformVec(nil, digits.RawRowView(31)))
			fmt.Fprintf(&b, "\t%d features %016x\n", len(features)/2, golden.Fold(features))
		}
	}
	if emulated() {
		golden.ComparePart(t, "plans.golden", b.Bytes())
		return
	}
	golden.Compare(t, "plans.golden", b.Bytes())
}
