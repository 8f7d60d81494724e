// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"container/heap"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Files of passes and of their sums have the format of package sealed. A pass has two arrays, which are empty for the
// first pass: the vectors that features are multiplied with, and what is subtracted from features. Sums have three
// arrays: the sums row by row, the sums of the coefficients, and the sums of squares of the targets. A group that is
// open has three more. The first pass also has the shift of features and targets, the least and the largest number of
// each target, and of the kept rows the keys, the numbers of entries, the targets, the coordinates or entries, and the
// weights: see encode.go.

const (
	passFile = "ridge pass"
	sumsFile = "ridge pass sums"
)

// A passDocument is a pass without the arrays.
type passDocument struct {
	Number   int    `json:"number"`
	In       int    `json:"in"`
	Features int    `json:"features"`
	Targets  int    `json:"targets"`
	Samples  int    `json:"samples"`
	Map      string `json:"map"` // the identity
}

// A sumsDocument is sums without the arrays.
type sumsDocument struct {
	Pass   string        `json:"pass"`  // the SHA-256 of its file
	Place  uint64        `json:"place"` // of the next row
	Rows   int           `json:"rows"`  // that were added
	Merged bool          `json:"merged"`
	Summed int           `json:"summed"` // rows
	Open   int           `json:"open"`   // rows of an open group
	Beyond int           `json:"beyond"` // rows outside the domain of the map, in the first pass
	Noise  []byte        `json:"noise,omitempty"`
	Root   float64       `json:"shiftRoot,omitempty"` // of the weight of the row that is subtracted, in the first pass
	Kept   *keptDocument `json:"kept,omitempty"`
}

// WriteTo writes the pass to w, for ReadPass in another process of the same release: T·D numbers, and an identity of
// the map. The bytes are the same on every machine.
func (p *Pass) WriteTo(w io.Writer) (n int64, err error) {
	of := p.p
	if of == nil {
		return 0, errZeroPass
	}
	document, err := json.Marshal(passDocument{p.number, of.in, of.out, of.targets, of.samples, p.mapped.String()})
	if err != nil {
		return 0, fmt.Errorf("ridge: %w", err)
	}
	var sizes []int
	if !of.first {
		sizes = []int{of.vectors.Rows * of.out, min(len(of.center), of.out)}
	}
	return sealed.Write(w, passFile, document, nil, sizes, func(f *sealed.Writer) {
		if of.first {
			return
		}
		for i := range of.vectors.Rows {
			f.Floats(vector(of.vectors, i))
		}
		f.Floats(of.center[:sizes[1]])
	})
}

var errZeroPass = errors.New("ridge: the zero value of a Pass")

// hash returns the SHA-256 of the file.
func (p *Pass) hash() (id identity) {
	h := sha256.New()
	p.WriteTo(h) // a hash returns no error
	h.Sum(id[:0])
	return id
}

// ReadPass reads a pass that Pass.WriteTo wrote, up to the end of r. phi is the map of FitPasses.
//
// It returns an error if a byte was changed, if data is missing or left over, if phi is nil or another map, or if r
// returns one.
func ReadPass(r io.Reader, phi featuremap.FeatureMap) (*Pass, error) {
	if v := reflect.ValueOf(phi); phi == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("ridge: phi = nil")
	}
	f, err := sealed.NewReader(r, passFile, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	var d passDocument
	if err := unmarshal(f.Document, &d); err != nil {
		return nil, err
	}
	summed := summedBy(phi, rawsOf(phi))
	in, out := summed.Dims()
	p := &Pass{number: d.Number, mapped: identify(summed, phi), p: &passer{
		phi: summed, in: in, out: out, targets: d.Targets, samples: d.Samples, first: len(f.Sizes) == 0, domain: domainOf(phi),
	}}
	if d.In != in || d.Features != out || d.Map != p.mapped.String() {
		return nil, fmt.Errorf("ridge: the pass is of another map R^%d → R^%d: phi is R^%d → R^%d", d.In, d.Features, in, out)
	}
	o, err := iterativeOptions(phi, &IterativeOptions{Samples: d.Samples})
	if err == nil {
		err = o.validateTargets(phi, d.Targets)
	}
	if err != nil {
		return nil, err
	}
	if !p.p.first {
		if err := p.p.readVectors(f); err != nil {
			return nil, err
		}
	}
	if _, err := f.Close(); err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	if d.Number < 0 || p.p.first != (d.Number == 0) || f.File != nil {
		return nil, fmt.Errorf("ridge: the data is no pass %d", d.Number)
	}
	p.identity = p.hash()
	return p, nil
}

// readVectors reads the arrays of a pass.
func (p *passer) readVectors(f *sealed.Reader) error {
	if len(f.Sizes) != 2 || f.Sizes[0] < p.out || f.Sizes[0]%p.out != 0 || f.Sizes[1] != 0 && f.Sizes[1] != p.out {
		return fmt.Errorf("ridge: the data of the pass has arrays of %d numbers for %d features", f.Sizes, p.out)
	}
	vectors, center := f.Floats(f.Sizes[0]), f.Floats(f.Sizes[1])
	if f.Err() != nil {
		return fmt.Errorf("ridge: %w", f.Err())
	}
	if err := errors.Join(finite("vectors", vectors), finite("mean", center)); err != nil {
		return fmt.Errorf("ridge: the data of the pass has %w", err)
	}
	p.vectors = rowsOf(vectors, p.out)
	if len(center) > 0 {
		p.center = slabs.New(1, p.out).Data
		copy(p.center, center)
	}
	return nil
}

// rowsOf returns rows with the given number of columns.
func rowsOf(v []float64, columns int) blas64.General {
	g := slabs.New(len(v)/columns, columns)
	for i := range g.Rows {
		copy(vector(g, i), v[i*columns:])
	}
	return g
}

// arrays returns the numbers of sums in the order of the file.
func (s *setSums) arrays() (all [][]float64) {
	for i := range s.g.Rows {
		all = append(all, vector(s.g, i))
	}
	return append(all, s.u, s.yy)
}

// sizes returns the sizes of the arrays of sums.
func (s *setSums) sizes() []int { return []int{s.g.Rows * s.g.Cols, len(s.u), len(s.yy)} }

// WriteTo writes the sums to w: T·D numbers, and as many again if a group of 256 rows is not full. Sums of the first
// pass also contain up to 4,096 rows of data, at most 128 MiB. The bytes are the same on every machine; another release
// may refuse them. Rows that are added after writing, or after reading, lead to the same bits.
//
// It returns an error if an earlier call of Add returned one, or if w does.
func (s *PassSums) WriteTo(w io.Writer) (n int64, err error) {
	if err := s.usable(); err != nil {
		return 0, err
	}
	p := s.p
	if s.err = p.flush(false); s.err != nil {
		return 0, s.err
	}
	d := sumsDocument{Pass: s.pass.identity.String(), Place: p.place, Rows: p.arrivals, Merged: p.merged, Summed: p.sums.rows, Open: p.opened(), Beyond: p.beyond}
	var sizes []int
	var arrays [][]float64
	for _, part := range []*setSums{p.sums, p.open} {
		if part != nil {
			sizes, arrays = append(sizes, part.sizes()...), append(arrays, part.arrays()...)
		}
	}
	if p.first {
		if d.Noise, err = p.noise.MarshalBinary(); err != nil {
			return 0, fmt.Errorf("ridge: %w", err)
		}
		d.Root = p.root
		kept := p.kept.document(len(p.kept.rows))
		d.Kept = &kept
		for _, v := range append([][]float64{p.center[:min(len(p.center), p.out)], p.level, spanNumbers(p.spans)}, p.kept.numbers(true, len(p.kept.rows))...) {
			sizes, arrays = append(sizes, len(v)), append(arrays, v)
		}
	}
	document, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("ridge: %w", err)
	}
	return sealed.Write(w, sumsFile, document, nil, sizes, func(f *sealed.Writer) {
		for _, v := range arrays {
			f.Floats(v)
		}
	})
}

// spanNumbers returns the least and the largest number of each target.
func spanNumbers(spans []span) (v []float64) {
	for _, s := range spans {
		v = append(v, s.least, s.most)
	}
	return v
}

// ReadSums reads the sums of a part that PassSums.WriteTo wrote to r, up to the end of r. You can add more rows to
// them.
//
// It returns an error if the sums are of another pass, if a byte was changed, if data is missing or left over, if no
// sums have such numbers, if the pass is a zero value, or if r returns one.
func (p *Pass) ReadSums(r io.Reader) (*PassSums, error) {
	if p.p == nil {
		return nil, errZeroPass
	}
	f, err := sealed.NewReader(r, sumsFile, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	s := p.NewSums(0)
	if err := s.read(f); err != nil {
		return nil, err
	}
	return s, nil
}

// read reads all of sums.
func (s *PassSums) read(f *sealed.Reader) error {
	var d sumsDocument
	if err := unmarshal(f.Document, &d); err != nil {
		return err
	}
	if d.Pass != s.pass.identity.String() {
		return errors.New("ridge: the data is the sums of another pass")
	}
	p := s.p
	if (d.Kept != nil) != p.first || (d.Noise != nil) != p.first || f.File != nil {
		return errors.New("ridge: the data is no sums of the pass")
	}
	p.place, p.arrivals, p.merged, p.beyond = d.Place, d.Rows, d.Merged, d.Beyond
	want := p.sizes(&d, f.Sizes)
	if err := validateSizes(f, want...); err != nil {
		return err
	}
	p.sums.read(f, d.Summed)
	if d.Open > 0 {
		p.open = newSetSums(s.pass.rowsOf(), p.out, p.targets)
		p.open.read(f, d.Open)
	}
	if p.first {
		if err := p.readFirst(f, &d); err != nil {
			return err
		}
	}
	if _, err := f.Close(); err != nil {
		return fmt.Errorf("ridge: %w", err)
	}
	return s.validate(&d)
}

// sizes returns the sizes of the arrays for a document. It takes the size of the coordinates of kept rows from the
// file.
func (p *passer) sizes(d *sumsDocument, file []int) (want []int) {
	want = p.sums.sizes()
	if d.Open > 0 {
		want = append(want, want...)
	}
	if p.first {
		out, targets := p.out, p.targets
		if !d.any() {
			out, targets = 0, 0
		}
		coordinates := 0
		if i := len(file) - 2; i >= 0 {
			coordinates = file[i]
		}
		want = append(want, out, targets, 2*p.targets, d.Kept.Rows, d.Kept.Rows, d.Kept.Rows*p.targets, coordinates, d.Kept.Rows)
	}
	return want
}

// any reports whether there are rows.
func (d *sumsDocument) any() bool { return d.Summed > 0 || d.Open > 0 }

// read reads the sums of the given number of rows.
func (s *setSums) read(f *sealed.Reader, rows int) {
	s.rows = rows
	for i := range s.g.Rows {
		copy(vector(s.g, i), f.Floats(s.g.Cols))
	}
	copy(s.u, f.Floats(len(s.u)))
	copy(s.yy, f.Floats(len(s.yy)))
}

// readFirst reads the further parts of the sums of a first pass.
func (p *passer) readFirst(f *sealed.Reader, d *sumsDocument) error {
	if err := p.noise.UnmarshalBinary(d.Noise); err != nil {
		return fmt.Errorf("ridge: the data of the sums: %w", err)
	}
	if d.any() {
		p.center = slabs.New(1, p.out).Data
		copy(p.center, f.Floats(p.out))
		p.level, p.root = f.Floats(p.targets), d.Root
	}
	if (p.root > 0) != d.any() || !(p.root < tiled.Limit) {
		return fmt.Errorf("ridge: the data of the sums has the root %v of the weight of a row", d.Root)
	}
	v := f.Floats(2 * p.targets)
	for t := range v[:len(v)/2] {
		p.spans[t] = span{v[2*t], v[2*t+1]}
	}
	k, n := d.Kept, d.Kept.Rows
	if n > keptMost || k.Bytes != keptBytes || k.Most != 0 || k.Below > noKey || k.Counted != 0 {
		return fmt.Errorf("ridge: the data of the sums has kept %d rows, of keys below %d, in %d bytes", n, k.Below, k.Bytes)
	}
	p.kept.below = k.Below
	keys, entries, y, x := f.Floats(n), f.Floats(n), f.Floats(n*p.targets), f.Floats(f.Sizes[len(f.Sizes)-2])
	weights := f.Floats(n)
	if f.Err() != nil {
		return fmt.Errorf("ridge: %w", f.Err())
	}
	for i, key := range keys {
		r := keptRow{key: uint64(key), arrival: i, weight: weights[i], y: slices.Clone(y[i*p.targets:][:p.targets])}
		var err error
		if r.Values, r.Columns, x, err = cutRow(x, entries[i], p.in); err != nil {
			return fmt.Errorf("ridge: the data of the sums: row %d of those kept: %w", i, err)
		}
		if !(key >= 0 && key < float64(k.Below)) || float64(r.key) != key || !(r.weight > 0 && r.weight < heaviest) || !finiteBelow(r.y, targetLimit) {
			return fmt.Errorf("ridge: the data of the sums: row %d of those kept has the key %v, the weight %v and the targets %v", i, key, r.weight, r.y)
		}
		heap.Push(&p.kept.rows, r)
		p.kept.bytes += r.bytes()
	}
	p.kept.next = n
	if len(x) > 0 || p.kept.bytes > p.kept.limit {
		return fmt.Errorf("ridge: the data of the sums: the rows kept take %d bytes of %d, and %d numbers are left", p.kept.bytes, p.kept.limit, len(x))
	}
	return nil
}

// validate refuses numbers that no sums have.
func (s *PassSums) validate(d *sumsDocument) error {
	p := s.p
	rows := 0
	for _, part := range []*setSums{p.sums, p.open} {
		if part == nil {
			continue
		}
		rows += part.rows
		err := errors.Join(finite("coefficients", part.u), finite("squares", part.yy))
		for i := range part.g.Rows {
			err = errors.Join(err, finite("sums", vector(part.g, i)))
		}
		if err != nil {
			return fmt.Errorf("ridge: the data of the sums has %w", err)
		}
		if part.rows < 0 || p.first && (part.rows > 0) != (part.u[p.targets] > 0) {
			return fmt.Errorf("ridge: the data of the sums has %d rows of weight %v", part.rows, part.u[p.targets])
		}
	}
	if n := p.opened(); n >= groupRows {
		return fmt.Errorf("ridge: the data of the sums has an open group of %d rows", n)
	}
	if d.Beyond < 0 || d.Beyond > rows || !p.first && d.Beyond > 0 {
		return fmt.Errorf("ridge: the data of the sums has %d rows outside of the domain, of %d", d.Beyond, rows)
	}
	if d.Rows < 0 || rows > normal.MaxRows || !d.Merged && rows != d.Rows || d.Place-uint64(d.Rows) != d.Place>>32<<32 {
		return fmt.Errorf("ridge: the data of the sums has %d rows, %d of which were added, and the place %d", rows, d.Rows, d.Place)
	}
	if err := errors.Join(finite("shift", p.level), finite("shift", p.center)); p.first && err != nil {
		return fmt.Errorf("ridge: the data of the sums has %w", err)
	}
	return nil
}
