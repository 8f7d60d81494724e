// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sets

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// COIL20 returns 72 images of each of 20 objects, 32×32 pixels from 0 to 1, and the number of the object, from two files of a
// folder: coil20.f32.gz, float32 numbers, little-endian, and coil20.labels.u8.gz, a byte for the object of each image.
func COIL20(folder string) (*Set, error) {
	const images, pixels, objects = 1440, 1024, 20
	raw, err := unzip(folder, "coil20.f32.gz", 4*images*pixels)
	if err != nil {
		return nil, err
	}
	labels, err := unzip(folder, "coil20.labels.u8.gz", images)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "coil20", X: mat.NewDense(images, pixels, nil), Class: make([]int, images), Classes: objects}
	data := s.X.RawMatrix().Data
	for i := range data {
		data[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	least := labels[0] // objects are numbered from 0 or from 1
	for _, l := range labels {
		least = min(least, l)
	}
	for i, l := range labels {
		if s.Class[i] = int(l - least); s.Class[i] >= objects {
			return nil, fmt.Errorf("coil20.labels.u8.gz: label %d of image %d: more than %d objects", l, i, objects)
		}
	}
	return s, nil
}

// unzip returns the content of a gzipped file, which has size bytes.
func unzip(folder, name string, size int) (data []byte, err error) {
	err = open(folder, name, func(r io.Reader) error {
		if data, err = io.ReadAll(io.LimitReader(r, int64(size)+1)); err == nil && len(data) != size {
			return fmt.Errorf("not %d bytes", size)
		}
		return err
	})
	return data, err
}

// CIFAR returns the images of CIFAR10 as 3072 numbers from 0 to 1 each, and their classes.
func CIFAR(folder string) (*Set, error) {
	images, class, err := CIFAR10(folder)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: "cifar", X: mat.NewDense(len(images), 3*32*32, nil), Class: class, Classes: 10}
	for i, image := range images {
		row := s.X.RawRowView(i)
		for j := range row {
			row[j] = float64(image[j/1024][j/32%32][j%32]) / 255
		}
	}
	return s, nil
}
