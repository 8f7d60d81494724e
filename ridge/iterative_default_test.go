// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What FitIterative does by default, beside Fit: its error to the truth at new points, and its passes.

package ridge

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// friedman is the function of Friedman, Multivariate adaptive regression splines, 1991, of five coordinates in [0, 1].
func friedman(x []float64) float64 {
	return 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-0.5)*(x[2]-0.5) + 10*x[3] + 5*x[4]
}

func wave(x []float64) float64 { return math.Sin(9*x[0])*math.Cos(6*x[1]) + 1.5*x[0] }

// A defaultCase is rows of functions of uniform coordinates with normal noise, and new rows without.
type defaultCase struct {
	name               string
	phi                featuremap.FeatureMap
	x, y, test, truths *mat.Dense
}

const newRows = 500

// newDefaultCase draws n rows, with a target of each function. Without features the map is landmarks.
func newDefaultCase(t *testing.T, name string, n, in, features int, length, noise float64, seed uint64, functions ...func([]float64) float64) *defaultCase {
	s := featuremap.NewSampler(seed)
	draw := func(n int, noise float64) (x, y *mat.Dense) {
		x, y = mat.NewDense(n, in, nil), mat.NewDense(n, len(functions), nil)
		for i := range n {
			row := x.RawRowView(i)
			for j := range row {
				row[j] = s.Float64()
			}
			for k, f := range functions {
				y.Set(i, k, f(row)+noise*s.Normal())
				noise /= 50 // of the next target
			}
			noise *= math.Pow(50, float64(len(functions)))
		}
		return x, y
	}
	c := &defaultCase{name: name}
	c.x, c.y = draw(n, noise)
	c.test, c.truths = draw(newRows, 0)
	k := featuremap.Gaussian{LengthScale: length}
	var err error
	if features > 0 {
		c.phi, err = featuremap.New(k, in, features, s)
	} else {
		c.phi, err = featuremap.NewLandmarks(k, c.x, 200, s, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alone returns the case of a target by itself.
func (c *defaultCase) alone(k int) *defaultCase {
	n, _ := c.y.Dims()
	d := *c
	d.y, d.truths = mat.DenseCopyOf(c.y.Slice(0, n, k, k+1)), mat.DenseCopyOf(c.truths.Slice(0, newRows, k, k+1))
	return &d
}

// errors returns the root mean square error of a model for each target.
func (c *defaultCase) errors(m *Model) []float64 {
	var p mat.Dense
	m.PredictTo(&p, c.test)
	p.Sub(&p, c.truths)
	_, targets := p.Dims()
	all := make([]float64, targets)
	for t := range all {
		all[t] = mat.Norm(p.ColView(t), 2) / math.Sqrt(newRows)
	}
	return all
}

func (c *defaultCase) rows() Batches {
	return func(add func(x, y mat.Matrix, weights []float64) error) error { return add(c.x, c.y, nil) }
}

// needed returns the passes after which a fit of the only target at λ comes within 1.03 of an error.
func (c *defaultCase) needed(t *testing.T, lambda, want float64) (passes int) {
	enough := errors.New("enough")
	o := &IterativeOptions{Lambda: lambda, Tolerance: 1e-12, Passes: 100, Memory: 1 << 28}
	f := newIteration(c.phi, newRowsFrom(c.rows(), c.phi, 1), 1, o)
	o.Progress = func(pass int, _ float64) error {
		passes = pass
		if pass > 0 && c.errors(newModel(c.phi, f.numbers()))[0] <= 1.03*want {
			return enough
		}
		return nil
	}
	if err := f.run(); !errors.Is(err, enough) {
		t.Fatalf("%s: %v after %d passes", c.name, err, passes)
	}
	return passes
}

// By default the error to the truth is within 1.05 of Fit's, and passes are at most 1.5 times those that each target by itself, at Fit's λ,
// needs to come within 1.03 of it. (Where a path was tried pass by pass, λ was 10 to 1e4 times larger, and the error of some of these 2 to 8 times
// Fit's.)
func TestFitIterativeDefault(t *testing.T) {
	t.Parallel()
	for _, c := range []*defaultCase{
		newDefaultCase(t, "Friedman", 1500, 5, 300, 1, 1, 1, friedman),
		newDefaultCase(t, "little noise", 1500, 2, 300, 0.3, 0.01, 2, wave),
		newDefaultCase(t, "no noise", 1200, 2, 200, 0.3, 0, 3, wave),
		newDefaultCase(t, "landmarks", 1200, 5, 0, 1, 1, 4, friedman),
		newDefaultCase(t, "two targets", 1200, 2, 200, 0.3, 0.5, 5, wave, wave),
	} {
		_, targets := c.y.Dims()
		fit, err := Fit(c.phi, c.x, c.y, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := FitIterative(c.phi, c.rows(), targets, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, got, needed := c.errors(fit), c.errors(m), 0
		for k := range targets {
			needed = max(needed, c.alone(k).needed(t, fit.lambda(k), want[k]))
			if !(got[k] <= 1.05*want[k]) {
				t.Errorf("%s: target %d has an error of %v, of Fit %v", c.name, k, got[k], want[k])
			}
		}
		t.Logf("%s: errors %.4g, of Fit %.4g, λ %.2g and %.2g, %d passes, %d needed", c.name, got, want, m.Lambda(), fit.Lambda(), m.Passes(), needed)
		if 2*m.Passes() > 3*needed {
			t.Errorf("%s: %d passes, where %d are needed", c.name, m.Passes(), needed)
		}
		if s := m.String(); strings.Contains(s, "too few") {
			t.Errorf("%s: %s", c.name, s)
		}
	}
}
