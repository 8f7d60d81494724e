// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// toy returns points of two overlapping classes, and others of them.
func toy() (train, test part) {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(160, 2, nil), make([]float64, 160)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
		x.SetRow(i, []float64{0.5*y[i] + s.Normal(), 0.2*y[i] + s.Normal()})
	}
	all := part{x, y}
	order := sets.Order(160)
	return all.rows(order[:100]), all.rows(order[100:])
}

// On the features of a kernel, and on the kernel itself, a fit is the same function, and has the least
// loss.
func TestFit(t *testing.T) {
	train, test := toy()
	k := featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}
	phi, err := testkit.New(k, 2, 6, featuremap.NewSampler(1)) // all monomials
	if err != nil {
		t.Fatal(err)
	}
	onFeatures, err := newLinear(phi, train)
	if err != nil {
		t.Fatal(err)
	}
	rows := sets.Order(80) // of 100
	for _, l := range []loss{hinge, square} {
		const lambda = 0.5
		var f [2]*scores
		for i, m := range []model{onFeatures, newKernelised(k, train)} {
			c := classifier{m, train.y, l, 1}
			if f[i], _, err = c.fit(rows, rows[:20], lambda); err != nil {
				t.Fatal(err)
			}
		}
		if !floats.EqualApprox(f[0].train, f[1].train, 1e-9) || !floats.EqualApprox(f[0].at(test.x), f[1].at(test.x), 1e-9) {
			t.Errorf("%s: the kernel and its features have other scores", l)
		}
		// At the least loss w = Σ αᵢφ(xᵢ) with λαᵢ = yᵢ − f(xᵢ) for the rows that have a loss.
		var gram mat.SymDense
		featuremap.Gram(&gram, k, train.x)
		for j := range train.y {
			sum := 0.0
			for _, i := range rows {
				if l == square || train.y[i]*f[0].train[i] < 1 {
					sum += (train.y[i] - f[0].train[i]) / lambda * gram.At(i, j)
				}
			}
			if math.Abs(sum-f[0].train[j]) > 1e-8 {
				t.Fatalf("%s: score %v, want %v", l, f[0].train[j], sum)
			}
		}
	}
}

func TestAccuracy(t *testing.T) {
	train, test := toy()
	k := kernels(train.x)[1]
	a, err := k.accuracy(train, test, hinge)
	if err != nil {
		t.Fatal(err)
	}
	if a < 60 || a > 90 { // the best rule is right for 70.5
		t.Errorf("accuracy %v", a)
	}
}

func TestCodings(t *testing.T) {
	x := func() *mat.Dense { return mat.NewDense(3, 2, []float64{0, 2, 3, 4, 1, 0}) }
	for _, c := range []struct {
		coding
		want []float64
	}{
		{asIs, []float64{0, .4, .6, .8, .2, 0}},
		{coding{"norm 1", norm1}, []float64{0, 1, .6, .8, 1, 0}},
		{coding{"ranges", ranges}, []float64{0, .5, 1, 1, 1. / 3, 0}},
		{coding{"logarithms", logarithms}, []float64{0, math.Log(3), math.Log(4), math.Log(5), math.Log(2), 0}},
	} {
		if got := c.apply(x()); !floats.EqualApprox(got.RawMatrix().Data, c.want, 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, mat.Formatted(got), c.want)
		}
	}
	want := mat.NewDense(3, 9, []float64{
		1, 0, 0, 0, 0, 0, 1, 0, 0,
		0, 0, 0, 1, 0, 0, 0, 0, 1,
		0, 1, 0, 0, 1, 0, 0, 0, 0,
	})
	if got := indicators(x()); !mat.Equal(got, want) {
		t.Errorf("indicators: %v", mat.Formatted(got))
	}
}

func TestLoad(t *testing.T) {
	chosen, others, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	if len(chosen) != 2 || len(others) != 13 {
		t.Fatalf("%d problems and %d others", len(chosen), len(others))
	}
	if _, _, err := load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "a9a") {
		t.Errorf("a folder without Adult: %v", err)
	}
	train, test := chosen[1].split(scope{train: 1000, test: 500}, featuremap.NewSampler(1))
	if len(train.y) != 1000 || len(test.y) != 500 {
		t.Errorf("parts of %d and %d", len(train.y), len(test.y))
	}
	// 4044 of 12960 are spec_prior.
	if share := (floats.Sum(train.y)/1000 + 1) / 2; math.Abs(share-.312) > .05 {
		t.Errorf("%v of the points are of class 1", share)
	}
	if norm := mat.Norm(train.x.RowView(0), 2); norm > 1 {
		t.Errorf("a norm of %v", norm)
	}
}

// The report of few points and features has all its tables.
func TestReport(t *testing.T) {
	chosen, others, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(chosen, others...) {
		p.features, p.drawn = 70, 10
	}
	var out bytes.Buffer
	shown := 0
	err = report(&out, func(string) { shown++ }, chosen, others[:2], scope{splits: 2, train: 90, exact: 64, test: 200})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pattern string
		want    int
	}{
		{`(?m)^\| (spambase|nursery) \| [^|]+ \| [^|]+ \| \d* \| \S* \| \d+\.\d ± \d+\.\d \|( \d+\.\d \| [+-]\d+\.\d)?`, 2 * 2 * 9},
		{`(?m)^\| \w+ \| [^|]+ \| [^|]+ \| squared hinge \| \d+\.\d \| \d+\.\d \| \d+\.\d \| [+-]`, 2 + 2},
		{`(?m)^\| \w+ \| [^|]+ \| [^|]+ \| squares \| \d+\.\d \|`, 2},
		{`(?m)^\| \w+ \| (8|16|32|64) \| \d+\.\d \|$`, 2 * 4},
	} {
		if got := len(regexp.MustCompile(c.pattern).FindAllString(out.String(), -1)); got != c.want {
			t.Errorf("%d lines match %s, want %d", got, c.pattern, c.want)
		}
	}
	if want := 2*2*2*9 + 2*2 + 2 + 2*4; shown != want {
		t.Errorf("progress shown %d times, want %d", shown, want)
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
