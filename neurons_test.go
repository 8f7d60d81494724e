// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

var orthogonalNeurons = &NeuronsOptions{Orthogonal: true}

// Neurons with exact features and in pairs, in whole blocks and in parts of them, with a single one and
// without, for edge sizes and behind linear maps.
func TestNeuronsOrthogonal(t *testing.T) {
	plus := func(n int) func(d int) int { return func(d int) int { return d + n } }
	only := func(n int) func(int) int { return func(int) int { return n } }
	for order := range 3 {
		of := ArcCosine{Order: order}
		for i, c := range []struct {
			k    Kernel
			dims []int
			out  func(d int) int
		}{
			{of, []int{1, 2, 3, 8}, func(d int) int { return d*(d+1)/2 + 2*d }},
			{of, []int{1, 2, 3, 17}, plus(1)},
			{of, []int{1, 9}, plus(2)},
			{of, []int{1, 4}, plus(0)},
			{of, []int{1, 3, 9}, only(1)},
			{of, []int{5}, only(18)},
			{of, []int{5}, only(39)},
			{Scale(3, Project(testkit.Narrow, of)), []int{3}, only(7)},
			{Scale(3, Project(testkit.Narrow, of)), []int{3}, only(2)},
			{Select([]int{2, 1}, of), []int{3}, only(8)},
			{ARD([]float64{1, 2, 0.5}, of), []int{3}, only(9)},
		} {
			if i > 4 && i%3 != order && !testkit.Long() {
				continue // which an order has as another does
			}
			t.Run(fmt.Sprintf("%v/%d", c.k, c.out(3)), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New: func(in, out int, s *Sampler) (FeatureMap, error) {
						return NewNeurons(c.k, in, out, s, orthogonalNeurons)
					},
					Dims: c.dims,
					Out:  c.out,
					Pairs: func(d int) []testkit.Pair {
						return append(testkit.Pairs(d, 1)[1:4], testkit.Pairs(d, 1)[0])
					},
					HeavyTails: order > 0 && c.out(1) == 1 && c.out(9) == 1, // the square of one neuron
					Cancels:    true,
					Reads:      func(m FeatureMap, feature, coordinate int) bool { return neuronReads(m, order, feature, coordinate) },
				})
			})
		}
	}
}

// neuronReads tells whether a feature reads a coordinate: exact ones may not, except for those of forms,
// whose zeros make NaN of what is not finite.
func neuronReads(m FeatureMap, order, feature, coordinate int) bool {
	p := testkit.Must(PlanOf(m))
	in, _ := p.Dims()
	if !strings.Contains(PlanShape(p)[0], "exact features") {
		return true
	}
	_, plain := p.Kernel().(ArcCosine)
	scaled := strings.HasPrefix(fmt.Sprint(p.Kernel()), "ARD")
	switch {
	case order == 0:
		return feature > 0
	case order == 1 && plain:
		return feature >= in || feature == coordinate
	case order == 2 && (plain || scaled) && feature < in*(in+1)/2:
		row := 0
		for ; feature >= in-row; row++ {
			feature -= in - row
		}
		return feature == 0 || row == coordinate || row+feature == coordinate
	}
	return true
}

// pointsAt returns two points of R^d at distance r in a random direction.
func pointsAt(d int, r float64) (x, y []float64) {
	s := NewSampler(3)
	x, y = make([]float64, d), make([]float64, d)
	s.FillNormal(x)
	s.FillNormal(y)
	scale := r / math.Sqrt(testkit.DotOf(y, y))
	for i := range x {
		y[i] = x[i] + scale*y[i]
	}
	return x, y
}

// The kernel is 0 where a point is 0, or its image is; so are all features.
func TestNeuronsOrigin(t *testing.T) {
	a := 0.2
	for order := range 3 {
		k := ArcCosine{Order: order}
		for _, c := range []struct {
			k Kernel
			x []float64
		}{
			{k, []float64{0, 0, 0}},
			{Scale(2, k), []float64{0, math.Copysign(0, -1), 0}},
			{Select([]int{2, 1}, k), []float64{5, 0, 0}},
			{ARD([]float64{1, 2, 3}, k), []float64{0, 0, 0}},
			{Project(mat.NewDense(2, 3, []float64{0.1, 0.2, -(0.1 + a), 0.7, -a, a - 0.7}), k), []float64{1, 1, 1}},
		} {
			for _, out := range []int{1, 4, 30} {
				m := testkit.Must(NewNeurons(c.k, 3, out, NewSampler(3), orthogonalNeurons))
				y := []float64{1, -2, 0.5}
				if v := c.k.Eval(c.x, c.x); v != 0 {
					t.Fatalf("%v at %v: %v", c.k, c.x, v)
				}
				for i, v := range m.TransformVec(nil, c.x) {
					if order == 0 && v != 0 || !(math.Abs(v) <= 1e-15) {
						t.Errorf("%v, out = %d: feature %d at %v is %v", c.k, out, i, c.x, v)
					}
				}
				if v := m.Variance(c.x, y); v != 0 {
					t.Errorf("%v: Variance %v at %v", c.k, v, c.x)
				}
				var batch mat.Dense
				m.TransformTo(&batch, mat.NewDense(2, 3, append(append([]float64{}, c.x...), y...)))
				if a, b := floats.Norm(batch.RawRowView(0), 2), floats.Norm(batch.RawRowView(1), 2); order == 0 && out > 1 && (a != 0 || b == 0) {
					t.Errorf("%v: rows of norms %v and %v", c.k, a, b)
				}
			}
		}
	}
}

// In R¹, and for order 2 the even part in any dimension, nothing is left to chance.
func TestNeuronsExact(t *testing.T) {
	for order := range 3 {
		k := ArcCosine{Order: order}
		m := testkit.Must(NewNeurons(k, 1, 2, NewSampler(1), orthogonalNeurons))
		for _, x := range []float64{-3, -0.1, 0.2, 7} {
			for _, y := range []float64{-2, 5, 1e-3} {
				want := k.Eval([]float64{x}, []float64{y})
				got := testkit.DotOf(m.TransformVec(nil, []float64{x}), m.TransformVec(nil, []float64{y}))
				if v := m.Variance([]float64{x}, []float64{y}); !(math.Abs(got-want) <= 1e-13*math.Pow(math.Abs(x*y), float64(order))) || !(v <= 1e-15*math.Pow(x*y, 2*float64(order))) {
					t.Errorf("order %d of %v and %v: %v, want %v; Variance %v", order, x, y, got, want, v)
				}
			}
		}
	}
	x, y := pointsAt(4, 1)
	m := testkit.Must(NewNeurons(ArcCosine{Order: 2}, 4, 20, NewSampler(1), orthogonalNeurons))
	xx, yy, xy := testkit.DotOf(x, x), testkit.DotOf(y, y), testkit.DotOf(x, y)
	if got, want := testkit.DotOf(m.TransformVec(nil, x)[:10], m.TransformVec(nil, y)[:10]), xx*yy/2+xy*xy; !(math.Abs(got-want) <= 1e-13*want) {
		t.Errorf("even part of order 2: %v, want %v", got, want)
	}
	// A map and its Variance at points of any size: (2⁵⁰⁰x, 2⁻⁵⁰⁰y), to the last bit for features.
	for order := range 3 {
		for _, out := range []int{5, 20} {
			m := testkit.Must(NewNeurons(ArcCosine{Order: order}, 4, out, NewSampler(1), orthogonalNeurons))
			r := math.Ldexp(1, []int{1000, 1000, 500}[order])
			u, v := make([]float64, 4), make([]float64, 4)
			floats.ScaleTo(u, r, x)
			floats.ScaleTo(v, 1/r, y)
			if got, want := m.Variance(u, v), m.Variance(x, y); !(math.Abs(got/want-1) <= 1e-12) {
				t.Errorf("order %d: Variance %v at sizes of %v and %v, want %v", order, got, r, 1/r, want)
			}
			if got, want := testkit.DotOf(m.TransformVec(nil, u), m.TransformVec(nil, v)), testkit.DotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)); !(math.Abs(got/want-1) <= 1e-12) {
				t.Errorf("order %d, out = %d: %v at sizes of %v and %v, want %v", order, out, got, r, 1/r, want)
			}
			if v := m.Variance([]float64{-5.8e159, -2.8e160, 2e160, 0}, []float64{-2.4e159, 8e159, 6.8e158, 0}); math.IsNaN(v) || order > 0 && !math.IsInf(v, 1) {
				t.Errorf("order %d: Variance = %v", order, v)
			}
			// 1e308 times a few, some of them negative.
			x := []float64{5e76, 5e76, 5e76, 5e76}
			if v := m.Variance(x, []float64{0.5, 0.5, 0.5, 0.5}); order == 2 && out == 20 && !math.IsInf(v, 1) || math.IsNaN(v) {
				t.Errorf("order %d: Variance = %v", order, v)
			}
		}
	}
}

// The bits of neurons of every design, order and form.
func TestGoldenNeurons(t *testing.T) {
	var b bytes.Buffer
	x, project := testkit.NormalPoints(8, 9, 6), testkit.NormalPoints(9, 3, 6)
	for order := range 3 {
		k := ArcCosine{Order: order}
		for _, k := range []Kernel{k, Scale(3, Project(project, k)), Select([]int{4, 1}, k)} {
			for _, o := range []NeuronsOptions{{}, {Orthogonal: true}} {
				for _, out := range []int{1, 7, 40} {
					m := testkit.Must(NewNeurons(k, 6, out, NewSampler(7), &o))
					var z mat.Dense
					m.TransformTo(&z, x)
					fmt.Fprintf(&b, "%v %v %d %016x %x\n", k, map[bool]Design{true: Orthogonal}[o.Orthogonal], out, golden.Fold(z.RawMatrix().Data), z.At(3, out-1))
				}
			}
		}
	}
	golden.Compare(t, "neurons.golden", b.Bytes())
}

func TestNeurons(t *testing.T) {
	for order := range 3 {
		for _, k := range []Kernel{ArcCosine{Order: order}, Project(testkit.Narrow, ArcCosine{Order: order}), Select([]int{2, 1}, ArcCosine{Order: order})} {
			dims := []int{3}
			if _, ok := k.(ArcCosine); ok {
				dims = []int{1, 2, 17}
			}
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New:  func(in, out int, s *Sampler) (FeatureMap, error) { return NewNeurons(k, in, out, s, nil) },
					Dims: dims,
					Out:  func(int) int { return 30 },
					Pairs: func(d int) []testkit.Pair {
						return append(testkit.Pairs(d, 1)[1:4], testkit.Pairs(d, 1)[0])
					},
					HeavyTails: order == 2,
					Cancels:    true,
				})
			})
		}
	}
	for _, c := range []struct {
		k       Kernel
		in, out int
		want    string
	}{
		{ArcCosine{Order: 3}, 1, 1, "Order = 3"},
		{ArcCosine{Order: -1}, 1, 1, "Order = -1"},
		{Linear{}, 1, 1, "no map"},
		{nil, 1, 1, "nil"},
		{ArcCosine{}, 0, 1, "in = 0"},
		{ArcCosine{}, 1, 0, "out = 0"},
		{ArcCosine{}, 1 << 30, 1 << 30, "features of"},
	} {
		s := NewSampler(1)
		if m, err := NewNeurons(c.k, c.in, c.out, s, nil); err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
}
