// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The table of docs/theory/iterative.md: what direct and iterative fits cost.

package ridge_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// TestCost logs the CPU time and memory of both fits of the pen digits at one λ, for the numbers of features of FEATURES in the environment or
// two. Both must predict the same, to the tolerance.
func TestCost(t *testing.T) {
	if !testkit.Long() {
		t.Skip("only with -long")
	}
	const lambda = 1
	features := []string{"1024", "4096"}
	if s := os.Getenv("FEATURES"); s != "" {
		features = strings.Fields(s)
	}
	x, class, err := dataset.Pendigits()
	if err != nil {
		t.Fatal(err)
	}
	n, d := x.Dims()
	y := mat.NewDense(n, 10, nil)
	y.Apply(func(i, k int, _ float64) float64 {
		if class[i] == k {
			return 1
		}
		return -1
	}, y)
	batches := ridge.Rows(x, y)
	for _, s := range features {
		out, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		o := &featuremap.FourierOptions{Design: featuremap.Structured}
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 60}, d, out, featuremap.NewSampler(1), o)
		if err != nil {
			t.Fatal(err)
		}
		var m, direct *ridge.Model
		start := peak.CPU()
		heap := heapOf(func() {
			m, err = ridge.FitIterative(phi, batches, &ridge.IterativeOptions{Lambda: lambda, Tolerance: 1e-3})
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows, %d features: iterative %.1f s, %d MB, %d passes", n, out, (peak.CPU() - start).Seconds(), heap>>20, m.Passes())
		if out > 20000 {
			continue
		}
		start = peak.CPU()
		heap = heapOf(func() {
			direct, err = ridge.FitBatches(phi, batches, &ridge.Options{Lambda: lambda})
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d rows, %d features: direct %.1f s, %d MB", n, out, (peak.CPU() - start).Seconds(), heap>>20)
		var a, b mat.Dense
		m.PredictTo(&a, x)
		direct.PredictTo(&b, x)
		a.Sub(&a, &b)
		if apart := mat.Norm(&a, 2) / mat.Norm(&b, 2); !(apart < 1e-2) {
			t.Errorf("%d features: predictions differ by %.2g of them", out, apart)
		}
	}
}
