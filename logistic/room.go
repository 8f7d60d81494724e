// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A room is the memory of a fit, which serves the next fits of the same map, classes and number of rows: see
// linear.Begun. With thousands of classes it is most of the memory of a program, and new memory for each fit would double
// it.
type room struct {
	functions [4]functions
	middles   functions
	partials  *partials
	search    *lbfgs.Search
	pulled    []float64
	turned    *tiled.Turned // of the last factor, whose memory serves the next
	spare     *tiled.Factor // the last factor of a descent's own, if it had one
	sums      *scaledSums
	rawTurned *tiled.Turned // of the map's
}

// room returns the memory that a fit before has left; nil: none.
func (t *training) room() *room {
	begun := linear.Of(&t.Options).Begun
	if begun == nil || begun.Room == nil {
		return nil
	}
	r, _ := (*begun.Room).(*room)
	return r
}

// newSlab returns memory for the features of n rows.
func (t *training) newSlab(n int) []float64 {
	if begun := linear.Of(&t.Options).Begun; begun != nil {
		return begun.Features.Room(n, t.stride)
	}
	return make([]float64, n*t.stride)
}

// takeRoom sets the functions, the search and the factors in reverse order, in what a fit before has left.
func (d *descent) takeRoom() {
	r := d.room()
	if r == nil {
		r = new(room)
	}
	raw := d.training.raw
	for i := range r.functions {
		if r.functions[i].w.Data == nil && (i < 3 || raw != nil) {
			r.functions[i] = d.newFunctions()
		}
	}
	if r.partials == nil {
		r.partials = new(partials)
	}
	if r.search == nil {
		n := d.count * (d.out + 1)
		r.search, r.pulled = lbfgs.AtZeros(n, d.remembered()), make([]float64, n)
	}
	if r.rawTurned == nil && raw != nil {
		r.rawTurned = raw.Turned()
	}
	d.start, d.at, d.gradient, d.raw = r.functions[0], r.functions[1], r.functions[2], r.functions[3]
	if raw == nil {
		d.raw = d.at
	}
	d.search, d.pulled, d.middles, d.training.partials = r.search, r.pulled, r.middles, r.partials
	d.turned, d.rawTurned = d.factor.TurnedIn(r.turned), r.rawTurned
	d.spare, d.sums = r.spare, r.sums
}

// leaveRoom leaves the memory to the next fit, if there may be one.
func (d *descent) leaveRoom() {
	begun := linear.Of(&d.Options).Begun
	if begun == nil || begun.Room == nil {
		return
	}
	if d.own {
		d.spare = d.factor
	}
	*begun.Room = &room{
		functions: [4]functions{d.start, d.at, d.gradient, d.raw}, middles: d.middles, partials: d.partials,
		search: d.search, pulled: d.pulled,
		turned: d.turned, rawTurned: d.rawTurned, spare: d.spare, sums: d.sums,
	}
}

// rememberedSteps is the number of steps that L-BFGS remembers. It is fewestSteps if the weights would take more than
// rememberedNumbers, twice 34 MB.
const (
	rememberedSteps   = 10
	fewestSteps       = 4
	rememberedNumbers = 1 << 22
)

// remembered returns the number of steps that the search for weights and intercepts remembers.
func (t *training) remembered() int {
	return min(max(rememberedNumbers/(t.count*(t.out+1)), fewestSteps), rememberedSteps)
}

// beginSearch begins that search, from zeros.
func (d *descent) beginSearch() { d.search.Restart() }
