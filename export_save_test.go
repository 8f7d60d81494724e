// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"

	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// SavedNames returns all names that files have: of kernels, functions, series and laws, and of fields of plans, maps and skeletons.
func SavedNames() (names []string) {
	for name := range ownTypes {
		names = append(names, name)
	}
	names = append(names, "Skeleton")
	documents := []any{mapDocument{}, planDocument{}, segmentPlace{}, segmentErrors{}, skeletonCall{}, givenDocument{}, deformedDocument{}}
	for _, k := range plan.Kinds {
		names, documents = append(names, k.Name), append(documents, k.Document)
	}
	for _, v := range documents {
		fields, _ := savedFields(reflect.TypeOf(v))
		for _, f := range fields {
			names = append(names, f.name)
		}
	}
	return names
}

// ReadPlan reads the plan in the document of a map, within the limits of options.
func ReadPlan(text []byte, opts *DecodeOptions) (*Plan, error) {
	v, err := document.Parse(text)
	if err != nil {
		return nil, err
	}
	l := newLoader(opts, byOptions)
	var d planDocument
	if err := l.fields(v, reflect.ValueOf(&d).Elem()); err != nil {
		return nil, err
	}
	p, err := l.plan(&d)
	if err != nil {
		return nil, err
	}
	return p, l.done()
}

// PlanJSON returns a plan as the document of a map has it, with all numbers in place.
func PlanJSON(p *Plan) ([]byte, error) {
	s := &saver{}
	return s.json(s.value(reflect.ValueOf(s.plan(p))))
}

// SetDefaultBytes sets MaxBytes where options set none, and returns a function that sets it back.
func SetDefaultBytes(n int64) (back func()) {
	was := defaultBytes
	defaultBytes = n
	return func() { defaultBytes = was }
}

// Unsealed returns the document and the arrays of a file.
func Unsealed(file []byte) (document []byte, arrays [][]float64, err error) {
	f, err := sealed.NewReader(bytes.NewReader(file), mapFile, 1<<40)
	if err != nil {
		return nil, nil, err
	}
	arrays = f.Arrays()
	_, err = f.Close()
	return f.Document, arrays, err
}

// Sealed returns a file with a document and arrays, and the checksum of these.
func Sealed(document []byte, arrays [][]float64) []byte {
	var sizes []int
	for _, a := range arrays {
		sizes = append(sizes, len(a))
	}
	var b bytes.Buffer
	f := sealed.NewWriter(&b, mapFile, bytes.TrimSuffix(document, []byte("\n")), nil, sizes)
	for _, a := range arrays {
		f.Floats(a)
	}
	if _, err := f.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
