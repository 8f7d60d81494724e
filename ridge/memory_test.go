// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"runtime"
	"runtime/debug"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
)

// heapAfter returns the bytes of the heap after a garbage collection.
func heapAfter() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The first garbage collection after the last use of a model takes its landmarks, 2·3.2 MB of them here, and the model: memory for the next call, which a
// sync.Pool holds until the second, 14 MB of rows and features, does not know them, or it would be 21 MB. An accumulator gives back the memory for the next rows, 3 MB, when it is told to, and has the same
// sums.
func TestMemoryIsLetGo(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no other collection than those here
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))  // each has its own pools
	const n, in, out = 900, 1000, 400
	x, y := mat.NewDense(n, in, nil), mat.NewDense(n, 1, nil)
	s := featuremap.NewSampler(1)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	off := &IntervalOptions{Off: true} // which take as long
	use := func() *Accumulator {
		phi, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 40}, x, out, s, &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Fit(phi, x, y, &Options{Lambda: 1, Intervals: off})
		if err != nil {
			t.Fatal(err)
		}
		m.PredictTo(new(mat.Dense), x)
		m.varianceVec(nil, x.RawRowView(0))
		a, err := NewAccumulator(phi, 1)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	heapAfter() // what pools held before this test
	before := heapAfter()
	use()
	if bytes := heapAfter() - before; bytes > 18e6 {
		t.Errorf("%d bytes are held", bytes)
	}
	a := use()
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	want, err := a.Fit(&Options{Lambda: 1, Intervals: off})
	if err != nil {
		t.Fatal(err)
	}
	heapAfter()
	full := heapAfter()
	o := &Options{Lambda: 1, Intervals: off}
	linear.Of(o).Release = true
	got, err := a.Fit(o)
	if err != nil || got.PredictVec(nil, x.RawRowView(1))[0] != want.PredictVec(nil, x.RawRowView(1))[0] {
		t.Errorf("another model: %v, %v", got, err)
	}
	got = nil
	heapAfter()
	if bytes := full - heapAfter(); bytes < n*out*8 {
		t.Errorf("%d bytes are given back", bytes)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive([]any{x, y, want})
}
