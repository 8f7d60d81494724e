// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"io"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// manyClasses returns a study of n rows of so many classes, in turn.
func manyClasses(n, count int) *study {
	s := &study{x: mat.NewDense(n, 2, nil), rows: n, columns: 2, count: count, classes: make([]int, n), sampler: featuremap.NewSampler(1)}
	for i := range n {
		s.all, s.classes[i] = append(s.all, i), i%count
		s.x.(*mat.Dense).Set(i, 0, float64(i))
	}
	return s
}

// Rows of 2000 classes are copied without a matrix of labels, which would be 16 kB a row; and a kernel is learned from labels of as many
// classes as keep to the bound, with all rows of each, and of all classes where they do.
func TestClassesMemory(t *testing.T) {
	const n, count = 2000, 2000
	s := manyClasses(n, count)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := s.part(s.all)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; p.rows() != n || bytes > n*count*8/100 {
		t.Errorf("%d rows of %d classes take %d bytes", n, count, bytes)
	}
	defer func(most int) { mostLabels = most }(mostLabels)
	for _, most := range []int{1, 1000, 40_000, 600_000, 1 << 30} {
		mostLabels = most
		for _, count := range []int{2, 30, 500} {
			s := manyClasses(1500, count)
			x, y := s.learned(s.all)
			rows, classes := y.Dims()
			if got, _ := x.Dims(); got != rows || classes < min(count, 2) || classes > count {
				t.Fatalf("%d classes, at most %d labels: %d points and %d×%d labels", count, most, got, rows, classes)
			}
			// Whole classes are of 1500/count rows each, so that the bound is kept, but that there are two; and one class more would break it.
			if classes > 2 && rows*classes > most || classes < count && (classes+1)*(classes+1)*1500/count < most {
				t.Errorf("%d classes, at most %d labels: %d×%d", count, most, rows, classes)
			}
			if rows*count != 1500*classes {
				t.Errorf("%d classes, at most %d labels: %d rows are not all of %d classes", count, most, rows, classes)
			}
			// Labels are those of the rows: those of one class have one label.
			label := make(map[int]int)
			for i := range rows {
				class := int(x.At(i, 0)) % count
				for j := range classes {
					if y.At(i, j) == 1 {
						if l, ok := label[class]; ok && l != j {
							t.Fatalf("class %d has the labels %d and %d", class, l, j)
						}
						label[class] = j
					}
				}
			}
			if len(label) != classes {
				t.Errorf("%d classes have %d labels", classes, len(label))
			}
		}
	}
}

// The ridge regression that a logistic regression of many classes begins with keeps no rows: to choose λ by leaving 4096 out took 2.6 GB for
// 4000 classes. The file of the sums has what is kept.
func TestLabelSums(t *testing.T) {
	const n = 1000
	phi, err := plannedMap(featuremap.Gaussian{LengthScale: 100}, 2, 8, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{mostJudged, mostJudged + 1} {
		s := manyClasses(n, count)
		a, err := s.labelSums(phi)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.add(a, &labels{s.classes, count}, s.all, s.weight); err != nil {
			t.Fatal(err)
		}
		size, err := a.WriteTo(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if kept := size > 4*n*int64(count); kept != (count == mostJudged) { // 8 bytes a label
			t.Errorf("%d classes: sums of %d bytes", count, size)
		}
	}
}

// The fits of a classification take turns in the memory of features and of the search: what they allocate together, from the first sums on,
// is little more than what they hold. Without turns it was 71 and 90 MB.
func TestFitsTakeTurns(t *testing.T) {
	if !testkit.Long() || testkit.RaceEnabled {
		t.Skip("for -long, takes 13 s; under the race detector, pools drop what they are given at random")
	}
	fewFeatures(t)
	const n, width = 1500, 300
	s := featuremap.NewSampler(3)
	x, class := letters(t, n, 2000, 3, s)
	few := make([]int, 1400)
	dense := mat.NewDense(len(few), 4, nil)
	s.FillNormal(dense.RawMatrix().Data)
	for i := range few {
		few[i] = i % 700
	}
	for _, c := range []struct {
		name     string
		x        mat.Matrix
		class    []int
		kernel   featuremap.Kernel
		features int
		most     uint64
	}{
		{"texts", x, class, featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, width, 50e6},
		{"many classes", dense, few, featuremap.Gaussian{LengthScale: 1}, 64, 75e6},
	} {
		var before, after runtime.MemStats
		begun := false
		o := &Options{Kernel: Fixed{c.kernel}, Features: c.features, Progress: func(step string) error {
			if !begun && step == "fit" {
				begun = true
				runtime.ReadMemStats(&before)
			}
			return nil
		}}
		if _, err := Classification(c.x, c.class, o); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > c.most {
			t.Errorf("%s: fits allocate %d bytes, at most %d", c.name, bytes, c.most)
		}
	}
}
