// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package laplacian implements the normalized Laplacians of graphs of points, with which
// data-dependent maps are made.
package laplacian

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A Laplacian is the normalized Laplacian L = I − D^{−1/2}WD^{−1/2} of N points.
type Laplacian interface {
	// Penalty returns ΦᵀL^cΦ, where Φ holds the features of the N points x.
	Penalty(base transformer, x mat.Matrix, c int) (*mat.SymDense, error)

	// Matrix returns L, N×N.
	Matrix() (*mat.SymDense, error)
}

// A transformer is a map to features.
type transformer interface {
	Dims() (in, out int)
	TransformTo(dst *mat.Dense, x mat.Matrix)
}

// Source is one of three sources of a graph: see DataDependentOptions of the root package.
type Source struct {
	Features  transformer
	Neighbors int
	Affinity  mat.Matrix
}

// New returns the Laplacian for the points x, from the one source in o.
func New(x mat.Matrix, o Source) (Laplacian, error) {
	if !check.IsNil(o.Features) {
		return newFeatureLaplacian(o.Features, x)
	}
	var g edgeLists
	var err error
	if o.Neighbors > 0 {
		g, err = heatGraph(rows.Of(x), o.Neighbors)
	} else {
		g, err = affinityGraph(o.Affinity)
	}
	if err != nil {
		return nil, err
	}
	return g, g.normalize()
}

// edge leads to a point, from the point in whose list it is.
type edge struct {
	to     int
	weight float64
}

// edgeLists are the rows of a symmetric matrix: the nonzero elements in the order of their columns. As a
// Laplacian they hold D^{−1/2}WD^{−1/2}.
type edgeLists [][]edge

// affinityGraph returns the edges of the matrix w.
func affinityGraph(w mat.Matrix) (edgeLists, error) {
	const asymmetry = 1e-10
	n, _ := w.Dims()
	g := make(edgeLists, n)
	for i := range n {
		for j := range n {
			v, mirror := w.At(i, j), w.At(j, i)
			if !(v >= 0 && v <= math.MaxFloat64) {
				return nil, fmt.Errorf("featuremap: Affinity: element (%d, %d) = %v: must be finite and at least 0", i, j, v)
			}
			if !(math.Abs(v-mirror) <= asymmetry*max(v, mirror)) {
				return nil, fmt.Errorf("featuremap: Affinity: element (%d, %d) = %v and (%d, %d) = %v: must be symmetric", i, j, v, j, i, mirror)
			}
			if mean := 0.5*v + 0.5*mirror; mean > 0 {
				g[i] = append(g[i], edge{j, mean})
			}
		}
	}
	return g, nil
}

// gramGrain is the number of rows that a goroutine takes at once.
const gramGrain = 8

// heatGraph returns the graph of the k nearest neighbors of each row: see DataDependentOptions of the root package.
func heatGraph(rows [][]float64, k int) (edgeLists, error) {
	n := len(rows)
	neighbors := make([][]edge, n) // weights are squared distances
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			neighbors[i] = nearest(rows, i, k)
		}
	}), n, gramGrain)
	var width float64
	for _, edges := range neighbors {
		for _, e := range edges {
			width += math.Sqrt(e.weight) / float64(n*k)
		}
	}
	if !(width <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: x: the mean distance to %d neighbors is %v: must be finite", k, width)
	}
	g := make(edgeLists, n)
	for i, edges := range neighbors {
		for _, e := range edges {
			w := 1.0 // also where the width is 0: all neighbors are equal
			if e.weight > 0 {
				z := math.Sqrt(e.weight) / width
				w = detmath.Exp(-0.5 * z * z)
			}
			g[i] = append(g[i], edge{e.to, w})
			mutual := slices.ContainsFunc(neighbors[e.to], func(back edge) bool { return back.to == i })
			if !mutual {
				g[e.to] = append(g[e.to], edge{i, w})
			}
		}
	}
	for _, edges := range g {
		slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	}
	return g, nil
}

// nearest returns the k rows nearest to row i, with their squared distances, nearest first.
func nearest(rows [][]float64, i, k int) []edge {
	nearest := make([]edge, 0, k)
	for j, row := range rows {
		if j == i {
			continue
		}
		limit := math.Inf(1)
		if len(nearest) == k {
			limit = nearest[k-1].weight
		}
		r := distanceWithin(rows[i], row, limit)
		if len(nearest) == k {
			if r >= limit {
				continue
			}
			nearest = nearest[:k-1]
		}
		at := sort.Search(len(nearest), func(a int) bool { return nearest[a].weight > r })
		nearest = slices.Insert(nearest, at, edge{j, r})
	}
	return nearest
}

// distanceWithin returns ‖x − y‖², or a partial sum once it reaches the limit. In many dimensions most
// pairs reach it after a part of their coordinates.
func distanceWithin(x, y []float64, limit float64) (sum float64) {
	const step = 64
	for len(x) > step && sum < limit {
		sum += arith.SquaredDistance(x[:step], y[:step], 1)
		x, y = x[step:], y[step:]
	}
	if sum < limit {
		sum += arith.SquaredDistance(x, y, 1)
	}
	return sum
}

// normalize replaces W by D^{−1/2}WD^{−1/2}.
func (g edgeLists) normalize() error {
	scale := make([]float64, len(g))
	for i, edges := range g {
		var sum float64
		for _, e := range edges {
			sum += e.weight
		}
		if math.IsInf(sum, 1) {
			return fmt.Errorf("featuremap: Affinity: the sum of row %d is %v: must be finite", i, sum)
		}
		if sum > 0 {
			scale[i] = 1 / math.Sqrt(sum)
		}
	}
	for i, edges := range g {
		for j := range edges {
			edges[j].weight *= scale[i]
			edges[j].weight *= scale[edges[j].to]
		}
	}
	return nil
}

// times sets dst to L·y.
func (g edgeLists) times(dst, y *mat.Dense) {
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.RawRowView(i)
			copy(row, y.RawRowView(i))
			for _, e := range g[i] {
				for j, v := range y.RawRowView(e.to) {
					row[j] -= float64(e.weight * v) // not fused, on any machine
				}
			}
		}
	}), len(g), gramGrain)
}

func (g edgeLists) Penalty(base transformer, x mat.Matrix, c int) (*mat.SymDense, error) {
	var y mat.Dense
	base.TransformTo(&y, x)
	if err := check.Finite("features of x by base", &y, 0); err != nil {
		return nil, err
	}
	n, out := y.Dims()
	next := mat.NewDense(n, out, nil)
	for range c / 2 {
		g.times(next, &y)
		y, *next = *next, y
	}
	// With Y = L^⌊c/2⌋Φ, ΦᵀL^cΦ is YᵀY for an even c, and YᵀLY for an odd one.
	other := &y
	if c%2 == 1 {
		g.times(next, &y)
		other = next
	}
	sum := mat.NewDense(out, out, nil)
	for lo := 0; lo < n; lo += GramRows {
		hi := min(lo+GramRows, n)
		sum.Add(sum, projection.RowProducts(mat.DenseCopyOf(y.Slice(lo, hi, 0, out).T()), mat.DenseCopyOf(other.Slice(lo, hi, 0, out).T())))
	}
	if err := validateSums(out, sum.At); err != nil {
		return nil, err
	}
	return mat.NewSymDense(out, sum.RawMatrix().Data), nil
}

func (g edgeLists) Matrix() (*mat.SymDense, error) {
	l := mat.NewSymDense(len(g), nil)
	for i, edges := range g {
		l.SetSym(i, i, 1)
		for _, e := range edges {
			if e.to >= i {
				l.SetSym(i, e.to, l.At(i, e.to)-e.weight)
			}
		}
	}
	return l, nil
}

// A featureLaplacian is the Laplacian I − BBᵀ of W = ΨΨᵀ, with B = D^{−1/2}Ψ.
type featureLaplacian struct {
	features transformer // Ψ
	x        mat.Matrix
	sum      []float64 // Ψᵀ1: the row sums of W are Ψ(Ψᵀ1)
}

// newFeatureLaplacian sums the features of x.
func newFeatureLaplacian(features transformer, x mat.Matrix) (*featureLaplacian, error) {
	n, _ := x.Dims()
	_, m := features.Dims()
	f := &featureLaplacian{features: features, x: x, sum: make([]float64, m)}
	step := min(n, GramRows)
	chunk := mat.NewDense(step, m, nil)
	var r rows.Reader
	r.Reset(x)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		psi := chunk.Slice(0, hi-lo, 0, m).(*mat.Dense)
		features.TransformTo(psi, r.Window(lo, hi))
		if err := check.Finite("features of x by Features", psi, lo); err != nil {
			return nil, err
		}
		for i := range hi - lo {
			floats.Add(f.sum, psi.RawRowView(i))
		}
	}
	return f, nil
}

// normalized sets dst to the rows of B for x, a block of rows of all points that starts with number
// first.
func (f *featureLaplacian) normalized(dst *mat.Dense, x mat.Matrix, first int) error {
	// A row sum Σaⱼ counts as 0 if it is only rounding error: at most 1e-12·Σ|aⱼ|.
	const rounding = 1e-12
	f.features.TransformTo(dst, x)
	n, _ := dst.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		var sum, size float64
		for j, v := range row {
			a := float64(v * f.sum[j])
			sum += a
			size += math.Abs(a)
		}
		var scale float64
		switch {
		case !(size <= math.MaxFloat64):
			return fmt.Errorf("featuremap: Features: the sum of row %d of W = ΨΨᵀ is of terms as large as %v: must be finite", first+i, size)
		case sum < -rounding*size:
			return fmt.Errorf("featuremap: Features: the sum of row %d of W = ΨΨᵀ is %v: must not be negative", first+i, sum)
		case sum > rounding*size:
			scale = 1 / math.Sqrt(sum)
		}
		floats.Scale(scale, row)
	}
	return nil
}

// Penalty computes ΦᵀL^cΦ from the small matrices P = ΦᵀΦ, F = BᵀΦ and G = BᵀB:
//
//	L^c = (I − BBᵀ)^c = I − B·q(G)·Bᵀ,  q(g) = (1 − (1−g)^c)/g = Σ_{j<c} (1−g)^j,
//	ΦᵀL^cΦ = P − Fᵀq(G)F.
//
// All three are parts of the Gram matrix of the columns of (Φ B).
func (f *featureLaplacian) Penalty(base transformer, x mat.Matrix, c int) (*mat.SymDense, error) {
	n, _ := x.Dims()
	_, out := base.Dims()
	p := out + len(f.sum)
	gram, block := tiled.New(p), tiled.NewBlock(p)
	chunk := mat.NewDense(min(n, tiled.BlockRows), p, nil)
	var r rows.Reader
	r.Reset(x)
	for lo := 0; lo < n; lo += tiled.BlockRows {
		hi := min(lo+tiled.BlockRows, n)
		phi, b := chunk.Slice(0, hi-lo, 0, out).(*mat.Dense), chunk.Slice(0, hi-lo, out, p).(*mat.Dense)
		part := r.Window(lo, hi)
		base.TransformTo(phi, part)
		if err := check.Finite("features of x by base", phi, lo); err != nil {
			return nil, err
		}
		if err := f.normalized(b, part, lo); err != nil {
			return nil, err
		}
		if bad := block.Append(chunk.Slice(0, hi-lo, 0, p).(*mat.Dense).RawMatrix()); bad >= 0 {
			return nil, fmt.Errorf("featuremap: x: row %d: sums of products of its features overflow", lo+bad)
		}
		gram.Update(block)
		block.Truncate(0)
	}
	ft, g := mat.NewDense(out, p-out, nil), mat.NewSymDense(p-out, nil)
	for j := out; j < p; j++ {
		for i := range out {
			ft.Set(i, j-out, gram.At(i, j))
		}
		for i := out; i <= j; i++ {
			g.SetSym(i-out, j-out, gram.At(i, j))
		}
	}
	reduced, err := reduction(ft, g, c)
	if err != nil {
		return nil, err
	}
	s := mat.NewSymDense(out, nil)
	for i := range out {
		for j := i; j < out; j++ {
			s.SetSym(i, j, gram.At(i, j)-reduced.At(i, j))
		}
	}
	return s, validateSums(out, s.At)
}

// reduction returns Fᵀq(G)F, and an error if an eigenvalue of G is above 1.
func reduction(ft *mat.Dense, g *mat.SymDense, c int) (*mat.Dense, error) {
	// BBᵀ, and so G, has the eigenvalue 1, for the vector D^{1/2}1. Rounding may put it above 1.
	const rounding = 1e-9
	m := g.SymmetricDim()
	rest := mat.NewDense(m, m, nil) // I − G
	positive := tiled.New(m)
	for i := range m {
		for j := i; j < m; j++ {
			v := -g.At(i, j)
			positive.Set(i, j, v)
			if i == j {
				v++
			}
			rest.Set(i, j, v)
			rest.Set(j, i, v)
		}
	}
	positive.AddDiagonal(1 + rounding)
	if _, bad := positive.Factorize(0); bad >= 0 {
		var eigen mat.EigenSym
		eigen.Factorize(g, false)
		return nil, fmt.Errorf("%w: Features: the Laplacian of W = ΨΨᵀ has the eigenvalue %v: W has negative elements", check.ErrNotPSD, 1-eigen.Values(nil)[m-1])
	}
	if c == 1 {
		return projection.RowProducts(ft, ft), nil // q = 1
	}
	return projection.RowProducts(projection.RowProducts(ft, geometricSum(rest, c)), ft), nil
}

// geometricSum returns I + A + … + A^{c−1} for a symmetric A and c ≥ 1. It reads the bits of c from the highest on. If
// the bits so far are the number n, it has s = I + … + A^{n−1} and p = Aⁿ. For 2n they become s + ps and p², and for n
// + 1 they become s + p and pA.
func geometricSum(a *mat.Dense, c int) *mat.Dense {
	n, _ := a.Dims()
	s, p := mat.NewDense(n, n, nil), mat.DenseCopyOf(a)
	for i := range n {
		s.Set(i, i, 1)
	}
	for bit := bits.Len(uint(c)) - 2; bit >= 0; bit-- {
		s.Add(s, projection.RowProducts(p, s))
		p = projection.RowProducts(p, p)
		if c>>bit&1 == 1 {
			s.Add(s, p)
			p = projection.RowProducts(p, a)
		}
	}
	return s
}

func (f *featureLaplacian) Matrix() (*mat.SymDense, error) {
	n, _ := f.x.Dims()
	b := mat.NewDense(n, len(f.sum), nil)
	if err := f.normalized(b, f.x, 0); err != nil {
		return nil, err
	}
	l := mat.NewSymDense(n, nil)
	for i := range n {
		l.SetSym(i, i, 1)
	}
	l.SymRankK(l, -1, b)
	return l, nil
}

// GramRows is the number of rows whose features are summed, or held in memory, together.
const GramRows = 512

// validateSums refuses sums of products, at(i, j) for i ≤ j < n, that are not finite.
func validateSums(n int, at func(i, j int) float64) error {
	for i := range n {
		for j := i; j < n; j++ {
			if v := at(i, j); !arith.Finite(v) {
				return fmt.Errorf("featuremap: sums of products of the features of x have an element %v: must be finite", v)
			}
		}
	}
	return nil
}
