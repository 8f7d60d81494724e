// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A fuzzCase is an expression and two points of R^in.
type fuzzCase struct {
	expression
	in   int
	x, y []float64
}

// caseOf reads a case from bytes.
func caseOf(b []byte, extremes bool) fuzzCase {
	n := kernelReader{numbersFrom{b}, extremes}
	c := fuzzCase{in: 1 + int(n.byte())%3}
	c.x, c.y = make([]float64, c.in), make([]float64, c.in)
	for i := range c.in {
		c.x[i] = number(&n.numbersFrom, fuzzPoints, extremes, 10)
		if c.y[i] = c.x[i]; n.byte()%4 != 0 {
			c.y[i] = number(&n.numbersFrom, fuzzPoints, extremes, 10)
		}
	}
	c.expression = n.expression(c.in, int(n.byte())%4)
	return c
}

// wide returns the points of the case.
func (c fuzzCase) wide() (x, y []wideFloat) {
	x, y = make([]wideFloat, c.in), make([]wideFloat, c.in)
	for i := range x {
		x[i], y[i] = widen(c.x[i]), widen(c.y[i])
	}
	return x, y
}

// want returns the value of the expression as it is written, and by how much rounding may change it. It is not ok where
// a value on the way is not of moderate size, or rounding leaves nothing.
func (c fuzzCase) want() (want, slack float64, ok bool) {
	x, y := c.wide()
	var exact reading
	want = c.at(&exact, x, y)
	ok = !exact.lost
	for _, slip := range []float64{1e-14, -1e-14} {
		r := reading{slip: slip}
		slack = max(slack, math.Abs(c.at(&r, x, y)-want))
		ok = ok && !r.lost
	}
	slack = 10*slack + 1e-11*math.Abs(want) + 1e-290
	return want, slack, ok && slack <= 1e-6*math.Abs(want)+1e-280
}

// checkValues compares the values of an expression, as kernels and as forms, with those of its text. It reports
// whether there was anything to compare.
func (c fuzzCase) checkValues(t *testing.T) bool {
	want, slack, ok := c.want()
	if !ok {
		return false
	}
	form, err := FormValue(c.Kernel, c.x, c.y)
	if err != nil {
		if !slices.ContainsFunc(fuzzRefusals, func(s string) bool { return strings.Contains(err.Error(), s) }) {
			t.Errorf("%v on R^%d is refused: %v", c.Kernel, c.in, err)
		}
		return false
	}
	var gram mat.Dense
	CrossGram(&gram, c.Kernel, mat.NewDense(1, c.in, c.x), mat.NewDense(1, c.in, c.y))
	values := map[string]float64{"Eval": c.Eval(c.x, c.y), "the form": form, "CrossGram": gram.At(0, 0)}
	var many mat.SymDense
	Gram(&many, c.Kernel, mat.NewDense(5, c.in, slices.Concat(c.x, c.y, c.x, c.y, c.x)))
	values["Gram"] = many.At(0, 1)
	if a, b := many.At(0, 2), many.At(0, 0); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
		t.Errorf("%v\nat %v twice: Gram is %v, and on its diagonal %v", c.Kernel, c.x, a, b)
	}
	if f := SeriesOf(c.Kernel); f != nil {
		values["Series"] = f.Eval(floats.Dot(c.x, c.y))
	}
	if k := stationary(c.Kernel); k != nil {
		values["the spectrum"] = k.Eval(c.x, c.y)
		if mass, slack, ok := (fuzzCase{c.expression, c.in, c.x, c.x}).want(); ok && !(math.Abs(k.Mass()-mass) <= slack) {
			t.Errorf("%v has the mass %v, and as written %v ± %.1g", c.Kernel, k.Mass(), mass, slack)
		}
	}
	for name, got := range values {
		if !(math.Abs(got-want) <= slack) {
			t.Errorf("%v\nat %v, %v: %s is %v, and as written it is %v ± %.1g", c.Kernel, c.x, c.y, name, got, want, slack)
		}
	}
	return true
}

// What may be refused in an expression whose parts are not.
var fuzzRefusals = []string{
	"must be finite",                  // a product of matrices, or a value of a composition
	"underflows",                      // a product of matrices
	"must be at most",                 // the degree of a composition, or a mass
	"below the radius of convergence", // of a composition, at the value at 0
}

// randomCases calls check with random cases, every other one of them with extremes if these are wanted.
func randomCases(n int, extremes bool, check func(c fuzzCase)) {
	s, b := NewSampler(1), make([]byte, 96)
	for i := range n {
		for j := range b {
			b[j] = byte(s.Uint64() >> 11)
		}
		check(caseOf(b, extremes && i%2 == 0))
	}
}

// Kernels have the values that their text says: an evaluator that reads expressions as they are written, and the one
// of canonical forms, at random expressions of everything there is.
func TestKernelExpressions(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("values have no goroutines of their own for the race detector to look at")
	}
	expressions := testkit.Times(1000, 1000, 60_000)
	compared := 0
	randomCases(expressions, true, func(c fuzzCase) {
		if !t.Failed() && c.checkValues(t) {
			compared++
		}
	})
	t.Logf("%d of %d expressions compared", compared, expressions)
	if compared < expressions/2 {
		t.Errorf("%d of %d expressions compared: too few", compared, expressions)
	}
}

// FuzzKernelExpressions compares the evaluators at expressions of bytes.
func FuzzKernelExpressions(f *testing.F) {
	f.Add([]byte("two factors behind matrices of zeros"), true)
	f.Fuzz(func(t *testing.T, b []byte, extremes bool) {
		if len(b) <= 1<<10 {
			caseOf(b, extremes).checkValues(t)
		}
	})
}

// checkMaps compares the estimates of a few maps that New makes of an expression with its value as written, by their
// exact variance. It reports whether there was anything to compare.
func (c fuzzCase) checkMaps(t *testing.T) bool {
	const maps, columns, deviations = 4, 24, 12
	want, slack, ok := c.want()
	if !ok || !c.maps || math.Abs(want) > 1e4 {
		return false
	}
	p, err := NewPlan(c.Kernel, nil, columns, &PlanOptions{In: c.in})
	if err != nil {
		return false
	}
	var mean, v float64
	for seed := range maps {
		m := testkit.Must(p.Draw(NewSampler(uint64(seed))))
		mean += floats.Dot(m.TransformVec(nil, c.x), m.TransformVec(nil, c.y)) / maps
		known, ok := m.(Variancer)
		if !ok {
			return false
		}
		v = known.Variance(c.x, c.y)
	}
	if !(v <= 1e8) {
		return false
	}
	if most := deviations*math.Sqrt(v/maps) + slack + 1e-7*(1+math.Abs(want)); !(math.Abs(mean-want) <= most) {
		t.Errorf("%v\nat %v, %v: %d maps estimate %v, and as written it is %v ± %.1g", c.Kernel, c.x, c.y, maps, mean, want, most)
	}
	return true
}

// Maps estimate what the text of their kernels says.
func TestKernelExpressionMaps(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	compared := 0
	expressions := testkit.Times(16, 16, 800)
	randomCases(expressions, false, func(c fuzzCase) {
		if c.checkMaps(t) {
			compared++
		}
	})
	t.Logf("%d of %d expressions compared", compared, expressions)
	if compared < expressions/4 {
		t.Errorf("%d of %d expressions compared: too few", compared, expressions)
	}
}
