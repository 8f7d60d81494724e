// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A sample is cut in six parts. At first two are held out, and the four others are fitted, or two of these if there are
// many rows. If two parts are more than enough, one is held out then and five are fitted, since the λ is for all rows.
// If they are too few, two others are held out in turn, and two more.
const (
	partCount  = 6
	heldParts  = 2
	sampleRows = 7500 // size of a sample from more than manyRows rows,
	fewerRows  = 3000 // and from fewer
	manyRows   = 6000
	enoughLoss = 100  // of the held-out rows: enough to tell neighbors on the path apart
	mostPart   = 1e-1 // the fits end when the loss can fall by this part, at first,
	closePart  = 2e-2 // and by this part once a place is found,
	partOfRow  = 3e-5 // or by so much for each row of the sample, if that is less,
	leastHeld  = 0.15 // times the last mean held-out loss replaces the loss if that is less
	absent     = 1e-9 // the frequency assumed for a class without rows in a fit
	heldPasses = 1e4  // of a descent, at most; one that takes more ends the walk
	nearFactor = 16   // the factor for a place serves others whose λ is up to so many times smaller
)

// A sample is some of the rows, and fits of some of these.
type sample struct {
	rows    []int          // their numbers, in ascending order in each part
	ends    [partCount]int // of the parts
	classes []int32
	weights []float64 // with which each class has its share of the sum over all rows
	chunk   blas64.General
	order   []int // of all rows in their slab, with those of the chunk first; nil: the chunk is a copy

	all    *descent
	many   bool    // rows
	part   float64 // of its loss, by which a fit may still fall at its end
	top    float64 // λ of the first place on the path
	fits   []*heldBack
	fitted functions // mean of the fits, at the best place so far
	passes int       // of the fits so far
	cut    bool      // one of them, by mostPasses
}

// A heldBack is a fit of some parts, judged by others.
type heldBack struct {
	*descent
	held   *training
	first  int             // of the parts that are held out
	last   functions       // the result of the last descent, from which the next one begins
	place  int             // on the path, of the last descent
	losses map[int]float64 // sums over the held-out rows, by the place on the path

	stiff       *tiled.Factor // its own factor, or nil
	stiffTurned *tiled.Turned
}

// newSample returns a sample of the rows, with their features, and its first fit. It has no fit if no held-out row can
// judge.
func (d *descent) newSample() (*sample, error) {
	s := &sample{all: d, part: mostPart, top: d.pathTop()}
	size := fewerRows
	if s.many = d.rowCount() > manyRows; s.many {
		size = sampleRows
	}
	s.deal(d, size)
	if err := s.gather(d); err != nil {
		return nil, err
	}
	for first := 0; first < partCount && s.fits == nil; first += heldParts {
		s.addFit(first, heldParts, s.many)
	}
	return s, nil
}

// rowCount returns the number of rows that have a weight.
func (t *training) rowCount() (n int) {
	for i := range t.classes {
		if t.weight(i) > 0 {
			n++
		}
	}
	return n
}

// addFit adds the fit of all parts except some that are held out, or of every other one of these, unless no held-out
// row can judge.
func (s *sample) addFit(first, held int, everyOther bool) {
	isHeld := func(part int) bool { return part >= first && part < first+held }
	fitted := s.training(func(part int) bool { return !isHeld(part) && !(everyOther && part%heldParts > 0) })
	fitted.Tolerance = min(s.part, partOfRow*float64(len(s.rows)))
	if f := s.all.newHeldBack(fitted, s.judging(isHeld)); f != nil {
		f.first = first
		s.fits = append(s.fits, f)
	}
}

// closer makes the fits that are more certain than the first one, which has found a place, and returns where they are
// to start. It makes no such fits if the first one is certain enough, or as certain as can be.
func (s *sample) closer(best int) (from int, p patience, found bool) {
	first := s.fits[0]
	told := first.losses[best] / first.held.total * first.held.effective()
	held := heldParts
	switch {
	case told >= heldParts*enoughLoss:
		held = 1
	case told >= enoughLoss && !s.many:
		return best, p, true
	}
	s.part = closePart
	if held == 1 || s.many {
		s.fits = nil
		if s.addFit(first.first, held, false); s.fits == nil {
			s.fits = []*heldBack{first}
			return best, p, true
		}
		s.fits[0].last.copy(s.fitted)
		s.fits[0].least = first.least
	}
	for next := first.first + heldParts; next < partCount && float64(len(s.fits))*told < enoughLoss; next += heldParts {
		s.addFit(next, heldParts, false)
	}
	if s.fits[0] == first { // one of several, with so few rows that it may contradict the others
		return 0, farPatience, false
	}
	if p = nearPatience; !s.many { // otherwise there were half as many rows
		p.end = first.lastPlace(best)
	}
	return max(best-1, 0), p, false
}

// lastPlace returns the last place, from the best one on, before one that is known to be far worse: where few rows far
// from the others are very wrong, a smaller part of the rows may have none.
func (f *heldBack) lastPlace(best int) int {
	for j := best + 1; j <= pathEnd; j++ {
		loss, known := f.losses[j]
		if !known {
			break
		}
		if !(loss <= farPatience.worse*f.losses[best]) {
			return j - 1
		}
	}
	return pathEnd
}

// draw chooses about size rows at random. It returns those of each class, and the factor of the weights of each class
// that keeps the sum over all its rows. A rare class has all its rows in the sample, or at least half as many as if all
// classes were equally frequent.
func (t *training) draw(size int) (chosen [][]int, factors []float64) {
	chosen, factors = make([][]int, t.count), make([]float64, t.count)
	n := 0
	for i, c := range t.classes {
		if w := t.weight(i); w > 0 {
			chosen[c] = append(chosen[c], i)
			factors[c] += w
			n++
		}
	}
	random := featuremap.NewSampler(0)
	for c, group := range chosen {
		quota := len(group)
		if n > size {
			quota = min(max(quota*size/n, size/(2*t.count), partCount/heldParts), quota)
		}
		var some float64
		for k := range quota {
			j := k + random.IntN(len(group)-k)
			group[k], group[j] = group[j], group[k]
			some += t.weight(group[k])
		}
		chosen[c], factors[c] = group[:quota], factors[c]/some
	}
	return chosen, factors
}

// deal draws about size rows, and deals out those of each class to the parts.
func (s *sample) deal(d *descent, size int) {
	chosen, factors := d.draw(size)
	groups := d.copiesOf(chosen)
	var parts [partCount][]int
	for c, rows := range chosen {
		k, at := 0, make(map[int]int) // parts of groups
		for _, i := range rows {
			const pairs = partCount / heldParts
			p, seen := (k+c)%pairs*heldParts+k/pairs%heldParts, false
			if groups != nil {
				if part, ok := at[groups[i]]; ok {
					p, seen = part, true
				}
				at[groups[i]] = p
			}
			if !seen {
				k++
			}
			parts[p] = append(parts[p], i)
		}
	}
	for p, rows := range parts {
		slices.Sort(rows)
		s.rows = append(s.rows, rows...)
		s.ends[p] = len(s.rows)
	}
	for _, i := range s.rows {
		c := d.classes[i]
		s.classes = append(s.classes, c)
		s.weights = append(s.weights, d.weight(i)*(factors[c]/d.total)*float64(len(s.rows)))
	}
}

// copiesOf returns the first row of the group of each of some rows of each class, if many of these are copies: as in a file that
// was joined twice, or with a class that was copied to be more frequent. Held out on their own, copies would show how well a fit
// repeats what it has seen. Otherwise it returns nil.
func (t *training) copiesOf(chosen [][]int) map[int]int {
	var reader rows.Reader
	if t.x != nil {
		reader.Reset(t.x)
	}
	var all []int
	var points, classes []uint64
	for c, rows := range chosen {
		for _, i := range rows {
			if t.x != nil {
				points = append(points, reader.Checksum(i))
			} else {
				points = append(points, t.points[i])
			}
			all, classes = append(all, i), append(classes, uint64(c))
		}
	}
	first := copied.Groups(points, classes, &t.few, true, true)
	if first == nil {
		return nil
	}
	groups := make(map[int]int)
	for k, g := range first {
		groups[all[k]] = all[g]
	}
	return groups
}

// gather copies the features of the rows. If these are half of all or more, it moves them to the beginning of all
// instead, until restore.
func (s *sample) gather(d *descent) error {
	if d.slab.Data != nil && 2*len(s.rows) >= d.slab.Rows {
		s.order = s.first(d.slab.Rows)
		reorder(d.slab, s.order)
		s.chunk = d.slab
		s.chunk.Rows, s.chunk.Data = len(s.rows), d.slab.Data[:len(s.rows)*d.slab.Stride]
		return d.tell(0, math.NaN())
	}
	s.chunk = blas64.General{Rows: len(s.rows), Cols: d.out, Stride: d.stride, Data: make([]float64, len(s.rows)*d.stride)}
	var next [partCount]int
	copy(next[1:], s.ends[:])
	return d.chunks(func(first int, features blas64.General) error {
		for f, end := range s.ends {
			for ; next[f] < end && s.rows[next[f]] < first+features.Rows; next[f]++ {
				copy(s.chunk.Data[next[f]*s.chunk.Stride:][:d.out], features.Data[(s.rows[next[f]]-first)*features.Stride:])
			}
		}
		return d.tell(0, math.NaN())
	})
}

// first returns the order of n rows that puts the sample first.
func (s *sample) first(n int) []int {
	taken := make([]bool, n)
	for _, i := range s.rows {
		taken[i] = true
	}
	order := slices.Clone(s.rows)
	for i, t := range taken {
		if !t {
			order = append(order, i)
		}
	}
	return order
}

// restore moves all rows back to their places. The fits cannot be used after it.
func (s *sample) restore() {
	if s.order == nil {
		return
	}
	back := make([]int, len(s.order))
	for i, at := range s.order {
		back[at] = i
	}
	reorder(s.all.slab, back)
}

// reorder makes row i what row order[i] was, without another copy of all rows.
func reorder(a blas64.General, order []int) {
	row := func(i int) []float64 { return a.Data[i*a.Stride:][:a.Cols] }
	from, kept := slices.Clone(order), make([]float64, a.Cols)
	for i := range from {
		if from[i] < 0 {
			continue // moved already, in the turn of another
		}
		copy(kept, row(i))
		at := i
		for from[at] != i {
			copy(row(at), row(from[at]))
			at, from[at] = from[at], -1
		}
		copy(row(at), kept)
		from[at] = -1
	}
}

// training returns the training of the chosen parts.
func (s *sample) training(chosen func(part int) bool) *training {
	d := s.all
	t := &training{
		Options: Options{Progress: func(int, float64) error { return d.progress(0, math.NaN()) }},
		phi:     d.training.phi, in: d.in, out: d.out, count: d.count,
		raw: d.training.raw, mean: d.mean, stride: d.stride, keeping: true, sampled: true, mostPasses: cmp.Or(d.mostPasses, heldPasses), partials: d.partials,
	}
	lo := 0
	for p, hi := range s.ends {
		if chosen(p) && lo < hi {
			part := s.chunk
			part.Rows, part.Data = hi-lo, s.chunk.Data[lo*s.chunk.Stride:hi*s.chunk.Stride]
			t.kept = append(t.kept, part)
			t.classes = append(t.classes, s.classes[lo:hi]...)
			t.weights = append(t.weights, s.weights[lo:hi]...)
		}
		lo = hi
	}
	t.sum()
	return t
}

// judging returns the training of the held-out parts, in which rows that must not judge have no weight, and each class
// has its share of all rows.
func (s *sample) judging(held func(part int) bool) *training {
	t, d := s.training(held), s.all
	if d.notJudging == nil && d.training.weights == nil {
		return t // which the parts are dealt for
	}
	lo, at := 0, 0
	for p, hi := range s.ends {
		if held(p) {
			for _, i := range s.rows[lo:hi] {
				if d.notJudging != nil && d.notJudging[i] {
					t.weights[at] = 0
				}
				at++
			}
		}
		lo = hi
	}
	before := t.total
	t.sum()
	for i, c := range t.classes {
		if v := t.classWeights[c]; v > 0 {
			t.weights[i] *= float64(d.classWeights[c]/d.total*before) / v
		}
	}
	t.sum()
	return t
}

// newHeldBack returns a fit, with the factor of the fit of all rows. It starts from the class frequencies alone, since
// weights of all rows have seen those held out. It returns nil if no held-out row can judge.
func (d *descent) newHeldBack(fitted, held *training) *heldBack {
	for i, c := range held.classes {
		if fitted.classWeights[c] == 0 { // no row of the class is fitted
			held.weights[i] = 0
		}
	}
	if held.sum(); held.total == 0 {
		return nil
	}
	fitted.scale(fitted.effective() / fitted.total)
	fitted.sum()
	fitted.scores = fitted.newScores()
	fitted.spreads = make([]float64, len(fitted.classes))
	if d.middles.w.Data == nil {
		d.middles = d.newFunctions()
	}
	e := *d // with its memory: fits take turns, and between these keep the functions at and last alone
	e.training = fitted
	e.at = e.newFunctions()
	if e.raw = e.at; fitted.raw != nil {
		e.raw = e.newFunctions()
	}
	held.wrong = d.wrongShares()
	f := &heldBack{descent: &e, held: held, last: e.newFunctions(), losses: make(map[int]float64)}
	for c, v := range fitted.classWeights {
		f.last.intercept[c] = detmath.Log(max(v/fitted.total, absent))
	}
	return f
}

// lossAt returns the mean loss of the held-out rows at a place on the path.
func (s *sample) lossAt(j int) (float64, error) {
	var sum, total float64
	for _, f := range s.fits {
		if _, ok := f.losses[j]; !ok {
			f.place = j
			before := f.pass
			var err error
			if f.losses[j], err = f.fit(s.lambda(float64(j)), s.all); err != nil {
				return 0, err
			}
			s.passes += f.pass - before
			s.cut = s.cut || f.cut
		}
		sum += f.losses[j]
		total += f.held.total
	}
	return sum / total, nil
}

// fit descends from the last result, and returns the sum of the losses of the held-out rows.
func (f *heldBack) fit(lambda float64, all *descent) (float64, error) {
	f.lambda = lambda
	f.stiffenFor(lambda/f.total*all.total, all)
	if f.best != nil { // the scores belong to the last result
		f.scale(f.last)
		f.last.intercept, _ = f.pin(f.last.intercept)
		copy(f.at.intercept, f.last.intercept) // the scores may be computed again from the weights
		if err := f.recenter(); err != nil {
			return 0, err
		}
	}
	f.start.copy(f.last)
	f.beginSearch()
	if err := f.run(); err != nil {
		return 0, err
	}
	f.settled()
	f.last.copy(f.at)
	sum, err := f.held.traverse(f.raw, f.gradient) // which is not used
	f.least = leastHeld * sum / f.held.total
	return sum, err
}

// stiffenFor sets the factor for a λ of all rows. Kλ is added to 2·Σ wᵢsᵢ·φᵢφᵢᵀ, where sᵢ are the spreads, or, until
// there is a result, to the majorizer. It keeps the factor of ridge regression if its λ is not much smaller or larger.
func (f *heldBack) stiffenFor(lambda float64, all *descent) {
	k := float64(f.count)
	stiffness := 1 - 1/k
	if f.best != nil {
		stiffness = min(stiffness, 2*f.meanSpread())
	}
	lambda *= k / max(stiffness, leastWeight)
	switch {
	case lambda <= muchLarger*all.ridgeLambda && lambda >= muchSmaller*all.ridgeLambda:
		f.factor, f.turned, f.ridgeLambda = all.factor, all.turned, all.ridgeLambda
	case f.ridgeLambda >= lambda && f.ridgeLambda <= nearFactor*lambda:
	default:
		if factor, ok := all.stiffened(lambda); ok {
			all.spare, f.stiff, f.stiffTurned = f.stiff, factor, factor.TurnedIn(f.stiffTurned)
			f.factor, f.turned, f.ridgeLambda = f.stiff, f.stiffTurned, lambda
		}
	}
}
