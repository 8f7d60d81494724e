// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The choice of a kernel and of features of it, by what was learned and by pilot fits.

package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
)

// explore returns the pilot of the kernel and the features to take.
func (s *study) explore() (*pilot, error) {
	fit, check := s.pilotParts()
	starts, err := s.start(fit)
	if err != nil {
		return nil, err
	}
	stream := *s.sampler // what follows does not depend on whether there is a choice
	start, err := newField(s, fit, check, stream.Split()).chooseColumns(starts)
	if err != nil {
		return nil, err
	}
	stages, err := s.learnKernel(start, fit)
	if err != nil {
		return nil, err
	}
	f := newField(s, fit, check, s.sampler.Split())
	p, err := f.chooseKernel(stages)
	if err != nil {
		return nil, err
	}
	if p, err = f.chooseLength(p); err != nil {
		return nil, err
	}
	if p, err = f.chooseWay(p); err != nil || s.classes == nil {
		return p, err
	}
	return f.chooseLambda(p)
}

// chooseColumns returns the kernel to learn from.
func (f *field) chooseColumns(starts []featuremap.Kernel) (featuremap.Kernel, error) {
	if len(starts) == 1 {
		if f.Kernel == nil {
			f.note("columns", columnNames[0], true)
		}
		return starts[0], nil
	}
	var pilots []*pilot
	for i, k := range starts {
		pilots = append(pilots, &pilot{kernel: k, way: clustered, Choice: Choice{Step: "columns", Name: columnNames[i], Evidence: math.NaN()}})
	}
	p, err := f.choosePilot(nil, pilots...)
	if err != nil {
		return nil, err
	}
	f.take(p)
	return p.kernel, nil
}

// columnNames are the names of the kernels to start from.
var columnNames = []string{"divided by their standard deviations", "as they are"}

// learnedFeatures is the number of features while a kernel is learned; 0: Kernel's default. Golden files for slow machines take fewer.
var learnedFeatures = 0

// learnKernel learns from a kernel and returns the stages, those of the most evidence first. Where nothing can be learned it is the
// kernel itself.
func (s *study) learnKernel(start featuremap.Kernel, p *part) ([]Stage, error) {
	if err := s.begin("learn: given"); err != nil {
		return nil, err
	}
	learned, err := Kernel(start, p.x, p.y, s.sampler, &KernelOptions{
		Features: learnedFeatures,
		Progress: func(stage string, _ int, _ float64) error { return s.tell("learn: " + stage) },
	})
	if s.stopped != nil {
		return nil, s.stopped
	}
	if err != nil {
		s.report.Kernel = &Learned{Kernel: start, Evidence: math.NaN()}
		s.note("learn", "given", true)
		s.choose(Choice{Step: "learn", Name: "further", LeftOut: err.Error(), Evidence: math.NaN(), Score: math.NaN()})
		return []Stage{{Name: "given", Kernel: start, Evidence: math.NaN()}}, nil
	}
	s.report.Kernel = learned
	best := 0
	var stages []Stage
	for _, g := range learned.Stages {
		c := Choice{Step: "learn", Name: g.Name, Evidence: g.Evidence, Score: math.NaN(), LeftOut: g.LeftOut}
		s.choose(c)
		last := &s.report.Choices[len(s.report.Choices)-1]
		last.Seconds = g.Seconds
		if g.Kernel == nil {
			continue
		}
		if stages = append(stages, g); g.Evidence > stages[best].Evidence {
			best = len(stages) - 1
		}
	}
	for i := range s.report.Choices {
		if c := &s.report.Choices[i]; c.Step == "learn" && c.Name == stages[best].Name {
			c.Taken = true
		}
	}
	stages[0], stages[best] = stages[best], stages[0]
	return stages, nil
}

// rowsForLength is the number of rows for each column from which lengths of columns are taken in doubt, for classes: their evidence is
// that of a regression of ±1, and of fewer rows they predict worse than one length (examples/learn, digits).
const rowsForLength = 50

// chooseKernel compares the kernels of stages, the first of which is the one to take in doubt, unless it has too many lengths for the
// rows.
func (f *field) chooseKernel(stages []Stage) (*pilot, error) {
	if f.classes != nil && f.fit.rows() < rowsForLength*f.columns {
		stages = simplerFirst(stages)
	}
	var pilots []*pilot
	for _, g := range stages {
		pilots = append(pilots, &pilot{kernel: g.Kernel, way: clustered, Choice: Choice{Step: "kernel", Name: g.Name, Evidence: g.Evidence}})
	}
	p, err := f.choosePilot(nil, pilots...)
	if err != nil {
		return nil, err
	}
	f.take(p)
	return p, nil
}

// simplerFirst returns stages with those that have a length for each column, or a matrix, after the others, each in order of
// evidence.
func simplerFirst(stages []Stage) []Stage {
	many := func(g Stage) bool { return g.Name == "lengths" || g.Name == "matrix" }
	sorted := slices.Clone(stages)
	slices.SortStableFunc(sorted, func(a, b Stage) int {
		switch {
		case many(a) == many(b):
			return cmp.Compare(b.Evidence, a.Evidence)
		case many(a):
			return 1
		}
		return -1
	})
	return sorted
}

// chooseLength compares multiples of all lengths of the kernel of a pilot, if it is stationary. The evidence of few features is that
// of long ones; landmarks can do with shorter ones.
func (f *field) chooseLength(p *pilot) (*pilot, error) {
	if featuremap.StationaryOf(p.kernel) == nil {
		return p, nil
	}
	same := f.again(p, "length", "as it is")
	var others []*pilot
	for _, v := range []float64{0.35, 0.5, 0.7, 1.4} {
		k := featuremap.ARD(constants(v, f.columns), p.kernel)
		others = append(others, &pilot{kernel: k, way: p.way, Choice: Choice{Step: "length", Name: fmt.Sprintf("%v times that", v), Evidence: math.NaN()}})
	}
	best, err := f.choosePilot(same, others...)
	if err != nil {
		return nil, err
	}
	f.take(best)
	return best, nil
}

// again returns a pilot as a choice of another step.
func (f *field) again(p *pilot, step, name string) *pilot {
	same := *p
	same.Step, same.Name, same.Evidence, same.Seconds, same.at = step, name, math.NaN(), 0, len(f.report.Choices)
	f.report.Choices = append(f.report.Choices, same.Choice)
	return &same
}

// chooseWay compares ways to make features of the kernel of a pilot.
func (f *field) chooseWay(p *pilot) (*pilot, error) {
	var others []*pilot
	for _, w := range []way{drawn, planned} {
		if w == drawn && f.features >= different(f.fit.x) {
			continue // all rows are landmarks, however they are chosen
		}
		others = append(others, &pilot{kernel: p.kernel, way: w, Choice: Choice{Step: "features", Name: w.String(), Evidence: math.NaN()}})
	}
	best, err := f.choosePilot(f.again(p, "features", p.way.String()), others...)
	if err != nil {
		return nil, err
	}
	f.take(best)
	return best, nil
}

// chooseLambda compares multiples of λ of logistic regression.
func (f *field) chooseLambda(p *pilot) (*pilot, error) {
	rule := p.lambda
	same := f.again(p, "λ", fmt.Sprintf("%.3g, as package logistic has it", rule))
	best := same
	for _, factor := range []float64{0.1, 10} {
		for v := factor; v > 1e-4 && v < 1e4; v *= factor {
			q := &pilot{kernel: p.kernel, way: p.way, lambda: v * rule, Choice: Choice{Step: "λ", Name: fmt.Sprintf("%.3g times that", v), Evidence: math.NaN()}}
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
	f.factor = best.lambda / rule
	return best, nil
}
