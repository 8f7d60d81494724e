// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// logarithmScales are scales of d coordinates, of which each third is taken as it is.
func logarithmScales(d int) []float64 {
	return testkit.F64s(d, func(i int) float64 { return 0.3 * float64((i+1)%3) })
}

func TestSymLog(t *testing.T) {
	made := func(in, out int, s *Sampler) (FeatureMap, error) {
		return testkit.New(SymLog(logarithmScales(in), Gaussian{LengthScale: 1.5}), in, out, s)
	}
	testkit.Map(t, testkit.MapCase{
		New:  made,
		Dims: []int{1, 2, 3, 17},
		Out: func(d int) int { // whole blocks may be fewer columns than there may be
			_, out := testkit.Must(made(d, 20, NewSampler(1))).Dims()
			return out
		},
		Pairs: func(d int) []testkit.Pair { return testkit.Pairs(d, 1) },
	})
}

// heavyPoints are n points of R^5 with a column of heavy tails, the scales of their logarithms, and these.
func heavyPoints(n int) (x *mat.Dense, scales []float64, images *mat.Dense) {
	scales = []float64{0, 1, 1e-3, 40, 2}
	x = testkit.NormalPoints(3, n, 5)
	for i := range n {
		x.Set(i, 2, math.Exp(5*x.At(i, 2)))
	}
	images = mat.DenseCopyOf(rows.Logarithms(x, scales))
	return x, scales, images
}

// Features, kernel values and predicted errors are as the kernel in it has them at logarithms by package math, outermost and under Scale.
func TestSymLogOfPoints(t *testing.T) {
	x, scales, images := heavyPoints(400)
	for i := range 400 {
		for j, c := range scales {
			v := x.At(i, j)
			if c != 0 {
				v = math.Copysign(c*math.Log1p(math.Abs(v)/c), v)
			}
			if s := images.At(i, j); math.Abs(s-v) > 1e-14*math.Abs(v) {
				t.Fatalf("the logarithm of %v at scale %v is %v, want %v", x.At(i, j), c, s, v)
			}
		}
	}
	a, b := x.RawRowView(0), x.RawRowView(1)
	sa, sb := images.RawRowView(0), images.RawRowView(1)
	g := Gaussian{LengthScale: 2}
	all, imagesOfAll, few := x, images, testkit.Times(40, 40, 400)
	for _, c := range []struct {
		k, of Kernel
		rows  int // of 400 some choose, and others judge
	}{
		{SymLog(scales, g), g, 400},
		{Scale(3, SymLog(scales, g)), Scale(3, g), few},
		{SymLog(scales, Sum(Select([]int{1, 2}, g), Scale(0.1, Linear{}))), Sum(Select([]int{1, 2}, g), Scale(0.1, Linear{})), few},
	} {
		x, images := all.Slice(0, c.rows, 0, 5), imagesOfAll.Slice(0, c.rows, 0, 5)
		if got, want := c.k.Eval(a, b), c.of.Eval(sa, sb); got != want {
			t.Errorf("%v: %v, at logarithms %v", c.k, got, want)
		}
		plan, of := testkit.Must(NewPlan(c.k, x, 60, nil)), testkit.Must(NewPlan(c.of, images, 60, nil))
		if plan.RMSE() != of.RMSE() || plan.Variance(a, b) != of.Variance(sa, sb) || plan.Bias(a, b) != of.Bias(sa, sb) || fmt.Sprint(plan.Kernel()) != fmt.Sprint(c.k) ||
			!strings.Contains(plan.String(), "logarithms of 4 of 5 coordinates") {
			t.Errorf("%v: the plan is %v, at logarithms %v", c.k, plan, of)
		}
		m, base := testkit.Must(plan.Draw(NewSampler(1))), testkit.Must(of.Draw(NewSampler(1)))
		var got, want mat.Dense
		m.TransformTo(&got, x)
		base.TransformTo(&want, images)
		if !mat.Equal(&got, &want) || !slices.Equal(m.TransformVec(nil, a), base.TransformVec(nil, sa)) {
			t.Errorf("%v: the features are not those at logarithms", c.k)
		}
		if m.(Variancer).Variance(a, b) != base.(Variancer).Variance(sa, sb) || fmt.Sprint(m.Kernel()) != fmt.Sprint(c.k) {
			t.Errorf("%v: the variance is not that at logarithms, or the kernel is %v", c.k, m.Kernel())
		}
		checkDerivative(t, derivativeCase{fmt.Sprint(c.k), m})
		// The map in a file is the same, with its kernel.
		var file bytes.Buffer
		if err := Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		read := testkit.Must(Decode(&file, nil))
		if !slices.Equal(read.TransformVec(nil, a), m.TransformVec(nil, a)) || fmt.Sprint(read.Kernel()) != fmt.Sprint(c.k) {
			t.Errorf("%v: read as %v", c.k, read)
		}
	}
}

// Kernel matrices are those at logarithms to the last bit, and those of sums whose terms have logarithms of their own the sums of these.
func TestSymLogGram(t *testing.T) {
	x, scales, images := heavyPoints(60)
	other := []float64{1, 0, 5, 0, 0}
	others := mat.DenseCopyOf(rows.Logarithms(x, other))
	g, m := Gaussian{LengthScale: 2}, Project(testkit.NormalPoints(5, 3, 5), Matern{Nu: 1.5, LengthScale: 1})
	of := func(k Kernel, x mat.Matrix) *mat.Dense {
		var dst mat.Dense
		CrossGram(&dst, k, x, x)
		return &dst
	}
	for _, k := range []Kernel{g, m, Sum(g, Linear{}), Compose(series.Exp{Rate: 1}, g), Select([]int{2, 3}, g), FromMap(testkit.Must(NewFourier(g, 5, 8, NewSampler(1), nil)))} {
		if got, want := of(SymLog(scales, k), x), of(k, images); !mat.Equal(got, want) {
			t.Errorf("%v: kernel matrices differ", k)
		}
		var want mat.Dense
		want.Add(of(g, x), of(k, images))
		var second mat.Dense
		second.Scale(0.5, of(m, others))
		want.Add(&want, &second)
		sum := Sum(g, SymLog(scales, k), Scale(0.5, SymLog(other, m)))
		if got := of(sum, x); !mat.EqualApprox(got, &want, 1e-14) {
			t.Errorf("%v: the kernel matrix of a sum with logarithms differs", k)
		}
		if v := sum.Eval(x.RawRowView(0), x.RawRowView(1)); !(math.Abs(v-want.At(0, 1)) <= 1e-14) {
			t.Errorf("%v: Eval %v, want %v", k, v, want.At(0, 1))
		}
	}
	lists := sparse.NewRows(5)
	for i := range 60 {
		if err := lists.Append([]int{0, 1, 2, 3, 4}, x.RawRowView(i)); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.Equal(of(SymLog(scales, g), lists), of(SymLog(scales, g), x)) {
		t.Error("kernel matrices of lists differ")
	}
}

// Nyström features of logarithms are those at logarithms. Landmarks are in the units of the rows: rows themselves, or means of rows in logarithms,
// and a map that is read has the same bits.
func TestSymLogNystrom(t *testing.T) {
	x, scales, images := heavyPoints(60)
	g := Sum(Gaussian{LengthScale: 2}, Scale(0.1, Linear{}))
	for _, o := range []NystromOptions{{}, {Landmarks: RPCholesky}, {Landmarks: RandomRows}} {
		base := testkit.Must(NewNystrom(g, images, 12, NewSampler(1), &o))
		m := testkit.Must(NewNystrom(SymLog(scales, g), x, 12, NewSampler(1), &o))
		var got, want mat.Dense
		m.TransformTo(&got, x)
		base.TransformTo(&want, images)
		if o.Landmarks == KMeans {
			if !mat.EqualApprox(&got, &want, 1e-9) {
				t.Errorf("%v: features differ from those at logarithms", o)
			}
			if !mat.EqualApprox(mat.DenseCopyOf(rows.Logarithms(m.Landmarks(), scales)), base.Landmarks(), 1e-13) {
				t.Errorf("%v: landmarks are not those of logarithms, in units of the rows", o)
			}
		} else {
			if !mat.Equal(&got, &want) {
				t.Errorf("%v: features differ from those at logarithms", o)
			}
			for i := range 12 {
				l := m.Landmarks().RawRowView(i)
				if !isRow(x, l) {
					t.Errorf("%v: landmark %d is no row", o, i)
				}
			}
		}
		checkDerivative(t, derivativeCase{fmt.Sprint(o), m})
		sum := testkit.Must(NewNystrom(Sum(SymLog(scales, g), Gaussian{LengthScale: 3}), x, 12, NewSampler(1), &o))
		checkDerivative(t, derivativeCase{"sum, " + fmt.Sprint(o), sum})
		for _, m := range []*Nystrom{m, sum} {
			remainder := make([]float64, 60)
			m.RemainderTo(remainder, x, nil)
			for i := range remainder {
				row := x.RawRowView(i)
				phi := m.TransformVec(nil, row)
				if want := m.Kernel().Eval(row, row) - testkit.DotOf(phi, phi); !(math.Abs(remainder[i]-want) <= 1e-9) {
					t.Fatalf("%v: %v is left of row %d, want %v", o, remainder[i], i, want)
				}
			}
			var file bytes.Buffer
			if err := Encode(&file, m); err != nil {
				t.Fatal(err)
			}
			read := testkit.Must(Decode(&file, nil))
			if !slices.Equal(read.TransformVec(nil, x.RawRowView(3)), m.TransformVec(nil, x.RawRowView(3))) || !mat.Equal(read.(*Nystrom).Landmarks(), m.Landmarks()) {
				t.Errorf("%v: read as %v", o, read)
			}
		}
	}
}

// Rows in an order, repeated, far out and of heavy tails, in one column. At each landmark ‖φ‖² is k, and landmarks
// differ by the numbers that rows have.
func TestSymLogNystromLine(t *testing.T) {
	for name, at := range map[string]func(i int) float64{
		"in an order": func(i int) float64 { return math.Exp(0.05 * float64(i)) },
		"repeated":    func(i int) float64 { return math.Exp(float64(i % 7)) },
		"far out":     func(i int) float64 { return 1e12 + 1e9*float64(i) },
		"both signs":  func(i int) float64 { return math.Pow(-1, float64(i)) * math.Exp(0.1*float64(i)) },
	} {
		x := mat.NewDense(200, 1, testkit.F64s(200, at))
		for _, o := range []NystromOptions{{}, {Landmarks: RPCholesky}, {Landmarks: RandomRows}} {
			m := testkit.Must(NewNystrom(SymLog([]float64{2}, Gaussian{LengthScale: 3}), x, 20, NewSampler(1), &o))
			l := m.Landmarks()
			n, _ := l.Dims()
			if want := map[bool]int{true: 7, false: 20}[name == "repeated"]; n != want {
				t.Errorf("%s, %v: %d landmarks, want %d", name, o, n, want)
			}
			for i := range n {
				phi := m.TransformVec(nil, l.RawRowView(i))
				if off := testkit.DotOf(phi, phi) - 1; !(math.Abs(off) <= 1e-7) {
					t.Errorf("%s, %v: at landmark %v ‖φ‖² is 1%+.1g", name, o, l.RawRowView(i), off)
				}
			}
		}
	}
}

// isRow tells whether one of the rows of x is v.
func isRow(x *mat.Dense, v []float64) bool {
	n, _ := x.Dims()
	for i := range n {
		if slices.Equal(x.RawRowView(i), v) {
			return true
		}
	}
	return false
}

// Numbers at the ends of the range have logarithms, which are monotone and odd, and are the logarithms of their exponentials.
func TestSymLogOfExtremes(t *testing.T) {
	points := []float64{0, 5e-324, 1e-300, 1e-20, 1, 1e20, 1e300, math.MaxFloat64, math.Inf(1)}
	for _, c := range []float64{1e-100, 1e-3, 1, 1e100} {
		last := -1.0
		for _, v := range points {
			s, negative := rows.Logarithm(v, c), rows.Logarithm(-v, c)
			if s <= last && v > 5e-324 || math.IsInf(s, 0) != math.IsInf(v, 0) || negative != -s || s > v {
				t.Errorf("scale %v: the logarithm of %v is %v, of its negative %v, of the one before %v", c, v, s, negative, last)
			}
			if back := rows.Exponential(s, c); v <= 1e300 && !(math.Abs(back-v) <= 1e-12*v) || rows.Exponential(-s, c) != -back {
				t.Errorf("scale %v: the exponential of the logarithm of %v is %v", c, v, back)
			}
			last = s
		}
	}
}

// A SymLog is refused where it is no warp of the whole or of a term, with scales out of range, and by the constructors of one kind of map.
func TestSymLogRefused(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	log := SymLog([]float64{1, 1}, g)
	x := testkit.NormalPoints(1, 30, 2)
	for name, c := range map[string]struct {
		k          Kernel
		plan, rows string // what the errors of NewPlan and NewNystrom name; "": none
	}{
		"outermost":     {log, "", ""},
		"scaled":        {Scale(2, Scale(3, log)), "", ""},
		"a term":        {Sum(log, g), "outermost for New", ""},
		"scaled term":   {Sum(Scale(2, log), g), "outermost for New", ""},
		"scaled sum":    {Scale(2, Sum(log, log)), "outermost for New", ""},
		"a factor":      {Product(log, g), "SymLog in a Product", "SymLog in a Product"},
		"composed":      {Compose(series.Exp{Rate: 1}, log), "SymLog in a Compose", "SymLog in a Compose"},
		"weighted":      {Weight(testkit.Norm{Scale: 1}, log), "SymLog in a Weight", "SymLog in a Weight"},
		"behind ARD":    {ARD([]float64{1, 2}, log), "SymLog in a ARD", "SymLog in a ARD"},
		"selected":      {Select([]int{0, 1}, Sum(log, g)), "SymLog in a Select", "SymLog in a Select"},
		"in a SymLog":   {SymLog([]float64{1, 1}, Sum(g, log)), "SymLog in a SymLog", "SymLog in a SymLog"},
		"no scales":     {SymLog(nil, g), "scales = []", "scales = []"},
		"nil":           {SymLog([]float64{1, 1}, nil), "kernel = nil", "kernel = nil"},
		"one scale":     {SymLog([]float64{1}, g), "1 scales", "1 scales"},
		"term of one":   {Sum(g, SymLog([]float64{1}, g)), "outermost for New", "1 scales"},
		"negative":      {SymLog([]float64{1, -1}, g), "scales[1] = -1", "scales[1] = -1"},
		"NaN":           {SymLog([]float64{math.NaN(), 1}, g), "scales[0] = NaN", "scales[0] = NaN"},
		"infinite":      {SymLog([]float64{math.Inf(1), 1}, g), "scales[0] = +Inf", "scales[0] = +Inf"},
		"tiny":          {SymLog([]float64{1e-101, 1}, g), "must be 0 or from 1e-100", "must be 0 or from 1e-100"},
		"refused in it": {SymLog([]float64{1, 1}, Gaussian{}), "LengthScale = 0", "LengthScale = 0"},
		"signs":         {SymLog([]float64{1, 0}, Product(Select([]int{0}, Binary{}), g)), "x: row 0", "x: row 0"},
	} {
		check := func(what string, err error, want string) {
			if want == "" {
				if err != nil {
					t.Errorf("%s: %s: %v", name, what, err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: error %v, want one with %q", name, what, err, want)
			}
		}
		_, err := NewPlan(c.k, x, 40, nil)
		check("NewPlan", err, c.plan)
		_, err = NewNystrom(c.k, x, 10, NewSampler(1), nil)
		check("NewNystrom", err, c.rows)
		if _, err := NewFourier(c.k, 2, 10, NewSampler(1), nil); err == nil {
			t.Errorf("%s: NewFourier takes it", name)
		}
		if _, ok := StationaryOf(c.k); ok {
			t.Errorf("%s: is stationary", name)
		}
	}
	if v := ARD([]float64{1, 2}, log).Eval([]float64{1, 2}, []float64{3, 4}); !math.IsNaN(v) {
		t.Errorf("a refused kernel is %v", v)
	}
	for name, f := range map[string]func(){
		"Eval":     func() { log.Eval([]float64{1}, []float64{1}) },
		"Gram":     func() { Gram(new(mat.SymDense), log, mat.NewDense(3, 1, nil)) },
		"Variance": func() { testkit.Must(NewPlan(log, x, 10, nil)).Variance([]float64{1, 2}, []float64{1}) },
	} {
		if err := mat.Maybe(f); err == nil || err.Error() != mat.ErrShape.Error() {
			t.Errorf("%s: %v, want mat.ErrShape", name, err)
		}
	}
}
