// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Quickstart replaces a kernel method by a linear one on real data: 1797
// handwritten digits, embedded in the program.
//
// It fits Gaussian kernel ridge regression exactly, with the n×n Gram matrix and
// its Cholesky factor, and then ridge regression on random Fourier features of
// the same kernel, for more and more features, independent and orthogonal. The
// table sets the error of the kernel that the maps' variance predicts beside the
// one measured, and the accuracy and the time of each fit beside the exact one's.
package main

import (
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

const (
	seed  = 1
	ridge = 0.1 // added to the diagonal of the Gram matrix
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("quickstart: ")
	// On a terminal the next row overwrites what is shown of the progress.
	show := func(doing string) { fmt.Fprintln(os.Stderr, doing) }
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		show = func(doing string) { fmt.Fprint(os.Stderr, doing, "\r") }
	}
	if err := run(os.Stdout, show, []int{128, 256, 512, 1024, 2048, 4096}); err != nil {
		log.Fatal(err)
	}
}

// run writes the table for the given numbers of features to out, and shows what it
// is doing meanwhile.
func run(out io.Writer, show func(doing string), sizes []int) error {
	s := featuremap.NewSampler(seed)
	digits, err := load(s)
	if err != nil {
		return err
	}
	n, d := digits.trainX.Dims()
	tests, _ := digits.testX.Dims()
	l, err := featuremap.MedianLengthScale(digits.trainX, s)
	if err != nil {
		return err
	}
	kernel := featuremap.Gaussian{LengthScale: l}
	fmt.Fprintf(out, "Handwritten digits: %d to train on, %d to test, %d pixels each.\n", n, tests, d)
	fmt.Fprintf(out, "Kernel exp(−‖x−y‖²/2ℓ²), ℓ = %.3f; ridge %v; seed %d.\n\n", kernel.LengthScale, ridge, seed)
	fmt.Fprintln(out, "           D  frequencies  predicted RMSE  measured RMSE  accuracy   train s  predict s")

	show("exact kernel ridge regression …")
	exact, err := fitExact(kernel, digits)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "exact kernel  %11s  %14s  %13s  %7.2f%%  %8.3f  %9.3f\n",
		"", "", "", 100*exact.accuracy, exact.train.Seconds(), exact.predict.Seconds())

	for _, size := range sizes {
		for _, design := range []featuremap.Design{featuremap.Independent, featuremap.Orthogonal} {
			show(fmt.Sprintf("%d features, %v …", size, design))
			m, err := featuremap.NewFourier(kernel, d, size, s, &featuremap.FourierOptions{Design: design})
			if err != nil {
				return err
			}
			f, err := fitFeatures(m, digits)
			if err != nil {
				return err
			}
			predicted, measured := kernelError(m, digits)
			fmt.Fprintf(out, "%12d  %-11v  %14.5f  %13.5f  %7.2f%%  %8.3f  %9.3f\n",
				size, design, predicted, measured, 100*f.accuracy, f.train.Seconds(), f.predict.Seconds())
		}
	}
	fmt.Fprintln(out, "\nWith n points the exact fit takes n² numbers and n³ operations; a fit on D features")
	fmt.Fprintln(out, "takes n·D and n·D², and predicts at a cost that n does not enter.")
	return nil
}

// A fit is what came of a method.
type fit struct {
	accuracy       float64 // on the test points
	train, predict time.Duration
}

// fitExact fits (K + ridge·I)α = Y, and predicts by k(test, train)·α.
func fitExact(kernel featuremap.Kernel, digits *data) (fit, error) {
	start := time.Now()
	var gram mat.SymDense
	featuremap.Gram(&gram, kernel, digits.trainX)
	alpha, err := solveRidge(&gram, digits.trainY)
	if err != nil {
		return fit{}, err
	}
	trained := time.Now()

	var cross, scores mat.Dense
	featuremap.CrossGram(&cross, kernel, digits.testX, digits.trainX)
	scores.Mul(&cross, alpha)
	return fit{digits.accuracy(&scores), trained.Sub(start), time.Since(trained)}, nil
}

// fitFeatures fits (ZᵀZ + ridge·I)w = ZᵀY on the features Z, and predicts by Z·w.
// With more features than points it solves the smaller system (ZZᵀ + ridge·I)α = Y
// for the same w = Zᵀα.
func fitFeatures(m featuremap.FeatureMap, digits *data) (fit, error) {
	start := time.Now()
	var z, w mat.Dense
	m.TransformTo(&z, digits.trainX)
	var moment mat.SymDense
	if n, out := z.Dims(); out <= n {
		moment.SymOuterK(1, z.T())
		var zy mat.Dense
		zy.Mul(z.T(), digits.trainY)
		solution, err := solveRidge(&moment, &zy)
		if err != nil {
			return fit{}, err
		}
		w.CloneFrom(solution)
	} else {
		moment.SymOuterK(1, &z)
		alpha, err := solveRidge(&moment, digits.trainY)
		if err != nil {
			return fit{}, err
		}
		w.Mul(z.T(), alpha)
	}
	trained := time.Now()

	var zTest, scores mat.Dense
	m.TransformTo(&zTest, digits.testX)
	scores.Mul(&zTest, &w)
	return fit{digits.accuracy(&scores), trained.Sub(start), time.Since(trained)}, nil
}

// solveRidge adds the ridge to a's diagonal and solves ax = b.
func solveRidge(a *mat.SymDense, b mat.Matrix) (*mat.Dense, error) {
	n := a.SymmetricDim()
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return nil, fmt.Errorf("the %d×%d system is not positive definite", n, n)
	}
	var x mat.Dense
	if err := chol.SolveTo(&x, b); err != nil {
		return nil, err
	}
	return &x, nil
}

// kernelError returns the root mean square error of the estimates ⟨φ(x), φ(y)⟩ of
// the kernel, x a test point and y a training point: as the map's variance predicts
// it, before any feature is computed, and as measured.
func kernelError(m *featuremap.Fourier, digits *data) (predicted, measured float64) {
	const most = 100 // test points, each with every training point
	y := digits.trainX
	n, d := y.Dims()
	x := digits.testX.Slice(0, most, 0, d).(*mat.Dense)
	for i := range most {
		for j := range n {
			predicted += m.Variance(x.RawRowView(i), y.RawRowView(j))
		}
	}
	var zx, zy, estimate, kernel mat.Dense
	m.TransformTo(&zx, x)
	m.TransformTo(&zy, y)
	estimate.Mul(&zx, zy.T())
	featuremap.CrossGram(&kernel, m.Kernel(), x, y)
	estimate.Sub(&estimate, &kernel)
	return math.Sqrt(predicted / float64(most*n)), mat.Norm(&estimate, 2) / math.Sqrt(float64(most*n))
}
