// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// tolerance is the largest difference between a feature here and in Python. It is absolute, because
// a feature near 0 has few correct digits: its error comes from its phase ω·x + b. Both sides round
// the phase and each product and sum in it, in different orders, by about 1e-16 of their size. For
// phases up to some hundred radians this is at most about 1e-13, and the scale √(2/D) makes it
// smaller. A wrong sign, order or scale changes the first digit.
const tolerance = 1e-12

// An evaluation says which map to evaluate at which points.
type evaluation struct {
	file   string // of the map
	points string // file of X and perhaps Z, or "" for the map's
	show   int    // features of each point to print, at most
}

// from prints features of the points, and compares them with those in the file of the points.
func from(out io.Writer, of evaluation) error {
	phi, z, want, err := of.features()
	if err != nil {
		return err
	}
	in, columns := phi.Dims()
	fmt.Fprintf(out, "%v: %d coordinates, %d features.\n\n", phi.Kernel(), in, columns)
	show := min(of.show, columns)
	fmt.Fprint(out, "point")
	for j := range show {
		fmt.Fprintf(out, "%12s", fmt.Sprintf("z%d", j))
	}
	if want != nil {
		fmt.Fprintf(out, "%12s", "difference")
	}
	fmt.Fprintln(out)

	largest := 0.0
	rows, _ := z.Dims()
	for i := range rows {
		fmt.Fprintf(out, "%5d", i)
		for j := range show {
			fmt.Fprintf(out, "%12.6f", z.At(i, j))
		}
		if want != nil {
			d := difference(z.RawRowView(i), want.RawRowView(i))
			fmt.Fprintf(out, "%12.1e", d)
			largest = math.Max(largest, d) // NaN if d is
		}
		fmt.Fprintln(out)
	}
	if want == nil {
		fmt.Fprintln(out, "\nThere are no features Z to compare with.")
		return nil
	}
	if !(largest <= tolerance) {
		return fmt.Errorf("features differ from Z by %.1e: must be at most %.0e", largest, tolerance)
	}
	fmt.Fprintf(out, "\nAll %d×%d features are those in Z, to %.1e.\n", rows, columns, largest)
	return nil
}

// difference returns the largest |aᵢ − bᵢ|, or NaN if one is NaN.
func difference(a, b []float64) float64 {
	largest := 0.0
	for i, v := range a {
		largest = math.Max(largest, math.Abs(v-b[i]))
	}
	return largest
}

// features returns the map, its features of the points, and those to compare them with, or nil if
// the file has no such features.
func (of evaluation) features() (phi *featuremap.Fourier, z, want *mat.Dense, err error) {
	a, err := open(of.file)
	if err != nil {
		return nil, nil, nil, err
	}
	defer a.Close()
	phi, err = readMap(a)
	if err != nil {
		return nil, nil, nil, err
	}
	if of.points != "" {
		if a, err = open(of.points); err != nil {
			return nil, nil, nil, err
		}
		defer a.Close()
	}
	x, err := a.matrix("X")
	if err != nil {
		return nil, nil, nil, err
	}
	in, columns := phi.Dims()
	rows, cols := x.Dims()
	if cols != in {
		return nil, nil, nil, a.errorf("X", "is %d×%d: must have %d columns, the coordinates of the map", rows, cols, in)
	}
	if a.has("Z") {
		if want, err = a.matrix("Z"); err != nil {
			return nil, nil, nil, err
		}
		if r, c := want.Dims(); r != rows || c != columns {
			return nil, nil, nil, a.errorf("Z", "is %d×%d: must be %d×%d", r, c, rows, columns)
		}
	}
	z = new(mat.Dense)
	phi.TransformTo(z, x)
	return phi, z, want, nil
}

// readMap returns the map in a file.
func readMap(a *archive) (*featuremap.Fourier, error) {
	gamma, err := a.number("gamma")
	if err != nil {
		return nil, err
	}
	if !(gamma > 0) {
		return nil, a.errorf("gamma", "= %v: must be positive", gamma)
	}
	frequencies, phases, err := readWaves(a)
	if err != nil {
		return nil, err
	}
	phi, err := featuremap.NewFourierFrom(featuremap.RBF(gamma), frequencies, phases)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.file, err)
	}
	if a.has("scale") {
		s, err := a.number("scale")
		if err != nil {
			return nil, err
		}
		if want := scale(phi); !(math.Abs(s-want) <= tolerance) {
			return nil, a.errorf("scale", "= %v: must be √(2/columns) = %v", s, want)
		}
	}
	return phi, nil
}

// readWaves returns frequencies as rows, and their phases, nil for pairs of a cosine and a sine. It
// reads the arrays of an RBFSampler, or those of write.
func readWaves(a *archive) (frequencies mat.Matrix, phases []float64, err error) {
	var m *mat.Dense
	switch {
	case a.has("random_weights"):
		if m, err = a.matrix("random_weights"); err != nil {
			return nil, nil, err
		}
		_, n := m.Dims()
		frequencies = m.T() // scikit-learn has a frequency in a column
		phases, err = a.vector("random_offset", n)

	case a.has("frequencies"):
		if m, err = a.matrix("frequencies"); err != nil {
			return nil, nil, err
		}
		n, _ := m.Dims()
		frequencies = m
		if a.has("phases") {
			phases, err = a.vector("phases", n)
		}

	default:
		err = fmt.Errorf("%s: neither random_weights nor frequencies is there: the file has %v", a.file, a.Keys())
	}
	return frequencies, phases, err
}
