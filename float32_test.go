// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// maps32 are maps of R^d that there are in float32, one of each kind.
func maps32(d int) []FeatureMap { return append(drawn32(d), planned32(d)...) }

// drawn32 are those that constructors draw, and planned32 those of sums and weights.
func drawn32(d int) (all []FeatureMap) {
	gaussian, lengths := Gaussian{LengthScale: 3}, testkit.F64s(d, func(i int) float64 { return 1 + float64(i%2) })
	a := testkit.NormalPoints(9, 4, d)
	for _, design := range []Design{Independent, Orthogonal, Structured} {
		for _, random := range []bool{false, true} {
			for _, k := range []Kernel{gaussian, ARD(lengths, Matern{Nu: 1.5, LengthScale: 3}), Project(a, gaussian), Select([]int{d - 1}, gaussian)} {
				all = append(all, testkit.Must(NewFourier(k, d, 150, NewSampler(1), &FourierOptions{Design: design, RandomPhase: random})))
			}
		}
	}
	for order := range 3 {
		for _, design := range []Design{Independent, Orthogonal} {
			all = append(all, testkit.Must(NewNeurons(ARD(lengths, ArcCosine{Order: order}), d, 60+d*(d+1)/2, NewSampler(2), &NeuronsOptions{Orthogonal: design == Orthogonal})))
		}
	}
	return all
}

func planned32(d int) (all []FeatureMap) {
	gaussian, lengths := Gaussian{LengthScale: 3}, testkit.F64s(d, func(i int) float64 { return 1 + float64(i%2) })
	for _, k := range []Kernel{
		Sum(gaussian, Scale(0.5, Matern{Nu: 2.5, LengthScale: 1})), Sum(gaussian, Linear{}, Constant{Value: 2}),
		Weight(hill{}, gaussian), Sum(Weight(hill{}, ARD(lengths, gaussian)), ArcCosine{Order: 1}),
	} {
		all = append(all, testkit.Must(testkit.New(k, d, 4*d+80, NewSampler(3))))
	}
	frequencies := testkit.NormalPoints(5, 20, d)
	return append(all, testkit.Must(NewFourierFrom(gaussian, frequencies, nil)))
}

// rows32 returns normal points, with a stride.
func rows32(seed uint64, n, d int) blas32.General {
	x := testkit.NormalPoints(seed, n, d)
	g := blas32.General{Rows: n, Cols: d, Stride: d + 2, Data: make([]float32, n*(d+2))}
	for i := range n {
		for j := range d {
			g.Data[i*g.Stride+j] = float32(x.At(i, j))
		}
	}
	return g
}

// transform32 returns features of rows.
func transform32(m *Map32, x blas32.General) blas32.General {
	_, out := m.Dims()
	dst := blas32.General{Rows: x.Rows, Cols: out, Stride: out, Data: make([]float32, x.Rows*out)}
	m.TransformTo(dst, x)
	return dst
}

func widened(x []float32) []float64 {
	return testkit.F64s(len(x), func(i int) float64 { return float64(x[i]) })
}

// Features are those of the map in float64, up to the rounding that is promised: phases here have less than ten turns.
func TestFloat32(t *testing.T) {
	for at, d := range []int{1, 2, 3, 40, 65} { // structured maps have blocks from 33 on
		maps := drawn32(d)
		if d == 3 || d == 40 || testkit.Long() {
			maps = append(maps, planned32(d)...)
		}
		for i, m := range maps {
			if d != 40 && (3*i+at)%7 > 2 && !testkit.Long() {
				continue // a part in turn
			}
			in32, err := Float32(m)
			if err != nil {
				t.Errorf("%v: %v", m, err)
				continue
			}
			x := rows32(7, 19, d)
			z := transform32(in32, x)
			var largest, worst float64
			for i := range x.Rows {
				row := x.Data[i*x.Stride:][:d]
				want := m.TransformVec(nil, widened(row))
				for j, v := range z.Data[i*z.Stride:][:z.Cols] {
					largest, worst = max(largest, math.Abs(want[j])), max(worst, math.Abs(float64(v)-want[j]))
				}
				for j, v := range in32.TransformVec(nil, row) {
					if math.Float32bits(v) != math.Float32bits(z.Data[i*z.Stride+j]) {
						t.Fatalf("%v: feature %d of row %d is %v alone, %v in a batch", m, j, i, v, z.Data[i*z.Stride+j])
					}
				}
			}
			// Signs and steps are discontinuous: no form here is so near 0 that it matters.
			if !(worst <= 3e-5*largest) {
				t.Errorf("%v: features are off by %.2g of %.2g", m, worst, largest)
			}
			if in, out := in32.Dims(); in != d || out != z.Cols || in32.Kernel() == nil || in32.Float64() != m {
				t.Errorf("%v: Dims %d, %d", m, in, out)
			}
		}
	}
}

// What rounding adds to estimates is below 1e-6 of the kernel's scale for phases up to ten turns, and the error of features
// grows no faster than the phases beyond.
func TestFloat32Error(t *testing.T) {
	const d, n = 20, 40
	for _, design := range []Design{Independent, Structured} {
		m := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, d, 2048, NewSampler(1), &FourierOptions{Design: design}))
		in32 := testkit.Must(Float32(m))
		w := m.Frequencies()
		for _, turns := range []float64{1, 10, 100, 1000} {
			x := rows32(3, n, d)
			var phases mat.Dense
			wideX := mat.NewDense(n, d, nil)
			for i := range n {
				wideX.SetRow(i, widened(x.Data[i*x.Stride:][:d]))
			}
			phases.Mul(wideX, w.T())
			scale := turns / (mat.Max(&phases) / (2 * math.Pi))
			for i := range x.Data {
				x.Data[i] = float32(scale * float64(x.Data[i]))
			}
			z := transform32(in32, x)
			var features, estimates float64
			var before []float32
			for i := range n {
				row := z.Data[i*z.Stride:][:z.Cols]
				want := m.TransformVec(nil, widened(x.Data[i*x.Stride:][:d]))
				for j, v := range row {
					features = max(features, math.Abs(float64(v)-want[j])*math.Sqrt(float64(len(row))/2))
				}
				if i > 0 {
					previous := m.TransformVec(nil, widened(x.Data[(i-1)*x.Stride:][:d]))
					var got, exact float64
					for j, v := range row {
						got += float64(v) * float64(before[j])
						exact += want[j] * previous[j]
					}
					estimates = max(estimates, math.Abs(got-exact))
				}
				before = row
			}
			t.Logf("%v, %v turns: features off by %.2g, estimates by %.2g", design, turns, features, estimates)
			limit := max(turns/10, 1)
			if !(estimates < 1e-6*limit) || !(features < 2e-5*limit) {
				t.Errorf("%v, %v turns: features off by %.2g, estimates by %.2g", design, turns, features, estimates)
			}
		}
	}
}

// A NaN stays in its row; cosines of Inf, and of what overflows, are NaN; subnormal coordinates count.
func TestFloat32Special(t *testing.T) {
	for design, d := range map[Design]int{Independent: 3, Structured: 40} {
		m := testkit.Must(Float32(testkit.Must(NewFourier(Gaussian{LengthScale: 1e-3}, d, 40, NewSampler(1), &FourierOptions{Design: design}))))
		x := rows32(1, 20, d)
		plain := transform32(m, x)
		for i, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32} {
			x.Data[(2*i+1)*x.Stride+1] = v
		}
		got := transform32(m, x)
		for i := range x.Rows {
			special := i%2 == 1 && i < 8
			for j := range got.Cols {
				v := got.Data[i*got.Stride+j]
				if special != (v != v) {
					t.Errorf("%v: feature %d of row %d is %v", design, j, i, v)
				}
				if i%2 == 0 && v != plain.Data[i*plain.Stride+j] {
					t.Errorf("%v: row %d has changed", design, i)
				}
			}
		}
	}
	linear := testkit.Must(Float32(testkit.Must(testkit.New(Linear{}, 2, 2, NewSampler(1)))))
	tiny := linear.TransformVec(nil, []float32{1e-45, 1e-42})
	if tiny[0] == 0 || tiny[1] == 0 {
		t.Errorf("subnormal numbers are lost: %v", tiny)
	}
	scaled := testkit.Must(Float32(testkit.Must(testkit.New(Scale(100, Linear{}), 1, 1, NewSampler(1)))))
	if v := scaled.TransformVec(nil, []float32{math.MaxFloat32})[0]; !math.IsInf(float64(v), 1) {
		t.Errorf("ten times the largest number is %v, want Inf", v)
	}
}

func TestFloat32Refused(t *testing.T) {
	gaussian := Gaussian{LengthScale: 1}
	f := testkit.Must(NewFourier(gaussian, 3, 4, NewSampler(1), nil))
	for _, c := range []struct {
		m    FeatureMap
		want string
	}{
		{nil, "m = nil"},
		{new(Fourier), "zero value"},
		{callersMap{f}, "callersMap"},
		{struct{ *Fourier }{f}, "struct"},
		{testkit.Must(NewMaclaurin(ExpDot{LengthScale: 1}, 3, 20, NewSampler(1), nil)), "ExpDot"},
		{testkit.Must(testkit.New(Sum(gaussian, Polynomial{Degree: 3, Gamma: 1, Offset: 1}), 3, 60, NewSampler(1))), "no float32 of features of Polynomial"},
		{testkit.Must(testkit.New(Sum(gaussian, FromMap(f)), 3, 20, NewSampler(1))), "FromMap"},
		{testkit.Must(testkit.New(Compose(series.ReLUDual{}, Product(gaussian, ArcCosine{Order: 1})), 3, 20, NewSampler(1))), "Compositional"},
		{testkit.Must(NewNystrom(gaussian, testkit.NormalPoints(1, 9, 3), 4, NewSampler(1), nil)), "Nystrom"},
		{testkit.Must(NewDataDependent(f, testkit.NormalPoints(1, 9, 3), nil)), "DataDependent"},
		{testkit.Must(testkit.New(SymLog(make([]float64, 3), gaussian), 3, 20, NewSampler(1))), "SymLogMap"},
	} {
		m, err := Float32(c.m)
		if m != nil || err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("Float32 of %T: %v, should name %s", c.m, err, c.want)
		}
	}
}

func TestFloat32Panics(t *testing.T) {
	m := testkit.Must(Float32(testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 3, 4, NewSampler(1), nil))))
	x, dst := rows32(1, 2, 3), blas32.General{Rows: 2, Cols: 4, Stride: 4, Data: make([]float32, 8)}
	short := x
	short.Data = short.Data[:7]
	narrow := x
	narrow.Stride = 2
	shared := make([]float32, 8)
	for name, f := range map[string]func(){
		"no rows":      func() { m.TransformTo(dst, blas32.General{Cols: 3, Stride: 3}) },
		"columns":      func() { m.TransformTo(dst, blas32.General{Rows: 2, Cols: 2, Stride: 5, Data: x.Data}) },
		"short":        func() { m.TransformTo(dst, short) },
		"stride":       func() { m.TransformTo(dst, narrow) },
		"other rows":   func() { m.TransformTo(blas32.General{Rows: 1, Cols: 4, Stride: 4, Data: dst.Data}, x) },
		"overlap":      func() { m.TransformTo(dst, blas32.General{Rows: 2, Cols: 3, Stride: 3, Data: dst.Data}) },
		"zero value":   func() { new(Map32).TransformTo(dst, x) },
		"a vector":     func() { m.TransformVec(nil, make([]float32, 2)) },
		"its features": func() { m.TransformVec(make([]float32, 3), make([]float32, 3)) },
		"overlapping":  func() { m.TransformVec(shared[:4], shared[2:5]) },
		"zero vector":  func() { new(Map32).TransformVec(nil, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// Many goroutines may share a map.
func TestFloat32Concurrently(t *testing.T) {
	for _, design := range []Design{Orthogonal, Structured} {
		m := testkit.Must(Float32(testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 9, 400, NewSampler(1), &FourierOptions{Design: design}))))
		x := rows32(1, 90, 9)
		want := transform32(m, x)
		var all sync.WaitGroup
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for i, v := range transform32(m, x).Data {
					if v != want.Data[i] {
						t.Errorf("element %d is %v, was %v", i, v, want.Data[i])
						return
					}
				}
			}()
		}
		all.Wait()
	}
}

// A map is saved in float64, and in float32 it has the same bits when it was read.
func TestFloat32Saved(t *testing.T) {
	for _, m := range maps32(5) {
		if strings.Contains(fmt.Sprint(m), "hill") {
			continue // a type that is not registered
		}
		in32 := testkit.Must(Float32(m))
		read, err := Decode(bytes.NewReader(encodedMap(t, in32.Float64())), nil)
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		x := rows32(2, 3, 5)
		if a, b := transform32(in32, x), transform32(testkit.Must(Float32(read)), x); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%v: other features after reading", m)
		}
	}
}

// The bits of features in float32, of all kinds of maps.
func TestGoldenFloat32(t *testing.T) {
	var b bytes.Buffer
	for _, d := range []int{3, 17} {
		for i, m := range maps32(d) {
			z := transform32(testkit.Must(Float32(m)), rows32(7, 37, d))
			fmt.Fprintf(&b, "d = %d, map %d %x %016x\n", d, i, z.Data[:6], golden.Fold(widened(z.Data)))
		}
	}
	x := rows32(7, 40, 70)
	for _, design := range []Design{Orthogonal, Structured} {
		m := testkit.Must(NewFourier(Matern{Nu: 1.5, LengthScale: 3}, 70, 300, NewSampler(7), &FourierOptions{Design: design}))
		fmt.Fprintf(&b, "%v %016x\n", design, golden.Fold(widened(transform32(testkit.Must(Float32(m)), x).Data)))
	}
	short := testkit.Must(NewFourier(Gaussian{LengthScale: 3}, 40, 300, NewSampler(7), &FourierOptions{Design: Structured}))
	fmt.Fprintf(&b, "40 %016x\n", golden.Fold(widened(transform32(testkit.Must(Float32(short)), rows32(7, 20, 40)).Data)))
	golden.Compare(t, "float32.golden", b.Bytes())
}
