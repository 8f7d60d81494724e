// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"math/big"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
)

// Operations have a relative error of about 2⁻¹⁰⁰, by numbers of 300 digits, and high is low's sum rounded.
func TestDouble(t *testing.T) {
	exact := func(a double) *big.Float {
		f := new(big.Float).SetPrec(1000).SetFloat64(a.high)
		return f.Add(f, new(big.Float).SetFloat64(a.low))
	}
	zero := func() *big.Float { return new(big.Float).SetPrec(1000) }
	s := featuremap.NewSampler(1)
	for i := range 1000 {
		a := renormalized(s.Normal(), 0x1p-54*s.Normal())
		b := renormalized(s.Normal(), 0x1p-54*s.Normal())
		v, n := s.Normal(), float64(1+i)
		norm := []float64{s.Normal(), 1e8 * s.Normal(), s.Normal()}
		sum := zero()
		for _, w := range norm {
			f := zero().SetFloat64(w)
			sum.Add(sum, f.Mul(f, f))
		}
		for name, c := range map[string]struct {
			got  double
			want *big.Float
			size float64
		}{
			"plus":        {a.plus(v), zero().Add(exact(a), zero().SetFloat64(v)), 4},
			"add":         {a.add(b), zero().Add(exact(a), exact(b)), 4},
			"negative":    {a.negative(), zero().Neg(exact(a)), 0},
			"over":        {a.over(n), zero().Quo(exact(a), zero().SetFloat64(n)), 4 / n},
			"square":      {a.square(), zero().Mul(exact(a), exact(a)), 16},
			"squaredNorm": {squaredNorm(norm), sum, 4e16},
		} {
			off, _ := zero().Sub(exact(c.got), c.want).Float64()
			if !(off <= 0x1p-100*c.size && -off <= 0x1p-100*c.size) {
				t.Errorf("%s is off by %g", name, off)
			}
			if c.got.high+c.got.low != c.got.high {
				t.Errorf("%s: %v is not normal", name, c.got)
			}
		}
	}
}
