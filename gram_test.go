// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A matrixCase is a kernel on R^d, of which so many parts are evaluated pair by pair. Those that are not bitwise have values
// of functions that are not promised to have the same bits on every machine.
type matrixCase struct {
	name      string
	k         Kernel
	evaluated int
	notBits   bool
}

// matrixCases are all kernels that are computed by tiles, and what is made of them.
func matrixCases(d int) []matrixCase {
	scales, some := make([]float64, d), []int{d - 1}
	for i := range scales {
		scales[i] = 0.5 + float64(i%5)/3
	}
	if d > 2 {
		some = []int{2, 0}
	}
	matrix := mat.NewDense(2, d, nil)
	for i := range 2 {
		for j := range d {
			matrix.Set(i, j, float64((3*i+5*j+1)%7-3)/4)
		}
	}
	w := WeightFunc(func(x []float64) float64 { return 1 + x[0]*x[0]/8 })
	gaussian, matern := Gaussian{LengthScale: 1.7}, Matern{Nu: 1.5, LengthScale: 2}
	cases := []matrixCase{
		{name: "Gaussian", k: gaussian},
		{name: "RBF", k: RBF(0.3)},
		{name: "small length", k: Gaussian{LengthScale: 1e-3}},
		{name: "large length", k: Matern{Nu: 2.5, LengthScale: 1e140}},
		{name: "Laplacian", k: Laplacian{LengthScale: 2.5}},
		{name: "Cauchy", k: Cauchy{LengthScale: 2}},
		{name: "Matern 1/2", k: Matern{Nu: 0.5, LengthScale: 2}},
		{name: "Matern 3/2", k: matern},
		{name: "Matern 5/2", k: Matern{Nu: 2.5, LengthScale: 2}},
		{name: "Matern 7/2", k: Matern{Nu: 3.5, LengthScale: 2}},
		{name: "Matern 41/2", k: Matern{Nu: 20.5, LengthScale: 2}},
		{name: "Matern 0.3", k: Matern{Nu: 0.3, LengthScale: 2}},
		{name: "Matern 2.2", k: Matern{Nu: 2.2, LengthScale: 2}},
		{name: "Matern 70", k: Matern{Nu: 70, LengthScale: 2}},
		{name: "RationalQuadratic", k: RationalQuadratic{Alpha: 1.3, LengthScale: 1.5}},
		{name: "Constant", k: Constant{Value: 2.5}},
		{name: "Periodic", k: Periodic{Period: 3, LengthScale: 1.2}},
		{name: "Linear", k: Linear{}},
		{name: "Polynomial", k: Polynomial{Degree: 3, Gamma: 0.5, Offset: 2}},
		{name: "Polynomial 40", k: Polynomial{Degree: 40, Gamma: 0.01, Offset: 1}},
		{name: "ExpDot", k: ExpDot{LengthScale: 3}},
		{name: "Geometric", k: Dot(series.Geometric{Ratio: 1e-3})},
		{name: "Dot", k: Dot(series.Coefficients{1, 0, 0.25, 0.125})},
		{name: "Sphere", k: Sphere{}},
		{name: "ArcCosine 0", k: ArcCosine{Order: 0}},
		{name: "ArcCosine 1", k: ArcCosine{Order: 1}},
		{name: "ArcCosine 2", k: ArcCosine{Order: 2}},
		{name: "ARD", k: ARD(scales, gaussian)},
		{name: "ARD Laplacian", k: ARD(scales, Laplacian{LengthScale: 3})},
		{name: "ARD ArcCosine", k: ARD(scales, ArcCosine{Order: 1})},
		{name: "Project", k: Project(matrix, matern)},
		{name: "Project diagonal", k: Project(mat.NewDiagDense(d, scales), Cauchy{LengthScale: 3})},
		{name: "Select", k: Select(some, Matern{Nu: 0.5, LengthScale: 1})},
		{name: "ARD of Select", k: Select(some, ARD(scales[:len(some)], Periodic{Period: 2, LengthScale: 1}))},
		{name: "Project of ARD", k: ARD(scales, Project(matrix, gaussian))},
		{name: "Sum", k: Sum(gaussian, matern, Constant{Value: 0.5})},
		{name: "Product", k: Product(gaussian, Polynomial{Degree: 2, Gamma: 0.1, Offset: 1})},
		{name: "Scale", k: Scale(2.5, Sum(Linear{}, ARD(scales, gaussian)))},
		{name: "Compose", k: Compose(series.Exp{Rate: 0.5}, gaussian)},
		{name: "Compose polynomial", k: Compose(series.Coefficients{0, 1, 2}, Product(matern, Laplacian{LengthScale: 5}))},
		{name: "Weight", k: Weight(w, ARD(scales, Weight(w, gaussian)))},
		{name: "BlackBox", k: BlackBox{Of: gaussian}},
		{name: "FromMap", k: FromMap(testkit.Must(NewFourier(gaussian, d, 16, NewSampler(1), nil)))},
		{name: "pointer", k: &matern},
		{name: "caller's", k: ownKernel{}, evaluated: 1, notBits: true},
		{name: "embedded", k: embeddedKernel{gaussian}, evaluated: 1, notBits: true},
		{name: "with caller's", k: Sum(ARD(scales, ownKernel{}), gaussian), evaluated: 1, notBits: true},
		{name: "SpectralMixture", k: SpectralMixture{Weights: []float64{1}, Means: mat.NewDense(1, d, scales), Scales: mat.NewDense(1, d, scales)}, evaluated: 1, notBits: true},
		{name: "refused", k: Scale(-1, gaussian), evaluated: 1},
	}
	if d == 1 {
		cases = append(cases, matrixCase{name: "Circle", k: Circle{}, evaluated: 1, notBits: true}, matrixCase{name: "Categories", k: Categories{N: 3}, evaluated: 1})
	}
	return cases
}

// A ownKernel is a kernel of a caller's.
type ownKernel struct{}

func (ownKernel) Eval(x, y []float64) float64 {
	return math.Exp(-math.Abs(x[0]-y[0])) + x[0]*y[0]
}

// An embeddedKernel has the methods of Gaussian, and another value.
type embeddedKernel struct{ Gaussian }

func (k embeddedKernel) Eval(x, y []float64) float64 { return 2 * k.Gaussian.Eval(x, y) }

// gramPoints returns n points of R^d, some of them equal, near each other, opposite or 0.
func gramPoints(n, d int, seed uint64) *mat.Dense {
	x := testkit.ScaledNormals(seed, n, d, 1)
	for i := range n {
		row, other := x.RawRowView(i), x.RawRowView(i/2)
		switch i % 7 {
		case 3:
			copy(row, other)
		case 4:
			for k, v := range other {
				row[k] = v + float64(1e-7*row[k])
			}
		case 5:
			for k, v := range other {
				row[k] = -v
			}
		case 6:
			if i%2 == 0 {
				clear(row)
			}
		}
	}
	return x
}

// gramSlack returns by how much a value at rows i and j of x may differ from Eval's: by the rounding of sums of squares or
// products of d coordinates, relative to their sizes, and of logarithms of values.
func gramSlack(k Kernel, x *mat.Dense) func(i, j int, value float64) float64 {
	n, d := x.Dims()
	var selves []float64
	if stationary(k) == nil {
		selves = testkit.F64s(n, func(i int) float64 { return k.Eval(x.RawRowView(i), x.RawRowView(i)) })
	}
	return func(i, j int, value float64) float64 {
		size := math.Abs(value)
		if selves != nil {
			size = math.Sqrt(selves[i]*selves[j]) + size
		}
		log := 1.0
		if value != 0 {
			log += math.Abs(math.Log(math.Abs(value)))
		}
		return 4e-15*math.Sqrt(float64(d))*size*log + 1e-300
	}
}

// Kernel matrices have the values of Eval, for all kernels, on numbers of points about those of tiles, and they are
// symmetric to the last bit, equal CrossGram's, and have k(x, x) where points are equal.
func TestGramEqualsEval(t *testing.T) {
	t.Parallel()
	for _, d := range []int{1, 2, 3, 8, 9, 30} {
		for _, c := range matrixCases(d) {
			for _, n := range []int{1, 8, 25, 70} {
				if !testkit.Long() && (c.name == "Matern 70" && d != 3 || n == 70 && d != 3 || n == 25 && d != 9 || d == 2 || d == 8) {
					continue
				}
				x := gramPoints(n, d, uint64(d))
				if got := EvaluatedPairs(c.k, d); got != c.evaluated {
					t.Fatalf("%s: %d parts are evaluated pair by pair, want %d", c.name, got, c.evaluated)
				}
				var gram mat.SymDense
				Gram(&gram, c.k, x)
				var cross mat.Dense
				CrossGram(&cross, c.k, x, x)
				slack := gramSlack(c.k, x)
				for i := range n {
					for j := range n {
						at, of := x.RawRowView(i), x.RawRowView(j)
						want := gram.At(i, j)
						if j <= i { // symmetric, as Gram is
							want = c.k.Eval(at, of)
						}
						if got := gram.At(i, j); !(math.Abs(got-want) <= slack(i, j, want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("%s, d=%d, n=%d: Gram(%d, %d) = %v, and Eval %v", c.name, d, n, i, j, got, want)
						}
						if !sameValue(gram.At(i, j), cross.At(i, j)) {
							t.Fatalf("%s, d=%d, n=%d: Gram(%d, %d) = %v, and CrossGram %v", c.name, d, n, i, j, gram.At(i, j), cross.At(i, j))
						}
						if slices.Equal(at, of) && !sameValue(gram.At(i, j), gram.At(i, i)) {
							t.Fatalf("%s, d=%d, n=%d: points %d and %d are equal: %v, on the diagonal %v", c.name, d, n, i, j, gram.At(i, j), gram.At(i, i))
						}
					}
				}
			}
		}
	}
}

func sameValue(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Near points lose no digits, far from the origin neither: values as near as 1e-6 of the norms are right to 1e-15, and
// what is left to 1 where the kernel has a kink to a relative 1e-9.
func TestGramNearPoints(t *testing.T) {
	for _, d := range []int{1, 3, 8, 9, 64, 784} {
		scales, columns := make([]float64, d), make([]int, d)
		for i := range d {
			scales[i], columns[i] = math.Pow(1.5, float64(i%5)-2), d-1-i
		}
		for _, offset := range []float64{0, 1e6} {
			for _, behind := range []struct {
				name string
				of   func(k Kernel) Kernel
				ard  []float64
			}{
				{"", func(k Kernel) Kernel { return k }, nil},
				{"ARD", func(k Kernel) Kernel { return ARD(scales, k) }, scales},
				{"Select", func(k Kernel) Kernel { return Select(columns, k) }, nil},
			} {
				for _, apart := range []float64{1e-6, 1e-3, 1} {
					x, y := testkit.ScaledNormals(uint64(d), 9, d, 1), testkit.ScaledNormals(7, 9, d, apart)
					for i, v := range x.RawMatrix().Data {
						x.RawMatrix().Data[i] = v + offset
						y.RawMatrix().Data[i] += v + offset
					}
					l := math.Sqrt(float64(d)) * apart
					for _, c := range []struct {
						name string
						k    Kernel
						of   func(squares, sum float64) (value float64)
						kink bool
					}{
						{"Gaussian", Gaussian{LengthScale: l}, func(q, _ float64) float64 { return math.Exp(-q / (2 * l * l)) }, false},
						{"Matern 5/2", Matern{Nu: 2.5, LengthScale: l}, func(q, _ float64) float64 {
							z := math.Sqrt(5*q) / l
							return (1 + z + z*z/3) * math.Exp(-z)
						}, false},
						{"RationalQuadratic", RationalQuadratic{Alpha: 1, LengthScale: l}, func(q, _ float64) float64 { return 1 / (1 + q/(2*l*l)) }, false},
						{"Matern 1/2", Matern{Nu: 0.5, LengthScale: 1}, func(q, _ float64) float64 { return -math.Expm1(-math.Sqrt(q)) }, true},
						{"Laplacian", Laplacian{LengthScale: float64(d)}, func(_, s float64) float64 { return -math.Expm1(-s / float64(d)) }, true},
					} {
						got := NewKernelMatrix(behind.of(c.k), y).Rows(x)
						for i := range 9 {
							q, sum := exactDistances(x.RawRowView(i), y.RawRowView(i), behind.ard)
							want, value := c.of(q, sum), got.At(i, i)
							limit := 1e-15 * (1 + math.Sqrt(float64(d))/8)
							if apart == 1 {
								limit *= 3 // the norms are no larger than the distances, but the sums of products have about 1e-16 of them
							}
							if c.kink {
								value, limit = 1-value, 1e-9*want
							}
							if !(math.Abs(value-want) <= limit) {
								t.Errorf("%s %s, d=%d, offset %g, %g apart: %.17g, want %.17g: off by %.2g", behind.name, c.name, d, offset, apart, value, want, value-want)
							}
						}
					}
				}
			}
		}
	}
}

// exactDistances returns ‖x − y‖² and ‖x − y‖₁, with differences rounded once.
func exactDistances(x, y, scales []float64) (squares, sum float64) {
	for k, v := range x {
		d := v - y[k]
		if scales != nil {
			d /= scales[k]
		}
		squares += d * d
		sum += math.Abs(d)
	}
	return squares, sum
}

// A value depends on its row and the points alone: not on the batch, how it is stored, or the number of goroutines.
func TestGramBits(t *testing.T) {
	n := testkit.Times(90, 90, 200)
	for _, d := range []int{20, 3}[:testkit.Times(1, 1, 2)] {
		for _, c := range matrixCases(d) {
			if (c.name == "Matern 70" || c.name == "Matern 2.2") && !testkit.Long() {
				continue // slow, and by the code of Matern 0.3
			}
			s, x := gramPoints(n, d, 1), gramPoints(77, d, 2)
			before := runtime.GOMAXPROCS(1)
			m := NewKernelMatrix(c.k, s)
			want := m.Rows(x)
			var gram mat.SymDense
			Gram(&gram, c.k, s)
			runtime.GOMAXPROCS(4)
			again := m.Rows(x)
			var gramAgain, turned mat.SymDense
			Gram(&gramAgain, c.k, s)
			Gram(&turned, c.k, mat.DenseCopyOf(s.T()).T())
			var cross mat.Dense
			CrossGram(&cross, c.k, lists(x), mat.DenseCopyOf(s.T()).T())
			runtime.GOMAXPROCS(before)
			if !sameMatrix(again, want) || !sameMatrix(&gramAgain, &gram) {
				t.Errorf("%s: goroutines change bits", c.name)
			}
			if !sameMatrix(&cross, want) || !sameMatrix(&turned, &gram) {
				t.Errorf("%s: how points are stored changes bits", c.name)
			}
			for _, i := range []int{0, 1, 30, 76} {
				if one := m.Rows(x.Slice(i, i+1, 0, d)); !sameMatrix(one, want.Slice(i, i+1, 0, n)) {
					t.Errorf("%s: row %d alone has other bits", c.name, i)
				}
			}
			diagonal := NewKernelMatrix(c.k, s).Diagonal(s)
			for i, v := range diagonal {
				if !sameValue(v, gram.At(i, i)) {
					t.Fatalf("%s: the diagonal has %v at %d, and Gram %v", c.name, v, i, gram.At(i, i))
				}
			}
		}
	}
}

// lists returns a matrix as lists of non-zeros.
func lists(x *mat.Dense) mat.Matrix {
	n, d := x.Dims()
	l := &rows.Lists{Cols: d}
	for i := range n {
		l.Rows = append(l.Rows, rows.NewList(x.RawRowView(i)))
	}
	return l
}

func sameMatrix(a, b mat.Matrix) bool {
	n, m := a.Dims()
	for i := range n {
		for j := range m {
			if !sameValue(a.At(i, j), b.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// Rows that are not finite, or as large or small as there are, stay in their rows and columns, and have Eval's values.
func TestGramOfSpecialRows(t *testing.T) {
	for _, d := range []int{8, 2, 20}[:testkit.Times(1, 1, 3)] {
		for _, c := range matrixCases(d) {
			clean := gramPoints(40, d, 3)
			var want, got mat.SymDense
			x := mat.DenseCopyOf(clean)
			special := map[int]float64{3: math.NaN(), 11: math.Inf(1), 12: math.Inf(-1), 20: 1e200, 21: -1e300, 29: 1e-170, 30: 1e-310}
			for i, v := range special {
				for k := range d {
					if math.Abs(v) <= math.MaxFloat64 {
						x.Set(i, k, v*(1+0.5*float64(k%2)))
					}
				}
				x.Set(i, d-1, v)
			}
			Gram(&got, c.k, x)
			Gram(&want, c.k, clean)
			slackOf := gramSlack(c.k, x)
			for i := range 40 {
				for j := range 40 {
					_, left := special[i]
					_, right := special[j]
					at, of := x.RawRowView(i), x.RawRowView(j)
					slack := slackOf(i, j, want.At(i, j))
					wanted := want.At(i, j)
					if left || right {
						wanted = c.k.Eval(at, of)
						slack = slackOf(i, j, wanted)
					}
					g := got.At(i, j)
					if !(math.Abs(g-wanted) <= slack) && !sameValue(g, wanted) && !(math.IsNaN(wanted) || math.IsNaN(slack)) {
						t.Errorf("%s, d=%d: (%v, %v) has %v, want %v", c.name, d, at[0], of[0], g, wanted)
					}
				}
			}
		}
	}
}

// A counter counts its evaluations, and a countingMap the rows that it transforms.
type counter struct{ n *atomic.Int64 }

func (c counter) Eval(x, y []float64) float64 {
	c.n.Add(1)
	return x[0] * y[0]
}

type countingMap struct {
	FeatureMap
	n *atomic.Int64
}

func (c countingMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	c.n.Add(int64(n))
	c.FeatureMap.TransformTo(dst, x)
}

func (c countingMap) TransformVec(dst, x []float64) []float64 {
	c.n.Add(1)
	return c.FeatureMap.TransformVec(dst, x)
}

// Kernels of callers are evaluated once for each pair, and maps transform each row once.
func TestGramCalls(t *testing.T) {
	var n atomic.Int64
	x, y := testkit.ScaledNormals(1, 100, 3, 1), testkit.ScaledNormals(2, 30, 3, 1)
	var gram mat.SymDense
	var cross mat.Dense
	check := func(what string, want int64) {
		if got := n.Swap(0); got != want {
			t.Errorf("%s: %d calls, want %d", what, got, want)
		}
	}
	k := Sum(Gaussian{LengthScale: 1}, ARD([]float64{1, 2, 3}, counter{&n}))
	Gram(&gram, k, x)
	check("Gram", 100*101/2)
	CrossGram(&cross, k, x, y)
	check("CrossGram", 100*30)
	m := FromMap(countingMap{testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 3, 8, NewSampler(1), nil)), &n})
	Gram(&gram, m, x)
	check("Gram of FromMap", 100)
	CrossGram(&cross, m, x, y)
	check("CrossGram of FromMap", 130)
	w := Weight(WeightFunc(func(x []float64) float64 { n.Add(1); return x[0] }), Linear{})
	Gram(&gram, w, x)
	check("Gram of Weight", 100)
}

// A panic of a kernel's own is raised in the goroutine of the caller.
func TestGramPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "no kernel" {
			t.Errorf("recovered %v", got)
		}
	}()
	Gram(new(mat.SymDense), Sum(Linear{}, panics{}), testkit.ScaledNormals(1, 100, 3, 1))
}

type panics struct{}

func (panics) Eval(x, y []float64) float64 { panic("no kernel") }

// The bits of kernel matrices.
func TestGoldenGram(t *testing.T) {
	var b bytes.Buffer
	for _, d := range []int{1, 5, 13, 100} {
		x, y := gramPoints(12, d, 1), gramPoints(30, d, 2)
		for _, c := range matrixCases(d) {
			if c.notBits {
				continue
			}
			got := NewKernelMatrix(c.k, y).Rows(x)
			fmt.Fprintf(&b, "%s d=%d:", c.name, d)
			for i := range 12 {
				fmt.Fprintf(&b, " %x", got.At(i, (7*i+d)%30))
			}
			b.WriteByte(10)
		}
	}
	golden.Compare(t, "gram.golden", b.Bytes())
}
