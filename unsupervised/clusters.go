// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// KMeansOptions are the options of FitKMeans; nil stands for the zero value.
type KMeansOptions struct {
	Restarts int    // number of starts, each from other centers; the best result counts; 0: 10
	Seed     uint64 // seed of the starts; the same seed gives the same clusters

	// Progress, if not nil, is called after each step with the number of the start, the number of the step (both from
	// 0), and the inertia before the step. If it returns an error, the work stops, and FitKMeans returns that error,
	// wrapped.
	Progress func(start, step int, inertia float64) error
}

// KMeans is a division of rows into clusters with similar features. It is safe for concurrent use.
type KMeans struct {
	phi     featuremap.FeatureMap
	common  []float64      // the point that is subtracted from all features
	centers blas64.General // of features minus that point, a row each
	halves  []float64      // ½‖center‖²
	inertia float64
}

// FitKMeans groups the rows of x, n×in, into k clusters by k-means on their features: it looks for centers c with the
// least inertia Σᵢ min_c ‖φ(xᵢ) − c‖². With features of a kernel this is kernel k-means (Schölkopf, Smola and Müller
// 1998; by random features Chitta, Jin and Jain 2012, "Efficient kernel clustering using random Fourier features"),
// which finds groups that no straight line separates.
//
// Each start chooses centers by k-means++ (Arthur and Vassilvitskii 2007) among up to 10,000 rows. Lloyd's steps follow
// until no row changes its cluster, at most 300. A cluster that loses all its rows gets the row that is farthest from
// its own center. A step takes n·D·k multiply-adds. Features that take more than 1 GiB are computed again in each step.
//
// It returns an error if phi is nil or a zero value, if x is empty, contains a number that is not finite, or has fewer
// than k rows with different features, if k is less than 1, if Restarts is negative, or if Progress returns one.
func FitKMeans(phi featuremap.FeatureMap, x mat.Matrix, k int, opts *KMeansOptions) (*KMeans, error) {
	var o KMeansOptions
	if opts != nil {
		o = *opts
	}
	if o.Restarts < 0 {
		return nil, fmt.Errorf("unsupervised: Restarts = %d: must not be negative", o.Restarts)
	}
	f, err := newFeatures(phi, "x", x)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > f.n {
		return nil, fmt.Errorf("unsupervised: k = %d: must be from 1 to the %d rows", k, f.n)
	}
	if err := validateMemory(8*float64(tiled.Stride(f.out))*float64(3*k+min(f.n, max(mostSeen, k))), "%d centers of %d features, and the rows of starts,", k, f.out); err != nil {
		return nil, err
	}
	return clusters(f, k, featuremap.NewSampler(o.Seed).Split(), &o)
}

const (
	mostSeen  = 10000 // rows that starts are chosen from
	mostSteps = 300   // after a start
)

// clusters returns the best of several starts.
func clusters(f *features, k int, s *featuremap.Sampler, o *KMeansOptions) (*KMeans, error) {
	f.take()
	if err := f.keep(); err != nil {
		return nil, err
	}
	some, err := f.some(subset.Rows(f.n, max(mostSeen, k)))
	if err != nil {
		return nil, err
	}
	var best *lloyd
	for start := range cmp.Or(o.Restarts, 10) {
		l := &lloyd{KMeans: KMeans{phi: f.phi, common: f.center, centers: newRows(k, f.out)}, features: f, nearest: make([]int, f.n), distances: make([]float64, f.n)}
		if err := l.seed(some, s); err != nil {
			return nil, err
		}
		for step := range mostSteps {
			changed, err := l.assign()
			if err != nil {
				return nil, err
			}
			if o.Progress != nil {
				if err := o.Progress(start, step, l.inertia); err != nil {
					return nil, fmt.Errorf("unsupervised: interrupted by Progress: %w", err)
				}
			}
			if !changed && step > 0 {
				break
			}
			if err := l.move(); err != nil {
				return nil, err
			}
		}
		if _, err := l.assign(); err != nil {
			return nil, err
		}
		if best == nil || l.inertia < best.inertia {
			best = l
		}
	}
	return &best.KMeans, nil
}

// A lloyd is a search from one start.
type lloyd struct {
	KMeans
	features  *features
	nearest   []int     // the cluster of each row
	distances []float64 // the squared distance of each row from the center of its cluster
	search    nearestSearch
}

// setHalves computes ½‖center‖² of all centers.
func (c *KMeans) setHalves() {
	c.halves = make([]float64, c.centers.Rows)
	for i := range c.halves {
		center := row(c.centers, i)
		c.halves[i] = tiled.Dot(center, center) / 2
	}
}

// seed chooses centers among rows, each with a probability in proportion to its squared distance from the nearest
// earlier one. If no row in some differs from the centers, the next center is chosen among all rows.
func (l *lloyd) seed(some blas64.General, s *featuremap.Sampler) error {
	squares, nearest := make([]float64, some.Rows), slices.Repeat([]float64{math.Inf(1)}, some.Rows)
	for i := range squares {
		squares[i] = tiled.Dot(row(some, i), row(some, i))
	}
	inner := newRows(some.Rows, 1)
	copy(row(l.centers, 0), row(some, s.IntN(some.Rows)))
	for cluster := range l.centers.Rows - 1 {
		center := row(l.centers, cluster)
		square := tiled.Dot(center, center)
		tiled.Products(inner, some, center, l.centers.Stride)
		total := 0.0
		for i := range nearest {
			d := squares[i] + square - 2*row(inner, i)[0]
			if d <= nearFraction*(squares[i]+square) {
				d = distance2(row(some, i), center)
			}
			nearest[i] = min(nearest[i], d)
			total += nearest[i]
		}
		next := row(l.centers, cluster+1)
		if total > 0 {
			copy(next, row(some, pick(nearest, float64(s.Float64()*total))))
		} else if err := l.seedAmongAll(next, between(l.centers, 0, cluster+1), s); err != nil {
			return err
		}
	}
	l.setHalves()
	return nil
}

// seedAmongAll chooses the next center among all rows.
func (l *lloyd) seedAmongAll(next []float64, before blas64.General, s *featuremap.Sampler) error {
	nearest, total := make([]float64, l.features.n), 0.0
	if err := l.features.each(func(lo int, chunk blas64.General) {
		for i := range chunk.Rows {
			d := math.Inf(1)
			for c := range before.Rows {
				d = min(d, distance2(row(chunk, i), row(before, c)))
			}
			nearest[lo+i] = d
			total += d
		}
	}); err != nil {
		return err
	}
	if !(total > 0) {
		return fmt.Errorf("unsupervised: k = %d: only %d rows have different features", l.centers.Rows, before.Rows)
	}
	chosen, err := l.features.some([]int{pick(nearest, float64(s.Float64()*total))})
	copy(next, row(chosen, 0))
	return err
}

// pick returns the first index at which the sum of weights so far exceeds u, or the last of positive weight.
func pick(weights []float64, u float64) (last int) {
	sum := 0.0
	for i, w := range weights {
		if w > 0 {
			last = i
			if sum += w; sum > u {
				break
			}
		}
	}
	return last
}

// A nearestSearch is memory for the search of nearest centers.
type nearestSearch struct {
	products blas64.General
	near     []int
}

// nearestCenters sets, for each row of features, the cluster with the nearest center, the first if several are, and its
// squared distance; −1 and NaN for a row with a NaN. The nearest center has the largest ⟨φ, c⟩ − ½‖c‖²; centers that
// are equally near except for rounding are compared by differences.
func (c *KMeans) nearestCenters(nearest []int, distances []float64, chunk blas64.General, search *nearestSearch) {
	const rounding = 0x1p-44
	if search.products.Rows < chunk.Rows {
		search.products = newRows(chunk.Rows, c.centers.Rows)
	}
	p := between(search.products, 0, chunk.Rows)
	tiled.Products(p, chunk, c.centers.Data, c.centers.Stride)
	for i := range chunk.Rows {
		features, scores := row(chunk, i), row(p, i)
		square := tiled.Dot(features, features)
		best, at := math.Inf(-1), -1
		for j := range scores {
			if scores[j] -= c.halves[j]; scores[j] > best {
				best, at = scores[j], j
			}
		}
		nearest[i], distances[i] = at, math.NaN()
		if at < 0 {
			continue
		}
		search.near = search.near[:0]
		for j, v := range scores {
			if best-v <= rounding*(square+c.halves[j]+c.halves[at]) {
				search.near = append(search.near, j)
			}
		}
		d := square - 2*best
		if len(search.near) > 1 || d <= nearFraction*square {
			d = math.Inf(1)
			for _, j := range search.near {
				if v := distance2(features, row(c.centers, j)); v < d {
					d, nearest[i] = v, j
				}
			}
		}
		distances[i] = d
	}
}

// assign gives each row to the cluster of the nearest center, computes the inertia, and reports whether any row has
// changed its cluster.
func (l *lloyd) assign() (changed bool, err error) {
	l.inertia = 0
	next := make([]int, l.features.chunk)
	err = l.features.each(func(lo int, chunk blas64.General) {
		distances := l.distances[lo:][:chunk.Rows]
		l.nearestCenters(next, distances, chunk, &l.search)
		for i, d := range distances {
			l.inertia += d
			changed = changed || next[i] != l.nearest[lo+i]
			l.nearest[lo+i] = next[i]
		}
	})
	return changed, err
}

// move makes each center the mean of its rows. A cluster without rows gets the row that is farthest from its center.
func (l *lloyd) move() error {
	k := l.centers.Rows
	counts := make([]int, k)
	for _, c := range l.nearest {
		counts[c]++
	}
	for c := range counts {
		if counts[c] == 0 {
			farthest := -1
			for i, d := range l.distances {
				if counts[l.nearest[i]] > 1 && (farthest < 0 || d > l.distances[farthest]) {
					farthest = i
				}
			}
			counts[l.nearest[farthest]]--
			l.nearest[farthest], l.distances[farthest], counts[c] = c, 0, 1
		}
	}
	clear(l.centers.Data)
	if err := l.features.each(func(lo int, chunk blas64.General) {
		parallel.Run(parallel.Func(func(first, end int) {
			for i := range chunk.Rows {
				if c := l.nearest[lo+i]; first <= c && c < end {
					chain.Add(row(l.centers, c), 1, row(chunk, i))
				}
			}
		}), k, 1)
	}); err != nil {
		return err
	}
	for c := range k {
		for j := range row(l.centers, c) {
			row(l.centers, c)[j] /= float64(counts[c])
		}
	}
	l.setHalves()
	return nil
}

// Centers returns the centers in feature space as rows of a matrix, k×D.
func (c *KMeans) Centers() *mat.Dense {
	dst := mat.NewDense(c.centers.Rows, c.centers.Cols, nil)
	for i := range c.centers.Rows {
		dst.SetRow(i, row(c.centers, i))
		chain.Add(dst.RawRowView(i), 1, c.common)
	}
	return dst
}

// Inertia returns Σᵢ min_c ‖φ(xᵢ) − c‖² of the rows that were clustered.
func (c *KMeans) Inertia() float64 { return c.inertia }

// Assign returns the cluster with the nearest center, from 0 to k − 1, for each row of x, n×in; −1 for a row with a
// NaN. It panics with mat.ErrShape if x has another number of columns.
func (c *KMeans) Assign(x mat.Matrix) []int {
	n, columns := x.Dims()
	if in, _ := c.phi.Dims(); columns != in {
		panic(mat.ErrShape)
	}
	assigned := make([]int, n)
	if n == 0 {
		return assigned
	}
	f := featuresOf(c.phi, x)
	f.center = c.common
	distances := make([]float64, f.chunk)
	var search nearestSearch
	for lo := 0; lo < n; lo += f.chunk {
		hi := min(lo+f.chunk, n)
		chunk := f.transform(lo, hi)
		f.less(chunk)
		c.nearestCenters(assigned[lo:hi], distances, chunk, &search)
	}
	return assigned
}
