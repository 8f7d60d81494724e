// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/unsupervised"
)

// rings returns rows in two rings around the origin, of radii 1 and 3, in turns.
func rings(n int, s *featuremap.Sampler) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		radius := 1 + 2*float64(i%2) + s.Normal()/10
		sin, cos := math.Sincos(2 * math.Pi * s.Float64())
		x.SetRow(i, []float64{radius * cos, radius * sin})
	}
	return x
}

// Two rings have the same mean, and no straight line separates them: k-means on features does.
func ExampleFitKMeans() {
	s := featuremap.NewSampler(1)
	x := rings(1000, s)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 200, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	clusters, err := unsupervised.FitKMeans(phi, x, 2, &unsupervised.KMeansOptions{Restarts: 20})
	if err != nil {
		log.Fatal(err)
	}
	assigned, together := clusters.Assign(x), 0
	for i, c := range assigned {
		if (c == assigned[0]) == (i%2 == 0) {
			together++
		}
	}
	centers, features := clusters.Centers().Dims()
	fmt.Printf("%d centers of %d features, %d of %d rows with their ring\n", centers, features, max(together, 1000-together), len(assigned))
	fmt.Println("inertia below that of one cluster:", clusters.Inertia() < 900)
	// Output:
	// 2 centers of 200 features, 1000 of 1000 rows with their ring
	// inertia below that of one cluster: true
}

// No direction of the plane separates an inner ring from an outer one. The third principal component of the features
// does; the first two resemble the plane itself.
func ExampleFitPCA() {
	s := featuremap.NewSampler(1)
	x := rings(1000, s)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 2, 200, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := unsupervised.FitPCA(phi, x, 3)
	if err != nil {
		log.Fatal(err)
	}
	variances, total := c.Variances()
	for i, v := range variances {
		fmt.Printf("component %d has %.0f %% of the variance\n", i+1, 100*v/total)
	}
	_, k := c.Dims()
	var coordinates mat.Dense
	c.TransformTo(&coordinates, x)
	sides := 0
	for i := range 1000 {
		if (coordinates.At(i, k-1) > 0) == (i%2 == 0) {
			sides++
		}
	}
	fmt.Printf("%d of 1000 rows are on the side of their ring\n", max(sides, 1000-sides))
	fmt.Println("the first alone:", c.TransformVec(nil, x.RawRowView(0))[k-1] == coordinates.At(0, k-1))
	fmt.Println("weights of a component:", c.Vectors().RawMatrix().Cols)
	// Output:
	// component 1 has 38 % of the variance
	// component 2 has 30 % of the variance
	// component 3 has 15 % of the variance
	// 985 of 1000 rows are on the side of their ring
	// the first alone: true
	// weights of a component: 200
}

// Normal numbers are compared with numbers of the same mean and variance that take only two values.
func ExampleTwoSample() {
	s := featuremap.NewSampler(1)
	x, y, z := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillRademacher(y.RawMatrix().Data)
	s.FillNormal(z.RawMatrix().Data)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 100, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, other := range []*mat.Dense{y, z} {
		t, err := unsupervised.TwoSample(phi, x, other, &unsupervised.TwoSampleOptions{Permutations: 999})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("distance %.4f, P = %.3f\n", t.SquaredMMD, t.P)
	}
	// Output:
	// distance 0.0873, P = 0.001
	// distance -0.0024, P = 0.671
}

// Windows of 200 rows of a stream are compared with 2,000 earlier rows. From the sixth window on the mean has moved by
// half a standard deviation.
func ExampleMeanEmbedding() {
	s := featuremap.NewSampler(1)
	draw := func(n int, mean float64) *mat.Dense {
		x := mat.NewDense(n, 2, nil)
		s.FillNormal(x.RawMatrix().Data)
		x.Apply(func(_, _ int, v float64) float64 { return v + mean }, x)
		return x
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 200, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	before, first := draw(2000, 0), draw(200, 0)
	test, err := unsupervised.TwoSample(phi, before, first, nil)
	if err != nil {
		log.Fatal(err)
	}
	embed := func(x *mat.Dense) *unsupervised.MeanEmbedding {
		e, err := unsupervised.NewMeanEmbedding(phi)
		if err != nil {
			log.Fatal(err)
		}
		if err := e.Add(x); err != nil {
			log.Fatal(err)
		}
		return e
	}
	reference := embed(before)
	for window := 1; window <= 8; window++ {
		mean := 0.0
		if window > 5 {
			mean = 0.5
		}
		e := embed(draw(200, mean))
		fmt.Printf("window %d: drift %v\n", window, e.SquaredMMD(reference) > test.Threshold(0.001))
	}
	// Output:
	// window 1: drift false
	// window 2: drift false
	// window 3: drift false
	// window 4: drift false
	// window 5: drift false
	// window 6: drift true
	// window 7: drift true
	// window 8: drift true
}

// A window slides over a stream by Merge and Subtract.
func ExampleMeanEmbedding_Subtract() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 10, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	window, err := unsupervised.NewMeanEmbedding(phi)
	if err != nil {
		log.Fatal(err)
	}
	var days []*unsupervised.MeanEmbedding
	for day := range 5 {
		e, err := unsupervised.NewMeanEmbedding(phi)
		if err != nil {
			log.Fatal(err)
		}
		if err := e.Add(mat.NewDense(2, 1, []float64{float64(day), float64(day + 1)})); err != nil {
			log.Fatal(err)
		}
		days = append(days, e)
		if err := window.Merge(e); err != nil {
			log.Fatal(err)
		}
		if day >= 3 {
			if err := window.Subtract(days[day-3]); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Print(window.Rows(), " ")
	}
	fmt.Printf("%.3f\n", window.Mean()[0])
	// Output:
	// 2 4 6 6 6 -0.246
}

// Two rings around one center, and what each part of the package says about them.
func Example() {
	s := featuremap.NewSampler(1)
	x := rings(400, s)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 200, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	clusters, err := unsupervised.FitKMeans(phi, x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("clusters of the first rows:", clusters.Assign(x.Slice(0, 6, 0, 2)))
	test, err := unsupervised.TwoSample(phi, x.Slice(0, 200, 0, 2), x.Slice(200, 400, 0, 2), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("halves differ:", test.P < 0.01)
	// Output:
	// clusters of the first rows: [1 0 1 0 1 0]
	// halves differ: false
}
