// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// slice returns the rows [lo, hi) of points and targets.
func slice(x, y *mat.Dense, lo, hi int) (*mat.Dense, *mat.Dense) {
	_, in := x.Dims()
	_, targets := y.Dims()
	return x.Slice(lo, hi, 0, in).(*mat.Dense), y.Slice(lo, hi, 0, targets).(*mat.Dense)
}

// heavyTailed returns points with heavy tails and rare labels, for which the evidence takes the least λ there is: nine
// columns of .02·N(0, 1), .3·Cauchy added to 2 % of the rows, +1 for 15 % of those with x₀ > .1, clipped at 50
// and standardized.
func heavyTailed(n int, seed uint64) (x, y *mat.Dense) {
	const in = 9
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, in, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		row := x.RawRowView(i)
		s.FillNormal(row)
		far := s.Float64() < 0.02
		for j := range row {
			row[j] *= 0.02
			if far {
				row[j] += 0.3 * s.Normal() / s.Normal()
			}
			row[j] = min(max(row[j], -50), 50)
		}
		y.Set(i, 0, -1)
		if row[0] > 0.1 && s.Float64() < 0.15 {
			y.Set(i, 0, 1)
		}
	}
	column := make([]float64, n)
	for j := range in {
		mat.Col(column, j, x)
		mean, deviation := stat.MeanStdDev(column, nil)
		for i, v := range column {
			x.Set(i, j, (v-mean)/deviation)
		}
	}
	return x, y
}

// meanSquare returns the mean squared error of the first target.
func meanSquare(m *Model, x, y *mat.Dense) float64 {
	var p mat.Dense
	m.PredictTo(&p, x)
	n, _ := y.Dims()
	var sum float64
	for i := range n {
		sum += math.Pow(p.At(i, 0)-y.At(i, 0), 2)
	}
	return sum / float64(n)
}

// leftOutErrors returns the squared leave-one-out errors of a model's own rows, by the residuals and leverages that its
// predictions and variances give.
func leftOutErrors(m *Model, x, y *mat.Dense) *mat.Dense {
	var p, v, errors mat.Dense
	m.PredictTo(&p, x)
	posteriorOf(m).VarianceTo(&v, x)
	noise := m.NoiseVariance()
	errors.Apply(func(i, t int, y float64) float64 {
		return math.Pow((y-p.At(i, t))/(1-v.At(i, t)/noise[t]), 2)
	}, y)
	return &errors
}

// The leave-one-out error is that of fits of all rows but one. With 30 rows, 12 features and λ ≥ .1 the formula and a fit
// agree to rounding.
func TestLeaveOneOutIsRefitting(t *testing.T) {
	phi := fourier(2, 12)
	x, y := data(30, 2, 2, 100)
	for _, noIntercept := range []bool{false, true} {
		for _, lambda := range []float64{0.1, 3} {
			m := must(Fit(phi, x, y, &Options{Path: []float64{lambda}, NoIntercept: noIntercept}))
			want := make([]float64, 2)
			for i := range 30 {
				restX, restY := mat.NewDense(29, 2, nil), mat.NewDense(29, 2, nil)
				for k := range 29 {
					from := k
					if k >= i {
						from++
					}
					restX.SetRow(k, x.RawRowView(from))
					restY.SetRow(k, y.RawRowView(from))
				}
				rest := must(Fit(phi, restX, restY, &Options{Lambda: lambda, NoIntercept: noIntercept}))
				for t, p := range rest.PredictVec(nil, x.RawRowView(i)) {
					want[t] += math.Pow(p-y.At(i, t), 2) / 30
				}
			}
			for i, got := range leftOutOf(m) {
				near(t, fmt.Sprintf("λ = %v, NoIntercept %v, target %d", lambda, noIntercept, i), got, want[i], 1e-9*want[i])
			}
		}
	}
}

// Of more rows than are left out exactly while λ is chosen, the error of the λ taken is still that of all rows, up to 20,000.
// Of more it is an estimate. The largest errors are exact, and of what remains 1,024 rows have a mean whose relative deviation
// is at most √(2/1024) = .044, that of the squares of normal numbers: three of these.
func TestLeaveOneOutOfManyRows(t *testing.T) {
	for _, c := range []struct {
		n     int
		limit float64
	}{{5000, 1e-9}, {20500, 0.13}} {
		for seed := range uint64(testkit.Times(2, 2, 4)) {
			x, y := heavyTailed(c.n, 200+seed)
			if seed%2 == 1 {
				x, y = data(c.n, 9, 1, 200+seed)
			}
			m := must(Fit(fourier(9, 64), x, y, nil))
			errors := leftOutErrors(m, x, y)
			want := mat.Sum(errors) / float64(c.n)
			near(t, fmt.Sprintf("%d rows, seed %d", c.n, seed), leftOutOf(m)[0], want, c.limit*want)
		}
	}
}

// The λ of each criterion is the one that its words name, by all rows left out plainly.
func TestCriterionIsPlain(t *testing.T) {
	taken := map[string]int{}
	for seed := range uint64(testkit.Times(15, 15, 30)) {
		n, targets := 20, 1+int(seed%3)
		if seed < 8 {
			n += 40 * int(seed%4)
		}
		phi := fourier(2, 40)
		x, y := data(n, 2, targets, 300+seed)
		if seed%2 == 1 { // labels
			y.Apply(func(i, t int, v float64) float64 { return math.Copysign(1, v-3*float64(t)) }, y)
		}
		for _, noIntercept := range []bool{false, true} {
			var path []float64
			for e := -7; e <= 3; e++ {
				path = append(path, math.Pow10(e))
			}
			var models []*Model
			var errors [][]float64 // of rows, in units of the variances
			for _, lambda := range path {
				m := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: noIntercept}))
				each := leftOutErrors(m, x, y)
				sums := make([]float64, n)
				for t := range targets {
					column := mat.Col(nil, t, y)
					variance := stat.PopVariance(column, nil)
					for i := range sums {
						sums[i] += each.At(i, t) / variance
					}
				}
				models, errors = append(models, m), append(errors, sums)
			}
			sum := func(v []float64) (s float64) {
				for _, v := range v {
					s += v
				}
				return s
			}
			likeliest, least := 0, 0
			for k := range path {
				if evidenceOf(models[k]) > evidenceOf(models[likeliest]) {
					likeliest = k
				}
				if sum(errors[k]) < sum(errors[least]) {
					least = k
				}
			}
			cautious := least
			for k := range path {
				var delta, squares float64
				for i := range n {
					d := errors[k][i] - errors[least][i]
					delta += d
					squares += d * d
				}
				deviation := (1 + 10/float64(n)) * math.Sqrt(squares-delta*delta/float64(n))
				near := sum(errors[k]) <= (1.1+25/float64(n))*sum(errors[least])
				if (k == least || near && delta <= deviation) && evidenceOf(models[k]) > evidenceOf(models[cautious]) {
					cautious = k
				}
			}
			for c, want := range map[Criterion]int{Evidence: likeliest, LeaveOneOut: least, GuardedEvidence: cautious} {
				m := must(Fit(phi, x, y, &Options{Path: path, Criterion: c, NoIntercept: noIntercept, SharedLambda: true}))
				if m.Lambda()[0] != path[want] {
					t.Errorf("seed %d, NoIntercept %v, %v: λ = %v, want %v", seed, noIntercept, c, m.Lambda()[0], path[want])
				}
			}
			switch cautious {
			case likeliest:
				taken["as by evidence"]++
			case least:
				taken["as by leave-one-out"]++
			default:
				taken["between"]++
			}
		}
	}
	if len(taken) < 2 {
		t.Errorf("the cases are all of one kind: %v", taken)
	}
}

// On labels with heavy tails, where the evidence's λ predicts badly, the error on new rows is within 1.3 times the best of
// the path, and the model that the evidence has chosen says what it does.
func TestGuardedEvidenceOnHeavyTails(t *testing.T) {
	n, features, seeds, told, harmless := 20000, 700, uint64(12), 0, 0
	if !testkit.Long() {
		n, features, seeds = 6000, 120, 1
	}
	fitted, off := n*3/4, &IntervalOptions{Off: true}
	for seed := range seeds {
		for _, length := range []float64{1, 3} {
			x, y := heavyTailed(n, 1+seed)
			phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: length}, 9, features, featuremap.NewSampler(1), nil))
			ownX, ownY := slice(x, y, 0, fitted)
			newX, newY := slice(x, y, fitted, n)
			a := must(NewAccumulator(phi, 1))
			addBatches(t, a, ownX, ownY, fitted)
			best, m := math.Inf(1), must(Fit(phi, ownX, ownY, &Options{Intervals: off}))
			for e := -12; e <= 12; e++ { // the default path and more
				if of, err := a.Fit(&Options{Lambda: m.Lambda()[0] * math.Pow10(e), Intervals: off}); err == nil {
					best = min(best, meanSquare(of, newX, newY))
				}
			}
			evidence := must(Fit(phi, ownX, ownY, &Options{Criterion: Evidence, Intervals: off}))
			kept := must(a.Fit(&Options{Intervals: off})) // by 4,096 of all rows
			got, likeliest, by := meanSquare(m, newX, newY), meanSquare(evidence, newX, newY), meanSquare(kept, newX, newY)
			t.Logf("seed %d, length scale %v: best %.2g, of it %.2f; by rows kept %.2f, by evidence %.2f", seed, length, best, got/best, by/best, likeliest/best)
			if !(got <= 1.3*best) {
				t.Errorf("seed %d, length scale %v: error %v, best %v", seed, length, got, best)
			}
			if !(by <= 2*best) { // the neighbor of the best λ at worst: 1.7 seen
				t.Errorf("seed %d, length scale %v: error %v by rows kept, best %v", seed, length, by, best)
			}
			if !(likeliest >= 1.5*best) {
				harmless++
			}
			if strings.Contains(fmt.Sprint(m), "predicted") {
				t.Errorf("seed %d: %v", seed, m)
			}
			if strings.Contains(fmt.Sprint(evidence), "for a row left out") {
				told++
			}
		}
	}
	if harmless > int(seeds)/10 { // one of 24 seen, at 1.4
		t.Errorf("for %d of %d models the data are no trouble for the evidence", harmless, 2*seeds)
	}
	if testkit.Long() && told < int(seeds) { // one of the two length scales at least
		t.Errorf("%d of %d models that the evidence has chosen tell of their predictions", told, 2*seeds)
	}
}

// Where one row has nearly all of the error, whose standard error is then as large, caution sees it all the same: linear and
// quadratic features of heavy tails, which are not bounded.
func TestGuardedEvidenceOnOneRow(t *testing.T) {
	for _, k := range []featuremap.Kernel{featuremap.Linear{}, featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}} {
		phi := must(testkit.New(k, 9, 55, featuremap.NewSampler(1)))
		for _, n := range []int{60, 300, 1500} {
			for seed := range uint64(testkit.Times(2, 2, 4)) {
				x, y := heavyTailed(n, 600+seed)
				m, least := must(Fit(phi, x, y, nil)), must(Fit(phi, x, y, &Options{Criterion: LeaveOneOut}))
				if got, want := leftOutOf(m)[0], leftOutOf(least)[0]; !(got <= (1.1+25/float64(n))*want*(1+1e-9)) {
					t.Errorf("%v, %d rows, seed %d: leave-one-out error %v, the least is %v", k, n, seed, got, want)
				}
			}
		}
	}
}

// A row that alone determines its own prediction, as with as many rows as features and λ = 0, has no error left out, and a λ
// for which there is such a row is taken by no criterion that leaves rows out.
func TestLeverageOfOne(t *testing.T) {
	x, y := data(11, 10, 1, 7)
	phi := must(testkit.New(featuremap.Linear{}, 10, 10, featuremap.NewSampler(1)))
	for _, c := range []Criterion{GuardedEvidence, LeaveOneOut} {
		for _, lambda := range []float64{0, 1e-14, 1e-13} {
			if got := leftOutOf(must(Fit(phi, x, y, &Options{Path: []float64{lambda}, Criterion: c})))[0]; !math.IsInf(got, 1) {
				t.Errorf("%v, λ = %v: leave-one-out error %v", c, lambda, got)
			}
		}
		m := must(Fit(phi, x, y, &Options{Path: []float64{0, 1e-14, 1e-4, 1, 10}, Criterion: c}))
		if m.Lambda()[0] < 1e-4 || math.IsInf(leftOutOf(m)[0], 1) {
			t.Errorf("%v: λ = %v, leave-one-out error %v", c, m.Lambda()[0], leftOutOf(m))
		}
		if _, err := ReadModel(bytes.NewReader(written(must(Fit(phi, x, y, &Options{Path: []float64{0}, Criterion: c})))), nil); err != nil {
			t.Error(err)
		}
	}
	// A category that is seen once, without an intercept.
	oneHot, targets := mat.NewDense(31, 4, nil), mat.NewDense(31, 1, nil)
	for i := range 31 {
		oneHot.Set(i, i%3, 1)
		targets.Set(i, 0, float64(i%3)+0.1*float64(i%7))
	}
	oneHot.SetRow(30, []float64{0, 0, 0, 1})
	targets.Set(30, 0, 100)
	four := must(testkit.New(featuremap.Linear{}, 4, 4, featuremap.NewSampler(1)))
	m := must(Fit(four, oneHot, targets, &Options{Path: []float64{0, 1e-13, 1e-6, 1, 100}, Criterion: LeaveOneOut, NoIntercept: true}))
	if got := leftOutOf(m)[0]; m.Lambda()[0] < 1e-6 || !(got > 100*100/31.*0.9) {
		t.Errorf("λ = %v, leave-one-out error %v of a row that nothing else predicts", m.Lambda()[0], got)
	}
}

// LeaveOneOut takes the least error of the path, of few rows to the last: no λ is left out that has it.
func TestLeastIsLeast(t *testing.T) {
	every := uint64(testkit.Times(3, 3, 1))
	for seed := uint64(0); seed < 30; seed += every {
		n := 30 + int(seed)*7
		x, y := heavyTailed(n, 700+seed)
		phi := fourier(9, 40)
		var path []float64
		for e := -20; e <= 8; e++ {
			path = append(path, math.Pow(10, float64(e)/4))
		}
		least := math.Inf(1)
		for _, lambda := range path {
			least = min(least, leftOutOf(must(Fit(phi, x, y, &Options{Path: []float64{lambda}, Intervals: &IntervalOptions{Off: true}})))[0])
		}
		if got := leftOutOf(must(Fit(phi, x, y, &Options{Path: path, Criterion: LeaveOneOut})))[0]; !(got <= least*(1+1e-9)) {
			t.Errorf("seed %d: leave-one-out error %v, the least is %v", seed, got, least)
		}
	}
}

// On draws of Gaussian processes caution costs little of the evidence's likelihood, and less than leave-one-out: the mean
// negative log likelihood of new targets is at most .35 above the evidence's, and intervals of 95 % cover at most .03
// less.
func TestGuardedEvidenceOnGaussianProcesses(t *testing.T) {
	const test = 60
	draws := 80
	if !testkit.Long() {
		draws = 2
	}
	for _, noise := range []float64{0.1, 0.01} {
		for _, n := range []int{20, 50, 150} {
			var likelihood, covered [3]float64
			for seed := range draws {
				s := featuremap.NewSampler(uint64(400 + seed))
				k := featuremap.Gaussian{LengthScale: 1 + float64(seed%2)}
				x, y := processDraw(t, k, n+test, noise, s)
				phi := must(featuremap.NewFourier(k, 2, 400, s, nil))
				ownX, ownY := slice(x, y, 0, n)
				newX, newY := slice(x, y, n, n+test)
				for c := range likelihood {
					m := must(Fit(phi, ownX, ownY, &Options{Criterion: Criterion(c)}))
					var mean, variance mat.Dense
					m.PredictTo(&mean, newX)
					posteriorOf(m).VarianceTo(&variance, newX)
					for i := range test {
						v, d := variance.At(i, 0)+m.NoiseVariance()[0], newY.At(i, 0)-mean.At(i, 0)
						likelihood[c] -= 0.5 * (math.Log(2*math.Pi*v) + d*d/v) / test / float64(draws)
						if math.Abs(d) < 1.96*math.Sqrt(v) {
							covered[c] += 1 / float64(test*draws)
						}
					}
				}
			}
			t.Logf("noise %v, n = %d: log likelihood %.3f, covered %.3f (cautious, evidence, leave-one-out)", noise, n, likelihood, covered)
			if !(likelihood[GuardedEvidence] > likelihood[Evidence]-0.35) {
				t.Errorf("noise %v, n = %d: log likelihood %v, of the evidence %v", noise, n, likelihood[GuardedEvidence], likelihood[Evidence])
			}
			if !(covered[GuardedEvidence] > covered[Evidence]-0.03) {
				t.Errorf("noise %v, n = %d: covered %v, by the evidence %v", noise, n, covered[GuardedEvidence], covered[Evidence])
			}
		}
	}
}

// processDraw returns normal points in the plane with a function drawn from a Gaussian process, and noise.
func processDraw(t *testing.T, k featuremap.Kernel, n int, noise float64, s *featuremap.Sampler) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, k.Eval(x.RawRowView(i), x.RawRowView(j)))
		}
		gram.SetSym(i, i, gram.At(i, i)+1e-8)
	}
	var c mat.Cholesky
	if !c.Factorize(gram) {
		t.Fatal("the Gram matrix has no factor")
	}
	var l mat.TriDense
	c.LTo(&l)
	z := mat.NewDense(n, 1, nil)
	s.FillNormal(z.RawMatrix().Data)
	y.Mul(&l, z)
	y.Apply(func(_, _ int, v float64) float64 { return v + noise*s.Normal() }, y)
	return x, y
}

// Criteria that have nothing to choose, or no rows to choose by.
func TestCriterionWithoutChoice(t *testing.T) {
	phi := fourier(2, 12)
	x, y := data(50, 2, 2, 101)
	unknown := func(name string, m *Model) {
		t.Helper()
		if got := leftOutOf(m); len(got) != 2 || !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
			t.Errorf("%s: leave-one-out error %v", name, got)
		}
	}
	unknown("λ given", must(Fit(phi, x, y, &Options{Lambda: 1})))
	unknown("Evidence", must(Fit(phi, x, y, &Options{Criterion: Evidence})))
	a := must(NewAccumulator(phi, 2))
	if err := a.KeepRows(0); err != nil {
		t.Fatal(err)
	}
	addBatches(t, a, x, y, 50)
	m := must(a.Fit(nil))
	unknown("no rows kept", m)
	equal(t, "no rows kept", modelBits(m, x), modelBits(must(Fit(phi, x, y, &Options{Criterion: Evidence, Intervals: &IntervalOptions{Off: true}})), x))
	_, err := a.Fit(&Options{Criterion: LeaveOneOut})
	expectError(t, err, "ridge: Criterion = LeaveOneOut: the accumulator has kept 0 of 50 rows, must be 32 at least: see KeepRows")
	for _, c := range []Criterion{-1, 3} {
		_, err = Fit(phi, x, y, &Options{Criterion: c})
		expectError(t, err, fmt.Sprintf("ridge: Criterion = %d: must be GuardedEvidence, Evidence or LeaveOneOut", c))
	}
	if got := fmt.Sprint(GuardedEvidence, Evidence, LeaveOneOut, Criterion(7)); got != "GuardedEvidence Evidence LeaveOneOut Criterion(7)" {
		t.Error(got)
	}
	// A constant target next to another changes nothing; alone it leaves nothing to choose by, and the larger λ is taken.
	var both mat.Dense
	same := mat.NewDense(50, 1, slices.Repeat([]float64{7}, 50))
	both.Augment(y, same)
	one, two := must(Fit(phi, x, y, nil)), must(Fit(phi, x, &both, nil))
	if one.Lambda()[0] != two.Lambda()[0] || leftOutOf(two)[2] != 0 {
		t.Errorf("λ = %v and %v beside a constant target, errors %v", one.Lambda()[0], two.Lambda()[0], leftOutOf(two))
	}
	for c := GuardedEvidence; c <= LeaveOneOut; c++ {
		if m := must(Fit(phi, x, same, &Options{Path: []float64{1, 10, 0.1}, Criterion: c})); m.Lambda()[0] != 10 {
			t.Errorf("a constant target, %v: λ = %v", c, m.Lambda()[0])
		}
	}
}

// A model tells what it is, and of predictions far beyond its targets.
func TestModelString(t *testing.T) {
	phi := must(testkit.New(featuremap.Linear{}, 1, 1, featuremap.NewSampler(1)))
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 1000})
	y := mat.NewDense(5, 1, []float64{0, 1, 0, 1, 1})
	m := must(Fit(phi, x, y, &Options{Lambda: 1e-9}))
	// Left out, the last row is predicted by the line through the others, whose slope is .2: 0.2 + 0.2·1000.
	const want = "ridge: R^1 → 1 features → 1 target, 5 rows, λ = 1e-09 (given), " +
		"Gaussian intervals (the rows to leave out weigh 5: must weigh at least 19); target 0, from 0 to 1, is predicted as 200 for a row left out"
	if got := m.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for c := GuardedEvidence; c <= LeaveOneOut; c++ {
		m := must(Fit(phi, x, y, &Options{Path: []float64{1e-9}, Criterion: c}))
		if got, want := m.String(), fmt.Sprintf("(by %v)", c); !strings.Contains(got, want) || !strings.HasSuffix(got, "is predicted as 200 for a row left out") {
			t.Errorf("%v: %s", c, got)
		}
		if read, err := ReadModel(bytes.NewReader(written(m)), nil); err != nil || read.String() != m.String() {
			t.Errorf("%v: %v", err, read)
		}
	}
	read := must(ReadModel(bytes.NewReader(written(must(Fit(fourier(2, 8), mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), mat.NewVecDense(3, []float64{1, 2, 4}), nil)))), nil))
	if got := read.String(); !strings.HasPrefix(got, "ridge: R^2 → 8 features → 1 target, 3 rows, λ = ") || !strings.Contains(got, "(by GuardedEvidence), leave-one-out mean square error ") {
		t.Error(got)
	}
	if got := new(Model).String(); got != "ridge: the zero value of a Model" {
		t.Error(got)
	}
}

// What saves leaving rows out of the chosen model changes neither λ nor the weights.
func TestUnjudged(t *testing.T) {
	x, y := data(300, 2, 2, 5)
	for _, o := range []Options{{}, {Criterion: LeaveOneOut}, {Lambda: 0.1}} {
		want := must(Fit(fourier(2, 20), x, y, &o))
		linear.Of(&o).Unjudged = true
		m := must(Fit(fourier(2, 20), x, y, &o))
		if m.Lambda()[0] != want.Lambda()[0] || !mat.Equal(m.Weights(), want.Weights()) {
			t.Errorf("%v: λ = %v, want %v", o.Criterion, m.Lambda()[0], want.Lambda()[0])
		}
		if !math.IsNaN(leftOutOf(m)[0]) {
			t.Errorf("%v: a leave-one-out error of %v", o.Criterion, leftOutOf(m))
		}
	}
}
