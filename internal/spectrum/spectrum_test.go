// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package spectrum_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// oneWay is the kernel cos(w·(x − y)) of one coordinate, whose Frequency gives w and never −w.
type oneWay struct{ w float64 }

func (k oneWay) Eval(x, y []float64) float64         { return math.Cos(k.w * (x[0] - y[0])) }
func (oneWay) Mass() float64                         { return 1 }
func (k oneWay) Frequency(dst []float64, _ *Sampler) { dst[0] = k.w }

// Products and compositions of a caller's kernels are unbiased where E sin(ω·Δ) is not 0. The limit is 5 for z-scores of 4,000
// maps, by the exact variance.
func TestOneSidedFrequencies(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	const maps = 4000
	x, y := []float64{0.5}, []float64{0}
	a, b := oneWay{1}, oneWay{2}
	for _, k := range []Kernel{
		Product(a, b), // cos(½)·cos(1) = .474; was .071
		Product(b, a, Gaussian{LengthScale: 1}),
		Product(Sum(a, b), b),
		Compose(series.Coefficients{0, 0, 1}, a),
		Compose(series.ExpDual(1), Sum(a, b)),
		Project(mat.NewDense(1, 1, []float64{3}), Product(a, b)),
		Scale(2, Product(a, ARD([]float64{0.5}, b))),
	} {
		var sum, v float64
		p := testkit.Must(NewPlan(k, nil, 4, &PlanOptions{In: 1}))
		for seed := range maps {
			m := testkit.Must(p.Draw(NewSampler(uint64(seed)))).(*Fourier)
			v = m.Variance(x, y)
			sum += floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y)) / maps
		}
		if z := (sum - k.Eval(x, y)) / math.Sqrt(v/maps); !(math.Abs(z) <= 5) {
			t.Errorf("%v: mean estimate %v of %v, z = %.1f", k, sum, k.Eval(x, y), z)
		}
	}
}
