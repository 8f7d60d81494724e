// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"slices"
	"sort"

	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
)

// How many sampled features of a skeleton fit in a number of columns.

// fitter finds a number of samples of a skeleton's features that fits in a number of columns. Equal samples
// are merged, so the number of columns that samples take is random. The fitter counts columns of samples from
// its own random stream, because a map would be biased if its own samples decided their number. It samples no
// weights.
type fitter struct {
	graph   *graph.Graph
	perDraw int // the largest number of columns of a sample

	generator *graph.Generator
	s         random.Sampler
	drawn     *graph.DrawnFeatures
	single    int          // the number of samples with one column that are equal to no others,
	double    int          // and of such samples with two columns
	seen      int          // the number of samples so far
	columns   int          // the number of columns of these samples
	curve     []curvePoint // the numbers of columns after numbers of samples that are about one percent apart
	most      int          // the largest number of samples to take
}

type curvePoint struct{ draws, columns int }

const (
	// chernoff takes seenPerDraw times graph.MostPerColumn samples for each column, up to samples with mostSeen base
	// features in all.
	seenPerDraw = 32
	mostSeen    = 1 << 20

	// mostClasses is the largest number of different features for which chernoff and support are used.
	mostClasses = 1 << 11

	// overflow is the probability with which samples that are sure to fit may still take more columns.
	overflow = 1e-9
)

func newFitter(g *graph.Graph, seeded random.New) (*fitter, error) {
	f := &fitter{graph: g, perDraw: 1, s: seeded(2)}
	var err error
	if f.generator, err = graph.NewGenerator(g); err != nil {
		return nil, err
	}
	for _, n := range f.generator.Nodes {
		if n.Base != nil && n.Base.Complex() {
			f.perDraw = 2
		}
	}
	f.drawn = &graph.DrawnFeatures{Alphabet: &f.generator.Alphabet, Start: []uint32{0}}
	f.most = int(mostSeen / max(g.Complexity(), 1))
	return f, nil
}

// draws returns a number of samples that is sure to fit in out columns. It is at least the number that fits even
// if no samples are merged, and at most graph.MostPerColumn per column.
func (f *fitter) draws(out int) int {
	low, high := max(out/f.perDraw, 1), int(min(graph.MostPerColumn*float64(out), graph.MaxDraws))
	if out == 1 {
		return 1 // several samples are not sure to be equal
	}
	if n, ok := f.support(out); ok && n <= out || f.fits(high, out) {
		return high
	}
	// fits is true up to some number of samples, except for randomness in the counts.
	n := sort.Search(steps(low, high), func(i int) bool { return !f.fits(step(low, i+1), out) })
	return min(step(low, n), high)
}

// step returns number i of a sequence that starts with low and grows by one percent. steps returns how many
// numbers of the sequence there are up to high.
func step(low, i int) int     { return int(float64(low) * math.Pow(1.01, float64(i))) }
func steps(low, high int) int { return int(math.Log(float64(high)/float64(low)) / math.Log(1.01)) }

// fits reports whether a number of samples is sure to fit in out columns.
func (f *fitter) fits(draws, out int) bool {
	f.look(2 * draws)
	columns := f.at(draws)
	if columns > out {
		return false
	}
	if 2*draws <= f.seen && f.bennett(draws, columns, out) {
		return true
	}
	// chernoff is for streams that have shown nearly all features: twice the samples bring few new
	// columns.
	return f.at(2*draws)-columns <= columns/4 && f.chernoff(draws, out)
}

// bennett reports whether a number of samples is sure to take at most out columns. It uses the numbers of
// columns that the fixed stream has after this number of samples and after twice as many.
//
// With P the probability that a feature of w columns is among the samples, the variance of the number of
// columns is at most Σ w²P(1 − P), because indicators of different features are negatively associated
// (Dubhashi and Ranjan 1998). Σ wP(1 − P) is the mean growth when the number of samples is doubled. The
// number is compared with the stream's own, so the variance counts twice. Then Bennett's inequality
// (1962) is used, for steps of two columns.
func (f *fitter) bennett(draws, columns, out int) bool {
	const least = 3 // the least growth to assume, even if none was seen
	growth := math.Max(float64(f.at(2*draws)-columns), least)
	b := float64(f.perDraw)
	v, margin := 2*b*growth, float64(out-columns+1)
	u := b * margin / v
	return v/(b*b)*((1+u)*math.Log1p(u)-u) >= -math.Log(overflow)
}

// chernoff reports the same as bennett, from the counts of the features seen. Their estimated probabilities are raised
// by two standard deviations and one count, and the number of features seen once bounds the probability of all unseen
// features (Good 1953). For negatively associated indicators, the moment generating function of the number of columns
// is at most the product of theirs.
func (f *fitter) chernoff(draws, out int) bool {
	if f.drawn.Len() > mostClasses {
		return false // too many, and perhaps infinitely many
	}
	f.look(seenPerDraw * graph.MostPerColumn * out)
	n, q := float64(f.seen), float64(draws)
	raised := func(count float64) float64 { return min((count+2*math.Sqrt(count)+1)/n, 1) }
	once := 0.0
	for _, c := range f.drawn.Counts {
		if c == 1 {
			once++
		}
	}
	unseen := (once + 2*math.Sqrt(-once*math.Log(overflow)) - 2*math.Log(overflow)) / n
	if f.drawn.Len() == 0 {
		unseen = 0
	}
	for theta := 0.05; theta < 12; theta *= 1.3 {
		e1, e2 := math.Expm1(theta), math.Expm1(2*theta)
		log := q*unseen*e2 - theta*float64(out+1)
		if f.single > 0 {
			log += q * math.Log1p(raised(float64(f.single))*e1)
		}
		if f.double > 0 {
			log += q * math.Log1p(raised(float64(f.double))*e2)
		}
		for i, c := range f.drawn.Counts {
			p := -math.Expm1(q * math.Log1p(-raised(float64(c))))
			if f.drawn.Reals[i] {
				log += math.Log1p(p * e1)
			} else {
				log += math.Log1p(p * e2)
			}
		}
		if log <= math.Log(overflow) {
			return true
		}
	}
	return false
}

// at returns the number of columns after a number of samples, or after the next larger number on the
// curve.
func (f *fitter) at(draws int) int {
	i := sort.Search(len(f.curve), func(i int) bool { return f.curve[i].draws >= draws })
	if i == len(f.curve) {
		return f.columns
	}
	return f.curve[i].columns
}

// look samples until the given number of samples, or f.most, is reached.
func (f *fitter) look(draws int) {
	var seen graph.Feature
	seen.Counting = true
	for ; f.seen < min(draws, f.most); f.seen++ {
		seen.Reset()
		f.generator.Draw(&seen, f.s)
		isReal := f.drawn.Alphabet.Normalize(&seen) && seen.Phases == nil
		columns := 2
		if isReal {
			columns = 1
		}
		before := f.drawn.Len()
		switch {
		case seen.Discrete():
			if f.drawn.Merge(seen.Atoms, isReal); f.drawn.Len() == before {
				columns = 0
			}
		case columns == 1:
			f.single++
		default:
			f.double++
		}
		f.columns += columns
		if last := len(f.curve); last == 0 || f.seen+1 >= f.curve[last-1].draws+max(f.curve[last-1].draws/100, 1) {
			f.curve = append(f.curve, curvePoint{f.seen + 1, f.columns})
		}
	}
}

// support returns the number of columns of all possible features. ok is false if it is not known or larger than
// most.
func (f *fitter) support(most int) (columns int, ok bool) {
	if most > mostClasses {
		return 0, false
	}
	a := f.drawn.Alphabet
	sets := make([]graph.FeatureSet, len(f.graph.Nodes))
	for i, n := range f.graph.Nodes {
		g := &f.generator.Nodes[i]
		switch {
		case n.Base != nil:
			sets[i], ok = g.Base.Support(most)
		case n.Series == nil:
			sets[i], ok = [][]graph.Atom{nil}, true
			for _, c := range n.Children {
				if ok {
					sets[i], ok = a.Products(sets[i], sets[c], most)
				}
			}
		default:
			var children graph.FeatureSet
			for j, c := range n.Children {
				if q := f.graph.Chances[i]; q == nil || q[j] > 0 {
					children = append(children, sets[c]...)
				}
			}
			sets[i], ok = a.Powers(children, n.Series, most)
		}
		if !ok {
			return 0, false
		}
	}
	for _, atoms := range sets[len(sets)-1] {
		copied := graph.Feature{Atoms: slices.Clone(atoms)}
		if a.Normalize(&copied) {
			columns++
		} else {
			columns += 2
		}
	}
	return columns, columns <= most
}
