// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// NewHeaded returns the n×n matrix of zeros that keeps the first rows, its last column, and the diagonal: of panels
// between the first ones and the last, the rows of the first panels and their own. With many more columns it takes n·first
// numbers instead of n²/2. It can be updated by blocks of float64, added to another, and read by At, Column and
// CopyLeading. At panics for other elements.
func NewHeaded(n, first int) *Matrix { return newHeadedIn(tier.Best(), n, first) }

func newHeadedIn(t tier.Tier, n, first int) *Matrix {
	m := &Matrix{n: n, tier: t, shape: shapes[t]}
	if m.head = (first + m.width - 1) / m.width; m.head+1 >= m.panels() {
		m.head = 0
	}
	m.data = aligned(m.offset(m.panels()))
	return m
}

// NewLike returns the matrix of zeros that has the elements of m.
func (m *Matrix) NewLike() *Matrix {
	like := *m
	like.data = aligned(len(m.data))
	return &like
}

// headedOffset returns where panel p begins, p > head.
func (m *Matrix) headedOffset(p int) int {
	tiles, last := m.head*(m.head+1)/2, m.panels()-1
	tiles += (min(p, last) - m.head) * (m.head + 1)
	if p > last {
		tiles += p
	}
	return m.width * m.width * tiles
}

// row returns where row i is among those of panel p, or −1 if it is not kept.
func (m *Matrix) row(p, i int) int {
	first := m.head * m.width
	switch {
	case i < first, m.head == 0, p <= m.head, p == m.panels()-1:
		return i
	case i < p*m.width:
		return -1
	}
	return first + i - p*m.width
}

// updateHeaded is Update.
func (m *Matrix) updateHeaded(z *Block) {
	type task struct{ p, lo, hi, at int } // the strips [lo, hi) of panel p, whose rows begin with row at of the panel
	perPanel := m.width / m.strip
	height, first, last := max(stripBlock/(m.strip*BlockRows), perPanel), m.head*perPanel, m.panels()-1
	var tasks []task
	add := func(p, lo, hi, at int) {
		for ; lo < hi; lo += height {
			end := min(lo+height, hi)
			tasks = append(tasks, task{p, lo, end, at})
			at += (end - lo) * m.strip
		}
	}
	for p := range m.panels() {
		if p <= m.head || p == last {
			add(p, 0, (p+1)*perPanel, 0)
			continue
		}
		add(p, 0, first, 0)
		add(p, p*perPanel, (p+1)*perPanel, first*m.strip)
	}
	parallel.Run(parallel.Func(func(lo, hi int) {
		for _, t := range tasks[lo:hi] {
			m.add(t.hi-t.lo, z.rows, z.fromStrip(t.lo), z.fromStrip(t.p*perPanel), m.panel(t.p)[t.at*m.width:])
		}
	}), len(tasks), 1+minWork[m.tier]/(height*m.strip*m.width*z.rows))
}
