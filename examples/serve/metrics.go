// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"expvar"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// counts is the variable "serve" of /debug/vars, for all servers of the process, since expvar has one name space.
var counts = newCounters()

// counters count what servers do.
type counters struct {
	requests *expvar.Map // by page and status: "/predict 200"
	rows     *expvar.Int // predicted
	inFlight *expvar.Int // requests in progress, of any page
	panics   *expvar.Int
	latency  *histogram // of /predict
}

func newCounters() *counters {
	c := &counters{new(expvar.Map), new(expvar.Int), new(expvar.Int), new(expvar.Int), new(histogram)}
	m := expvar.NewMap("serve")
	m.Set("requests", c.requests)
	m.Set("rows", c.rows)
	m.Set("inFlight", c.inFlight)
	m.Set("panics", c.panics)
	m.Set("latency", c.latency)
	return c
}

// request counts an answer.
func (c *counters) request(path string, status int, took time.Duration) {
	if path == "/" {
		path = "other"
	}
	c.requests.Add(fmt.Sprintf("%s %d", path, status), 1)
	if path == "/predict" {
		c.latency.add(took)
	}
}

// bounds are the bounds of the histogram, in milliseconds.
var bounds = [...]int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000}

// A histogram counts durations. It is safe for concurrent use.
type histogram struct {
	atMost [len(bounds)]atomic.Int64 // of bounds[i] and more than bounds[i-1]
	longer atomic.Int64
	micros atomic.Int64 // the sum
}

// add counts a duration.
func (h *histogram) add(d time.Duration) {
	h.micros.Add(d.Microseconds())
	for i, b := range bounds {
		if d <= time.Duration(b)*time.Millisecond {
			h.atMost[i].Add(1)
			return
		}
	}
	h.longer.Add(1)
}

// String returns the counts as JSON, cumulative: "20" counts durations of at most 20 ms.
func (h *histogram) String() string {
	var b strings.Builder
	b.WriteString(`{"atMostMilliseconds": {`)
	var sum int64
	for i, ms := range bounds {
		sum += h.atMost[i].Load()
		fmt.Fprintf(&b, `"%d": %d, `, ms, sum)
	}
	fmt.Fprintf(&b, `"any": %d}, "sumSeconds": %.6f}`, sum+h.longer.Load(), float64(h.micros.Load())/1e6)
	return b.String()
}
