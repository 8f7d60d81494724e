// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

var long = flag.Bool("long", false, "search with ten seeds in place of one")

// Both methods come within .01 of the maximum in 60 evaluations, in the median of ten seeds with -long; random points do not come
// near it.
func TestRun(t *testing.T) {
	seeds := 1
	if *long {
		seeds = 10
	}
	var out strings.Builder
	results, err := run(&out, seeds)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", &out)
	for _, r := range results {
		if gap := r.median(evaluations); gap < -1e-5 || (gap <= 0.01) == (r.method == "random") {
			t.Errorf("%s: the best of 60 points is %v from the maximum", r.method, gap)
		}
	}
	for _, want := range []string{"| evaluations | 20 | 30 | 40 | 50 | 60 | within .01 | seconds |", "| upper bound | ", "| Thompson | ", "| random | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q", want)
		}
	}
}

// The maximum is where it is known to be (Dixon and Szegő 1978), and no point near is higher.
func TestHartmann(t *testing.T) {
	at := []float64{0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}
	if v := hartmann(at); math.Abs(v-maximum) > 1e-5 {
		t.Errorf("%v, want %v", v, maximum)
	}
	for j, v := range at {
		for _, step := range []float64{-0.01, 0.01} {
			at[j] = v + step
			if hartmann(at) > maximum {
				t.Errorf("coordinate %d: %v is higher", j, at)
			}
		}
		at[j] = v
	}
}

// A function that is constant at all places but some is searched: at random until values differ, and nowhere else than in the cube.
func TestConstantStart(t *testing.T) {
	evaluated := 0
	f := func(x []float64) float64 {
		evaluated++
		for _, v := range x {
			if !(v >= 0 && v <= 1) {
				t.Errorf("evaluated at %v", x)
			}
		}
		if evaluated <= 10 {
			return 3
		}
		return math.Max(3, 4-math.Hypot(x[0]-0.3, x[1]-0.6))
	}
	for _, m := range methods {
		evaluated = 0
		values, err := search(f, 2, 14, 1, m)
		if err != nil || len(values) != 14 || slices.Max(values) == 3 {
			t.Errorf("%s: %v, %v", m.name, values, err)
		}
	}
	for _, m := range methods {
		if values, err := search(func([]float64) float64 { return 7 }, 2, 12, 1, m); err != nil || len(values) != 12 {
			t.Errorf("%s, constant: %d values, %v", m.name, len(values), err)
		}
	}
}

// A climb ends at the peak of a paraboloid, in the cube and at its faces.
func TestClimb(t *testing.T) {
	for _, peak := range [][]float64{{0.3, 0.7}, {-1, 0.5}, {2, 2}} {
		f := surface{
			func(x []float64) float64 { return -math.Hypot(x[0]-peak[0], x[1]-peak[1]) },
			func(dst, x []float64) { dst[0], dst[1] = peak[0]-x[0], peak[1]-x[1] },
		}
		x := f.maximise(mat.NewDense(1, 2, []float64{0.9, 0.1}), featuremap.NewSampler(1))
		for j, v := range x {
			if want := min(max(peak[j], 0), 1); math.Abs(v-want) > 2e-3 {
				t.Errorf("peak %v: found %v", peak, x)
			}
		}
	}
}
