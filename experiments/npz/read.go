// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"
)

// An archive is an open .npz file. Its methods read arrays of finite float64 numbers, and their
// errors name the file and the array.
type archive struct {
	*npz.Reader
	file string
}

// open opens a file, for the caller to close.
func open(file string) (*archive, error) {
	r, err := npz.Open(file)
	if err != nil {
		return nil, err
	}
	return &archive{r, file}, nil
}

// has reports whether there is an array of the name.
func (a *archive) has(name string) bool {
	return slices.Contains(a.Keys(), name+".npy")
}

// errorf returns an error about an array.
func (a *archive) errorf(name, format string, args ...any) error {
	return fmt.Errorf("%s: %s %w", a.file, name, fmt.Errorf(format, args...))
}

// matrix returns an array of two dimensions.
func (a *archive) matrix(name string) (*mat.Dense, error) {
	return a.read(name, "a matrix", 2)
}

// vector returns an array of one dimension and n elements.
func (a *archive) vector(name string, n int) ([]float64, error) {
	m, err := a.read(name, "a vector", 1)
	if err != nil {
		return nil, err
	}
	if rows, _ := m.Dims(); rows != n {
		return nil, a.errorf(name, "has length %d: must be %d, the number of frequencies", rows, n)
	}
	return m.RawMatrix().Data, nil
}

// number returns the only element of an array of no dimensions, or of one.
func (a *archive) number(name string) (float64, error) {
	m, err := a.read(name, "a number", 0, 1)
	if err != nil {
		return 0, err
	}
	if rows, _ := m.Dims(); rows != 1 {
		return 0, a.errorf(name, "has length %d: must be a number", rows)
	}
	return m.At(0, 0), nil
}

// read returns an array as a matrix: n×1 for a vector of length n, and 1×1 for a number. The number
// of its dimensions must be one of dims; otherwise the error says what the array must be, a matrix
// or the like. The shape is compared with the size of the data before memory is allocated for it.
func (a *archive) read(name, must string, dims ...int) (*mat.Dense, error) {
	if !a.has(name) {
		return nil, a.errorf(name, "is not there: the file has %v", a.Keys())
	}
	data, err := a.bytes(name)
	if err != nil {
		return nil, a.errorf(name, "cannot be read: %w", err)
	}
	r := bytes.NewReader(data)
	array, err := npy.NewReader(r)
	if err != nil {
		return nil, a.errorf(name, "cannot be read: %w", err)
	}
	of := array.Header.Descr
	switch {
	case of.Type != "<f8" && of.Type != ">f8":
		return nil, a.errorf(name, "has type %s: must be float64, <f8", of.Type)
	case !slices.Contains(dims, len(of.Shape)):
		return nil, a.errorf(name, "has shape %v: must be %s", of.Shape, must)
	case slices.Contains(of.Shape, 0):
		return nil, a.errorf(name, "has shape %v: must not be empty", of.Shape)
	case !fits(of.Shape, r.Len()):
		return nil, a.errorf(name, "has shape %v, but %d bytes", of.Shape, r.Len())
	}
	var m mat.Dense
	if err := array.Read(&m); err != nil { // in either order, C or Fortran
		return nil, a.errorf(name, "cannot be read: %w", err)
	}
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			if v := m.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, a.errorf(name, "has %v at %v: must be finite", v, []int{i, j}[:len(of.Shape)])
			}
		}
	}
	return &m, nil
}

// bytes returns the bytes of the array in the file, with its header. At its end the checksum is
// compared.
func (a *archive) bytes(name string) ([]byte, error) {
	r, err := a.Open(name + ".npy")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// fits reports whether float64 numbers of a shape take some number of bytes.
func fits(shape []int, size int) bool {
	for _, n := range shape {
		if n < 1 || size%n != 0 {
			return false
		}
		size /= n
	}
	return size == 8
}
