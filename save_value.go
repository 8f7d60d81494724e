// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// longArray is the largest number of elements of an array that a file has as JSON. Longer arrays are raw.
const longArray = 16

// A saver makes JSON values from kernels, plans and maps. It keeps the first error.
type saver struct {
	data *[][]float64 // the raw arrays of the file; nil if all numbers are to be JSON
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
	var w document.Writer
	w.WriteValue(v, 0, 0)
	return w.Bytes(), w.Err
}

var (
	kernelType   = reflect.TypeFor[Kernel]()
	seriesType   = reflect.TypeFor[series.Series]()
	lawType      = reflect.TypeFor[series.Law]()
	weighterType = reflect.TypeFor[Weighter]()
	drawerType   = reflect.TypeFor[Drawer]()
	matrixType   = reflect.TypeFor[mat.Matrix]()
	mapType      = reflect.TypeFor[FeatureMap]()
	floatsType   = reflect.TypeFor[[]float64]()
)

// namedTypes are the interfaces whose values are saved with the name of their type.
var namedTypes = []reflect.Type{kernelType, seriesType, lawType, weighterType, drawerType}

// value returns the JSON value of v, field by field. A type may have its own method save.
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
		if own, ok := v.Interface().(interface{ save(s *saver) any }); ok {
			return own.save(s)
		}
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
			if all[i] = s.value(v.Index(i)); all[i] == nil {
				return s.fail("a list of kernels with a nil one cannot be saved")
			}
		}
		return all
	}
	return s.fail("a %v cannot be saved", v.Type())
}

// dynamic returns the JSON value of what the interface v holds.
func (s *saver) dynamic(v reflect.Value) any {
	if check.IsNil(v.Interface()) {
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

// fields returns the JSON value of a struct, in the form that savedFields tells.
func (s *saver) fields(v reflect.Value) any {
	fields, form := savedFields(v.Type())
	if form != "" {
		var all []any
		for _, f := range fields {
			if field := v.Field(f.index); field.Kind() == reflect.Interface && check.IsNil(field.Interface()) {
				return s.fail("%s of nil cannot be saved", ownNames[v.Type()])
			}
			all = append(all, s.value(v.Field(f.index)))
		}
		if form == "inline" {
			return all[0]
		}
		return all
	}
	o := document.Object{}
	for _, f := range fields {
		if field := v.Field(f.index); !f.omit || !field.IsZero() {
			o = o.With(f.name, s.value(field))
			if f.required && check.IsNil(field.Interface()) {
				return s.fail("%s %s cannot be saved: it is nil", ownNames[v.Type()], f.name)
			}
		}
	}
	return o
}

// A savedField is an exported field of a struct that is saved.
type savedField struct {
	index          int
	name           string
	omit, required bool // left out if it is zero; refused if it is missing
}

// savedFields returns the exported fields of a struct, and the form in which they are saved: "" as the members of an
// object, "list" as an array, and "inline" as the only field, instead of the struct. The tag save of a field has its
// name, and after a comma "omitempty", "required" or the form.
func savedFields(t reflect.Type) (fields []savedField, form string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("save"), ",")
		fields = append(fields, savedField{i, cmp.Or(name, f.Name), option == "omitempty", option == "required"})
		if option == "inline" || option == "list" {
			form = option
		}
	}
	return fields, form
}

// saveFloat returns a number as JSON, which has no Inf and NaN.
func saveFloat(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return fmt.Sprint(v)
	}
	return v
}

// floats returns a JSON array of numbers. For a long array it returns the number of the file's raw array with them.
func (s *saver) floats(v []float64) any {
	if s.data != nil && len(v) > longArray {
		*s.data = append(*s.data, v)
		return document.With("data", len(*s.data)-1)
	}
	all := make([]any, len(v))
	for i, v := range v {
		all[i] = saveFloat(v)
	}
	return all
}

// matrix returns the JSON value of a matrix: its elements by rows, or the diagonal of a mat.DiagDense.
func (s *saver) matrix(a mat.Matrix) any {
	r, c := a.Dims()
	if d, ok := a.(*mat.DiagDense); ok {
		diagonal := make([]float64, r)
		for i := range diagonal {
			diagonal[i] = d.At(i, i)
		}
		return document.With("diagonal", s.floats(diagonal))
	}
	values := make([]float64, 0, r*c)
	for i := range r {
		values = append(values, mat.Row(nil, i, a)...)
	}
	return document.With("rows", r).With("cols", c).With("values", s.floats(values))
}

// named returns the JSON value of a kernel, series, law, weighter or drawer: an object with one member, the name of its
// type or function.
func (s *saver) named(v any) any {
	if s.err != nil {
		return nil
	}
	if own, ok := v.(interface{ Saved() any }); ok && check.Own(v) {
		v = own.Saved()
	}
	if k, ok := v.(Kernel); ok {
		v = plainKernel(k)
	}
	v = check.Value(v)
	if name, content := s.own(v); name != "" {
		return document.With(name, content)
	}
	switch {
	case reflect.TypeOf(v).Kind() == reflect.Func:
		return s.fail("a %T cannot be saved: it is a function; a type of its own can be registered", v)
	case check.Own(v):
		return s.fail("a %T cannot be saved", v)
	}
	return s.callersValue(v)
}

// own returns the name that a value of this package is saved with, and its JSON value. For other values the name is "".
func (s *saver) own(v any) (name string, content any) {
	if !check.Own(v) {
		return "", nil
	}
	if name, ok := ownNames[reflect.TypeOf(v)]; ok {
		if f, ok := v.(series.Coefficients); ok {
			return name, s.floats(f) // an empty array, not null
		}
		return name, s.value(reflect.ValueOf(v))
	}
	if k, ok := v.(skeletonKernel); ok {
		return "Skeleton", s.skeleton(k)
	}
	return "", nil
}

// ownTypes are the types that are saved by their exported fields, by name, and ownNames are the names by type: names of
// the types themselves, or of the functions that make their values.
var (
	ownTypes = typesOf(
		Constant{}, Linear{}, Gaussian{}, Laplacian{}, Cauchy{}, Matern{}, RationalQuadratic{}, Periodic{}, SpectralMixture{},
		Polynomial{}, ExpDot{}, ArcCosine{},
		Binary{}, Circle{}, Categories{}, Sphere{}, BlackBox{},
		Sum(), Product(), Scale(1, nil), Compose(nil, nil), Weight(nil, nil), Project(nil, nil), ARD(nil, nil), Select(nil, nil), SymLog(nil, nil),
		series.Coefficients{}, series.Exp{}, series.Geometric{}, series.HermiteDual{}, series.ReLUDual{}, series.StepDual{}, series.ErfDual{}, series.SineDual{}, series.CosineDual{},
		series.GeometricLaw{}, series.OptimalLaw{}, series.TruncatedLaw{},
	)
	ownNames = make(map[reflect.Type]string)
)

func init() {
	for name, v := range map[string]any{
		"Dot": dot{}, "FromMap": fromMap{}, "lawByData": power.DataLaw{}, "binomial": power.Binomial{}, "scaled": power.Scaled{}, "dilated": power.Dilated{},
		"sum": power.Sum{}, "product": power.Product{}, "composed": power.Composed{},
	} {
		ownTypes[name] = reflect.TypeOf(v)
	}
	for name, t := range ownTypes {
		ownNames[t] = name
	}
}

func typesOf(values ...any) map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for _, v := range values {
		t := reflect.TypeOf(check.Value(v))
		name := t.Name()
		if e, ok := v.(ownExpression); ok {
			name = e.head().op
		}
		types[name] = t
	}
	return types
}

// callersValue returns the JSON value that encoding/json makes from a value of a registered type.
func (s *saver) callersValue(v any) any {
	name, ok := registry.name(reflect.TypeOf(v))
	if !ok {
		return s.fail("a %T cannot be saved: its type is not registered", v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return s.fail("a %T cannot be saved: %w", v, err)
	}
	return document.With(name, json.RawMessage(raw))
}
