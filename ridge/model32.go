// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/single"
)

// A Model32 predicts in float32 from rows of float32: f(x) = ⟨φ(x), w⟩ + c for each target, where φ is a map in
// float32. Weights and the chains of products with them are float64, and a prediction is rounded once. It has no
// posterior: use a Model for standard deviations. To save it, write Float64; Float32 of what ReadModel returns has the
// same bits. The zero value has no map, and panics with mat.ErrShape when it predicts. A Model32 is safe for concurrent
// use. It predicts the same bits one by one and in batches, on every machine.
type Model32 struct {
	phi *featuremap.Map32
	m   *Model // with the widened map, without a factor
}

// newModel32 returns a model of a map in float32 and weights of its features.
func newModel32(phi *featuremap.Map32, n numbers) *Model32 {
	n.ridges = slices.Clone(n.ridges)
	for k := range n.ridges {
		n.ridges[k].inverse, n.ridges[k].condition = nil, nil
	}
	if n.mean, n.intervals = nil, nil; n.iterative != nil {
		n.iterative = n.iterative.withoutSamples()
	}
	return &Model32{phi, newModel(newWidened(phi), n)}
}

// Float32 returns m for rows of float32, with the same weights: see featuremap.Float32. Predictions differ as features
// do, by about 1e-6 of ‖w‖ for phases up to ten turns. The result has no intervals, which belong to predictions in
// float64. It returns an error if m is the zero value, and whenever featuremap.Float32 does.
func (m *Model) Float32() (*Model32, error) {
	if m.phi == nil {
		return nil, errZeroModel
	}
	phi, err := featuremap.Float32(m.phi)
	if err != nil {
		return nil, fmt.Errorf("ridge: the model's map: %w", err)
	}
	return newModel32(phi, m.numbers), nil
}

// Float64 returns m for rows of float64, with the same weights, but without a posterior: see Model.MeanOnly. Its map is
// Map().Float64(). It is nil for a zero value.
func (m *Model32) Float64() *Model {
	if m.m == nil {
		return nil
	}
	return newModel(m.phi.Float64(), m.m.numbers)
}

// MarshalJSON returns an error: save Float64 instead.
func (m *Model32) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: a Model32 is saved by WriteTo of its Float64, not as JSON")
}

// Map returns the feature map that the model was fitted with, or its version in float32; nil for a zero value.
func (m *Model32) Map() *featuremap.Map32 { return m.phi }

// Lambda returns the ridge λ of each target, in units of ΦᵀΦ; nil for a zero value.
func (m *Model32) Lambda() []float64 {
	if m.m == nil {
		return nil
	}
	return m.m.Lambda()
}

// NoiseVariance returns a copy of the noise variances σ², one for each target: see Accumulator.Fit and
// Accumulator32.Fit.
func (m *Model32) NoiseVariance() []float64 {
	if m.m == nil {
		return nil
	}
	return m.m.NoiseVariance()
}

// LeaveOneOutMSE returns what Model.LeaveOneOutMSE does.
func (m *Model32) LeaveOneOutMSE() (value []float64, ok bool) {
	if m.m == nil {
		return nil, false
	}
	return m.m.LeaveOneOutMSE()
}

// Weights returns a copy of the weights w, D×T, a column for each target.
func (m *Model32) Weights() *mat.Dense {
	if m.m == nil {
		return new(mat.Dense)
	}
	return m.m.Weights()
}

// Intercept returns a copy of the intercepts, one for each target.
func (m *Model32) Intercept() []float64 {
	if m.m == nil {
		return nil
	}
	return m.m.Intercept()
}

// String returns the line of Model.String, with a note that it is in float32.
func (m *Model32) String() string {
	if m.m == nil {
		return "ridge: the zero value of a Model32"
	}
	return m.m.String() + ", in float32"
}

// PredictTo sets row i of dst, n×T, to the predictions for row i of x, n×in, by up to GOMAXPROCS goroutines. It panics
// with mat.ErrZeroLength if x has no rows, with mat.ErrShape if a shape is wrong, a stride is less than the number of
// columns, or the data too short, and with a message if the memory of dst and x overlaps. A NaN in a row of x makes the
// predictions of that row NaN, and of no other.
func (m *Model32) PredictTo(dst, x blas32.General) {
	switch {
	case x.Rows == 0:
		panic(mat.ErrZeroLength)
	case m.m == nil || x.Cols != m.m.in || dst.Cols != m.m.targets() || dst.Rows != x.Rows || !single.Whole(x) || !single.Whole(dst):
		panic(mat.ErrShape)
	}
	if single.OverlapMatrix(dst, x) {
		panic(overlap)
	}
	var predictions mat.Dense
	m.m.PredictTo(&predictions, &rows.Single{General: x})
	for i := range dst.Rows {
		narrow(dst.Data[i*dst.Stride:][:dst.Cols], predictions.RawRowView(i))
	}
}

// PredictVec sets dst to the predictions for x, one for each target, and returns it. A nil dst is allocated; otherwise
// nothing is. It panics with mat.ErrShape if x is not of length in or dst not of length T, and with a message if they
// overlap.
func (m *Model32) PredictVec(dst, x []float32) []float32 {
	if m.m == nil || len(x) != m.m.in || dst != nil && len(dst) != m.m.targets() {
		panic(mat.ErrShape)
	}
	if dst == nil {
		dst = make([]float32, m.m.targets())
	}
	if single.Overlap(dst, x) {
		panic(overlap)
	}
	wide := m.m.phi.(*widened)
	s := wide.workspace()
	s.wide = resize(s.wide, m.m.out+len(dst))
	features, predictions := s.wide[:m.m.out], s.wide[m.m.out:]
	m.m.predictor.OfFeatures(predictions, wide.features(s, features, x))
	narrow(dst, predictions)
	wide.workspaces.Put(s)
	return dst
}

const overlap = "ridge: dst and x overlap"

// narrow rounds numbers to float32.
func narrow(dst []float32, v []float64) {
	for i, v := range v {
		dst[i] = float32(v)
	}
}
