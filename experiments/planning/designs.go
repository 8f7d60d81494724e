// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// The designs of Fourier maps compared with the orthogonal one: mean squared errors over its
// variance.

// A ratio is the mean squared errors of a kernel on a set, with a number of columns, over the error of orthogonal
// frequencies with random radii: predicted for stratified radii, and measured for Sobol frequencies along principal axes.
type ratio struct {
	set, kernel       string
	columns           int
	stratified, sobol float64
}

// designs writes a table of ratios to w, and returns them.
func designs(w io.Writer, show func(doing string), size scope, columns []int) (all []ratio, err error) {
	named, err := designSets(size)
	if err != nil {
		return nil, err
	}
	for _, s := range named {
		median, err := featuremap.MedianLengthScale(s.x, featuremap.NewSampler(seed))
		if err != nil {
			return nil, err
		}
		l := math.Sqrt2 * median // the median distance
		for _, k := range []featuremap.Kernel{featuremap.Gaussian{LengthScale: l}, featuremap.Matern{Nu: 1.5, LengthScale: l}} {
			for _, out := range columns {
				show(fmt.Sprintf("%s: %T, %d columns …", s.name, k, out))
				r, err := s.ratio(k, out, size.maps)
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
		}
	}
	fmt.Fprintf(w, "Mean squared errors, relative to the variance of orthogonal frequencies with random radii, over all pairs of\n")
	fmt.Fprintf(w, "%d rows: with stratified radii by exact variances, with Sobol frequencies of %d maps. The length scale\n", min(size.points, pairs.Rows), size.maps)
	fmt.Fprintf(w, "is the median distance.\n\n")
	var names []string
	for _, r := range all {
		names = append(names, r.set)
	}
	program.Table(w, []string{"data", "kernel", "columns", "stratified radii", "Sobol"}, names, func(i, j int) string {
		r := all[i]
		return []string{r.kernel, fmt.Sprint(r.columns), fmt.Sprintf("%.2f", r.stratified), fmt.Sprintf("%.3f", r.sobol)}[j]
	})
	return all, nil
}

// designSets returns the sets, standardized, and one of them also as logarithms and with each column divided by
// its range.
func designSets(size scope) (all []set, err error) {
	letter, err := sets.Letter()
	if err != nil {
		return nil, err
	}
	sets.Standardize(letter.X)
	all = append(all, set{"letter", letter.X})
	if size.data == "" {
		return all, nil
	}
	housing, err1 := sets.CalHousing(size.data)
	cpu, err2 := sets.CPUAct(size.data)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	logarithms, parts := mat.DenseCopyOf(cpu.X), mat.DenseCopyOf(cpu.X)
	logarithms.Apply(func(_, _ int, v float64) float64 { return math.Log1p(v) }, logarithms)
	ranges(parts)
	for _, x := range []*mat.Dense{housing.X, cpu.X, logarithms} {
		sets.Standardize(x)
	}
	return append(all, set{"Cal_housing", housing.X}, set{"cpu_act", cpu.X}, set{"cpu_act, log(1 + x)", logarithms}, set{"cpu_act over its ranges", parts}), nil
}

// ranges divides each column by the difference of its largest and least element.
func ranges(x *mat.Dense) {
	n, d := x.Dims()
	for j := range d {
		column := x.ColView(j)
		if size := mat.Max(column) - mat.Min(column); size > 0 {
			for i := range n {
				x.Set(i, j, x.At(i, j)/size)
			}
		}
	}
}

// ratio measures one line.
func (s set) ratio(k featuremap.Kernel, out, maps int) (ratio, error) {
	_, d := s.x.Dims()
	rows := pairs.Spread(s.x, pairs.Rows)
	var components stat.PC
	if !components.PrincipalComponents(rows, nil) {
		return ratio{}, fmt.Errorf("%s: no principal axes", s.name)
	}
	var axes mat.Dense
	components.VectorsTo(&axes)
	var exact mat.SymDense
	featuremap.Gram(&exact, k, rows)
	draw := func(i int, o featuremap.FourierOptions) (*featuremap.Fourier, error) {
		return featuremap.NewFourier(k, d, out, featuremap.NewSampler(uint64(seed+i)), &o)
	}
	plain, err1 := draw(0, featuremap.FourierOptions{Design: featuremap.Orthogonal})
	stratified, err2 := draw(0, featuremap.FourierOptions{Design: featuremap.Orthogonal, Stratified: true})
	if err := errors.Join(err1, err2); err != nil {
		return ratio{}, err
	}
	squares := make([]float64, maps)
	for i := range squares {
		m, err := draw(i, featuremap.FourierOptions{Design: featuremap.Sobol, Axes: axes.T()})
		if err != nil {
			return ratio{}, err
		}
		squares[i] = pairs.SquaredError(m, rows, &exact)
	}
	root, _ := pairs.Root(squares)
	base := pairs.Predicted(plain, rows)
	name := "Gaussian"
	if _, ok := k.(featuremap.Matern); ok {
		name = "Matern 3/2"
	}
	return ratio{s.name, name, out, math.Pow(pairs.Predicted(stratified, rows)/base, 2), math.Pow(root/base, 2)}, nil
}
