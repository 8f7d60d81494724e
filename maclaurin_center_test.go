// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A centeredKernel is a dot product kernel of Ax − c.
type centeredKernel struct {
	of Kernel
	a  *mat.Dense
	c  []float64
}

func (k centeredKernel) image(x []float64) []float64 {
	var u mat.VecDense
	u.MulVec(k.a, mat.NewVecDense(len(x), x))
	u.SubVec(&u, mat.NewVecDense(len(k.c), k.c))
	return u.RawVector().Data
}

func (k centeredKernel) Eval(x, y []float64) float64 { return k.of.Eval(k.image(x), k.image(y)) }

// centeredCase returns a kernel of Ax for x in R^in, and that of Ax − c.
func centeredCase(warp string, base Kernel, in int, s *Sampler) (k Kernel, of centeredKernel) {
	d := in
	a := mat.NewDense(in, in, nil)
	switch warp {
	case "none":
		k = base
		for i := range in {
			a.Set(i, i, 1)
		}
	case "Project":
		d = max(in-1, 1)
		a = mat.NewDense(d, in, nil)
		s.FillNormal(a.RawMatrix().Data)
		a.Scale(1/math.Sqrt(float64(in)), a)
		k = Project(a, base)
	case "Select":
		d = max(in-1, 1)
		a = mat.NewDense(d, in, nil)
		var cols []int
		for i := range d {
			cols = append(cols, in-1-i)
			a.Set(i, in-1-i, 1)
		}
		k = Select(cols, base)
	case "ARD":
		lengths := make([]float64, in)
		for i := range lengths {
			lengths[i] = 1 + s.Float64()
			a.Set(i, i, 1/lengths[i])
		}
		k = ARD(lengths, base)
	}
	c := make([]float64, d)
	s.FillNormal(c)
	for i := range c {
		c[i] /= math.Sqrt(float64(d))
	}
	return k, centeredKernel{base, a, c}
}

// A map of Ax − c is, to rounding, the map of the same seed at the point Ax − c, and so are its variance
// and its bias. Rows have the same bits by themselves.
func TestMaclaurinCenter(t *testing.T) {
	t.Parallel()
	s := NewSampler(5)
	cases := 0
	for _, warp := range []string{"none", "Project", "Select", "ARD"} {
		for _, o := range append(maclaurinOptions(series.OptimalLaw{}), sumOptions()...) {
			var base DotProduct = ExpDot{LengthScale: 1.5}
			if o.SumOfProducts {
				base = Polynomial{Degree: 4, Gamma: 0.7, Offset: 1}
			}
			for _, in := range []int{1, 3, 70} { // of 70 TensorSRHT is fast
				if o.ExactDegree > 0 {
					continue
				}
				for _, from := range []int{0, 1, 2, 3, 4} {
					if from == 4 && in > 3 {
						continue
					}
					if cases++; cases%3 != 0 && !testkit.Long() {
						continue // there are 14 cases of each warp and options, and 14 has no factor of 3
					}
					k, of := centeredCase(warp, base, in, s)
					d := len(of.c)
					out := 90
					for n := range from {
						out += len(monomials(d, n))
					}
					name := fmt.Sprintf("%s, %s, R^%d, from degree %d", warp, maclaurinName(o), in, from)
					m, err := NewCentered(k, of, of.c, in, out, from, NewSampler(2), o)
					if err != nil {
						t.Fatal(name, err)
					}
					plain := testkit.Must(NewMaclaurinFrom(base, d, out, from, NewSampler(2), o))
					x := mat.NewDense(11, in, nil)
					s.FillNormal(x.RawMatrix().Data)
					x.Scale(1/math.Sqrt(float64(in)), x)
					var z mat.Dense
					m.TransformTo(&z, x)
					for i := range 11 {
						got, want := m.TransformVec(nil, x.RawRowView(i)), plain.TransformVec(nil, of.image(x.RawRowView(i)))
						if !slices.Equal(got, z.RawRowView(i)) {
							t.Fatalf("%s: a row by itself has other bits", name)
						}
						for j, v := range want {
							if !(math.Abs(got[j]-v) <= 1e-11*(1+math.Abs(v))) {
								t.Fatalf("%s: column %d is %v, want %v", name, j, got[j], v)
							}
						}
					}
					a, b := x.RawRowView(0), x.RawRowView(1)
					if got, want := m.Variance(a, b), plain.Variance(of.image(a), of.image(b)); got != want && !(math.Abs(got/want-1) <= 1e-9) {
						t.Errorf("%s: variance %v, want %v", name, got, want)
					}
				}
			}
		}
	}
}

// At the center itself the exact columns are 0, without rounding, unless they are of degree 0 or behind a
// dense matrix.
func TestMaclaurinAtCenter(t *testing.T) {
	c := []float64{0.1, 0.7, -1.3}
	k := ExpDot{LengthScale: 1.7}
	m, err := NewCentered(k, k, c, 3, 40, 4, NewSampler(2), MaclaurinOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range m.TransformVec(nil, c)[1:20] {
		if v != 0 {
			t.Errorf("column %d is %v", j+1, v)
		}
	}
}

// Maclaurin maps of points less a center, behind no matrix, a dense and a diagonal one, pass the conformance suite of maps.
func TestCenteredMaps(t *testing.T) {
	for i, warp := range []string{"none", "Project", "ARD"} {
		for j, o := range []MaclaurinOptions{{}, {Sketch: TensorSRHT, Complex: true}} {
			if (i+j)%2 == 1 && !testkit.Long() {
				continue
			}
			t.Run(warp+"/"+maclaurinName(o), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New: func(in, out int, s *Sampler) (FeatureMap, error) {
						k, of := centeredCase(warp, Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}, in, NewSampler(4))
						return NewCentered(k, &of, of.c, in, out, 3, s, o)
					},
					Dims:       []int{3},
					Out:        func(int) int { return 30 },
					Pairs:      func(d int) []testkit.Pair { return inBall(d, 0.8) },
					HeavyTails: true,
					Cancels:    true,
					Reads: func(m FeatureMap, feature, coordinate int) bool {
						if warp == "Project" {
							return feature > 0
						}
						if warp == "ARD" && feature > 0 && feature < 4 {
							return true // by a dense matrix
						}
						return exactReads(3, 10)(m, feature, coordinate)
					},
				})
			})
		}
	}
}
