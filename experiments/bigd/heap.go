// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The memory of a fit.

package main

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// largestHeap calls f, and returns by how many megabytes the heap grows at most, including objects that the collector
// has not freed yet. It looks every few milliseconds.
func largestHeap(f func()) float64 {
	const every = 2 * time.Millisecond
	runtime.GC()
	runtime.GC() // what a sync.Pool held goes with the second
	before := heap()
	done, largest := make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		for {
			most = max(most, heap())
			select {
			case <-done:
				largest <- max(most, heap())
				return
			case <-time.After(every):
			}
		}
	}()
	f()
	close(done)
	return float64(<-largest-before) / 1e6
}

// heap returns the bytes of objects in the heap.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
