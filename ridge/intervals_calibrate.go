// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Calibration of intervals by rows that are left out of a fit: see Model.Interval.

package ridge

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

const (
	leastKept      = keptLeast
	leastGroups    = 10
	leastWeight    = 19   // with less, an interval of 90 % has no ends
	mostCalibrated = 4096 // rows, if λ was not judged by all
	leastOfMany    = 512  // rows, with many targets

	// mostErrors bounds the number of errors over all rows and targets: five times as many numbers are in memory, 160
	// MB.
	mostErrors = 1 << 22
)

// A calibrator makes intervals from rows that are left out of a fit.
type calibrator struct {
	m       *Model
	a       *Accumulator
	l       *leftOut // holds the rows; nil: no rows
	all     []taken
	options IntervalOptions
	targets int
	asked   bool    // for intervals, so that too few rows are an error
	given   bool    // the rows were given; they are not those by which λ is chosen
	lost    float64 // number of rows that count as lost, since they chose λ and the kernel
	step    func() error
	see     func() error // makes l see its rows

	weights []float64 // of rows, as a user knows them; nil: 1
	alike   bool      // they are 1, whatever the weights in the fit
	noise   []float64 // known noise variance of each row in units of σ²; else nil

	fitted []float64     // weights of rows in the fit; nil: 1
	ratio  float64       // weight of all rows of the fit over that of these rows
	left   []float64     // r(x) of rows, if intervals include the variance
	group  []int         // the first row of each row's copies, or of its group
	inside map[int][]int // the rows of each group of more than one, by the first

	errors, squares blas64.General // of rows that are left out, and the variance of the function there in units of σ²
}

// newCalibrator returns the calibrator of a fit, or nil if it is to have no intervals.
func newCalibrator(a *Accumulator, c *choice, o *Options) *calibrator {
	r := &calibrator{a: a, targets: a.targets, l: c.left, asked: o.Intervals != nil, lost: linear.Of(o).Lost, step: c.step}
	r.see = r.sweep
	if o.Lambda == 0 {
		r.lost += lostForLambda
	}
	if r.asked {
		r.options = *o.Intervals
	}
	if r.options.Off || o.labels {
		return nil
	}
	if n := len(a.kept.rows); n > 0 && c.left != nil && n < c.left.n {
		x, y, weights := a.kept.data(a.in, a.targets)
		r.given = true
		r.l = newLeftOut(c, a, newMemoryRows(x, y, weights), total(weights, n))
	}
	if left := linear.Of(o).LeftOut; left != nil {
		n, _ := left.X.Dims()
		r.given, r.options.Groups, r.alike = true, left.Groups, left.Alike
		r.l = newLeftOut(c, a, newMemoryRows(left.X, left.Y, left.Weights), total(left.Weights, n))
	}
	if every, _ := r.most(); r.l != nil && r.l.own == nil && r.options.Groups == nil && r.l.n <= every && !r.given {
		r.l.seen = newSeen(r.l.n, a.targets, a.targets)
	}
	return r
}

// known gives the calibrator the noise variances of rows, and their weights as a user knows them, nil if they are 1.
func (c *calibrator) known(variances, weights []float64) {
	c.weights, c.noise = weights, make([]float64, len(variances))
	for i, s := range variances {
		c.noise[i] = s / max(c.m.noise[0], math.SmallestNonzeroFloat64)
	}
}

// run sets the intervals of the model, or the reason why it has no intervals.
func (c *calibrator) run() error {
	why, err := c.find()
	if err != nil || why == "" {
		return err
	}
	return c.none(why)
}

// none sets the reason why a model has no intervals, which is an error if they were asked for.
func (c *calibrator) none(why string) error {
	if c.asked {
		return fmt.Errorf("ridge: Intervals: %s", why)
	}
	c.m.intervals = &intervals{why: why}
	return nil
}

// find finds the intervals.
func (c *calibrator) find() (why string, err error) {
	if c.l == nil {
		return fmt.Sprintf("no rows were kept to leave out, or fewer than %d of more", leastKept), nil
	}
	if _, some := c.most(); some < min(leastOfMany, c.l.n) {
		return fmt.Sprintf("%d targets: must be at most %d", c.targets, mostErrors/leastOfMany), nil
	}
	if err := c.choose(); err != nil {
		return "", err
	}
	if err := c.look(); err != nil {
		return "", err
	}
	counts := func(i int) bool { return c.weight(i) > 0 && c.fit(i) > 0 }
	judges := slices.DeleteFunc(c.l.judging(c.l.judges()), func(i int) bool { return !counts(i) })
	if why := c.tooFew(judges); why != "" {
		return why, nil
	}
	if err := c.see(); err != nil {
		return "", err
	}
	if err := c.leaveOut(); err == errAlone {
		return err.Error(), nil
	} else if err != nil {
		return "", err
	}
	linear.Of(c.m).LeftOutMSE = c.meanSquares(judges)
	v := &intervals{rows: len(judges), noVariance: c.options.NoVariance, scores: make([]conformal.Scores, c.m.targets())}
	differs, err := c.differs(v, judges)
	if err != nil {
		return "", err
	}
	c.score(v, judges, differs)
	c.m.intervals = v.of(c.m)
	return "", nil
}

// meanSquares returns the mean squared errors of rows that were left out.
func (c *calibrator) meanSquares(index []int) []float64 {
	squares := make([]float64, c.m.targets())
	var total float64
	for _, i := range index {
		total += c.weight(i)
		for t, e := range vector(c.errors, i) {
			squares[t] = math.FMA(c.weight(i)*e, e, squares[t])
		}
	}
	for t := range squares {
		squares[t] /= total
	}
	return squares
}

// most returns the largest numbers of rows to use: if λ was judged by all rows, and if not.
func (c *calibrator) most() (every, some int) {
	within := mostErrors / c.targets
	return min(everyRow, within), min(mostCalibrated, within)
}

// choose takes some of the rows, unless λ was judged by all of them, or they are few. It takes whole groups.
func (c *calibrator) choose() error {
	n := c.l.n
	every, most := c.most()
	switch {
	case n <= most, n <= every && (c.given || c.options.Groups != nil || c.l.seen.whole() || c.l.own != nil):
		return nil
	}
	index := subset.Rows(n, most)
	if c.options.Groups != nil {
		index = someGroups(c.options.Groups, most)
		groups := make([]int, len(index))
		for k, i := range index {
			groups[k] = c.options.Groups[i]
		}
		c.options.Groups = groups
	}
	p, err := c.l.rows.gather(index)
	if err != nil {
		return err
	}
	y := mat.NewDense(p.y.Rows, p.y.Cols, nil)
	for i := range p.y.Rows {
		y.SetRow(i, vector(p.y, i))
	}
	marks, copies := c.l.marks, c.l.copies
	c.l = c.l.with(newMemoryRows(p.x, y, p.weights), total(p.weights, len(index)))
	if c.l.index = index; marks != nil {
		c.l.marks = make([]bool, len(index))
		for k, i := range index {
			c.l.marks[k] = marks[i]
		}
		c.l.marked = count(c.l.marks)
	}
	if copies != nil && copies.dropped {
		c.l.copies = &groupsOfCopies{dropped: true}
		for _, i := range index {
			c.l.copies.times = append(c.l.copies.times, copies.times[i])
		}
	}
	for _, v := range []*[]float64{&c.weights, &c.noise} {
		if *v != nil {
			some := make([]float64, len(index))
			for k, i := range index {
				some[k] = (*v)[i]
			}
			*v = some
		}
	}
	return nil
}

// someGroups returns the rows of some groups in their order, at least most rows, unless there are fewer.
func someGroups(groups []int, most int) (index []int) {
	members := make(map[int][]int)
	var numbers []int
	for i, g := range groups {
		if members[g] == nil {
			numbers = append(numbers, g)
		}
		members[g] = append(members[g], i)
	}
	for _, k := range subset.Shuffled(len(numbers)) {
		if index = append(index, members[numbers[k]]...); len(index) >= most {
			break
		}
	}
	slices.Sort(index)
	return index
}

// sweep sees all rows, unless they have been seen, or are left out by groups.
func (c *calibrator) sweep() error {
	if c.options.Groups != nil || c.l.seen.whole() {
		return nil
	}
	if c.l.own != nil {
		c.l.seen = c.l.own.see(c.l, c.all)
		return nil
	}
	c.l.seen = newSeen(c.l.n, c.m.targets(), len(c.all))
	return c.l.sweep(c.all, c.step, func(lo, k int, _ *someRows, r blas64.General, leverages []float64) {
		c.l.seen.add(lo, k, c.all[k].targets, r, leverages)
	})
}

// fit returns the weight of a row in the fit.
func (c *calibrator) fit(i int) float64 {
	if c.fitted == nil {
		return 1
	}
	return c.fitted[i]
}

// weight returns the weight of a row.
func (c *calibrator) weight(i int) float64 {
	if c.weights == nil {
		return 1
	}
	return c.weights[i]
}

// look reads the rows: their weights, what the map misses of k(x, x), and which rows are copies, targets included, or of
// one group.
func (c *calibrator) look() error {
	n := c.l.n
	c.left, c.group = make([]float64, n), make([]int, n)
	sums, targets := make(map[uint64]int, n), make([]uint64, n)
	leaves := !c.options.NoVariance && (linear.LandmarksOf(c.m.phi) != nil || linear.DomainOf(c.m.phi) != nil)
	var reader rows.Reader
	var features mat.Dense
	var total float64
	var known lefts
	if c.a != nil {
		known = c.a.lefts
	}
	err := c.l.rows.each(c.l.chunk(), func(lo int, p part) error {
		c.weigh(lo, p)
		reader.Reset(p.x)
		points := make([]uint64, p.y.Rows)
		for i := range points {
			points[i] = reader.Checksum(i)
			if total += c.fit(lo + i); c.options.Groups == nil {
				c.join(sums, points[i], lo+i)
				targets[lo+i] = copied.Checksum(vector(p.y, i))
			}
		}
		if left := c.left[lo:][:p.y.Rows]; leaves && !known.of(left, points) {
			clear(left)
			features.Reset()
			c.m.phi.TransformTo(&features, p.x)
			c.m.remainders(left, p.x, features.RawMatrix())
		}
		return c.step()
	})
	if c.options.Groups == nil {
		c.part(targets)
	}
	for i, g := range c.options.Groups {
		c.join(sums, uint64(g), i)
	}
	if c.ratio = c.l.e.Weight / total; c.noise == nil && !c.alike {
		c.weights = c.fitted
	}
	return err
}

// weigh adds the weights of a part, from row lo on. Parts whose weights are all 1 have none.
func (c *calibrator) weigh(lo int, p part) {
	if p.weights == nil && c.fitted == nil {
		return
	}
	if c.fitted == nil {
		c.fitted = slices.Repeat([]float64{1}, lo)
	}
	if p.weights == nil {
		c.fitted = append(c.fitted, slices.Repeat([]float64{1}, p.y.Rows)...)
	}
	c.fitted = append(c.fitted, p.weights...)
}

// join adds a row to the group of a key.
func (c *calibrator) join(groups map[uint64]int, key uint64, i int) {
	first, ok := groups[key]
	if !ok {
		groups[key], c.group[i] = i, i
		return
	}
	if c.inside == nil {
		c.inside = make(map[int][]int)
	}
	if c.inside[first] == nil {
		c.inside[first] = []int{first}
	}
	c.group[i] = first
	c.inside[first] = append(c.inside[first], i)
}

// part takes groups apart whose rows have other targets, given checksums of these: they are observations at one point, as
// a new row may be, and no copies.
func (c *calibrator) part(targets []uint64) {
	for first, members := range c.inside {
		if slices.ContainsFunc(members, func(i int) bool { return targets[i] != targets[first] }) {
			for _, i := range members {
				c.group[i] = i
			}
			delete(c.inside, first)
		}
	}
}

// eachGroup calls do with the rows of each group that count, until it returns an error. If inside does not contain a
// group, it is a single row.
func (c *calibrator) eachGroup(do func(members []int) error) error {
	one := make([]int, 1)
	for first, g := range c.group {
		if g != first {
			continue
		}
		members := c.inside[first]
		if members == nil {
			one[0] = first
			members = one
		}
		members = slices.DeleteFunc(slices.Clone(members), func(i int) bool { return !(c.fit(i) > 0) })
		if len(members) == 0 {
			continue
		}
		if err := do(members); err != nil {
			return err
		}
	}
	return nil
}

// tooFew returns the reason why rows are too few; "" if they are not.
func (c *calibrator) tooFew(index []int) string {
	var total float64
	groups := make(map[int]bool)
	for _, i := range index {
		total += c.weight(i)
		groups[c.group[i]] = true
	}
	switch {
	case !(total >= leastWeight):
		return fmt.Sprintf("the rows to leave out weigh %.3g: must weigh at least %d", total, leastWeight)
	case c.options.Groups != nil && len(groups) < leastGroups:
		return fmt.Sprintf("Groups has %d groups: must be at least %d", len(groups), leastGroups)
	}
	return ""
}

// lostForLambda is the number of rows that count as lost if the rows chose λ, as measured: they are predicted too well.
const lostForLambda = 4

// widening returns the factor of scores, n over n minus the lost rows, where n is the weight of the rows, or the number
// of groups.
func (c *calibrator) widening(index []int) float64 {
	var n float64
	groups := make(map[int]bool)
	for _, i := range index {
		n += c.weight(i)
		groups[c.group[i]] = true
	}
	if c.options.Groups != nil {
		n = float64(len(groups))
	}
	return n / (n - c.lost)
}
