// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
)

// BenchmarkGradient is one evidence with its gradient by a matrix of 16 columns, for 4000 rows and one target. bench/evidence compares
// it with numpy.
func BenchmarkGradient(b *testing.B) {
	x, y := rowsFor(1, 4000, 16, 1)
	for _, features := range []int{256, 1000} {
		b.Run(fmt.Sprintf("D=%d", features), func(b *testing.B) {
			o, _ := (&KernelOptions{Features: features}).withDefaults()
			l, err := newLearner(featuremap.Gaussian{LengthScale: 10}, x, y, featuremap.NewSampler(1), o)
			if err != nil {
				b.Fatal(err)
			}
			from := l.start()
			p := newSpace(l.model, matrix, &from)
			theta := p.start()
			slope := make([]float64, len(theta))
			p.evaluate(slope, theta) // which allocates
			b.ResetTimer()
			start := peak.CPU()
			for range b.N {
				p.evaluate(slope, theta)
			}
			b.ReportMetric((peak.CPU()-start).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}
