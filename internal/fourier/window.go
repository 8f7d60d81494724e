// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
)

// Fade is the function of one number u that takes features to 0 away from the points that a map is made for. It is 1 up
// to the distance flat from middle and 0 from flat + width on. In between it is 1 − 3t² + 2t³, with t from 0 to 1.
type Fade struct {
	Middle, Flat, Width float64
}

// at returns the value, and slope the derivative, at u. It is NaN if u is not finite, as features of such points are.
func (f Fade) at(u float64) float64 {
	switch t := f.place(u); {
	case math.IsInf(u, 0):
		return math.NaN()
	case t <= 0:
		return 1
	case t >= 1:
		return 0
	default:
		return math.FMA(float64(t*t), math.FMA(2, t, -3), 1)
	}
}

func (f Fade) slope(u float64) float64 {
	t := f.place(u)
	if t <= 0 || t >= 1 {
		return 0
	}
	return math.Copysign(float64(6*t)*(1-t)/f.Width, f.Middle-u)
}

// place returns t: at most 0 where the value is 1, and at least 1 where it is 0.
func (f Fade) place(u float64) float64 { return (math.Abs(u-f.Middle) - f.Flat) / f.Width }

// validate refuses a fade that no points can produce.
func (f Fade) validate() error {
	if !(math.Abs(f.Middle) <= math.MaxFloat64 && f.Flat >= 0 && f.Flat <= math.MaxFloat64 && f.Width > 0 && f.Width <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: a lattice fades from %v about %v on, within %v: must be finite, at least 0, and positive", f.Flat, f.Middle, f.Width)
	}
	return nil
}

// A window is the product of fades along some directions: the weight of a lattice map.
type window []windowSide

// A windowSide is the fade of u(x) = row·x, for a point x in front of the warp.
type windowSide struct {
	row []float64
	Fade
}

// Weight returns the value at x.
func (w window) Weight(x []float64) float64 {
	v := 1.0
	for _, s := range w {
		v *= s.at(arith.Chain(s.row, x))
	}
	return v
}

// gradientTo sets dst to the gradient at x.
func (w window) gradientTo(dst, x []float64) {
	clear(dst)
	for i, s := range w {
		slope := s.slope(arith.Chain(s.row, x))
		if slope == 0 {
			continue
		}
		for j, other := range w {
			if j != i {
				slope *= other.at(arith.Chain(other.row, x))
			}
		}
		for k, v := range s.row {
			dst[k] = math.FMA(slope, v, dst[k])
		}
	}
}

// inside tells whether the value at x is 1. It is false if a coordinate is not finite.
func (w window) inside(x []float64) bool {
	for _, s := range w {
		if !(s.place(arith.Chain(s.row, x)) <= 0) {
			return false
		}
	}
	return true
}
