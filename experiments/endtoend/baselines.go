// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// baselines returns the results of linear ridge regression on all rows, and of kernel ridge
// regression without random features on some of them, by the choice given.
func (t *task) baselines(c choice, rows int) ([]result, error) {
	linear, err := t.linear()
	if err != nil {
		return nil, err
	}
	exact, err := t.exact(c, rows)
	return []result{linear, exact}, err
}

// linear fits the coordinates themselves, with the λ of largest evidence.
func (t *task) linear() (result, error) {
	start := peak.CPU()
	coordinates, err := featuremap.New(featuremap.Linear{}, t.train.X, t.train.Dim(), featuremap.NewSampler(1))
	if err != nil {
		return result{}, err
	}
	y, err := t.targets(t.train)
	if err != nil {
		return result{}, err
	}
	m, err := ridge.Fit(coordinates, t.train.X, y, nil)
	if err != nil {
		return result{}, err
	}
	r := result{Method: "linear ridge", Features: t.train.Dim(), Fit: since(start), Ridge: m.Lambda()[0]}
	t.predict(&r, m.PredictTo)
	return r, nil
}

// exact fits the kernel itself to the first rows, (K + λI)α = Y, and predicts by k(test, rows)·α.
// It subtracts the mean from targets.
func (t *task) exact(c choice, rows int) (result, error) {
	part, _ := t.train.Cut(rows)
	start := peak.CPU()
	kernel := featuremap.Gaussian{LengthScale: c.length}
	var gram mat.SymDense
	featuremap.Gram(&gram, kernel, part.X)
	for i := range rows {
		gram.SetSym(i, i, gram.At(i, i)+c.ridge)
	}
	var factor mat.Cholesky
	if !factor.Factorize(&gram) {
		return result{}, fmt.Errorf("the %d×%d system is not positive definite", rows, rows)
	}
	y, err := t.targets(part)
	if err != nil {
		return result{}, err
	}
	means := make([]float64, y.RawMatrix().Cols)
	for j := range means {
		means[j] = stat.Mean(mat.Col(nil, j, y), nil)
	}
	var alpha mat.Dense
	alpha.Apply(func(_, j int, v float64) float64 { return v - means[j] }, y)
	if err := factor.SolveTo(&alpha, &alpha); err != nil {
		return result{}, err
	}
	r := result{Method: fmt.Sprintf("exact kernel, %d rows", rows), Fit: since(start), Length: c.length, Ridge: c.ridge}
	t.predict(&r, func(dst *mat.Dense, x mat.Matrix) {
		var cross mat.Dense
		featuremap.CrossGram(&cross, kernel, x, part.X)
		dst.Mul(&cross, &alpha)
		dst.Apply(func(_, j int, v float64) float64 { return v + means[j] }, dst)
	})
	return r, nil
}
