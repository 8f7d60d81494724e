// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"github.com/seed-0f95ebc1/featuremap/internal/lbfgs"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
)

// A room is the memory of a fit, which serves the next fits of the same map, classes and number of rows: see
// linear.Begun. With thousands of classes it is most of the memory of a program, and new memory for each fit would double
// it.
type room struct {
	slab      []float64
	functions [5]functions
	middles   functions
	partials  []*partial
	search    *lbfgs.Search
	pulled    []float64
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

// newSlab returns memory for n numbers of features.
func (t *training) newSlab(n int) []float64 {
	if r := t.room(); r != nil && len(r.slab) == n {
		return r.slab
	}
	return make([]float64, n)
}

// takeRoom sets the functions, and what a fit before has left.
func (d *descent) takeRoom() {
	r := d.room()
	if r == nil {
		r = new(room)
	}
	for i := range r.functions {
		if r.functions[i].w.Data == nil && (i < 4 || d.training.raw != nil) {
			r.functions[i] = d.newFunctions()
		}
	}
	d.start, d.at, d.gradient, d.scratch, d.raw = r.functions[0], r.functions[1], r.functions[2], r.functions[3], r.functions[4]
	if d.training.raw == nil {
		d.raw = d.at
	}
	d.search, d.pulled, d.middles, d.partials = r.search, r.pulled, r.middles, r.partials
}

// leaveRoom leaves the memory to the next fit, if there may be one.
func (d *descent) leaveRoom() {
	if begun := linear.Of(&d.Options).Begun; begun != nil && begun.Room != nil {
		*begun.Room = &room{
			d.training.slab.Data, [5]functions{d.start, d.at, d.gradient, d.scratch, d.raw}, d.middles, d.partials, d.search, d.pulled,
		}
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

// beginSearch begins that search, from zeros, in the memory of the one before.
func (d *descent) beginSearch() {
	if d.search == nil {
		d.search = lbfgs.AtZeros(d.count*(d.out+1), d.remembered())
	} else {
		d.search.Restart()
	}
}
