// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package conformal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn returns normal numbers.
func drawn(n int, seed uint64) []float64 {
	rnd := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	return v
}

// Ends are the scores at the place (m + 1)·(1 + level)/2 from either end, interpolated. If there are more scores than are
// kept, an end is farther out, by at most the next knot: 1/36 of the way to the end.
func TestEnds(t *testing.T) {
	for _, m := range []int{1, 2, 18, 19, 20, 39, 100, 4096, 4097, 20000} {
		values := drawn(m, uint64(m))
		s := New(values, nil)
		up := slices.Sorted(slices.Values(values))
		down := make([]float64, m) // the scores as seen from the other end
		for k, v := range up {
			down[m-1-k] = -v
		}
		for _, level := range []float64{0.001, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1 - 1e-9} {
			lo, hi := s.Ends(level)
			place := float64(m+1) * (1 + level) / 2
			k := int(math.Ceil(place - 1e-9))
			if k > m {
				if !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
					t.Errorf("%d scores, level %v: %v to %v, want no ends", m, level, lo, hi)
				}
				continue
			}
			for _, end := range []struct {
				got    float64
				scores []float64
			}{{hi, up}, {-lo, down}} {
				want := end.scores[k-1]
				if k > 1 {
					want = end.scores[k-2] + (place-float64(k-1))*(want-end.scores[k-2])
				}
				most := want
				if m > MostScores {
					most = end.scores[min(k+(m-k)/slope, m-1)]
				}
				if !(end.got >= want-1e-9 && end.got <= most+1e-9) {
					t.Errorf("%d scores, level %v: an end at %v, want %v to %v", m, level, end.got, want, most)
				}
			}
			if upper := s.Upper((1 + level) / 2); m <= MostScores && upper != up[k-1] {
				t.Errorf("%d scores, level %v: up to %v, want %v", m, level, upper, up[k-1])
			}
		}
		if numbers, _ := s.Numbers(); len(numbers) > MostNumbers || m > MostScores && len(numbers) > 3*513+1 {
			t.Errorf("%d numbers of %d scores", len(numbers), m)
		}
	}
}

// The ends of 30 normal scores cover a new one with nearly the probability that is asked for. The 30th score from either end, the
// next after the place 29.45, would have 1 − 2/31 = .935. By 400,000 draws in numpy it is .9090, with a standard error of
// .0001; the mean of 20,000 draws has one of .0004.
func TestEndsCover(t *testing.T) {
	const draws, m, level, want = 20000, 30, 0.9, 0.9090
	cover := 0.0
	for seed := range uint64(draws) {
		s := New(drawn(m, seed), nil)
		lo, hi := s.Ends(level)
		cover += (math.Erf(hi/math.Sqrt2) - math.Erf(lo/math.Sqrt2)) / 2 / draws
	}
	if math.Abs(cover-want) > 0.002 {
		t.Errorf("%v, want %v", cover, want)
	}
}

// A weight counts like as many rows. If all rows have weight w, the ends are the same as for weight 1: Σw + max w is
// (m + 1)·w.
func TestEndsOfWeights(t *testing.T) {
	values, weights := drawn(150, 1), make([]float64, 150)
	for i := range weights {
		weights[i] = 0.3
	}
	one, same := New(values, nil), New(values, weights)
	var repeated []float64
	for i, v := range values {
		weights[i] = float64(1 + i%3)
		for range 1 + i%3 {
			repeated = append(repeated, v)
		}
	}
	several, rows := New(values, weights), New(repeated, nil)
	rows.total = several.total // a new row may weigh 3
	for level := 0.01; level < 1; level += 0.01 {
		lo, hi := one.Ends(level)
		if l, h := same.Ends(level); math.Abs(l-lo) > 1e-9 || math.Abs(h-hi) > 1e-9 {
			t.Errorf("level %v: weights of .3 have the ends %v and %v, want %v and %v", level, l, h, lo, hi)
		}
		lo, hi = rows.Ends(level)
		if l, h := several.Ends(level); math.Abs(l-lo) > 1e-9 || math.Abs(h-hi) > 1e-9 {
			t.Errorf("level %v: weights have the ends %v and %v, want %v and %v", level, l, h, lo, hi)
		}
	}
}

// Numbers are restored, and others refused.
func TestRestore(t *testing.T) {
	weights := drawn(50, 2)
	for i, v := range weights {
		weights[i] = math.Abs(v)
	}
	for _, s := range []Scores{New(drawn(50, 3), nil), New(drawn(50, 3), weights), New(drawn(5000, 4), nil)} {
		numbers, weighted := s.Numbers()
		got, err := Restore(numbers, weighted)
		if err != nil {
			t.Fatal(err)
		}
		for level := 0.05; level < 1; level += 0.05 {
			lo, hi := s.Ends(level)
			if l, h := got.Ends(level); l != lo || h != hi {
				t.Errorf("level %v: %v and %v, want %v and %v", level, l, h, lo, hi)
			}
		}
	}
	nan := math.NaN()
	for _, c := range []struct {
		numbers  []float64
		weighted bool
	}{
		{nil, false}, {[]float64{2, 1}, false}, {[]float64{nan}, false}, {make([]float64, MostScores+1), false},
		{nil, true}, {[]float64{1}, true}, {[]float64{1, 2}, true}, {[]float64{1, 2, 3, 4}, true}, {[]float64{1, nan, 1, 4}, true},
		{[]float64{1, 1, nan, 4}, true}, {[]float64{1, 1, 1, nan}, true}, {[]float64{1, 1, 1, math.Inf(1)}, true}, {[]float64{1, -1, 1, 3}, true},
		{[]float64{1, 2, 2, 1, 2, 1, 3}, true}, {[]float64{1, 2, 1, 2, 1, 2, 3}, true},
	} {
		if _, err := Restore(c.numbers, c.weighted); err == nil {
			t.Errorf("%v: no error", c.numbers)
		}
	}
}

// Scaling brings a share level of both kinds of scores within, by their shares. For normal scores and others twice as
// large that stand for all rows it is 2; for others half as large that stand for half of them, 0.795.
func TestScaling(t *testing.T) {
	s := New(drawn(4000, 5), nil)
	sizes := drawn(4000, 6)
	for i, v := range sizes {
		sizes[i] = 2 * math.Abs(v)
	}
	// The 90 % quantile of |z| has, for 4,000 numbers, the standard error √(.9·.1/4000)/(2·φ(1.645)) = .023, 1.4 % of 1.645.
	const limit = 5 * math.Sqrt2 * 0.014
	if got := s.Scaling(sizes, 1, 0.9, 1); math.Abs(got/2-1) > limit {
		t.Errorf("%v, want 2", got)
	}
	// Half of each: F(v) + F(v/2) = 1.8 at v = 2.615, which is 1.590 times 1.645.
	if got := s.Scaling(sizes, 0.5, 0.9, 1); math.Abs(got/1.590-1) > limit {
		t.Errorf("%v, want 1.590", got)
	}
	// F(v) + F(2v) = 1.8 at half of that.
	for i := range sizes {
		sizes[i] /= 4
	}
	if got := s.Scaling(sizes, 0.5, 0.9, 1); math.Abs(got/0.795-1) > limit {
		t.Errorf("%v, want 0.795", got)
	}
	// All of 20 are within, which is 1.5 standard errors above 90 %.
	if got := s.Scaling(sizes[:20], 0.5, 0.9, 1); got != 1 {
		t.Errorf("%v by 20 rows, want 1", got)
	}
	// A little above 90 %: 1,000 rows tell it, 800 do not.
	for i := range sizes {
		sizes[i] *= 1.9
	}
	if got := s.Scaling(sizes[:1000], 0.9, 0.9, 1); !(got < 1) {
		t.Errorf("%v by 1,000 rows of 0.95 times the size, want less than 1", got)
	}
	if got := s.Scaling(sizes[:800], 0.9, 0.9, 1); got != 1 {
		t.Errorf("%v by 800 rows of 0.95 times the size, want 1", got)
	}
	if got := s.Scaling(make([]float64, 100), 1, 0.9, 1); got != 1 {
		t.Errorf("%v of no errors, want 1", got)
	}
	before, _ := s.Ends(0.9)
	s.Scale(3)
	if lo, _ := s.Ends(0.9); math.Abs(lo/before-3) > 1e-12 {
		t.Errorf("%v after Scale, want %v", lo, 3*before)
	}
}
