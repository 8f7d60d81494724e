// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// planned returns a map of at most so many features that is planned for x.
func planned(k featuremap.Kernel, x *mat.Dense, features int) featuremap.FeatureMap {

	plan := must(featuremap.NewPlan(k, x, features, nil))
	return must(plan.Draw(featuremap.NewSampler(1)))
}

// exactProcess is the exact Gaussian process of kernel k·σ²/λ with noise σ² and an intercept of flat prior, of rows x and y.
type exactProcess struct {
	k       featuremap.Kernel
	x       *mat.Dense
	a       mat.Cholesky // of K + λI
	ones, y *mat.VecDense
	lambda  float64
}

func newExactProcess(k featuremap.Kernel, x *mat.Dense, y []float64, lambda float64) *exactProcess {
	n := len(y)
	p := &exactProcess{k: k, x: x, y: mat.NewVecDense(n, y), ones: mat.NewVecDense(n, nil), lambda: lambda}
	gram := new(mat.SymDense)
	featuremap.Gram(gram, k, x)
	for i := range n {
		gram.SetSym(i, i, gram.At(i, i)+lambda)
		p.ones.SetVec(i, 1)
	}
	p.a.Factorize(gram)
	return p
}

// at returns the mean and the variance, in units of σ², of f at x.
func (p *exactProcess) at(x []float64) (mean, variance float64) {
	n := p.y.Len()
	k := mat.NewVecDense(n, nil)
	for i := range n {
		k.SetVec(i, p.k.Eval(x, p.x.RawRowView(i)))
	}
	var solved, unit mat.VecDense
	_ = must(true, p.a.SolveVecTo(&solved, k))
	_ = must(true, p.a.SolveVecTo(&unit, p.ones))
	weight := mat.Dot(p.ones, &unit)
	level := mat.Dot(p.y, &unit) / weight
	rest := 1 - mat.Dot(p.ones, &solved)
	mean = level + mat.Dot(p.y, &solved) - level*mat.Dot(p.ones, &solved)
	return mean, (p.k.Eval(x, x) - mat.Dot(k, &solved) + rest*rest/weight) / p.lambda
}

// Beyond the rows a model of a map that was planned for them has the mean and the error bars of the exact process, in one coordinate and two,
// far from 0, turned, with seasons and in a sum: the mean within .01 of the prior's deviation, and the deviation within 5 in 100.
func TestBeyondRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		k        featuremap.Kernel
		features int
		in       int
		offset   float64
	}{
		{"line", featuremap.Gaussian{LengthScale: 1}, 60, 1, 0},
		{"far from 0", featuremap.Gaussian{LengthScale: 1}, 60, 1, 1e6},
		{"plane", featuremap.ARD([]float64{2, 3}, featuremap.Gaussian{LengthScale: 1}), 300, 2, 0},
		{"turned", featuremap.Project(mat.NewDense(2, 2, []float64{.5, .2, -.2, .3}), featuremap.Gaussian{LengthScale: 1}), 300, 2, 0},
		{"seasons", featuremap.Product(featuremap.Periodic{Period: 3, LengthScale: 1}, featuremap.Gaussian{LengthScale: 4}), 300, 1, 0},
		{"sum", featuremap.Sum(featuremap.Gaussian{LengthScale: 1}, featuremap.Scale(2, featuremap.Gaussian{LengthScale: 3})), 120, 1, 0},
	} {
		const n = 100
		s := featuremap.NewSampler(7)
		x, y := mat.NewDense(n, c.in, nil), make([]float64, n)
		for i := range n {
			var sum float64
			for j := range c.in {
				v := 10 * s.Float64()
				x.Set(i, j, v+c.offset)
				sum += math.Sin(v)
			}
			y[i] = sum + 0.1*s.Normal()
		}
		const lambda = 0.01
		m := must(Fit(planned(c.k, x, c.features), x, mat.NewDense(n, 1, y), &Options{Lambda: lambda}))
		exact := newExactProcess(c.k, x, y, lambda)
		prior := math.Sqrt(c.k.Eval(x.RawRowView(0), x.RawRowView(0)) * m.NoiseVariance()[0] / lambda)
		direction := []float64{1, 0.7}[:c.in]
		outside := false
		for _, step := range []float64{-100, -12, -8, -6, -4, -2, -1, 0, 1, 3, 5, 9, 11, 12, 13, 14, 15, 17, 20, 30, 100, 1e4} {
			at := make([]float64, c.in)
			for j, v := range direction {
				at[j] = c.offset + step*v
			}
			mean, variance := exact.at(at)
			if got := m.PredictVec(nil, at)[0]; !(math.Abs(got-mean) <= 0.01*prior) {
				t.Errorf("%s: at %v a mean of %v, of the exact process %v, where the prior's deviation is %v", c.name, step, got, mean, prior)
			}
			got, want := math.Sqrt(posteriorOf(m).VarianceVec(nil, at)[0]), math.Sqrt(variance*m.NoiseVariance()[0])
			if !(math.Abs(got/want-1) <= 0.05) {
				t.Errorf("%s: at %v a deviation of %v, of the exact process %v", c.name, step, got, want)
			}
			outside = outside || !m.Inside(at)
			gradient := posteriorOf(m).VarianceGradientVec(nil, at, 0)
			if step < 100 {
				quotient := fd.Gradient(nil, func(x []float64) float64 { return posteriorOf(m).VarianceVec(nil, x)[0] }, at, &fd.Settings{Formula: fd.Central, Step: 1e-4})
				for j, v := range quotient {
					if !(math.Abs(gradient[j]-v) <= 2e-3*prior*prior) {
						t.Errorf("%s: at %v the variance has the gradient %v, a quotient %v", c.name, step, gradient, quotient)
					}
				}
			}
		}
		if !outside {
			t.Errorf("%s: all steps are inside", c.name)
		}
	}
}

// A cut series of few degrees, that loses some of k(x, x) at most rows, says so: for functions drawn from the process, errors over deviations on new
// rows have a root mean square near 1 (1.1 to 1.3 for six seeds; by the features alone 1.8 to 2.6), far from the rows the deviation is the prior's, with λ as given, and predictions
// are better than those of a map without bias.
func TestCutSeriesBeyondRows(t *testing.T) {
	t.Parallel()
	const n, fresh, in, features, lambda = 300, 150, 6, 100, 0.01
	k := featuremap.Gaussian{LengthScale: 2}
	s := featuremap.NewSampler(12)
	all, z := mat.NewDense(n+fresh, in, nil), mat.NewVecDense(n+fresh, nil)
	for i := range n + fresh {
		for j := range in {
			all.Set(i, j, s.Normal())
		}
		z.SetVec(i, s.Normal())
	}
	var gram mat.SymDense
	featuremap.Gram(&gram, k, all)
	var factor mat.Cholesky
	if !factor.Factorize(&gram) {
		t.Fatal("the kernel matrix is singular")
	}
	var root mat.TriDense
	var f mat.VecDense
	factor.LTo(&root)
	f.MulVec(&root, z)
	x, y := mat.DenseCopyOf(all.Slice(0, n, 0, in)), mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, f.AtVec(i)+math.Sqrt(lambda)*s.Normal())
	}
	unbiased := must(must(featuremap.NewPlan(k, x, features, &featuremap.PlanOptions{Unbiased: true})).Draw(featuremap.NewSampler(1)))
	other := must(Fit(unbiased, x, y, nil))
	phi := planned(k, x, features)
	for _, given := range []float64{0, lambda, 1e-6} {
		m := must(Fit(phi, x, y, &Options{Lambda: given}))
		var squares, errors, others float64
		for i := n; i < n+fresh; i++ {
			row := all.RawRowView(i)
			e, v := m.PredictVec(nil, row)[0]-f.AtVec(i), posteriorOf(m).VarianceVec(nil, row)[0]
			errors += e * e / fresh
			squares += e * e / v / fresh
			e = other.PredictVec(nil, row)[0] - f.AtVec(i)
			others += e * e / fresh
		}
		if !(errors < 0.7*others) {
			t.Errorf("λ = %v: a mean squared error of %v, of a map without bias %v", given, errors, others)
		}
		if z := math.Sqrt(squares); !(z > 0.8 && z < 1.5) {
			t.Errorf("λ = %v: errors over deviations have a root mean square of %v", given, z)
		}
		if given == 0 {
			continue
		}
		far := []float64{12, 0, -12, 0, 12, 0}
		if got, want := math.Sqrt(posteriorOf(m).VarianceVec(nil, far)[0]), math.Sqrt(m.NoiseVariance()[0]/given); !(math.Abs(got/want-1) <= 0.02) {
			t.Errorf("λ = %v: far out a deviation of %v, of the prior %v", given, got, want)
		}
	}
}

// A stream whose map was planned for its beginning is refused, with the numbers of rows; its sums count these rows, through batches, files and
// merges, and fit with Beyond, as the model then says. Ten rows outside are no error, nor is a hundredth.
func TestBeyondError(t *testing.T) {
	t.Parallel()
	const n = 2000
	s := featuremap.NewSampler(3)
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := 80 * float64(i) / n
		x.Set(i, 0, v)
		y.Set(i, 0, math.Sin(v)+0.1*s.Normal())
	}
	phi := planned(featuremap.Gaussian{LengthScale: 1}, mat.DenseCopyOf(x.Slice(0, n/10, 0, 1)), 60)
	_, err := Fit(phi, x, y, nil)
	var beyond *BeyondError
	if !errors.As(err, &beyond) || beyond.Of != n || !(beyond.Rows > n*8/10 && beyond.Rows < n*9/10) {
		t.Fatalf("%v", err)
	}
	whole, first, second := must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1)), must(NewAccumulator(phi, 1))
	add := func(a *Accumulator, lo, hi int) {
		if err := a.Add(x.Slice(lo, hi, 0, 1), y.Slice(lo, hi, 0, 1)); err != nil {
			t.Fatal(err)
		}
	}
	add(whole, 0, n)
	add(first, 0, 900)
	add(second, 900, 1000)
	add(second, 1000, n)
	var file bytes.Buffer
	if _, err := second.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadAccumulator(&file, phi)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Merge(read); err != nil {
		t.Fatal(err)
	}
	if whole.Beyond() != beyond.Rows || first.Beyond() != beyond.Rows || read.Beyond() != n-900 {
		t.Errorf("%d, %d and %d rows outside, want %d twice and %d", whole.Beyond(), first.Beyond(), read.Beyond(), beyond.Rows, n-900)
	}
	if _, err := first.Fit(nil); !errors.As(err, &beyond) {
		t.Errorf("of merged sums: %v", err)
	}
	m := must(first.Fit(&Options{Beyond: true}))
	if s := m.String(); !strings.Contains(s, "rows outside of the map's domain") {
		t.Errorf("%s", s)
	}
	for rows, refused := range map[int]bool{10: false, 11: true} {
		few := must(NewAccumulator(phi, 1))
		add(few, 0, 300)
		add(few, n-rows, n)
		if few.Beyond() > rows+100 {
			t.Fatal(few.Beyond())
		}
		inside := must(NewAccumulator(phi, 1))
		add(inside, 0, 200)
		add(inside, n-rows, n)
		if _, err := inside.Fit(nil); (err != nil) != refused || inside.Beyond() != rows {
			t.Errorf("%d of %d rows outside: %v", inside.Beyond(), inside.Rows(), err)
		}
	}
	if _, err := Fit(must(testkit.New(featuremap.Gaussian{LengthScale: 1}, 1, 200, s)), x, y, nil); err != nil {
		t.Errorf("of a map of New: %v", err)
	}
}
