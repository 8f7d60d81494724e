// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// linear returns the map of New for Linear: the coordinates themselves.
func linear(t testing.TB, in int) featuremap.FeatureMap {
	phi, err := testkit.New(featuremap.Linear{}, in, in, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	return phi
}

// farRows returns rows around three places, scaled and moved, in turns: differences are exact to 1e-9 of the scale or better.
func farRows(n, d int, scale, offset float64) (x *mat.Dense, group []int) {
	x = normals(n, d, 12)
	for i := range n {
		group = append(group, i%3)
		for j := range d {
			x.Set(i, j, scale*(float64((i%3+j)%3)+0.1*math.Max(-1, math.Min(x.At(i, j)/3, 1)))+offset)
		}
	}
	return x, group
}

var places = []struct {
	name          string
	scale, offset float64
}{
	{"near", 1, 0},
	{"Julian days", 1, 2460000},
	{"UTM meters", 30, 5400000},
	{"Unix seconds", 3600, 1.75e9},
	{"a trillion", 1, 1e12},
}

// Clusters far from the origin are those near it.
func TestClustersFarFromTheOrigin(t *testing.T) {
	for _, p := range places {
		for d := 1; d <= 2; d++ {
			x, group := farRows(300, d, p.scale, p.offset)
			c, err := FitKMeans(linear(t, d), x, 3, &KMeansOptions{Seed: 1})
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
				continue
			}
			assigned, inertia := c.Assign(x), 0.0
			for i := range 300 {
				if assigned[i] != assigned[group[i]] || group[i] != 0 && assigned[i] == assigned[0] {
					t.Fatalf("%s: row %d of group %d is in cluster %d", p.name, i, group[i], assigned[i])
				}
				for j := range d {
					off := x.At(i, j) - c.Centers().At(assigned[i], j)
					inertia += off * off
				}
			}
			if got := c.Inertia(); !(math.Abs(got-inertia) <= 1e-3*inertia) { // centers are rounded to 1e-4 of the radius at a trillion
				t.Errorf("%s: inertia %v, by the centers %v", p.name, got, inertia)
			}
		}
	}
}

// Two rows far from each other, one of them of two that are near: the distance of the near ones is 1e-10 of the other.
func TestClustersOfTwoScales(t *testing.T) {
	x := mat.NewDense(9, 1, []float64{1e9, 0, 0.125, 0, 0.125, 1e9, 0, 0.125, 1e9 + 0.125})
	for k, want := range map[int][]int{3: {0, 1, 2, 1, 2, 0, 1, 2, 0}, 4: {0, 1, 2, 1, 2, 0, 1, 2, 3}} {
		c, err := FitKMeans(linear(t, 1), x, k, &KMeansOptions{Seed: 1, Restarts: 100})
		if err != nil {
			t.Fatal(err)
		}
		if k == 3 { // the far pair is as good a cluster as the near one
			if c.Inertia() > 0.05 {
				t.Errorf("inertia %v", c.Inertia())
			}
			continue
		}
		assigned := c.Assign(x)
		for i := range want {
			for j := range want {
				if (assigned[i] == assigned[j]) != (want[i] == want[j]) {
					t.Errorf("k = %d: rows %d and %d are in clusters %d, %d", k, i, j, assigned[i], assigned[j])
				}
			}
		}
	}
}

// Rows that starts do not see among 20,000 are found where the others are all alike; as many as there are, and no more.
func TestClustersOfFewDifferentRows(t *testing.T) {
	for _, value := range []float64{0, 0.3, 2460000.3} {
		x := mat.NewDense(20000, 1, nil)
		for i := range 20000 {
			x.Set(i, 0, value)
		}
		x.Set(7001, 0, value+1)
		x.Set(15003, 0, value+2)
		for _, phi := range []featuremap.FeatureMap{linear(t, 1), fourier(t, 1, 8)} {
			c, err := FitKMeans(phi, x, 3, &KMeansOptions{Seed: 1, Restarts: 2})
			if err != nil {
				t.Errorf("at %v: %v", value, err)
				continue
			}
			assigned := c.Assign(x)
			if odd := []int{assigned[0], assigned[7001], assigned[15003]}; c.Inertia() != 0 || slices.Index(assigned, odd[1]) != 7001 || slices.Index(assigned, odd[2]) != 15003 || odd[0] == odd[1] {
				t.Errorf("at %v: inertia %v, clusters %v", value, c.Inertia(), odd)
			}
			if _, err := FitKMeans(phi, x, 4, &KMeansOptions{Seed: 1, Restarts: 1}); err == nil || err.Error() != "unsupervised: k = 4: only 3 rows have different features" {
				t.Errorf("at %v: %v", value, err)
			}
		}
	}
}

// Components, embeddings and tests far from the origin are those near it: to 1e-5 at a trillion, where rows are rounded to 1e-4 of
// their deviation within groups.
func TestFarFromTheOrigin(t *testing.T) {
	near, _ := farRows(300, 2, 1, 0)
	phi := linear(t, 2)
	want, err := FitPCA(phi, near, 2)
	if err != nil {
		t.Fatal(err)
	}
	test, err := TwoSample(phi, near.Slice(0, 151, 0, 2), near.Slice(151, 300, 0, 2), &TwoSampleOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		far, _ := farRows(300, 2, p.scale, p.offset)
		got, err := FitPCA(phi, far, 2)
		if err != nil {
			t.Fatal(err)
		}
		squared := p.scale * p.scale
		wants, total := want.Variances()
		gots, all := got.Variances()
		for i := range wants {
			if !(math.Abs(gots[i]/squared-wants[i]) <= 1e-5*total) {
				t.Errorf("%s: variances %v, want %v times %v", p.name, gots, squared, wants)
			}
		}
		if !(math.Abs(all/squared-total) <= 1e-5*total) {
			t.Errorf("%s: total %v, want %v times %v", p.name, all, squared, total)
		}
		for i := range 300 {
			a, b := want.TransformVec(nil, near.RawRowView(i)), got.TransformVec(nil, far.RawRowView(i))
			for j := range a {
				if !(math.Abs(b[j]/p.scale-a[j]) <= 1e-3) {
					t.Fatalf("%s: row %d has coordinates %v, want %v times %v", p.name, i, b, p.scale, a)
				}
			}
		}
		x, y := far.Slice(0, 151, 0, 2), far.Slice(151, 300, 0, 2)
		r, err := TwoSample(phi, x, y, &TwoSampleOptions{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if d := r.SquaredMMD / squared; !(math.Abs(d-test.SquaredMMD) <= 1e-5*total) || !(math.Abs(r.P-test.P) <= 2e-3) {
			t.Errorf("%s: distance %v, P = %v, want %v, %v", p.name, d, r.P, test.SquaredMMD, test.P)
		}
		if d := embedded(t, phi, x).SquaredMMD(embedded(t, phi, y)); !(math.Abs(d-r.SquaredMMD) <= 1e-9*squared) {
			t.Errorf("%s: embeddings have distance %v, the test %v", p.name, d, r.SquaredMMD)
		}
	}
}

// Embeddings by other maps are not merged, subtracted or compared, whatever features at single points say; by the same map, drawn
// again or read from its file, they are.
func TestEmbeddingsOfOtherMaps(t *testing.T) {
	k := featuremap.Gaussian{LengthScale: 1}
	newMap := func(k featuremap.Kernel, seed uint64) featuremap.FeatureMap {
		phi, err := featuremap.NewFourier(k, 2, 20, featuremap.NewSampler(seed), nil)
		if err != nil {
			t.Fatal(err)
		}
		return phi
	}
	landmarks := func(at float64) featuremap.FeatureMap {
		points := normals(20, 2, 3)
		points.Apply(func(_, _ int, v float64) float64 { return v + at }, points)
		phi, err := featuremap.NewNystrom(k, points, 10, featuremap.NewSampler(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		return phi
	}
	decoded := func(phi featuremap.FeatureMap) featuremap.FeatureMap {
		var b bytes.Buffer
		if err := featuremap.Encode(&b, phi); err != nil {
			t.Fatal(err)
		}
		m, err := featuremap.Decode(&b, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := newMap(featuremap.Select([]int{0}, k), 1)
	x := normals(30, 2, 4)
	for name, c := range map[string]struct {
		a, b featuremap.FeatureMap
		same bool
	}{
		"other columns":      {first, newMap(featuremap.Select([]int{1}, k), 1), false},
		"other seeds":        {newMap(k, 1), newMap(k, 2), false},
		"other length":       {newMap(k, 1), newMap(featuremap.Gaussian{LengthScale: 1.01}, 1), false},
		"far landmarks":      {landmarks(1e6), landmarks(1e6 + 1), false},
		"drawn again":        {newMap(k, 1), newMap(k, 1), true},
		"landmarks again":    {landmarks(1e6), landmarks(1e6), true},
		"decoded":            {newMap(k, 1), decoded(newMap(k, 1)), true},
		"decoded landmarks":  {landmarks(1e6), decoded(landmarks(1e6)), true},
		"maps of a caller's": {identity{2}, identity{2}, true},
	} {
		a, b := embedded(t, c.a, x), embedded(t, c.b, x)
		merged, subtracted := a.Merge(b), a.Subtract(b)
		if same := merged == nil && subtracted == nil; same != c.same || !same && (merged == nil || subtracted == nil || !strings.Contains(merged.Error(), "different features")) {
			t.Errorf("%s: %v, %v", name, merged, subtracted)
		}
		if a.Rows() != 30 {
			t.Errorf("%s: %d rows", name, a.Rows())
		}
		func() {
			defer func() {
				if r := recover(); (r == nil) != c.same || r != nil && r != mat.ErrShape {
					t.Errorf("%s: SquaredMMD: %v", name, r)
				}
			}()
			if d := a.SquaredMMD(b); !(math.Abs(d) < 1) {
				t.Errorf("%s: %v", name, d)
			}
		}()
	}
	e := embedded(t, first, x)
	for name, b := range map[string]*MeanEmbedding{"nil": nil, "zero": {}, "dimensions": embedded(t, fourier(t, 3, 20), normals(3, 3, 1))} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrShape {
					t.Errorf("%s: SquaredMMD: %v", name, r)
				}
			}()
			e.SquaredMMD(b)
		}()
	}
}

// A wide map has so many features.
type wide struct{ out int }

func (m wide) Dims() (in, out int)                     { return 1, m.out }
func (m wide) Kernel() featuremap.Kernel               { return featuremap.Linear{} }
func (m wide) TransformVec(dst, x []float64) []float64 { panic("a map whose sums do not fit") }
func (m wide) TransformTo(*mat.Dense, mat.Matrix)      { panic("a map whose sums do not fit") }

// What takes more memory than there is is refused with the size, before anything is computed.
func TestMemoryRefused(t *testing.T) {
	const huge = int(min(int64(1)<<40, math.MaxInt)) // also where an int has 32 bits
	x := normals(30, 1, 1)
	_, components := FitPCA(wide{3 << 20}, x, 2)
	_, clusters := FitKMeans(wide{huge}, x, 2, nil)
	_, sample := TwoSample(wide{huge}, x, x, nil)
	_, permutations := TwoSample(wide{4}, x, x, &TwoSampleOptions{Permutations: huge})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"components":   {components, "unsupervised: the sums and the covariance of 3145728 features take "},
		"clusters":     {clusters, "unsupervised: 2 centers of 1099511627776 features, and the rows of starts, take "},
		"sample":       {sample, "unsupervised: 1002 divisions of 60 rows with 1099511627776 features take "},
		"permutations": {permutations, "unsupervised: 1099511627778 divisions of 60 rows with 4 features take "},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}
