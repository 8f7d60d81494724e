// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
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

// float32Maps makes maps of R^d of every kind that there is in float32.
var float32Maps = []struct {
	name string
	of   func(d int) (FeatureMap, error)
}{
	{"pairs", fourier32(FourierOptions{})},
	{"phase", fourier32(FourierOptions{RandomPhase: true})},
	{"structured", fourier32(FourierOptions{Design: Structured})},
	{"neurons", func(d int) (FeatureMap, error) {
		return NewNeurons(ArcCosine{Order: 1}, d, benchFeatures, NewSampler(1), nil)
	}},
}

func fourier32(o FourierOptions) func(d int) (FeatureMap, error) {
	return func(d int) (FeatureMap, error) {
		return NewFourier(Gaussian{LengthScale: math.Sqrt(float64(d))}, d, benchFeatures, NewSampler(1), &o)
	}
}

// BenchmarkFloat32 transforms the same rows in float64 and in float32, in turns, all at once, by batches of 16 and one by one, and
// reports how many times as fast the latter is: medians of CPU time. Run it with -cpu 1 and -benchtime 20x.
func BenchmarkFloat32(b *testing.B) {
	for _, form := range float32Maps {
		for _, d := range []int{3, 8, 16, 64, 256, 784} {
			for _, rows := range []int{benchRows, 16, 1} {
				b.Run(fmt.Sprintf("%s/d=%d/rows=%d", form.name, d, rows), func(b *testing.B) {
					f, err := form.of(d)
					if err != nil {
						b.Fatal(err)
					}
					in32, err := Float32(f)
					if err != nil {
						b.Fatal(err)
					}
					x := mat.NewDense(benchRows, d, nil)
					NewSampler(2).FillNormal(x.RawMatrix().Data)
					times := inTurns(b, transforming(f, x, rows), transforming32(in32, x, rows))
					b.ReportMetric(times[0].Seconds()/times[1].Seconds(), "times-float64")
					for k, unit := range []string{"ns/feature64", "ns/feature32"} {
						b.ReportMetric(float64(times[k].Nanoseconds())/benchRows/benchFeatures, unit)
					}
				})
			}
		}
	}
}

// transforming returns what transforms all rows of x, so many at a time, to the same memory.
func transforming(f FeatureMap, x *mat.Dense, rows int) func(int) {
	n, d := x.Dims()
	if rows == 1 {
		z := make([]float64, benchFeatures)
		return func(int) {
			for i := range n {
				f.TransformVec(z, x.RawRowView(i))
			}
		}
	}
	z := mat.NewDense(rows, benchFeatures, nil)
	return func(int) {
		for lo := 0; lo < n; lo += rows {
			hi := min(lo+rows, n)
			f.TransformTo(z.Slice(0, hi-lo, 0, benchFeatures).(*mat.Dense), x.Slice(lo, hi, 0, d))
		}
	}
}

// transforming32 does that in float32.
func transforming32(f *Map32, x *mat.Dense, rows int) func(int) {
	n, d := x.Dims()
	x32, z := narrowed(n, d, x.RawMatrix().Data), narrowed(rows, benchFeatures, nil)
	if rows == 1 {
		return func(int) {
			for i := range n {
				f.TransformVec(z.Data[:benchFeatures], x32.Data[i*d:][:d])
			}
		}
	}
	part := func(g blas32.General, lo, hi int) blas32.General {
		g.Rows, g.Data = hi-lo, g.Data[lo*g.Stride:hi*g.Stride]
		return g
	}
	return func(int) {
		for lo := 0; lo < n; lo += rows {
			hi := min(lo+rows, n)
			f.TransformTo(part(z, 0, hi-lo), part(x32, lo, hi))
		}
	}
}
