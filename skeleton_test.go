// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// A skeleton with one unit exp(a(ρ − 1)) over n circles is the Gaussian kernel of length scale
// 1/√a on the points (cos θ, sin θ)/√n, since ‖u − v‖² = 2 − 2⟨u, v⟩ there.
func TestSkeletonGaussian(t *testing.T) {
	s := NewSampler(1)
	for _, n := range []int{1, 2, 7, 30} {
		for _, a := range []float64{0.25, 1, 9} {
			sk := NewSkeleton(n)
			sk.Unit(series.ExpDual(a), testkit.Each(sk, Circle{}, n)...)
			k := testkit.KernelOf(t, sk)
			x, y := make([]float64, n), make([]float64, n)
			testkit.Angles(s, x)
			testkit.Angles(s, y)
			onCircles := func(x []float64) []float64 {
				var u []float64
				for _, v := range x {
					u = append(u, math.Cos(v)/math.Sqrt(float64(n)), math.Sin(v)/math.Sqrt(float64(n)))
				}
				return u
			}
			want := Gaussian{LengthScale: 1 / math.Sqrt(a)}.Eval(onCircles(x), onCircles(y))
			if got := k.Eval(x, y); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("n = %d, a = %v: k = %v, the Gaussian kernel %v", n, a, got, want)
			}
		}
	}
}

// arcCosine1 is the arc-cosine kernel of order 1 of unit vectors at an angle with cosine rho,
// (sin α + (π − α)·cos α)/π (Cho and Saul 2009).
func arcCosine1(rho float64) float64 {
	alpha := math.Acos(rho)
	return (math.Sin(alpha) + (math.Pi-alpha)*math.Cos(alpha)) / math.Pi
}

// Three layers of ReLU over the sphere are the closed form of the arc-cosine kernel of order 1, three times.
func TestSkeletonArcCosine(t *testing.T) {
	s := NewSampler(2)
	for _, d := range []int{2, 3, 10} {
		sk := NewSkeleton(d)
		u := sk.Input(Sphere{})
		for range 3 {
			u = sk.Unit(series.ReLUDual{}, u)
		}
		k := testkit.KernelOf(t, sk)
		x, y := make([]float64, d), make([]float64, d)
		testkit.Sphere(s, x)
		testkit.Sphere(s, y)
		want := arcCosine1(arcCosine1(arcCosine1(floats.Dot(x, y))))
		if got := k.Eval(x, y); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("d = %d: k = %v, three arc-cosine kernels %v", d, got, want)
		}
		// Rounding may put the inner product of equal unit vectors above 1.
		if got := k.Eval(x, x); !(math.Abs(got-1) <= 1e-7) { // √ε: the slope of √(1 − ρ²) at 1
			t.Errorf("d = %d: k(x, x) = %v", d, got)
		}
	}
}

// Two layers of convolution over 6×7 pixels of two channels, by loops over the pixels: windows
// of 3×3 pixels at stride 2, then of 2×2 at stride 1. The last row of pixels is in no window.
func TestSkeletonConvolution(t *testing.T) {
	const rows, cols, channels = 6, 7, 2
	f, g, h := series.ExpDual(0.7), series.ReLUDual{}, series.ExpDual(1.5)
	sk := NewSkeleton(rows * cols * channels)
	sk.Image(rows, cols, channels, Circle{}).Conv(f, 3, 2).Conv(g, 2, 1).Dense(h)
	k := testkit.KernelOf(t, sk)
	s := NewSampler(3)
	x, y := make([]float64, rows*cols*channels), make([]float64, rows*cols*channels)
	testkit.Angles(s, x)
	testkit.Angles(s, y)
	var first [2][3]float64
	for r := range first {
		for c := range first[r] {
			var sum float64
			for i := range 3 {
				for j := range 3 {
					for ch := range channels {
						at := ((2*r+i)*cols+2*c+j)*channels + ch
						sum += math.Cos(x[at] - y[at])
					}
				}
			}
			first[r][c] = math.Exp(0.7 * (sum/18 - 1))
		}
	}
	var second float64
	for c := range 2 {
		second += arcCosine1((first[0][c]+first[0][c+1]+first[1][c]+first[1][c+1])/4) / 2
	}
	want := math.Exp(1.5 * (second - 1))
	if got := k.Eval(x, y); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("k = %v, by loops %v", got, want)
	}
	if got := sk.Nodes(); got != 70+6+2+1 {
		t.Errorf("%d nodes, want 79", got)
	}
}

// Patches of a Gaussian kernel on (cos θ, sin θ) pixels are units over circles.
func TestSkeletonPatches(t *testing.T) {
	const rows, cols, size, stride = 5, 6, 2, 3
	circles := NewSkeleton(rows * cols)
	circles.Image(rows, cols, 1, Circle{}).Conv(series.ExpDual(0.5), size, stride).Dense(series.ReLUDual{})
	patches := NewSkeleton(rows * cols * 2)
	// ‖u − v‖² = 2·4·(1 − mean cos): exp(½(mean cos − 1)) has 2ℓ² = 16.
	g := patches.Patches(rows, cols, 2, size, stride, Gaussian{LengthScale: math.Sqrt(8)})
	if r, c, ch := g.Dims(); r != 2 || c != 2 || ch != 1 {
		t.Errorf("a grid of %d×%d×%d patches, want 2×2×1", r, c, ch)
	}
	g.Dense(series.ReLUDual{})
	s := NewSampler(4)
	x, y := make([]float64, rows*cols), make([]float64, rows*cols)
	testkit.Angles(s, x)
	testkit.Angles(s, y)
	pairs := func(x []float64) []float64 {
		var u []float64
		for _, v := range x {
			u = append(u, math.Cos(v), math.Sin(v))
		}
		return u
	}
	got, want := testkit.KernelOf(t, patches).Eval(pairs(x), pairs(y)), testkit.KernelOf(t, circles).Eval(x, y)
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("by patches %v, by circles %v", got, want)
	}
}

// An input with several columns takes them in their order; expressions of kernels are nodes.
func TestSkeletonInputs(t *testing.T) {
	a := mat.NewDense(1, 2, []float64{1, 2})
	x, y := []float64{0.3, -1, 2}, []float64{0.5, 0.25, -1}
	for _, c := range []struct {
		name string
		base Kernel
		cols []int
		want float64
	}{
		{"order", Project(a, Linear{}), []int{2, 0}, (2 + 2*0.3) * (-1 + 2*0.5)},
		{"all", Linear{}, nil, 0.3*0.5 - 0.25 - 2},
		{"Sum", Sum(Linear{}, Gaussian{LengthScale: 1}), []int{0}, 0.15 + math.Exp(-0.02)},
		{"Product", Product(Linear{}, Gaussian{LengthScale: 1}), []int{0}, 0.15 * math.Exp(-0.02)},
		{"Scale", Scale(3, Gaussian{LengthScale: 1}), []int{0}, 3 * math.Exp(-0.02)},
		{"Compose", Compose(series.Coefficients{1, 0, 2}, Gaussian{LengthScale: 1}), []int{0}, 1 + 2*math.Exp(-0.04)},
		{"pointer", &Circle{}, []int{1}, math.Cos(1.25)},
	} {
		sk := NewSkeleton(3)
		sk.Input(c.base, c.cols...)
		if got := testkit.KernelOf(t, sk).Eval(x, y); !(math.Abs(got-c.want) <= 1e-12*math.Abs(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A child that is repeated counts as often, and weights are relative to their sum.
func TestSkeletonWeights(t *testing.T) {
	x, y := []float64{0.3, 1, 2}, []float64{0.5, 0.2, -1}
	build := func(add func(sk *Skeleton, a, b Node)) float64 {
		sk := NewSkeleton(3)
		in := testkit.Each(sk, Circle{}, 3)
		add(sk, in[0], in[2])
		return testkit.KernelOf(t, sk).Eval(x, y)
	}
	repeated := build(func(sk *Skeleton, a, b Node) { sk.Unit(series.ReLUDual{}, a, b, b, b) })
	weighted := build(func(sk *Skeleton, a, b Node) { sk.WeightedUnit(series.ReLUDual{}, []float64{2, 6}, a, b) })
	want := arcCosine1((math.Cos(0.2) + 3*math.Cos(3)) / 4)
	if !(math.Abs(repeated-want) <= 1e-12 && math.Abs(weighted-want) <= 1e-12) {
		t.Errorf("children that repeat: %v, weights: %v, want %v", repeated, weighted, want)
	}
}

// A skeleton prints its sizes, and a line for all nodes that are alike.
func TestSkeletonString(t *testing.T) {
	sk := NewSkeleton(24 * 24 * 3)
	sk.Image(24, 24, 3, Circle{}).Conv(series.ExpDual(0.25), 5, 2).Conv(series.ReLUDual{}, 4, 2).Dense(series.ReLUDual{})
	const want = `skeleton of 1728 columns: 1704 nodes, depth 3, complexity 0.25
   a: 1587 × Circle{} of a column
   b: 100 × series.Exp{Rate: 0.25, Shift: -0.25} of the mean of 75 a
   c: 16 × series.ReLUDual{} of the mean of 16 b
   d: 1 × series.ReLUDual{} of the mean of 16 c
`
	if got := sk.String(); got != want {
		t.Errorf("String = %s\nwant %s", got, want)
	}
}

// What does not lead to the output is ignored: nodes, and columns.
func TestSkeletonIgnores(t *testing.T) {
	sk := NewSkeleton(3)
	in := testkit.Each(sk, Circle{}, 3)
	u := sk.Unit(series.ExpDual(1), in[2])
	sk.Input(Gaussian{LengthScale: 1})
	k := testkit.KernelOf(t, sk)
	x := []float64{math.NaN(), math.Inf(1), 1}
	if got := k.Eval(x, x); got != 1 {
		t.Errorf("k(x, x) = %v, want 1", got)
	}
	if got := sk.Nodes(); got != 2 {
		t.Errorf("%d nodes, want 2", got)
	}
	// The kernel stays what it was.
	sk.Unit(series.ExpDual(5), u, in[0])
	if got := k.Eval(x, x); got != 1 {
		t.Errorf("k(x, x) = %v after another unit, want 1", got)
	}
}

// A skeleton that is not well formed is refused by the number and kind of its first bad node.
func TestSkeletonErrors(t *testing.T) {
	other := NewSkeleton(4)
	foreign := other.Input(Circle{}, 0)
	for _, c := range []struct {
		want  string
		build func(sk *Skeleton)
	}{
		{"the skeleton has no node", func(sk *Skeleton) {}},
		{"2 inputs and no Unit", func(sk *Skeleton) { testkit.Each(sk, Circle{}, 2) }},
		{"node 1, Unit: child 0 is not a node of this skeleton", func(sk *Skeleton) { sk.Input(Circle{}, 0); sk.Unit(series.ReLUDual{}, foreign) }},
		{"node 0, Product: child 0 is not a node of this skeleton", func(sk *Skeleton) { sk.Product(Node{}) }},
		{"node 0, Unit: there must be at least one child", func(sk *Skeleton) { sk.Unit(series.ReLUDual{}) }},
		{"node 0, Input: column 4: must be from 0 to 3", func(sk *Skeleton) { sk.Input(Circle{}, 4) }},
		{"node 0, Input: column -1", func(sk *Skeleton) { sk.Input(Circle{}, -1) }},
		{"node 0, Input: column 2 is given twice", func(sk *Skeleton) { sk.Input(Sphere{}, 2, 2) }},
		{"node 0, Input: in = 4: Circle is a kernel of one coordinate", func(sk *Skeleton) { sk.Input(Circle{}) }},
		{"node 0, Input: kernel k = nil", func(sk *Skeleton) { sk.Input(nil) }},
		{"node 0, Input: Gaussian LengthScale = -1", func(sk *Skeleton) { sk.Input(Gaussian{LengthScale: -1}) }},
		{"node 0, Input: Categories N = 0", func(sk *Skeleton) { sk.Input(Categories{}, 0) }},
		{"node 0, Input: BlackBox Draw = nil", func(sk *Skeleton) { sk.Input(BlackBox{Of: Linear{}}) }},
		{"node 0, Input: BlackBox Of = nil", func(sk *Skeleton) { sk.Input(BlackBox{}) }},
		{"no map for the kernel", func(sk *Skeleton) { sk.Input(testkit.UnknownKernel{}) }},
		{"node 1, Unit: series f = nil", func(sk *Skeleton) { sk.Unit(nil, sk.Input(Circle{}, 0)) }},
		{"a[1] = -1 is negative", func(sk *Skeleton) { sk.Unit(series.Coefficients{0, -1}, sk.Input(Circle{}, 0)) }},
		{"node 1, WeightedUnit: weights[0] = -1", func(sk *Skeleton) { sk.WeightedUnit(series.ReLUDual{}, []float64{-1}, sk.Input(Circle{}, 0)) }},
		{"node 1, WeightedUnit: 2 weights for 1 children", func(sk *Skeleton) { sk.WeightedUnit(series.ReLUDual{}, []float64{1, 1}, sk.Input(Circle{}, 0)) }},
		{"the sum 0", func(sk *Skeleton) { sk.WeightedUnit(series.ReLUDual{}, []float64{0}, sk.Input(Circle{}, 0)) }},
		{"node 0, Image: channels = 0", func(sk *Skeleton) { sk.Image(2, 2, 0, Circle{}) }},
		{"node 0, Image: 2×2 pixels of 2 channels are 8 columns, and the points have 4", func(sk *Skeleton) { sk.Image(2, 2, 2, Circle{}) }},
		{"node 4, Conv: size = 3: a window is larger than its grid of 2×2", func(sk *Skeleton) { sk.Image(2, 2, 1, Circle{}).Conv(series.ReLUDual{}, 3, 1) }},
		{"node 4, Conv: stride = 0", func(sk *Skeleton) { sk.Image(2, 2, 1, Circle{}).Conv(series.ReLUDual{}, 2, 0) }},
		{"node 0, Patches: size = 0", func(sk *Skeleton) { sk.Patches(2, 2, 1, 0, 1, Linear{}) }},
		{"node 0, Patches: stride = -1", func(sk *Skeleton) { sk.Patches(2, 2, 1, 1, -1, Linear{}) }},
	} {
		sk := NewSkeleton(4)
		c.build(sk)
		_, err := sk.Kernel()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("Kernel: %v, want %q", err, c.want)
		}
		s := NewSampler(1)
		if _, err2 := NewCompositional(sk, 1, s); err2 == nil || err2.Error() != err.Error() {
			t.Errorf("NewCompositional: %v, Kernel: %v", err2, err)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
		if sk.String() != err.Error() || sk.Nodes() != -1 || !math.IsNaN(sk.Complexity()) {
			t.Errorf("%q: String %q, Nodes %d, Complexity %v", c.want, sk, sk.Nodes(), sk.Complexity())
		}
	}
	for _, sk := range []*Skeleton{NewSkeleton(0), NewSkeleton(-1), NewSkeleton(math.MaxInt), new(Skeleton)} {
		sk.Input(Gaussian{LengthScale: 1})
		if _, err := sk.Kernel(); err == nil {
			t.Error("a skeleton without points was not refused")
		}
	}
	// Zero nodes and grids are of no skeleton, and no more than that.
	var g Grid
	if g.Conv(series.ReLUDual{}, 1, 1).Dense(series.ReLUDual{}) != (Node{}) || g.At(0, 0, 0) != (Node{}) {
		t.Error("the zero Grid has a node")
	}
	sk := NewSkeleton(1)
	sk.Input(testkit.UnknownKernel{})
	if _, err := sk.Kernel(); !errors.Is(err, ErrNoMap) {
		t.Errorf("%v, want ErrNoMap", err)
	}
}

// Validate finds the first element that is outside its base space.
func TestSkeletonValidate(t *testing.T) {
	sk := NewSkeleton(5)
	in := []Node{sk.Input(Binary{}, 0), sk.Input(Circle{}, 1), sk.Input(Categories{N: 3}, 2), sk.Input(Sphere{}, 4, 3)}
	sk.Unit(series.ReLUDual{}, in...)
	m, err := NewCompositional(sk, 10, NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	good := []float64{-1, 1e6, 2, 0.6, 0.8}
	for _, c := range []struct {
		col  int
		v    float64
		want string
	}{
		{0, -1, ""}, {1, -50, ""}, {2, 0, ""},
		{0, 0.5, "row 1, column 0: 0.5 is not −1 or +1"},
		{1, math.Inf(1), "row 1, column 1: +Inf is not finite"},
		{2, 3, "row 1, column 2: 3 is not one of 0 … 2"},
		{2, -1, "row 1, column 2: -1"},
		{2, 1.5, "row 1, column 2: 1.5"},
		{2, math.NaN(), "row 1, column 2: NaN"},
		{3, 0.7, "row 1, column 4: 0.8 is not the first coordinate of a unit vector"},
		{3, 0.6 * (1 + 1e-11), "row 1, column 4"},
		{3, 0.6 * (1 + 1e-15), ""},
	} {
		x := mat.NewDense(2, 5, append(append([]float64{}, good...), good...))
		x.Set(1, c.col, c.v)
		for _, err := range []error{sk.Validate(x), m.Validate(x)} {
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("column %d = %v: %v, want %q", c.col, c.v, err, c.want)
			}
		}
	}
	if err := sk.Validate(mat.NewDense(1, 4, nil)); err == nil {
		t.Error("points of another width were not refused")
	}
	if err := sk.Validate(nil); err == nil {
		t.Error("nil was not refused")
	}
}

// The kernel of a skeleton panics with mat.ErrShape for points of another length.
func TestSkeletonKernelShapes(t *testing.T) {
	sk := NewSkeleton(2)
	sk.Unit(series.ReLUDual{}, testkit.Each(sk, Circle{}, 2)...)
	k := testkit.KernelOf(t, sk)
	for _, n := range [][2]int{{1, 1}, {2, 3}, {3, 2}} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrShape {
					t.Errorf("lengths %v: panic %v, want ErrShape", n, r)
				}
			}()
			k.Eval(make([]float64, n[0]), make([]float64, n[1]))
		}()
	}
}

// A series of what is ⟨x, y⟩ is the series, as the input of a skeleton too: the same features, with the tail of their
// degrees, which a table cuts and takes long to make. So is one of a multiple of ⟨x, y⟩.
func TestInputOfComposition(t *testing.T) {
	lengths := []float64{1, 2, 4}
	quarters := mat.NewDiagDense(3, []float64{1, 0.5, 0.25})
	features := func(k Kernel) []float64 {
		sk := NewSkeleton(3)
		sk.Input(k)
		return testkit.Must(NewCompositional(sk, 400, NewSampler(1))).TransformVec(nil, []float64{0.5, -0.25, 0.75})
	}
	for _, f := range []series.Series{series.ReLUDual{}, &series.ReLUDual{}, series.StepDual{}, series.ErfDual{}, series.SineDual{Rate: 2}, series.CosineDual{Rate: 2}, series.Exp{Rate: 1}, series.Geometric{Ratio: 0.5}} {
		if _, step := f.(series.StepDual); step { // has no mean degree at 1
			f = power.Dilate(f, 0.99)
		}
		want := features(Dot(f))
		for _, linear := range []Kernel{
			Linear{}, &Linear{}, Scale(1, Linear{}), Sum(Linear{}), Dot(series.HermiteDual{N: 1}), Dot(series.HermiteDual{N: 1}), Dot(series.Coefficients{0, 1, 0}),
			Sum(Scale(0.5, Linear{}), Scale(0.5, Linear{})), Polynomial{Degree: 1, Gamma: 1}, Scale(4, Scale(0.25, Linear{})),
			Project(mat.NewDiagDense(3, []float64{1, 1, 1}), Linear{}), Compose(series.HermiteDual{N: 1}, Linear{}), Product(Constant{Value: 1}, Linear{}),
		} {
			if got := features(Compose(f, linear)); !slices.Equal(got, want) {
				t.Errorf("%T of %v: other features than of Dot", f, linear)
			}
		}
		want = features(ARD(lengths, Dot(f)))
		for _, k := range []Kernel{ARD(lengths, Compose(f, Linear{})), Compose(f, ARD(lengths, Linear{})), Project(quarters, Compose(f, Linear{}))} {
			if got := features(k); !slices.Equal(got, want) {
				t.Errorf("%v: other features than of Dot", k)
			}
		}
		if got, want := features(Compose(f, Scale(0.5, Linear{}))), features(Dot(power.Dilate(f, 0.5))); !slices.Equal(got, want) {
			t.Errorf("%T of half of ⟨x, y⟩: other features than of its series", f)
		}
		if !power.LongTailed(f) {
			continue
		}
		for _, c := range []float64{0.125, 0.5, 0.984375} {
			of, dilated := testkit.Must(power.NewDrawer(f, c*c)), testkit.Must(power.NewDrawer(power.Dilate(f, c), c))
			a, b := NewSampler(2), NewSampler(2)
			for range 2000 {
				if n, m := of(a), dilated(b); n != m {
					t.Fatalf("%T at %v²: degree %d, and of the series at %v·t %d", f, c, n, c, m)
				}
			}
		}
	}
}

// Inputs read their columns in their order, whether these follow each other or not, with either end of the point in them.
func TestInputColumns(t *testing.T) {
	x, y := []float64{0.5, -1, 2, 0.25, -0.75}, []float64{1, 0.5, -0.25, 3, 0.125}
	k := ARD([]float64{1, 2}, Laplacian{LengthScale: 2}) // which tells the order
	for _, cols := range [][]int{{0, 1}, {1, 2}, {3, 4}, {1, 0}, {4, 3}, {0, 2}, {0, 4}, {4, 0}} {
		sk := NewSkeleton(5)
		sk.Unit(series.HermiteDual{N: 1}, sk.Input(k, cols...))
		got := testkit.Must(sk.Kernel()).Eval(x, y)
		want := k.Eval([]float64{x[cols[0]], x[cols[1]]}, []float64{y[cols[0]], y[cols[1]]})
		if !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("columns %v: %v, want %v", cols, got, want)
		}
	}
}

// A skeleton keeps none of the caller's slices.
func TestSkeletonKeepsNothing(t *testing.T) {
	c := series.Coefficients{0, 1}
	sk := NewSkeleton(1)
	cols := []int{0}
	sk.Unit(c, sk.Input(Circle{}, cols...))
	k := testkit.KernelOf(t, sk)
	c[1], cols[0] = 7, 9
	if v := k.Eval([]float64{1}, []float64{1}); v != 1 {
		t.Errorf("k(x, x) = %v after the caller changed his series, want 1", v)
	}
}
