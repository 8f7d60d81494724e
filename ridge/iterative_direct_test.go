// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// FitIterative compared with the direct fit of the same rows: ten problems with -long, and sources that go wrong.

package ridge_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A problem is a fit that both methods make.
type problem struct {
	name              string
	n, in, d, targets int
	lambda            float64
	design            featuremap.Design
	bare              bool // without an intercept
	sparse            bool // nine of ten coordinates are 0, and rows are lists
	long              bool
	phi               func(p problem, x *mat.Dense) (featuremap.FeatureMap, error) // nil: Fourier features of the design
}

// problems has n above and below D, a condition from 1e2 to 1e6, and one to seven targets.
var problems = []problem{
	{name: "independent frequencies", n: 600, in: 12, d: 400, targets: 1, lambda: 1},
	{name: "orthogonal, three targets", n: 500, in: 8, d: 350, targets: 3, lambda: 1e-2, design: featuremap.Orthogonal},
	{name: "structured", n: 700, in: 20, d: 512, targets: 2, lambda: 1e-1, design: featuremap.Structured},
	{name: "lists", n: 600, in: 60, d: 400, targets: 2, lambda: 1e-1, design: featuremap.Structured, sparse: true, long: true},
	{name: "landmarks", n: 500, in: 6, d: 300, targets: 2, lambda: 1e-2, phi: landmarksOf},
	{name: "neurons without an intercept", n: 500, in: 10, d: 300, targets: 1, lambda: 1, bare: true, phi: neuronsOf},
	{name: "fewer rows than features", n: 300, in: 8, d: 600, targets: 7, lambda: 1e-2},
	{name: "fewer rows than features, without an intercept", n: 280, in: 6, d: 400, targets: 1, lambda: 1e-3, bare: true, long: true},
	{name: "a condition of a million", n: 600, in: 5, d: 500, targets: 2, lambda: 3e-4},
	{name: "2048 features", n: 3000, in: 16, d: 2048, targets: 3, lambda: 1e-2, design: featuremap.Orthogonal, long: true},
}

func landmarksOf(p problem, x *mat.Dense) (featuremap.FeatureMap, error) {
	return featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 2}, x, p.d, featuremap.NewSampler(1), nil)
}

func neuronsOf(p problem, _ *mat.Dense) (featuremap.FeatureMap, error) {
	return featuremap.NewNeurons(featuremap.ArcCosine{Order: 1}, p.in, p.d, featuremap.NewSampler(1), nil)
}

// rows returns the rows of a problem, which are lists if it is sparse, and its map.
func (p problem) rows() (x mat.Matrix, y *mat.Dense, phi featuremap.FeatureMap) {
	dense, y := data(p.n, p.in, p.targets, 90)
	x = dense
	if p.sparse {
		dense.Apply(func(i, j int, v float64) float64 {
			if (7*i+3*j)%10 != 0 {
				return 0
			}
			return v
		}, dense)
		x = testkit.NewLists(dense)
	}
	if p.phi != nil {
		return x, y, must(p.phi(p, dense))
	}
	s, o := featuremap.NewSampler(1), &featuremap.FourierOptions{Design: p.design}
	return x, y, must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: math.Sqrt(float64(p.in))}, p.in, p.d, s, o))
}

// The error e of the weights is r = Ae, so that eᵀAe ≤ ‖r‖²/λ₁, λ₁ the least eigenvalue of A; and wᵀAw ≥ ‖b‖²/λ_D. In the norm of A
// weights differ from those of a direct fit by a share of √κ·‖r‖/‖b‖ at most, and by what rounding costs both, κ·2⁻⁵² of them.
func TestFitIterativeIsDirect(t *testing.T) {
	const tolerance = 1e-9
	for _, p := range problems {
		if p.long && !testkit.Long() {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			x, y, phi := p.rows()
			direct := must(Fit(phi, x, y, &Options{Lambda: p.lambda, NoIntercept: p.bare, Intervals: noIntervals}))
			batches := Rows(x, y)
			m, err := FitIterative(phi, batches, &IterativeOptions{Lambda: p.lambda, Tolerance: tolerance, Passes: 400, NoIntercept: p.bare})
			if err != nil {
				t.Fatal(err)
			}
			if m.Residual() > tolerance {
				t.Errorf("a residual of %v", m.Residual())
			}
			var z, fitted, got mat.Dense
			phi.TransformTo(&z, x)
			if !p.bare {
				center(&z)
			}
			size, difference := normsIn(&z, p.lambda, direct.Weights(), m.Weights())
			limit := math.Sqrt(conditionOf(direct))*tolerance + conditionOf(direct)*0x1p-48
			t.Logf("condition %.1e, %d passes: weights differ by %.1e in the norm of A, at most %.1e", conditionOf(direct), m.Passes(), difference/size, limit)
			if !(difference <= limit*size) {
				t.Errorf("weights differ by %v of their norm in A, more than %v", difference/size, limit)
			}
			direct.PredictTo(&fitted, x)
			m.PredictTo(&got, x)
			got.Sub(&got, &fitted)
			// a prediction of a row of the fit is part of the norm of A
			if worst := math.Max(mat.Max(&got), -mat.Min(&got)); !(worst <= 2*limit*size) {
				t.Errorf("predictions differ by %v, more than %v", worst, 2*limit*size)
			}
		})
	}
}

// center takes the means off the columns of z.
func center(z *mat.Dense) {
	n, columns := z.Dims()
	for j := range columns {
		mean := mat.Sum(z.ColView(j)) / float64(n)
		for i := range n {
			z.Set(i, j, z.At(i, j)-mean)
		}
	}
}

// normsIn returns the norms of w and of v − w in A = zᵀz + λI, over all columns.
func normsIn(z *mat.Dense, lambda float64, w, v *mat.Dense) (size, difference float64) {
	norm := func(w *mat.Dense) float64 {
		var zw mat.Dense
		zw.Mul(z, w)
		return math.Hypot(mat.Norm(&zw, 2), math.Sqrt(lambda)*mat.Norm(w, 2))
	}
	var e mat.Dense
	e.Sub(v, w)
	return norm(w), norm(&e)
}

// A tolerance that float64 cannot reach gives the best residual that it can, and the model says what it is; so do passes that are too few.
func TestFitIterativeFallsShort(t *testing.T) {
	x, y := data(400, 2, 1, 91)
	phi := fourier(2, 100)
	for _, o := range []*IterativeOptions{{Lambda: 1e-2, Tolerance: 1e-300}, {Lambda: 1e-6, Tolerance: 1e-10, Passes: 1}} {
		m, err := FitIterative(phi, inBatches(x, y, nil, 100), o)
		if err != nil {
			t.Fatal(err)
		}
		if !(m.Residual() > o.Tolerance) || o.Passes == 0 && m.Residual() > 1e-12 {
			t.Errorf("%+v: a residual of %v", o, m.Residual())
		}
		if s := m.String(); !strings.Contains(s, "above the tolerance of") {
			t.Errorf("%+v: %s", o, s)
		}
	}
}

// A source that differs in a later pass, by a number, by the order of its rows or by their count, is found with the number of the reading.
func TestFitIterativeSourceChanges(t *testing.T) {
	const n, in = 300, 12
	x, y := data(n, in, 1, 92)
	other, swapped := mat.DenseCopyOf(x), mat.DenseCopyOf(x)
	other.Set(200, 1, math.NaN())
	swapped.SetRow(7, x.RawRowView(8))
	swapped.SetRow(8, x.RawRowView(7))
	for want, changed := range map[string]*mat.Dense{
		"reading 3 has another row 200":                            other,
		"reading 3 has another row 7":                              swapped,
		"reading 3 has 299 rows, the first had 300":                mat.DenseCopyOf(x.Slice(0, n-1, 0, in)),
		"reading 3 has row 300, the first had 300 rows: they must": mat.NewDense(n+1, in, append(mat.DenseCopyOf(x).RawMatrix().Data, make([]float64, in)...)),
	} {
		readings := 0
		_, err := FitIterative(fourier(in, 400), func(yield func(Batch, error) bool) {
			from := x
			if readings++; readings == 3 {
				from = changed
			}
			rows, _ := from.Dims()
			targets := mat.NewDense(rows, 1, nil)
			targets.Copy(y)
			yield(Batch{X: from, Y: targets}, nil)
		}, &IterativeOptions{Lambda: 1e-3, Tolerance: 1e-9})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// No pass is made for a path: all are those of the solution.
func TestFitIterativePathEnds(t *testing.T) {
	x, y := data(1500, 12, 2, 93)
	last := 0.0
	o := &IterativeOptions{Path: []float64{1e-4, 1e-5}, Tolerance: 1e-6, Passes: 4, Progress: func(_ int, r float64) error {
		last = r
		return nil
	}}
	m, err := FitIterative(fourier(12, 600), inBatches(x, y, nil, 100), o)
	if err != nil {
		t.Fatal(err)
	}
	if m.Passes() != o.Passes || m.Residual() != last {
		t.Errorf("%v: the last pass had a residual of %v", m, last)
	}
}
