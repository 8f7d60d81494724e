// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Many classes: a pass of a logistic regression takes rows times classes, and both grow together where each class has some rows.

package learn

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

const (
	numbersPerWeight = 32        // of a logistic regression, for each class and feature: see logistic.Options.Memory
	leastOfClasses   = 64        // features, however many classes
	pilotLabels      = 1_000_000 // rows times classes of pilots, in all folds, at most: a pass over 512 features takes 2e9 operations then
)

// mostWidth returns the most features by default: of more a logistic regression would take more than a part of rows may, 240 MB.
func (s *study) mostWidth() int { return max(mostElements/(numbersPerWeight*s.count), leastOfClasses) }

// exploreClasses is explore, of all rows of as many classes as keep to pilotLabels.
func (s *study) exploreClasses() (*pilot, error) {
	few := s.withClasses(s.pilotClasses())
	p, err := few.explore()
	s.factor, s.judged, s.chance, s.stopped = few.factor, few.judged, few.chance, few.stopped
	return p, err
}

// pilotClasses returns the numbers of the classes that pilots have, ascending; nil: all. They are of those of which two rows are there, so
// that one judges a fit of the other: of so many of n rows of K classes that min(10,000, n·k/K)·k keeps to pilotLabels.
func (s *study) pilotClasses() (classes []int) {
	n, count := float64(len(s.rest)), float64(s.count)
	if min(n, pilotRows)*count <= pilotLabels {
		return nil
	}
	most := int(max(pilotLabels/pilotRows, math.Sqrt(pilotLabels*count/n)))
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
	few.count, few.rest, few.classes = len(classes), nil, make([]int, s.rows)
	for _, i := range s.rest {
		if k := number[s.classes[i]]; k > 0 {
			few.rest, few.classes[i] = append(few.rest, i), k-1
		}
	}
	return &few
}
