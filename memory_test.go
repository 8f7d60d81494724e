// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// unitLists are so many rows that are lists of one entry, which is 1.
type unitLists struct{ r, c int }

func (m unitLists) Dims() (r, c int) { return m.r, m.c }
func (m unitLists) At(i, j int) float64 {
	if j == i%m.c {
		return 1
	}
	return 0
}
func (m unitLists) T() mat.Matrix                                   { return mat.Transpose{Matrix: m} }
func (m unitLists) DoRowNonZero(i int, f func(i, j int, v float64)) { f(i, i%m.c, 1) }
func (unitLists) NonZero() int                                      { return 0 }

// A result that does not fit in memory is a panic with its size, before a row is read; rows that are lists are not made dense to
// look at them.
func TestResultsThatDoNotFit(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("rows are numbered by an int, of 32 bits")
	}
	const huge = int(min(int64(1)<<40, math.MaxInt))
	k := ARD([]float64{1}, Gaussian{LengthScale: 1})
	phi := testkit.Must(NewFourier(k, 1, 64, NewSampler(1), nil))
	few, many, wide := mat.NewDense(3, 1, nil), testkit.Unread(3_000_000, 1), testkit.Unread(huge, 1)
	for name, c := range map[string]struct {
		do   func()
		want string
	}{
		"Gram":            {func() { Gram(new(mat.SymDense), k, many) }, "featuremap: values, 3000000×3000000, take 7.2e+13 bytes, and there are "},
		"CrossGram":       {func() { CrossGram(new(mat.Dense), k, many, many) }, "featuremap: values, 3000000×3000000, take 7.2e+13 bytes, and there are "},
		"CrossGram, one":  {func() { CrossGram(new(mat.Dense), k, few, wide) }, "featuremap: values, 3×1099511627776, take 3.52e+13 bytes, and there are "},
		"rows of lists":   {func() { Gram(new(mat.SymDense), Linear{}, unitLists{300, huge}) }, "featuremap: values, 300×300, take 2.64e+15 bytes, and there are "},
		"TransformTo":     {func() { phi.TransformTo(new(mat.Dense), wide) }, "featuremap: numbers, 1099511627776×64, take 5.63e+14 bytes, and there are "},
		"points of lists": {func() { Gram(mat.NewSymDense(300, nil), Linear{}, unitLists{300, huge}) }, "featuremap: coordinates of points, 300×1099511627776, take 2.64e+15 bytes, and there are "},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, c.want) {
					t.Errorf("%s, want %s…", got, c.want)
				}
			}()
			c.do()
		})
	}
	base := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 1<<20, 2, NewSampler(1), nil))
	_, err := NewDataDependent(base, unitLists{1 << 24, 1 << 20}, &DataDependentOptions{Alpha: 1, Power: 1, Neighbors: 2})
	if want := "featuremap: x has 16777216 rows and base 2 features: the matrices take 1.41e+14 bytes, and there are "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("NewDataDependent: %v, want %s…", err, want)
	}
	_, err = NewNystrom(Linear{}, testkit.Unread(1<<20, 1<<24), 4000, NewSampler(1), nil)
	if want := "featuremap: features = 4000: the matrices of 4000 landmarks of 16777216 coordinates take 1.07e+12 bytes, and there are "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("NewNystrom: %v, want %s…", err, want)
	}
}

// Landmarks of sparse rows are kept as lists, and are dense once, while they are put in order.
func TestLandmarksOfWideRows(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector takes memory of its own, and pools lose what they have under it")
	}
	const landmarks, width = 64, 1 << 15
	x := unitLists{2 * landmarks, width}
	dense := uint64(landmarks * width * 8)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	phi := testkit.Must(NewNystrom(Gaussian{LengthScale: 1}, x, landmarks, NewSampler(1), &NystromOptions{Landmarks: RandomRows}))
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 3*dense {
		t.Errorf("%d landmarks of %d columns: made in %d bytes", landmarks, width, made)
	}
	runtime.GC()
	runtime.GC() // what pools have
	runtime.ReadMemStats(&after)
	if kept := after.HeapAlloc - before.HeapAlloc; after.HeapAlloc > before.HeapAlloc && kept > dense/4 {
		t.Errorf("%d landmarks of %d columns: %d bytes are kept", landmarks, width, kept)
	}
	if f := phi.TransformVec(nil, mat.Row(nil, 1, x)); !(math.Abs(testkit.DotOf(f, f)) <= 1+1e-9) {
		t.Errorf("features %v", f)
	}
}

type one struct{}

func (one) Variance(x, y []float64) float64 { return testkit.DotOf(x, x) }

// Pairs of wide sparse rows are read as they come: all rows would not fit.
func TestPairsOfWideRows(t *testing.T) {
	x := unitLists{1 << 21, 1 << 13}
	l, err := MedianLengthScale(x, NewSampler(1))
	if err != nil || !(math.Abs(l-1) <= 1e-15) {
		t.Errorf("%v, %v, want 1", l, err)
	}
	if v, err := PredictedRMSE(one{}, x, 10, NewSampler(1)); err != nil || !(math.Abs(v-1) <= 1e-15) {
		t.Errorf("%v, %v, want 1", v, err)
	}
}
