// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testkit

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A MapCase is a family of maps to be tested.
type MapCase struct {
	// New samples a map R^in → R^out.
	New func(in, out int, s *featuremap.Sampler) (featuremap.FeatureMap, error)

	Dims  []int              // the numbers of coordinates to test it with: the first and the last, and with -long all
	Out   func(in int) int   // the number of features; nil: the map says, and New gets 0
	Pairs func(d int) []Pair // points at which the estimate is tested

	// InexactVariance says that Variance is not the exact variance; then the sample's own variance
	// replaces it.
	InexactVariance bool

	// UnknownVariance says that Variance is NaN.
	UnknownVariance bool

	// HeavyTails says that the estimate's fourth moment is too large to test its variance by
	// simulation (or, with RareTails, with few maps, as without -long). Then the formula must be
	// tested elsewhere.
	HeavyTails, RareTails bool

	// Cancels says that Variance is a difference of sums, with an absolute error of
	// 1e-15·k(x, x)·k(y, y).
	Cancels bool

	// NoPlan says that the map is not sampled from a plan.
	NoPlan bool

	// OwnKernel says that the map's kernel is FromMap of the map itself, whose estimate has no
	// error.
	OwnKernel bool

	// Reads tells whether a feature of m reads a coordinate; nil: each feature reads all
	// coordinates.
	Reads func(m featuremap.FeatureMap, feature, coordinate int) bool
}

// Map runs the conformance suite of maps, which every map of the package passes. Call it last in a
// test: cases run in parallel, except for allocations, which are counted alone.
func Map(t *testing.T, c MapCase) {
	Allocations(t, c.draw(t, c.Dims[len(c.Dims)-1], 1))
	t.Parallel()
	switch last := len(c.Dims) - 1; {
	case RaceEnabled: // it has the same goroutines to check in one case as in all
		c.Dims = c.Dims[last:]
	case last > 1 && !Long():
		c.Dims = []int{c.Dims[0], c.Dims[last]}
	}
	for _, d := range c.Dims {
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) {
			first := c.draw(t, d, 0)
			mapConcurrent(t, d, first) // the first to use its tables
			mapMoments(t, c, d, first)
			mapPlan(t, c, d, first)
			m := c.draw(t, d, 1)
			mapBits(t, d, m)
			mapLists(t, d, m)
			mapNotFinite(t, c, d, m)
			mapShapes(t, c, d, m)
			mapSampler(t, c, d, m)
		})
	}
}

// mapPlan tests that the plan of a map knows its variance, samples maps of its kind, and is safe for
// concurrent use. In the tests of the root package, PlanOf says whether a map is sampled from a plan.
func mapPlan(t *testing.T, c MapCase, d int, m featuremap.FeatureMap) {
	if c.NoPlan && PlanOf == nil {
		return
	}
	p, err := PlanOf(m)
	if c.NoPlan {
		if err == nil || p != nil {
			t.Error("a plan of a map that is drawn from none")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	in, out := m.Dims()
	if i, o := p.Dims(); i != in || o < out || !sameKernel(p.Kernel(), m.Kernel()) {
		t.Errorf("the plan is R^%d → R^%d for %v, the map R^%d → R^%d for %v", i, o, p.Kernel(), in, out, m.Kernel())
	}
	last := d == c.Dims[len(c.Dims)-1] // errors over pairs are slow
	var wg sync.WaitGroup
	for range Times(2, 2, 3) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			drawn, err := p.Draw(featuremap.NewSampler(13))
			if err != nil {
				t.Error(err)
				return
			}
			again, err := p.Draw(featuremap.NewSampler(13))
			if err != nil {
				t.Error(err)
				return
			}
			for _, pair := range c.Pairs(d) {
				if !sameBits(drawn.TransformVec(nil, pair.X), again.TransformVec(nil, pair.X)) {
					t.Error("two draws of one seed differ")
				}
				for _, m := range []featuremap.FeatureMap{m, drawn} {
					v, ok := m.(featuremap.Variancer)
					if ok && !c.UnknownVariance && v.Variance(pair.X, pair.Y) != p.Variance(pair.X, pair.Y) {
						t.Errorf("%s: Variance of the plan is %v, of a map %v", pair.Name, p.Variance(pair.X, pair.Y), v.Variance(pair.X, pair.Y))
					}
					b, ok := m.(interface{ Bias(x, y []float64) float64 })
					if ok && b.Bias(pair.X, pair.Y) != p.Bias(pair.X, pair.Y) {
						t.Errorf("%s: Bias of the plan is %v, of a map %v", pair.Name, p.Bias(pair.X, pair.Y), b.Bias(pair.X, pair.Y))
					}
				}
			}
			if last && math.IsNaN(p.RMSE()) && !c.UnknownVariance {
				t.Errorf("a plan with an error of %v", p.RMSE())
			}
		}()
	}
	wg.Wait()
	if last && Long() && p.String() == "" { // it predicts more errors; other tests read texts
		t.Error("a plan that does not print")
	}
	expectPanic(t, "Variance of a plan at another length", mat.ErrShape, func() {
		p.Variance(make([]float64, d+1), make([]float64, d+1))
	})
	s, split := featuremap.NewSampler(8), featuremap.NewSampler(8)
	if _, err := p.Draw(s); err != nil {
		t.Fatal(err)
	}
	split.Split()
	if s.Uint64() != split.Uint64() {
		t.Error("Draw took something else than one Split from the sampler")
	}
}

// sameKernel tells whether two kernels are equal. Kernels that are neither comparable nor deeply equal are
// different.
func sameKernel(k, l featuremap.Kernel) bool {
	return reflect.DeepEqual(k, l) || reflect.ValueOf(k).Comparable() && reflect.ValueOf(l).Comparable() && k == l
}

// draw draws the map of a seed.
func (c MapCase) draw(t *testing.T, d int, seed uint64) featuremap.FeatureMap {
	t.Helper()
	m, err := c.New(d, c.out(d), featuremap.NewSampler(seed))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// out is Out, or 0.
func (c MapCase) out(d int) int {
	if c.Out == nil {
		return 0
	}
	return c.Out(d)
}

// mapBits tests that features have the same bits for single rows and batches, for different
// layouts, and for different numbers of goroutines.
func mapBits(t *testing.T, d int, m featuremap.FeatureMap) {
	_, out := m.Dims()
	s := featuremap.NewSampler(2)
	point := normalMatrix(s, 1, d).RawRowView(0)
	dst := make([]float64, out)
	got := m.TransformVec(dst, point)
	if &got[0] != &dst[0] || !sameBits(dst, m.TransformVec(nil, point)) {
		t.Error("TransformVec does not write to its destination")
	}
	// The last is large enough for several goroutines: with -long in all cases, otherwise in some.
	last := 200 + 2_400/d
	if Long() {
		last = 1000 + 20_000/d
	}
	type batch struct {
		x, transposed mat.Matrix
		want          []float64
	}
	var batches []batch
	for _, n := range []int{1, 2, 7, 16, 33, last} {
		wide := normalMatrix(s, n, d+2)
		wide.Set(0, 1, 1e9) // a large phase
		x := wide.Slice(0, n, 1, d+1).(*mat.Dense)
		want := make([]float64, 0, n*out)
		for i := range n {
			want = append(want, m.TransformVec(nil, x.RawRowView(i))...)
		}
		batches = append(batches, batch{x, mat.DenseCopyOf(x.T()).T(), want})
	}
	check := func(b batch, procs int) {
		n, _ := b.x.Dims()
		var dst mat.Dense
		m.TransformTo(&dst, b.x)
		if !sameBits(dst.RawMatrix().Data, b.want) {
			t.Errorf("%d rows on %d processors: differs from row by row", n, procs)
		}
		m.TransformTo(&dst, b.transposed)
		if !sameBits(dst.RawMatrix().Data, b.want) {
			t.Errorf("%d rows, transposed, on %d processors: differs from row by row", n, procs)
		}
		const canary = 12345.5
		margin := mat.NewDense(n+2, out+2, nil)
		for i := range margin.RawMatrix().Data {
			margin.RawMatrix().Data[i] = canary
		}
		inner := margin.Slice(1, n+1, 1, out+1).(*mat.Dense)
		m.TransformTo(inner, b.x)
		for i := range n + 2 {
			row := margin.RawRowView(i)
			outside := row
			if i >= 1 && i <= n {
				if !sameBits(row[1:out+1], b.want[(i-1)*out:i*out]) {
					t.Fatalf("%d rows into a view on %d processors: differs from row by row", n, procs)
				}
				outside = []float64{row[0], row[out+1]}
			}
			for _, v := range outside {
				if v != canary {
					t.Fatalf("%d rows into a view: wrote outside it", n)
				}
			}
		}
	}
	few := batches[:len(batches)-1]
	withProcs(8, func() {
		for _, b := range batches {
			check(b, 8)
		}
	})
	if !Long() {
		few = few[len(few)-1:]
	}
	for _, procs := range []int{1, 2}[:Times(1, 1, 2)] {
		withProcs(procs, func() {
			for _, b := range few {
				check(b, procs)
			}
		})
	}
}

var procs sync.Mutex

// withProcs runs f with GOMAXPROCS set to n, one such f at a time.
func withProcs(n int, f func()) {
	procs.Lock()
	defer procs.Unlock()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	f()
}

// mapNotFinite tests that NaN and Inf affect only their row, and do affect it.
func mapNotFinite(t *testing.T, c MapCase, d int, m featuremap.FeatureMap) {
	x := normalMatrix(featuremap.NewSampler(4), 20, d)
	var want, got mat.Dense
	m.TransformTo(&want, x)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		const row = 11
		bad := mat.DenseCopyOf(x)
		bad.Set(row, d/2, v)
		m.TransformTo(&got, bad)
		for i := range 20 {
			if i != row {
				if !sameBits(got.RawRowView(i), want.RawRowView(i)) {
					t.Errorf("%v in row %d changed row %d", v, row, i)
				}
				continue
			}
			for j, f := range got.RawRowView(i) {
				if c.Reads != nil && !c.Reads(m, j, d/2) {
					if f != want.At(row, j) {
						t.Fatalf("feature %d, which does not read coordinate %d, changed with it", j, d/2)
					}
					continue
				}
				if !math.IsNaN(f) && (math.IsNaN(v) || !math.IsInf(f, 0)) {
					t.Fatalf("feature %d of a point with %v is %v", j, v, f)
				}
			}
		}
	}
}

func mapShapes(t *testing.T, c MapCase, d int, m featuremap.FeatureMap) {
	in, out := m.Dims()
	if in != d || c.Out != nil && out != c.Out(d) {
		t.Errorf("Dims = %d, %d, want %d, %d", in, out, d, c.out(d))
	}
	x := mat.NewDense(3, d, nil)
	expectPanic(t, "too wide", mat.ErrShape, func() { m.TransformTo(new(mat.Dense), mat.NewDense(3, d+1, nil)) })
	expectPanic(t, "no rows", mat.ErrZeroLength, func() { m.TransformTo(new(mat.Dense), new(mat.Dense)) })
	expectPanic(t, "dst too short", mat.ErrShape, func() { m.TransformTo(mat.NewDense(2, out, nil), x) })
	expectPanic(t, "dst too wide", mat.ErrShape, func() { m.TransformTo(mat.NewDense(3, out+1, nil), x) })
	expectPanic(t, "x too long", mat.ErrShape, func() { m.TransformVec(nil, make([]float64, d+1)) })
	expectPanic(t, "x empty", mat.ErrShape, func() { m.TransformVec(nil, nil) })
	expectPanic(t, "dst too long", mat.ErrShape, func() { m.TransformVec(make([]float64, out+1), make([]float64, d)) })
	expectPanic(t, "dst empty, not nil", mat.ErrShape, func() { m.TransformVec([]float64{}, make([]float64, d)) })
	data := make([]float64, 3*out+3*d)
	overlapping := mat.NewDense(3, d, data[3*out-1:3*out-1+3*d])
	expectOverlapPanic(t, "overlap", func() { m.TransformTo(mat.NewDense(3, out, data[:3*out]), overlapping) })
	expectOverlapPanic(t, "overlap, transposed", func() {
		data := make([]float64, d*out+d*d)
		m.TransformTo(mat.NewDense(d, out, data[:d*out]), mat.NewDense(d, d, data[d*out-1:d*out-1+d*d]).T())
	})
	expectOverlapPanic(t, "overlap of slices", func() { m.TransformVec(data[:out], data[out-1:out-1+d]) })
	if v, ok := m.(featuremap.Variancer); ok {
		expectPanic(t, "Variance of another length", mat.ErrShape, func() {
			v.Variance(make([]float64, d+1), make([]float64, d+1))
		})
		expectPanic(t, "Variance of different lengths", mat.ErrShape, func() {
			v.Variance(make([]float64, d), make([]float64, d+1))
		})
	}
	// Matrices next to each other, and side by side in one matrix, do not overlap.
	m.TransformVec(data[:out], data[out:out+d])
	both := mat.NewDense(3, out+d, nil)
	m.TransformTo(both.Slice(0, 3, 0, out).(*mat.Dense), both.Slice(0, 3, out, out+d))
	m.TransformTo(both.Slice(0, 3, d, d+out).(*mat.Dense), both.Slice(0, 3, 0, d))
	// A panic in the caller's own matrix reaches the caller.
	expectPanic(t, "panic of the caller's", "boom", func() { m.TransformTo(new(mat.Dense), boom{400, d}) })
}

// boom is a matrix whose last row panics.
type boom struct{ r, c int }

func (b boom) Dims() (int, int) { return b.r, b.c }
func (b boom) T() mat.Matrix    { return mat.Transpose{Matrix: b} }
func (b boom) At(i, j int) float64 {
	if i == b.r-1 {
		panic("boom")
	}
	return 0
}

// mapSampler tests that the same seed, 1, gives the same map m, and that a constructor takes one
// Split from the sampler, whatever the size of the map.
func mapSampler(t *testing.T, c MapCase, d int, m featuremap.FeatureMap) {
	x := normalMatrix(featuremap.NewSampler(6), 1, d).RawRowView(0)
	s := featuremap.NewSampler(1)
	again, err := c.New(d, c.out(d), s)
	if err != nil {
		t.Fatal(err)
	}
	if !sameBits(m.TransformVec(nil, x), again.TransformVec(nil, x)) {
		t.Error("the same seed gave another map")
	}
	split := featuremap.NewSampler(1)
	split.Split()
	if s.Uint64() != split.Uint64() {
		t.Error("the constructor took something else than one Split from the sampler")
	}
}

// mapConcurrent tests that a new map, which may still have to fill tables, is safe for concurrent
// use.
func mapConcurrent(t *testing.T, d int, m featuremap.FeatureMap) {
	x := normalMatrix(featuremap.NewSampler(10), 70, d)
	var want mat.Dense
	m.TransformTo(&want, x)
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var in mat.Matrix = x
			if g%2 == 1 {
				in = mat.DenseCopyOf(x.T()).T()
			}
			var got mat.Dense
			for i := range 2 {
				m.TransformTo(&got, in)
				row := m.TransformVec(nil, x.RawRowView(i))
				if !sameBits(got.RawMatrix().Data, want.RawMatrix().Data) || !sameBits(row, want.RawRowView(i)) {
					t.Error("concurrent transformations differ")
				}
				if v, ok := m.(featuremap.Variancer); ok {
					v.Variance(x.RawRowView(i), x.RawRowView(i+1))
				}
				m.Kernel().Eval(x.RawRowView(i), x.RawRowView(i+1))
			}
		}()
	}
	wg.Wait()
}

// Allocations tests that a map allocates nothing once its pools are filled: for batches in memory,
// for matrices that show their elements one by one, and for single rows, on one processor and on
// several. It must not run at the same time as other tests. Map calls it; if the map is too small
// for several goroutines, call it on a larger one too.
func Allocations(t *testing.T, m featuremap.FeatureMap) {
	if RaceEnabled {
		t.Skip("under the race detector, pools drop what they are given at random")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	in, out := m.Dims()
	const n = 200
	x := normalMatrix(featuremap.NewSampler(11), n, in)
	transposed := mat.DenseCopyOf(x.T()).T()
	dst := mat.NewDense(n, out, nil)
	row := make([]float64, out)
	calls := []struct {
		name string
		f    func()
	}{
		{"TransformTo", func() { m.TransformTo(dst, x) }},
		{"TransformTo of a transposed matrix", func() { m.TransformTo(dst, transposed) }},
		{"TransformVec", func() { m.TransformVec(row, x.RawRowView(0)) }},
	}
	for _, procs := range []int{1, 4} {
		withProcs(procs, func() {
			for _, c := range calls {
				// It takes the runtime a while until every processor has goroutines to reuse. So
				// one of 150 rounds must have no allocations.
				const rounds, runs = 150, 2
				least := uint64(math.MaxUint64)
				for round := 0; round < rounds && least > 0; round++ {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					for range runs {
						c.f()
					}
					runtime.ReadMemStats(&after)
					least = min(least, after.Mallocs-before.Mallocs)
				}
				if least > 0 {
					t.Errorf("%s on %d processors: at least %d allocations in %d calls", c.name, procs, least, runs)
				}
			}
		})
	}
}
