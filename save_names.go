// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// People write documents by hand, so errors tell what would be right.

// examples has a document for each interface of which a reader may be looking for a value.
var examples = map[reflect.Type]string{
	kernelType: `{"Gaussian": {"LengthScale": 1}}`,
	seriesType: `{"Exp": {"Rate": 1, "Shift": 0}}`,
	lawType:    `{"GeometricLaw": {"P": 2}}`,
}

// suchAs returns the end of an error: an example of a value of the interface t, or "".
func suchAs(t reflect.Type) string {
	if e, ok := examples[t]; ok {
		return ", such as " + e
	}
	return ""
}

// meant returns the end of an error about an unknown name: the nearest name of a value of the interface t, if one is near,
// and an example.
func meant(t reflect.Type, name string) string {
	hint := ""
	if nearest := nearestName(t, name); nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	if e, ok := examples[t]; ok {
		hint += fmt.Sprintf(" (a %s is written like %s)", t.Name(), e)
	}
	return hint
}

// nearestName returns the name of a value of an interface that is nearest to a name, or "" if none is near: at
// most 2 letters or a third of them differ. Upper and lower case count as the same.
func nearestName(t reflect.Type, name string) string {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	nearest, least := "", max(2, len(name)/3)+1
	for _, other := range namesOf(t) {
		if d := letterDistance(strings.ToLower(name), strings.ToLower(other)); d < least {
			nearest, least = other, d
		}
	}
	return nearest
}

// namesOf returns the names that a value of the interface t may have in documents, in alphabetical order.
func namesOf(t reflect.Type) (names []string) {
	for name, registered := range ownTypes {
		if reflect.PointerTo(registered).Implements(t) {
			names = append(names, name)
		}
	}
	if t == kernelType {
		names = append(names, "Skeleton")
	}
	names = append(names, registry.namesOf(t)...)
	slices.Sort(names)
	return names
}

// letterDistance returns the least number of bytes that are to be inserted, deleted, replaced or swapped with the next one
// to make one string of another (Damerau 1964, with no byte changed twice).
func letterDistance(a, b string) int {
	var before, last []int // the distances of shorter beginnings of a from all beginnings of b
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
