// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// randomPlanKernel returns a random kernel expression on R^in of up to depth operations on top of each other. Its values
// on points of norm about 1 are of the order of 1, and so are the variances of its maps.
func randomPlanKernel(s *Sampler, in, depth int) Kernel {
	length := 0.7 + 2*s.Float64()
	if depth == 0 || s.IntN(5) == 0 {
		return randomPlanLeaf(s, in, length)
	}
	inner := func() Kernel { return randomPlanKernel(s, in, depth-1) }
	switch s.IntN(9) {
	case 0:
		return Sum(inner(), inner())
	case 1:
		return Sum(inner(), Constant{Value: s.Float64()}, inner())
	case 2:
		return Product(inner(), inner())
	case 3:
		return Scale(0.1+s.Float64(), inner())
	case 4:
		if s.IntN(2) == 0 {
			return Weight(savedWeight{s.Float64()}, inner())
		}
		return Weight(WeightFunc(func(x []float64) float64 { return 1 / (1 + x[0]*x[0]) }), inner())
	case 5:
		lengths := make([]float64, in)
		for i := range lengths {
			lengths[i] = 0.8 + s.Float64()
		}
		return ARD(lengths, inner())
	case 6:
		cols := []int{s.IntN(in)}
		if in > 1 {
			cols = append(cols, (cols[0]+1+s.IntN(in-1))%in)
		}
		return Select(cols, randomPlanKernel(s, len(cols), depth-1))
	case 7:
		rows := 1 + s.IntN(in+1)
		a := mat.NewDense(rows, in, nil)
		s.FillNormal(a.RawMatrix().Data)
		a.Scale(0.7/math.Sqrt(float64(in)), a)
		return Project(a, randomPlanKernel(s, rows, depth-1))
	default:
		f := []series.Series{series.Exp{Rate: 0.3}, series.HermiteDual{N: 2}, series.Coefficients{0.5, 0.2, 0.3}, series.SineDual{Rate: 0.5}}[s.IntN(4)]
		return Compose(f, Scale(0.5, randomPlanKernel(s, in, min(depth-1, 1))))
	}
}

// randomPlanLeaf returns a random kernel that is no expression.
func randomPlanLeaf(s *Sampler, in int, length float64) Kernel {
	gaussian := Gaussian{LengthScale: length}
	component := func(scale float64) mat.Matrix {
		a := mat.NewDense(2, in, nil)
		for i := range a.RawMatrix().Data {
			a.RawMatrix().Data[i] = scale * s.Float64()
		}
		return a
	}
	switch s.IntN(16) {
	case 0:
		return gaussian
	case 1:
		return &gaussian
	case 2:
		return Laplacian{LengthScale: 2 * length}
	case 3:
		return Cauchy{LengthScale: 2 * length}
	case 4:
		return Matern{Nu: 0.6 + 2*s.Float64(), LengthScale: length}
	case 5:
		return RationalQuadratic{Alpha: 0.6 + s.Float64(), LengthScale: length}
	case 6:
		return Periodic{Period: 1 + length, LengthScale: 1 + length}
	case 7:
		return Constant{Value: s.Float64()}
	case 8:
		return Linear{}
	case 9:
		return Polynomial{Degree: 1 + s.IntN(3), Gamma: 0.5, Offset: s.Float64()}
	case 10:
		return ExpDot{LengthScale: 1 + length}
	case 11:
		return ArcCosine{Order: s.IntN(2)}
	case 12:
		return Dot(series.SineDual{Rate: 0.5})
	case 13:
		return SpectralMixture{Weights: []float64{0.5, s.Float64()}, Means: component(1), Scales: component(1)}
	case 14:
		return RBF(1 / length)
	default:
		return Dot(series.Coefficients{0.2, 0.5, 0.3})
	}
}

// randomPlanRows returns n rows of R^in of norms about 1, in one of several shapes.
func randomPlanRows(s *Sampler, n, in int) *mat.Dense {
	x := mat.NewDense(n, in, nil)
	s.FillNormal(x.RawMatrix().Data)
	x.Scale(0.8/math.Sqrt(float64(in)), x)
	shape := s.IntN(3)
	for i := range n {
		row := x.RawRowView(i)
		switch {
		case shape == 1 && i%2 == 0: // two groups in turns
			row[0] += 0.7
		case shape == 2: // zeros
			row[s.IntN(in)] = 0
		}
	}
	return x
}

// insides are names of types that are not exported, of this package or none, addresses, maps, and what fmt cannot print.
var insides = regexp.MustCompile(`(?:^|[^.\w])(?:[a-z]\w*|\*?featuremap\.[a-z]\w*)\{|0x[0-9a-f]{5,}|map\[|struct \{|%!|<nil>`)

// goTypes leaves out the names of types that are Go's own.
var goTypes = strings.NewReplacer("[]int{", "{", "[]float64{", "{")

// What is printed is written in exported names: kernels, plans, maps and their plans, and the errors of NewPlan.
func TestRandomPlanTexts(t *testing.T) {
	t.Parallel()
	printed := 0
	check := func(of any) {
		t.Helper()
		for _, format := range []string{"%v", "%+v", "%s"} {
			printed++
			text := goTypes.Replace(fmt.Sprintf(format, of))
			if insides.MatchString(text) {
				t.Errorf("%T prints as %.400s: %q", of, text, insides.FindString(text))
				return
			}
		}
	}
	for _, of := range []any{
		FourierOptions{}, &MaclaurinOptions{Law: series.OptimalLaw{Norm: 2}}, NeuronsOptions{Orthogonal: true}, &DecodeOptions{MaxBytes: 9},
		DataDependentOptions{Alpha: 1}, NewSampler(1), NewSkeleton(3), NewSkeleton(3).Input(Gaussian{LengthScale: 1}, 0), NewSkeleton(12).Image(2, 2, 3, Linear{}),
		new(Plan), new(Fourier), new(Maclaurin), new(Neurons), new(Compositional), new(DataDependent),
	} {
		check(of)
	}
	g := Gaussian{LengthScale: 1}
	for _, base := range []FeatureMap{
		testkit.Must(NewFourier(g, 2, 8, NewSampler(1), nil)),
		testkit.Must(testkit.New(Project(mat.NewDense(1, 2, []float64{1, 2}), g), 2, 8, NewSampler(1))),
	} {
		d := testkit.Must(NewDataDependent(base, randomPlanRows(NewSampler(2), 5, 2), &DataDependentOptions{Alpha: 1, Neighbors: 2}))
		check(d)
		check(d.Kernel())
		check(Sum(d.Kernel(), Linear{}))
		_, err := NewPlan(d.Kernel(), nil, 8, &PlanOptions{In: 2})
		check(err)
	}
	s := NewSampler(31)
	for i := range testkit.Times(10, 10, 250) {
		in := 1 + s.IntN(3)
		k := randomPlanKernel(s, in, 3)
		if i == 0 {
			k = Sum(Product(Periodic{Period: 1, LengthScale: 1}, Gaussian{LengthScale: 1}), Linear{})
		}
		check(k)
		o, x := PlanOptions{In: in}, mat.Matrix(nil)
		if s.IntN(2) == 0 {
			x = randomPlanRows(s, 12, in)
		}
		check(o)
		p, err := NewPlan(k, x, 4+s.IntN(40), &o)
		if err != nil {
			check(err)
			continue
		}
		check(p)
		m, err := p.Draw(s)
		if err != nil {
			check(err)
			continue
		}
		check(m)
		check(testkit.Must(PlanOf(m)))
		check(Sum(FromMap(m), k))
	}
	t.Logf("%d texts", printed)
}

// A randomPlanCase is a random kernel expression and rows, and how many features a plan of them has.
type randomPlanCase struct {
	k   Kernel
	x   *mat.Dense
	in  int
	out int
}

func newRandomPlanCase(seed uint64) randomPlanCase {
	s := NewSampler(seed)
	in := 1 + s.IntN(3)
	return randomPlanCase{randomPlanKernel(s, in, 2), randomPlanRows(s, 8, in), in, 2 + s.IntN(40)}
}

// check compares the predictions of a plan with drawn maps, and these with what is read back.
func (c randomPlanCase) check(t *testing.T, maps int) (planned, saved bool, z float64) {
	p, err := NewPlan(c.k, c.x, c.out, nil)
	if err != nil {
		if insides.MatchString(goTypes.Replace(err.Error())) {
			t.Errorf("%v: an error that shows Go's insides: %v", c.k, err)
		}
		return false, false, 0
	}
	return true, c.checkSaved(t, p), c.checkErrors(t, p, maps)
}

// checkErrors compares the predicted error with that of drawn maps over all pairs of rows, and their mean with the bias. Rare
// features of a high degree, or a high frequency, may have most of the mean squared error: that no map has any of them
// is no failure. Where errors do not grow with the norms, so that these are not that rare, it returns by how many standard
// errors the measured mean squared error is larger than predicted.
func (c randomPlanCase) checkErrors(t *testing.T, p *Plan, maps int) (z float64) {
	const most, rounding = 6, 1e-8 // standard errors; of the kernel, for variances that cancel
	n, _ := c.x.Dims()
	var pairs [][2]int
	var want, bias, size float64 // size is the kernel's root mean square
	var together float64         // the mean square of the bias
	var biases []float64         // those of the segments
	for i := range n {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	part := 1 / float64(len(pairs))
	want = testkit.MeanSquare(p, c.x)
	values := make([]float64, len(pairs))
	for k, of := range pairs {
		x, y := c.x.RawRowView(of[0]), c.x.RawRowView(of[1])
		values[k] = c.k.Eval(x, y)
		b := p.Bias(x, y)
		bias += part * b
		together += part * b * b
		for s, b := range SegmentBiases(p, x, y) {
			if k == 0 {
				biases = append(biases, 0)
			}
			biases[s] += part * b * b
		}
		size += part * values[k] * values[k]
	}
	// The biases of several terms are added as if they were in proportion: the root mean squares of each.
	sum := 0.0
	for _, b := range biases {
		sum += math.Sqrt(b)
	}
	bound := want - together + sum*sum
	got, rest := p.RMSE(), rounding*rounding*size
	if math.IsNaN(want) || math.IsInf(want, 1) || !(math.Abs(got*got-bound) <= 1e-3*bound+rest && want-bound <= 1e-9*want+rest) {
		t.Errorf("%v: predicted %v, by the variances %v", c.k, got, math.Sqrt(want))
		return 0
	}
	squares, means := make([]float64, maps), make([]float64, maps)
	for i := range maps {
		m := testkit.Must(p.Draw(NewSampler(uint64(900 + i))))
		var z mat.Dense
		m.TransformTo(&z, c.x)
		for k, of := range pairs {
			e := mat.Dot(z.RowView(of[0]), z.RowView(of[1])) - values[k]
			squares[i] += part * e * e
			means[i] += part * e
		}
	}
	mean, deviation := stat.MeanStdDev(squares, nil)
	tolerance := 0.02*want + most*deviation/math.Sqrt(float64(maps)) + rounding*rounding*size
	if mean > want+tolerance {
		t.Errorf("%v, %d columns: predicted a mean squared error of %.4g, of %d maps it is %.4g ± %.2g\n%v", c.k, c.out, want, maps, mean, deviation/math.Sqrt(float64(maps)), p)
	}
	if math.IsInf(PlanMaxNorm(p), 1) && deviation > rounding*rounding*size {
		z = (mean - want) / deviation * math.Sqrt(float64(maps))
	}
	mean, deviation = stat.MeanStdDev(means, nil)
	if !(math.Abs(mean-bias) <= most*math.Sqrt(max(deviation*deviation, want/10)/float64(maps))+rounding*math.Sqrt(size)) {
		t.Errorf("%v, %d columns: a bias of %.3g, predicted %.3g, with a deviation of %.3g of %d maps\n%v", c.k, c.out, mean, bias, deviation, maps, p)
	}
	return z
}

// checkSaved compares the features of a map with those of what Decode reads back, and of its plan. Kernels that a
// file cannot name are left out.
func (c randomPlanCase) checkSaved(t *testing.T, p *Plan) (saved bool) {
	m := testkit.Must(p.Draw(NewSampler(3)))
	var want, got, again mat.Dense
	m.TransformTo(&want, c.x)
	var file bytes.Buffer
	if err := Encode(&file, m); err != nil {
		if strings.Contains(fmt.Sprint(c.k), "WeightFunc") {
			return false
		}
		t.Errorf("%v: not saved: %v", c.k, err)
		return false
	}
	decoded, err := Decode(&file, nil)
	if err != nil {
		t.Errorf("%v: not read back: %v", c.k, err)
		return false
	}
	decoded.TransformTo(&got, c.x)
	testkit.Must(testkit.Must(PlanOf(decoded)).Draw(NewSampler(3))).TransformTo(&again, c.x)
	for name, z := range map[string]*mat.Dense{"map": &got, "plan": &again} {
		if !testkit.SameFeatures(z.RawMatrix().Data, want.RawMatrix().Data) {
			t.Errorf("%v: other features of the decoded %s\n%v", c.k, name, p)
		}
	}
	return true
}

// Plans of random expressions predict the errors of their maps, are unbiased, and are the same after they were saved.
func TestRandomPlans(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	planned, saved, cases := 0, 0, testkit.Times(12, 12, 250)
	var sum, count float64 // of z-scores
	for seed := range cases {
		a, b, z := newRandomPlanCase(uint64(seed)).check(t, testkit.Times(100, 100, 200))
		if z != 0 {
			sum += z
			count++
		}
		if a {
			planned++
		}
		if b {
			saved++
		}
	}
	if planned < cases*2/3 || saved < cases/2 {
		t.Errorf("of %d random kernels %d have plans, and %d are saved", cases, planned, saved)
	}
	// Skewed as squares are, z-scores lie below 0 on average.
	if mean, sure := sum/count, 4/math.Sqrt(count); !(-1-sure <= mean && mean <= 0.2+sure) {
		t.Errorf("measured mean squared errors are %.2g standard errors above the predicted ones on average of %v plans", mean, count)
	}
	t.Logf("of %d random kernels %d have plans, and %d are saved; a mean z-score of %.2g of %v", cases, planned, saved, sum/count, count)
}

// FuzzPlans does what TestRandomPlans does with other seeds: go test -run - -fuzz FuzzPlans .
func FuzzPlans(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { newRandomPlanCase(seed).check(t, 100) })
}
