// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// maclaurinOptions are all combinations of sketches and flags with a law.
func maclaurinOptions(law series.Law) (all []MaclaurinOptions) {
	for _, sketch := range []Sketch{RademacherSketch, GaussianSketch, TensorSRHT} {
		for i := range 4 {
			all = append(all, MaclaurinOptions{Law: law, Sketch: sketch, ExactDegree: i & 1, Complex: i&2 != 0})
		}
	}
	return all
}

func maclaurinName(o MaclaurinOptions) string {
	name := o.Sketch.String()
	if o.ExactDegree == 1 {
		name += "/ExactDegree 1"
	}
	if o.Complex {
		name += "/Complex"
	}
	return name
}

// inBall returns pairs of points of norm under r: equal ones, opposite ones, on an axis, on
// diagonals, at random.
func inBall(d int, r float64) []testkit.Pair {
	s := NewSampler(uint64(d))
	point := func(f func(i int) float64) []float64 {
		x := testkit.F64s(d, f)
		norm := mat.Norm(mat.NewVecDense(d, x), 2)
		for i := range x {
			x[i] *= r / norm
		}
		return x
	}
	axis := point(func(i int) float64 { return float64(1 / (i + 1)) })
	diagonal := point(func(i int) float64 { return 1 })
	random := point(func(int) float64 { return s.Normal() })
	other := point(func(int) float64 { return s.Normal() })
	opposite := point(func(i int) float64 { return -random[i] })
	return []testkit.Pair{
		{Name: "axis, axis", X: axis, Y: axis},
		{Name: "axis, diagonal", X: axis, Y: diagonal},
		{Name: "diagonal, diagonal", X: diagonal, Y: diagonal},
		{Name: "random, random", X: random, Y: random},
		{Name: "random, other", X: random, Y: other},
		{Name: "random, opposite", X: random, Y: opposite},
		{Name: "axis, origin", X: axis, Y: make([]float64, d)},
	}
}

// reads: constant features read nothing, those of exact degree 1 their coordinate. Maps with
// ExactDegree 1 have them first.
func reads(o MaclaurinOptions) func(m FeatureMap, feature, coordinate int) bool {
	return func(m FeatureMap, feature, coordinate int) bool {
		degrees := m.(*Maclaurin).Degrees()
		if degrees[feature] == 0 {
			return false
		}
		if o.ExactDegree == 1 && degrees[feature] == 1 {
			exact := feature
			if degrees[0] == 0 {
				exact--
			}
			return exact == coordinate
		}
		return true
	}
}

// Maclaurin maps of dot product kernels, with sketches, laws and forms in many combinations, pass the conformance suite of
// maps.
func TestMaclaurin(t *testing.T) {
	for _, c := range dotKernels {
		if !testkit.Long() && c.name != "Polynomial" && c.name != "ExpDot" {
			continue
		}
		for _, l := range degreeLaws {
			for i, o := range maclaurinOptions(l.law) {
				if c.name == "Linear" && o.ExactDegree == 1 {
					continue // nothing is left to draw: see TestNewMaclaurinRefuses
				}
				// One law for each combination of the others; the others for two series.
				two := c.name == "ExpDot" || c.name == "ReLUDual"
				if l.law != nil && !two || l.name == "Geometric3" && (o.ExactDegree == 1 || o.Complex || o.Sketch != RademacherSketch) {
					continue
				}
				// By default each combination for one of two series, half for each, and a third with the optimal law.
				if half := (i/4 + i/2 + i) % 2; !testkit.Long() && (l.law == nil && two != (half == 0) || l.name == "Optimal" && i%3 != 1) {
					continue
				}
				dims := []int{3}
				if l.law == nil && two && (testkit.Long() || i%3 == 2) {
					dims = []int{1, 3}
				}
				t.Run(c.name+"/"+l.name+"/"+maclaurinName(o), func(t *testing.T) {
					testkit.Map(t, testkit.MapCase{
						New: func(in, out int, s *Sampler) (FeatureMap, error) {
							return NewMaclaurin(c.kernel, in, out, s, &o)
						},
						Dims: dims,
						// Exact columns, and whole blocks of TensorSRHT and a part of one.
						Out: func(d int) int {
							out := 22
							if o.ExactDegree == 1 {
								for _, n := range []int{0, 1} {
									if SeriesOf(c.kernel).Coeff(n) > 0 {
										out += []int{1, d}[n]
									}
								}
							}
							return out
						},
						Pairs: func(d int) []testkit.Pair { return inBall(d, 0.8) },
						// The squares of ReLUDual's features are (aₙ/qₙ)·r²ⁿ with aₙ ~ n^{−5/2}, and
						// products of normal variates have heavy tails.
						HeavyTails: c.name == "ReLUDual" || o.Sketch == GaussianSketch && c.name != "Linear",
						RareTails:  true,
						Cancels:    true,
						Reads:      reads(o),
					})
				})
			}
		}
	}
}

// Behind a Project, forms are of Ax.
func TestMaclaurinOfProject(t *testing.T) {
	a := mat.NewDense(2, 3, []float64{0.3, -0.2, 0.5, 0.1, 0.4, -0.3})
	for name, k := range map[string]Kernel{
		"Project": Project(a, ExpDot{LengthScale: 1}),
		"ARD":     ARD([]float64{2, 3, 4}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}),
	} {
		for i, o := range maclaurinOptions(series.OptimalLaw{}) {
			if name == "ARD" && i%3 != 0 && !testkit.Long() {
				continue
			}
			t.Run(name+"/"+maclaurinName(o), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New:  func(in, out int, s *Sampler) (FeatureMap, error) { return NewMaclaurin(k, in, out, s, &o) },
					Dims: []int{3},
					Out: func(int) int {
						if o.ExactDegree == 0 {
							return 10
						}
						if name == "Project" {
							return 13 // 1 + 2 + 10
						}
						return 14
					},
					Pairs:      func(d int) []testkit.Pair { return inBall(d, 1) },
					HeavyTails: o.Sketch == GaussianSketch,
					RareTails:  true,
					Cancels:    true,
					Reads: func(m FeatureMap, feature, _ int) bool {
						return m.(*Maclaurin).Degrees()[feature] > 0
					},
				})
			})
		}
	}
}

// On the digits as unit vectors, the optimal law with exact low degrees has at most half the
// error of Kar and Karnick's law without, and with -long both have the predicted one: large draws are rare, and fewer
// maps do not know it.
func TestMaclaurinDigits(t *testing.T) {
	t.Parallel()
	x, _, err := dataset.Digits()
	if err != nil {
		t.Fatal(err)
	}
	const features = 4096
	rows, maps := testkit.Times(30, 30, 60), testkit.Times(0, 0, 50)
	pairs := float64(rows * (rows - 1) / 2)
	points := mat.NewDense(rows, 64, nil)
	for i := range rows {
		row := x.RawRowView(29 * i)
		norm := mat.Norm(mat.NewVecDense(64, row), 2)
		for j, v := range row {
			points.Set(i, j, v/norm)
		}
	}
	k := ExpDot{LengthScale: 1}
	var exact mat.SymDense
	Gram(&exact, k, points)
	var measured [2]float64
	for i, o := range []MaclaurinOptions{{Law: series.GeometricLaw{P: 2}}, {Law: series.OptimalLaw{}, ExactDegree: 1}} {
		var predicted float64
		squares := make([]float64, maps)
		m, err := NewMaclaurin(k, 64, features, NewSampler(0), &o)
		if err != nil {
			t.Fatal(err)
		}
		for a := range rows {
			for b := range a {
				predicted += m.Variance(points.RawRowView(a), points.RawRowView(b))
			}
		}
		parallel.Run(parallel.Func(func(lo, hi int) {
			for seed := lo; seed < hi; seed++ {
				m, err := NewMaclaurin(k, 64, features, NewSampler(uint64(seed)), &o)
				if err != nil {
					t.Error(err)
					return
				}
				var z mat.Dense
				var gram mat.Dense
				m.TransformTo(&z, points)
				gram.Mul(&z, z.T())
				for a := range rows {
					for b := range a {
						e := gram.At(a, b) - exact.At(a, b)
						squares[seed] += e * e / float64(maps)
					}
				}
			}
		}), maps, 1)
		var sum float64
		for _, v := range squares {
			sum += v
		}
		measured[i] = math.Sqrt(sum / pairs)
		want := math.Sqrt(predicted / pairs)
		if maps == 0 {
			measured[i] = want
		}
		t.Logf("%T, ExactDegree %d: predicted %.5f, measured %.5f", o.Law, o.ExactDegree, want, measured[i])
		if !(math.Abs(measured[i]/want-1) <= 0.05) {
			t.Errorf("%T: measured RMSE %v, predicted %v", o.Law, measured[i], want)
		}
	}
	if !(measured[1] <= measured[0]/2) {
		t.Errorf("the optimal law has an error of %v, Kar and Karnick's %v", measured[1], measured[0])
	}
}

// NewMaclaurin refuses kernels that are no dot product kernels, laws without probabilities, and sizes and options that do not
// go together.
func TestNewMaclaurinRefuses(t *testing.T) {
	t.Parallel()
	e := ExpDot{LengthScale: 1}
	for _, c := range []struct {
		k       Kernel
		in, out int
		o       MaclaurinOptions
		want    string
		is      error
	}{
		{nil, 1, 1, MaclaurinOptions{}, "kernel k = nil", nil},
		{e, 0, 1, MaclaurinOptions{}, "in = 0", nil},
		{e, 1, 0, MaclaurinOptions{}, "out = 0", nil},
		{Gaussian{LengthScale: 1}, 1, 1, MaclaurinOptions{}, "Gaussian", ErrNotDotProduct},
		{e, 1, 1, MaclaurinOptions{Law: series.GeometricLaw{P: 1}}, "P = 1", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.GeometricLaw{P: math.NaN()}}, "P = NaN", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.OptimalLaw{Norm: -1}}, "Norm = -1", nil},
		{Dot(series.Geometric{Ratio: 1}), 1, 1, MaclaurinOptions{Law: series.OptimalLaw{Norm: 1}}, "radius of convergence 1", nil},
		{Dot(series.Geometric{Ratio: 1}), 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Error: 0.1, Norm: 2}}, "Norm = 2: its square must be within the radius of convergence 1", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Degree: -1}}, "Degree = -1", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Error: -1}}, "Error = -1", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Error: 1}}, "Norm = 0", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Error: 1e-20, Norm: 1}}, "Error = 1e-20", nil},
		{Dot(series.ReLUDual{}), 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Error: 1e-8, Norm: 1}}, "Error = 1e-08", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.OptimalLaw{Norm: 1e-170}}, "Norm = 1e-170", nil},
		{Dot(series.HermiteDual{N: 1100}), 1, 2, MaclaurinOptions{Law: series.OptimalLaw{Norm: math.Pow(2, -0.25)}, Complex: true}, "degree 1100", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Degrees: []int{}}}, "Degrees = []", nil},
		{e, 1, 1, MaclaurinOptions{Law: series.TruncatedLaw{Degrees: []int{-3}}}, "-3", nil},
		{Linear{}, 1, 4, MaclaurinOptions{Law: series.TruncatedLaw{Degrees: []int{4}}}, "no degree", nil},
		{Linear{}, 1, 4, MaclaurinOptions{ExactDegree: 1}, "no degree from 2 on", nil},
		{e, 3, 4, MaclaurinOptions{ExactDegree: 1}, "ExactDegree = 1 takes 4 columns", nil},
		{e, 3, 7, MaclaurinOptions{Complex: true}, "out = 7", nil},
		{e, 3, 7, MaclaurinOptions{Complex: true, ExactDegree: 1}, "out = 7", nil},
		{e, 1, 1, MaclaurinOptions{Sketch: 7}, "Sketch(7)", nil},
		{e, 1 << 30, 1 << 18, MaclaurinOptions{}, "262144 features", nil},
		{Polynomial{Degree: 2}, 1, 1, MaclaurinOptions{}, "Gamma = 0", nil},
		{Polynomial{Degree: -1, Gamma: 1}, 1, 1, MaclaurinOptions{}, "Degree = -1", nil},
		{Polynomial{Degree: 1, Gamma: 1, Offset: -1}, 1, 1, MaclaurinOptions{}, "Offset = -1", nil},
		{ExpDot{}, 1, 1, MaclaurinOptions{}, "LengthScale = 0", nil},
		{Dot(series.Geometric{Ratio: -1}), 1, 1, MaclaurinOptions{}, "Ratio = -1", ErrNotPSD},
		{Dot(nil), 1, 1, MaclaurinOptions{}, "nil", nil},
		{Dot(series.Coefficients{1, -1}), 1, 1, MaclaurinOptions{}, "-1", nil},
		{Dot(series.Coefficients{}), 1, 1, MaclaurinOptions{}, "no degree", nil},
	} {
		s := NewSampler(1)
		_, err := NewMaclaurin(c.k, c.in, c.out, s, &c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: error %v, want one with %q", c.k, c.o, err, c.want)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v is not %v", err, c.is)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%v: the sampler was used", err)
		}
	}
}

// The bits of Maclaurin maps of all sketches and forms.
func TestGoldenMaclaurin(t *testing.T) {
	var b strings.Builder
	x := testkit.F64s(40, func(i int) float64 { return float64(i%7) / 16 })
	for _, c := range dotKernels {
		for _, o := range maclaurinOptions(series.OptimalLaw{Norm: 0.5}) {
			m, err := NewMaclaurin(c.kernel, 40, 250, NewSampler(11), &o)
			if err != nil {
				continue
			}
			fmt.Fprintf(&b, "%s %s %016x\n", c.name, maclaurinName(o), golden.Fold(m.TransformVec(nil, x)))
		}
	}
	golden.Compare(t, "maclaurin.golden", []byte(b.String()))
}

// notPSD is a caller's series with an invalid coefficient.
type notPSD struct{ a float64 }

func (notPSD) Eval(t float64) float64  { return 1 + t*t }
func (notPSD) Deriv(t float64) float64 { return 2 * t }
func (notPSD) Radius() float64         { return math.Inf(1) }
func (s notPSD) Coeff(n int) float64 {
	switch n {
	case 0, 2:
		return 1
	case 1:
		return s.a
	}
	return 0
}

// A caller's series with a coefficient that is negative or NaN is refused, and a caller's law is used though it embeds one of
// the package.
func TestMaclaurinCallersTypes(t *testing.T) {
	for _, a := range []float64{-1, math.NaN()} {
		for exact := range 2 {
			if _, err := NewMaclaurin(Dot(notPSD{a}), 2, 10, NewSampler(1), &MaclaurinOptions{ExactDegree: exact}); err == nil || !strings.Contains(err.Error(), "degree 1") {
				t.Errorf("coefficient %v: error %v", a, err)
			}
		}
	}
	e := ExpDot{LengthScale: 1}
	m, err := NewMaclaurin(e, 2, 50, NewSampler(1), &MaclaurinOptions{Law: embedded{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.Degrees() {
		if n != 3 {
			t.Fatalf("a caller's law of degree 3 drew %d", n)
		}
	}
	if _, err := NewMaclaurin(e, 2, 50, NewSampler(1), &MaclaurinOptions{Law: (*series.OptimalLaw)(nil)}); err == nil {
		t.Error("a nil pointer is accepted for a law")
	}
	// What the caller does with a law afterwards is nothing to the map.
	set := []int{0, 1, 2}
	m, err = NewMaclaurin(e, 2, 50, NewSampler(1), &MaclaurinOptions{Law: series.TruncatedLaw{Degrees: set}})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.5, 0.5}
	bias, variance := m.Bias(x, x), m.Variance(x, x)
	set[1], set[2] = 7, 8
	if m.Bias(x, x) != bias || m.Variance(x, x) != variance {
		t.Error("a map changes with the caller's slice of degrees")
	}
	for _, size := range [][2]int{{math.MaxInt, 1}, {1, math.MaxInt}} {
		if _, err := NewMaclaurin(Dot(series.Coefficients{1}), size[0], size[1], NewSampler(1), nil); err == nil {
			t.Errorf("in = %d, out = %d: no error", size[0], size[1])
		}
	}
}
