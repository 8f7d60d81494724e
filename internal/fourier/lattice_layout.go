// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// layout adds the columns of the series, multiplied by scale, to b: the constant, the cosines and the sines.
func (r *Lattice) layout(b *recipe.Builder, scale float64) {
	var waves [][]float64
	var amplitudes []float64
	for _, g := range r.Groups[1:] { // the first group is the frequency 0, which has the largest weight
		amplitude := scale * math.Sqrt(float64(2*r.Mass)*g.weight)
		for signs := range uint(g.Columns / 2) {
			waves, amplitudes = append(waves, r.frequency(g, signs)), append(amplitudes, amplitude)
		}
	}
	first := b.At
	b.Add(1, projection.Constants{At: first, Values: []float64{scale * math.Sqrt(float64(r.Mass*r.Groups[0].weight))}})
	r.waves(b, waves, amplitudes)
	if len(r.window) > 0 {
		b.Add(0, projection.Weighted{At: first, Columns: b.At - first, Weight: r.window.Weight, Gradient: r.window.gradientTo})
	}
}

// waves adds a cosine and a sine of each frequency, with its amplitude.
func (r *Lattice) waves(b *recipe.Builder, waves [][]float64, amplitudes []float64) {
	if len(waves) == 0 {
		return
	}
	p := projection.New(len(waves), b.In, projection.CosSin, 1)
	for i, w := range waves {
		for j := range w {
			w[j] /= 2 * math.Pi
		}
		p.Set(i, w, 0)
	}
	at := b.At
	b.Add(2*len(waves), projection.Forms{Projection: p, At: at}, projection.Scaled{At: at, Factors: append(amplitudes, amplitudes...)})
}

// frequency returns a frequency of a group, for points in front of the warp. The first number of steps that is not 0 is
// taken as positive, because a frequency and its negative have the same columns. Bits of signs give the signs of the
// others.
func (r *Lattice) frequency(g waveGroup, signs uint) []float64 {
	behind, first := make([]float64, r.Dim()), true
	for a, axis := range r.Axes {
		j := float64(g.numbers[a])
		if j == 0 {
			continue
		}
		if !first {
			if signs&1 != 0 {
				j = -j
			}
			signs >>= 1
		}
		first = false
		for i, v := range axis.Row {
			behind[i] += float64(float64(j*axis.Step) * v)
		}
	}
	w := make([]float64, r.In)
	r.Warp.Pull(w, behind)
	return w
}

// ExactSeries returns the features of a stationary kernel on R^in that is a product of Periodic kernels. It omits only
// frequencies that sum to less than the rounding error of 1. It returns the number of columns and a function that lays
// them out, which is nil for other kernels and where there are too many columns.
func ExactSeries(warped spectrum.Warped, in int) (columns int, layout func(b *recipe.Builder, scale float64)) {
	axes, ok := Axes(warped.Kernel, warped.Warp.Dim(in))
	if !ok || len(axes) == 0 {
		return 0, nil
	}
	for _, a := range axes {
		if !a.Periodic || 20/a.Length > mostWaves {
			return 0, nil
		}
	}
	r, err := NewLattice(warped, in, MostSeries, nil)
	if err != nil || r == nil {
		return 0, nil
	}
	left := 1.0
	for _, g := range r.Groups {
		left -= g.weight * float64(g.Columns)
	}
	if !(math.Abs(left) < 0x1p-48) { // the weights of all groups sum to 1, except for rounding
		return 0, nil
	}
	rest := 0.0
	for n := len(r.Groups); n > 1; n-- {
		g := r.Groups[n-1]
		if rest += g.weight * float64(g.Columns); rest > 0x1p-53 {
			break
		}
		r.Groups, r.Columns = r.Groups[:n-1], r.Columns-g.Columns
	}
	return r.Columns, r.layout
}

const (
	MostSeries  = 1 << 13 // the largest number of columns of a series
	SeriesSteps = 1 << 24 // about how many steps it takes to choose them, at most: see power.TableSteps
)

// LatticeDocument is the saved form of a Lattice: for each Gaussian factor its step and its fade, which is three
// numbers, middle, flat and width.
type LatticeDocument struct {
	Steps []float64 `save:"steps,omitempty"`
	Fades []float64 `save:"fades,omitempty"`
}

func (r *Lattice) Document() any {
	var d LatticeDocument
	for _, s := range r.Sides() {
		d.Steps = append(d.Steps, s.Step)
		d.Fades = append(d.Fades, s.Fade.Middle, s.Fade.Flat, s.Fade.Width)
	}
	return d
}

func (d LatticeDocument) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	s, ok := asked.Spectrum()
	if !ok || asked.Whole || asked.Columns > MostSeries {
		return nil, nil
	}
	if err := asked.Take(0, SeriesSteps); err != nil {
		return nil, err
	}
	if len(d.Fades) != 3*len(d.Steps) {
		return nil, document.Under("fades", document.Refused("%d numbers: must be three for each of %d steps", len(d.Fades), len(d.Steps)))
	}
	var sides []LatticeSide
	for i, step := range d.Steps {
		f := d.Fades[3*i:]
		sides = append(sides, LatticeSide{step, Fade{f[0], f[1], f[2]}})
	}
	r, err := NewLattice(s, asked.In, asked.Columns, sides)
	if err != nil || r == nil || r.Columns != asked.Columns {
		return nil, err
	}
	return r, nil
}
