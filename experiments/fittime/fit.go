// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	_ "embed"
	"errors"
	"runtime"
	"runtime/debug"
	"time"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

//go:embed peer.py
var script string

// fitted is the time and memory of a fit, and the error of the model.
type fitted struct{ seconds, megabytes, error float64 }

// A method fits the first rows of a problem.
type method struct {
	name string
	most int // rows
	fit  func(rows int) (fitted, error)
}

// measured returns the time and memory of fit, and the error of the predictor that it returns.
func (p *problem) measured(rows int, fit func(x, y *mat.Dense) (predictor, error)) (fitted, error) {
	x := p.train.X.Slice(0, rows, 0, p.train.Dim()).(*mat.Dense)
	y := p.train.Target.Slice(0, rows, 0, 1).(*mat.Dense)
	debug.FreeOSMemory()
	before, start := heap(), time.Now()
	predict, err := fit(x, y)
	if err != nil {
		return fitted{}, err
	}
	f := fitted{seconds: time.Since(start).Seconds(), megabytes: max(heap()-before, 0)} // a small fit may use what was returned meanwhile
	var predictions mat.Dense
	predict(&predictions, p.test.X)
	f.error = p.test.RMSE(&predictions)
	return f, nil
}

// heap returns the memory, in megabytes, that the heap has taken from the system and not returned.
func heap() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapSys-m.HeapReleased) / 1e6
}

// A predictor sets dst to the predictions for the rows of x.
type predictor func(dst *mat.Dense, x mat.Matrix)

// exact is kernel ridge regression: weights (K + λI)⁻¹y, by a Cholesky factorization in the memory of K.
func (p *problem) exact(rows int) (fitted, error) {
	return p.measured(rows, func(x, y *mat.Dense) (predictor, error) {
		var k mat.SymDense
		featuremap.Gram(&k, p.kernel, x)
		for i := range rows {
			k.SetSym(i, i, k.At(i, i)+p.lambda)
		}
		factor, ok := lapack64.Potrf(k.RawSymmetric())
		if !ok {
			return nil, errors.New("the Gram matrix is not positive definite")
		}
		weights := mat.DenseCopyOf(y)
		lapack64.Potrs(factor, weights.RawMatrix())
		return func(dst *mat.Dense, points mat.Matrix) {
			var cross mat.Dense
			featuremap.CrossGram(&cross, p.kernel, points, x)
			dst.Mul(&cross, weights)
		}, nil
	})
}

// features returns a fit of ridge regression on a number of features. It includes sampling the map.
func (p *problem) features(number int) func(rows int) (fitted, error) {
	return func(rows int) (fitted, error) {
		return p.measured(rows, func(x, y *mat.Dense) (predictor, error) {
			phi, err := featuremap.New(p.kernel, x, number, featuremap.NewSampler(seed))
			if err != nil {
				return nil, err
			}
			m, err := ridge.Fit(phi, x, y, &ridge.Options{Lambda: p.lambda, NoIntercept: true})
			if err != nil {
				return nil, err
			}
			return m.PredictTo, nil
		})
	}
}

// start starts scikit-learn on the problem.
func (p *problem) start(python *peer.Python) (*peer.Process, error) {
	about := mat.NewDense(1, 3, []float64{float64(p.train.Dim()), p.kernel.LengthScale, p.lambda})
	return python.Start(script, runtime.GOMAXPROCS(0), p.train.X, p.train.Target, p.test.X, p.test.Target, about)
}

// sklearn returns a fit by scikit-learn's KernelRidge in a process.
func sklearn(process *peer.Process) func(rows int) (fitted, error) {
	return func(rows int) (fitted, error) {
		v, err := process.Ask(rows)
		if err != nil {
			return fitted{}, err
		}
		return fitted{v[0], v[1], v[2]}, nil
	}
}
