// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A shy matrix shows its elements one by one.
type shy struct{ m *mat.Dense }

func (s shy) Dims() (r, c int)    { return s.m.Dims() }
func (s shy) At(i, j int) float64 { return s.m.At(i, j) }
func (s shy) T() mat.Matrix       { return mat.Transpose{Matrix: s} }
func wider(m *mat.Dense) *mat.Dense {
	return inMargin(m).Slice(1, m.RawMatrix().Rows+1, 2, m.RawMatrix().Cols+2).(*mat.Dense)
}
func transposed(m *mat.Dense) mat.Matrix { return mat.DenseCopyOf(m.T()).T() }

// inMargin returns m in the middle of a larger matrix of NaNs.
func inMargin(m *mat.Dense) *mat.Dense {
	r, c := m.Dims()
	w := mat.NewDense(r+2, c+5, nil)
	w.Apply(func(i, j int, _ float64) float64 {
		if i < 1 || i > r || j < 2 || j >= c+2 {
			return math.NaN()
		}
		return m.At(i-1, j-2)
	}, w)
	return w
}

// Views, transposes, vectors and matrices that show single elements give the same bits; with as many rows as make several
// blocks of copies.
func TestInputs(t *testing.T) {
	phi := fourier(2, 16)
	x, y := data(600, 2, 2, 60)
	want := modelBits(must(Fit(phi, x, y, nil)), x)
	forms := []func(m *mat.Dense) mat.Matrix{
		func(m *mat.Dense) mat.Matrix { return wider(m) },
		transposed,
		func(m *mat.Dense) mat.Matrix { return shy{m} },
	}
	for i, f := range forms {
		m := must(Fit(phi, f(x), forms[(i+1)%3](y), nil))
		equal(t, "model", modelBits(m, f(x)), want)
	}
	// One coordinate and one target: vectors.
	line, target := x.ColView(0).(*mat.VecDense), y.ColView(1).(*mat.VecDense)
	one := fourier(1, 10)
	m := must(Fit(one, line, target, nil))
	n := must(Fit(one, mat.DenseCopyOf(line), mat.DenseCopyOf(target), nil))
	equal(t, "vectors", modelBits(m, line), modelBits(n, line))
	// More coordinates than a block of copies takes for a row or two.
	wide := callers{1 << 19, 2, func(dst, x []float64) { dst[0], dst[1] = x[0], x[len(x)-1] }}
	if testing.Short() {
		wide.in = 1 << 17
	}
	big := mat.NewDense(5, wide.in, nil)
	for i := range 5 {
		big.Set(i, 0, float64(i))
		big.Set(i, wide.in-1, float64(i*i))
	}
	ty := mat.NewVecDense(5, []float64{1, 2, 4, 2, 1})
	o := &Options{Lambda: 1}
	equal(t, "wide", bits(must(Fit(wide, shy{big}, ty, o)).Weights().RawMatrix().Data), bits(must(Fit(wide, big, ty, o)).Weights().RawMatrix().Data))
}

// A NaN is found in matrices that several goroutines look through, and features of one page or several.
func TestLargeInput(t *testing.T) {
	const in = 600
	x, y := data(300, in, 1, 68)
	phi := fourier(in, 510)
	want := must(Fit(phi, x, y, &Options{Lambda: 1}))
	equal(t, "model", modelBits(must(Fit(phi, shy{x}, y, &Options{Lambda: 1})), x), modelBits(want, x))
	x.Set(299, 555, math.NaN())
	_, err := Fit(phi, x, y, nil)
	expectError(t, err, "ridge: x: row 299, column 555 = NaN: must be finite")
}

// Maps whose features are NaN at the same points are not told apart by which NaN it is.
func TestIdentityOfNaN(t *testing.T) {
	var maps []callers
	for _, bits := range []uint64{0x7ff8000000000001, 0xfff8000000000002} {
		maps = append(maps, callers{1, 2, func(dst, x []float64) { dst[0], dst[1] = x[0], math.Float64frombits(bits) }})
	}
	if err := must(NewAccumulator(maps[0], 1)).Merge(must(NewAccumulator(maps[1], 1))); err != nil {
		t.Error(err)
	}
}

// Destinations are sized, or views that are written alone.
func TestDestinations(t *testing.T) {
	x, y := data(40, 2, 2, 61)
	m := must(Fit(fourier(2, 16), x, y, nil))
	for name, f := range map[string]func(dst *mat.Dense, x mat.Matrix){"PredictTo": m.PredictTo, "VarianceTo": posteriorOf(m).VarianceTo,
		"StdDevTo": m.StdDevTo, "PredictTo of a mean": m.MeanOnly().PredictTo} {
		var want mat.Dense
		f(&want, x)
		if r, c := want.Dims(); r != 40 || c != 2 {
			t.Errorf("%s: a destination of %d×%d", name, r, c)
		}
		margin := mat.NewDense(42, 4, nil)
		view := margin.Slice(1, 41, 1, 3).(*mat.Dense)
		f(view, x)
		equal(t, name, bits(mat.DenseCopyOf(view).RawMatrix().Data), bits(want.RawMatrix().Data))
		view.Zero()
		if mat.Norm(margin, 1) != 0 {
			t.Errorf("%s: wrote outside of its view", name)
		}
		expectPanic(t, name+", too wide", mat.ErrShape, func() { f(new(mat.Dense), mat.NewDense(3, 3, nil)) })
		expectPanic(t, name+", no rows", mat.ErrZeroLength, func() { f(new(mat.Dense), new(mat.Dense)) })
		expectPanic(t, name+", dst too short", mat.ErrShape, func() { f(mat.NewDense(39, 2, nil), x) })
		expectPanic(t, name+", dst too wide", mat.ErrShape, func() { f(mat.NewDense(40, 3, nil), x) })
		expectOverlap(t, name, func() { f(x, x) })
		buffer := make([]float64, 160)
		expectOverlap(t, name, func() { f(mat.NewDense(40, 2, buffer[:80]), mat.NewDense(40, 2, buffer[79:159])) })
		expectOverlap(t, name+", transposed", func() { f(mat.NewDense(2, 2, buffer[:4]), mat.NewDense(2, 2, buffer[3:7]).T()) })
		f(mat.NewDense(40, 2, buffer[:80]), mat.NewDense(40, 2, buffer[80:160]))
	}
	for name, f := range map[string]func(dst, x []float64) []float64{"PredictVec": m.PredictVec, "VarianceVec": posteriorOf(m).VarianceVec,
		"PredictVec of a mean": m.MeanOnly().PredictVec} {
		dst, row := make([]float64, 2), []float64{1, 2}
		if got := f(dst, row); &got[0] != &dst[0] {
			t.Errorf("%s does not write to its destination", name)
		}
		equal(t, name, bits(f(nil, row)), bits(dst))
		expectPanic(t, name+", x too long", mat.ErrShape, func() { f(nil, make([]float64, 3)) })
		expectPanic(t, name+", x empty", mat.ErrShape, func() { f(dst, nil) })
		expectPanic(t, name+", dst too long", mat.ErrShape, func() { f(make([]float64, 3), row) })
		expectPanic(t, name+", dst empty", mat.ErrShape, func() { f([]float64{}, row) })
		expectOverlap(t, name, func() { f(row, row) })
	}
}

// expectOverlap checks that f panics as gonum does.
func expectOverlap(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, ok := recover().(string); !ok || !strings.HasPrefix(got, "mat: bad region: ") {
			t.Errorf("%s of overlapping arguments: panic %q", name, got)
		}
	}()
	f()
}

// Shapes of what is added are errors that name both sizes.
func TestShapes(t *testing.T) {
	phi := fourier(2, 4)
	x, y := data(6, 2, 2, 62)
	a := must(NewAccumulator(phi, 2))
	for name, f := range map[string]func(x, y mat.Matrix) error{
		"Add": func(x, y mat.Matrix) error { return a.Add(x, y) },
		"Fit": func(x, y mat.Matrix) error { _, err := Fit(phi, x, y, nil); return err },
	} {
		t.Log(name)
		expectError(t, f(nil, y), "ridge: x = nil")
		expectError(t, f((*mat.Dense)(nil), y), "ridge: x = nil")
		expectError(t, f(x, nil), "ridge: y = nil")
		expectError(t, f(x, (*mat.VecDense)(nil)), "ridge: y = nil")
		expectError(t, f(new(mat.Dense), y), "ridge: x is 0×0: must have a row and a column")
		expectError(t, f(x, new(mat.Dense)), "ridge: y is 0×0: must have a row and a column")
		expectError(t, f(y.Grow(0, 1), y), "ridge: x has 3 columns, phi takes 2: must be as many")
		expectError(t, f(x, y.Slice(0, 5, 0, 2)), "ridge: x has 6 rows, y 5: must be as many")
	}
	expectError(t, a.Add(x, y.Grow(0, 1)), "ridge: y has 3 columns, for 2 targets: must be as many")
	_, err := Fit(nil, x, y, nil)
	expectError(t, err, "ridge: phi = nil")
	if a.Rows() != 0 {
		t.Error("rows of wrong shape")
	}
}

// A NaN in a row makes that row's predictions NaN, and no other's.
func TestNaN(t *testing.T) {
	x, y := data(300, 2, 2, 63)
	m := must(Fit(fourier(2, 16), x, y, nil))
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		for _, f := range []func(dst *mat.Dense, x mat.Matrix){m.PredictTo, posteriorOf(m).VarianceTo, m.StdDevTo} {
			var want, got mat.Dense
			f(&want, x)
			z := mat.DenseCopyOf(x)
			z.Set(130, 1, bad)
			f(&got, z)
			for i := range 300 {
				if i != 130 {
					equal(t, "another row", bits(got.RawRowView(i)), bits(want.RawRowView(i)))
				} else if v := got.RawRowView(i); !math.IsNaN(v[0]) || !math.IsNaN(v[1]) {
					t.Errorf("%v gives %v", bad, v)
				}
			}
		}
	}
}

// What a model returns is a copy.
func TestCopies(t *testing.T) {
	x, y := data(30, 2, 2, 64)
	m := must(Fit(fourier(2, 16), x, y, nil))
	want := modelBits(m, x)
	m.Weights().Zero()
	m.Intercept()[0], m.NoiseVariance()[0] = 99, 99
	equal(t, "model", modelBits(m, x), want)
	if r, c := m.Weights().Dims(); r != 16 || c != 2 {
		t.Errorf("weights are %d×%d", r, c)
	}
	none := must(Fit(fourier(2, 16), x, y, &Options{NoIntercept: true}))
	equal(t, "no intercept", bits(none.Intercept()), bits([]float64{0, 0}))
}

// A model is safe for concurrent use.
func TestConcurrent(t *testing.T) {
	x, y := data(150, 2, 2, 65)
	m := must(Fit(fourier(2, 16), x, y, nil))
	want := modelBits(m, x)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 5 {
				for i, v := range modelBits(m, x) {
					if v != want[i] {
						t.Error("other bits")
						return
					}
				}
				m.PredictVec(nil, x.RawRowView(0))
				posteriorOf(m).VarianceVec(nil, x.RawRowView(0))
				_ = must(posteriorOf(m).Sample(featuremap.NewSampler(1)))
			}
		}()
	}
	wg.Wait()
}

// Warm, nothing is allocated for a row: of a dense x, or of one that is not.
func TestAllocations(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("under the race detector, pools drop what they are given at random")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	x, y := data(300, 2, 2, 66)
	phi := fourier(2, 64)
	a := must(NewAccumulator(phi, 2))
	addBatches(t, a, x, y, 300)
	m := must(a.Fit(nil))
	if a = must(NewAccumulator(phi, 2)); a.KeepRows(32) != nil { // so many that the first 300 rows fill it
		t.Fatal("KeepRows")
	}
	addBatches(t, a, x, y, 300)
	x, y = data(1, 2, 2, 67)
	row, dst := x.RawRowView(0), make([]float64, 2)
	mean, posterior := m.MeanOnly(), posteriorOf(m)
	var single mat.Matrix = transposed(x)
	for name, f := range map[string]func(){
		"PredictVec":           func() { m.PredictVec(dst, row) },
		"VarianceVec":          func() { posterior.VarianceVec(dst, row) },
		"PredictVec of a mean": func() { mean.PredictVec(dst, row) },
		"Add":                  func() { _ = a.Add(x, y) },
		"Add, by elements":     func() { _ = a.Add(single, y) },
	} {
		// The sums are updated every 144 rows, which allocates some bytes.
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestLabels(t *testing.T) {
	if _, err := Labels([]int{0, 5}, math.MaxInt); err == nil || !strings.Contains(err.Error(), "classes of 2 rows take") {
		t.Errorf("MaxInt classes: %v", err)
	}
	want := mat.NewDense(3, 2, []float64{-1, 1, 1, -1, -1, 1})
	if got := must(Labels([]int{1, 0, 1}, 2)); !mat.Equal(got, want) {
		t.Errorf("%v", mat.Formatted(got))
	}
	_, err := Labels(nil, 2)
	expectError(t, err, "ridge: classes is empty: must have a class for each row")
	_, err = Labels([]int{0}, 0)
	expectError(t, err, "ridge: n = 0 classes: must be at least 1")
	for _, c := range []int{-1, 2} {
		y, err := Labels([]int{0, c}, 2)
		expectError(t, err, fmt.Sprintf("ridge: classes: row 1: class %d of n = 2: must be from 0 to 1", c))
		if y != nil {
			t.Errorf("labels %v beside an error", mat.Formatted(y))
		}
	}
}

// Of the zero value of a model, methods return nothing and panic as for other shapes.
func TestZeroModel(t *testing.T) {
	zero, none := new(Model), new(Posterior)
	if !math.IsNaN(conditionOf(zero)) || zero.Map() != nil || len(leftOutOf(zero))+len(zero.NoiseVariance())+len(zero.Intercept()) > 0 || !zero.Weights().IsEmpty() ||
		zero.MeanOnly().Map() != nil || len(zero.Lambda()) != 0 || !math.IsInf(evidenceOf(zero), -1) {
		t.Error("the zero value of a model has numbers")
	}
	x := mat.NewDense(1, 1, nil)
	expectPanic(t, "PredictTo", mat.ErrShape, func() { zero.PredictTo(new(mat.Dense), x) })
	expectPanic(t, "PredictTo of a matrix without columns", mat.ErrShape, func() { zero.PredictTo(new(mat.Dense), narrow{}) })
	expectPanic(t, "VarianceTo", mat.ErrShape, func() { none.VarianceTo(new(mat.Dense), x) })
	expectPanic(t, "PredictVec", mat.ErrShape, func() { zero.PredictVec(nil, []float64{1}) })
	expectPanic(t, "PredictVec of no point", mat.ErrShape, func() { zero.PredictVec(nil, nil) })
	expectPanic(t, "VarianceVec of no point", mat.ErrShape, func() { none.VarianceVec(nil, nil) })
	expectPanic(t, "Joint", mat.ErrShape, func() { none.Joint(x, 0) })
	expectPanic(t, "VarianceGradientVec", mat.ErrShape, func() { none.VarianceGradientVec(nil, []float64{1}, 0) })
	expectPanic(t, "Predict", mat.ErrShape, func() { zero.Predict([]float64{1}) })
	expectPanic(t, "Predict of no point", mat.ErrShape, func() { zero.Predict(nil) })
	expectPanic(t, "StdDevTo", mat.ErrShape, func() { zero.StdDevTo(new(mat.Dense), x) })
	_, err := zero.Posterior()
	expectError(t, err, "ridge: no posterior: the zero value of a Model")
	_, err = none.Sample(featuremap.NewSampler(1))
	expectError(t, err, "ridge: Sample of the zero value of a Posterior")
	f := new(Function)
	expectPanic(t, "EvalTo of no function", mat.ErrShape, func() { f.EvalTo(new(mat.Dense), x) })
	expectPanic(t, "EvalVec of no function", mat.ErrShape, func() { f.EvalVec(nil, []float64{1}) })
	expectPanic(t, "GradientVec of no function", mat.ErrShape, func() { f.GradientVec(nil, []float64{1}, 0) })
}

// A number that a model does not have is told as none: it is neither NaN nor better than another.
func TestNoSuchNumber(t *testing.T) {
	x, y := data(40, 2, 2, 7)
	phi := fourier(2, 10)
	direct := must(Fit(phi, x, y, nil))
	if v, ok := direct.LeaveOneOutMSE(); !ok || len(v) != 2 || !(v[0] > 0) {
		t.Errorf("leave-one-out errors %v, %v", v, ok)
	}
	if v, ok := direct.LogEvidence(); !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		t.Errorf("log evidence %v, %v", v, ok)
	}
	if v, ok := direct.Condition(); !ok || !(v >= 1) {
		t.Errorf("condition %v, %v", v, ok)
	}
	iterative := must(FitIterative(phi, inBatches(x, y, nil, 20), &IterativeOptions{Lambda: 1}))
	least := must(Fit(phi, x, y, &Options{Path: []float64{0}, Criterion: Evidence}))
	for name, m := range map[string]*Model{"the zero value": {}, "FitIterative": iterative, "least squares": least} {
		if v, ok := m.LogEvidence(); ok || !math.IsInf(v, -1) {
			t.Errorf("%s: log evidence %v, %v", name, v, ok)
		}
		if v, ok := m.LeaveOneOutMSE(); ok || v != nil {
			t.Errorf("%s: leave-one-out errors %v, %v", name, v, ok)
		}
		if v, ok := m.Condition(); ok != (m == least) || math.IsNaN(v) {
			t.Errorf("%s: condition %v, %v", name, v, ok)
		}
	}
	single := must(direct.Float32())
	if v, ok := single.LeaveOneOutMSE(); !ok || len(v) != 2 {
		t.Errorf("float32: leave-one-out errors %v, %v", v, ok)
	}
	if v, ok := new(Model32).LeaveOneOutMSE(); ok || v != nil {
		t.Errorf("the zero value in float32: leave-one-out errors %v, %v", v, ok)
	}
}

// A narrow is a matrix with a row and no columns.
type narrow struct{ mat.Matrix }

func (narrow) Dims() (r, c int) { return 1, 0 }
