// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"runtime"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

const (
	// blockWeights is the number of weights, of whole panels, that rows pass over while
	// they stay in the second-level cache: 256 KB of them.
	blockWeights = 1 << 15

	// chunkElements is the number of elements of x, of whole rows, that pass over all
	// panels: 4 MB of them.
	chunkElements = 1 << 19

	// minChunkRows is the number of rows from which on it pays to fetch the weights.
	minChunkRows = 64

	// maxCallCoords keeps a call of a kernel under some 100 µs: the scheduler cannot
	// interrupt assembly.
	maxCallCoords = 1 << 14
)

// TransformVec writes the outputs of x to dst. Lengths are the caller's to check.
func (p *Projection) TransformVec(dst, x []float64) {
	b := p.buffer()
	p.block(
		blas64.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst},
		blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x},
		0, p.panels(), b,
	)
	p.buffers.Put(b)
}

// Transform writes the outputs of each row of x to the same row of dst, over up to
// GOMAXPROCS goroutines. Shapes and overlap are the caller's to check.
func (p *Projection) Transform(dst *mat.Dense, x mat.Matrix) {
	j, _ := p.jobs.Get().(*job)
	if j == nil {
		j = &job{p: p}
	}
	j.dst = dst.RawMatrix()
	j.x.reset(x)
	rows, workers := j.dst.Rows, runtime.GOMAXPROCS(0)
	j.byPanels = rows < workers*p.shape.rows
	if j.byPanels {
		parallel.Run(j, p.panels(), p.panelGrain(rows, workers))
	} else {
		parallel.Run(j, rows, p.rowGrain(rows, workers))
	}
	j.dst = blas64.General{}
	j.x.reset(nil)
	p.jobs.Put(j)
}

// serial reports whether some rows are too little work for two goroutines. A cosine
// and what else there is to an output counts as some multiply-adds.
func (p *Projection) serial(rows int) bool {
	return float64(rows)*float64(p.forms)*float64(p.in+16) < p.shape.serialWork
}

// panelGrain returns the number of panels that a goroutine takes at a time.
func (p *Projection) panelGrain(rows, workers int) int {
	if p.serial(rows) {
		return p.panels()
	}
	return (p.panels()-1)/workers + 1
}

// rowGrain returns the number of rows that a goroutine takes at a time: whole strips,
// the same number for each, and a few times for each if there are enough of them, so that
// none has to wait long for one that was held up.
func (p *Projection) rowGrain(rows, workers int) int {
	if p.serial(rows) {
		return rows
	}
	chunks := (rows-1)/p.chunkRows() + 1
	if workers > 1 {
		chunks = max(chunks, min(4*workers, rows/minChunkRows))
	}
	chunks += (workers - chunks%workers) % workers
	grain := (rows-1)/chunks + 1
	return (grain + p.shape.rows - 1) &^ (p.shape.rows - 1)
}

// chunkRows returns the number of rows that pass over all panels together.
func (p *Projection) chunkRows() int { return max(chunkElements/p.in, minChunkRows) }

// A job is one call of Transform.
type job struct {
	p        *Projection
	byPanels bool
	dst      blas64.General
	x        source
}

// A buffer is what a goroutine needs of memory.
type buffer struct {
	sums [maxRows * maxWidth]float64     // partial sums of a tile
	tile [2 * maxRows * maxWidth]float64 // a tile with its sines
	rows []float64                       // rows of a matrix that has no slice of them
}

func (p *Projection) buffer() *buffer {
	if b, ok := p.buffers.Get().(*buffer); ok {
		return b
	}
	return new(buffer)
}

// Do transforms the rows [lo, hi), or all rows by the panels [lo, hi).
func (j *job) Do(lo, hi int) {
	b := j.p.buffer()
	if j.byPanels {
		j.p.block(j.dst, j.x.rows(0, j.dst.Rows, &b.rows), lo, hi, b)
	} else {
		for step := j.p.chunkRows(); lo < hi; lo += step {
			end := min(lo+step, hi)
			j.p.block(rowRange(j.dst, lo, end), j.x.rows(lo, end, &b.rows), 0, j.p.panels(), b)
		}
	}
	j.p.buffers.Put(b)
}

// block transforms the rows of x into those of dst by the panels [lo, hi): by blocks of
// panels, then by strips of rows.
func (p *Projection) block(dst, x blas64.General, lo, hi int, buf *buffer) {
	size := p.panelSize()
	group := max(1, blockWeights/size)
	whole := p.forms / p.shape.width // panels without padding
	for ; lo < hi; lo += group {
		end := min(lo+group, hi)
		rows := p.shape.rows
		for i := 0; i < x.Rows; i += rows {
			for i+rows > x.Rows {
				rows /= 2
			}
			s := strip{
				epilogue:  p.epilogue,
				rows:      rows,
				k:         p.in,
				wStride:   size,
				x:         x.Data[i*x.Stride:],
				xStride:   x.Stride,
				dst:       dst.Data[i*dst.Stride:],
				dstStride: dst.Stride,
				sin:       p.forms,
			}
			if end > whole {
				p.lastPanel(s, buf)
			}
			s.dst = s.dst[lo*p.shape.width:]
			p.run(s, lo, min(end, whole), buf)
		}
	}
}

// run computes a strip by the whole panels [lo, hi).
func (p *Projection) run(s strip, lo, hi int, buf *buffer) {
	s.panels = hi - lo
	if p.in > p.callCoords {
		s.panels = 1
	}
	to := s.dst
	for i := lo; i < hi; i += s.panels {
		s.start = p.packed[i*p.panelSize():]
		s.w = s.start[p.shape.width:]
		s.dst = to[(i-lo)*p.shape.width:]
		p.chains(s, buf)
	}
}

// chains computes a strip, some coordinates at a time if it must: partial sums lose
// nothing by being stored.
func (p *Projection) chains(s strip, buf *buffer) {
	width := p.shape.width
	for s.k > p.callCoords {
		part := s
		part.k = p.callCoords
		part.epilogue, part.dst, part.dstStride = Store, buf.sums[:], width
		part.compute(p.tier, &p.table)
		s.k -= part.k
		s.w, s.x = s.w[part.k*width:], s.x[part.k:]
		s.start, s.startRow = buf.sums[:], width
	}
	s.compute(p.tier, &p.table)
}

// lastPanel computes a strip by the last panel, of which only some forms are there: on
// a tile of its own, so that nothing is written beyond them.
func (p *Projection) lastPanel(s strip, buf *buffer) {
	width := p.shape.width
	last := p.panels() - 1
	n := p.forms - last*width
	tile := s
	tile.dst, tile.dstStride, tile.sin = buf.tile[:], 2*width, width
	if s.epilogue == Multiply {
		tile.epilogue = Store
	}
	p.run(tile, last, last+1, buf)
	for r := range s.rows {
		from, to := buf.tile[r*2*width:], s.dst[r*s.dstStride+last*width:]
		switch s.epilogue {
		case Multiply:
			for l, v := range from[:n] {
				to[l] *= v
			}
			continue
		case CosSin:
			copy(to[s.sin:s.sin+n], from[width:])
		}
		copy(to[:n], from)
	}
}
