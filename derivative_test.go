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
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A derivativeCase is a map R^d → R^out whose derivative is tested.
type derivativeCase struct {
	name string
	m    FeatureMap
}

// derivativeDims are the numbers of coordinates that derivatives are tested at.
var derivativeDims = []int{1, 2, 3, 8, 65}

// slope returns the derivative of f at 0 by central differences of the fourth order, for the step among a few whose result is
// closest to want: rounding decides for small steps, the fifth derivative for large ones. It looks no further than to a result that
// is near enough.
func slope(f func(h float64) float64, want, near float64) (best float64) {
	best = math.Inf(1)
	for _, h := range []float64{1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9} {
		v := (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
		if math.Abs(v-want) < math.Abs(best-want) {
			best = v
		}
		if math.Abs(best-want) <= near {
			break
		}
	}
	return best
}

// inTurn tells whether case i of many is tested at d coordinates: by default all are at 3, and some in turn at other numbers.
func inTurn(i, d int) bool {
	return testkit.Long() || d == 3 || (3*i+slices.Index(derivativeDims, d))%7 < 3
}

// checkDerivative compares the derivative of a map with differences, and tests that it has one set of bits.
func checkDerivative(t *testing.T, c derivativeCase) {
	t.Helper()
	d, err := Derivative(c.m)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	in, out := c.m.Dims()
	const n = 11
	x, g := testkit.ScaledNormals(5, n, in, 1/math.Sqrt(float64(in))), testkit.NormalPoints(6, n, out)
	for i := 3; i < n; i++ { // with zeros for the lists
		x.Set(i, i%in, 0)
	}
	var got mat.Dense
	d.PullbackTo(&got, x, g)
	for i := range 3 {
		row, largest := got.RawRowView(i), 0.0
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
		point := append([]float64(nil), x.RawRowView(i)...)
		step := 1
		if in > 8 && !testkit.Long() {
			step = 8
		}
		for k := i % step; k < in; k += step {
			want := slope(func(h float64) float64 {
				point[k] = x.At(i, k) + h
				defer func() { point[k] = x.At(i, k) }()
				return testkit.DotOf(c.m.TransformVec(nil, point), g.RawRowView(i))
			}, row[k], 1e-8*largest)
			if !(math.Abs(row[k]-want) <= 1e-6*largest) {
				t.Fatalf("%s: coordinate %d of row %d is %v, by differences %v (largest %v)", c.name, k, i, row[k], want, largest)
			}
		}
	}
	checkDerivativeBits(t, c, d, x, g, &got)
}

// checkDerivativeBits compares rows with batches, matrices of all layouts, and numbers of goroutines.
func checkDerivativeBits(t *testing.T, c derivativeCase, d Differentiable, x, g, want *mat.Dense) {
	t.Helper()
	n, in := x.Dims()
	_, out := g.Dims()
	same := func(what string, lo int, got *mat.Dense) {
		t.Helper()
		r, _ := got.Dims()
		for i := range r {
			if !testkit.SameFeatures(got.RawRowView(i), want.RawRowView(lo+i)) {
				t.Fatalf("%s: row %d of %s: %v, in a batch %v", c.name, lo+i, what, got.RawRowView(i), want.RawRowView(lo+i))
			}
		}
	}
	for lo := range n {
		for _, hi := range []int{lo + 1, min(lo+9, n)} {
			var got mat.Dense
			d.PullbackTo(&got, x.Slice(lo, hi, 0, in), g.Slice(lo, hi, 0, out))
			same(fmt.Sprintf("rows %d to %d", lo, hi), lo, &got)
		}
	}
	wide := mat.NewDense(n, in+3, nil)
	to := wide.Slice(0, n, 2, 2+in).(*mat.Dense)
	d.PullbackTo(to, mat.DenseCopyOf(x.T()).T(), mat.DenseCopyOf(g.T()).T())
	same("transposed matrices", 0, mat.DenseCopyOf(to))
	if wide.At(0, 1) != 0 || wide.At(n-1, in+2) != 0 {
		t.Fatalf("%s: elements outside dst were written", c.name)
	}
	lists := &rows.Lists{Cols: in}
	for i := range n {
		lists.Rows = append(lists.Rows, rows.NewList(x.RawRowView(i)))
	}
	var fromLists mat.Dense
	d.PullbackTo(&fromLists, lists, g)
	same("lists", 0, &fromLists)
	for i := range n {
		var got mat.Dense
		d.PullbackTo(&got, &rows.Lists{Cols: in, Rows: lists.Rows[i : i+1]}, g.Slice(i, i+1, 0, out))
		same("single lists", i, &got)
	}

	copies := testkit.Times(15, 15, 40)
	many, gs := mat.NewDense(copies*n, in, nil), mat.NewDense(copies*n, out, nil)
	for i := range copies * n {
		many.SetRow(i, x.RawRowView(i%n))
		gs.SetRow(i, g.RawRowView(i%n))
	}
	for _, procs := range []int{3, 1}[:testkit.Times(1, 1, 2)] {
		before := runtime.GOMAXPROCS(procs)
		var got mat.Dense
		d.PullbackTo(&got, many, gs)
		runtime.GOMAXPROCS(before)
		for i := range copies {
			same(fmt.Sprintf("many rows on %d goroutines", procs), 0, got.Slice(i*n, (i+1)*n, 0, in).(*mat.Dense))
		}
	}
	many.Set(7, in-1, math.NaN())
	var wait sync.WaitGroup
	for range 2 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var got mat.Dense
			d.PullbackTo(&got, many, gs)
			for i := range copies * n {
				if i != 7 && !testkit.SameFeatures(got.RawRowView(i), want.RawRowView(i%n)) {
					t.Errorf("%s: row %d changed with a NaN in row 7", c.name, i)
					return
				}
			}
		}()
	}
	wait.Wait()
}

// fourierDerivatives are Fourier maps of all designs, behind all linear maps.
var fourierDerivatives = testkit.Once(func(d int) (all []derivativeCase) {
	add := func(k Kernel, out int, o FourierOptions) {
		f := testkit.Must(NewFourier(k, d, out, NewSampler(3), &o))
		all = append(all, derivativeCase{fmt.Sprintf("d = %d: NewFourier(%v, %d, %+v)", d, k, out, o), f})
	}
	k := Gaussian{LengthScale: 0.7}
	lengths, cols := make([]float64, d), make([]int, (d+1)/2)
	for i := range lengths {
		lengths[i] = 0.5 + float64(i%3)
	}
	for i := range cols {
		cols[i] = 2 * i
	}
	a := testkit.NormalPoints(9, 4, d)
	for _, design := range []Design{Independent, Orthogonal, Structured} {
		for _, phase := range []bool{false, true} {
			o := FourierOptions{Design: design, RandomPhase: phase}
			for _, k := range []Kernel{k, Matern{Nu: 2.5, LengthScale: 1}, ARD(lengths, k), Select(cols, k), Project(a, k)} {
				add(k, 150, o)
			}
		}
	}
	f := testkit.Must(NewFourier(k, d, 20, NewSampler(4), nil))
	for _, phases := range [][]float64{nil, testkit.F64s(10, func(i int) float64 { return float64(i) })} {
		all = append(all, derivativeCase{"NewFourierFrom", testkit.Must(NewFourierFrom(k, f.Frequencies(), phases))})
	}
	return all
})

func TestDerivativeFourier(t *testing.T) {
	for _, d := range derivativeDims {
		for i, c := range fourierDerivatives(d) {
			if inTurn(i, d) {
				checkDerivative(t, c)
			}
		}
	}
}

// The bits of derivatives. Each kind of map is folded to a line.
func TestGoldenDerivative(t *testing.T) {
	var b bytes.Buffer
	for i, c := range goldenDerivatives() {
		if emulated() && i%3 > 0 {
			continue
		}
		in, out := c.m.Dims()
		var got mat.Dense
		testkit.Must(Derivative(c.m)).PullbackTo(&got, testkit.ScaledNormals(5, 13, in, 0.4), testkit.NormalPoints(6, 13, out))
		fmt.Fprintf(&b, "%s %x %016x\n", c.name, got.At(0, 0), golden.Fold(got.RawMatrix().Data))
	}
	if emulated() {
		golden.ComparePart(t, "derivative.golden", b.Bytes())
		return
	}
	golden.Compare(t, "derivative.golden", b.Bytes())
}

// goldenDerivatives returns the maps of the golden file, kind by kind.
func goldenDerivatives() (all []derivativeCase) {
	for _, kind := range []func(d int) []derivativeCase{fourierDerivatives, sumDerivatives, neuronsDerivatives, maclaurinDerivatives} {
		all = append(append(all, kind(3)...), kind(65)...)
	}
	return all
}

func TestDerivativeShapes(t *testing.T) {
	m := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 3, 10, NewSampler(1), nil))
	d := testkit.Must(Derivative(m))
	x, g := testkit.NormalPoints(1, 4, 3), testkit.NormalPoints(2, 4, 10)
	for name, c := range map[string]struct {
		dst  *mat.Dense
		x, g mat.Matrix
		want any
	}{
		"no rows":          {new(mat.Dense), new(mat.Dense), g, mat.ErrZeroLength},
		"width of x":       {new(mat.Dense), testkit.NormalPoints(1, 4, 2), g, mat.ErrShape},
		"width of g":       {new(mat.Dense), x, testkit.NormalPoints(1, 4, 3), mat.ErrShape},
		"rows of g":        {new(mat.Dense), x, testkit.NormalPoints(1, 3, 10), mat.ErrShape},
		"width of dst":     {mat.NewDense(4, 10, nil), x, g, mat.ErrShape},
		"rows of dst":      {mat.NewDense(3, 3, nil), x, g, mat.ErrShape},
		"dst is x":         {x, x, g, "mat: bad region: identical"},
		"dst is part of g": {g.Slice(0, 4, 2, 5).(*mat.Dense), x, g, "mat: bad region: overlap"},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%s: panic %v, want %v", name, got, c.want)
				}
			}()
			d.PullbackTo(c.dst, c.x, c.g)
		}()
	}
}

// callersMap is a map of a caller, and differentiableMap one with a derivative.
type callersMap struct{ FeatureMap }

type differentiableMap struct{ callersMap }

func (differentiableMap) PullbackTo(dst *mat.Dense, x, g mat.Matrix) {}

func TestDerivativeOfCallers(t *testing.T) {
	f := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 3, 10, NewSampler(1), nil))
	m := differentiableMap{callersMap{f}}
	if d, err := Derivative(m); err != nil || d != Differentiable(m) {
		t.Errorf("Derivative of a Differentiable: %v, %v", d, err)
	}
	for _, c := range []struct {
		m    FeatureMap
		want string
	}{
		{nil, "featuremap: map m = nil"},
		{new(Fourier), "featuremap: map m is a *featuremap.Fourier of Dims 0 and 0: a zero value, which is no map"},
		{callersMap{f}, "featuremap: a featuremap_test.callersMap has no derivative: it is no Differentiable"},
		{struct{ *Fourier }{f}, "featuremap: a struct { *featuremap.Fourier } has no derivative: it is no Differentiable"},
	} {
		if d, err := Derivative(c.m); err == nil || err.Error() != c.want || d != nil {
			t.Errorf("Derivative(%T) = %v, %v, want the error %s", c.m, d, err, c.want)
		}
	}
}
