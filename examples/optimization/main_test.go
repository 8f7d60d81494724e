// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

var long = flag.Bool("long", false, "search with ten seeds, and the other functions too")

// In the median of ten seeds, with -long, both methods come within .005 of the maxima of Branin's function and the camel's in 30 evaluations, and the upper
// bound within .01 of Hartmann's in 40; random points do not come near them. Without -long one seed of Branin's does.
func TestRun(t *testing.T) {
	seeds, tried := 1, functions[:1]
	if *long {
		seeds, tried = 10, functions
	}
	var out strings.Builder
	results, err := run(&out, tried, seeds)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", &out)
	for _, r := range results {
		gap, limit := r.median(30), 0.005
		if r.function == "Hartmann" {
			gap, limit = r.median(40), 0.01
		}
		switch {
		case gap < -1e-5:
			t.Errorf("%s, %s: above the maximum by %v", r.function, r.method, -gap)
		case r.method == "random" && gap < 0.2, r.method == "upper bound" && gap > limit, r.method == "Thompson" && r.function != "Hartmann" && gap > limit:
			t.Errorf("%s, %s: %v from the maximum", r.function, r.method, gap)
		}
		if row := "| " + r.function + " | " + r.method + " | "; !strings.Contains(out.String(), row) {
			t.Errorf("the output has no row %q", row)
		}
	}
	if head := "| function | method | 10 | 20 | 30 | 40 | within .01 | seconds |\n"; !strings.HasPrefix(out.String(), head) {
		t.Errorf("the output does not begin with %q", head)
	}
}

// The functions have their maxima where they are known to be (Dixon and Szegő 1978), and no point near is higher.
func TestFunctions(t *testing.T) {
	for i, places := range [][][]float64{
		{{(5 - math.Pi) / 15, 12.275 / 15}, {(5 + math.Pi) / 15, 2.275 / 15}, {(5 + 3*math.Pi) / 15, 2.475 / 15}},
		{{(3 + 0.089842) / 6, (2 - 0.712656) / 4}, {(3 - 0.089842) / 6, (2 + 0.712656) / 4}},
		{{0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}},
	} {
		f := functions[i]
		for _, at := range places {
			if v := f.value(at); math.Abs(v-f.maximum) > 1e-5 || len(at) != f.columns {
				t.Errorf("%s at %v: %v, want %v", f.name, at, v, f.maximum)
			}
			for j, v := range at {
				for _, at[j] = range []float64{v - 0.01, v + 0.01} {
					if f.value(at) > f.maximum {
						t.Errorf("%s at %v is higher", f.name, at)
					}
				}
				at[j] = v
			}
		}
	}
}

// A search goes on over places that come again: the maximum of a plane is a corner, where climbs end, and its values are exact.
func TestRepeatedPlaces(t *testing.T) {
	for _, m := range methods[:2] {
		seen := make(map[[2]float64]int)
		plane := func(x []float64) float64 {
			seen[[2]float64(x)]++
			return x[0] + 2*x[1]
		}
		values, err := search(plane, 2, 14, m, featuremap.NewSampler(1))
		if err != nil || len(values) != 14 || slices.Max(values) != 3 {
			t.Errorf("%s: %v, %v", m.name, values, err)
		}
		if n := seen[[2]float64{1, 1}]; n < 2 {
			t.Errorf("%s: %d evaluations in the corner, want a repeated one", m.name, n)
		}
	}
}

// The upper bound finds peaks of 1 next to corners of −160 in 30 evaluations, by the likelier scale. By the values alone, where each corner promises more, it is
// .8 and .7 from the maximum with these seeds.
func TestScales(t *testing.T) {
	seeds := []uint64{503, 507}
	if !*long {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		values, err := search(camel, 2, 30, methods[0], featuremap.NewSampler(seed))
		if gap := functions[1].maximum - slices.Max(values); err != nil || !(gap < 0.005) {
			t.Errorf("seed %d: %v from the maximum, %v", seed, gap, err)
		}
	}
}

// The logarithmic scale keeps the order, and its change is the sum of the logarithms of slopes, the median and the best value held; the median may be the best.
func TestLogarithmic(t *testing.T) {
	values := []float64{-160, 3, 1, -7, 2, -0.5, -30} // the median −.5 is 3.5 from the best
	got, change := logarithmic(values)
	var want float64
	for i, y := range values {
		if at := -math.Log(1 + (3-y)/3.5); math.Abs(got[i]-at) > 1e-12 {
			t.Errorf("%v: %v, want %v", y, got[i], at)
		}
		const step = 1e-6
		want += math.Log((math.Log(1+(3-y+step)/3.5) - math.Log(1+(3-y-step)/3.5)) / (2 * step))
	}
	if math.Abs(change-want) > 1e-6 {
		t.Errorf("change %v, want %v", change, want)
	}
	if got, change := logarithmic([]float64{1, 1, 1, 0}); got[0] != 0 || got[3] != -math.Log(5) || math.IsInf(change, 0) {
		t.Errorf("most values the best: %v, %v", got, change)
	}
}

// The process goes through all values, also at a place that came again, and is sure of them.
func TestFit(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{0.1, 0.2, 0.6, 0.7, 0.1, 0.2, 0.9, 0.3, 0.4, 0.5})
	y := mat.NewDense(5, 1, []float64{3, -1, 3, 2, 0.5})
	m, err := fit([]float64{0.3, 0.3}, x, y, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		got, variance := m.PredictVec(nil, x.RawRowView(i))[0], p.VarianceVec(nil, x.RawRowView(i))[0]
		if want := y.At(i, 0); math.Abs(got-want) > 1e-6 || !(variance < 1e-6) {
			t.Errorf("row %d: %v ± %v, want %v", i, got, math.Sqrt(variance), want)
		}
	}
}

// Of a wave along one column the length of the other becomes longer, no further than the prior holds it, and the pair becomes likelier.
func TestImprove(t *testing.T) {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(15, 2, nil), mat.NewDense(15, 1, nil)
	for i := range 15 {
		x.SetRow(i, random(2, s))
		y.Set(i, 0, math.Sin(9*x.At(i, 0)))
	}
	lengths := []float64{typical, typical}
	before, err := likelihood(lengths, x, y, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := improve(lengths, x, y, s); err != nil {
		t.Fatal(err)
	}
	after, err := likelihood(lengths, x, y, s)
	if err != nil || !(after > before+3) {
		t.Errorf("log likelihood %v, from %v (%v)", after, before, err)
	}
	if !(lengths[1] > 2*lengths[0] && lengths[1] < 1000*typical) {
		t.Errorf("lengths %v", lengths)
	}
}

// The page has this program's functions as they are.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/optimization.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("search.go")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(programs) == 0 {
		t.Error("the page has no program")
	}
	for _, p := range programs {
		if !strings.Contains(string(source), p[1]) {
			t.Errorf("search.go has no\n%s", p[1])
		}
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
		values, err := search(f, 2, 14, m, featuremap.NewSampler(1))
		if err != nil || len(values) != 14 || slices.Max(values) == 3 {
			t.Errorf("%s: %v, %v", m.name, values, err)
		}
	}
	for _, m := range methods {
		if values, err := search(func([]float64) float64 { return 7 }, 2, 12, m, featuremap.NewSampler(1)); err != nil || len(values) != 12 {
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
		x := f.maximize(mat.NewDense(1, 2, []float64{0.9, 0.1}), featuremap.NewSampler(1))
		for j, v := range x {
			if want := min(max(peak[j], 0), 1); math.Abs(v-want) > 2e-3 {
				t.Errorf("peak %v: found %v", peak, x)
			}
		}
	}
}

// Of two peaks the higher one is found, though it is so narrow that few of the random points are on it.
func TestMaximize(t *testing.T) {
	peaks := []struct{ height, at, steepness float64 }{{1, 0.2, 1e4}, {0.9, 0.8, 30}}
	f := surface{
		func(x []float64) (sum float64) {
			for _, p := range peaks {
				sum += p.height * math.Exp(-p.steepness*(x[0]-p.at)*(x[0]-p.at))
			}
			return sum
		},
		func(dst, x []float64) {
			dst[0] = 0
			for _, p := range peaks {
				dst[0] -= 2 * p.steepness * (x[0] - p.at) * p.height * math.Exp(-p.steepness*(x[0]-p.at)*(x[0]-p.at))
			}
		},
	}
	for seed := range uint64(5) {
		if x := f.maximize(mat.NewDense(1, 1, []float64{0.8}), featuremap.NewSampler(seed)); math.Abs(x[0]-0.2) > 1e-3 {
			t.Errorf("seed %d: found %v", seed, x)
		}
	}
}
