// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// One class of pendigits against the others, thinned to 3 rows in 1000 of those to train on: the area under the curve of
// Balanced and the defaults, on the test rows.
func TestRareClasses(t *testing.T) {
	x, classes, err := dataset.Pendigits()
	if err != nil {
		t.Fatal(err)
	}
	features, some := 256, []int{6}
	if testkit.Long() {
		features, some = 1024, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 100}, 16, features, featuremap.NewSampler(1), &featuremap.FourierOptions{Design: featuremap.Orthogonal}))
	var mean float64
	for _, class := range some {
		area := rareArea(phi, x, classes, class)
		t.Logf("class %d: %.4f", class, area)
		if !(area >= 0.98) {
			t.Errorf("class %d: area under the curve %v", class, area)
		}
		mean += area / float64(len(some))
	}
	t.Logf("mean %.4f", mean)
	if !(mean >= 0.995) {
		t.Errorf("mean area under the curve %v", mean)
	}
}

// rareArea returns the area under the curve for one class, of which 22 rows are left to train on: 3 in 1000 of 7494.
func rareArea(phi featuremap.FeatureMap, x *mat.Dense, classes []int, class int) float64 {
	const train, left = 7494, 22
	members := 0
	for _, c := range classes[:train] {
		if c == class {
			members++
		}
	}
	var rows []float64
	var rare []int
	seen := 0
	for i, c := range classes[:train] {
		k := 0
		if c == class {
			k = 1
			seen++
			if seen*left/members == (seen-1)*left/members { // evenly spread
				continue
			}
		}
		rows, rare = append(rows, x.RawRowView(i)...), append(rare, k)
	}
	m := must(Fit(phi, mat.NewDense(len(rare), 16, rows), rare, &Options{Balanced: true}))
	var p mat.Dense
	m.ProbabilityTo(&p, x.Slice(train, len(classes), 0, 16))
	scores, positive := mat.Col(nil, 1, &p), make([]bool, len(classes)-train)
	for i := range positive {
		positive[i] = classes[train+i] == class
	}
	stat.SortWeightedLabeled(scores, positive, nil)
	found, alarms, _ := stat.ROC(nil, scores, positive, nil)
	return integrate.Trapezoidal(alarms, found)
}

// A rare class in small clusters, rows of unequal weights, and landmarks that are other rows do not keep the default λ from a log loss on
// new rows near that of the best λ: it was as bad as that of the class frequencies where judges had the class a little more often than the
// fitted rows.
func TestLambdaOfRareClass(t *testing.T) {
	const d, n, fresh = 3, 1000, 4000
	rows := func(n int, s *featuremap.Sampler) (*mat.Dense, []int) {
		x, classes := mat.NewDense(n, d, nil), make([]int, n)
		s.FillNormal(x.RawMatrix().Data)
		for i := 0; i < n; i += 25 {
			classes[i] = 1
			for j, v := range x.RawRowView(i) {
				center := -1.0
				if (i/25+j)%3 == 0 {
					center = 1.5
				}
				x.Set(i, j, center+float64(v/2))
			}
		}
		return x, classes
	}
	s := featuremap.NewSampler(4)
	x, classes := rows(n, s)
	newX, newClasses := rows(fresh, s)
	uneven := make([]float64, n)
	for i := range uneven {
		uneven[i] = math.Exp(2 * s.Normal())
	}
	k := featuremap.Gaussian{LengthScale: 1.7}
	random := must(featuremap.NewFourier(k, d, 150, featuremap.NewSampler(1), nil))
	landmarks := func(from mat.Matrix, count int) featuremap.FeatureMap {
		return must(featuremap.NewNystrom(k, from, count, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))
	}
	var most []int // of the class, and some others
	for i := range 36 {
		most = append(most, 25*i)
	}
	for i := 1; i < 49; i++ {
		most = append(most, 20*i+1)
	}
	lambdas := []float64{0.1, 1} // one of which is the best of the path
	if testkit.Long() {
		lambdas = []float64{0.01, 0.1, 1, 10, 100}
	}
	for _, c := range []struct {
		name    string
		phi     featuremap.FeatureMap
		weights []float64
	}{
		{"uneven weights", random, uneven},
		{"landmarks", landmarks(x, 100), nil},
		{"landmarks of the other class", landmarks(score.Rows(x, most[36:]), 48), nil},
		{"landmarks that are most of the class", landmarks(score.Rows(x, most), 84), nil},
		{"landmarks, uneven weights", landmarks(x, 100), uneven},
	} {
		loss := func(lambda float64) float64 {
			m := must(Fit(c.phi, x, classes, &Options{Lambda: lambda, Weights: c.weights}))
			var p mat.Dense
			m.ProbabilityTo(&p, newX)
			return score.LogLoss(&p, newClasses)
		}
		best := math.Inf(1)
		for _, lambda := range lambdas {
			best = min(best, loss(lambda))
		}
		if got := loss(0); !(got <= 1.1*best) {
			t.Errorf("%s: log loss %.4f, by the best λ %.4f", c.name, got, best)
		}
	}
}

// Few rows of classes that a line nearly separates are all predicted well when they are held out, which must not take λ to 0: if rows count
// as of their own class alone, the log loss over the draws is 1.29, 1.67, 1.11 and 1.29 times the best λ's.
func TestLambdaOfFewSeparable(t *testing.T) {
	draws, fresh := 10, 500
	if testkit.Long() {
		draws, fresh = 20, 2000
	}
	for _, c := range []struct {
		n     int
		noise float64
	}{{20, 0}, {20, 0.25}, {30, 0}, {30, 0.25}} {
		s := featuremap.NewSampler(uint64(c.n))
		draw := func(n int) (*mat.Dense, []int) {
			x, classes := mat.NewDense(n, 2, nil), make([]int, n)
			s.FillNormal(x.RawMatrix().Data)
			for i := range classes {
				if x.At(i, 0)-x.At(i, 1)+c.noise*s.Normal() > 0 {
					classes[i] = 1
				}
			}
			return x, classes
		}
		lambdas := []float64{0, 1. / 1024, 1. / 256, 1. / 64, 1. / 16}
		losses := make([]float64, len(lambdas))
		for range draws {
			x, classes := draw(c.n)
			newX, truth := draw(fresh)
			phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1.5}, 2, 60, s, nil))
			for k, lambda := range lambdas {
				var p mat.Dense
				must(Fit(phi, x, classes, &Options{Lambda: lambda})).ProbabilityTo(&p, newX)
				losses[k] += score.LogLoss(&p, truth) / float64(draws)
			}
		}
		t.Logf("%d rows, noise %v: %.4f", c.n, c.noise, losses)
		if best := slices.Min(losses[1:]); !(losses[0] <= 1.2*best) {
			t.Errorf("%d rows, noise %v: a mean log loss of %.4f, by the best λ %.4f", c.n, c.noise, losses[0], best)
		}
	}
}
