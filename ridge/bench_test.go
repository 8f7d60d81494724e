// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// fitCases are the cases of BenchmarkFit, n×d×D×targets, and the design: FIT_CASES in the environment, or those of the README.
func fitCases() []string {
	if s := os.Getenv("FIT_CASES"); s != "" {
		return strings.Fields(s)
	}
	return []string{"12000x784x1024x1-orthogonal", "12000x784x2048x1-structured"}
}

// BenchmarkFit draws a map and fits a ridge regression, as bench/ridge.py does, and once more without intervals and what
// they take. It reports the seconds of the map, of adding the rows, and of all, for weights alone and for a model with
// intervals, and the largest heap without the data.
func BenchmarkFit(b *testing.B) {
	for _, name := range fitCases() {
		var n, d, features, targets int
		var design string
		if _, err := fmt.Sscanf(name, "%dx%dx%dx%d-%s", &n, &d, &features, &targets, &design); err != nil {
			b.Fatalf("case %q: %v", name, err)
		}
		b.Run(name, func(b *testing.B) {
			s := featuremap.NewSampler(1)
			x, y := mat.NewDense(n, d, nil), mat.NewDense(n, targets, nil)
			fillUniform(s, x.RawMatrix().Data)
			s.FillNormal(y.RawMatrix().Data)
			o := &featuremap.FourierOptions{Design: featuremap.Orthogonal}
			if design == "structured" {
				o.Design = featuremap.Structured
			}
			debug.FreeOSMemory()
			before, most := heap(), 0.0
			var adding, weights, all time.Duration
			for b.Loop() {
				start := time.Now()
				phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 20}, d, features, s, o)
				if err != nil {
					b.Fatal(err)
				}
				drawn := time.Now()
				a, err := ridge.NewAccumulator(phi, targets)
				if err == nil {
					err = a.Add(x, y)
				}
				if err != nil {
					b.Fatal(err)
				}
				adding += time.Since(drawn)
				added := time.Now()
				if _, err := a.Fit(&ridge.Options{Lambda: 0.1}); err != nil {
					b.Fatal(err)
				}
				all += time.Since(start)
				most = max(most, heap()-before)
				again := time.Now()
				if _, err := a.Fit(&ridge.Options{Lambda: 0.1, Intervals: &ridge.IntervalOptions{Off: true}}); err != nil {
					b.Fatal(err)
				}
				weights += added.Sub(start) + time.Since(again)
				b.ReportMetric(drawn.Sub(start).Seconds(), "s-draw")
			}
			b.ReportMetric(adding.Seconds()/float64(b.N), "s-add")
			b.ReportMetric(weights.Seconds()/float64(b.N), "s-weights")
			b.ReportMetric(all.Seconds()/float64(b.N), "s-all")
			b.ReportMetric(most, "MB-heap")
		})
	}
}

// BenchmarkGonum is a fit by the calls of gonum that one would write first, with features of this package: 12,000 rows,
// 1024 features, one target.
func BenchmarkGonum(b *testing.B) {
	const n, d, features = 12_000, 784, 1024
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, d, nil), mat.NewVecDense(n, nil)
	fillUniform(s, x.RawMatrix().Data)
	s.FillNormal(y.RawVector().Data)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 20}, d, features, s, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("SymOuterK", func(b *testing.B) {
		for b.Loop() {
			var z mat.Dense
			var a mat.SymDense
			phi.TransformTo(&z, x)
			a.SymOuterK(1, z.T())
			for i := range features {
				a.SetSym(i, i, a.At(i, i)+0.1)
			}
			var w, zy mat.VecDense
			zy.MulVec(z.T(), y)
			var chol mat.Cholesky
			if !chol.Factorize(&a) {
				b.Fatal("not positive definite")
			}
			if err := chol.SolveVecTo(&w, &zy); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ridge", func(b *testing.B) {
		for b.Loop() {
			if _, err := ridge.Fit(phi, x, y, &ridge.Options{Lambda: 0.1, NoIntercept: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// heap returns what the heap has taken from the system and not given back, in megabytes.
func heap() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapSys-m.HeapReleased) / 1e6
}

// fillUniform fills dst with uniform variates.
func fillUniform(s *featuremap.Sampler, dst []float64) {
	for i := range dst {
		dst[i] = s.Float64()
	}
}
