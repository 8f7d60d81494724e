// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/haar"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Orthogonal frequencies are orthogonal within their blocks.
func TestOrthogonalBlocks(t *testing.T) {
	const d, forms = 5, 13
	f, err := NewFourier(Matern{Nu: 2.5, LengthScale: 1}, d, 2*forms, NewSampler(1), &FourierOptions{Design: Orthogonal})
	if err != nil {
		t.Fatal(err)
	}
	w := f.Frequencies()
	for i := range forms {
		for j := range i {
			cos := mat.Dot(w.RowView(i), w.RowView(j)) / (mat.Norm(w.RowView(i), 2) * mat.Norm(w.RowView(j), 2))
			if same := i/d == j/d; same != (math.Abs(cos) < 1e-14) {
				t.Errorf("frequencies %d and %d: cosine %v", i, j, cos)
			}
		}
	}
}

// The covariance that Variance adds for orthogonal frequencies, by simulation at
// many distances: where the suite's few thousand maps leave room for a wrong
// coefficient, 15,000 maps of one block of R³ leave a twentieth of the variance, and 60,000 half of it.
func TestOrthogonalVariance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("15,000 maps")
	}
	const d, out = 3, 6
	maps := testkit.Times(0, 15_000, 60_000)
	distances := []float64{0.3, 1, 1.5, 2, 2.7, 3.5}
	sums := make([]struct{ e2, e4 float64 }, len(distances))
	k := Gaussian{LengthScale: 1}
	zero := testkit.F64s(d, func(int) float64 { return 0 })
	point := func(r float64) []float64 {
		return testkit.F64s(d, func(i int) float64 { return r * []float64{2, -1, 2}[i] / 3 })
	}
	first := testkit.Must(NewFourier(k, d, out, NewSampler(0), &FourierOptions{Design: Orthogonal}))
	redraw := testkit.Redraws(first)
	for seed := range maps {
		f := redraw(seed)
		at0 := f.TransformVec(nil, zero)
		for i, r := range distances {
			e := -k.Eval(point(r), zero)
			for j, v := range f.TransformVec(nil, point(r)) {
				e += v * at0[j]
			}
			sums[i].e2 += e * e / float64(maps)
			sums[i].e4 += e * e * e * e / float64(maps)
		}
	}
	for i, r := range distances {
		want := first.Variance(point(r), zero)
		se := math.Sqrt((sums[i].e4 - sums[i].e2*sums[i].e2) / float64(maps))
		if z := (sums[i].e2 - want) / se; !(math.Abs(z) <= 4) {
			t.Errorf("r = %v: measured variance %.5f ± %.5f, exact %.5f", r, sums[i].e2, se, want)
		}
	}
}

// orthogonalRatios returns the variance of one full block of orthogonal frequencies of
// R¹⁶ over that of independent ones at distance r, in the pair form and with random
// phases, with standard errors. Given the lengths s₁, s₂ of two orthogonal frequencies,
// s₁u₁ ± s₂u₂ has the length √(s₁² + s₂²) and a uniform direction, so that
//
//	E cos(ω₁·Δ)cos(ω₂·Δ) = E φ(r√(s₁² + s₂²)),  φ(t) = E cos(t·u₁) = Γ(8)(2/t)⁷J₇(t),
//
// over s² = τχ²₁₆. The mean of φ(rs₁)φ(rs₂) is κ², and takes most of the noise away.
func orthogonalRatios(k Radial, r float64, draws int) (pairs, pairsErr, phase, phaseErr float64) {
	const d = 16
	phi := func(t float64) float64 {
		if t == 0 {
			return 1
		}
		return 5040 * math.Pow(2/t, 7) * math.Jn(7, t)
	}
	s := NewSampler(77)
	var sum, square float64
	for range draws {
		a, b := k.Mixture(s)*s.ChiSquared(d), k.Mixture(s)*s.ChiSquared(d)
		c := phi(r*math.Sqrt(a+b)) - phi(r*math.Sqrt(a))*phi(r*math.Sqrt(b))
		sum += c
		square += c * c
	}
	n := float64(draws)
	c, se := sum/n, math.Sqrt((square/n-sum/n*sum/n)/n)
	zero := []float64{0}
	k1, k2 := k.Eval([]float64{r}, zero), k.Eval([]float64{2 * r}, zero)
	pairs, phase = 1+k2-2*k1*k1, 1+k2/2-k1*k1
	return 1 + 2*(d-1)*c/pairs, 2 * (d - 1) * se / pairs, 1 + (d-1)*c/phase, (d - 1) * se / phase
}

// ratioTable is the table in docs/theory/variance.md.
var ratioTable = []struct {
	kernel       Radial
	pairs, phase [4]float64 // at ratioDistances
}{
	{Matern{Nu: 0.5, LengthScale: 1}, [4]float64{0.86, 0.84, 0.92, 0.99}, [4]float64{0.95, 0.93, 0.96, 1}},
	{Matern{Nu: 1.5, LengthScale: 1}, [4]float64{0.64, 0.59, 0.84, 1}, [4]float64{0.93, 0.84, 0.92, 1}},
	{Matern{Nu: 2.5, LengthScale: 1}, [4]float64{0.51, 0.46, 0.81, 1}, [4]float64{0.94, 0.80, 0.91, 1}},
	{RationalQuadratic{Alpha: 0.5, LengthScale: 1}, [4]float64{0.74, 0.73, 0.84, 0.95}, [4]float64{0.97, 0.92, 0.93, 0.97}},
	{RationalQuadratic{Alpha: 2, LengthScale: 1}, [4]float64{0.47, 0.43, 0.71, 0.98}, [4]float64{0.97, 0.83, 0.86, 0.99}},
	{Gaussian{LengthScale: 1}, [4]float64{0.15, 0.16, 0.67, 1}, [4]float64{0.96, 0.76, 0.84, 1}},
}

var ratioDistances = []float64{0.5, 1, 2, 4}

// The table of orthogonal over independent variances in docs/theory/variance.md, and what Variance says, by conditional expectation.
func TestOrthogonalVarianceTable(t *testing.T) {
	t.Parallel()
	draws := testkit.Times(5000, 5000, 50_000)
	const d = 16
	for _, c := range ratioTable {
		of := func(design Design, randomPhase bool) *Fourier {
			out := 2 * d
			if randomPhase {
				out = d
			}
			return testkit.Must(NewFourier(c.kernel, d, out, NewSampler(1), &FourierOptions{Design: design, RandomPhase: randomPhase}))
		}
		var orthogonal, independent [2]*Fourier
		for i, randomPhase := range []bool{false, true} {
			orthogonal[i], independent[i] = of(Orthogonal, randomPhase), of(Independent, randomPhase)
		}
		for i, r := range ratioDistances {
			pairs, pairsErr, phase, phaseErr := orthogonalRatios(c.kernel, r, draws)
			// What Variance says, to about 1e-4 and four standard errors.
			x, zero := testkit.F64s(d, func(int) float64 { return r / 4 }), make([]float64, d)
			for j, ratio := range []float64{pairs, phase} {
				se := []float64{pairsErr, phaseErr}[j]
				if got := orthogonal[j].Variance(x, zero) / independent[j].Variance(x, zero); !(math.Abs(got-ratio) <= 2e-4+4*se) {
					t.Errorf("%v at r = %v: Variance is %.5f of the independent design's, by conditional expectation %.5f ± %.5f", c.kernel, r, got, ratio, se)
				}
			}
			// Two decimals, and four standard errors.
			if !(math.Abs(pairs-c.pairs[i]) <= 0.005+4*pairsErr) || !(math.Abs(phase-c.phase[i]) <= 0.005+4*phaseErr) {
				t.Errorf("%T at r = %v: ratios %.3f ± %.3f and %.3f ± %.3f, want %.2f and %.2f",
					c.kernel, r, pairs, pairsErr, phase, phaseErr, c.pairs[i], c.phase[i])
			}
		}
	}
}

// The conditional expectation against maps, and what Variance says against both.
func TestOrthogonalVarianceByKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("1,000 maps of each of six kernels")
	}
	t.Parallel()
	const d = 16
	maps := testkit.Times(0, 1000, 4000)
	zero := make([]float64, d)
	for i, c := range ratioTable {
		for j, randomPhase := range []bool{false, true} {
			if j != i%2 && !testkit.Long() {
				continue
			}
			out := 2 * d // one block
			if randomPhase {
				out = d
			}
			o := FourierOptions{Design: Orthogonal, RandomPhase: randomPhase}
			name := fmt.Sprintf("%T, %s", c.kernel, optionsName(o))
			draw := func(o FourierOptions) *Fourier { return testkit.Must(NewFourier(c.kernel, d, out, NewSampler(1), &o)) }
			first, of := draw(o), draw(FourierOptions{RandomPhase: randomPhase})
			redraw := testkit.Redraws(first)
			var e2, e4 [4]float64
			for seed := range maps {
				f := redraw(seed)
				at0 := f.TransformVec(nil, zero)
				for i, r := range ratioDistances {
					x := testkit.F64s(d, func(int) float64 { return r / 4 })
					e := -c.kernel.Eval(x, zero)
					for j, v := range f.TransformVec(nil, x) {
						e += v * at0[j]
					}
					e2[i] += e * e / float64(maps)
					e4[i] += e * e * e * e / float64(maps)
				}
			}
			for i, r := range ratioDistances {
				x := testkit.F64s(d, func(int) float64 { return r / 4 })
				independent := of.Variance(x, zero)
				want := c.pairs[i]
				if randomPhase {
					want = c.phase[i]
				}
				// Two decimals, and four standard errors; of 48 scores one fails in 300
				// choices of seeds.
				got, se := e2[i]/independent, math.Sqrt((e4[i]-e2[i]*e2[i])/float64(maps))/independent
				if !(math.Abs(got-want) <= 0.005+4*se) {
					t.Errorf("%s at r = %v: ratio %.3f ± %.3f by maps, want %.2f", name, r, got, se, want)
				}
				if said := first.Variance(x, zero) / independent; !(math.Abs(said-want) <= 0.0055) {
					t.Errorf("%s at r = %v: Variance is %.3f of the independent design's, want %.2f", name, r, said, want)
				}
			}
		}
	}
}

// The covariance of kernels that are made of others: sums of one another's measures, products, and series,
// and a caller's kernel that is known by its Mixture alone.
func TestOrthogonalVarianceOfAlgebra(t *testing.T) {
	t.Parallel()
	draws := testkit.Times(10_000, 10_000, 100_000)
	const d = 16
	g, m := Gaussian{LengthScale: 1}, Matern{Nu: 1.5, LengthScale: 0.5}
	for _, k := range []Kernel{Sum(Scale(0.25, g), Scale(0.75, m)), Product(g, m), Product(m, RationalQuadratic{Alpha: 2, LengthScale: 1}), Compose(series.ExpDual(1), g), mixtureOnly{m}} {
		for _, r := range []float64{0.3, 1, 2.5} {
			x, zero := testkit.F64s(d, func(int) float64 { return r / 4 }), make([]float64, d)
			of := func(o Design) float64 {
				return testkit.Must(NewFourier(k, d, 2*d, NewSampler(1), &FourierOptions{Design: o})).Variance(x, zero)
			}
			ratio, se, _, _ := orthogonalRatios(stationary(k).(Radial), r, draws)
			// Nodes for products are thinned, and those of the last two are draws: to a percent.
			if got := of(Orthogonal) / of(Independent); !(math.Abs(got-ratio) <= 0.01+4*se) {
				t.Errorf("%v at r = %v: Variance is %.4f of the independent design's, by conditional expectation %.4f ± %.4f", k, r, got, ratio, se)
			}
		}
	}
}

// mixtureOnly is a caller's radial kernel.
type mixtureOnly struct{ Matern }

// The variance of orthogonal frequencies in the plane, where a pair of frequencies has the covariance
//
//	(τ₁e^{−wτ₁} − τ₂e^{−wτ₂})/(τ₁ − τ₂) − e^{−w(τ₁+τ₂)},  w = ‖Δ‖²/2,
//
// for τ₁ ≠ τ₂. Scales far apart were off by 2 %.
func TestOrthogonalVarianceOfFarScales(t *testing.T) {
	const p1, tau1, tau2 = 0.1, 900.0, 1.0
	k := Compose(series.Coefficients{0, 1}, Sum(Scale(p1, Gaussian{LengthScale: 1. / 30}), Scale(1-p1, Gaussian{LengthScale: 1})))
	f := testkit.Must(NewFourier(k, 2, 4, NewSampler(1), &FourierOptions{Design: Orthogonal}))
	for _, r := range []float64{0.03, 0.1, 0.3, 1} {
		w := r * r / 2
		same := func(tau float64) float64 { return (1-w*tau)*math.Exp(-w*tau) - math.Exp(-2*w*tau) }
		far := (tau1*math.Exp(-w*tau1)-tau2*math.Exp(-w*tau2))/(tau1-tau2) - math.Exp(-w*(tau1+tau2))
		covariance := p1*p1*same(tau1) + (1-p1)*(1-p1)*same(tau2) + 2*p1*(1-p1)*far
		x, zero := []float64{r, 0}, []float64{0, 0}
		k1, k2 := k.Eval(x, zero), k.Eval([]float64{2 * r, 0}, zero)
		want := (0.5*(1+k2)-k1*k1)/2 + covariance/2
		if got := f.Variance(x, zero); !(math.Abs(got-want) <= 3e-4*want) {
			t.Errorf("r = %v: Variance = %.6f, want %.6f", r, got, want)
		}
	}
}

// How far orthogonal frequencies can lose to independent ones, for the Gaussian kernel:
// the excess that docs/theory/variance.md states, 1.48 % at d = 4.
func TestOrthogonalExcess(t *testing.T) {
	for d := 2; d <= 40; d++ {
		most := 0.0
		zero := make([]float64, d)
		draw := func(design Design) *Fourier {
			f, err := NewFourier(Gaussian{LengthScale: 1}, d, 2*d, NewSampler(1), &FourierOptions{Design: design})
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		independent, orthogonal := draw(Independent), draw(Orthogonal)
		for r := 0.05; r < 10; r += 0.05 {
			x := make([]float64, d)
			x[0] = r
			most = max(most, orthogonal.Variance(x, zero)/independent.Variance(x, zero)-1)
		}
		if !(most < 0.015) || (d == 4) != (most > 0.0145) {
			t.Errorf("d = %d: orthogonal variance exceeds independent by %.4f", d, most)
		}
	}
}

// A variance of which rounding leaves nothing is not negative: points 1e-8 apart.
func TestOrthogonalVarianceOfRounding(t *testing.T) {
	f := testkit.Must(NewFourier(Matern{Nu: 1.5, LengthScale: 1}, 3, 14, NewSampler(1), &FourierOptions{Design: Orthogonal}))
	x := []float64{-1.0372995993699632e-9, 1.4676208415547992e-8, 1.2968594210989885e-8}
	y := []float64{6.472525394353897e-9, -1.6608248193573379e-10, -5.046666064009114e-9}
	if v := f.Variance(x, y); !(v >= 0) {
		t.Errorf("Fourier: Variance = %v", v)
	}
}

// Goroutines share the table of a dimension while it is among the last sixteen that were asked for, and one that is made again has the
// same numbers.
func TestOrthogonalTables(t *testing.T) {
	first := OrthogonalTable(3)
	tables := make([]any, 8)
	var wg sync.WaitGroup
	for i := range tables {
		wg.Add(1)
		go func() {
			defer wg.Done()
			tables[i] = OrthogonalTable(3 + i%2)
		}()
	}
	wg.Wait()
	for i, table := range tables {
		if (table == first) != (i%2 == 0) || table != tables[i%2] {
			t.Errorf("call %d has another table", i)
		}
	}
	for d := range 16 {
		OrthogonalTable(5 + d)
	}
	if again := OrthogonalTable(3); again == first || !reflect.DeepEqual(again, first) {
		t.Error("a table is kept for ever, or made again with other numbers")
	}
}

// Orthonormal rows of the Haar measure have the same bits on every architecture.
func TestGoldenHaar(t *testing.T) {
	h := fnv.New64a()
	s := NewSampler(3)
	for _, d := range []int{1, 2, 5, 8, 13, 40} {
		r := (d + 1) / 2
		g, q := make([]float64, haar.Normals(r, d)), make([]float64, r*d)
		s.FillNormal(g)
		haar.Rows(q, r, d, g)
		for _, v := range q {
			fmt.Fprintf(h, "%x ", v)
		}
	}
	const want = 0x9bb8455b1e62b47a // as printed on amd64, and on 386 and arm64
	if got := h.Sum64(); got != want {
		t.Errorf("hash of the rows = %#x, want %#x", got, uint64(want))
	}
}
