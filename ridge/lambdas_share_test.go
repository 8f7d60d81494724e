// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// Of more different λ than are kept those go whose targets have the least way to the nearest of others, by hand.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		lambdas []float64
		most    int
		want    []float64
	}{
		{[]float64{1, 10, 1}, 2, []float64{1, 10, 1}},
		{[]float64{1, 10, 100, 100}, 2, []float64{10, 10, 100, 100}}, // 1 goes to 10, which is as near as 10 to 100
		{[]float64{1e-4, 1, 2, 1e4}, 3, []float64{1e-4, 2, 2, 1e4}},
		{[]float64{1e-4, 1, 1, 2, 1e4}, 3, []float64{1e-4, 1, 1, 1, 1e4}},
		{[]float64{5, 0.1, 0, 5}, 2, []float64{5, 5, 0, 5}}, // from 0 it is infinitely far
		{[]float64{3, 1}, 1, []float64{3, 3}},
	} {
		found := map[float64]*normal.Solution{}
		var all []*normal.Solution
		for _, l := range c.lambdas {
			if found[l] == nil {
				found[l] = &normal.Solution{Lambda: l}
			}
			all = append(all, found[l])
		}
		var got []float64
		for _, s := range share(all, c.most) {
			got = append(got, s.Lambda)
		}
		kept := slices.Clone(got)
		slices.Sort(kept)
		if len(slices.Compact(kept)) > c.most {
			t.Errorf("%v: %v, of more than %d", c.lambdas, got, c.most)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %d at most: %v, want %v", c.lambdas, c.most, got, c.want)
		}
	}
}

// No more factors are kept than 2 GB have room for: then targets have the nearest λ of others, and the model says so; with room for one it is
// that of SharedLambda.
func TestFactorsOfMemory(t *testing.T) {
	const n, features = 200, 40
	s := featuremap.NewSampler(710)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 4, nil)
	for i := range n {
		a, b := s.Normal(), s.Normal()
		x.SetRow(i, []float64{a, b})
		y.SetRow(i, []float64{math.Sin(a) + 0.001*s.Normal(), s.Normal(), a + 0.5*s.Normal(), math.Sin(3*b) + 0.1*s.Normal()})
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, features, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(factors int, o *Options) *Model {
		t.Helper()
		before := factorBytes
		defer func() { factorBytes = before }()
		factorBytes = float64(8*triangle(features)*factors) + 1
		m, err := Fit(phi, x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const says = ", which targets share, as factors for all of them would take more than memory or 2 GB"
	free := fit(13, nil)
	if len(free.ridges) < 3 || strings.Contains(free.String(), says) {
		t.Fatalf("%v", free)
	}
	two := fit(2, nil)
	if len(two.ridges) != 2 || !strings.Contains(two.String(), says) {
		t.Errorf("%v", two)
	}
	for k, l := range free.Lambda() {
		nearest := slices.MinFunc(two.ridges, func(a, b ridge) int { return int(math.Copysign(1, apart(l, a.lambda)-apart(l, b.lambda))) })
		if two.Lambda()[k] != nearest.lambda {
			t.Errorf("target %d: λ = %v, the nearest to %v is %v", k, two.Lambda()[k], l, nearest.lambda)
		}
		if v := two.varianceVec(nil, []float64{0, 1})[k]; !(v > 0) {
			t.Errorf("target %d: a variance of %v", k, v)
		}
	}
	one, shared := fit(1, nil), fit(1, &Options{SharedLambda: true})
	if !slices.Equal(one.Lambda(), shared.Lambda()) || !strings.Contains(one.String(), says) || strings.Contains(shared.String(), says) {
		t.Errorf("%v, and by SharedLambda %v", one, shared)
	}
	// λ that are given for each target are taken, and the criterion's numbers belong to them.
	want := free.Lambda()
	var o Options
	linear.Of(&o).Each = want
	each := fit(13, &o)
	if !slices.Equal(each.Lambda(), want) || !slices.Equal(each.leftOut, free.leftOut) || each.evidence != free.evidence || each.String() != free.String() {
		t.Errorf("%v, want %v", each, free)
	}
	slices.Reverse(want)
	linear.Of(&o).Each = want
	if got := fit(13, &o).Lambda(); !slices.Equal(got, want) {
		t.Errorf("λ = %v, want %v", got, want)
	}
}

// Of two candidates the one of more evidence for a group is likelier, and of equal ones that of the larger λ.
func TestLikelier(t *testing.T) {
	of := func(evidence, lambda float64) *candidate {
		return &candidate{Solution: &normal.Solution{Lambda: lambda}, groups: []standing{{}, {evidence: evidence}}}
	}
	for _, c := range []struct {
		a, b *candidate
		want bool
	}{
		{of(1, 1), nil, true},
		{of(math.Inf(-1), 0), nil, true},
		{of(2, 1), of(1, 5), true},
		{of(1, 5), of(2, 1), false},
		{of(1, 5), of(1, 1), true},
		{of(1, 1), of(1, 5), false},
		{of(1, 1), of(1, 1), false},
	} {
		if got := c.a.likelier(c.b, 1); got != c.want {
			t.Errorf("%+v, %+v: %v", c.a, c.b, got)
		}
	}
}
