// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What eigenvectors and blocks save of the passes of FitIterative, on the letters.

package ridge

import (
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Eigenvectors make four passes one for a letter that is solved by itself, and with them the block of all 26 takes less than .9 of the
// passes of the slowest letter by itself. (A block without eigenvectors has passes between: its residuals find some of them.)
func TestLetterPasses(t *testing.T) {
	if !testkit.Long() {
		t.Skip("only with -long")
	}
	const n, features = 10000, 2048
	x, y := letters(t, n)
	o := &featuremap.FourierOptions{Design: featuremap.Orthogonal}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2.67}, 16, features, featuremap.NewSampler(1), o)
	if err != nil {
		t.Fatal(err)
	}
	alone := func(k int) *mat.Dense { return mat.DenseCopyOf(y.Slice(0, n, k, k+1)) }
	plain, slowest := passesToSolve(t, phi, x, alone(0), true), 0
	first := passesToSolve(t, phi, x, alone(0), false)
	for _, k := range []int{0, 7, 14, 21} {
		slowest = max(slowest, passesToSolve(t, phi, x, alone(k), false))
	}
	block := passesToSolve(t, phi, x, y, false)
	t.Logf("the first letter: %d passes without eigenvectors, %d with; the slowest of four %d, all in a block %d", plain, first, slowest, block)
	if 4*first > plain || 10*block > 9*slowest {
		t.Errorf("%d passes without eigenvectors, %d with; the slowest of four %d, all in a block %d", plain, first, slowest, block)
	}
}

// letters returns the first letters in standardized coordinates, with a target of ±1 for each of 26.
func letters(t *testing.T, n int) (x, y *mat.Dense) {
	all, class, err := dataset.Letter()
	if err != nil {
		t.Fatal(err)
	}
	_, d := all.Dims()
	x, y = mat.DenseCopyOf(all.Slice(0, n, 0, d)), mat.NewDense(n, 26, nil)
	for j := range d {
		mean, deviation := stat.MeanStdDev(mat.Col(nil, j, all), nil)
		for i := range n {
			x.Set(i, j, (x.At(i, j)-mean)/deviation)
		}
	}
	y.Apply(func(i, k int, _ float64) float64 {
		if class[i] == k {
			return 1
		}
		return -1
	}, y)
	return x, y
}

// passesToSolve returns the passes to a residual of 1e-3 at λ = 1, plainly without eigenvectors.
func passesToSolve(t *testing.T, phi featuremap.FeatureMap, x, y *mat.Dense, plain bool) int {
	o := &IterativeOptions{Lambda: 1, Tolerance: 1e-3, Passes: 200, Memory: 1 << 30}
	f := newIteration(phi, newRowsFrom(Rows(x, y), phi), o)
	if err := f.firstPass(); err != nil {
		t.Fatal(err)
	}
	if err := f.begin(); err != nil {
		t.Fatal(err)
	}
	if plain {
		f.pre = nil
	}
	if err := f.fit(); err != nil {
		t.Fatal(err)
	}
	if f.largest() > o.Tolerance {
		t.Errorf("a residual of %v after %d passes", f.largest(), f.passes)
	}
	return f.passes
}
