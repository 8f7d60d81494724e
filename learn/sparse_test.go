// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// letters returns rows of 20 words each, of which a quarter are of the row's class: 50 of a class, and common ones.
func letters(t *testing.T, n, width, classes int, s *featuremap.Sampler) (x *sparse.Rows, class []int) {
	x = sparse.NewRows(width)
	for i := range n {
		seen := make(map[int]float64)
		for k := range 20 {
			if k%4 == 0 {
				seen[i%classes*50+s.IntN(50)]++
			} else {
				seen[classes*50+s.IntN(width-classes*50)]++
			}
		}
		var index []int
		var values []float64
		for j := range width {
			if v := seen[j]; v > 0 {
				index, values = append(index, j), append(values, v)
			}
		}
		if err := x.Append(index, values); err != nil {
			t.Fatal(err)
		}
		class = append(class, i%classes)
	}
	return x, class
}

// Sparse rows are not copied, have one length and no logarithms, and are told apart as well as by landmarks without any choice: to 6 points,
// two deviations of the difference of some 12 errors more on 200 rows, of as many.
func TestSparseRows(t *testing.T) {
	const n, width, classes = 150, 2000, 3
	s := featuremap.NewSampler(4)
	x, class := letters(t, n, width, classes, s)
	held, truth := letters(t, 200, width, classes, s)
	study, err := newStudy(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	study.classes = class
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, lists := study.part(study.all).x.(mat.RowNonZeroDoer)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; !lists || bytes > n*width*8/100 {
		t.Errorf("lists %v, %d bytes", lists, bytes)
	}
	r, err := Classification(x, class, &Options{Features: 60})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.String(); r.Logarithms != nil || strings.Contains(text, "lengths") || !strings.Contains(text, "sparse rows") {
		t.Errorf("%v", text)
	}
	phi, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 6}, x, 60, s, &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(phi, x, class, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := score.Accuracy(r.Logistic.Classify(held), truth), score.Accuracy(m.Classify(held), truth)
	if got < want-0.06 || got < 0.5 {
		t.Errorf("%v right, by landmarks %v", got, want)
	}
	y := mat.NewDense(n, 1, nil)
	for i, c := range class {
		y.Set(i, 0, float64(c)+0.1*s.Normal())
	}
	if r, err := Regression(x, y, &Options{Features: 20, TestRows: numbers(20), Kernel: featuremap.Linear{}}); err != nil || r.Ridge == nil {
		t.Error(err)
	}
}
