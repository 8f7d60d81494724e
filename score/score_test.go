// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/score"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

var nan, inf = math.NaN(), math.Inf(1)

// expect tells of a result other than want, to a relative error.
func expect(t *testing.T, name string, got, want, limit float64) {
	t.Helper()
	if !(got == want || math.Abs(got-want) <= limit*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func TestAccuracy(t *testing.T) {
	expect(t, "three of four", Accuracy([]int{1, 2, 0, 7}, []int{1, 2, 3, 7}), 0.75, 0)
	expect(t, "none", Accuracy([]int{1}, []int{-1}), 0, 0)
}

// The example is that of scikit-learn's documentation of log_loss (1.2): 0.21616…; others by hand.
func TestLogLoss(t *testing.T) {
	p := mat.NewDense(4, 2, []float64{0.1, 0.9, 0.9, 0.1, 0.8, 0.2, 0.35, 0.65})
	expect(t, "scikit-learn's", LogLoss(p, []int{1, 0, 0, 1}), 0.21616187468057912, 1e-15)
	guess := mat.NewDense(2, 3, []float64{1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3})
	expect(t, "guesses", LogLoss(guess, []int{0, 2}), math.Log(3), 1e-15)
	for _, c := range []struct {
		p    []float64
		want float64
	}{{[]float64{1, 0}, 0}, {[]float64{0, 1}, inf}, {[]float64{nan, 1}, nan}, {[]float64{-0.1, 1}, nan}, {[]float64{1.1, 1}, nan}, {[]float64{0.5, nan}, math.Ln2}} {
		expect(t, "one row", LogLoss(mat.NewDense(1, 2, c.p), []int{0}), c.want, 1e-15)
	}
	expect(t, "0 and NaN", LogLoss(mat.NewDense(2, 1, []float64{0, nan}), []int{0, 0}), nan, 0)
}

// The first is scikit-learn's example of roc_auc_score (1.2), .75; others by hand, and by counting pairs.
func TestAUC(t *testing.T) {
	for _, c := range []struct {
		scores   []float64
		positive []bool
		want     float64
	}{
		{[]float64{0.1, 0.4, 0.35, 0.8}, []bool{false, false, true, true}, 0.75},
		{[]float64{1, 2, 3}, []bool{false, true, true}, 1},
		{[]float64{3, 2, 1}, []bool{false, true, true}, 0},
		{[]float64{5, 5, 5, 5}, []bool{false, true, true, false}, 0.5},
		{[]float64{-inf, inf, inf, -inf}, []bool{false, true, false, false}, 5. / 6},
		{[]float64{1, 2}, []bool{true, true}, nan},
		{[]float64{1, 2}, []bool{false, false}, nan},
		{[]float64{1, nan, 2}, []bool{false, true, true}, nan},
	} {
		expect(t, "AUC", AUC(c.scores, c.positive), c.want, 0)
	}
	s := featuremap.NewSampler(1)
	for n := 2; n < 300; n += 7 {
		scores, positive := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], positive[i] = float64(s.IntN(1+n/2)), s.IntN(3) == 0
		}
		positive[0], positive[1] = true, false
		twice, pairs := 0, 0
		for i, p := range positive {
			for j, q := range positive {
				if p && !q {
					pairs++
					if scores[i] >= scores[j] {
						twice++
					}
					if scores[i] > scores[j] {
						twice++
					}
				}
			}
		}
		before := slices.Clone(scores)
		expect(t, "pairs", AUC(scores, positive), float64(twice)/float64(2*pairs), 0)
		if !slices.Equal(scores, before) {
			t.Fatal("scores have changed")
		}
	}
}

func TestCalibration(t *testing.T) {
	p := mat.NewDense(7, 2, []float64{0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 1, 0, 0.75, 0.25, nan, 1, 2, 0})
	got := Calibration(p, []int{0, 0, 0, 0, 1, 1, 0}, 4)
	want := []Bin{{0, 0.25, 0, nan, nan}, {0.25, 0.5, 0, nan, nan}, {0.5, 0.75, 1, 0.5, 1}, {0.75, 1, 4, (0.9 + 0.8 + 1 + 0.75) / 4, 0.5}}
	for k, b := range want {
		if got[k].Low != b.Low || got[k].High != b.High || got[k].Rows != b.Rows {
			t.Errorf("bin %d: %+v, want %+v", k, got[k], b)
		}
		expect(t, "confidence", got[k].Confidence, b.Confidence, 1e-15)
		expect(t, "accuracy", got[k].Accuracy, b.Accuracy, 0)
	}
	if len(got) != 4 {
		t.Errorf("%d bins", len(got))
	}
	// Probabilities that are true: 20,000 rows, each bin within four standard errors.
	s := featuremap.NewSampler(2)
	const n = 20000
	q, classes := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		v := s.Float64()
		q.SetRow(i, []float64{v, 1 - v})
		if s.Float64() > v {
			classes[i] = 1
		}
	}
	rows := 0
	for _, b := range Calibration(q, classes, 10) {
		if rows += b.Rows; b.Rows > 0 && !(math.Abs(b.Accuracy-b.Confidence) <= 4*math.Sqrt(b.Confidence*(1-b.Confidence)/float64(b.Rows))) {
			t.Errorf("%+v", b)
		}
	}
	if rows != n {
		t.Errorf("%d rows in bins", rows)
	}
}

// The first is scikit-learn's example of mean_squared_error (1.2) with squared=False, .612…; the rest by hand.
func TestRMSE(t *testing.T) {
	for _, c := range []struct {
		predicted, y []float64
		want         float64
	}{
		{[]float64{2.5, 0, 2, 8}, []float64{3, -0.5, 2, 7}, 0.6123724356957945},
		{[]float64{1, 2}, []float64{1, 2}, 0},
		{[]float64{3e200, 0}, []float64{0, -4e200}, 5e200 / math.Sqrt2},
		{[]float64{3e-320}, []float64{0}, 3e-320},
		{[]float64{inf, 1}, []float64{1, 1}, inf},
		{[]float64{nan, inf}, []float64{1, 1}, nan},
		{[]float64{inf}, []float64{inf}, nan},
	} {
		expect(t, "RMSE", RMSE(column(c.predicted), column(c.y))[0], c.want, 4e-16)
	}
}

// The density of a standard normal number at 0 is 1/√2π, .3989…, and at 2 .05399… (Abramowitz and Stegun, table 26.1).
func TestNLL(t *testing.T) {
	for _, c := range []struct {
		mean, sd, y []float64
		want        float64
	}{
		{[]float64{0}, []float64{1}, []float64{0}, -math.Log(0.398942280401433)},
		{[]float64{1}, []float64{1}, []float64{3}, -math.Log(0.053990966513188)},
		{[]float64{1, 5}, []float64{2, 1}, []float64{5, 5}, (-math.Log(0.053990966513188/2) - math.Log(0.398942280401433)) / 2},
		{[]float64{1, 1}, []float64{0, 1}, []float64{1, 2}, -inf},
		{[]float64{1, 1}, []float64{0, 0}, []float64{1, 2}, inf},
		{[]float64{1, 1}, []float64{0, 0}, []float64{2, 1}, inf},
		{[]float64{1, 1}, []float64{0, inf}, []float64{1, 1}, inf},
		{[]float64{1}, []float64{-1}, []float64{1}, nan},
		{[]float64{1, 1}, []float64{0, nan}, []float64{2, 1}, nan},
		{[]float64{nan}, []float64{1}, []float64{1}, nan},
	} {
		expect(t, "NLL", NLL(column(c.mean), column(c.sd), column(c.y))[0], c.want, 1e-14)
	}
}

// The ends belong to an interval, and an interval that is a number has that.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		lo, hi, y []float64
		want      float64
	}{
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, []float64{0, 1, 1.0000000000000002, -5e-324}, 0.5},
		{[]float64{2, 2}, []float64{2, 2}, []float64{2, 3}, 0.5},
		{[]float64{math.Inf(-1)}, []float64{inf}, []float64{-1e300}, 1},
		{[]float64{1}, []float64{0}, []float64{0.5}, 0},
		{[]float64{0, nan}, []float64{1, 1}, []float64{0, 0}, nan},
		{[]float64{0, 0}, []float64{1, nan}, []float64{0, 0}, nan},
		{[]float64{0, 0}, []float64{1, 1}, []float64{0, nan}, nan},
	} {
		expect(t, "Coverage", Coverage(column(c.lo), column(c.hi), column(c.y))[0], c.want, 0)
	}
	// Normal numbers: to four standard errors.
	s := featuremap.NewSampler(3)
	const n = 10000
	normal := mat.NewDense(n, 1, nil)
	s.FillNormal(normal.RawMatrix().Data)
	for level, z := range map[float64]float64{0.5: 0.674489750196082, 0.95: 1.959963984540054} {
		lo, hi := column(slices.Repeat([]float64{-z}, n)), column(slices.Repeat([]float64{z}, n))
		if got := Coverage(lo, hi, normal)[0]; !(math.Abs(got-level) <= 4*math.Sqrt(level*(1-level)/n)) {
			t.Errorf("level %v: %v", level, got)
		}
	}
}

// The score is the length, and 2/(1 − level) times how far targets are outside; of normal numbers it is least for the interval of the level.
func TestIntervalScore(t *testing.T) {
	for _, c := range []struct {
		lo, hi, y []float64
		want      float64
	}{
		{[]float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, []float64{0, 1, 2, -0.5}, 1 + 20*1.5/4},
		{[]float64{2}, []float64{2}, []float64{2}, 0},
		{[]float64{math.Inf(-1)}, []float64{inf}, []float64{0}, inf},
		{[]float64{nan}, []float64{1}, []float64{0}, nan},
		{[]float64{0}, []float64{nan}, []float64{0}, nan},
		{[]float64{0}, []float64{1}, []float64{nan}, nan},
	} {
		expect(t, "IntervalScore", IntervalScore(column(c.lo), column(c.hi), column(c.y), 0.9)[0], c.want, 1e-14)
	}
	s := featuremap.NewSampler(4)
	const n = 10000
	normal := mat.NewDense(n, 1, nil)
	s.FillNormal(normal.RawMatrix().Data)
	of := func(z float64) float64 {
		return IntervalScore(column(slices.Repeat([]float64{-z}, n)), column(slices.Repeat([]float64{z}, n)), normal, 0.9)[0]
	}
	if best := of(1.645); !(best < of(1.3) && best < of(2)) {
		t.Errorf("%v at 1.3, %v at 1.645, %v at 2 deviations", of(1.3), best, of(2))
	}
}

// Of several targets each has what it has alone.
func TestTargets(t *testing.T) {
	s := featuremap.NewSampler(1)
	random := func() *mat.Dense {
		m := mat.NewDense(20, 3, nil)
		s.FillNormal(m.RawMatrix().Data)
		return m
	}
	mean, y, sd, hi := random(), random(), random(), random()
	sd.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, sd)
	for k := range 3 {
		of := func(m *mat.Dense) mat.Matrix { return m.Slice(0, 20, k, k+1) }
		if got, want := RMSE(mean, y)[k], RMSE(of(mean), of(y))[0]; got != want {
			t.Errorf("RMSE of target %d: %v, want %v", k, got, want)
		}
		if got, want := NLL(mean, sd, y)[k], NLL(of(mean), of(sd), of(y))[0]; got != want {
			t.Errorf("NLL of target %d: %v, want %v", k, got, want)
		}
		if got, want := Coverage(mean, hi, y)[k], Coverage(of(mean), of(hi), of(y))[0]; got != want {
			t.Errorf("Coverage of target %d: %v, want %v", k, got, want)
		}
		if got, want := IntervalScore(mean, hi, y, 0.5)[k], IntervalScore(of(mean), of(hi), of(y), 0.5)[0]; got != want {
			t.Errorf("IntervalScore of target %d: %v, want %v", k, got, want)
		}
	}
}

// column returns a matrix of one column.
func column(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

// Rows have the numbers that were asked for, in that order, dense or of lists.
func TestRows(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 0, 0, 4, 5, 6})
	lists := sparse.NewRows(2)
	for _, r := range []struct {
		index  []int
		values []float64
	}{{[]int{0}, []float64{1}}, {[]int{1}, []float64{4}}, {[]int{0, 1}, []float64{5, 6}}} {
		if err := lists.Append(r.index, r.values); err != nil {
			t.Fatal(err)
		}
	}
	want := mat.NewDense(4, 2, []float64{5, 6, 1, 0, 5, 6, 0, 4})
	for _, m := range []mat.Matrix{x, lists} {
		if got := Rows(m, []int{2, 0, 2, 1}); !mat.Equal(got, want) {
			t.Errorf("%T: %v", m, mat.Formatted(got))
		}
	}
	got := Rows(x, []int{0})
	if got.Set(0, 0, 9); x.At(0, 0) != 1 {
		t.Error("the rows are not a copy")
	}
}

// Splits have each row once, in ascending order, and of each stratum its share to a row.
func TestSplit(t *testing.T) {
	s := featuremap.NewSampler(4)
	for _, n := range []int{1, 2, 3, 10, 101} {
		for _, share := range []float64{0, 0.01, 0.2, 0.5, 0.99, 1} {
			strata := make([]int, n)
			sizes := map[int]int{}
			for i := range strata {
				strata[i] = s.IntN(4) - 2
				sizes[strata[i]]++
			}
			for _, by := range [][]int{nil, strata} {
				rest, held := Split(n, share, by, s.Uint64())
				all := slices.Concat(rest, held)
				slices.Sort(all)
				for i, row := range all {
					if row != i || len(all) != n {
						t.Fatalf("n = %d, share %v: %v and %v", n, share, rest, held)
					}
				}
				want := int(math.Round(share * float64(n)))
				if share > 0 {
					want = max(want, 1)
				}
				if share < 1 && n > 1 {
					want = min(want, n-1)
				}
				if len(held) != want || !slices.IsSorted(held) || !slices.IsSorted(rest) {
					t.Fatalf("n = %d, share %v: %v and %v", n, share, rest, held)
				}
				counts := map[int]int{}
				for _, i := range held {
					counts[strata[i]]++
				}
				for k, size := range sizes {
					if quota := float64(len(held)*size) / float64(n); by != nil && math.Abs(float64(counts[k])-quota) >= 1 {
						t.Errorf("n = %d, share %v: %d of the %d rows of stratum %d are held, want about %v", n, share, counts[k], size, k, quota)
					}
				}
			}
		}
	}
	// The same seed, the same rows; all rows are held alike: 4,000 splits of 10 rows, each to four standard errors of 1200.
	rest, held := Split(50, 0.3, nil, 5)
	again, heldAgain := Split(50, 0.3, nil, 5)
	if !slices.Equal(rest, again) || !slices.Equal(held, heldAgain) {
		t.Error("the same seed has other rows")
	}
	counts := make([]float64, 10)
	for range 4000 {
		_, held := Split(10, 0.3, nil, s.Uint64())
		for _, i := range held {
			counts[i]++
		}
	}
	for i, c := range counts {
		if math.Abs(c-1200) > 4*math.Sqrt(4000*0.3*0.7) {
			t.Errorf("row %d is held %v times of 4000", i, c)
		}
	}
}

func TestPanics(t *testing.T) {
	p := mat.NewDense(2, 2, []float64{1, 0, 1, 0})
	two, one := []float64{1, 1}, []float64{1}
	for name, c := range map[string]struct {
		want any
		f    func()
	}{
		"Accuracy":            {mat.ErrShape, func() { Accuracy([]int{1}, nil) }},
		"Accuracy of none":    {mat.ErrZeroLength, func() { Accuracy(nil, nil) }},
		"LogLoss":             {mat.ErrShape, func() { LogLoss(p, []int{1}) }},
		"LogLoss of none":     {mat.ErrZeroLength, func() { LogLoss(new(mat.Dense), nil) }},
		"LogLoss of −1":       {"score: LogLoss: row 1: class -1: must be from 0 to 1", func() { LogLoss(p, []int{0, -1}) }},
		"AUC":                 {mat.ErrShape, func() { AUC(two, []bool{true}) }},
		"AUC of none":         {mat.ErrZeroLength, func() { AUC(nil, nil) }},
		"Calibration":         {mat.ErrShape, func() { Calibration(p, []int{1}, 3) }},
		"Calibration of 2":    {"score: Calibration: row 0: class 2: must be from 0 to 1", func() { Calibration(p, []int{2, 0}, 3) }},
		"Calibration, 0 bins": {"score: Calibration: bins = 0: must be at least 1", func() { Calibration(p, []int{1, 0}, 0) }},
		"RMSE":                {mat.ErrShape, func() { RMSE(column(one), column(two)) }},
		"RMSE of none":        {mat.ErrZeroLength, func() { RMSE(new(mat.Dense), new(mat.Dense)) }},
		"NLL":                 {mat.ErrShape, func() { NLL(column(two), column(one), column(two)) }},
		"Coverage":            {mat.ErrShape, func() { Coverage(column(two), p, column(two)) }},
		"IntervalScore":       {mat.ErrShape, func() { IntervalScore(column(two), p, column(two), 0.9) }},
		"IntervalScore at 1":  {"score: level = 1: must be between 0 and 1", func() { IntervalScore(p, p, p, 1) }},
		"Rows":                {mat.ErrRowAccess, func() { Rows(p, []int{0, 2}) }},
		"Rows of −1":          {mat.ErrRowAccess, func() { Rows(p, []int{-1}) }},
		"no Rows":             {mat.ErrZeroLength, func() { Rows(p, nil) }},
		"Split":               {mat.ErrShape, func() { Split(3, 0.5, []int{1}, 1) }},
		"Split of none":       {mat.ErrZeroLength, func() { Split(0, 0.5, nil, 1) }},
		"Split by −1":         {"score: Split: testShare = -1: must be from 0 to 1", func() { Split(3, -1, nil, 1) }},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%s panics with %v, want %v", name, got, c.want)
				}
			}()
			c.f()
		}()
	}
}
