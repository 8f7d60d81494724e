// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// points are images of some classes.
type points struct {
	name    string
	x       *mat.Dense // a row an image, pixels from 0 to 1
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

// loadCOIL returns COIL-20 from two files of a folder: 72 images of each of 20 objects as
// 32×32 float32 numbers from 0 to 1, little-endian, and a byte for the object of each.
func loadCOIL(folder string) (*points, error) {
	const images, pixels, objects = 1440, 1024, 20
	raw, err := unzip(filepath.Join(folder, "coil20.f32.gz"), 4*images*pixels)
	if err != nil {
		return nil, err
	}
	labels, err := unzip(filepath.Join(folder, "coil20.labels.u8.gz"), images)
	if err != nil {
		return nil, err
	}
	p := &points{"COIL-20", mat.NewDense(images, pixels, nil), make([]int, images), objects}
	data := p.x.RawMatrix().Data
	for i := range data {
		data[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	least := labels[0] // objects are numbered from 0 or from 1
	for _, l := range labels {
		least = min(least, l)
	}
	for i, l := range labels {
		if p.class[i] = int(l - least); p.class[i] >= objects {
			return nil, fmt.Errorf("label %d of image %d: more than %d objects", l, i, objects)
		}
	}
	return p, nil
}

// unzip returns what a gzipped file holds, size bytes.
func unzip(path string, size int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(z, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(data) != size {
		return nil, fmt.Errorf("%s: not %d bytes", path, size)
	}
	return data, nil
}

// first returns the first n points, all if n is 0.
func (p *points) first(n int) *points {
	rows, d := p.x.Dims()
	if n == 0 || n > rows {
		return p
	}
	return &points{p.name, p.x.Slice(0, n, 0, d).(*mat.Dense), p.class[:n], p.classes}
}

// draw returns n points of each class: those whose labels are known.
func (p *points) draw(n int, s *featuremap.Sampler) []int {
	byClass := make([][]int, p.classes)
	for i, c := range p.class {
		byClass[c] = append(byClass[c], i)
	}
	var labelled []int
	for _, members := range byClass {
		for i := range n {
			j := i + s.IntN(len(members)-i)
			members[i], members[j] = members[j], members[i]
			labelled = append(labelled, members[i])
		}
	}
	return labelled
}

// accuracy returns the share of points without labels whose own class has the largest score.
func (p *points) accuracy(scores *mat.Dense, labelled []int) float64 {
	known := make(map[int]bool)
	for _, i := range labelled {
		known[i] = true
	}
	right := 0
	for i, c := range p.class {
		if !known[i] && floats.MaxIdx(scores.RawRowView(i)) == c {
			right++
		}
	}
	return float64(right) / float64(len(p.class)-len(labelled))
}
