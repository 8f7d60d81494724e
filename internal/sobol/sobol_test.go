// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sobol

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// plain returns coordinate j of point i before it is scrambled.
func plain(j int, i uint32) (x uint32) {
	for k, v := range generators(j) {
		if i>>k&1 == 1 {
			x ^= v
		}
	}
	return x
}

// pointOf sets dst to point i of a sequence, from 0 on.
func pointOf(s *Sequence, dst []float64, i uint32) {
	for j := range dst {
		dst[j] = s.scrambles[j].uniform(plain(j, i))
	}
}

// Points one after another are those by number.
func TestNext(t *testing.T) {
	const coordinates, count = Most, 5000
	r := rand.New(rand.NewPCG(1, 2))
	s := New(coordinates, r.Uint64)
	got, want := make([]float64, coordinates), make([]float64, coordinates)
	for i := range uint32(count) {
		s.Next(got)
		if pointOf(s, want, i); !slices.Equal(got, want) {
			t.Fatalf("point %d: %v, want %v", i, got, want)
		}
	}
}

// Unscrambled points are those of scipy.stats.qmc.Sobol(65, scramble=False) of SciPy 1.10.1, which has the direction numbers of
// Joe and Kuo too. SciPy has them in the order of Gray's code.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		i, coordinate int
		want          float64
	}{
		{1, 0, 0.5},
		{1, 1, 0.5},
		{1, 2, 0.5},
		{1, 3, 0.5},
		{1, 4, 0.5},
		{1, 5, 0.5},
		{1, 17, 0.5},
		{1, 40, 0.5},
		{1, 63, 0.5},
		{1, 64, 0.5},
		{2, 0, 0.25},
		{2, 1, 0.75},
		{2, 2, 0.75},
		{2, 3, 0.75},
		{2, 4, 0.25},
		{2, 5, 0.25},
		{2, 17, 0.75},
		{2, 40, 0.75},
		{2, 63, 0.25},
		{2, 64, 0.25},
		{3, 0, 0.75},
		{3, 1, 0.25},
		{3, 2, 0.25},
		{3, 3, 0.25},
		{3, 4, 0.75},
		{3, 5, 0.75},
		{3, 17, 0.25},
		{3, 40, 0.25},
		{3, 63, 0.75},
		{3, 64, 0.75},
		{5, 0, 0.625},
		{5, 1, 0.125},
		{5, 2, 0.875},
		{5, 3, 0.625},
		{5, 4, 0.625},
		{5, 5, 0.875},
		{5, 17, 0.625},
		{5, 40, 0.625},
		{5, 63, 0.875},
		{5, 64, 0.625},
		{37, 0, 0.640625},
		{37, 1, 0.921875},
		{37, 2, 0.734375},
		{37, 3, 0.828125},
		{37, 4, 0.484375},
		{37, 5, 0.765625},
		{37, 17, 0.765625},
		{37, 40, 0.046875},
		{37, 63, 0.359375},
		{37, 64, 0.453125},
		{1000, 0, 0.0927734375},
		{1000, 1, 0.1611328125},
		{1000, 2, 0.4501953125},
		{1000, 3, 0.9091796875},
		{1000, 4, 0.9931640625},
		{1000, 5, 0.1630859375},
		{1000, 17, 0.4326171875},
		{1000, 40, 0.6416015625},
		{1000, 63, 0.9990234375},
		{1000, 64, 0.9248046875},
	} {
		if got := float64(plain(c.coordinate, uint32(c.i))) * 0x1p-32; got != c.want {
			t.Errorf("point %d, coordinate %d: %v, want %v", c.i, c.coordinate, got, c.want)
		}
	}
	// The sum of all coordinates of the first 1,024 points, each times its number.
	var sum uint64
	for j := range Most {
		for i := range uint32(1024) {
			sum += uint64(i+1) * uint64(j+1) * uint64(plain(j, i)>>22)
		}
	}
	if want := uint64(576374152960); sum != want {
		t.Errorf("checksum %d, want %d", sum, want)
	}
}

// Of the first 2ᵏ scrambled points each coordinate has one in each interval of length 2⁻ᵏ, for every coordinate, and is inside
// (0, 1).
func TestStratified(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := New(Most, r.Uint64)
	const n = 256
	u := make([]float64, Most)
	var seen [Most][n]bool
	for i := range uint32(n) {
		pointOf(s, u, i)
		for j, v := range u {
			if !(v > 0 && v < 1) {
				t.Fatalf("point %d, coordinate %d: %v", i, j, v)
			}
			if at := int(v * n); seen[j][at] {
				t.Fatalf("coordinate %d: two points in interval %d", j, at)
			} else {
				seen[j][at] = true
			}
		}
	}
}

// Over many scrambles each point alone is uniform: χ² over 16 intervals, with 15 degrees of freedom, is below 50.5, which has the
// probability 1e-5.
func TestUniform(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const scrambles, cells, coordinates = 8000, 16, 4
	for _, i := range []uint32{0, 1, 6, 1 << 20, 1<<32 - 1} {
		var count [coordinates][cells]float64
		var u [coordinates]float64
		for range scrambles {
			pointOf(New(coordinates, r.Uint64), u[:], i)
			for j, v := range u {
				count[j][int(v*cells)]++
			}
		}
		for j := range count {
			var chi float64
			for _, c := range count[j] {
				chi += (c - scrambles/cells) * (c - scrambles/cells) / (scrambles / cells)
			}
			if !(chi < 50.5) {
				t.Errorf("point %d, coordinate %d: χ² = %v", i, j, chi)
			}
		}
	}
}
