// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arccosine"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/neurons"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// What tests in package featuremap_test see of the unexported.

// OrthogonalTable returns the table of the covariances in blocks of R^d, which callers share.
func OrthogonalTable(d int) any { return fourier.PairCovarianceOf(d) }

// DrawnProbability returns the probability of degree n with which maps draw it by a law.
func DrawnProbability(l series.Law, f series.Series, n int) float64 {
	return power.Probability(power.LawOf(l), f, n)
}

// BaseSupremum returns sup|ψ| over the root of the mass for a base kernel of n columns.
func BaseSupremum(k Kernel, n int) float64 {
	f, err := canonical(k, n)
	if err != nil {
		panic(err)
	}
	s, err := graph.SchemeOf(f[0])
	if err != nil {
		panic(err)
	}
	return s.Supremum(n)
}

// UnmergedCompositional returns the map that NewCompositional draws, with features of its own for each draw.
func UnmergedCompositional(sk *Skeleton, draws int, s *Sampler) (*Compositional, error) {
	g, err := sk.graph()
	if err != nil {
		return nil, err
	}
	r := &graph.Recipe{Frame: recipe.Frame{In: g.In, Columns: 2 * draws}, Graph: g, Draws: draws}
	return drawnFrom[*Compositional](planOf(skeletonKernel{graph.Kernel{Graph: g}, sk.steps}, unmergedRecipe{r}), s)
}

type unmergedRecipe struct{ *graph.Recipe }

func (r unmergedRecipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	g, err := graph.NewGenerator(r.Graph)
	if err != nil {
		return nil, err
	}
	d, s := &graph.DrawnFeatures{Alphabet: &g.Alphabet, Start: []uint32{0}}, next()
	var f graph.Feature
	for range r.Draws {
		f.Reset()
		g.Draw(&f, s)
		if isReal := d.Alphabet.Normalize(&f); f.Discrete() {
			d.Add(f.Atoms, isReal)
		} else {
			d.Others = append(d.Others, graph.OtherDrawn{Feature: f.Clone(), IsReal: isReal && f.Phases == nil})
		}
	}
	m := &graph.Draws{Recipe: r.Recipe}
	m.Compile(b, d)
	return m, nil
}

var (
	DivideColumns  = plan.DivideColumns
	MeanBlockPairs = maclaurin.MeanBlockPairs
)

// PlanShape returns the kind of map and the columns of each term of a plan.
func PlanShape(p *Plan) (shape []string) {
	for _, b := range p.engine.Segments {
		shape = append(shape, fmt.Sprintf("%v, %d columns", b.Recipe, b.Shape().Columns))
	}
	return shape
}

// DrawTight draws a Compositional map that is planned for fewer columns than its draws take.
func DrawTight(sk *Skeleton, draws, columns int, s *Sampler) (*Compositional, error) {
	g, err := sk.graph()
	if err != nil {
		return nil, err
	}
	r := &graph.Recipe{Frame: recipe.Frame{In: g.In, Columns: columns}, Graph: g, Draws: draws}
	return drawnFrom[*Compositional](planOf(skeletonKernel{graph.Kernel{Graph: g}, sk.steps}, r), s)
}

// NewMaclaurinFrom draws a Maclaurin map whose degrees below from are exact.
func NewMaclaurinFrom(k DotProduct, in, out, from int, s *Sampler, o MaclaurinOptions) (*Maclaurin, error) {
	r, err := maclaurin.New(k.Series(), warp.Warp{}, in, out, from, 1<<17, o.engine())
	if err != nil {
		return nil, err
	}
	return drawnFrom[*Maclaurin](planOf(k, r), s)
}

// NewCentered draws the Maclaurin map of k, Project of a dot product kernel of u, for u = Ax − c, whose
// degrees below from are exact. The map says that its kernel is of.
func NewCentered(k, of Kernel, c []float64, in, out, from int, s *Sampler, o MaclaurinOptions) (*Maclaurin, error) {
	f, err := canonical(k, in)
	if err != nil {
		return nil, err
	}
	g, w, _ := f.Series()
	r, err := maclaurin.New(g, w.Centered(c), in, out, from, 1<<17, o.engine())
	if err != nil {
		return nil, err
	}
	return drawnFrom[*Maclaurin](planOf(of, r), s)
}

// ExactDegreesOf returns the exact features of degrees up to a last one of a series of Ax, as a map.
func ExactDegreesOf(f series.Series, in, last int, a mat.Matrix) (FeatureMap, error) {
	w := warp.Warp{}
	if a != nil {
		w = warp.New(a)
	}
	low, err := recipe.NewMonomials(f, w.Dim(in), last+1)
	if err != nil {
		return nil, err
	}
	r := &plan.Exact{Frame: recipe.Frame{In: in, Warp: w, Columns: int(low.Count)}, Scale: 1, Size: low.Bytes(in)}
	r.Layout = func(b *recipe.Builder, scale float64) { b.Add(r.Columns, low.Parts(in, b.At, w, scale)...) }
	return planOf(Dot(f), r).Draw(NewSampler(1))
}

// NeuronsVariance returns the variance of out neurons with Orthogonal directions, with exact features or in
// pairs, whichever of the two NewNeurons would take.
func NeuronsVariance(k ArcCosine, out int, exact bool, x, y []float64) float64 {
	r := neurons.New(arccosine.Order(k.Order), 1, warp.Warp{}, len(x), out, true)
	if r.Layout = neurons.Paired; exact {
		r.Layout = neurons.Folded
	}
	variance, _ := recipe.Moments(r, x, y)
	return variance
}

// FormValue returns k(x, y) by the canonical form that maps are made of, on R^len(x), or the error of constructors.
func FormValue(k Kernel, x, y []float64) (float64, error) {
	f, err := canonical(k, len(x))
	if err != nil {
		return 0, err
	}
	return f.Expr().Eval(x, y), nil
}

// The variates that kernels' frequencies are drawn by.

func (s *Sampler) ChiSquared(k float64) float64 { return s.chiSquared(k) }
func (s *Sampler) Exponential() float64         { return s.exponential() }
func (s *Sampler) Laplace() float64             { return s.laplace() }
func (s *Sampler) Cauchy() float64              { return s.cauchy() }

// SeriesOf returns the series of a kernel.
func SeriesOf(k Kernel) series.Series { return seriesOf(k) }

// PlanOf returns the plan that a map was drawn from.
func PlanOf(m FeatureMap) (*Plan, error) { return drawnFromPlan(m) }

// Slopes returns what a FourierBound of the kernel alone has for Sigma and Gradient, and the mass.
func Slopes(k Kernel, in int) (mass, sigma, gradient float64, err error) {
	b := FourierBound{Kernel: k, In: in}
	warped, err := b.spectrum()
	if err == nil {
		sigma, gradient, err = b.slopes(warped)
	}
	return warped.Mass, sigma, gradient, err
}

// MarshalKernel returns what KernelJSON has for a kernel, and an error for nil.
func MarshalKernel(k Kernel) ([]byte, error) { return marshalKernel(k) }

// UnmarshalKernel returns the kernel of a KernelJSON, and an error for null.
func UnmarshalKernel(data []byte) (Kernel, error) { return unmarshalKernel(data) }
