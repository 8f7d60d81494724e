// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// A recipe is a map of one term before its weights are drawn: its variance, and what a transform costs. It is what a new kind of
// map implements, together with a document. The smallest example is neurons*.go. Nothing but its own files looks at the
// type of a recipe.
type recipe interface {
	// String returns the kind of map and all its options.
	String() string

	// shape returns the dimensions and the warp; columns is the largest number of columns that draw adds. exact
	// returns how many of the first columns are exact: all of them if nothing is random.
	shape() frame
	exact() int

	// known tells whether the variance of ⟨φ(x), φ(y)⟩ is known. It is a linear function of a number of statistics
	// of two points, so that the mean variance over pairs follows from the means of statistics: statistics returns
	// how many there are, add adds part times those of a pair to sums, and variance returns the variance for sums.
	known() bool
	statistics() int
	add(sums []float64, p *sample.Pair, part float64)
	variance(sums []float64) float64

	// key returns a comparable value: recipes of one kind, term and warp with equal keys have the same
	// statistics. mostPairs returns how many pairs of points are enough for the means of statistics, and
	// byDistance tells whether statistics depend on the distance of two points alone.
	key() any
	mostPairs() int
	byDistance() bool

	// bounded tells whether the variance is bounded, however far from the origin points are.
	bounded() bool

	// estimated returns by how many maps the variance is estimated; 0 if it is computed.
	estimated() int

	// bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y).
	bias(p *sample.Pair) float64

	// draw draws weights from a sampler that next returns, adds columns to b, and returns what a map of its kind knows of them.
	// Exact features need no sampler, and have no map: draw returns nil.
	draw(b *builder, next func() random.Sampler) (any, error)

	// work returns about how many multiply-adds a transform takes for a point.
	work() float64

	// document returns the recipe as it is saved in a plan: a recipeDocument, or another type if a plan with such a
	// recipe cannot be saved.
	document() any
}

// A frame is what all recipes have, and embed: the dimension of points, the warp that is applied to them first, and the
// number of columns. Its methods are those of a recipe whose columns are one dense linear form each.
type frame struct {
	in      int
	warp    warp.Warp
	columns int
}

func (f frame) shape() frame              { return f }
func (f frame) known() bool               { return true }
func (f frame) statistics() int           { return 1 }
func (f frame) bias(*sample.Pair) float64 { return 0 }
func (f frame) estimated() int            { return 0 }
func (f frame) exact() int                { return 0 }
func (f frame) mostPairs() int            { return math.MaxInt }
func (f frame) byDistance() bool          { return false }
func (f frame) bounded() bool             { return false }
func (f frame) work() float64             { return float64(f.in) * float64(f.columns) }

// dim returns the number of coordinates behind the warp.
func (f frame) dim() int { return f.warp.Dim(f.in) }

// moments returns the variance and the bias of a map at two points.
func moments(r recipe, x, y []float64) (variance, bias float64) {
	p := sample.PairBehind(r.shape().warp, x, y)
	return momentsAt(r, &p)
}

// momentsAt returns the variance and the bias of a map at a pair of points behind its warp.
func momentsAt(r recipe, p *sample.Pair) (variance, bias float64) {
	sums := make([]float64, r.statistics())
	r.add(sums, p, 1)
	return r.variance(sums), r.bias(p)
}

// A builder lays out the columns of a map.
type builder struct {
	in, out int // the dimension of points, and the maximum number of columns
	at      int // the next column
	parts   []projection.Part
	room    float64 // how many bytes may still be reserved
}

// newBuilder returns a builder of a map whose weights may take a number of bytes, and no more than there are.
func newBuilder(in, out int, room float64) *builder {
	return &builder{in: in, out: out, room: min(room, float64(memory.Limit()))}
}

// reserve returns an error if weights of the given size do not fit in the room that is left.
func (b *builder) reserve(bytes float64) error {
	if !(bytes <= b.room) {
		return fmt.Errorf("featuremap: out = %d with in = %d: the weights take %.3g %w, and there are %.3g", b.out, b.in, bytes, errMemory, b.room)
	}
	b.room -= bytes
	return nil
}

// errMemory is in the errors of maps that take more memory than they may.
var errMemory = errors.New("bytes of memory")

// add adds columns, and the parts that write them.
func (b *builder) add(columns int, parts ...projection.Part) {
	b.at += columns
	b.parts = append(b.parts, parts...)
}

// A recipeDocument is what the document of a plan says of a recipe, besides its kind of map and its number of columns: a
// struct whose fields are tagged with their names in JSON (see save*.go). Fields that are omitempty are left out if they are
// zero. Each kind of map has a type of its own.
type recipeDocument interface {
	// recipe makes the recipe that is asked for. It returns nil if the kernel has no such map.
	recipe(asked request) (recipe, error)
}

// A request is what a document needs to know to make a recipe: the kernel on R^in, and the number of columns. take is told before
// what making the recipe and drawing it take, of memory in bytes and of steps (see tableSteps) besides those of each number that is
// kept, and returns an error if that is too much.
type request struct {
	form.Form   // one term without its weights, or the whole kernel, for a constructor's map
	whole       bool
	in, columns int
	take        func(bytes, steps float64) error
	left        func() float64 // how many steps are left
}

// option returns the one of values whose String is name, or the first if name is empty. An error names the field.
func option[T interface{ String() string }](name, field string, values ...T) (T, error) {
	for _, v := range values {
		if name == v.String() {
			return v, nil
		}
	}
	if name == "" {
		return values[0], nil
	}
	return values[0], document.Under(field, document.Refused("there is no %s %.40q", field, name))
}
