// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// Files of maps, and the limits of reading them. Package internal/document has the JSON. The structs whose fields make
// the documents are mapDocument and samplerDocument in save_map.go, planDocument in save_plan.go, the structs of
// skeletons in save_skeleton.go, and one for each kind of map in its own package (recipe.Document). Kernels and series
// are saved by their fields (save_value.go) and read by save_load.go.

// Encode writes the map m to w. Decode draws the map again from the file, bit for bit, on any machine. The file of a
// random map has a few hundred bytes: the plan and the state of the sampler, as JSON. Numbers that come from data or
// the caller, such as landmarks, the matrix of a DataDependent or the frequencies of NewFourierFrom, follow in binary,
// and a SHA-256 comes last. docs/reference/files.md describes the format, and what later releases promise.
//
// Kernels, series, laws, weighters and drawers of other packages are saved by encoding/json under the name of their
// type (see Register), and maps by MarshalBinary. Encode decodes the file and compares features before it returns. So
// it takes as long as drawing the map, and refuses a type whose state is not saved in full.
//
// Encode returns an error if m is nil or a zero value, if the decoded map differs from m, or if w returns one. It
// refuses types of other packages that are not registered, for m and for parts of its kernel. It also refuses a
// function in the kernel (a WeightFunc), the kernel of a DataDependent in it, and a map that Decode would refuse with
// any options, for example because it takes too long. Nothing is written if the map cannot be saved.
func Encode(w io.Writer, m FeatureMap) error {
	b, err := encoded(m)
	if err != nil {
		return err
	}
	decoded, err := Decode(bytes.NewReader(b), &DecodeOptions{MaxBytes: 1 << 62})
	if err != nil {
		return fmt.Errorf("featuremap: the map cannot be saved: it cannot be read again: %w", err)
	}
	again, err := encoded(decoded)
	if err != nil {
		return err
	}
	if !bytes.Equal(b, again) {
		return errors.New("featuremap: the map cannot be saved: the map that is read again differs")
	}
	_, err = w.Write(b)
	return err
}

// encoded returns the file of a map, without decoding it.
func encoded(m FeatureMap) ([]byte, error) {
	s := &saver{data: new([][]float64)}
	return s.file(mapFile, s.mapped(m))
}

const mapFile = "map"

// file returns a file of a kind (mapFile or samplerFile) with the document v and the raw arrays of s.
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

// DecodeOptions are the options of Decode; nil is the zero value.
type DecodeOptions struct {
	// MaxBytes is the limit, in bytes, of the memory that a file can demand, for itself and for the map; 1 GiB if 0.
	// More is refused before it is allocated, so you can read files of unknown authors.
	MaxBytes int64
}

// String returns the Go expression that makes the options.
func (o DecodeOptions) String() string { return gosyntax.Of(o) }

// defaultBytes is MaxBytes if it is 0.
var defaultBytes int64 = 1 << 30

// Decode reads a map that Encode wrote, up to the end of r, and draws it again. Its features have the same bits, and
// its variance is the same. If a registered type of a caller takes part, features are the same to 1e-9.
//
// Decode returns an error if bytes were changed, added or lost, if the file is of a later version, or if r returns an
// error. It refuses a map that takes more memory than opts allow, or far more time than a map of a simple kernel with
// as many coordinates and features (see docs/reference/files.md). It refuses a document that describes no map, for
// example if a term of the kernel has no map or two, a name that is not registered, and a value that a constructor
// refuses. It also refuses a map whose features differ from the saved ones, for example because a registered type has
// changed. Until it knows that the file is complete, Decode takes memory in proportion to the bytes that it has read.
func Decode(r io.Reader, opts *DecodeOptions) (FeatureMap, error) {
	return newLoader(opts, byOptions).decode(r)
}

// Ends of errors about a demand beyond MaxBytes, which only some callers can raise.
const (
	byOptions = "see DecodeOptions"
	noOptions = "must be no more"
)

// newLoader returns a loader within the limits of options. Errors about these limits end with the text more.
func newLoader(opts *DecodeOptions, more string) *loader {
	l := &loader{maxBytes: float64(defaultBytes), steps: mostSteps, more: more}
	if opts != nil && opts.MaxBytes > 0 {
		l.maxBytes = float64(opts.MaxBytes)
	}
	l.bytes = l.maxBytes
	return l
}

// decode reads the file of a map.
func (l *loader) decode(r io.Reader) (FeatureMap, error) {
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
	f, err := sealed.NewReader(r, kind, int64(min(l.bytes, 1<<62)))
	if err != nil {
		return nil, l.unread(err)
	}
	if f.File != nil {
		return nil, document.Refused("the %s has another file in it", kind)
	}
	l.data = f.Arrays()
	n, err := f.Close()
	if err != nil {
		return nil, l.unread(err)
	}
	// The values of a document may take a few dozen times as much memory as its text.
	if err := l.take(float64(n)+documentCost*float64(len(f.Document)), parseSteps*float64(len(f.Document))); err != nil {
		return nil, err
	}
	return document.Parse(f.Document)
}

const documentCost = 64

// unread returns the error for a file that could not be read because of err.
func (l *loader) unread(err error) error {
	if errors.Is(err, sealed.ErrLarge) {
		return l.beyond(document.Refused("%w, %.3g bytes", err, l.maxBytes))
	}
	return document.Refused("%w", err)
}

// done ends reading. It returns an error if there are raw arrays that nothing uses.
func (l *loader) done() error {
	if l.used != len(l.data) {
		return document.Refused("%d of %d raw arrays are not used", len(l.data)-l.used, len(l.data))
	}
	return nil
}
