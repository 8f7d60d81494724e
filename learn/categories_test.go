// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Runs of columns of 0 and 1 that no row has two ones of are groups, and columns that the kernel which was given has the same length for.
func TestTie(t *testing.T) {
	x := mat.NewDense(6, 9, []float64{
		1, 0, 0, 5, 1, 0, 0, 1, 0,
		0, 1, 0, 4, 1, 0, 0, 0, 1,
		0, 0, 1, 3, 0, 0, 1, 1, 0,
		1, 0, 0, 2, 0, 0, 1, 0, 1,
		0, 1, 0, 1, 1, 0, 0, 1, 2,
		0, 0, 0, 0, 0, 0, 0, 0, 0,
	})
	y := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	lengths := []float64{2, 2, 3, 4, 5, 1, 7, 7, 7}
	for _, c := range []struct {
		name  string
		k     featuremap.Kernel
		group []int
	}{
		{"runs", nil, []int{0, 0, 0, 1, 2, -1, 2, 3, 4}}, // column 5 is constant; 7 has a 1 where 4 and 6 have; 8 has a 2
		{"one length", featuremap.Gaussian{LengthScale: 3}, []int{0, 0, 0, 1, 2, -1, 2, 3, 4}},
		{"lengths", featuremap.ARD(lengths, featuremap.Gaussian{LengthScale: 1}), []int{0, 0, 1, 2, 3, -1, 4, 4, 4}},
		{"no ties", featuremap.ARD([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, featuremap.Gaussian{LengthScale: 1}), nil},
	} {
		s := testStudy(t, x, y, &Options{Kernel: c.k})
		switch ties := s.tie(); {
		case c.group == nil:
			if ties != nil {
				t.Errorf("%s: %v, want none", c.name, ties)
			}
		case ties == nil || !slices.Equal(ties.group, c.group) || ties.count != slices.Max(c.group)+1:
			t.Errorf("%s: %v, want %v", c.name, ties, c.group)
		}
	}
	s := testStudy(t, x.Slice(0, 6, 3, 6).(*mat.Dense), y, nil)
	if ties := s.tie(); ties != nil {
		t.Errorf("single columns: %v, want none", ties)
	}
}

// mixed returns rows of six categories of six values each and a number, in the order of values if they are to be apart: then no two columns that
// are next to each other are of one category. The target is a function of the values of two categories together, and of the number.
func mixed(seed uint64, n int, apart bool) (x, y *mat.Dense) {
	const count, values = 6, 6
	effects := mat.NewDense(values, values, nil) // the same for all seeds
	featuremap.NewSampler(1).FillNormal(effects.RawMatrix().Data)
	s := featuremap.NewSampler(seed)
	x, y = mat.NewDense(n, count*values+1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		var v [count]int
		for c := range v {
			v[c] = s.IntN(values)
			j := c*values + v[c]
			if apart {
				j = v[c]*count + c
			}
			x.Set(i, j, 1)
		}
		number := s.Normal()
		x.Set(i, count*values, number)
		y.Set(i, 0, effects.At(v[0], v[1])+math.Sin(number)+0.1*s.Normal())
	}
	return x, y
}

// Columns of categories have one length each, which few rows tell: the target has less error than where the columns of categories are apart, so that each
// has a length of its own.
func TestCategories(t *testing.T) {
	fewFeatures(t)
	noBank(t)
	const n = 200
	var errors [2]float64
	for k, apart := range []bool{false, true} {
		x, y := mixed(2, n, apart)
		newX, newY := mixed(3, 1000, apart)
		r := must(Regression(x, y, nil))
		errors[k] = rmse(r.Model, newX, newY)
		if is := slices.ContainsFunc(r.Choices, func(c Choice) bool { return c.Step == "learn" && c.Name == tiedStage }); is == apart {
			t.Errorf("apart %t: lengths of categories %t", apart, is)
		}
	}
	t.Logf("RMSE %.4f, with a length for each column %.4f", errors[0], errors[1])
	if !(errors[0] < 0.8*errors[1]) {
		t.Errorf("RMSE %.4f, with a length for each column %.4f: want 0.8 times that at most", errors[0], errors[1])
	}
}

// All columns of a category have the same length in the metric by derivatives, a single column as without categories, and the rows that it takes are those
// for each category.
func TestGradientsOfCategories(t *testing.T) {
	x, y := mixed(2, 170, false)
	s := testStudy(t, x, y, nil)
	ties, v := s.tie(), s.view(nil)
	even := s.weighted("", v, ties.factors(v, constants(1, ties.count)), false)
	if g := s.gradients(v, &even, nil); g != nil {
		t.Error("170 rows tell derivatives of 37 columns")
	}
	g := s.gradients(v, &even, ties)
	if len(g) != 7 {
		t.Fatalf("%d weights, want 7", len(g))
	}
	if min(g[0], g[1]) < 1.2*slices.Max(g[2:6]) {
		t.Errorf("weights %.3f: of categories that matter and others", g)
	}
	diagonal := s.weighted("", v, ties.factors(v, g), false).warp.diagonal
	for c := range 6 {
		for j := range 6 {
			if a, b := diagonal[6*c+j], diagonal[6*c]; math.Abs(a-b) > 1e-12*b {
				t.Errorf("category %d: column %d counts %v, the first %v", c, j, a, b)
			}
		}
	}
	if a, b := diagonal[36]/diagonal[0]*g[0]/g[6], ties.together(v.spread)[0]/v.spread[36]; math.Abs(a-b) > 1e-12*b {
		t.Errorf("the number counts %v times as much as the first category, want %v", a, b)
	}
}

// Columns of a category share a parameter of the search: a change of it changes the elements of these columns, and no others.
func TestParametersOfCategories(t *testing.T) {
	x, y := mixed(2, 60, false)
	ties := testStudy(t, x, y, nil).tie()
	o := must((&KernelOptions{Features: 8, ties: ties}).withDefaults())
	l := must(newLearner(featuremap.Gaussian{LengthScale: 2}, x, y, featuremap.NewSampler(2), o))
	from := l.start()
	p := newSpace(l.model, categories, &from)
	theta := p.start() // λ, and a factor for each of six categories and the number
	if len(theta) != 8 || p.freedom() != 7 {
		t.Fatalf("%d parameters, %d of lengths; want 8 and 7", len(theta), p.freedom())
	}
	theta[1+2] = math.Ln2
	set, _ := p.setting(theta)
	for j, v := range set.warps[0].diagonal {
		want := from.warps[0].diagonal[j]
		if ties.group[j] == 2 {
			want *= 2
		}
		if math.Abs(v-want) > 1e-12*want {
			t.Errorf("column %d: %v, want %v", j, v, want)
		}
	}
}
