// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The time of a pass of FitIterative.

package ridge_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// passCases are the cases of BenchmarkPass, n×d×D×targets and the design: PASS_CASES in the environment, or two of ten targets.
func passCases() []string {
	if s := os.Getenv("PASS_CASES"); s != "" {
		return strings.Fields(s)
	}
	return []string{"8192x784x4096x10-structured", "2048x784x65536x10-structured"}
}

// BenchmarkPass reports the CPU time of a pass of FitIterative in nanoseconds a feature and row, the least and the median of the batches of
// eight passes; compared with the least of the transform alone, 16 rows at a time between passes, and the speed of fused multiply-adds. What the
// solver does between passes is left out: it does not grow with the rows.
func BenchmarkPass(b *testing.B) {
	for _, name := range passCases() {
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
			phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 9}, d, features, s, o)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				alone, took := timePasses(b, phi, x, y)
				b.ReportMetric(took[0], "ns-least")
				b.ReportMetric(took[len(took)/2], "ns-median")
				b.ReportMetric(alone, "ns-transform")
				b.ReportMetric(peak.FMA(tier.Best()), "peak")
			}
		})
	}
}

// timePasses returns the CPU time of the transform and that of passes, batch by batch in rising order, in nanoseconds a feature and row.
func timePasses(b *testing.B, phi featuremap.FeatureMap, x, y *mat.Dense) (alone float64, took []float64) {
	const rows, most, together, passes = 1024, 256, 16, 8 // 1024 rows go through at a time
	n, d := x.Dims()
	_, targets := y.Dims()
	_, features := phi.Dims()
	readings := 0
	batches := func(yield func(ridge.Batch, error) bool) {
		readings++
		for lo := 0; lo < n; lo += rows {
			hi := min(lo+rows, n)
			before := peak.CPU()
			if !yield(ridge.Batch{X: x.Slice(lo, hi, 0, d), Y: y.Slice(lo, hi, 0, targets)}, nil) {
				return
			}
			if readings > 1 {
				took = append(took, float64((peak.CPU()-before).Nanoseconds())/float64((hi-lo)*features))
			}
		}
	}
	z, least := mat.NewDense(together, features, nil), time.Duration(1<<62)
	_, err := ridge.FitIterative(phi, batches, &ridge.IterativeOptions{
		Lambda: 1e-9, Tolerance: 1e-15, Passes: passes,
		Progress: func(int, float64) error {
			before := peak.CPU()
			for lo := 0; lo < most; lo += together {
				phi.TransformTo(z, x.Slice(lo, lo+together, 0, d))
			}
			least = min(least, peak.CPU()-before)
			return nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	return float64(least.Nanoseconds()) / float64(most*features), took
}
