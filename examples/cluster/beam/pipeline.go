// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Shard]())
	beam.RegisterType(reflect.TypeFor[Part]())
	register.Emitter1[Shard]()
	register.Emitter1[Part]()
	register.Iter1[Part]()
	register.DoFn3x1[context.Context, string, func(Shard), error](&listFn{})
	register.DoFn3x1[context.Context, Shard, func(Part), error](&accumulateFn{})
	register.DoFn1x2[Part, int, Part](&keyFn{})
	register.DoFn4x1[context.Context, int, func(*Part) bool, func(Part), error](&groupFn{})
	register.DoFn3x1[context.Context, int, func(*Part) bool, error](&fitFn{})
}

// Only names go through a pipeline. A map of landmarks has megabytes, and sums may have more than the 2³¹ bytes of a
// message, into which runners join the elements of a bundle: both are files, which workers read and write.

// A Task is the arguments of the functions of a pipeline.
type Task struct {
	Map    string // file of the map
	Prefix string // of the names of all files that workers write
	Shards int
	Model  string // file to write
	Memory int64  // of a worker
	Merge  bool   // write the sums instead of a model
	Pass   string // file of the pass, if any
}

// A Shard is a file of rows, with its place among the sorted names.
type Shard struct {
	Index int
	Name  string
}

// A Part is a file of the sums of a shard, or of a group of adjacent shards.
type Part struct {
	Index int
	File  string
}

// run runs the pipeline.
func run(o order) (err error) {
	ctx := context.Background()
	t, _, err := o.prepare(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(ctx, t.Prefix)) }()
	p, s := beam.NewPipelineWithRoot()
	build(s, t)
	return beamx.Run(ctx, p)
}

// build adds to the scope the steps that sum up each shard to a file, merge these files in the order of the shards, fit
// a model and write it.
func build(s beam.Scope, t Task) {
	parts := beam.ParDo(s, &accumulateFn{Task: t}, shardsOf(s, t))
	if shard.Groups(t.Shards) != nil {
		parts = beam.ParDo(s, &groupFn{Task: t}, beam.GroupByKey(s, beam.ParDo(s, &keyFn{Shards: t.Shards}, parts)))
	}
	beam.ParDo0(s, &fitFn{Task: t}, beam.GroupByKey(s, beam.ParDo(s, &keyFn{}, parts)))
}

// shardsOf returns all shards.
func shardsOf(s beam.Scope, t Task) beam.PCollection {
	return beam.Reshuffle(s, beam.ParDo(s, &listFn{}, beam.Create(s, t.Prefix+"shards"))) // otherwise one worker would do all that it has read
}

// listFn emits the shards whose names are the lines of a file.
type listFn struct{}

func (*listFn) ProcessElement(ctx context.Context, file string, emit func(Shard)) error {
	f, err := openFile(ctx, file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for i := 0; lines.Scan(); i++ {
		emit(Shard{i, lines.Text()})
	}
	return lines.Err()
}

// accumulateFn writes the sums of each shard to a file.
type accumulateFn struct {
	Task Task

	phi featuremap.FeatureMap
}

// Setup reads the map, once for each worker.
func (f *accumulateFn) Setup(ctx context.Context) (err error) {
	f.phi, err = readMap(ctx, f.Task.Map)
	return err
}

// ProcessElement writes a file with a new name each time. A shard may be done twice, even at once; the runner continues
// with one of the files. The others are removed in the end.
func (f *accumulateFn) ProcessElement(ctx context.Context, of Shard, emit func(Part)) error {
	defer take(f.Task.sums(f.phi), f.Task.Memory)()
	r, closer, err := openShard(ctx, of.Name)
	if err != nil {
		return err
	}
	defer closer.Close()
	a, err := shard.Accumulate(f.phi, r)
	if err != nil {
		return fmt.Errorf("%s: %w", of.Name, err)
	}
	return f.Task.emit(ctx, of.Index, a, emit)
}

// sums returns the bytes of sums.
func (t *Task) sums(phi featuremap.FeatureMap) int64 {
	_, features := phi.Dims()
	return sumsBytes(features)
}

// emit writes sums to a file, and emits its name.
func (t *Task) emit(ctx context.Context, index int, sums io.WriterTo, emit func(Part)) error {
	p := Part{index, unique(fmt.Sprintf("%ssums-%06d", t.Prefix, index))}
	if err := writeFile(ctx, p.File, sums); err != nil {
		return err
	}
	emit(p)
	return nil
}

// keyFn gives parts the number of their group, or 0 if there is only one.
type keyFn struct{ Shards int }

func (f *keyFn) ProcessElement(p Part) (int, Part) {
	for g, group := range shard.Groups(f.Shards) {
		if group.Lo <= p.Index && p.Index < group.Hi {
			return g, p
		}
	}
	return 0, p
}

// inOrder returns the parts of a group in order, however they arrived. It refuses missing and duplicate parts.
func inOrder(group shard.Group, next func(*Part) bool) ([]Part, error) {
	var parts []Part
	for p := (Part{}); next(&p); {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Index, b.Index) })
	for i, p := range parts {
		if p.Index != group.Lo+i {
			return nil, fmt.Errorf("part %d is %d: one is missing, or came twice", group.Lo+i, p.Index)
		}
	}
	if n := group.Hi - group.Lo; len(parts) != n {
		return nil, fmt.Errorf("%d parts came of %d", len(parts), n)
	}
	return parts, nil
}

// merge returns the sums of the parts of a group. It needs memory for two sums.
func (t *Task) merge(ctx context.Context, phi featuremap.FeatureMap, group shard.Group, next func(*Part) bool) (*ridge.Accumulator, error) {
	parts, err := inOrder(group, next)
	if err != nil {
		return nil, err
	}
	a, err := shard.Chain(phi, group, func(i int) (io.ReadCloser, error) { return openFile(ctx, parts[i-group.Lo].File) }, nil)
	var of *shard.PartError
	if errors.As(err, &of) {
		return nil, fmt.Errorf("%s: %w", parts[of.Part-group.Lo].File, of.Err)
	}
	return a, err
}

// groupFn writes the sums of each group of parts to a file.
type groupFn struct{ Task Task }

func (f *groupFn) ProcessElement(ctx context.Context, g int, next func(*Part) bool, emit func(Part)) error {
	phi, err := readMap(ctx, f.Task.Map)
	if err != nil {
		return err
	}
	defer take(2*f.Task.sums(phi), f.Task.Memory)()
	a, err := f.Task.merge(ctx, phi, shard.Groups(f.Task.Shards)[g], next)
	if err != nil {
		return err
	}
	return f.Task.emit(ctx, g, a, emit)
}

// fitFn merges the sums of all parts, fits a model to them and writes it to a file.
type fitFn struct{ Task Task }

// ProcessElement is called with the only group.
func (f *fitFn) ProcessElement(ctx context.Context, _ int, next func(*Part) bool) error {
	t := &f.Task
	phi, err := readMap(ctx, t.Map)
	if err != nil {
		return err
	}
	parts := t.Shards
	if groups := shard.Groups(t.Shards); groups != nil {
		parts = len(groups)
	}
	defer take(3*t.sums(phi), t.Memory)()
	a, err := t.merge(ctx, phi, shard.Group{Lo: 0, Hi: parts}, next)
	if err != nil {
		return err
	}
	if t.Merge {
		return replace(ctx, t.Model, a)
	}
	m, err := a.Fit(nil)
	if err != nil {
		return err
	}
	log.Infof(ctx, "fitted %d rows: λ = %.2g, and the noise has a standard deviation of %.4f", a.Rows(), m.Lambda()[0], math.Sqrt(m.NoiseVariance()[0]))
	return replace(ctx, t.Model, m)
}
