// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Correlations step down at each kernel's own layers, and at no others.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	correlations, err := run(&out, func(string) {}, 60_000)
	if err != nil {
		t.Fatal(err)
	}
	for depth, c := range correlations {
		if !strings.Contains(out.String(), "\n| "+name(depth)+" |") {
			t.Errorf("no line of %s:\n%s", name(depth), &out)
		}
		means := c.tiers()
		for tier := range layers {
			// With 500,000 draws the ratios are 2.1 to 5.5 in a layer that the kernel has,
			// and 0.98 to 1.03 in one that it has not.
			ratio := means[tier] / means[tier+1]
			if tier < depth && !(ratio > 1.4) {
				t.Errorf("%s: tiers %d and %d have correlations %.4f and %.4f: want a step down", name(depth), tier, tier+1, means[tier], means[tier+1])
			}
			if tier >= depth && !(ratio > 0.8 && ratio < 1.25) {
				t.Errorf("%s: tiers %d and %d have correlations %.4f and %.4f: want them alike", name(depth), tier, tier+1, means[tier], means[tier+1])
			}
		}
	}

	lines := records(correlations)
	if want := 1 + len(correlations)*len(shown)*(side*side-1); len(lines) != want {
		t.Errorf("the file has %d lines, want %d", len(lines), want)
	}
	// A test of experiments/figures, which reads the file, has this line too.
	if want := "kernel,row,column,other row,other column,correlation"; strings.Join(lines[0], ",") != want {
		t.Errorf("the file begins with %q, want %s", lines[0], want)
	}
	last, beside := pixel{side - 1, side - 1}, shown[len(shown)-1]
	want := fmt.Sprintf("%s,%d,%d,23,23,%.6g", name(len(layers)), beside.row, beside.col, correlations[len(layers)].values.At(last.index(), beside.index()))
	if got := strings.Join(lines[len(lines)-1], ","); got != want {
		t.Errorf("the file ends with %s, want %s", got, want)
	}
}

// Draws of degree 2 from two pixels take one of them twice, for each with the
// probability ¼, and then cancel half of the time. So a draw reads a pixel with the
// probability ¼·½ + ½ = ⅝, both with ½, and the correlation is (½ − 25/64)/(⅝·⅜) = 7/15.
func TestCorrelate(t *testing.T) {
	sk := featuremap.NewSkeleton(side * side)
	sk.Unit(series.HermiteDual{N: 2}, sk.Input(featuremap.Circle{}, 30), sk.Input(featuremap.Circle{}, 575))
	m, err := featuremap.NewCompositional(sk, 40_000, featuremap.NewSampler(2))
	if err != nil {
		t.Fatal(err)
	}
	// A sample's correlation has a standard deviation of some (1 − ρ²)/√draws = 0.004.
	if got, want := correlate(m).values.At(575, 30), 7.0/15; !(math.Abs(got-want) < 0.02) {
		t.Errorf("correlation %v, want %v", got, want)
	}
}

func TestTier(t *testing.T) {
	// Windows of the layers have 4, 8 and 16 pixels and are 2, 4 and 8 apart.
	for _, test := range []struct {
		p, q pixel
		want int
	}{
		{pixel{0, 0}, pixel{3, 3}, 0},
		{pixel{0, 0}, pixel{0, 4}, 1},
		{pixel{1, 0}, pixel{4, 0}, 1}, // no window has rows 1 and 4: they begin at 0, 2, …
		{pixel{2, 2}, pixel{5, 5}, 0},
		{pixel{0, 0}, pixel{7, 7}, 1},
		{pixel{0, 0}, pixel{8, 0}, 2},
		{pixel{15, 0}, pixel{0, 15}, 2},
		{pixel{7, 0}, pixel{16, 0}, 3},
		{pixel{0, 7}, pixel{0, 16}, 3},
		{pixel{8, 8}, pixel{23, 23}, 2},
	} {
		if got := tier(test.p, test.q); got != test.want {
			t.Errorf("%v and %v: %s, want %s", test.p, test.q, tierName(got), tierName(test.want))
		}
		if a, b := tier(test.p, test.q), tier(test.q, test.p); a != b {
			t.Errorf("%v and %v: tier %d or %d, by their order", test.p, test.q, a, b)
		}
	}
	if got := fmt.Sprint(tierName(0), ", ", tierName(1), ", ", tierName(3)); got != "layer 1, only layer 2, no window" {
		t.Errorf("tiers are named %s", got)
	}
}
