// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// drawnWaves are the random waves of a recipe. Only the samplers are kept, in their state before sampling: frequencies
// and phases are sampled again whenever they are needed.
type drawnWaves struct {
	*Recipe
	ofFrequencies, ofPhases random.Sampler
}

func (f *drawnWaves) Frequencies() *mat.Dense {
	w := mat.NewDense(f.Forms(), f.In, nil)
	f.each(func(i int, row []float64) { w.SetRow(i, row) })
	return w
}

func (f *drawnWaves) Phases() []float64 {
	if !f.opts.RandomPhase {
		return nil
	}
	s := f.ofPhases.Clone()
	b := make([]float64, f.Forms())
	for i := range b {
		b[i] = 2 * math.Pi * s.Float64()
	}
	return b
}

// phase returns a function that draws the next phase whenever it is called, in turns, or nil in the pair form.
func (f *drawnWaves) phase() func(int) float64 {
	if !f.opts.RandomPhase {
		return nil
	}
	s := f.ofPhases.Clone()
	return func(int) float64 { return s.Float64() }
}

// each samples the frequencies and calls do with one after another, in a slice that is valid until
// the next call.
func (f *drawnWaves) each(do func(i int, w []float64)) {
	s := f.ofFrequencies.Clone()
	image := make([]float64, f.In)
	designed := func(i int, w []float64) {
		if !f.Warp.Identity() {
			f.Warp.Pull(image, w)
			w = image
		}
		do(i, w)
	}
	switch f.Design() {
	case design.Orthogonal:
		design.DrawOrthogonal(f.lengths(s), f.Forms(), f.Dim(), s, designed)
		return
	case design.Structured:
		d := f.Dim()
		design.DrawStructured(f.lengths(s), f.Forms(), design.PaddedDim(d), s, func(b *design.StructuredBlock) {
			b.Rows(d, designed)
		})
		return
	case design.Sobol:
		points := f.points(s)
		w := make([]float64, f.Dim())
		for i := range f.Forms() {
			points.next(w)
			designed(i, w)
		}
		return
	}
	w := make([]float64, f.Dim())
	for i := range f.Forms() {
		f.Frequency(w, s)
		designed(i, w)
	}
}

// packStructured draws the signs and lengths of structured frequencies, and packs them in turns.
func (f *drawnWaves) packStructured(b *recipe.Builder) error {
	d, phase := f.Dim(), f.phase()
	e, scale, columns := waveColumns(f.Mass, f.Forms(), phase == nil)
	p := projection.NewStructured(b.At, f.Forms(), d, design.PaddedDim(d), e, scale, f.Warp.Before(f.In))
	frequencies, bias := f.ofFrequencies.Clone(), 0.0
	var err error
	design.DrawStructured(f.lengths(frequencies), f.Forms(), design.PaddedDim(d), frequencies, func(b *design.StructuredBlock) {
		for i, signs := range b.Signs {
			copy(p.Signs(b.First, i), signs)
		}
		for i, length := range b.Lengths {
			if !(length <= math.MaxFloat64) && err == nil {
				err = fmt.Errorf("featuremap: %v drew a frequency of length %v: must be finite", f.Spectrum, length)
			}
			if phase != nil {
				bias = phase(b.First + i)
			}
			p.Set(b.First+i, length/(2*math.Pi), bias)
		}
	})
	b.Add(columns, p)
	return err
}
