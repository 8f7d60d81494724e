// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
)

// Register makes the type of value known to Encode and Decode under a name: a Kernel, Series, Law, Weighter, Drawer or
// FeatureMap of your own. If value is a pointer, pointers to its type are registered.
//
// Maps are saved by their MarshalBinary and UnmarshalBinary. The other types are saved by encoding/json, so all their
// state must be in exported fields, unless the type has its own MarshalJSON and UnmarshalJSON.
//
// Call Register before maps are read or written, for example in an init function. It panics if name is empty or belongs
// to a kernel, series or law of this package. It panics if value has none of these interfaces, is of a type of this
// package, or is a map without these two methods. Like gob.Register it also panics if the name is registered for
// another type, or the type under another name.
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

// reserved tells whether a kernel, series or law of this package has the name.
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

// A registeredDocument is a map of a caller's registered type: what its MarshalBinary returns.
type registeredDocument struct {
	Name string       `save:"name"`
	Data binaryValues `save:"data"`
}

// binaryValues are bytes. A file has them as a raw array of numbers, of eight bytes each; JSON without arrays has them
// in base64.
type binaryValues struct{ bytes []byte }

func (d binaryValues) save(s *saver) any {
	if s.data == nil {
		return base64.StdEncoding.EncodeToString(d.bytes)
	}
	if len(d.bytes) == 0 {
		return document.With("bytes", 0)
	}
	words := make([]float64, (len(d.bytes)+7)/8)
	padded := append(make([]byte, 0, 8*len(words)), d.bytes...)[:8*len(words)]
	for i := range words {
		words[i] = math.Float64frombits(binary.LittleEndian.Uint64(padded[8*i:]))
	}
	*s.data = append(*s.data, words)
	return document.With("bytes", len(d.bytes)).With("words", document.With("data", len(*s.data)-1))
}

func (d *binaryValues) load(l *loader, v any) error {
	if text, ok := v.(string); ok {
		if err := l.take(float64(len(text)), 0); err != nil {
			return err
		}
		var err error
		if d.bytes, err = base64.StdEncoding.Strict().DecodeString(text); err != nil {
			return document.Refused("%w", err)
		}
		return nil
	}
	var of struct {
		Bytes int       `save:"bytes"`
		Words []float64 `save:"words"`
	}
	if err := l.fields(v, reflect.ValueOf(&of).Elem()); err != nil {
		return err
	}
	if n := 8 * len(of.Words); of.Bytes < 0 || of.Bytes > n || n-of.Bytes > 7 {
		return document.Refused("%d bytes of %d", of.Bytes, n)
	}
	if err := l.take(8*float64(len(of.Words)), 0); err != nil {
		return err
	}
	d.bytes = make([]byte, 0, 8*len(of.Words))
	for _, w := range of.Words {
		d.bytes = binary.LittleEndian.AppendUint64(d.bytes, math.Float64bits(w))
	}
	for _, b := range d.bytes[of.Bytes:] {
		if b != 0 {
			return document.Refused("there is more than %d bytes", of.Bytes)
		}
	}
	d.bytes = d.bytes[:of.Bytes]
	return nil
}

// A registeredMap is a map of a caller's registered type.
type registeredMap struct {
	name string
	of   encoding.BinaryMarshaler
}

// asRegistered returns a map as a registeredMap, if its type is registered.
func asRegistered(m FeatureMap) (documented, bool) {
	name, ok := registry.name(reflect.TypeOf(m))
	of, binary := m.(encoding.BinaryMarshaler)
	return registeredMap{name, of}, ok && binary
}

// document sets the name, and what MarshalBinary returns.
func (m registeredMap) document(s *saver, d *mapDocument) {
	b, err := m.of.MarshalBinary()
	if err != nil {
		s.fail("a %T cannot be saved: %w", m.of, err)
		return
	}
	d.Registered = &registeredDocument{m.name, binaryValues{b}}
}

// registered makes a map of a caller's registered type.
func (l *loader) registered(d *registeredDocument) (FeatureMap, error) {
	t, ok := registry.typeOf(d.Name)
	if !ok || !isBinary(t) {
		return nil, document.Under("name", document.Refused("%.40q is no name: no map is registered by it; import the package that does", d.Name))
	}
	// A map takes a few times the memory and time of its data.
	const times = 4
	if err := l.take(times*float64(len(d.Data.bytes)), 0); err != nil {
		return nil, err
	}
	pointer := t.Kind() == reflect.Pointer
	value := reflect.New(t)
	if pointer {
		value = reflect.New(t.Elem())
	}
	if err := value.Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(d.Data.bytes); err != nil {
		return nil, document.Under("data", document.Refused("%w", err))
	}
	if !pointer {
		value = value.Elem()
	}
	m := value.Interface().(FeatureMap)
	if err := validateMap("the map", m); err != nil {
		return nil, err
	}
	// The probe of a map takes points, features and what computes them, and about one step for eight coordinates of a
	// feature.
	const points, work = 4, 16
	in, out := m.Dims()
	if err := l.take(8*(points*(float64(in)+float64(out))+work*float64(in)), points*float64(in)*float64(out)/8); err != nil {
		return nil, err
	}
	l.callers = true
	return m, nil
}
