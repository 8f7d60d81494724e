// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Coordinates that Binary or Categories read may have values that are not a sign or a category. Kernels and features
// then follow their formulas; functions that take data and return errors refuse such values. (Only Skeleton.Validate
// checks norms, because unit vectors in float32 have a norm that is not exactly 1.)

// ValidateSpaces refuses rows of x with an element off the base space of an input of one coordinate in a form. The
// error contains the name of x.
func ValidateSpaces(name string, f form.Form, x mat.Matrix) error {
	_, d := x.Dims()
	inputs := spacesOf(f, nil, IndicesUpTo(d))
	if len(inputs) == 0 {
		return nil
	}
	for r, row := range rows.Each(x) {
		for _, in := range inputs {
			if _, what := in.scheme.check(row[in.col : in.col+1]); what != "" {
				return fmt.Errorf("featuremap: %s: row %d, column %d: %v is not %s", name, r, in.col, row[in.col], what)
			}
		}
	}
	return nil
}

// spaceInput is a scheme of one coordinate with the coordinate that it reads.
type spaceInput struct {
	scheme scheme
	col    int
}

// spacesOf appends the inputs of a form that are schemes of one coordinate. cols are the coordinates of its points.
func spacesOf(f form.Form, inputs []spaceInput, cols []int) []spaceInput {
	for _, t := range f {
		columns := cols
		if t.Warp.Cols != nil {
			columns = warp.Pick(cols, t.Warp.Cols)
		}
		if !t.Warp.Factorless() {
			continue
		}
		switch b := t.Base.(type) {
		case form.Product:
			for _, g := range b.Factors {
				inputs = spacesOf(g, inputs, columns)
			}
		case form.Composed:
			inputs = spacesOf(b.K, inputs, columns)
		case Kernel:
			for _, n := range b.Nodes {
				if n.Base != nil {
					inputs = appendSpace(inputs, n.Base, warp.Pick(columns, n.Cols))
				}
			}
		case form.Space, form.Categories:
			inputs = appendSpace(inputs, spaceScheme(b), columns)
		}
	}
	return inputs
}

// appendSpace appends the input of a scheme on cols, if it is a scheme of one coordinate.
func appendSpace(inputs []spaceInput, s scheme, cols []int) []spaceInput {
	if scaled, ok := s.(scaledScheme); ok {
		s = scaled.scheme
	}
	if _, ok := s.(interface{ oneColumn() }); !ok {
		return inputs
	}
	return append(inputs, spaceInput{s, cols[0]})
}

// IndicesUpTo returns 0, 1, …, n − 1.
func IndicesUpTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TakesOneColumn tells whether a form is a base of one column.
func TakesOneColumn(f form.Form) bool {
	if len(f) != 1 {
		return false
	}
	t := f[0]
	t.Scale = 1
	s, err := SchemeOf(t)
	if err != nil {
		return false
	}
	_, ok := s.(interface{ oneColumn() })
	return ok
}
