// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Pilots have all rows of so many classes that rows times classes keep to a bound, and only of classes of two rows or more; and features of
// many classes keep to the memory that is documented.
func TestPilotClasses(t *testing.T) {
	for _, c := range []struct{ rows, count, want int }{
		{4000, 20, 20},       // 80,000 labels, in each of four folds
		{10_000, 100, 100},   // a million
		{60_000, 100, 100},   // of which pilots have 10,000
		{16_000, 4000, 250},  // 1,000 rows
		{200_000, 2000, 50},  // 5,000 rows
		{4000, 3999, 1},      // the other classes have one row: too few are left to tell apart
		{1_000_000, 101, 25}, // 250,000 rows, of which pilots have 10,000
	} {
		s := manyClasses(c.rows, c.count)
		s.rest, s.report = s.all, new(report)
		few := s.withClasses(s.pilotClasses())
		if c.want == 1 {
			if few != s {
				t.Errorf("%d rows of %d classes: %d", c.rows, c.count, few.count)
			}
			continue
		}
		if folds := few.folds(); c.count < 100 != (len(folds) > 1) {
			t.Errorf("%d rows of %d classes: %d folds", c.rows, c.count, len(folds))
		}
		if few.count != c.want || (few == s) != (c.want == c.count) {
			t.Errorf("%d rows of %d classes: pilots have %d, want %d", c.rows, c.count, few.count, c.want)
		}
		seen := make([]int, few.count)
		for _, i := range few.rest {
			seen[few.classes[i]]++
		}
		for k, n := range seen {
			if n < c.rows/c.count || n > c.rows/c.count+1 {
				t.Errorf("%d rows of %d classes: class %d has %d rows", c.rows, c.count, k, n)
			}
		}
	}
	for count, want := range map[int]int{2: 1224, 700: 1224, 800: 1171, 4000: 234, 100_000: 64} {
		s := &study{columns: 5, count: count}
		s.widest = s.mostWidth()
		if got := s.width(16_000); got != want {
			t.Errorf("%d classes: %d features, want %d", count, got, want)
		}
	}
}

// Descents of many rows, features and classes take fewer passes, but some.
func TestPassesOf(t *testing.T) {
	for _, c := range []struct {
		work                  float64
		most, rows, out, want int
	}{
		{pilotWork, pilotPasses, 2000, 500, 40}, // of 500 classes: 5e8
		{pilotWork, pilotPasses, 400, 500, pilotPasses},
		{fitWork, fitPasses, 12_000, 50, fitPasses},
		{fitWork, fitPasses, 100_000, 500, leastPasses},
	} {
		phi, err := plannedMap(featuremap.Gaussian{LengthScale: 1}, 2, c.out, featuremap.NewSampler(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := passesOf(c.work, c.most, c.rows, phi, 500); got != c.want {
			t.Errorf("%d rows, %d features: %d passes, want %d", c.rows, c.out, got, c.want)
		}
	}
}

// The last fits have the λ of pilots, or a power of ten times as much, where these had some of the classes.
func TestLambdaOfSomeClasses(t *testing.T) {
	const n, count, d = 120, 30, 3
	defer func(most float64) { pilotLabels = most }(pilotLabels)
	pilotLabels = 2000
	s := featuremap.NewSampler(2)
	centers, x, classes := mat.NewDense(count, d, nil), mat.NewDense(n, d, nil), make([]int, n)
	s.FillNormal(centers.RawMatrix().Data)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		classes[i] = i % count
		for j, v := range centers.RawRowView(classes[i]) {
			x.Set(i, j, v+0.1*x.At(i, j))
		}
	}
	r, err := Classification(x, classes, &Options{Features: 20, TestRows: numbers(count), Kernel: Fixed{featuremap.Gaussian{LengthScale: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Choices, func(c Choice) bool { return c.Step == "λ" })
	var pilot float64
	if _, err := fmt.Sscanf(r.Choices[at].Name, "%g,", &pilot); err != nil {
		t.Fatal(r.Choices[at].Name, err)
	}
	power := math.Log10(r.Model.Lambda() / pilot)
	t.Log(pilot, power, r.Score.Accuracy)
	if math.Abs(power-math.Round(power)) > 0.005 { // pilot is of three digits
		t.Errorf("λ %v, of pilots %v", r.Model.Lambda(), pilot)
	}
	if !strings.Contains(r.String(), "chosen by the rows of 12 classes") || r.Score.Accuracy < 0.6 { // √(500·30/90)
		t.Errorf("%v", r)
	}
}

// Of many classes the sums that a fit starts from are made once, of all rows in one, and are gone before the descents.
func TestSumsOfManyClasses(t *testing.T) {
	defer func(most int) { mostJudged = most }(mostJudged)
	const n, count = 90, 9
	s := featuremap.NewSampler(3)
	x, classes := mat.NewDense(n, 2, nil), make([]int, n)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		classes[i] = i % count
		x.Set(i, 0, x.At(i, 0)+4*float64(classes[i]))
	}
	var scores []float64
	for most, want := range map[int]int{count: 2, count - 1: 1} {
		mostJudged = most
		made := 0
		r, err := Classification(x, classes, &Options{Features: 20, TestRows: numbers(2 * count), Kernel: Fixed{featuremap.Gaussian{LengthScale: 4}}, Progress: func(step string) error {
			if strings.HasPrefix(step, "fit: row") {
				made++
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if made != want {
			t.Errorf("%d classes, %d at most: sums are made %d times, want %d", count, most, made, want)
		}
		scores = append(scores, r.Model.Loss())
	}
	if !(math.Abs(scores[0]-scores[1]) < 0.01*scores[0]) { // each is the least for its λ, to a thousandth; two ways to choose the λ of a start
		t.Errorf("losses %v", scores)
	}
}
