// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// standardLetters returns rows of letter with standardized columns.
func standardLetters(t *testing.T, n int) *mat.Dense {
	t.Helper()
	x, err := allLetters()
	if err != nil {
		t.Fatal(err)
	}
	_, d := x.Dims()
	return mat.DenseCopyOf(x.Slice(0, n, 0, d))
}

// allLetters returns letter with standardized columns, which no one changes.
var allLetters = sync.OnceValues(func() (*mat.Dense, error) {
	x, _, err := dataset.Letter()
	if err != nil {
		return nil, err
	}
	rows, d := x.Dims()
	column := make([]float64, rows)
	for j := range d {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, x), nil)
		for i := range rows {
			x.Set(i, j, (x.At(i, j)-mean)/deviation)
		}
	}
	return x, nil
})

// directions returns rows of letter with standardized columns, divided by their norms.
func directions(t *testing.T, n int) *mat.Dense {
	x := standardLetters(t, n)
	for i := range n {
		row := x.RawRowView(i)
		norm := math.Sqrt(testkit.DotOf(row, row))
		for j := range row {
			row[j] /= norm
		}
	}
	return x
}

// Plans of the Gaussian kernel of the median distance on the directions of letter cut a series. Their errors over all pairs of 300 rows are
// .73 and .26 of those without bias, and as predicted to a tenth. The limits are absolute, since the map without bias may change: these
// are .01533 and .02096, .00354 and .01372.
func TestBiasedPlans(t *testing.T) {
	t.Parallel()
	x := directions(t, 300)
	k := Gaussian{LengthScale: 1.2}
	for _, c := range []struct {
		out              int
		biased, unbiased float64 // the largest errors
		kind             string
	}{{80, 0.0154, 0.0210, "up to degree 2, TensorSRHT"}, {160, 0.00355, 0.0138, "Taylor polynomial of degree 2"}}[:testkit.Times(1, 1, 2)] {
		p := testkit.Must(NewPlan(k, x, c.out, nil))
		q := testkit.Must(NewPlan(k, x, c.out, &PlanOptions{Unbiased: true}))
		t.Logf("%d columns: an error of %.5f, without bias %.5f", c.out, p.RMSE(), q.RMSE())
		if !(p.RMSE() <= c.biased) || !(q.RMSE() <= c.unbiased) {
			t.Errorf("%d columns: an error of %v, without bias %v", c.out, p.RMSE(), q.RMSE())
		}
		if s := p.String(); !strings.Contains(s, c.kind) || !strings.Contains(s, "is bias") {
			t.Errorf("%d columns: %v", c.out, s)
		}
		if s := q.String(); strings.Contains(s, "bias") || strings.Contains(s, "Taylor") || strings.Contains(s, "up to degree") {
			t.Errorf("%d columns, unbiased: %v", c.out, s)
		}
		if got, want := testkit.MeasuredRMSE(t, p, x, 12), p.RMSE(); !(math.Abs(got/want-1) <= 0.1) {
			t.Errorf("%d columns: measured %v, predicted %v", c.out, got, want)
		}
		rows := mat.DenseCopyOf(x.Slice(0, testkit.Times(50, 50, 300), 0, 16))
		of := testkit.Must(NewPlan(k, rows, c.out, nil))
		if got, want := of.RMSE(), math.Sqrt(testkit.MeanSquare(of, rows)); !(math.Abs(got/want-1) <= 1e-3) || !strings.Contains(of.String(), "is bias") {
			t.Errorf("%d columns: predicted %v, by Variance and Bias %v: %v", c.out, got, want, of)
		}
		for i := range 5 {
			if b := q.Bias(x.RawRowView(i), x.RawRowView(i+5)); b != 0 {
				t.Errorf("%d columns, unbiased: a Bias of %v", c.out, b)
			}
		}
	}
}

// Far out the features of a series that was cut go to 0, and so does the estimate; what is left is bounded by the kernel.
func TestBiasedPlansFarOut(t *testing.T) {
	x := directions(t, 300)
	p := testkit.Must(NewPlan(Gaussian{LengthScale: 1.2}, x, 80, nil))
	m := testkit.Must(p.Draw(NewSampler(1)))
	for _, factor := range []float64{3, 10, 1e3, 1e100} {
		y := make([]float64, 16)
		for j := range y {
			y[j] = factor * (1 + float64(j%3))
		}
		z := m.TransformVec(nil, y)
		if v := mat.Dot(mat.NewVecDense(len(z), z), mat.NewVecDense(len(z), z)); !(v <= 1e-3) {
			t.Errorf("%v times: ⟨φ(x), φ(x)⟩ = %v", factor, v)
		}
		if b := p.Bias(y, y); !(b >= -1.001 && b <= 0) {
			t.Errorf("%v times: a Bias of %v", factor, b)
		}
	}
}

// Features of no variance have as many degrees, or frequencies, as columns allow. The errors are those of rounding, and for fewer
// columns as predicted; random features have errors of .01 to 1.
func TestFewDimensions(t *testing.T) {
	t.Parallel()
	seasonal := Product(Periodic{Period: 1, LengthScale: 1}, Gaussian{LengthScale: 3})
	for _, c := range []struct {
		k     Kernel
		d     int
		out   int
		error float64 // over the root mean square of the kernel
	}{
		{ExpDot{LengthScale: 1}, 1, 100, 1e-15},
		{ExpDot{LengthScale: 1}, 1, 24, 1e-3},
		{ExpDot{LengthScale: 1}, 2, 1000, 1e-12},
		{Gaussian{LengthScale: 1}, 1, 100, 1e-15},
		{Gaussian{LengthScale: 0.1}, 1, 400, 1e-14},
		{Gaussian{LengthScale: 0.1}, 1, 60, 0.1},
		{Gaussian{LengthScale: 1}, 2, 100, 1e-2},
		{Gaussian{LengthScale: 1}, 3, 1000, 3e-2},
		{ARD([]float64{0.3, 2}, Gaussian{LengthScale: 1}), 2, 300, 1e-3},
		{Periodic{Period: 1, LengthScale: 1}, 1, 40, 1e-15},
		{Periodic{Period: 1, LengthScale: 1}, 2, 100, 1e-3},
		{seasonal, 1, 1000, 1e-14},
		{seasonal, 2, 1000, 2e-2},
		{Product(Select([]int{1}, Periodic{Period: 2, LengthScale: 1}), Select([]int{0}, Gaussian{LengthScale: 1}), Select([]int{2}, Gaussian{LengthScale: 2})), 3, 1000, 1e-3},
	} {
		n := testkit.Times(40, 40, 120)
		x := testkit.NormalPoints(5, n, c.d)
		p := testkit.Must(NewPlan(c.k, x, c.out, nil))
		var own float64
		for i := range n {
			for j := range i {
				own += square(c.k.Eval(x.RawRowView(i), x.RawRowView(j))) / float64(n*(n-1)/2)
			}
		}
		own = math.Sqrt(own)
		got, want := testkit.MeasuredRMSE(t, p, x, 1), p.RMSE()
		if !(want <= c.error*own) || !(got <= 1.1*want+1e-13*own) || !(got >= 0.9*want-1e-13*own) {
			t.Errorf("%v, d = %d, %d columns: measured %v, predicted %v, the kernel's own %v: %v", c.k, c.d, c.out, got, want, own, p)
		}
		v := p.Variance(x.RawRowView(0), x.RawRowView(1))
		if b := p.Bias(x.RawRowView(0), x.RawRowView(1)); math.IsNaN(b) || v != 0 {
			t.Errorf("%v, d = %d: Variance %v, Bias %v", c.k, c.d, v, b)
		}
	}
}

// Without points, and with Unbiased, Gaussian kernels have no map with a bias in few coordinates. Periodic ones have exact features.
func TestFewDimensionsUnbiased(t *testing.T) {
	x := testkit.NormalPoints(5, 100, 1)
	for i, o := range []PlanOptions{{In: 1}, {Unbiased: true}} {
		points := []mat.Matrix{nil, x}[i]
		for _, k := range []Kernel{Gaussian{LengthScale: 0.2}, Product(Periodic{Period: 1, LengthScale: 1}, Gaussian{LengthScale: 3})} {
			p := testkit.Must(NewPlan(k, points, 50, &o))
			if b := p.Bias([]float64{0.3}, []float64{1}); b != 0 || p.Variance([]float64{0.3}, []float64{1}) == 0 {
				t.Errorf("%v, %v: a Bias of %v: %v", k, o.Unbiased, b, PlanShape(p))
			}
		}
		p := testkit.Must(NewPlan(Periodic{Period: 1, LengthScale: 1}, points, 50, &o))
		if p.RMSE() != 0 {
			t.Errorf("Periodic: an error of %v", p.RMSE())
		}
	}
}

// Maps of plans with a bias conform, have a derivative, and are read as they were saved.
func TestBiasedConform(t *testing.T) {
	letters := directions(t, 200)
	for name, c := range map[string]struct {
		k      Kernel
		x      *mat.Dense
		out    int
		length float64
	}{
		"cut":     {Gaussian{LengthScale: 1.2}, letters, 80, 1.2},
		"Taylor":  {Gaussian{LengthScale: 1.2}, letters, 160, 1.2},
		"lattice": {Gaussian{LengthScale: 0.1}, testkit.NormalPoints(1, 100, 1), 60, 0.5},
		"seasons": {Product(Periodic{Period: 1, LengthScale: 1}, Gaussian{LengthScale: 3}), testkit.NormalPoints(1, 100, 2), 100, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, in := c.x.Dims()
			p := testkit.Must(NewPlan(c.k, c.x, c.out, nil))
			m := testkit.Must(p.Draw(NewSampler(1)))
			if _, err := Derivative(m); err != nil {
				t.Error(err)
			}
			a, b := c.x.RawRowView(0), c.x.RawRowView(1)
			q := savedPlan(t, p)
			if got, want := q.Bias(a, b), p.Bias(a, b); got != want {
				t.Errorf("Bias %v of the plan that was read, want %v", got, want)
			}
			n := testkit.Must(q.Draw(NewSampler(1)))
			for i, v := range n.TransformVec(nil, a) {
				if want := m.TransformVec(nil, a)[i]; v != want {
					t.Fatalf("feature %d: %v, want %v", i, v, want)
				}
			}
			testkit.Map(t, testkit.MapCase{
				New:        func(_, _ int, s *Sampler) (FeatureMap, error) { return p.Draw(s) },
				Dims:       []int{in},
				Pairs:      func(d int) []testkit.Pair { return testkit.Pairs(d, c.length) },
				Reads:      func(_ FeatureMap, feature, _ int) bool { return true }, // through the weight, or the window
				HeavyTails: true,
			})
		})
	}
}

// Where nothing is random, the estimate less its bias is the kernel's value.
func TestBiasOfExact(t *testing.T) {
	for _, k := range []Kernel{Gaussian{LengthScale: 1}, Gaussian{LengthScale: 0.1}, Sum(Linear{}, Gaussian{LengthScale: 0.1})} {
		x := testkit.NormalPoints(1, 100, 1)
		m := testkit.Must(testkit.Must(NewPlan(k, x, 40, nil)).Draw(NewSampler(1)))
		a, b := x.RawRowView(0), x.RawRowView(1)
		bias := m.(interface{ Bias(x, y []float64) float64 }).Bias(a, b)
		if got, want := testkit.DotOf(m.TransformVec(nil, a), m.TransformVec(nil, b))-bias, k.Eval(a, b); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%v: an estimate less bias of %v, want %v", k, got, want)
		}
	}
}

// A law for norms above 9 is one for these norms: by the law for norm 1 the variance was infinite.
func TestLawsOfLargeNorms(t *testing.T) {
	x := testkit.ScaledNormals(3, 60, 5, 4.5)
	for _, o := range []PlanOptions{{}, {Unbiased: true}} {
		p := testkit.Must(NewPlan(Dot(series.SineDual{Rate: 1}), x, 100, &o))
		if !(p.RMSE() < math.Inf(1)) {
			t.Errorf("a predicted error of %v: %v", p.RMSE(), p)
		}
	}
}

// Of Fourier maps of whole blocks and of one block that is cut, plans take the one with less error, though the other may have
// the least error far out.
func TestCutBlocksFarOut(t *testing.T) {
	x := standardLetters(t, 300)
	p := testkit.Must(NewPlan(Gaussian{LengthScale: 5.33}, x, 80, &PlanOptions{Unbiased: true}))
	if shape := strings.Join(PlanShape(p), ", "); !strings.Contains(shape, "64 columns") {
		t.Errorf("%v, want the 64 columns of two whole blocks", shape)
	}
}

// Structured frequencies of less than one block are taken, of about a tenth more error than orthogonal ones at a fifth of their time.
func TestCutStructuredBlock(t *testing.T) {
	x := testkit.NormalPoints(1, 40, 784)
	x.Scale(1./28, x)
	for _, points := range []mat.Matrix{nil, x} {
		p := testkit.Must(NewPlan(Matern{Nu: 1.5, LengthScale: 1}, points, 1000, &PlanOptions{In: 784}))
		if shape := strings.Join(PlanShape(p), ", "); !strings.Contains(shape, "Structured") {
			t.Errorf("%v", shape)
		}
	}
}

// The biases of the terms of a sum add up, not their squares: predicted as if they were proportional to each other. Before, the
// error of this plan was predicted as .080, and was .092.
func TestBiasedSum(t *testing.T) {
	t.Parallel()
	digits, _, err := dataset.Digits()
	if err != nil {
		t.Fatal(err)
	}
	k := Sum(Scale(2, Gaussian{LengthScale: 0.7}), Linear{}, Product(Gaussian{LengthScale: 1}, Linear{}))
	x := testkit.UnitRows(digits, testkit.Times(36, 36, 100))
	p := testkit.Must(NewPlan(k, x, 440, nil))
	got, want := p.RMSE(), math.Sqrt(testkit.MeanSquare(p, x))
	t.Logf("predicted %v, by Variance and Bias %v", got, want)
	if !(math.Abs(got/want-1) <= 0.05) {
		t.Errorf("predicted %v, by Variance and Bias %v", got, want)
	}
}
