// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import "github.com/seed-0f95ebc1/featuremap/internal/tiled"

// A mark is the state of sums before a batch, to which Rollback restores them.
type mark struct {
	rows, pending int
	large         bool          // the batch goes through the sums
	sums          *tiled.Matrix // a copy then, if there were rows
	block         *tiled.Block  // and of the pending ones of float32
}

// Begin begins a batch of up to so many rows, which Commit or Rollback ends. Of a batch that fits in a block all rows wait
// there. For a larger one Begin copies the sums, if they have rows.
func (s *Sums) Begin(rows int) {
	s.prepare()
	if rows > s.pending.Room() && !s.single {
		s.flush()
	}
	m := mark{rows: s.rows, pending: s.pending.Rows(), large: rows > s.pending.Room()}
	if m.large && s.rows > 0 {
		m.sums = s.copied()
		if m.pending > 0 {
			m.block = s.newBlock()
			m.block.CopyFrom(s.pending)
		}
	}
	s.before = m
}

// Commit ends a batch: its rows stay.
func (s *Sums) Commit() { s.before = mark{} }

// Rollback undoes a batch: the sums have the bits that they had before Begin.
func (s *Sums) Rollback() {
	m := s.before
	s.before = mark{}
	s.rows = m.rows
	if m.block != nil {
		s.pending.CopyFrom(m.block)
	}
	s.pending.Truncate(m.pending)
	if m.rows == 0 {
		clear(s.shift)
	}
	switch {
	case m.sums != nil:
		s.sums.CopyFrom(m.sums)
	case m.large:
		s.sums.Clear()
	}
}
