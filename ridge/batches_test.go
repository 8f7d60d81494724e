// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// inBatches returns the rows of x and y with weights, where nil are ones, in batches, in turns dense, as lists of non-zeros and
// element by element.
func inBatches(x, y *mat.Dense, weights []float64, size int) iter.Seq2[Batch, error] {
	n, _ := x.Dims()
	return func(yield func(Batch, error) bool) {
		for k, lo := 0, 0; lo < n; k, lo = k+1, lo+size {
			hi := min(lo+size, n)
			px, py := slice(x, y, lo, hi)
			var w []float64
			if weights != nil {
				w = weights[lo:hi]
			}
			if !yield(Batch{X: []mat.Matrix{px, testkit.NewLists(px), shy{px}}[k%3], Y: py, Weights: w}, nil) {
				return
			}
		}
	}
}

// noRows has no batch.
func noRows(func(Batch, error) bool) {}

// failing yields an error.
func failing(err error) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) { yield(Batch{}, err) }
}

// joined yields batches.
func joined(batches ...Batch) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// empty is a matrix of no rows and so many columns.
type empty int

func (c empty) Dims() (rows, columns int) { return 0, int(c) }
func (c empty) At(i, j int) float64       { panic("no such element") }
func (c empty) T() mat.Matrix             { return mat.Transpose{Matrix: c} }

// weightsFrom returns n weights: 0, ½, 1, 3/2, 2 in turns, by some step.
func weightsFrom(n, step int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i*step%5) / 2
	}
	return w
}

// FitBatches has the bits of Fit, all that is asked of a model, by every criterion, for any batches and number of goroutines, with
// weights and without, with all λ tried and searched, where all rows are left out exactly and where they are not.
func TestFitBatches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	test, _ := data(5, 2, 1, 71)
	for _, c := range []struct{ n, features, targets int }{{300, 30, 2}, {700, 520, 1}, {5000, 30, 1}} {
		if testing.Short() && c.n == 700 {
			continue
		}
		phi := fourier(2, c.features)
		x, y := data(c.n, 2, c.targets, 70)
		for _, weights := range [][]float64{nil, weightsFrom(c.n, 3)} {
			for _, o := range []Options{{}, {Criterion: LeaveOneOut, NoIntercept: true}, {Criterion: Evidence}, {Lambda: 0.1}} {
				if c.n > 300 && o.Criterion != GuardedEvidence {
					continue
				}
				withWeights := o
				withWeights.Weights = weights
				want := must(Fit(phi, x, y, &withWeights))
				for i, size := range []int{1, 100, 145, c.n} {
					if size < c.n/100 || c.n > 300 && !testkit.Long() && (size == c.n || (size == 145) != (weights != nil)) {
						continue
					}
					runtime.GOMAXPROCS(1 + i%2)
					name := fmt.Sprintf("%+v, weights %v, %+v, batches of %d", c, weights != nil, o, size)
					m, err := FitBatches(phi, inBatches(x, y, weights, size), &o)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					equal(t, name, modelBits(m, test), modelBits(want, test))
					equal(t, name+": left out", bits(leftOutOf(m)), bits(leftOutOf(want)))
					if m.String() != want.String() {
						t.Errorf("%s: %v, want %v", name, m, want)
					}
				}
			}
		}
	}
}

// Batches whose weights are all 1 are of one measure with the others.
func TestFitBatchesOfOnes(t *testing.T) {
	phi := fourier(2, 20)
	const n = 21_000 // more than are all left out: of the rest the error is that of some
	x, y := data(n, 2, 1, 76)
	weights := make([]float64, n)
	for i := range weights {
		if weights[i] = 1; i < 5000 {
			weights[i] = 5
		}
	}
	want := must(Fit(phi, x, y, &Options{Weights: weights}))
	given := inBatches(x, y, weights, 500)
	some := func(yield func(Batch, error) bool) { // no weights where all are 1
		for b, err := range given {
			if b.Weights[0] == 1 {
				b.Weights = nil
			}
			if !yield(b, err) {
				return
			}
		}
	}
	for name, batches := range map[string]iter.Seq2[Batch, error]{"weights of 1": given, "no weights": some} {
		m := must(FitBatches(phi, batches, nil))
		equal(t, name, modelBits(m, x), modelBits(want, x))
		equal(t, name+": left out", bits(leftOutOf(m)), bits(leftOutOf(want)))
	}
}

// Intervals are those of Fit where the weights of some batches are all 1, or nil.
func TestIntervalsOfBatchesOfOnes(t *testing.T) {
	phi := fourier(2, 20)
	x, y := data(300, 2, 1, 77)
	for _, places := range [][2]int{{0, 100}, {100, 200}, {200, 300}} { // of the weights that are not 1
		weights := make([]float64, 300)
		for i := range weights {
			if weights[i] = 1; places[0] <= i && i < places[1] {
				weights[i] = float64(2 + i%5)
			}
		}
		wantLo, wantHi := must(Fit(phi, x, y, &Options{Weights: weights})).Interval(x.RawRowView(0), 0.9)
		lo, hi := must(FitBatches(phi, inBatches(x, y, weights, 100), nil)).Interval(x.RawRowView(0), 0.9)
		if lo[0] != wantLo[0] || hi[0] != wantHi[0] {
			t.Errorf("weights in %v: interval from %v to %v, want %v to %v", places, lo, hi, wantLo, wantHi)
		}
	}
}

// More rows than are read in one part are left out by their own targets, in memory and in batches alike: the error is the mean of
// the squared (yᵢ − ŷᵢ)/(1 − wᵢhᵢ), by weights, of a leverage that gonum knows from A⁻¹.
func TestLeaveOneOutInParts(t *testing.T) {
	const n, out = 2000, 300 // parts are about 1,700 rows, and the last is shorter
	phi := fourier(2, out)
	x, y := data(n, 2, 2, 76)
	heavy := make([]float64, n)
	for i := range heavy {
		heavy[i] = 1 + float64(i%3)
	}
	for first, weights := range [][]float64{nil, heavy} {
		if weights == nil && !testkit.Long() {
			continue // the same parts
		}
		m := must(Fit(phi, x, y, &Options{Weights: weights}))
		z := features(phi, x)
		var total float64
		mean := make([]float64, out)
		weight := func(i int) float64 {
			if weights == nil {
				return 1
			}
			return weights[i]
		}
		for i := range n {
			total += weight(i)
			floats.AddScaled(mean, weight(i), z.RawRowView(i))
		}
		floats.Scale(1/total, mean)
		heavier := mat.NewDense(n, out, nil)
		for i := range n {
			floats.Sub(z.RawRowView(i), mean)
			floats.ScaleTo(heavier.RawRowView(i), math.Sqrt(weight(i)), z.RawRowView(i))
		}
		var p mat.Dense
		m.PredictTo(&p, x)
		// Without weights target 0, with them target 1.
		k, want := first, 0.0
		a := mat.NewSymDense(out, nil)
		a.SymOuterK(1, heavier.T())
		for j := range out {
			a.SetSym(j, j, a.At(j, j)+m.Lambda()[k])
		}
		var c mat.Cholesky
		if !c.Factorize(a) {
			t.Fatal("no factor")
		}
		var inverse mat.SymDense
		if err := c.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		var v mat.Dense // ZA⁻¹
		v.Mul(z, &inverse)
		for i := range n {
			h := 1/total + floats.Dot(z.RawRowView(i), v.RawRowView(i))
			e := (y.At(i, k) - p.At(i, k)) / (1 - weight(i)*h)
			want += weight(i) * e * e / total
		}
		if got := leftOutOf(m)[k]; !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("weights %v: left out %v, want %v", weights != nil, got, want)
		}
		b := must(FitBatches(phi, inBatches(x, y, weights, 700), nil))
		equal(t, "left out in batches", bits(leftOutOf(b)), bits(leftOutOf(m)))
	}
}

// Rows are read once where nothing is left out.
func TestFitBatchesReadings(t *testing.T) {
	x, y := data(200, 2, 1, 72)
	for _, o := range []*Options{{Criterion: Evidence}, {Lambda: 1}, nil} {
		readings := 0
		rows := inBatches(x, y, nil, 50)
		counted := func(yield func(Batch, error) bool) {
			if readings++; readings > 1 && o != nil {
				yield(Batch{}, errors.New("read again"))
				return
			}
			rows(yield)
		}
		if _, err := FitBatches(fourier(2, 10), counted, o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if (readings > 1) != (o == nil) {
			t.Errorf("%+v: %d readings", o, readings)
		}
	}
}

// Rows that change between readings are found, and told by the reading and the row.
func TestFitBatchesChanged(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(200, 2, 1, 73)
	weights := make([]float64, 200)
	for i := range weights {
		weights[i] = 1
	}
	changed := func(i int, v float64) *mat.Dense {
		c := mat.DenseCopyOf(x)
		c.Set(i, 1, v)
		return c
	}
	otherY := mat.DenseCopyOf(y)
	otherY.Set(30, 0, 7)
	heavier := append([]float64(nil), weights...)
	heavier[199] = 2
	const same = ": they must be the same each time"
	fewerX, fewerY := slice(x, y, 0, 150)
	moreX, moreY := mat.NewDense(201, 2, nil), mat.NewDense(201, 1, nil)
	moreX.Copy(x)
	moreY.Copy(y)
	broken := errors.New("the disk is gone")
	for want, second := range map[string]iter.Seq2[Batch, error]{
		"ridge: rows: reading 2 has another row 17 than the first" + same:                inBatches(changed(17, 3), y, nil, 60),
		"ridge: rows: reading 2 has another row 18 than the first" + same:                inBatches(changed(18, math.NaN()), y, nil, 60),
		"ridge: rows: reading 2 has another row 30 than the first" + same:                inBatches(x, otherY, nil, 60),
		"ridge: rows: reading 2 has another row 199 than the first" + same:               inBatches(x, y, heavier, 60),
		"ridge: rows: reading 2 has 150 rows, the first had 200" + same:                  inBatches(fewerX, fewerY, nil, 60),
		"ridge: rows: reading 2 has row 200, the first had 200 rows" + same:              inBatches(moreX, moreY, nil, 60),
		"ridge: rows: reading 2: the disk is gone: rows are read again":                  failing(broken),
		"ridge: rows: reading 2 has no rows: rows are read again to leave them out; for": noRows,
	} {
		readings := 0
		rows := func(yield func(Batch, error) bool) {
			if readings++; readings == 1 {
				inBatches(x, y, nil, 77)(yield)
				return
			}
			second(yield)
		}
		_, err := FitBatches(phi, rows, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if strings.Contains(want, "read again") && !strings.Contains(err.Error(), "Evidence") || strings.Contains(want, "disk") && !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	}
}

// What is refused is told with the row, counted over all batches; errors come back, of rows and of Progress.
func TestFitBatchesRefuse(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(100, 2, 1, 74)
	rows := inBatches(x, y, nil, 30)
	bad := mat.DenseCopyOf(x)
	bad.Set(95, 1, math.Inf(1))
	badY := mat.DenseCopyOf(y)
	badY.Set(61, 0, math.NaN())
	weights := weightsFrom(100, 1)
	weights[64] = -1
	broken := errors.New("the disk is gone")
	stop := errors.New("stop")
	for _, c := range []struct {
		rows iter.Seq2[Batch, error]
		o    *Options
		want string
	}{
		{nil, nil, "ridge: rows = nil"},
		{rows, &Options{Weights: weights}, "ridge: Weights: must be nil for FitBatches, whose batches have weights"},
		{rows, &Options{Lambda: -1}, "ridge: Lambda = -1: must be finite and at least 0"},
		{inBatches(bad, y, nil, 30), nil, "ridge: x: row 95, column 1 = +Inf: must be finite"},
		{inBatches(x, badY, nil, 30), nil, "ridge: y: row 61, column 0 = NaN: must be finite and less than 2^483 in magnitude"},
		{inBatches(x, y, weights, 30), nil, "ridge: rows: batch 2: weights: row 64 = -1: must be at least 0 and less than 2^968"},
		{failing(broken), nil, "ridge: rows: the disk is gone"},
		{rows, &Options{Progress: func(int) error { return stop }}, "ridge: interrupted by Progress: stop"},
	} {
		m, err := FitBatches(phi, c.rows, c.o)
		expectError(t, err, c.want)
		if m != nil {
			t.Errorf("%s: a model", c.want)
		}
	}
	if _, err := FitBatches(nil, rows, nil); err == nil {
		t.Error("phi = nil is not refused")
	}
	// Rows of weight 0 are not looked at.
	all := weightsFrom(100, 1)
	bad.Set(95, 0, math.NaN()) // of weight 0, as 95 is a multiple of 5
	m := must(FitBatches(phi, inBatches(bad, y, all, 30), nil))
	n := must(FitBatches(phi, inBatches(x, y, all, 30), nil))
	equal(t, "NaN of weight 0", modelBits(m, x), modelBits(n, x))
}

// An error of Progress stops wherever it comes from: while rows are added and while they are left out.
func TestFitBatchesProgress(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(400, 2, 1, 75)
	var calls []int
	count := func(rows int) error { calls = append(calls, rows); return nil }
	must(FitBatches(phi, inBatches(x, y, nil, 100), &Options{Progress: count}))
	if len(calls) < 5 || calls[0] != 144 || calls[1] != 288 || calls[2] != 400 {
		t.Fatalf("Progress is called for %v", calls)
	}
	for k := range calls {
		stop, left := errors.New("stop"), k
		_, err := FitBatches(phi, inBatches(x, y, nil, 100), &Options{Progress: func(int) error {
			if left--; left < 0 {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) || left < -1 {
			t.Fatalf("call %d: %v, and %d calls more", k, err, -1-left)
		}
	}
}

// A batch that is refused is told by its number and its sizes, by FitBatches and FitIterative, and so are rows that have no batch. Nothing is asked of rows then.
func TestBatchesRefuse(t *testing.T) {
	phi := fourier(2, 10)
	x, y := data(30, 2, 1, 74)
	whole := Batch{X: x, Y: y}
	wide, _ := data(30, 3, 1, 74)
	_, two := data(30, 2, 2, 74)
	var none *mat.Dense
	shortY := y.Slice(0, 29, 0, 1)
	const first = "ridge: rows: batch 0: "
	for want, rows := range map[string]iter.Seq2[Batch, error]{
		"ridge: rows has no batch: must have a row at least": noRows,
		first + "x = nil":                                                       Rows(nil, y),
		first + "y = nil":                                                       Rows(x, nil),
		"ridge: rows: batch 1: x = nil":                                         joined(whole, Batch{X: none, Y: y}),
		"ridge: rows: batch 1: y = nil":                                         joined(whole, Batch{X: x}),
		first + "x is 0×0: must have a row and a column":                        Rows(&mat.Dense{}, y),
		"ridge: rows: batch 2: x is 0×2: must have a row and a column":          joined(whole, whole, Batch{X: empty(2), Y: y}),
		first + "x has 30 rows, y 29: must be as many":                          Rows(x, shortY),
		first + "x has 3 columns":                                               Rows(wide, y),
		"ridge: rows: batch 1: x has 3 columns, phi takes 2: must be as many":   joined(whole, Batch{X: wide, Y: y}),
		"ridge: rows: batch 1: y has 2 columns, for 1 targets: must be as many": joined(whole, Batch{X: x, Y: two}),
		first + "x has 30 rows, weights 29: must be as many":                    joined(Batch{X: x, Y: y, Weights: make([]float64, 29)}),
		"ridge: rows: batch 1: x has 30 rows, weights 31: must be as many":      joined(whole, Batch{X: x, Y: y, Weights: make([]float64, 31)}),
		"ridge: no rows: must be at least 1":                                    joined(Batch{X: x, Y: y, Weights: make([]float64, 30)}),
	} {
		for by, fit := range map[string]func() (*Model, error){
			"FitBatches":   func() (*Model, error) { return FitBatches(phi, rows, nil) },
			"FitIterative": func() (*Model, error) { return FitIterative(phi, rows, nil) },
		} {
			if m, err := fit(); m != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v, want %s", by, err, want)
			}
		}
	}
}

// The error that rows yield comes back, wrapped, from the first reading and from a later one; rows are left at once, and no goroutine stays.
func TestBatchesBreakOff(t *testing.T) {
	phi := fourier(2, 100)
	x, y := data(1100, 2, 1, 75)
	broken := errors.New("the disk is gone")
	before := runtime.NumGoroutine()
	for _, reading := range []int{1, 2, 3} {
		for by, fit := range map[string]func(rows iter.Seq2[Batch, error]) (*Model, error){
			"FitBatches": func(rows iter.Seq2[Batch, error]) (*Model, error) { return FitBatches(phi, rows, nil) },
			"FitIterative": func(rows iter.Seq2[Batch, error]) (*Model, error) {
				return FitIterative(phi, rows, &IterativeOptions{Lambda: 1e-3, Tolerance: 1e-9})
			},
		} {
			readings, left := 0, 0
			m, err := fit(func(yield func(Batch, error) bool) {
				readings++
				for b := range inBatches(x, y, nil, 100) {
					if readings == reading && left == 5 {
						if yield(Batch{}, broken) {
							t.Errorf("%s: reading %d: goes on after an error", by, reading)
						}
						return
					}
					if readings == reading {
						left++
					}
					if !yield(b, nil) {
						t.Errorf("%s: reading %d: left without an error", by, reading)
						return
					}
				}
			})
			if m != nil || !errors.Is(err, broken) || readings != reading {
				t.Errorf("%s: reading %d of %d: %v", by, reading, readings, err)
			}
			var i *InterruptedError
			if got := errors.As(err, &i); got != (by == "FitIterative" && reading == 3) {
				t.Errorf("%s: reading %d: the work of the passes before is kept: %v", by, reading, got)
			} else if want := fmt.Sprintf("ridge: rows: reading %d: the disk is gone", reading); got {
				expectError(t, err, want)
				on := must(FitIterative(phi, inBatches(x, y, nil, 100), &IterativeOptions{Start: i.Model, Tolerance: 1e-9}))
				if i.Model.Passes() != 1 || !(on.Residual() <= 1e-9) {
					t.Errorf("%d passes were made; gone on: %v", i.Model.Passes(), on)
				}
			}
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
