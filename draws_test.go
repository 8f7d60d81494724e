// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Degrees have probabilities aₙcⁿ/f(c): z-scores of the frequencies of the first ones, which are
// binomial, and of all beyond. 5 standard deviations: over the some 200 scores below a right
// drawer fails with a probability of 1e-4.
func TestDegreeDrawers(t *testing.T) {
	t.Parallel()
	draws := 200_000
	if testing.Short() {
		draws = 20_000
	}
	for i, c := range []struct {
		name string
		f    Series
		c    float64
	}{
		{"Coefficients", Coefficients{0.5, 0, 2, 1}, 1},
		{"Coefficients, c", Coefficients{0.5, 0, 2, 1}, 0.3},
		{"constant", Coefficients{2}, 5},
		{"gap", Coefficients(append(make([]float64, 300), 1)), 1},
		{"Exp", ExpDual(1), 1},
		{"Exp, large", ExpDual(40), 1.5},
		{"Geometric", Geometric{Ratio: 0.9}, 1},
		{"ReLU", ReLUDual{}, 1},
		{"ReLU, c", ReLUDual{}, 0.99},
		{"Step, c", StepDual{}, 0.7},
		{"Erf", ErfDual{}, 1},
		{"Sine", SineDual{Rate: 2}, 1},
		{"Cosine", CosineDual{Rate: 2}, 1},
		{"Hermite", HermiteDual{N: 7}, 1},
		{"Polynomial", BinomialSeries(9, 0.5, 2), 1},
		{"sum", SumSeries(ReLUDual{}, ScaledSeries(3, ExpDual(2))), 1},
		{"product", ProductSeries(ReLUDual{}, Coefficients{1, 2}), 1},
		{"composition", Compose(ExpDual(1), Dot(Coefficients{0.25, 0.5, 1})).(DotProduct).Series(), 1},
		{"caller's", callersSeries{ExpDual(1)}, 1},
		{"zero", Coefficients{3, 1}, 0},
	} {
		draw, err := NewDegreeDrawer(c.f, c.c)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		const cells = 12
		var counts [cells + 1]int
		s := NewSampler(uint64(i))
		for range draws {
			counts[min(draw(s), cells)]++
		}
		total, rest := c.f.Eval(c.c), 1.0
		for n := range counts {
			p := rest
			if n < cells {
				p = c.f.Coeff(n) * math.Pow(c.c, float64(n)) / total
				rest -= p
			}
			mean, dev := p*float64(draws), math.Sqrt(float64(draws)*max(p*(1-p), 0))
			if !(math.Abs(float64(counts[n])-mean) <= 5*dev+1e-6*float64(draws)) {
				t.Errorf("%s: degree %d drawn %d times of %d, want %.1f ± %.1f", c.name, n, counts[n], draws, mean, dev)
			}
		}
	}
}

// callersSeries is a series of another package.
type callersSeries struct{ f Exp }

func (s callersSeries) Eval(t float64) float64  { return s.f.Eval(t) }
func (s callersSeries) Deriv(t float64) float64 { return s.f.Deriv(t) }
func (s callersSeries) Coeff(n int) float64     { return s.f.Coeff(n) }
func (s callersSeries) Radius() float64         { return s.f.Radius() }

// The degrees of ReLUDual beyond the table, which are 3 of a million: the conditional
// probability of degrees beyond n is that of the coefficients. They are summed up to 2²⁰; what
// follows is √(2/π)/(3π)·n^{−3/2} up to O(1/n) of it, since aₙ → √(2/π)/π·n^{−5/2} for every other n.
func TestReLUTail(t *testing.T) {
	t.Parallel()
	const to = 1 << 20
	tails := make([]float64, to/2) // the sums from degrees 2i on
	sum := math.Sqrt(2/math.Pi) / (3 * math.Pi) * math.Pow(to-1, -1.5)
	for i := to/2 - 1; i >= ReLUTable/2; i-- {
		sum += ReLUDual{}.Coeff(2 * i)
		tails[i] = sum
	}
	const draws = 100_000
	bounds := []int{ReLUTable + 2, 1200, 2000, 5000, 20_000, 100_000}
	counts := make([]int, len(bounds))
	s, drawTail := NewSampler(1), ReLUTail()
	for range draws {
		n := drawTail(s)
		if n < ReLUTable || n%2 != 0 {
			t.Fatalf("degree %d from the tail of even degrees from %d on", n, ReLUTable)
		}
		for i, b := range bounds {
			if n >= b {
				counts[i]++
			}
		}
	}
	all := tails[ReLUTable/2]
	for i, b := range bounds {
		p := tails[b/2] / all
		mean, dev := draws*p, math.Sqrt(draws*p*(1-p))
		if !(math.Abs(float64(counts[i])-mean) <= 4*dev) {
			t.Errorf("degrees from %d on: %d of %d, want %.1f ± %.1f", b, counts[i], draws, mean, dev)
		}
	}
	// The share of the tail among all degrees.
	draw, err := NewDegreeDrawer(ReLUDual{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	beyond, n := 0, 2_000_000
	if testing.Short() {
		n = 200_000
	}
	for range n {
		if draw(s) >= ReLUTable {
			beyond++
		}
	}
	// A Poisson count, of mean 5 (or ½): more than 18 has a probability of 2e-6.
	if mean := float64(n) * all; beyond > 18 || mean > 4 && beyond == 0 {
		t.Errorf("%d of %d degrees beyond the table, want about %.1f", beyond, n, mean)
	}
}

func TestNewCompositionalErrors(t *testing.T) {
	circle := func(build func(sk *Skeleton, u Node)) *Skeleton {
		sk := NewSkeleton(1)
		build(sk, sk.Input(Circle{}, 0))
		return sk
	}
	boom := errors.New("boom")
	for _, c := range []struct {
		want  string
		sk    *Skeleton
		draws int
	}{
		{"skeleton sk = nil", nil, 1},
		{"draws = 0", circle(func(sk *Skeleton, u Node) {}), 0},
		{"draws = 2147483647: must be from 1 to 1073741823", circle(func(sk *Skeleton, u Node) {}), math.MaxInt32},
		{"Complexity of the skeleton = 1.2e+06", circle(func(sk *Skeleton, u Node) { sk.Unit(HermiteDual{N: 2}, sk.Unit(HermiteDual{N: 600_000}, u)) }), 1},
		{"node 1, Unit: HermiteDual N = 1073741824: must be from 0 to 1048576", circle(func(sk *Skeleton, u Node) { sk.Unit(HermiteDual{N: 1 << 30}, u) }), 1},
		{"node 1, Unit: the coefficients of", circle(func(sk *Skeleton, u Node) { sk.Unit(losingSeries{}, u) }), 1},
		{"node 1, Input: a linear form was drawn", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(Project(mat.NewDense(2, 1, []float64{math.MaxFloat64, math.MaxFloat64}), Linear{})))
		}), 64},
		{"draws = -5", circle(func(sk *Skeleton, u Node) {}), -5},
		{"node 1, Unit: f′(1) = +Inf for StepDual", circle(func(sk *Skeleton, u Node) { sk.Unit(StepDual{}, u) }), 1},
		{"node 2, Unit: f(1) = +Inf for Geometric{Ratio: 1}", circle(func(sk *Skeleton, u Node) {
			sk.Unit(ReLUDual{}, sk.Unit(Geometric{Ratio: 1}, sk.Unit(ReLUDual{}, u)))
		}), 1},
		{"node 2, Unit: f(2) = +Inf", circle(func(sk *Skeleton, u Node) {
			sk.Unit(ReLUDual{}, sk.Input(Constant{Value: 2}))
		}), 1},
		{"Complexity of the skeleton = 1.6777216e+07", circle(func(sk *Skeleton, u Node) {
			for range 24 {
				u = sk.Product(u, u)
			}
		}), 1},
		{"node 1, Input: BlackBox Draw: boom", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(BlackBox{Of: Linear{}, Draw: DrawFunc(func(*Sampler) (func([]float64) float64, error) { return nil, boom })}))
		}), 1},
		{"no function", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(BlackBox{Of: Linear{}, Draw: DrawFunc(func(*Sampler) (func([]float64) float64, error) { return nil, nil })}))
		}), 1},
		{"node 1, Input: featuremap_test.wildKernel{Gaussian: Gaussian{LengthScale: 1}} drew a frequency", circle(func(sk *Skeleton, u Node) { sk.Product(u, sk.Input(wildKernel{Gaussian{LengthScale: 1}})) }), 1},
	} {
		s := NewSampler(1)
		m, err := NewCompositional(c.sk, c.draws, s, nil)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("%v, want %q", err, c.want)
		}
		if strings.HasSuffix(c.want, "boom") && !errors.Is(err, boom) {
			t.Errorf("%v does not wrap the error of Draw", err)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
	if _, err := NewCompositional(circle(func(*Skeleton, Node) {}), 1, nil, nil); err == nil {
		t.Error("a nil sampler was not refused")
	}
	// The step dual has a kernel, and features behind a mass below 1.
	sk := circle(func(sk *Skeleton, u Node) { sk.Unit(StepDual{}, u) })
	if k := kernelOf(t, sk); !(math.Abs(k.Eval([]float64{0}, []float64{1})-(1-1/math.Pi)) <= 1e-12) {
		t.Errorf("the step dual's kernel = %v", k.Eval([]float64{0}, []float64{1}))
	}
}

// losingSeries is Σ n^{−3/2}/10 from n = 1 on, of which a table loses a part.
type losingSeries struct{ ReLUDual }

func (losingSeries) Eval(t float64) float64  { return 0.2612375348685488 } // ζ(3/2)/10
func (losingSeries) Deriv(t float64) float64 { return 1 }

func (losingSeries) Coeff(n int) float64 {
	if n < 1 {
		return 0
	}
	return 0.1 / (float64(n) * math.Sqrt(float64(n)))
}

// wildKernel has no finite frequency.
type wildKernel struct{ Gaussian }

func (wildKernel) Frequency(dst []float64, s *Sampler) { dst[0] = math.Inf(1) }

// What is drawn, and which columns it has.
func TestCompositionalColumns(t *testing.T) {
	sk := NewSkeleton(4)
	in := each(sk, Circle{}, 3)
	sk.Unit(Coefficients{0.3, 0.2, 0.5}, append(in, sk.Input(Categories{N: 2}, 3))...)
	m, err := NewCompositional(sk, 5000, NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Monomials up to conjugation: 1 and x₃ are real; z₀, z₁, z₂; zᵢ²; zᵢzⱼ and zᵢz̄ⱼ, i < j;
	// zᵢx₃. (zz̄ and x₃² are 1.)
	in0, out := m.Dims()
	if m.Distinct() != 2+3+3+6+3 || in0 != 4 || out != 2*m.Distinct()-2 || m.Draws() != 5000 {
		t.Errorf("%d distinct features and %d columns of %d draws, want 17, 32 and 5000", m.Distinct(), out, m.Draws())
	}
	x := []float64{1, 2, 3, 1}
	z := m.TransformVec(nil, x)
	supports := make(map[string]int)
	for i := range out {
		cols := m.Support(i)
		if !slices.IsSorted(cols) {
			t.Errorf("column %d reads %v", i, cols)
		}
		supports[fmt.Sprint(cols)]++
		moved := slices.Clone(x)
		for c := range x {
			moved[c] += 0.37
			changed := m.TransformVec(nil, moved)[i] != z[i]
			moved[c] = x[c]
			if changed != slices.Contains(cols, c) {
				t.Errorf("column %d depends on coordinate %d: %v, Support says %v", i, c, changed, cols)
			}
		}
	}
	want := map[string]int{"[]": 1, "[3]": 1, "[0]": 4, "[1]": 4, "[2]": 4,
		"[0 1]": 4, "[0 2]": 4, "[1 2]": 4, "[0 3]": 2, "[1 3]": 2, "[2 3]": 2}
	if fmt.Sprint(supports) != fmt.Sprint(want) {
		t.Errorf("columns by what they read: %v, want %v", supports, want)
	}
	// Re and Im of a phase have its weight together: √(count/draws).
	for i := range 15 {
		size, want := math.Hypot(z[i], z[i+m.Distinct()]), math.Sqrt(float64(m.Count(i))/5000)
		if !(math.Abs(size-want) <= 1e-15) || m.Count(i) != m.Count(i+m.Distinct()) {
			t.Errorf("feature %d, of %d draws, has size %v, want %v", i, m.Count(i), size, want)
		}
	}
	for _, i := range []int{-1, out} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrColAccess {
					t.Errorf("Count(%d): panic %v, want ErrColAccess", i, r)
				}
			}()
			m.Count(i)
		}()
	}
}

// A constant has one column and a random phase does not change that.
func TestCompositionalConstant(t *testing.T) {
	for _, phase := range []bool{false, true} {
		sk := NewSkeleton(2)
		sk.Unit(Coefficients{3}, each(sk, Circle{}, 2)...)
		m, err := NewCompositional(sk, 1000, NewSampler(1), &CompositionalOptions{RandomPhase: phase})
		if err != nil {
			t.Fatal(err)
		}
		z := m.TransformVec(nil, []float64{1, 2})
		if len(z) != 1 {
			t.Fatalf("a constant has %d columns", len(z))
		}
		// With a random phase, the mean of 1000 values 2cos²b of variance ½ times 3.
		if limit := 3 * 5 * math.Sqrt(0.5/1000); phase && !(math.Abs(z[0]*z[0]-3) <= limit) || !phase && !(math.Abs(z[0]*z[0]-3) <= 1e-14) {
			t.Errorf("phase %v: the constant's feature is %v, want √3", phase, z[0])
		}
	}
}

// Neither a deep graph nor many children need a deep stack.
func TestCompositionalDeep(t *testing.T) {
	t.Parallel()
	sk := NewSkeleton(1)
	u := sk.Input(Circle{}, 0)
	for range 100_000 {
		u = sk.Unit(IdentityDual{}, u)
	}
	sk.Unit(HermiteDual{N: 3}, u, u)
	m, err := NewCompositional(sk, 3, NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{0.4}, []float64{1.5}
	if got, want := m.Kernel().Eval(x, y), math.Pow(math.Cos(1.1), 3); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("k = %v, want %v", got, want)
	}
}

// High powers of one coordinate are one factor, and right.
func TestCompositionalPowers(t *testing.T) {
	const n = 1000
	sk := NewSkeleton(2)
	sk.Unit(HermiteDual{N: n}, sk.Input(Linear{}, 1))
	m, err := NewCompositional(sk, 7, NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{9, -0.999}, []float64{3, 1.001}
	got := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
	if want := math.Pow(0.999*1.001, n); !(math.Abs(got-want) <= 1e-12) || m.Distinct() != 1 {
		t.Errorf("%d features with the product %v, want 1 with %v", m.Distinct(), got, want)
	}
	if got := m.Variance(x, y); !(got <= 1e-12) {
		t.Errorf("Variance = %v of what is not random", got)
	}
}

// The laws with long tails, with a table up to k = 3, so that every tenth draw and more is from
// the tail: z-scores as those of TestDegreeDrawers, at c = 1 and where cⁿ thins the tail out.
func TestTailDegrees(t *testing.T) {
	const draws = 100_000
	for _, c := range []struct {
		f Series
		c float64
	}{{ReLUDual{}, 1}, {ReLUDual{}, 0.9}, {StepDual{}, 0.99}, {StepDual{}, 0.8}} {
		draw := TailDegrees(c.f, c.c, 3)
		s := NewSampler(3)
		counts := make(map[int]int)
		for range draws {
			counts[draw(s)]++
		}
		value, rest := c.f.Eval(c.c), 1.0
		for n := range 60 {
			p := c.f.Coeff(n) * math.Pow(c.c, float64(n)) / value
			rest -= p
			if mean, dev := draws*p, math.Sqrt(draws*p*(1-p)); !(math.Abs(float64(counts[n])-mean) <= 5*dev) {
				t.Errorf("%T at %v: degree %d drawn %d times, want %.1f ± %.1f", c.f, c.c, n, counts[n], mean, dev)
			}
			delete(counts, n)
		}
		beyond := 0
		for _, n := range counts {
			beyond += n
		}
		if mean, dev := draws*rest, math.Sqrt(draws*rest*(1-rest)); !(math.Abs(float64(beyond)-mean) <= 5*dev) {
			t.Errorf("%T at %v: %d degrees from 60 on, want %.1f ± %.1f", c.f, c.c, beyond, mean, dev)
		}
	}
}

func TestGoldenCompositional(t *testing.T) {
	var b bytes.Buffer
	for _, c := range skeletonCases() {
		for _, phase := range []bool{false, true} {
			d := c.dims[len(c.dims)-1]
			sk := NewSkeleton(d)
			c.build(sk)
			m, err := NewCompositional(sk, 300, NewSampler(5), &CompositionalOptions{RandomPhase: phase})
			if err != nil {
				t.Fatal(err)
			}
			if c.box {
				continue // the functions of the test are made with package math
			}
			x := make([]float64, d) // bits do not ask whether it is in the space
			for i := range x {
				x[i] = float64(i%5)*0.375 - 0.5
			}
			z := m.TransformVec(nil, x)
			fmt.Fprintf(&b, "%s, phase %v: %d %x %016x\n", c.name, phase, m.Distinct(), z[:min(4, len(z))], foldBits(z))
		}
	}
	golden(t, "compositional.golden", b.Bytes())
}
