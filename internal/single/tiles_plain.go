// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import "github.com/seed-0f95ebc1/featuremap/internal/fma"

// plainWidth is the number of forms in a panel of plain Go.
const plainWidth = 8

// tilesPlain computes a strip. It is the specification, which the assembly equals to the last bit.
func tilesPlain(s *strip, c *sinTurns) {
	var t [plainWidth]float32
	for panel := range s.panels {
		w := s.w[panel*s.wStride:]
		for r := range s.rows {
			copy(t[:], s.start[r*s.startRow+panel*s.wStride:])
			for k, v := range s.x[r*s.xStride:][:s.k] {
				for l, u := range (*[plainWidth]float32)(w[k*plainWidth:]) {
					t[l] = fma.Float32(u, v, t[l])
				}
			}
			s.end(s.dst[r*s.dstStride+panel*plainWidth:], &t, c)
		}
	}
}

// end writes the outputs of the forms of a panel from their values at a row.
func (s *strip) end(dst []float32, t *[plainWidth]float32, c *sinTurns) {
	switch s.epilogue {
	case Store:
		copy(dst, t[:])
	case Cos:
		for l, v := range t {
			dst[l] = c.cos(v)
		}
	case CosSin:
		for l, v := range t {
			dst[l], dst[s.sin+l] = c.cosSin(v)
		}
	}
}
