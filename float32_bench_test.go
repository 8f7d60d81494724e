// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
)

// narrowed returns the rows of x in float32.
func narrowed(rows, d int, x []float64) blas32.General {
	g := blas32.General{Rows: rows, Cols: d, Stride: d, Data: make([]float32, rows*d)}
	for i, v := range x {
		g.Data[i] = float32(v)
	}
	return g
}

// inTurns runs two functions in turns, b.N times, and returns the CPU time of each at its median.
func inTurns(b *testing.B, first, second func(i int)) (of [2]time.Duration) {
	b.Helper()
	var times [2][]time.Duration
	for i := range b.N + 1 { // the first turn warms up
		for k, f := range []func(int){first, second} {
			start := peak.CPU()
			f(i)
			if i > 0 {
				times[k] = append(times[k], peak.CPU()-start)
			}
		}
	}
	for k := range times {
		slices.Sort(times[k])
		of[k] = times[k][len(times[k])/2]
	}
	return of
}

// BenchmarkFloat32 transforms the same rows in float64 and in float32, in turns, and reports how many times as fast the latter
// is: medians of CPU time. Run it with -cpu 1 and -benchtime 20x.
func BenchmarkFloat32(b *testing.B) {
	for _, form := range benchMaps {
		for _, d := range benchDims {
			for _, rows := range []int{benchRows, 1} {
				b.Run(fmt.Sprintf("%s/d=%d/rows=%d", form.name, d, rows), func(b *testing.B) {
					f, x := benchMap(b, d, form.options)
					in32, err := Float32(f)
					if err != nil {
						b.Fatal(err)
					}
					x32 := narrowed(benchRows, d, x.RawMatrix().Data)
					z, z32 := make([]float64, benchFeatures), make([]float32, benchFeatures)
					batch, batch32 := mat.NewDense(benchRows, benchFeatures, nil), narrowed(benchRows, benchFeatures, nil)
					times := inTurns(b, func(int) {
						if rows > 1 {
							f.TransformTo(batch, x)
							return
						}
						for i := range benchRows {
							f.TransformVec(z, x.RawRowView(i))
						}
					}, func(int) {
						if rows > 1 {
							in32.TransformTo(batch32, x32)
							return
						}
						for i := range benchRows {
							in32.TransformVec(z32, x32.Data[i*d:][:d])
						}
					})
					b.ReportMetric(times[0].Seconds()/times[1].Seconds(), "times-float64")
					for k, unit := range []string{"ns/feature64", "ns/feature32"} {
						b.ReportMetric(float64(times[k].Nanoseconds())/benchRows/benchFeatures, unit)
					}
				})
			}
		}
	}
}
