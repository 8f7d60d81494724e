// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// ownStationary is a caller's stationary kernel.
type ownStationary struct{ Gaussian }

func (k ownStationary) Eval(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += math.Abs(v - y[i])
	}
	return 1 / (1 + sum)
}

// differenceKernels are kernels on R^d that depend on differences alone. Those with a kink change by as much as a distance does.
func differenceKernels(t *testing.T, d int) map[string]Kernel {
	means, scales := mat.NewDense(2, d, nil), mat.NewDense(2, d, nil)
	for i := range 2 {
		for j := range d {
			means.Set(i, j, 0.3*float64(1+i)-0.2*float64(j))
			scales.Set(i, j, 0.4+0.1*float64(i+j))
		}
	}
	two := WeightFunc(func([]float64) float64 { return 2 })
	gaussian := Gaussian{LengthScale: 1.3}
	s := NewSkeleton(d)
	s.Unit(series.Exp{Rate: 0.5}, s.Input(Gaussian{LengthScale: 0.9}), s.Input(Laplacian{LengthScale: 2}, d-1))
	return map[string]Kernel{
		"Gaussian":          gaussian,
		"Laplacian":         Laplacian{LengthScale: 2},
		"Cauchy":            Cauchy{LengthScale: 1.1},
		"Matern 1/2":        Matern{Nu: 0.5, LengthScale: 2},
		"Matern 3/2":        Matern{Nu: 1.5, LengthScale: 1},
		"Matern 5/2":        Matern{Nu: 2.5, LengthScale: 1},
		"Matern 0.3":        Matern{Nu: 0.3, LengthScale: 1},
		"Matern 2.2":        Matern{Nu: 2.2, LengthScale: 1},
		"RationalQuadratic": RationalQuadratic{Alpha: 0.7, LengthScale: 1},
		"Periodic":          Periodic{Period: 3, LengthScale: 1},
		"SpectralMixture":   SpectralMixture{Weights: []float64{1, 0.5}, Means: means, Scales: scales},
		"pointer":           &gaussian,
		"caller's":          ownStationary{},
		"Sum":               Sum(gaussian, Constant{Value: 0.5}, Scale(2, Matern{Nu: 1.5, LengthScale: 1})),
		"Product":           Product(gaussian, Periodic{Period: 2, LengthScale: 1.5}),
		"Compose":           Compose(series.Exp{Rate: 0.5}, Sum(gaussian, Laplacian{LengthScale: 3})),
		"Weight":            Weight(two, gaussian),
		"BlackBox":          BlackBox{Of: gaussian},
		"Skeleton":          testkit.KernelOf(t, s),
	}
}

// warpsOf returns kernels behind linear maps of points of R³, given the kernel on R².
func warpsOf(k Kernel) map[string]Kernel {
	dense := mat.NewDense(2, 3, []float64{0.7, -0.3, 0.1, 1.0 / 3, 0.9, -1.1})
	square := mat.NewDense(2, 2, []float64{0.6, 0.3, -0.2, 1.1})
	ard := ARD([]float64{0.9, 1.7}, k)
	return map[string]Kernel{
		"ARD":                   Select([]int{2, 0}, ard),
		"Project":               Project(dense, k),
		"diagonal":              Select([]int{0, 1}, Project(mat.NewDiagDense(2, []float64{1.1, -0.3}), k)),
		"ARD of Project":        ARD([]float64{0.7, 1.3, 2.1}, Project(dense, k)),
		"Project of ARD":        Project(dense, ard),
		"Project of Project":    Project(dense, Project(square, k)),
		"ARD of Select":         ARD([]float64{0.7, 1.3, 2.1}, Select([]int{2, 1}, k)),
		"ARD of Select of ARD":  ARD([]float64{0.7, 1.3, 2.1}, Select([]int{2, 1}, ard)),
		"Sum of Project":        Sum(Project(dense, k), ARD([]float64{3, 2, 2}, Gaussian{LengthScale: 1})),
		"ARD of Sum of Project": ARD([]float64{0.7, 1.3, 2.1}, Sum(Project(dense, k), Gaussian{LengthScale: 1})),
		"Compose of Project":    Compose(series.Coefficients{0, 1, 0.5}, Project(dense, k)),
		"Weight of Project":     Weight(WeightFunc(func([]float64) float64 { return 1.5 }), Project(dense, k)),
	}
}

// nearPairs returns rows with differences that are exact at the offset, a multiple of 2⁻¹⁷.
func nearPairs(n int, offset float64) *mat.Dense {
	x := testkit.ScaledNormals(3, n, 3, 1)
	x.Apply(func(i, j int, v float64) float64 {
		if i%4 == 3 {
			v /= 1 << 8
		}
		return math.Round(v*(1<<17))/(1<<17) + offset*float64(1-2*(j%2))
	}, x)
	return x
}

// Behind any linear maps, what is a function of differences has the same value at an offset, to the rounding of values near
// the origin: about 1e-15 of images of size 1 or so, which the kernels' slopes of up to 1 take to values below 5. A Matérn kernel with
// ν = .3 is as r^.6 near r = 0: there the distance, with a relative error of 1e-15, has the same relative error in 1 − k.
func TestFarFromTheOrigin(t *testing.T) {
	n := testkit.Times(3, 3, 8)
	for name, k := range differenceKernels(t, 2) {
		for behind, k := range warpsOf(k) {
			near := nearPairs(n, 0)
			for _, offset := range []float64{1e5, 1e10} {
				far := nearPairs(n, offset)
				var gram mat.SymDense
				Gram(&gram, k, far)
				var cross mat.Dense
				CrossGram(&cross, k, far, far.Slice(1, n, 0, 3))
				of := stationary(k)
				for i := range n {
					for j := range n {
						x, y := far.RawRowView(i), far.RawRowView(j)
						want := k.Eval(near.RawRowView(i), near.RawRowView(j))
						check := func(what string, got float64) {
							if !(math.Abs(got-want) <= 2e-14) {
								t.Errorf("%s of %s, offset %g: %s(%d, %d) = %.17g, want %.17g: off by %.2g", behind, name, offset, what, i, j, got, want, got-want)
							}
						}
						check("Eval", k.Eval(x, y))
						check("Gram", gram.At(i, j))
						if j > 0 {
							check("CrossGram", cross.At(i, j-1))
						}
						if of != nil {
							check("StationaryOf", of.Eval(x, y))
						}
						if k.Eval(x, y) != k.Eval(y, x) {
							t.Errorf("%s of %s: not symmetric", behind, name)
						}
					}
				}
			}
		}
	}
}

// Where differences overflow, values are those at the images, which do not.
func TestDifferencesThatOverflow(t *testing.T) {
	inner := Cauchy{LengthScale: 1e150}
	k := ARD([]float64{1e150, 1}, inner)
	x, y := []float64{1.5e308, 2}, []float64{-1.5e308, 2}
	want := inner.Eval([]float64{1.5e158, 2}, []float64{-1.5e158, 2})
	if got := k.Eval(x, y); !(math.Abs(got-want) <= 1e-14*want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if got, want := k.Eval([]float64{v, 1}, y), inner.Eval([]float64{v, 1}, y); !sameValue(got, want) {
			t.Errorf("at %v: %v, want %v", v, got, want)
		}
	}
}

// Points that differ by what the matrix takes to 0 are equal to the kernel, also to one whose digits are lost where images differ by
// their rounding alone.
func TestEqualImagesFarFromTheOrigin(t *testing.T) {
	a := mat.NewDense(2, 3, []float64{1.0 / 3, 1.0 / 3, -2.0 / 3, 0.1, -0.1, 0})
	x := mat.NewDense(5, 3, nil)
	x.Apply(func(i, j int, _ float64) float64 { return 1e10*float64(1+j) + float64(i)/4 }, x)
	for name, k := range differenceKernels(t, 2) {
		k := Project(a, k)
		var gram mat.SymDense
		Gram(&gram, k, x)
		want := k.Eval([]float64{0, 0, 0}, []float64{0, 0, 0})
		for i := range 5 {
			for j := range 5 {
				if v := k.Eval(x.RawRowView(i), x.RawRowView(j)); v != want {
					t.Errorf("%s: Eval(%d, %d) = %v, want %v", name, i, j, v, want)
				}
				if v := gram.At(i, j); v != want {
					t.Errorf("%s: Gram(%d, %d) = %v, want %v", name, i, j, v, want)
				}
			}
		}
	}
}

// The variance of a map is a function of differences, too, and is as right far from the origin as near it.
func TestVarianceFarFromTheOrigin(t *testing.T) {
	near, far := nearPairs(8, 0), nearPairs(8, 1e10)
	for _, name := range []string{"Gaussian", "Laplacian", "Matern 3/2", "Periodic", "SpectralMixture", "Sum", "caller's"} {
		for behind, k := range warpsOf(differenceKernels(t, 2)[name]) {
			if stationary(k) == nil {
				continue
			}
			for _, o := range []*FourierOptions{nil, {RandomPhase: true}} {
				m := testkit.Must(NewFourier(k, 3, 16, NewSampler(1), o))
				for i := range 8 {
					x, y := i, (3*i+1)%8
					want, got := m.Variance(near.RawRowView(x), near.RawRowView(y)), m.Variance(far.RawRowView(x), far.RawRowView(y))
					if !(math.Abs(got-want) <= 2e-13) {
						t.Errorf("%s of %s: the variance at rows %d, %d is %v, near the origin %v", behind, name, x, y, got, want)
					}
				}
			}
		}
	}
}

// Landmarks and their derivatives far from the origin are those near it, to the rounding of the factor's solutions.
func TestLandmarksFarFromTheOrigin(t *testing.T) {
	for _, name := range []string{"Gaussian", "Matern 5/2", "RationalQuadratic", "Cauchy", "Sum", "Periodic"} {
		for behind, k := range warpsOf(differenceKernels(t, 2)[name]) {
			if behind == "Weight of Project" {
				continue // a function has no gradient
			}
			at := func(offset float64) (features, gradients mat.Dense) {
				x := nearPairs(12, offset)
				points := x.Slice(0, 6, 0, 3)
				m := testkit.Must(NewNystrom(k, points, 6, NewSampler(1), nil))
				m.TransformTo(&features, x)
				g := testkit.ScaledNormals(5, 12, 6, 1)
				testkit.Must(Derivative(m)).PullbackTo(&gradients, x, g)
				return features, gradients
			}
			f, g := at(0)
			far, back := at(1e10)
			for what, pair := range map[string][2]*mat.Dense{"features": {&far, &f}, "gradients": {&back, &g}} {
				var off mat.Dense
				off.Sub(pair[0], pair[1])
				if d := mat.Max(&off) - mat.Min(&off); !(d <= 1e-9) {
					t.Errorf("%s of %s: %s off by %.2g", behind, name, what, d)
				}
			}
		}
	}
}
