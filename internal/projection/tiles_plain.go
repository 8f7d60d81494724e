// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"
)

// tilesPlain computes a strip. It is the specification, which the assembly equals to the last bit.
func tilesPlain(s *strip, c *sinTurns) {
	var t [plainWidth]float64
	for panel := range s.panels {
		w := s.w[panel*s.wStride:]
		for r := range s.rows {
			copy(t[:], s.start[r*s.startRow+panel*s.wStride:])
			x := s.x[r*s.xStride:]
			affine(&t, w, x[:s.k])
			s.end(s.dst[r*s.dstStride+panel*plainWidth:], &t, c)
		}
	}
}

// listPlain computes a strip that is one row, given as a list of entries. It is the specification for
// lists.
func listPlain(s *strip, c *sinTurns) {
	var t [plainWidth]float64
	for panel := range s.panels {
		copy(t[:], s.start[panel*s.wStride:])
		affineList(&t, s.w[panel*s.wStride:], s.entries[:s.k])
		s.end(s.dst[panel*plainWidth:], &t, c)
	}
}

// end writes the outputs of the forms of a panel from their values at a row.
func (s *strip) end(dst []float64, t *[plainWidth]float64, c *sinTurns) {
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
	case Multiply:
		for l, v := range t {
			dst[l] *= v
		}
	}
}

// plainWidth is the number of forms in a panel of plain Go.
const plainWidth = 8

// affine adds to t the forms of a panel at x:
//
//	for k, v := range x {
//		for l := range t {
//			t[l] = math.FMA(w[k*plainWidth+l], v, t[l])
//		}
//	}
//
// unrolled so that the eight chains run side by side in registers.
func affine(t *[plainWidth]float64, w, x []float64) {
	t0, t1, t2, t3, t4, t5, t6, t7 := t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]
	for _, v := range x {
		p := (*[plainWidth]float64)(w)
		t0 = math.FMA(p[0], v, t0)
		t1 = math.FMA(p[1], v, t1)
		t2 = math.FMA(p[2], v, t2)
		t3 = math.FMA(p[3], v, t3)
		t4 = math.FMA(p[4], v, t4)
		t5 = math.FMA(p[5], v, t5)
		t6 = math.FMA(p[6], v, t6)
		t7 = math.FMA(p[7], v, t7)
		w = w[plainWidth:]
	}
	*t = [plainWidth]float64{t0, t1, t2, t3, t4, t5, t6, t7}
}

// affineList is affine for a row that is a list of entries.
func affineList(t *[plainWidth]float64, w []float64, entries []nonZero) {
	t0, t1, t2, t3, t4, t5, t6, t7 := t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]
	for _, e := range entries {
		p := (*[plainWidth]float64)(w[e.col*plainWidth:])
		t0 = math.FMA(p[0], e.v, t0)
		t1 = math.FMA(p[1], e.v, t1)
		t2 = math.FMA(p[2], e.v, t2)
		t3 = math.FMA(p[3], e.v, t3)
		t4 = math.FMA(p[4], e.v, t4)
		t5 = math.FMA(p[5], e.v, t5)
		t6 = math.FMA(p[6], e.v, t6)
		t7 = math.FMA(p[7], e.v, t7)
	}
	*t = [plainWidth]float64{t0, t1, t2, t3, t4, t5, t6, t7}
}
