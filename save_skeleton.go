// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"reflect"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
)

// A savedSkeleton is the saved form of a skeleton.
type savedSkeleton struct {
	In    int            `save:"in"`
	Calls []skeletonCall `save:"calls"`
}

// skeleton returns the skeleton of a kernel as a JSON value.
func (s *saver) skeleton(k skeletonKernel) any {
	return s.value(reflect.ValueOf(savedSkeleton{k.In, k.steps}))
}

// skeleton makes the kernel of a saved skeleton, by repeating the calls that made it.
func (l *loader) skeleton(v any) (Kernel, error) {
	var d savedSkeleton
	if err := l.fields(v, reflect.ValueOf(&d).Elem()); err != nil {
		return nil, err
	}
	r := &rebuilding{sk: NewSkeleton(d.In), loader: l}
	for i, s := range d.Calls {
		err := r.step(s)
		if err == nil {
			err = s.unused(r.sk.steps[i])
		}
		if err != nil {
			return nil, document.Under("calls", document.At(i, err))
		}
	}
	return r.sk.Kernel()
}

// unused refuses an argument that was read but that the call does not use.
func (s skeletonCall) unused(made skeletonCall) error {
	said, is := reflect.ValueOf(s), reflect.ValueOf(made)
	fields, _ := savedFields(said.Type())
	for _, f := range fields {
		if !said.Field(f.index).IsZero() && is.Field(f.index).IsZero() {
			return document.Under(f.name, document.Refused("%s has no %q", s.Call, f.name))
		}
	}
	return nil
}

// A rebuilding is a skeleton that is being built again, with its grids so far.
type rebuilding struct {
	*loader
	sk    *Skeleton
	grids []*Grid
}

// stepShapes are the numbers of integer arguments of the calls that have any.
var stepShapes = map[string]int{"Image": 3, "Patches": 5, "Conv": 2}

// maxShape is the largest side of an image.
const maxShape = 1 << 20

// step makes a call again.
func (r *rebuilding) step(s skeletonCall) error {
	grid, err := r.check(s)
	if err != nil {
		return err
	}
	var w load
	if s.Base != nil {
		if w, err = r.weigh(s.Base, float64(r.width(s)), ""); err != nil {
			return err
		}
	}
	size := r.size(s, grid) * leaves(s.Base)
	if err := r.take(size, size*(1+w.points/nodeSize)); err != nil {
		return err
	}
	nodes := make([]Node, len(s.Children))
	for i, id := range s.Children {
		nodes[i] = Node{r.sk, id}
	}
	switch n := s.Shape; s.Call {
	case "Input":
		r.sk.Input(s.Base, s.Columns...)
	case "Unit":
		r.sk.Unit(s.F, nodes...)
	case "WeightedUnit":
		r.sk.WeightedUnit(s.F, s.Weights, nodes...)
	case "Product":
		r.sk.Product(nodes...)
	case "Image":
		r.grids = append(r.grids, r.sk.Image(n[0], n[1], n[2], s.Base))
	case "Patches":
		r.grids = append(r.grids, r.sk.Patches(n[0], n[1], n[2], n[3], n[4], s.Base))
	case "Conv":
		r.grids = append(r.grids, grid.Conv(s.F, n[0], n[1]))
	case "Dense":
		grid.Dense(s.F)
	default:
		return document.Refused("a skeleton has no call %.40q", s.Call)
	}
	return r.sk.builder.Err
}

// check refuses arguments of a call that are out of range. It returns the grid of a Conv or Dense, and nil for other
// calls.
func (r *rebuilding) check(s skeletonCall) (grid *Grid, err error) {
	if len(s.Shape) != stepShapes[s.Call] {
		return nil, document.Refused("%.40q with a shape of %d integers: must have %d", s.Call, len(s.Shape), stepShapes[s.Call])
	}
	for _, n := range s.Shape {
		if n < 1 || n > maxShape {
			return nil, document.Refused("%s with a shape of %d: must be from 1 to %d", s.Call, n, maxShape)
		}
	}
	for _, id := range s.Children {
		if id < 0 || id >= len(r.sk.builder.Nodes) {
			return nil, document.Refused("%.40q of node %d: there are %d", s.Call, id, len(r.sk.builder.Nodes))
		}
	}
	if s.Call != "Conv" && s.Call != "Dense" {
		return nil, nil
	}
	if s.Grid < 0 || s.Grid >= len(r.grids) {
		return nil, document.Refused("%s of grid %d: there are %d", s.Call, s.Grid, len(r.grids))
	}
	return r.grids[s.Grid], nil
}

// width returns the number of coordinates for which the base of a call is a kernel.
func (r *rebuilding) width(s skeletonCall) int {
	switch {
	case s.Call == "Image":
		return s.Shape[2]
	case s.Call == "Patches":
		return s.Shape[3] * s.Shape[3] * s.Shape[2]
	case len(s.Columns) > 0:
		return len(s.Columns)
	}
	return r.sk.builder.In
}

// leaves returns about how many nodes an input with a base adds at most, with their lists of children.
func leaves(k Kernel) (n float64) {
	switch k := k.(type) {
	case Expression:
		n = 2 // a sum is a unit, and there may be weights
		for _, part := range k.Parts() {
			n += leaves(part)
		}
		return n
	case skeletonKernel:
		for _, node := range k.Nodes {
			n += 1 + float64(len(node.Children))/16
		}
		return n
	}
	return 1
}

// nodeSize is about how many bytes a node takes, at least.
const nodeSize = 1 << 10

// size returns about how many bytes a call takes if each of its inputs is one node.
func (r *rebuilding) size(s skeletonCall, grid *Grid) float64 {
	const node, child = nodeSize, 48
	n := make([]float64, len(s.Shape))
	for i, side := range s.Shape {
		n[i] = float64(side)
	}
	windows := func(rows, cols, size, stride, channels float64) float64 {
		return (rows/stride + 1) * (cols/stride + 1) * (node + child*channels*size*size)
	}
	switch s.Call {
	case "Input":
		if len(s.Columns) == 0 {
			return node + child*float64(r.sk.builder.In)
		}
		return node + child*float64(len(s.Columns))
	case "Image":
		return n[0] * n[1] * n[2] * (node + child)
	case "Patches":
		return windows(n[0], n[1], n[3], n[4], n[2])
	case "Conv":
		rows, cols, channels := grid.Dims()
		return windows(float64(rows), float64(cols), n[0], n[1], float64(channels))
	case "Dense":
		return node + child*float64(len(grid.nodes))
	}
	return node + child*float64(len(s.Children))
}
