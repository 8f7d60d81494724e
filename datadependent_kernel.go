// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

const (
	// gramRows is the number of rows in a block of a gramSum: few enough that a block of some thousand
	// columns is a few MB, enough that adding up the products costs little.
	gramRows = 512

	// gramTile is the number of columns in a tile of a gramSum: whole panels of projections in every
	// tier.
	gramTile = 240
)

// A gramSum sums the symmetric p×p matrices AᵀB of blocks of rows. Each product is a projection of the
// columns of A by those of B, which is several times as fast as gonum's product and has one set of bits
// on every machine. Products are added in the order of blocks.
type gramSum struct {
	p, rows int
	data    []float64 // p×p; only the upper triangle is used
	tiles   []*projection.Projection
	stacks  []*projection.Stack // of the tiles
	columns *mat.Dense          // p×rows, a block transposed
	product *mat.Dense          // p×gramTile
}

// newGramSum returns a sum of p×p matrices for n rows, in blocks of at most sum.rows.
func newGramSum(n, p int) *gramSum {
	rows := min(n, gramRows)
	g := &gramSum{
		p: p, rows: rows,
		data:    make([]float64, p*p),
		columns: mat.NewDense(p, rows, nil),
		product: mat.NewDense(p, min(p, gramTile), nil),
	}
	for lo := 0; lo < p; lo += gramTile {
		tile := projection.New(min(gramTile, p-lo), rows, projection.Store, 1)
		g.tiles, g.stacks = append(g.tiles, tile), append(g.stacks, tile.Stack())
	}
	return g
}

// add adds AᵀB to the sum.
func (g *gramSum) add(a, b *mat.Dense) {
	g.transpose(b)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			g.tiles[i/gramTile].Set(i%gramTile, g.columns.RawRowView(i), 0)
		}
	}), g.p, gramGrain)
	if a != b {
		g.transpose(a)
	}
	for t, tile := range g.stacks {
		lo := t * gramTile
		hi := min(lo+gramTile, g.p)
		product := g.product.Slice(0, hi, 0, hi-lo).(*mat.Dense)
		tile.Transform(product, g.columns.Slice(0, hi, 0, g.rows))
		parallel.Run(parallel.Func(func(from, to int) {
			for i := from; i < to; i++ {
				floats.Add(g.data[i*g.p+lo:i*g.p+hi], product.RawRowView(i))
			}
		}), hi, 8*gramGrain)
	}
}

// transpose sets columns to the columns of a, followed by zeros if a has fewer rows.
func (g *gramSum) transpose(a *mat.Dense) {
	n, _ := a.Dims()
	// One cache line of each row at a time.
	parallel.Run(parallel.Func(func(lo, hi int) {
		var columns [gramGrain][]float64
		for j := lo; j < hi; j++ {
			columns[j-lo] = g.columns.RawRowView(j)
			clear(columns[j-lo][n:])
		}
		for i := range n {
			for j, v := range a.RawRowView(i)[lo:hi] {
				columns[j][i] = v
			}
		}
	}), g.p, gramGrain)
}

// matrix returns the sum, which shares the memory of g.
func (g *gramSum) matrix() (*mat.SymDense, error) {
	for i := range g.p {
		for _, v := range g.data[i*g.p+i : (i+1)*g.p] {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return nil, fmt.Errorf("featuremap: sums of products of the features of x have an element %v: must be finite", v)
			}
		}
	}
	return mat.NewSymDense(g.p, g.data), nil
}

// inverseRoot returns (I + αS)^{−1/2} for a positive semi-definite S: negative eigenvalues are rounding.
func inverseRoot(s *mat.SymDense, alpha float64) (*mat.SymDense, error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(s, true) {
		return nil, fmt.Errorf("featuremap: no eigenvalues of ΦᵀL^PowerΦ")
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	scale := eigen.Values(nil)
	for i, value := range scale {
		scale[i] = 1 / math.Sqrt(math.Sqrt(1+alpha*max(value, 0)))
	}
	for i := range scale {
		floats.Mul(v.RawRowView(i), scale)
	}
	root := new(mat.SymDense)
	root.SymOuterK(1, &v)
	return root, nil
}

// A deformed is the kernel of a DataDependent.
type deformed struct {
	base       Kernel
	correction func() *correction // made by the first call
}

// deform returns the kernel k deformed by the points x and their Laplacian.
func deform(k Kernel, x mat.Matrix, l laplacian, alpha float64, power int) deformed {
	return deformed{k, sync.OnceValue(func() *correction { return newCorrection(k, x, l, alpha, power) })}
}

// Eval returns k(x, y) − ⟨h(x), h(y)⟩.
func (k deformed) Eval(x, y []float64) float64 {
	value := k.base.Eval(x, y)
	c := k.correction()
	hx := c.image(x)
	if len(x) > 0 && len(x) == len(y) && &x[0] == &y[0] {
		return value - floats.Dot(hx, hx)
	}
	return value - floats.Dot(hx, c.image(y))
}

// A correction holds the points and matrix that h needs: see DataDependent.Kernel.
type correction struct {
	of     Kernel
	base   Kernel      // the kernel without its Project, if it has one
	rows   [][]float64 // the points, projected
	factor *mat.Dense  // C⁻¹E; nil if it could not be computed
}

func newCorrection(k Kernel, x mat.Matrix, l laplacian, alpha float64, power int) *correction {
	c := &correction{of: k}
	n, _ := x.Dims()
	if 8*5*float64(n)*float64(n) > float64(memory.Limit()) {
		return c
	}
	c.base, c.rows = unproject(k, rowsOf(x))
	e, err := rootFactor(l, alpha, power)
	if err != nil {
		return c
	}
	var gram, a mat.SymDense
	Gram(&gram, k, x)
	var ek, eke mat.Dense
	ek.Mul(e, &gram)
	eke.Mul(&ek, e.T())
	a.ReuseAsSym(n)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, 0.5*eke.At(i, j)+0.5*eke.At(j, i))
		}
		a.SetSym(i, i, 1+a.At(i, i))
	}
	var chol mat.Cholesky
	if !chol.Factorize(&a) {
		return c
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, lower.RawTriangular(), e.RawMatrix())
	c.factor = e
	return c
}

// rootFactor returns E with EᵀE = αL^c: the eigenvectors of L as rows, scaled.
func rootFactor(l laplacian, alpha float64, power int) (*mat.Dense, error) {
	matrix, err := l.matrix()
	if err != nil {
		return nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, true) {
		return nil, fmt.Errorf("featuremap: no eigenvalues of the Laplacian")
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	e := mat.DenseCopyOf(v.T())
	for i, value := range eigen.Values(nil) {
		floats.Scale(math.Sqrt(alpha)*math.Pow(max(value, 0), float64(power)/2), e.RawRowView(i))
	}
	return e, nil
}

// image returns h(x), or NaN if there is no factor.
func (c *correction) image(x []float64) []float64 {
	if c.factor == nil {
		return []float64{math.NaN()}
	}
	_, rows := unproject(c.of, [][]float64{x})
	values := make([]float64, len(c.rows))
	for i, row := range c.rows {
		values[i] = c.base.Eval(rows[0], row)
	}
	h := mat.NewVecDense(len(c.rows), nil)
	h.MulVec(c.factor, mat.NewVecDense(len(values), values))
	return h.RawVector().Data
}
