// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Kernels that are learned from the rows of each fold, and the choice among their stages.

package learn

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// A learnedStage is the result of a stage in all folds.
type learnedStage struct {
	Choice
	kernels []featuremap.Kernel // of each fold; where a fold has skipped the stage, the kernel of the stage before
	best    int                 // the fold of most evidence that has not skipped it
}

// learnedFeatures is the number of features while a kernel is learned; 0: Kernel's default. Golden files for slow
// machines use fewer.
var learnedFeatures = 0

// learnStages learns from a kernel, from the fit rows of each fold, and returns the stages, the one of most evidence
// first. If nothing can be learned it is the kernel itself.
func (s *study) learnStages(start featuremap.Kernel, folds []fold) ([]*learnedStage, error) {
	if s.sparse {
		return s.given(start, folds, "sparse rows: one length, which pilots choose"), s.begin("learn")
	}
	var all []*Learned
	for _, o := range folds {
		if err := s.begin("learn: given"); err != nil {
			return nil, err
		}
		x, y := s.learned(o.fit)
		learned, err := learnKernel(start, x, y, s.sampler, &KernelOptions{
			Features: learnedFeatures, ties: s.ties, copies: true,
			Progress: func(stage string, _ int, _ float64) error { return s.tell("learn: " + stage) },
		})
		switch {
		case s.stopped != nil:
			return nil, s.stopped
		case err != nil:
			return s.given(start, folds, err.Error()), nil
		}
		all = append(all, learned)
	}
	stages := stagesOf(all)
	best := slices.MaxFunc(stages, byEvidence)
	for _, g := range stages {
		c := g.Choice
		c.Step, c.Taken, c.Score = "learn", g == best, math.NaN()
		s.report.choices = append(s.report.choices, c)
	}
	s.report.learning = all[best.best].loose()
	stages = slices.DeleteFunc(stages, func(g *learnedStage) bool { return g.Skipped != "" })
	slices.SortStableFunc(stages, func(a, b *learnedStage) int { return byEvidence(b, a) })
	return stages, nil
}

// given returns the stage of a kernel from which nothing is learned, and reports the reason.
func (s *study) given(start featuremap.Kernel, folds []fold, why string) []*learnedStage {
	s.report.learning = &Learned{Kernel: loose(start), LogEvidence: math.NaN()}
	s.note("learn", "given", true)
	s.choose(Choice{Step: "learn", Name: "further", Skipped: why, LogEvidence: math.NaN(), Score: math.NaN()})
	given := &learnedStage{Choice: Choice{Name: "given", LogEvidence: math.NaN()}}
	for range folds {
		given.kernels = append(given.kernels, start)
	}
	return []*learnedStage{given}
}

// mostLabels bounds the labels that a kernel is learned from, rows times classes: tables and features of Kernel hold
// them about eight times, as float64. Tests use fewer.
var mostLabels = mostElements / 8

// learned returns points and targets of some rows to learn a kernel from; for classes their labels. If there
// would be more than mostLabels, it takes as many classes as stay within it, with all their rows, which tell what rows
// of one class have in common.
func (s *study) learned(index []int) (x, y mat.Matrix) {
	p := s.part(index)
	if s.classes == nil {
		return p.x, p.y
	}
	count := s.count
	if float64(count)*float64(len(index)) > float64(mostLabels) {
		count = max(2, int(float64(count)*math.Sqrt(float64(mostLabels)/(float64(count)*float64(len(index))))))
	}
	number := make([]int, s.count) // from 1 on, for classes that are taken
	for k, c := range subset.Rows(s.count, count) {
		number[c] = k + 1
	}
	var taken, classes []int
	for i, c := range p.classes {
		if number[c] > 0 {
			taken, classes = append(taken, i), append(classes, number[c]-1)
		}
	}
	if count < s.count {
		p.x = dense(p.x, taken)
	}
	return p.x, &labels{classes, count}
}

// byEvidence compares two stages; those that were skipped have no evidence.
func byEvidence(a, b *learnedStage) int { return cmp.Compare(a.LogEvidence, b.LogEvidence) }

// stagesOf returns the stages over all folds: the evidence is the mean, and the seconds are the sum. A stage that all
// folds have skipped has no kernels.
func stagesOf(all []*Learned) (stages []*learnedStage) {
	last := make([]Stage, len(all))
	for i, first := range all[0].Stages {
		g := &learnedStage{Choice: Choice{Name: first.Name, Skipped: first.Skipped, LogEvidence: noEvidence}, best: -1}
		var sum float64
		for k, l := range all {
			stage := l.Stages[i]
			g.Seconds += stage.Seconds
			if stage.Kernel != nil {
				last[k] = stage
				if g.best < 0 || stage.LogEvidence > all[g.best].Stages[i].LogEvidence {
					g.best = k
				}
			}
			sum += last[k].LogEvidence
			g.kernels = append(g.kernels, last[k].Kernel)
		}
		if g.best >= 0 {
			g.Skipped, g.LogEvidence = "", sum/float64(len(all))
		}
		stages = append(stages, g)
	}
	return stages
}

// rowsForLength is the number of rows a column from which length scales of columns are preferred for classes. The
// evidence is that of a regression of ±1, and with fewer rows length scales of columns predict worse than one length
// scale: with 300 rows of pendigits the error rate is 1.3 times as large, with 500 of Spambase 1.2 times.
const rowsForLength = 50

// chooseKernel compares stages. In doubt it takes the first, unless that has too many length scales for the rows. Each
// fold judges the kernels that it has learned itself; the kernel of the fold with most evidence is then that of the
// pilot.
func (f *field) chooseKernel(stages []*learnedStage) (*pilot, error) {
	if f.classes != nil && f.fit.rows() < rowsForLength*f.columns {
		stages = simplerFirst(stages)
	}
	var pilots []*pilot
	for _, g := range stages {
		p := &pilot{kernel: g.kernels[g.best], kernels: g.kernels, Choice: g.Choice}
		if f.sparse {
			p.way = drawn // centers are not sparse
		}
		p.Step, p.Seconds = "kernel", 0
		pilots = append(pilots, p)
	}
	p, err := f.choosePilot(nil, pilots...)
	if err != nil {
		return nil, err
	}
	f.take(p)
	return p, nil
}

// simplerFirst returns stages with those that have a length scale for each column, or a matrix, last, each part in
// order of evidence.
func simplerFirst(stages []*learnedStage) []*learnedStage {
	many := func(g *learnedStage) bool { return g.Name == "lengths" || g.Name == "matrix" }
	sorted := slices.Clone(stages)
	slices.SortStableFunc(sorted, func(a, b *learnedStage) int {
		switch {
		case many(a) == many(b):
			return byEvidence(b, a)
		case many(a):
			return 1
		}
		return -1
	})
	return sorted
}
