// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// The factor of landmarks, and which of them are dropped.

// pivotTiny is the part of k(s, s) below which the pivot of a landmark s is taken for rounding: with the pivot p·k(s, s) a landmark
// takes away at most that part of an error, and adds one of some 1e-16/p for points that the others leave much of.
const pivotTiny = 1e-10

// factorize sets the factor and which landmarks are dropped.
func (m *Landmarks) factorize() error {
	n, _ := m.points.Dims()
	gram := mat.NewSymDense(n, nil)
	m.matrix.symmetricTo(gram.RawSymmetric())
	for i := range n {
		for j := i; j < n; j++ {
			if v := gram.At(i, j); !finite(v) {
				return fmt.Errorf("featuremap: k(s, t) = %v at landmarks %d and %d: must be finite", v, i, j)
			}
		}
	}
	a := tiled.New(n)
	for j := range n {
		for i := range j + 1 {
			a.Set(i, j, gram.At(i, j))
		}
	}
	if m.factor, m.dropped = a.FactorizeWithout(pivotTiny); len(m.dropped) == n {
		return errors.New("featuremap: all landmarks are dropped: k(s, s) is positive for none")
	}
	if m.residual == nil {
		return nil
	}
	return m.border(a)
}

// border extends the factor by the columns of residual features: L⁻¹Ψ above I. The elements of a are those of Lᵀ.
func (m *Landmarks) border(a *tiled.Matrix) error {
	n, _ := m.points.Dims()
	psi := mat.NewDense(n, m.out-n, nil)
	m.residual.TransformTo(psi, m.points)
	if err := validateFinite("features of the landmarks", psi, 0); err != nil {
		return err
	}
	for _, i := range m.dropped {
		clear(psi.RawRowView(i))
	}
	columns := mat.DenseCopyOf(psi.T())
	m.factor.SolveTransVecs(columns.RawMatrix())
	u := tiled.New(m.out)
	column := make([]float64, m.out)
	for j := range m.out {
		clear(column)
		if j < n {
			a.Column(column, j)
		} else {
			copy(column, columns.RawRowView(j-n))
			column[j] = 1
		}
		u.SetColumn(j, column)
	}
	m.factor = tiled.NewFactor(u)
	return nil
}
