// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// layout adds the columns of the series, multiplied by scale, to b: the constant, the cosines and the sines.
func (r *latticeRecipe) layout(b *recipe.Builder, scale float64) {
	var waves [][]float64
	var amplitudes []float64
	for _, g := range r.groups[1:] { // the first is that of the frequency 0, which has the largest weight
		amplitude := scale * math.Sqrt(float64(2*r.Mass)*g.weight)
		for signs := range uint(g.columns / 2) {
			waves, amplitudes = append(waves, r.frequency(g, signs)), append(amplitudes, amplitude)
		}
	}
	first := b.At
	b.Add(1, projection.Constants{At: first, Values: []float64{scale * math.Sqrt(float64(r.Mass*r.groups[0].weight))}})
	r.waves(b, waves, amplitudes)
	if len(r.window) > 0 {
		b.Add(0, projection.Weighted{At: first, Columns: b.At - first, Weight: r.window.Weight, Gradient: r.window.gradientTo})
	}
}

// waves adds a cosine and a sine of each frequency, with its amplitude.
func (r *latticeRecipe) waves(b *recipe.Builder, waves [][]float64, amplitudes []float64) {
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

// frequency returns a frequency of a group, as one of points in front of the warp. The first number of steps that is not 0 is
// taken as positive, since a frequency and its negative have the same columns. Bits of signs say which others are not.
func (r *latticeRecipe) frequency(g waveGroup, signs uint) []float64 {
	behind, first := make([]float64, r.Dim()), true
	for a, axis := range r.axes {
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
		for i, v := range axis.row {
			behind[i] += float64(float64(j*axis.step) * v)
		}
	}
	w := make([]float64, r.In)
	r.Warp.Pull(w, behind)
	return w
}

// exactSeries returns the features of a stationary kernel on R^in that is a product of Periodic kernels, with all frequencies of
// its series but those that sum to less than the rounding of 1; or nil for another kernel, or if these are too many.
func exactSeries(warped spectrum.Warped, in int) *exactRecipe {
	axes, ok := latticeAxes(warped.Kernel, warped.Warp.Dim(in))
	if !ok || len(axes) == 0 {
		return nil
	}
	for _, a := range axes {
		if !a.periodic || 20/a.length > mostWaves {
			return nil
		}
	}
	r, err := newLatticeRecipe(warped, in, mostSeries, nil)
	if err != nil || r == nil {
		return nil
	}
	left := 1.0
	for _, g := range r.groups {
		left -= g.weight * float64(g.columns)
	}
	if !(math.Abs(left) < 0x1p-48) { // the weights of all groups sum to 1, but for rounding
		return nil
	}
	rest := 0.0
	for n := len(r.groups); n > 1; n-- {
		g := r.groups[n-1]
		if rest += g.weight * float64(g.columns); rest > 0x1p-53 {
			break
		}
		r.groups, r.Columns = r.groups[:n-1], r.Columns-g.columns
	}
	exact := &exactRecipe{Frame: recipe.Frame{In: in, Columns: r.Columns}, scale: 1}
	exact.layout = r.layout
	return exact
}

const (
	mostSeries  = 1 << 13 // the largest number of columns of a series
	seriesSteps = 1 << 24 // about how many steps it takes to choose them, at most: see tableSteps
)

// A latticeDocument is a latticeRecipe as it is saved: for each Gaussian factor its step, and its fade as three numbers, middle, flat and
// width.
type latticeDocument struct {
	Steps []float64 `save:"steps,omitempty"`
	Fades []float64 `save:"fades,omitempty"`
}

func (r *latticeRecipe) Document() any {
	var d latticeDocument
	for _, s := range r.sides() {
		d.Steps = append(d.Steps, s.step)
		d.Fades = append(d.Fades, s.fade.middle, s.fade.flat, s.fade.width)
	}
	return d
}

func (d latticeDocument) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	s, ok := asked.Spectrum()
	if !ok || asked.Whole || asked.Columns > mostSeries {
		return nil, nil
	}
	if err := asked.Take(0, seriesSteps); err != nil {
		return nil, err
	}
	if len(d.Fades) != 3*len(d.Steps) {
		return nil, document.Under("fades", document.Refused("%d numbers: must be three for each of %d steps", len(d.Fades), len(d.Steps)))
	}
	var sides []latticeSide
	for i, step := range d.Steps {
		f := d.Fades[3*i:]
		sides = append(sides, latticeSide{step, fade{f[0], f[1], f[2]}})
	}
	r, err := newLatticeRecipe(s, asked.In, asked.Columns, sides)
	if err != nil || r == nil || r.Columns != asked.Columns {
		return nil, err
	}
	return r, nil
}
