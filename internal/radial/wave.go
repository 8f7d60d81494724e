// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package radial

import "math"

// wave computes j(s), the mean of cos(s·t) for a coordinate t of a uniform point of the unit sphere of R^d. It is ₀F₁(;
// d/2; −s²/4), a Bessel function. It uses package math, because bits of variances may differ between machines.
type wave struct {
	d      float64
	value  []float64                   // coefficients of j in powers of s²
	square []float64                   // the same for the variance of cos(s·t), ½(1 + j(2s)) − j(s)²
	near   float64                     // up to here the series are exact except for rounding
	table  []float64                   // values of j, by s/step
	step   float64                     // from one value of the table to the next
	beyond func(s float64) (j float64) // j beyond the table
}

// terms is the number of terms of the series up to near, where term k is at most 1/k!².
const terms = 12

func newWave(d int) *wave {
	w := &wave{d: float64(d), value: make([]float64, terms), square: make([]float64, terms), near: 1.4 * math.Sqrt(float64(d))}
	w.value[0] = 1
	for k := 1; k < terms; k++ {
		w.value[k] = -0.25 * w.value[k-1] / (float64(k) * (w.d/2 + float64(k-1)))
	}
	for k := 2; k < terms; k++ { // the first two are 0
		w.square[k] = 0.5 * math.Pow(4, float64(k)) * w.value[k]
		for i := range k + 1 {
			w.square[k] -= w.value[i] * w.value[k-i]
		}
	}
	switch d {
	case 1:
		w.near, w.beyond = 0, math.Cos
	case 2:
		w.near, w.beyond = 0, math.J0
	case 3:
		w.beyond = func(s float64) float64 { return math.Sin(s) / s }
	default:
		w.beyond = func(float64) float64 { return 0 }
		w.integrate()
	}
	return w
}

// integrate makes the table from the differential equation j″ + (d − 1)/s·j′ + j = 0, by steps of the Runge-Kutta
// method, as far as j is above 1e-6. It starts from values of the series.
func (w *wave) integrate() {
	const longest = 60
	root := math.Sqrt(w.d)
	w.step = 0.02 * root
	perStep := 2 + int(w.d)/64 // (d − 1)/s makes it stiff
	h := w.step / float64(perStep)
	second := func(s, j, slope float64) float64 { return -(w.d-1)/s*slope - j }
	s, j, slope := 0.0, 1.0, 0.0
	for len(w.table) == 0 || s <= 0.5*w.near { // by the series
		s = w.step * float64(len(w.table))
		j = polynomial(w.value, s*s)
		w.table = append(w.table, j)
	}
	for k := 1; k < terms; k++ {
		slope += 2 * float64(k) * w.value[k] * math.Pow(s, float64(2*k-1))
	}
	for peak := 1.0; s < longest*root && (s < 3*root || peak > 1e-6); {
		for range perStep {
			a0, b0 := slope, second(s, j, slope)
			a1, b1 := slope+0.5*h*b0, second(s+0.5*h, j+0.5*h*a0, slope+0.5*h*b0)
			a2, b2 := slope+0.5*h*b1, second(s+0.5*h, j+0.5*h*a1, slope+0.5*h*b1)
			a3, b3 := slope+h*b2, second(s+h, j+h*a2, slope+h*b2)
			j += h / 6 * (a0 + 2*a1 + 2*a2 + a3)
			slope += h / 6 * (b0 + 2*b1 + 2*b2 + b3)
			s += h
		}
		peak = math.Hypot(j, slope)
		w.table = append(w.table, j)
	}
}

// at returns j(s) for s ≥ 0.
func (w *wave) at(s float64) float64 {
	if s <= w.near {
		return polynomial(w.value, s*s)
	}
	if u := s / w.step; u < float64(len(w.table)-2) { // without a table step is 0 and u infinite
		i := int(u)
		t := u - float64(i)
		a, b, c, d := w.table[i-1], w.table[i], w.table[i+1], w.table[i+2]
		return -t*(t-1)*(t-2)/6*a + (t+1)*(t-1)*(t-2)/2*b - (t+1)*t*(t-2)/2*c + (t+1)*t*(t-1)/6*d
	}
	return w.beyond(s)
}

// variance returns the variance of cos(s·t), given j(s).
func (w *wave) variance(s, j float64) float64 {
	switch {
	case w.d == 1:
		return 0
	case 2*s <= 1.4*math.Sqrt(w.d):
		return polynomial(w.square, s*s)
	}
	return max(0.5*(1+w.at(2*s))-j*j, 0)
}

// polynomial returns Σ c[k]·xᵏ.
func polynomial(c []float64, x float64) (sum float64) {
	for k := len(c) - 1; k >= 0; k-- {
		sum = sum*x + c[k]
	}
	return sum
}
