// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Types of a caller, one for each interface whose values are saved by name.
type (
	savedWeight struct{ Offset float64 }
	savedDrawer struct{ Norm float64 }
	savedKernel struct{ Gaussian }
	savedSeries struct{ Degree int }
	savedLaw    struct{ Base float64 }

	// What JSON does not see of it matters.
	hiddenWeight struct{ offset float64 }
)

func init() {
	Register("featuremap_test.savedWeight", savedWeight{})
	Register("featuremap_test.savedDrawer", &savedDrawer{})
	Register("featuremap_test.savedKernel", savedKernel{})
	Register("featuremap_test.savedSeries", savedSeries{})
	Register("featuremap_test.savedLaw", savedLaw{})
	Register("featuremap_test.hiddenWeight", hiddenWeight{})
}

func (w savedWeight) Weight(x []float64) float64  { return w.Offset + x[0]*x[0] }
func (w hiddenWeight) Weight(x []float64) float64 { return w.offset + x[0]*x[0] }

// Draw draws z·x with a normal z: of the kernel ⟨x, y⟩.
func (d *savedDrawer) Draw(s *Sampler) (func(x []float64) float64, error) {
	z := d.Norm * s.Normal()
	return func(x []float64) float64 { return z * x[0] }, nil
}

func (f savedSeries) Eval(t float64) float64 { return math.Pow(t, float64(f.Degree)) }
func (f savedSeries) Deriv(t float64) float64 {
	return float64(f.Degree) * math.Pow(t, float64(f.Degree-1))
}
func (f savedSeries) Radius() float64 { return math.Inf(1) }
func (f savedSeries) Coeff(n int) float64 {
	if n == f.Degree {
		return 1
	}
	return 0
}

func (l savedLaw) Prob(_ series.Series, n int) float64 { return math.Pow(l.Base, -float64(n+1)) }

// A savedCase is a kernel on R^in that is saved under a name.
type savedCase struct {
	name   string
	in     int
	kernel Kernel
}

// savedKernels are all kernels, functions of the algebra and series.
func savedKernels() (all []savedCase) {
	g := Gaussian{LengthScale: 1.5}
	add := func(name string, in int, k Kernel) { all = append(all, savedCase{name, in, k}) }
	for name, k := range map[string]Kernel{
		"Constant": Constant{Value: 2}, "Linear": Linear{}, "Gaussian": g, "RBF": RBF(0.3), "Laplacian": Laplacian{LengthScale: 2},
		"Cauchy": Cauchy{LengthScale: 2}, "Matern": Matern{Nu: 2.5, LengthScale: 1}, "RationalQuadratic": RationalQuadratic{Alpha: 0.7, LengthScale: 1},
		"Periodic": Periodic{Period: 3, LengthScale: 0.8}, "SpectralMixture": mixture(3),
		"Polynomial": Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}, "ExpDot": ExpDot{LengthScale: 1.1},
		"ArcCosine":          ArcCosine{Order: 1},
		"Sphere":             Sphere{},
		"Sum":                Sum(g, Laplacian{LengthScale: 3}, Constant{Value: 0.5}, ExpDot{LengthScale: 2}),
		"Sum of kinds":       Sum(Linear{}, g, ArcCosine{Order: 0}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}),
		"Product":            Product(g, Matern{Nu: 1.5, LengthScale: 1}),
		"Product of dots":    Product(ExpDot{LengthScale: 2}, Polynomial{Degree: 2, Gamma: 1, Offset: 0.5}),
		"Product of kinds":   Product(Sum(g, Linear{}), Scale(2, ArcCosine{Order: 2})),
		"Scale":              Scale(1e-3, Sum(g, Scale(0.1, Linear{}))),
		"pointers":           Sum(&g, &Linear{}),
		"Weight":             Weight(savedWeight{1}, g),
		"Weight pulled":      Select([]int{2, 0}, Weight(savedWeight{0.5}, ARD([]float64{1, 2}, Sum(g, Linear{})))),
		"Project":            Project(mat.NewDense(2, 3, []float64{1, 0.5, -1, 0, 2, 1e-300}), g),
		"Project long":       Project(testkit.NormalPoints(8, 7, 3), g),
		"Project diagonal":   Project(mat.NewDiagDense(3, []float64{1, 0, -2}), Laplacian{LengthScale: 1}),
		"ARD":                ARD([]float64{0.5, 1, 2}, Matern{Nu: 0.5, LengthScale: 1}),
		"Select":             Select([]int{2, 0}, g),
		"DotOfSeries":        Dot(SeriesOf(Sum(ExpDot{LengthScale: 1}, Scale(2, Dot(series.SineDual{Rate: 0.5})), Polynomial{Degree: 4, Gamma: 1, Offset: 1}))),
		"of a caller":        savedKernel{g},
		"series of a caller": Dot(savedSeries{3}),
		"sum with a caller":  Sum(Linear{}, savedKernel{g}),
	} {
		add(name, 3, k)
	}
	for name, f := range savedSeriesCases() {
		add("Dot "+name, 3, Dot(f))
		if !math.IsInf(f.Deriv(1), 1) { // else it has no map
			add("Compose "+name, 3, Compose(f, Gaussian{LengthScale: 2}))
		}
		if f.Radius() > 1 {
			add("Compose kinds "+name, 3, Compose(f, Scale(0.3, Sum(ArcCosine{Order: 0}, g))))
		}
	}
	add("Binary", 1, Binary{})
	add("Circle", 1, Circle{})
	add("Categories", 1, Categories{N: 4})
	add("BlackBox", 1, BlackBox{Of: Linear{}, Draw: &savedDrawer{1}, Bound: 3})
	add("FromMap", 3, FromMap(testkit.Must(NewFourier(g, 3, 4, NewSampler(2), nil))))
	add("FromMap of New", 3, Product(FromMap(testkit.Must(testkit.New(Sum(g, Linear{}), 3, 9, NewSampler(2)))), g))
	for name, sk := range savedSkeletons() {
		k, err := sk.Kernel()
		if err != nil {
			panic(name + ": " + err.Error())
		}
		add("Skeleton "+name, 16, k)
	}
	return all
}

// savedSeriesCases are series of all types, and those that the algebra makes of them.
func savedSeriesCases() map[string]series.Series {
	all := map[string]series.Series{
		"Coefficients": series.Coefficients{0.5, 0, 1, 0.25}, "Exp": series.Exp{Rate: 0.7, Shift: -0.1}, "Geometric": series.Geometric{Ratio: 0.4},
		"IdentityDual": series.HermiteDual{N: 1}, "HermiteDual": series.HermiteDual{N: 3}, "ReLUDual": series.ReLUDual{}, "StepDual": series.StepDual{},
		"ErfDual": series.ErfDual{}, "SineDual": series.SineDual{Rate: 0.8}, "CosineDual": series.CosineDual{Rate: 0.8}, "ExpDual": series.ExpDual(0.5),
	}
	for name, k := range map[string]Kernel{
		"scaled": Scale(2, Dot(series.ReLUDual{})), "sum": Sum(Dot(series.ReLUDual{}), ExpDot{LengthScale: 1}),
		"product":  Product(ExpDot{LengthScale: 1}, Dot(series.SineDual{Rate: 1})),
		"composed": Compose(series.ExpDual(1), Dot(series.ReLUDual{})),
		"dilated":  Sum(ExpDot{LengthScale: 1}, Compose(series.HermiteDual{N: 3}, Scale(0.5, Linear{}))),
		"binomial": Polynomial{Degree: 2, Gamma: 0.5, Offset: 0.5},
		"power":    Compose(Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}.Series(), Dot(series.ErfDual{})),
	} {
		all[name] = SeriesOf(k)
	}
	return all
}

// savedSkeletons are skeletons of points of R^16 made by every method.
func savedSkeletons() map[string]*Skeleton {
	all := make(map[string]*Skeleton)
	add := func(name string, build func(sk *Skeleton)) {
		sk := NewSkeleton(16)
		build(sk)
		all[name] = sk
	}
	add("lone input", func(sk *Skeleton) { sk.Input(Gaussian{LengthScale: 2}) })
	add("columns", func(sk *Skeleton) {
		a, b := sk.Input(Gaussian{LengthScale: 1}, 3, 1), sk.Input(Categories{N: 3}, 5)
		sk.WeightedUnit(series.ReLUDual{}, []float64{1, 0.25, 2}, a, b, a)
	})
	add("products", func(sk *Skeleton) {
		a, b := sk.Input(Linear{}, 0, 2), sk.Input(Circle{}, 4)
		unused := sk.Unit(series.ErfDual{}, a)
		u := sk.Unit(series.Exp{Rate: 1}, a, b, b)
		_ = unused
		sk.Product(u, b, u)
	})
	add("convolution", func(sk *Skeleton) {
		g := sk.Image(4, 4, 1, Circle{}).Conv(series.ReLUDual{}, 2, 1)
		g.Conv(series.ErfDual{}, 2, 1).Dense(series.Exp{Rate: 1})
	})
	add("image and patches", func(sk *Skeleton) {
		a := sk.Image(2, 2, 4, Binary{})
		b := sk.Patches(4, 2, 2, 2, 1, Sphere{})
		sk.Unit(series.ExpDual(0.5), a.Dense(series.HermiteDual{N: 1}), b.Conv(series.SineDual{Rate: 1}, 1, 1).At(0, 0, 0))
	})
	add("nested", func(sk *Skeleton) {
		of := NewSkeleton(2)
		of.Product(of.Input(Circle{}, 1), of.Input(Gaussian{LengthScale: 1}))
		k := testkit.Must(of.Kernel())
		sk.Unit(series.ExpDual(1), sk.Input(k, 9, 2), sk.Input(Sum(k, Scale(0.5, Sphere{})), 1, 4), sk.Input(BlackBox{Of: Linear{}, Draw: &savedDrawer{1}}, 3))
	})
	return all
}

// savedMaps are maps of all constructors with every option, and of New for savedKernels, by name.
var savedMaps = sync.OnceValue(func() map[string]FeatureMap {
	all := make(map[string]FeatureMap)
	add := func(name string, m FeatureMap, err error) {
		if _, twice := all[name]; err != nil || twice {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
		all[name] = m
	}
	for _, c := range savedKernels() {
		m, err := testkit.New(c.kernel, c.in, 24, NewSampler(4))
		add("New "+c.name, m, err)
	}
	g := Gaussian{LengthScale: 1.5}
	for _, o := range append(allOptions[:len(allOptions):len(allOptions)], structuredOptions...) {
		m, err := NewFourier(g, 3, 10, NewSampler(1), &o)
		add("Fourier "+optionsName(o), m, err)
	}
	m, err := NewFourier(ARD([]float64{1, 2, 3}, Sum(Matern{Nu: 1.5, LengthScale: 1}, Scale(0.5, g))), 3, 6, NewSampler(1), &FourierOptions{Design: Orthogonal})
	add("Fourier ARD", m, err)
	for _, o := range append(slices.Clone(quasiOptions), FourierOptions{Design: Sobol, Axes: turn(3)}) {
		m, err := NewFourier(Matern{Nu: 1.5, LengthScale: 1}, 3, 10, NewSampler(1), &o)
		add("Fourier "+optionsName(o), m, err)
	}
	savedMaclaurins(add)
	for order := range 3 {
		for _, d := range []Design{Independent, Orthogonal} {
			for form, out := range map[string]int{"few": 3, "many": 15} {
				m, err := NewNeurons(Scale(2, ArcCosine{Order: order}), 3, out, NewSampler(1), &NeuronsOptions{Orthogonal: d == Orthogonal})
				add(strings.Join([]string{"Neurons", []string{"0", "1", "2"}[order], d.String(), form}, " "), m, err)
			}
		}
	}
	for name, sk := range savedSkeletons() {
		m, err := NewCompositional(sk, 12, NewSampler(1))
		add("Compositional "+name, m, err)
	}
	savedPlans(add)
	savedOfData(add)
	savedRegistered(add)
	return all
})

// savedMaclaurins adds Maclaurin maps.
func savedMaclaurins(add func(name string, m FeatureMap, err error)) {
	k := Polynomial{Degree: 4, Gamma: 0.5, Offset: 1}
	for _, o := range maclaurinOptions(series.OptimalLaw{Norm: 0.9}) {
		m, err := NewMaclaurin(k, 3, 14, NewSampler(1), &o)
		add("Maclaurin "+maclaurinName(o), m, err)
	}
	for name, law := range map[string]series.Law{
		"GeometricLaw": series.GeometricLaw{P: 3}, "OptimalLaw": series.OptimalLaw{}, "TruncatedLaw": series.TruncatedLaw{Degree: 3}, "pointer": &series.OptimalLaw{Norm: 0.5},
		"TruncatedLaw of": series.TruncatedLaw{Law: series.OptimalLaw{Norm: 0.5}, Degrees: []int{1, 4, 2}}, "law of a caller": savedLaw{3},
		"TruncatedLaw of a caller's": series.TruncatedLaw{Law: savedLaw{3}, Degree: 5},
	} {
		m, err := NewMaclaurin(ExpDot{LengthScale: 1}, 3, 9, NewSampler(1), &MaclaurinOptions{Law: law})
		add("Maclaurin "+name, m, err)
	}
	for name, o := range map[string]MaclaurinOptions{
		"ExactDegree": {ExactDegree: 2}, "SumOfProducts": {SumOfProducts: true}, "SumOfProducts low": {SumOfProducts: true, ExactDegree: 1, Sketch: GaussianSketch},
	} {
		m, err := NewMaclaurin(k, 3, 20, NewSampler(1), &o)
		add("Maclaurin "+name, m, err)
	}
	m, err := NewMaclaurin(Project(mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}), Scale(0.01, k)), 3, 9, NewSampler(1), nil)
	add("Maclaurin Project", m, err)
}

// savedPlans adds maps of plans that are made for points.
func savedPlans(add func(name string, m FeatureMap, err error)) {
	s := NewSampler(5)
	cloud := func(at, spread float64) *mat.Dense {
		x := mat.NewDense(40, 3, nil)
		for i := range 40 {
			for j := range 3 {
				x.Set(i, j, at+spread*s.Normal())
			}
		}
		return x
	}
	near, far, wide := cloud(0, 0.2), cloud(2, 0.2), cloud(2, 1.5)
	plan := func(name string, k Kernel, out int, x mat.Matrix, o PlanOptions) {
		if x == nil {
			o.In = 3
		}
		p, err := NewPlan(k, x, out, &o)
		if err != nil {
			add(name, nil, err)
			return
		}
		m, err := p.Draw(NewSampler(1))
		add("plan "+name, m, err)
	}
	g := Gaussian{LengthScale: 2}
	plan("of an RMSE", Sum(g, Linear{}), 400, nil, PlanOptions{RMSE: 0.15})
	plan("of a Maclaurin side", g, 40, far, PlanOptions{})
	plan("of a Fourier side", ExpDot{LengthScale: 1.9}, 18, wide, PlanOptions{})
	plan("of a law by data", ExpDot{LengthScale: 1}, 40, near, PlanOptions{})
	plan("of a polynomial", Polynomial{Degree: 6, Gamma: 1, Offset: 1}, 60, far, PlanOptions{})
	plan("of SumOfProducts", Polynomial{Degree: 2, Gamma: 1.7, Offset: 1}, 6, cloud(0, 0.25), PlanOptions{Unbiased: true})
	plan("of exact terms", Sum(Linear{}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}, Constant{Value: 1}), 40, near, PlanOptions{})
	plan("of many terms", Sum(g, Laplacian{LengthScale: 3}, ExpDot{LengthScale: 1}, ArcCosine{Order: 1}), 60, far, PlanOptions{})
	plan("of a mixture", Sum(g, Laplacian{LengthScale: 3}, Cauchy{LengthScale: 3}, ArcCosine{Order: 1}), 5, far, PlanOptions{})
	plan("of a product", Product(g, Polynomial{Degree: 2, Gamma: 0.1, Offset: 1}), 40, far, PlanOptions{})
	plan("of a weight", Weight(savedWeight{1}, Sum(g, Linear{})), 40, near, PlanOptions{})
	plan("of split exponentials", Sum(ExpDot{LengthScale: 2}, Scale(0.5, ExpDot{LengthScale: 4})), 32, wide, PlanOptions{})
	plan("of a lattice", Select([]int{0}, Product(Periodic{Period: 2, LengthScale: 1}, Gaussian{LengthScale: 1})), 40, wide, PlanOptions{})
	plan("of a Taylor polynomial", g, 20, near, PlanOptions{})
	plan("of a Fourier series", Select([]int{0}, Periodic{Period: 2, LengthScale: 1}), 60, nil, PlanOptions{})
	plan("of a projection", Project(mat.NewDense(2, 3, []float64{1, 2, 3, 0.1, 0.2, -1}), g), 40, far, PlanOptions{})
}

// savedOfData adds maps that hold data.
func savedOfData(add func(name string, m FeatureMap, err error)) {
	g := Gaussian{LengthScale: 1.5}
	drawn := testkit.Must(NewFourier(g, 3, 8, NewSampler(1), &FourierOptions{RandomPhase: true}))
	x := testkit.NormalPoints(3, 12, 3)
	m, err := NewFourierFrom(g, drawn.Frequencies(), drawn.Phases())
	add("FourierFrom phases", m, err)
	m, err = NewFourierFrom(g, drawn.Frequencies(), nil)
	add("FourierFrom pairs", m, err)
	m, err = NewFourierFrom(Scale(2, g), mat.NewDense(1, 2, []float64{1, -2}), nil)
	add("FourierFrom short", m, err)
	for name, o := range map[string]NystromOptions{"AllRows": {}, "pivots": {Landmarks: RandomRows}} {
		l, err := NewNystrom(Sum(g, Laplacian{LengthScale: 1}), x, 12, NewSampler(1), &o)
		add("Nystrom "+name, l, err)
	}
	log := SymLog([]float64{0, 0.5, 2}, g)
	logarithms, err := New(Scale(3, log), x, 12, NewSampler(1))
	add("SymLog", logarithms, err)
	nystrom, err := NewNystrom(Sum(log, Linear{}), x, 6, NewSampler(1), nil)
	add("Nystrom SymLog", nystrom, err)
	for name, o := range map[string]*DataDependentOptions{
		"nil": nil, "Affinity": {Alpha: 1, Affinity: heat(x, 3)}, "Neighbors": {Alpha: 0.5, Power: 3, Neighbors: 3},
		"Features": {Alpha: 2, Features: testkit.Must(NewNeurons(ArcCosine{Order: 1}, 3, 20, NewSampler(3), nil))},
	} {
		d, err := NewDataDependent(drawn, x, o)
		add("DataDependent "+name, d, err)
		if name == "Neighbors" {
			again, err := NewDataDependent(d, x, o)
			add("DataDependent twice", again, err)
			nested, err := testkit.New(Product(FromMap(d), g), 3, 12, NewSampler(1))
			add("FromMap of DataDependent", nested, err)
		}
	}
}
