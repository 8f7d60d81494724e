// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package parallel distributes a range of indices over goroutines.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Task does the work of the indices [lo, hi). Do is called from several
// goroutines at once, on ranges that do not overlap.
type Task interface {
	Do(lo, hi int)
}

// Func adapts a function to a Task.
type Func func(lo, hi int)

// Do calls f(lo, hi).
func (f Func) Do(lo, hi int) { f(lo, hi) }

// Run calls t.Do on ranges of at most grain indices that together are [0, n), and returns when all are done. It
// calls from its own goroutine and up to GOMAXPROCS−1 others, minus those of other calls in progress. So a task
// that itself calls Run does this work alone while all cores are busy.
//
// Which goroutine gets which range is left to chance, so a task's results must not depend on it. The ranges do
// not depend on the number of goroutines.
//
// After a panic in t.Do no more ranges are started. When the other goroutines have stopped, the panic is raised
// again, with the same value, in the calling goroutine.
//
// Run allocates nothing once its pools are filled.
func Run(t Task, n, grain int) {
	if n <= 0 {
		return
	}
	grain = max(grain, 1)
	chunks := (n-1)/grain + 1
	procs := runtime.GOMAXPROCS(0)
	workers := min(procs, max(procs+1-int(busy.Load()), 1), chunks)
	if workers == 1 {
		for lo := 0; lo < n; lo += grain {
			t.Do(lo, min(lo+grain, n))
		}
		return
	}
	g := groups.Get().(*group)
	g.task, g.n, g.grain, g.chunks = t, n, grain, int64(chunks)
	g.next.Store(0)
	g.wait.Add(workers - 1)
	for range workers - 1 {
		go g.helper()
	}
	g.work()
	g.wait.Wait()
	failure := g.failure
	g.task, g.failure = nil, nil
	groups.Put(g)
	if failure != nil {
		panic(failure.value)
	}
}

// group is one call of Run. It is pooled with its goroutine's function, which is made once, because
// a go statement with arguments would allocate a closure.
type group struct {
	task     Task
	n, grain int
	chunks   int64
	next     atomic.Int64 // the next chunk to hand out
	wait     sync.WaitGroup
	helper   func()
	mu       sync.Mutex
	failure  *failure
}

// failure is the first panic of a group. Its value is boxed because it may be nil-like or of a type
// that cannot be compared.
type failure struct{ value any }

// busy is the number of goroutines that work for calls with more than one goroutine.
var busy atomic.Int32

var groups = sync.Pool{New: func() any {
	g := new(group)
	g.helper = func() {
		defer g.wait.Done()
		g.work()
	}
	return g
}}

// work takes chunks until no chunk is left.
func (g *group) work() {
	finished := false
	busy.Add(1)
	defer func() {
		busy.Add(-1)
		if finished {
			return
		}
		// recover returns nil if the task ended its goroutine (runtime.Goexit).
		value := recover()
		g.next.Store(g.chunks)
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.failure == nil {
			g.failure = &failure{value}
		}
	}()
	for {
		c := g.next.Add(1) - 1
		if c >= g.chunks {
			break
		}
		lo := int(c) * g.grain
		g.task.Do(lo, min(lo+g.grain, g.n))
	}
	finished = true
}
