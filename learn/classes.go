// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Many classes: a pass of a logistic regression takes rows times classes, and both grow together where each class has some rows.

package learn

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

const (
	numbersPerWeight = 32   // of a logistic regression, for each class and feature: see logistic.Options.Memory
	leastOfClasses   = 64   // features, however many classes
	pilotWork        = 2e10 // rows times features times classes of the passes of a descent of a pilot, at most
	fewWork          = 4e9  // the same where pilots have some of the classes
	fitWork          = 1e11 // the same of the last fits, where pilots have some of the classes
	fitPasses        = 300  // of a descent of the last fits, which ends then
	leastPasses      = 8    // of a descent, however many rows
)

// pilotLabels is how many rows times classes pilots have, in all folds, at most: a pass over 512 features takes 2e9 operations then. Of more
// they have a quarter of that, of some classes, as their passes, and numbers of these, grow with the classes. Tests take fewer.
var pilotLabels = 1e6

// fewLabels returns how many rows times classes pilots of some of the classes have.
func fewLabels() float64 { return pilotLabels / 4 }

// mostWidth returns the most features by default: of more a logistic regression would take more than a part of rows may, 240 MB.
func (s *study) mostWidth() int { return max(mostElements/(numbersPerWeight*s.count), leastOfClasses) }

// passesOf returns how many passes over some rows and features a descent may take, at most the given ones, so that rows times features times
// classes of all of them keep to work.
func passesOf(work float64, most, rows int, phi featuremap.FeatureMap, classes int) int {
	_, features := phi.Dims()
	return min(most, max(leastPasses, int(work/(float64(rows)*float64(features)*float64(classes)))))
}

// exploreClasses is explore, of all rows of all classes, or of some.
func (s *study) exploreClasses() (*pilot, error) {
	few := s.withClasses(s.pilotClasses())
	p, err := few.explore()
	s.factor, s.judged, s.chance, s.stopped = few.factor, few.judged, few.chance, few.stopped
	if err == nil && few != s {
		s.lambda = p.factor * p.lambdas[0]
	}
	return p, err
}

// pilotClasses returns the numbers of the classes that pilots have, ascending; nil: all. They are of those of which two rows are there, so
// that one judges a fit of the other: of so many of n rows of K classes that min(10,000, n·k/K)·k keeps to fewLabels.
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

// withClasses returns the study of the rows of some classes, which have new numbers; s itself for nil.
func (s *study) withClasses(classes []int) *study {
	if classes == nil {
		return s
	}
	s.note("columns", fmt.Sprintf("kernel, features and λ are chosen by the rows of %d classes", len(classes)), true)
	few, number := *s, make([]int, s.count) // from 1 on, of those that are taken
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
