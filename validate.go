// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"reflect"
)

// valueOf returns the value behind a pointer to a type of this package, and anything else unchanged.
func valueOf[T any](v T) T {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && !r.IsNil() && r.Type().Elem().PkgPath() == packagePath {
		if value, ok := r.Elem().Interface().(T); ok {
			return value
		}
	}
	return v
}

var packagePath = reflect.TypeFor[Sampler]().PkgPath()

// isOwn tells whether v is of a type of this package, and not of another's that has unexported methods by embedding one.
func isOwn(v any) bool {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == packagePath
}

// validateSampler refuses a sampler that neither NewSampler nor Split made.
func validateSampler(s *Sampler) error {
	switch {
	case s == nil:
		return errors.New("featuremap: sampler s = nil")
	case !s.seeded:
		return errors.New("featuremap: sampler s is the zero value: must be made by NewSampler or Split")
	}
	return nil
}
