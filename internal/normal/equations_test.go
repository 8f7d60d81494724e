// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// learnable returns rows of random features and of targets that depend on them, except for noise of some standard deviation.
func learnable(seed uint64, rows, features, targets int, noise float64) blas64.General {
	z := random(seed, rows, features+targets)
	for i := range rows {
		row := z.Data[i*z.Stride:][:z.Cols]
		for t := range targets {
			var sum float64
			for j, v := range row[:features] {
				sum += v * math.Cos(float64(3*j+t))
			}
			row[features+t] = 5 + sum + noise*row[features+t]
		}
	}
	return z
}

// A reference is a solution by gonum of dense normal equations.
type reference struct {
	weights                *mat.Dense // D×T
	intercept, noise       []float64
	evidence, condition    float64
	matrix                 *mat.SymDense // A
	mean, level, variances []float64
	limit, limitOfEvidence float64
}

// solveDense returns the reference for λ. Its limits are for the relative error of weights, and for the error of the
// log evidence. A Cholesky solution has an error of 3D roundings times the condition. Sums of n products have an error
// of n roundings, twice that because both sides do. σ² has the error of yᵀy, which counts f/2 times in the evidence.
func solveDense(t *testing.T, z blas64.General, targets int, lambda float64, intercept bool) *reference {
	t.Helper()
	n, d := z.Rows, z.Cols-targets
	all := mat.NewDense(n, z.Cols, slices.Clone(z.Data[:n*z.Cols]))
	r := &reference{level: make([]float64, targets), matrix: mat.NewSymDense(d, nil), weights: new(mat.Dense)}
	freedom := float64(n)
	for j := range z.Cols {
		mean, variance := stat.PopMeanVariance(mat.Col(nil, j, all), nil)
		if j >= d {
			r.variances = append(r.variances, variance)
		}
		if !intercept {
			continue
		}
		if j < d {
			r.mean = append(r.mean, mean)
		} else {
			r.level[j-d] = mean
		}
		for i := range n {
			all.Set(i, j, all.At(i, j)-mean)
		}
	}
	if intercept {
		freedom--
	}
	phi, y := all.Slice(0, n, 0, d), all.Slice(0, n, d, z.Cols)
	var b mat.Dense
	r.matrix.SymOuterK(1, phi.T())
	for i := range d {
		r.matrix.SetSym(i, i, r.matrix.At(i, i)+lambda)
	}
	b.Mul(phi.T(), y)
	var c mat.Cholesky
	if !c.Factorize(r.matrix) {
		t.Fatal("the reference has no factor")
	}
	if err := c.SolveTo(r.weights, &b); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			t.Fatal(err)
		}
	}
	r.condition = c.Cond()
	r.limit = 2 * (float64(n) + 3*float64(d)) * 0x1p-53 * r.condition
	rest := c.LogDet() - float64(d)*math.Log(lambda)
	if intercept {
		rest += math.Log(float64(n))
	}
	r.limitOfEvidence = float64(d) * r.limit * float64(targets)
	for k := range targets {
		w, y := r.weights.ColView(k), y.(*mat.Dense).ColView(k)
		var residual mat.VecDense // yᵀy − bᵀw = ‖y − Φw‖² + λ‖w‖², with fewer roundings
		residual.MulVec(phi, w)
		residual.SubVec(y, &residual)
		left := mat.Dot(&residual, &residual) + lambda*mat.Dot(w, w)
		r.noise = append(r.noise, left/freedom)
		r.evidence -= 0.5 * (freedom + freedom*math.Log(2*math.Pi*left/freedom) + rest)
		r.limitOfEvidence += freedom / 2 * r.limit * mat.Dot(y, y) / left
		level := r.level[k]
		for j, m := range r.mean {
			level -= m * w.AtVec(j)
		}
		r.intercept = append(r.intercept, level)
	}
	return r
}

// expectNear tells of numbers that differ by more than limit.
func expectNear(t *testing.T, name string, got, want, limit float64) {
	t.Helper()
	if !(math.Abs(got-want) <= limit) {
		t.Errorf("%s: %v, want %v to %.1e", name, got, want, limit)
	}
}

// distance returns ‖a − b‖/‖b‖.
func distance(a, b []float64) float64 {
	var sum, norm float64
	for i, v := range b {
		sum += (a[i] - v) * (a[i] - v)
		norm += v * v
	}
	return math.Sqrt(sum / norm)
}

// Equations have gonum's solutions of the whole systems: for more rows than features and for fewer, for several targets
// and for one, with an intercept and without, along the path.
func TestEquations(t *testing.T) {
	for _, c := range []struct{ n, features, targets int }{{300, 1, 1}, {300, 12, 1}, {500, 40, 3}, {20, 40, 2}, {2, 5, 1}, {60, 59, 1}} {
		for _, intercept := range []bool{true, false} {
			z := learnable(10, c.n, c.features, c.targets, 0.5)
			e := NewEquations(sumsOf(t, z, c.targets), intercept)
			if e.Rows != c.n || e.Features != c.features || (e.Mean != nil) != intercept || e.Validate() != nil {
				t.Fatalf("%+v: %d rows, %d features, mean %v, %v", c, e.Rows, e.Features, e.Mean, e.Validate())
			}
			for k, lambda := range e.Path() {
				name := fmt.Sprintf("%+v, intercept %v, λ = %.3g", c, intercept, lambda)
				want := solveDense(t, z, c.targets, lambda, intercept)
				s, err := e.Solve(lambda)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				expectNear(t, name+": of the path", lambda/e.Path()[0], math.Pow(10, float64(k)), 1e-12*math.Pow(10, float64(k)))
				if k == 0 {
					for j, v := range want.mean {
						expectNear(t, name+": mean", e.Mean[j], v, 8*float64(c.n)*0x1p-53)
					}
					for j, v := range want.level {
						expectNear(t, name+": level", e.Level[j], v, 100*float64(c.n)*0x1p-53)
						expectNear(t, name+": variance", e.Variances[j], want.variances[j], 1e-12*want.variances[j])
					}
					trace := mat.Trace(want.matrix) - float64(c.features)*lambda
					expectNear(t, name+": λ", lambda, 1e-6*trace/float64(c.features), 1e-12*lambda)
				}
				w, level := e.Weights(s)
				var scale float64
				for j := range c.targets {
					got, wantW := w.Data[j*w.Stride:][:w.Cols], mat.Col(nil, j, want.weights)
					if d := distance(got, wantW); !(d <= want.limit) {
						t.Errorf("%s: weights are off by %.1e, and may be by %.1e", name, d, want.limit)
					}
					scale = 4 * math.Sqrt(float64(c.features)) * mat.Norm(want.weights.ColView(j), 2)
					expectNear(t, name+": intercept", level[j], want.intercept[j], want.limit*scale+100*float64(c.n)*0x1p-53)
					squares := e.squares[j] / e.Freedom()
					expectNear(t, name+": noise", s.Noise[j], want.noise[j], want.limit*squares)
				}
				expectNear(t, name+": evidence", s.LogEvidence(nil), want.evidence, want.limitOfEvidence)
				for j, r := range e.Residuals(s, w) {
					weights := w.Data[j*w.Stride:][:w.Cols]
					var squares float64
					for i := range c.n {
						row := z.Data[i*z.Stride:][:z.Cols]
						d := row[c.features+j] - level[j]
						for l, v := range weights {
							d -= v * row[l]
						}
						squares += d * d
					}
					expectNear(t, name+": residuals", r*r, squares, 4*want.limit*e.squares[j]+1e-12*e.squares[j])
				}
				if k := s.Condition(); !(k <= want.condition*(1+want.limit)*(1+1e-9)) || k < want.condition/10 {
					t.Errorf("%s: condition %v, want %v at most", name, k, want.condition)
				}
				if s.Lambda != lambda || s.Factor.Dim() != c.features {
					t.Errorf("%s: a solution for %v", name, s.Lambda)
				}
			}
		}
	}
}

// With an intercept, adding constants to features and targets changes nothing: bits are the same where the addition is
// exact. The mean changes, and without an intercept everything does.
func TestShift(t *testing.T) {
	const features, targets = 6, 2
	z := random(11, 200, features+targets)
	far := z
	far.Data = slices.Clone(z.Data)
	for i := range far.Data {
		far.Data[i] += 0x1p20 * float64(1+i%far.Cols)
	}
	near, moved := NewEquations(sumsOf(t, z, targets), true), NewEquations(sumsOf(t, far, targets), true)
	a, err := near.Solve(0.5)
	b, err2 := moved.Solve(0.5)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	v, _ := near.Weights(a)
	w, _ := moved.Weights(b)
	if !slices.Equal(v.Data, w.Data) || a.LogEvidence(nil) != b.LogEvidence(nil) || !slices.Equal(a.Noise, b.Noise) || !slices.Equal(near.Variances, moved.Variances) {
		t.Error("the bits depend on what is added to all rows")
	}
	for j, m := range moved.Mean {
		expectNear(t, "mean", m-0x1p20*float64(1+j), near.Mean[j], 0x1p-30)
	}
	for j, m := range moved.Level {
		expectNear(t, "level", m-0x1p20*float64(1+features+j), near.Level[j], 0x1p-28)
	}
	other, err := NewEquations(sumsOf(t, z, targets), false).Solve(0.5)
	if err != nil || other.LogEvidence(nil) == a.LogEvidence(nil) {
		t.Error("an intercept makes no difference", err)
	}
}

// The order of solutions does not matter, nor what is solved in between: bits are equal, and Again restores a factor.
func TestSolutions(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	z := learnable(12, 250, 50, 2, 0.1)
	s := sumsOf(t, z, 2)
	want := make(map[float64]uint64)
	for procs := 1; procs <= 4; procs++ {
		runtime.GOMAXPROCS(procs)
		e := NewEquations(s, true)
		path := e.Path()
		if procs%2 == 0 {
			slices.Reverse(path)
		}
		var all []*Solution
		for solution, err := range e.Solutions(path) {
			if err != nil || solution.Lambda != path[len(all)] {
				t.Fatalf("%+v, %v", solution, err)
			}
			all = append(all, solution)
		}
		if len(all) != len(path) || len(path) != 13 {
			t.Fatalf("%d solutions", len(all))
		}
		if e.Again(all[12]) != all[12] {
			t.Error("the last solution is solved again")
		}
		for _, solution := range all {
			again := e.Again(solution)
			w, _ := e.Weights(again)
			sum := math.Float64bits(again.LogEvidence(nil))
			for _, v := range w.Data {
				sum = sum*31 + math.Float64bits(v)
			}
			if again.LogEvidence(nil) != solution.LogEvidence(nil) || want[again.Lambda] != 0 && want[again.Lambda] != sum {
				t.Errorf("%d goroutines, λ = %v: other bits", procs, again.Lambda)
			}
			want[again.Lambda] = sum
		}
	}
	if len(want) != 13 {
		t.Errorf("%d λ", len(want))
	}
	// After a break the loop is not called again.
	for range NewEquations(s, true).Solutions([]float64{1, 2, 3}) {
		break
	}
	for range NewEquations(s, true).Solutions(nil) {
		t.Error("a solution of no path")
	}
}

// The log evidence is the sum over targets with noise; if there are only others it is −Inf.
func TestLogEvidence(t *testing.T) {
	inf := math.Inf(-1)
	s := &Solution{Noise: []float64{1, 0, 2, 3}, Evidence: []float64{5, inf, -7, inf}}
	for _, c := range []struct {
		targets []int
		want    float64
	}{{[]int{0}, 5}, {[]int{0, 1, 2}, -2}, {[]int{2}, -7}, {[]int{1}, inf}, {[]int{}, inf}, {[]int{0, 3}, inf}, {nil, inf}} {
		if got := s.LogEvidence(c.targets); got != c.want {
			t.Errorf("%v: %v, want %v", c.targets, got, c.want)
		}
	}
}

// equationsOf returns the equations of rows of [features, targets].
func equationsOf(t *testing.T, intercept bool, targets int, rows ...[]float64) *Equations {
	t.Helper()
	z := blas64.General{Rows: len(rows), Cols: len(rows[0]), Stride: len(rows[0]), Data: slices.Concat(rows...)}
	return NewEquations(sumsOf(t, z, targets), intercept)
}

// Errors name features that depend on others if λ is 0 or too small; with several λ the error is for the largest one.
func TestFailures(t *testing.T) {
	above := math.Nextafter(0.1, 1) // no more than rounding
	almost := [][]float64{{1, 0.1, 3, 1}, {2, above, 1, 0}, {4, 0.1, 0, 1}, {-1, above, 5, 1}, {0, above, 2, 2}}
	constant := [][]float64{{1, 0.1, 3, 1}, {2, 0.1, 1, 0}, {4, 0.1, 0, 1}, {-1, 0.1, 5, 1}, {0, 0.1, 2, 2}}
	twice := [][]float64{{1, 1, 0, 1}, {2, 4, 0, -2}, {3, 9, 0, 5}, {5, 25, 1, 2}, {7, 49, 3, 0}}
	for i := range twice {
		twice[i][2] = twice[i][0] - 3*twice[i][1]
	}
	const after = ", to the precision of float64: λ must be positive"
	for _, c := range []struct {
		rows      [][]float64
		intercept bool
		want      string
	}{
		{constant, true, "λ = 0: feature 1 depends linearly on those before it and the intercept" + after},
		{constant, false, ""},
		{almost, true, "λ = 0: feature 1 depends linearly on those before it and the intercept" + after},
		{constant[:4], true, "λ = 0: feature 1 depends linearly on those before it and the intercept" + after},
		{twice, true, "λ = 0: feature 2 depends linearly on those before it and the intercept" + after},
		{twice, false, "λ = 0: feature 2 depends linearly on those before it" + after},
		{constant[:3], true, "λ = 0: 3 rows do not determine the weights of 3 features and the intercept: λ must be positive"},
		{twice[:2], false, "λ = 0: 2 rows do not determine the weights of 3 features: λ must be positive"},
	} {
		e := equationsOf(t, c.intercept, 1, c.rows...)
		s, err := e.Solve(0)
		if c.want == "" {
			if err != nil || !math.IsInf(s.LogEvidence(nil), -1) {
				t.Errorf("%+v, %v", s, err)
			}
			continue
		}
		if s != nil || err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
		// It does not affect what follows, and is skipped in a path.
		want, err := equationsOf(t, c.intercept, 1, c.rows...).Solve(2)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = e.Solve(2); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Solve(0); err == nil {
			t.Error("λ = 0 is solved the second time")
		}
		if again := e.Again(s); again == s || again.LogEvidence(nil) != want.LogEvidence(nil) {
			t.Errorf("after an error the factor is another: %+v, want %+v", again, want)
		}
		count := 0
		for s, err := range e.Solutions([]float64{0, 2, 0}) {
			if count++; err != nil || s.LogEvidence(nil) != want.LogEvidence(nil) {
				t.Errorf("%+v, %v", s, err)
			}
		}
		if count != 1 {
			t.Errorf("%d solutions", count)
		}
	}
	huge := equationsOf(t, true, 1, []float64{1e12, 1e12, 1}, []float64{-1e12, -1e12, -1})
	const want = "λ = 0.001 is too small for float64 compared with the squares of feature 1, whose sum is 2e+24: must be larger"
	for s, err := range huge.Solutions([]float64{0, 1e-3, 1e-9}) {
		if s != nil || err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Least squares through a line, by hand: slope 0, level ½, residuals ∓½ and their sum of squares 1 over 4 − 1.
func TestByHand(t *testing.T) {
	e := equationsOf(t, true, 1, []float64{0, 0}, []float64{1, 1}, []float64{2, 1}, []float64{3, 0})
	s, err := e.Solve(0)
	if err != nil {
		t.Fatal(err)
	}
	w, intercept := e.Weights(s)
	expectNear(t, "slope", w.Data[0], 0, 1e-15)
	expectNear(t, "intercept", intercept[0], 0.5, 1e-15)
	expectNear(t, "noise", s.Noise[0], 1./3, 1e-15)
	expectNear(t, "variance", e.Variances[0], 0.25, 0)
	expectNear(t, "condition", s.Condition(), 1, 1e-15)
	// A target that is constant has no noise and says nothing of λ; an exact fit has the noise of rounding.
	e = equationsOf(t, true, 2, []float64{0, 7, 1}, []float64{1, 7, 3}, []float64{2, 7, 5}, []float64{3, 7, 7})
	if s, err = e.Solve(1e-9); err != nil || s.Noise[0] != 0 || !(s.Noise[1] >= 0x1p-52*20/3) || !(s.Noise[1] < 1e-8) || math.IsInf(s.LogEvidence(nil), 0) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = e.Solve(0); err != nil || !(s.Noise[1] >= 0x1p-52*20/3) || !(s.Noise[1] < 1e-14) {
		t.Errorf("%+v, %v", s, err)
	}
	if e.Variances[0] != 0 || e.Variances[1] != 5 {
		t.Errorf("variances %v", e.Variances)
	}
	e = equationsOf(t, false, 1, []float64{0, 7}, []float64{1, 7})
	expectNear(t, "variance of a constant without an intercept", e.Variances[0], 49, 0)
	e = equationsOf(t, true, 1, []float64{0, 7}, []float64{1, 7})
	if s, err = e.Solve(1); err != nil || !math.IsInf(s.LogEvidence(nil), -1) {
		t.Errorf("%+v, %v", s, err)
	}
	// Without targets there is the factor alone: here of Σx² + λ = 9.
	e = equationsOf(t, false, 0, []float64{2}, []float64{1})
	if s, err = e.Solve(4); err != nil || s.Factor.At(0, 0) != 3 || len(s.Noise) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if w, intercept := e.Weights(s); w.Rows != 0 || len(intercept) != 0 {
		t.Errorf("weights %v, %v", w, intercept)
	}
}

// Features whose squares underflow are reported, unless they are constant or 0. The path for negligible features is the
// powers.
func TestUnderflow(t *testing.T) {
	rows := func(scale, add float64) [][]float64 {
		return [][]float64{{1*scale + add, 0, 1}, {3*scale + add, 0, 2}, {-2*scale + add, 0, 0}}
	}
	for _, c := range []struct {
		scale, add float64
		intercept  bool
		want       bool
	}{
		{1, 0, true, false}, {1e-140, 0, true, false}, {1e-140, 0, false, false}, {1e-170, 0, true, true}, {1e-170, 0, false, true},
		{0, 3, true, false}, {0, 3, false, false}, {0, 1e-170, false, true}, {0, 1e-170, true, false}, {0, 0, false, false},
	} {
		err := equationsOf(t, c.intercept, 1, rows(c.scale, c.add)...).Validate()
		if (err != nil) != c.want || err != nil && !strings.HasPrefix(err.Error(), "squares of all features underflow, such as of feature 0, whose mean is ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if path := equationsOf(t, true, 1, rows(0, 3)...).Path(); path[0] != 1e-6 || path[6] != 1 || path[12] != 1e6 {
		t.Errorf("path %v", path)
	}
}

// Bytes is the memory of the sums and of a block, and not much more.
func TestBytes(t *testing.T) {
	for _, c := range [][2]int{{30, 2}, {1000, 1}, {3000, 26}} {
		n := c[0] + c[1] + 1
		need := 8 * float64(n*(n+1)/2+n*tiled.BlockRows)
		if got := Bytes(c[0], c[1]); !(got >= need) || n > 500 && got > 2*need {
			t.Errorf("%d features and %d targets: %v bytes told, %v needed", c[0], c[1], got, need)
		}
	}
	if got := Bytes(math.MaxInt, math.MaxInt); !(got > 1e18) {
		t.Errorf("%v bytes", got)
	}
}

// Sums without products of two targets have the same equations, of whitened features too.
func TestApart(t *testing.T) {
	const rows, features, targets = 300, 20, 90
	z := random(3, rows, features+targets)
	whole, apart := New(features, targets), NewApart(features, targets)
	add(t, whole, z, 70, 30)
	add(t, apart, z, 70, 30)
	u := tiled.New(features)
	for i := range features {
		u.Set(i, i, 1+float64(i%3))
		if i > 0 {
			u.Set(i-1, i, 0.2)
		}
	}
	factor, bad := u.Factorize(1e-9)
	if bad >= 0 {
		t.Fatal(bad)
	}
	for _, intercept := range []bool{false, true} {
		for _, pair := range [][2]*Sums{{whole, apart}, {whole.Whitened(factor), apart.Whitened(factor)}} {
			want, err := NewEquations(pair[0], intercept).Solve(0.5)
			got, err2 := NewEquations(pair[1], intercept).Solve(0.5)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if !slices.Equal(want.Noise, got.Noise) || !slices.Equal(want.Evidence, got.Evidence) {
				t.Errorf("intercept %v: other solution", intercept)
			}
		}
	}
}
