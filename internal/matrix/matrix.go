// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package matrix computes the values of kernels at all pairs of two sets of points, and their derivatives, by tiles.
//
// Begin with program.go, which divides a kernel into statistics, images and nodes (nodes.go). matrix.go evaluates a
// program for blocks of pairs, and derivative.go and back.go go through it backwards.
package matrix

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Matrix is a kernel and a fixed set of points s₁, …, sₙ, prepared for the values k(x, sⱼ) at any x. A value depends
// only on x and the points, not on what else is computed with it. It is safe for concurrent use.
type Matrix struct {
	N, in   int
	program *Program
	centers [][]float64    // subtracted from images before linear maps; nil if nothing is
	points  []*gram.Points // one for each statistic of the program
	self    *pointSet      // the points
	lists   bool           // rows that are lists can stay lists
	pools   *pools
}

// pools are memory for calls. They are separate from the Matrix, and their contents do not refer to it, because a pool
// lives until the second garbage collection after its last use; otherwise so would all points.
type pools struct {
	strips sync.Pool // of *strip
	calls  sync.Pool // of *matrixCall
}

// New prepares the rows of points. It copies what it keeps of a matrix that does not show its data.
// Otherwise it reads the data during the lifetime of the Matrix.
func New(p *Program, points mat.Matrix) *Matrix {
	var r rows.Reader
	r.Reset(points)
	check.MustFit("coordinates of points", r.N, r.Cols, 0) // they are at least packed
	m := &Matrix{N: r.N, in: r.Cols, program: p, pools: new(pools)}
	if r.Lists != nil && p.takesSparse(r.Cols) {
		if lists := sparse(&r); lists != nil {
			m.setLists(lists)
			return m
		}
	}
	all := allRows(&r)
	for _, i := range p.images {
		var center []float64
		if i.centered {
			center = gram.Center(i.logarithms(all))
		}
		m.centers = append(m.centers, center)
	}
	m.self = new(pointSet)
	m.prepare(m.self, all)
	for _, s := range p.statistics {
		points := gram.New(s.measure, m.self.images[s.image], s.factors)
		m.points = append(m.points, points)
		m.self.batches = append(m.self.batches, points.Self)
	}
	m.lists = m.takesLists()
	return m
}

// pointSet is a set of points in the form that a program needs.
type pointSet struct {
	images  []blas64.General // one for each image of the program; empty for lists
	batches []*gram.Batch    // one for each of its statistics
	weights [][]float64      // one for each of its weights
	lists   []rows.List      // the points, if they are lists
	in      int              // the number of coordinates of lists
}

// prepare makes images and weights of points, but no batches. It reuses the memory of p.
func (m *Matrix) prepare(p *pointSet, x blas64.General) {
	p.images, p.weights, p.lists = p.images[:0], p.weights[:0], nil
	for k, i := range m.program.images {
		p.images = append(p.images, i.apply(x, m.centers[k]))
	}
	for _, w := range m.program.weights {
		values := make([]float64, x.Rows)
		eachRow(p.images[w.Image], func(i int, row []float64) { values[i] = w.Weight(row) })
		p.weights = append(p.weights, values)
	}
}

// eachRow calls f for each row, over up to GOMAXPROCS goroutines.
func eachRow(x blas64.General, f func(i int, row []float64)) {
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i, Row(x, i))
		}
	}), x.Rows, 1+1<<13/x.Cols)
}

// Row returns row i of x.
func Row(x blas64.General, i int) []float64 { return x.Data[i*x.Stride:][:x.Cols:x.Cols] }

const (
	// gramChunk is the number of rows of a task.
	gramChunk = 64

	// slabElements is the number of coordinates of the rows that are prepared together, 32 MB, and slabRows is the
	// least number of these rows.
	slabElements = 1 << 22
	slabRows     = 256
	slabLists    = 512 // the largest number of these rows if they are lists, each of which is memory of its own

	// groupElements is the number of coordinates of points that rows pass over while the points stay in the
	// second-level cache. groupColumns is the largest number of these points, so that the values of a strip stay there
	// too.
	groupElements = 1 << 17
	groupColumns  = 20 * gram.Columns

	// serialWork is the number of operations below which a second goroutine does not pay.
	serialWork = 1 << 20
)

// matrixCall is a part of a kernel matrix during its computation: some rows, divided into tasks.
type matrixCall struct {
	m      *Matrix
	reader rows.Reader
	lists  listBatch
	points pointSet
	dst    blas64.General
	store  func(i, lo int, values []float64) // takes the values of row i and the points from lo on; nil: they go to dst
	rows   *pointSet
	upper  bool // the rows are the points themselves, and elements below the diagonal are not computed
	tasks  []gramTask
}

// gramTask computes the values of the rows [row, end) and the points [lo, hi).
type gramTask struct{ row, end, lo, hi int }

// call returns memory for a call.
func (m *Matrix) call(x mat.Matrix) *matrixCall {
	c, ok := m.pools.calls.Get().(*matrixCall)
	if !ok {
		c = new(matrixCall)
	}
	c.m = m
	c.reader.Reset(x)
	return c
}

// done returns the memory to the pool, without references to the caller's memory.
func (c *matrixCall) done() {
	c.reader.Reset(nil)
	c.dst, c.store, c.rows = blas64.General{}, nil, nil
	clear(c.points.images)
	c.points.lists = nil
	for _, b := range c.points.batches {
		b.Forget()
	}
	p := c.m.pools
	c.m = nil
	p.calls.Put(c)
}

// RowsTo sets row i of dst to k(xᵢ, s₁), …, k(xᵢ, sₙ), for the rows of x, with up to GOMAXPROCS goroutines.
func (m *Matrix) RowsTo(dst blas64.General, x mat.Matrix) {
	c := m.call(x)
	n, step := c.reader.N, max(slabRows, slabElements/max(m.in, 1))
	if c.reader.Lists != nil {
		step = min(step, slabLists)
	}
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		c.batch(lo, hi)
		c.dst, c.rows, c.upper = dst, &c.points, false
		c.dst.Rows, c.dst.Data = hi-lo, dst.Data[lo*dst.Stride:]
		c.fill()
	}
	c.done()
}

// RowTo sets dst to k(x, s₁), …, k(x, sₙ), with the same bits as RowsTo.
func (m *Matrix) RowTo(dst, x []float64) {
	m.BlockTo(blas64.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst}, blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x})
}

// BlockTo is RowsTo for rows that are prepared all together.
func (m *Matrix) BlockTo(dst, x blas64.General) {
	c := m.call(nil)
	m.batch(&c.points, x)
	c.dst, c.rows, c.upper = dst, &c.points, false
	c.fill()
	c.done()
}

// batch prepares rows.
func (m *Matrix) batch(p *pointSet, x blas64.General) {
	m.prepare(p, x)
	for i, s := range m.program.statistics {
		m.points[i].Prepare(p.batch(i), p.images[s.image])
	}
}

// batch returns the batch of a statistic.
func (p *pointSet) batch(i int) *gram.Batch {
	if i == len(p.batches) {
		p.batches = append(p.batches, new(gram.Batch))
	}
	return p.batches[i]
}

// SymmetricTo sets the upper triangle of dst to k(sᵢ, sⱼ).
func (m *Matrix) SymmetricTo(dst blas64.Symmetric) {
	m.Symmetric(func(i, lo int, values []float64) { copy(dst.Data[i*dst.Stride+lo:], values) })
}

// Symmetric calls store for the upper triangle k(sᵢ, sⱼ), in parts of rows, from up to GOMAXPROCS goroutines. values
// are the elements of row i for the points from lo on.
func (m *Matrix) Symmetric(store func(i, lo int, values []float64)) {
	c := m.call(nil)
	c.dst, c.store, c.rows, c.upper = blas64.General{Rows: m.N, Cols: m.N}, store, m.self, true
	c.fill()
	c.done()
}

// DiagonalTo sets dst to k(xᵢ, xᵢ) for the rows of x.
func (m *Matrix) DiagonalTo(dst []float64, x mat.Matrix) {
	c := m.call(x)
	s := m.strip()
	for lo, n := 0, c.reader.N; lo < n; lo += groupColumns {
		hi := min(lo+groupColumns, n)
		c.batch(lo, hi)
		s.diagonalOf(&c.points, hi-lo)
		copy(dst[lo:hi], s.values(m.program.Root))
	}
	s.done()
	c.done()
}

// group returns the number of points that rows pass over at a time.
func (m *Matrix) group() int {
	coords := 1
	for _, p := range m.points {
		coords += p.Weights()
	}
	return max(min(groupElements/coords, groupColumns)/gram.Columns, 1) * gram.Columns
}

// fill sets dst to the values of the rows, over up to GOMAXPROCS goroutines.
func (c *matrixCall) fill() {
	m := c.m
	c.tasks = c.tasks[:0]
	work := 0
	for lo, group := 0, m.group(); lo < m.N; lo += group {
		hi := min(lo+group, m.N)
		last := c.dst.Rows
		if c.upper {
			last = hi
		}
		for row := 0; row < last; row += gramChunk {
			t := gramTask{row, min(row+gramChunk, last), lo, hi}
			c.tasks = append(c.tasks, t)
			work += (t.end - t.row) * (hi - lo) * m.program.work
		}
	}
	// Goroutines take tasks one by one, even if there are few. With little work one goroutine does them all.
	grain := 1
	if work < serialWork {
		grain = len(c.tasks)
	}
	parallel.Run(c, len(c.tasks), grain)
}

// Do does the tasks [from, to).
func (c *matrixCall) Do(from, to int) {
	s := c.m.strip()
	for _, t := range c.tasks[from:to] {
		for row := t.row; row < t.end; row += gram.MaxRows {
			lo := t.lo
			if c.upper {
				lo = max(lo, row/gram.Columns*gram.Columns)
			}
			s.pairs(c.rows, row, min(row+gram.MaxRows, t.end), lo, t.hi, c.upper)
			s.copyTo(c.dst, c.store)
		}
	}
	s.done()
}

// A strip is a block of a kernel matrix: a few rows and a group of points, with elements in rows of a stride. Or it is a
// part of the diagonal, in one row.
type strip struct {
	m          *Matrix
	b          *pointSet
	row, end   int
	lo, hi     int
	stride     int
	upper      bool // nothing below the diagonal is computed
	diagonal   bool
	statistics [][]float64 // memory for each statistic
	have       []bool      // whether each statistic is computed
	scratch    [][]float64 // free memory
	out        []float64
}

// strip returns memory for a strip.
func (m *Matrix) strip() *strip {
	s, ok := m.pools.strips.Get().(*strip)
	if !ok {
		s = m.newStrip()
	}
	s.m = m
	return s
}

// done gives the memory back.
func (s *strip) done() {
	p := s.m.pools
	s.m, s.b = nil, nil
	p.strips.Put(s)
}

func (m *Matrix) newStrip() *strip {
	s := &strip{m: m, statistics: make([][]float64, len(m.points)), have: make([]bool, len(m.points))}
	for i := range s.statistics {
		s.statistics[i] = s.get()
	}
	s.out = s.get()
	return s
}

// get returns memory for the elements of a strip, and put returns it.
func (s *strip) get() []float64 {
	if n := len(s.scratch); n > 0 {
		v := s.scratch[n-1]
		s.scratch = s.scratch[:n-1]
		return v
	}
	return make([]float64, gram.MaxRows*groupColumns)
}

func (s *strip) put(v []float64) { s.scratch = append(s.scratch, v) }

// pairs makes s the strip of the rows [row, end) of b and the points [lo, hi).
func (s *strip) pairs(b *pointSet, row, end, lo, hi int, upper bool) {
	const lanes = 8
	s.b, s.row, s.end, s.lo, s.hi, s.upper, s.diagonal = b, row, end, lo, hi, upper, false
	s.stride = (hi - lo + lanes - 1) / lanes * lanes
	clear(s.have)
}

// diagonalOf makes s the pairs of the first n rows of b with themselves.
func (s *strip) diagonalOf(b *pointSet, n int) {
	s.b, s.row, s.end, s.lo, s.hi, s.upper, s.diagonal = b, 0, n, 0, n, false, true
	s.stride = n
	clear(s.have)
}

// size returns the number of elements, including those between rows.
func (s *strip) size() int {
	if s.diagonal {
		return s.stride
	}
	return (s.end - s.row) * s.stride
}

// values returns the values of a node.
func (s *strip) values(n Node) []float64 {
	v := s.out[:s.size()]
	n.to(v, s)
	return v
}

// copyTo computes the values and passes them to store, or copies them to their place in dst.
func (s *strip) copyTo(dst blas64.General, store func(i, lo int, values []float64)) {
	values := s.values(s.m.program.Root)
	for i := s.row; i < s.end; i++ {
		lo := s.lo
		if s.upper {
			lo = max(lo, i)
		}
		switch row := values[(i-s.row)*s.stride:]; {
		case lo >= s.hi:
		case store != nil:
			store(i, lo, row[lo-s.lo:s.hi-s.lo])
		default:
			copy(dst.Data[i*dst.Stride+lo:i*dst.Stride+s.hi], row[lo-s.lo:])
		}
	}
}

// statistic returns a statistic of the strip, by its number.
func (s *strip) statistic(i int) []float64 {
	v := s.statistics[i][:s.size()]
	if s.have[i] {
		return v
	}
	s.have[i] = true
	p, b := s.m.points[i], s.b.batches[i]
	if s.diagonal {
		p.Diagonal(v, b, s.row)
	} else {
		p.Fill(v, s.stride, b, s.row, s.end-s.row, s.lo, s.hi)
	}
	return v
}

// each calls f for each pair: element e of the strip is that of row i and point j.
func (s *strip) each(f func(e, i, j int)) {
	for i := s.row; i < s.end; i++ {
		if s.diagonal {
			f(i, i, i)
			continue
		}
		lo := s.lo
		if s.upper {
			lo = max(lo, i)
		}
		e := (i-s.row)*s.stride - s.lo
		for j := lo; j < s.hi; j++ {
			f(e+j, i, j)
		}
	}
}

// points returns the rows that are the points of the strip.
func (s *strip) points() *pointSet {
	if s.diagonal {
		return s.b
	}
	return s.m.self
}

// pair returns the images of row i and point j.
func (s *strip) pair(image, i, j int) (x, y []float64) {
	return s.b.row(image, i), s.points().row(image, j)
}

// FeatureMap computes features of the rows of x.
type FeatureMap interface {
	TransformTo(dst *mat.Dense, x mat.Matrix)
}

// An Image is what a program computes of single points before it combines pairs of them.
type Image struct {
	logs     []float64 // the scales of logarithms that are taken first; nil: no logarithms
	Warps    []warp.Warp
	centered bool       // the center is subtracted from the points
	through  FeatureMap // applied last, if not nil
}

// equal tells whether two images are known to be the same.
func (g Image) equal(h Image) bool {
	return g.centered == h.centered && slices.Equal(g.logs, h.logs) && (g.logs == nil) == (h.logs == nil) && g.through == nil && h.through == nil && slices.EqualFunc(g.Warps, h.Warps, warp.Warp.Equal)
}

// logarithms returns the rows of x in logarithms, or x itself if there is nothing to do.
func (g Image) logarithms(x blas64.General) blas64.General {
	if g.logs == nil {
		return x
	}
	to := blas64.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, x.Rows*x.Cols)}
	eachRow(x, func(i int, row []float64) { rows.LogarithmsVec(Row(to, i), row, g.logs) })
	return to
}

// apply returns the images of the rows of x: views where images are the rows themselves.
func (g Image) apply(x blas64.General, center []float64) blas64.General {
	x = g.logarithms(x)
	if len(g.Warps) > 0 {
		in := x
		out := in.Cols
		for _, w := range g.Warps {
			out = w.Dim(out)
		}
		x = blas64.General{Rows: in.Rows, Cols: out, Stride: out, Data: make([]float64, in.Rows*out)}
		eachRow(in, func(i int, row []float64) {
			if g.centered {
				row = warp.Warp{}.Centered(center).Image(row)
			}
			for _, w := range g.Warps {
				row = w.Image(row)
			}
			copy(Row(x, i), row)
		})
	}
	if g.through == nil {
		return x
	}
	var points, features mat.Dense
	points.SetRawMatrix(x)
	g.through.TransformTo(&features, &points)
	return features.RawMatrix()
}
