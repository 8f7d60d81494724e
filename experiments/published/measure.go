// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

const seed = 1

// result is the result for the maps of one kind. Errors are relative.
type result struct {
	mean, dev   float64 // of the error: its mean over maps, and the standard error of that
	rms, rmsDev float64 // root of the mean squared error, and its standard error
	predicted   float64 // the same root by variance and bias; 0 of a rule
	columns     int     // of a map
}

// measure makes maps and compares their kernel matrices with the exact one.
func (p *protocol) measure(m method) (result, error) {
	var r result
	errs, squares := make([]float64, p.maps), make([]float64, p.maps)
	norm := mat.Norm(p.exact, 2)
	for i := range errs {
		k, phi, err := p.approximate(m, featuremap.NewSampler(uint64(seed+i)))
		if err != nil {
			return result{}, err
		}
		if i == 0 && phi != nil {
			if r.predicted, err = p.predict(m, phi); err != nil {
				return result{}, err
			}
			_, r.columns = phi.Dims()
		}
		k.Sub(k, p.exact)
		errs[i] = mat.Norm(k, 2) / norm
		squares[i] = errs[i] * errs[i]
	}
	n := float64(p.maps)
	r.mean, r.dev = stat.MeanStdDev(errs, nil)
	r.dev = stat.StdErr(r.dev, n)
	square, dev := stat.MeanStdDev(squares, nil)
	r.rms = math.Sqrt(square)
	// The relative error of a root is half the relative error of its square.
	r.rmsDev = stat.StdErr(dev, n) / square / 2 * r.rms
	return r, nil
}

// approximate returns the kernel matrix of one map of a method, and the map, if it is one.
func (p *protocol) approximate(m method, s *featuremap.Sampler) (*mat.Dense, featuremap.FeatureMap, error) {
	if m.rule != nil {
		return m.rule(s), nil, nil
	}
	phi, err := m.draw(s)
	if err != nil {
		return nil, nil, err
	}
	var k mat.Dense
	k.Mul(m.features(phi, p.x), m.features(phi, p.y).T())
	return &k, phi, nil
}

// somePairs is the least number of pairs of rows for which a prediction computes the variance; it may take a few more.
const somePairs = 100_000

// predict returns the relative error by the variance and the bias of the maps of a method: E‖K̂ − K‖² is
// the sum over pairs of the variance plus the square of the bias. The bias is computed for all pairs,
// because a few may contribute most of it. The variance is slower. In large matrices it is computed for
// the elements whose row and column have a sum that an odd number divides: as large a share of the
// diagonal as of the rest.
func (p *protocol) predict(m method, phi featuremap.FeatureMap) (float64, error) {
	v, ok := phi.(featuremap.Variancer)
	if !ok {
		return 0, fmt.Errorf("%v: the variance is not known", phi)
	}
	biasOf := func(x, y []float64) float64 { return 0 }
	if b, ok := phi.(interface{ Bias(x, y []float64) float64 }); ok {
		biasOf = b.Bias
	}
	nx, _ := p.x.Dims()
	ny, _ := p.y.Dims()
	step := nx*ny/somePairs | 1
	squared := make([]float64, nx) // sums over rows do not depend on the goroutines
	parallel.Run(parallel.Func(func(i, _ int) {
		x := p.x.RawRowView(i)
		for j := range ny {
			y := p.y.RawRowView(j)
			w := m.factor(x) * m.factor(y)
			bias := w*(phi.Kernel().Eval(x, y)+biasOf(x, y)) - p.exact.At(i, j)
			squared[i] += bias * bias
			if (i+j)%step == 0 {
				squared[i] += float64(step) * w * w * v.Variance(x, y)
			}
		}
	}), nx, 1)
	return math.Sqrt(floats.Sum(squared)) / mat.Norm(p.exact, 2), nil
}
