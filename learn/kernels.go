// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Choice of a kernel and of its features, by what was learned and by validation fits.

package learn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// explore returns the pilot with the kernel and the features to take.
func (s *study) explore() (*pilot, error) {
	folds := s.folds()
	s.ties = s.tie()
	p, err := s.exploreRows(folds)
	if err != nil {
		return nil, err
	}
	if p, err = s.exploreLogarithms(p, folds); err != nil {
		return nil, err
	}
	if p, err = s.exploreWide(p, folds); err != nil {
		return nil, err
	}
	if p, err = s.exploreBank(p, folds); err != nil {
		return nil, err
	}
	f := newField(s, folds, s.sampler)
	s.factor, s.judged = p.factor, len(f.weights)
	if s.classes == nil {
		for _, squares := range p.squares {
			mean, _ := f.mean(squares, nil)
			s.pilotSquares = append(s.pilotSquares, mean)
		}
	} else {
		s.chance = f.chance(p)
	}
	return p, nil
}

// exploreRows is explore for the rows as they are in x.
func (s *study) exploreRows(folds []fold) (*pilot, error) {
	fit := s.part(folds[0].fit)
	starts, err := s.start(fit)
	if err != nil {
		return nil, err
	}
	stream := *s.sampler // what follows does not depend on whether there is a choice
	start, err := newField(s, folds, stream.Split()).chooseColumns(starts)
	if err != nil {
		return nil, err
	}
	stages, err := s.learnStages(start, folds)
	if err != nil {
		return nil, err
	}
	split := s.sampler.Split()
	f := newField(s, folds, split)
	p, err := f.chooseKernel(stages)
	if err != nil {
		return nil, err
	}
	if p, err = f.chooseLength(f.again(p, "length", "as it is")); err != nil {
		return nil, err
	}
	if p, err = f.chooseShape(p); err != nil {
		return nil, err
	}
	if p, err = f.chooseWay(p); err != nil {
		return nil, err
	}
	if s.classes != nil {
		if p, err = f.chooseLambda(p); err != nil {
			return nil, err
		}
	}
	p.stream, p.stages = split, stages
	return p, nil
}

// exploreWide compares kernels with as many features as the model will have, if these, and the columns, are more than
// validation fits have had. These fits take long, so they keep the choice between raw columns and logarithms.
func (s *study) exploreWide(p *pilot, folds []fold) (best *pilot, err error) {
	features := s.width(len(s.rest))
	explore := func() {
		f := newField(s, folds, p.stream)
		if best = p; s.columns > f.features && features > f.features && !s.sparse {
			f.features = features
			best, err = f.chooseWide(p)
		}
	}
	if p.scales == nil {
		explore()
	} else {
		s.inLogarithms(p.scales, explore)
	}
	return best, err
}

// chooseColumns returns the kernel to learn from.
func (f *field) chooseColumns(starts []featuremap.Kernel) (featuremap.Kernel, error) {
	if len(starts) == 1 {
		if f.Kernel == nil && !f.sparse {
			f.note("columns", columnNames[0], true)
		}
		return starts[0], nil
	}
	var pilots []*pilot
	for i, k := range starts {
		pilots = append(pilots, &pilot{kernel: k, way: clustered, Choice: Choice{Step: "columns", Name: columnNames[i], LogEvidence: math.NaN()}})
	}
	p, err := f.race(pilots...)
	if err != nil {
		return nil, err
	}
	f.take(p)
	return p.kernel, nil
}

// columnNames are the names of the kernels to start from.
var columnNames = []string{"divided by their standard deviations", "as they are"}

// Factors of length scales that are tried, in either direction, in this order until two in succession are no better
// than those before. The evidence of few features favors long length scales, and landmarks can do with shorter ones; a
// boundary without noise is best found by long ones with a small λ.
var shorter, longer = []float64{0.7, 0.5, 0.35, 0.25}, []float64{1.4, 2, 2.8, 4, 5.6, 8}

// chooseLength compares the kernel of a pilot with multiples of its length scales, if it is stationary.
func (f *field) chooseLength(same *pilot) (*pilot, error) {
	all := []*pilot{same}
	for _, multiples := range [][]float64{shorter, longer} {
		if !f.hasLength(same.kernel) {
			break
		}
		least, worse := same, 0
		for _, v := range multiples {
			if worse == 2 {
				break
			}
			q := same.with("length", fmt.Sprintf("%v times that", v), func(k featuremap.Kernel) featuremap.Kernel { return f.longer(k, v) })
			if err := f.run(q, least); err != nil {
				return nil, err
			}
			if all = append(all, q); q.Score < least.Score {
				least, worse = q, 0
			} else {
				worse++
			}
		}
	}
	best := f.best(all)
	f.take(best)
	return best, nil
}

// mostDegree is the largest degree of the polynomials that are tried for sparse rows.
const mostDegree = 4

// chooseShape compares the kernel of a pilot with products of the rows' columns, of 2, 3 and 4 each, if rows are sparse
// and no kernel was given. What texts have in common are few words, whose products a Gaussian makes only part of.
func (f *field) chooseShape(p *pilot) (*pilot, error) {
	if !f.sparse || f.Kernel != nil {
		return p, nil
	}
	gamma := 1 / f.medianSquare()
	best := f.again(p, "shape", "Gaussian")
	for degree := 2; degree <= mostDegree; degree++ {
		q := p.with("shape", fmt.Sprintf("polynomial of degree %d", degree), func(featuremap.Kernel) featuremap.Kernel {
			return featuremap.Polynomial{Degree: degree, Gamma: gamma}
		})
		next, err := f.choosePilot(best, q)
		if err != nil {
			return nil, err
		}
		if next == best {
			break
		}
		best = next
	}
	f.take(best)
	return best, nil
}

// medianSquare returns the median of the squared norms of rows to fit to that are not 0, and 1 if all are 0.
func (f *field) medianSquare() float64 {
	var reader rows.Reader
	reader.Reset(f.fit.x)
	var squares []float64
	for i := range f.fit.rows() {
		var sum float64
		for _, e := range reader.NonZeros(i) {
			sum = math.FMA(e.Value, e.Value, sum)
		}
		if sum > 0 {
			squares = append(squares, sum)
		}
	}
	if squares == nil {
		return 1
	}
	slices.Sort(squares)
	return squares[len(squares)/2]
}

// hasLength reports whether a kernel is stationary, with a length scale that is not Fixed.
func (f *field) hasLength(k featuremap.Kernel) bool {
	if _, ok := featuremap.StationaryOf(loose(k)); !ok {
		return false
	}
	if !hasFixed(k) {
		return true
	}
	terms, err := termsOf(k, f.columns)
	return err == nil && slices.ContainsFunc(terms, func(t term) bool { return t.kind == stationary })
}

// longer returns a kernel with its length scales multiplied by v, except Fixed ones. It uses ARD, which makes sparse
// rows dense, only for rows that are not sparse.
func (f *field) longer(k featuremap.Kernel, v float64) featuremap.Kernel {
	if terms, err := termsOf(k, f.columns); err == nil && hasFixed(k) {
		var sum []featuremap.Kernel
		for _, t := range terms {
			if t.kind == stationary {
				t.warp = t.warp.scaled(1 / v)
			}
			sum = append(sum, t.expression(t.scale, t.warp))
		}
		return featuremap.Sum(sum...)
	}
	if f.sparse {
		if terms, err := termsOf(k, f.columns); err == nil && len(terms) == 1 {
			return terms[0].expression(terms[0].scale, terms[0].warp.scaled(1/v))
		}
	}
	return featuremap.ARD(constants(v, f.columns), k)
}

// again returns a pilot as a choice of another step.
func (f *field) again(p *pilot, step, name string) *pilot {
	same := *p
	same.Step, same.Name, same.LogEvidence, same.Seconds, same.at = step, name, math.NaN(), 0, len(f.report.choices)
	f.report.choices = append(f.report.choices, same.Choice)
	return &same
}

// chooseWay compares ways to make features of the kernel of a pilot.
func (f *field) chooseWay(p *pilot) (*pilot, error) {
	var others []*pilot
	for _, w := range []way{drawn, planned} {
		if points, ok := f.fit.x.(*mat.Dense); !ok || w == drawn && f.features >= different(points) {
			continue // all rows are landmarks, however they are chosen; of sparse rows some are
		}
		q := p.with("features", w.String(), unchangedKernel)
		q.way = w
		others = append(others, q)
	}
	best, err := f.choosePilot(f.again(p, "features", p.way.String()), others...)
	if err != nil {
		return nil, err
	}
	f.take(best)
	return best, nil
}

// chooseWide compares the kernel of a pilot with longer length scales and with its linear limit, with as many features
// as the model will have. With fewer features than columns, as in earlier validation fits, all kernels look alike: they
// capture only some terms of a sum over columns of categories.
func (f *field) chooseWide(p *pilot) (*pilot, error) {
	pilots := []*pilot{p.with("wide", "lengths as they are", unchangedKernel)}
	if terms, err := termsOf(p.kernel, f.columns); err == nil && terms[0].kind == stationary {
		pilots = append(pilots, p.with("wide", "4 times as long", func(k featuremap.Kernel) featuremap.Kernel { return f.longer(k, 4) }))
		if !hasFixed(p.kernel) {
			linear := p.with("wide", "linear", func(k featuremap.Kernel) featuremap.Kernel {
				terms, _ := termsOf(k, f.columns) // with the terms of p.kernel, with other length scales
				return terms[0].warp.expression(featuremap.Linear{})
			})
			linear.way = planned
			pilots = append(pilots, linear)
		}
	}
	for _, q := range pilots {
		if q.way == clustered {
			q.way = drawn // so many cluster centers take long
		}
	}
	best, err := f.race(pilots...)
	if err != nil {
		return nil, err
	}
	f.take(best)
	if best.factor, best.scales, best.stages, best.stream = p.factor, p.scales, p.stages, p.stream; len(best.losses) < len(p.losses) {
		best.losses, best.squares = p.losses, p.squares // of all folds, with fewer features
	}
	return best, nil
}

// chooseLambda compares multiples of λ of logistic regression.
func (f *field) chooseLambda(p *pilot) (*pilot, error) {
	same := f.again(p, "λ", fmt.Sprintf("%.3g, as package logistic has it", p.lambdas[0]))
	same.factor = 1
	best := same
	for _, step := range []float64{0.1, 10} {
		for v := step; v > 1e-4 && v < 1e4; v *= step {
			q := p.with("λ", fmt.Sprintf("%.3g times that", v), unchangedKernel)
			q.factor, q.lambdas = v, p.lambdas
			next, err := f.choosePilot(best, q)
			if err != nil {
				return nil, err
			}
			if next == best {
				break
			}
			best = next
		}
		if best != same {
			break
		}
	}
	f.take(best)
	return best, nil
}
