// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"slices"
)

// Norm1 returns the 1-norm of a symmetric matrix, the largest sum of magnitudes of a column. A sum is a chain in the
// order of the rows, whatever the tier.
func (m *Matrix) Norm1() float64 {
	sums := make([]float64, m.n)
	for first := 0; first < m.n; first += m.width {
		panel := m.panel(first / m.width)
		end := min(first+m.width, m.n)
		for i := range end {
			// Row i adds to its columns, and then as column i.
			row := panel[i*m.width:]
			for j := max(first, i); j < end; j++ {
				sums[j] += math.Abs(row[j-first])
			}
			sum := sums[i]
			for j := max(first, i+1); j < end; j++ {
				sum += math.Abs(row[j-first])
			}
			sums[i] = sum
		}
	}
	return slices.Max(sums)
}

// InverseNorm1 estimates the 1-norm of A⁻¹, for A = UᵀU. The estimate is a lower bound, most often within a factor of
// 3. It takes about ten solutions of triangular systems. (Higham, FORTRAN codes for estimating the one-norm of a real
// or complex matrix, with applications to condition estimation, ACM TOMS 14, 1988, algorithm 4.1, for a symmetric
// matrix.)
func (f *Factor) InverseNorm1() float64 {
	n := f.u.n
	x, sign := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1 / float64(n)
	}
	f.solveBoth(x)
	best := norm1(x)
	if n == 1 {
		return best
	}
	last := -1
	for range 5 {
		changed := signs(sign, x)
		if !changed {
			break
		}
		copy(x, sign)
		f.solveBoth(x)
		j := maxAbs(x)
		if j == last || last >= 0 && math.Abs(x[last]) == math.Abs(x[j]) {
			break
		}
		last = j
		clear(x)
		x[j] = 1
		f.solveBoth(x)
		norm := norm1(x)
		if norm <= best {
			break
		}
		best = norm
	}
	// A vector of alternating signs and growing magnitudes, for matrices that mislead the search.
	for i := range x {
		x[i] = 1 + float64(i)/float64(n-1)
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	f.solveBoth(x)
	return max(best, 2*norm1(x)/(3*float64(n)))
}

// solveBoth overwrites b by A⁻¹b.
func (f *Factor) solveBoth(b []float64) {
	f.SolveTransVec(b)
	f.SolveVec(b)
}

func norm1(x []float64) (sum float64) {
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}

// signs sets dst to the signs of x, 1 for 0, and tells whether any of them has changed.
func signs(dst, x []float64) (changed bool) {
	for i, v := range x {
		s := math.Copysign(1, v)
		if v == 0 {
			s = 1
		}
		changed = changed || s != dst[i]
		dst[i] = s
	}
	return changed
}

// maxAbs returns the index of the first element of the largest magnitude.
func maxAbs(x []float64) (at int) {
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}
