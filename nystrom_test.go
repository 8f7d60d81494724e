// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

func newNystrom(t testing.TB, k Kernel, x mat.Matrix, out int, seed uint64, o NystromOptions) *Nystrom {
	t.Helper()
	m, err := NewNystrom(k, x, out, NewSampler(seed), &o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A kernel of finite rank, as many landmarks as that: the map is exact, and passes the suite of all maps.
func TestLandmarks(t *testing.T) {
	pairs := func(d int) []testkit.Pair { return inBall(d, 1) }
	for _, c := range []struct {
		name string
		k    func(d int) Kernel
		rank func(d int) int
		o    NystromOptions
	}{
		{"linear", func(int) Kernel { return Linear{} }, func(d int) int { return d }, NystromOptions{Landmarks: RPCholesky}},
		{"quadratic", func(int) Kernel { return Polynomial{Degree: 2, Gamma: 1, Offset: 1} }, func(d int) int { return (d + 1) * (d + 2) / 2 }, NystromOptions{Landmarks: RPCholesky}},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New: func(in, out int, s *Sampler) (FeatureMap, error) {
					return NewNystrom(c.k(in), testkit.NormalPoints(5, 60, in), out, s, &c.o)
				},
				Dims:    []int{1, 2, 3, 8},
				Out:     c.rank,
				Pairs:   pairs,
				NoPlan:  true,
				Cancels: true,
			})
		})
	}
}

// The features are those of a Cholesky factor by gonum, at the landmarks and elsewhere: inner products are the projection, equal to k
// where one point is a landmark, and never more than k where both are the same.
func TestLandmarksIsTheProjection(t *testing.T) {
	x := testkit.NormalPoints(1, 200, 4)
	for _, k := range []Kernel{Gaussian{LengthScale: 1.5}, ARD([]float64{1, 2, 3, 4}, Matern{Nu: 2.5, LengthScale: 1}), Sum(Linear{}, Laplacian{LengthScale: 2}), ExpDot{LengthScale: 2}} {
		for _, selection := range []LandmarkChoice{KMeans, RPCholesky, RandomRows} {
			m := newNystrom(t, k, x, 30, 2, NystromOptions{Landmarks: selection})
			s := m.Landmarks()
			var gram mat.SymDense
			Gram(&gram, k, s)
			var chol mat.Cholesky
			if !chol.Factorize(&gram) {
				t.Fatal("no factor")
			}
			at := testkit.NormalPoints(3, 20, 4)
			var cross, half mat.Dense
			CrossGram(&cross, k, s, at)
			if err := chol.SolveTo(&half, &cross); err != nil {
				t.Fatal(err)
			}
			var want, z, got mat.Dense
			want.Mul(cross.T(), &half)
			m.TransformTo(&z, at)
			got.Mul(&z, z.T())
			for i := range 20 {
				row := at.RawRowView(i)
				for j := range 20 {
					if v := k.Eval(row, row); !(math.Abs(got.At(i, j)-want.At(i, j)) <= 1e-9*v) {
						t.Errorf("%v, %v: ⟨φ(x), φ(y)⟩ = %v, by gonum %v", k, selection, got.At(i, j), want.At(i, j))
					}
				}
				rest := make([]float64, 1)
				m.RemainderTo(rest, mat.NewDense(1, 4, row), nil)
				if bias := m.Bias(row, row); !(bias <= 1e-12) || !(math.Abs(rest[0]+bias) <= 1e-12) || m.Variance(row, row) != 0 {
					t.Errorf("%v, %v: Bias %v and remainder %v at one point", k, selection, bias, rest[0])
				}
				if bias := m.Bias(s.RawRowView(i), row); !(math.Abs(bias) <= 1e-9*k.Eval(row, row)) {
					t.Errorf("%v, %v: Bias %v at a landmark", k, selection, bias)
				}
			}
			raw, u := m.Raw()
			var r, solved mat.Dense
			raw.TransformTo(&r, at)
			if err := solved.Solve(u.T(), r.T()); err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(solved.T(), &z, 1e-9) {
				t.Errorf("%v, %v: features are not U⁻ᵀ of the raw ones", k, selection)
			}
		}
	}
}

// The landmarks are rows of the points, or centers that lie among them; units of columns under ARD make no difference; and
// a seed gives one map, on any number of goroutines.
func TestLandmarksSelections(t *testing.T) {
	x := testkit.NormalPoints(4, 300, 3)
	rows := make(map[string]bool)
	for i := range 300 {
		rows[fmt.Sprint(x.RawRowView(i))] = true
	}
	are := func(m *Nystrom) (n int) {
		s := m.Landmarks()
		r, _ := s.Dims()
		for i := range r {
			if rows[fmt.Sprint(s.RawRowView(i))] {
				n++
			}
		}
		return n
	}
	gaussian := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k       Kernel
		s       LandmarkChoice
		centers bool
	}{
		{gaussian, KMeans, true}, {Sum(gaussian, Laplacian{LengthScale: 1}), KMeans, true}, {gaussian, RPCholesky, false}, {gaussian, RandomRows, false},
		{ExpDot{LengthScale: 2}, KMeans, false}, {Periodic{Period: 2, LengthScale: 1}, KMeans, false}, {ArcCosine{Order: 1}, KMeans, false},
		{Weight(testkit.Norm{Scale: 1}, gaussian), KMeans, false}, {unknownKernelOf(gaussian), KMeans, false},
	} {
		m := newNystrom(t, c.k, x, 50, 1, NystromOptions{Landmarks: c.s})
		if n := are(m); c.centers && n > 40 || !c.centers && n != 50 {
			t.Errorf("%v, %v: %d of 50 landmarks are rows", c.k, c.s, n)
		}
		before := runtime.GOMAXPROCS(1)
		again := newNystrom(t, c.k, x, 50, 1, NystromOptions{Landmarks: c.s})
		runtime.GOMAXPROCS(before)
		if !mat.Equal(again.Landmarks(), m.Landmarks()) {
			t.Errorf("%v, %v: other landmarks by one goroutine", c.k, c.s)
		}
		if other := newNystrom(t, c.k, x, 50, 2, NystromOptions{Landmarks: c.s}); mat.Equal(other.Landmarks(), m.Landmarks()) {
			t.Errorf("%v, %v: another seed has the same landmarks", c.k, c.s)
		}
	}
	scaled, units := mat.DenseCopyOf(x), []float64{1e6, 1e-6, 1}
	for i := range 300 {
		for j, u := range units {
			scaled.Set(i, j, x.At(i, j)*u)
		}
	}
	for _, s := range []LandmarkChoice{KMeans, RPCholesky} {
		m := newNystrom(t, ARD([]float64{1, 1, 1}, gaussian), x, 50, 1, NystromOptions{Landmarks: s}).Landmarks()
		n := newNystrom(t, ARD(units, gaussian), scaled, 50, 1, NystromOptions{Landmarks: s}).Landmarks()
		for i := range 50 {
			for j, u := range units {
				if !(math.Abs(n.At(i, j)/u-m.At(i, j)) <= 1e-9) {
					t.Fatalf("%v: landmark %d is %v in other units, and was %v", s, i, n.RawRowView(i), m.RawRowView(i))
				}
			}
		}
	}
}

// unknownKernelOf returns a kernel of which nothing is known but its values.
func unknownKernelOf(k Kernel) Kernel { return opaqueKernel{k} }

type opaqueKernel struct{ k Kernel }

func (o opaqueKernel) Eval(x, y []float64) float64 { return o.k.Eval(x, y) }

// Landmarks have less error than random features of as many columns, and k-means less than random rows: on letters by ten and
// more, here on normal points of R³ by a hundred and more. (The limits are a half of what was measured.)
func TestLandmarksError(t *testing.T) {
	x, k := testkit.NormalPoints(7, 1500, 3), Gaussian{LengthScale: 2}
	fourier := testkit.Must(PredictedRMSE(testkit.Must(NewFourier(k, 3, 100, NewSampler(1), &FourierOptions{Design: Orthogonal})), x, 200, NewSampler(2)))
	errors := make(map[LandmarkChoice]float64)
	for _, s := range []LandmarkChoice{KMeans, RPCholesky, RandomRows} {
		errors[s] = testkit.Must(PredictedRMSE(newNystrom(t, k, x, 100, 1, NystromOptions{Landmarks: s}), x, 200, NewSampler(2)))
	}
	t.Logf("Fourier %.3g, landmarks %v", fourier, errors)
	if !(errors[KMeans] < fourier/50) || !(errors[KMeans] < errors[RandomRows]) || !(errors[RPCholesky] < errors[RandomRows]) {
		t.Errorf("errors %v, of Fourier features %v", errors, fourier)
	}
}

// Landmarks that depend on others are dropped: their columns are 0, and the map is that of the others.
func TestLandmarksDependent(t *testing.T) {
	x := testkit.NormalPoints(3, 40, 2)
	m := newNystrom(t, Linear{}, x, 10, 1, NystromOptions{Landmarks: RandomRows})
	z := m.TransformVec(nil, []float64{3, -4})
	zeros := 0
	for _, v := range z {
		if v == 0 {
			zeros++
		}
	}
	if zeros != 8 || !(math.Abs(testkit.DotOf(z, z)-25) <= 1e-12) || !strings.Contains(m.String(), "8 depend on others") {
		t.Errorf("%v: features %v", m, z)
	}
	if one := newNystrom(t, Linear{}, x, 1, 1, NystromOptions{}); !strings.HasSuffix(one.String(), ", 1 landmark") {
		t.Error(one)
	}
	// Norms of the points and k(s, s) differ by tens of powers of ten; each is compared with its own size.
	far := testkit.NormalPoints(3, 12, 8)
	far.Scale(4, far)
	uneven := newNystrom(t, ExpDot{LengthScale: 1}, far, 12, 1, NystromOptions{})
	for i := range 12 {
		row := far.RawRowView(i)
		if v := (ExpDot{LengthScale: 1}).Eval(row, row); !(math.Abs(uneven.Bias(row, row)) <= 1e-9*v) {
			t.Errorf("%v: Bias %v at a landmark, of %v", uneven, uneven.Bias(row, row), v)
		}
	}
	smooth := newNystrom(t, Gaussian{LengthScale: 50}, x, 40, 1, NystromOptions{})
	for i := range 40 {
		row := x.RawRowView(i)
		if b := smooth.Bias(row, row); !(math.Abs(b) <= 1e-10) {
			t.Errorf("%v: Bias %v at a landmark", smooth, b)
		}
	}
}

// A map with its landmarks is saved and read again, of every selection.
func TestLandmarksSaved(t *testing.T) {
	x := testkit.NormalPoints(3, 80, 3)
	for _, o := range []NystromOptions{{}, {Landmarks: RPCholesky}, {Landmarks: RandomRows}} {
		for _, k := range []Kernel{Gaussian{LengthScale: 1}, Sum(Scale(0.5, Linear{}), Matern{Nu: 0.5, LengthScale: 2})} {
			m := newNystrom(t, k, x, 20, 1, o)
			var b bytes.Buffer
			if err := Encode(&b, m); err != nil {
				t.Fatal(err)
			}
			read, err := Decode(&b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(read.TransformVec(nil, x.RawRowView(1)), m.TransformVec(nil, x.RawRowView(1))) || fmt.Sprint(read) != fmt.Sprint(m) {
				t.Errorf("%v: read as %v", m, read)
			}
		}
	}
}

// What is refused names the argument, and leaves the sampler as it was.
func TestLandmarksRefusals(t *testing.T) {
	x, g := testkit.NormalPoints(1, 20, 2), Gaussian{LengthScale: 1}
	bad := func(v float64) *mat.Dense {
		a := mat.DenseCopyOf(x)
		a.Set(7, 1, v)
		return a
	}
	for _, c := range []struct {
		k    Kernel
		x    mat.Matrix
		out  int
		o    NystromOptions
		want string
	}{
		{nil, x, 5, NystromOptions{}, "kernel k = nil"},
		{g, nil, 5, NystromOptions{}, "x = nil"},
		{g, &mat.Dense{}, 5, NystromOptions{}, "x is 0×0"},
		{g, x, 0, NystromOptions{}, "features = 0"},
		{Gaussian{}, x, 5, NystromOptions{}, "LengthScale"},
		{g, x, 5, NystromOptions{Landmarks: 3}, "Landmarks = LandmarkChoice(3)"},
		{g, bad(math.NaN()), 5, NystromOptions{}, "row 7"},
		{g, bad(math.Inf(1)), 5, NystromOptions{}, "row 7"},
		{Polynomial{Degree: 300, Gamma: 1, Offset: 1}, bad(1e300), 5, NystromOptions{Landmarks: RandomRows}, ""},
		{Categories{N: 3}, testkit.NormalPoints(1, 20, 1), 5, NystromOptions{}, "row 0"},
	} {
		s := NewSampler(1)
		_, err := NewNystrom(c.k, c.x, c.out, s, &c.o)
		if err == nil && c.want == "" {
			continue // the row may not be among the landmarks
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: error %v, want %q", c.k, c.o, err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%v, %v: the sampler has moved", c.k, c.o)
		}
	}
}

// An apartKernel is not finite for two points that are far on both sides of 0.
type apartKernel struct{ Gaussian }

func (a apartKernel) Eval(x, y []float64) float64 {
	if x[0]*y[0] < -1e6 {
		return math.Inf(1)
	}
	return a.Gaussian.Eval(x, y)
}

// A kernel value that is not finite is told by the rows of points that it is of, in whichever order these become landmarks: rows 2 and 5 are
// those of large numbers.
func TestLandmarksNotFinite(t *testing.T) {
	x := mat.NewDense(12, 1, []float64{9, 1, -4e3, 8, 2, 4e3, 7, 3, 6, 4, 5, 0})
	for _, c := range []struct {
		k    Kernel
		x    *mat.Dense
		out  int
		how  LandmarkChoice
		want string
	}{
		{ExpDot{LengthScale: 100}, x, 12, RandomRows, "x: k(s, t) = +Inf for s = row 2, t = row 2: must be finite"},
		{Polynomial{Degree: 45, Gamma: 1, Offset: 1}, x, 12, KMeans, "s = row 2, t = row 2"},
		{apartKernel{Gaussian{LengthScale: 1}}, x, 12, KMeans, "x: k(s, t) = +Inf for s = row 2, t = row 5: must be finite"},
		{apartKernel{Gaussian{LengthScale: 1}}, x, 11, RandomRows, "s = row 2, t = row 5"},
	} {
		_, err := NewNystrom(c.k, c.x, c.out, NewSampler(1), &NystromOptions{Landmarks: c.how})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %d landmarks, %v: error %v, want %q", c.k, c.out, c.how, err, c.want)
		}
	}
}

// Kernels of the tiled matrices have features of the same bits on every machine.
func TestGoldenLandmarks(t *testing.T) {
	x := testkit.NormalPoints(6, 120, 3)
	var b bytes.Buffer
	for _, k := range []Kernel{
		Gaussian{LengthScale: 1.2}, ARD([]float64{1, 2, 4}, Matern{Nu: 1.5, LengthScale: 1}), Laplacian{LengthScale: 2}, Polynomial{Degree: 3, Gamma: 0.5, Offset: 1},
		Sum(Linear{}, RationalQuadratic{Alpha: 0.5, LengthScale: 1}), ExpDot{LengthScale: 2}, Periodic{Period: 3, LengthScale: 1},
	} {
		for _, o := range []NystromOptions{{}, {Landmarks: RPCholesky}, {Landmarks: RandomRows}} {
			m := newNystrom(t, k, x, 18, 3, o)
			fmt.Fprintf(&b, "%v, %v: %016x %016x\n", k, o.Landmarks, golden.Fold(m.Landmarks().RawMatrix().Data), golden.Fold(m.TransformVec(nil, x.RawRowView(5))))
		}
	}
	for _, k := range []Kernel{Gaussian{LengthScale: 1}, Cauchy{LengthScale: 1}} { // all rows of a line, of which many depend on others
		line := rowsInOrder()["line"]
		m := newNystrom(t, k, line, 200, 3, NystromOptions{})
		fmt.Fprintf(&b, "%v, in the order of pivots: %016x %016x\n", m, golden.Fold(m.Landmarks().RawMatrix().Data), golden.Fold(m.TransformVec(nil, line.RawRowView(5))))
	}
	golden.Compare(t, "nystrom.golden", b.Bytes())
}

// Where points stand many times in the data, no landmark is a copy of another: there is one for each of as many different points.
func TestLandmarksOfCopies(t *testing.T) {
	const different, copies, d = 20, 9, 3
	some := testkit.NormalPoints(1, different, d)
	x := mat.NewDense(different*copies, d, nil)
	for i := range different * copies {
		x.SetRow(i, some.RawRowView(i%different))
	}
	for _, k := range []Kernel{Gaussian{LengthScale: 0.5}, Periodic{Period: 3, LengthScale: 0.5}} {
		for seed := range uint64(10) {
			m, err := NewNystrom(k, x, different, NewSampler(seed), nil)
			if err != nil {
				t.Fatal(err)
			}
			if text := m.String(); strings.Contains(text, "depend") {
				t.Errorf("seed %d: %s", seed, text)
			}
		}
	}
}

// Many dense rows, which go from coordinates to features some at a time, have the bits of one, whatever is in them.
func TestNystromManyRows(t *testing.T) {
	const n, in = 4*48 + 5, 3
	s := NewSampler(7)
	x := mat.NewDense(n, in, nil)
	s.FillNormal(x.RawMatrix().Data)
	points := mat.DenseCopyOf(x.Slice(0, 60, 0, in))
	for j := range in { // a landmark that depends on another
		points.Set(59, j, math.Nextafter(points.At(0, j), 9))
	}
	x.Set(100, 1, math.NaN())
	for _, k := range []Kernel{Gaussian{LengthScale: 1}, Linear{}} {
		m, err := NewNystrom(k, points, 60, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, out := m.Dims()
		var all mat.Dense
		m.TransformTo(&all, x)
		for i := range n {
			got, want := all.RawRowView(i), m.TransformVec(nil, x.RawRowView(i))
			for j := range out {
				if math.Float64bits(got[j]) != math.Float64bits(want[j]) && !(math.IsNaN(got[j]) && math.IsNaN(want[j])) {
					t.Fatalf("%v: feature %d of row %d is %v, of the row alone %v", k, j, i, got[j], want[j])
				}
			}
		}
	}
}

// Rows that are lists give the same landmarks as dense rows, with features, derivatives and files of the same bits: where landmarks stay
// lists, for products and distances of sparse rows, and where they do not.
func TestNystromOfLists(t *testing.T) {
	const in, n, out = 90, 60, 25
	for name, c := range map[string]struct {
		k     Kernel
		share float64
	}{
		"products":           {Polynomial{Degree: 3, Gamma: 0.1}, 0.06},
		"distances":          {Gaussian{LengthScale: 3}, 0.06},
		"both":               {Sum(Linear{}, ARD(lengths(in), Matern{Nu: 1.5, LengthScale: 9})), 0.06},
		"angles":             {ArcCosine{Order: 1}, 0.06},
		"some of a row":      {Select([]int{4, 1, 7}, Gaussian{LengthScale: 1}), 0.06},
		"not sparse":         {Gaussian{LengthScale: 3}, 0.4},
		"columns not sparse": {Gaussian{LengthScale: 3}, 0},
	} {
		x := testkit.Thin(NewSampler(4), n, in, max(c.share, 0.05))
		for i := range n {
			if c.share == 0 { // of which the center is not 0
				x.Set(i, 7, 1+0.1*float64(i%5))
			}
		}
		x.Set(3, 5, math.Copysign(0, -1))
		lists := testkit.NewLists(x)
		for _, how := range []LandmarkChoice{RandomRows, KMeans, RPCholesky} {
			o := NystromOptions{Landmarks: how}
			want, got := newNystrom(t, c.k, x, out, 2, o), newNystrom(t, c.k, lists, out, 2, o)
			var file, other bytes.Buffer
			if err := errors.Join(Encode(&file, want), Encode(&other, got)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(file.Bytes(), other.Bytes()) || !mat.Equal(want.Landmarks(), got.Landmarks()) {
				t.Errorf("%s, %v: other landmarks", name, how)
			}
			var dense, listed, alone mat.Dense
			want.TransformTo(&dense, x)
			got.TransformTo(&listed, lists)
			got.TransformTo(&alone, x)
			for i := range n {
				row := dense.RawRowView(i)
				if !testkit.SameFeatures(listed.RawRowView(i), row) || !testkit.SameFeatures(alone.RawRowView(i), row) || !testkit.SameFeatures(got.TransformVec(nil, x.RawRowView(i)), row) {
					t.Fatalf("%s, %v: other features of row %d", name, how, i)
				}
			}
			var gradient, another mat.Dense
			a, err := Derivative(want)
			b, err2 := Derivative(got)
			if (err == nil) != (err2 == nil) {
				t.Fatalf("%s: errors %v, %v", name, err, err2)
			}
			if err == nil {
				a.PullbackTo(&gradient, x, &dense)
				b.PullbackTo(&another, x, &dense)
				if !mat.Equal(&gradient, &another) {
					t.Errorf("%s, %v: other derivatives", name, how)
				}
			}
		}
	}
}
