// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// KernelJSON is a kernel that is JSON in a configuration: an object with one member, the name of the kernel's type or
// function, whose value has the fields or arguments by their names,
//
//	{"Sum": [{"Gaussian": {"LengthScale": 2}}, {"Scale": {"c": 0.1, "k": {"Linear": {}}}}]}
//
// docs/reference/files.md has an example of each kernel. A matrix is {"rows": 2, "cols": 3, "values": […]} by rows, or
// {"diagonal": […]}. A nil kernel is null. Types of other packages have the name that they are registered with.
//
// KernelJSON is a Kernel itself: a function that takes a kernel takes the kernel inside.
type KernelJSON struct{ Kernel }

// Eval returns the value of the kernel inside, or NaN if it is nil.
func (k KernelJSON) Eval(x, y []float64) float64 {
	of := plainKernel(k)
	if check.IsNil(of) {
		arith.SameLength(x, y)
		return math.NaN()
	}
	return of.Eval(x, y)
}

// String returns the Go expression that makes the kernel.
func (k KernelJSON) String() string { return gosyntax.Of(plainKernel(k)) }

// plainKernel returns the kernel inside a KernelJSON, and other kernels as they are.
func plainKernel(k Kernel) Kernel {
	for {
		switch j := k.(type) {
		case KernelJSON:
			k = j.Kernel
		case *KernelJSON:
			if j == nil {
				return nil
			}
			k = j.Kernel
		default:
			return k
		}
	}
}

// MarshalJSON returns the kernel as JSON. It returns an error if the kernel has a part that cannot be saved (see
// Encode), or if UnmarshalJSON would refuse the result, such as a FromMap of a map beyond the limits of Decode without
// options.
func (k KernelJSON) MarshalJSON() ([]byte, error) {
	if check.IsNil(plainKernel(k)) {
		return []byte("null"), nil
	}
	return marshalKernel(k)
}

// UnmarshalJSON sets the kernel from JSON, which a person may have written. On an error it leaves the kernel as it was.
// Missing fields are zero. A FromMap draws its map. UnmarshalJSON takes no more memory than Decode without options.
//
// It returns an error if data is not JSON, if a name or a field is unknown or occurs twice, if a value is of the wrong
// kind, or if the kernel takes more memory, or far more time than others. Values out of range are left for the
// constructors of maps to refuse, as in a Go program.
func (k *KernelJSON) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		k.Kernel = nil
		return nil
	}
	read, err := unmarshalKernel(data)
	if err == nil {
		k.Kernel = read
	}
	return err
}

func marshalKernel(k Kernel) ([]byte, error) {
	if k = plainKernel(k); check.IsNil(k) {
		return nil, errors.New("featuremap: kernel k = nil")
	}
	s := &saver{}
	b, err := s.json(s.named(k))
	if err != nil {
		return nil, err
	}
	if _, err := unmarshalKernel(b); err != nil {
		return nil, fmt.Errorf("featuremap: the kernel cannot be saved: it could not be read again: %w", err)
	}
	return b, nil
}

// unmarshalKernel returns the kernel of JSON.
func unmarshalKernel(data []byte) (Kernel, error) {
	l := newLoader(nil, noOptions)
	if err := l.take(documentCost*float64(len(data)), parseSteps*float64(len(data))); err != nil {
		return nil, err
	}
	v, err := document.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: it must be the JSON of a Kernel%s", err, suchAs(kernelType))
	}
	k, err := l.kernel(v)
	if err != nil {
		return nil, err
	}
	return k, l.done()
}

// suchAs returns the end of an error: an example of a value of the interface t, or "".
func suchAs(t reflect.Type) string {
	switch t {
	case kernelType:
		return `, such as {"Gaussian": {"LengthScale": 1}}`
	case seriesType:
		return `, such as {"Exp": {"Rate": 1, "Shift": 0}}`
	}
	return ""
}

// named returns the value of the interface t (a Kernel, Series, Law, Weighter or Drawer) from an object with one
// member, the name of its type or function.
func (l *loader) named(t reflect.Type, v any) (any, error) {
	o, ok := v.(map[string]any)
	if !ok || len(o) != 1 {
		return nil, document.Refused("%s must be a %s: an object with one member, its name%s", document.Brief(v), t.Name(), suchAs(t))
	}
	for name, content := range o {
		value, err := l.called(name, content)
		if value == nil && err == nil {
			value, err = l.callersValue(t, name, content)
		}
		if err != nil {
			return nil, document.Under(name, err)
		}
		if value == nil || !reflect.TypeOf(value).Implements(t) {
			return nil, document.Refused("%.40q is no %s%s", name, t.Name(), suchAs(t))
		}
		return value, nil
	}
	return nil, nil // not reached
}

// called returns the value with the document v and a name of this package, or nil if the package has no such name.
func (l *loader) called(name string, v any) (any, error) {
	if err := l.take(costOfValue, 0); err != nil {
		return nil, err
	}
	if t, ok := ownTypes[name]; ok {
		if t.Implements(seriesType) {
			if l.within++; l.within > power.MaxNested {
				return nil, document.Refused("series are nested more than %d deep", power.MaxNested)
			}
			defer func() { l.within-- }()
		}
		value := reflect.New(t)
		if err := l.value(value.Elem(), v); err != nil {
			return nil, err
		}
		return l.remade(value.Interface())
	}
	if name == "Skeleton" {
		return l.skeleton(v)
	}
	if name == "IdentityDual" { // in files of earlier versions
		o, ok := v.(map[string]any)
		return series.HermiteDual{N: 1}, document.Expect(ok && len(o) == 0, v, "{}")
	}
	return nil, nil
}

// costOfValue is about how many bytes a kernel or series takes without its parameters.
const costOfValue = 1 << 10

func (l *loader) kernel(v any) (Kernel, error) {
	k, err := l.named(kernelType, v)
	if err != nil {
		return nil, err
	}
	return k.(Kernel), nil
}

// remade returns a value whose fields were read, made as in a program: by Sum, Dot, power.Dilate or the like, if there
// is such a function. It returns an error if the fields are refused.
func (l *loader) remade(v any) (any, error) {
	switch v := v.(type) {
	case *projectKernel:
		r, c := v.A.Dims()
		return Project(v.A, v.K), l.take(2*8*float64(r)*float64(c), 0)
	case Expression:
		return v.With(v.Parts()...), nil
	case *dot:
		return Dot(v.F), nil
	case *power.DataLaw:
		return *v, v.ValidateFactors()
	case *power.Binomial:
		return *v, Polynomial(*v).validate(0)
	case *power.Scaled:
		return power.Scaled{C: v.C, F: power.Copy(v.F)}, validateFactor(v.C)
	case *power.Dilated:
		return power.Dilate(power.Copy(v.F), v.C), validateFactor(v.C)
	case *power.Sum:
		return power.Sum{F: power.Copy(v.F), G: power.Copy(v.G)}, nil
	case *power.Product:
		return power.Product{F: power.Copy(v.F), G: power.Copy(v.G)}, nil
	case *power.Composed:
		s := power.Composed{F: power.Copy(v.F), G: power.Copy(v.G)}
		if !power.Composable(s.F) {
			return nil, document.Refused("%s of %s is no series", gosyntax.Of(s.F), gosyntax.Of(s.G))
		}
		return s, nil
	}
	return reflect.ValueOf(v).Elem().Interface(), nil
}

// validateFactor refuses a factor of a series or of its argument.
func validateFactor(c float64) error {
	if !(c >= 0 && c <= math.MaxFloat64) {
		return document.Refused("c = %v: must be finite and at least 0", c)
	}
	return nil
}

// callersValue returns a value of a registered type. The error for an unknown name has an example of the wanted
// interface.
func (l *loader) callersValue(wanted reflect.Type, name string, v any) (any, error) {
	t, ok := registry.typeOf(name)
	if !ok {
		return nil, document.Refused("%.40q is no name: no type is registered by it%s", name, suchAs(wanted))
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, document.Refused("%w", err)
	}
	value := reflect.New(t)
	if t.Kind() == reflect.Pointer {
		value = reflect.New(t.Elem())
	}
	if err := json.Unmarshal(raw, value.Interface()); err != nil {
		return nil, document.Refused("%w", err)
	}
	l.callers = true
	if t.Kind() == reflect.Pointer {
		return value.Interface(), nil
	}
	return value.Elem().Interface(), nil
}
