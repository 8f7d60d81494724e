// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/fma"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// The loops of Structured, except for its Walsh-Hadamard transform. The functions named plain are the specification.
// They also process the remainder that assembly, which works in groups, leaves.

// interleave puts wht.Lanes32 rows side by side: element i of row l at i*wht.Lanes32 + l.
func interleave(t tier.Tier, dst []float32, x blas32.General) {
	done := 0
	if t != tier.Plain {
		done = interleaveAssembly(t, dst, x)
	}
	for l := range wht.Lanes32 {
		row := x.Data[l*x.Stride : l*x.Stride+x.Cols]
		for k := done; k < len(row); k++ {
			dst[k*wht.Lanes32+l] = row[k]
		}
	}
}

// outputs computes n forms, from their products v with wht.Lanes32 points side by side or with one point, to the
// cosines and the sines of their phases, scale·v + bias.
type outputs struct {
	n           int
	v           []float32
	scale, bias []float32
	dst         []float32
	dstStride   int // from point to point; not used for one point
	sin         int // from a cosine to its sine; 0 for none
}

// compute processes wht.Lanes32 points. scratch has two lines for each of 16 forms.
func (o *outputs) compute(t tier.Tier, table *phaseTable, scratch []float32) {
	done := 0
	if t != tier.Plain {
		done = outputsAssembly(t, o, table, scratch)
	}
	for l := range wht.Lanes32 {
		o.plain(done, o.v[l:], wht.Lanes32, o.dst[l*o.dstStride:], &table.coeffs)
	}
}

// computeVec processes one point.
func (o *outputs) computeVec(t tier.Tier, table *phaseTable) {
	done := 0
	if t != tier.Plain {
		done = outputsVecAssembly(t, o, table)
	}
	o.plain(done, o.v, 1, o.dst, &table.coeffs)
}

// plain computes the outputs of one point from form i on. The point's elements of v are a stride apart.
func (o *outputs) plain(i int, v []float32, stride int, dst []float32, c *sinTurns) {
	for ; i < o.n; i++ {
		t := fma.Float32(v[i*stride], o.scale[i], o.bias[i])
		if o.sin == 0 {
			dst[i] = c.cos(t)
		} else {
			dst[i], dst[o.sin+i] = c.cosSin(t)
		}
	}
}
