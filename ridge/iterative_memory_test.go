// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The memory that FitIterative takes.

package ridge_test

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// heapOf returns the largest heap while f runs, less that before, with what is dead and not yet collected.
func heapOf(f func()) (bytes uint64) {
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	runtime.GC() // what a sync.Pool held goes with the second
	before := read()
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			bytes = max(bytes, read())
			select {
			case <-end:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(end)
	<-ended
	return bytes - min(before, bytes)
}

// With 4000 rows, or PASS_ROWS in the environment (60,000 have 729 MB), 65,536 features and 10 targets the largest heap is below 1.5 GB without the rows.
// (Passes take the same memory again and again, so that three are enough.)
func TestFitIterativeMemory(t *testing.T) {
	if !testkit.Long() {
		t.Skip("only with -long")
	}
	n, d, features, targets := 2000, 64, 65_536, 10
	if s := os.Getenv("PASS_ROWS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	o := &featuremap.FourierOptions{Design: featuremap.Structured}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 8}, d, features, s, o)
	if err != nil {
		t.Fatal(err)
	}
	batches := ridge.Rows(x, y)
	start := peak.CPU()
	heap := heapOf(func() {
		var m *ridge.Model
		m, err = ridge.FitIterative(phi, batches, &ridge.IterativeOptions{
			Lambda: 1, Passes: 3,
			Progress: func(pass int, residual float64) error {
				t.Logf("pass %d: residual %.2g after %.0f s of CPU time", pass, residual, (peak.CPU() - start).Seconds())
				return nil
			},
		})
		runtime.KeepAlive(m)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows, %d features, %d targets: a largest heap of %d MB beside the rows", n, features, targets, heap>>20)
	if !(float64(heap) < 1.5e9) {
		t.Errorf("a largest heap of %d bytes", heap)
	}
}
