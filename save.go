// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// Encode writes a map of the package to w, as a file of a few hundred bytes from which Decode draws it again, bit for
// bit, on any machine: its plan, and the state of the sampler that it was drawn from, as JSON. Numbers that were made
// from data or given by the caller, such as the matrix of a DataDependent or the frequencies of NewFourierFrom, follow
// in binary, and last a SHA-256 of all. docs/saving.md describes the format, and what later releases promise.
//
// Kernels, series, laws, weighters and drawers of other packages are saved by the name that their type is registered
// with (see Register), as encoding/json has them. Encode decodes what it wrote and compares features before it returns,
// so that it takes as long as drawing the map: what a type keeps in fields that JSON does not see is an error.
//
// It returns an error if m is nil, a zero value, or of another package, if its kernel has a part that is, and whose type
// is not registered, or that is a WeightFunc or a DrawFunc, a function, or if its kernel is that of a DataDependent; if
// the map decoded is another; and that of w. Nothing is written if the map cannot be saved.
func Encode(w io.Writer, m FeatureMap) error {
	b, err := encode(m)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// encode returns the file of a map, and has compared it.
func encode(m FeatureMap) ([]byte, error) {
	b, err := encoded(m)
	if err != nil {
		return nil, err
	}
	of, err := Decode(bytes.NewReader(b), &DecodeOptions{MaxBytes: 1 << 62, MaxWork: 1 << 62})
	if err != nil {
		return nil, fmt.Errorf("featuremap: the map cannot be saved: it was not read again: %w", err)
	}
	again, err := encoded(of)
	if err == nil && !bytes.Equal(b, again) {
		err = errors.New("featuremap: the map cannot be saved: what was read again is another")
	}
	return b, err
}

// encoded returns the file of a map, not compared.
func encoded(m FeatureMap) ([]byte, error) {
	s := &saver{data: new([][]float64)}
	return s.file(mapFile, s.mapped(m))
}

const (
	mapFile  = "map"
	planFile = "plan"
)

// file returns a file of a kind with a document, and the raw arrays of s.
func (s *saver) file(kind string, v any) ([]byte, error) {
	document, err := s.json(v)
	if err != nil {
		return nil, err
	}
	var sizes []int
	for _, a := range *s.data {
		sizes = append(sizes, len(a))
	}
	var b bytes.Buffer
	f := sealed.NewWriter(&b, kind, document, nil, sizes)
	for _, a := range *s.data {
		f.Floats(a)
	}
	if _, err := f.Close(); err != nil {
		return nil, fmt.Errorf("featuremap: the %s cannot be saved: %w", kind, err)
	}
	return b.Bytes(), nil
}

// DecodeOptions are the options of Decode; nil is the zero value. They bound what a file can make the program do that
// reads it, whoever wrote it.
type DecodeOptions struct {
	// MaxBytes is the most memory for the map, in bytes: 1 GiB if 0.
	MaxBytes int64

	// MaxWork is the most multiply-adds, about, for drawing it: 1e12 if 0, some minutes.
	MaxWork int64
}

// Decode reads a map that Encode wrote, up to the end of r, and draws it again: its features have the same bits, and so
// has its variance. Where a type of a caller takes part, features are the same to 1e-9.
//
// It returns an error if a byte was changed, if there is more or less of them, if the file is of a later version, if the
// map takes more memory or work than opts allow, if a name is not registered, if a constructor refuses what it
// describes, if the features are not those of the map that was saved, as when a registered type has changed, and that of
// r. It takes memory in proportion to what it has read, until it knows that all is as it was written.
func Decode(r io.Reader, opts *DecodeOptions) (FeatureMap, error) {
	l := &loader{budget: newBudget(opts)}
	v, err := l.file(mapFile, r)
	if err != nil {
		return nil, err
	}
	m, err := l.mapped(v)
	if err == nil {
		err = l.done()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// file reads a file of a kind, and returns its document.
func (l *loader) file(kind string, r io.Reader) (any, error) {
	f, err := sealed.NewReader(r, kind, int64(min(l.budget.bytes, 1<<62)))
	if err != nil {
		return nil, refused("%w", err)
	}
	if f.File != nil {
		return nil, refused("the %s has another file in it", kind)
	}
	l.data = f.Arrays()
	n, err := f.Close()
	if err != nil {
		return nil, refused("%w", err)
	}
	// A document may take some dozens of times as much memory as text.
	if err := l.budget.take(float64(n)+documentCost*float64(len(f.Document)), 0); err != nil {
		return nil, err
	}
	return parse(f.Document)
}

const documentCost = 64

// done refuses raw arrays that nothing uses.
func (l *loader) done() error {
	if l.used != len(l.data) {
		return refused("%d of %d raw arrays are not used", len(l.data)-l.used, len(l.data))
	}
	return nil
}

func newBudget(opts *DecodeOptions) *budget {
	b := &budget{maxBytes: 1 << 30, maxWork: 1e12}
	if opts != nil && opts.MaxBytes > 0 {
		b.maxBytes = float64(opts.MaxBytes)
	}
	if opts != nil && opts.MaxWork > 0 {
		b.maxWork = float64(opts.MaxWork)
	}
	b.bytes, b.work = b.maxBytes, b.maxWork
	return b
}
