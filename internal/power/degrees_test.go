// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Degrees have probabilities aₙcⁿ/f(c). The test computes z-scores of the frequencies of the first
// degrees, which are binomial, and of all degrees beyond. The limit is 5 standard deviations: over
// the about 200 scores below, a correct drawer fails with a probability of 1e-4.
func TestDegreeDrawers(t *testing.T) {
	t.Parallel()
	draws := 200_000
	if testing.Short() {
		draws = 20_000
	}
	for i, c := range []struct {
		name string
		f    series.Series
		c    float64
	}{
		{"Coefficients", series.Coefficients{0.5, 0, 2, 1}, 1},
		{"Coefficients, c", series.Coefficients{0.5, 0, 2, 1}, 0.3},
		{"constant", series.Coefficients{2}, 5},
		{"gap", series.Coefficients(append(make([]float64, 300), 1)), 1},
		{"Exp", series.ExpDual(1), 1},
		{"Exp, large", series.ExpDual(40), 1.5},
		{"Geometric", series.Geometric{Ratio: 0.9}, 1},
		{"ReLU", series.ReLUDual{}, 1},
		{"ReLU, c", series.ReLUDual{}, 0.99},
		{"Step, c", series.StepDual{}, 0.7},
		{"Erf", series.ErfDual{}, 1},
		{"Sine", series.SineDual{Rate: 2}, 1},
		{"Cosine", series.CosineDual{Rate: 2}, 1},
		{"Hermite", series.HermiteDual{N: 7}, 1},
		{"Polynomial", power.Binomial{Degree: 9, Gamma: 0.5, Offset: 2}, 1},
		{"sum", power.Sum{F: series.ReLUDual{}, G: power.Scaled{C: 3, F: series.ExpDual(2)}}, 1},
		{"product", power.Product{F: series.ReLUDual{}, G: series.Coefficients{1, 2}}, 1},
		{"composition", power.Composed{F: series.ExpDual(1), G: series.Coefficients{0.25, 0.5, 1}}, 1},
		{"caller's", callersSeries{series.ExpDual(1)}, 1},
		{"zero", series.Coefficients{3, 1}, 0},
	} {
		draw, err := power.NewDrawer(c.f, c.c)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		const cells = 12
		var counts [cells + 1]int
		s := rand.New(rand.NewPCG(uint64(i), 0))
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
type callersSeries struct{ f series.Exp }

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
	for i := to/2 - 1; i >= power.ReLUTable/2; i-- {
		sum += series.ReLUDual{}.Coeff(2 * i)
		tails[i] = sum
	}
	const draws = 100_000
	bounds := []int{power.ReLUTable + 2, 1200, 2000, 5000, 20_000, 100_000}
	counts := make([]int, len(bounds))
	s, drawTail := rand.New(rand.NewPCG(1, 0)), power.ReLUTail()
	for range draws {
		n := drawTail(s)
		if n < power.ReLUTable || n%2 != 0 {
			t.Fatalf("degree %d from the tail of even degrees from %d on", n, power.ReLUTable)
		}
		for i, b := range bounds {
			if n >= b {
				counts[i]++
			}
		}
	}
	all := tails[power.ReLUTable/2]
	for i, b := range bounds {
		p := tails[b/2] / all
		mean, dev := draws*p, math.Sqrt(draws*p*(1-p))
		if !(math.Abs(float64(counts[i])-mean) <= 4*dev) {
			t.Errorf("degrees from %d on: %d of %d, want %.1f ± %.1f", b, counts[i], draws, mean, dev)
		}
	}
	// The share of the tail among all degrees.
	draw, err := power.NewDrawer(series.ReLUDual{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	beyond, n := 0, 2_000_000
	if testing.Short() {
		n = 200_000
	}
	for range n {
		if draw(s) >= power.ReLUTable {
			beyond++
		}
	}
	// A Poisson count, of mean 5 (or ½): more than 18 has a probability of 2e-6.
	if mean := float64(n) * all; beyond > 18 || mean > 4 && beyond == 0 {
		t.Errorf("%d of %d degrees beyond the table, want about %.1f", beyond, n, mean)
	}
}

// The laws with long tails, with a table up to k = 3, so that at least every tenth sample comes
// from the tail: z-scores as in TestDegreeDrawers, at c = 1 and where cⁿ thins the tail out.
func TestTailDegrees(t *testing.T) {
	const draws = 100_000
	for _, c := range []struct {
		f series.Series
		c float64
	}{{series.ReLUDual{}, 1}, {series.ReLUDual{}, 0.9}, {series.StepDual{}, 0.99}, {series.StepDual{}, 0.8}} {
		draw := power.TailDegrees(c.f, c.c, 3)
		s := rand.New(rand.NewPCG(3, 0))
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
