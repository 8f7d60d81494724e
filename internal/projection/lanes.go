// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// The loops of Structured, except for its Walsh-Hadamard transform, and of Sparse. The functions named
// plain are the specification. They also process the remainder that assembly, which works in groups,
// leaves.

// interleave puts wht.Lanes rows side by side: element i of row l at i*wht.Lanes + l.
func interleave(t tier.Tier, dst []float64, x blas64.General) {
	done := 0
	if t != tier.Plain {
		done = interleaveAssembly(t, dst, x)
	}
	interleavePlain(dst, x, done)
}

// interleavePlain does so from coordinate i on.
func interleavePlain(dst []float64, x blas64.General, i int) {
	for l := range wht.Lanes {
		row := x.Data[l*x.Stride : l*x.Stride+x.Cols]
		for k := i; k < len(row); k++ {
			dst[k*wht.Lanes+l] = row[k]
		}
	}
}

// outputs computes n forms, from their products v with wht.Lanes points side by side or with one
// point, to the cosines and the sines of their phases. A phase is scale·v + bias, or v + bias if
// the forms have amplitudes.
type outputs struct {
	n         int
	v         []float64
	scale     []float64 // nil if amplitude is not
	amplitude []float64 // factors of the cosines and sines
	bias      []float64
	dst       []float64
	dstStride int // from point to point; not used for one point
	sin       int // from a cosine to its sine; 0 for none
}

func (o *outputs) compute(t tier.Tier, table *phaseTable) {
	done := 0
	if t != tier.Plain {
		done = outputsAssembly(t, o, table)
	}
	for l := range wht.Lanes {
		o.plain(done, o.v[l:], wht.Lanes, o.dst[l*o.dstStride:], &table.coeffs)
	}
}

func (o *outputs) computeVec(t tier.Tier, table *phaseTable) {
	done := 0
	if t != tier.Plain {
		done = outputsVecAssembly(t, o, table)
	}
	o.plain(done, o.v, 1, o.dst, &table.coeffs)
}

// plain computes the outputs of one point from form i on. The point's elements of v are a
// stride apart.
func (o *outputs) plain(i int, v []float64, stride int, dst []float64, c *sinTurns) {
	for ; i < o.n; i++ {
		// A factor of 1 changes no bits.
		scale, amplitude := 1.0, 1.0
		if o.amplitude != nil {
			amplitude = o.amplitude[i]
		} else {
			scale = o.scale[i]
		}
		t := math.FMA(v[i*stride], scale, o.bias[i])
		if o.sin == 0 {
			dst[i] = amplitude * c.cos(t)
		} else {
			cos, sin := c.cosSin(t)
			dst[i], dst[o.sin+i] = amplitude*cos, amplitude*sin
		}
	}
}

// sums computes forms with the same number of coordinates each, for wht.Lanes points side by side
// or for one point. Each is a chain of fused multiply-adds in the order of its terms, from 0.
type sums struct {
	forms, terms int
	cols         []uint32
	weights      []float64 // like cols, form after form
	points       []float64
	v            []float64 // the sums
}

func (s *sums) compute(t tier.Tier) {
	switch {
	case s.forms == 0:
	case s.terms == 0:
		clear(s.v[:s.forms*wht.Lanes])
	case t != tier.Plain:
		sumsAssembly(t, s)
	default:
		for l := range wht.Lanes {
			s.plain(l, wht.Lanes)
		}
	}
}

func (s *sums) computeVec(t tier.Tier) {
	if t == tier.Plain || s.forms == 0 || s.terms == 0 {
		s.plain(0, 1)
		return
	}
	sumsVecAssembly(t, s)
}

// plain computes the sums of one point, whose elements are a stride apart.
func (s *sums) plain(at, stride int) {
	points, v := s.points[at:], s.v[at:]
	cols, weights := s.cols, s.weights
	for i := range s.forms {
		t := 0.0
		for k, c := range cols[:s.terms] {
			t = math.FMA(weights[k], points[int(c)*stride], t)
		}
		v[i*stride] = t
		cols, weights = cols[s.terms:], weights[s.terms:]
	}
}
