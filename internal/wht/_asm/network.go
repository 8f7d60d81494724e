// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// network is the Walsh-Hadamard transforms of n vectors in registers: of groups of together vectors, or of all.
// Vector k is at src(k) before and at dst(k) after. When registers run out a vector is spilled to dst(k). Its source
// has been read by then, so dst may be src.
type network struct {
	width
	n        int
	together int // 0 for n
	src, dst func(k int) operand.Mem

	// sign, if not nil, loads vector k with its signs.
	sign func(k int, r reg.VecPhysical)
	// finish, if not nil, does the stages within r. It returns the result and the remaining
	// register.
	finish func(r, tmp reg.VecPhysical) (result, left reg.VecPhysical)

	ops  []op
	free []reg.VecPhysical
	at   []reg.VecPhysical // the register of vector k, nil while it is in memory
	mem  []operand.Mem     // where vector k is in memory
	raw  []bool            // vector k still needs its signs
}

// An op is a butterfly: vectors a and b become a + b and a − b.
type op struct{ a, b int }

// butterflies returns the butterflies of n vectors, from stride n/2 down to 1. Two stages are
// interleaved in groups of four, so that few vectors wait.
func butterflies(n int) (ops []op) {
	s := n / 2
	if n&0xaaaa != 0 { // an odd number of stages
		for k := range s {
			ops = append(ops, op{k, k + s})
		}
		s /= 2
	}
	for ; s > 0; s /= 4 {
		h := s / 2
		for first := 0; first < n; first += 2 * s {
			for k := first; k < first+h; k++ {
				ops = append(ops, op{k, k + s}, op{k + h, k + h + s}, op{k, k + h}, op{k + s, k + s + h})
			}
		}
	}
	return ops
}

// emit writes the instructions of the network.
func (w network) emit() {
	if w.together == 0 {
		w.together = w.n
	}
	for first := 0; first < w.n; first += w.together {
		for _, o := range butterflies(w.together) {
			w.ops = append(w.ops, op{first + o.a, first + o.b})
		}
	}
	w.free = append(w.free, w.registers...)
	w.at = make([]reg.VecPhysical, w.n)
	w.mem = make([]operand.Mem, w.n)
	w.raw = make([]bool, w.n)
	for k := range w.n {
		w.mem[k], w.raw[k] = w.src(k), w.sign != nil
	}
	for len(w.ops) > 0 {
		o := w.ops[0]
		w.butterfly(o)
		w.ops = w.ops[1:]
		w.store(o.a)
		w.store(o.b)
	}
}

// butterfly writes o. The second operand may stay in memory.
func (w *network) butterfly(o op) {
	w.load(o.a)
	if w.raw[o.b] {
		w.load(o.b)
	}
	a, b, sum := w.at[o.a], w.at[o.b], w.take()
	if b == nil {
		w.add(w.mem[o.b], a, sum)
		w.sub(w.mem[o.b], a, a)
		w.at[o.a], w.at[o.b] = sum, a
		return
	}
	w.add(b, a, sum)
	w.sub(b, a, b)
	w.at[o.a] = sum
	w.free = append(w.free, a)
}

// load brings vector k to a register.
func (w *network) load(k int) {
	if w.at[k] != nil {
		return
	}
	r := w.take()
	if w.raw[k] {
		w.sign(k, r)
	} else {
		VMOVUPD(w.mem[k], r)
	}
	w.at[k], w.raw[k] = r, false
}

// take returns a free register. Without one it spills the vector that is needed last (Belady's
// rule).
func (w *network) take() reg.VecPhysical {
	if len(w.free) == 0 {
		victim, when := 0, 0
		for k, r := range w.at {
			if next := w.next(k); r != nil && next > when {
				victim, when = k, next
			}
		}
		w.mem[victim] = w.dst(victim)
		VMOVUPD(w.at[victim], w.mem[victim])
		w.drop(victim)
	}
	r := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	return r
}

// next returns the number of butterflies before the next one of vector k.
func (w *network) next(k int) int {
	for i, o := range w.ops {
		if o.a == k || o.b == k {
			return i
		}
	}
	return len(w.ops)
}

// store finishes vector k and stores it, unless it is still needed for a butterfly.
func (w *network) store(k int) {
	if w.next(k) < len(w.ops) {
		return
	}
	if w.finish != nil {
		result, left := w.finish(w.at[k], w.take())
		w.at[k], w.free = result, append(w.free, left)
	}
	VMOVUPD(w.at[k], w.dst(k))
	w.drop(k)
}

// drop frees the register of vector k.
func (w *network) drop(k int) {
	w.free = append(w.free, w.at[k])
	w.at[k] = nil
}
