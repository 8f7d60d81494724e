// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Limits for many classes. A pass of logistic regression takes time in proportion to rows times classes.

package learn

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

const (
	numbersPerWeight = 32   // of memory of a logistic regression, for each class and feature: see logistic.Options.Memory
	leastOfClasses   = 64   // features, however many classes
	pilotWork        = 2e10 // rows times features times classes, over all passes of a validation fit, at most
	fewWork          = 4e9  // the same if validation fits use some of the classes
	fitWork          = 1e11 // the same for the final fits, if validation fits use some of the classes
	fitPasses        = 300  // of a descent of a final fit, at most
	leastPasses      = 8    // of a descent, however many rows there are
)

// pilotLabels bounds rows times classes in validation fits, over all folds: a pass over 512 features then takes 2e9
// operations. If there are more, validation fits use some of the classes and a quarter of the bound, since passes, and
// their number, grow with the classes. Tests use a smaller value.
var pilotLabels = 1e6

// fewLabels bounds rows times classes if validation fits use some of the classes.
func fewLabels() float64 { return pilotLabels / 4 }

// mostWidth returns the default bound on the number of features: a logistic regression with more would take more than
// 240 MB.
func (s *study) mostWidth() int { return max(mostElements/(numbersPerWeight*s.count), leastOfClasses) }

// passesOf returns the number of passes that a descent may take, at most most, so that rows times features times
// classes over all passes is at most work.
func passesOf(work float64, most, rows int, phi featuremap.FeatureMap, classes int) int {
	_, features := phi.Dims()
	return min(most, max(leastPasses, int(work/(float64(rows)*float64(features)*float64(classes)))))
}

// exploreClasses is explore for all classes, or for some if there are many.
func (s *study) exploreClasses() (*pilot, error) {
	few := s.withClasses(s.pilotClasses())
	p, err := few.explore()
	s.factor, s.judged, s.chance, s.stopped = few.factor, few.judged, few.chance, few.stopped
	if err == nil && few != s {
		s.lambda = p.factor * p.lambdas[0]
	}
	return p, err
}

// pilotClasses returns the classes that validation fits use, ascending; nil: all. Each has two rows, so that one judges
// a fit of the other. Of n rows and K classes it takes k such that min(10,000, n·k/K)·k is at most fewLabels.
func (s *study) pilotClasses() (classes []int) {
	n, count := float64(len(s.rest)), float64(s.count)
	if min(n, pilotRows)*count <= pilotLabels {
		return nil
	}
	most := int(max(fewLabels()/pilotRows, math.Sqrt(fewLabels()*count/n)))
	rows := make([]int, s.count)
	for _, i := range s.rest {
		rows[s.classes[i]]++
	}
	var enough []int
	for c, n := range rows {
		if n > 1 {
			enough = append(enough, c)
		}
	}
	if most >= s.count || len(enough) < 2 {
		return nil
	}
	for _, k := range subset.Rows(len(enough), most) {
		classes = append(classes, enough[k])
	}
	return classes
}

// withClasses returns the study of the rows of some classes, which get new numbers; s itself for nil.
func (s *study) withClasses(classes []int) *study {
	if classes == nil {
		return s
	}
	s.note("columns", fmt.Sprintf("kernel, features and λ are chosen by the rows of %d classes", len(classes)), true)
	few, number := *s, make([]int, s.count) // from 1 on, for classes that are taken
	for k, c := range classes {
		number[c] = k + 1
	}
	few.some, few.count, few.rest, few.classes = true, len(classes), nil, make([]int, s.rows)
	for _, i := range s.rest {
		if k := number[s.classes[i]]; k > 0 {
			few.rest, few.classes[i] = append(few.rest, i), k-1
		}
	}
	return &few
}
