// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"encoding"
	"fmt"
	"reflect"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
)

// Register makes values of the type of value known to Encode and Decode by a name: of a caller's Kernel, Series,
// Law, Weighter, Drawer or FeatureMap. Kernels and the like are saved by encoding/json, so that all that matters must be in exported
// fields, unless the type has its own MarshalJSON and UnmarshalJSON. Maps are saved by their MarshalBinary and UnmarshalBinary. If
// value is a pointer, pointers to its type are registered.
//
// It is called before maps are read or written, as in an init function. It panics if name is empty or the name of a
// kernel, series or law of this package, if value is none of these, a map without these two methods, or of a type of this package, and, like
// gob.Register, if the name is registered for another type or the type by another name.
func Register(name string, value any) {
	t := reflect.TypeOf(value)
	switch {
	case name == "":
		panic("featuremap: Register with the name \"\"")
	case reserved(name):
		panic(fmt.Sprintf("featuremap: Register(%q, %T): the name is one of this package", name, value))
	case t == nil || check.Own(value) || !isNamed(t) && !t.Implements(mapType):
		panic(fmt.Sprintf("featuremap: Register(%q, %T): no Kernel, Series, Law, Weighter, Drawer or FeatureMap of another package", name, value))
	case !isNamed(t) && !isBinary(t):
		panic(fmt.Sprintf("featuremap: Register(%q, %T): a map without MarshalBinary and UnmarshalBinary", name, value))
	}
	registry.add(name, t)
}

// isBinary tells whether maps of a type can be saved: values have MarshalBinary, and pointers to new ones UnmarshalBinary.
func isBinary(t reflect.Type) bool {
	pointer := t
	if t.Kind() != reflect.Pointer {
		pointer = reflect.PointerTo(t)
	}
	return t.Implements(mapType) && t.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) && pointer.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]())
}

// reserved tells whether a name is that of a kernel, series or law of this package.
func reserved(name string) bool {
	_, ok := ownTypes[name]
	return ok || name == "Skeleton" || name == "IdentityDual"
}

// isNamed tells whether values of a type are saved with a name.
func isNamed(t reflect.Type) bool {
	for _, named := range namedTypes {
		if t.Implements(named) {
			return true
		}
	}
	return false
}

// registry has the types that callers have registered.
var registry types

type types struct {
	mu     sync.RWMutex
	byName map[string]reflect.Type
	names  map[reflect.Type]string
}

func (r *types) add(name string, t reflect.Type) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if registered, ok := r.byName[name]; ok && registered != t {
		panic(fmt.Sprintf("featuremap: Register(%q, %v): the name is that of %v", name, t, registered))
	}
	if registered, ok := r.names[t]; ok && registered != name {
		panic(fmt.Sprintf("featuremap: Register(%q, %v): the type is registered as %q", name, t, registered))
	}
	if r.byName == nil {
		r.byName, r.names = make(map[string]reflect.Type), make(map[reflect.Type]string)
	}
	r.byName[name], r.names[t] = t, name
}

func (r *types) name(t reflect.Type) (string, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	name, ok := r.names[t]
	return name, ok
}

func (r *types) typeOf(name string) (reflect.Type, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, ok := r.byName[name]
	return t, ok
}
