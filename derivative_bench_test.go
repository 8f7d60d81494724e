// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// BenchmarkDerivative transforms 1000 rows and pulls as many gradients back, in turns, by CPU time: medians of the rounds, and how
// many transforms a pullback takes. Run it with -cpu 1
// and -benchtime 20x.
func BenchmarkDerivative(b *testing.B) {
	const n, out = 1000, 4096
	for _, form := range []struct {
		name    string
		options FourierOptions
	}{
		{"independent", FourierOptions{}},
		{"orthogonal", FourierOptions{Design: Orthogonal}},
		{"structured", FourierOptions{Design: Structured}},
		{"Sobol", FourierOptions{Design: Sobol}},
		{"phases", FourierOptions{RandomPhase: true}},
		{"phases,structured", FourierOptions{RandomPhase: true, Design: Structured}},
	} {
		for _, d := range []int{1, 3, 8, 64, 784} {
			b.Run(fmt.Sprintf("%s/d=%d", form.name, d), func(b *testing.B) {
				m, err := NewFourier(Gaussian{LengthScale: 1}, d, out, NewSampler(1), &form.options)
				if err != nil {
					b.Skip(err)
				}
				back := testkit.Must(Derivative(m))
				x, g := testkit.NormalPoints(1, n, d), testkit.NormalPoints(2, n, out)
				z, dst := mat.NewDense(n, out, nil), mat.NewDense(n, d, nil)
				times := inTurns(b, func(int) { m.TransformTo(z, x) }, func(int) { back.PullbackTo(dst, x, g) })
				forward, backward := times[0].Seconds(), times[1].Seconds()
				b.ReportMetric(0, "ns/op") // of both, which says nothing
				b.ReportMetric(forward*1e9/(n*out), "ns/feature")
				b.ReportMetric(backward*1e9/(n*out), "ns/feature-back")
				b.ReportMetric(backward/forward, "transforms")
			})
		}
	}
}
