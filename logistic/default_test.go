// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// A labeled is points and their classes, in random order.
type labeled struct {
	x       *mat.Dense
	classes []int
}

// shuffled returns rows in random order.
func shuffled(x *mat.Dense, classes []int) labeled {
	s := featuremap.NewSampler(5)
	n, d := x.Dims()
	z, c := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		j := s.IntN(i + 1)
		z.SetRow(i, z.RawRowView(j))
		z.SetRow(j, x.RawRowView(i))
		c[i], c[j] = c[j], classes[i]
	}
	return labeled{z, c}
}

// embedded returns the rows of a data set.
func embedded(x *mat.Dense, classes []int, err error) labeled {
	if err != nil {
		panic(err)
	}
	return shuffled(x, classes)
}

// mail returns Spambase, with the logarithms of its columns in units of their standard deviations.
func mail() labeled {
	x, classes, _, err := dataset.Spambase()
	n, d := x.Dims()
	for j := range d {
		var mean, square float64
		for i := range n {
			x.Set(i, j, math.Log1p(10*x.At(i, j)))
			mean += x.At(i, j) / float64(n)
		}
		for i := range n {
			square += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(n)
		}
		for i := range n {
			x.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(square))
		}
	}
	return embedded(x, classes, err)
}

// plane returns points about those of a side×side grid, each a class.
func plane(side int) labeled {
	const n = 12_000
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	featuremap.NewSampler(5).FillNormal(x.RawMatrix().Data)
	for i := range classes {
		classes[i] = i % (side * side)
		x.Set(i, 0, float64(i%side)+0.25*x.At(i, 0))
		x.Set(i, 1, float64(i/side%side)+0.25*x.At(i, 1))
	}
	return labeled{x, classes}
}

// cloud returns points of two classes, of which seven in ten are by chance.
func cloud() labeled {
	const n = 12_000
	s := featuremap.NewSampler(6)
	x, classes := mat.NewDense(n, 3, nil), make([]int, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		if classes[i] = s.IntN(2); s.IntN(10) < 3 {
			classes[i] = 0
			if x.At(i, 0)*x.At(i, 1)+x.At(i, 2) > 0 {
				classes[i] = 1
			}
		}
	}
	return labeled{x, classes}
}

// school returns Nursery, without the class that two rows have.
func school() labeled {
	x, classes, err := dataset.Nursery()
	_, d := x.Dims()
	count := make(map[int]int)
	for _, c := range classes {
		count[c]++
	}
	var data []float64
	var kept []int
	for i, c := range classes {
		if count[c] < 10 {
			continue
		}
		rare := 0
		for other := range c {
			if count[other] < 10 {
				rare++
			}
		}
		data, kept = append(data, x.RawRowView(i)...), append(kept, c-rare)
	}
	return embedded(mat.NewDense(len(kept), d, data), kept, err)
}

// balls returns normal points of six columns, of which four classes are shells around the origin, as many of each: labels have no noise.
func balls() labeled {
	const n = 12_000
	x, classes := mat.NewDense(n, 6, nil), make([]int, n)
	featuremap.NewSampler(7).FillNormal(x.RawMatrix().Data)
	for i := range classes {
		square := 0.0
		for _, v := range x.RawRowView(i) {
			square += v * v
		}
		for _, limit := range []float64{3.45, 5.35, 7.84} { // quarters of χ² with six degrees of freedom
			if square > limit {
				classes[i]++
			}
		}
	}
	return labeled{x, classes}
}

// A trial is rows and a map to choose λ for.
type trial struct {
	name      string
	set       labeled
	rows, out int
	length    float64
	landmarks bool
}

// among returns the trial with landmarks among the rows and half the length scale.
func (c trial) among() trial {
	c.name, c.length, c.landmarks = c.name+", landmarks", c.length/2, true
	return c
}

// mapOf returns the map of a trial for its rows.
func (c trial) mapOf(x mat.Matrix) featuremap.FeatureMap {
	k := featuremap.Gaussian{LengthScale: c.length}
	if c.landmarks {
		return must(featuremap.NewNystrom(k, x, c.out, featuremap.NewSampler(1), &featuremap.NystromOptions{Landmarks: featuremap.RandomRows}))
	}
	_, in := x.Dims()
	return must(featuremap.NewFourier(k, in, c.out, featuremap.NewSampler(1), nil))
}

// The default λ against those of a path around it, by the log loss of other rows: of digits, whose labels have hardly any noise, of
// classes in the plane, whose labels ridge regression fits about as badly with any λ, of labels that are noise for the most part, and of
// labels without any; with random features and, of half the length scale, with landmarks among the rows. In long it goes on with more sets
// and numbers of rows.
func TestDefaultLambda(t *testing.T) {
	trials := []trial{
		{"digits", embedded(dataset.Digits()), 400, 128, 30, false},
		{"plane", plane(5), 500, 60, 1, false},
		{"cloud", cloud(), 600, 128, 1, false},
		{"shells", balls(), 600, 128, 5, false},
	}
	digits := trial{"digits", trials[0].set, 600, 128, 25, false}
	if testkit.Long() {
		letter, pen, spam, hundred, nursery := embedded(dataset.Letter()), embedded(dataset.Pendigits()), mail(), plane(10), school()
		trials = append(trials, []trial{
			{"digits", trials[0].set, 1200, 256, 25, false},
			{"letter", letter, 500, 512, 5, false},
			{"letter", letter, 2000, 512, 5, false},
			{"letter", letter, 8000, 512, 5, false},
			{"letter", letter, 16000, 1024, 5, false},
			{"pendigits", pen, 500, 512, 80, false},
			{"pendigits", pen, 2000, 512, 80, false},
			{"pendigits", pen, 8000, 512, 80, false},
			{"spambase", spam, 500, 512, 5, false},
			{"spambase", spam, 2000, 256, 5, false},
			{"spambase", spam, 3500, 512, 3, false},
			{"hundred classes", hundred, 500, 120, 1, false},
			{"hundred classes", hundred, 2000, 120, 1, false},
			{"hundred classes", hundred, 9000, 120, 1, false},
			{"cloud", trials[2].set, 2000, 512, 1, false},
			{"cloud", trials[2].set, 9000, 512, 1, false},
			{"shells", trials[3].set, 2000, 512, 2.3, false},
			{"shells", trials[3].set, 2000, 512, 6, false},
			{"shells", trials[3].set, 9000, 512, 6, false},
			{"nursery", nursery, 500, 512, 4, false},
			{"nursery", nursery, 2000, 512, 4, false},
			{"nursery", nursery, 9000, 512, 4, false},
		}...)
		for _, c := range trials {
			if c.rows <= 3600 {
				trials = append(trials, c.among())
			}
		}
	} else {
		trials = append(trials, digits.among())
	}
	var ratios []float64
	factors, most := []float64{1. / 16, 1. / 4, 4, 16}, 1500
	if testkit.Long() {
		factors, most = []float64{1. / 64, 1. / 16, 1. / 4, 4, 16, 64}, 3000
	}
	for _, c := range trials {
		n, in := c.set.x.Dims()
		held := min(n-c.rows, most)
		x, other, others := c.set.x.Slice(0, c.rows, 0, in), c.set.x.Slice(n-held, n, 0, in), c.set.classes[n-held:]
		phi := c.mapOf(x)
		logLoss := func(lambda float64) (float64, float64) {
			m := must(Fit(phi, x, c.set.classes[:c.rows], &Options{Lambda: lambda}))
			var p mat.Dense
			m.ProbabilityTo(&p, other)
			return m.Lambda(), score.LogLoss(&p, others)
		}
		lambda, loss := logLoss(0)
		best, at := loss, lambda
		for _, factor := range factors {
			if _, v := logLoss(lambda * factor); v < best {
				best, at = v, lambda*factor
			}
		}
		ratios = append(ratios, loss/best)
		t.Logf("%s, %d rows, %d features: λ = %.3g, log loss %.4f, %.3f times that of λ = %.3g", c.name, c.rows, c.out, lambda, loss, loss/best, at)
		if !(loss <= 1.15*best) {
			t.Errorf("%s, %d rows: λ = %v: log loss %v, with %v %v", c.name, c.rows, lambda, loss, at, best)
		}
	}
	slices.Sort(ratios)
	if median := ratios[len(ratios)/2]; !(median <= 1.03) {
		t.Errorf("in the median the log loss is %v times the best", median)
	}
}
