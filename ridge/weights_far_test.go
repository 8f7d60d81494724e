// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// withFarRow returns the rows with one more in some place, of nearly no weight: a target of 1e9, and features of about 1e9 if they are far
// too.
func withFarRow(x, y *mat.Dense, place int, farFeatures bool) (*mat.Dense, *mat.Dense, []float64) {
	n, in := x.Dims()
	_, targets := y.Dims()
	fx, fy, weights := mat.NewDense(n+1, in, nil), mat.NewDense(n+1, targets, nil), make([]float64, n+1)
	for i, k := 0, 0; i <= n; i++ {
		if i == place {
			weights[i] = 1e-20
			for t := range targets {
				fy.Set(i, t, 1e9)
			}
			for j := range in {
				fx.Set(i, j, 0.5)
				if farFeatures {
					fx.Set(i, j, 1e9*float64(1-2*(j%2)))
				}
			}
			continue
		}
		weights[i] = float64(1 + k%3)
		fx.SetRow(i, x.RawRowView(k))
		fy.SetRow(i, y.RawRowView(k))
		k++
	}
	return fx, fy, weights
}

// λ, noise, evidence and predictions do not depend on where a row of nearly no weight stands, however far its target and its features are:
// to 1e-6, of all ways to a model. Sums of float32 of unlike blocks agree to 1e-4.
func TestFarRowOfTinyWeight(t *testing.T) {
	const n = 200
	linear := must(testkit.New(featuremap.Sum(featuremap.Linear{}, featuremap.Constant{Value: 1}), 2, 3, featuremap.NewSampler(1)))
	x, y := data(n, 2, 2, 680)
	test, _ := data(10, 2, 1, 681)
	type numbers struct{ lambda, noise, evidence, predictions []float64 }
	of := func(m *Model) numbers {
		of := numbers{m.Lambda(), m.NoiseVariance(), nil, predictions(m, test)}
		if v, ok := m.LogEvidence(); ok {
			of.evidence = []float64{v}
		}
		return of
	}
	compare := func(name string, got, want numbers, limit float64) {
		t.Helper()
		for i, pair := range [][2][]float64{{got.lambda, want.lambda}, {got.noise, want.noise}, {got.evidence, want.evidence}, {got.predictions, want.predictions}} {
			for j, v := range pair[1] {
				if math.IsNaN(v) {
					continue
				}
				near(t, fmt.Sprintf("%s: %s %d", name, []string{"λ", "noise", "evidence", "prediction"}[i], j), pair[0][j], v, limit*math.Abs(v))
			}
		}
	}
	for _, far := range []bool{false, true} {
		phi := fourier(2, 24)
		if far {
			phi = linear
		}
		models := func(place int) map[string]numbers {
			fx, fy, weights := withFarRow(x, y, place, far)
			all := map[string]numbers{}
			for _, o := range []Options{{}, {Criterion: Evidence}, {Criterion: LeaveOneOut}, {Lambda: 0.1, NoIntercept: true}} {
				o.Weights, o.Intervals = weights, noIntervals
				all[fmt.Sprintf("Fit, %v, %v", o.Criterion, o.Lambda)] = of(must(Fit(phi, fx, fy, &o)))
			}
			all["FitBatches"] = of(must(FitBatches(phi, inBatches(fx, fy, weights, 50), nil)))
			all["Accumulator"] = of(must(weighted(phi, fx, fy, weights, 30).Fit(&Options{Intervals: noIntervals})))
			one := must(NewAccumulator(phi, 2)) // of rows added one by one, saved after the first
			for i, w := range weights {
				if err := one.AddWeighted(fx.Slice(i, i+1, 0, 2), fy.Slice(i, i+1, 0, 2), []float64{w}); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					one = must(readBytes(t, encoded(one), phi))
				}
			}
			if !bytes.Equal(encoded(one), encoded(weighted(phi, fx, fy, weights, 201))) {
				t.Errorf("place %d: one row after another, saved after the first, has other bits", place)
			}
			for _, cut := range []int{1, 70, n} {
				part := func(lo, hi int) *Accumulator {
					px, py := slice(fx, fy, lo, hi)
					return weighted(phi, px, py, weights[lo:hi], 40)
				}
				a, b := part(0, cut), part(cut, n+1)
				for _, pair := range [][2]*Accumulator{{part(0, cut), b}, {part(cut, n+1), a}} {
					if err := pair[0].Merge(pair[1]); err != nil {
						t.Fatal(err)
					}
					all[fmt.Sprintf("merged at %d, %v", cut, pair[1] == a)] = of(must(pair[0].Fit(&Options{Intervals: noIntervals})))
				}
			}
			o := &IterativeOptions{Lambda: 0.1, Tolerance: 1e-12, Memory: 1 << 20}
			all["FitIterative"] = of(must(FitIterative(phi, inBatches(fx, fy, weights, 60), o)))
			o.Memory = 0
			for _, part := range []int{1, 100, 201} {
				for _, write := range []int{0, 1} {
					if !testkit.Long() && (part == 100) == (write == 1) {
						continue
					}
					d := &divided{phi: phi, x: fx, y: fy, weights: weights, part: part, batch: min(part, 20), write: write}
					if part == 1 {
						d.part, d.batch = 20, 1
					}
					all[fmt.Sprintf("FitPasses, %d, %d", part, write)] = of(must(FitPasses(phi, d.sum, 2, o)))
				}
			}
			return all
		}
		want := models(n)
		places := []int{0, 1, 150}
		if far && !testkit.Long() {
			places = []int{0, 150}
		}
		for _, place := range places {
			for name, got := range models(place) {
				compare(fmt.Sprintf("far features %v, place %d, %s", far, place, name), got, want[name], 1e-6)
			}
		}
		for name, got := range want { // however rows came
			if first := want["Fit, GuardedEvidence, 0"]; name == "FitBatches" || name == "Accumulator" || name[:6] == "merged" {
				compare(name, got, first, 1e-6)
			}
		}
		var last numbers
		for _, place := range []int{n, 0, 1, 150} {
			fx, fy, weights := withFarRow(x, y, place, far)
			in32 := must(featuremap.Float32(phi))
			sum := func(lo, hi int) *Accumulator32 {
				a := must(NewAccumulator32(in32, 2))
				rows := blas32.General{Rows: hi - lo, Cols: 2, Stride: 2}
				for _, v := range fx.RawMatrix().Data[2*lo : 2*hi] {
					rows.Data = append(rows.Data, float32(v))
				}
				if err := a.AddWeighted(rows, fy.Slice(lo, hi, 0, 2), weights[lo:hi]); err != nil {
					t.Fatal(err)
				}
				return a
			}
			merged := sum(0, 1)
			if err := merged.Merge(sum(1, n+1)); err != nil {
				t.Fatal(err)
			}
			for k, a := range []*Accumulator32{sum(0, n+1), merged} {
				m := must(a.Fit(&Options{Lambda: 10}))
				got := numbers{m.Lambda(), m.NoiseVariance(), nil, slices.Concat(m.Intercept(), m.Weights().RawMatrix().Data)}
				if last.lambda == nil {
					last = got
				}
				compare(fmt.Sprintf("float32, far features %v, place %d, %d", far, place, k), got, last, 1e-4)
			}
		}
	}
}

// A batch in which the row that is subtracted changes is added whole or not at all, and any batches give the same bits.
func TestFarRowRollback(t *testing.T) {
	phi := fourier(2, 24)
	x, y := data(200, 2, 1, 682)
	fx, fy, weights := withFarRow(x, y, 0, false)
	weights[60], weights[130] = 100, 1e4
	for _, begun := range []int{0, 1, 50, 160} {
		for _, size := range []int{1, 30, 201} {
			a := must(NewAccumulator(phi, 1))
			add := func(lo, hi int, y mat.Matrix) error {
				return a.AddWeighted(fx.Slice(lo, hi, 0, 2), y, weights[lo:hi])
			}
			for lo := 0; lo < 201; lo += size {
				hi := min(lo+size, 201)
				if lo <= begun && begun < hi {
					before := encoded(a)
					bad := mat.DenseCopyOf(fy.Slice(lo, hi, 0, 1))
					bad.Set(hi-lo-1, 0, 0x1p482) // of a weight that is refused
					heavy := weights[hi-1]
					weights[hi-1] = 0x1p100
					if err := add(lo, hi, bad); err == nil {
						t.Fatal("no error")
					}
					weights[hi-1] = heavy
					if !bytes.Equal(encoded(a), before) {
						t.Errorf("rows %d to %d: an error changed the accumulator", lo, hi)
					}
				}
				if err := add(lo, hi, fy.Slice(lo, hi, 0, 1)); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(encoded(a), encoded(weighted(phi, fx, fy, weights, 77))) {
				t.Errorf("batches of %d: other bits", size)
			}
		}
	}
}
