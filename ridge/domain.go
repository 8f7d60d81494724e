// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A BeyondError is the error of a fit if more than 1 % of the rows, and more than 10, are outside the domain of the map. A map
// that was planned for points has such a domain: outside, its features are nearly 0, and predictions return to the
// intercept. To fix it, plan the map with the range that the rows will have, or without rows, for a map that is not tied
// to any. To fit nevertheless, set Options.Beyond.
type BeyondError struct {
	Rows int // number of rows outside
	Of   int // number of all rows
}

// Error returns both numbers of rows, and what to do.
func (e *BeyondError) Error() string {
	return fmt.Sprintf("ridge: %d of %d rows are outside of the domain of phi, which was planned for other points: plan it with the range that the rows have, take a map of NewPlan without rows, or set Beyond", e.Rows, e.Of)
}

// Up to mostBeyond rows, and one in beyondPart, may be outside the domain.
const (
	mostBeyond = 10
	beyondPart = 100
)

// validateBeyond refuses rows if too many are outside the domain, unless that is allowed.
func validateBeyond(beyond, rows int, allowed bool) error {
	if allowed || beyond <= mostBeyond || beyond <= rows/beyondPart {
		return nil
	}
	return &BeyondError{beyond, rows}
}

// Beyond returns the number of rows so far that are outside the domain of the map, if the map was planned for points:
// see featuremap.PlanOptions. Fit refuses more than 1 %, and more than 10, unless Options.Beyond is set; the sums stay as they
// are.
func (a *Accumulator) Beyond() int { return a.beyond }

// Beyond returns the number of rows so far that are outside the domain of the map: see Accumulator.Beyond.
func (a *Accumulator32) Beyond() int { return a.a.beyond }

// Inside reports whether x is in the domain of the map. The domain is the neighborhood of the points that the map was
// planned for; other maps have no limits. Outside, predictions return to the intercept, and the variance to the
// prior's. It panics with mat.ErrShape if x is not of length in.
func (m *Model) Inside(x []float64) bool {
	if m.phi == nil || len(x) != m.in {
		panic(mat.ErrShape)
	}
	d := domainOf(m.phi)
	return d == nil || d.Inside(x)
}
