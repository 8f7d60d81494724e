// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// countedWords returns n rows of in columns with up to count entries each, like counts of words weighted by
// their rarity: low columns are much more frequent than high ones, and rows have norm 1.
func countedWords(n, in, count int) *testkit.Lists {
	s := NewSampler(5)
	x := &testkit.Lists{In: in, Rows: make([][]testkit.Entry, n)}
	for i := range x.Rows {
		taken := make(map[int]bool)
		var square float64
		for range count {
			j := min(int(float64(in)*math.Pow(s.Float64(), 3)), in-1)
			if taken[j] {
				continue
			}
			taken[j] = true
			v := (1 + s.Exponential()) * math.Log(2+float64(j))
			square += float64(v * v)
			x.Rows[i] = append(x.Rows[i], testkit.Entry{J: j, V: v})
		}
		for k := range x.Rows[i] {
			x.Rows[i][k].V /= math.Sqrt(square)
		}
	}
	return x
}

// wideKernels are kernels of points of R^in that have maps.
func wideKernels(in int) map[string]Kernel {
	lengths, others := make([]float64, in), make([]float64, in)
	for j := range lengths {
		lengths[j], others[j] = 0.5+float64(j%7)/4, 1+float64(j%3)
	}
	some := make([]int, in/2)
	for j := range some {
		some[j] = in - 1 - 2*j
	}
	g, l := Gaussian{LengthScale: 1}, Laplacian{LengthScale: 4}
	m := Matern{Nu: 1.5, LengthScale: 1}
	return map[string]Kernel{
		"Linear": Linear{}, "Scale": Scale(2, Linear{}), "Gaussian": g, "Gaussian, wide": Gaussian{LengthScale: 3}, "Matern": m, "Laplacian": l,
		"RationalQuadratic": RationalQuadratic{Alpha: 1, LengthScale: 1}, "Cauchy": Cauchy{LengthScale: 4}, "Periodic": Periodic{Period: 3, LengthScale: 4},
		"ExpDot": ExpDot{LengthScale: 1}, "Polynomial": Polynomial{Degree: 3, Gamma: 1, Offset: 1}, "Geometric": Dot(series.Geometric{Ratio: 0.3}),
		"ArcCosine 0": ArcCosine{Order: 0}, "ArcCosine 1": ArcCosine{Order: 1}, "ArcCosine 2": ArcCosine{Order: 2},
		"ARD": ARD(lengths, g), "ARD of Laplacian": ARD(lengths, l), "ARD of Linear": ARD(lengths, Linear{}), "ARD of ArcCosine": ARD(lengths, ArcCosine{Order: 1}),
		"Select": Select([]int{3, 1, 40}, g), "Select of many": Select(some, g), "Select of Laplacian": Select(some, l),
		"Project": Project(testkit.NormalPoints(9, 20, in), Gaussian{LengthScale: 5}),
		"Sum":     Sum(g, m, Linear{}, Constant{Value: 1}), "Sum of ARD": Sum(ARD(lengths, l), ARD(others, m)),
		"Product": Product(g, m), "Product with Linear": Product(g, Linear{}), "Product with Periodic": Product(Periodic{Period: 3, LengthScale: 4}, Linear{}),
		"Product with ExpDot": Product(ExpDot{LengthScale: 2}, l), "Product of ARD": Product(ARD(lengths, l), ARD(others, m)),
		"Product of ARD and Linear": Product(ARD(lengths, g), Linear{}),
		"Product of sums":           Product(Sum(Linear{}, Constant{Value: 1}), Sum(g, l)), "Product with ArcCosine": Product(ArcCosine{Order: 1}, m),
		"SpectralMixture": SpectralMixture{Weights: []float64{1, 0.5}, Means: testkit.NormalPoints(8, 2, in), Scales: absolute(testkit.NormalPoints(7, 2, in))},
		"Compose":         Compose(series.Exp{Rate: 1}, l), "Compose of ArcCosine": Compose(series.Exp{Rate: 1}, ArcCosine{Order: 1}),
		"Weight": Weight(WeightFunc(func(x []float64) float64 { return 1 + x[0] }), g), "Weight of Linear": Weight(WeightFunc(func(x []float64) float64 { return 1 + x[0] }), Linear{}),
	}
}

// absolute returns the magnitudes of the elements of x.
func absolute(x *mat.Dense) *mat.Dense {
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	return x
}

// listsOnly is a matrix of lists whose elements cannot be read one by one.
type listsOnly struct{ *testkit.Lists }

func (l listsOnly) At(i, j int) float64 { panic(fmt.Sprintf("At(%d, %d): the rows are lists", i, j)) }

// disordered returns lists with their entries in another order, with zeros among them.
func disordered(x *testkit.Lists) *testkit.Lists {
	y := &testkit.Lists{In: x.In, Rows: make([][]testkit.Entry, len(x.Rows))}
	for i, row := range x.Rows {
		row = slices.Clone(row)
		slices.Reverse(row)
		if at := (37 * i) % x.In; !slices.ContainsFunc(row, func(e testkit.Entry) bool { return e.J == at }) {
			row = append(row, testkit.Entry{J: at, V: math.Copysign(0, float64(i%2)-1)})
		}
		y.Rows[i] = row
	}
	return y
}

// wordsAndOffset returns rows of few words, some of which are empty, and others in one column of which all rows are far from 0.
func wordsAndOffset(n, in, most int) (words, offset *testkit.Lists) {
	words, offset = countedWords(n, in, most), countedWords(n, in, most)
	words.Rows[3], words.Rows[n-5] = nil, nil
	for i, row := range offset.Rows {
		row = slices.DeleteFunc(row, func(e testkit.Entry) bool { return e.J == 9 })
		offset.Rows[i] = append(row, testkit.Entry{J: 9, V: 5 + 0.1*float64(i%7)})
	}
	return words, offset
}

// Plans of wide rows of few non-zeros read only these, and are the same given lists in any order or dense rows; their
// errors are those of the same rows with all coordinates. Without -long there are fewer rows, and no two kernels that differ in
// nothing that lists know of.
func TestPlanLists(t *testing.T) {
	t.Parallel()
	n, in, most := 24, 260, 8
	if testkit.Long() {
		n, in, most = 45, 300, 10
	}
	alike := []string{"Scale", "Gaussian, wide", "RationalQuadratic", "Cauchy", "Periodic", "ArcCosine 0", "ArcCosine 2", "ARD of Linear",
		"ARD of ArcCosine", "Select", "Select of Laplacian", "Sum of ARD", "Product", "Product with Periodic", "Product with ExpDot", "Weight of Linear"}
	ofOffset := []string{"Gaussian, wide", "ExpDot", "Polynomial", "ARD", "Product with Linear"}
	words, offset := wordsAndOffset(n, in, most)
	for name, k := range wideKernels(in) {
		for of, x := range map[string]*testkit.Lists{"words": words, "offset": offset} {
			if !testkit.Long() && (of == "offset" && !slices.Contains(ofOffset, name) || of == "words" && slices.Contains(alike, name)) {
				continue
			}
			p, err := NewPlan(k, listsOnly{disordered(x)}, 50, nil)
			q, refused := NewPlan(k, mat.DenseCopyOf(x), 50, nil)
			// At the norms above 5 of the offset rows 0.3⟨x, x⟩ is above 1, and fourth powers of features overflow.
			tooFar := of == "offset" && (name == "Geometric" || name == "Compose of ArcCosine")
			if tooFar != (err != nil) || fmt.Sprint(err) != fmt.Sprint(refused) {
				t.Errorf("%s, %s: of lists %v, of dense rows %v", name, of, err, refused)
			}
			if err != nil || refused != nil {
				continue
			}
			if a, b := fmt.Sprint(PlanShape(p)), fmt.Sprint(PlanShape(q)); a != b || p.RMSE() != q.RMSE() || PlanMaxNorm(p) != PlanMaxNorm(q) {
				t.Errorf("%s, %s: of lists %s, error %v, reach %v, of dense rows %s, %v, %v", name, of, a, p.RMSE(), PlanMaxNorm(p), b, q.RMSE(), PlanMaxNorm(q))
			}
			lists := PlanMoments(p, 40, func(variance, bias float64, x, y []float64) {
				v, b := p.Variance(x, y), p.Bias(x, y)
				rounding := 0x1p-50 * math.Sqrt(k.Eval(x, x)*k.Eval(y, y)) // of the two numbers whose difference a bias is
				if !(math.Abs(variance-v) <= 1e-7*math.Abs(v)+1e-20 || variance == v) || !(math.Abs(bias-b) <= 1e-7*math.Abs(b)+rounding) {
					t.Errorf("%s, %s: variance %v, bias %v, and %v, %v with all coordinates", name, of, variance, bias, v, b)
				}
			})
			if !lists {
				t.Errorf("%s: the rows are no lists", name)
			}
		}
	}
}

// A plan for lists makes no dense copy of the rows that it compares. Nothing else runs at the same time as this test.
func TestPlanListsMemory(t *testing.T) {
	const n, in = 150, 30000
	x := countedWords(n, in, 30)
	one := Product(Select([]int{7}, Gaussian{LengthScale: 1}), Select([]int{9}, Periodic{Period: 3, LengthScale: 1}))
	for _, k := range []Kernel{Gaussian{LengthScale: 1}, Laplacian{LengthScale: 4}, Product(ArcCosine{Order: 1}, Matern{Nu: 1.5, LengthScale: 1}), one} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		testkit.Must(NewPlan(k, x, 50, nil))
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 8*n*in {
			t.Errorf("%v: the plan takes %d bytes", k, bytes)
		}
	}
}

// Lists that are no rows of the matrix are refused.
func TestPlanListsRefuse(t *testing.T) {
	t.Parallel()
	const in = 400
	for _, c := range []struct {
		row  []testkit.Entry
		want string
	}{
		{[]testkit.Entry{{J: 7, V: 1}, {J: in, V: 2}}, "row 5 has an entry in column 400"},
		{[]testkit.Entry{{J: -1, V: 0}}, "row 5 has an entry in column -1"},
		{[]testkit.Entry{{J: 7, V: 1}, {J: 3, V: 2}, {J: 7, V: 1}}, "row 5, column 7"},
		{[]testkit.Entry{{J: 7, V: 1}, {J: 7, V: 0}}, "row 5, column 7"},
		{[]testkit.Entry{{J: 7, V: 0}, {J: 7, V: 1}}, "row 5, column 7"},
		{[]testkit.Entry{{J: 7, V: math.NaN()}}, "row 5, column 7 = NaN"},
		{[]testkit.Entry{{J: 9, V: 1}, {J: 8, V: math.Inf(-1)}}, "row 5, column 8 = -Inf"},
	} {
		x := countedWords(20, in, 10)
		x.Rows[5] = c.row
		if _, err := NewPlan(Linear{}, x, 50, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one with %q", c.row, err, c.want)
		}
	}
}

// BenchmarkPlanLists plans for 8,601 rows of 32,357 columns, 42 non-zeros each.
func BenchmarkPlanLists(b *testing.B) {
	const n, in, most = 8601, 32357, 42
	x := countedWords(n, in, most)
	for name, k := range wideKernels(in) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				testkit.Must(NewPlan(k, x, 1000, nil))
			}
		})
	}
}
