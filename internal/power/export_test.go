// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package power

import "github.com/seed-0f95ebc1/featuremap/series"

// ReLUTable is the first degree beyond the table of ReLUDual.
const ReLUTable = 2*tailTable + 2

// ReLUTail returns a function that draws degrees of ReLUDual from ReLUTable on.
func ReLUTail() func(s Uniforms) int {
	return newTailDegrees(series.ReLUDual{}, 1, 1.5, tailTable).drawTail
}

// TailDegrees returns a function that draws degrees of ReLUDual or StepDual with a table up to a
// small k.
func TailDegrees(f series.Series, c float64, k int) func(s Uniforms) int {
	p := 0.5
	if f == (series.ReLUDual{}) {
		p = 1.5
	}
	return newTailDegrees(f, c, p, k).draw
}
