// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// synthetic returns images of random bytes.
func synthetic(n int) collection {
	s := featuremap.NewSampler(7)
	m := make([]sets.Image, n)
	for i := range m {
		for ch := range m[i] {
			for r := range m[i][ch] {
				for c := range m[i][ch][r] {
					m[i][ch][r][c] = byte(s.IntN(256))
				}
			}
		}
	}
	return collection{"noise", m}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	shown := 0
	p := plan{repeats: 2, batch: 2, sizes: []int{1500}}
	tables, err := run(&out, func(string) { shown++ }, synthetic(3), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 2 || shown != 8 {
		t.Fatalf("%d tables and progress shown %d times, want 2 and 8", len(tables), shown)
	}
	for _, table := range tables {
		for _, r := range table.rows[0] {
			// The number of columns has a standard deviation below √draws.
			if c := r.columns(); !(math.Abs(c-1500) < 0.02*1500+4*math.Sqrt(float64(r.draws))) {
				t.Errorf("%s, %s: %v columns, want some 1500", table.setting, r.method, c)
			}
			// The diagonal has no error, and all other elements have the same one: two numbers.
			if ratio := r.rms() / r.predicted(); !(ratio < 4 && ratio > 0.01) {
				t.Errorf("%s, %s: RMS error %v, predicted %v", table.setting, r.method, r.rms(), r.predicted())
			}
			if !(r.meanAbs() <= r.rms() && r.rms() <= 2*r.max() && r.max() < 0.2 && r.correlation() > 0.9) {
				t.Errorf("%s, %s: mean absolute error %v, RMS %v, maximum %v, correlation %v",
					table.setting, r.method, r.meanAbs(), r.rms(), r.max(), r.correlation())
			}
		}
		if !strings.Contains(out.String(), "\n## "+table.setting+" kernel\n") {
			t.Errorf("no table of the %s kernel:\n%s", table.setting, &out)
		}
	}

	all := records("noise", tables)
	// A test of experiments/figures, which reads the file, has this line too.
	const header = "images,setting,method,size,columns,draws,mean absolute error,RMS error,predicted RMS error,maximal error,correlation"
	if got := strings.Join(all[0], ","); got != header {
		t.Errorf("the file begins with %s, want %s", got, header)
	}
	if len(all) != 5 {
		t.Errorf("the file has %d lines, want a head and four rows:\n%q", len(all), all)
	}
}

// The two methods of a setting estimate one kernel.
func TestSameKernel(t *testing.T) {
	x := synthetic(3).batch(3, featuremap.NewSampler(1))
	for _, setting := range settings() {
		var values [2]mat.SymDense
		for i, method := range setting.methods {
			phi, err := method.draw(1, featuremap.NewSampler(1))
			if err != nil {
				t.Fatal(err)
			}
			featuremap.Gram(&values[i], phi.Kernel(), method.points(x))
		}
		if !mat.EqualApprox(&values[0], &values[1], 1e-12) {
			t.Errorf("%s: the kernels are\n%v\nand\n%v", setting.name, mat.Formatted(&values[0]), mat.Formatted(&values[1]))
		}
		kernel, err := setting.kernel.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := kernel.Eval(x.RawRowView(0), x.RawRowView(1)), values[0].At(0, 1); got != want {
			t.Errorf("%s: the kernel is %v, the map's %v", setting.name, got, want)
		}
		// Not the same kernel as that of another setting, nor a trivial one.
		if v := values[0].At(0, 1); !(v > 0.5 && v < 0.99) {
			t.Errorf("%s: the kernel of two images is %v", setting.name, v)
		}
	}
}

// fixed is a map whose features are the points.
type fixed struct{ featuremap.FeatureMap }

func (fixed) TransformTo(dst *mat.Dense, x mat.Matrix) { dst.CloneFrom(x) }

func TestMeasure(t *testing.T) {
	// The estimates are 1, 2, 2 and 4, and 4 is short by 1. The covariance of estimates and
	// values is 6.5/4, their variances 4.75/4 and 9/4.
	got := measure(fixed{}, mat.NewDense(2, 1, []float64{1, 2}), mat.NewSymDense(2, []float64{1, 2, 2, 5}))
	want := measurement{columns: 1, meanAbs: 0.25, rms: 0.5, max: 1, correlation: 6.5 / math.Sqrt(4.75*9)}
	if !(math.Abs(got.correlation-want.correlation) < 1e-14) {
		t.Errorf("correlation %v, want %v", got.correlation, want.correlation)
	}
	got.correlation = want.correlation
	if got != want {
		t.Errorf("measured %+v, want %+v", got, want)
	}
}

func TestRow(t *testing.T) {
	a := row{maps: []measurement{{rms: 1, meanAbs: 1, max: 4, correlation: 0.5}, {rms: 7, meanAbs: 3, max: 6, correlation: 0.7}}, squares: []float64{9, 16}}
	b := row{maps: []measurement{{rms: 2, meanAbs: 2, max: 3, correlation: 0.5}, {rms: 8, meanAbs: 2, max: 2, correlation: 0.6}}}
	if abs, rms, most, correlation := a.wins(&b); abs != 1 || rms != 2 || most != 0 || correlation != 1 {
		t.Errorf("wins = %d, %d, %d, %d, want 1, 2, 0, 1", abs, rms, most, correlation)
	}
	if got := []float64{a.meanAbs(), a.rms(), a.max(), a.predicted()}; got[0] != 2 || got[1] != 5 || got[2] != 5 || got[3] != math.Sqrt(12.5) {
		t.Errorf("means = %v, want 2, 5, 5, √12.5", got)
	}
}

func TestImages(t *testing.T) {
	m := synthetic(4)

	// All images, in some order.
	x := m.batch(4, featuremap.NewSampler(1))
	seen := map[float64]bool{}
	for i := range 4 {
		seen[x.At(i, 0)] = true
	}
	if len(seen) != 4 {
		t.Errorf("a batch of four has %d different images", len(seen))
	}

	// Of two images of three, any two in either order; in 150 batches one of the six is missing
	// with a probability of 6·(5/6)¹⁵⁰ = 8e-12.
	pairs := map[[2]float64]bool{}
	sampler := featuremap.NewSampler(2)
	for range 150 {
		x := collection{"noise", m.images[:3]}.batch(2, sampler)
		pairs[[2]float64{x.At(0, 0), x.At(1, 0)}] = true
	}
	if len(pairs) != 6 {
		t.Errorf("there are %d different batches of two images of three, want 6", len(pairs))
	}

	// The angle of a value v that is v standard deviations from the mean is (π/2)·tanh(v/2).
	row := make([]float64, inputs)
	angles(row, &m.images[2])
	v := make([]float64, inputs)
	for i, a := range row {
		v[i] = 2 * math.Atanh(a/(math.Pi/2))
	}
	if mean, sd := stat.PopMeanStdDev(v, nil); !(math.Abs(mean) < 1e-12 && math.Abs(sd-1) < 1e-12) {
		t.Errorf("the values have mean %v and standard deviation %v", mean, sd)
	}
	// Blue of row 3, column 5 of the crop is that of row 7, column 9 of the image, which is
	// an affine function of the byte, as the red of the crop's first pixel is.
	byteOf := func(ch, r, c int) float64 { return float64(m.images[2][ch][r][c]) }
	a, b, c := byteOf(0, 4, 4), byteOf(2, 7, 9), byteOf(1, 27, 27)
	if got, want := (v[(3*24+5)*3+2]-v[0])/(v[inputs-2]-v[0]), (b-a)/(c-a); !(math.Abs(got-want) < 1e-9) {
		t.Errorf("differences of values are in the proportion %v, of bytes %v", got, want)
	}

	// An image of one color.
	angles(row, new(sets.Image))
	for i, a := range row {
		if a != 0 {
			t.Fatalf("black image: angle %d = %v", i, a)
		}
	}
}

// A digit's pixel is the same square of 3×3 pixels in all channels, and nothing is outside the crop.
func TestDigits(t *testing.T) {
	c, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	small, err := sets.Digits()
	if err != nil {
		t.Fatal(err)
	}
	if c.name != "digits" || len(c.images) != small.Len() {
		t.Fatalf("%d images of %s, want the %d digits", len(c.images), c.name, small.Len())
	}
	for ch := range channels {
		for r := range 32 {
			for col := range 32 {
				want := byte(0)
				if i, j := (r+2)/3-2, (col+2)/3-2; i >= 0 && i < 8 && j >= 0 && j < 8 {
					want = byte(small.X.At(5, 8*i+j) / 16 * 255)
				}
				if got := c.images[5][ch][r][col]; got != want {
					t.Fatalf("channel %d of pixel %d, %d is %d, want %d", ch, r, col, got, want)
				}
			}
		}
	}
	if _, err := load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "cifar10_train4000_a.bin.gz") {
		t.Errorf("of an empty folder: error %v, want one that names the file", err)
	}
}

// The number of draws has the columns that were asked for, on average.
func TestDrawsFor(t *testing.T) {
	method := settings()[1].methods[0]
	draws, err := method.drawsFor(700)
	if err != nil {
		t.Fatal(err)
	}
	// A map's number of columns has a standard deviation below √draws = 48.
	mean := func(draws int) (mean float64) {
		s := featuremap.NewSampler(3)
		for range 16 {
			phi, err := method.draw(draws, s)
			if err != nil {
				t.Fatal(err)
			}
			_, out := phi.Dims()
			mean += float64(out) / 16
		}
		return mean
	}
	if got := mean(draws); !(math.Abs(got-700) < 48) {
		t.Errorf("%d draws have %v columns, want about 700", draws, got)
	}
}
