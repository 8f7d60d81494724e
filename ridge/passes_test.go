// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A divided is rows in parts of so many.
type divided struct {
	phi     featuremap.FeatureMap
	x, y    *mat.Dense
	weights []float64
	part    int // rows of a part
	batch   int // rows that are added together
	write   int // rows after which sums are written and read again; 0: never
	far     bool
}

// sum makes a pass.
func (d *divided) sum(p *Pass) (*PassSums, error) {
	if d.far { // the pass goes to another process, and the sums come back
		var err error
		if p, err = ReadPass(bytes.NewReader(written(p)), d.phi); err != nil {
			return nil, err
		}
	}
	all := p.NewSums(0)
	n, _ := d.x.Dims()
	for lo := 0; lo < n; lo += d.part {
		s, err := d.sumPart(p, lo/d.part, lo, min(lo+d.part, n))
		if err != nil {
			return nil, err
		}
		if err := all.Merge(s); err != nil {
			return nil, err
		}
	}
	return again(p, all)
}

// sumPart sums up the rows of a part.
func (d *divided) sumPart(p *Pass, part, lo, hi int) (*PassSums, error) {
	s := p.NewSums(part)
	_, in := d.x.Dims()
	_, targets := d.y.Dims()
	saved := lo
	for from := lo; from < hi; from += d.batch {
		to := min(from+d.batch, hi)
		var w []float64
		if d.weights != nil {
			w = d.weights[from:to]
		}
		if err := s.AddWeighted(d.x.Slice(from, to, 0, in), d.y.Slice(from, to, 0, targets), w); err != nil {
			return nil, err
		}
		if d.write > 0 && to-saved >= d.write {
			saved = to
			var err error
			if s, err = again(p, s); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// again returns sums that were written and read.
func again(p *Pass, s *PassSums) (*PassSums, error) {
	file := written(s)
	r, err := p.ReadSums(bytes.NewReader(file))
	if err == nil && !bytes.Equal(file, written(r)) {
		err = errors.New("sums that were read are written otherwise")
	}
	return r, err
}

// A single part gives the bits of FitIterative, written and read at whatever rows, and several parts the same to rounding, whose bits do not
// depend on batches and files: with a path and with λ, weights, samples, landmarks, and without an intercept.
func TestFitPasses(t *testing.T) {
	const n = 300
	phi := fourier(2, 40)
	x, y := data(n, 2, 2, 70)
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 30, featuremap.NewSampler(2), nil))
	for name, c := range map[string]struct {
		phi     featuremap.FeatureMap
		weights []float64
		o       IterativeOptions
	}{
		"path":         {phi, nil, IterativeOptions{Path: []float64{10, 1, 0.1}}},
		"weights":      {phi, weightsFrom(n, 3), IterativeOptions{Samples: 2}},
		"no intercept": {phi, nil, IterativeOptions{Lambda: 0.1, NoIntercept: true}},
		"landmarks":    {landmarks, nil, IterativeOptions{Lambda: 0.1, Tolerance: 1e-8}},
	} {
		want := must(FitIterative(c.phi, inBatches(x, y, c.weights, 100), &c.o))
		for _, d := range []*divided{
			{part: n, batch: n},
			{part: n, batch: 37, write: 60, far: true},
		} {
			d.phi, d.x, d.y, d.weights = c.phi, x, y, c.weights
			m, err := FitPasses(c.phi, d.sum, 2, &c.o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(written(m), written(want)) {
				t.Errorf("%s, batches of %d, written every %d rows: other bits than those of FitIterative", name, d.batch, d.write)
			}
		}
		var first []byte
		for _, d := range []*divided{{part: 200, batch: 200}, {part: 200, batch: 33, write: 75, far: true}} {
			d.phi, d.x, d.y, d.weights = c.phi, x, y, c.weights
			m := must(FitPasses(c.phi, d.sum, 2, &c.o))
			if first == nil {
				first = written(m)
			} else if !bytes.Equal(written(m), first) {
				t.Errorf("%s, in parts: the bits depend on batches or files", name)
			}
			if c.o.Lambda > 0 { // otherwise other rows are held back
				var a, b mat.Dense
				m.PredictTo(&a, x)
				want.PredictTo(&b, x)
				if !mat.EqualApprox(&a, &b, 100*max(c.o.Tolerance, 1e-3)) {
					t.Errorf("%s, in parts: other predictions", name)
				}
			}
			for k, v := range m.NoiseVariance() {
				if w := want.NoiseVariance()[k]; math.Abs(v-w) > 0.05*w {
					t.Errorf("%s, in parts: noise %v, want %v", name, v, w)
				}
			}
		}
	}
}

// A program that is stopped in any pass and goes on with the sums it has kept is asked for the same passes, and ends with the same bits.
func TestFitPassesGoesOn(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(350, 2, 2, 70)
	d := &divided{phi: phi, x: x, y: y, part: 150, batch: 150}
	kept := map[int][]byte{}
	want := must(FitPasses(phi, d.sum, 2, nil))
	stopped := errors.New("stopped")
	for runs := 1; ; runs++ {
		made := false
		m, err := FitPasses(phi, func(p *Pass) (*PassSums, error) {
			if file, ok := kept[p.Number()]; ok {
				return p.ReadSums(bytes.NewReader(file))
			}
			if made {
				return nil, stopped
			}
			made = true
			s, err := d.sum(p)
			if err != nil {
				return nil, err
			}
			kept[p.Number()] = written(s)
			return s, nil
		}, 2, nil)
		if errors.Is(err, stopped) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if runs != len(kept) || runs != want.Passes()+1 || !bytes.Equal(written(m), written(want)) {
			t.Errorf("%d runs, %d passes, another model", runs, len(kept))
		}
		return
	}
}

// Sums of parts whose first rows differ much are those of all rows.
func TestPassSumsOfDistantParts(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(600, 2, 2, 70)
	y.Apply(func(i, _ int, v float64) float64 { return v + 1e3*float64(i/200) }, y)
	o := &IterativeOptions{Lambda: 1, Tolerance: 1e-12}
	want := must(FitIterative(phi, inBatches(x, y, nil, 600), o))
	m := must(FitPasses(phi, (&divided{phi: phi, x: x, y: y, part: 200, batch: 200}).sum, 2, o))
	if !mat.EqualApprox(m.Weights(), want.Weights(), 1e-8*mat.Norm(want.Weights(), 2)) || math.Abs(m.NoiseVariance()[1]/want.NoiseVariance()[1]-1) > 1e-9 {
		t.Errorf("weights %v, noise %v; want %v, %v", m.Weights(), m.NoiseVariance(), want.Weights(), want.NoiseVariance())
	}
}

// What cannot be summed up is refused: each with its reason.
func TestFitPassesRefuses(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(200, 2, 1, 70)
	good := &divided{phi: phi, x: x, y: y, part: 200, batch: 200}
	var older *PassSums
	for want, c := range map[string]struct {
		sum func(p *Pass) (*PassSums, error)
		o   *IterativeOptions
	}{
		"sum = nil":          {},
		"must be 0":          {good.sum, &IterativeOptions{Memory: 1}},
		"pass 0: sums = nil": {func(*Pass) (*PassSums, error) { return nil, nil }, nil},
		"must be made by":    {func(*Pass) (*PassSums, error) { return new(PassSums), nil }, nil},
		"no rows":            {func(p *Pass) (*PassSums, error) { return p.NewSums(0), nil }, nil},
		"pass 1: the sums are of another pass": {func(p *Pass) (*PassSums, error) {
			if older == nil {
				older = must(good.sum(p))
			}
			return older, nil
		}, nil},
		"pass 1 are of 100 rows, those of the first of 200": {func(p *Pass) (*PassSums, error) {
			if p.Number() == 0 {
				return good.sum(p)
			}
			return good.sumPart(p, 0, 0, 100)
		}, nil},
		"row 0, column 1 = NaN": {func(p *Pass) (*PassSums, error) {
			s := p.NewSums(0)
			return s, s.Add(mat.NewDense(1, 2, []float64{0, math.NaN()}), mat.NewDense(1, 1, nil))
		}, nil},
	} {
		if _, err := FitPasses(phi, c.sum, 1, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Files that were changed, and those of other passes and maps, are refused.
func TestPassFiles(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(300, 2, 1, 70)
	d := &divided{phi: phi, x: x, y: y, part: 300, batch: 300}
	var passes []*Pass
	var files [][]byte
	must(FitPasses(phi, func(p *Pass) (*PassSums, error) {
		passes = append(passes, p)
		s, err := d.sumPart(p, 0, 0, 300)
		if err == nil {
			files = append(files, written(s))
		}
		return s, err
	}, 1, nil))
	for i, p := range passes[:2] {
		file := written(p)
		if _, err := ReadPass(bytes.NewReader(file), fourier(3, 30)); err == nil || !strings.Contains(err.Error(), "another map") {
			t.Errorf("pass %d of another map: %v", i, err)
		}
		if _, err := p.ReadSums(bytes.NewReader(files[1-i])); err == nil || !strings.Contains(err.Error(), "another pass") {
			t.Errorf("pass %d: sums of another: %v", i, err)
		}
		refused := func(kind string, file []byte, read func(file []byte) error) {
			for at := 0; at < len(file); at += 1 + len(file)/97 {
				changed := bytes.Clone(file)
				changed[at] ^= 4
				if read(changed) == nil || read(file[:at]) == nil {
					t.Errorf("pass %d, %s: changed or cut at byte %d and not refused", i, kind, at)
				}
			}
			if read(append(bytes.Clone(file), 0)) == nil || read(file) != nil {
				t.Errorf("pass %d, %s: a byte more is not refused, or the file is", i, kind)
			}
		}
		refused("pass", file, func(file []byte) error {
			_, err := ReadPass(bytes.NewReader(file), phi)
			return err
		})
		refused("sums", files[i], func(file []byte) error { _, err := p.ReadSums(bytes.NewReader(file)); return err })
	}
	s, err := passes[0].ReadSums(bytes.NewReader(files[0]))
	if err != nil || s.Rows() != 300 {
		t.Fatalf("%v", err)
	}
	if none, err := passes[0].ReadSums(bytes.NewReader(files[0][:99])); err == nil || none != nil {
		t.Error("part of a file: sums, or no error")
	}
	_, err = new(Pass).ReadSums(bytes.NewReader(files[0]))
	expectError(t, err, "ridge: the zero value of a Pass")
	more := passes[0].NewSums(1)
	if err := more.Merge(s); err != nil || more.Rows() != 300 {
		t.Errorf("%d rows, %v", more.Rows(), err)
	}
	if err := more.Add(x, y); err == nil || !strings.Contains(fmt.Sprint(err), "merged") {
		t.Errorf("rows for sums that were merged: %v", err)
	}
}
