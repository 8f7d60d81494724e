// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// planned is a kernel on the points of a data set.
type planned struct {
	data   string
	kernel featuremap.Kernel
	note   string // what the parameters are
	x      *mat.Dense
}

// name returns the kernel as a Go expression without the package.
func (c planned) name() string { return fmt.Sprint(c.kernel) }

// cases returns the kernels on a data set. Length scales are multiples of the median distance.
func (s set) cases() ([]planned, error) {
	l, err := featuremap.MedianLengthScale(s.x, featuremap.NewSampler(seed))
	if err != nil {
		return nil, err
	}
	median := l * math.Sqrt2 // see MedianLengthScale
	scale := func(times float64) float64 { return round(times * median) }
	_, d := s.x.Dims()
	return []planned{
		{s.name, featuremap.Gaussian{LengthScale: scale(2)}, "twice the median distance", s.x},
		{s.name, featuremap.Gaussian{LengthScale: scale(0.5)}, "half the median distance", s.x},
		{s.name, featuremap.Matern{Nu: 1.5, LengthScale: scale(1)}, "the median distance", s.x},
		{s.name, featuremap.ExpDot{LengthScale: 1}, "points of norm 1", s.unit()},
		{s.name, featuremap.Polynomial{Degree: 3, Gamma: round(1 / float64(d)), Offset: 1}, "1 over the number of coordinates", s.x},
		{s.name, featuremap.ArcCosine{Order: 1}, "a layer of ReLUs", s.x},
	}, nil
}

// round returns a positive v to three digits.
func round(v float64) float64 {
	unit := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return math.Round(v*unit) / unit
}

// candidate is a way to make a map.
type candidate struct {
	name string // "" for the plan's map, which knows its name
	draw func(*featuremap.Sampler) (featuremap.FeatureMap, error)
}

// byHand returns the maps that one would otherwise choose.
func (c planned) byHand(columns int) []candidate {
	switch k := c.kernel.(type) {
	case featuremap.ArcCosine:
		return c.neurons(columns)
	case featuremap.DotProduct:
		return c.maclaurins(k, columns)
	default:
		return c.fouriers(columns)
	}
}

func (c planned) fouriers(columns int) (all []candidate) {
	_, d := c.x.Dims()
	for _, design := range []featuremap.Design{featuremap.Independent, featuremap.Orthogonal, featuremap.Structured} {
		all = append(all, candidate{fmt.Sprintf("NewFourier, %v", design), func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
			return featuremap.NewFourier(c.kernel, d, columns&^1, s, &featuremap.FourierOptions{Design: design})
		}})
	}
	return all
}

func (c planned) neurons(columns int) (all []candidate) {
	_, d := c.x.Dims()
	for _, design := range []featuremap.Design{featuremap.Independent, featuremap.Orthogonal} {
		all = append(all, candidate{fmt.Sprintf("NewNeurons, %v", design), func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
			return featuremap.NewNeurons(c.kernel, d, columns, s, &featuremap.NeuronsOptions{Orthogonal: design == featuremap.Orthogonal})
		}})
	}
	return all
}

// maclaurins are Kar and Karnick's map, one for points with the root mean square norm, one with all options
// that lower the variance, and for polynomials Kakade's scheme.
func (c planned) maclaurins(k featuremap.DotProduct, columns int) (all []candidate) {
	n, d := c.x.Dims()
	law := series.OptimalLaw{Norm: mat.Norm(c.x, 2) / math.Sqrt(float64(n))}
	polynomial, ok := k.(featuremap.Polynomial)
	below := math.MaxInt // the degree of the kernel
	if ok {
		below = polynomial.Degree
	}
	low, taken := exactDegree(d, below, columns/2)
	add := func(name string, columns int, o featuremap.MaclaurinOptions) {
		all = append(all, candidate{"NewMaclaurin, " + name, func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
			return featuremap.NewMaclaurin(k, d, columns, s, &o)
		}})
	}
	add("GeometricLaw", columns, featuremap.MaclaurinOptions{})
	add("OptimalLaw", columns, featuremap.MaclaurinOptions{Law: law})
	add(fmt.Sprintf("OptimalLaw, TensorSRHT, Complex, ExactDegree %d", low), columns-(columns-taken)%2,
		featuremap.MaclaurinOptions{Law: law, Sketch: featuremap.TensorSRHT, Complex: true, ExactDegree: low})
	if ok {
		add("SumOfProducts", columns, featuremap.MaclaurinOptions{SumOfProducts: true})
	}
	return all
}

// exactDegree returns the largest degree n < below for which all monomials in d coordinates up to degree n
// take at most columns columns, and how many these are. It returns 0 and 0 if degree 1 takes more.
func exactDegree(d, below, columns int) (n, taken int) {
	for count := 1; n+1 < below; {
		count = count * (d + n + 1) / (n + 1)
		if count > columns {
			break
		}
		n++
		taken = count
	}
	return n, taken
}
