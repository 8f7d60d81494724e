// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// notJudging returns which rows are not to judge λ, of batches of 70 rows.
func notJudging(t *testing.T, phi featuremap.FeatureMap, x mat.Matrix, classes []int, weights []float64) []bool {
	t.Helper()
	tr, err := newTraining(phi, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr.read = func(yield func(ridge.Batch, error) bool) {
		n, _ := x.Dims()
		for lo := 0; lo < n; lo += 70 {
			hi := min(lo+70, n)
			b := ridge.Batch{X: score.Rows(x, numbers(lo, hi)), Y: &classColumn{classes[lo:hi]}}
			if weights != nil {
				b.Weights = weights[lo:hi]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
	if err := tr.survey(slices.Max(classes) + 1); err != nil {
		t.Fatal(err)
	}
	return tr.notJudging
}

// numbers returns the numbers from lo to hi−1.
func numbers(lo, hi int) (v []int) {
	for i := lo; i < hi; i++ {
		v = append(v, i)
	}
	return v
}

// Landmarks that were chosen among the rows do not judge λ if there are more other rows, or 300: as lists or not, in batches or
// not. With two rows at a landmark, both judge. All rows judge for other maps, for centers of clusters, and for landmarks that are
// not among the rows.
func TestLandmarksAmongRows(t *testing.T) {
	s := featuremap.NewSampler(2)
	lists, classes := testkit.Texts(t, 700, s)
	points := mat.DenseCopyOf(lists)
	other, _ := testkit.Texts(t, 700, s)
	ones := make([]float64, 700)
	for i := range ones {
		ones[i] = 1
	}
	var twice mat.Dense
	twice.Stack(firstRows(points, 350), firstRows(points, 350))
	first := slices.Clone(ones)
	clear(first[350:])
	some := slices.Clone(ones)
	for i := 200; i < 700; i++ {
		some[i] = 0
	}
	var k featuremap.Kernel = featuremap.Gaussian{LengthScale: 4}
	for _, c := range []struct {
		name      string
		landmarks int
		of        mat.Matrix
		centers   bool
		scales    []float64 // of logarithms
		x         mat.Matrix
		weights   []float64
		want      int
	}{
		{name: "lists", landmarks: 100, of: lists, x: lists, want: 100},
		{name: "dense", landmarks: 100, of: points, x: points, want: 100},
		{name: "dense beside lists", landmarks: 100, of: points, x: lists, want: 100},
		{name: "weights", landmarks: 100, of: lists, x: lists, weights: ones, want: 100},
		{name: "150 others", landmarks: 550, of: lists, x: lists, want: 550},
		{name: "149 others", landmarks: 551, of: lists, x: lists, want: 0},
		{name: "few others with a weight", landmarks: 200, of: firstRows(points, 200), x: points, weights: some, want: 0},
		{name: "logarithms", landmarks: 100, of: points, x: points, scales: slices.Repeat([]float64{2}, 510), want: 100},
		{name: "two of each", landmarks: 100, of: firstRows(points, 350), x: &twice, want: 0},
		{name: "two of each, one with a weight", landmarks: 100, of: firstRows(points, 350), x: &twice, weights: first, want: 100},
		{name: "all", landmarks: 700, of: lists, x: lists, want: 0},
		{name: "centers", landmarks: 100, of: points, centers: true, x: points, want: 0},
		{name: "other rows", landmarks: 100, of: other, x: lists, want: 0},
	} {
		how := featuremap.RandomRows
		if c.centers {
			how = featuremap.KMeans
		}
		k := k
		if c.scales != nil {
			k = featuremap.SymLog(c.scales, k)
		}
		phi, err := featuremap.NewNystrom(k, c.of, c.landmarks, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: how})
		if err != nil {
			t.Fatal(err)
		}
		are, l := notJudging(t, phi, c.x, classes, c.weights), phi.Landmarks()
		count := 0
		for i, is := range are {
			if is {
				count++
				row := mat.Row(nil, i, c.x)
				if !slices.ContainsFunc(numbers(0, c.landmarks), func(j int) bool { return slices.Equal(l.RawRowView(j), row) }) {
					t.Errorf("%s: row %d is no landmark", c.name, i)
				}
			}
		}
		if count != c.want {
			t.Errorf("%s: %d landmarks do not judge, want %d", c.name, count, c.want)
		}
	}
	phi, err := featuremap.NewFourier(k, 510, 100, s, nil)
	if err != nil || notJudging(t, phi, points, classes, nil) != nil {
		t.Errorf("random features have landmarks: %v", err)
	}
}

// firstRows returns the first rows of a matrix.
func firstRows(x *mat.Dense, n int) *mat.Dense {
	_, c := x.Dims()
	return x.Slice(0, n, 0, c).(*mat.Dense)
}

// Labels that ridge regression takes for noise, with its largest λ, have a tiny λ of their own: the choice takes no more passes than ten fits at the
// λ that it takes. With the factor of ridge regression it takes 36,000.
func TestPassesFarFromRidge(t *testing.T) {
	s := featuremap.NewSampler(5)
	x, classes := testkit.Texts(t, 600, s)
	for i, c := range classes {
		classes[i] = min(c, 1)
	}
	phi, err := featuremap.NewNystrom(featuremap.Polynomial{Degree: 4, Gamma: 0.03}, x, 300, s, &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
	if err != nil {
		t.Fatal(err)
	}
	passes := 0
	fit := func(lambda float64) (*Model, int) {
		passes = 0
		m, err := Fit(phi, x, classes, &Options{Lambda: lambda, Progress: func(int, float64) error {
			passes++
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return m, passes
	}
	m, all := fit(0)
	_, once := fit(m.Lambda())
	t.Logf("λ = %v: %d passes, %d if it is given", m.Lambda(), all, once)
	if all > 10*once {
		t.Errorf("λ = %v: %d passes, %d if it is given", m.Lambda(), all, once)
	}
}

// Kernels that are small between most rows need a far smaller λ than held-out landmarks demand, also where most rows are landmarks. The
// default has at most 1.06 times the least log loss of a path on new rows; with landmarks as judges it has 1.29 times.
func TestLandmarksDoNotJudge(t *testing.T) {
	testkit.OnlyLong(t)
	s := featuremap.NewSampler(5)
	const n, landmarks, other = 700, 400, 1000
	x, classes := testkit.Texts(t, n, s)
	fresh, truth := testkit.Texts(t, other, s)
	phi, err := featuremap.NewNystrom(featuremap.Polynomial{Degree: 4, Gamma: 0.03}, x, landmarks, s, &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
	if err != nil {
		t.Fatal(err)
	}
	lambdas := []float64{0, 1e-4, 1e-5, 1e-6}
	var losses []float64
	for _, lambda := range lambdas {
		m, err := Fit(phi, x, classes, &Options{Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		m.ProbabilityTo(&p, fresh)
		losses = append(losses, score.LogLoss(&p, truth))
	}
	if least := slices.Min(losses[1:]); !(losses[0] <= 1.06*least) {
		t.Errorf("log loss %v, at the best λ %v", losses[0], least)
	}
}
