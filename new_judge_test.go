// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// heavyTails returns n rows of d columns, of a law by name: log-normal, Student's of 3 degrees of freedom, or normal except for one row in
// 500, which is 20 times as far out.
func heavyTails(law string, seed uint64, n, d int) *mat.Dense {
	s := NewSampler(seed)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		far := 1.0
		if law == "mixture" && s.Float64() < 1.0/500 {
			far = 20
		}
		for j := range d {
			v := far * s.Normal()
			switch law {
			case "log-normal":
				v = math.Exp(v)
			case "Student 3":
				v /= math.Sqrt((square(s.Normal()) + square(s.Normal()) + square(s.Normal())) / 3)
			}
			x.Set(i, j, v)
		}
	}
	return x
}

// standardError returns what a plan says of its predicted error: by how much of it, either way, it may be wrong.
func standardError(t *testing.T, p *Plan) float64 {
	t.Helper()
	found := regexp.MustCompile(`give or take (\d+) %`).FindStringSubmatch(p.String())
	if found == nil {
		t.Fatalf("no standard error in\n%s", p)
	}
	return must(strconv.ParseFloat(found[1], 64)) / 100
}

// measuredOver returns the root mean square error of some maps of a plan over pairs of rows of x, and its relative standard error for
// other rows and maps.
func measuredOver(p *Plan, x *mat.Dense, maps, partners int) (rmse, relative float64) {
	n, _ := x.Dims()
	byRow, byMap := make([]float64, n), make([]float64, maps)
	exact := make([]float64, 0, n*partners)
	other := func(i, k int) int { return (i + 1 + k*379%(n-1)) % n }
	for i := range n {
		for k := range partners {
			exact = append(exact, p.Kernel().Eval(x.RawRowView(i), x.RawRowView(other(i, k))))
		}
	}
	_, out := p.Dims()
	phi := mat.NewDense(n, out, nil)
	for seed := range maps {
		m := must(p.Draw(NewSampler(uint64(seed))))
		_, drawn := m.Dims()
		rows := phi.Slice(0, n, 0, drawn).(*mat.Dense)
		m.TransformTo(rows, x)
		for i := range n {
			for k := range partners {
				j := other(i, k)
				e := floats.Dot(rows.RawRowView(i), rows.RawRowView(j)) - exact[i*partners+k]
				byMap[seed] += e * e / float64(n*partners)
				byRow[i] += e * e / float64(2*partners*maps)
				byRow[j] += e * e / float64(2*partners*maps)
			}
		}
	}
	mean := floats.Sum(byMap) / float64(maps)
	var variance float64
	for _, v := range byRow {
		variance += 4 * square(v/mean-1) / float64(n*n)
	}
	for _, v := range byMap {
		variance += square(v/mean-1) / float64(maps*maps)
	}
	return math.Sqrt(mean), math.Sqrt(variance) / 2
}

// Judges stand for all rows, the farthest ones included: they stand for as many, and their weighted mean of the fourth power of the norm, which
// errors of polynomials go with, is that of all rows. It is off by .008 in the root mean square over these rows, at most by .034: by .031 without
// an order of rows, and by .215 if none of those judges that chose.
func TestJudgesStandForAllRows(t *testing.T) {
	t.Parallel()
	for _, law := range []string{"log-normal", "Student 3", "mixture"} {
		for seed := range uint64(8) {
			const n, d = 3000, 4
			x := heavyTails(law, 401+seed, n, d)
			var all, mean float64
			for i := range n {
				all += square(square(floats.Norm(x.RawRowView(i), 2))) / n
			}
			norms, shares := Judges(x)
			for k, v := range norms {
				mean += shares[k] * square(square(v))
			}
			rows := floats.Sum(shares)
			t.Logf("%s: %.3f of the number, %.3f of the mean", law, rows/n, mean/rows/all)
			if !(math.Abs(rows/n-1) <= 0.02 && math.Abs(mean/rows/all-1) <= 0.05) {
				t.Errorf("%s, seed %d: judges stand for %.0f rows of %d, and have %.3f times the mean", law, seed, rows, n, mean/rows/all)
			}
		}
	}
}

// Plans for rows of heavy tails say what error new rows have: measured over predicted is from .67 to 1.5, two standard errors of
// both allowed.
func TestPlanPromises(t *testing.T) {
	t.Parallel()
	if !testkit.Long() {
		t.Skip("with -long")
	}
	const n, maps = 3000, 100
	for _, law := range []string{"log-normal", "Student 3", "mixture"} {
		for _, d := range []int{2, 8} {
			x, fresh := heavyTails(law, 101, n, d), heavyTails(law, 201, n, d)
			length := must(MedianLengthScale(x, NewSampler(1)))
			for _, k := range []Kernel{Gaussian{LengthScale: length}, Gaussian{LengthScale: 2 * length}, Matern{Nu: 1.5, LengthScale: 20 * length}} {
				for _, unbiased := range []bool{false, true} {
					p := must(NewPlan(k, d, 256, &PlanOptions{Points: x, Unbiased: unbiased}))
					own := standardError(t, p)
					rmse, relative := measuredOver(p, fresh, maps, 8)
					ratio := rmse / p.RMSE()
					name := fmt.Sprintf("%s in R^%d, %v, %s", law, d, k, strings.Join(PlanShape(p), "; "))
					t.Logf("%s: %.3f (± %.2f, %.2f)", name, ratio, relative, own)
					if !(ratio*(1-2*relative) <= 1.5*(1+2*own) && ratio*(1+2*relative) >= 0.67*(1-2*own)) {
						t.Errorf("%s: measured over predicted %v ± %.0f %%, predicted ± %.0f %%", name, ratio, 100*relative, 100*own)
					}
				}
			}
		}
	}
}

// Where one row in 500 is far out the rows have the predicted error, as those judge it that did not choose: the root mean square of the
// logarithm of measured over predicted is at most .12, of which about .05 is measuring by few maps and pairs, and the plans' own standard error. By
// the rows that chose, few of which are far out, it is .24 (12 seeds). Plans for an error are larger until it is theirs.
func TestJudgesOfMixtures(t *testing.T) {
	t.Parallel()
	const n, d, seeds = 3000, 4, 6
	var sum float64
	for seed := range uint64(seeds) {
		x := heavyTails("mixture", 301+seed, n, d)
		k := Gaussian{LengthScale: 2 * must(MedianLengthScale(x, NewSampler(1)))}
		p := must(NewPlan(k, d, 256, &PlanOptions{Points: x}))
		rmse, _ := measuredOver(p, x, 4, 4)
		t.Logf("seed %d: %.2f", seed, rmse/p.RMSE())
		sum += square(math.Log(rmse / p.RMSE()))

		least := must(NewPlan(k, d, 2000, &PlanOptions{Points: x, RMSE: p.RMSE()}))
		if !(least.RMSE() <= p.RMSE()) {
			t.Errorf("seed %d: a plan for an error of %.3g has %.3g", seed, p.RMSE(), least.RMSE())
		}
	}
	if off := math.Sqrt(sum / seeds); !(off <= 0.12) {
		t.Errorf("logarithms of measured over predicted have a root mean square of %.3f", off)
	}
}

// The variance of Sobol frequencies of heavy tails is that of many maps at single pairs of points, though one map in some hundred has most of
// it: with length scales of many times the distances few frequencies are large, and matter.
func TestSobolRareFrequencies(t *testing.T) {
	t.Parallel()
	const pairs, d = 5, 3
	maps := testkit.Times(2000, 2000, 20000)
	x := normalPoints(4, 2*pairs, d)
	for _, k := range []Kernel{
		Matern{Nu: 1.5, LengthScale: 20}, Matern{Nu: 0.75, LengthScale: 60},
		Sum(Matern{Nu: 1.5, LengthScale: 20}, Gaussian{LengthScale: 10}), Product(Matern{Nu: 1.5, LengthScale: 20}, Gaussian{LengthScale: 10}),
	} {
		p := must(PlanOf(must(NewFourier(k, d, 60, NewSampler(0), &FourierOptions{Design: Sobol}))))
		var said float64
		for i := range pairs {
			said += p.Variance(x.RawRowView(2*i), x.RawRowView(2*i+1))
		}
		squares := make([]float64, maps)
		for seed := range squares {
			m := must(p.Draw(NewSampler(uint64(seed))))
			for i := range pairs {
				u, v := x.RawRowView(2*i), x.RawRowView(2*i+1)
				squares[seed] += square(dotOf(m.TransformVec(nil, u), m.TransformVec(nil, v)) - k.Eval(u, v))
			}
		}
		measured, deviation := stat.MeanStdDev(squares, nil)
		// 16 scrambles tell a variance to a third, the root of 2/16, and errors at the pairs go together.
		if ratio, own := measured/said, deviation/math.Sqrt(float64(maps))/said; !(math.Abs(ratio-1) <= 0.5+2*own) {
			t.Errorf("%v: the measured variance is %.3f times what is said, ± %.3f", k, ratio, own)
		}
	}
}
