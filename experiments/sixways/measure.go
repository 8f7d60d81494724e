// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"runtime"
	"slices"
	"time"
)

// A job is a way of learning a problem whose costs are measured.
type job struct {
	problem *problem
	way     way
	order   []int

	setups, steps   []float64 // seconds, of each round
	counted, heaped int       // bytes
}

// measure measures the jobs in turn, in some rounds over them all, so that other load on the machine affects all of
// them.
func measure(jobs []*job, rounds int, least time.Duration) error {
	for range rounds {
		for _, j := range jobs {
			if err := j.measure(least); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure builds the learner and takes steps, both again and again for at least some time, and records the median of
// each.
func (j *job) measure(least time.Duration) error {
	before := heap()
	l, err := j.way.build(j.problem)
	if err != nil {
		return err
	}
	j.counted, j.heaped = l.bytes(), heap()-before

	from, batch := 0, 1
	steps := func() {
		j.problem.fit(l, j.order[from:from+batch])
		from = (from + batch) % (len(j.order) - most + 1)
	}
	// A batch takes long compared with reading the clock, and not long compared with the times when other programs
	// have the processor.
	batch = int(min(max(1, 20e-6/repeat(0, steps)), most))
	j.steps = append(j.steps, repeat(least, steps)/float64(batch))
	l = nil
	j.setups = append(j.setups, repeat(least, func() { l, err = j.way.build(j.problem) }))
	return err
}

// most is the largest number of steps in a batch.
const most = 16

// repeat calls do for at least some time, and returns the median of the seconds that it took.
func repeat(least time.Duration, do func()) float64 {
	var times []float64
	for begin := time.Now(); len(times) == 0 || time.Since(begin) < least; {
		start := time.Now()
		do()
		times = append(times, time.Since(start).Seconds())
	}
	return median(times)
}

// heap returns the bytes of the heap that are in use. It collects garbage twice, because contents of pools survive
// the first time.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// median returns the median of values, the lower one of two, because disturbances only make times
// longer.
func median(values []float64) float64 {
	s := slices.Clone(values)
	slices.Sort(s)
	return s[(len(s)-1)/2]
}
