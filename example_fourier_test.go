// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

func ExampleNewFourier() {
	// A map from three coordinates to 1000 features, for a Gaussian kernel.
	k := featuremap.Gaussian{LengthScale: 2}
	phi, err := featuremap.NewFourier(k, 3, 1000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{1, 0, 2}, []float64{0, 1, 1}
	fx, fy := phi.TransformVec(nil, x), phi.TransformVec(nil, y)

	estimate := mat.Dot(mat.NewVecDense(1000, fx), mat.NewVecDense(1000, fy))
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	// Output:
	// kernel   0.687
	// estimate 0.682 ± 0.017
}

func ExampleNewFourierFrom() {
	// Frequencies at quantiles of the spectral measure, evenly spread instead of random. The Gaussian kernel in one
	// dimension has a normal measure, and positive frequencies are enough.
	const n = 50
	w := mat.NewDense(n, 1, nil)
	for i := range n {
		p := (float64(i) + 0.5) / n
		w.Set(i, 0, math.Sqrt2*math.Erfinv(p))
	}
	k := featuremap.Gaussian{LengthScale: 1}
	phi, err := featuremap.NewFourierFrom(k, w, nil)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{1}, []float64{0.2}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.4f\nestimate %.4f\n", k.Eval(x, y), estimate)
	fmt.Println("variance", phi.Variance(x, y))
	// Output:
	// kernel   0.7261
	// estimate 0.7272
	// variance NaN
}

func ExampleNewFourier_orthogonal() {
	// Orthogonal frequencies have the same cost and mean, and a lower variance.
	k := featuremap.Gaussian{LengthScale: 4}
	x, y := make([]float64, 16), make([]float64, 16)
	for i := range x {
		x[i] = 1
	}
	for _, design := range []featuremap.Design{featuremap.Independent, featuremap.Orthogonal} {
		phi, err := featuremap.NewFourier(k, 16, 512, featuremap.NewSampler(1), &featuremap.FourierOptions{Design: design})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: standard deviation %.4f\n", design, math.Sqrt(phi.Variance(x, y)))
	}
	// Output:
	// Independent: standard deviation 0.0279
	// Orthogonal: standard deviation 0.0111
}

func ExampleNewFourier_structured() {
	// Structured frequencies are nearly as good as orthogonal ones, and much faster for many coordinates. Here are a
	// million coordinates: a matrix of as many frequencies would take 16 GB.
	const d = 1 << 20
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 500}, d, 4096, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Structured})
	if err != nil {
		log.Fatal(err)
	}
	x, y := make([]float64, d), make([]float64, d)
	for i := range x {
		x[i] = 0.5
	}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", phi.Kernel().Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	// Output:
	// kernel   0.592
	// estimate 0.606 ± 0.010
}

func ExampleNewFourier_error() {
	_, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: -2}, 3, 100, featuremap.NewSampler(1), nil)
	fmt.Println(err)
	_, err = featuremap.NewFourier(featuremap.Laplacian{LengthScale: 1}, 3, 100, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Orthogonal})
	fmt.Println(err)
	// Output:
	// featuremap: Gaussian LengthScale = -2: must be positive and finite
	// featuremap: kernel is not radial: Laplacian{LengthScale: 1} (Design = Orthogonal)
}

func ExampleFourier_TransformTo() {
	// Three points of the plane, one in each row. The destination is sized.
	x := mat.NewDense(3, 2, []float64{
		0, 0,
		1, 0,
		0, 1,
	})
	phi, err := featuremap.NewFourier(featuremap.RBF(0.5), 2, 4000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var z, estimate mat.Dense
	phi.TransformTo(&z, x)
	estimate.Mul(&z, z.T())
	fmt.Println(z.Dims())
	fmt.Printf("%.2f\n", mat.Formatted(&estimate))
	// Output:
	// 3 4000
	// ⎡1.00  0.59  0.61⎤
	// ⎢0.59  1.00  0.36⎥
	// ⎣0.61  0.36  1.00⎦
}

// A single point. A nil destination is allocated; a server can use one destination for all points.
func ExampleFourier_TransformVec() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 4, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	z := phi.TransformVec(nil, []float64{0, 0})
	fmt.Printf("%.4f\n", z) // two cosines, then their sines
	phi.TransformVec(z, []float64{1, -1})
	fmt.Printf("%.4f\n", z)
	// Output:
	// [0.7071 0.7071 0.0000 0.0000]
	// [0.6123 -0.6813 0.3537 -0.1892]
}

// Standard deviations of the forms and designs, for the same number of features.
func ExampleFourierOptions() {
	x, y := make([]float64, 64), make([]float64, 64)
	for i := range x {
		y[i] = 0.125 // at distance 1
	}
	for _, opts := range []featuremap.FourierOptions{
		{RandomPhase: true},
		{},
		{Design: featuremap.Orthogonal},
		{Design: featuremap.Structured},
	} {
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 64, 1024, featuremap.NewSampler(1), &opts)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-11v random phase %-5v %.4f\n", opts.Design, opts.RandomPhase, math.Sqrt(phi.Variance(x, y)))
	}
	// Output:
	// Independent random phase true  0.0261
	// Independent random phase false 0.0198
	// Orthogonal  random phase false 0.0062
	// Structured  random phase false 0.0062
}

// Estimates may be negative where the kernel is not, so never divide by a sum of them. Such sums are the degrees of a
// graph whose weights are a kernel. Each is at least 1 by the kernel matrix, but by features some are negative.
func ExampleFourier_negative() {
	const n = 200
	x := mat.NewDense(n, 10, nil)
	featuremap.NewSampler(1).FillNormal(x.RawMatrix().Data)
	k := featuremap.Gaussian{LengthScale: 0.5}
	phi, err := featuremap.NewFourier(k, 10, 500, featuremap.NewSampler(2), nil)
	if err != nil {
		log.Fatal(err)
	}
	var exact, z, estimate mat.Dense
	featuremap.CrossGram(&exact, k, x, x)
	phi.TransformTo(&z, x)
	estimate.Mul(&z, z.T())
	least, leastEstimate := math.Inf(1), math.Inf(1)
	for i := range n {
		least = math.Min(least, floats.Sum(exact.RawRowView(i)))
		leastEstimate = math.Min(leastEstimate, floats.Sum(estimate.RawRowView(i)))
	}
	fmt.Printf("least degree %.2f, by features %.2f\n", least, leastEstimate)
	// Output:
	// least degree 1.00, by features -0.69
}

// sinc is the kernel ∏ sin(Δᵢ)/Δᵢ of band-limited functions. The coordinates of its frequencies are uniform on [−1, 1].
type sinc struct{}

func (sinc) Eval(x, y []float64) float64 {
	k := 1.0
	for i := range x {
		if d := x[i] - y[i]; d != 0 {
			k *= math.Sin(d) / d
		}
	}
	return k
}

func (sinc) Mass() float64 { return 1 } // k(x, x)

func (sinc) Frequency(dst []float64, s *featuremap.Sampler) {
	for i := range dst {
		dst[i] = 2*s.Float64() - 1
	}
}

func ExampleStationary() {
	phi, err := featuremap.NewFourier(sinc{}, 2, 20_000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{1, 2}, []float64{0, 4}
	fx, fy := phi.TransformVec(nil, x), phi.TransformVec(nil, y)
	fmt.Printf("kernel   %.3f\n", sinc{}.Eval(x, y))
	fmt.Printf("estimate %.3f\n", mat.Dot(mat.NewVecDense(len(fx), fx), mat.NewVecDense(len(fy), fy)))
	// Output:
	// kernel   0.383
	// estimate 0.375
}

// twoScales is ½exp(−‖Δ‖²/2) + ½exp(−‖Δ‖²/200), times a variance: Gaussian kernels of the length scales 1 and 10.
type twoScales struct{ variance float64 }

func (k twoScales) Eval(x, y []float64) float64 {
	return k.variance / 2 *
		(featuremap.Gaussian{LengthScale: 1}.Eval(x, y) + featuremap.Gaussian{LengthScale: 10}.Eval(x, y))
}

func (k twoScales) Mass() float64 { return k.variance }

// Mixture draws 1/ℓ² for one of the two length scales.
func (k twoScales) Mixture(s *featuremap.Sampler) float64 {
	if s.Rademacher() < 0 {
		return 1
	}
	return 1. / 100
}

// Frequency draws √τ·z, as for every radial kernel.
func (k twoScales) Frequency(dst []float64, s *featuremap.Sampler) {
	scale := math.Sqrt(k.Mixture(s))
	s.FillNormal(dst)
	for i := range dst {
		dst[i] *= scale
	}
}

func ExampleRadial() {
	k := twoScales{variance: 3}
	phi, err := featuremap.NewFourier(k, 2, 20_000, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{0, 0}, []float64{2, 2}
	fx, fy := phi.TransformVec(nil, x), phi.TransformVec(nil, y)
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f\n", mat.Dot(mat.NewVecDense(len(fx), fx), mat.NewVecDense(len(fy), fy)))
	// Output:
	// kernel   1.469
	// estimate 1.467
}

func ExampleFourier_Variance() {
	// How many orthogonal features give a root mean square error of 0.01 at these points?
	k := featuremap.Gaussian{LengthScale: 2}
	x, y := []float64{1, 0, 2}, []float64{0, 1, 1}
	const small = 2 * 3 // one whole block
	phi, err := featuremap.NewFourier(k, 3, small, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f\n", math.Ceil(small*phi.Variance(x, y)/(0.01*0.01)))
	// Output:
	// 1466
}

func ExampleFourierOptions_axes() {
	// Stratified lengths, and frequencies that are spread along the axes (1, 1)/√2 and (1, −1)/√2, have a lower
	// variance.
	k := featuremap.Gaussian{LengthScale: 2}
	half := math.Sqrt(0.5)
	axes := mat.NewDense(2, 2, []float64{half, half, half, -half})
	for _, o := range []featuremap.FourierOptions{
		{Design: featuremap.Orthogonal},
		{Design: featuremap.Orthogonal, Stratified: true},
		{Design: featuremap.Sobol, Axes: axes},
	} {
		phi, err := featuremap.NewFourier(k, 2, 1024, featuremap.NewSampler(1), &o)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v, stratified %v: %.0e\n", o.Design, o.Stratified, phi.Variance([]float64{1, 1}, []float64{0, 0}))
	}
	// Output:
	// Orthogonal, stratified false: 1e-04
	// Orthogonal, stratified true: 3e-05
	// Sobol, stratified false: 7e-08
}
