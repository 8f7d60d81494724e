// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package testkit contains two conformance suites: one for kernels and one for maps. Every kernel
// and every map of the module passes its suite.
//
// Randomness is tested by statistics, with fixed seeds: a test either always passes or always
// fails. A statistic is turned into a z-score by its exact standard error, and must lie within
// zLimit, whose comment explains the limit.
package testkit

import (
	"flag"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// zLimit bounds the z-scores. A correct implementation exceeds it with probability 5.7e-7 for each
// score (two-sided normal tail; scores are means of thousands of bounded terms). With about 10,000
// scores in the whole suite, a new choice of seeds would fail one time in 170. A wrong
// implementation with a bias of δ standard errors passes with probability Φ(5 − δ).
const zLimit = 5

var long = flag.Bool("long", false, "simulate more maps, as CI does")

// Times returns how often a test repeats what is random: short with -short, long with -long, otherwise
// normal.
func Times(short, normal, long int) int {
	switch {
	case testing.Short():
		return short
	case Long():
		return long
	}
	return normal
}

// Long tells whether -long is set.
func Long() bool { return *long }

// OnlyLong skips a test without -long: one of statistics, or of what a whole search finds, that others do not depend on.
func OnlyLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("only with -long")
	}
}

// Pair is two points with a description.
type Pair struct {
	Name string
	X, Y []float64
}

// Pairs returns pairs of points of R^d for a kernel with the given length scale:
// equal points, distances from far below to far above the length scale, along the
// axes and off them, near the origin and far from it.
func Pairs(d int, scale float64) []Pair {
	s := featuremap.NewSampler(uint64(1000 + d))
	unit := func(f func(i int) float64) []float64 {
		v := make([]float64, d)
		for i := range v {
			v[i] = f(i)
		}
		norm := mat.Norm(mat.NewVecDense(d, v), 2)
		for i := range v {
			v[i] /= norm
		}
		return v
	}
	directions := []struct {
		name string
		u    []float64
	}{
		{"first axis", unit(func(i int) float64 { return axis(i, 0) })},
		{"last axis", unit(func(i int) float64 { return axis(i, d-1) })},
		{"first diagonal", unit(func(i int) float64 { return axis(i, 0) + axis(i, 1) })},
		{"diagonal", unit(func(i int) float64 { return 1 })},
		{"alternating", unit(func(i int) float64 { return float64(1 - 2*(i%2)) })},
		{"random", unit(func(i int) float64 { return s.Normal() })},
	}
	if d == 1 {
		directions = directions[:1]
	}
	var pairs []Pair
	add := func(name string, offset, r float64, u []float64) {
		x, y := make([]float64, d), make([]float64, d)
		for i := range x {
			y[i] = scale * (0.3 + offset*s.Normal())
			x[i] = y[i] + scale*r*u[i]
		}
		pairs = append(pairs, Pair{name, x, y})
	}
	add("equal", 1, 0, directions[0].u)
	for _, v := range directions {
		add("near, "+v.name, 1, 0.1, v.u)
		add("half, "+v.name, 1, 0.5, v.u)
		add("one, "+v.name, 0, 1, v.u)
		add("two, "+v.name, 1, 2, v.u)
		add("two, far out, "+v.name, 1e4, 2, v.u)
	}
	add("far, random", 1, 5, directions[len(directions)-1].u)
	add("very far, random", 1, 40, directions[len(directions)-1].u)
	return pairs
}

// axis is coordinate i of axis j.
func axis(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// dot returns the inner product of a and b.
func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// normalMatrix returns an n×d matrix of normal variates.
func normalMatrix(s *featuremap.Sampler, n, d int) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	s.FillNormal(m.RawMatrix().Data)
	return m
}

// sameBits tells whether a and b are equal to the last bit, ignoring the payload of NaN.
func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// expectPanic runs f and checks that it panics with want; a nil want stands for any value.
func expectPanic(t *testing.T, name string, want any, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		switch got := recover(); {
		case got == nil:
			t.Errorf("%s: no panic", name)
		case want != nil && !reflect.DeepEqual(got, want):
			t.Errorf("%s: panic %v, want %v", name, got, want)
		}
	}()
	f()
}

// expectOverlapPanic runs f and checks that it panics as gonum does for an
// overlap.
func expectOverlapPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		const prefix = "mat: bad region: "
		if got, ok := recover().(string); !ok || len(got) < len(prefix) || got[:len(prefix)] != prefix {
			t.Errorf("%s: panic %q, want %q…", name, got, prefix)
		}
	}()
	f()
}
