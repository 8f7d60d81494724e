// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package form_test

import (
	"strings"
	"testing"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Two equal terms of a sum are one, whatever they are made of: kernels of each kind of base, their products and compositions. Terms that
// differ in a number, a series or a matrix stay two.
func TestEqualTermsMerge(t *testing.T) {
	g, arc, on := Gaussian{LengthScale: 2}, ArcCosine{Order: 1}, func(k Kernel) Kernel { return Select([]int{0}, k) }
	kernels := map[string]func(v float64) Kernel{
		"Gaussian":   func(v float64) Kernel { return Gaussian{LengthScale: v} },
		"Periodic":   func(v float64) Kernel { return Periodic{Period: v, LengthScale: 1} },
		"ArcCosine":  func(v float64) Kernel { return ARD([]float64{1, v, 1}, arc) },
		"Categories": func(v float64) Kernel { return on(Categories{N: int(v)}) },
		"products":   func(v float64) Kernel { return Product(arc, Scale(2, Sum(g, ARD([]float64{1, 1, v}, Linear{})))) },
		"stationary": func(v float64) Kernel { return Product(Gaussian{LengthScale: v}, arc) },
		"of three": func(v float64) Kernel {
			return Product(arc, on(Categories{N: 3}), Polynomial{Degree: 2, Gamma: v, Offset: 1})
		},
		"composed": func(v float64) Kernel { return Compose(series.Exp{Rate: 0.1 * v}, Product(g, Linear{})) },
		"inside": func(v float64) Kernel {
			return Compose(series.Exp{Rate: 0.1}, Product(Gaussian{LengthScale: v}, Linear{}))
		},
	}
	for name, k := range kernels {
		terms := func(a, b Kernel) int {
			p := testkit.Must(NewPlan(Sum(a, b), nil, 240, &PlanOptions{In: 3}))
			return strings.Count(p.String(), ", of ")
		}
		if n := terms(k(2), k(2)); n != 0 { // a term alone is not named
			t.Errorf("%s: two equal terms are planned as %d", name, n)
		}
		if name == "Gaussian" || name == "Periodic" { // others may be mixed, as stationary ones are
			continue
		}
		if n := terms(k(2), k(3)); n < 2 {
			t.Errorf("%s: two different terms are planned as one", name)
		}
	}
}
