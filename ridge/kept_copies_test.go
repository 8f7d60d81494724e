// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// An accumulator that has dropped rows leaves the others out with all their copies, kept or not: it takes the λ of Fit, or one next
// to it, as it leaves out some rows where Fit leaves out all. So do its merged parts, and what is read from files.
func TestDroppedCopies(t *testing.T) {
	for _, c := range []struct {
		name                  string
		points, copied, times int
		keep                  int // 0: 4,096
		differ                int // rows with another target
		weighted              bool
	}{
		{"all points counted", 600, 600, 4, 700, 0, false},
		{"weights", 600, 600, 4, 300, 0, true},
		{"some points with other targets", 600, 600, 4, 300, 40, false},
		{"half of the points", 600, 300, 4, 200, 0, false},
		{"some points counted", 7000, 7000, 2, 0, 0, false},
		{"no copies", 600, 0, 1, 200, 0, false},
	} {
		s := featuremap.NewSampler(3)
		x, y, weights := inCopies(s, c.points, c.copied, c.times)
		for i := range c.differ {
			y.Set(7*i, 0, y.At(7*i, 0)+1)
		}
		if !c.weighted {
			weights = nil
		}
		n, _ := x.Dims()
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.3}, 2, 150, s, nil))
		want := must(ridge.Fit(phi, x, y, &ridge.Options{Weights: weights})).Lambda()[0]
		add := func(lo, hi, batch int) *ridge.Accumulator {
			a := must(ridge.NewAccumulator(phi, 1))
			if c.keep > 0 {
				if err := a.KeepRows(c.keep); err != nil {
					t.Fatal(err)
				}
			}
			for ; lo < hi; lo += batch {
				end := min(lo+batch, hi)
				var w []float64
				if weights != nil {
					w = weights[lo:end]
				}
				if err := a.AddWeighted(x.Slice(lo, end, 0, 2), y.Slice(lo, end, 0, 1), w); err != nil {
					t.Fatal(err)
				}
			}
			return a
		}
		read := func(a *ridge.Accumulator) *ridge.Accumulator {
			return must(ridge.ReadAccumulator(bytes.NewReader(bytesOf(t, a)), phi))
		}
		a := add(0, n, n)
		check := func(name string, a *ridge.Accumulator) {
			t.Helper()
			if got := must(a.Fit(nil)).Lambda()[0]; !(math.Abs(math.Log10(got/want)) < 1.1) {
				t.Errorf("%s, %s: λ = %v, of Fit %v", c.name, name, got, want)
			}
		}
		check("at once", a)
		check("from a file", read(a))
		merged, parts := add(0, n/3, 100), add(n/3, n, 77)
		again := read(merged)
		for _, part := range []struct{ to, from *ridge.Accumulator }{{again, read(parts)}, {merged, parts}} {
			if err := part.to.Merge(part.from); err != nil {
				t.Fatal(err)
			}
		}
		check("merged", merged)
		file := bytesOf(t, a)
		for _, batch := range []int{1, 1000} {
			if !bytes.Equal(bytesOf(t, add(0, n, batch)), file) {
				t.Errorf("%s: other bytes with batches of %d rows", c.name, batch)
			}
		}
		if !bytes.Equal(bytesOf(t, read(a)), file) {
			t.Errorf("%s: other bytes when read", c.name)
		}
		if !bytes.Equal(bytesOf(t, again), bytesOf(t, merged)) {
			t.Errorf("%s: other bytes when read and merged", c.name)
		}
	}
}

// The mean leave-one-out error at one λ is Fit's where half of the points have copies: over 40 draws, of about 67 rows each, within
// four standard errors, which are below .05. (If dropped copies stay in it is .70 times Fit's.)
func TestDroppedCopiesErrors(t *testing.T) {
	const draws = 40
	var sum, squares float64
	for seed := range uint64(draws) {
		s := featuremap.NewSampler(seed)
		x, y, _ := inCopies(s, 600, 300, 4)
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.3}, 2, 150, s, nil))
		a := must(ridge.NewAccumulator(phi, 1))
		if err := a.KeepRows(200); err != nil {
			t.Fatal(err)
		}
		if err := a.Add(x, y); err != nil {
			t.Fatal(err)
		}
		o := &ridge.Options{Path: []float64{0.1}, Criterion: ridge.LeaveOneOut, Intervals: &ridge.IntervalOptions{Off: true}}
		got, _ := must(a.Fit(o)).LeaveOneOutMSE()
		want, _ := must(ridge.Fit(phi, x, y, o)).LeaveOneOutMSE()
		ratio := got[0] / want[0]
		sum, squares = sum+ratio, squares+ratio*ratio
	}
	mean := sum / draws
	deviation := math.Sqrt((squares/draws - mean*mean) / (draws - 1))
	if !(math.Abs(mean-1) < 4*deviation && deviation < 0.05) {
		t.Errorf("errors are %.3f ± %.3f times Fit's", mean, deviation)
	}
}

// Intervals of such an accumulator cover new rows, which those of rows whose copies stay in the fit do not.
func TestDroppedCopiesIntervals(t *testing.T) {
	s := featuremap.NewSampler(5)
	x, y, _ := inCopies(s, 500, 500, 4)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.3}, 2, 300, s, nil))
	a := must(ridge.NewAccumulator(phi, 1))
	if err := a.KeepRows(400); err != nil {
		t.Fatal(err)
	}
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	m := must(a.Fit(&ridge.Options{Lambda: 1e-4}))
	in := 0
	const fresh = 4000
	for range fresh {
		row := []float64{s.Normal(), s.Normal()}
		lo, hi := m.Interval(row, 0.9)
		if v := s.Normal(); v >= lo[0] && v <= hi[0] {
			in++
		}
	}
	// 400 rows judge: a standard error of .015, and the 4,000 .005.
	if cover := float64(in) / fresh; !(cover > 0.9-3*0.016) {
		t.Errorf("intervals of 90 %% cover %.3f", cover)
	}
}

// A file that counts what cannot be is refused.
func TestDroppedCopiesFile(t *testing.T) {
	s := featuremap.NewSampler(7)
	x, y, _ := inCopies(s, 100, 100, 3)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 10, s, nil))
	a := must(ridge.NewAccumulator(phi, 1))
	if err := a.KeepRows(50); err != nil {
		t.Fatal(err)
	}
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	counts := ridge.Counts(a)
	if len(counts) != 250 {
		t.Fatalf("%d numbers for 50 points", len(counts))
	}
	if err := ridge.ReadCounts(counts, 150); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		at    int
		value float64
	}{
		{"a key above the bound", 0, 1 << 53}, {"a key that is no integer", 0, 0.5}, {"keys out of order", 0, counts[10]},
		{"a target that is no key", 1, -2}, {"no rows", 2, 0}, {"half a row", 2, 2.5}, {"too many rows", 2, 151}, {"more rows than there are", 2, 4},
		{"no weight", 3, 0}, {"an infinite weight", 3, math.Inf(1)}, {"NaN", 3, math.NaN()}, {"a row heavier than all", 4, 4}, {"no heaviest", 4, 0},
		{"a heaviest without a target", 1, -1},
	} {
		bad := slices.Clone(counts)
		bad[c.at] = c.value
		if err := ridge.ReadCounts(bad, 150); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
	if err := ridge.ReadCounts(counts[:249], 150); err == nil {
		t.Error("a number too few: no error")
	}
	if err := ridge.ReadCounts(append(counts[:5:5], counts...), 150); err == nil {
		t.Error("a point twice: no error")
	}
	if err := ridge.ReadCounts([]float64{1, -1, 17, 17, 0, 2, -1, 17, 17, 0}, 150, 1); err == nil {
		t.Error("two points of one at most: no error")
	}
	var many []float64
	for target := range 17 {
		many = append(many, 1, float64(target), 1, 1, 1)
	}
	if ridge.ReadCounts(many, 150) == nil || ridge.ReadCounts(many[5:], 150) != nil {
		t.Error("17 targets at a point: no error, or 16: an error")
	}
}

// What is counted of parts that are merged, in memory or as files, is what is counted of all rows, with the same bound.
func TestDroppedCopiesMerged(t *testing.T) {
	s := featuremap.NewSampler(11)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 2, s, nil))
	for draw := range 200 {
		keep := []int{2, 10, 50}[draw%3]
		all := must(ridge.NewAccumulator(phi, 1))
		parts := []*ridge.Accumulator{must(ridge.NewAccumulator(phi, 1)), must(ridge.NewAccumulator(phi, 1))}
		for _, a := range append(parts[:2:2], all) {
			if err := a.KeepRows(keep); err != nil {
				t.Fatal(err)
			}
		}
		for _, part := range parts {
			for range keep + s.IntN(3*keep) {
				x := mat.NewDense(1, 1, []float64{s.Normal()})
				for target := range 2 {
					y := mat.NewDense(1, 1, []float64{float64(target)})
					if err := errors.Join(part.Add(x, y), all.Add(x, y)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		merged := must(ridge.ReadAccumulator(bytes.NewReader(bytesOf(t, parts[0])), phi))
		if err := errors.Join(merged.Merge(must(ridge.ReadAccumulator(bytes.NewReader(bytesOf(t, parts[1])), phi))), parts[0].Merge(parts[1])); err != nil {
			t.Fatal(err)
		}
		for name, a := range map[string]*ridge.Accumulator{"in memory": parts[0], "as files": merged} {
			if !slices.Equal(ridge.Counts(a), ridge.Counts(all)) || ridge.CountsBelow(a) != ridge.CountsBelow(all) {
				t.Fatalf("draw %d, merged %s: below %d, want %d", draw, name, ridge.CountsBelow(a), ridge.CountsBelow(all))
			}
		}
	}
}

// Where few kept rows are at counted points, all kept rows leave with as many copies as counted rows have in the mean.
func TestDroppedCopiesFewKnown(t *testing.T) {
	s := featuremap.NewSampler(13)
	x, y, _ := inCopies(s, 1000, 1000, 4)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 0.3}, 2, 400, s, nil))
	a := must(ridge.NewAccumulator(phi, 1))
	if err := a.KeepRows(150); err != nil { // of which about 22 are at points that are counted
		t.Fatal(err)
	}
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	want, got := must(ridge.Fit(phi, x, y, nil)).Lambda()[0], must(a.Fit(nil)).Lambda()[0]
	if !(math.Abs(math.Log10(got/want)) < 1.1) {
		t.Errorf("λ = %v, of Fit %v", got, want)
	}
}

// Points with many targets are counted without these, in parts as at once, and few of many points.
func TestDroppedCopiesOfManyTargets(t *testing.T) {
	s := featuremap.NewSampler(9)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 10, s, nil))
	of := func(points ...float64) *ridge.Accumulator {
		a := must(ridge.NewAccumulator(phi, 1))
		if err := a.KeepRows(3); err != nil {
			t.Fatal(err)
		}
		for _, v := range points {
			for k := range 17 {
				if err := a.Add(mat.NewDense(1, 1, []float64{v}), mat.NewDense(1, 1, []float64{float64(k)})); err != nil {
					t.Fatal(err)
				}
			}
		}
		return a
	}
	want := ridge.Counts(of(1, 2, 3, 4, 5, 6, 7, 8))
	if len(want) != 3*5 || want[1] != -1 || want[2] != 17 {
		t.Fatalf("counts %v", want)
	}
	for range 30 {
		points := []float64{1, 2, 3, 4, 5, 6, 7, 8}
		for i := range points {
			j := s.IntN(i + 1)
			points[i], points[j] = points[j], points[i]
		}
		at := 1 + s.IntN(7)
		a := of(points[:at]...)
		if err := a.Merge(of(points[at:]...)); err != nil {
			t.Fatal(err)
		}
		if got := ridge.Counts(a); !slices.Equal(got, want) {
			t.Errorf("merged %v and %v: %v, want %v", points[:at], points[at:], got, want)
		}
	}
	if m := must(of(1, 2, 3, 4).Fit(nil)); math.IsNaN(m.Lambda()[0]) {
		t.Error("λ is NaN")
	}
}

func bytesOf(t *testing.T, a *ridge.Accumulator) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
