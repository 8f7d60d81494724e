// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"encoding/binary"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A FeatureSet is a set of products of letters.
type FeatureSet [][]Atom

// Products returns the different products of an element of s and an element of t. ok is false if there are more
// than most. Of a product and its conjugate a set contains only one, which stands for both.
func (a *alphabet) Products(s, t FeatureSet, most int) (FeatureSet, bool) {
	var products FeatureSet
	seen := make(map[string]bool)
	add := func(u, v []Atom) {
		f := Feature{Atoms: slices.Concat(u, v)}
		a.Normalize(&f)
		if key := atomsKey(f.Atoms); !seen[key] {
			seen[key] = true
			products = append(products, f.Atoms)
		}
	}
	for _, v := range t {
		conjugate := slices.Clone(v)
		a.conjugate(conjugate)
		for _, u := range s {
			add(u, v)
			add(u, conjugate)
			if len(products) > most {
				return nil, false
			}
		}
	}
	return products, true
}

// Powers returns the different products of n elements of s, for all n up to the degree of f if it is a polynomial.
func (a *alphabet) Powers(s FeatureSet, f series.Series, most int) (FeatureSet, bool) {
	last, polynomial := power.DegreeOf(f)
	all, seen := FeatureSet{nil}, map[string]bool{"": true}
	// A product can be new at degree n only if it has an element that is new at degree n−1.
	for n, first := 1, 0; first < len(all) && (!polynomial || n <= last); n++ {
		products, ok := a.Products(all[first:], s, most)
		first = len(all)
		for _, p := range products {
			if key := atomsKey(p); !seen[key] {
				seen[key] = true
				all = append(all, p)
			}
		}
		if !ok || len(all) > most {
			return nil, false
		}
	}
	return all, true
}

// atomsKey returns a string that differs for different atoms.
func atomsKey(atoms []Atom) string {
	key := make([]byte, 0, 64)
	for _, t := range atoms {
		key = binary.LittleEndian.AppendUint32(key, t.letter)
		key = binary.LittleEndian.AppendUint32(key, uint32(t.power))
	}
	return string(key)
}
