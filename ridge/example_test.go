// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Two spirals, one within the other. A linear model of the coordinates cannot separate them, and the same model on 200
// random features can.
func Example() {
	const n, train = 1500, 1000
	s := featuremap.NewSampler(1)
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		classes[i] = i % 2
		r := 1 + 9*s.Float64()
		sin, cos := math.Sincos(r + math.Pi*float64(classes[i]))
		x.SetRow(i, []float64{r*cos + 0.3*s.Normal(), r*sin + 0.3*s.Normal()})
	}
	y, err := ridge.Labels(classes[:train], 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range []featuremap.Kernel{featuremap.Linear{}, featuremap.Gaussian{LengthScale: 2}} {
		phi, err := featuremap.New(k, x, 200, s)
		if err != nil {
			log.Fatal(err)
		}
		m, err := ridge.Fit(phi, x.Slice(0, train, 0, 2), y, nil)
		if err != nil {
			log.Fatal(err)
		}
		right := 0
		for i := train; i < n; i++ {
			if floats.MaxIdx(m.PredictVec(nil, x.RawRowView(i))) == classes[i] {
				right++
			}
		}
		fmt.Printf("%v: %d of %d right\n", k, right, n-train)
	}
	// Output:
	// Linear{}: 321 of 500 right
	// Gaussian{LengthScale: 2}: 500 of 500 right
}

// noisySine returns n points of [0, 2π) and their sines with normal noise.
func noisySine(n int, noise float64) (x, y *mat.Dense) {
	s := featuremap.NewSampler(1)
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := 2 * math.Pi * s.Float64()
		x.Set(i, 0, v)
		y.Set(i, 0, math.Sin(v)+noise*s.Normal())
	}
	return x, y
}

func ExampleFit() {
	// 500 points of a sine, with noise of standard deviation 0.2.
	x, y := noisySine(500, 0.2)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 50, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []float64{1, 2, 4} {
		fmt.Printf("sin(%v) = %5.2f, predicted %5.2f\n", v, math.Sin(v), m.PredictVec(nil, []float64{v})[0])
	}
	fmt.Printf("standard deviation of the noise %.2f\n", math.Sqrt(m.NoiseVariance()[0]))
	// Output:
	// sin(1) =  0.84, predicted  0.85
	// sin(2) =  0.91, predicted  0.90
	// sin(4) = -0.76, predicted -0.73
	// standard deviation of the noise 0.20
}

func ExampleModel_Interval() {
	// A sine, with noise that grows with x.
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(500, 1, nil), mat.NewDense(500, 1, nil)
	for i := range 500 {
		v := 6 * s.Float64()
		x.Set(i, 0, v)
		y.Set(i, 0, math.Sin(v)+0.1*v*s.Normal())
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 50, s)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []float64{1, 3, 5} {
		lo, hi := m.Interval([]float64{v}, 0.9)
		fmt.Printf("at %v 90 %% are from %5.2f to %5.2f\n", v, lo[0], hi[0])
	}
	fmt.Println("calibrated by", m.IntervalRows(), "rows that were left out")
	// Output:
	// at 1 90 % are from  0.66 to  1.03
	// at 3 90 % are from -0.38 to  0.61
	// at 5 90 % are from -1.96 to -0.20
	// calibrated by 500 rows that were left out
}

func ExampleIntervalOptions() {
	// Ten measurements of each of twenty subjects, who differ: an interval for a new subject.
	s := featuremap.NewSampler(1)
	x, y, subjects := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil), make([]int, 200)
	for subject := range 20 {
		own := s.Normal()
		for k := range 10 {
			i := 10*subject + k
			v := 6 * s.Float64()
			x.Set(i, 0, v)
			y.Set(i, 0, math.Sin(v)+own+0.1*s.Normal())
			subjects[i] = subject
		}
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 20, s)
	if err != nil {
		log.Fatal(err)
	}
	o := &ridge.Options{Intervals: &ridge.IntervalOptions{Groups: subjects}}
	m, err := ridge.Fit(phi, x, y, o)
	if err != nil {
		log.Fatal(err)
	}
	lo, hi := m.Interval([]float64{3}, 0.9)
	fmt.Printf("for a new subject from %.1f to %.1f\n", lo[0], hi[0])
	// Output:
	// for a new subject from -1.6 to 3.0
}

func ExampleLabels() {
	// Three classes, by the distance from the origin: no straight line tells them apart.
	const n = 600
	s := featuremap.NewSampler(1)
	x := mat.NewDense(n, 2, nil)
	classes := make([]int, n)
	for i := range classes {
		a, b := 6*s.Float64()-3, 6*s.Float64()-3
		x.SetRow(i, []float64{a, b})
		classes[i] = min(int(math.Hypot(a, b)), 2)
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 100, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	y, err := ridge.Labels(classes, 3)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range [][]float64{{0.2, -0.3}, {1, 1}, {-2, 2}} {
		scores := m.PredictVec(nil, p) // one for each class
		fmt.Printf("%v is in class %d\n", p, floats.MaxIdx(scores))
	}
	// Output:
	// [0.2 -0.3] is in class 0
	// [1 1] is in class 1
	// [-2 2] is in class 2
}

func ExamplePosterior_VarianceTo() {
	// A Gaussian process: the function between a few points, and beyond them.
	x := mat.NewDense(6, 1, []float64{0, 0.7, 1.1, 2, 2.4, 3})
	y := mat.NewDense(6, 1, []float64{0.1, 0.6, 0.9, 0.9, 0.7, 0.1})
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 100, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Posterior()
	if err != nil {
		log.Fatal(err)
	}
	var mean, variance mat.Dense
	at := mat.NewDense(4, 1, []float64{1, 1.5, 4, 6})
	m.PredictTo(&mean, at)
	p.VarianceTo(&variance, at)
	for i := range 4 {
		fmt.Printf("f(%v) = %.2f ± %.2f\n", at.At(i, 0), mean.At(i, 0), math.Sqrt(variance.At(i, 0)))
	}
	// Output:
	// f(1) = 0.82 ± 0.04
	// f(1.5) = 1.02 ± 0.06
	// f(4) = -0.24 ± 0.38
	// f(6) = 0.23 ± 0.65
}

func ExamplePosterior_Sample() {
	// Thompson sampling finds the largest value of a function from few noisy evaluations: each time, sample a function
	// from the posterior, and evaluate where that one is largest.
	s := featuremap.NewSampler(1)
	look := func(v float64) float64 { return math.Sin(3*v) + 0.3*v + 0.05*s.Normal() } // largest at 2.65
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.5}, 1, 100, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	known, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		log.Fatal(err)
	}
	grid := mat.NewDense(81, 1, nil)
	for i := range 81 {
		grid.Set(i, 0, float64(i)/20)
	}
	point, value := mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil)
	add := func(v float64) error {
		point.Set(0, 0, v)
		value.Set(0, 0, look(v))
		return known.Add(point, value)
	}
	err = add(0)
	for next := 4.0; err == nil && known.Rows() < 30; {
		if err = add(next); err != nil {
			break
		}
		var m *ridge.Model
		if m, err = known.Fit(&ridge.Options{Lambda: 0.01}); err != nil {
			break
		}
		var f mat.Dense
		var drawn *ridge.Function
		var p *ridge.Posterior
		if p, err = m.Posterior(); err != nil {
			break
		}
		if drawn, err = p.Sample(s); err != nil {
			break
		}
		drawn.EvalTo(&f, grid)
		next = grid.At(floats.MaxIdx(f.RawMatrix().Data), 0)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("after %d looks the last was at %.2f\n", known.Rows(), point.At(0, 0))
	// Output:
	// after 30 looks the last was at 2.70
}

func ExampleAccumulator_Add() {
	// Rows from a reader, one after another: none of them is kept.
	var file strings.Builder // stands for a file of any size
	x, y := noisySine(2000, 0.1)
	for i := range 2000 {
		fmt.Fprintf(&file, "%.4f,%.4f\n", x.At(i, 0), y.At(i, 0))
	}

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 50, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		log.Fatal(err)
	}
	rows := csv.NewReader(strings.NewReader(file.String()))
	rows.ReuseRecord = true
	point, target := mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil)
	for {
		record, err := rows.Read()
		if err == io.EOF {
			break
		}
		var v, w float64
		if err == nil {
			v, err = strconv.ParseFloat(record[0], 64)
		}
		if err == nil {
			w, err = strconv.ParseFloat(record[1], 64)
		}
		if err == nil {
			point.Set(0, 0, v)
			target.Set(0, 0, w)
			err = a.Add(point, target)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	m, err := a.Fit(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows: f(π/2) = %.2f, noise %.2f\n", a.Rows(), m.PredictVec(nil, []float64{math.Pi / 2})[0], math.Sqrt(m.NoiseVariance()[0]))
	// Output:
	// 2000 rows: f(π/2) = 0.99, noise 0.10
}

func ExampleModel_LogEvidence() {
	// The likeliest of five length scales, each with the likeliest λ of the default path. No test rows are needed.
	x, y := noisySine(200, 0.2)
	var best *ridge.Model
	most := math.Inf(-1)
	for _, l := range []float64{0.1, 0.3, 1, 3, 10} {
		phi, err := featuremap.New(featuremap.Gaussian{LengthScale: l}, x, 100, featuremap.NewSampler(2))
		if err != nil {
			log.Fatal(err)
		}
		m, err := ridge.Fit(phi, x, y, nil)
		if err != nil {
			log.Fatal(err)
		}
		evidence, _ := m.LogEvidence() // −Inf if it does not exist
		fmt.Printf("ℓ = %4v: λ = %-7.2g log evidence %.1f\n", l, m.Lambda()[0], evidence)
		if evidence > most {
			best, most = m, evidence
		}
	}
	fmt.Println("taken:", best.Map().Kernel())
	// Output:
	// ℓ =  0.1: λ = 0.19    log evidence -32.1
	// ℓ =  0.3: λ = 0.2     log evidence 5.5
	// ℓ =    1: λ = 0.28    log evidence 20.4
	// ℓ =    3: λ = 0.0026  log evidence 26.5
	// ℓ =   10: λ = 5.8e-06 log evidence 21.3
	// taken: Gaussian{LengthScale: 3}
}

func ExampleMergeInOrder() {
	// Four workers write the sums of a shard of the rows to a file each, in any order. The model depends on the shards
	// alone.
	x, y := noisySine(1000, 0.1)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 50, featuremap.NewSampler(2)) // the same for all
	if err != nil {
		log.Fatal(err)
	}
	var files [4]bytes.Buffer
	for _, i := range []int{2, 0, 3, 1} {
		a, err := ridge.NewAccumulator(phi, 1)
		if err != nil {
			log.Fatal(err)
		}
		if err := a.Add(x.Slice(250*i, 250*(i+1), 0, 1), y.Slice(250*i, 250*(i+1), 0, 1)); err != nil {
			log.Fatal(err)
		}
		if _, err := a.WriteTo(&files[i]); err != nil {
			log.Fatal(err)
		}
	}
	all, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		log.Fatal(err)
	}
	if err := ridge.MergeInOrder(all, len(files), func(i int) (io.ReadCloser, error) { return io.NopCloser(&files[i]), nil }); err != nil {
		log.Fatal(err)
	}
	m, err := all.Fit(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows: f(π/2) = %.2f\n", all.Rows(), m.PredictVec(nil, []float64{math.Pi / 2})[0])
	// Output:
	// 1000 rows: f(π/2) = 0.98
}

func ExampleAccumulator_Merge() {
	// Two machines have half of the rows each. One sends its sums to the other.
	x, y := noisySine(1000, 0.1)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 50, featuremap.NewSampler(2)) // the same on both
	if err != nil {
		log.Fatal(err)
	}
	accumulator := func() *ridge.Accumulator {
		a, err := ridge.NewAccumulator(phi, 1)
		if err != nil {
			log.Fatal(err)
		}
		return a
	}
	here, there := accumulator(), accumulator()
	if err := here.Add(x.Slice(0, 500, 0, 1), y.Slice(0, 500, 0, 1)); err != nil {
		log.Fatal(err)
	}
	if err := there.Add(x.Slice(500, 1000, 0, 1), y.Slice(500, 1000, 0, 1)); err != nil {
		log.Fatal(err)
	}
	var wire bytes.Buffer
	if _, err := there.WriteTo(&wire); err != nil {
		log.Fatal(err)
	}
	received, err := ridge.ReadAccumulator(&wire, phi)
	if err != nil {
		log.Fatal(err)
	}
	if err := here.Merge(received); err != nil {
		log.Fatal(err)
	}
	m, err := here.Fit(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows: f(π/2) = %.2f\n", here.Rows(), m.PredictVec(nil, []float64{math.Pi / 2})[0])
	// Output:
	// 1000 rows: f(π/2) = 0.98
}

// An accumulator takes rows as they come. You can fit at any time, and add more rows.
func ExampleNewAccumulator() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 50, featuremap.NewSampler(2), nil)
	if err != nil {
		log.Fatal(err)
	}
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		log.Fatal(err)
	}
	x, y := noisySine(1000, 0.5)
	for i := 0; i < 1000; i += 250 { // batches of any size
		if err := a.Add(x.Slice(i, i+250, 0, 1), y.Slice(i, i+250, 0, 1)); err != nil {
			log.Fatal(err)
		}
		m, err := a.Fit(nil)
		if err != nil {
			log.Fatal(err)
		}
		p, err := m.Posterior()
		if err != nil {
			log.Fatal(err)
		}
		at := []float64{math.Pi / 2}
		fmt.Printf("%4d rows: f(π/2) = %.2f ± %.2f\n", a.Rows(), m.PredictVec(nil, at)[0], math.Sqrt(p.VarianceVec(nil, at)[0]))
	}
	// Output:
	// 250 rows: f(π/2) = 0.98 ± 0.07
	//  500 rows: f(π/2) = 0.99 ± 0.05
	//  750 rows: f(π/2) = 0.98 ± 0.04
	// 1000 rows: f(π/2) = 0.95 ± 0.04
}

// Several targets share a map and a fit: here a sine and a cosine, predicted at three points.
func ExampleModel_PredictTo() {
	x := mat.NewDense(200, 1, nil)
	y := mat.NewDense(200, 2, nil)
	for i := range 200 {
		v := float64(i) / 30
		x.Set(i, 0, v)
		sin, cos := math.Sincos(v)
		y.SetRow(i, []float64{sin, cos})
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, x, 50, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	var f mat.Dense
	m.PredictTo(&f, mat.NewDense(3, 1, []float64{0.5, 1, 2}))
	fmt.Printf("%.2f\n", mat.Formatted(&f))
	// Output:
	// ⎡ 0.48   0.88⎤
	// ⎢ 0.84   0.54⎥
	// ⎣ 0.91  -0.42⎦
}

// The variance is for the function. Add the noise for a new target: 95 % of new targets are then within 1.96 standard
// deviations.
func ExampleModel_StdDevTo() {
	x, y := noisySine(1200, 0.3)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 50, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x.Slice(0, 200, 0, 1), y.Slice(0, 200, 0, 1), nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Posterior()
	if err != nil {
		log.Fatal(err)
	}
	var mean, variance, sd mat.Dense
	m.PredictTo(&mean, x.Slice(200, 1200, 0, 1))
	m.StdDevTo(&sd, x.Slice(200, 1200, 0, 1))
	p.VarianceTo(&variance, x.Slice(200, 1200, 0, 1))
	within, withinNoise := 0, 0
	for i := range 1000 {
		miss := math.Abs(y.At(200+i, 0) - mean.At(i, 0))
		if miss < 1.96*math.Sqrt(variance.At(i, 0)) {
			within++
		}
		if miss < 1.96*sd.At(i, 0) {
			withinNoise++
		}
	}
	fmt.Printf("noise %.2f; of 1000 targets %d without it, %d with it\n", math.Sqrt(m.NoiseVariance()[0]), within, withinNoise)
	// Output:
	// noise 0.30; of 1000 targets 284 without it, 951 with it
}

// A model in a file, with its map, predicts the same wherever it is read. Without a posterior the file is small.
func ExampleModel_WriteTo() {
	x, y := noisySine(500, 0.1)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 100, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.MeanOnly().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	served, err := ridge.ReadModel(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	point := []float64{2}
	fmt.Println(served.PredictVec(nil, point)[0] == m.PredictVec(nil, point)[0])
	_, err = served.Posterior()
	fmt.Println(err)
	// Output:
	// true
	// ridge: no posterior: the model is of MeanOnly or float32, without the factors for it: take the model that was fitted in float64; PredictVec has the mean
}

// By default λ is the likeliest of 13 powers of ten (as leave-one-out permits), and there is an intercept.
func ExampleOptions() {
	x, y := noisySine(500, 0.2)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 10, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	for _, opts := range []*ridge.Options{
		nil,
		{Lambda: 10},
		{NoIntercept: true},
	} {
		m, err := ridge.Fit(phi, x, y, opts)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("λ = %-6.2g intercept %5.2f, f(1) = %.2f\n", m.Lambda()[0], m.Intercept()[0], m.PredictVec(nil, []float64{1})[0])
	}
	// Output:
	// λ = 0.036  intercept -0.06, f(1) = 0.83
	// λ = 10     intercept -0.01, f(1) = 0.75
	// λ = 0.055  intercept  0.00, f(1) = 0.83
}

// A model is written and read again. The reader bounds the memory of its map.
func ExampleReadModel() {
	x, y := noisySine(500, 0.1)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 100, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	served, err := ridge.ReadModel(&file, &featuremap.DecodeOptions{MaxBytes: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(served.PredictVec(nil, []float64{2})[0] == m.PredictVec(nil, []float64{2})[0])
	// Output:
	// true
}

// Rare labels on rows with heavy tails: the evidence chooses the smallest λ of the path, and the error on new rows is
// then more than half as large again. The default avoids that.
func ExampleCriterion() {
	const n, fitted = 4000, 3000
	s := featuremap.NewSampler(3)
	x, classes := mat.NewDense(n, 3, nil), make([]int, n)
	for i := range classes {
		row := x.RawRowView(i)
		s.FillNormal(row)
		if s.IntN(50) == 0 { // a row like no other
			for j := range row {
				row[j] += 10 * s.Normal() / s.Normal()
			}
		}
		if row[0] > 4 {
			classes[i] = 1
		}
	}
	y, err := ridge.Labels(classes, 2)
	if err != nil {
		log.Fatal(err)
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 3}, 3, 300, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range []ridge.Criterion{ridge.GuardedEvidence, ridge.Evidence, ridge.LeaveOneOut} {
		m, err := ridge.Fit(phi, x.Slice(0, fitted, 0, 3), y.Slice(0, fitted, 0, 2), &ridge.Options{Criterion: c})
		if err != nil {
			log.Fatal(err)
		}
		var squares float64
		for i := fitted; i < n; i++ {
			d := m.PredictVec(nil, x.RawRowView(i))[1] - y.At(i, 1)
			squares += d * d / (n - fitted)
		}
		if leftOut, ok := m.LeaveOneOutMSE(); ok {
			fmt.Printf("%-11v error on new rows %.4f, left out %.4f\n", c, squares, leftOut[1])
		} else {
			fmt.Printf("%-11v error on new rows %.4f\n", c, squares)
		}
	}
	// Output:
	// GuardedEvidence error on new rows 0.0152, left out 0.0220
	// Evidence    error on new rows 0.0268
	// LeaveOneOut error on new rows 0.0152, left out 0.0220
}

// A generator stands for a file that does not fit in memory: it yields the same rows in each range loop. Every tenth
// row counts twice.
func ExampleFitBatches() {
	const batches, size = 20, 500
	rows := func(yield func(ridge.Batch, error) bool) {
		s := featuremap.NewSampler(7) // begins with the first row again
		x, y, weights := mat.NewDense(size, 1, nil), mat.NewDense(size, 1, nil), make([]float64, size)
		for range batches {
			for i := range size {
				x.Set(i, 0, s.Float64())
			}
			for i := range size {
				y.Set(i, 0, math.Sin(6*x.At(i, 0))+0.1*s.Normal())
				weights[i] = 1
				if i%10 == 0 {
					weights[i] = 2
				}
			}
			if !yield(ridge.Batch{X: x, Y: y, Weights: weights}, nil) {
				return
			}
		}
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.2}, 1, 50, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.FitBatches(phi, rows, nil)
	if err != nil {
		log.Fatal(err)
	}
	leftOut, _ := m.LeaveOneOutMSE()
	fmt.Printf("f(½) = %.2f, sin 3 = %.2f, noise %.2f, error left out %.2f\n", m.PredictVec(nil, []float64{0.5})[0], math.Sin(3),
		math.Sqrt(m.NoiseVariance()[0]), math.Sqrt(leftOut[0]))
	// Output:
	// f(½) = 0.14, sin 3 = 0.14, noise 0.10, error left out 0.10
}

// A row of weight 3 counts as three rows: without an intercept, the weight of the constant 1 is the weighted mean.
func ExampleAccumulator_AddWeighted() {
	x, y := mat.NewDense(2, 1, []float64{0, 0}), mat.NewDense(2, 1, []float64{10, 2})
	phi, err := featuremap.New(featuremap.Constant{Value: 1}, x, 1, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	a, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		log.Fatal(err)
	}
	if err := a.AddWeighted(x, y, []float64{1, 3}); err != nil {
		log.Fatal(err)
	}
	m, err := a.Fit(&ridge.Options{Path: []float64{0}, Criterion: ridge.Evidence, NoIntercept: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f, and (10 + 3·2)/4 = 4\n", m.PredictVec(nil, []float64{0})[0])
	// Output:
	// 4.000, and (10 + 3·2)/4 = 4
}
