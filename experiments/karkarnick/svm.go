// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/exact"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A model fits the classes of points by scores f(x), without an intercept.
type model interface {
	// ridge minimizes λ‖w‖² + Σ (1 − yf(x))² over the given rows.
	ridge(rows []int, lambda float64) (*scores, error)
}

// scores are the values of a fitted function at the training points and at others.
type scores struct {
	train []float64
	at    func(x *mat.Dense) []float64
}

// linear is a model on features: f(x) = ⟨w, φ(x)⟩.
type linear struct {
	phi      featuremap.FeatureMap
	identity featuremap.FeatureMap // of features
	features part
}

func newLinear(phi featuremap.FeatureMap, train part) (*linear, error) {
	_, columns := phi.Dims()
	var z mat.Dense
	phi.TransformTo(&z, train.x)
	identity, err := featuremap.New(featuremap.Linear{}, &z, columns, featuremap.NewSampler(0)) // draws nothing
	if err != nil {
		return nil, err
	}
	return &linear{phi, identity, part{&z, train.y}}, nil
}

func (l *linear) ridge(rows []int, lambda float64) (*scores, error) {
	some := l.features.rows(rows)
	y := mat.NewDense(len(rows), 1, some.y)
	m, err := ridge.Fit(l.identity, some.x, y, &ridge.Options{Lambda: lambda, NoIntercept: true})
	if err != nil {
		return nil, err
	}
	predict := func(z *mat.Dense) []float64 {
		var f mat.Dense
		m.PredictTo(&f, z)
		return f.RawMatrix().Data
	}
	return &scores{predict(l.features.x), func(x *mat.Dense) []float64 {
		var z mat.Dense
		l.phi.TransformTo(&z, x)
		return predict(&z)
	}}, nil
}

// kernelised is a model on the kernel itself: f(x) = Σ αⱼ·k(x, xⱼ).
type kernelised struct {
	kernel featuremap.Kernel
	train  part
	gram   mat.SymDense
}

func newKernelised(k featuremap.Kernel, train part) *kernelised {
	m := &kernelised{kernel: k, train: train}
	featuremap.Gram(&m.gram, k, train.x)
	return m
}

func (m *kernelised) ridge(rows []int, lambda float64) (*scores, error) {
	some := m.train.rows(rows)
	alpha, err := exact.Solve(&m.gram, rows, lambda, some.y)
	if err != nil {
		return nil, err
	}
	var f mat.VecDense
	all := mat.NewVecDense(len(m.train.y), nil)
	for j, r := range rows {
		all.SetVec(r, alpha[j])
	}
	f.MulVec(&m.gram, all)
	return &scores{f.RawVector().Data, func(x *mat.Dense) []float64 { return m.at(x, some.x, alpha) }}, nil
}

// at returns Σ αⱼ·k(x, yⱼ) for each row x, by blocks, to bound the memory.
func (m *kernelised) at(x, y *mat.Dense, alpha []float64) (f []float64) {
	const block = 1000
	n, d := x.Dims()
	for i := 0; i < n; i += block {
		var gram mat.Dense
		featuremap.CrossGram(&gram, m.kernel, x.Slice(i, min(i+block, n), 0, d), y)
		rows, _ := gram.Dims()
		for r := range rows {
			f = append(f, floats.Dot(gram.RawRowView(r), alpha))
		}
	}
	return f
}

// loss is the function that is minimized together with λ‖w‖².
type loss string

const (
	hinge  loss = "squared hinge" // Σ max(0, 1 − yf(x))², the default loss of LIBLINEAR
	square loss = "squares"       // Σ (1 − yf(x))²
)

// A classifier chooses λ for a model and fits it.
type classifier struct {
	model
	y    []float64 // of the points to train on
	loss loss
	unit float64 // of λ
}

// newtonSteps is the largest number of steps. Most fits take fewer than ten.
const newtonSteps = 40

// fit minimizes λ‖w‖² and the loss over the rows. A Newton step for the squared hinge loss is ridge
// regression on the rows on the wrong side of the margin, where yf(x) < 1 (Keerthi and DeCoste, A
// modified finite Newton method for fast solution of large scale linear SVMs, 2005). It ends when
// these rows do not change. start is a guess of them; fit returns the rows of the last step.
func (c *classifier) fit(rows, start []int, lambda float64) (s *scores, wrong []int, err error) {
	if c.loss == square {
		s, err = c.ridge(rows, lambda)
		return s, rows, err
	}
	wrong = start
	for range newtonSteps {
		if s, err = c.ridge(wrong, lambda); err != nil {
			return nil, nil, err
		}
		var next []int
		for _, r := range rows {
			if c.y[r]*s.train[r] < 1 {
				next = append(next, r)
			}
		}
		if slices.Equal(next, wrong) {
			break
		}
		wrong = next
	}
	return s, wrong, nil
}

// path lists the candidates of λ, in units of the mean of k(x, x).
var path = []float64{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}

// chooseRows is the largest number of rows from which λ is chosen.
const chooseRows = 8000

// choose returns the λ for which the model, fitted to three quarters of the first rows, is right for most of
// the others, the largest of several, and the rows on the wrong side of the margin then. It stops after
// three λ in succession that are no better.
func (c *classifier) choose() (best float64, wrong []int, err error) {
	var first, held []int
	for i := range min(len(c.y), chooseRows) {
		if i%4 == 3 {
			held = append(held, i)
		} else {
			first = append(first, i)
		}
	}
	most, worse := -1, 0
	last := first
	for _, share := range path {
		var s *scores
		if s, last, err = c.fit(first, last, share*c.unit); err != nil {
			return 0, nil, err
		}
		right := 0
		for _, r := range held {
			if s.train[r]*c.y[r] > 0 {
				right++
			}
		}
		if right > most {
			most, best, wrong, worse = right, share*c.unit, last, 0
		} else if worse++; worse == 3 {
			break
		}
	}
	return best, wrong, nil
}

// accuracy chooses λ, fits all training points, and returns the percentage of test points whose
// sign is right.
func (c *classifier) accuracy(test part) (float64, error) {
	lambda, wrong, err := c.choose()
	if err != nil {
		return 0, err
	}
	s, _, err := c.fit(sets.Order(len(c.y)), wrong, lambda)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, f := range s.at(test.x) {
		if f*test.y[i] > 0 {
			right++
		}
	}
	return 100 * float64(right) / float64(len(test.y)), nil
}
