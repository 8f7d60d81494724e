// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A Pass is one pass of FitPasses over the rows: it says what to sum up over all of them. You can make the sums for
// parts of the rows on many goroutines or machines, and merge them. A Pass does not change, and is safe for concurrent
// use.
type Pass struct {
	p        *passer // in its state before the first row
	number   int
	identity identity // of the pass: the SHA-256 of its file
	mapped   identity // of the map whose features are summed
}

// PassSums are the sums of a pass over some of the rows: T·D numbers for T targets (or as many directions) and D
// features. Make them with Pass.NewSums for each part of the rows, and Merge them.
//
// Within a part the bits depend on the order of its rows alone, not on batches, the number of goroutines, or where sums
// are written and read again. The bits of merged sums depend on how the rows were cut into parts, and on the order in
// which parts are merged, by about 1e-16 of a sum.
//
// Methods must not run at the same time.
type PassSums struct {
	pass *Pass
	p    *passer
	err  error // that has made the sums unusable

	reader rows.Reader
}

// FitPasses is FitIterative for rows that you read yourself, on one machine or many. For each pass it calls sum, which
// returns the sums over all rows: make them for parts of the rows with Pass.NewSums and PassSums.Add, anywhere, and
// merge them with PassSums.Merge.
//
// The parts must have the same numbers and the same rows in each pass. You must see to that: only the number of rows is
// compared. Between passes FitPasses needs no rows, and computes the same bits from the same sums. So a program that
// was stopped may call it again, with the same arguments, and return the sums of earlier passes that it has saved:
// FitPasses asks for the same ones. Sums of a single part 0 give the bits of FitIterative. Sums of several parts give
// the same to rounding, except that another sample of the rows chooses λ.
//
// It returns an error whenever FitIterative does, if Memory is not 0, or if sum returns an error, nil, or sums of
// another pass.
func FitPasses(phi featuremap.FeatureMap, sum func(p *Pass) (*PassSums, error), targets int, opts *IterativeOptions) (*Model, error) {
	if sum == nil {
		return nil, errors.New("ridge: sum = nil")
	}
	o, err := iterativeOptions(phi, opts)
	if err == nil {
		err = o.validateTargets(phi, targets)
	}
	if err != nil {
		return nil, err
	}
	if o.Memory != 0 {
		return nil, fmt.Errorf("ridge: Memory = %d: must be 0, as FitPasses keeps no rows", o.Memory)
	}
	return fitIterative(phi, &passesFrom{sum: sum, targets: targets, mapped: identify(summedBy(phi, rawsOf(phi)), phi)}, o)
}

// passesFrom is the source of passes that the caller makes.
type passesFrom struct {
	sum     func(p *Pass) (*PassSums, error)
	targets int
	mapped  identity
	passes  int
	rows    int // of the first pass
}

func (f *passesFrom) first(p *passer, begin func(targets int) error) error {
	if err := begin(f.targets); err != nil {
		return err
	}
	s, err := f.make(p)
	if err != nil {
		return err
	}
	p.level, p.spans, p.kept, p.beyond = s.level, s.spans, s.kept, s.beyond
	p.center = slices.Clone(s.center)
	f.rows = p.size()
	return nil
}

func (f *passesFrom) again(p *passer) error {
	if _, err := f.make(p); err != nil {
		return err
	}
	if p.size() != f.rows {
		return fmt.Errorf("ridge: the sums of pass %d are of %d rows, those of the first of %d: rows must be the same each time", f.passes-1, p.size(), f.rows)
	}
	return nil
}

// copyFinder returns nil: rows of other processes are not here.
func (f *passesFrom) copyFinder() *copyFinder { return nil }

// make lets the caller make a pass, and sets the sums of p to its sums. It returns the passer that made them.
func (f *passesFrom) make(p *passer) (*passer, error) {
	pass := newPass(p, f.passes, f.mapped)
	f.passes++
	s, err := f.sum(pass)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ridge: pass %d: %w", pass.number, err)
	case s == nil:
		return nil, fmt.Errorf("ridge: pass %d: sums = nil", pass.number)
	case s.usable() != nil:
		return nil, s.usable()
	case s.pass.identity != pass.identity:
		return nil, fmt.Errorf("ridge: pass %d: the sums are of another pass", pass.number)
	}
	if s.err = s.p.flushAll(); s.err != nil {
		return nil, s.err
	}
	p.sums.clear()
	p.sums.add(s.p.sums)
	return s.p, nil
}

// newPass returns the pass that p has begun.
func newPass(p *passer, number int, mapped identity) *Pass {
	of := &passer{
		phi: p.phi, in: p.in, out: p.out, targets: p.targets, samples: p.samples, first: p.first, step: p.step, domain: p.domain,
	}
	if !p.first {
		of.center = slices.Clone(p.center)
		of.vectors = blas64.General{Rows: p.vectors.Rows, Cols: p.vectors.Cols, Stride: p.vectors.Stride, Data: slices.Clone(p.vectors.Data)}
	}
	pass := &Pass{p: of, number: number, mapped: mapped}
	pass.identity = pass.hash()
	return pass
}

// Number returns the number of the pass, from 0 on.
func (p *Pass) Number() int { return p.number }

// rowsOf returns the number of rows of sums.
func (p *Pass) rowsOf() int {
	if p.p.first {
		return p.p.firstRows()
	}
	return p.p.vectors.Rows
}

// NewSums returns sums without rows for a part of the rows. The number of a part, from 0 on, must be unique, and the
// same in each pass. Together with the place of a row in its part it determines which rows are in the sample that
// chooses λ, and the noise of Samples. It does not matter for sums into which others are merged. It panics if part is
// negative or 2³¹ or more.
func (p *Pass) NewSums(part int) *PassSums {
	if part < 0 || part > math.MaxInt32 {
		panic(fmt.Sprintf("ridge: part = %d: must be at least 0 and less than 2^31", part))
	}
	of := p.p
	q := &passer{
		phi: of.phi, in: of.in, out: of.out, targets: of.targets, samples: of.samples, first: of.first, step: of.step, domain: of.domain,
		center: of.center, vectors: of.vectors, spans: slices.Repeat([]span{noSpan}, of.targets),
	}
	if q.first {
		q.kept, q.noise = newKeptRows(keptMost, keptBytes), featuremap.NewSampler(uint64(part)<<32)
	}
	q.begin(p.rowsOf())
	q.place = uint64(part) << 32
	return &PassSums{pass: p, p: q}
}

// Rows returns the number of rows that were added and merged, not counting rows of weight 0.
func (s *PassSums) Rows() int {
	if s.pass == nil {
		return 0
	}
	return s.p.size() + s.p.opened() + s.p.chunk.n
}

// Add adds rows: x is n×in, and y is n×T targets. Several thousand of them may wait in memory to be summed together.
//
// It returns an error whenever Accumulator.Add does. The sums are then of no use, and all methods return that error.
func (s *PassSums) Add(x, y mat.Matrix) error { return s.AddWeighted(x, y, nil) }

// AddWeighted is Add with a weight for each row; nil weights are 1. See Accumulator.AddWeighted.
func (s *PassSums) AddWeighted(x, y mat.Matrix, weights []float64) error {
	switch err := s.usable(); {
	case err != nil:
		return err
	case s.p.merged:
		return errMerged
	}
	s.err = s.add(x, y, weights)
	return s.err
}

func (s *PassSums) add(x, y mat.Matrix, weights []float64) error {
	b, err := newAddition(x, y, weights, "weights", s.p.arrivals, s.p.in, s.p.targets)
	if err != nil || b.size() == 0 {
		return err
	}
	s.reader.Reset(b.x)
	defer s.reader.Reset(nil)
	if s.p.first {
		return s.p.addNew(&b, &s.reader)
	}
	if err := b.validateFinite(&s.reader); err != nil {
		return err
	}
	return s.p.add(&b, &s.reader)
}

// Merge adds the sums of b, over other rows of the same pass, to s. Merging into sums without rows copies the bits of
// b. Afterwards no rows can be added to s or to b.
//
// It returns an error, and leaves s as it is, if b is nil or of another pass, or if an earlier call of Add returned an
// error.
func (s *PassSums) Merge(b *PassSums) error {
	if b == nil {
		return errors.New("ridge: b = nil")
	}
	if err := errors.Join(s.usable(), b.usable()); err != nil {
		return err
	}
	switch {
	case s == b:
		return errors.New("ridge: b is the sums themselves")
	case s.pass.identity != b.pass.identity:
		return errors.New("ridge: b is of another pass")
	}
	for _, e := range []*PassSums{s, b} {
		if e.err = e.p.flushAll(); e.err != nil {
			return e.err
		}
		e.p.merged = true
	}
	s.p.merge(b.p)
	return nil
}

// merge adds the sums of b.
func (p *passer) merge(b *passer) {
	if b.size() == 0 {
		return
	}
	if p.first {
		if p.level == nil || normal.Outweighs(b.root, p.root) {
			p.move(slices.Clone(b.center), slices.Clone(b.level), b.root)
		}
		for t, s := range b.spans {
			p.spans[t] = p.spans[t].join(s)
		}
		p.kept.merge(&b.kept)
		p.beyond += b.beyond
		p.sums.add(b.shifted(b.sums, p.center, p.level))
		return
	}
	p.sums.add(b.sums)
}

// shifted returns the sums of a first pass with another row subtracted, c′ and y₀′ instead of c and y₀: with δ = c − c′
// and ε = y₀ − y₀′
//
//	Σw(y − y₀′)(φ − c′) = Σw(y − y₀)(φ − c) + ε·Σw(φ − c) + (Σw(y − y₀) + ε·Σw)·δ
func (p *passer) shifted(of *setSums, center, level []float64) *setSums {
	if slices.Equal(p.center, center) && slices.Equal(p.level, level) {
		return of
	}
	to := newSetSums(of.g.Rows, p.out, p.targets)
	to.add(of)
	total := vector(of.g, p.targets) // Σw(φ − c)
	weight := of.u[p.targets]
	for t, y := range p.level {
		e := y - level[t]
		axpy(vector(to.g, t), e, total)
		to.u[t] = math.FMA(e, weight, of.u[t])
		to.yy[t] = max(math.FMA(float64(e*e), weight, math.FMA(2*e, of.u[t], of.yy[t])), 0)
	}
	delta := make([]float64, p.out)
	for k := range delta {
		delta[k] = p.center[k] - center[k]
	}
	for t, u := range to.u {
		axpy(vector(to.g, t), u, delta)
	}
	return to
}

// Errors of sums that cannot be used here.
var (
	errMerged = errors.New("ridge: sums that were merged take no more rows: add these to the sums of their own part")
	errNoPass = errors.New("ridge: the zero value of PassSums: must be made by Pass.NewSums")
)

// usable returns an error if the sums cannot be used.
func (s *PassSums) usable() error {
	if s.pass == nil {
		return errNoPass
	}
	return s.err
}
