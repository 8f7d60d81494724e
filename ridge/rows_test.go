// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// far returns the largest difference of two matrices, over the largest number of the second.
func far(a, b mat.Matrix) (most float64) {
	r, c := b.Dims()
	var size float64
	for i := range r {
		for j := range c {
			most, size = max(most, math.Abs(a.At(i, j)-b.At(i, j))), max(size, math.Abs(b.At(i, j)))
		}
	}
	return most / max(size, math.SmallestNonzeroFloat64)
}

// Both sides have one model: λ, weights, evidence, noise, errors of rows left out, variances, gradients, joint covariances, and intervals, also of copies, groups and weights, and after a file.
func TestSides(t *testing.T) {
	const n, out = 60, 120
	x, y := data(n, 3, 2, 5)
	for i := range 3 { // copies
		x.SetRow(n-1-i, x.RawRowView(i))
	}
	test, _ := data(30, 3, 1, 6)
	weights, noise, groups := make([]float64, n), make([]float64, n), make([]int, n)
	for i := range n {
		weights[i], noise[i], groups[i] = 0.5+float64(i%4), 0.01+0.02*float64(i%3), i/4
	}
	weights[7] = 0
	for name, o := range map[string]*Options{
		"default":            {},
		"weights":            {Weights: weights},
		"no intercept":       {NoIntercept: true, Weights: weights},
		"leave-one-out":      {Criterion: LeaveOneOut, SharedLambda: true},
		"evidence":           {Criterion: Evidence},
		"given":              {Lambda: 0.01},
		"noise":              {NoiseVariance: []float64{0.02}},
		"noises":             {NoiseVariance: noise, Weights: weights},
		"groups":             {Intervals: &IntervalOptions{Groups: groups}},
		"groups and weights": {Weights: weights, Intervals: &IntervalOptions{Groups: groups}},
		"no variance":        {Intervals: &IntervalOptions{NoVariance: true}},
	} {
		for k, phi := range []featuremap.FeatureMap{
			fourier(3, out),
			must(testkit.New(featuremap.Sum(featuremap.Gaussian{LengthScale: 2}, featuremap.Linear{}), 3, 200, featuremap.NewSampler(1))),
			must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x.Slice(0, 40, 0, 3), 40, featuremap.NewSampler(1), nil)),
		} {
			if random := k == 0; !random && !testkit.Long() && !slices.Contains([]string{"default", "given", "noises", "groups and weights"}, name) {
				continue // all maps with what differs most
			}
			by := func(side Side) *Model {
				o := *o
				o.Side = side
				return must(Fit(phi, x, y, &o))
			}
			features, rows := by(FeatureSide), by(RowSide)
			what := fmt.Sprintf("%s, %T", name, phi)
			if features.Side() != FeatureSide || rows.Side() != RowSide {
				t.Fatalf("%s: sides %v and %v", what, features.Side(), rows.Side())
			}
			read := must(ReadModel(bytes.NewReader(written(rows)), nil))
			equal(t, what+": a file", modelBits(read, test), modelBits(rows, test))
			if condition, _ := features.Condition(); condition > 1e8 {
				t.Logf("%s: a condition of %.1g", what, condition)
			}
			limit := 1e-9
			if _, ok := phi.(*featuremap.Nystrom); ok && o.Lambda > 0 { // the features' side estimates the degrees of freedom
				limit = 5e-3
			}
			check := func(of string, a, b mat.Matrix) {
				t.Helper()
				if d := far(a, b); !(d < limit) {
					t.Errorf("%s: %s: %.2g", what, of, d)
				}
			}
			vec := func(v ...float64) mat.Matrix { return mat.NewVecDense(len(v), v) }
			check("λ", vec(rows.Lambda()...), vec(features.Lambda()...))
			check("weights", rows.Weights(), features.Weights())
			check("intercept", vec(rows.Intercept()...), vec(features.Intercept()...))
			check("evidence", vec(evidenceOf(rows)), vec(evidenceOf(features)))
			check("noise", vec(rows.NoiseVariance()...), vec(features.NoiseVariance()...))
			if errors, ok := features.LeaveOneOutMSE(); ok {
				got, _ := rows.LeaveOneOutMSE()
				check("leave-one-out", vec(got...), vec(errors...))
			}
			var a, b mat.Dense
			posteriorOf(rows).VarianceTo(&a, test)
			posteriorOf(features).VarianceTo(&b, test)
			check("variances", &a, &b)
			for i := range 3 {
				equal(t, what+": a row", bits(posteriorOf(rows).VarianceVec(nil, test.RawRowView(i))), bits(a.RawRowView(i)))
			}
			check("variance gradient", vec(posteriorOf(rows).VarianceGradientVec(nil, test.RawRowView(0), 1)...), vec(posteriorOf(features).VarianceGradientVec(nil, test.RawRowView(0), 1)...))
			_, c := posteriorOf(rows).Joint(test, 1)
			_, d := posteriorOf(features).Joint(test, 1)
			check("joint covariance", c, d)
			if rows.IntervalRows() != features.IntervalRows() {
				t.Errorf("%s: intervals by %d and %d rows", what, rows.IntervalRows(), features.IntervalRows())
			}
			var lo, hi, low, high mat.Dense
			rows.IntervalTo(&lo, &hi, test, 0.8)
			features.IntervalTo(&low, &high, test, 0.8)
			check("intervals", &lo, &low)
			check("intervals", &hi, &high)
		}
	}
}

// Errors of rows left out are those of fits of the others, in 200 bits, where λ is a millionth of the mean square of features.
func TestLeaveOneOutExact(t *testing.T) {
	const n, out, digits = 16, 48, 1e-12
	x, y := data(n, 3, 2, 5)
	phi := fourier(3, out)
	features := mat.NewDense(n, out, nil)
	phi.TransformTo(features, x)
	var trace float64
	for j := range out {
		column := mat.Col(nil, j, features)
		trace += float64(n-1) * stat.Variance(column, nil)
	}
	lambda := 1e-6 * trace / out
	m := must(Fit(phi, x, y, &Options{Path: []float64{lambda}, Criterion: LeaveOneOut}))
	got, _ := m.LeaveOneOutMSE()
	for target := range 2 {
		sum := exact(0)
		for left := range n {
			e := exactError(features, mat.Col(nil, target, y), lambda, left)
			sum.Add(sum, e.Mul(e, e))
		}
		want, _ := sum.Quo(sum, exact(n)).Float64()
		if !(math.Abs(got[target]/want-1) < digits) {
			t.Errorf("target %d: %v, want %v, off by %.2g", target, got[target], want, got[target]/want-1)
		}
	}
}

// exact returns a number of 200 bits.
func exact(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }

// exactError returns the error of a row that is predicted by kernel ridge regression on the others, (K + λI)α + b = y, Σα = 0.
func exactError(features *mat.Dense, y []float64, lambda float64, left int) *big.Float {
	n, _ := features.Dims()
	var rest []int
	for i := range n {
		if i != left {
			rest = append(rest, i)
		}
	}
	product := func(i, j int) *big.Float {
		sum := exact(0)
		for k, v := range features.RawRowView(i) {
			sum.Add(sum, new(big.Float).Mul(exact(v), exact(features.At(j, k))))
		}
		return sum
	}
	rows := make([][]*big.Float, n) // and the right-hand side
	for p := range rows {
		rows[p] = make([]*big.Float, n+1)
		for q := range rows[p] {
			switch {
			case p == n-1 && q >= n-1:
				rows[p][q] = exact(0)
			case q == n:
				rows[p][q] = exact(y[rest[p]])
			case p == n-1 || q == n-1:
				rows[p][q] = exact(1)
			default:
				rows[p][q] = product(rest[p], rest[q])
			}
		}
		if p < n-1 {
			rows[p][p].Add(rows[p][p], exact(lambda))
		}
	}
	for k := range n { // K + λI is positive definite: no pivots are chosen
		for p := range n {
			if p == k {
				continue
			}
			f := new(big.Float).Quo(rows[p][k], rows[k][k])
			for q := k; q <= n; q++ {
				rows[p][q].Sub(rows[p][q], new(big.Float).Mul(f, rows[k][q]))
			}
		}
	}
	e := exact(y[left])
	for p, i := range rest {
		e.Sub(e, new(big.Float).Mul(new(big.Float).Quo(rows[p][n], rows[p][p]), product(left, i)))
	}
	return e.Sub(e, new(big.Float).Quo(rows[n-1][n], rows[n-1][n-1]))
}

// A fit on either side. The rows' side is at least as fast up to some share of rows a feature: see rowShare.
func BenchmarkSides(b *testing.B) {
	for _, c := range []struct{ n, out int }{{200, 10_000}, {1000, 2000}, {1500, 2000}, {2000, 2000}, {3000, 2000}, {200, 400}, {50, 100}} {
		x, y := data(c.n, 8, 1, 1)
		phi := fourier(8, c.out)
		for _, side := range []Side{RowSide, FeatureSide} {
			if side == FeatureSide && c.out > 2000 {
				continue // 42 s
			}
			b.Run(fmt.Sprintf("%d×%d/%v", c.n, c.out, side), func(b *testing.B) {
				for b.Loop() {
					must(Fit(phi, x, y, &Options{Side: side}))
				}
			})
		}
	}
}

// Few rows go to the rows' side, lists of non-zeros too, with the same bits; many do not. A file has the rows.
func TestAutoSide(t *testing.T) {
	x := testkit.Thin(featuremap.NewSampler(1), 50, 30, 0.2)
	y := mat.NewDense(50, 1, nil)
	y.Apply(func(i, _ int, _ float64) float64 { return x.At(i, 0) + x.At(i, 1) }, y)
	dense := must(Fit(fourier(30, 100), x, y, nil))
	lists := must(Fit(fourier(30, 100), testkit.NewLists(x), y, nil))
	if dense.Side() != RowSide || lists.Side() != RowSide {
		t.Errorf("50 rows, 100 features: sides %v and %v", dense.Side(), lists.Side())
	}
	equal(t, "lists", modelBits(lists, x), modelBits(dense, x))
	for name, m := range map[string]*Model{"dense": dense, "lists": lists} {
		file := written(m)
		read := must(ReadModel(bytes.NewReader(file), nil))
		equal(t, name, modelBits(read, x), modelBits(m, x))
		if read.Side() != RowSide || read.String() != m.String() || !bytes.Equal(written(read), file) {
			t.Errorf("%s: %v after a file, want %v", name, read, m)
		}
		mean := must(ReadModel(bytes.NewReader(written(m.MeanOnly())), nil))
		if _, err := mean.Posterior(); err == nil || mean.Side() != RowSide {
			t.Errorf("%s: a posterior without rows: side %v", name, mean.Side())
		}
		if size := len(written(m.MeanOnly())); len(file)-size < 8*(50*51/2+50) {
			t.Errorf("%s: %d bytes, and %d of the mean", name, len(file), size)
		}
	}
	if m := must(Fit(fourier(30, 99), x, y, nil)); m.Side() != FeatureSide {
		t.Errorf("50 rows, 99 features: side %v", m.Side())
	}
	if got := fmt.Sprint(AutoSide, FeatureSide, RowSide, Side(5)); got != "AutoSide FeatureSide RowSide Side(5)" {
		t.Error(got)
	}
}

// Rows that are changed after a fit change nothing of it, though its variances need them later.
func TestRowsAreCopied(t *testing.T) {
	x, y := data(20, 2, 1, 1)
	test, _ := data(5, 2, 1, 2)
	phi, own := fourier(2, 60), mat.DenseCopyOf(x)
	m := must(Fit(phi, own, y, &Options{Weights: slices.Repeat([]float64{2}, 20)}))
	own.Zero()
	equal(t, "variances", modelBits(m, test), modelBits(must(Fit(phi, x, y, &Options{Weights: slices.Repeat([]float64{2}, 20)})), test))
}

// What has no rows' side, or no solution there, is refused.
func TestRowSideRefuses(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(20, 2, 1, 1)
	_, err := Fit(phi, x, y, &Options{Side: 3})
	expectError(t, err, "ridge: Side = 3: must be AutoSide, FeatureSide or RowSide")
	const rows = "ridge: Side = RowSide: it is for the function Fit, which has all rows"
	a := must(NewAccumulator(phi, 1))
	addBatches(t, a, x, y, 20)
	_, err = a.Fit(&Options{Side: RowSide})
	expectError(t, err, rows)
	_, err = FitBatches(phi, func(func(Batch, error) bool) {}, &Options{Side: RowSide})
	expectError(t, err, rows)
	_, err = Fit(phi, x, y, &Options{Path: []float64{0}})
	expectError(t, err, "ridge: λ = 0: 20 rows do not determine the weights of 40 features and the intercept: λ must be positive")
	_, err = Fit(fourier(2, 4), x, y, &Options{Path: []float64{0}, Side: RowSide})
	expectError(t, err, "ridge: λ = 0 and RowSide: must be positive, or on the features' side")
	if m := must(Fit(phi, x, y, &Options{Path: []float64{0, 1}})); m.Lambda()[0] != 1 || m.Side() != RowSide {
		t.Errorf("λ = %v of 0 and 1, side %v", m.Lambda(), m.Side())
	}
	_, err = Fit(phi, x, y, &Options{Progress: func(int) error { return io.EOF }})
	if !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(7, 1, math.NaN())
	_, err = Fit(phi, bad, y, nil)
	expectError(t, err, "ridge: x: row 7, column 1 = NaN: must be finite")
	linear := must(testkit.New(featuremap.Linear{}, 2, 2, featuremap.NewSampler(1)))
	bad.Set(7, 1, 1e200)
	_, err = Fit(linear, bad, y, &Options{Side: RowSide})
	if err == nil || !strings.HasPrefix(err.Error(), "ridge: x: row 7: feature ") || !strings.HasSuffix(err.Error(), ": must be finite and less than 2^484 in magnitude") {
		t.Error(err)
	}
	bad.Scale(1e-170, x)
	_, err = Fit(linear, bad, y, &Options{Side: RowSide})
	if err == nil || !strings.HasPrefix(err.Error(), "ridge: x: squares of all features underflow, such as of feature 0") {
		t.Error(err)
	}
	if m := must(Fit(linear, mat.NewDense(20, 2, slices.Repeat([]float64{3, 7}, 20)), y, &Options{Side: RowSide})); mat.Norm(m.Weights(), 1) != 0 {
		t.Errorf("constant features have the weights %v", m.Weights())
	}
}

// A fit that does not fit in memory on one side is one of the other; if on neither, both figures are told.
func TestSidesInMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	x, y := data(300, 2, 1, 1)
	if m := must(Fit(fourier(2, 20_000), x, y, nil)); m.Side() != RowSide {
		t.Errorf("300 rows, 20,000 features in 1 GB: side %v", m.Side())
	}
	x, y = data(20_000, 2, 1, 1)
	if m := must(Fit(fourier(2, 30), x, y, nil)); m.Side() != FeatureSide {
		t.Errorf("20,000 rows, 30 features in 1 GB: side %v", m.Side())
	}
	_, err := Fit(fourier(2, 50_000), x, y, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "ridge: a fit of 20000 rows and 50000 features takes 1.28e+10 bytes on the rows' side, and 2.01e+10 on the features' side: there are ") ||
		!strings.HasSuffix(err.Error(), "; FitIterative needs neither") {
		t.Error(err)
	}
}

// Draws on the rows' side have the covariance of Joint: z-scores of means and products of 4,000 draws, whose limit of 5 is passed once in 10⁵ tests of this many.
func TestSampleByRows(t *testing.T) {
	const draws, limit = 4000, 5
	x, y := data(12, 2, 1, 1)
	at, _ := data(4, 2, 1, 2)
	m := must(Fit(fourier(2, 40), x, y, &Options{Lambda: 0.1}))
	mean, c := posteriorOf(m).Joint(at, 0)
	s := featuremap.NewSampler(3)
	sums, products := mat.NewVecDense(4, nil), mat.NewSymDense(4, nil)
	for range draws {
		f := mat.NewVecDense(4, targetwise(values(must(posteriorOf(m).Sample(s)), at)))
		f.SubVec(f, mat.NewVecDense(4, mean))
		sums.AddScaledVec(sums, 1.0/draws, f)
		products.SymRankOne(products, 1.0/draws, f)
	}
	for i := range 4 {
		if z := sums.AtVec(i) / math.Sqrt(c.At(i, i)/draws); !(math.Abs(z) < limit) {
			t.Errorf("mean %d: score %.1f", i, z)
		}
		for j := range i + 1 {
			want := c.At(i, j)
			if z := (products.At(i, j) - want) / math.Sqrt((c.At(i, i)*c.At(j, j)+want*want)/draws); !(math.Abs(z) < limit) {
				t.Errorf("covariance of %d and %d is %v, want %v: score %.1f", i, j, products.At(i, j), want, z)
			}
		}
	}
}

// Changed numbers of rows are refused behind a right checksum.
func TestRowsHostile(t *testing.T) {
	x, y := data(20, 2, 1, 1)
	file := written(must(Fit(fourier(2, 40), x, y, &Options{Weights: slices.Repeat([]float64{2}, 20), Intervals: &IntervalOptions{Off: true}})))
	for name, change := range map[string][2]string{
		"a coordinate": {`"in":2,"numbers":40`, `"in":1,"numbers":40`},
		"three":        {`"in":2,"numbers":40`, `"in":3,"numbers":40`},
		"none":         {`"in":2,"numbers":40`, `"in":0,"numbers":40`},
		"more numbers": {`"in":2,"numbers":40`, `"in":2,"numbers":41`},
		"negative":     {`"in":2,"numbers":40`, `"in":2,"numbers":-40`},
		"no weights":   {`"weighted":true`, `"weighted":false`},
		"rows":         {`"rows":20`, `"rows":19`},
		"2⁶²":          {`"rows":20`, `"rows":4611686018427387904`},
		"no side":      {`,"rowSide":{"in":2,"numbers":40,"weighted":true}`, ``},
	} {
		bad := withDocument(file, change[0], change[1])
		if bytes.Equal(bad, file) {
			t.Fatalf("%s: %q is not in the file", name, change[0])
		}
		if m, err := ReadModel(bytes.NewReader(bad), nil); err == nil || m != nil || !strings.HasPrefix(err.Error(), "ridge: ") {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	end := len(file) - sha256.Size
	for name, change := range map[string]struct {
		at int // numbers from the end: 20 weights, 40 coordinates, 20 entries, and the factor before
		v  float64
	}{
		"a weight of 0": {1, 0}, "a weight of NaN": {20, math.NaN()}, "a coordinate of Inf": {21, math.Inf(1)}, "entries of 1.5": {61, 1.5},
		"entries of −2": {62, -2}, "all entries": {80, 40}, "a pivot of 0": {81, 0},
	} {
		bad := resealed(file, func(b []byte) { binary.LittleEndian.PutUint64(b[end-8*change.at:], math.Float64bits(change.v)) })
		if m, err := ReadModel(bytes.NewReader(bad), nil); err == nil || m != nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Of thirty classes of two rows each, and three columns of large numbers that tell nothing, the squared error is least where predictions are next to
// nothing, and names are bad: 93 % wrong. λ is one that names rows left out well, with which 34 % are.
func TestLabelsOfFewRows(t *testing.T) {
	const classes, each, in = 30, 2, 60
	s := featuremap.NewSampler(1)
	centers := mat.NewDense(classes, in, nil)
	s.FillNormal(centers.RawMatrix().Data)
	rows := func(each int) (*mat.Dense, []int) {
		x, of := mat.NewDense(classes*each, in, nil), make([]int, classes*each)
		for i := range of {
			of[i] = i % classes
			for j := range in {
				x.Set(i, j, centers.At(of[i], j)+1.5*s.Normal())
			}
			for j := range 3 { // of large numbers that tell nothing
				x.Set(i, j, 20*s.Normal())
			}
		}
		return x, of
	}
	x, of := rows(each)
	test, want := rows(20)
	phi := must(testkit.New(featuremap.Linear{}, in, in, featuremap.NewSampler(2)))
	wrong := func(side Side) (share float64) {
		m := must(Fit(phi, x, must(Labels(of, classes)), &Options{Side: side}))
		var scores mat.Dense
		m.PredictTo(&scores, test)
		for i, label := range want {
			if row := scores.RawRowView(i); slices.Index(row, slices.Max(row)) != label {
				share += 1 / float64(len(want))
			}
		}
		return share
	}
	if by, before := wrong(RowSide), wrong(FeatureSide); !(by < 0.7*before) {
		t.Errorf("%.3f of new rows have wrong names, by the squared error alone %.3f", by, before)
	}
}
