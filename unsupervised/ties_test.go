// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A table has the counts of some values in two samples.
type table struct{ x, y []int }

func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// rows returns the rows of a sample with the values 0, 1, … as often as counts say.
func rowsOf(counts []int) *mat.Dense {
	x := mat.NewDense(total(counts), 1, nil)
	i := 0
	for value, c := range counts {
		for range c {
			x.Set(i, 0, float64(value))
			i++
		}
	}
	return x
}

// distance is a multiple of SquaredMMD as an integer, for features whose squared distances are 2·w: that of two values is the sum of
// their w. The multiple is (nm)²(n − 1)(m − 1).
func (t table) distance(w []int) (sum int) {
	n, m := total(t.x), total(t.y)
	for c, weight := range w {
		x, y := t.x[c], t.y[c]
		between := (x*m - y*n) * (x*m - y*n) * (n - 1) * (m - 1)
		spread := (x*n-x*x)*m*m*(m-1) + (y*m-y*y)*n*n*(n-1)
		sum += weight * (between - spread)
	}
	return sum
}

// exact returns the share of all divisions of the rows of both samples whose distance is as large as the table's or larger.
func (t table) exact(w []int) float64 {
	of, n := t.distance(w), total(t.x)
	var all, above float64
	first := make([]int, len(t.x))
	var divide func(c, left int, ways float64)
	divide = func(c, left int, ways float64) {
		if c == len(first) {
			if left > 0 {
				return
			}
			d := table{x: first, y: make([]int, len(first))}
			for c := range first {
				d.y[c] = t.x[c] + t.y[c] - first[c]
			}
			all += ways
			if d.distance(w) >= of {
				above += ways
			}
			return
		}
		of := t.x[c] + t.y[c]
		for k := range min(of, left) + 1 {
			first[c] = k
			divide(c+1, left-k, ways*binomial(of, k))
		}
	}
	divide(0, n, 1)
	return above / all
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := range k {
		b = b * float64(n-i) / float64(i+1)
	}
	return math.Round(b)
}

// oneHot has the root of w in the column of the value of a row, and the same number in one more: as if far from the origin.
type oneHot struct {
	w      []int
	common float64
}

func (m oneHot) Dims() (in, out int)       { return 1, len(m.w) + 1 }
func (m oneHot) Kernel() featuremap.Kernel { return featuremap.Linear{} }
func (m oneHot) TransformVec(dst, x []float64) []float64 {
	dst = append(dst[:0], make([]float64, len(m.w)+1)...)
	if v := int(x[0]); v >= 0 && v < len(m.w) {
		dst[v] = math.Sqrt(float64(m.w[v])) / 3
	}
	dst[len(m.w)] = m.common
	return dst
}
func (m oneHot) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	size(dst, n, len(m.w)+1)
	for i := range n {
		dst.SetRow(i, m.TransformVec(nil, []float64{x.At(i, 0)}))
	}
}

// countsOf calls do with all counts of so many values that add up to n.
func countsOf(n, values int, do func(counts []int)) {
	counts := make([]int, values)
	var next func(c, left int)
	next = func(c, left int) {
		if c == values-1 {
			counts[c] = left
			do(counts)
			return
		}
		for k := range left + 1 {
			counts[c] = k
			next(c+1, left-k)
		}
	}
	next(0, n)
}

// P is that of all divisions, for all tables of counts of two values, or of three, in samples of n + m rows up to 12: the number of
// permutations whose distance is as large is within five standard errors, and one more, of its expectation. Of 2,870 tables of two
// values and 27,000 of three, some are left out without -long.
func TestTiesOfCounts(t *testing.T) {
	const permutations = 200
	for values, w := range map[int][]int{2: {1, 1}, 3: {1, 2, 1}} {
		maps := []featuremap.FeatureMap{oneHot{w, 0}, oneHot{w, 1e6}}
		if values == 2 { // of two values all maps have the same divisions
			maps = append(maps, fourier(t, 1, 12))
		}
		number, step := 0, testkit.Times(5, 5, 1)
		if values == 3 {
			step = testkit.Times(199, 199, 1)
		}
		for n := 2; n <= 10; n++ {
			for m := 2; n+m <= 12; m++ {
				countsOf(n, values, func(x []int) {
					countsOf(m, values, func(y []int) {
						if number++; number%step != 0 {
							return
						}
						c := table{x, y}
						p := c.exact(w)
						for i, phi := range maps {
							r, err := TwoSample(phi, rowsOf(x), rowsOf(y), &TwoSampleOptions{Seed: uint64(number), Permutations: permutations})
							if err != nil {
								t.Fatal(err)
							}
							above, want := r.P*(1+permutations)-1, p*permutations
							if !(math.Abs(above-want) <= 5*math.Sqrt(want*(1-p))+1+1e-9) || p == 1 && r.P != 1 {
								t.Errorf("%v and %v, map %d: P = %v, exactly %v", x, y, i, r.P, p)
							}
						}
					})
				})
			}
		}
	}
}

// One odd row in fifty against no odd row is as likely in the other sample; of eight rows two odd ones are in the first six of twelve as
// often as it says. P is within five standard errors.
func TestTiesOfFewRows(t *testing.T) {
	for _, c := range []struct {
		table
		want float64
	}{
		{table{[]int{49, 1}, []int{50, 0}}, 1},
		{table{[]int{50, 0}, []int{49, 1}}, 1},
		{table{[]int{50, 0}, []int{50, 0}}, 1},
		{table{[]int{0, 7}, []int{0, 50}}, 1},
		{table{[]int{4, 2}, []int{6, 0}}, 5.0 / 11},
	} {
		if exact := c.exact([]int{1, 1}); math.Abs(exact-c.want) > 1e-15 {
			t.Fatalf("%v: exactly %v, want %v", c.table, exact, c.want)
		}
		for _, offset := range []float64{0, 2460000.3} {
			for _, phi := range []featuremap.FeatureMap{identity{1}, fourier(t, 1, 40)} {
				x, y := rowsOf(c.x), rowsOf(c.y)
				for _, x := range []*mat.Dense{x, y} {
					x.Apply(func(_, _ int, v float64) float64 { return v/3 + offset }, x)
				}
				r, err := TwoSample(phi, x, y, &TwoSampleOptions{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				if limit := 5 * math.Sqrt(c.want*(1-c.want)/1000); !(math.Abs(r.P-c.want) <= limit+1e-3*(1-c.want)) {
					t.Errorf("%v at %v, %T: P = %v, exactly %v", c.table, offset, phi, r.P, c.want)
				}
			}
		}
	}
}

// A stream at rest is no drift, nor is one of two values in the proportions of before; one that moves is.
func TestStreamAtRest(t *testing.T) {
	for _, at := range []float64{0, 0.1, 20.7, 1e6 / 3, 2460000.3} {
		for _, phi := range []featuremap.FeatureMap{identity{1}, fourier(t, 1, 40), oneHot{[]int{1}, 1e5}} {
			t.Run(fmt.Sprintf("%v %T", at, phi), func(t *testing.T) {
				stream := func(n, every int, moved float64) *mat.Dense {
					x := mat.NewDense(n, 1, nil)
					for i := range n {
						x.Set(i, 0, at+moved)
						if every > 0 && i%every == 0 {
							x.Set(i, 0, at+moved+1)
						}
					}
					return x
				}
				for _, every := range []int{0, 10} {
					before, first := stream(400, every, 0), stream(100, every, 0)
					r, err := TwoSample(phi, before, first, &TwoSampleOptions{Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					if every == 0 && (r.P != 1 || r.SquaredMMD != 0) {
						t.Errorf("at rest P = %v, distance %v", r.P, r.SquaredMMD)
					}
					reference := embedded(t, phi, before)
					window := embedded(t, phi, stream(60, every, 0), stream(40, every, 0))
					for range 3 {
						for _, d := range []float64{window.SquaredMMD(reference), reference.SquaredMMD(window)} {
							if d > r.Threshold(0.001) {
								t.Errorf("a stream at rest, every %d: distance %v above %v", every, d, r.Threshold(0.001))
							}
						}
						next := embedded(t, phi, stream(100, every, 0))
						if err := window.Merge(next); err != nil {
							t.Fatal(err)
						}
						if err := window.Subtract(next); err != nil {
							t.Fatal(err)
						}
					}
					if _, constant := phi.(oneHot); constant && at > 1 {
						continue // it does not see the move
					}
					if d := embedded(t, phi, stream(100, every, 1)).SquaredMMD(reference); !(d > r.Threshold(0.001)) {
						t.Errorf("a stream that moved: distance %v, threshold %v", d, r.Threshold(0.001))
					}
				}
			})
		}
	}
}

// A window at the same distance as the threshold's division is not above it.
func TestThresholdOfTies(t *testing.T) {
	for at := range 40 {
		for _, phi := range []featuremap.FeatureMap{identity{1}, fourier(t, 1, 40)} {
			sample := func(zeros, ones int) *mat.Dense {
				x := rowsOf([]int{zeros, ones})
				x.Apply(func(_, _ int, v float64) float64 { return (v + float64(at)) / 7 }, x)
				return x
			}
			r, err := TwoSample(phi, sample(30, 0), sample(9, 1), &TwoSampleOptions{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			d := embedded(t, phi, sample(9, 1)).SquaredMMD(embedded(t, phi, sample(30, 0)))
			if limit := r.Threshold(0.2); d > limit || !(d > limit-1e-9) { // a quarter of divisions have the odd row on that side
				t.Errorf("at %d, %T: distance %v, threshold %v", at, phi, d, limit)
			}
		}
	}
}

// Samples of one row again and again have a distance of 0, in any number and order.
func TestDistanceAtRest(t *testing.T) {
	phi := fourier(t, 1, 6)
	for at := range 200 {
		value := math.Exp(float64(at)/7 - 10)
		sample := func(n int) *mat.Dense {
			x := mat.NewDense(n, 1, nil)
			x.Apply(func(int, int, float64) float64 { return value }, x)
			return x
		}
		a, b := embedded(t, phi, sample(3+at)), embedded(t, phi, sample(7), sample(30))
		if err := b.Subtract(embedded(t, phi, sample(11))); err != nil {
			t.Fatal(err)
		}
		if d := a.SquaredMMD(b); d != 0 {
			t.Errorf("at %v: %v", value, d)
		}
	}
}
