// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/seed-0f95ebc1/featuremap"
)

const (
	// Dim is the number of coordinates of a row of the demonstration.
	Dim = 8

	// Noise is the standard deviation of the noise of its targets.
	Noise = 0.1

	mapSeed = 1
)

// A Demo makes an endless sequence of rows for the demonstration: normal coordinates, and a sum of waves in two of them
// each, plus noise.
type Demo struct{ s *featuremap.Sampler }

// NewDemo returns the rows of shard i.
func NewDemo(i int) Demo { return Demo{featuremap.NewSampler(uint64(mapSeed + 1 + i))} }

// Read implements Reader.
func (d Demo) Read(row []float64) error {
	x := row[:Dim]
	d.s.FillNormal(x)
	target := Noise * d.s.Normal()
	for j := 0; j < Dim; j += 2 {
		target += math.Sin(x[j]+x[j+1]) / 2
	}
	row[Dim] = target
	return nil
}

// DemoRows returns the number of rows of shard i, out of the given number of shards and of rows in all.
func DemoRows(rows, shards, i int) int { return rows*(i+1)/shards - rows*i/shards }

// Recipe returns the map in a file, as featuremap.Encode writes it: about a hundred bytes, from which a worker makes
// the same map, bit for bit. If there is no such file, Recipe makes a map for the demonstration, of at most the given
// number of features, and writes it there.
func Recipe(name string, features int) ([]byte, error) {
	recipe, err := os.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return recipe, err
	}
	// An additive model: the kernel is a sum of Gaussian kernels of two coordinates each.
	var pairs []featuremap.Kernel
	for j := 0; j < Dim; j += 2 {
		pairs = append(pairs, featuremap.Select([]int{j, j + 1}, featuremap.Gaussian{LengthScale: 1}))
	}
	plan, err := featuremap.NewPlan(featuremap.Sum(pairs...), nil, features, &featuremap.PlanOptions{In: Dim})
	if err != nil {
		return nil, err
	}
	phi, err := plan.Draw(featuremap.NewSampler(mapSeed))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := featuremap.Encode(&b, phi); err != nil {
		return nil, err
	}
	if err := WriteNew(name, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	}); err != nil {
		return nil, err
	}
	return os.ReadFile(name) // another run may have written its own
}

// ReadMap returns the map in a file.
func ReadMap(name string) (featuremap.FeatureMap, error) {
	recipe, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	phi, err := Draw(recipe)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return phi, nil
}

// Draw returns the map of a recipe.
func Draw(recipe []byte) (featuremap.FeatureMap, error) {
	return featuremap.Decode(bytes.NewReader(recipe), nil)
}
