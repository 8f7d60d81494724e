// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// few are fits with fewer rows than features, by name: of random features, of landmarks among other rows (whose features are found from raw
// ones), of rows that repeat with other classes, and of features far from 0.
func few() map[string]struct {
	phi     featuremap.FeatureMap
	x       *mat.Dense
	classes []int
	weights []float64
} {
	type fit = struct {
		phi     featuremap.FeatureMap
		x       *mat.Dense
		classes []int
		weights []float64
	}
	x, classes := rings(60)
	others, _ := rings(900)
	weights := make([]float64, 60)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	repeated := mat.DenseCopyOf(x)
	for i := range 30 {
		repeated.SetRow(2*i, repeated.RawRowView(2*i+1))
	}
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, others.Slice(100, 900, 0, 2), 100, featuremap.NewSampler(3), nil))
	return map[string]fit{
		"random":    {fourier(2, 200), x, classes, nil},
		"weights":   {fourier(2, 200), x, classes, weights},
		"landmarks": {landmarks, x, classes, weights},
		"repeated":  {fourier(2, 80), repeated, classes, nil},
		"far":       {shifted{fourier(2, 150), 1e4}, x, classes, nil},
	}
}

// shifted is a map with a constant added to its features.
type shifted struct {
	featuremap.FeatureMap
	by float64
}

func (m shifted) Kernel() featuremap.Kernel { return featuremap.FromMap(m) }

func (m shifted) TransformTo(dst *mat.Dense, x mat.Matrix) {
	m.FeatureMap.TransformTo(dst, x)
	dst.Apply(func(_, _ int, v float64) float64 { return v + m.by }, dst)
}

func (m shifted) TransformVec(dst, x []float64) []float64 {
	dst = m.FeatureMap.TransformVec(dst, x)
	for j := range dst {
		dst[j] += m.by
	}
	return dst
}

// With few rows, weights and intercepts are at the optimum by its definition, the gradient of the loss over all features: λW = Σ wᵢ(yᵢ − pᵢ)φᵢᵀ,
// and Σ wᵢ(yᵢ − pᵢ) = 0.
func TestSpan(t *testing.T) {
	for name, c := range few() {
		lambdas := []float64{1e-3, 10}
		if testkit.Long() {
			lambdas = append(lambdas, 1e-6)
		}
		for _, lambda := range lambdas {
			m := must(Fit(c.phi, c.x, c.classes, &Options{Lambda: lambda, Tolerance: 1e-11, Weights: c.weights}))
			var z mat.Dense
			c.phi.TransformTo(&z, c.x)
			n, out := z.Dims()
			w := m.Weights()
			gradient, sums := mat.NewDense(out, 3, nil), make([]float64, 3)
			for i := range n {
				weight, p := 1.0, m.ProbabilityVec(nil, c.x.RawRowView(i))
				if c.weights != nil {
					weight = c.weights[i]
				}
				for k, v := range p {
					if k == c.classes[i] {
						v--
					}
					sums[k] += weight * v
					for j, f := range z.RawRowView(i) {
						gradient.Set(j, k, gradient.At(j, k)+weight*v*f)
					}
				}
			}
			var off, size float64
			for k := range 3 {
				if !(math.Abs(sums[k]) <= 1e-3) { // 1e-5 of the weight of a class, up to 45
					t.Errorf("%s, λ = %v: residuals of class %d add up to %v", name, lambda, k, sums[k])
				}
				for j := range out {
					g := gradient.At(j, k)
					if s, ok := c.phi.(shifted); ok {
						g -= s.by * sums[k] // rounding of the sums
					}
					off = max(off, math.Abs(g+lambda*w.At(j, k)))
					size = max(size, math.Abs(lambda*w.At(j, k)))
				}
			}
			// The gradient of a loss within 1e-11 of the least one, times λ, is of the size of the root of 1e-11.
			if !(off <= 1e-3*size) {
				t.Errorf("%s, λ = %v: the gradient is %v, its parts %v", name, lambda, off, size)
			}
		}
	}
}

// With few rows, too, a model has one set of bits: in batches, with features kept or not, of several parts, on any number of goroutines.
func TestBitsOfFewRows(t *testing.T) {
	for name, c := range few() {
		if name == "far" { // a map that has no file
			continue
		}
		want := written(must(Fit(c.phi, c.x, c.classes, &Options{Weights: c.weights})))
		for _, procs := range []int{1, 3} {
			before := runtime.GOMAXPROCS(procs)
			for _, memory := range []int64{1, 1 << 40} {
				if m := must(Fit(c.phi, c.x, c.classes, &Options{Weights: c.weights, Memory: memory})); !bytes.Equal(written(m), want) {
					t.Errorf("%s: %d goroutines, memory %d: other bits", name, procs, memory)
				}
				if m := must(FitBatches(c.phi, batches(c.x, c.classes, c.weights, 7), 3, &Options{Memory: memory})); !bytes.Equal(written(m), want) {
					t.Errorf("%s: %d goroutines, memory %d, batches: other bits", name, procs, memory)
				}
			}
			runtime.GOMAXPROCS(before)
		}
	}
	x, classes := rings(300) // parts of 102 rows
	phi := fourier(2, 10240)
	o := &Options{Lambda: 1}
	want := written(must(Fit(phi, x, classes, o)))
	o.Memory = 1
	if !bytes.Equal(written(must(Fit(phi, x, classes, o))), want) || !bytes.Equal(written(must(FitBatches(phi, batches(x, classes, nil, 130), 3, o))), want) {
		t.Error("several parts: other bits")
	}
}

// Few rows with default options predict as well as the same rows with features enough: λ is chosen as it is otherwise, and prediction sets are
// calibrated.
func TestSpanDefault(t *testing.T) {
	x, classes := rings(150)
	test, truth := rings(1000)
	loss := func(features int) (*Model, float64) {
		m := must(Fit(fourier(2, features), x, classes, &Options{PredictionSets: true}))
		var p mat.Dense
		m.ProbabilityTo(&p, test)
		return m, score.LogLoss(&p, truth)
	}
	_, want := loss(196) // more than ¾ of the rows in features, fitted with all features
	m, got := loss(2000)
	if !(got <= 1.05*want) {
		t.Errorf("log loss %v with 2,000 features, %v with 196", got, want)
	}
	right := 0
	for i := range truth {
		for _, k := range m.PredictionSet(test.RawRowView(i), 0.9) {
			if k == truth[i] {
				right++
			}
		}
	}
	if right < 850 {
		t.Errorf("sets of 90 %% have %d of 1,000 classes", right)
	}
}

// The loss is that of the model's probabilities also with a far row, of little weight or not, and a tiny λ: where rounding in the span of the rows
// matters, all features are fitted.
func TestSpanFarRow(t *testing.T) {
	x, classes := rings(100)
	s := featuremap.NewSampler(3)
	x.SetRow(7, []float64{200, -150})
	phi := must(featuremap.NewMaclaurin(featuremap.Polynomial{Degree: 4, Gamma: 1, Offset: 1}, 2, 600, s, nil))
	for _, c := range []struct{ weight, lambda float64 }{{1e-6, 0}, {1e-6, 1}, {1, 1}, {1, 0}, {1, 1e-6}} {
		weights := make([]float64, 100)
		for i := range weights {
			weights[i] = 1
		}
		weights[7] = c.weight
		last := 0
		m := must(Fit(phi, x, classes, &Options{Weights: weights, Lambda: c.lambda, Progress: func(pass int, _ float64) error {
			if pass > 0 && pass < last {
				t.Errorf("weight %v, λ = %v: pass %d after %d", c.weight, c.lambda, pass, last)
			}
			last = max(last, pass)
			return nil
		}}))
		var p mat.Dense
		m.ProbabilityTo(&p, x)
		var loss, total float64
		for i, w := range weights {
			loss -= w * math.Log(p.At(i, classes[i]))
			total += w
		}
		norm := mat.Norm(m.Weights(), 2)
		if loss = (loss + 0.5*m.Lambda()*norm*norm) / total; !(math.Abs(m.Loss()-loss) <= 1e-3*loss) {
			t.Errorf("weight %v, λ = %v (%v): a loss of %v, computed from the probabilities %v", c.weight, c.lambda, m.Lambda(), m.Loss(), loss)
		}
	}
}

// The choice of λ ends where descents do not: features of heavy tails, whose squares differ by 24 decades, take a million passes at small λ.
func TestPassesOfHeavyTails(t *testing.T) {
	r := rand.New(rand.NewPCG(147, 5))
	k, d, n := 2, 5, 20+r.IntN(80)
	centers := mat.NewDense(k, d, nil)
	centers.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, centers)
	x, classes := mat.NewDense(n, d, nil), make([]int, n)
	for i := range classes {
		if classes[i] = i % k; i >= 2*k {
			classes[i] = r.IntN(k)
		}
		for j := range d {
			x.Set(i, j, centers.At(classes[i], j)+0.7*r.NormFloat64())
		}
	}
	for i := range n {
		f := math.Exp(2 * r.NormFloat64())
		for j := range d {
			x.Set(i, j, x.At(i, j)*f)
		}
	}
	phi := must(featuremap.NewMaclaurin(featuremap.Polynomial{Degree: 2 + r.IntN(4), Gamma: 1, Offset: 1}, d, 300, featuremap.NewSampler(147), nil))
	passes := 0
	m := must(Fit(phi, x, classes, &Options{Progress: func(int, float64) error { passes++; return nil }}))
	if passes > 40_000 || !(m.Loss() < math.Ln2) {
		t.Errorf("%v after %d passes", m, passes)
	}
}

// Progress stops a fit of few rows in each of its passes, and features that are not usable are refused as otherwise.
func TestSpanRefused(t *testing.T) {
	x, classes := rings(40)
	phi, stop := fourier(2, 100), errors.New("stop")
	for _, lambda := range []float64{0, 1} {
		calls := 0
		must(Fit(phi, x, classes, &Options{Memory: 1, Lambda: lambda, Progress: func(int, float64) error { calls++; return nil }}))
		for end := 1; end <= calls; end++ {
			count := 0
			m, err := Fit(phi, x, classes, &Options{Memory: 1, Lambda: lambda, Progress: func(int, float64) error {
				if count++; count == end {
					return stop
				}
				return nil
			}})
			if m != nil || !errors.Is(err, stop) || count != end {
				t.Errorf("λ = %v: stopped in call %d of %d: %v, %v after %d calls", lambda, end, calls, m, err, count)
			}
		}
	}
	for want, by := range map[string]float64{"feature 0 = 1e+300": 1e300, "NaN": math.NaN()} {
		if m, err := Fit(shifted{phi, by}, x, classes, nil); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("features of %v: %v", by, err)
		}
	}
	same := mat.NewDense(40, 2, nil)
	m := must(Fit(phi, same, classes, nil))
	counts := make([]float64, 3)
	for _, c := range classes {
		counts[c]++
	}
	for k, p := range m.ProbabilityVec(nil, []float64{1, 1}) {
		if !(math.Abs(p-counts[k]/40) <= 1e-4) {
			t.Errorf("rows at one point: class %d has probability %v, of %v rows", k, p, counts[k])
		}
	}
}
