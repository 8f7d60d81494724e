// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package radial knows the distributions of the lengths √(τ·χ²_d) of the frequencies of radial kernels. It also
// predicts what is gained if each of many frequencies has its length in a different one of as many equally likely
// intervals. Quantiles have the same bits on every machine.
package radial

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// Part is a distribution of τ, with the probability P in a mixture: Scale·g to the Power, with g a Gamma variate of the
// given Shape, and at most Most.
type Part struct {
	P, Scale, Shape float64
	Power           int     // 0: τ is Scale; otherwise 1 or −1
	Most            float64 // +Inf if there is no limit
}

// Fixed is the Part of a τ that is constant.
func Fixed(p, tau float64) Part { return Part{P: p, Scale: tau, Most: math.Inf(1)} }

// Law is the distribution of r = √(τ·χ²_d): a table of log r² by the logit of its distribution function, which is
// nearly linear in the tails, with derivatives, for cubic interpolation. Its relative error is below 1e-6.
type Law struct {
	zero                 float64   // the probability that r = 0
	logits, logs, slopes []float64 // in ascending order
}

// tail is the logarithm of the ratio of densities beyond which a distribution is cut off: e⁻⁴².
const tail = -42

// recentLaws holds the laws that were asked for last, the latest first. A law takes some milliseconds, and all maps of a
// kernel share it. Laws with large tables are not kept.
var recentLaws struct {
	sync.Mutex
	laws [16]struct {
		d     float64
		parts []Part
		law   *Law
	}
}

// NewLaw returns the distribution for a real d > 0 and a τ that is a mixture of parts, whose probabilities
// add up to 1.
func NewLaw(d float64, parts []Part) *Law {
	const mostKept = 1 << 12 // cells
	recent := &recentLaws
	recent.Lock()
	for at, found := range recent.laws {
		if found.law != nil && found.d == d && slices.Equal(found.parts, parts) {
			copy(recent.laws[1:at+1], recent.laws[:at])
			recent.laws[0] = found
			recent.Unlock()
			return found.law
		}
	}
	recent.Unlock()
	l := newLaw(d, parts)
	if len(l.logits)+len(parts) <= mostKept {
		recent.Lock()
		copy(recent.laws[1:], recent.laws[:])
		recent.laws[0].d, recent.laws[0].parts, recent.laws[0].law = d, slices.Clone(parts), l
		recent.Unlock()
	}
	return l
}

func newLaw(d float64, parts []Part) *Law {
	l := &Law{}
	chi := newBell(d / 2)
	width := chi.width
	var nodes []node
	spread := math.Inf(1)
	for _, p := range parts {
		if p.P == 0 {
			continue
		}
		if p.Scale == 0 {
			l.zero += p.P
			continue
		}
		nodes = append(nodes, p.nodes(width)...)
		if p.Power == 0 {
			spread = 0
		} else {
			spread = min(spread, newBell(p.Shape).width)
		}
	}
	if nodes == nil {
		return l
	}
	slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(a.log, b.log) })
	step := math.Sqrt(float64(width*width)+float64(spread*spread)) / perWidth
	middle := detmath.Log(d)
	low, high := nodes[0].log+middle+chi.low, nodes[len(nodes)-1].log+middle+chi.high
	cells := int(min((high-low)/step, mostCells)) + 1
	l.fill(low, (high-low)/float64(cells), cells, func(w float64) float64 { return density(w-middle, chi, nodes) }, d/2)
	return l
}

// Size returns how many cells the table of NewLaw has, and at most about how many multiply-adds it takes.
func Size(d float64, parts []Part) (cells, work float64) {
	const addend = 40 // for a density
	chi := newBell(d / 2)
	low, high, spread, nodes := math.Inf(1), math.Inf(-1), math.Inf(1), 0.0 // nodes are added up for a density
	for _, p := range parts {
		if !(p.P > 0 && p.Scale > 0) {
			continue
		}
		least, most, width := 0.0, 0.0, 0.0 // of log g
		if p.Power != 0 {
			b := newBell(p.Shape)
			least, most, width = max(b.low, -longest)+math.Log(p.Shape), b.high+math.Log(p.Shape), b.width
			nodes += min(min(chi.high-chi.low, most-least)/(0.45*min(chi.width, width)), mostNodes)
		}
		log, power := math.Log(p.Scale), float64(p.Power)
		low, high = min(low, log+power*least, log+power*most), max(high, log+power*least, log+power*most)
		spread = min(spread, width)
		nodes++
	}
	if nodes > 0 {
		cells = min((high-low+chi.high-chi.low)*perWidth/math.Hypot(chi.width, spread)+1, mostCells)
	}
	return cells, 4 * addend * nodes * cells
}

// A table has perWidth cells for the width of a density, and at most mostCells. A distribution has at most mostNodes
// nodes, within e^±longest; these replace smaller and larger τ.
const (
	perWidth  = 12
	mostCells = 1 << 16
	mostNodes = 1 << 15
	longest   = 120
)

// fill makes the table from a density of log r², by Gauss's rule with four points in each cell. Masses are added up
// from both ends, so that both tails keep their digits. Below the first cell the density is a power r^(2·power).
func (l *Law) fill(low, step float64, cells int, density func(w float64) float64, power float64) {
	at := [...]float64{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526}
	weights := [...]float64{0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538}
	mass := make([]float64, cells)
	for i := range mass {
		center := low + float64(step*(float64(i)+0.5))
		for k, x := range at {
			mass[i] += float64(float64(0.5*step*weights[k]) * density(center+float64(0.5*step*x)))
		}
	}
	below, above := make([]float64, cells+1), make([]float64, cells+1)
	below[0] = density(low) / power
	for i, m := range mass {
		below[i+1] = below[i] + m
	}
	for i := cells - 1; i >= 0; i-- {
		above[i] = above[i+1] + mass[i]
	}
	for i := range cells {
		if below[i] <= 0 || above[i] <= 0 {
			continue
		}
		w := low + float64(step*float64(i))
		logit := detmath.Log(below[i] / above[i])
		if n := len(l.logits); n > 0 && !(logit > l.logits[n-1]+1e-12) {
			continue // between two parts that are far from each other
		}
		total := below[i] + above[i]
		l.logits, l.logs = append(l.logits, logit), append(l.logs, w)
		l.slopes = append(l.slopes, below[i]/total*above[i]/density(w))
	}
	l.limitSlopes()
}

// limitSlopes makes the interpolation monotone (Fritsch and Carlson 1980): a slope is at most three times the slopes of
// the chords.
func (l *Law) limitSlopes() {
	for i := range l.slopes {
		for _, k := range []int{i - 1, i} {
			if k >= 0 && k+1 < len(l.logits) {
				chord := (l.logs[k+1] - l.logs[k]) / (l.logits[k+1] - l.logits[k])
				l.slopes[i] = min(l.slopes[i], 3*chord)
			}
		}
	}
}

// Square returns the square of the u-quantile, 0 < u < 1.
func (l *Law) Square(u float64) float64 {
	if u <= l.zero || l.logits == nil {
		return 0
	}
	rest := 1 - u
	return detmath.Exp(l.log(detmath.Log((u - l.zero) / rest)))
}

// Quantile returns the u-quantile, 0 < u < 1.
func (l *Law) Quantile(u float64) float64 { return math.Sqrt(l.Square(u)) }

// log returns log r² at a logit.
func (l *Law) log(logit float64) float64 {
	n := len(l.logits)
	i := sort.SearchFloat64s(l.logits, logit)
	switch i {
	case 0:
		return l.logs[0] + float64(l.slopes[0]*(logit-l.logits[0]))
	case n:
		return l.logs[n-1] + float64(l.slopes[n-1]*(logit-l.logits[n-1]))
	}
	h := l.logits[i] - l.logits[i-1]
	t := (logit - l.logits[i-1]) / h
	rise := l.logs[i] - l.logs[i-1]
	a, b := float64(h*l.slopes[i-1])-rise, rise-float64(h*l.slopes[i])
	// Hermite's cubic: the chord, plus t(1 − t)(a(1 − t) + bt).
	return l.logs[i-1] + float64(t*rise) + float64(float64(t*(1-t))*(float64(a*(1-t))+float64(b*t)))
}

// A bell is the density of the logarithm of a Gamma variate over its shape, e^{shape·(δ − e^δ + 1)} except for a factor.
type bell struct {
	shape, width float64
	low, high    float64 // where it is e^tail
}

func newBell(shape float64) bell {
	b := bell{shape: shape, width: min(1, 1/math.Sqrt(shape))}
	edge := func(side float64) float64 {
		inside, outside := 0.0, side
		for b.log(outside) > tail {
			outside *= 2
		}
		for range 40 {
			if middle := 0.5 * (inside + outside); b.log(middle) > tail {
				inside = middle
			} else {
				outside = middle
			}
		}
		return outside
	}
	b.low, b.high = edge(-1), edge(1)
	return b
}

func (b bell) log(delta float64) float64 { return b.shape * (delta - detmath.Exp(delta) + 1) }

func (b bell) at(delta float64) float64 { return detmath.Exp(b.log(delta)) }

// A node is a value of log τ and its probability.
type node struct{ log, p float64 }

// nodes returns nodes of the trapezoidal rule for log g, which converges exponentially, for means of functions with
// this width or more.
func (p Part) nodes(width float64) (nodes []node) {
	log := detmath.Log(p.Scale)
	if p.Power == 0 {
		return []node{{log, p.P}}
	}
	b := newBell(p.Shape)
	low, high := max(b.low, -longest), b.high
	steps := min((high-low)/(0.45*min(width, b.width)), mostNodes) + 1
	h := (high - low) / math.Floor(steps)
	limit := detmath.Log(p.Most)
	sum := 0.0
	for i := range int(steps) + 1 {
		delta := low + float64(h*float64(i))
		n := node{log + float64(float64(p.Power)*(delta+detmath.Log(p.Shape))), b.at(delta)}
		if i == 0 { // with everything that is cut off
			n.p += detmath.Exp(float64(p.Shape*(low+1))) / float64(p.Shape*h)
		}
		n.log = min(n.log, limit)
		nodes = append(nodes, n)
		sum += n.p
	}
	for i := range nodes {
		nodes[i].p *= p.P / sum
	}
	return nodes
}

// density returns the density at w of the sum of log τ and a variate with the density chi, except for a factor.
func density(w float64, chi bell, nodes []node) (sum float64) {
	first := sort.Search(len(nodes), func(i int) bool { return w-nodes[i].log <= chi.high })
	for _, n := range nodes[first:] {
		delta := w - n.log
		if delta < chi.low {
			break
		}
		sum += float64(n.p * chi.at(delta))
	}
	return sum
}
