// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"slices"
)

// A featureSet is some products of letters.
type featureSet [][]atom

// products returns the different products of two sets, and whether they are no more than most. Of a
// product and its conjugate a set has one, and stands for both.
func (a *alphabet) products(s, t featureSet, most int) (featureSet, bool) {
	var products featureSet
	seen := make(map[string]bool)
	add := func(u, v []atom) {
		f := feature{atoms: slices.Concat(u, v)}
		a.normalise(&f)
		if key := fmt.Sprint(f.atoms); !seen[key] {
			seen[key] = true
			products = append(products, f.atoms)
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

// powers returns the different products of n of a set, for all degrees n that a series may have.
func (a *alphabet) powers(s featureSet, f Series, most int) (featureSet, bool) {
	last, polynomial := degreeOf(f)
	all, power := featureSet{nil}, featureSet{nil}
	for n := 1; !polynomial || n <= last; n++ {
		var ok bool
		if power, ok = a.products(power, s, most); !ok {
			return nil, false
		}
		// A union with what is there already, by products with the one that is 1.
		union, ok := a.products(slices.Concat(all, power), featureSet{nil}, most)
		if !ok {
			return nil, false
		}
		if len(union) == len(all) { // and so for all higher degrees
			break
		}
		all = union
	}
	return all, true
}
