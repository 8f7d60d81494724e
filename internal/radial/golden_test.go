// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package radial

import (
	"math"
	"testing"
)

// Quantiles have the same bits on every architecture: a hash of the quantiles at 999 numbers, and one of them. They
// determine the lengths of stratified and Sobol frequencies, so they change only together with maps.
func TestQuantileBits(t *testing.T) {
	matern := func(nu float64) []Part { return []Part{{P: 1, Scale: nu, Shape: nu, Power: -1, Most: math.Inf(1)}} }
	quadratic := []Part{{P: 1, Scale: 1 / 1.5, Shape: 1.5, Power: 1, Most: math.Inf(1)}}
	mixture := append([]Part{Fixed(0.3, 4)}, Part{P: 0.7, Scale: 1.5, Shape: 1.5, Power: -1, Most: math.Inf(1)})
	for _, c := range []struct {
		name   string
		d      float64
		parts  []Part
		hash   uint64
		middle float64
	}{
		{"Gaussian", 1, []Part{Fixed(1, 1)}, 0x34cc4fa4b654b23f, 0x1.5956b85d7afd3p-01},
		{"Matern 1/2", 1, matern(0.5), 0x442569d1f1201ab, 0x1.fffffff879053p-01},
		{"a mixture", 2, mixture, 0xb6c5afe47736f490, 0x1.95eb0bb199505p+00},
		{"Gaussian", 3, []Part{Fixed(1, 1)}, 0x49323a3e034e082c, 0x1.89c5a7f9e9d37p+00},
		{"Gaussian", 64, []Part{Fixed(1, 1)}, 0xd6846bb26ff1e98b, 0x1.fd54d4e01c261p+02},
		{"rational quadratic", 3, quadratic, 0xcd3ccef913e61345, 0x1.48a3ba67201a4p+00},
		{"Matern 3/2", 16, matern(1.5), 0xbdc58c29bb11c61f, 0x1.1a2319687e3d1p+02},
	} {
		law := NewLaw(c.d, c.parts)
		hash := uint64(14695981039346656037) // FNV-1a, by words
		for i := 1; i < 1000; i++ {
			hash = (hash ^ math.Float64bits(law.Quantile(float64(i)/1000))) * 1099511628211
		}
		if middle := law.Quantile(0.5); hash != c.hash || middle != c.middle {
			t.Errorf("%s, d = %v: %#x, %x, want %#x, %x", c.name, c.d, hash, middle, c.hash, c.middle)
		}
	}
}
