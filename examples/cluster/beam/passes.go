// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func init() {
	register.DoFn3x1[context.Context, string, func(passSums), error](&passFn{})
	register.Emitter1[passSums]()
	register.Combiner1[passSums](&mergePassFn{})
	register.DoFn2x1[context.Context, passSums, error](&writePassFn{})
	beam.RegisterCoder(reflect.TypeFor[passSums](), encodePassSums, decodePassSums)
}

// runPasses fits a model by conjugate gradients, with one pipeline a pass, and writes it to a file. Between passes this process
// goes on alone, with T·D numbers.
func runPasses(in, mapName string, features int, model string) error {
	recipe, err := shard.Recipe(mapName, features)
	if err != nil {
		return err
	}
	phi, err := shard.Draw(recipe)
	if err != nil {
		return err
	}
	m, err := ridge.FitPasses(phi, func(p *ridge.Pass) (*ridge.PassSums, error) {
		of, err := written(p)
		if err != nil {
			return nil, err
		}
		name := model + ".sums" // the model comes to the same place, so all workers can write there
		pipeline, s := beam.NewPipelineWithRoot()
		buildPass(s, in, job{recipe, of}, name)
		if err := beamx.Run(context.Background(), pipeline); err != nil {
			return nil, err
		}
		file, err := readFile(name)
		if err != nil {
			return nil, err
		}
		return p.ReadSums(bytes.NewReader(file))
	}, 1, nil)
	if err != nil {
		return err
	}
	fmt.Printf("fitted in %d passes: λ = %.2g, and the noise has a standard deviation of %.4f\n", m.Passes(), m.Lambda()[0], math.Sqrt(m.NoiseVariance()[0]))
	if err := shard.WriteFile(model, func(w io.Writer) error {
		_, err := m.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	return os.Remove(model + ".sums")
}

// A job is what workers need for a pass: the recipe of the map, and the pass as ridge.Pass.WriteTo writes it.
type job struct{ Recipe, Pass []byte }

// open draws the map and reads the pass.
func (j *job) open() (phi featuremap.FeatureMap, p *ridge.Pass, err error) {
	if phi, err = shard.Draw(j.Recipe); err == nil {
		p, err = ridge.ReadPass(bytes.NewReader(j.Pass), phi)
	}
	return phi, p, err
}

// buildPass adds to the scope what makes a pass over the shards that match a pattern, and writes its sums to a file.
func buildPass(s beam.Scope, pattern string, j job, name string) {
	files := fileio.MatchFiles(s, pattern, fileio.MatchEmptyDisallow())
	names := beam.Reshuffle(s, beam.ParDo(s, nameOf, files))
	parts := beam.ParDo(s, &passFn{Job: j}, names)
	beam.ParDo0(s, &writePassFn{Name: name}, beam.Combine(s, &mergePassFn{Job: j}, parts))
}

// passSums are sums as they go through a pipeline, as bytes where they have come from another worker; those of no rows have neither.
type passSums struct {
	of   *ridge.PassSums
	file []byte
}

func encodePassSums(s passSums) ([]byte, error) {
	if s.of == nil {
		return s.file, nil
	}
	return written(s.of)
}

func decodePassSums(b []byte) (passSums, error) { return passSums{file: bytes.Clone(b)}, nil }

// passFn makes of the shards of a bundle the sums of a pass.
type passFn struct {
	Job job

	in   int
	pass *ridge.Pass
	all  *ridge.PassSums // nil before the first shard of the bundle
}

// Setup draws the map, once for each worker and pass.
func (f *passFn) Setup() error {
	phi, p, err := f.Job.open()
	if err == nil {
		f.in, _ = phi.Dims()
		f.pass = p
	}
	return err
}

// StartBundle drops what a bundle has left that failed: the runner does it again.
func (f *passFn) StartBundle(context.Context, func(passSums)) { f.all = nil }

// ProcessElement adds the sums of a shard, whose number is a hash of its name: the same in each pass.
func (f *passFn) ProcessElement(ctx context.Context, name string, _ func(passSums)) error {
	r, closer, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer closer.Close()
	h := fnv.New32a()
	h.Write([]byte(name))
	s := f.pass.NewSums(int(h.Sum32() >> 1))
	if _, err := shard.Add(s, f.in, r, math.MaxInt); err != io.EOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.all == nil {
		f.all = f.pass.NewSums(0)
	}
	return f.all.Merge(s)
}

// FinishBundle emits the sums.
func (f *passFn) FinishBundle(_ context.Context, emit func(passSums)) {
	if f.all != nil {
		emit(passSums{of: f.all})
		f.all = nil
	}
}

// mergePassFn adds sums up, in the order in which they come.
type mergePassFn struct {
	Job job

	pass *ridge.Pass
}

// CreateAccumulator returns the sums of no rows.
func (*mergePassFn) CreateAccumulator() passSums { return passSums{} }

// AddInput merges the sums of a bundle.
func (f *mergePassFn) AddInput(all, part passSums) (passSums, error) {
	return f.MergeAccumulators(all, part)
}

// MergeAccumulators merges b into a.
func (f *mergePassFn) MergeAccumulators(a, b passSums) (passSums, error) {
	to, err := f.sums(a)
	if err != nil {
		return a, err
	}
	from, err := f.sums(b)
	if err != nil {
		return a, err
	}
	switch {
	case from == nil:
		return passSums{of: to}, nil
	case to == nil:
		return passSums{of: from}, nil
	}
	return passSums{of: to}, to.Merge(from)
}

// sums returns sums that may be bytes; nil if they are of no rows.
func (f *mergePassFn) sums(s passSums) (*ridge.PassSums, error) {
	if s.of != nil || len(s.file) == 0 {
		return s.of, nil
	}
	if f.pass == nil {
		var err error
		if _, f.pass, err = f.Job.open(); err != nil {
			return nil, err
		}
	}
	return f.pass.ReadSums(bytes.NewReader(s.file))
}

// writePassFn writes the sums of a pass to a file.
type writePassFn struct{ Name string }

// ProcessElement gets the one element there is.
func (f *writePassFn) ProcessElement(ctx context.Context, all passSums) error {
	file, err := encodePassSums(all)
	if err != nil {
		return err
	}
	fs, err := filesystem.New(ctx, f.Name)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, f.Name)
	if err != nil {
		return err
	}
	_, err = w.Write(file)
	return errors.Join(err, w.Close())
}

// readFile reads a file that a worker has written.
func readFile(name string) ([]byte, error) {
	ctx := context.Background()
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
