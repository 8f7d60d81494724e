// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// kinked returns rows of a sum of functions of one column each that have kinks and steps, with noise.
func kinked(seed uint64, n, d int) (x, y *mat.Dense) {
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		var sum float64
		for j := range d {
			v := 2*s.Float64() - 1
			x.Set(i, j, v)
			sum += math.Abs(v)
			if v > 0.3 {
				sum += 0.5
			}
		}
		y.Set(i, 0, sum+0.05*s.Normal())
	}
	return x, y
}

// rmse returns the root mean square error of a model.
func rmse(m *ridge.Model, x, y *mat.Dense) float64 {
	var predicted mat.Dense
	m.PredictTo(&predicted, x)
	predicted.Sub(&predicted, y)
	n, _ := y.Dims()
	return mat.Norm(&predicted, 2) / math.Sqrt(float64(n))
}

// No Gaussian suits a sum over columns of functions with kinks: the sum that a bank has found predicts it with less error, on new rows, than a Gaussian
// of the length that is best on these very rows, of some an octave apart.
func TestBankOfKinks(t *testing.T) {
	fewFeatures(t)
	x, y := kinked(1, 250, 6)
	newX, newY := kinked(2, 2000, 6)
	r := must(Regression(x, y, nil))
	got, gaussian := rmse(r.Model, newX, newY), math.Inf(1)
	for _, length := range []float64{0.5, 1, 2, 4, 8} {
		phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: length}, x, 250, nil, nil))
		gaussian = min(gaussian, rmse(must(ridge.Fit(phi, x, y, nil)), newX, newY))
	}
	t.Logf("RMSE %.4f, of the best Gaussian %.4f", got, gaussian)
	if !(got < 0.8*gaussian) {
		t.Errorf("RMSE %.4f, of the best Gaussian %.4f: want 0.8 times that at most\n%v", got, gaussian, r)
	}
}

// Targets of noise alone are predicted as well as by their mean, whose error on 1,000 rows is 1 with a standard error of 1/√2000: a tenth more is 4.5
// of them, for fifty kernels and λ that are chosen by a few hundred rows.
func TestBankOfNoise(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(3)
	for _, n := range []int{60, 200} {
		x, y := mat.NewDense(n+1000, 5, nil), mat.NewDense(n+1000, 1, nil)
		s.FillNormal(x.RawMatrix().Data)
		s.FillNormal(y.RawMatrix().Data)
		r := must(Regression(x.Slice(0, n, 0, 5), y.Slice(0, n, 0, 1), nil))
		newX, newY := mat.DenseCopyOf(x.Slice(n, n+1000, 0, 5)), mat.DenseCopyOf(y.Slice(n, n+1000, 0, 1))
		if e := rmse(r.Model, newX, newY); e > 1.1 {
			t.Errorf("%d rows: RMSE %.3f, of the mean 1", n, e)
		}
	}
}

// The loss of the sum is not more than what the best of its kernels loses, its weights are positive and add up to 1, and it prints as Go.
func TestBlend(t *testing.T) {
	x, y := kinked(1, 120, 3)
	s := testStudy(t, x, y, nil)
	b := s.newBank()
	var members []*member
	for _, c := range []candidate{
		{"smooth", featuremap.Gaussian{LengthScale: 1}, nil, nil},
		{"rough", featuremap.Laplacian{LengthScale: 4}, nil, nil},
		{"useless", featuremap.Gaussian{LengthScale: 1e-3}, nil, nil},
	} {
		members = append(members, must(b.judge(gaussian, c, startPlace)))
	}
	sum := must(b.blend(members))
	for _, m := range members {
		if sum.loss > m.loss {
			t.Errorf("the sum loses %v, %s %v", sum.loss, m.name, m.loss)
		}
	}
	one := make([]float64, 3)
	if v := sum.kernel.Eval(one, one); math.Abs(v-1) > 1e-12 {
		t.Errorf("k(x, x) = %v, want 1: %v", v, sum.kernel)
	}
}

// testStudy returns the study of a regression of rows, none of which is held back.
func testStudy(t *testing.T, x, y *mat.Dense, o *Options) *study {
	t.Helper()
	s, err := newStudy(x, o)
	if err != nil {
		t.Fatal(err)
	}
	s.y, s.rest = y, s.all
	return s
}

// Test rows that are copies of training rows do not count for the length of intervals.
func TestUnseen(t *testing.T) {
	x, y := mat.NewDense(12, 2, nil), mat.NewDense(12, 1, nil)
	for i := range 12 {
		x.Set(i, 1, float64(i%8))
	}
	s := testStudy(t, x, y, nil)
	s.rest, s.held = numbers(6), []int{6, 7, 8, 9, 10, 11}
	if got := s.unseen(); !slices.Equal(got, []int{6, 7}) {
		t.Errorf("%v, want 6 and 7: the others are copies of 0 to 3", got)
	}
}

// Rows at the same point are one in the bank, with their weights and mean target.
func TestBankOfCopies(t *testing.T) {
	const n = 700
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i%7))
		y.Set(i, 0, float64(i%7+i/7))
	}
	s := testStudy(t, x, y, nil)
	c := s.copiesOf(s.rest)
	for i := range 7 { // the mean of 0 to 99 is 49.5
		if w, mean := c.weight(i), c.At(i, 0); w != 100 || math.Abs(mean-(49.5+float64(i))) > 1e-12 || c.of[i+693] != i {
			t.Errorf("point %d: weight %v, mean target %v, the last row is of point %d", i, w, mean, c.of[i+693])
		}
	}
	if m, _ := s.newBank().x.Dims(); m != 7 {
		t.Errorf("%d rows in the bank, want 7", m)
	}
}

// A row that is left out, with its copies, is predicted by a fit of all others with the same features and λ of each target, and the variance of its
// error is what that says.
func TestLeaveOut(t *testing.T) {
	const n, copied = 30, 4 // rows 0 to 3 are those that come last
	x, first := kinked(1, n, 2)
	y := mat.NewDense(n, 2, nil)
	weights := make([]float64, n)
	for i := range n {
		weights[i] = 1 + float64(i%3)
		y.SetRow(i, []float64{first.At(i, 0), 3 * x.At(i, 0)})
		if i >= n-copied {
			x.SetRow(i, x.RawRowView(i-(n-copied)))
		}
	}
	defer func(n int) { leastBank = n }(leastBank)
	leastBank = 10
	s := testStudy(t, x, y, &Options{Weights: weights})
	weights = s.Weights // scaled
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 12, nil, nil))
	lambdas := []float64{0.1, 3}
	z := &sized{phi: phi, copies: s.copiesOf(s.rest)}
	o := &ridge.Options{Path: lambdas, Weights: weights}
	lent.Of(o).Each = lambdas
	z.model = must(ridge.Fit(phi, x, y, o))
	l := s.leaveOut(z)
	for i := range n {
		others := append([]float64(nil), weights...)
		for j := range others {
			if z.copies.of[j] == z.copies.of[i] {
				others[j] = 0
			}
		}
		for target, lambda := range lambdas {
			without := must(ridge.Fit(phi, x, mat.NewDense(n, 1, mat.Col(nil, target, y)), &ridge.Options{Lambda: lambda, Weights: others}))
			mean, sd := without.Predict(x.RawRowView(i))
			ratio := lent.Of(z.model).Noise[target] / lent.Of(without).Noise[0] // σ² is that of all rows
			if e := y.At(i, target) - mean[0]; math.Abs(e-l.errors.At(i, target)) > 1e-9 {
				t.Errorf("row %d, target %d: error %v, want %v", i, target, l.errors.At(i, target), e)
			}
			if v := sd[0] * sd[0] * ratio; math.Abs(v-l.variances.At(i, target)) > 1e-9 {
				t.Errorf("row %d, target %d: variance %v, want %v", i, target, l.variances.At(i, target), v)
			}
		}
	}
}

// Rows that are there twice, target and all, tell no more than once: intervals of 90 % cover as many new targets as intervals of the rows once do, within four
// standard errors of 1,000, .04, and the error is no more than a tenth larger. (By rows left out one at a time they cover 1 to 24 %.)
func TestCoverageOfCopies(t *testing.T) {
	fewFeatures(t)
	const n, tested = 100, 1000
	s := featuremap.NewSampler(2)
	x, y := mat.NewDense(n+tested, 3, nil), mat.NewDense(n+tested, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n + tested {
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+x.At(i, 1)+0.3*s.Normal())
	}
	scoreOf := func(copies int) (coverage, error float64) {
		table, targets := mat.NewDense(copies*n, 3, nil), mat.NewDense(copies*n, 1, nil)
		for i := range copies * n {
			table.SetRow(i, x.RawRowView(i%n))
			targets.Set(i, 0, y.At(i%n, 0))
		}
		m := must(Regression(table, targets, nil)).Model
		for i := n; i < n+tested; i++ {
			mean, sd := m.Predict(x.RawRowView(i))
			e := y.At(i, 0) - mean[0]
			error += e * e / tested
			if math.Abs(e) < normal90*sd[0] {
				coverage += 1. / tested
			}
		}
		return coverage, math.Sqrt(error)
	}
	once, onceError := scoreOf(1)
	twice, twiceError := scoreOf(2)
	t.Logf("coverage %.3f and RMSE %.3f, of rows twice %.3f and %.3f", once, onceError, twice, twiceError)
	if math.Abs(twice-once) > 0.04 || twiceError > 1.1*onceError {
		t.Errorf("coverage %.3f and RMSE %.3f, of rows twice %.3f and %.3f", once, onceError, twice, twiceError)
	}
}

// A metric of columns by factors has the unit of the median distance, leaves out constant columns, and does not depend on the units of columns.
func TestWeighted(t *testing.T) {
	x, y := kinked(1, 100, 3)
	scaled := mat.NewDense(100, 4, nil)
	for i := range 100 {
		scaled.SetRow(i, []float64{1e6 * x.At(i, 0), 7, 1e-3 * x.At(i, 1), x.At(i, 2)})
	}
	a, b := testStudy(t, x, y, nil), testStudy(t, scaled, y, nil)
	for _, absolute := range []bool{false, true} {
		p := a.weighted("", a.view(nil), []float64{1, 2, 3}, absolute)
		q := b.weighted("", b.view(nil), []float64{1, 9, 2, 3}, absolute)
		base := featuremap.Kernel(featuremap.Gaussian{LengthScale: 1})
		if absolute {
			base = featuremap.Laplacian{LengthScale: 1}
		}
		var values []float64
		for i := range 50 {
			v, w := p.kernel(base, 1).Eval(x.RawRowView(i), x.RawRowView(99-i)), q.kernel(base, 1).Eval(scaled.RawRowView(i), scaled.RawRowView(99-i))
			if math.Abs(v-w) > 1e-12 {
				t.Fatalf("rows %d and %d: %v in units of the columns, %v", i, 99-i, w, v)
			}
			values = append(values, v)
		}
		slices.Sort(values)
		if m := values[25]; math.Abs(math.Log(m)) > 2 || math.Abs(math.Log(m)) < 0.3 {
			t.Errorf("the median value at length 1 is %v, want some e⁻¹ or e^(−1/2)", m)
		}
	}
}

// Rows in the order of time, of which the last are test rows, have a kernel of the bank only if pilots of the last of the others say so.
func TestBankOfTestRows(t *testing.T) {
	fewFeatures(t)
	x, y := kinked(1, 120, 3)
	r := must(Regression(x, y, &Options{TestRows: numbers(120)[100:]}))
	if text := r.String(); !strings.Contains(text, "shape") {
		t.Errorf("no pilots of kernels of the bank:\n%s", text)
	}
}

// Of two targets, one of which changes fast and the other slowly, one at least would have less error by a kernel of its own, and the report names it;
// of two that are alike none.
func TestTargetsOfTheirOwn(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(4)
	const n = 100
	x := mat.NewDense(n, 2, nil)
	s.FillNormal(x.RawMatrix().Data)
	for _, alike := range []bool{false, true} {
		y := mat.NewDense(n, 2, nil)
		for i := range n {
			a, b := x.At(i, 0), x.At(i, 1)
			first, second := a*b, math.Sin(4*(a+b))
			if alike {
				second = 1 - 2*first
			}
			y.SetRow(i, []float64{first + 0.01*s.Normal(), second + 0.01*s.Normal()})
		}
		text := must(Regression(x, y, nil)).String()
		if got := strings.Contains(text, "a kernel of their own"); got == alike {
			t.Errorf("targets that are alike %t: named %t\n%s", alike, got, text)
		}
	}
}

// Rows judge the kernels of a bank in the metric that other rows have taught. Column k tells the class of all rows but those that judge in fold k, for
// which the metric of fold k is column k: no kernel predicts its judges, though the metric of another fold does.
func TestBankOfFolds(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(1)
	x := mat.NewDense(160, 3, nil)
	s.FillNormal(x.RawMatrix().Data)
	study := testStudy(t, x, nil, nil)
	study.count = 2
	for range study.rest {
		study.classes = append(study.classes, s.IntN(2))
	}
	folds := study.folds()
	learned := &learnedStage{Choice: Choice{Name: "lengths"}, best: 1}
	for k, f := range folds {
		for _, i := range f.fit {
			x.Set(i, k, 4*float64(study.classes[i]))
		}
		for _, i := range f.check {
			x.Set(i, k, 2)
		}
		learned.kernels = append(learned.kernels, featuremap.Select([]int{k}, featuremap.Gaussian{LengthScale: 1}))
	}
	f := newField(study, folds, study.sampler)
	p := must(f.choosePilot(nil, &pilot{kernel: featuremap.Select([]int{2}, featuremap.Gaussian{LengthScale: 2}), way: clustered}))
	p.stages, p.stream, p.features = []*learnedStage{learned}, study.sampler, f.features
	b := must(study.newMembers(p))
	got := must(b.race(p, folds, b.members[1:3]))
	if got != p {
		t.Errorf("taken: %v, for the kernel of noise", got.kernel)
	}
}

// The same for targets: column k is the target of all rows but those that judge in fold k, where it has the other sign. A kernel with the
// metric of a fold has a smaller leave-one-out error than one of noise, but a larger one for these rows; one that all folds have
// learned from column 3 has not.
func TestWorseInFolds(t *testing.T) {
	fewFeatures(t)
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(160, 5, nil), mat.NewDense(160, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	study := testStudy(t, x, y, nil)
	folds := study.folds()
	for k, f := range folds {
		for _, i := range f.fit {
			x.Set(i, k, y.At(i, 0))
		}
		for _, i := range f.check {
			x.Set(i, k, -y.At(i, 0))
		}
	}
	for i := range 160 {
		x.Set(i, 3, y.At(i, 0))
	}
	b := study.newBank()
	of := func(columns ...int) *member {
		var folds []featuremap.Kernel
		for _, j := range columns {
			folds = append(folds, featuremap.Select([]int{j}, featuremap.Gaussian{LengthScale: 1}))
		}
		return must(b.judge(gaussian, candidate{"", folds[0], nil, folds}, startPlace))
	}
	noise, leaks, learned := of(4, 4, 4), of(0, 1, 2), of(3, 3, 3)
	if !(leaks.loss < 0.9*noise.loss) {
		t.Fatalf("leave-one-out errors of %v and %v", leaks.loss, noise.loss)
	}
	if got := b.optimismOf(leaks, folds); !(got > 1.03) || b.optimismOf(learned, folds) != 1 {
		t.Errorf("optimism %v, and %v of a metric that all folds share", got, b.optimismOf(learned, folds))
	}
	for m, want := range map[*member]bool{noise: false, leaks: true, learned: false} {
		if got := b.worseInFolds(m, noise, folds); got != want {
			t.Errorf("worse for rows that did not teach %v: %t", m.folds, got)
		}
	}
}
