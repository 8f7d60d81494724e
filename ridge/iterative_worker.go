// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// turns lets numbered goroutines proceed one after another.
type turns struct {
	mu     sync.Mutex
	cond   *sync.Cond
	next   int
	broken bool
}

func newTurns() *turns {
	t := new(turns)
	t.cond = sync.NewCond(&t.mu)
	return t
}

// wait waits for turn i.
func (t *turns) wait(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next < i && !t.broken {
		t.cond.Wait()
	}
}

// done ends a turn.
func (t *turns) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	t.cond.Broadcast()
}

// release, deferred, lets all others proceed if there is a panic, which it passes on.
func (t *turns) release() {
	if r := recover(); r != nil {
		t.mu.Lock()
		t.broken = true
		t.cond.Broadcast()
		t.mu.Unlock()
		panic(r)
	}
}

// A passWorker is the memory of a goroutine.
type passWorker struct {
	p        *passer
	z, u     blas64.General
	products *slabs.Products
	part     *setSums
}

func (p *passer) worker() *passWorker {
	if w, ok := p.workers.Get().(*passWorker); ok {
		return w
	}
	k := p.sums.g.Rows
	return &passWorker{p: p, z: slabs.New(p.step, p.out), u: slabs.New(p.step, k), products: slabs.NewProducts(), part: newSetSums(k, p.out, p.targets)}
}

// blockRows is the number of rows that are multiplied at once, and then summed while they are in the cache.
const blockRows = 16

// sum adds the rows [lo, hi) of a chunk to the sums of their group, whose first row is number begin of the chunk.
func (w *passWorker) sum(c *chunk, group, begin, lo, hi int) error {
	p := w.p
	w.part.rows += hi - lo
	var kept *keptFeatures
	if all := p.features; c.group+group < len(all) {
		kept = all[c.group+group]
	}
	for first := lo; first < hi; first += p.step {
		end := min(first+p.step, hi)
		z, centered := w.features(c, kept, begin, first, end)
		for at := first; at < end; at += blockRows {
			n := min(blockRows, end-at)
			block := z
			block.Rows, block.Data = n, z.Data[(at-first)*z.Stride:]
			u := w.u
			u.Rows = n
			if p.first {
				if err := w.targets(c, u, block, at); err != nil {
					return err
				}
			} else {
				w.products.Forward(u, block, p.shift(centered), p.vectors)
				w.weigh(c, u, at)
			}
			slabs.Backward(w.part.g, block, u)
		}
	}
	if kept != nil && !p.first {
		kept.centered = true
	}
	return nil
}

// shift returns what is subtracted from features.
func (p *passer) shift(centered bool) []float64 {
	if centered {
		return nil
	}
	return p.center
}

// features returns the features of rows, and whether they are already centered. In the first pass it keeps them.
func (w *passWorker) features(c *chunk, kept *keptFeatures, begin, first, end int) (z blas64.General, centered bool) {
	if kept != nil && !w.p.first {
		z = kept.z
		z.Data = z.Data[(first-begin)*z.Stride:]
		z.Rows = end - first
		return z, kept.centered
	}
	w.p.transform(w.z, c, first, end)
	if kept != nil {
		copy(kept.z.Data[(first-begin)*kept.z.Stride:], w.z.Data[:(end-first)*w.z.Stride])
	}
	z = w.z
	z.Rows = end - first
	return z, false
}

// targets sets u to the coefficients of the first pass, and subtracts the shift from the features z, for rows from
// number at on.
func (w *passWorker) targets(c *chunk, u, z blas64.General, at int) error {
	p := w.p
	for i := range z.Rows {
		for j, v := range z.Data[i*z.Stride:][:p.out] {
			if !(math.Abs(v) < tiled.Limit) {
				return fmt.Errorf("ridge: x: row %d: feature %d = %v: must be finite and less than 2^484 in magnitude", c.places[at+i], j, v)
			}
		}
		row, weight := u.Data[i*u.Stride:][:u.Cols], c.weights[at+i]
		for t := range p.targets {
			d := c.y[(at+i)*p.targets+t] - p.level[t]
			row[t] = weight * d
			w.part.yy[t] = math.FMA(row[t], d, w.part.yy[t])
		}
		row[p.targets] = weight
		root := math.Sqrt(weight)
		for s := range p.samples {
			row[p.targets+1+s] = root * c.noise[(at+i)*p.samples+s]
		}
		for k, v := range row {
			w.part.u[k] += v
		}
	}
	slabs.Less(z, p.center)
	return nil
}

// weigh multiplies products by the weights of their rows.
func (w *passWorker) weigh(c *chunk, u blas64.General, at int) {
	for i := range u.Rows {
		weight := c.weights[at+i]
		for k, v := range u.Data[i*u.Stride:][:u.Cols] {
			v *= weight
			u.Data[i*u.Stride+k] = v
			w.part.u[k] += v
		}
	}
}
