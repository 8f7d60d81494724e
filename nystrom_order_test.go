// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// rowsInOrder are points whose rows come in an order: each next to the one before, or a copy of one.
func rowsInOrder() map[string]*mat.Dense {
	rnd := rand.New(rand.NewPCG(1, 2))
	sets := make(map[string]*mat.Dense)
	add := func(name string, n, d int, set func(i int, row []float64)) {
		x := mat.NewDense(n, d, nil)
		for i := range n {
			set(i, x.RawRowView(i))
		}
		sets[name] = x
	}
	add("line", 200, 1, func(i int, row []float64) { row[0] = 0.05 * float64(i) })
	add("line down", 150, 1, func(i int, row []float64) { row[0] = -0.02 * float64(i) })
	add("raster", 196, 2, func(i int, row []float64) { row[0], row[1] = 0.2*float64(i/14), 0.2*float64(i%14) })
	add("spiral", 150, 2, func(i int, row []float64) {
		angle := 0.1 * float64(i)
		row[0], row[1] = angle*math.Cos(angle)/4, angle*math.Sin(angle)/4
	})
	var at, heights [2]float64
	add("walk", 150, 2, func(_ int, row []float64) {
		for k := range at {
			at[k] += 0.1 * rnd.NormFloat64()
		}
		copy(row, at[:])
	})
	sorted := make([]float64, 150)
	for i := range sorted {
		sorted[i] = 3 * rnd.NormFloat64()
	}
	slices.Sort(sorted)
	add("sorted", 150, 1, func(i int, row []float64) { row[0] = sorted[i] })
	add("pairs", 150, 1, func(i int, row []float64) { row[0] = sorted[i/2*2] + 1e-9*float64(i%2) })
	add("repeated", 150, 2, func(i int, row []float64) { row[0], row[1] = float64(i%5), float64(i%7) })
	add("to 6", 150, 1, func(i int, row []float64) { row[0] = 6 * float64(i) / 149 })
	add("far", 150, 2, func(i int, row []float64) {
		heights[0] += 0.1
		row[0], row[1] = 1e5+heights[0], -1e5
	})
	return sets
}

// shuffled returns the rows of x in another order.
func shuffled(x *mat.Dense, seed uint64) *mat.Dense {
	n, d := x.Dims()
	to := mat.NewDense(n, d, nil)
	for i, j := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
		to.SetRow(i, x.RawRowView(j))
	}
	return to
}

// smoothKernels are kernels of which landmarks next to each other depend on each other, and one whose k(x, x) goes from 1 to 4e15.
var smoothKernels = []Kernel{
	Gaussian{LengthScale: 1}, RationalQuadratic{Alpha: 1, LengthScale: 1}, Cauchy{LengthScale: 1}, Matern{Nu: 2.5, LengthScale: 5}, ExpDot{LengthScale: 1},
	Linear{}, Polynomial{Degree: 3, Gamma: 1, Offset: 1}, Periodic{Period: 3, LengthScale: 1}, Sum(Linear{}, Gaussian{LengthScale: 3}),
	Weight(testkit.Norm{Scale: 1}, Gaussian{LengthScale: 2}), opaqueKernel{Gaussian{LengthScale: 1}},
}

// Whatever the order of the rows, ‖φ(s)‖² is k(s, s) at all landmarks s, also those that are dropped: it is above by 1e-9 of k(s, s)
// at most, which is rounding, and below by 1e-7, a thousand times the least pivot that is not dropped. Without
// -long each kernel has one of the four choices of landmarks with each set of rows.
func TestLandmarksOfRowsInOrder(t *testing.T) {
	sets := rowsInOrder()
	for of, name := range slices.Sorted(maps.Keys(sets)) {
		x := sets[name]
		n, _ := x.Dims()
		for i, k := range smoothKernels {
			if _, dot := k.(ExpDot); dot && name == "far" {
				continue // of which exp(1e10) is not finite
			}
			for j, o := range []struct {
				out int
				NystromOptions
			}{
				{n, NystromOptions{}}, {n / 2, NystromOptions{Landmarks: RandomRows}}, {n / 2, NystromOptions{Landmarks: KMeans}}, {n / 3, NystromOptions{Landmarks: RPCholesky}},
			} {
				if (of+i+j)%4 != 0 && !testkit.Long() {
					continue
				}
				m := newNystrom(t, k, x, o.out, 1, o.NystromOptions)
				s := m.Landmarks()
				r, _ := s.Dims()
				features, whole := new(mat.Dense), make([]float64, r)
				m.TransformTo(features, s)
				m.DiagonalTo(whole, s)
				for i, v := range whole {
					f := features.RawRowView(i)
					if e := testkit.DotOf(f, f)/v - 1; !(e >= -1e-7 && e <= 1e-9) {
						t.Errorf("%s, %v %v: at landmark %v ‖φ‖² is %v less 1 of k = %v", name, o.Landmarks, m, s.RawRowView(i), e, v)
						break
					}
				}
			}
		}
	}
}

// The map of a set of rows does not depend on their order, in any bit, nor on whether they are lists.
func TestLandmarksOfRowsInAnyOrder(t *testing.T) {
	for name, x := range rowsInOrder() {
		n, d := x.Dims()
		x.Set(3, 0, 0)
		other := shuffled(x, 7)
		for i := range n {
			if other.At(i, 0) == 0 {
				other.Set(i, 0, math.Copysign(0, -1))
			}
		}
		for _, k := range []Kernel{Gaussian{LengthScale: 1}, Weight(testkit.Norm{Scale: 1}, Matern{Nu: 1.5, LengthScale: 1})} {
			for _, out := range []int{n, 40} {
				o := NystromOptions{Landmarks: RandomRows}
				m := newNystrom(t, k, x, out, 1, o)
				at := make([]float64, d)
				want := m.TransformVec(nil, at)
				for what, same := range map[string]mat.Matrix{"shuffled": other, "lists": testkit.NewLists(other)} {
					again := newNystrom(t, k, same, out, 1, o)
					if !mat.Equal(again.Landmarks(), m.Landmarks()) || !slices.Equal(again.TransformVec(nil, at), want) {
						t.Errorf("%s, %v, %d columns: another map of the rows %s", name, k, out, what)
					}
				}
			}
		}
	}
}

// Landmarks are in the order of the largest pivots, by an elimination in which all pivots are brought up to date.
func TestLandmarksInPivotOrder(t *testing.T) {
	for name, x := range rowsInOrder() {
		for _, k := range []Kernel{Gaussian{LengthScale: 1}, Matern{Nu: 1.5, LengthScale: 1}, Polynomial{Degree: 3, Gamma: 1, Offset: 1}} {
			n, _ := x.Dims()
			s := newNystrom(t, k, x, n, 1, NystromOptions{}).Landmarks()
			n, _ = s.Dims()
			var rest mat.SymDense
			Gram(&rest, k, s)
			whole := make([]float64, n)
			for i := range n {
				whole[i] = rest.At(i, i)
			}
			for p := range n {
				pivot := rest.At(p, p)
				for i := p; i < n; i++ {
					// Near the precision of float64 the order is a matter of rounding.
					if v := rest.At(i, i) / whole[i]; v > 1e-8 && v > pivot/whole[p]*(1+1e-6) {
						t.Fatalf("%s, %v: landmark %d has the pivot %v, and another %v, of k(s, s)", name, k, p, pivot/whole[p], v)
					}
				}
				if !(pivot > 1e-8*whole[p]) {
					break
				}
				for i := p + 1; i < n; i++ {
					for j := i; j < n; j++ {
						rest.SetSym(i, j, rest.At(i, j)-rest.At(p, i)*rest.At(p, j)/pivot)
					}
				}
			}
		}
	}
}

// out is a maximum: of fewer different rows all are landmarks, however they would be chosen, less those at which the kernel is 0.
func TestLandmarksOfFewRows(t *testing.T) {
	x := mat.NewDense(7, 2, []float64{1, 2, 1, 2, 0, 1, math.Copysign(0, -1), 1, 3, 3, 1, 2, 0, 0})
	for _, selection := range []LandmarkChoice{KMeans, RPCholesky, RandomRows} {
		for _, c := range []struct {
			k         Kernel
			out, want int
		}{
			{Gaussian{LengthScale: 1}, 5, 4}, {Gaussian{LengthScale: 1}, 4, 4}, {Gaussian{LengthScale: 1}, math.MaxInt32, 4}, {Gaussian{LengthScale: 1}, 3, 3},
			{Linear{}, 5, 3}, {Polynomial{Degree: 2, Gamma: 1}, 3, 3}, {Linear{}, 2, 2},
		} {
			m := newNystrom(t, c.k, x, c.out, 1, NystromOptions{Landmarks: selection})
			_, columns := m.Dims()
			if rows, _ := m.Landmarks().Dims(); columns != c.want || rows != c.want {
				t.Errorf("%v, at most %d by %v: %v", c.k, c.out, selection, m)
			}
		}
		none := mat.NewDense(3, 2, nil)
		s := NewSampler(1)
		if _, err := NewNystrom(Linear{}, none, 2, s, &NystromOptions{Landmarks: selection}); err == nil {
			t.Error("landmarks at which the kernel is 0")
		}
	}
	// Every row of a product of two lines is there once.
	grid := mat.NewDense(30, 2, nil)
	for i := range 30 {
		grid.SetRow(i, []float64{float64(i % 3), float64(i % 2)})
	}
	points := newNystrom(t, Gaussian{LengthScale: 0.5}, grid, 30, 1, NystromOptions{}).Landmarks()
	var got [][2]float64
	for i := range 6 {
		got = append(got, [2]float64(points.RawRowView(i)))
	}
	slices.SortFunc(got, func(a, b [2]float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	if want := [][2]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}; !slices.Equal(got, want) {
		t.Errorf("landmarks %v, want %v", got, want)
	}
}

// A map in the order of pivots is read as it was saved: nothing is chosen again, and all bits are the same.
func TestLandmarksInOrderSaved(t *testing.T) {
	sets := rowsInOrder()
	sets["normal"] = testkit.NormalPoints(5, 250, 40) // whose center depends on their order
	for name, x := range sets {
		n, d := x.Dims()
		for _, k := range []Kernel{Gaussian{LengthScale: 1}, Sum(Linear{}, ARD(testkit.Constant(d, 2), Matern{Nu: 1.5, LengthScale: 1})), Product(Cauchy{LengthScale: 2}, Polynomial{Degree: 3, Gamma: 1, Offset: 1})} {
			for _, out := range []int{n, n / 2} {
				m := newNystrom(t, k, x, out, 1, NystromOptions{Landmarks: RandomRows})
				read := testkit.Must(Decode(bytes.NewReader(encodedMap(t, m)), nil)).(*Nystrom)
				if !mat.Equal(read.Landmarks(), m.Landmarks()) || fmt.Sprint(read) != fmt.Sprint(m) {
					t.Errorf("%s: %v, read %v", name, m, read)
				}
				for i := 0; i < n; i += 10 {
					row := x.RawRowView(i)
					if !slices.Equal(read.TransformVec(nil, row), m.TransformVec(nil, row)) {
						t.Fatalf("%s: %v: other features when read", name, m)
					}
				}
			}
		}
	}
}
