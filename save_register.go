// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"reflect"
	"sync"
)

// Register makes values of the type of value known to Encode and Decode by a name: of a caller's Kernel, Series,
// DegreeLaw, Weighter or Drawer. They are saved as encoding/json has them, so that all that matters must be in exported
// fields, or the type have its own MarshalJSON and UnmarshalJSON; a pointer is registered as the pointer that it is.
//
// It is called before maps are read or written, as in an init function. It panics if name is empty or the name of a
// kernel, series or law of this package, if value is none of these, or of a type of this package, and if the name or the
// type is registered otherwise, as gob.Register does.
func Register(name string, value any) {
	t := reflect.TypeOf(value)
	switch {
	case name == "":
		panic("featuremap: Register with the name \"\"")
	case reserved(name):
		panic(fmt.Sprintf("featuremap: Register(%q, %T): the name is one of this package", name, value))
	case t == nil || isOwn(value) || !isNamed(t):
		panic(fmt.Sprintf("featuremap: Register(%q, %T): no Kernel, Series, DegreeLaw, Weighter or Drawer of another package", name, value))
	}
	registry.add(name, t)
}

// reserved tells whether a name is that of a kernel, series or law of this package.
func reserved(name string) bool {
	v, err := (&loader{}).called(name, nil)
	return err != nil || v != nil
}

// isNamed tells whether a type is one of those that are saved with a name.
func isNamed(t reflect.Type) bool {
	for _, of := range namedTypes {
		if t.Implements(of) {
			return true
		}
	}
	return false
}

// registry has the types of callers.
var registry types

type types struct {
	mu     sync.RWMutex
	byName map[string]reflect.Type
	names  map[reflect.Type]string
}

func (r *types) add(name string, t reflect.Type) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of, ok := r.byName[name]; ok && of != t {
		panic(fmt.Sprintf("featuremap: Register(%q, %v): the name is that of %v", name, t, of))
	}
	if of, ok := r.names[t]; ok && of != name {
		panic(fmt.Sprintf("featuremap: Register(%q, %v): the type is registered as %q", name, t, of))
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
