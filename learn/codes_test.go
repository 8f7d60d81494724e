// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// buildings returns rows like those of a table of buildings: two measures of one of 12 shapes, the number of the shape's maker, an
// orientation and an area of glass with its arrangement, whose numbers 0 to 5 are codes. The load is smooth in the measures and the
// area; makers and arrangements have an effect of their own.
func buildings(seed uint64, n int) (x, y *mat.Dense) {
	effects := featuremap.NewSampler(7)
	shapes, makers, arrangements := mat.NewDense(12, 3, nil), make([]float64, 6), make([]float64, 6)
	for i := range 12 {
		shapes.SetRow(i, []float64{math.Round(100*effects.Float64()) / 50, math.Round(100*effects.Float64()) / 50, float64(i % 6)})
	}
	for k := range makers {
		makers[k], arrangements[k] = effects.Normal(), effects.Normal()
	}
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, 6, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		shape, orientation, area, arrangement := s.IntN(12), s.IntN(4), s.IntN(4), s.IntN(6)
		a, b := shapes.At(shape, 0), shapes.At(shape, 1)
		x.SetRow(i, []float64{a, b, shapes.At(shape, 2), float64(orientation), float64(area) / 10, float64(arrangement)})
		y.Set(i, 0, math.Sin(2*a)+a*b+float64(area)/2*(1+arrangements[arrangement])+makers[shape%6]+0.05*s.Normal())
	}
	return x, y
}

// The kernel of rows with other codes is a share of what it is for the same codes, and the error on new rows is a quarter less. The model is saved and
// read with the same bits, and has derivatives at its rows. Validation fits see the gain, too.
func TestCodes(t *testing.T) {
	fewFeatures(t)
	x, y := buildings(1, 200)
	newX, newY := buildings(2, 2000)
	fit := func(most int, o *Options) (*RegressionReport, float64) {
		before := mostCoded
		defer func() { mostCoded = before }()
		mostCoded = most
		r := must(Regression(x, y, o))
		return r, rmse(r.Model, newX, newY)
	}
	plain, before := fit(0, nil)
	r, after := fit(16, nil)
	t.Logf("RMSE %.4f with codes, %.4f without", after, before)
	if !(after < 0.85*before) || !strings.Contains(r.String(), ", codes: columns ") || strings.Contains(plain.String(), "codes") {
		t.Errorf("RMSE %v with codes, %v without, report\n%v", after, before, r)
	}
	last := &Options{TestRows: subset.Rows(200, 200)[160:]}
	_, before = fit(0, last)
	if r, after := fit(16, last); !(after < 0.9*before) {
		t.Errorf("the last rows are test rows: RMSE %v with codes, %v without, report\n%v", after, before, r)
	}
	var file bytes.Buffer
	if _, err := r.Model.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ridge.ReadModel(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	row := newX.RawRowView(0)
	want, _ := r.Model.Predict(row)
	if got, _ := read.Predict(row); !slices.Equal(got, want) {
		t.Errorf("a saved model predicts %v, the model %v", got, want)
	}
	for j, v := range r.Model.GradientVec(nil, x.RawRowView(0), 0) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("derivative by column %d at a row: %v", j, v)
		}
	}
}

// Numbers that are what they say get no shares, though some gain by chance.
func TestCodesOfNumbers(t *testing.T) {
	fewFeatures(t)
	for k, f := range []func(x []float64) float64{
		func(x []float64) float64 { return 0 },
		func(x []float64) float64 { return x[0] - x[1]/2 },
		func(x []float64) float64 { return math.Sin(x[0]/2)*x[1] + x[2]*x[3]/8 },
		func(x []float64) float64 { return math.Exp(x[0]/4) + math.Abs(x[1]-4) },
	} {
		for seed := range uint64(4) {
			s := featuremap.NewSampler(seed)
			x, y := mat.NewDense(100, 5, nil), mat.NewDense(100, 1, nil)
			for i := range 100 {
				for j := range 5 {
					x.Set(i, j, float64(s.IntN(5)))
				}
				y.Set(i, 0, f(x.RawRowView(i))+0.5*s.Normal())
			}
			if r := must(Regression(x, y, nil)); strings.Contains(r.String(), "codes") {
				t.Errorf("function %d, seed %d: %v", k, seed, r)
			}
		}
	}
}

// Columns of codes have 3 to 32 values with ten rows each, that differ from each other by more than rounding.
func TestCodedColumns(t *testing.T) {
	const n = 400
	s := featuremap.NewSampler(3)
	x := mat.NewDense(n, 8, nil)
	for i := range n {
		x.SetRow(i, []float64{
			2460000 + float64(i%3), float64(i % 32), // codes, one like Julian days
			float64(i % 2), float64(i % 33), s.Normal(), 1 + 1e-15*float64(i%4), 7, 1e-149 * float64(i%5), // none
		})
	}
	b := &bank{study: &study{x: x, rest: subset.Rows(n, n), columns: 8}, x: x}
	var columns []int
	for _, c := range b.coded() {
		columns = append(columns, c.column)
		if c.gap != 1 || c.code[5] != 5%(3+29*c.column) {
			t.Errorf("column %d: gap %v, code of row 5 %d", c.column, c.gap, c.code[5])
		}
	}
	if !slices.Equal(columns, []int{0, 1}) {
		t.Errorf("columns %v have codes", columns)
	}
}
