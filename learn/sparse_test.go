// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
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
// two deviations of the difference of about 12 errors more on 200 rows, of as many.
func TestSparseRows(t *testing.T) {
	fewFeatures(t)
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
	if text := r.String(); scalesOf(r.Kernel) != nil || strings.Contains(text, "lengths") || !strings.Contains(text, "sparse rows") {
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
	got, want := score.Accuracy(r.Model.Classify(held), truth), score.Accuracy(m.Classify(held), truth)
	if got < want-0.06 || got < 0.5 {
		t.Errorf("%v right, by landmarks %v", got, want)
	}
	y := mat.NewDense(n, 1, nil)
	for i, c := range class {
		y.Set(i, 0, float64(c)+0.1*s.Normal())
	}
	if r, err := Regression(x, y, &Options{Features: 20, TestRows: numbers(20), Kernel: featuremap.Linear{}}); err != nil || r.Model == nil {
		t.Error(err)
	}
}

// Classes that only pairs of words tell are learned by polynomials of sparse rows, and by more features than at first. A Gaussian with as
// many landmarks, and the best of its lengths for pilots, has 49 % right, as is seen with -long, polynomials 67.
func TestShapeOfSparseRows(t *testing.T) {
	testkit.OnlyLong(t)
	fewFeatures(t)
	pilotFeatures = 256
	s := featuremap.NewSampler(6)
	x, class := testkit.Texts(t, 900, s)
	held, truth := testkit.Texts(t, 1000, s)
	r, err := Classification(x, class, &Options{TestRows: numbers(100)})
	if err != nil {
		t.Fatal(err)
	}
	_, features := r.Model.Map().Dims()
	if k, ok := r.Kernel.(featuremap.Polynomial); !ok || k.Degree < 2 || features <= widthOf(900) {
		t.Errorf("%v, %d features, want a polynomial and more than %d", r.Kernel, features, widthOf(900))
	}
	got, by := score.Accuracy(r.Model.Classify(held), truth), 0.491
	gaussian := featuremap.Gaussian{LengthScale: 0.35 * medianLength(x, 1, s)}
	phi, err := featuremap.NewNystrom(gaussian, x, features, s, &featuremap.NystromOptions{Landmarks: featuremap.RandomRows})
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(phi, x, class, &logistic.Options{Lambda: 1e-5}) // the best of 1e-2, …, 1e-5
	if err != nil {
		t.Fatal(err)
	}
	if is := score.Accuracy(m.Classify(held), truth); math.Abs(is-by) > 0.005 {
		t.Errorf("by a Gaussian %v are right, not %v", is, by)
	}
	if got < by+0.1 {
		t.Errorf("%v right, by a Gaussian %v", got, by)
	}
}

// Kernel does not hold sparse rows as dense ones, which would take 80 MB as they are and as much in units, and learns one length for all columns.
func TestKernelOfSparseRows(t *testing.T) {
	const n, width, classes = 1000, 10_000, 4
	defer func(most int) { refitFeatures = most }(refitFeatures)
	refitFeatures = 16
	s := featuremap.NewSampler(4)
	x, class := letters(t, n, width, classes, s)
	y := must(ridge.Labels(class, classes))
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	held() // what pools of earlier tests held
	before, most := held(), int64(0)
	got, err := Kernel(featuremap.Gaussian{LengthScale: 3}, x, y, &KernelOptions{
		Seed:     1,
		Features: 8,
		Progress: func(string, int, float64) error {
			most = max(most, held()-before)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if most == 0 || most > n*width*8/4 {
		t.Errorf("%d bytes are held", most)
	}
	for _, stage := range got.Stages {
		if (stage.Name == "given" || stage.Name == "one length") != (stage.Skipped == "") {
			t.Errorf("%s: left out: %q", stage.Name, stage.Skipped)
		}
	}
}

// lists is a matrix whose rows are lists with an entry of 0, and others in two parts: all entries, in any order.
type lists struct{ *mat.Dense }

func (l lists) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for j, v := range l.RawRowView(i) {
		fn(i, j, 0.25*v)
	}
	for j, v := range l.RawRowView(i) {
		fn(i, j, 0.75*v)
	}
}

func (l lists) RawMatrix() {} // no mat.RawMatrixer

// What is learned of lists is what is learned of the same rows without them, to rounding: of each kind of term, and of linear maps in front.
func TestKernelOfLists(t *testing.T) {
	fewFeatures(t)
	const n, d = 120, 6
	s := featuremap.NewSampler(2)
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range d {
			if s.IntN(3) == 0 {
				x.Set(i, j, s.Normal())
			}
		}
		x.Set(i, d-1, 2) // a constant column
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+x.At(i, 1)+0.1*s.Normal())
	}
	gaussian := featuremap.Gaussian{LengthScale: 1}
	for _, k := range []featuremap.Kernel{
		gaussian,
		featuremap.ARD([]float64{1, 2, 3, 1, 2, 3}, gaussian),
		featuremap.Select([]int{1, 0, 4}, gaussian),
		featuremap.Project(mat.NewDense(2, d, []float64{1, 1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0}), gaussian),
		featuremap.Sum(gaussian, featuremap.Linear{}, featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, featuremap.Constant{Value: 1}),
		featuremap.Product(Fixed{featuremap.Select([]int{0}, featuremap.Periodic{Period: 2, LengthScale: 1})}, gaussian),
	} {
		o := &KernelOptions{Features: 32, LengthScales: Isotropic}
		want, err := learnKernel(k, x, y, featuremap.NewSampler(1), o)
		if err != nil {
			t.Fatal(err)
		}
		o.LengthScales = AllLengthScales
		got, err := learnKernel(k, lists{x}, y, featuremap.NewSampler(1), o)
		if err != nil {
			t.Fatal(err)
		}
		for i, stage := range want.Stages {
			other := got.Stages[i]
			if d := math.Abs(other.LogEvidence - stage.LogEvidence); stage.Name != other.Name || !(d <= 1e-3*math.Abs(stage.LogEvidence)) {
				t.Errorf("%v: %s: evidence %v of lists, %v of others", k, stage.Name, other.LogEvidence, stage.LogEvidence)
			}
		}
	}
}

// Distances of rows that are lists are those of the same rows in memory: by columns that are taken twice as well.
func TestDistancesOfLists(t *testing.T) {
	const n, d = 20, 5
	s := featuremap.NewSampler(2)
	x := mat.NewDense(n, d, nil)
	s.FillNormal(x.RawMatrix().Data)
	x.SetRow(3, x.RawRowView(7))
	sparse := new(table)
	sparse.setPoints(lists{x}, numbers(n))
	for _, w := range []warp{{in: d, diagonal: []float64{1, 2, 3, 4, 5}}, {in: d, columns: []int{3, 1, 3}, diagonal: []float64{1, 2, 3}}} {
		list := (&table{lists: sparse.lists}).distances(&w)
		whole := (&table{x: x.RawMatrix()}).distances(&w)
		for r := range n {
			for q := range n {
				if got, want := list(r, q), whole(r, q); !(math.Abs(got-want) <= 1e-12*want) {
					t.Fatalf("rows %d and %d: %v, want %v", r, q, got, want)
				}
			}
		}
	}
}
