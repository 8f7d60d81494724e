// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testkit

import (
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// Must returns v, or panics with err.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// New returns a map of R^in that was planned without rows and sampled from s.
func New(k featuremap.Kernel, in, features int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
	p, err := featuremap.NewPlan(k, nil, features, &featuremap.PlanOptions{In: in})
	if err != nil {
		return nil, err
	}
	return p.Draw(s)
}

// Close15 tells whether a and b are equal up to rounding.
func Close15(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

// Second returns the error of a call with two results.
func Second[T any](_ T, err error) error { return err }

// DotOf returns ⟨x, y⟩ as one chain of sums in the order of the coordinates; gonum's Dot has another
// order.
func DotOf(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// SameFeatures tells whether two rows have the same bits, ignoring the payload of NaN.
func SameFeatures(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) && !(math.IsNaN(v) && math.IsNaN(b[i])) {
			return false
		}
	}
	return len(a) == len(b)
}

// Norm is a Weighter that can be compared.
type Norm struct{ Scale float64 }

func (w Norm) Weight(x []float64) float64 { return w.Scale + x[0]*x[0] }

// F64s returns f(0), …, f(n − 1).
func F64s(n int, f func(i int) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// Angles sets x to a random point of the product of circles.
func Angles(s *featuremap.Sampler, x []float64) {
	for i := range x {
		x[i] = 7 * s.Normal()
	}
}

// Signs sets x to a random point of the cube of signs.
func Signs(s *featuremap.Sampler, x []float64) { s.FillRademacher(x) }

// Ball sets x to a random point of the sphere of radius 0.7.
func Ball(s *featuremap.Sampler, x []float64) {
	s.FillNormal(x)
	floats.Scale(0.7/floats.Norm(x, 2), x)
}

// Sphere sets x to a random point of the unit sphere.
func Sphere(s *featuremap.Sampler, x []float64) {
	s.FillNormal(x)
	floats.Scale(1/floats.Norm(x, 2), x)
}

// Categories returns a function that sets x to random categories of n.
func Categories(n int) func(s *featuremap.Sampler, x []float64) {
	return func(s *featuremap.Sampler, x []float64) {
		for i := range x {
			x[i] = float64(s.IntN(n))
		}
	}
}

// Each adds an input of one column for each column.
func Each(sk *featuremap.Skeleton, base featuremap.Kernel, d int) []featuremap.Node {
	var nodes []featuremap.Node
	for c := range d {
		nodes = append(nodes, sk.Input(base, c))
	}
	return nodes
}

// OneSided has frequencies on one side only: E cos(ω·Δ) is the kernel, but E sin(ω·Δ) is not 0.
type OneSided struct{ featuremap.Gaussian }

func (k OneSided) Frequency(dst []float64, s *featuremap.Sampler) {
	k.Gaussian.Frequency(dst, s)
	if dst[0] < 0 {
		floats.Scale(-1, dst)
	}
}

// KernelOf returns the kernel of a skeleton.
func KernelOf(t *testing.T, sk *featuremap.Skeleton) featuremap.Kernel {
	t.Helper()
	k, err := sk.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// UnknownKernel is a kernel of which nothing is known.
type UnknownKernel struct{}

func (UnknownKernel) Eval(x, y []float64) float64 { return 1 }

// Narrow projects R³ to R².
var Narrow = mat.NewDense(2, 3, []float64{1, 2, -1, 0.5, 0, 1})

// Cloud returns n points of R^d around a point off the origin, of norms up to about 1.
func Cloud(n, d int, seed uint64) *mat.Dense {
	x := NormalPoints(seed, n, d)
	x.Apply(func(_, j int, v float64) float64 {
		return 0.35*v/math.Sqrt(float64(d)/3) + 0.3/math.Sqrt(float64(1+j))
	}, x)
	return x
}

// NormalPoints returns n standard normal points of R^d.
func NormalPoints(seed uint64, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	featuremap.NewSampler(seed).FillNormal(x.RawMatrix().Data)
	return x
}

// ScaledNormals returns n standard normal points of R^d times a scale.
func ScaledNormals(seed uint64, n, d int, scale float64) *mat.Dense {
	x := NormalPoints(seed, n, d)
	x.Scale(scale, x)
	return x
}

// Constant returns n times the number v.
func Constant(n int, v float64) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = v
	}
	return a
}

// SpreadDigits returns n digits spread evenly over the set. With norm > 0 they are scaled to this norm,
// otherwise they are pixels from 0 to 1.
func SpreadDigits(t *testing.T, n int, norm float64) *mat.Dense {
	t.Helper()
	all, _, err := dataset.Digits()
	if err != nil {
		t.Fatal(err)
	}
	rows, d := all.Dims()
	x := mat.NewDense(n, d, nil)
	for i := range n {
		row := x.RawRowView(i)
		copy(row, all.RawRowView(i*rows/n))
		if scale := 1 / 16.; norm > 0 {
			floats.Scale(norm/floats.Norm(row, 2), row)
		} else {
			floats.Scale(scale, row)
		}
	}
	return x
}

// MeanSquare returns the mean of the variance and squared bias over all pairs of different rows of x, for which a plan
// for these rows predicts its error. It is independent of the planner, which uses some pairs, by moments or by
// distances that are summed once for maps of all sizes. MeanSquare calls the exported methods pair by pair. In tests of
// the root package it calls the one method of a plan that both use, because this is half the work.
func MeanSquare(v featuremap.Variancer, x *mat.Dense) float64 {
	n, _ := x.Dims()
	moments := func(x, y []float64) (variance, bias float64) {
		if b, ok := v.(interface{ Bias(x, y []float64) float64 }); ok {
			bias = b.Bias(x, y)
		}
		return v.Variance(x, y), bias
	}
	if both, ok := v.(interface {
		Moments(x, y []float64) (variance, bias float64)
	}); ok {
		moments = both.Moments
	}
	var sum float64
	for i := range n {
		for j := range i {
			variance, bias := moments(x.RawRowView(i), x.RawRowView(j))
			sum += variance + bias*bias
		}
	}
	return sum / float64(n*(n-1)/2)
}

// MeasuredRMSE returns the root mean square error of maps over all pairs of different rows of x.
func MeasuredRMSE(t *testing.T, p *featuremap.Plan, x *mat.Dense, maps int) float64 {
	t.Helper()
	var exact mat.SymDense
	featuremap.Gram(&exact, p.Kernel(), x)
	n, _ := x.Dims()
	var sum float64
	for seed := range maps {
		m := Must(p.Draw(featuremap.NewSampler(uint64(seed))))
		var z, gram mat.Dense
		m.TransformTo(&z, x)
		gram.Mul(&z, z.T())
		for i := range n {
			for j := range i {
				e := gram.At(i, j) - exact.At(i, j)
				sum += e * e
			}
		}
	}
	return math.Sqrt(sum / float64(maps) / float64(n*(n-1)/2))
}

// PlanOf returns the plan that a map was sampled from, or an error if there is no such plan. The tests of the root
// package set it: no other package may ask for plans.
var PlanOf func(m featuremap.FeatureMap) (*featuremap.Plan, error)

// Redraws returns a function that samples maps like the first from seeds, by the plan of the first, which is made once.
// They have the distribution of the constructor's maps, but not their bits, because Draw takes a Split of the sampler.
func Redraws(first featuremap.FeatureMap) func(seed int) featuremap.FeatureMap {
	p := Must(PlanOf(first))
	return func(seed int) featuremap.FeatureMap { return Must(p.Draw(featuremap.NewSampler(uint64(seed)))) }
}

// ErrorMoments returns the means of the error of some maps' estimates of k(x, y), of its square and of its fourth power.
func ErrorMoments(k featuremap.Kernel, maps int, draw func(seed int) featuremap.FeatureMap, x, y []float64) (e1, e2, e4 float64) {
	want, n := k.Eval(x, y), float64(maps)
	for seed := range maps {
		m := draw(seed)
		e := DotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)) - want
		e1, e2, e4 = e1+e/n, e2+e*e/n, e4+e*e*e*e/n
	}
	return e1, e2, e4
}

// BadStationary returns a caller's stationary kernel with any mass and any last coordinate of its frequencies.
func BadStationary(k featuremap.Gaussian, mass, last float64) featuremap.Stationary {
	return badStationary{k, mass, last}
}

type badStationary struct {
	featuremap.Gaussian
	mass, last float64
}

func (b badStationary) Mass() float64 { return b.mass }

func (b badStationary) Frequency(dst []float64, s *featuremap.Sampler) {
	b.Gaussian.Frequency(dst, s)
	dst[len(dst)-1] = b.last
}

// Unread returns a matrix of any size whose elements must not be read.
func Unread(r, c int) mat.Matrix { return unread{r, c} }

type unread struct{ r, c int }

func (m unread) Dims() (r, c int)  { return m.r, m.c }
func (unread) At(i, j int) float64 { panic("read") }
func (m unread) T() mat.Matrix     { return mat.Transpose{Matrix: m} }

// A DrawFunc is a function as a Drawer.
type DrawFunc func(s *featuremap.Sampler) (w func(x []float64) float64, err error)

func (f DrawFunc) Draw(s *featuremap.Sampler) (w func(x []float64) float64, err error) { return f(s) }

// UnitRows returns the first n rows of x, with its columns standardized, as unit vectors. These
// have many directions, so that no few pairs dominate the errors.
func UnitRows(x *mat.Dense, n int) *mat.Dense {
	rows, d := x.Dims()
	u := mat.NewDense(n, d, nil)
	column := make([]float64, rows)
	for j := range d {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, x), nil)
		for i := range n {
			u.Set(i, j, (x.At(i, j)-mean)/max(deviation, 1e-9))
		}
	}
	for i := range n {
		row := u.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return u
}

// Once returns a function that makes what f returns once for each argument, in whatever test asks first.
func Once[T any](f func(d int) T) func(d int) T {
	var made sync.Map
	return func(d int) T {
		of, _ := made.LoadOrStore(d, sync.OnceValue(func() T { return f(d) }))
		return of.(func() T)()
	}
}
