// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
)

// inTwoCopies returns points of a normal distribution, each there twice.
func inTwoCopies(points int) *mat.Dense {
	half := make([]float64, 2*points)
	featuremap.NewSampler(8).FillNormal(half)
	return mat.NewDense(2*points, 2, append(half, half...))
}

// Copies of labels leave together, except for those of a class with fewer than three points.
func TestCopiesOfLabels(t *testing.T) {
	x := inTwoCopies(60)
	for class, want := range map[int]bool{2: false, 3: true} {
		classes := make([]int, 120)
		for i := range classes {
			if i%60 < class {
				classes[i] = 1
			}
		}
		y, err := Labels(classes, 2)
		if err != nil {
			t.Fatal(err)
		}
		c := newMemoryRows(x, y, nil).copyFinder().copies(true)
		for i, k := range classes {
			if got := c.leave(i); got != (want || k == 0) {
				t.Errorf("%d points of a class, row %d of class %d: copies are left out together: %v", class, i, k, got)
			}
		}
	}
}

// Beyond copied.Most rows there is no memory for checksums, and no copies.
func TestCopiesOfManyRows(t *testing.T) {
	x := inTwoCopies(64)
	y := mat.NewDense(128, 1, nil)
	rows := newMemoryRows(x, y, nil)
	f := new(copyFinder)
	for range copied.Most / 128 {
		f.note(rows.reader, y, nil)
	}
	if f.copies(false) == nil {
		t.Errorf("%d rows: no copies", copied.Most)
	}
	f.note(rows.reader, y, nil)
	if f.copies(false) != nil || f.points != nil {
		t.Errorf("more than %d rows: checksums are kept", copied.Most)
	}
}

// FitIterative sees copies among all rows, where its sample has from one to five of each. The error on new rows is that of Fit.
func TestCopiesInSample(t *testing.T) {
	defer SetLeastSample(400)()
	const points, times = 120, 5
	f := func(x []float64) float64 { return math.Sin(2*x[0]) * math.Cos(x[1]) }
	for seed := range uint64(3) {
		s := featuremap.NewSampler(seed)
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 300, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, y := mat.NewDense(points*times, 2, nil), mat.NewDense(points*times, 1, nil)
		for i := range points * times {
			if i < points {
				s.FillNormal(x.RawRowView(i))
				y.Set(i, 0, math.FMA(0.3, s.Normal(), f(x.RawRowView(i))))
				continue
			}
			x.SetRow(i, x.RawRowView(i-points))
			y.Set(i, 0, y.At(i-points, 0))
		}
		var sums [2]float64
		row := make([]float64, 2)
		direct, err := Fit(phi, x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := FitIterative(phi, Rows(x, y), nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := m.iterative.held; n != 400 {
			t.Errorf("a sample of %d rows, want 400", n)
		}
		for range 2000 {
			s.FillNormal(row)
			for k, of := range []*Model{m, direct} {
				e := of.PredictVec(nil, row)[0] - f(row)
				sums[k] += e * e
			}
		}
		if ratio := math.Sqrt(sums[0] / sums[1]); !(ratio < 1.1) {
			t.Errorf("seed %d: %.3g times the error of Fit, λ = %v and %v", seed, ratio, m.Lambda(), direct.Lambda())
		}
	}
}
