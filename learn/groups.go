// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// newModel returns the model of some terms on the rows of t, with about the given number of random features, which s
// draws.
func newModel(t *table, terms []term, features int, s *featuremap.Sampler) (*model, error) {
	m := &model{table: t, terms: terms, groups: make([]group, len(terms))}
	sharing := 0
	for _, k := range terms {
		if k.kind == stationary || k.kind == other {
			sharing++
		}
	}
	for i := range terms {
		g, err := newGroup(&terms[i], t.rawPoints(), max(features/max(sharing, 1)&^1, 2), s)
		if err != nil {
			return nil, err
		}
		g.at = m.width
		m.width += g.columns
		m.groups[i] = g
	}
	return m, nil
}

// newGroup returns the columns of a term for the rows of x, the given number of them if they are random.
func newGroup(t *term, x mat.Matrix, features int, s *featuremap.Sampler) (group, error) {
	switch t.kind {
	case stationary:
		frequencies, mass, err := baseFrequencies(t.base, t.warp.out(), features, s)
		g := group{columns: features, frequencies: frequencies, mass: mass}
		if err == nil && t.held != nil {
			err = g.hold(loose(t.held), t.warp.in, s)
		}
		return g, err
	case linear:
		return fixedGroup(x, t.warp.out(), func(dst, x []float64) { t.warp.image(dst, x) }), nil
	case constant:
		root := math.Sqrt(t.base.(featuremap.Constant).Value)
		return fixedGroup(x, 1, func(dst, _ []float64) { dst[0] = root }), nil
	}
	return otherGroup(t, x, features, s)
}

// hold multiplies the kernel of a group by a stationary kernel k on R^d: the frequencies of a product are sums of
// independent frequencies of its factors.
func (g *group) hold(k featuremap.Kernel, d int, s *featuremap.Sampler) error {
	phi, err := featuremap.NewFourier(k, d, g.columns, s, nil)
	if err != nil {
		return fmt.Errorf("learn: the factor %v: %w", k, err)
	}
	g.held = phi.Frequencies()
	g.mass *= massOf(k)
	return nil
}

// fixedGroup returns a group of columns that a function computes for each row.
func fixedGroup(x mat.Matrix, columns int, of func(dst, x []float64)) group {
	var reader rows.Reader
	reader.Reset(x)
	g := group{columns: columns, fixed: newGeneral(reader.N, columns, columns)}
	for i := range reader.N {
		of(g.fixed.Data[i*columns:][:columns], reader.Row(i))
	}
	return g
}

// otherGroup returns the features of a term of which only the scale is learned.
func otherGroup(t *term, x mat.Matrix, features int, s *featuremap.Sampler) (group, error) {
	k := loose(t.expression(1, t.warp))
	n, d := x.Dims()
	plan, err := featuremap.NewPlan(k, nil, features, &featuremap.PlanOptions{In: d})
	if err != nil {
		return group{}, fmt.Errorf("learn: the term %v: %w", k, err)
	}
	phi, err := plan.Draw(s)
	if err != nil {
		return group{}, fmt.Errorf("learn: the term %v: %w", k, err)
	}
	_, columns := phi.Dims()
	g := group{columns: columns, fixed: newGeneral(n, columns, columns)}
	var dst mat.Dense
	dst.SetRawMatrix(g.fixed)
	phi.TransformTo(&dst, x)
	return g, nil
}

// baseFrequencies returns features/2 frequencies of a stationary kernel on R^p, orthogonal ones if there are such, and
// the mass.
func baseFrequencies(k featuremap.Kernel, p, features int, s *featuremap.Sampler) (*mat.Dense, float64, error) {
	phi, err := featuremap.NewFourier(k, p, features, s, &featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		if phi, err = featuremap.NewFourier(k, p, features, s, nil); err != nil {
			return nil, 0, fmt.Errorf("learn: the term %v: %w", k, err)
		}
	}
	return phi.Frequencies(), massOf(k), nil
}

// massOf returns the mass of a kernel that has frequencies.
func massOf(k featuremap.Kernel) float64 {
	s, _ := featuremap.StationaryOf(k)
	return s.Mass()
}
