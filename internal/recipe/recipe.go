// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package recipe defines what a kind of map implements, a Recipe with its Document, and arranges the
// columns of maps.
//
// Begin with recipe.go. monomials.go has the exact features of low degrees, which several kinds use.
package recipe

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

// A Recipe is a map of one term before its weights are sampled, with its variance and the cost of a transform. A new
// kind of map implements it, together with a Document. The smallest example is package neurons. Only its own package
// looks at the type of a recipe: the root package knows the kind of a map by what Draw returns.
type Recipe interface {
	// String returns the kind of map and all its options.
	String() string

	// Shape returns the dimensions and the warp. Columns is the largest number of columns that Draw adds. Exact
	// returns how many of the first columns are exact: all of them if nothing is random.
	Shape() Frame
	Exact() int

	// Known tells whether the variance of ⟨φ(x), φ(y)⟩ is known. The variance is a linear function of some
	// statistics of two points, so its mean over pairs follows from the means of the statistics. Statistics
	// returns their number. Add adds part times the statistics of a pair to sums, and Variance returns the
	// variance for sums.
	Known() bool
	Statistics() int
	Add(sums []float64, p *sample.Pair, part float64)
	Variance(sums []float64) float64

	// Key returns a comparable value: recipes of one kind, term and warp with equal keys have the same
	// statistics. MostPairs returns how many pairs of points are enough for the means of statistics.
	// ByDistance tells whether statistics depend on the distance of two points only.
	Key() any
	MostPairs() int
	ByDistance() bool

	// Bounded tells whether the variance is bounded, however far from the origin points are.
	Bounded() bool

	// Estimated returns the number of maps from which the variance is estimated; 0 if it is
	// computed.
	Estimated() int

	// Bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y).
	Bias(p *sample.Pair) float64

	// Draw samples weights from a sampler that next returns, adds columns to b, and returns what a map of its kind
	// knows of them. For exact features it needs no sampler and returns nil, because they have no map type.
	Draw(b *Builder, next func() random.Sampler) (any, error)

	// Work returns about how many multiply-adds a transform takes for a point.
	Work() float64

	// Document returns the recipe in the form in which a plan saves it: a Document, or another type if a plan with such
	// a recipe cannot be saved.
	Document() any
}

// Frame is embedded by all recipes: the dimension of points, the warp that is applied to them first, and the number of
// columns. Its methods are right for a recipe in which each column is one dense linear form.
type Frame struct {
	In      int
	Warp    warp.Warp
	Columns int
}

func (f Frame) Shape() Frame              { return f }
func (f Frame) Known() bool               { return true }
func (f Frame) Statistics() int           { return 1 }
func (f Frame) Bias(*sample.Pair) float64 { return 0 }
func (f Frame) Estimated() int            { return 0 }
func (f Frame) Exact() int                { return 0 }
func (f Frame) MostPairs() int            { return math.MaxInt }
func (f Frame) ByDistance() bool          { return false }
func (f Frame) Bounded() bool             { return false }
func (f Frame) Work() float64             { return float64(f.In) * float64(f.Columns) }

// Dim returns the number of coordinates behind the warp.
func (f Frame) Dim() int { return f.Warp.Dim(f.In) }

// Moments returns the variance and the bias of a map at two points.
func Moments(r Recipe, x, y []float64) (variance, bias float64) {
	p := sample.PairBehind(r.Shape().Warp, x, y)
	return MomentsAt(r, &p)
}

// MomentsAt returns the variance and the bias of a map at a pair of points behind its warp.
func MomentsAt(r Recipe, p *sample.Pair) (variance, bias float64) {
	sums := make([]float64, r.Statistics())
	r.Add(sums, p, 1)
	return r.Variance(sums), r.Bias(p)
}

// Builder arranges the columns of a map.
type Builder struct {
	In, out int // the dimension of points, and the maximum number of columns
	At      int // the next column
	Parts   []projection.Part
	Room    float64 // how many bytes may still be reserved
}

// NewBuilder returns a builder of a map whose weights may take room bytes, and no more than there is memory.
func NewBuilder(in, out int, room float64) *Builder {
	return &Builder{In: in, out: out, Room: min(room, float64(memory.Limit()))}
}

// Reserve returns an error if weights of the given size do not fit in the remaining room.
func (b *Builder) Reserve(bytes float64) error {
	if !(bytes <= b.Room) {
		return fmt.Errorf("featuremap: %d features of %d coordinates: the weights take %.3g %w, and there are %.3g", b.out, b.In, bytes, ErrMemory, b.Room)
	}
	b.Room -= bytes
	return nil
}

// ErrMemory is in the errors of maps that need more memory than they may take.
var ErrMemory = errors.New("bytes of memory")

// Add adds columns, and the parts that write them.
func (b *Builder) Add(columns int, parts ...projection.Part) {
	b.At += columns
	b.Parts = append(b.Parts, parts...)
}

// A Document is what the document of a plan says of a recipe, in addition to its kind of map and its number of columns.
// It is a struct whose fields are tagged with their names in JSON (the tag save: see savedFields of the root package).
// Fields tagged omitempty are left out if they are zero. Each kind of map has its own type.
type Document interface {
	// Recipe makes the recipe that is asked for. It returns nil if the kernel has no such map.
	Recipe(asked Request) (Recipe, error)
}

// Request is what a document needs to know to make a recipe: the kernel on R^in, and the number of columns. Before
// work, Take is told the memory in bytes and the steps (see power.TableSteps) that making the recipe and sampling take,
// in addition to those for each kept number. It returns an error if this is too much.
type Request struct {
	form.Form   // one term without its weights, or the whole kernel for the map of a constructor
	Whole       bool
	In, Columns int
	Take        func(bytes, steps float64) error
	Seeded      random.New     // makes samplers from which errors are estimated
	Left        func() float64 // how many steps are left
}

// Option returns the value whose String is name, or the first value if name is empty. Its error names the field.
func Option[T interface{ String() string }](name, field string, values ...T) (T, error) {
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

// LinearPart returns the part that writes the columns scale·(Ax − c), from column at on, for points x of R^in.
func LinearPart(in, at int, w warp.Warp, scale float64) projection.Part {
	if w.Linear().Identity() {
		return projection.Copy{At: at, Scale: scale, Center: w.Center}
	}
	return projection.Forms{Projection: w.Forms(in, scale), At: at}
}
