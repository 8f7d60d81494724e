// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// drawing says which map to make, and where to write it.
type drawing struct {
	file     string // to write
	points   string // file of X, or "" for random points
	gamma    float64
	features int
	phases   bool
	seed     uint64
}

// to makes a map, writes it with points and their features, and says what it wrote.
func to(out io.Writer, of drawing) error {
	s := featuremap.NewSampler(of.seed)
	var x *mat.Dense
	if of.points == "" {
		x = mat.NewDense(7, 5, nil)
		s.FillNormal(x.RawMatrix().Data)
	} else {
		a, err := open(of.points)
		if err != nil {
			return err
		}
		defer a.Close()
		if x, err = a.matrix("X"); err != nil {
			return err
		}
	}
	rows, in := x.Dims()
	phi, err := featuremap.NewFourier(featuremap.RBF(of.gamma), in, of.features, s,
		&featuremap.FourierOptions{Design: featuremap.Orthogonal, RandomPhase: of.phases})
	if err != nil {
		return err
	}
	if err := write(of.file, phi, of.gamma, x); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: a map of %d coordinates to %d features, and the features of %d points.\n", of.file, in, of.features, rows)
	return nil
}

// write writes a map of the kernel RBF(gamma), points x and their features. For D frequencies ωⱼ
// and phases bⱼ the features are
//
//	scale·(cos ω₁·x, …, cos ω_D·x, sin ω₁·x, …, sin ω_D·x),  scale = √(1/D), without phases,
//	scale·(cos(ω₁·x + b₁), …, cos(ω_D·x + b_D)),             scale = √(2/D), with phases.
func write(file string, phi *featuremap.Fourier, gamma float64, x *mat.Dense) error {
	var z mat.Dense
	phi.TransformTo(&z, x)
	arrays := map[string]any{
		"frequencies.npy": phi.Frequencies(),
		"scale.npy":       scale(phi),
		"gamma.npy":       gamma,
		"X.npy":           x,
		"Z.npy":           &z,
	}
	if phases := phi.Phases(); phases != nil {
		arrays["phases.npy"] = phases
	}
	return npz.Write(file, arrays)
}

// scale returns the factor of a map's cosines and sines, √(2m/columns). The mass m = k(x, x) of a
// Gaussian kernel is 1.
func scale(phi *featuremap.Fourier) float64 {
	_, columns := phi.Dims()
	return math.Sqrt(2 / float64(columns))
}
