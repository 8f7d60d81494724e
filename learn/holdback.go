// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Splits of the rows: test rows for the score, and folds for validation fits.

package learn

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// divide splits a list of rows at random, and holds out a share of them, of each class its share unless classes (of all
// rows) is nil. No class loses all its rows, and a row is held out if any class has two.
func divide(list, classes []int, share float64, s *featuremap.Sampler) (rest, held []int) {
	var strata []int
	if classes != nil {
		strata = make([]int, len(list))
		for k, i := range list {
			strata[k] = classes[i]
		}
	}
	rest, held = subset.Split(len(list), share, strata, s)
	left := make(map[int]bool)
	for k, at := range rest {
		rest[k] = list[at]
		if classes != nil {
			left[classes[rest[k]]] = true
		}
	}
	kept := held[:0]
	for _, at := range held {
		i := list[at]
		if classes != nil && !left[classes[i]] {
			left[classes[i]] = true
			rest = append(rest, i)
			continue
		}
		kept = append(kept, i)
	}
	slices.Sort(rest)
	if len(kept) == 0 && classes != nil { // all chosen rows are the only rows of their classes
		seen := make(map[int]bool)
		for k, i := range rest {
			if seen[classes[i]] {
				return slices.Delete(rest, k, k+1), []int{i}
			}
			seen[classes[i]] = true
		}
	}
	return rest, kept
}

// divide is the function divide, for whole groups if there are any.
func (s *study) divide(list, classes []int, share float64) (rest, held []int) {
	if s.Groups == nil {
		return divide(list, classes, share, s.sampler)
	}
	members := make(map[int][]int)
	var numbers []int
	for _, i := range list {
		g := s.Groups[i]
		if members[g] == nil {
			numbers = append(numbers, g)
		}
		members[g] = append(members[g], i)
	}
	for k := range numbers { // the first groups of a shuffle
		j := k + s.sampler.IntN(len(numbers)-k)
		numbers[k], numbers[j] = numbers[j], numbers[k]
		if k > 0 && (len(held) >= int(share*float64(len(list))) || k == len(numbers)-1) {
			rest = append(rest, members[numbers[k]]...)
		} else {
			held = append(held, members[numbers[k]]...)
		}
	}
	slices.Sort(rest)
	slices.Sort(held)
	return rest, held
}

// mergeCopies leaves out training rows that are copies of others, targets included, and adds their weights to these, if they are
// many: as in a file that was joined twice, or with a class that was copied to be more frequent. Apart, in fits and among test
// rows, they would show how well a model repeats what it has seen.
func (s *study) mergeCopies() {
	var reader rows.Reader
	reader.Reset(s.x)
	list := without(s.all, s.TestRows)
	points, targets := make([]uint64, len(list)), make([]uint64, len(list))
	var few copied.Few
	few.Note(&reader)
	var y []float64
	for k, i := range list {
		points[k] = reader.Checksum(i)
		if s.classes != nil {
			targets[k] = uint64(s.classes[i])
		} else {
			y = mat.Row(y, i, s.y)
			targets[k] = copied.Checksum(y)
		}
	}
	groups := copied.Groups(points, targets, &few, s.classes != nil, true)
	if groups == nil {
		return
	}
	first := make(map[int]int)
	for k, g := range groups {
		if g != k {
			first[list[k]] = list[g]
		}
	}
	weights := make([]float64, s.rows)
	var all []int
	for _, i := range s.all {
		if f, ok := first[i]; ok {
			weights[f] += s.weight(i)
			continue
		}
		weights[i], all = s.weight(i), append(all, i)
	}
	s.Weights, s.all = weights, all
	s.scaleWeights()
	s.note("columns", fmt.Sprintf("copies of rows, targets included, which count as one row with their weight: %d", len(first)), false)
}

// lastOf holds out the last rows of a list, a share of them, of each class its share. No class loses all its rows.
func lastOf(list, classes []int, share float64) (rest, held []int) {
	groups := make(map[int][]int)
	for _, i := range list {
		c := 0
		if classes != nil {
			c = classes[i]
		}
		groups[c] = append(groups[c], i)
	}
	for _, g := range groups { // in any order, since the rows are sorted
		last := min(max(int(share*float64(len(g))), 1), len(g)-1)
		rest, held = append(rest, g[:len(g)-last]...), append(held, g[len(g)-last:]...)
	}
	slices.Sort(rest)
	slices.Sort(held)
	return rest, held
}

// hold chooses the test rows.
func (s *study) hold(strata []int) error {
	if s.Groups == nil {
		s.mergeCopies()
	}
	if s.TestRows != nil {
		if err := s.takeTestRows(); err != nil {
			return err
		}
		return s.validateGroups()
	}
	_, held := s.divide(s.all, strata, 0.1)
	is := make([]bool, s.rows)
	for _, i := range held {
		is[i] = true
	}
	s.split(is)
	return s.validateGroups()
}

// validateGroups refuses groups with both test rows and training rows, and too few groups of training rows.
func (s *study) validateGroups() error {
	if s.Groups == nil {
		return nil
	}
	rest := make(map[int]bool)
	for _, i := range s.rest {
		rest[s.Groups[i]] = true
	}
	for _, i := range s.held {
		if rest[s.Groups[i]] {
			return fmt.Errorf("learn: TestRows has row %d of group %d, but not all rows of that group: must have whole groups", i, s.Groups[i])
		}
	}
	if n := len(rest); n < leastGroups {
		return fmt.Errorf("learn: Groups has %d groups of training rows: must have at least %d", n, leastGroups)
	}
	return nil
}

// A fold is the rows to fit pilots to, and the rows to judge them by, as numbers of rows.
type fold struct{ fit, check []int }

const (
	pilotShare    = 0.2  // of the training rows, in the check of a fold
	enoughTargets = 1000 // rows to judge by: with fewer there are further folds
	enoughClasses = 2500 // the same for classes: if one row in 200 is wrong, a log loss depends on few rows
)

// mostFolds is the largest number of folds. Tests use fewer, to save time.
var mostFolds = 4

// folds returns folds of the training rows, none of which judge by the same row. Kernels are learned from the fit rows
// of the first. With TestRows there is one fold, so that rows of one time, or of one group, stay together.
func (s *study) folds() []fold {
	if s.TestRows != nil && s.Groups == nil {
		others, judged := lastOf(s.rest, s.classes, pilotShare)
		return []fold{s.fold(others, judged)}
	}
	others, judged := s.divide(s.rest, s.classes, pilotShare)
	all := []fold{s.fold(others, judged)}
	count, enough := mostFolds, enoughTargets
	if s.classes != nil && !s.sparse { // of which only a length and λ are chosen
		enough = enoughClasses
	}
	if n := len(judged); n > 0 {
		count = min(count, (enough+n-1)/n)
	}
	switch {
	case s.some:
		count = 1
	case s.classes != nil:
		count = min(count, max(int(pilotLabels/(float64(len(s.rest))*float64(s.count))), 1)) // a fold takes passes over all labels
	}
	for k := 1; k < count && len(others) > 1; k++ {
		share := pilotShare / (1 - float64(pilotShare*float64(k)))
		if others, judged = s.divide(others, s.classes, share); len(judged) > 0 {
			all = append(all, s.fold(without(s.rest, judged), judged))
		}
	}
	return all
}

// fold returns a fold of some rows, or of as many of them as validation fits use.
func (s *study) fold(others, judged []int) fold {
	others, judged = s.sample(others, s.most(pilotRows)), s.sample(judged, s.most(pilotJudged))
	if s.classes != nil {
		others = s.withAllClasses(others)
	}
	return fold{others, judged}
}

// without returns a list without the numbers of another.
func without(list, other []int) []int {
	gone := make(map[int]bool)
	for _, i := range other {
		gone[i] = true
	}
	var left []int
	for _, i := range list {
		if !gone[i] {
			left = append(left, i)
		}
	}
	return left
}

// sample returns up to most rows of a list, of each class its share.
func (s *study) sample(list []int, most int) []int {
	switch {
	case len(list) <= most:
		return list
	case s.classes == nil:
		return some(list, most)
	}
	_, taken := divide(list, s.classes, float64(most)/float64(len(list)), s.sampler)
	return taken
}

// withAllClasses adds to some rows the first training row of each class that has no row among them.
func (s *study) withAllClasses(index []int) []int {
	seen := make([]bool, s.count)
	for _, i := range index {
		seen[s.classes[i]] = true
	}
	for _, i := range s.rest {
		if c := s.classes[i]; !seen[c] {
			seen[c] = true
			index = append(index, i)
		}
	}
	slices.Sort(index)
	return index
}
