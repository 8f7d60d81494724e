// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package gram

import (
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C ../projection/_asm ./gram -out ../../gram/kernels_amd64.s -stubs ../../gram/kernels_stub_amd64.go -pkg gram

// The functions below process as many whole groups as there are, and return the number of elements
// they processed.

// lanes returns the number of elements in a register.
func lanes(t tier.Tier) int {
	if t == tier.AVX512 {
		return 8
	}
	return 4
}

func distancesAssembly(t tier.Tier, inner, norms []float64, x, least float64) (done int, near bool) {
	if t == tier.AVX512 {
		return distancesBy(distancesAVX512, lanes(t), inner, norms, x, least)
	}
	return distancesBy(distancesAVX2, lanes(t), inner, norms, x, least)
}

func chordsAssembly(t tier.Tier, inner, norms []float64, x, least float64) (done int, near bool) {
	if t == tier.AVX512 {
		return distancesBy(chordsAVX512, lanes(t), inner, norms, x, least)
	}
	return distancesBy(chordsAVX2, lanes(t), inner, norms, x, least)
}

func distancesBy(kernel func(groups int, inner, norms *float64, x, least float64) int32, lanes int, inner, norms []float64, x, least float64) (done int, near bool) {
	groups := len(norms) / lanes
	if groups == 0 {
		return 0, false
	}
	far := kernel(groups, &inner[0], &norms[0], x, least)
	return groups * lanes, far != 1<<lanes-1
}

func squaresAssembly(t tier.Tier, sums *[8]float64, x, y, factors []float64) int {
	groups := len(x) / 8
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		squaresAVX512(groups, &x[0], &y[0], &factors[0], &sums[0])
	} else {
		squaresAVX2(groups, &x[0], &y[0], &factors[0], &sums[0])
	}
	return groups * 8
}

func sinesAssembly(t tier.Tier, sums *[8]float64, x, y, factors, table []float64) int {
	groups := len(x) / 8
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		sinesAVX512(groups, &x[0], &y[0], &factors[0], &sums[0], &table[0])
	} else {
		sinesAVX2(groups, &x[0], &y[0], &factors[0], &sums[0], &table[0])
	}
	return groups * 8
}

// tileAssembly is tilePlain for one row, or for as many rows as a tile of the tier has. table holds the
// constants of Sines.
func tileAssembly(t tier.Tier, s Statistic, dst []float64, stride int, x blas64.General, y, factors []float64, table *float64) {
	of, k, from, xs := int(s), x.Cols, &x.Data[0], 8*x.Stride
	p, f, to, ds := &y[0], &factors[0], &dst[0], 8*stride
	switch {
	case t == tier.AVX512 && x.Rows == 1:
		tileAVX512x1(of, k, from, xs, p, f, to, ds, table)
	case t == tier.AVX512:
		tileAVX512x8(of, k, from, xs, p, f, to, ds, table)
	case x.Rows == 1:
		tileAVX2x1(of, k, from, xs, p, f, to, ds, table)
	default:
		tileAVX2x4(of, k, from, xs, p, f, to, ds, table)
	}
}

// integer is a number that, added to a whole number from 0 to 2⁵², has that number in its last
// bits.
const integer = 0x1p52

// expTable holds the constants of exp and log1p, each repeated eight times to fill a register of the
// widest tier.
var expTable = func() []float64 {
	bias := math.Float64frombits(1023)
	constants := append([]float64{log2E, rounding, ln2Hi, ln2Lo, minExp, maxExp, maxDecay, 1, bias}, expSeries[:]...)
	bits := math.Float64frombits
	constants = append(constants, maxRatio, 2, bits(rootHalf), bits(exponents), integer)
	return wide(append(constants, logSeries[:]...))
}()

func exponentialAssembly(t tier.Tier, dst, src []float64, f Exponential) int {
	n := lanes(t) * lanes(t) / 2
	groups := len(src) / n
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		exponentialAVX512(groups, &src[0], &dst[0], f.Rate, f.Shift, &expTable[0])
	} else {
		exponentialAVX2(groups, &src[0], &dst[0], f.Rate, f.Shift, &expTable[0])
	}
	return groups * n
}

func decayAssembly(t tier.Tier, dst, src []float64, f Decay) int {
	n := lanes(t) * lanes(t) / 2
	groups, degree := len(src)/n, len(f.Coefficients)-1
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		decayAVX512(groups, &src[0], &dst[0], f.Scale, degree, &f.Coefficients[0], &expTable[0])
	} else {
		decayAVX2(groups, &src[0], &dst[0], f.Scale, degree, &f.Coefficients[0], &expTable[0])
	}
	return groups * n
}

func ratioAssembly(t tier.Tier, dst, src []float64, f Ratio) int {
	n := lanes(t) * lanes(t) / 2
	groups := len(src) / n
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		ratioAVX512(groups, &src[0], &dst[0], f.Rate, -f.Power, &expTable[0])
	} else {
		ratioAVX2(groups, &src[0], &dst[0], f.Rate, -f.Power, &expTable[0])
	}
	return groups * n
}

// angularTables holds the constants of each order of Angular, each repeated eight times.
var angularTables = func() (tables [len(angulars)][]float64) {
	for n, v := range angulars {
		constants := []float64{math.Float64frombits(math.MaxInt64), 1, -0.5, v.first, 1 - v.first, v.second, 1 - v.second, v.sign}
		tables[n] = wide(append(append(constants, v.more[:]...), v.series[:]...))
	}
	return tables
}()

func angularAssembly(t tier.Tier, dst, src []float64, f Angular) int {
	n := lanes(t) * lanes(t) / 2
	groups := len(src) / n
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		angularAVX512(groups, &src[0], &dst[0], &angularTables[f.Order][0])
	} else {
		angularAVX2(groups, &src[0], &dst[0], &angularTables[f.Order][0])
	}
	return groups * n
}

// wide returns each constant repeated eight times, to fill registers of the widest tier.
func wide(constants []float64) []float64 {
	table := aligned(8 * len(constants))
	for i := range table {
		table[i] = constants[i/8]
	}
	return table
}

// aligned returns n zeros that start on a cache line, so that loads of whole registers do not straddle
// lines.
func aligned(n int) []float64 {
	const line = 64 / 8
	s := make([]float64, n+line-1)
	skip := -(uintptr(unsafe.Pointer(&s[0])) / 8) % line
	return s[skip:][:n:n]
}
