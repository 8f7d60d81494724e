// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
)

// A loader makes kernels, plans and maps of JSON values, which it does not trust.
type loader struct {
	data    [][]float64 // the raw arrays of the file, in the order of their use
	used    int         // the number of them that have been used
	callers bool        // whether a value of a caller's type was made
	nested  int         // the number of maps around the value that is being read
	within  int         // the number of series around it

	bytes, steps float64 // what is left of maxBytes and mostSteps: see take
	maxBytes     float64
	more         string // tells in errors how to allow more bytes
}

// value sets dst to the value whose JSON value is v.
func (l *loader) value(dst reflect.Value, v any) error {
	if kind := dst.Kind(); v == nil && (kind == reflect.Pointer || kind == reflect.Interface || kind == reflect.Slice) {
		dst.SetZero() // nil is saved as null
		return nil
	}
	switch dst.Kind() {
	case reflect.Float64:
		f, err := document.Float(v)
		dst.SetFloat(f)
		return err
	case reflect.Int:
		n, err := document.Int(v)
		dst.SetInt(int64(n))
		return err
	case reflect.Bool:
		b, ok := v.(bool)
		dst.SetBool(b)
		return document.Expect(ok, v, "true or false")
	case reflect.String:
		s, ok := v.(string)
		dst.SetString(s)
		return document.Expect(ok, v, "a string")
	case reflect.Interface:
		value, err := l.dynamic(dst.Type(), v)
		if err == nil {
			dst.Set(reflect.ValueOf(value))
		}
		return err
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return l.value(dst.Elem(), v)
	case reflect.Struct:
		if own, ok := dst.Addr().Interface().(interface{ load(l *loader, v any) error }); ok {
			return own.load(l, v)
		}
		switch fields, form := savedFields(dst.Type()); form {
		case "inline":
			return l.element(dst.Field(fields[0].index), v)
		case "list":
			all, ok := v.([]any)
			if !ok || len(all) != len(fields) {
				return document.Refused("%s must be an array of %d", document.Brief(v), len(fields))
			}
			for i, f := range fields {
				if err := l.element(dst.Field(f.index), all[i]); err != nil {
					return document.At(i, err)
				}
			}
			return nil
		}
		return l.fields(v, dst)
	}
	return l.slice(dst, v)
}

// dynamic returns the value of the interface t whose JSON value is v.
func (l *loader) dynamic(t reflect.Type, v any) (any, error) {
	switch t {
	case matrixType:
		return l.matrix(v)
	case mapType:
		return l.mapped(v)
	}
	return l.named(t, v)
}

// slice sets dst to the slice whose JSON value is v.
func (l *loader) slice(dst reflect.Value, v any) error {
	if dst.Type().ConvertibleTo(floatsType) {
		f, err := l.floats(v)
		dst.Set(reflect.ValueOf(f).Convert(dst.Type()))
		return err
	}
	all, ok := v.([]any)
	if err := document.Expect(ok, v, "an array"); err != nil {
		return err
	}
	if err := l.take(float64(len(all))*float64(dst.Type().Elem().Size()), 0); err != nil {
		return err
	}
	dst.Set(reflect.MakeSlice(dst.Type(), len(all), len(all)))
	for i, v := range all {
		if err := l.element(dst.Index(i), v); err != nil {
			return document.At(i, err)
		}
	}
	return nil
}

// fields sets the fields of structs to the members of v. Missing fields are zero; members that are not fields are
// refused.
func (l *loader) fields(v any, structs ...reflect.Value) error {
	o, ok := v.(map[string]any)
	if err := document.Expect(ok, v, "an object"); err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, dst := range structs {
		dst.SetZero()
		fields, _ := savedFields(dst.Type())
		for _, f := range fields {
			v, ok := o[f.name]
			switch known[f.name] = true; {
			case !ok && f.required:
				return document.Refused("there must be a field %q", f.name)
			case !ok:
				continue
			case v == nil && f.omit:
				return document.Under(f.name, document.Refused("null must be left out"))
			case v == nil && f.required:
				return document.Under(f.name, document.Refused("it must not be null"))
			}
			if err := document.Under(f.name, l.value(dst.Field(f.index), v)); err != nil {
				return err
			}
		}
	}
	for name := range o {
		if !known[name] {
			return document.Refused("there is no field %.40q", name)
		}
	}
	return nil
}

// element sets dst as value does, but refuses null for an interface.
func (l *loader) element(dst reflect.Value, v any) error {
	if v == nil && dst.Kind() == reflect.Interface {
		_, err := l.dynamic(dst.Type(), v)
		return err
	}
	return l.value(dst, v)
}

// floats returns the numbers of a JSON array, or the next raw array of the file.
func (l *loader) floats(v any) ([]float64, error) {
	if o, ok := v.(map[string]any); ok {
		n, err := document.Int(o["data"])
		if err != nil || len(o) != 1 {
			return nil, document.Refused("%s must be an array", document.Brief(v))
		}
		if n != l.used || n >= len(l.data) {
			return nil, document.Refused("the raw array %d is used instead of %d of %d", n, l.used, len(l.data))
		}
		l.used++
		return l.data[n], nil
	}
	all, ok := v.([]any)
	if err := document.Expect(ok, v, "an array"); err != nil {
		return nil, err
	}
	if err := l.take(8*float64(len(all)), 0); err != nil {
		return nil, err
	}
	f := make([]float64, len(all))
	for i, v := range all {
		var err error
		if f[i], err = document.Float(v); err != nil {
			return nil, document.At(i, err)
		}
	}
	return f, nil
}

// matrix returns a matrix. It refuses one without rows or columns.
func (l *loader) matrix(v any) (mat.Matrix, error) {
	var saved struct {
		Rows     int       `save:"rows"`
		Cols     int       `save:"cols"`
		Values   []float64 `save:"values"`
		Diagonal []float64 `save:"diagonal"`
	}
	if err := l.fields(v, reflect.ValueOf(&saved).Elem()); err != nil {
		return nil, err
	}
	if n := len(saved.Diagonal); n > 0 {
		if saved.Rows != 0 || saved.Cols != 0 || saved.Values != nil {
			return nil, document.Refused("a diagonal matrix has nothing but its diagonal")
		}
		return mat.NewDiagDense(n, saved.Diagonal), nil
	}
	n := len(saved.Values)
	if saved.Rows < 1 || saved.Cols < 1 || float64(saved.Rows)*float64(saved.Cols) != float64(n) {
		return nil, document.Refused("a matrix of %d×%d with %d values", saved.Rows, saved.Cols, n)
	}
	return mat.NewDense(saved.Rows, saved.Cols, saved.Values), nil
}
