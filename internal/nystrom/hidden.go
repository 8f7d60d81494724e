// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package nystrom

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Hidden is embedded, by an unexported alias, in the map of a Set. It holds what other packages of the module need of
// the map and its users do not see.
type Hidden struct {
	raw    any
	factor *tiled.Factor
	points mat.Matrix
}

// Hide returns the hidden part of the map of a set: the map of its raw features, and the factor and the points of
// the set.
func Hide(raw any, s *Set) Hidden { return Hidden{raw, s.Factor, s.Points} }

func (h *Hidden) hidden() *Hidden { return h }

// Of returns the map of raw features that a map hides, and the factor U, which must not be changed; nil for a zero
// value.
func Of(m interface{ hidden() *Hidden }) (raw any, u *tiled.Factor) {
	h := m.hidden()
	return h.raw, h.factor
}

// PointsOf returns the landmarks that a map hides, which must not be changed; nil for a zero value.
func PointsOf(m interface{ hidden() *Hidden }) mat.Matrix { return m.hidden().points }
