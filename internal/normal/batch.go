// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// mark is the state of sums before a batch, to which Rollback restores them.
type mark struct {
	rows, pending int
	shift         []float64     // nil if there were no rows
	root          float64       // the root of its weight
	begun, kept   bool          // there is something to restore; the copies below are made
	sums          *tiled.Matrix // a copy, if there were rows
	block         *tiled.Block  // a copy of the pending rows
}

// Begin begins a batch of up to this number of rows, which Commit or Rollback ends. With 0 rows the batch cannot be
// rolled back. If a batch fits in a block, all its rows wait there, unless one of them becomes the shift. For a larger
// batch Begin copies the sums, if they have rows.
func (s *Sums) Begin(rows int) {
	s.prepare()
	if rows > s.pending.Room() && !s.single {
		s.flush()
	}
	s.before = mark{rows: s.rows, pending: s.pending.Rows(), begun: rows > 0}
	if s.rows > 0 {
		s.before.root = s.root
	}
	if rows > s.pending.Room() {
		s.keep()
	}
}

// keep makes the copies that Rollback needs, of sums that the batch is about to change.
func (s *Sums) keep() {
	m := &s.before
	if !m.begun || m.kept {
		return
	}
	m.kept = true
	if m.rows == 0 {
		return
	}
	m.shift, m.sums = slices.Clone(s.shift), s.copied()
	if m.pending > 0 {
		m.block = s.newBlock()
		m.block.CopyFrom(s.pending)
	}
}

// Commit ends a batch: its rows stay.
func (s *Sums) Commit() { s.before = mark{} }

// Rollback undoes a batch: the sums have the same bits as at Begin.
func (s *Sums) Rollback() {
	m := s.before
	s.before = mark{}
	s.rows, s.root = m.rows, m.root
	if m.block != nil {
		s.pending.CopyFrom(m.block)
	}
	s.pending.Truncate(m.pending)
	switch {
	case m.rows == 0:
		clear(s.shift)
	case m.shift != nil:
		copy(s.shift, m.shift)
	}
	switch {
	case m.sums != nil:
		s.sums.CopyFrom(m.sums)
	case m.kept:
		s.sums.Clear()
	}
}
