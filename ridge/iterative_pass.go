// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A pass takes all rows through the map, and sums products with coefficients u. In the first pass u are the targets,
// and later the products of the features with vectors v:
//
//	Σ (φ − c)·uᵀ,   u = √w·[√w·(y − y₀), √w, ε] and c the row that is subtracted, or u = w·vᵀ(φ − c) and c the mean
//
// Rows are cut into groups of groupRows, in their order. One goroutine sums a group, row after row, and groups are
// added up in their order: so the sums depend neither on batches nor on the number of goroutines. The last group may
// stay open for further rows.

// groupRows is the number of rows of a group.
const groupRows = 256

// setSums are the sums of a pass over some rows: g is as in the formula, u the sums of the coefficients.
type setSums struct {
	g    blas64.General
	u    []float64
	yy   []float64 // Σw(y − y₀)², in the first pass
	rows int
}

func newSetSums(k, columns, targets int) *setSums {
	return &setSums{g: slabs.New(k, columns), u: make([]float64, k), yy: make([]float64, targets)}
}

func (s *setSums) clear() {
	clear(s.g.Data)
	clear(s.u)
	clear(s.yy)
	s.rows = 0
}

func (s *setSums) add(b *setSums) {
	for _, v := range [][2][]float64{{s.g.Data, b.g.Data}, {s.u, b.u}, {s.yy, b.yy}} {
		for i, x := range v[1] {
			v[0][i] += x
		}
	}
	s.rows += b.rows
}

// A passer makes the passes over some rows.
type passer struct {
	phi              featuremap.FeatureMap // of the features that are summed
	in, out, targets int
	samples          int
	source           source
	noise            *featuremap.Sampler // of ε

	first    bool           // this is the first pass
	center   []float64      // c, with padding; nil: 0
	level    []float64      // y₀
	root     float64        // root of the weight of the row that is subtracted in the first pass: see normal.Sums
	vectors  blas64.General // that features are multiplied with
	chunk    chunk
	sums     *setSums
	open     *setSums // the last group, if rows are to come; else nil
	place    uint64   // of the next row
	arrivals int      // number of rows that have come
	merged   bool     // others have been merged with these
	spans    []span
	kept     keptRows      // a sample of the rows
	domain   linear.Domain // of the map of the fit; nil: all points
	beyond   int           // number of rows outside it, counted by the first pass
	workers  sync.Pool
	step     int // rows that go through the map at once
	memory   int64
	features []*keptFeatures // of the first groups
}

// keptFeatures are the features of a group.
type keptFeatures struct {
	z        blas64.General
	centered bool
}

// A chunk is rows that wait to be summed, all dense or all lists.
type chunk struct {
	n, group      int // rows, and the number of the first group
	lists         *rows.Lists
	x, y, weights []float64
	noise         []float64
	places        []int
}

// A source sums up the rows with a passer that has begun: in the first pass, or again.
type source interface {
	first(p *passer, begin func(targets int) error) error // begin is called before there are rows
	again(p *passer) error
	copyFinder() *copyFinder // that has noted the rows in the first pass; nil: none has
}

// newPasser returns the passer for the features of a map, which are those of phi or its raw ones.
func newPasser(summed, phi featuremap.FeatureMap, from source, o *IterativeOptions) *passer {
	in, out := summed.Dims()
	return &passer{
		phi: summed, in: in, out: out, samples: o.Samples, memory: o.Memory, source: from,
		kept: newKeptRows(keptMost, keptBytes), domain: domainOf(phi),
	}
}

// rowsFrom are the rows of batches.
type rowsFrom struct{ *batchRows }

func newRowsFrom(rows iter.Seq2[Batch, error], phi featuremap.FeatureMap) rowsFrom {
	in, _ := phi.Dims()
	return rowsFrom{&batchRows{rows: rows, in: in, once: passesOnce, copied: new(copyFinder)}}
}

func (r rowsFrom) first(p *passer, begin func(targets int) error) error {
	return r.batchRows.first(begin, func(b *addition) error {
		var reader rows.Reader
		reader.Reset(b.x)
		defer reader.Reset(nil)
		return p.addNew(b, &reader)
	})
}

func (r rowsFrom) again(p *passer) error {
	return r.batchRows.again(func(_ int, b *addition, x *rows.Reader) error { return p.add(b, x) })
}

// firstPass makes the first pass, and calls validate once it knows the number of targets.
func (p *passer) firstPass(validate func(targets int) error) error {
	p.first, p.noise = true, featuremap.NewSampler(0)
	err := p.source.first(p, func(targets int) error {
		if err := validate(targets); err != nil {
			return err
		}
		p.targets, p.spans = targets, slices.Repeat([]span{noSpan}, targets)
		p.begin(p.firstRows())
		return nil
	})
	if err == nil {
		err = p.flushAll()
	}
	p.first = false
	return err
}

// firstRows is the number of rows of the sums in the first pass.
func (p *passer) firstRows() int { return p.targets + 1 + p.samples }

// multiply makes a pass with some vectors.
func (p *passer) multiply(vectors blas64.General) error {
	p.vectors = vectors
	p.begin(vectors.Rows)
	if err := p.source.again(p); err != nil {
		return err
	}
	return p.flushAll()
}

// size returns the number of rows, without those of weight 0.
func (p *passer) size() int { return p.sums.rows }

func (p *passer) begin(k int) {
	p.place, p.arrivals, p.workers = 0, 0, sync.Pool{}
	p.open = nil
	if p.sums == nil || p.sums.g.Rows != k {
		p.sums = newSetSums(k, p.out, p.targets)
	}
	p.sums.clear()
	p.chunk.n, p.chunk.group = 0, 0
}

// chunkRows returns the largest number of rows of a chunk, in whole groups: several for each goroutine, and at most 32
// MB of dense ones.
func (p *passer) chunkRows() int {
	const each, elements = 4, 1 << 22
	return groupRows * min(max(elements/(p.in*groupRows), 1), each*runtime.GOMAXPROCS(0))
}

// addNew adds rows that no pass has seen before.
func (p *passer) addNew(b *addition, x *rows.Reader) error {
	if err := b.validateFinite(x); err != nil {
		return err
	}
	spans, err := b.validateTargets(nil)
	if err != nil {
		return err
	}
	for t, s := range spans {
		p.spans[t] = p.spans[t].join(s)
	}
	return p.add(b, x)
}

// add adds the rows of a batch.
func (p *passer) add(b *addition, x *rows.Reader) error {
	c := &p.chunk
	for i := range b.size() {
		moves := p.first && (p.level == nil || normal.Outweighs(b.root(i), p.root))
		if moves {
			if err := p.flush(false); err != nil {
				return err
			}
		}
		c.append(p, b, x, i)
		if moves {
			p.moveTo(c, b.root(i))
		}
		if p.first {
			p.offer(b, x, i)
			if p.domain != nil && !p.domain.Inside(x.Row(i)) {
				p.beyond++
			}
		}
		p.place++
		p.arrivals++
		if p.opened()+c.n == p.chunkRows() {
			if err := p.flush(true); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer keeps a row for the sample if its key is low enough.
func (p *passer) offer(b *addition, x *rows.Reader, i int) {
	if key := splitmix.Output(p.place, 7) >> 11; key < p.kept.below {
		r := keptRow{key: key, arrival: p.arrivals, weight: b.weight(i), List: x.Copy(i), y: make([]float64, p.targets)}
		for t := range r.y {
			r.y[t] = b.y.At(i, t)
		}
		p.kept.add(r)
	}
}

// append adds row i of a batch to the chunk.
func (c *chunk) append(p *passer, b *addition, x *rows.Reader, i int) {
	if c.n == 0 {
		c.x, c.y, c.weights, c.noise, c.places, c.lists = c.x[:0], c.y[:0], c.weights[:0], c.noise[:0], c.places[:0], nil
		if x.Lists != nil {
			c.lists = &rows.Lists{Cols: p.in}
		}
	}
	switch {
	case c.lists == nil:
		c.x = append(c.x, x.Row(i)...)
	case x.Lists != nil:
		c.lists.Rows = append(c.lists.Rows, x.Copy(i))
	default:
		c.lists.Rows = append(c.lists.Rows, rows.NewList(x.Row(i)))
	}
	for t := range p.targets {
		c.y = append(c.y, b.y.At(i, t))
	}
	c.weights = append(c.weights, b.weight(i))
	c.places = append(c.places, b.row(i))
	if p.first {
		for range p.samples {
			c.noise = append(c.noise, p.noise.Normal())
		}
	}
	c.n++
}

// points returns the rows [lo, hi).
func (c *chunk) points(in, lo, hi int) mat.Matrix {
	if c.lists != nil {
		return &rows.Lists{Cols: in, Rows: c.lists.Rows[lo:hi]}
	}
	return mat.NewDense(hi-lo, in, c.x[lo*in:hi*in])
}

// flushAll sums up all rows, and ends the last group.
func (p *passer) flushAll() error { return p.flush(true) }

// opened returns the number of rows of an open group.
func (p *passer) opened() int {
	if p.open == nil {
		return 0
	}
	return p.open.rows
}

// flush sums up the waiting rows, the first of which may belong to an open group, and ends the last group or leaves it
// open.
func (p *passer) flush(end bool) error {
	c := &p.chunk
	if c.n == 0 {
		if end && p.open != nil {
			p.sums.add(p.open)
			p.open = nil
		}
		return nil
	}
	before := p.opened()
	groups := (before + c.n + groupRows - 1) / groupRows
	if p.first {
		p.keepFeatures(c.group+groups, end)
	}
	if p.step == 0 {
		p.step = p.fastest(c)
	}
	whole := end || (before+c.n)%groupRows == 0
	first := p.open
	p.open = nil
	turns := newTurns()
	errs := make([]error, groups)
	parallel.Run(parallel.Func(func(g, _ int) {
		defer turns.release()
		w := p.worker()
		w.part.clear()
		if g == 0 && first != nil {
			w.part.add(first)
		}
		lo := g*groupRows - before // of the group's first row, which an open group already contains
		errs[g] = w.sum(c, g, lo, max(lo, 0), min(lo+groupRows, c.n))
		turns.wait(g)
		if g < groups-1 || whole {
			p.sums.add(w.part)
		} else {
			p.open = w.part
			w.part = newSetSums(w.part.g.Rows, p.out, p.targets)
		}
		turns.done()
		p.workers.Put(w)
	}), groups, 1)
	if c.n, c.group = 0, c.group+groups; !whole {
		c.group--
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// moveTo makes the last row of a chunk the one that is subtracted, given the root of its weight, and changes the sums
// so far accordingly.
func (p *passer) moveTo(c *chunk, root float64) {
	level := slices.Clone(c.y[(c.n-1)*p.targets:])
	center := slabs.New(1, p.out).Data
	one := mat.NewDense(1, p.out, center[:p.out])
	p.phi.TransformTo(one, c.points(p.in, c.n-1, c.n))
	for _, v := range center {
		if !(math.Abs(v) < tiled.Limit) { // the row is refused with its name when it is summed
			clear(center)
			break
		}
	}
	p.move(center, level, root)
}

// move changes the row that is subtracted in sums of a first pass.
func (p *passer) move(center, level []float64, root float64) {
	if p.level != nil {
		for _, of := range []**setSums{&p.sums, &p.open} {
			if *of != nil {
				*of = p.shifted(*of, center, level)
			}
		}
	}
	p.center, p.level, p.root = center, level, root
}

// fastest returns the number of rows that should go through the map at once: few, so that their features stay in the
// second-level cache, unless the map is then slower, as it is if its weights are larger than the features. It affects
// only the time.
func (p *passer) fastest(c *chunk) int {
	const few, many = 16, 64
	if c.n < many || p.out < 256 {
		return many
	}
	z := slabs.New(many, p.out)
	took := [2]time.Duration{1 << 62, 1 << 62}
	for range 3 {
		for k, step := range [2]int{few, many} {
			start := time.Now()
			for lo := 0; lo < many; lo += step {
				z.Rows = step
				p.transform(z, c, lo, lo+step)
			}
			took[k] = min(took[k], time.Since(start))
		}
	}
	if took[0] <= took[1]+took[1]/8 {
		return few
	}
	return many
}

// transform sets z to the features of rows of a chunk.
func (p *passer) transform(z blas64.General, c *chunk, lo, hi int) {
	var view mat.Dense
	z.Data = z.Data[:(hi-lo-1)*z.Stride+p.out]
	z.Rows = hi - lo
	view.SetRawMatrix(z)
	p.phi.TransformTo(&view, c.points(p.in, lo, hi))
}

// keepFeatures makes room for the features of a number of groups, as far as Memory goes. At the end, the last group has
// only the waiting rows.
func (p *passer) keepFeatures(groups int, end bool) {
	for g := len(p.features); g < groups && p.memory > 0; g++ {
		n := groupRows
		if last := (p.opened() + p.chunk.n) % groupRows; end && g == groups-1 && last > 0 {
			n = (last + slabs.TileRows - 1) / slabs.TileRows * slabs.TileRows
		}
		bytes := int64(8 * n * slabs.Stride(p.out))
		if bytes > p.memory {
			p.memory = 0
			return
		}
		p.memory -= bytes
		p.features = append(p.features, &keptFeatures{z: slabs.New(n, p.out)})
	}
}
