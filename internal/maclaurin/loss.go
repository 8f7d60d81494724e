// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maclaurin

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// seriesLoss is what a map loses of f(⟨w(x), w(x)⟩), where w is a warp, if it has only some terms of the series f.
type seriesLoss struct {
	f    series.Series
	kept []float64 // the coefficients aₙ of its terms, 0 for the other terms
	by   warp.Warp
}

// at returns the lost part at t = ‖w(x)‖², and its derivative with respect to t.
func (l seriesLoss) at(t float64) (lost, slope float64) {
	value := l.f.Eval(t)
	switch {
	case math.IsInf(value, 1):
		return 1, 0
	case value == 0, value < tiny && t < small:
		return l.near0()
	}
	var sum, deriv float64
	for n := len(l.kept) - 1; n >= 0; n-- {
		deriv = math.FMA(deriv, t, sum)
		sum = math.FMA(sum, t, l.kept[n])
	}
	part := sum / value
	if part >= 1 { // by rounding
		return 0, 0
	}
	return 1 - part, float64(part*l.f.Deriv(t)/value) - deriv/value
}

// Near 0 a series without a constant term loses digits where its value is below tiny, and is its first term where t is below small.
const (
	tiny  = 0x1p-900
	small = 0x1p-100
)

// near0 returns what at returns at 0: its limit if the series has no constant term.
func (l seriesLoss) near0() (lost, slope float64) {
	for n, kept := range l.kept {
		a := l.f.Coeff(n)
		if !(a > 0) {
			continue
		}
		var next float64
		if n+1 < len(l.kept) {
			next = l.kept[n+1]
		}
		part := kept / a
		if lost = 1 - part; !(lost > 0) {
			lost = 0
		}
		return lost, (float64(part*l.f.Coeff(n+1)) - next) / a
	}
	return 1, 0
}

func (l seriesLoss) Lost(x []float64) float64 {
	u := l.by.Image(x)
	lost, _ := l.at(arith.Chain(u, u))
	return lost
}

func (l seriesLoss) LostGradient(dst, x []float64) {
	u := l.by.Image(x)
	_, slope := l.at(arith.Chain(u, u))
	back := make([]float64, len(u))
	for i, v := range u {
		back[i] = float64(2*slope) * v
	}
	l.by.Pull(dst, back)
}

func (l seriesLoss) Inside(x []float64) bool { return l.Lost(x) <= recipe.MostLost }

func (l seriesLoss) Confined() bool { return l.f != nil }
