// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package parallel shares a range of indices out over goroutines.
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

// Run calls t.Do on ranges of at most grain indices that together are [0, n),
// from the calling goroutine and up to GOMAXPROCS−1 others, less those of calls that are
// under way, and returns when all is done: a task whose own work is shared out does it by itself while all cores
// are taken. Which goroutine gets which range is left to chance, so a task's
// results must not depend on it; the ranges themselves do not depend on the
// number of goroutines.
//
// A panic in t.Do stops the handing out of ranges and is raised again, with the
// same value, in the calling goroutine, once the others have stopped.
//
// Run allocates nothing once warm.
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

// A group is one call of Run. It is pooled with its goroutine's function made
// once, because a go statement with arguments would allocate a closure.
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

// A failure is the first panic of a group. (A panic's value may itself be nil-like
// or of an uncomparable type, so it is kept boxed.)
type failure struct{ value any }

// busy is the number of goroutines that take chunks, if there are several in a call.
var busy atomic.Int32

var groups = sync.Pool{New: func() any {
	g := new(group)
	g.helper = func() {
		defer g.wait.Done()
		g.work()
	}
	return g
}}

// work takes chunks until there are none.
func (g *group) work() {
	finished := false
	busy.Add(1)
	defer func() {
		busy.Add(-1)
		if finished {
			return
		}
		// recover returns nil where the task ended its goroutine (runtime.Goexit).
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
