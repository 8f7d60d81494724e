// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
)

// drawn returns n normal points of three columns and classes of some frequencies, which by a part follow the sign of a column.
func drawn(n int, part float64, frequencies ...float64) (*mat.Dense, []int) {
	s := featuremap.NewSampler(11)
	x, classes := mat.NewDense(n, 3, nil), make([]int, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		v := s.Float64()
		if s.Float64() < part {
			v = 0.5 * (1 + math.Erf(x.At(i, 0)/math.Sqrt2))
		}
		for v > frequencies[classes[i]] && classes[i] < len(frequencies)-1 {
			v -= frequencies[classes[i]]
			classes[i]++
		}
	}
	copy(classes, []int{0, 1, 2, 3, 4, 5}[:len(frequencies)])
	return x, classes
}

// The mean probability of each class over the rows of the fit is its frequency, by their weights, to a thousandth of it, and no fit is worse
// there than the frequencies, by more than Tolerance: without a signal and with one, of two to six classes, some of them rare, at any λ:
// any two of these together, and in long all.
func TestFrequencies(t *testing.T) {
	n, features := 500, 60
	if !testkit.Long() {
		n, features = 300, 24
	}
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1.5}, 3, features, featuremap.NewSampler(3), nil))
	for f, frequencies := range [][]float64{{0.99, 0.01}, {0.5, 0.3, 0.15, 0.05}, {0.4, 0.3, 0.2, 0.07, 0.02, 0.01}} {
		for p, part := range []float64{0, 0.9} {
			x, classes := drawn(n, part, frequencies...)
			uneven := make([]float64, len(classes))
			for i := range uneven {
				uneven[i] = math.Exp(3 * math.Sin(float64(i)))
			}
			for k, c := range []struct {
				name string
				Options
			}{
				{"default", Options{}},
				{"balanced", Options{Balanced: true}},
				{"weights", Options{Weights: uneven}},
				{"λ = 1e-6", Options{Lambda: 1e-6}},
				{"λ = .1", Options{Lambda: 0.1}},
				{"λ = 30", Options{Lambda: 30}},
				{"λ = 1e5", Options{Lambda: 1e5}},
				{"Tolerance", Options{Tolerance: 0.5}},
				{"all of them", Options{Lambda: 1e-3, Weights: uneven, Balanced: true, Tolerance: 0.2}},
			} {
				if (f+k)%2 != p && !testkit.Long() {
					continue
				}
				m := must(Fit(phi, x, classes, &c.Options))
				checkFrequencies(t, fmt.Sprintf("%v, %v by a rule, %s", frequencies, part, c.name), m, x, classes, &c.Options)
			}
			if (f+1)%2 != p && !testkit.Long() {
				continue
			}
			m := must(FitBatches(phi, batches(x, classes, uneven, 77), len(frequencies), &Options{Memory: 1}))
			checkFrequencies(t, fmt.Sprintf("%v, %v by a rule, batches", frequencies, part), m, x, classes, &Options{Weights: uneven})
		}
	}
}

// checkFrequencies compares the mean probabilities with the frequencies, and the log losses of both.
func checkFrequencies(t *testing.T, name string, m *Model, x *mat.Dense, classes []int, o *Options) {
	t.Helper()
	w := weightsOf(classes, o)
	var p mat.Dense
	m.ProbabilityTo(&p, x)
	_, count := p.Dims()
	mean, want := make([]float64, count), make([]float64, count)
	var total, loss, frequencies float64
	for i, c := range classes {
		total += w[i]
		want[c] += w[i]
		for k := range mean {
			mean[k] += w[i] * p.At(i, k)
		}
		loss -= w[i] * math.Log(p.At(i, c))
	}
	for k := range mean {
		if !(math.Abs(mean[k]-want[k]) <= 1e-3*want[k]) {
			t.Errorf("%s: class %d has a mean probability of %.5f, a frequency of %.5f", name, k, mean[k]/total, want[k]/total)
		}
		frequencies -= want[k] * math.Log(want[k]/total)
	}
	tolerance := o.Tolerance
	if tolerance == 0 {
		tolerance = 1e-2
	}
	if !(loss <= frequencies*(1+tolerance)) {
		t.Errorf("%s: log loss %v of the rows of the fit, the frequencies have %v", name, loss/total, frequencies/total)
	}
}

// weightsOf returns the weights of rows that options lead to.
func weightsOf(classes []int, o *Options) []float64 {
	w := make([]float64, len(classes))
	sums := make(map[int]float64)
	var total float64
	for i, c := range classes {
		if w[i] = 1; o.Weights != nil {
			w[i] = o.Weights[i]
		}
		sums[c] += w[i]
		total += w[i]
	}
	if o.Balanced {
		for i, c := range classes {
			w[i] *= total / sums[c] / float64(len(sums))
		}
	}
	return w
}
