// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package gosyntax prints kernels, series and options as the Go expressions that make them.
package gosyntax

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
)

// Slices and matrices of more than maxListed elements print as their size. Expressions are cut after maxSource bytes.
const (
	maxListed = 16
	maxSource = 1 << 12
)

// Of returns the Go expression that makes v, which is a kernel, a series or a parameter of one, without the name of the
// library. A function prints as its name.
func Of(v any) string {
	var w writer
	w.write(reflect.ValueOf(v))
	return w.String()
}

// Call returns the Go expression of a call.
func Call(name string, args ...any) string {
	var w writer
	w.WriteString(name)
	w.list("(", len(args), func(i int) { w.write(reflect.ValueOf(args[i])) }, ")")
	return w.String()
}

// Any returns the elements of a slice as arguments for Call.
func Any[T any](values []T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}

// A writer writes expressions one after the other.
type writer struct{ strings.Builder }

// list writes open, n elements with commas between them, and end.
func (w *writer) list(open string, n int, element func(i int), end string) {
	w.WriteString(open)
	for i := range n {
		if i > 0 {
			w.WriteString(", ")
		}
		element(i)
	}
	w.WriteString(end)
}

func (w *writer) write(v reflect.Value) {
	switch kind := v.Kind(); {
	case w.Len() > maxSource:
		w.WriteString("…")
		return
	case !v.IsValid() || (kind == reflect.Pointer || kind == reflect.Interface || kind == reflect.Func) && v.IsNil():
		w.WriteString("nil")
		return
	}
	if v.CanInterface() {
		switch a := v.Interface().(type) {
		case fmt.GoStringer: // a call of the function that makes it
			w.WriteString(a.GoString())
			return
		case interface {
			TransformVec(dst, x []float64) []float64
		}: // a map
			fmt.Fprint(w, a)
			return
		case mat.Matrix:
			if check.IsNil(a) {
				w.WriteString("nil")
			} else {
				w.matrix(a)
			}
			return
		}
	}
	name := strings.ReplaceAll(v.Type().String(), "featuremap.", "")
	switch v.Kind() {
	case reflect.Interface:
		w.write(v.Elem())
	case reflect.Pointer:
		w.WriteString("&")
		w.write(v.Elem())
	case reflect.Struct:
		w.list(name+"{", v.NumField(), func(i int) {
			w.WriteString(v.Type().Field(i).Name + ": ")
			w.write(v.Field(i))
		}, "}")
	case reflect.Slice, reflect.Array:
		if v.Len() > maxListed {
			fmt.Fprintf(w, "%s{… %d elements}", name, v.Len())
			return
		}
		w.list(name+"{", v.Len(), func(i int) { w.write(v.Index(i)) }, "}")
	case reflect.Func:
		function := runtime.FuncForPC(v.Pointer()).Name()
		function = function[strings.LastIndexByte(function, '/')+1:]
		if v.Type().Name() != "" {
			function = name + "(" + function + ")"
		}
		w.WriteString(function)
	case reflect.Map, reflect.Chan, reflect.UnsafePointer:
		w.WriteString(name)
	case reflect.Float64:
		w.number(v.Float())
	default:
		fmt.Fprint(w, v)
	}
}

// number writes a number as a Go expression.
func (w *writer) number(v float64) {
	switch {
	case math.IsNaN(v):
		w.WriteString("math.NaN()")
	case math.IsInf(v, 0):
		fmt.Fprintf(w, "math.Inf(%v)", math.Copysign(1, v))
	default:
		fmt.Fprint(w, v)
	}
}

// matrix writes a matrix as a call of gonum's constructor.
func (w *writer) matrix(a mat.Matrix) {
	r, c := a.Dims()
	name, step := fmt.Sprintf("mat.NewDense(%d, %d, ", r, c), 1 // from one listed element to the next, by rows
	if _, ok := a.(*mat.DiagDense); ok {
		name, step = fmt.Sprintf("mat.NewDiagDense(%d, ", r), c+1
	}
	n := (r*c-1)/step + 1
	if n > maxListed {
		w.WriteString(name + "…)")
		return
	}
	w.list(name+"[]float64{", n, func(i int) { w.number(a.At(i*step/c, i*step%c)) }, "})")
}

// Name returns the name of a constant, given the names by number. Without a name it returns the type with
// the number.
func Name[T ~int](v T, names []string) string {
	if v >= 0 && int(v) < len(names) {
		return names[v]
	}
	_, name, _ := strings.Cut(reflect.TypeOf(v).String(), ".")
	return fmt.Sprintf("%s(%d)", name, int(v))
}
