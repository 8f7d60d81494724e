// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// SavedNames returns all names that files have: of kernels, functions, series and laws, and of fields of plans, maps and skeletons.
func SavedNames() (names []string) {
	for name := range ownTypes {
		names = append(names, name)
	}
	for name := range functions {
		names = append(names, name)
	}
	names = append(names, "Sum", "Product", "Dot", "FromMap", "Skeleton", "lawByData",
		"binomial", "scaled", "dilated", "sum", "product", "composed")
	for _, v := range []any{mapDocument{}, planDocument{}, blockDocument{}, skeletonCall{}, givenDocument{}, deformedDocument{}} {
		t := reflect.TypeOf(v)
		for i := range t.NumField() {
			name, _ := fieldName(t.Field(i))
			names = append(names, name)
		}
	}
	return names
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
