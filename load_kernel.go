// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// named returns a kernel, series, law, weighter or drawer, of the interface t, by the name of its type or function.
func (l *loader) named(t reflect.Type, v any) (any, error) {
	o, ok := v.(map[string]any)
	if !ok || len(o) != 1 {
		return nil, refused("%s must be a %s: an object with one member, its name", brief(v), t.Name())
	}
	for name, content := range o {
		of, err := l.called(name, content)
		if of == nil && err == nil {
			of, err = l.callersValue(name, content)
		}
		if err != nil {
			return nil, in(name, err)
		}
		if of == nil || !reflect.TypeOf(of).Implements(t) {
			return nil, refused("%.40q is no %s", name, t.Name())
		}
		return of, nil
	}
	return nil, nil // not reached
}

// called returns the value of a name of this package, or nil if there is none.
func (l *loader) called(name string, v any) (any, error) {
	if err := l.budget.take(costOfValue, 0); err != nil {
		return nil, err
	}
	if t, ok := ownTypes[name]; ok {
		of := reflect.New(t).Elem()
		err := l.value(of, v)
		return of.Interface(), err
	}
	switch name {
	case "Sum", "Product":
		return l.flat(name, v)
	case "Dot":
		f, err := l.seriesOf(v)
		if err != nil {
			return nil, err
		}
		return Dot(f), nil
	case "FromMap":
		m, err := l.mapped(v)
		if err != nil {
			return nil, err
		}
		return FromMap(m), nil
	case "Skeleton":
		return l.skeleton(v)
	case "lawByData":
		var of savedDataLaw
		if err := l.fields(reflect.ValueOf(&of).Elem(), v); err != nil {
			return nil, err
		}
		law := dataLaw{of.Root, of.Factors}
		return law, law.validateFactors()
	}
	if f, ok := functions[name]; ok {
		return l.function(name, f, v)
	}
	f, err := l.series(name, v)
	if f == nil {
		return nil, err // not a nil Series
	}
	return f, err
}

// costOfValue is about how many bytes a kernel or series takes besides its parameters.
const costOfValue = 1 << 10

// seriesOf returns a series.
func (l *loader) seriesOf(v any) (Series, error) {
	f, err := l.named(seriesType, v)
	if err != nil {
		return nil, err
	}
	return f.(Series), nil
}

func (l *loader) kernel(v any) (Kernel, error) {
	k, err := l.named(kernelType, v)
	if err != nil {
		return nil, err
	}
	return k.(Kernel), nil
}

// flat returns a sum or a product.
func (l *loader) flat(name string, v any) (Kernel, error) {
	all, ok := v.([]any)
	if err := expect(ok, v, "an array of kernels"); err != nil {
		return nil, err
	}
	ks := make([]Kernel, len(all))
	for i, v := range all {
		var err error
		if ks[i], err = l.kernel(v); err != nil {
			return nil, err
		}
	}
	if name == "Sum" {
		return Sum(ks...), nil
	}
	return Product(ks...), nil
}

// functions are the functions of the kernel algebra that have a parameter besides kernels.
var functions map[string]function

func init() { // they call each other
	functions = map[string]function{
		"Scale":     {"c", reflect.TypeFor[float64](), func(c any, k Kernel) Kernel { return Scale(c.(float64), k) }},
		"Compose":   {"f", seriesType, func(f any, k Kernel) Kernel { return Compose(f.(Series), k) }},
		"Weight":    {"w", weighterType, func(w any, k Kernel) Kernel { return Weight(w.(Weighter), k) }},
		"Project":   {"A", matrixType, func(a any, k Kernel) Kernel { return Project(a.(mat.Matrix), k) }},
		"ARD":       {"lengthScales", floatsType, func(l any, k Kernel) Kernel { return ARD(l.([]float64), k) }},
		"Select":    {"cols", reflect.TypeFor[[]int](), func(cols any, k Kernel) Kernel { return Select(cols.([]int), k) }},
		"Quadratic": {"A", matrixType, nil},
	}
}

// A function makes a kernel of a parameter, and of another kernel.
type function struct {
	parameter string
	kind      reflect.Type // of the parameter
	call      func(given any, k Kernel) Kernel
}

func (l *loader) function(name string, f function, v any) (Kernel, error) {
	o, ok := v.(map[string]any)
	if err := expect(ok, v, "an object"); err != nil {
		return nil, err
	}
	members := []string{f.parameter, "k"}
	if name == "Quadratic" { // the one function of no kernel
		members = members[:1]
	}
	for _, member := range members {
		if _, ok := o[member]; !ok {
			return nil, refused("there must be a parameter %q", member)
		}
	}
	for member := range o {
		if !slices.Contains(members, member) {
			return nil, refused("there is no parameter %.40q", member)
		}
	}
	given, err := l.given(f, o[f.parameter])
	if err != nil {
		return nil, in(f.parameter, err)
	}
	if name == "Quadratic" {
		return l.quadratic(given.(mat.Matrix))
	}
	k, err := l.kernel(o["k"])
	if err != nil {
		return nil, err
	}
	return f.call(given, k), nil
}

// given returns the parameter of a function besides kernels.
func (l *loader) given(f function, v any) (any, error) {
	given := reflect.New(f.kind).Elem()
	if err := l.value(given, v); err != nil {
		return nil, err
	}
	if f.kind.Kind() == reflect.Interface && given.IsNil() {
		return nil, refused("it must not be null")
	}
	if f.kind == matrixType {
		r, c := given.Interface().(mat.Matrix).Dims()
		if err := l.budget.take(2*8*float64(r)*float64(c), 0); err != nil {
			return nil, err
		}
	}
	return given.Interface(), nil
}

// quadratic returns Quadratic of a matrix, which must be symmetric.
func (l *loader) quadratic(a mat.Matrix) (Kernel, error) {
	n, c := a.Dims()
	size := float64(n) * float64(c)
	if err := l.budget.take(4*8*size, float64(n)*size); err != nil { // the matrix scaled, and its factor
		return nil, err
	}
	if n != c {
		return nil, refused("A is %d×%d: must be symmetric", n, c)
	}
	of := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			if !sameNumber(a.At(i, j), a.At(j, i)) {
				return nil, refused("A must be symmetric, and is not at (%d, %d)", i, j)
			}
			of.SetSym(i, j, a.At(i, j))
		}
	}
	return Quadratic(of), nil
}

// maxNestedSeries is how deep series that the algebra made may be nested. Each is in the text of those around it.
const maxNestedSeries = 128

// series returns a series that the algebra made, or nil.
func (l *loader) series(name string, v any) (Series, error) {
	if l.within++; l.within > maxNestedSeries {
		return nil, refused("series are nested more than %d deep", maxNestedSeries)
	}
	defer func() { l.within-- }()
	switch name {
	case "binomial":
		var of savedBinomial
		if err := l.fields(reflect.ValueOf(&of).Elem(), v); err != nil {
			return nil, err
		}
		return binomial{of.Degree, of.Scale, of.Offset}, Polynomial(of).validate(0)
	case "scaled", "dilated":
		var of savedScaled
		if err := l.fields(reflect.ValueOf(&of).Elem(), v); err != nil {
			return nil, err
		}
		if of.F == nil || !(of.C >= 0 && of.C <= math.MaxFloat64) {
			return nil, refused("a %s series must have a series f, and c = %v must be finite and at least 0", name, of.C)
		}
		if name == "scaled" {
			return scaledSeries{of.C, ownSeries(of.F)}, nil
		}
		return dilate(ownSeries(of.F), of.C), nil
	case "sum", "product", "composed":
		all, ok := v.([]any)
		if !ok || len(all) != 2 {
			return nil, refused("%s must be an array of two series", brief(v))
		}
		f, err := l.seriesOf(all[0])
		if err != nil {
			return nil, err
		}
		g, err := l.seriesOf(all[1])
		if err != nil {
			return nil, err
		}
		f, g = ownSeries(f), ownSeries(g)
		switch name {
		case "sum":
			return sumSeries{f, g}, nil
		case "product":
			return productSeries{f, g}, nil
		}
		if !composable(f) {
			return nil, refused("%s of %s is no series", source(f), source(g))
		}
		return composedSeries{f, g}, nil
	}
	return nil, nil
}

// callersValue returns a value of a caller's registered type, or nil.
func (l *loader) callersValue(name string, v any) (any, error) {
	t, ok := registry.typeOf(name)
	if !ok {
		return nil, refused("%.40q is no name: no type is registered by it", name)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, refused("%w", err)
	}
	of := reflect.New(t)
	if t.Kind() == reflect.Pointer {
		of = reflect.New(t.Elem())
	}
	if err := json.Unmarshal(raw, of.Interface()); err != nil {
		return nil, refused("%w", err)
	}
	l.callers = true
	if t.Kind() == reflect.Pointer {
		return of.Interface(), nil
	}
	return of.Elem().Interface(), nil
}
