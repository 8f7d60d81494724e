package wht

import (
	"fmt"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"math/bits"
	"testing"
)

func BenchmarkBatch(b *testing.B) {
	for _, t := range tier.Available() {
		for _, m := range []int{64, 128, 256, 512, 1024, 2048, 4096, 16384, 1 << 17} {
			b.Run(fmt.Sprintf("%v/m=%d", t, m), func(b *testing.B) {
				x := make([]float64, m*8)
				s := make([]uint64, m)
				e := For(t)
				for b.Loop() {
					e.Batch(x, x, s)
				}
				b.ReportMetric(float64(m*8*(bits.Len(uint(m))-1))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gadd/s")
			})
		}
	}
}
func BenchmarkVector(b *testing.B) {
	for _, t := range tier.Available() {
		for _, m := range []int{64, 128, 1024, 4096} {
			b.Run(fmt.Sprintf("%v/m=%d", t, m), func(b *testing.B) {
				x := make([]float64, m)
				s := make([]uint64, m)
				e := For(t)
				for b.Loop() {
					e.Vector(x, x, s)
				}
			})
		}
	}
}
