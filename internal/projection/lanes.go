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

// What Structured needs besides the transform. As in plain.go, the functions named plain
// are the specification, and do what is left over by the assembly, which works in groups.

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

// outputs are n forms, from their products v with wht.Lanes points side by side, or with
// one, to the cosines and the sines of their phases scale·v + bias.
type outputs struct {
	n           int
	v           []float64
	scale, bias []float64
	dst         []float64
	dstStride   int // of the points; none for one
	sin         int // from a cosine to its sine; 0 for none
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
		t := math.FMA(v[i*stride], o.scale[i], o.bias[i])
		if o.sin == 0 {
			dst[i] = c.cos(t)
		} else {
			dst[i], dst[o.sin+i] = c.cosSin(t)
		}
	}
}
