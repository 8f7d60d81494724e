// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

func ExampleFeatureMap_stream() {
	// The mean of the kernel between a point and all rows of a file, which is read in batches. 64 rows and their
	// features are in memory at a time, in matrices that are made once.
	const in, out, batch = 3, 2000, 64
	k := featuremap.Gaussian{LengthScale: 2}
	phi, err := featuremap.NewFourier(k, in, out, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer // stands for a file of any size, of float64 in little-endian order
	all := mat.NewDense(150, in, nil)
	featuremap.NewSampler(2).FillNormal(all.RawMatrix().Data)
	if err := binary.Write(&file, binary.LittleEndian, all.RawMatrix().Data); err != nil {
		log.Fatal(err)
	}

	buffer := make([]byte, 8*in*batch)
	x, z := mat.NewDense(batch, in, nil), mat.NewDense(batch, out, nil)
	sum, rows := make([]float64, out), 0
	for {
		size, err := io.ReadFull(&file, buffer)
		if err == io.EOF {
			break
		}
		if err == io.ErrUnexpectedEOF && size%(8*in) == 0 {
			err = nil // the last batch is smaller
		}
		n := size / (8 * in)
		if err == nil {
			_, err = binary.Decode(buffer[:size], binary.LittleEndian, x.RawMatrix().Data[:n*in])
		}
		if err != nil {
			log.Fatal(err)
		}
		// The first n rows of z, without new memory for features.
		features := z.Slice(0, n, 0, out).(*mat.Dense)
		phi.TransformTo(features, x.Slice(0, n, 0, in))
		for i := range n {
			floats.Add(sum, features.RawRowView(i))
		}
		rows += n
		fmt.Println("a batch of", n, "rows")
	}
	point := []float64{1, 0, -1}
	estimate := floats.Dot(sum, phi.TransformVec(nil, point)) / float64(rows)

	var exact mat.Dense
	featuremap.CrossGram(&exact, k, mat.NewDense(1, in, point), all)
	fmt.Printf("mean of the kernel %.3f, estimate %.3f\n", mat.Sum(&exact)/150, estimate)
	// Output:
	// a batch of 64 rows
	// a batch of 64 rows
	// a batch of 22 rows
	// mean of the kernel 0.609, estimate 0.605
}
