// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// repeated returns each row as often as its weight, a whole number, says.
func repeated(x, y *mat.Dense, weights []float64) (*mat.Dense, *mat.Dense) {
	var px, py []float64
	for i, w := range weights {
		for range int(w) {
			px, py = append(px, x.RawRowView(i)...), append(py, y.RawRowView(i)...)
		}
	}
	_, in := x.Dims()
	_, targets := y.Dims()
	return mat.NewDense(len(px)/in, in, px), mat.NewDense(len(py)/targets, targets, py)
}

// weighted returns an accumulator of rows with weights, added in batches.
func weighted(phi featuremap.FeatureMap, x, y *mat.Dense, weights []float64, batch int) *Accumulator {
	_, targets := y.Dims()
	a := must(NewAccumulator(phi, targets))
	for lo := 0; lo < len(weights); lo += batch {
		hi := min(lo+batch, len(weights))
		px, py := slice(x, y, lo, hi)
		if err := a.AddWeighted(px, py, weights[lo:hi]); err != nil {
			panic(err)
		}
	}
	return a
}

// A row of weight 2 is the row twice, and so on, in weights, intercepts, noise, evidence, variance, λ, and the draws of the
// posterior: to 1e-10, as λ of 1e-3 leaves 1e5 roundings.
func TestWeightsRepeat(t *testing.T) {
	phi := fourier(2, 40)
	x, y := data(300, 2, 2, 600)
	test, _ := data(20, 2, 1, 601)
	weights := make([]float64, 300)
	for i := range weights {
		weights[i] = float64(i * 7 % 4)
	}
	rx, ry := repeated(x, y, weights)
	for _, o := range []Options{{Lambda: 1e-3}, {Lambda: 1, NoIntercept: true}, {Criterion: Evidence}, {Criterion: Evidence, NoIntercept: true}} {
		want := must(Fit(phi, rx, ry, &o))
		withWeights := o
		withWeights.Weights = weights
		for name, m := range map[string]*Model{
			"Fit":         must(Fit(phi, x, y, &withWeights)),
			"lists":       must(Fit(phi, testkit.NewLists(x), shy{y}, &withWeights)),
			"AddWeighted": must(weighted(phi, x, y, weights, 90).Fit(&o)),
		} {
			name := fmt.Sprintf("%s, %+v", name, o)
			near(t, name+": λ", m.Lambda()[0], want.Lambda()[0], 1e-10*want.Lambda()[0])
			near(t, name+": evidence", evidenceOf(m), evidenceOf(want), 1e-10*math.Abs(evidenceOf(want)))
			for what, f := range map[string]func(m *Model) *mat.Dense{
				"weights":    func(m *Model) *mat.Dense { return m.Weights() },
				"intercepts": func(m *Model) *mat.Dense { return mat.NewDense(1, 2, m.Intercept()) },
				"noise":      func(m *Model) *mat.Dense { return mat.NewDense(1, 2, m.NoiseVariance()) },
				"variance":   func(m *Model) *mat.Dense { var v mat.Dense; posteriorOf(m).VarianceTo(&v, test); return &v },
				"a sample":   func(m *Model) *mat.Dense { return values(must(posteriorOf(m).Sample(featuremap.NewSampler(1))), test) },
			} {
				if what == "intercepts" && o.NoIntercept {
					continue
				}
				if e := relative(f(m), f(want)); !(e <= 1e-10) {
					t.Errorf("%s: %s are off by %.1e", name, what, e)
				}
			}
		}
	}
}

// A row of weight 0 is not there: models and files have the same bits without it, whatever is in it. Weights of 1 are as no weights.
func TestWeightsZeroAndOne(t *testing.T) {
	phi := fourier(2, 24)
	x, y := data(400, 2, 1, 602)
	weights, ones := weightsFrom(400, 1), slices.Repeat([]float64{1}, 400)
	var left []int
	for i, w := range weights {
		if w > 0 {
			left = append(left, i)
		} else {
			x.Set(i, 1, []float64{math.NaN(), math.Inf(1), 5}[i%3])
			y.Set(i, 0, []float64{1e300, math.NaN(), math.Inf(-1)}[i/5%3])
		}
	}
	lx, ly, lw := mat.NewDense(len(left), 2, nil), mat.NewDense(len(left), 1, nil), make([]float64, len(left))
	for k, i := range left {
		lx.SetRow(k, x.RawRowView(i))
		ly.SetRow(k, y.RawRowView(i))
		lw[k] = weights[i]
	}
	for _, c := range []Criterion{GuardedEvidence, Evidence, LeaveOneOut} {
		m := must(Fit(phi, x, y, &Options{Criterion: c, Weights: weights}))
		want := must(Fit(phi, lx, ly, &Options{Criterion: c, Weights: lw}))
		if !bytes.Equal(written(m), written(want)) {
			t.Errorf("%v: rows of weight 0 change the model", c)
		}
	}
	for _, batch := range []int{1, 50, 400} {
		if !bytes.Equal(encoded(weighted(phi, x, y, weights, batch)), encoded(weighted(phi, lx, ly, lw, 70))) {
			t.Errorf("batches of %d: rows of weight 0 change the accumulator", batch)
		}
	}
	a := weighted(phi, x, y, weights, 400)
	before := encoded(a)
	if err := a.AddWeighted(x, y, make([]float64, 400)); err != nil || !bytes.Equal(encoded(a), before) || a.Rows() != len(left) {
		t.Errorf("rows without weight: %v, %d rows", err, a.Rows())
	}
	plain := must(NewAccumulator(phi, 1))
	addBatches(t, plain, lx, ly, 100)
	if !bytes.Equal(encoded(weighted(phi, lx, ly, ones[:len(left)], 30)), encoded(plain)) {
		t.Error("weights of 1 change the accumulator")
	}
	m, want := must(Fit(phi, lx, ly, &Options{Weights: ones[:len(left)]})), must(Fit(phi, lx, ly, nil))
	if !bytes.Equal(written(m), written(want)) {
		t.Error("weights of 1 change the model")
	}
}

// The leave-one-out error is the weighted mean of the errors of fits without a row, all its weight, and the criterion takes the
// least; of the rows that an accumulator has kept too. Errors of the fits are off by 1e-9.
func TestWeightsLeaveOneOut(t *testing.T) {
	const n = 40
	phi := fourier(2, 16)
	x, y := data(n, 2, 2, 603)
	weights := make([]float64, n)
	var all float64
	for i := range weights {
		weights[i] = math.Exp(float64(i*i%7)) / 20
		all += weights[i]
	}
	for _, noIntercept := range []bool{false, true} {
		best, lambdas := math.Inf(1), []float64{1e-3, 0.1, 10}
		var bestLambda float64
		variances := make([]float64, 2) // as errors are added up
		for target := range 2 {
			mean := 0.0
			for i, w := range weights {
				mean += w * y.At(i, target) / all
			}
			for i, w := range weights {
				variances[target] += w * (y.At(i, target) - mean) * (y.At(i, target) - mean) / all
			}
		}
		for _, lambda := range lambdas {
			want := make([]float64, 2)
			for i := range n {
				others := slices.Clone(weights)
				others[i] = 0
				m := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: noIntercept, Weights: others}))
				for target, p := range m.PredictVec(nil, x.RawRowView(i)) {
					want[target] += weights[i] * (p - y.At(i, target)) * (p - y.At(i, target)) / all
				}
			}
			o := Options{Path: []float64{lambda}, Criterion: LeaveOneOut, NoIntercept: noIntercept}
			a := must(weighted(phi, x, y, weights, 11).Fit(&o))
			o.Weights = weights
			m := must(Fit(phi, x, y, &o))
			for target, v := range want {
				name := fmt.Sprintf("λ = %v, NoIntercept %v, target %d", lambda, noIntercept, target)
				near(t, name, leftOutOf(m)[target], v, 1e-9*v)
				near(t, name+", kept", leftOutOf(a)[target], v, 1e-9*v)
			}
			if e := want[0]/variances[0] + want[1]/variances[1]; e < best {
				best, bestLambda = e, lambda
			}
		}
		m := must(Fit(phi, x, y, &Options{Path: lambdas, Criterion: LeaveOneOut, NoIntercept: noIntercept, Weights: weights}))
		if m.Lambda()[0] != bestLambda {
			t.Errorf("NoIntercept %v: λ = %v, want %v", noIntercept, m.Lambda()[0], bestLambda)
		}
	}
}

// Of many rows the leave-one-out error is an estimate; that of weighted ones is as near to the exact one as TestLeaveOneOutOfManyRows
// has it for others, in spite of a few rows of large weight.
func TestWeightsLeaveOneOutOfManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("leaves out 21,000 rows")
	}
	const n = 21_000 // more than are left out exactly
	phi := fourier(2, 30)
	x, y := data(n, 2, 1, 604)
	weights := make([]float64, n)
	for i := range weights {
		if weights[i] = 0.5; i%2625 == 100 { // eight rows with two fifths of the weight
			weights[i] = 800
		}
	}
	m := must(Fit(phi, x, y, &Options{Weights: weights}))
	// By hand, of the model's own numbers: A from the features less their weighted mean.
	z := features(phi, x)
	mean, all := make([]float64, 30), 0.0
	for i, w := range weights {
		all += w
		for j := range mean {
			mean[j] += w * z.At(i, j)
		}
	}
	for j := range mean {
		mean[j] /= all
	}
	z = centered(z, mean)
	scaled := mat.DenseCopyOf(z)
	scaled.Apply(func(i, _ int, v float64) float64 { return v * math.Sqrt(weights[i]) }, scaled)
	a := mat.NewSymDense(30, nil)
	a.SymOuterK(1, scaled.T())
	for j := range 30 {
		a.SetSym(j, j, a.At(j, j)+m.Lambda()[0])
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		t.Fatal("no factor")
	}
	var solved mat.Dense
	if err := c.SolveTo(&solved, z.T()); err != nil {
		t.Fatal(err)
	}
	var want float64
	for i, w := range weights {
		h := 1/all + mat.Dot(z.RowView(i), solved.ColView(i))
		r := (y.At(i, 0) - m.PredictVec(nil, x.RawRowView(i))[0]) / (1 - w*h)
		want += w * r * r / all
	}
	near(t, "error", leftOutOf(m)[0], want, 0.1*want)
}

// Classes that count alike by weights have the boundary of classes repeated to the same number.
func TestWeightsBalance(t *testing.T) {
	const n = 600
	phi := fourier(2, 60)
	x, _ := data(n, 2, 1, 605)
	classes, weights := make([]int, n), slices.Repeat([]float64{1}, n)
	rare := 0
	for i := range n {
		if i%10 == 0 {
			classes[i] = 1
			weights[i] = 9
			x.Set(i, 0, x.At(i, 0)+2)
			rare++
		}
	}
	y := must(Labels(classes, 2))
	rx, ry := repeated(x, y, weights)
	m := must(Fit(phi, x, y, &Options{Weights: weights}))
	same := must(Fit(phi, rx, ry, &Options{Lambda: m.Lambda()[0]}))
	plain := must(Fit(phi, x, y, nil))
	if e := relative(m.Weights(), same.Weights()); !(e <= 1e-8) {
		t.Errorf("weights are off by %.1e", e)
	}
	found := func(m *Model) (right int) {
		for i := range n {
			if p := m.PredictVec(nil, x.RawRowView(i)); classes[i] == 1 && p[1] > p[0] {
				right++
			}
		}
		return right
	}
	if got, before := found(m), found(plain); got < 8*rare/10 || got <= before {
		t.Errorf("%d of %d rows of the rare class are found, %d without weights", got, rare, before)
	}
}

// All weights times 4 and λ times 4 are the same model without an intercept, in the same bits, except for its evidence and σ², which is 4
// times as large for as many rows: (yᵀy − bᵀA⁻¹b)/Σw has both numbers 4 times as large, so that it is the same.
func TestWeightsScale(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(200, 2, 2, 606)
	weights := weightsFrom(200, 3)
	larger := slices.Clone(weights)
	for i := range larger {
		larger[i] *= 4
	}
	for _, c := range []Criterion{GuardedEvidence, LeaveOneOut} {
		m := must(Fit(phi, x, y, &Options{NoIntercept: true, SharedLambda: true, Criterion: c, Weights: weights}))
		n := must(Fit(phi, x, y, &Options{NoIntercept: true, SharedLambda: true, Criterion: c, Weights: larger}))
		if n.Lambda()[0] != 4*m.Lambda()[0] {
			t.Fatalf("%v: λ = %v, and with weights times 4 %v", c, m.Lambda()[0], n.Lambda()[0])
		}
		equal(t, "weights", bits(n.Weights().RawMatrix().Data), bits(m.Weights().RawMatrix().Data))
		equal(t, "noise", bits(n.NoiseVariance()), bits(m.NoiseVariance()))
		equal(t, "leave-one-out", bits(leftOutOf(n)), bits(leftOutOf(m)))
	}
}

// Tiny and huge weights are refused by name, or give a finite model.
func TestWeightsExtreme(t *testing.T) {
	phi := fourier(2, 12)
	x, y := data(30, 2, 1, 607)
	finite := func(name string, m *Model) {
		t.Helper()
		numbers := slices.Concat(m.Weights().RawMatrix().Data, m.Intercept(), m.NoiseVariance(), m.PredictVec(nil, []float64{1, 2}), posteriorOf(m).VarianceVec(nil, []float64{1, 2}))
		for _, v := range numbers {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: the model has %v", name, v)
			}
		}
		if strings.Contains(m.String(), "NaN") || math.IsNaN(evidenceOf(m)) {
			t.Fatalf("%s: %v", name, m)
		}
	}
	sizes := []float64{5e-324, 1e-320, 1e-300, 1e-290, 1e-150, 1e-20, 1, 3, 1e20, 1e150, 1e290, 2.4e291, 1e300, math.MaxFloat64}
	fitted := 0
	for i, v := range sizes {
		for j, w := range sizes {
			for k, some := range []int{1, 2, 29} {
				if (i+j)%3 != k && !testkit.Long() {
					continue
				}
				for _, o := range []Options{{}, {NoIntercept: true}, {Lambda: 1}, {Criterion: LeaveOneOut, NoIntercept: true}} {
					name := fmt.Sprintf("weights %v and %d times %v, %+v", v, some, w, o)
					weights := slices.Repeat([]float64{v}, 30)
					for i := range some {
						weights[(7*i+3)%30] = w
					}
					o.Weights = weights
					m, err := Fit(phi, x, y, &o)
					if err != nil {
						if !strings.Contains(err.Error(), "eight") && !strings.Contains(err.Error(), "feature") && !strings.Contains(err.Error(), "λ") {
							t.Fatalf("%s: %v", name, err)
						}
						continue
					}
					fitted++
					finite(name, m)
				}
			}
		}
	}
	if fitted < len(sizes)*len(sizes) {
		t.Errorf("%d models are fitted", fitted)
	}
	one := mat.NewDense(1, 2, []float64{1, 2})
	if m := must(Fit(phi, one, mat.NewDense(1, 1, []float64{3}), &Options{Weights: []float64{5}})); m.PredictVec(nil, []float64{1, 2})[0] != 3 || m.NoiseVariance()[0] != 0 {
		t.Errorf("one row: %v", m)
	}
	for _, all := range []float64{0.9375, 1} {
		_, err := Fit(phi, x, y, &Options{Weights: slices.Repeat([]float64{all / 30}, 30)})
		expectError(t, err, fmt.Sprintf("ridge: the weights add up to %v: must be more than 1 with an intercept; a row of weight 1 counts as one row", all))
	}
}

// Weights that are refused are named, and the accumulator stays as it was.
func TestWeightsRefused(t *testing.T) {
	phi := fourier(2, 12)
	x, y := data(200, 2, 1, 608)
	a := weighted(phi, x, y, weightsFrom(200, 1), 60)
	before := encoded(a)
	for _, v := range []float64{-1, -1e-300, math.NaN(), math.Inf(1), math.Inf(-1), 0x1p968} {
		weights := weightsFrom(200, 1)
		weights[150] = v
		want := fmt.Sprintf("row 150 = %v: must be at least 0 and less than 2^968", v)
		expectError(t, a.AddWeighted(x, y, weights), "ridge: weights: "+want)
		_, err := Fit(phi, x, y, &Options{Weights: weights})
		expectError(t, err, "ridge: Weights: "+want)
	}
	for _, n := range []int{0, 1, 199, 201} {
		expectError(t, a.AddWeighted(x, y, make([]float64, n)), fmt.Sprintf("ridge: x has 200 rows, weights %d: must be as many", n))
		_, err := Fit(phi, x, y, &Options{Weights: make([]float64, n)})
		expectError(t, err, fmt.Sprintf("ridge: x has 200 rows, Weights %d: must be as many", n))
	}
	_, err := a.Fit(&Options{Weights: make([]float64, 200)})
	expectError(t, err, "ridge: Weights are for the function Fit: an accumulator takes them by AddWeighted")
	_, err = Fit(phi, x, y, &Options{Weights: make([]float64, 200)})
	expectError(t, err, "ridge: no rows: must be at least 1")

	// A number that is too large with its weight is named with it.
	large := mat.DenseCopyOf(y)
	large.Set(170, 0, 0x1p300)
	heavy := weightsFrom(200, 1)
	heavy[170] = 0x1p400
	expectError(t, a.AddWeighted(x, large, heavy),
		fmt.Sprintf("ridge: y: row 170, column 0 = %v: must be less than 2^484 in magnitude, and from the row that is subtracted, times %.3g, the root of the row's weight", 0x1p300, 0x1p200))
	// So is a row after a row of weight 0.
	bad := mat.DenseCopyOf(x)
	bad.Set(171, 1, math.NaN())
	expectError(t, a.AddWeighted(bad, y, weightsFrom(200, 1)), "ridge: x: row 171, column 1 = NaN: must be finite")
	if !bytes.Equal(encoded(a), before) {
		t.Error("an error changed the accumulator")
	}
}

// Weighted accumulators that are merged, of parts, give the model of all rows; saved midway and read again they go on in the same
// bits, and a model that is saved has its variance afterwards.
func TestWeightsMergeAndSave(t *testing.T) {
	phi := fourier(2, 30)
	x, y := data(500, 2, 2, 609)
	test, _ := data(10, 2, 1, 610)
	weights := weightsFrom(500, 3)
	whole := weighted(phi, x, y, weights, 100)
	want := must(whole.Fit(nil))
	x1, y1 := slice(x, y, 0, 230)
	x2, y2 := slice(x, y, 230, 500)
	first, second := weighted(phi, x1, y1, weights[:230], 100), weighted(phi, x2, y2, weights[230:], 100)
	read := must(readBytes(t, encoded(first), phi))
	if !bytes.Equal(encoded(read), encoded(first)) {
		t.Error("a file that is read has other bytes")
	}
	merged, further := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
	for _, a := range []*Accumulator{merged, further} {
		if err := a.Merge(read); err != nil {
			t.Fatal(err)
		}
	}
	if err := further.AddWeighted(x2, y2, weights[230:]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(further), encoded(whole)) {
		t.Error("an accumulator that was saved midway has other bits")
	}
	equal(t, "midway", modelBits(must(further.Fit(nil)), test), modelBits(want, test))
	if err := merged.Merge(second); err != nil {
		t.Fatal(err)
	}
	m := must(merged.Fit(nil))
	if m.Lambda()[0] != want.Lambda()[0] && math.Abs(m.Lambda()[0]/want.Lambda()[0]-1) > 1e-12 {
		t.Errorf("merged: λ = %v, want %v", m.Lambda()[0], want.Lambda()[0])
	}
	if e := relative(m.Weights(), want.Weights()); !(e <= 1e-9) {
		t.Errorf("merged: weights are off by %.1e", e)
	}
	near(t, "merged: leave-one-out", leftOutOf(m)[0], leftOutOf(want)[0], 1e-9)

	saved := must(ReadModel(bytes.NewReader(written(want)), nil))
	equal(t, "saved", modelBits(saved, test), modelBits(want, test))
	equal(t, "a sample", sampleBits(saved, 2, test), sampleBits(want, 2, test))
}

// Files with weights that no accumulator has are refused.
func TestWeightsHostile(t *testing.T) {
	x, y := data(20, 2, 1, 611)
	weights := slices.Repeat([]float64{1.5}, 20)
	data := encoded(weighted(fourier(2, 12), x, y, weights, 20))
	last := len(data) - 32 - 8 // the weight of the last row kept
	if got := math.Float64frombits(binary.LittleEndian.Uint64(data[last:])); got != 1.5 {
		t.Fatalf("the weight %v", got)
	}
	with := func(v float64) []byte {
		return resealed(data, func(b []byte) { binary.LittleEndian.PutUint64(b[last:], math.Float64bits(v)) })
	}
	if _, err := readBytes(t, with(7), fourier(2, 12)); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"a weight of 0":      with(0),
		"a negative weight":  with(-1),
		"an infinite weight": with(math.Inf(1)),
		"a weight of NaN":    with(math.NaN()),
		"a huge weight":      with(0x1p968),
		"no weights":         withDocument(data, `"weighted":true,`, ""),
		"weights twice":      withDocument(data, `"weighted":true,`, `"weighted":true,"weighted":true,`),
		"weights of false":   withDocument(data, `"weighted":true,`, `"weighted":false,`),
	} {
		if _, err := readBytes(t, bad, fourier(2, 12)); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// A batch of one row takes no memory.
func TestWeightsAllocate(t *testing.T) {
	a := must(NewAccumulator(fourier(2, 20), 1))
	if err := a.KeepRows(0); err != nil {
		t.Fatal(err)
	}
	x, y, weights := mat.NewDense(1, 2, []float64{1, 2}), mat.NewDense(1, 1, []float64{3}), []float64{2.5}
	if n := testing.AllocsPerRun(300, func() {
		if err := a.AddWeighted(x, y, weights); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}
