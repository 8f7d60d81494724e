// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package lbfgs

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// run minimizes f from x until the gradient is below a tolerance, or the search is stuck, and returns the evaluations.
func run(s *Search, f func(x, gradient []float64) float64, tolerance float64, most int) (evaluations int) {
	gradient := make([]float64, len(s.Point()))
	for evaluations < most {
		evaluations++
		if state := s.Report(f(s.Point(), gradient), gradient); state == Stuck || floats.Norm(s.gradient, math.Inf(1)) < tolerance {
			break
		}
	}
	return evaluations
}

// The minima of well-known functions are found (Moré, Garbow and Hillstrom, Testing unconstrained optimization software, 1981,
// problems 1, 5 and 14 with their starting points, and the first with ten coordinates), all of them 0. The numbers of evaluations
// are limits that a search of this kind keeps with ease: Newton's method takes about 20.
func TestKnownMinima(t *testing.T) {
	rosenbrock := func(x, g []float64) (v float64) {
		for i := 0; i < len(x); i += 2 {
			a, b := 1-x[i], x[i+1]-x[i]*x[i]
			g[i], g[i+1] = -2*a-400*x[i]*b, 200*b
			v += a*a + 100*b*b
		}
		return v
	}
	beale := func(x, g []float64) (v float64) {
		g[0], g[1] = 0, 0
		for i, y := range []float64{1.5, 2.25, 2.625} {
			n := float64(i + 1)
			r := y - x[0]*(1-math.Pow(x[1], n))
			v += r * r
			g[0] -= 2 * r * (1 - math.Pow(x[1], n))
			g[1] += 2 * r * x[0] * n * math.Pow(x[1], n-1)
		}
		return v
	}
	wood := func(x, g []float64) float64 {
		a, b, c, d := x[1]-x[0]*x[0], 1-x[0], x[3]-x[2]*x[2], 1-x[2]
		e, f := x[1]+x[3]-2, x[1]-x[3]
		g[0], g[1] = -400*x[0]*a-2*b, 200*a+20*e+0.2*f
		g[2], g[3] = -360*x[2]*c-2*d, 180*c+20*e-0.2*f
		return 100*a*a + b*b + 90*c*c + d*d + 10*e*e + 0.1*f*f
	}
	for _, c := range []struct {
		name string
		f    func(x, g []float64) float64
		x    []float64
		most int
	}{
		{"Rosenbrock", rosenbrock, []float64{-1.2, 1}, 80},
		{"Rosenbrock of 10", rosenbrock, []float64{-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1}, 120},
		{"Beale", beale, []float64{1, 1}, 50},
		{"Wood", wood, []float64{-3, -1, -3, -1}, 200},
	} {
		s := New(c.x, 10)
		n := run(s, c.f, 1e-9, 1000)
		if !(s.Value() < 1e-15) || n > c.most {
			t.Errorf("%s: %v after %d evaluations", c.name, s.Value(), n)
		}
		if got := c.f(s.Best(), make([]float64, len(c.x))); got != s.Value() {
			t.Errorf("%s: value %v of a point whose value is %v", c.name, s.Value(), got)
		}
		t.Logf("%s: %d evaluations, %d steps", c.name, n, s.Steps())
	}
}

// A quadratic of condition 1000 is solved, and Best never gets worse.
func TestQuadratic(t *testing.T) {
	const n = 60
	f := func(x, gradient []float64) (v float64) {
		for i, w := range x {
			c := math.Pow(10, 3*float64(i)/(n-1))
			d := w - float64(i)
			v += 0.5 * c * d * d
			gradient[i] = c * d
		}
		return v
	}
	s := New(make([]float64, n), 10)
	gradient := make([]float64, n)
	last := math.Inf(1)
	for range 600 {
		state := s.Report(f(s.Point(), gradient), gradient)
		if s.Value() > last {
			t.Fatalf("the value grows from %v to %v", last, s.Value())
		}
		if last = s.Value(); state == Stuck {
			break
		}
	}
	for i, v := range s.Best() {
		if math.Abs(v-float64(i)) > 1e-5 {
			t.Errorf("coordinate %d = %v", i, v)
		}
	}
}

// Where a function is not finite, steps are shortened. If it is not finite at the first point, the
// search ends.
func TestNotFinite(t *testing.T) {
	log := func(x, gradient []float64) float64 { // minimal at 1, and no number for x ≤ 0
		gradient[0] = 1 - 1/x[0]
		return x[0] - math.Log(x[0])
	}
	s := New([]float64{30}, 5)
	run(s, log, 1e-9, 100)
	if math.Abs(s.Best()[0]-1) > 1e-8 {
		t.Errorf("minimum at %v", s.Best())
	}
	s = New([]float64{-1}, 5)
	if state := s.Report(math.NaN(), []float64{1}); state != Stuck || !math.IsNaN(s.Value()) || s.Best()[0] != -1 {
		t.Errorf("state %v, value %v at %v", state, s.Value(), s.Best())
	}
	for _, gradient := range []float64{math.NaN(), math.Inf(1)} {
		if state := New([]float64{1}, 5).Report(0, []float64{gradient}); state != Stuck {
			t.Errorf("a gradient of %v: state %v", gradient, state)
		}
	}
}

// At a minimum, on a plain, and where a function has no minimum, the search ends.
func TestEnds(t *testing.T) {
	if state := New([]float64{3}, 5).Report(7, []float64{0}); state != Stuck {
		t.Errorf("a gradient of 0: state %v", state)
	}
	for name, f := range map[string]func(x, g []float64) float64{
		"a wrong gradient": func(x, g []float64) float64 { g[0] = -1; return x[0] * x[0] },
		"a kink":           func(x, g []float64) float64 { g[0] = math.Copysign(1, x[0]); return math.Abs(x[0]) },
		"no minimum":       func(x, g []float64) float64 { g[0] = -1; return -x[0] },
		"rounding alone":   func(x, g []float64) float64 { g[0] = 2e-17 * x[0]; return 1 + 1e-17*x[0]*x[0] },
	} {
		s := New([]float64{1}, 3)
		if n := run(s, f, 0, 1_000_000); n >= 1_000_000 {
			t.Errorf("%s: no end", name)
		}
	}
}

// No step changes a coordinate by more than the limit, and the minimum is still found. If the function falls with the
// same slope everywhere, each step has the length of the limit; without a limit the search never finds a length where
// the slope has changed.
func TestLimit(t *testing.T) {
	const limit = 0.125
	s := New([]float64{-1.2, 1}, 5)
	s.Limit(limit)
	gradient, last := make([]float64, 2), []float64{-1.2, 1}
	for range 200 {
		x, y := s.Point()[0], s.Point()[1]
		gradient[0], gradient[1] = -2*(1-x)-400*x*(y-x*x), 200*(y-x*x)
		state := s.Report((1-x)*(1-x)+100*(y-x*x)*(y-x*x), gradient)
		for i, v := range s.Best() {
			if !(math.Abs(v-last[i]) <= limit*(1+1e-12)) {
				t.Fatalf("step %d: coordinate %d from %v to %v", s.Steps(), i, last[i], v)
			}
		}
		copy(last, s.Best())
		if state == Stuck || s.Value() < 1e-20 {
			break
		}
	}
	if !(s.Value() < 1e-20) {
		t.Errorf("Rosenbrock's function is %v at %v, after %d steps", s.Value(), s.Best(), s.Steps())
	}

	s = New([]float64{0, 0}, 5)
	s.Limit(2)
	for range 7 { // one evaluation at the beginning, and two a step
		s.Report(-3*s.Point()[0]-s.Point()[1], []float64{-3, -1})
	}
	if v := s.Best(); s.Steps() != 3 || math.Abs(v[0]-6) > 1e-12 {
		t.Errorf("%d steps to %v: want 3, each of which changes the first coordinate by 2", s.Steps(), v)
	}
}

// After Move the search continues from the new point, with the steps so far. For a quadratic of condition 1000, half of
// the coordinates are set to their solution on the way, and the minimum is found in as many evaluations as in
// TestQuadratic. Arguments of Move are not kept.
func TestMove(t *testing.T) {
	const n = 40
	f := func(x, gradient []float64) (v float64) {
		for i, w := range x {
			c := math.Pow(10, 3*float64(i)/(n-1))
			v += 0.5 * c * (w - 1) * (w - 1)
			gradient[i] = c * (w - 1)
		}
		return v
	}
	s, gradient := New(make([]float64, n), 10), make([]float64, n)
	run(s, f, 0, 20)
	x := slices.Clone(s.Best())
	for i := 0; i < n; i += 2 {
		x[i] = 1
	}
	before, value, steps := s.Value(), f(x, gradient), s.Steps()
	if state := s.Move(x, value, gradient); state != Step || s.Value() != value || !(value < before) || s.Steps() != steps || !slices.Equal(s.Best(), x) {
		t.Fatalf("state %v, value %v after %v, %d steps after %d", state, s.Value(), before, s.Steps(), steps)
	}
	x[0], gradient[0] = 99, 99
	if s.Best()[0] != 1 || s.gradient[0] != 0 {
		t.Error("what Move was given is kept")
	}
	if n := run(s, f, 1e-6, 600); n >= 600 || !(s.Value() < 1e-9) {
		t.Errorf("%d evaluations, to %v", n, s.Value())
	}
	if state := s.Move(make([]float64, n), 0, make([]float64, n)); state != Stuck {
		t.Errorf("a gradient of 0: state %v", state)
	}
}

// A search that begins again in its memory is one from zeros, whatever it remembered.
func TestRestart(t *testing.T) {
	scale := []float64{1, 30, 900, 4, 77}
	f := func(x, gradient []float64) (v float64) {
		for i, s := range scale {
			d := x[i] - float64(i)
			v += s*d*d + d*d*d*d
			gradient[i] = 2*s*d + 4*d*d*d
		}
		return v
	}
	again := New([]float64{3, -2, 9, 9, 9}, 3)
	run(again, f, 1e-9, 17)
	for _, most := range []int{3, 9, 30} {
		want := AtZeros(len(scale), 3)
		again.Restart()
		run(want, f, 1e-9, most)
		run(again, f, 1e-9, most)
		if !slices.Equal(want.Best(), again.Best()) || !slices.Equal(want.Point(), again.Point()) || want.Value() != again.Value() || want.Steps() != again.Steps() {
			t.Errorf("after %d evaluations at %v, want %v", most, again.Best(), want.Best())
		}
	}
}

// A search keeps none of the slices that it is given, and panics for a gradient of another length.
func TestCopies(t *testing.T) {
	x, gradient := []float64{2, 3}, []float64{4, 6}
	s := New(x, 2)
	s.Report(13, gradient)
	x[0], gradient[0] = 99, 99
	if !slices.Equal(s.Best(), []float64{2, 3}) || !slices.Equal(s.gradient, []float64{4, 6}) || s.Value() != 13 || s.Steps() != 0 {
		t.Errorf("%v, %v, %v, %d", s.Best(), s.gradient, s.Value(), s.Steps())
	}
	defer func() {
		if recover() == nil {
			t.Error("a gradient of another length is taken")
		}
	}()
	s.Report(1, []float64{1})
}

// The bits of two searches, which every architecture computes. The functions are rounded operation by operation.
//
//	go test ./internal/lbfgs -update
//
// rewrites the file, which is right only if bits are meant to change.
func TestGolden(t *testing.T) {
	rosenbrock := func(x, g []float64) float64 {
		a, b := 1-x[0], x[1]-float64(x[0]*x[0])
		g[0] = float64(-2*a) - float64(400*float64(x[0]*b))
		g[1] = 200 * b
		return float64(a*a) + float64(100*float64(b*b))
	}
	quartic := func(x, g []float64) (v float64) {
		for i, w := range x {
			d := w - float64(i)/4
			c := 1 + float64(i*i)
			square := float64(d * d)
			v += float64(c*square) + float64(square*square)
			g[i] = float64(2*float64(c*d)) + float64(4*float64(square*d))
		}
		return v
	}
	var b bytes.Buffer
	for name, c := range map[string]struct {
		f func(x, g []float64) float64
		x []float64
	}{"rosenbrock": {rosenbrock, []float64{-1.2, 1}}, "quartic": {quartic, make([]float64, 9)}} {
		_ = name
		s := New(c.x, 4)
		n := run(s, c.f, 1e-12, 200)
		fmt.Fprintf(&b, "%s: %d evaluations, %d steps, %x at %x\n", name, n, s.Steps(), s.Value(), s.Best())
	}
	lines := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	slices.SortFunc(lines, bytes.Compare)
	got := append(bytes.Join(lines, []byte("\n")), '\n')
	golden.Compare(t, "searches.golden", got)
}
