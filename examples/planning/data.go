// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/examples/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// A set is points with standardised columns.
type set struct {
	name string
	x    *mat.Dense
}

// load returns the data sets.
func load(of scope) ([]set, error) {
	digits, _, err := dataset.Digits()
	if err != nil {
		return nil, err
	}
	spam, _, _, err := dataset.Spambase()
	if err != nil {
		return nil, err
	}
	sets := []set{{"digits", digits}, {"Spambase", spam}}
	if of.data != "" {
		letters, err := readFile(filepath.Join(of.data, "letter-recognition.csv.gz"), readLetters)
		if err != nil {
			return nil, err
		}
		patches, err := readFile(filepath.Join(of.data, "cifar10_train4000_a.bin.gz"), readPatches)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set{"letter", letters}, set{"CIFAR patches", patches})
	}
	for i := range sets {
		sets[i].x = pairs.Spread(sets[i].x, of.points)
		standardise(sets[i].x)
	}
	return sets, nil
}

// standardise gives columns the mean 0 and the standard deviation 1; a constant column is 0.
func standardise(x *mat.Dense) {
	n, d := x.Dims()
	column := make([]float64, n)
	for j := range d {
		mean, deviation := stat.MeanStdDev(mat.Col(column, j, x), nil)
		if deviation == 0 {
			deviation = 1
		}
		for i := range n {
			x.Set(i, j, (x.At(i, j)-mean)/deviation)
		}
	}
}

// unit returns the points scaled to norm 1.
func (s set) unit() *mat.Dense {
	x := mat.DenseCopyOf(s.x)
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return x
}

// readFile reads the points of a gzipped file.
func readFile(path string, read func(io.Reader) (*mat.Dense, error)) (*mat.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x, err := read(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// readLetters reads the numbers of CSV whose first column is a letter.
func readLetters(r io.Reader) (*mat.Dense, error) {
	records, err := csv.NewReader(r).ReadAll() // all of one length
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || len(records[0]) < 2 {
		return nil, errors.New("no numbers")
	}
	x := mat.NewDense(len(records), len(records[0])-1, nil)
	for i, record := range records {
		for j, field := range record[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+1, err)
			}
			x.Set(i, j, v)
		}
	}
	return x, nil
}

// CIFAR-10's binary form: a label, then the red, green and blue planes of 32×32 pixels.
const (
	side   = 32
	plane  = side * side
	record = 1 + 3*plane
	window = 5
)

// readPatches reads the patch of 5×5 pixels in the middle of each image, less its mean.
func readPatches(r io.Reader) (*mat.Dense, error) {
	buf := make([]byte, record)
	var data []float64
	images := 0
	for ; ; images++ {
		if _, err := io.ReadFull(r, buf); err == io.EOF && images > 0 {
			break
		} else if err != nil {
			return nil, fmt.Errorf("image %d: %w", images, err)
		}
		data = append(data, patch(buf)...)
	}
	return mat.NewDense(images, 3*window*window, data), nil
}

// patch returns the patch of an image.
func patch(image []byte) []float64 {
	of := make([]float64, 3*window*window)
	for j := range of {
		r, c := j%(window*window)/window, j%window
		const first = (side - window) / 2
		of[j] = float64(image[1+j/(window*window)*plane+(first+r)*side+first+c])
	}
	floats.AddConst(-stat.Mean(of, nil), of)
	return of
}
