// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

var best = flag.Bool("best", false, "test the best tier alone, as on an emulated CPU, which is slow")

// tiers returns the tiers to test.
func tiers() []tier.Tier {
	if *best {
		return []tier.Tier{tier.Best()}
	}
	return tier.Available()
}

// random returns rows of normal numbers, some elements apart.
func random(rnd *rand.Rand, rows, cols int) blas64.General {
	x := blas64.General{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float64, rows*(cols+3))}
	for i := range x.Data {
		x.Data[i] = rnd.NormFloat64()
	}
	return x
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

var measures = []Measure{
	{Of: Squares, Scale: 1}, {Of: Absolutes, Scale: 1}, {Of: Ratios, Scale: 0.5}, {Of: Sines, Scale: 1, Period: 2.5}, {Of: Inner}, {Of: Chords},
}

// specification is a statistic by its definition, in the operations and the order that are promised.
func specification(m Measure, x, y, factors, center []float64, circles *circles) float64 {
	dot := func(a, b []float64) (sum float64) {
		for k, v := range a {
			sum = math.FMA(v, b[k], sum)
		}
		return sum
	}
	direct := func(a, b, f []float64, sign float64) float64 {
		var s [8]float64
		for k, v := range a {
			t := float64((v - sign*b[k]) * f[k])
			s[k%8] = math.FMA(t, t, s[k%8])
		}
		return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	}
	ones := make([]float64, len(x))
	for k := range ones {
		ones[k] = 1
	}
	switch m.Of {
	case Inner:
		return dot(x, y)
	case Chords:
		u, v := make([]float64, len(x)), make([]float64, len(x))
		unit(u, x)
		unit(v, y)
		c := dot(u, v)
		s := dot(u, u) + dot(v, v)
		d := math.FMA(-2, math.Abs(c), s)
		if !(d > s/8) {
			d = direct(u, v, ones, 1)
			if c < 0 {
				d = squaredSum(u, v)
			}
		}
		if c < 0 {
			return -d
		}
		return d
	case Squares:
		if len(x) <= nearCoords {
			break
		}
		u, v := make([]float64, len(x)), make([]float64, len(x))
		for k := range x {
			u[k], v[k] = float64((x[k]-center[k])*factors[k]), float64((y[k]-center[k])*factors[k])
		}
		s := dot(u, u) + dot(v, v)
		if d := math.FMA(-2, dot(u, v), s); d > math.FMA(1.0/8, s, 0x1p-960) {
			return d
		}
		return direct(x, y, factors, 1)
	}
	sum := 0.0
	if m.Of == Ratios {
		sum = 1
	}
	if m.Of == Sines && len(x) > nearCoords {
		return sinesSpecification(newSine(m.Period), x, y, factors, circles, dot)
	}
	for k, v := range x {
		d := float64((v - y[k]) * factors[k])
		switch m.Of {
		case Squares:
			sum = math.FMA(d, d, sum)
		case Absolutes:
			sum += math.Abs(d)
		case Ratios:
			sum = float64(sum * math.FMA(d, d, 1))
		case Sines:
			sum = newSine(m.Period).step(sum, newSine(m.Period).difference(v, y[k], factors[k]))
		}
	}
	return sum
}

// Blocks of all statistics, in every tier, equal the specification to the last bit: for numbers of points and rows
// around the sizes of tiles, for all numbers of coordinates, with rows near one another and far from the origin.
func TestFillEqualsSpecification(t *testing.T) {
	for i, m := range measures {
		for j, d := range []int{1, 2, 3, 7, 8, 9, 16, 17, 31, 100} {
			for k, n := range []int{1, 7, 8, 9, 23, 24, 25, 47, 49, 73} {
				if d <= 17 && (i+j+k)%3 > 0 { // another measure has both numbers
					continue
				}
				if testing.Short() && (d == 2 || d == 7 || d == 16 || d > 30 || n == 1 || n == 7 || n == 9 || n == 24 || n == 47 || n > 49) {
					continue
				}
				if d > 17 && n != 9 && n != 73 { // their sums alone differ
					continue
				}
				rnd := rand.New(rand.NewPCG(uint64(d), uint64(n)))
				s, x := random(rnd, n, d), random(rnd, 13, d)
				spoil(rnd, s, x)
				var factors []float64
				full := make([]float64, d)
				for k := range full {
					full[k] = 1
					if n%2 == 0 {
						full[k] = math.Exp(rnd.NormFloat64())
					}
				}
				if n%2 == 0 {
					factors = append(factors, full...)
				}
				for k := range full {
					full[k] *= m.Scale
				}
				center, circles := Center(s), New(m, s, factors).circles
				want := remembered(func(x, y []float64) float64 { return specification(m, x, y, full, center, circles) })
				for _, in := range tiers() {
					checkBlocks(t, newIn(in, m, s, factors), s, x, want)
				}
			}
		}
	}
}

// Sparse rows have the same bits as dense ones, even if points contain NaN or Inf.
func TestListsEqualSpecification(t *testing.T) {
	for _, m := range []Measure{{Of: Squares, Scale: 1}, {Of: Inner}, {Of: Chords}} {
		for _, d := range []int{63, 64, 500} {
			for _, special := range []float64{1, 1e-200, math.Inf(1)} {
				if special == 1e-200 && d > 64 && testing.Short() {
					continue
				}
				rnd := rand.New(rand.NewPCG(uint64(d), 13))
				s, x := random(rnd, 50, d), random(rnd, 13, d)
				for _, z := range []blas64.General{s, x} {
					for i := range z.Data {
						if rnd.IntN(12) > 0 {
							z.Data[i] = 0
						}
					}
				}
				row(s, 20)[3] = special
				copy(row(x, 2), row(s, 7))
				clear(row(x, 3))
				for k := range d {
					row(x, 9)[k] = 1
				}
				ones := make([]float64, d)
				for k := range ones {
					ones[k] = 1
				}
				center := Center(s)
				want := remembered(func(x, y []float64) float64 { return specification(m, x, y, ones, center, nil) })
				for _, in := range tiers() {
					p := newIn(in, m, s, nil)
					lists := slices.ContainsFunc(p.Self.lists, func(l *projection.ListRow) bool { return l != nil })
					if want := d >= 64; special == 1 && lists != want {
						t.Errorf("d=%d: there are lists: %v", d, lists)
					}
					checkBlocks(t, p, s, x, want)
					if m.ListsAsPoints(d) {
						if !slices.Equal(centerOfLists(listsOf(s), d), center) {
							t.Errorf("d=%d: another center of lists", d)
						}
						p := newOfLists(in, m, listsOf(s), d, nil)
						checkBlocks(t, p, s, x, want)
						checkLists(t, p, s, x, want)
					}
				}
			}
		}
	}
}

// listsOf returns rows as lists.
func listsOf(x blas64.General) (lists []rows.List) {
	for i := range x.Rows {
		lists = append(lists, rows.NewList(row(x, i)))
	}
	return lists
}

// checkLists checks a block of rows that are lists.
func checkLists(t *testing.T, p *Points, s, x blas64.General, want func(x, y []float64) float64) {
	t.Helper()
	b := new(Batch)
	p.PrepareLists(b, listsOf(x))
	dst := make([]float64, MaxRows*p.N)
	p.Fill(dst, p.N, b, 2, MaxRows, 0, p.N)
	for i := range MaxRows {
		for j := range p.N {
			if got, want := dst[i*p.N+j], want(row(x, 2+i), row(s, j)); !same(got, want) {
				t.Fatalf("%v, statistic %d, d=%d: list %d at point %d, a list: %v, want %v", p.tier, p.measure.Of, p.D, 2+i, j, got, want)
			}
		}
	}
}

// spoil makes some rows near others, and some special.
func spoil(rnd *rand.Rand, s, x blas64.General) {
	for i := range s.Rows {
		if i%3 == 1 {
			copy(row(s, i), row(x, i%x.Rows))
			row(s, i)[0] += 1e-7 * rnd.NormFloat64()
		}
		if i%7 == 6 {
			copy(row(s, i), row(s, i/2))
		}
	}
	if s.Rows > 8 {
		row(s, 4)[s.Cols-1] = math.NaN()
		row(s, 5)[0] = math.Inf(1)
		for k := range s.Cols {
			row(s, 6)[k] *= 1e200
			row(s, 7)[k] *= 1e-170
			row(s, 8)[k] = 0
			row(x, 3)[k] *= -1e-3
		}
	}
	row(x, 5)[x.Cols/2] = math.Inf(-1)
}

// remembered returns a function of rows that stay as they are, which is computed once for each two: blocks of any cut, in every tier, have it.
func remembered(f func(x, y []float64) float64) func(x, y []float64) float64 {
	known := make(map[[2]*float64]float64)
	return func(x, y []float64) float64 {
		pair := [2]*float64{&x[0], &y[0]}
		v, ok := known[pair]
		if !ok {
			v = f(x, y)
			known[pair] = v
		}
		return v
	}
}

func checkBlocks(t *testing.T, p *Points, s, x blas64.General, want func(x, y []float64) float64) {
	t.Helper()
	b := p.Batch(x)
	for lo := 0; lo < p.N; lo += Columns {
		for _, hi := range []int{min(lo+Columns, p.N), p.N} {
			for from := 0; from < x.Rows; from += 5 {
				for _, rows := range []int{1, 3, MaxRows} {
					rows = min(rows, x.Rows-from)
					stride := hi - lo + 2
					dst := make([]float64, rows*stride)
					p.Fill(dst, stride, b, from, rows, lo, hi)
					for i := range rows {
						for j := lo; j < hi; j++ {
							got, want := dst[i*stride+j-lo], want(row(x, from+i), row(s, j))
							if !same(got, want) {
								t.Fatalf("%v, statistic %d, d=%d, n=%d, row %d of %d at point %d: %v, want %v", p.tier, p.measure.Of, p.D, p.N, from+i, rows, j, got, want)
							}
						}
						if dst[i*stride+stride-1] != 0 {
							t.Fatal("wrote between rows")
						}
					}
				}
			}
		}
	}
	diagonal := make([]float64, x.Rows)
	p.Diagonal(diagonal, b, 0)
	for i, got := range diagonal {
		if want := want(row(x, i), row(x, i)); !same(got, want) {
			t.Fatalf("%v, statistic %d, d=%d: diagonal %d is %v, want %v", p.tier, p.measure.Of, p.D, i, got, want)
		}
	}
}

// Squared distances have their digits: of near points, of points far from the origin, and others.
func TestDigits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{1, 2, 3, 8, 9, 40, 784} {
		for _, offset := range []float64{0, 1, 1e6} {
			for _, apart := range []float64{1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 2} {
				if d > 40 && apart > 1e-9 && apart < 0.1 {
					continue // which 40 coordinates have, and take long to sum exactly
				}
				x, y := random(rnd, 8, d), random(rnd, 8, d)
				for i := range 8 {
					for k := range d {
						row(x, i)[k] += offset
						row(y, i)[k] = row(x, i)[k] + float64(apart*row(y, i)[k])
					}
				}
				p := New(Measure{Of: Squares, Scale: 1}, y, nil)
				dst := make([]float64, 8*8)
				p.Fill(dst, 8, p.Batch(x), 0, 8, 0, 8)
				for i := range 8 {
					for j := range 8 {
						if (i+j)%3 > 0 {
							continue // exact sums take long
						}
						want := exactSquare(row(x, i), row(y, j))
						if got := dst[i*8+j]; !(math.Abs(got-want) <= 1e-14*math.Sqrt(float64(d))*want) {
							t.Fatalf("d=%d, offset %g, %g apart: %v, want %v: relative error %.2g", d, offset, apart, got, want, got/want-1)
						}
					}
				}
			}
		}
	}
}

// exactSquare returns ‖x − y‖² rounded once.
func exactSquare(x, y []float64) float64 {
	sum := new(big.Float).SetPrec(400)
	for k, v := range x {
		u := new(big.Float).SetPrec(400).Sub(big.NewFloat(v), big.NewFloat(y[k]))
		sum.Add(sum, u.Mul(u, u))
	}
	v, _ := sum.Float64()
	return v
}

// Functions in lanes are the specification to the last bit, whatever the number of elements.
func TestFunctionsEqualPlain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	special := []float64{0, math.Copysign(0, -1), 1e-320, 1e-300, 1e-17, 0.5, 1, 20, 708, 744, 745.2, 746, 1000, 1e10, 1e300, math.MaxFloat64, math.Inf(1), math.NaN()}
	for n := range 70 {
		src := make([]float64, n)
		for i := range src {
			src[i] = math.Exp(4 * rnd.NormFloat64())
			if rnd.IntN(4) == 0 {
				src[i] = special[rnd.IntN(len(special))]
			}
			if n%2 == 1 && rnd.IntN(2) == 0 { // chords have either sign
				src[i] = -src[i]
			}
		}
		for _, f := range []interface {
			in(t tier.Tier, dst, src []float64)
		}{
			Exponential{Rate: 1}, Exponential{Rate: -1}, Exponential{Rate: -0.3, Shift: 2}, Exponential{Rate: math.NaN()}, Exponential{Rate: math.Inf(-1)},
			Ratio{Rate: 1, Power: 1}, Ratio{Rate: 0.3, Power: 2.5}, Ratio{Rate: 1e-200, Power: 0.01}, Ratio{Rate: math.NaN(), Power: 1}, Ratio{Rate: 2, Power: 1000},
			Angular{Order: 0}, Angular{Order: 1}, Angular{Order: 2},
			Decay{Scale: 1, Coefficients: []float64{1}}, Decay{Scale: 3, Coefficients: []float64{1, 1}}, Decay{Scale: 0.1, Coefficients: []float64{1, 1, 1.0 / 3, 0.1}},
		} {
			want := make([]float64, n)
			f.in(tier.Plain, want, src)
			for _, in := range tiers() {
				got := make([]float64, n+1)
				f.in(in, got[:n], src)
				for i := range want {
					if !same(got[i], want[i]) {
						t.Fatalf("%v: %+v of %v is %v, want %v", in, f, src[i], got[i], want[i])
					}
				}
				if got[n] != 0 {
					t.Fatal("wrote beyond the end")
				}
			}
		}
	}
}

// The exponential is right to less than a unit in the last place.
func TestExp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	var worst float64
	for range 2000 {
		x := 1415*rnd.Float64() - 706 // with results that are not subnormal
		if rnd.IntN(2) == 0 {
			x = -math.Exp(2*rnd.NormFloat64() - 2)
		}
		got, want := exp(x), exactExp(x)
		rounded, _ := want.Float64()
		ulp := math.Nextafter(rounded, math.Inf(1)) - rounded
		off, _ := want.Sub(want, big.NewFloat(got)).Float64()
		worst = max(worst, math.Abs(off)/ulp)
	}
	t.Logf("within %.3f units in the last place", worst)
	if worst > 0.95 {
		t.Errorf("exp is wrong by %v units in the last place", worst)
	}
	for x, want := range map[float64]float64{-745: 5e-324, -746: 0, -800: 0, 709.7: 1.6549840276802644e308, 710: math.Inf(1), 0: 1} {
		if got := exp(x); !(got == want || math.Abs(got-want) <= 1e-15*want) {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

// exactExp returns e**x, by the series of a small part of x.
func exactExp(x float64) *big.Float {
	const halvings, prec = 20, 300
	u := new(big.Float).SetPrec(prec).SetFloat64(math.Ldexp(x, -halvings))
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for n := 1.0; n < 40; n++ {
		term.Mul(term, u)
		sum.Add(sum, term.Quo(term, big.NewFloat(n)))
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// A Ratio is right where the power of 1 + t would lose the digits of t.
func TestRatio(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, power := range []float64{0.1, 0.5, 1, 3, 1000} {
		for range 1000 {
			v := math.Exp(20 * rnd.NormFloat64())
			var got [1]float64
			Ratio{Rate: 0.5, Power: power}.To(got[:], []float64{v})
			log := -power * math.Log1p(0.5*v)
			want := math.Exp(log)
			if !(math.Abs(got[0]-want) <= 1e-15*want*(1+math.Abs(log))+1e-320) {
				t.Fatalf("power %v of %v: %v, want %v", power, v, got[0], want)
			}
		}
	}
}

// A Table is the function that it is made of, at all sizes of numbers, and in any order.
func TestTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, power := range []float64{0.1, 4.9, 5.1, 29.9} {
		of := func(t float64) float64 { return math.Pow(1+t, power) * math.Exp(-math.Sqrt(3*t)) }
		f, again := NewTable(of, 3, power), NewTable(of, 3, power)
		src := []float64{0, 1e-320, 1e-310, 1e-290, 1, 2, math.Nextafter(2, 0), 1e5, 119_000, 121_000, 480_000, 1e300, math.Inf(1), math.NaN()}
		for range 3000 {
			src = append(src, math.Exp(5*rnd.NormFloat64()))
		}
		dst, last := make([]float64, len(src)), make([]float64, 1)
		f.To(dst, src)
		for i := len(src) - 1; i >= 0; i-- {
			v, got := src[i], dst[i]
			again.To(last, src[i:i+1])
			if !same(got, last[0]) {
				t.Fatalf("power %v of %v: %v, and alone %v", power, v, got, last[0])
			}
			if v > 1e6 { // the function itself is NaN at Inf
				v = 1e6
			}
			z := math.Sqrt(3 * v)
			want := of(v)
			if !(math.Abs(got-want) <= 1e-15*(4+z+power)*want+1e-300) && !(math.IsNaN(v) && math.IsNaN(got)) {
				t.Fatalf("power %v of %v: %v, want %v: %.2g", power, v, got, want, got/want-1)
			}
		}
	}
	if NewTable(math.Sqrt, 1, 31) != nil || NewTable(math.Sqrt, 1, math.NaN()) != nil {
		t.Error("a table of too steep a function")
	}
}

func TestNorm(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{3, -4}, 5}, {[]float64{3e300, 4e300}, 5e300}, {[]float64{3e-310, 4e-310}, 5e-310},
		{[]float64{1, math.Inf(-1)}, math.Inf(1)}, {[]float64{math.Inf(1), math.NaN()}, math.NaN()},
	} {
		if got := Norm(c.x); !same(got, c.want) && !(math.Abs(got-c.want) <= 1e-15*c.want) {
			t.Errorf("Norm(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}

func BenchmarkFunctions(b *testing.B) {
	src, dst := make([]float64, 1536), make([]float64, 1536)
	for i := range src {
		src[i] = float64(i) / 100
	}
	for _, f := range []Function{
		Exponential{Rate: -1}, Decay{Scale: 1, Coefficients: []float64{1, 1}}, Ratio{Rate: 1, Power: 1.5}, Angular{Order: 1},
	} {
		b.Run(fmt.Sprintf("%T", f), func(b *testing.B) {
			for range b.N {
				f.To(dst, src)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(src)), "ns/element")
		})
	}
}

// A center is in the midst of the points, whatever some of them are, and NaN and Inf take no part.
func TestCenter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	x := random(rnd, 1000, 3)
	for i := range x.Rows {
		row(x, i)[1] += 1e6
		switch i % 41 {
		case 0:
			row(x, i)[2] = math.NaN()
		case 10, 20:
			row(x, i)[0] = 1e308
		case 30:
			row(x, i)[1] = math.Inf(-1)
		}
	}
	// The median of 100 normal numbers has a standard deviation of 0.125.
	for k, want := range []float64{0, 1e6, 0} {
		if got := Center(x)[k]; !(math.Abs(got-want) <= 0.5) {
			t.Errorf("coordinate %d: %v, want about %v", k, got, want)
		}
	}
	for i := range x.Rows {
		row(x, i)[0] = math.NaN()
	}
	if c := Center(x); c[0] != 0 || c[1] != 0 || c[2] != 0 {
		t.Errorf("of no finite points: %v", c)
	}
}
