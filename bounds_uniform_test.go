// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// testComposition is the example of CompositionalBound in docs/theory/bounds.md: exp(K/4), K a Gaussian kernel by
// features √2·cos(ωx + b), with E sup|∇W| ≤ √2·E|ω| = 2/√π.
var testComposition = CompositionalBound{
	Series: series.Exp{Rate: 0.25}, In: 1, Radius: 1,
	FeatureMax: math.Sqrt2, FeatureGradient: 2 / math.Sqrt(math.Pi),
	KernelMax: 1, KernelGradient: math.Exp(-0.5),
}

// Sigma of kernels against samples of frequencies, and gradients against difference quotients.
func TestSlopes(t *testing.T) {
	t.Parallel()
	s := NewSampler(1)
	kernels := map[string]Kernel{
		"Gaussian":          Gaussian{LengthScale: 0.7},
		"pointer":           &Gaussian{LengthScale: 0.7},
		"Matern5/2":         Matern{Nu: 2.5, LengthScale: 1.3},
		"Matern9/2 pointer": &Matern{Nu: 4.5, LengthScale: 1.3},
		"RationalQuadratic": RationalQuadratic{Alpha: 1.5, LengthScale: 2},
		"Cauchy":            Cauchy{LengthScale: 0.4},
		"ARD":               ARD([]float64{0.5, 2, 3}, Gaussian{LengthScale: 1}),
		"Project":           Project(testkit.Narrow, RationalQuadratic{Alpha: 2, LengthScale: 0.8}),
	}
	for name, k := range kernels {
		mass, sigma, gradient, err := Slopes(k, 3)
		if err != nil {
			t.Fatal(err)
		}
		const draws = 20_000
		w, of := make([]float64, 3), stationary(k)
		var mean, fourth float64
		for range draws {
			of.Frequency(w, s)
			v := testkit.DotOf(w, w)
			mean += v / draws
			fourth += v * v / draws
		}
		if z := (mean - sigma*sigma) / math.Sqrt((fourth-mean*mean)/draws); !(math.Abs(z) <= 5) || mass != 1 {
			t.Errorf("%s: E‖ω‖² = %v, measured %v, z = %.1f", name, sigma*sigma, mean, z)
		}
		// Along random directions. With a matrix in front also along its steepest direction.
		steepest := 0.0
		for i := range 60 {
			u := []float64{s.Normal(), s.Normal(), s.Normal()}
			switch {
			case name == "ARD" && i == 0:
				u = []float64{1, 0, 0}
			case name == "Project" && i == 0:
				u = []float64{1, 2, -1} // nearly
			}
			norm := math.Sqrt(testkit.DotOf(u, u))
			for j := range u {
				u[j] /= norm
			}
			const h = 1e-5
			for r := 0.01; r < 5; r *= 1.05 {
				at := func(r float64) float64 { return k.Eval([]float64{r * u[0], r * u[1], r * u[2]}, make([]float64, 3)) }
				steepest = max(steepest, math.Abs(at(r+h)-at(r-h))/(2*h))
			}
		}
		exact := name == "Gaussian" || name == "pointer" || name == "ARD"
		if !(steepest <= gradient*(1+1e-6)) || exact && !(steepest >= 0.999*gradient) || !(steepest > 0.3*gradient) {
			t.Errorf("%s: gradient up to %v, measured %v", name, gradient, steepest)
		}
	}
	type own struct{ Gaussian } // might be another kernel
	for want, b := range map[string]FourierBound{
		"own{Gaussian: Gaussian{LengthScale: 1}} is not known": {Kernel: own{Gaussian{1}}, In: 2, Diameter: 1},
		"Sigma = 0":             {Kernel: Constant{Value: 3}, In: 2, Diameter: 1},
		"Sigma = +Inf":          {Kernel: Laplacian{LengthScale: 1}, In: 2, Diameter: 1},
		"Sigma = +Inf: must":    {Kernel: Matern{Nu: 1, LengthScale: 1}, In: 2, Diameter: 1},
		"In = 0":                {Kernel: Gaussian{1}, Diameter: 1},
		"LengthScale = -1":      {Kernel: Gaussian{-1}, In: 2},
		"kernel k = nil":        {},
		"ARD has 1 columns":     {Kernel: ARD([]float64{1}, Gaussian{1}), In: 2},
		"not stationary":        {Kernel: ExpDot{LengthScale: 1}, In: 2},
		"lengthScales[0] = NaN": {Kernel: ARD([]float64{math.NaN()}, Gaussian{1}), In: 1},
	} {
		if tail, err := b.Tail(); tail != nil || err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	// A caller's kernel has a bound of one value, and with Sigma of a set: Gradient is then Sigma, if the kernel is radial over √d.
	caller := FourierBound{Kernel: own{Gaussian{1}}, In: 4, Diameter: 2, Sigma: 2}
	for _, c := range []struct {
		k        Kernel
		gradient float64
	}{{own{Gaussian{1}}, 1}, {Product(Laplacian{LengthScale: 1}, own{Gaussian{1}}), 2}} {
		b := caller
		b.Kernel = c.k
		given := b
		given.Gradient = c.gradient
		if p, q := testkit.Must(b.Tail()).Prob(0.3, 40_000), testkit.Must(given.Tail()).Prob(0.3, 40_000); p != q || p == 1 {
			t.Errorf("%v: %v, with its gradient %v", c.k, p, q)
		}
	}
	if p, q := testkit.Must(FourierBound{Kernel: own{Gaussian{1}}}.Tail()).Prob(0.1, 2000), testkit.Must(FourierBound{Kernel: Gaussian{1}}.Tail()).Prob(0.1, 2000); p != q || p == 1 {
		t.Errorf("one value: %v, of the package %v", p, q)
	}
}

// The bounds by nets, against the least over the nets' radii, found by search: in the form of
// the papers, pointwise bound at the net's points plus Markov's inequality.
func TestUniformBoundsByNets(t *testing.T) {
	least := func(value func(r float64) float64) float64 {
		best := math.Inf(1)
		for r := 1e-6; r < 100; r *= 1.001 {
			best = min(best, value(r))
		}
		return best
	}
	const diameter, sigma, g = 2.5, 1.7, 0.4
	bound := func(mass float64, d int, diameter float64, phase bool) *TailBound {
		k := Scale(mass, Gaussian{LengthScale: 1})
		return testkit.Must(FourierBound{Kernel: k, In: d, Diameter: diameter, RandomPhase: phase, Sigma: sigma, Gradient: g}.Tail())
	}
	for d := 1; d <= 4; d++ {
		dim, eps := float64(d), 0.2
		// As many features as leave a probability of some percent.
		pairsN, phaseN, composedN := 5000+5000*dim, 20_000+20_000*dim, 10_000*(2*dim+1)
		pairs := least(func(r float64) float64 {
			return 2*math.Pow(4*diameter/r, dim)*math.Exp(-pairsN/2*math.Pow(eps/2, 2)/2) + math.Pow(2*r*(sigma+g)/eps, 2)
		})
		phase := least(func(r float64) float64 {
			return 2*math.Pow(4*diameter/r, 2*dim)*math.Exp(-phaseN*math.Pow(eps/2, 2)/8) + math.Pow(2*r*(2*sigma+math.Sqrt2*g)/eps, 2)
		})
		c := testComposition
		c.In, c.Radius = d, diameter
		var c1 float64
		for deg, a := 0, 1.0; deg < 20; deg++ {
			c1 = max(c1, a*2*math.Pow(2*2, float64(deg))) // qₙ = 2^{−n−1}, C_W = 2
			a *= 0.25 / float64(deg+1)
		}
		l1 := c.KernelGradient*0.25*math.Exp(0.25) + math.Sqrt2*c.FeatureGradient*0.25*math.Exp(0.5)
		composed := least(func(r float64) float64 {
			return 2*math.Pow(4*diameter/r, 2*dim)*math.Exp(-composedN*math.Pow(eps/2, 2)/(2*c1*c1)) + 4*r*l1/eps
		})
		for _, v := range []struct {
			name  string
			bound *TailBound
			n     float64
			want  float64
		}{
			{"pairs", bound(1, d, diameter, false), pairsN, pairs},
			{"phase", bound(1, d, diameter, true), phaseN, phase},
			{"composition", testkit.Must(c.Tail()), composedN, composed},
		} {
			if p := v.bound.Prob(eps, int(v.n)); !(p <= v.want*(1+1e-9)) || !(p >= v.want*(1-1e-5)) || !(p < 0.1) {
				t.Errorf("%s, d = %d: %v, by search %v", v.name, d, p, v.want)
			}
		}
	}
	// Ten times the mass and the error is the same.
	a, b := bound(1, 2, 1, false), bound(10, 2, 1, false)
	if p, q := a.Prob(0.1, 20_000), b.Prob(1, 20_000); !testkit.Close15(p, q) || p == 1 {
		t.Errorf("mass 1: %v, mass 10: %v", p, q)
	}
	// So of the sharper bound for Gaussians, which is the same behind an ARD that makes the set and the length smaller alike.
	sharp := func(k Kernel, diameter float64) *TailBound {
		return testkit.Must(FourierBound{Kernel: k, In: 2, Diameter: diameter}.Tail())
	}
	if p, q, r := sharp(Gaussian{2}, 6).Prob(0.1, 30_000), sharp(Scale(10, Gaussian{1}), 3).Prob(1, 30_000),
		sharp(ARD([]float64{4, 4}, Gaussian{1}), 12).Prob(0.1, 30_000); !testkit.Close15(p, q) || !testkit.Close15(p, r) || p == 1 {
		t.Errorf("Gaussian: %v, of mass 10: %v, behind an ARD: %v", p, q, r)
	}
	// A Project has the bound of its images: here of a line, on which the set is twice as long.
	line := testkit.Must(FourierBound{Kernel: Project(mat.NewDense(1, 3, []float64{0, 2, 0}), Gaussian{1}), In: 3, Diameter: 3}.Tail())
	if p, q := line.Prob(0.1, 20_000), testkit.Must(FourierBound{Kernel: Gaussian{1}, In: 1, Diameter: 6}.Tail()).Prob(0.1, 20_000); !testkit.Close15(p, q) || p == 1 {
		t.Errorf("Gaussian of a line: %v, behind a Project %v", q, p)
	}
	// The published form, with 66 and the square, is above.
	for d := 1; d < 100; d *= 3 {
		b := bound(1, d, 1, false)
		for _, eps := range []float64{2, 0.5, 0.01} {
			n := testkit.Must(b.Features(eps, 0.5))
			published := 66 * math.Pow((sigma+g)/eps, 2) * math.Exp(-float64(n)*eps*eps/(8*float64(d+2)))
			if p := b.Prob(eps, n); !(p <= published) || d > 80 && eps == 2 && !(p > 0.8*published) {
				t.Errorf("d = %d, ε = %v: %v, with 66 %v", d, eps, p, published)
			}
		}
	}
}

// supError returns the largest error of a map over all pairs of the rows of x.
func supError(m FeatureMap, x, k mat.Matrix) float64 {
	var phi, diff mat.Dense
	m.TransformTo(&phi, x)
	diff.Mul(&phi, phi.T())
	diff.Sub(&diff, k)
	return max(mat.Max(&diff), -mat.Min(&diff))
}

// column returns n points from lo to hi.
func column(n int, lo, hi float64) *mat.Dense {
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, lo+(hi-lo)*float64(i)/float64(n-1))
	}
	return x
}

// The tables of the uniform bounds: numbers of features by the bounds, and by simulation of
// errors on a grid: with n features and a quantile e of their suprema, n·(e/ε)² will do. Few
// maps know the quantile to about 10 %.
func TestUniformBounds(t *testing.T) {
	t.Parallel()
	gaussian := Gaussian{LengthScale: 1}
	uniform := func(d int, phase bool) *TailBound {
		return testkit.Must(FourierBound{Kernel: gaussian, In: d, Diameter: 6, RandomPhase: phase,
			Sigma: math.Sqrt(float64(d)), Gradient: math.Exp(-0.5)}.Tail())
	}
	phase := &FourierOptions{RandomPhase: true}
	for d, want := range map[int][3]int{1: {24_326, 18_060, 82_360}, 2: {40_072, 28_352, 148_262}, 10: {169_654, 117_624, 696_350}} {
		got := [3]int{
			testkit.Must(uniform(d, false).Features(0.1, 0.01)),
			testkit.Must(testkit.Must(FourierBound{Kernel: gaussian, In: d, Diameter: 6}.Tail()).Features(0.1, 0.01)),
			testkit.Must(uniform(d, true).Features(0.1, 0.01)),
		}
		if got != want {
			t.Errorf("d = %d: %v features, in the table %v", d, got, want)
		}
	}
	for d, want := range map[int]int{1: 8641, 2: 16_406} {
		if got := testkit.Must(testkit.Must(MaclaurinBound{Kernel: ExpDot{LengthScale: 1}, In: d, Radius: 1}.Tail()).Features(0.5, 0.1)); got != want {
			t.Errorf("exp, d = %d: %d features, in the table %d", d, got, want)
		}
	}
	if got := testkit.Must(testkit.Must(testComposition.Tail()).Features(0.5, 0.1)); got != 2064 {
		t.Errorf("composition: %d features, in the text 2064", got)
	}
	for _, c := range []struct {
		name        string
		lo, hi      float64
		k           Kernel
		n, maps     int
		eps, p      float64
		want, bound float64
		draw        func(n int, s *Sampler) (FeatureMap, error)
	}{
		{"pairs", 0, 6, gaussian, 400, 400, 0.1, 0.99, 1097, 18_060,
			func(n int, s *Sampler) (FeatureMap, error) { return NewFourier(gaussian, 1, n, s, nil) }},
		{"phase", 0, 6, gaussian, 400, 400, 0.1, 0.99, 1253, 82_360,
			func(n int, s *Sampler) (FeatureMap, error) { return NewFourier(gaussian, 1, n, s, phase) }},
		{"products", -1, 1, ExpDot{LengthScale: 1}, 200, 400, 0.5, 0.9, 97, 8641,
			func(n int, s *Sampler) (FeatureMap, error) {
				return NewMaclaurin(ExpDot{LengthScale: 1}, 1, n, s, nil)
			}},
	} {
		if !testkit.Long() {
			c.maps /= 4
		}
		x := column(41, c.lo, c.hi)
		var k mat.Dense
		CrossGram(&k, c.k, x, x)
		sup := make([]float64, c.maps)
		for seed := range sup {
			sup[seed] = supError(testkit.Must(c.draw(c.n, NewSampler(uint64(seed)))), x, &k)
		}
		need := float64(c.n) * math.Pow(quantile(sup, c.p)/c.eps, 2)
		if !(need <= c.bound) || !(math.Abs(math.Log(need/c.want)) < 0.35) {
			t.Errorf("%s: measured %.0f features, in the table %.0f; the bound has %v", c.name, need, c.want, c.bound)
		}
	}
}

// Rahimi and Recht, and Sutherland and Schneider, bound the mean square of the error's largest
// gradient by σ²: it is above, and below the (σ + g)² of FourierBound.
func TestGradientOfError(t *testing.T) {
	const frequencies = 1
	maps := testkit.Times(1000, 1000, 2000)
	s := NewSampler(4)
	var mean float64
	for range maps {
		w := s.Normal()
		var sup float64
		for r := 0.0; r < 20; r += 0.02 {
			sup = max(sup, math.Abs(-w*math.Sin(w*r)+r*math.Exp(-r*r/2)))
		}
		mean += sup * sup / float64(maps)
	}
	_, sigma, gradient, err := Slopes(Gaussian{LengthScale: 1}, 1)
	if err != nil || !(mean > 1.1*sigma*sigma) || !(mean < math.Pow(sigma+gradient, 2)) {
		t.Errorf("mean square of the largest gradient %v with %d frequency, σ = %v, g = %v, error %v", mean, frequencies, sigma, gradient, err)
	}
}

// C of MaclaurinBound is reached by some draw, and exceeded by none, at the corners of the ℓ1
// ball; and L of that of a set is above all difference quotients.
func TestMaclaurinBoundConstants(t *testing.T) {
	for name, c := range map[string]struct {
		k      DotProduct
		law    series.GeometricLaw
		radius float64
		want   float64
	}{
		"exp":       {ExpDot{LengthScale: 1}, series.GeometricLaw{}, 1, 4},                                                 // 2·2ⁿ/n! at n = 1
		"exp, wide": {ExpDot{LengthScale: 1}, series.GeometricLaw{P: 3}, 1.4, 1.5 * math.Pow(5.88, 5) / 120},               // at n = 5
		"(1 + t)³":  {Polynomial{Degree: 3, Gamma: 1, Offset: 1}, series.GeometricLaw{}, 1, (1 + 0.5 + 0.25 + 0.125) * 12}, // 3·2² at n = 2
		"t²":        {Dot(series.HermiteDual{N: 2}), series.GeometricLaw{P: 4}, 2, 16},
		"ReLU":      {Dot(series.ReLUDual{}), series.GeometricLaw{P: 2}, 0.7, math.NaN()},
	} {
		b := testkit.Must(MaclaurinBound{Kernel: c.k, Law: c.law, Radius: c.radius}.Tail())
		most := testkit.Must(b.Error(1, 0.01)) / math.Sqrt(2*math.Log(200)) // 0.01 = 2exp(−ε²/2C²)
		if !math.IsNaN(c.want) && !(math.Abs(most/c.want-1) <= 1e-9) {
			t.Errorf("%s: C = %v, want %v", name, most, c.want)
		}
		const n, g = 5000, 20
		m := testkit.Must(NewMaclaurin(c.k, 1, n, NewSampler(1), &MaclaurinOptions{Law: c.law}))
		var largest float64
		for _, v := range m.TransformVec(nil, []float64{c.radius}) {
			largest = max(largest, n*v*v)
		}
		if !(largest <= most*(1+1e-9)) || !(largest >= most*(1-1e-9)) {
			t.Errorf("%s: C = %v, the largest of %d terms is %v", name, most, n, largest)
		}
		// The largest ε is 8RL; beyond it the probability is that of it.
		f, r, p := c.k.Series(), c.radius, c.law.P
		if p == 0 {
			p = 2
		}
		l := r*f.Deriv(r*r) + p*p/(p-1)*r*f.Deriv(p*r*r)
		u := testkit.Must(MaclaurinBound{Kernel: c.k, Law: c.law, In: 1, Radius: c.radius}.Tail())
		if _, err := u.Features(8*r*l*(1+1e-9), 0.1); err == nil {
			t.Errorf("%s: no largest ε up to 8RL = %v", name, 8*r*l)
		}
		x := column(g, -r, r)
		var phi, e mat.Dense
		m.TransformTo(&phi, x)
		e.Mul(&phi, phi.T())
		for j := range g {
			for i := range g - 1 {
				exact := c.k.Eval(x.RawRowView(i+1), x.RawRowView(j)) - c.k.Eval(x.RawRowView(i), x.RawRowView(j))
				quotient := (e.At(i+1, j) - e.At(i, j) - exact) / (x.At(i+1, 0) - x.At(i, 0))
				if !(math.Abs(quotient) <= l) {
					t.Errorf("%s: the error's slope is %v, L = %v", name, quotient, l)
				}
			}
		}
	}
	// The formula, for the whole law: every degree has a coefficient.
	const r, d, eps, n = 0.9, 3, 0.4, 30_000
	f := series.Exp{Rate: 1}
	l := r*f.Deriv(r*r) + 4*r*math.Sqrt(d)*f.Deriv(2*r*r)
	c := 2 * 2 * r * r
	want := 2 * math.Pow(16*r*l/eps, 2*d) * math.Exp(-n*eps*eps/(8*c*c))
	if got := testkit.Must(MaclaurinBound{Kernel: Dot(f), In: d, Radius: r}.Tail()).Prob(eps, n); !(math.Abs(got/want-1) <= 1e-9) || !(want < 0.1) {
		t.Errorf("uniform bound %v, want %v", got, want)
	}
}

// compositionalError returns the largest error on a grid of n features of testComposition, and
// the largest slope of a feature's product.
func compositionalError(n, g int, s *Sampler) (sup, slope float64) {
	f := testComposition.Series
	x := column(g, -1, 1)
	phi := mat.NewDense(g, n, nil)
	for j := range n {
		degree := 0
		for s.Rademacher() < 0 {
			degree++
		}
		scale := math.Sqrt(f.Coeff(degree) * math.Ldexp(1, degree+1) / float64(n))
		w, b := make([]float64, degree), make([]float64, degree)
		s.FillNormal(w)
		for i := range b {
			b[i] = s.Float64()
		}
		for i := range g {
			v := scale
			for l := range w {
				v *= math.Sqrt2 * math.Cos(w[l]*x.At(i, 0)+2*math.Pi*b[l])
			}
			phi.Set(i, j, v)
		}
	}
	var e mat.Dense
	e.Mul(phi, phi.T())
	for i := range g {
		for j := range g {
			k := Gaussian{LengthScale: 1}.Eval(x.RawRowView(i), x.RawRowView(j))
			e.Set(i, j, e.At(i, j)-f.Eval(k))
			sup = max(sup, math.Abs(e.At(i, j)))
			if i > 0 {
				slope = max(slope, math.Abs(e.At(i, j)-e.At(i-1, j))/(x.At(i, 0)-x.At(i-1, 0)))
			}
		}
	}
	return sup, slope
}

// The example of CompositionalBound in docs/theory/bounds.md: how many features the measured errors take, and how many by the
// bound.
func TestCompositionalBound(t *testing.T) {
	t.Parallel()
	const n, g, want = 50, 21, 17
	maps := testkit.Times(300, 300, 1000)
	sup := make([]float64, maps)
	var slope float64
	for seed := range maps {
		e, l := compositionalError(n, g, NewSampler(uint64(seed)))
		sup[seed] = e
		slope += l / float64(maps)
	}
	need := n * math.Pow(quantile(sup, 0.9)/0.5, 2)
	if !(need <= 2064) || !(math.Abs(math.Log(need/want)) < 0.25) {
		t.Errorf("measured %.1f features, in the text %d, by the bound 2064", need, want)
	}
	c := testComposition
	l1 := c.KernelGradient*0.25*math.Exp(0.25) + math.Sqrt2*c.FeatureGradient*0.25*math.Exp(0.5)
	if !(slope <= l1) {
		t.Errorf("mean of the error's largest slope %v, L₁ = %v", slope, l1)
	}
}

// The bounds of sets refuse kernels, compositions and sizes for which they are not proved, and name what is wrong.
func TestUniformBoundsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fourier := func(f func(b *FourierBound)) error {
		b := FourierBound{Kernel: Gaussian{LengthScale: 1}, In: 1, Diameter: 1, Sigma: 1, Gradient: 0.5}
		f(&b)
		return testkit.Second(b.Tail())
	}
	maclaurin := func(f func(b *MaclaurinBound)) error {
		b := MaclaurinBound{Kernel: ExpDot{LengthScale: 1}, In: 1, Radius: 1}
		f(&b)
		return testkit.Second(b.Tail())
	}
	change := func(f func(c *CompositionalBound)) error {
		c := testComposition
		f(&c)
		return testkit.Second(c.Tail())
	}
	for want, err := range map[string]error{
		"FourierBound Sigma = NaN":                  fourier(func(b *FourierBound) { b.Sigma = nan }),
		"FourierBound Sigma = -1":                   fourier(func(b *FourierBound) { b.Sigma = -1 }),
		"FourierBound Gradient = 0.5 without Sigma": fourier(func(b *FourierBound) { b.Sigma = 0 }),
		"FourierBound Gradient = 2":                 fourier(func(b *FourierBound) { b.Gradient = 2 }),
		"FourierBound Gradient = NaN":               fourier(func(b *FourierBound) { b.Gradient = nan }),
		"FourierBound mass = 0":                     fourier(func(b *FourierBound) { b.Kernel = Constant{} }),
		"FourierBound In = 0":                       fourier(func(b *FourierBound) { b.In = 0 }),
		"FourierBound In = -1":                      fourier(func(b *FourierBound) { b.In = -1 }),
		"FourierBound Diameter = -1":                fourier(func(b *FourierBound) { b.Diameter = -1 }),
		"FourierBound Diameter = +Inf":              fourier(func(b *FourierBound) { b.Diameter = inf }),
		"FourierBound Diameter = NaN":               fourier(func(b *FourierBound) { b.Diameter = nan }),
		"MaclaurinBound In = -1":                    maclaurin(func(b *MaclaurinBound) { b.In = -1 }),
		"MaclaurinBound Radius = 0":                 maclaurin(func(b *MaclaurinBound) { b.Radius = 0 }),
		"P·Radius² = 2":                             maclaurin(func(b *MaclaurinBound) { b.Kernel = Dot(series.ReLUDual{}) }),
		"dot product kernel: Select":                maclaurin(func(b *MaclaurinBound) { b.Kernel = Select([]int{0}, b.Kernel); b.In = 2 }),
		"dot product kernel: Gauss":                 maclaurin(func(b *MaclaurinBound) { b.Kernel = Gaussian{LengthScale: 1} }),
		"LengthScale = 0":                           maclaurin(func(b *MaclaurinBound) { b.Kernel = ExpDot{} }),
		"CompositionalBound In = 0":                 change(func(c *CompositionalBound) { c.In = 0 }),
		"CompositionalBound Radius = NaN":           change(func(c *CompositionalBound) { c.Radius = nan }),
		"CompositionalBound FeatureMax = 0":         change(func(c *CompositionalBound) { c.FeatureMax = 0 }),
		"CompositionalBound FeatureGradient = -1":   change(func(c *CompositionalBound) { c.FeatureGradient = -1 }),
		"CompositionalBound KernelGradient = +Inf":  change(func(c *CompositionalBound) { c.KernelGradient = inf }),
		"CompositionalBound KernelMax = 3":          change(func(c *CompositionalBound) { c.KernelMax = 3 }),
		"series f = nil":                            change(func(c *CompositionalBound) { c.Series = nil }),
		"GeometricLaw P = 0.5":                      change(func(c *CompositionalBound) { c.Law.P = 0.5 }),
		"radius of convergence 1":                   change(func(c *CompositionalBound) { c.Series = series.Geometric{Ratio: 1} }),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := maclaurin(func(b *MaclaurinBound) { b.Kernel = Dot(series.Coefficients{1, -1}) }); !errors.Is(err, ErrNotPSD) {
		t.Errorf("a negative coefficient: %v", err)
	}
}
