// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// points are images of some classes.
type points struct {
	name    string
	x       *mat.Dense // one row an image, pixels from 0 to 1
	class   []int
	classes int
}

// loadDigits returns the embedded digits.
func loadDigits() (*points, error) {
	x, class, err := dataset.Digits()
	if err != nil {
		return nil, err
	}
	x.Scale(1./16, x)
	return &points{"Handwritten digits", x, class, 10}, nil
}

// loadCOIL returns COIL-20, from two files of a folder.
func loadCOIL(folder string) (*points, error) {
	s, err := sets.COIL20(folder)
	if err != nil {
		return nil, err
	}
	return &points{"COIL-20", s.X, s.Class, s.Classes}, nil
}

// first returns the first n points, all if n is 0.
func (p *points) first(n int) *points {
	rows, d := p.x.Dims()
	if n == 0 || n > rows {
		return p
	}
	return &points{p.name, p.x.Slice(0, n, 0, d).(*mat.Dense), p.class[:n], p.classes}
}

// draw samples n points of each class, whose labels are known.
func (p *points) draw(n int, s *featuremap.Sampler) []int {
	byClass := make([][]int, p.classes)
	for i, c := range p.class {
		byClass[c] = append(byClass[c], i)
	}
	var labeled []int
	for _, members := range byClass {
		for i := range n {
			j := i + s.IntN(len(members)-i)
			members[i], members[j] = members[j], members[i]
			labeled = append(labeled, members[i])
		}
	}
	return labeled
}

// accuracy returns the share of points without labels whose own class has the largest score.
func (p *points) accuracy(scores *mat.Dense, labeled []int) float64 {
	known := make(map[int]bool)
	for _, i := range labeled {
		known[i] = true
	}
	right := 0
	for i, c := range p.class {
		if !known[i] && floats.MaxIdx(scores.RawRowView(i)) == c {
			right++
		}
	}
	return float64(right) / float64(len(p.class)-len(labeled))
}
