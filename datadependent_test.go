// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// quadratic is the map of all monomials of degree 2 and less, reflected at random: its inner
// products are (1 + ⟨x, y⟩)² exactly.
type quadratic struct {
	d      int
	mirror []float64 // of norm √2
}

func newQuadratic(d int, s *Sampler) quadratic {
	q := quadratic{d, make([]float64, (d+1)*(d+2)/2)}
	s.FillNormal(q.mirror)
	floats.Scale(math.Sqrt2/floats.Norm(q.mirror, 2), q.mirror)
	return q
}

func (q quadratic) Dims() (in, out int) { return q.d, len(q.mirror) }
func (q quadratic) Kernel() Kernel      { return Polynomial{Degree: 2, Gamma: 1, Offset: 1} }

func (q quadratic) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, len(q.mirror))
	}
	for i := range n {
		q.fill(dst.RawRowView(i), func(j int) float64 { return x.At(i, j) })
	}
}

func (q quadratic) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(q.mirror))
	}
	q.fill(dst, func(j int) float64 { return x[j] })
	return dst
}

// fill writes the features of the point with coordinates at(0), at(1), …
func (q quadratic) fill(dst []float64, at func(j int) float64) {
	dst[0] = 1
	next := 1
	for i := range q.d {
		dst[next] = math.Sqrt2 * at(i)
		dst[next+1] = at(i) * at(i)
		next += 2
		for j := range i {
			dst[next] = math.Sqrt2 * (at(i) * at(j))
			next++
		}
	}
	var along float64
	for i, v := range dst {
		along += float64(v * q.mirror[i])
	}
	for i, v := range q.mirror {
		dst[i] -= float64(along * v)
	}
}

// deformedExactly is a DataDependent whose base map is exact, and so is the map itself.
type deformedExactly struct{ *DataDependent }

func (deformedExactly) Variance(x, y []float64) float64 {
	if len(x) != len(y) || len(x) != 3 {
		panic(mat.ErrShape)
	}
	return 0
}

// gramOf returns ΦΦᵀ for the features of x.
func gramOf(m FeatureMap, x mat.Matrix) *mat.Dense {
	var phi, gram mat.Dense
	m.TransformTo(&phi, x)
	gram.Mul(&phi, phi.T())
	return &gram
}

// heat returns the heat graph of k nearest neighbors, by its definition.
func heat(x *mat.Dense, k int) *mat.Dense {
	n, _ := x.Dims()
	distance := func(i, j int) float64 { return floats.Distance(x.RawRowView(i), x.RawRowView(j), 2) }
	near := make([][]int, n)
	var width float64
	for i := range n {
		order := make([]int, 0, n)
		for j := range n {
			if j != i {
				order = append(order, j)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance(i, a), distance(i, b)) })
		near[i] = order[:k]
		for _, j := range near[i] {
			width += distance(i, j) / float64(n*k)
		}
	}
	w := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if slices.Contains(near[i], j) || slices.Contains(near[j], i) {
				r := distance(i, j)
				w.Set(i, j, math.Exp(-r*r/(2*width*width)))
			}
		}
	}
	return w
}

// penaltyOf returns M = αL^c by its definition.
func penaltyOf(w *mat.Dense, alpha float64, c int) *mat.Dense {
	n, _ := w.Dims()
	l, m := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	degree := make([]float64, n)
	for i := range n {
		degree[i] = mat.Sum(w.RowView(i))
	}
	for i := range n {
		m.Set(i, i, alpha)
		for j := range n {
			if d := degree[i] * degree[j]; d > 0 {
				l.Set(i, j, -w.At(i, j)/math.Sqrt(d))
			}
		}
		l.Set(i, i, l.At(i, i)+1)
	}
	for range c {
		var next mat.Dense
		next.Mul(m, l)
		m.Copy(&next)
	}
	return m
}

// deformation returns (I + MK)⁻¹M, with no use of its symmetry.
func deformation(t *testing.T, k, m *mat.Dense) *mat.Dense {
	n, _ := k.Dims()
	var a, q mat.Dense
	a.Mul(m, k)
	for i := range n {
		a.Set(i, i, 1+a.At(i, i))
	}
	if err := q.Solve(&a, m); err != nil {
		t.Fatal(err)
	}
	return &q
}

// A sourceCase is a source of W, and W.
type sourceCase struct {
	name    string
	options DataDependentOptions
	w       *mat.Dense
}

// sources returns one of each kind for the points x.
func sources(x *mat.Dense) []sourceCase {
	_, d := x.Dims()
	psi := newQuadratic(d, NewSampler(77)) // a square has no negative value
	heated := heat(x, 4)
	return []sourceCase{
		{"Affinity", DataDependentOptions{Affinity: heated}, heated},
		{"Neighbors", DataDependentOptions{Neighbors: 4}, heated},
		{"Features", DataDependentOptions{Features: psi}, gramOf(psi, x)},
	}
}

func newDataDependent(t *testing.T, base FeatureMap, x mat.Matrix, o DataDependentOptions) *DataDependent {
	t.Helper()
	m, err := NewDataDependent(base, x, &o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fourierBase(t testing.TB, in, out int) *Fourier {
	t.Helper()
	f, err := NewFourier(Gaussian{LengthScale: math.Sqrt(float64(in))}, in, out, NewSampler(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// With an exact base map the deformed map is exact, and passes the suite of all maps.
func TestDataDependentConformance(t *testing.T) {
	x := testkit.NormalPoints(1, 15, 3)
	for _, source := range sources(x) {
		for _, power := range []int{0, 2} {
			o := source.options
			o.Alpha, o.Power = 0.3, power
			t.Run(fmt.Sprintf("%s, power %d", source.name, power), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New: func(in, out int, s *Sampler) (FeatureMap, error) {
						m, err := NewDataDependent(newQuadratic(in, s.Split()), x, &o)
						return deformedExactly{m}, err
					},
					Dims:   []int{3},
					Out:    func(int) int { return 10 },
					Pairs:  func(d int) []testkit.Pair { return inBall(d, 1) },
					NoPlan: true,
				})
			})
		}
	}
}

// Points in several blocks of base features.
func TestDataDependentBlocks(t *testing.T) {
	const n = 4500 // the first block has 4096
	x := testkit.NormalPoints(1, 30, 5)
	m := newDataDependent(t, fourierBase(t, 5, 128), x, DataDependentOptions{Alpha: 1, Neighbors: 3})
	points := testkit.NormalPoints(2, n, 5)
	var all, transposed mat.Dense
	m.TransformTo(&all, points)
	m.TransformTo(&transposed, mat.DenseCopyOf(points.T()).T())
	for i := range n {
		want := m.TransformVec(nil, points.RawRowView(i))
		if !slices.Equal(all.RawRowView(i), want) || !slices.Equal(transposed.RawRowView(i), want) {
			t.Fatalf("row %d of a batch differs from the point by itself", i)
		}
	}
	testkit.Allocations(t, newDataDependent(t, fourierBase(t, 5, 72), x, DataDependentOptions{Alpha: 1, Neighbors: 3}))
}

// Proposition 2 of Ionescu et al.: K̄ = K̂ − K̂(I + MK̂)⁻¹MK̂ is the matrix of the features'
// inner products.
func TestDataDependentProposition2(t *testing.T) {
	x := testkit.NormalPoints(4, 40, 3)
	base := fourierBase(t, 3, 64)
	estimate := gramOf(base, x)
	for _, source := range sources(x) {
		for power := range 5 {
			o := source.options
			o.Alpha, o.Power = 0.7, power
			got := gramOf(newDataDependent(t, base, x, o), x)
			var want mat.Dense
			want.Product(estimate, deformation(t, estimate, penaltyOf(source.w, o.Alpha, max(power, 1))), estimate)
			want.Sub(estimate, &want)
			if !mat.EqualApprox(got, &want, 1e-10) {
				t.Errorf("%s, Power = %d: features and equation (16) differ", source.name, power)
			}
		}
	}
}

// The streaming construction from features, and that from the same W as a matrix, agree, for
// several blocks of rows, the last of them a part, and several tiles of columns.
func TestDataDependentStreaming(t *testing.T) {
	t.Parallel()
	n, d := testkit.Times(600, 600, 1100), testkit.Times(6, 6, 12) // blocks are of 512 rows
	x := testkit.NormalPoints(5, n, d)
	psi := newQuadratic(d, NewSampler(6)) // 28 features, or 91
	w := gramOf(psi, x)
	base := fourierBase(t, d, 200)
	points := testkit.NormalPoints(7, 20, d)
	for power := 1; power <= 3; power += testkit.Times(2, 2, 1) {
		byMatrix := newDataDependent(t, base, x, DataDependentOptions{Alpha: 0.01, Power: power, Affinity: w})
		byFeatures := newDataDependent(t, base, mat.DenseCopyOf(x.T()).T(), DataDependentOptions{Alpha: 0.01, Power: power, Features: psi})
		var a, b mat.Dense
		byMatrix.TransformTo(&a, points)
		byFeatures.TransformTo(&b, points)
		if !mat.EqualApprox(&a, &b, 1e-10) {
			t.Errorf("Power = %d: features by Affinity and by Features differ", power)
		}
	}
}

// The kernel is equation (11), at the N points and at others, and features of an exact base
// map have it for inner products.
func TestDataDependentKernel(t *testing.T) {
	const n, alpha = 25, 0.4
	x := testkit.NormalPoints(8, n, 3)
	points := mat.NewDense(n+10, 3, nil)
	points.Slice(0, n, 0, 3).(*mat.Dense).Copy(x)
	points.Slice(n, n+10, 0, 3).(*mat.Dense).Copy(testkit.NormalPoints(9, 10, 3))
	base := newQuadratic(3, NewSampler(10))
	var k, cross, all mat.Dense
	CrossGram(&k, base.Kernel(), x, x)
	CrossGram(&cross, base.Kernel(), points, x)
	CrossGram(&all, base.Kernel(), points, points)
	for _, source := range sources(x) {
		for power := 1; power <= 3; power++ {
			o := source.options
			o.Alpha, o.Power = alpha, power
			m := newDataDependent(t, base, x, o)
			var want mat.Dense
			want.Product(&cross, deformation(t, &k, penaltyOf(source.w, alpha, power)), cross.T())
			want.Sub(&all, &want)
			var got mat.SymDense
			Gram(&got, m.Kernel(), points)
			scale := mat.Max(&all)
			if !mat.EqualApprox(&got, &want, 1e-12*scale) {
				t.Errorf("%s, Power = %d: kernel and equation (11) differ", source.name, power)
			}
			if !mat.EqualApprox(&got, gramOf(m, points), 1e-10) {
				t.Errorf("%s, Power = %d: kernel and features differ", source.name, power)
			}
			checkBelow(t, &all, &got)
		}
	}
}

// checkBelow checks that a deformed Gram matrix is positive semi-definite, and the base
// kernel's less it as well.
func checkBelow(t *testing.T, base *mat.Dense, deformed *mat.SymDense) {
	t.Helper()
	n := deformed.SymmetricDim()
	difference := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			difference.SetSym(i, j, base.At(i, j)-deformed.At(i, j))
		}
	}
	for i, a := range []*mat.SymDense{deformed, difference} {
		var eigen mat.EigenSym
		if !eigen.Factorize(a, false) {
			t.Fatal("no eigenvalues")
		}
		// Rounding of the elements moves eigenvalues by at most n times as much.
		if least := eigen.Values(nil)[0]; !(least >= -1e-14*float64(n)*mat.Max(base)) {
			t.Errorf("least eigenvalue of the %s = %v", []string{"deformed kernel", "base kernel less it"}[i], least)
		}
	}
	if !(mat.Trace(difference) > 0.01*mat.Trace(base)) {
		t.Error("the kernel is not deformed")
	}
}

// The kernel of a Project, of several goroutines at once, and of points of another length.
func TestDataDependentKernelOfProject(t *testing.T) {
	x := testkit.NormalPoints(11, 20, 3)
	k := ARD([]float64{1, 2, 3}, Gaussian{LengthScale: 1})
	base, err := NewFourier(k, 3, 2, NewSampler(12), nil) // its features do not matter here
	if err != nil {
		t.Fatal(err)
	}
	var gram, deformed mat.SymDense
	Gram(&gram, k, x)
	m := newDataDependent(t, base, x, DataDependentOptions{Alpha: 1, Neighbors: 3})
	Gram(&deformed, m.Kernel(), x)
	var want mat.Dense
	dense := mat.DenseCopyOf(&gram)
	want.Product(dense, deformation(t, dense, penaltyOf(heat(x, 3), 1, 1)), dense)
	want.Sub(dense, &want)
	if !mat.EqualApprox(&deformed, &want, 1e-13) {
		t.Error("kernel and equation (11) differ")
	}
	if got := m.Kernel().Eval(x.RawRowView(0), x.RawRowView(1)); !(math.Abs(got-want.At(0, 1)) <= 1e-13) {
		t.Errorf("Eval = %v, want %v", got, want.At(0, 1))
	}
	odd := newDataDependent(t, notFinite{base}, x, DataDependentOptions{Alpha: 1, Neighbors: 3})
	if got := odd.Kernel().Eval(x.RawRowView(0), x.RawRowView(1)); !math.IsNaN(got) {
		t.Errorf("Eval with a base kernel of +Inf = %v, want NaN", got)
	}
	defer func() {
		if got := recover(); got != mat.ErrShape {
			t.Errorf("points of different lengths: panic %v, want %v", got, mat.ErrShape)
		}
	}()
	m.Kernel().Eval(make([]float64, 3), make([]float64, 2))
}

// Alpha = 0 gives back the base map and its kernel, and takes no source.
func TestDataDependentAlphaZero(t *testing.T) {
	x := testkit.NormalPoints(13, 20, 4)
	base := fourierBase(t, 4, 32)
	var want mat.Dense
	base.TransformTo(&want, x)
	for _, o := range []*DataDependentOptions{nil, {}, {Power: 3}, {Neighbors: 5}} {
		m, err := NewDataDependent(base, x, o)
		if err != nil {
			t.Fatal(err)
		}
		var got mat.Dense
		m.TransformTo(&got, x)
		if in, out := m.Dims(); in != 4 || out != 32 || !mat.Equal(&got, &want) ||
			!slices.Equal(m.TransformVec(nil, x.RawRowView(3)), want.RawRowView(3)) {
			t.Errorf("%+v: not the base map", o)
		}
		if m.Kernel() != base.Kernel() {
			t.Errorf("%+v: Kernel = %v", o, m.Kernel())
		}
	}
}

// The features have the same bits on every machine, and do not depend on the number of goroutines that make the map.
func TestGoldenDataDependent(t *testing.T) {
	x := testkit.NormalPoints(14, 200, 4)
	base := fourierBase(t, 4, 70)
	sources := []DataDependentOptions{{Neighbors: 5}, {Features: newQuadratic(4, NewSampler(15))}}
	var b bytes.Buffer
	for i, source := range sources {
		for _, source.Power = range []int{1, 2, 7} {
			source.Alpha = 0.5
			var want []float64
			for _, procs := range []int{1, 2, 5} {
				before := runtime.GOMAXPROCS(procs)
				m := newDataDependent(t, base, x, source)
				runtime.GOMAXPROCS(before)
				got := m.TransformVec(nil, x.RawRowView(0))
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("made on %d processors: another map", procs)
				}
			}
			fmt.Fprintf(&b, "source %d, power %d: %016x\n", i, source.Power, golden.Fold(want))
		}
	}
	golden.Compare(t, "datadependent.golden", b.Bytes())
}

// notFinite is a map with a kernel that is infinite.
type notFinite struct{ FeatureMap }

func (notFinite) Kernel() Kernel { return Constant{Value: math.Inf(1)} }
