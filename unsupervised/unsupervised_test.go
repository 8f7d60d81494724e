// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
)

// normals returns n rows of d normal numbers.
func normals(n, d int, seed uint64) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	featuremap.NewSampler(seed).FillNormal(x.RawMatrix().Data)
	return x
}

func fourier(t testing.TB, in, out int) featuremap.FeatureMap {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1.5}, in, out, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	return phi
}

func transformed(phi featuremap.FeatureMap, x mat.Matrix) *mat.Dense {
	var dst mat.Dense
	phi.TransformTo(&dst, x)
	return &dst
}

// Components and coordinates equal gonum's stat.PC on the features, to a sign.
func TestComponents(t *testing.T) {
	for _, c := range []struct{ n, d, out, k int }{{2, 1, 2, 1}, {30, 2, 12, 12}, {200, 3, 130, 5}, {60, 3, 130, 40}, {1500, 2, 60, 3}, {350, 2, 300, 3}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			phi, x := fourier(t, c.d, c.out), normals(c.n, c.d, 2)
			got, err := FitPCA(phi, x, c.k)
			if err != nil {
				t.Fatal(err)
			}
			features := transformed(phi, x)
			var pc stat.PC
			if !pc.PrincipalComponents(features, nil) {
				t.Fatal("no components")
			}
			want := pc.VarsTo(nil)
			variances, total := got.Variances()
			if sum := floats.Sum(want); !(math.Abs(total-sum) <= 1e-12*sum) {
				t.Errorf("total variance %v, want %v", total, sum)
			}
			scores := transformedBy(got, x)
			for i, v := range variances {
				w := 0.0
				if i < len(want) {
					w = want[i]
				}
				if !(math.Abs(v-w) <= 1e-11*want[0]) {
					t.Errorf("variance %d is %v, want %v", i, v, w)
				}
				column := mat.Col(nil, i, scores)
				if mean, variance := stat.MeanVariance(column, nil); !(math.Abs(mean) < 1e-10) || !(math.Abs(variance-w) <= 1e-10*want[0]) {
					t.Errorf("scores %d have mean %v, variance %v, want 0, %v", i, mean, variance, w)
				}
			}
			for i := range min(c.n, 5) {
				if row := got.TransformVec(nil, x.RawRowView(i)); !slices.Equal(row, scores.RawRowView(i)) {
					t.Errorf("row %d: alone %v, in the batch %v", i, row, scores.RawRowView(i))
				}
			}
		})
	}
}

func transformedBy(c *PCA, x mat.Matrix) *mat.Dense {
	var dst mat.Dense
	c.TransformTo(&dst, x)
	return &dst
}

// Results do not depend on the number of goroutines.
func TestGoroutines(t *testing.T) {
	phi, x := fourier(t, 3, 200), normals(700, 3, 3)
	results := func() string {
		c, err := FitPCA(phi, x, 3)
		if err != nil {
			t.Fatal(err)
		}
		k, err := FitKMeans(phi, x, 4, &KMeansOptions{Seed: 1, Restarts: 2})
		if err != nil {
			t.Fatal(err)
		}
		s, err := TwoSample(phi, x.Slice(0, 300, 0, 3), x.Slice(300, 700, 0, 3), &TwoSampleOptions{Seed: 1, Permutations: 50})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x %x %v", c.Vectors().RawMatrix().Data, k.Centers().RawMatrix().Data, s)
	}
	want := results()
	for _, n := range []int{1, 3} {
		before := runtime.GOMAXPROCS(n)
		got := results()
		runtime.GOMAXPROCS(before)
		if got != want {
			t.Errorf("%d goroutines give other bits", n)
		}
	}
}

// ring returns n rows in each of two rings of radii 1 and 4, with some noise, in turns.
func rings(n int, seed uint64) (x *mat.Dense, ring []int) {
	s := featuremap.NewSampler(seed)
	x = mat.NewDense(2*n, 2, nil)
	for i := range 2 * n {
		r := 1 + 3*float64(i%2) + s.Normal()/10
		sin, cos := math.Sincos(2 * math.Pi * s.Float64())
		x.SetRow(i, []float64{r * cos, r * sin})
		ring = append(ring, i%2)
	}
	return x, ring
}

// agreement returns the share of rows in the same cluster as most rows of their group.
func agreement(assigned, group []int, k int) float64 {
	counts := make(map[[2]int]int)
	for i, c := range assigned {
		counts[[2]int{c, group[i]}]++
	}
	right := 0
	for c := range k {
		right += max(counts[[2]int{c, 0}], counts[[2]int{c, 1}])
	}
	return float64(right) / float64(len(assigned))
}

// identity is the map of rows to themselves.
type identity struct{ d int }

func (m identity) Dims() (in, out int)                     { return m.d, m.d }
func (m identity) Kernel() featuremap.Kernel               { return featuremap.Linear{} }
func (m identity) TransformVec(dst, x []float64) []float64 { return append(dst[:0], x...) }
func (m identity) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	size(dst, n, m.d)
	dst.Copy(x)
}

// Clusters separate three distant groups, in the coordinates themselves, and two rings by features of a short length, which
// clusters of the coordinates do not.
func TestClusters(t *testing.T) {
	x := normals(600, 2, 4)
	group := make([]int, 600)
	for i := range 600 {
		group[i] = i % 3
		x.Set(i, 0, x.At(i, 0)+20*float64(i%3))
	}
	c, err := FitKMeans(identity{2}, x, 3, &KMeansOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	assigned := c.Assign(x)
	inertia := 0.0
	for i := range 600 {
		if assigned[i] != assigned[i%3] {
			t.Fatalf("row %d of group %d is in cluster %d, row %d in %d", i, i%3, assigned[i], i%3, assigned[i%3])
		}
		d := floats.Distance(x.RawRowView(i), c.Centers().RawRowView(assigned[i]), 2)
		inertia += d * d
	}
	if assigned[0] == assigned[1] || assigned[1] == assigned[2] {
		t.Errorf("groups share a cluster: %v", assigned[:3])
	}
	if got := c.Inertia(); !(math.Abs(got-inertia) <= 1e-9*inertia) {
		t.Errorf("inertia %v, want %v", got, inertia)
	}
	x.Set(4, 1, math.NaN())
	if some := c.Assign(x.Slice(3, 6, 0, 2)); some[0] != assigned[3] || some[1] != -1 || some[2] != assigned[5] {
		t.Errorf("with a NaN in the second row %v, without %v", some, assigned[3:6])
	}
	r, ring := rings(300, 5)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1.5}, 2, 200, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := FitKMeans(phi, r, 2, &KMeansOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := FitKMeans(identity{2}, r, 2, &KMeansOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := agreement(kernel.Assign(r), ring, 2), agreement(plain.Assign(r), ring, 2); a < 0.95 || b > 0.7 {
		t.Errorf("agreement %v with features, %v without", a, b)
	}
}

// With as many clusters as rows each row is a cluster; with one, the center is the mean.
func TestClustersAtTheEnds(t *testing.T) {
	x := normals(20, 2, 6)
	c, err := FitKMeans(identity{2}, x, 20, &KMeansOptions{Seed: 1})
	if err != nil || c.Inertia() > 1e-12 {
		t.Errorf("inertia %v of a cluster a row: %v", c.Inertia(), err)
	}
	assigned := c.Assign(x)
	slices.Sort(assigned)
	if !slices.Equal(slices.Compact(assigned), assigned) || assigned[19] != 19 {
		t.Errorf("%v", assigned)
	}
	if c, err = FitKMeans(identity{2}, x, 1, &KMeansOptions{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	for j := range 2 {
		if mean := stat.Mean(mat.Col(nil, j, x), nil); !(math.Abs(c.Centers().At(0, j)-mean) < 1e-14) {
			t.Errorf("center %v, mean %v", c.Centers().At(0, j), mean)
		}
	}
	same := mat.NewDense(9, 2, nil)
	same.Set(3, 0, 1)
	if _, err := FitKMeans(identity{2}, same, 3, &KMeansOptions{Seed: 1}); err == nil || err.Error() != "unsupervised: k = 3: only 2 rows have different features" {
		t.Errorf("%v", err)
	}
	stop := errors.New("stop")
	if _, err := FitKMeans(identity{2}, x, 3, &KMeansOptions{Seed: 1, Progress: func(int, int, float64) error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

// Under the hypothesis P is uniform: of 200 tests the number below .1 is within four standard deviations of 20, √18 each. A shift of half
// a deviation is found each time.
func TestTwoSample(t *testing.T) {
	phi := fourier(t, 2, 50)
	const tests = 200
	below, found := 0, 0
	for i := range tests {
		x, y := normals(40, 2, uint64(100+2*i)), normals(60, 2, uint64(101+2*i))
		r, err := TwoSample(phi, x, y, &TwoSampleOptions{Seed: uint64(i), Permutations: 99})
		if err != nil {
			t.Fatal(err)
		}
		if r.P < 0.1 {
			below++
		}
		if i >= 20 {
			continue
		}
		y.Apply(func(_, _ int, v float64) float64 { return v + 1 }, y)
		if r, err = TwoSample(phi, x, y, &TwoSampleOptions{Seed: uint64(i), Permutations: 99}); err != nil {
			t.Fatal(err)
		}
		if r.P <= 0.01 && r.SquaredMMD > r.Threshold(0.01) {
			found++
		}
	}
	if z := (float64(below) - 0.09*tests) / math.Sqrt(tests*0.09*0.91); !(math.Abs(z) < 4) { // P is a multiple of .01, below .1 with probability .09
		t.Errorf("%d of %d are below .1", below, tests)
	}
	if found != 20 {
		t.Errorf("%d of 20 differences found", found)
	}
}

// The distance is as defined, over all pairs of different rows, and of the embeddings.
func TestDistance2(t *testing.T) {
	phi, x, y := fourier(t, 3, 40), normals(31, 3, 7), normals(250, 3, 8)
	k := func(a, b []float64) float64 { return floats.Dot(phi.TransformVec(nil, a), phi.TransformVec(nil, b)) }
	within := func(x *mat.Dense) (sum float64) {
		n, _ := x.Dims()
		for i := range n {
			for j := range i {
				sum += 2 * k(x.RawRowView(i), x.RawRowView(j))
			}
		}
		return sum / float64(n*(n-1))
	}
	between := 0.0
	for i := range 31 {
		for j := range 250 {
			between += k(x.RawRowView(i), y.RawRowView(j)) / (31 * 250)
		}
	}
	want := within(x) + within(y) - 2*between
	a, b := embedded(t, phi, x), embedded(t, phi, y)
	if got := a.SquaredMMD(b); !(math.Abs(got-want) < 1e-13) {
		t.Errorf("%v, want %v", got, want)
	}
	r, err := TwoSample(phi, x, y, &TwoSampleOptions{Seed: 1, Permutations: 1})
	if err != nil || !(math.Abs(r.SquaredMMD-want) < 1e-13) {
		t.Errorf("%v, want %v: %v", r.SquaredMMD, want, err)
	}
}

func embedded(t testing.TB, phi featuremap.FeatureMap, x ...mat.Matrix) *MeanEmbedding {
	e, err := NewMeanEmbedding(phi)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range x {
		if err := e.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// Rows that were added and taken away again leave no trace, and merged embeddings are the embedding of all rows, in any order.
func TestEmbedding(t *testing.T) {
	phi, x, y := fourier(t, 3, 40), normals(500, 3, 9), normals(77, 3, 10)
	want := embedded(t, phi, x)
	got := embedded(t, phi, y, x.Slice(100, 500, 0, 3))
	if err := got.Merge(embedded(t, phi, x.Slice(0, 100, 0, 3))); err != nil {
		t.Fatal(err)
	}
	if err := got.Subtract(embedded(t, phi, y)); err != nil {
		t.Fatal(err)
	}
	if got.Rows() != 500 || !slices.Equal(got.Mean(), want.Mean()) {
		t.Errorf("%d rows, mean %v, want %v", got.Rows(), got.Mean(), want.Mean())
	}
	if d := got.SquaredMMD(want); !(math.Abs(d+2*want.spread()) < 1e-15) {
		t.Errorf("distance %v, want −2·%v", d, want.spread())
	}
	if err := got.Merge(got); err != nil || got.Rows() != 1000 || !slices.Equal(got.Mean(), want.Mean()) {
		t.Errorf("merged with itself: %d rows, %v", got.Rows(), err)
	}
	if err := got.Subtract(got); err != nil || got.Rows() != 0 || !math.IsNaN(got.Mean()[0]) || !math.IsNaN(got.SquaredMMD(want)) {
		t.Errorf("less itself: %v", got)
	}
	if err := got.Subtract(want); err == nil || got.Rows() != 0 {
		t.Errorf("%v", err)
	}
	other := embedded(t, fourier(t, 3, 42), x)
	if err := got.Merge(other); err == nil || !strings.Contains(err.Error(), "different features") {
		t.Errorf("%v", err)
	}
	if err := got.Merge(&MeanEmbedding{}); err == nil {
		t.Error("merged with a zero value")
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(400, 2, math.NaN())
	if err := want.Add(bad); err == nil || err.Error() != "unsupervised: x: row 400, column 2 = NaN: must be finite" || want.Rows() != 500 {
		t.Errorf("%v", err)
	}
}

// All functions refuse the same inputs, by name, and leave the sampler as it was.
func TestRefusals(t *testing.T) {
	phi, x := fourier(t, 2, 20), normals(9, 2, 11)
	inf := mat.DenseCopyOf(x)
	inf.Set(8, 0, math.Inf(1))
	huge := mat.NewDense(2, 2, []float64{1, 0x1p600, 2, 3})
	for name, c := range map[string]struct {
		phi  featuremap.FeatureMap
		x    mat.Matrix
		want string
	}{
		"no map":       {nil, x, "phi = nil"},
		"zero map":     {&featuremap.Fourier{}, x, "phi: R^0 → R^0 is no map"},
		"nil":          {phi, nil, "x = nil"},
		"nil matrix":   {phi, (*mat.Dense)(nil), "x = nil"},
		"empty":        {phi, &mat.Dense{}, "x is 0×0: must have a row and a column"},
		"columns":      {phi, normals(3, 3, 1), "x has 3 columns, phi takes 2: must be as many"},
		"infinite":     {phi, inf, "x: row 8, column 0 = +Inf: must be finite"},
		"huge feature": {identity{2}, huge, "row 0: feature 1 = 4.149515568880993e+180: must be finite and less than 2^484 in magnitude"},
	} {
		_, components := FitPCA(c.phi, c.x, 1)
		_, clusters := FitKMeans(c.phi, c.x, 1, nil)
		_, sample := TwoSample(c.phi, c.x, normals(4, 2, 1), nil)
		for _, err := range []error{components, clusters, sample} {
			if err == nil || err.Error() != "unsupervised: "+c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	one := normals(1, 2, 1)
	for name, err := range map[string]error{
		"one row":   second(FitPCA(phi, one, 1)),
		"k 0":       second(FitPCA(phi, x, 0)),
		"k 21":      second(FitPCA(phi, x, 21)),
		"clusters":  second(FitKMeans(phi, x, 10, nil)),
		"restarts":  second(FitKMeans(phi, x, 1, &KMeansOptions{Restarts: -1})),
		"one":       second(TwoSample(phi, x, one, nil)),
		"negative":  second(TwoSample(phi, x, x, &TwoSampleOptions{Permutations: -1})),
		"embedding": second(NewMeanEmbedding(nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c, err := FitPCA(phi, x, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"columns": func() { c.TransformTo(&mat.Dense{}, normals(3, 3, 1)) },
		"dst":     func() { c.TransformTo(mat.NewDense(3, 3, nil), normals(3, 2, 1)) },
		"vec":     func() { c.TransformVec(nil, make([]float64, 3)) },
	} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrShape {
					t.Errorf("%s: %v", name, r)
				}
			}()
			f()
		}()
	}
	if v := c.TransformVec(nil, []float64{math.NaN(), 1}); !math.IsNaN(v[0]) {
		t.Errorf("%v", v)
	}
}

func second[T any](_ T, err error) error { return err }

// The threshold of a level is exceeded by that share of permutations at most.
func TestThreshold(t *testing.T) {
	r := &TwoSampleResult{permuted: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for level, want := range map[float64]float64{0.1: 9, 0.2: 8, 0.5: 5, 0.05: math.Inf(1)} {
		if got := r.Threshold(level); got != want {
			t.Errorf("level %v: %v, want %v", level, got, want)
		}
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if got := r.Threshold(level); !math.IsNaN(got) {
			t.Errorf("level %v: %v", level, got)
		}
	}
}
