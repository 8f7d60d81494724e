// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// listMaps are maps of R^in of many kinds: those that take rows as lists, and those that make them dense.
var listMaps = testkit.Once(func(in int) map[string]FeatureMap {
	maps := make(map[string]FeatureMap)
	add := func(name string, m FeatureMap, err error) {
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		maps[name] = m
	}
	g := Gaussian{LengthScale: math.Sqrt(float64(in))}
	dot := Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}
	const out = 150
	for _, design := range []Design{Independent, Orthogonal, Structured} {
		for _, phase := range []bool{false, true} {
			m, err := NewFourier(g, in, out, NewSampler(1), &FourierOptions{Design: design, RandomPhase: phase})
			add(fmt.Sprintf("Fourier, %v, phase=%v", design, phase), m, err)
		}
	}
	for _, sketch := range []Sketch{RademacherSketch, GaussianSketch, TensorSRHT} {
		for _, complex := range []bool{false, true} {
			m, err := NewMaclaurin(dot, in, out, NewSampler(1), &MaclaurinOptions{Sketch: sketch, Complex: complex})
			add(fmt.Sprintf("Maclaurin, %v, complex=%v", sketch, complex), m, err)
		}
	}
	low, err := NewMaclaurin(dot, in, 2*in, NewSampler(1), &MaclaurinOptions{ExactDegree: 1})
	add("Maclaurin, ExactDegree = 1", low, err)
	sum, err := NewMaclaurin(dot, in, out, NewSampler(1), &MaclaurinOptions{SumOfProducts: true})
	add("Maclaurin, SumOfProducts", sum, err)
	for order := range 3 {
		m, err := NewNeurons(ArcCosine{Order: order}, in, out, NewSampler(1), nil)
		add(fmt.Sprintf("Neurons of order %d", order), m, err)
	}
	points := testkit.Thin(NewSampler(6), 50, in, 0.3)
	for name, k := range map[string]Kernel{
		"Scale and Sum": Sum(Scale(0.3, g), Laplacian{LengthScale: 20}, Linear{}),
		"Weight":        Weight(WeightFunc(func(x []float64) float64 { return 1 + x[2]*x[2] }), g),
		"Project":       Project(testkit.NormalPoints(3, 5, in), Gaussian{LengthScale: 3}),
		"Select":        Select([]int{4, 1, 7}, Gaussian{LengthScale: 1}),
		"Product":       Product(Gaussian{LengthScale: 9}, ExpDot{LengthScale: 30}),
		"ExpDot":        ExpDot{LengthScale: 10},
	} {
		m, err := testkit.Must(NewPlan(k, points, out, nil)).Draw(NewSampler(3))
		add(name, m, err)
	}
	for name, k := range map[string]Kernel{
		"a distance":     Sum(g, Scale(0.5, Matern{Nu: 1.5, LengthScale: 9})),
		"a dot product":  dot,
		"an angle":       ArcCosine{Order: 1},
		"length scales":  ARD(lengths(in), Matern{Nu: 0.5, LengthScale: 20}),
		"absolutes":      Laplacian{LengthScale: 30},
		"some of a row":  Select([]int{4, 1, 7}, g),
		"values of rows": Weight(WeightFunc(func(x []float64) float64 { return 1 + x[2]*x[2] }), g),
	} {
		m, err := NewNystrom(k, points, 30, NewSampler(3), nil)
		add("Landmarks, "+name, m, err)
	}
	deformed, err := NewDataDependent(testkit.Must(NewFourier(g, in, out, NewSampler(3), nil)), points, &DataDependentOptions{Alpha: 1, Neighbors: 3})
	add("DataDependent", deformed, err)
	k := SymLog(testkit.F64s(in, func(i int) float64 { return 0.01 * float64(i%3) }), g)
	logarithms, err := testkit.New(k, in, out, NewSampler(1))
	add("SymLog", logarithms, err)
	landmarks, err := NewNystrom(k, points, 30, NewSampler(3), nil)
	add("Landmarks, SymLog", landmarks, err)
	return maps
})

// Rows that are lists have the features of the same rows dense, to the last bit: empty and full rows, those
// with stored zeros, in any order, and in calls side by side.
func TestLists(t *testing.T) {
	const in, n = 120, 300
	x := testkit.Thin(NewSampler(4), n, in, 0.05)
	for j := range in {
		x.Set(3, j, 0)
		x.Set(4, j, float64(j)/50-1)
		x.Set(5, j, 0.1*float64(j%2))
	}
	x.Set(6, 9, math.Copysign(0, -1))
	lists := testkit.NewLists(x)
	for name, m := range listMaps(in) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want mat.Dense
			m.TransformTo(&want, x)
			var wg sync.WaitGroup
			for range 3 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					var got mat.Dense
					m.TransformTo(&got, lists)
					for i := range n {
						if !testkit.SameFeatures(got.RawRowView(i), want.RawRowView(i)) {
							t.Errorf("row %d differs", i)
							return
						}
					}
				}()
			}
			wg.Wait()
		})
	}
}

// A NaN or Inf that is stored does what it does in the same row dense.
func TestListsNotFinite(t *testing.T) {
	const in, n = 40, 40
	x := testkit.Thin(NewSampler(4), n, in, 0.1)
	x.Set(7, 11, math.NaN())
	x.Set(8, 12, math.Inf(1))
	x.Set(9, 13, math.Inf(-1))
	for name, m := range listMaps(in) {
		var got, want mat.Dense
		m.TransformTo(&got, testkit.NewLists(x))
		m.TransformTo(&want, x)
		for i := range n {
			if !testkit.SameFeatures(got.RawRowView(i), want.RawRowView(i)) {
				t.Errorf("%s: row %d differs", name, i)
			}
		}
	}
}

// Entries outside the matrix are refused, and so are two of one coordinate.
func TestListsRefuse(t *testing.T) {
	const in = 40
	for name, m := range listMaps(in) {
		for _, c := range []struct {
			row  []testkit.Entry
			want error
		}{
			{[]testkit.Entry{{J: in, V: 0}}, mat.ErrColAccess},
			{[]testkit.Entry{{J: 3, V: 1}, {J: -1, V: 1}}, mat.ErrColAccess},
			{[]testkit.Entry{{J: 3, V: 1}, {J: 3, V: 0}}, ErrDuplicate},
		} {
			for _, rows := range []int{1, 300} {
				lists := &testkit.Lists{In: in, Rows: make([][]testkit.Entry, rows)}
				lists.Rows[rows-1] = c.row
				func() {
					defer func() {
						if got := recover(); got != c.want {
							t.Errorf("%s, %v: a panic with %v, want %v", name, c.row, got, c.want)
						}
					}()
					m.TransformTo(new(mat.Dense), lists)
				}()
			}
		}
	}
}

// gonum's matrices of few elements have the features of their dense copies, transposed too.
func TestListsOfGonum(t *testing.T) {
	const n = 40
	s := NewSampler(9)
	numbers := func(n int) []float64 {
		v := make([]float64, n)
		s.FillNormal(v)
		return v
	}
	matrices := []mat.Matrix{
		mat.NewBandDense(n, n, 2, 1, numbers(n*4)),
		mat.NewSymBandDense(n, 3, numbers(n*4)),
		mat.NewTriDense(n, mat.Upper, numbers(n*n)),
		mat.NewTriDense(n, mat.Lower, numbers(n*n)),
		mat.NewTriBandDense(n, 2, mat.Upper, numbers(n*3)),
		mat.NewTriBandDense(n, 2, mat.Lower, numbers(n*3)),
		mat.NewTridiag(n, numbers(n-1), numbers(n), numbers(n-1)),
		mat.NewDiagDense(n, numbers(n)),
		mat.NewSymDense(n, numbers(n*n)),
	}
	for name, m := range listMaps(n) {
		for _, x := range matrices {
			for _, x := range []mat.Matrix{x, x.T()} {
				var got, want mat.Dense
				m.TransformTo(&got, x)
				m.TransformTo(&want, mat.DenseCopyOf(x))
				for i := range n {
					if !testkit.SameFeatures(got.RawRowView(i), want.RawRowView(i)) {
						t.Errorf("%s: row %d of a %T differs from that of its dense copy", name, i, x)
						break
					}
				}
			}
		}
	}
}

// A matrix that shows its data is read there.
func TestListsThatAreDense(t *testing.T) {
	m := fourierBase(t, 6, 20)
	x := rawLists{testkit.NormalPoints(2, 5, 6)}
	var got, want mat.Dense
	m.TransformTo(&got, x)
	m.TransformTo(&want, x.Dense)
	if !mat.Equal(&got, &want) {
		t.Error("differs from the same matrix")
	}
}

type rawLists struct{ *mat.Dense }

func (rawLists) DoRowNonZero(int, func(i, j int, v float64)) { panic("not to be called") }

// Functions that look at elements ignore an entry outside the matrix, which At does not have.
func TestListsOutside(t *testing.T) {
	x := &testkit.Lists{In: 2, Rows: [][]testkit.Entry{{{J: 0, V: 1}, {J: 5, V: 7}}, {{J: 1, V: 1}}}}
	if l, err := MedianLengthScale(x, NewSampler(1)); err != nil || !(math.Abs(l-1) <= 1e-15) {
		t.Errorf("MedianLengthScale: %v, %v", l, err)
	}
	var gram mat.SymDense
	if Gram(&gram, Linear{}, x); gram.At(0, 0) != 1 || gram.At(0, 1) != 0 {
		t.Errorf("Gram: %v", mat.Formatted(&gram))
	}
}

// lengths are length scales of many sizes.
func lengths(n int) []float64 {
	l := make([]float64, n)
	for i := range l {
		l[i] = 0.5 + float64(i%7)
	}
	return l
}
