// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Letters learns to recognize the letters A to Z, by ridge regression on random features, from
// 16000 of the 20000 pictures that are embedded in the program.
//
//	go -C experiments run ./letters
//
// Exact kernel ridge regression would need a matrix of 16000 × 16000 numbers, 2 GB, and some
// minutes. The program fits it to the first 1000 and 2000 letters, which are as many as it can in
// the time. Then it fits all of them, on more and more features of the same kernel.
//
// For each number of features the table lists the error of the kernel that the plan of the map
// predicts, the measured error, the share of 4000 test letters that it recognizes, and the time.
package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Letters learns to recognize the letters A to Z, with random features of a Gaussian kernel.

The first rows are the exact kernel, on as many letters as it can take in the time; the others are
features, on all 16000. Columns:

    trained on      number of training letters
    predicted RMSE  error of the kernel, which is between 0 and 1, as the plan predicts it
    measured RMSE   the same error, measured: the two should nearly agree
    accuracy        share of 4000 test letters that are recognized
    fit, s          seconds of the whole fit
    a prediction    microseconds for one letter

Look at the accuracy: on the same letters the exact kernel is better. Features can use all letters,
and are better in the end, and faster.
`

const (
	seed   = 1
	lambda = 0.1 // λ, which is added to the diagonal of the Gram matrix
)

func main() {
	exact, features := []int{1000, 2000}, []int{256, 512, 1024, 2048, 4096}
	flags := program.NewFlags("letters", usage)
	flags.Quick(func() { exact, features = exact[:1], features[:3] }, "the exact kernel on 1000 letters, and at most 1024 features")
	flags.Main(func(w io.Writer, show func(doing string)) error { return run(w, show, exact, features) })
}

// run writes the table to out, for the exact kernel on some numbers of letters and for some
// numbers of features of all of them, and shows what it is doing meanwhile.
func run(out io.Writer, show func(doing string), exact, features []int) error {
	letters, err := load()
	if err != nil {
		return err
	}
	s := featuremap.NewSampler(seed)
	median, err := featuremap.MedianLengthScale(letters.trainX, s)
	if err != nil {
		return err
	}
	kernel := featuremap.Gaussian{LengthScale: median / 2}
	fmt.Fprintf(out, "Letters: %d training and %d test letters, 16 numbers each.\n", train, len(letters.testClass))
	fmt.Fprintf(out, "Kernel exp(−‖x−y‖²/2ℓ²), ℓ = %.3f; λ = %v; seed %d.\n\n", kernel.LengthScale, lambda, seed)
	fmt.Fprintln(out, "                trained on  predicted RMSE  measured RMSE  accuracy    fit, s  a prediction, µs")

	for _, n := range exact {
		show(fmt.Sprintf("exact kernel, %d letters …", n))
		f, err := fitExact(kernel, letters, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "exact kernel    %10d  %14s  %13s  %v\n", n, "", "", f)
	}
	for _, size := range features {
		show(fmt.Sprintf("%d features …", size))
		plan, err := featuremap.NewPlan(kernel, letters.trainX, size, nil)
		if err != nil {
			return err
		}
		phi, err := plan.Draw(s)
		if err != nil {
			return err
		}
		f, err := fitFeatures(phi, letters)
		if err != nil {
			return err
		}
		predicted, measured := kernelError(phi, letters)
		fmt.Fprintf(out, "%4d features   %10d  %14.5f  %13.5f  %v\n", size, train, predicted, measured, f)
	}
	fmt.Fprintln(out, "\nWith n points the exact fit takes n² numbers and n³ operations, so twice as many letters take eight")
	fmt.Fprintln(out, "times the time. A fit on D features takes D² numbers and n·D² operations. A prediction of the exact kernel")
	fmt.Fprintln(out, "needs all n points; a prediction by features needs no points.")
	return nil
}

// fit is the result of a method.
type fit struct {
	accuracy       float64       // on the test points
	train, predict time.Duration // predict: a test point, of all together
}

// newFit returns the result of a method that has just predicted the scores of all test points.
func newFit(letters *data, scores *mat.Dense, start, trained time.Time) fit {
	predict := time.Since(trained) / time.Duration(len(letters.testClass))
	return fit{letters.accuracy(scores), trained.Sub(start), predict}
}

// String returns the last columns of a row of the table.
func (f fit) String() string {
	return fmt.Sprintf("%7.2f%%  %8.3f  %16.1f", 100*f.accuracy, f.train.Seconds(), 1e6*f.predict.Seconds())
}

// fitExact fits (K + λI)α = Y to the first n points, and predicts by k(test, train)·α.
func fitExact(kernel featuremap.Kernel, letters *data, n int) (fit, error) {
	start := time.Now()
	x := letters.trainX.Slice(0, n, 0, 16)
	var gram mat.SymDense
	featuremap.Gram(&gram, kernel, x)
	for i := range n {
		gram.SetSym(i, i, gram.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&gram) {
		return fit{}, fmt.Errorf("the %d×%d system is not positive definite", n, n)
	}
	var alpha mat.Dense
	if err := chol.SolveTo(&alpha, letters.trainY.Slice(0, n, 0, classes)); err != nil {
		return fit{}, err
	}
	trained := time.Now()

	var cross, scores mat.Dense
	featuremap.CrossGram(&cross, kernel, letters.testX, x)
	scores.Mul(&cross, &alpha)
	return newFit(letters, &scores, start, trained), nil
}

// fitFeatures fits ridge regression on the features of all points.
func fitFeatures(phi featuremap.FeatureMap, letters *data) (fit, error) {
	start := time.Now()
	m, err := ridge.Fit(phi, letters.trainX, letters.trainY, &ridge.Options{Lambda: lambda})
	if err != nil {
		return fit{}, err
	}
	trained := time.Now()
	var scores mat.Dense
	m.PredictTo(&scores, letters.testX)
	return newFit(letters, &scores, start, trained), nil
}

// kernelError returns the root mean square error of the estimates ⟨φ(x), φ(y)⟩ of the kernel, for a
// test point x and a training point y: as the map's variance predicts it, before any feature is
// computed, and as measured.
func kernelError(phi featuremap.FeatureMap, letters *data) (predicted, measured float64) {
	const most = 200 // points of each kind
	x, y := letters.testX.Slice(0, most, 0, 16).(*mat.Dense), letters.trainX.Slice(0, most, 0, 16).(*mat.Dense)
	for i := range most {
		for j := range most {
			predicted += phi.(featuremap.Variancer).Variance(x.RawRowView(i), y.RawRowView(j))
		}
	}
	var zx, zy, estimate, kernel mat.Dense
	phi.TransformTo(&zx, x)
	phi.TransformTo(&zy, y)
	estimate.Mul(&zx, zy.T())
	featuremap.CrossGram(&kernel, phi.Kernel(), x, y)
	estimate.Sub(&estimate, &kernel)
	return math.Sqrt(predicted) / most, mat.Norm(&estimate, 2) / most
}
