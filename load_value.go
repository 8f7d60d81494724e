// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// A loader makes kernels, plans and maps of JSON values, which may be anything.
type loader struct {
	data    [][]float64 // the raw arrays of the file, in the order of their use
	used    int
	callers bool // there is a value of a caller's type
	budget  *budget
	nested  int // maps that what is read is part of
	within  int // series that it is part of
}

// parse returns a JSON document as nested map[string]any and []any, and numbers as json.Number.
func parse(document []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, refused("%w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, refused("there is more than one JSON value")
	}
	return v, nil
}

// refused returns the error for saved data that is refused.
func refused(format string, args ...any) error {
	return fmt.Errorf("featuremap: saved data: "+format, args...)
}

// A placed error names the field that it is of.
type placed struct {
	field string
	err   error
}

func (e *placed) Error() string { return fmt.Sprintf("%v (in %q)", e.err, e.field) }
func (e *placed) Unwrap() error { return e.err }

// in returns err with the name of the innermost field that it is of.
func in(field string, err error) error {
	if p := (*placed)(nil); err == nil || errors.As(err, &p) {
		return err
	}
	return &placed{field, err}
}

// value sets dst, of a type that is saved field by field, to v.
func (l *loader) value(dst reflect.Value, v any) error {
	if v == nil { // which nil pointers and interfaces are saved as
		dst.SetZero()
		return nil
	}
	switch dst.Kind() {
	case reflect.Float64:
		f, err := loadFloat(v)
		dst.SetFloat(f)
		return err
	case reflect.Int:
		n, err := loadInt(v)
		dst.SetInt(int64(n))
		return err
	case reflect.Bool:
		b, ok := v.(bool)
		dst.SetBool(b)
		return expect(ok, v, "true or false")
	case reflect.String:
		s, ok := v.(string)
		dst.SetString(s)
		return expect(ok, v, "a string")
	case reflect.Interface:
		of, err := l.dynamic(dst.Type(), v)
		if err == nil {
			dst.Set(reflect.ValueOf(of))
		}
		return err
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return l.value(dst.Elem(), v)
	case reflect.Struct:
		return l.fields(dst, v)
	}
	return l.slice(dst, v)
}

// expect returns an error unless a value is of a kind.
func expect(ok bool, v any, kind string) error {
	if ok {
		return nil
	}
	return refused("%s must be %s", brief(v), kind)
}

// brief returns a value for an error.
func brief(v any) string { return fmt.Sprintf("%.40q", fmt.Sprint(v)) }

// dynamic returns the value of an interface.
func (l *loader) dynamic(t reflect.Type, v any) (any, error) {
	switch t {
	case matrixType:
		return l.matrix(v)
	case mapType:
		return l.mapped(v)
	}
	return l.named(t, v)
}

// slice sets a slice.
func (l *loader) slice(dst reflect.Value, v any) error {
	if dst.Type().ConvertibleTo(floatsType) {
		f, err := l.floats(v)
		dst.Set(reflect.ValueOf(f).Convert(dst.Type()))
		return err
	}
	all, ok := v.([]any)
	if err := expect(ok, v, "an array"); err != nil {
		return err
	}
	if err := l.budget.take(float64(len(all))*float64(dst.Type().Elem().Size()), 0); err != nil {
		return err
	}
	dst.Set(reflect.MakeSlice(dst.Type(), len(all), len(all)))
	for i, v := range all {
		if err := l.value(dst.Index(i), v); err != nil {
			return err
		}
	}
	return nil
}

// fields sets the fields of a struct. Those that are missing are zero; others than those of the struct are refused.
func (l *loader) fields(dst reflect.Value, v any) error {
	o, ok := v.(map[string]any)
	if err := expect(ok, v, "an object"); err != nil {
		return err
	}
	dst.SetZero()
	known := 0
	for i := range dst.NumField() {
		name, _ := fieldName(dst.Type().Field(i))
		if v, ok := o[name]; ok {
			known++
			if err := in(name, l.value(dst.Field(i), v)); err != nil {
				return err
			}
		}
	}
	if known == len(o) {
		return nil
	}
	names := make(map[string]bool)
	for i := range dst.NumField() {
		name, _ := fieldName(dst.Type().Field(i))
		names[name] = true
	}
	for name := range o {
		if !names[name] {
			return refused("there is no field %.40q", name)
		}
	}
	return nil
}

func loadFloat(v any) (float64, error) {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return 0, refused("%s is no float64", brief(v))
		}
		return f, nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), nil
		case "+Inf", "-Inf":
			return strconv.ParseFloat(v, 64)
		}
	}
	return 0, expect(false, v, "a number")
}

func loadInt(v any) (int, error) {
	n, _ := v.(json.Number)
	i, err := strconv.Atoi(string(n))
	return i, expect(err == nil, v, "an integer")
}

// floats returns an array: of numbers, or the next of the file.
func (l *loader) floats(v any) ([]float64, error) {
	if o, ok := v.(map[string]any); ok {
		n, err := loadInt(o["data"])
		if err != nil || len(o) != 1 {
			return nil, refused("%s must be an array", brief(v))
		}
		if n != l.used || n >= len(l.data) {
			return nil, refused("the raw array %d is used in place of %d of %d", n, l.used, len(l.data))
		}
		l.used++
		return l.data[n], nil
	}
	all, ok := v.([]any)
	if err := expect(ok, v, "an array"); err != nil {
		return nil, err
	}
	if err := l.budget.take(8*float64(len(all)), 0); err != nil {
		return nil, err
	}
	f := make([]float64, len(all))
	for i, v := range all {
		var err error
		if f[i], err = loadFloat(v); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// matrix returns a matrix, which may have no rows or columns.
func (l *loader) matrix(v any) (mat.Matrix, error) {
	var of struct {
		Rows     int       `save:"rows"`
		Cols     int       `save:"cols"`
		Values   []float64 `save:"values"`
		Diagonal []float64 `save:"diagonal"`
	}
	if err := l.fields(reflect.ValueOf(&of).Elem(), v); err != nil {
		return nil, err
	}
	if n := len(of.Diagonal); n > 0 {
		if of.Rows != 0 || of.Cols != 0 || of.Values != nil {
			return nil, refused("a diagonal matrix has nothing but its diagonal")
		}
		return mat.NewDiagDense(n, of.Diagonal), nil
	}
	n := len(of.Values)
	if of.Rows < 1 || of.Cols < 1 || of.Rows > n || of.Cols > n || of.Rows*of.Cols != n {
		return nil, refused("a matrix of %d×%d with %d values", of.Rows, of.Cols, n)
	}
	return mat.NewDense(of.Rows, of.Cols, of.Values), nil
}
