// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package check

import (
	"reflect"
	"strings"
)

// module is the path of the root package.
var module = strings.TrimSuffix(reflect.TypeFor[unprefixed]().PkgPath(), "/internal/check")

// isOwn tells whether a package defines kernels, series or maps of the library.
func isOwn(path string) bool {
	rest, ok := strings.CutPrefix(path, module)
	return ok && (rest == "" || rest == "/series" || rest == "/internal/power")
}

// Own tells whether v has a type of the library. A caller's type that embeds such a type does not count.
func Own(v any) bool {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return isOwn(t.PkgPath())
}

// Value returns the value behind a pointer to a type of the library, and anything else unchanged.
func Value[T any](v T) T {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && !r.IsNil() && isOwn(r.Type().Elem().PkgPath()) {
		if value, ok := r.Elem().Interface().(T); ok {
			return value
		}
	}
	return v
}
