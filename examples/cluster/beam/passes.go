// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func init() {
	register.DoFn3x1[context.Context, Shard, func(Part), error](&passFn{})
	register.DoFn3x1[context.Context, int, func(*Part) bool, error](&mergePassFn{})
}

// runPasses fits a model by conjugate gradients, with one pipeline for each pass, and writes it to a file. Between
// passes this process works alone, with T·D numbers.
func runPasses(o order) (err error) {
	ctx := context.Background()
	t, phi, err := o.prepare(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(ctx, t.Prefix)) }()
	m, err := ridge.FitPasses(phi, func(p *ridge.Pass) (*ridge.PassSums, error) {
		of := t
		of.Pass = fmt.Sprintf("%spass-%04d", t.Prefix, p.Number())
		if err := writeFile(ctx, of.Pass, p); err != nil {
			return nil, err
		}
		pipeline, s := beam.NewPipelineWithRoot()
		buildPass(s, of)
		if err := beamx.Run(ctx, pipeline); err != nil {
			return nil, err
		}
		f, err := openFile(ctx, of.Pass+".all")
		if err != nil {
			return nil, err
		}
		defer f.Close()
		sums, err := p.ReadSums(f)
		if err != nil {
			return nil, err
		}
		return sums, removeAll(ctx, of.Pass)
	}, 1, nil)
	if err != nil {
		return err
	}
	fmt.Printf("fitted in %d passes: λ = %.2g, and the noise has a standard deviation of %.4f\n", m.Passes(), m.Lambda()[0], math.Sqrt(m.NoiseVariance()[0]))
	return replace(ctx, o.model, m)
}

// buildPass adds to the scope the steps that make a pass over the shards, and write its sums to a file.
func buildPass(s beam.Scope, t Task) {
	parts := beam.ParDo(s, &passFn{Task: t}, shardsOf(s, t))
	beam.ParDo0(s, &mergePassFn{Task: t}, beam.GroupByKey(s, beam.ParDo(s, &keyFn{}, parts)))
}

// pass reads the pass, and returns it with the number of coordinates.
func (t *Task) pass(ctx context.Context) (p *ridge.Pass, in int, err error) {
	phi, err := readMap(ctx, t.Map)
	if err != nil {
		return nil, 0, err
	}
	f, err := openFile(ctx, t.Pass)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	in, _ = phi.Dims()
	p, err = ridge.ReadPass(f, phi)
	return p, in, err
}

// passFn writes the sums of a pass over each shard to a file.
type passFn struct {
	Task Task

	in   int
	pass *ridge.Pass
}

// Setup reads the map and the pass, once for each worker and pass.
func (f *passFn) Setup(ctx context.Context) (err error) {
	f.pass, f.in, err = f.Task.pass(ctx)
	return err
}

// ProcessElement adds the rows of a shard, whose number is the same in each pass.
func (f *passFn) ProcessElement(ctx context.Context, of Shard, emit func(Part)) error {
	r, closer, err := openShard(ctx, of.Name)
	if err != nil {
		return err
	}
	defer closer.Close()
	s := f.pass.NewSums(of.Index)
	if _, err := shard.Add(s, f.in, r, math.MaxInt); err != io.EOF {
		return fmt.Errorf("%s: %w", of.Name, err)
	}
	p := Part{of.Index, unique(fmt.Sprintf("%s.sums-%06d", f.Task.Pass, of.Index))}
	if err := writeFile(ctx, p.File, s); err != nil {
		return err
	}
	emit(p)
	return nil
}

// mergePassFn merges the sums of all shards in their order, and writes them to a file.
type mergePassFn struct{ Task Task }

// ProcessElement is called with the only group.
func (f *mergePassFn) ProcessElement(ctx context.Context, _ int, next func(*Part) bool) error {
	parts, err := inOrder(shard.Group{Lo: 0, Hi: f.Task.Shards}, next)
	if err != nil {
		return err
	}
	pass, _, err := f.Task.pass(ctx)
	if err != nil {
		return err
	}
	all := pass.NewSums(0)
	for _, p := range parts {
		s, err := readSums(ctx, pass, p.File)
		if err == nil {
			err = all.Merge(s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	}
	return replace(ctx, f.Task.Pass+".all", all)
}

// readSums reads the sums of a pass.
func readSums(ctx context.Context, p *ridge.Pass, name string) (*ridge.PassSums, error) {
	f, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return p.ReadSums(f)
}
