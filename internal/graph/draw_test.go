// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph_test

import (
	"math"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// A skeleton of 100,000 layers is drawn without a deep stack.
func TestCompositionalDeep(t *testing.T) {
	t.Parallel()
	sk := NewSkeleton(1)
	u := sk.Input(Circle{}, 0)
	for range 100_000 {
		u = sk.Unit(series.HermiteDual{N: 1}, u)
	}
	sk.Unit(series.HermiteDual{N: 3}, u, u)
	m, err := NewCompositional(sk, 3, NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{0.4}, []float64{1.5}
	if got, want := m.Kernel().Eval(x, y), math.Pow(math.Cos(1.1), 3); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("k = %v, want %v", got, want)
	}
}
