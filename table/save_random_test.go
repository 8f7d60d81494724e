// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// randomUnit returns 1, or a power of two that may be next to the largest or the least float64.
func randomUnit(s *featuremap.Sampler) float64 {
	return math.Ldexp(1, []int{0, s.IntN(40) - 20, s.IntN(900) - 450, s.IntN(2000) - 1000}[s.IntN(4)])
}

// A randomFit is rows of any magnitude, of targets some of which are constant or have no noise, and a map of them.
type randomFit struct {
	phi     featuremap.FeatureMap
	x, y    *mat.Dense
	classes []int
	weights []float64 // nil: 1
}

// newRandomFit returns one, or false where there is no map.
func newRandomFit(s *featuremap.Sampler) (f randomFit, ok bool) {
	n, d, targets := 2+s.IntN(20), 1+s.IntN(3), 1+s.IntN(3)
	f.x, f.y, f.classes = mat.NewDense(n, d, nil), mat.NewDense(n, targets, nil), make([]int, n)
	unit := randomUnit(s)
	for i := range n {
		f.classes[i] = i % 2
		for j := range d {
			f.x.Set(i, j, unit*s.Normal())
		}
	}
	for t := range targets {
		unit, kind := randomUnit(s), s.IntN(4)
		for i := range n {
			f.y.Set(i, t, []float64{unit, f.x.At(i, 0), unit * s.Normal(), s.Normal()}[kind])
		}
	}
	if s.IntN(3) == 0 {
		unit := randomUnit(s)
		for range n {
			f.weights = append(f.weights, unit*s.Float64())
		}
	}
	k := []featuremap.Kernel{
		featuremap.Gaussian{LengthScale: unit}, featuremap.Matern{Nu: 1.5, LengthScale: randomUnit(s)}, featuremap.Linear{},
		featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, featuremap.Scale(randomUnit(s), featuremap.Cauchy{LengthScale: unit}),
		featuremap.Sum(featuremap.Linear{}, featuremap.Gaussian{LengthScale: unit}),
	}[s.IntN(6)]
	var err error
	if s.IntN(3) == 0 {
		f.phi, err = featuremap.NewNystrom(k, f.x, min(n, 4), s, nil)
	} else {
		f.phi, err = testkit.New(k, d, 4+s.IntN(12), s)
	}
	return f, err == nil
}

// Whatever random rows maps, models and sums are made of, a file that is written is read again, and gives the same file.
func TestSavedIsRead(t *testing.T) {
	s, counts := featuremap.NewSampler(5), make(map[string]int)
	check := func(name string, write func(b *bytes.Buffer) error, read func(b *bytes.Buffer) (again func(b *bytes.Buffer) error, err error)) {
		var file bytes.Buffer
		if write(&file) != nil {
			if file.Len() > 0 {
				t.Errorf("%s: half a file was written", name)
			}
			return
		}
		written := slices.Clone(file.Bytes())
		again, err := read(&file)
		if err != nil {
			t.Errorf("%s: what was written is refused: %v", name, err)
			return
		}
		if err := again(&file); err != nil || !bytes.Equal(written, file.Bytes()) {
			t.Errorf("%s: what was read is another file: %v", name, err)
		}
		counts[name]++
	}
	checkRidge := func(name string, m *ridge.Model) {
		check(name, func(b *bytes.Buffer) error { _, err := m.WriteTo(b); return err }, func(b *bytes.Buffer) (func(b *bytes.Buffer) error, error) {
			read, err := ridge.ReadModel(b, nil)
			return func(b *bytes.Buffer) error { _, err := read.WriteTo(b); return err }, err
		})
	}
	for range 20 {
		f, ok := newRandomFit(s)
		if !ok {
			continue
		}
		check("map", func(b *bytes.Buffer) error { return featuremap.Encode(b, f.phi) }, func(b *bytes.Buffer) (func(b *bytes.Buffer) error, error) {
			phi, err := featuremap.Decode(b, nil)
			return func(b *bytes.Buffer) error { return featuremap.Encode(b, phi) }, err
		})
		o := &ridge.Options{NoIntercept: s.IntN(2) == 0, Criterion: ridge.Criterion(s.IntN(3)), Beyond: true, Weights: f.weights}
		switch s.IntN(4) {
		case 0:
			o.Lambda = randomUnit(s)
		case 1:
			o.Path = []float64{0, randomUnit(s)}
		case 2:
			o.NoiseVariance = []float64{randomUnit(s)}
		}
		if m, err := ridge.Fit(f.phi, f.x, f.y, o); err == nil {
			checkRidge("ridge", m)
			checkRidge("mean only", m.MeanOnly())
		}
		_, targets := f.y.Dims()
		rows := func(yield func(ridge.Batch, error) bool) { yield(ridge.Batch{X: f.x, Y: f.y, Weights: f.weights}, nil) }
		if m, err := ridge.FitIterative(f.phi, rows, &ridge.IterativeOptions{Lambda: o.Lambda, Beyond: true, Passes: 3, Samples: s.IntN(3)}); err == nil {
			checkRidge("iterative", m)
		}
		if s.IntN(2) == 0 {
			_, _ = ridge.FitPasses(f.phi, func(p *ridge.Pass) (*ridge.PassSums, error) {
				check("pass", func(b *bytes.Buffer) error { _, err := p.WriteTo(b); return err }, func(b *bytes.Buffer) (func(b *bytes.Buffer) error, error) {
					read, err := ridge.ReadPass(b, f.phi)
					return func(b *bytes.Buffer) error { _, err := read.WriteTo(b); return err }, err
				})
				sums := p.NewSums(0)
				if err := sums.AddWeighted(f.x, f.y, f.weights); err != nil {
					return nil, err
				}
				check("sums of a pass", func(b *bytes.Buffer) error { _, err := sums.WriteTo(b); return err }, func(b *bytes.Buffer) (func(b *bytes.Buffer) error, error) {
					read, err := p.ReadSums(b)
					return func(b *bytes.Buffer) error { _, err := read.WriteTo(b); return err }, err
				})
				return sums, nil
			}, targets, &ridge.IterativeOptions{Lambda: o.Lambda, Beyond: true, Passes: 3})
		}
		if a, err := ridge.NewAccumulator(f.phi, targets); err == nil && a.AddWeighted(f.x, f.y, f.weights) == nil {
			check("sums", func(b *bytes.Buffer) error { _, err := a.WriteTo(b); return err }, func(b *bytes.Buffer) (func(b *bytes.Buffer) error, error) {
				read, err := ridge.ReadAccumulator(b, f.phi)
				return func(b *bytes.Buffer) error { _, err := read.WriteTo(b); return err }, err
			})
		}
		if m, err := logistic.Fit(f.phi, f.x, f.classes, &logistic.Options{Weights: f.weights, Lambda: o.Lambda, Balanced: s.IntN(2) == 0}); err == nil {
			check("logistic", func(b *bytes.Buffer) error { _, err := m.WriteTo(b); return err }, func(b *bytes.Buffer) (func(b *bytes.Buffer) error, error) {
				read, err := logistic.ReadModel(b, nil)
				return func(b *bytes.Buffer) error { _, err := read.WriteTo(b); return err }, err
			})
		}
	}
	for _, name := range []string{"map", "ridge", "mean only", "iterative", "sums", "pass", "sums of a pass", "logistic"} {
		if counts[name] < 4 {
			t.Errorf("%s: only %d were read", name, counts[name])
		}
	}
}
