// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// The matrices are like the program's, but smaller. Measured errors agree with variances, and plans win
// where they are said to.
func TestRun(t *testing.T) {
	protocols, err := load(scope{maps: 2, rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	if len(protocols) != 3 {
		t.Fatalf("%d protocols without Adult, not 3", len(protocols))
	}
	// Standardizing for the first protocol leaves the data of the others as it was.
	for _, p := range protocols[1:] {
		if low, high := mat.Min(p.points), mat.Max(p.points); low != 0 || high != 1 {
			t.Errorf("%s: elements from %v to %v, not from 0 to 1", p.title, low, high)
		}
	}
	for _, p := range protocols {
		p.entries = p.entries[:7] // they have as many again
		shown, err := p.table(func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		shown.print(&text)
		if got, want := strings.Count(text.String(), "\n| "), len(p.entries)+1; got != want {
			t.Errorf("%s: %d lines in the table, not %d", p.title, got, want)
		}
		for i, e := range p.entries {
			r := shown.results[i]
			if r.predicted == 0 && e.method.rule != nil {
				continue
			}
			// If a variance is not bounded, the error comes from rare large features that few maps have.
			rare := strings.Contains(e.name, "exponential") && r.rms < r.predicted
			if doubt := 4*r.rmsDev + 0.1*r.predicted; !rare && !(math.Abs(r.rms-r.predicted) < doubt) {
				t.Errorf("%s, %s, %d columns: root mean square error %v, predicted %v", p.title, e.name, e.columns, r.rms, r.predicted)
			}
			if e.planned != nil && strings.Contains(p.title, "γ") && !(r.mean < shown.results[i-1].mean) {
				t.Errorf("%s, %d columns: the plan's error is %v, that of quadrature %v", p.title, e.columns, r.mean, shown.results[i-1].mean)
			}
		}
	}
}

// A rule of degree 3 is exact for quadratic forms: for the kernel of ReLUs at parallel points, which is their
// inner product, and for the Gaussian kernel at points so close that its quadratic term is all.
func TestRules(t *testing.T) {
	s := featuremap.NewSampler(seed)
	x := mat.NewDense(3, 5, nil)
	s.FillNormal(x.RawMatrix().Data)
	var y mat.Dense
	y.Scale(2, x)
	p := (&protocol{kernel: featuremap.ArcCosine{Order: 1}, x: x, y: &y}).withGram()
	k := p.reluRule(2).rule(s)
	for i := range 3 {
		if got, want := k.At(i, i), p.exact.At(i, i); !(math.Abs(got-want) < 1e-12*want) {
			t.Errorf("ReLU: %v, not %v", got, want)
		}
	}
	y.Scale(1.001, x)
	p = (&protocol{kernel: featuremap.RBF(0.5), x: x, y: &y}).withGram()
	k = p.gaussianRule(1).rule(s)
	for i := range 3 {
		if got, want := 1-k.At(i, i), 1-p.exact.At(i, i); !(math.Abs(got-want) < 1e-4*want) {
			t.Errorf("Gaussian: 1 − k = %v, not %v", got, want)
		}
	}
}
