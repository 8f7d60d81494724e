// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package convolve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// sizes are numbers of positions around the groups of 8, and dilations.
var sizes = []struct{ n, d int }{{1, 1}, {2, 3}, {7, 1}, {8, 1}, {9, 2}, {15, 1}, {16, 7}, {17, 1}, {40, 3}, {67, 5}, {500, 62}}

// values returns Room(n) values. Values from n on must take no part, and are NaN. Many are equal.
func values(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, Room(n))
	for i := range x {
		switch x[i] = rnd.NormFloat64(); {
		case i >= n:
			x[i] = math.NaN()
		case rnd.IntN(3) == 0:
			x[i] = math.Round(x[i])
		}
	}
	return x
}

// guarded returns a slice of n elements behind which others show what was written.
func guarded(n int) (of, behind []float64) {
	all := slices.Repeat([]float64{12345.5}, n+8)
	return all[:n:n], all[n:]
}

func TestSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range sizes {
		x := values(rnd, c.n+8*c.d)
		s := values(rnd, c.n)
		for _, tr := range tier.Available() {
			dst, behind := guarded(Room(c.n))
			Sums(tr, dst, x[:8*c.d+Room(c.n)], c.n, c.d)
			for p, got := range dst[:c.n] {
				var want float64
				for j := range 9 {
					want += x[p+j*c.d]
				}
				if got != want {
					t.Fatalf("%v, %v: sum %d is %v, want %v", tr, c, p, got, want)
				}
			}
			pair, behind2 := guarded(Room(c.n))
			Pairs(tr, pair, x, x[8*c.d:], s, c.n)
			for p, got := range pair[:c.n] {
				if want := (x[p] + x[8*c.d+p]) - s[p]; got != want {
					t.Fatalf("%v, %v: pair %d is %v, want %v", tr, c, p, got, want)
				}
			}
			if slices.ContainsFunc(slices.Concat(behind, behind2), func(v float64) bool { return v != 12345.5 }) {
				t.Errorf("%v, %v: something is written beyond", tr, c)
			}
		}
	}
}

func TestCount(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range sizes {
		for _, fours := range []int{0, 1, 2, 5} {
			a, b := values(rnd, c.n), values(rnd, c.n)
			limits := make([]float64, 4*fours)
			for i := range limits {
				limits[i] = []float64{math.Round(rnd.NormFloat64()), rnd.NormFloat64(), math.Inf(1), math.NaN(), math.Inf(-1)}[rnd.IntN(5)]
			}
			a[0] = []float64{a[0], math.NaN(), math.Inf(1)}[rnd.IntN(3)]
			for _, tr := range tier.Available() {
				all := slices.Repeat([]int64{-7}, len(limits)+4)
				Count(tr, all[:len(limits):len(limits)], a, b, c.n, limits)
				for i, l := range limits {
					var want int64
					for p := range c.n {
						if a[p]+b[p] > l {
							want++
						}
					}
					if all[i] != want {
						t.Errorf("%v, %v: %d values are above %v, want %d", tr, c, all[i], l, want)
					}
				}
				if !slices.Equal(all[len(limits):], []int64{-7, -7, -7, -7}) {
					t.Errorf("%v, %v: something is written beyond", tr, c)
				}
			}
		}
	}
}

// Plain Go against big sums one kernel at a time, then the tiers against plain Go.
func TestResponses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, c := range sizes {
		x := values(rnd, c.n+8*c.d)
		var w Weights
		for i := range w {
			w[i] = rnd.NormFloat64()
		}
		if c.n%2 == 1 { // kernels that are equal: the first of them takes the position
			for j := range Taps {
				w[8*j+5] = w[8*j+2]
			}
		}
		var starts [Group]float64
		if c.n == 40 { // zeros everywhere
			clear(x)
		} else {
			for k := range starts {
				starts[k] = float64(rnd.IntN(3)) / 4
			}
			starts[5] = starts[2]
		}
		var plain Responses
		plain.Of(tier.Plain, x, c.n, c.d, &w, &starts)
		var most, least [Group]float64
		for p := range c.n {
			v := slices.Clone(starts[:])
			for k := range v {
				for j := range Taps {
					v[k] = math.FMA(w[8*j+k], x[p+j*c.d], v[k])
				}
			}
			most[slices.Index(v, slices.Max(v))] += slices.Max(v)
			least[slices.Index(v, slices.Min(v))]++
		}
		for k := range Group {
			if d := math.Abs(plain.Most[k] - most[k]); !(d <= 1e-12*(1+math.Abs(most[k]))) || plain.Least[k] != least[k] {
				t.Errorf("%v: kernel %d has %v and %v, want %v and %v", c, k, plain.Most[k], plain.Least[k], most[k], least[k])
			}
		}
		for _, tr := range tier.Available() {
			var got Responses
			got.Of(tr, x, c.n, c.d, &w, &starts)
			if got.Most != plain.Most || got.Least != plain.Least {
				t.Errorf("%v, %v:\n%v\n%v, want\n%v\n%v", tr, c, got.Most, got.Least, plain.Most, plain.Least)
			}
		}
	}
}

// Reads and writes beyond Room end in a panic, not in memory of others.
func TestShort(t *testing.T) {
	for _, tr := range tier.Available() {
		for name, f := range map[string]func(){
			"Sums": func() { Sums(tr, make([]float64, 16), make([]float64, 8+9), 10, 1) },
			"Pairs": func() {
				Pairs(tr, make([]float64, 16), make([]float64, 16), make([]float64, 10), make([]float64, 16), 10)
			},
			"Count": func() {
				Count(tr, make([]int64, 4), make([]float64, 10), make([]float64, 16), 10, make([]float64, 4))
			},
			"counts": func() {
				Count(tr, make([]int64, 3), make([]float64, 16), make([]float64, 16), 10, make([]float64, 4))
			},
			"limits": func() { Count(tr, make([]int64, 8), make([]float64, 16), make([]float64, 16), 10, make([]float64, 5)) },
			"Of":     func() { new(Responses).Of(tr, make([]float64, 8+9), 10, 1, new(Weights), new([Group]float64)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v: %s of slices that are too short does not panic", tr, name)
					}
				}()
				f()
			}()
		}
	}
}

func BenchmarkCount(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, y, limits := values(rnd, 500), values(rnd, 500), make([]float64, 4)
	counts := make([]int64, 4)
	for _, tr := range tier.Available() {
		b.Run(fmt.Sprint(tr), func(b *testing.B) {
			for b.Loop() {
				Count(tr, counts, x, y, 500, limits)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/compare")
		})
	}
}

func BenchmarkResponses(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := values(rnd, 500+8*4)
	var w Weights
	for i := range w {
		w[i] = rnd.NormFloat64()
	}
	var r Responses
	for _, tr := range tier.Available() {
		b.Run(fmt.Sprint(tr), func(b *testing.B) {
			for b.Loop() {
				r.Of(tr, x, 500, 4, &w, new([Group]float64))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/position")
		})
	}
}
