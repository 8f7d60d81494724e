// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"go/ast"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// zeroValues are all exported types but interfaces, and functions, whose zero value is nil.
var zeroValues = []any{
	new(ArcCosine), new(Binary), new(BlackBox), new(Categories), new(Cauchy), new(Circle), new(series.Coefficients),
	new(Compositional), new(CompositionalBound), new(FourierBound), new(HoeffdingBound), new(MaclaurinBound), new(KernelJSON), new(Constant), new(series.CosineDual), new(DataDependent),
	new(DataDependentOptions), new(DecodeOptions), new(Design), new(series.ErfDual), new(series.Exp), new(ExpDot), new(Fourier),
	new(FourierOptions), new(Gaussian), new(series.Geometric), new(series.GeometricLaw), new(GramBound), new(Grid), new(series.HermiteDual),
	new(Nystrom), new(NystromOptions), new(Laplacian), new(LearningBound), new(Linear), new(Maclaurin), new(Map32),
	new(MaclaurinOptions), new(Matern), new(Neurons), new(NeuronsOptions), new(Node), new(series.OptimalLaw), new(Periodic),
	new(PlanOptions), new(Polynomial), new(RationalQuadratic), new(series.ReLUDual), new(Sampler), new(LandmarkChoice), new(series.SineDual), new(Skeleton),
	new(Sketch), new(SpectralMixture), new(Sphere), new(series.StepDual),
	new(TailBound), new(TooFewError), new(series.TruncatedLaw),
}

// Every exported type has its zero value tested by TestZeroValues, or by TestPlanZero.
func TestZeroValuesAreAll(t *testing.T) {
	listed := map[string]bool{"WeightFunc": true, "Plan": true} // TestPlanZero
	for _, v := range zeroValues {
		listed[reflect.TypeOf(v).Elem().Name()] = true
	}
	_, files := parsedFiles(t)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if of, ok := n.(*ast.TypeSpec); ok && of.Name.IsExported() && !listed[of.Name.Name] {
				if _, ok := of.Type.(*ast.InterfaceType); !ok {
					t.Errorf("%s is not among the types whose zero value is tested", of.Name.Name)
				}
			}
			return true
		})
	}
}

// zeroArguments are arguments for each type that methods take, nil only for those that return an error.
func zeroArguments(of reflect.Type, returnsError bool) (all []any) {
	switch of {
	case reflect.TypeFor[int]():
		return []any{0, 1, -1}
	case reflect.TypeFor[float64]():
		return []any{0.0, 0.5, math.NaN()}
	case reflect.TypeFor[[]float64]():
		return []any{[]float64(nil), []float64{}, []float64{1}, []float64{1, 2}}
	case reflect.TypeFor[[]float32]():
		return []any{[]float32(nil), []float32{}, []float32{1}}
	case reflect.TypeFor[blas32.General]():
		return []any{blas32.General{}, blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: make([]float32, 1)}}
	case reflect.TypeFor[[]int]():
		return []any{[]int(nil), []int{0}}
	case reflect.TypeFor[[]byte]():
		return []any{[]byte(nil), []byte("{}")}
	case reflect.TypeFor[*mat.Dense]():
		return []any{new(mat.Dense), mat.NewDense(1, 1, nil)}
	case reflect.TypeFor[mat.Matrix]():
		all = []any{new(mat.Dense), mat.NewDense(1, 1, nil), mat.NewDense(2, 3, nil)}
	case reflect.TypeFor[*Sampler]():
		all = []any{NewSampler(1)}
	case reflect.TypeFor[Kernel]():
		return []any{nil, Gaussian{LengthScale: 1}, new(BlackBox), FromMap(new(Fourier))}
	case reflect.TypeFor[series.Series]():
		all = []any{series.ReLUDual{}, series.Coefficients(nil)}
	case reflect.TypeFor[[]Node]():
		return []any{[]Node(nil), []Node{{}}}
	}
	if returnsError {
		all = append(all, nil)
	}
	return all
}

// Methods of zero values return what their documentation says, an error or a panic with one of gonum's errors, such as
// mat.ErrShape: no nil is followed. What returns an error does not panic.
func TestZeroValues(t *testing.T) {
	for _, zero := range zeroValues {
		of := reflect.TypeOf(zero)
		for i := range of.NumMethod() {
			m := of.Method(i)
			last := m.Type.NumOut() - 1
			returnsError := last >= 0 && m.Type.Out(last) == reflect.TypeFor[error]()
			lists := [][]reflect.Value{{}}
			for j := 1; j < m.Type.NumIn(); j++ {
				arguments := zeroArguments(m.Type.In(j), returnsError)
				if arguments == nil {
					t.Fatalf("%v.%s: no argument for a %v", of, m.Name, m.Type.In(j))
				}
				var longer [][]reflect.Value
				for _, l := range lists {
					for _, a := range arguments {
						v := reflect.New(m.Type.In(j)).Elem()
						if a != nil {
							v.Set(reflect.ValueOf(a))
						}
						longer = append(longer, append(append([]reflect.Value(nil), l...), v))
					}
				}
				lists = longer
			}
			for _, l := range lists {
				func() {
					defer func() {
						switch p := recover().(type) {
						case nil:
						case mat.Error:
							if !returnsError {
								break
							}
							t.Errorf("%v.%s%v: panic %v, and it returns an error", of, m.Name, l, p)
						default:
							t.Errorf("%v.%s%v: panic %v", of, m.Name, l, p)
						}
					}()
					receiver := reflect.New(of.Elem())
					if call := receiver.Method(i); m.Type.IsVariadic() {
						call.CallSlice(l)
					} else {
						call.Call(l)
					}
				}()
			}
		}
	}
}

// Functions that return no error panic with one of gonum's errors for shapes.
func TestShapePanics(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	two, three, empty := mat.NewDense(2, 3, nil), mat.NewDense(3, 2, nil), new(mat.Dense)
	f := testkit.Must(NewFourier(g, 3, 8, NewSampler(1), nil))
	for name, call := range map[string]func(){
		"Gram of a dst":           func() { Gram(mat.NewSymDense(3, nil), g, two) },
		"Gram of no rows":         func() { Gram(new(mat.SymDense), g, empty) },
		"Gram of another width":   func() { Gram(new(mat.SymDense), ARD([]float64{1, 2}, g), two) },
		"CrossGram of two widths": func() { CrossGram(new(mat.Dense), g, two, three) },
		"CrossGram of no rows":    func() { CrossGram(new(mat.Dense), g, two, empty) },
		"CrossGram of a dst":      func() { CrossGram(mat.NewDense(1, 1, nil), g, two, two) },
		"Eval of two lengths":     func() { Sum(g, Linear{}).Eval([]float64{1}, []float64{1, 2}) },
		"Eval of another length":  func() { FromMap(f).Eval([]float64{1}, []float64{1}) },
		"Variance":                func() { f.Variance([]float64{1}, []float64{1}) },
		"TransformTo":             func() { f.TransformTo(new(mat.Dense), three) },
		"TransformTo of no rows":  func() { f.TransformTo(new(mat.Dense), empty) },
		"TransformVec":            func() { f.TransformVec(nil, nil) },
		"Eval of a mixture": func() {
			SpectralMixture{Weights: []float64{1, 1}, Means: two, Scales: two}.Eval([]float64{1}, []float64{1})
		},
		"Eval of a category":        func() { Categories{N: 2}.Eval(nil, nil) },
		"Eval of a deformed kernel": func() { testkit.Must(NewDataDependent(f, two, nil)).Kernel().Eval([]float64{1}, []float64{1, 2}) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(mat.Error); !ok {
					t.Errorf("%s: no panic with an error of gonum's", name)
				}
			}()
			call()
		}()
	}
}
