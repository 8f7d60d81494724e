// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func init() {
	register.Function1x1(nameOf)
	register.DoFn3x1[context.Context, string, func(sums), error](&accumulateFn{})
	register.Emitter1[sums]()
	register.Combiner1[sums](&mergeFn{})
	register.DoFn2x1[context.Context, sums, error](&fitFn{})
	beam.RegisterCoder(reflect.TypeFor[sums](), encodeSums, decodeSums)
}

// build adds to the scope what reads the shards that match a pattern, fits a model to their rows and writes it to a
// file. The recipe of the map, some hundred bytes, goes along with the functions that draw it.
func build(s beam.Scope, pattern string, recipe []byte, model string) {
	files := fileio.MatchFiles(s, pattern, fileio.MatchEmptyDisallow())
	names := beam.Reshuffle(s, beam.ParDo(s, nameOf, files)) // or one worker would do all that it has found
	fit(s, beam.ParDo(s, &accumulateFn{Recipe: recipe}, names), recipe, model)
}

// fit merges the sums of bundles, fits a model to them and writes it.
func fit(s beam.Scope, parts beam.PCollection, recipe []byte, model string) {
	beam.ParDo0(s, &fitFn{Recipe: recipe, Name: model}, beam.Combine(s, &mergeFn{Recipe: recipe}, parts))
}

func nameOf(f fileio.FileMetadata) string { return f.Path }

// A sums is an accumulator as it goes through a pipeline, as bytes where it has come from another worker; that of no rows has neither.
type sums struct {
	of   *ridge.Accumulator
	file []byte
}

func encodeSums(s sums) ([]byte, error) {
	if s.of == nil {
		return s.file, nil
	}
	return written(s.of)
}

func decodeSums(b []byte) (sums, error) { return sums{file: bytes.Clone(b)}, nil }

// written returns what WriteTo writes.
func written(w io.WriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := w.WriteTo(&b)
	return b.Bytes(), err
}

// accumulator returns the accumulator of sums that may be bytes, of the features of phi; nil if they are of no rows.
func (s sums) accumulator(phi featuremap.FeatureMap) (*ridge.Accumulator, error) {
	if s.of != nil || len(s.file) == 0 {
		return s.of, nil
	}
	return ridge.ReadAccumulator(bytes.NewReader(s.file), phi)
}

// accumulateFn makes of the shards of a bundle one accumulator.
type accumulateFn struct {
	Recipe []byte // by featuremap.Encode

	phi featuremap.FeatureMap
	a   *ridge.Accumulator // nil before the first shard of the bundle
}

// Setup draws the map, once for each worker.
func (f *accumulateFn) Setup() (err error) {
	f.phi, err = shard.Draw(f.Recipe)
	return err
}

// StartBundle drops what a bundle has left that failed: the runner does it again.
func (f *accumulateFn) StartBundle(context.Context, func(sums)) { f.a = nil }

// ProcessElement adds the rows of a shard.
func (f *accumulateFn) ProcessElement(ctx context.Context, name string, _ func(sums)) (err error) {
	if f.a == nil {
		if f.a, err = ridge.NewAccumulator(f.phi, 1); err != nil {
			return err
		}
	}
	r, closer, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer closer.Close()
	in, _ := f.phi.Dims()
	if _, err := shard.Add(f.a, in, r, math.MaxInt); err != io.EOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// FinishBundle emits the sums.
func (f *accumulateFn) FinishBundle(_ context.Context, emit func(sums)) {
	if f.a != nil {
		emit(sums{of: f.a})
		f.a = nil // who gets them may change them: see mergeFn
	}
}

// open opens a shard, Parquet or CSV by its extension, in any file system that Beam knows.
func open(ctx context.Context, name string) (shard.Reader, io.Closer, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	defer fs.Close()
	f, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if path.Ext(name) != ".parquet" {
		return shard.NewCSV(f, 0, 0), f, nil
	}
	size, err := fs.Size(ctx, name)
	at, ok := f.(io.ReaderAt)
	if err == nil && !ok { // a stream, as from an object store
		var b []byte
		b, err = io.ReadAll(f)
		at, size = bytes.NewReader(b), int64(len(b))
	}
	var r shard.Reader
	if err == nil {
		r, err = newParquetReader(at, size)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, f, nil
}

// mergeFn adds sums up. A runner merges them in the order in which they come, so that the last bits of the model are not
// the same in every run.
type mergeFn struct {
	Recipe []byte

	phi featuremap.FeatureMap // nil before the first sums that are bytes
}

// CreateAccumulator returns the sums of no rows.
func (*mergeFn) CreateAccumulator() sums { return sums{} }

// AddInput merges the sums of a bundle.
func (m *mergeFn) AddInput(all, part sums) (sums, error) { return m.MergeAccumulators(all, part) }

// MergeAccumulators merges b into a. Sums that are the first go on as the accumulator to merge into, rather than a copy of
// them: nobody else has them.
func (m *mergeFn) MergeAccumulators(a, b sums) (sums, error) {
	if m.phi == nil && len(a.file)+len(b.file) > 0 {
		var err error
		if m.phi, err = shard.Draw(m.Recipe); err != nil {
			return a, err
		}
	}
	to, err := a.accumulator(m.phi)
	if err != nil {
		return a, err
	}
	from, err := b.accumulator(m.phi)
	if err != nil {
		return a, err
	}
	switch {
	case from == nil:
		return sums{of: to}, nil
	case to == nil:
		return sums{of: from}, nil
	}
	return sums{of: to}, to.Merge(from)
}

// fitFn fits a model to all sums and writes it to a file.
type fitFn struct {
	Recipe []byte
	Name   string
}

// ProcessElement gets the one element there is.
func (f *fitFn) ProcessElement(ctx context.Context, all sums) error {
	phi, err := shard.Draw(f.Recipe)
	if err != nil {
		return err
	}
	a, err := all.accumulator(phi)
	if a == nil && err == nil {
		a, err = ridge.NewAccumulator(phi, 1)
	}
	if err != nil {
		return err
	}
	m, err := a.Fit(nil)
	if err != nil {
		return err
	}
	log.Infof(ctx, "fitted %d rows: λ = %.2g, and the noise has a standard deviation of %.4f", a.Rows(), m.Lambda()[0], math.Sqrt(m.NoiseVariance()[0]))
	fs, err := filesystem.New(ctx, f.Name)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, f.Name)
	if err != nil {
		return err
	}
	_, err = m.WriteTo(w)
	return errors.Join(err, w.Close())
}
