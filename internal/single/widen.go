// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Widen sets dst to the elements of x, which has the same shape, with up to GOMAXPROCS goroutines.
func Widen(dst blas64.General, x blas32.General) {
	const elements = 1 << 17
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			WidenVec(dst.Data[i*dst.Stride:][:x.Cols], x.Data[i*x.Stride:][:x.Cols])
		}
	}), x.Rows, 1+elements/x.Cols)
}

// WidenVec sets dst to the elements of x.
func WidenVec(dst []float64, x []float32) { widenIn(tier.Best(), dst, x) }

func widenIn(t tier.Tier, dst []float64, x []float32) {
	done := 0
	if t != tier.Plain {
		done = widenAssembly(t, dst, x)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = float64(x[i])
	}
}
