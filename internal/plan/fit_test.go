// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan_test

import (
	"testing"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Maps of few distinct features have as many samples as fit, whether the number of columns is odd or even, large or
// small, and never more columns than were asked for.
func TestFewDistinctFeatures(t *testing.T) {
	t.Parallel()
	circles := Sum(Select([]int{0}, Circle{}), Select([]int{1}, Categories{N: 3}))
	exp := Compose(series.Exp{Rate: 1}, circles)
	square := Compose(series.Coefficients{1, 0, 1}, circles) // of 11 columns in all
	draws := func(k Kernel, out int) int {
		m := testkit.Must(testkit.New(k, 2, out, NewSampler(1))).(*Compositional)
		if _, n := m.Dims(); n > out {
			t.Errorf("%v: %d columns of at most %d", k, n, out)
		}
		return m.Draws()
	}
	// Odd and even numbers of columns have similar numbers of samples.
	if odd, even := draws(exp, 219), draws(exp, 220); even < odd || even > odd+128 {
		t.Errorf("%d draws for 219 columns, %d for 220", odd, even)
	}
	step := 5
	if testkit.Long() {
		step = 1
	}
	for out := 2; out < 60; out += step {
		n := draws(square, out)
		if out >= 11 && n != 64*out {
			t.Errorf("%d draws for %d columns: all features there are fit", n, out)
		}
		if n < out/2 {
			t.Errorf("%d draws for %d columns: fewer than fit in any case", n, out)
		}
	}
	// Real features are repeated too: two signs have four features, products of powers.
	signs := Compose(series.Exp{Rate: 1}, Sum(Select([]int{0}, Binary{}), Select([]int{1}, Binary{})))
	for _, out := range []int{1, 4, 20, 2000} {
		want := 64 * out
		if out == 1 {
			want = 1
		}
		if n := draws(signs, out); n != want {
			t.Errorf("%d draws of signs for %d columns, want %d", n, out, want)
		}
	}
	for _, k := range []Kernel{exp, square, signs} {
		for _, out := range []int{11, 20, 45, 80, 200} {
			p := testkit.Must(NewPlan(k, nil, out, &PlanOptions{In: 2}))
			for seed := range testkit.Times(6, 6, 200) {
				m := testkit.Must(p.Draw(NewSampler(uint64(seed))))
				if _, n := m.Dims(); n > out {
					t.Errorf("%v: %d columns of at most %d", k, n, out)
				}
			}
		}
	}
}
