// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph_test

import (
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// NewCompositional refuses skeletons without a map, by a node that has no map. It returns no map, and leaves the
// sampler unchanged.
func TestNewCompositionalErrors(t *testing.T) {
	circle := func(build func(sk *Skeleton, u Node)) *Skeleton {
		sk := NewSkeleton(1)
		build(sk, sk.Input(Circle{}, 0))
		return sk
	}
	boom := errors.New("boom")
	for _, c := range []struct {
		want  string
		sk    *Skeleton
		draws int
	}{
		{"skeleton sk = nil", nil, 1},
		{"draws = 0", circle(func(sk *Skeleton, u Node) {}), 0},
		{"draws = 2147483647: must be from 1 to 1073741823", circle(func(sk *Skeleton, u Node) {}), math.MaxInt32},
		{"Complexity of the skeleton = 1.2e+06", circle(func(sk *Skeleton, u Node) {
			sk.Unit(series.HermiteDual{N: 2}, sk.Unit(series.HermiteDual{N: 600_000}, u))
		}), 1},
		{"node 1, Unit: HermiteDual N = 1073741824: must be from 0 to 1048576", circle(func(sk *Skeleton, u Node) { sk.Unit(series.HermiteDual{N: 1 << 30}, u) }), 1},
		{"node 1, Unit: the coefficients of", circle(func(sk *Skeleton, u Node) { sk.Unit(losingSeries{}, u) }), 1},
		{"node 1, Input: a linear form was drawn", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(Project(mat.NewDense(2, 1, []float64{math.MaxFloat64, math.MaxFloat64}), Linear{})))
		}), 64},
		{"draws = -5", circle(func(sk *Skeleton, u Node) {}), -5},
		{"node 1, Unit: f′(1) = +Inf for series.StepDual", circle(func(sk *Skeleton, u Node) { sk.Unit(series.StepDual{}, u) }), 1},
		{"node 2, Unit: f(1) = +Inf for series.Geometric{Ratio: 1}", circle(func(sk *Skeleton, u Node) {
			sk.Unit(series.ReLUDual{}, sk.Unit(series.Geometric{Ratio: 1}, sk.Unit(series.ReLUDual{}, u)))
		}), 1},
		{"node 2, Unit: f(2) = +Inf", circle(func(sk *Skeleton, u Node) {
			sk.Unit(series.ReLUDual{}, sk.Input(Constant{Value: 2}))
		}), 1},
		{"Complexity of the skeleton = 1.6777216e+07", circle(func(sk *Skeleton, u Node) {
			for range 24 {
				u = sk.Product(u, u)
			}
		}), 1},
		{"node 1, Input: BlackBox Draw: boom", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(BlackBox{Of: Linear{}, Draw: testkit.DrawFunc(func(*Sampler) (func([]float64) float64, error) { return nil, boom })}))
		}), 1},
		{"no function", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(BlackBox{Of: Linear{}, Draw: testkit.DrawFunc(func(*Sampler) (func([]float64) float64, error) { return nil, nil })}))
		}), 1},
		{"node 1, Input: testkit.badStationary{Gaussian: Gaussian{LengthScale: 1}, mass: 1, last: math.Inf(1)} drew a frequency", circle(func(sk *Skeleton, u Node) {
			sk.Product(u, sk.Input(testkit.BadStationary(Gaussian{LengthScale: 1}, 1, math.Inf(1))))
		}), 1},
	} {
		s := NewSampler(1)
		m, err := NewCompositional(c.sk, c.draws, s)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("%v, want %q", err, c.want)
		}
		if strings.HasSuffix(c.want, "boom") && !errors.Is(err, boom) {
			t.Errorf("%v does not wrap the error of Draw", err)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
	// The step dual has a kernel, and features behind a mass below 1.
	sk := circle(func(sk *Skeleton, u Node) { sk.Unit(series.StepDual{}, u) })
	if k := testkit.KernelOf(t, sk); !(math.Abs(k.Eval([]float64{0}, []float64{1})-(1-1/math.Pi)) <= 1e-12) {
		t.Errorf("the step dual's kernel = %v", k.Eval([]float64{0}, []float64{1}))
	}
}

// losingSeries is Σ n^{−3/2}/10 from n = 1 on, of which a table loses a part.
type losingSeries struct{ series.ReLUDual }

func (losingSeries) Eval(t float64) float64  { return 0.2612375348685488 } // ζ(3/2)/10
func (losingSeries) Deriv(t float64) float64 { return 1 }

func (losingSeries) Coeff(n int) float64 {
	if n < 1 {
		return 0
	}
	return 0.1 / (float64(n) * math.Sqrt(float64(n)))
}

// Features that do not fit in memory are refused while they are drawn.
func TestCompositionalMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
	sk := NewSkeleton(1000)
	sk.Input(Gaussian{LengthScale: 1})
	s := NewSampler(1)
	if _, err := NewCompositional(sk, 10_000, s); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("error %v of 10,000 frequencies in R¹⁰⁰⁰ in one megabyte", err)
	}
	if s.Uint64() != NewSampler(1).Uint64() {
		t.Error("the sampler was changed")
	}
}
