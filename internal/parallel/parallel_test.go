// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// marks counts how often each index was done.
type marks []atomic.Int32

func (m marks) Do(lo, hi int) {
	for i := lo; i < hi; i++ {
		m[i].Add(1)
	}
}

// withProcs runs f with GOMAXPROCS set to n.
func withProcs(n int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	f()
}

func TestRunDoesEachIndexOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 5} {
		withProcs(procs, func() {
			for _, n := range []int{0, 1, 2, 7, 8, 9, 1000} {
				for _, grain := range []int{-1, 0, 1, 3, 8, 2000} {
					m := make(marks, n)
					Run(m, n, grain)
					for i := range m {
						if got := m[i].Load(); got != 1 {
							t.Fatalf("%d procs, n = %d, grain = %d: index %d done %d times", procs, n, grain, i, got)
						}
					}
				}
			}
		})
	}
}

func TestRunUsesRangesWithinGrain(t *testing.T) {
	withProcs(3, func() {
		Run(Func(func(lo, hi int) {
			if lo%4 != 0 || hi-lo > 4 || hi <= lo {
				t.Errorf("range [%d, %d), want at most 4 from a multiple of 4", lo, hi)
			}
		}), 22, 4)
	})
}

func TestRunRaisesPanicAgain(t *testing.T) {
	boom := []string{"uncomparable"}
	for _, procs := range []int{1, 4} {
		withProcs(procs, func() {
			for range 50 {
				var got any
				func() {
					defer func() { got = recover() }()
					Run(Func(func(lo, hi int) {
						if lo == 37 {
							panic(boom)
						}
					}), 100, 1)
				}()
				if s, ok := got.([]string); !ok || &s[0] != &boom[0] {
					t.Fatalf("%d procs: recovered %v, want the task's own value", procs, got)
				}
				// What was pooled is fit for use.
				m := make(marks, 100)
				Run(m, 100, 1)
				for i := range m {
					if m[i].Load() != 1 {
						t.Fatalf("%d procs: index %d not done after a panic", procs, i)
					}
				}
			}
		})
	}
}

func TestRunNests(t *testing.T) {
	withProcs(4, func() {
		var total atomic.Int64
		Run(Func(func(lo, hi int) {
			Run(Func(func(lo, hi int) { total.Add(int64(hi - lo)) }), 10, 1)
		}), 20, 1)
		if got := total.Load(); got != 200 {
			t.Errorf("nested runs did %d indices, want 200", got)
		}
	})
}
