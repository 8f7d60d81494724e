// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// weigh returns the sums of rows with weights of the given roots, in batches.
func weigh(t testing.TB, z blas64.General, targets int, roots []float64, batch int) *Sums {
	t.Helper()
	s := New(z.Cols-targets, targets)
	for lo := 0; lo < z.Rows; lo += batch {
		hi := min(lo+batch, z.Rows)
		s.Begin(hi - lo)
		next := s.Next(hi - lo)
		for i := range next.Rows {
			copy(next.Data[i*next.Stride:][:next.Cols], z.Data[(lo+i)*z.Stride:][:z.Cols])
		}
		if err := s.Append(roots[lo:hi], nil); err != nil {
			t.Fatal(err)
		}
		s.Commit()
	}
	return s
}

// specifiedWeights returns the bits that weighted sums have by the specification: each is one chain in the order of the
// rows, of the row minus the first one, and of 1, times the root.
func specifiedWeights(z blas64.General, roots []float64) []uint64 {
	all := []uint64{uint64(z.Rows)}
	for _, v := range z.Data[:z.Cols] {
		all = append(all, math.Float64bits(v))
	}
	for j := range z.Cols + 1 {
		for k := range j + 1 {
			var sum float64
			for i, root := range roots {
				column := func(j int) float64 {
					if j == z.Cols {
						return root
					}
					return root * (z.Data[i*z.Stride+j] - z.Data[j])
				}
				sum = math.FMA(column(k), column(j), sum)
			}
			all = append(all, math.Float64bits(sum))
		}
	}
	return all
}

// Weighted sums have the bits of the specification, for any batches and any number of goroutines; roots that are all 1 give the
// bits of rows without weights.
func TestWeights(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct{ n, features, targets int }{{1, 1, 1}, {145, 3, 2}, {310, 50, 2}} {
		z := random(11, c.n, c.features+c.targets)
		roots, ones := make([]float64, c.n), make([]float64, c.n)
		for i := range roots {
			roots[i], ones[i] = math.Sqrt(float64(1+i%7)/3), 1
		}
		want := specifiedWeights(z, roots)
		for i, batch := range []int{c.n, 1, 100, 144, 145} {
			runtime.GOMAXPROCS(1 + i%4)
			if !slices.Equal(bits(weigh(t, z, c.targets, roots, batch)), want) {
				t.Errorf("%+v, batches of %d: other bits", c, batch)
			}
			if !slices.Equal(bits(weigh(t, z, c.targets, ones, batch)), specified(z)) {
				t.Errorf("%+v, batches of %d: weights of 1 have other bits", c, batch)
			}
		}
	}
}

// Rows with weights 1, 2 and 3 have the solutions of rows that are repeated as often, along the path, with an intercept
// and without. Rounding errors have the limits of TestEquations, doubled because both sides have them.
func TestWeightsAreRepeatedRows(t *testing.T) {
	const n, features, targets = 90, 12, 2
	z := learnable(12, n, features, targets, 0.5)
	roots := make([]float64, n)
	repeated := blas64.General{Cols: z.Cols, Stride: z.Cols}
	for i := range roots {
		roots[i] = math.Sqrt(float64(1 + i%3))
		for range 1 + i%3 {
			repeated.Rows++
			repeated.Data = append(repeated.Data, z.Data[i*z.Stride:][:z.Cols]...)
		}
	}
	for _, intercept := range []bool{true, false} {
		got := NewEquations(weigh(t, z, targets, roots, 40), intercept)
		want := NewEquations(sumsOf(t, repeated, targets), intercept)
		if got.Rows != n || math.Abs(got.Weight-2*n) > 1e-12*n {
			t.Fatalf("%d rows of weight %v, want %d of %d", got.Rows, got.Weight, n, 2*n)
		}
		for k, lambda := range want.Path() {
			name := fmt.Sprintf("intercept %v, λ = %.3g", intercept, lambda)
			expectNear(t, name+": of the path", got.Path()[k], lambda, 1e-13*lambda)
			r := solveDense(t, repeated, targets, lambda, intercept)
			a, err := got.Solve(lambda)
			if err != nil {
				t.Fatal(err)
			}
			b, err := want.Solve(lambda)
			if err != nil {
				t.Fatal(err)
			}
			for j := range targets {
				expectNear(t, name+": variance", got.Variances[j], want.Variances[j], 1e-13*want.Variances[j])
				expectNear(t, name+": noise", a.Noise[j], b.Noise[j], 2*r.limitOfEvidence/n*b.Noise[j])
			}
			expectNear(t, name+": evidence", a.LogEvidence(nil), b.LogEvidence(nil), 2*r.limitOfEvidence)
			wa, ca := got.Weights(a)
			wb, cb := want.Weights(b)
			if d := distance(wa.Data, wb.Data); !(d <= 2*r.limit) {
				t.Errorf("%s: weights are off by %.1e, want %.1e", name, d, 2*r.limit)
			}
			if d := distance(ca, cb); intercept && !(d <= 2*features*r.limit) {
				t.Errorf("%s: intercepts are off by %.1e", name, d)
			}
		}
	}
}

// Merged sums of weighted rows are the sums of all rows, except for n roundings of sums of products up to
// 7·8·8.
func TestMergeWeights(t *testing.T) {
	const n, features, targets = 300, 10, 1
	z := random(13, n, features+targets)
	roots := make([]float64, n)
	for i := range roots {
		roots[i] = math.Sqrt(float64(1 + i%7))
	}
	whole := weigh(t, z, targets, roots, n)
	a := weigh(t, rowsOf(z, 0, 100), targets, roots[:100], 50)
	b := weigh(t, rowsOf(z, 100, n), targets, roots[100:], 50)
	a.Merge(b)
	const limit = 8 * n * 0x1p-53 * n * 7 * 8 * 8
	got := slices.Collect(copies(a))
	for j, want := range slices.Collect(copies(whole)) {
		for i, v := range want {
			if !(math.Abs(got[j][i]-v) <= limit) {
				t.Fatalf("sum %d, %d is %v, want %v", i, j, got[j][i], v)
			}
		}
	}
}

// A number whose square overflows with its weight is refused with its place, both by its own size and by its distance
// from the row that is subtracted. The largest accepted numbers have finite sums, merged ones too.
func TestRefusedWeights(t *testing.T) {
	one := func(values, roots []float64) (*Sums, error) {
		s := New(1, 1)
		s.Begin(len(roots))
		next := s.Next(len(roots))
		for i := range roots {
			next.Data[i*next.Stride], next.Data[i*next.Stride+1] = values[i], float64(i)
		}
		return s, s.Append(roots, nil)
	}
	for _, c := range [][2][]float64{{{1, 0x1p84}, {1, 0x1p400}}, {{0x1p83, -0x1p83}, {0x1p399, 0x1p400}}} {
		_, err := one(c[0], c[1])
		var refused *RowError
		if !errors.As(err, &refused) || refused.Row != 1 || refused.Column != 0 || refused.Root != 0x1p400 {
			t.Errorf("%v: %v", c, err)
		}
	}
	sums := func() (all []*Sums) {
		for _, c := range [][2][]float64{{{1, 0x1p83}, {1, 0x1p400}}, {{-0x1p483, 0x1p83}, {1, 0x1p400}}, {{0x1p483, -0x1p483}, {1, 1}}} {
			s, err := one(c[0], c[1])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	check := func(name string, s *Sums) {
		for column := range s.Columns() {
			if slices.ContainsFunc(column, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				t.Errorf("%s: sums of %v", name, column)
			}
		}
	}
	for i := range sums() {
		check("added", sums()[i])
		for j := range sums() {
			all := sums()
			all[i].Merge(all[j])
			check("merged", all[i])
		}
	}
}

// A row with almost no weight that is far from all others affects the result only by its weight, wherever it stands, in
// sums and in merged ones: entries minus the mean agree to 1e-9 of the standard deviations. Batches and goroutines
// change no bit, nor does a batch that is rolled back.
func TestFarRowOfTinyWeight(t *testing.T) {
	const n, features, targets = 300, 8, 2
	z := learnable(14, n, features, targets, 0.5)
	rows := func(place int) (blas64.General, []float64) {
		r, roots := blas64.General{Rows: n + 1, Cols: z.Cols, Stride: z.Cols}, make([]float64, n+1)
		for i, k := 0, 0; i <= n; i++ {
			if roots[i] = math.Sqrt(float64(1 + i%3)); i == place {
				roots[i] = 1e-10
				for j := range z.Cols {
					r.Data = append(r.Data, []float64{1e9, -1e9}[j%2])
				}
				continue
			}
			roots[i] = math.Sqrt(float64(1 + k%3))
			r.Data = append(r.Data, z.Data[k*z.Stride:][:z.Cols]...)
			k++
		}
		return r, roots
	}
	for _, single := range []bool{false, true} {
		sums := func(r blas64.General, roots []float64, batch int) *Sums {
			s := New(features, targets)
			if single {
				s = NewSingle(features, targets)
			}
			for lo := 0; lo < r.Rows; lo += batch {
				hi := min(lo+batch, r.Rows)
				for _, commit := range []bool{false, true} {
					s.Begin(hi - lo)
					next := s.Next(hi - lo)
					for i := range next.Rows {
						copy(next.Data[i*next.Stride:][:next.Cols], r.Data[(lo+i)*r.Stride:][:r.Cols])
					}
					if err := s.Append(roots[lo:hi], nil); err != nil {
						t.Fatal(err)
					}
					if commit {
						s.Commit()
					} else {
						s.Rollback()
					}
				}
			}
			return s
		}
		limit := 1e-9
		if single {
			limit = 1e-4 // blocks of float32 end elsewhere, and noise is a hundredth of what is rounded
		}
		last, roots := rows(n)
		want := NewEquations(sums(last, roots, n+1), true)
		near := func(name string, s *Sums) {
			t.Helper()
			e := NewEquations(s, true)
			a, err := e.Solve(0.1)
			if err != nil {
				t.Fatal(err)
			}
			noise := slices.Clone(a.Noise)
			wa, _ := e.Weights(a)
			b, err := want.Solve(0.1)
			if err != nil {
				t.Fatal(err)
			}
			wb, _ := want.Weights(b)
			for j, v := range b.Noise {
				expectNear(t, name+": noise", noise[j], v, limit*v)
			}
			expectNear(t, name+": evidence", a.LogEvidence(nil), b.LogEvidence(nil), 600*limit) // half of the sum of the weights a target
			if d := distance(wa.Data, wb.Data); !(d <= limit) {
				t.Errorf("%s: weights are off by %.1e", name, d)
			}
		}
		for _, place := range []int{0, 1, 100, 144, 200} {
			r, roots := rows(place)
			s := sums(r, roots, 60)
			near(fmt.Sprintf("single %v, place %d", single, place), s)
			for _, batch := range []int{1, 144, n + 1} {
				if !slices.Equal(bits(sums(r, roots, batch)), bits(s)) {
					t.Errorf("single %v, place %d, batches of %d: other bits", single, place, batch)
				}
			}
			for _, cut := range []int{1, 100, n} {
				a, b := sums(rowsOf(r, 0, cut), roots[:cut], cut), sums(rowsOf(r, cut, n+1), roots[cut:], 50)
				swapped := sums(rowsOf(r, cut, n+1), roots[cut:], 50)
				swapped.Merge(a)
				a.Merge(b)
				near(fmt.Sprintf("single %v, place %d, merged at %d", single, place, cut), a)
				near(fmt.Sprintf("single %v, place %d, merged at %d, swapped", single, place, cut), swapped)
			}
		}
	}
}
