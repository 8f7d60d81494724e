// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// nonZeroPart is a Part that takes rows as lists of their entries. It takes time proportional to the
// entries, and has the same bits as for dense rows. It reads no columns of other parts.
type nonZeroPart interface {
	Part
	transformNonZeros(dst blas64.General, z *nonZeros, b *stackBuffer)
}

// nonZeros transforms rows as lists. For parts that cannot take lists it scatters them once as dense
// rows.
func (s *Stack) nonZeros(dst blas64.General, z *nonZeros, b *stackBuffer) {
	lists := 0
	for _, p := range s.parts {
		if f, ok := p.(nonZeroPart); ok {
			f.transformNonZeros(dst, z, b)
			lists++
		}
	}
	if lists == len(s.parts) {
		return
	}
	for lo := 0; lo < dst.Rows; lo += stackRows {
		hi := min(lo+stackRows, dst.Rows)
		x := b.scatter(z, lo, hi)
		for _, p := range s.parts {
			if _, ok := p.(nonZeroPart); !ok {
				p.transform(rowRange(dst, lo, hi), x, b)
			}
		}
		b.gather(x, z, lo)
	}
}

// guessedEntries returns a guess of the number of entries of a row that is a list.
func (s *Stack) guessedEntries() int { return min(s.in, 64) }

// nonZeroGrain returns the number of rows that a goroutine takes at a time as lists.
func (s *Stack) nonZeroGrain(rows, workers int) int {
	if s.serial(rows, s.guessedEntries()) {
		return rows
	}
	most := nonZeroRows
	if !s.simple {
		most = min(max(nonZeroOutputs/s.out, stackRows), nonZeroRows)
	}
	chunks := (rows-1)/most + 1
	chunks += (workers - chunks%workers) % workers
	grain := (rows-1)/chunks + 1
	return (grain + wht.Lanes - 1) &^ (wht.Lanes - 1)
}

func (f Forms) transformNonZeros(dst blas64.General, z *nonZeros, b *stackBuffer) {
	f.transformNonZerosPanels(dst, z, 0, f.panels(), b)
}

func (f Forms) transformNonZerosPanels(dst blas64.General, z *nonZeros, lo, hi int, b *stackBuffer) {
	f.blockNonZeros(from(dst, f.At), z, lo, hi, b)
}

func (n Neurons) transformNonZeros(dst blas64.General, z *nonZeros, b *stackBuffer) {
	n.transformNonZerosPanels(dst, z, 0, n.panels(), b)
}

func (n Neurons) transformNonZerosPanels(dst blas64.General, z *nonZeros, lo, hi int, b *stackBuffer) {
	n.Forms.transformNonZerosPanels(dst, z, lo, hi, b)
	n.finish(dst, 0, dst.Rows, lo*n.shape.width, min(hi*n.shape.width, n.forms))
}

func (c Constants) transformNonZeros(dst blas64.General, _ *nonZeros, b *stackBuffer) {
	c.transform(dst, blas64.General{}, b)
}

func (p *Product) transformNonZeros(dst blas64.General, z *nonZeros, b *stackBuffer) {
	p.multiply(dst, b, func(f *Projection, to blas64.General) { f.blockNonZeros(to, z, 0, f.panels(), b) })
}

func (s Sum) transformNonZeros(dst blas64.General, z *nonZeros, b *stackBuffer) {
	s.add(dst, b, func(p *Product, to blas64.General) { p.transformNonZeros(to, z, b) })
}
