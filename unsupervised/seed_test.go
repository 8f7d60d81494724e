// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// One seed has one result, of nil options that of 0, and others have others: one start of k-means ends in some of many minima, and few
// divisions of the rows have a threshold of their own.
func TestSeeds(t *testing.T) {
	s := featuremap.NewSampler(7)
	x := mat.NewDense(300, 2, nil)
	for i := range 300 {
		s.FillNormal(x.RawRowView(i))
	}
	inertia := func(seed uint64) float64 {
		c, err := FitKMeans(identity{2}, x, 20, &KMeansOptions{Seed: seed, Restarts: 1})
		if err != nil {
			t.Fatal(err)
		}
		return c.Inertia()
	}
	threshold := func(opts *TwoSampleOptions) float64 {
		r, err := TwoSample(identity{2}, x.Slice(0, 100, 0, 2), x.Slice(100, 300, 0, 2), opts)
		if err != nil {
			t.Fatal(err)
		}
		return r.Threshold(0.1)
	}
	divisions := func(seed uint64) float64 { return threshold(&TwoSampleOptions{Seed: seed, Permutations: 50}) }
	for name, of := range map[string]func(seed uint64) float64{"FitKMeans": inertia, "TwoSample": divisions} {
		found := map[float64]bool{}
		for seed := range uint64(4) {
			v := of(seed)
			if again := of(seed); again != v {
				t.Errorf("%s, seed %d: %v and %v", name, seed, v, again)
			}
			found[v] = true
		}
		if len(found) < 2 {
			t.Errorf("%s: four seeds have one result", name)
		}
	}
	if a, b := threshold(nil), threshold(&TwoSampleOptions{}); a != b {
		t.Errorf("TwoSample: nil options have %v, a seed of 0 %v", a, b)
	}
}
