// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// A laplacian is the normalised Laplacian L = I − D^{−1/2}WD^{−1/2} of N points.
type laplacian interface {
	// penalty returns ΦᵀL^cΦ, Φ the features of the N points x.
	penalty(base FeatureMap, x mat.Matrix, c int) (*mat.SymDense, error)

	// matrix returns L, N×N.
	matrix() (*mat.SymDense, error)
}

// newLaplacian returns the Laplacian of the one source in o, for the points x.
func newLaplacian(x mat.Matrix, o *DataDependentOptions) (laplacian, error) {
	if !isNil(o.Features) {
		return newFeatureLaplacian(o.Features, x)
	}
	var g edgeLists
	var err error
	if o.Neighbors > 0 {
		g, err = heatGraph(rowsOf(x), o.Neighbors)
	} else {
		g, err = affinityGraph(o.Affinity)
	}
	if err != nil {
		return nil, err
	}
	return g, g.normalise()
}

// An edge leads to a point.
type edge struct {
	to     int
	weight float64
}

// edgeLists are the rows of a symmetric matrix: the nonzero elements in the order of their columns. As a
// laplacian they hold D^{−1/2}WD^{−1/2}.
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

// heatGraph returns the graph of the k nearest neighbours of each row: see DataDependentOptions.
func heatGraph(rows [][]float64, k int) (edgeLists, error) {
	n := len(rows)
	near := make([][]edge, n) // weights are squared distances
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			near[i] = nearest(rows, i, k)
		}
	}), n, gramGrain)
	var width float64
	for _, edges := range near {
		for _, e := range edges {
			width += math.Sqrt(e.weight) / float64(n*k)
		}
	}
	if !(width <= math.MaxFloat64) {
		return nil, fmt.Errorf("featuremap: x: the mean distance to %d neighbours is %v: must be finite", k, width)
	}
	g := make(edgeLists, n)
	for i, edges := range near {
		for _, e := range edges {
			w := 1.0 // also where the width is 0: all neighbours are equal
			if e.weight > 0 {
				z := math.Sqrt(e.weight) / width
				w = detmath.Exp(-0.5 * z * z)
			}
			g[i] = append(g[i], edge{e.to, w})
			mutual := slices.ContainsFunc(near[e.to], func(back edge) bool { return back.to == i })
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
	near := make([]edge, 0, k)
	for j, row := range rows {
		if j == i {
			continue
		}
		limit := math.Inf(1)
		if len(near) == k {
			limit = near[k-1].weight
		}
		r := distanceWithin(rows[i], row, limit)
		if len(near) == k {
			if r >= limit {
				continue
			}
			near = near[:k-1]
		}
		at := sort.Search(len(near), func(a int) bool { return near[a].weight > r })
		near = slices.Insert(near, at, edge{j, r})
	}
	return near
}

// distanceWithin returns ‖x − y‖², or a partial sum once that reaches the limit: in many dimensions most
// pairs do so after a part of their coordinates.
func distanceWithin(x, y []float64, limit float64) (sum float64) {
	const step = 64
	for len(x) > step && sum < limit {
		sum += squaredDistance(x[:step], y[:step], 1)
		x, y = x[step:], y[step:]
	}
	if sum < limit {
		sum += squaredDistance(x, y, 1)
	}
	return sum
}

// normalise replaces W by D^{−1/2}WD^{−1/2}.
func (g edgeLists) normalise() error {
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
				floats.AddScaled(row, -e.weight, y.RawRowView(e.to))
			}
		}
	}), len(g), gramGrain)
}

func (g edgeLists) penalty(base FeatureMap, x mat.Matrix, c int) (*mat.SymDense, error) {
	var y mat.Dense
	base.TransformTo(&y, x)
	if err := validateFinite("features of x by base", &y, 0); err != nil {
		return nil, err
	}
	n, out := y.Dims()
	next := mat.NewDense(n, out, nil)
	for range c / 2 {
		g.times(next, &y)
		y, *next = *next, y
	}
	// ΦᵀL^cΦ = YᵀY or YᵀLY, Y = L^⌊c/2⌋Φ.
	other := &y
	if c%2 == 1 {
		g.times(next, &y)
		other = next
	}
	sum := newGramSum(n, out)
	for lo := 0; lo < n; lo += sum.rows {
		hi := min(lo+sum.rows, n)
		sum.add(y.Slice(lo, hi, 0, out).(*mat.Dense), other.Slice(lo, hi, 0, out).(*mat.Dense))
	}
	return sum.matrix()
}

func (g edgeLists) matrix() (*mat.SymDense, error) {
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

// A featureLaplacian is I − BBᵀ, B = D^{−1/2}Ψ.
type featureLaplacian struct {
	of  FeatureMap // Ψ
	x   mat.Matrix
	sum []float64 // Ψᵀ1: the row sums of W are Ψ(Ψᵀ1)
}

// newFeatureLaplacian sums the features of x.
func newFeatureLaplacian(of FeatureMap, x mat.Matrix) (*featureLaplacian, error) {
	n, _ := x.Dims()
	_, m := of.Dims()
	f := &featureLaplacian{of: of, x: x, sum: make([]float64, m)}
	rows := min(n, gramRows)
	block := mat.NewDense(rows, m, nil)
	var w rowWindow
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		psi := block.Slice(0, hi-lo, 0, m).(*mat.Dense)
		of.TransformTo(psi, w.show(x, lo, hi))
		if err := validateFinite("features of x by Features", psi, lo); err != nil {
			return nil, err
		}
		for i := range hi - lo {
			floats.Add(f.sum, psi.RawRowView(i))
		}
	}
	return f, nil
}

// normalised sets dst to the rows of B for the rows of x, of which the first has the number first.
func (f *featureLaplacian) normalised(dst *mat.Dense, x mat.Matrix, first int) error {
	// A row sum of terms aⱼ counts as 0 if it is mere rounding: below 1e-12·Σ|aⱼ|.
	const rounding = 1e-12
	f.of.TransformTo(dst, x)
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

// penalty computes ΦᵀL^cΦ from the small matrices P = ΦᵀΦ, F = BᵀΦ and G = BᵀB:
//
//	L^c = (I − BBᵀ)^c = I − B·q(G)·Bᵀ,  q(g) = (1 − (1−g)^c)/g = Σ_{j<c} (1−g)^j,
//	ΦᵀL^cΦ = P − Fᵀq(G)F.
//
// All three are parts of the Gram matrix of the columns of (Φ B).
func (f *featureLaplacian) penalty(base FeatureMap, x mat.Matrix, c int) (*mat.SymDense, error) {
	n, _ := x.Dims()
	_, out := base.Dims()
	p := out + len(f.sum)
	sum := newGramSum(n, p)
	block := mat.NewDense(sum.rows, p, nil)
	var w rowWindow
	for lo := 0; lo < n; lo += sum.rows {
		hi := min(lo+sum.rows, n)
		phi := block.Slice(0, hi-lo, 0, out).(*mat.Dense)
		b := block.Slice(0, hi-lo, out, p).(*mat.Dense)
		rows := w.show(x, lo, hi)
		base.TransformTo(phi, rows)
		if err := validateFinite("features of x by base", phi, lo); err != nil {
			return nil, err
		}
		if err := f.normalised(b, rows, lo); err != nil {
			return nil, err
		}
		z := block.Slice(0, hi-lo, 0, p).(*mat.Dense)
		sum.add(z, z)
	}
	gram, err := sum.matrix()
	if err != nil {
		return nil, err
	}
	ft := mat.NewDense(p, p, sum.data).Slice(0, out, out, p).(*mat.Dense)
	u, err := reduce(ft, gram.SliceSym(out, p).(*mat.SymDense), c)
	if err != nil {
		return nil, err
	}
	s := mat.NewSymDense(out, nil)
	s.SymRankK(gram.SliceSym(0, out), -1, u)
	return s, nil
}

// reduce returns a U with UUᵀ = Fᵀq(G)F, and an error if an eigenvalue of G is above 1.
func reduce(ft *mat.Dense, g *mat.SymDense, c int) (*mat.Dense, error) {
	// BBᵀ has the eigenvalue 1, for the vector D^{1/2}1: rounding may put it above 1.
	const rounding = 1e-9
	var eigen mat.EigenSym
	if !eigen.Factorize(g, c > 1) {
		return nil, fmt.Errorf("featuremap: Features: no eigenvalues of the Laplacian")
	}
	values := eigen.Values(nil)
	if most := values[len(values)-1]; !(most <= 1+rounding) {
		return nil, fmt.Errorf("%w: Features: the Laplacian of W = ΨΨᵀ has the eigenvalue %v: W has negative elements", ErrNotPSD, 1-most)
	}
	if c == 1 {
		return ft, nil // q = 1
	}
	var v, u mat.Dense
	eigen.VectorsTo(&v)
	u.Mul(ft, &v)
	scale := make([]float64, len(values))
	for i, g := range values {
		power := 1.0
		for range c {
			scale[i] += power
			power *= min(max(1-g, 0), 1)
		}
		scale[i] = math.Sqrt(scale[i])
	}
	rows, _ := u.Dims()
	for i := range rows {
		floats.Mul(u.RawRowView(i), scale)
	}
	return &u, nil
}

func (f *featureLaplacian) matrix() (*mat.SymDense, error) {
	n, _ := f.x.Dims()
	b := mat.NewDense(n, len(f.sum), nil)
	if err := f.normalised(b, f.x, 0); err != nil {
		return nil, err
	}
	l := mat.NewSymDense(n, nil)
	for i := range n {
		l.SetSym(i, i, 1)
	}
	l.SymRankK(l, -1, b)
	return l, nil
}
