// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// longArray is the number of elements beyond which an array of a file is raw data, not JSON.
const longArray = 16

// A saver makes JSON values of kernels, plans and maps. The first error is kept.
type saver struct {
	data *[][]float64 // the raw arrays of the file; nil: all is JSON
	err  error
}

func (s *saver) fail(format string, args ...any) any {
	if s.err == nil {
		s.err = fmt.Errorf("featuremap: "+format, args...)
	}
	return nil
}

// json returns a value as JSON, indented for people to read, or the first error.
func (s *saver) json(v any) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	var w jsonWriter
	w.write(v, 0, 0)
	return w.Bytes(), w.err
}

var (
	kernelType   = reflect.TypeFor[Kernel]()
	seriesType   = reflect.TypeFor[Series]()
	lawType      = reflect.TypeFor[DegreeLaw]()
	weighterType = reflect.TypeFor[Weighter]()
	drawerType   = reflect.TypeFor[Drawer]()
	matrixType   = reflect.TypeFor[mat.Matrix]()
	mapType      = reflect.TypeFor[FeatureMap]()
	floatsType   = reflect.TypeFor[[]float64]()
)

// namedTypes are the interfaces whose values are saved with the name of their type.
var namedTypes = []reflect.Type{kernelType, seriesType, lawType, weighterType, drawerType}

// value returns a value of a type that is saved field by field.
func (s *saver) value(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Float64:
		return saveFloat(v.Float())
	case reflect.Int, reflect.Bool, reflect.String:
		return v.Interface()
	case reflect.Interface:
		return s.dynamic(v)
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return s.value(v.Elem())
	case reflect.Struct:
		return s.fields(v)
	case reflect.Slice:
		switch {
		case v.IsNil():
			return nil
		case v.Type() == floatsType || v.Type().ConvertibleTo(floatsType):
			return s.floats(v.Convert(floatsType).Interface().([]float64))
		}
		all := make([]any, v.Len())
		for i := range all {
			all[i] = s.value(v.Index(i))
		}
		return all
	}
	return s.fail("a %v cannot be saved", v.Type())
}

// dynamic returns the value of an interface.
func (s *saver) dynamic(v reflect.Value) any {
	if isNil(v.Interface()) {
		return nil
	}
	switch v.Type() {
	case matrixType:
		return s.matrix(v.Interface().(mat.Matrix))
	case mapType:
		return s.mapped(v.Interface().(FeatureMap))
	}
	return s.named(v.Interface())
}

// fields returns the fields of a struct. The tag save gives their names, and after a comma "omitempty".
func (s *saver) fields(v reflect.Value) any {
	o := object{}
	for i := range v.NumField() {
		name, omit := fieldName(v.Type().Field(i))
		if omit && v.Field(i).IsZero() {
			continue
		}
		o = append(o, member{name, s.value(v.Field(i))})
	}
	return o
}

// fieldName returns the name of a field in JSON, and whether it is left out if it is zero.
func fieldName(f reflect.StructField) (name string, omit bool) {
	tag, ok := f.Tag.Lookup("save")
	if !ok {
		return f.Name, false
	}
	return strings.CutSuffix(tag, ",omitempty")
}

// saveFloat returns a number as JSON, which has none for Inf and NaN.
func saveFloat(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return fmt.Sprint(v)
	}
	return v
}

// floats returns an array: of numbers, or as the number of a raw array of the file.
func (s *saver) floats(v []float64) any {
	if s.data != nil && len(v) > longArray {
		*s.data = append(*s.data, v)
		return object{{"data", len(*s.data) - 1}}
	}
	all := make([]any, len(v))
	for i, v := range v {
		all[i] = saveFloat(v)
	}
	return all
}

// matrix returns a matrix, by rows, or a diagonal one by its diagonal.
func (s *saver) matrix(a mat.Matrix) any {
	r, c := a.Dims()
	if d, ok := a.(*mat.DiagDense); ok {
		diagonal := make([]float64, r)
		for i := range diagonal {
			diagonal[i] = d.At(i, i)
		}
		return object{{"diagonal", s.floats(diagonal)}}
	}
	values := make([]float64, 0, r*c)
	for i := range r {
		values = append(values, mat.Row(nil, i, a)...)
	}
	return object{{"rows", r}, {"cols", c}, {"values", s.floats(values)}}
}

// named returns a kernel, series, law, weighter or drawer: an object with one member, the name of its type or function.
func (s *saver) named(v any) any {
	if s.err != nil {
		return nil
	}
	if _, ok := v.(expressed); !ok {
		v = valueOf(v)
	}
	if name, content := s.own(v); name != "" {
		return object{{name, content}}
	}
	switch {
	case reflect.TypeOf(v).Kind() == reflect.Func:
		return s.fail("a %T cannot be saved: it is a function; a type of its own can be registered", v)
	case isOwn(v):
		return s.fail("a %T cannot be saved", v)
	}
	return s.callersValue(v)
}

// own returns a value of this package with the name that it is saved under, or "".
func (s *saver) own(v any) (name string, content any) {
	if !isOwn(v) {
		return "", nil
	}
	t := reflect.TypeOf(v)
	if ownTypes[t.Name()] == t {
		if t.Kind() == reflect.Slice {
			return t.Name(), s.floats(reflect.ValueOf(v).Convert(floatsType).Interface().([]float64))
		}
		return t.Name(), s.fields(reflect.ValueOf(v))
	}
	switch v := v.(type) {
	case expressed:
		return s.expression(v.written())
	case dot:
		return s.dot(v)
	case callersLaw:
		o, ok := s.named(v.DegreeLaw).(object)
		if !ok || len(o) != 1 {
			return "", nil
		}
		return o[0].name, o[0].value
	case fromMap:
		return "FromMap", s.mapped(v.m)
	case skeletonKernel:
		return "Skeleton", s.skeleton(v.graph)
	case dataLaw:
		return "lawByData", s.value(reflect.ValueOf(savedDataLaw{v.s, v.h}))
	case Series:
		return s.series(v)
	}
	return "", nil
}

// expression returns an expression of the kernel algebra as the call of its function.
func (s *saver) expression(e *expression) (name string, content any) {
	kernels := make([]any, len(e.args))
	for i, k := range e.args {
		if isNil(k) {
			s.fail("%s of a nil kernel cannot be saved", e.name)
			return "", nil
		}
		kernels[i] = s.named(k)
	}
	if e.flat() {
		return e.name, kernels
	}
	var given any
	switch v := e.given.(type) {
	case nil:
		s.fail("%s without its first argument cannot be saved: %v", e.name, e.err)
		return "", nil
	case float64:
		given = saveFloat(v)
	case []float64:
		given = s.floats(v)
	case []int:
		given = s.value(reflect.ValueOf(v))
	case mat.Matrix:
		given = s.matrix(v)
	default:
		given = s.named(v)
	}
	o := object{{functions[e.name].parameter, given}}
	if e.name != "Quadratic" {
		o = append(o, member{"k", kernels[0]})
	}
	return e.name, o
}

// dot returns the kernel f(⟨x, y⟩). What the algebra made of series is saved as series.
func (s *saver) dot(k dot) (name string, content any) {
	if isNil(k.f) {
		s.fail("Dot of a nil series cannot be saved")
		return "", nil
	}
	return "Dot", s.named(k.f)
}

// series returns a series that the algebra made.
func (s *saver) series(f Series) (name string, content any) {
	two := func(a, b Series) any { return []any{s.named(a), s.named(b)} }
	scaled := func(c float64, f Series) any { return s.value(reflect.ValueOf(savedScaled{c, f})) }
	switch f := f.(type) {
	case binomial:
		return "binomial", s.value(reflect.ValueOf(savedBinomial{f.p, f.scale, f.offset}))
	case scaledSeries:
		return "scaled", scaled(f.c, f.f)
	case dilated:
		return "dilated", scaled(f.c, f.f)
	case dilatedWide:
		return "dilated", scaled(f.c, f.f)
	case sumSeries:
		return "sum", two(f.f, f.g)
	case productSeries:
		return "product", two(f.f, f.g)
	case composedSeries:
		return "composed", two(f.f, f.g)
	}
	return "", nil
}

// The forms in which unexported types are saved.
type (
	savedDataLaw struct {
		Root    float64   `save:"root"`
		Factors []float64 `save:"factors"`
	}
	savedBinomial struct {
		Degree int     `save:"degree"`
		Scale  float64 `save:"scale"`
		Offset float64 `save:"offset"`
	}
	savedScaled struct {
		C float64 `save:"c"`
		F Series  `save:"f"`
	}
)

// ownTypes are the types that are saved by their exported fields, by name.
var ownTypes = typesOf(
	Constant{}, Linear{}, Gaussian{}, Laplacian{}, Cauchy{}, Matern{}, RationalQuadratic{}, Periodic{}, SpectralMixture{},
	Polynomial{}, ExpDot{}, InfinitePolynomial{}, ArcCosine{},
	Binary{}, Circle{}, Categories{}, Sphere{}, SphereUniform{}, SphereCoordinate{}, BlackBox{},
	Coefficients{}, Exp{}, Geometric{}, IdentityDual{}, HermiteDual{}, ReLUDual{}, StepDual{}, ErfDual{}, SineDual{}, CosineDual{},
	GeometricLaw{}, OptimalLaw{}, TruncatedLaw{},
)

func typesOf(values ...any) map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for _, v := range values {
		types[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	return types
}

// callersValue returns a value of a caller's registered type, as encoding/json has it.
func (s *saver) callersValue(v any) any {
	name, ok := registry.name(reflect.TypeOf(v))
	if !ok {
		return s.fail("a %T cannot be saved: its type is not registered", v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return s.fail("a %T cannot be saved: %w", v, err)
	}
	return object{{name, json.RawMessage(raw)}}
}
