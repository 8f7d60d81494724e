// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Images in the format of MNIST.

package sets

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// MNIST returns images with pixels from 0 to 1 and their classes, from the four files of MNIST and of sets in its
// format: train-images-idx3-ubyte and train-labels-idx1-ubyte, which are to train on, t10k-images-idx3-ubyte and
// t10k-labels-idx1-ubyte. They may be compressed, with .gz after the name.
func MNIST(folder string) (*Set, error) {
	s := &Set{Name: "mnist"}
	var pixels []float64
	columns := 0
	for _, part := range []string{"train", "t10k"} {
		images, size, err := readIDX(folder, part+"-images-idx3-ubyte", 3)
		if err != nil {
			return nil, err
		}
		labels, count, err := readIDX(folder, part+"-labels-idx1-ubyte", 1)
		if err != nil {
			return nil, err
		}
		d := size[1] * size[2]
		if size[0] != count[0] || columns != 0 && d != columns {
			return nil, fmt.Errorf("%s: %d images of %d pixels, %d labels: must be as many, of the pixels of the others", part, size[0], d, count[0])
		}
		columns = d
		pixels = slices.Grow(pixels, len(images))
		for _, v := range images {
			pixels = append(pixels, float64(v)/255)
		}
		for _, c := range labels {
			s.Class = append(s.Class, int(c))
		}
		if s.Train == 0 {
			s.Train = size[0]
		}
	}
	s.X = mat.NewDense(len(s.Class), columns, pixels)
	s.Classes = slices.Max(s.Class) + 1
	return s, nil
}

// readIDX reads a file of bytes in some dimensions: two zeros, 8 for bytes, the number of dimensions, the size of each as a
// big-endian number of 32 bits, and the bytes.
func readIDX(folder, name string, dimensions int) (data []byte, size []int, err error) {
	name = filepath.Join(folder, name)
	compressed := false
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		compressed = true
		name += ".gz"
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if compressed {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	head := make([]byte, 4+4*dimensions)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if want := []byte{0, 0, 8, byte(dimensions)}; !slices.Equal(head[:4], want) {
		return nil, nil, fmt.Errorf("%s begins with % x: must be % x", name, head[:4], want)
	}
	const most = 1 << 30 // bytes; this program could not use larger files
	bytes := 1
	for k := range dimensions {
		n := int(binary.BigEndian.Uint32(head[4+4*k:]))
		if size = append(size, n); n < 1 || bytes > most/n {
			return nil, nil, fmt.Errorf("%s: sizes % x: must be positive, and 2^30 bytes at most", name, head[4:])
		}
		bytes *= n
	}
	if data, err = io.ReadAll(io.LimitReader(r, int64(bytes)+1)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) != bytes {
		return nil, nil, fmt.Errorf("%s has %d bytes or more: must have %d", name, len(data), bytes)
	}
	return data, size, nil
}
