// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A hostileTable is a few rows of any magnitude, some equal, of columns and targets some of which are constant, and of classes most of which
// may have one row.
type hostileTable struct {
	x, y    *mat.Dense
	classes []int
	kernel  featuremap.Kernel
	options Options
}

func newHostileTable(seed uint64) *hostileTable {
	s := featuremap.NewSampler(seed)
	n, d, targets, kinds := 1+s.IntN(12), 1+s.IntN(3), 1+s.IntN(2), 1+s.IntN(12)
	unit := func() float64 {
		return []float64{0, 1, 1, 1, 1e3, 1e20, 1e-20, 1e-150, 1e144, math.Ldexp(1, s.IntN(1000)-500)}[s.IntN(10)]
	}
	h := &hostileTable{x: mat.NewDense(n, d, nil), y: mat.NewDense(n, targets, nil), classes: make([]int, n)}
	for j := range d + targets {
		unit, offset := unit(), float64(s.IntN(2))*unit()
		for i := range n {
			v := offset + unit*[]float64{s.Normal(), float64(s.IntN(3))}[j%2]
			if j < d {
				h.x.Set(i, j, v)
			} else {
				h.y.Set(i, j-d, v)
			}
		}
	}
	for i := range n {
		if h.classes[i] = s.IntN(kinds); s.IntN(2) == 0 {
			h.classes[i] = i % kinds
		}
	}
	switch s.IntN(12) {
	case 0:
		h.classes[s.IntN(n)] = math.MaxInt
	case 1:
		h.classes[s.IntN(n)] = -1
	case 2:
		h.x.Set(s.IntN(n), s.IntN(d), []float64{math.NaN(), math.Inf(1), math.MaxFloat64}[s.IntN(3)])
	}
	length := max(unit(), 1e-300)
	h.kernel = []featuremap.Kernel{
		featuremap.Gaussian{LengthScale: length}, featuremap.Cauchy{LengthScale: length}, featuremap.Linear{}, featuremap.ExpDot{LengthScale: length},
		featuremap.Polynomial{Degree: 1 + s.IntN(4), Gamma: 1, Offset: 1}, featuremap.Periodic{Period: length, LengthScale: 1},
		featuremap.Sum(featuremap.Linear{}, featuremap.Constant{Value: length}, featuremap.Scale(length, featuremap.Gaussian{LengthScale: length})),
		featuremap.Sum(featuremap.ArcCosine{Order: 1}, featuremap.Matern{Nu: 1.5, LengthScale: 1}), nil,
	}[s.IntN(9)]
	h.options = Options{Features: 16 * s.IntN(2), Kernel: h.kernel, Seed: seed}
	if s.IntN(3) == 0 {
		for i := range n {
			if h.options.Weights = append(h.options.Weights, float64(s.IntN(3))); s.IntN(3) == 0 {
				h.options.Weights[i] *= unit()
			}
		}
	}
	if s.IntN(3) == 0 {
		for range 1 + s.IntN(4) {
			h.options.TestRows = append(h.options.TestRows, s.IntN(n+1))
		}
	}
	return h
}

// Whatever the table, what returns an error returns that or a result, and panics with neither.
func FuzzTables(f *testing.F) {
	fewFeatures(f)
	f.Cleanup(func() { leastBank = fewFitted })
	leastBank = leastRows                           // few rows have a bank too
	seeds := []uint64{9, 24, 46, 87, 123, 222, 229} // each once panicked, or gave neither
	if testkit.Long() {
		for seed := range uint64(300) {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		check := func(name string, none bool, err error) {
			if none != (err != nil) || err != nil && (!strings.HasPrefix(err.Error(), "learn: ") || len(err.Error()) < 20) {
				t.Errorf("%s: no result %v, error %v", name, none, err)
			}
		}
		h := newHostileTable(seed)
		r, err := Regression(h.x, h.y, &h.options)
		check("Regression", r == nil || r.Model == nil || r.String() == "", err)
		c, err := Classification(h.x, h.classes, &h.options)
		check("Classification", c == nil || c.Model == nil || c.String() == "", err)
		l, err := Kernel(h.kernel, h.x, h.y, &KernelOptions{Seed: seed, Features: 8})
		check("Kernel", l == nil || l.Kernel == nil, err)
	})
}
