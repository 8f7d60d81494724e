// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// A Criterion is a rule to choose λ from a path: see Options.Criterion.
//
// The leave-one-out error is the mean squared error of each row, predicted by a fit to all other rows. It needs no such
// fits: if rᵢ is the residual of row i and hᵢ its leverage 1/n + (φᵢ−φ̄)ᵀA⁻¹(φᵢ−φ̄), the error of the row is rᵢ/(1 −
// hᵢ) (Allen, The relationship between variable selection and data augmentation and a method for prediction, 1974).
//
// Copies of a row, targets included, are left out with it if a tenth of at most 262,144 rows are copies of others, as in a
// file that was joined twice: at least 8 points have copies, of one or two numbers, or of numbers that differ less than those
// of points that are drawn at random. Fewer than 50 points must have one or two, up to 10 rows each, and a column with half as
// many values. Rows of a class of Labels at fewer than three points leave alone. If targets differ at more points than they
// agree (a twentieth, if they have few values), all copies stay in. An Accumulator counts copies at as many points as it
// keeps rows. GuardedEvidence takes copies for one observation, Evidence for several, and both each unit of weight.
//
// Each target has its own λ. Where targets share one (Options.SharedLambda), their log marginal likelihoods are added
// up, and so are their errors, in units of the variance of each target. For Labels fitted on the rows' side (see Side),
// a λ must also misclassify at most two standard errors of the difference more left-out rows than the best.
//
// The function Fit leaves out all rows; on the features' side it reads x once more. Up to 4,096 rows all errors are
// exact. With more, about 3,000 are exact (up to 9,000 with several targets): those that leverages from 16 random
// projections rank largest, and 1,024 others, whose mean stands for the rest. An Accumulator leaves out the rows that
// it keeps. Rows that are landmarks of the map are not left out, for λ or for intervals, if there are 150 others, or
// more than there are landmarks: their features are not like those of new rows. Landmarks that are outlying rows, as
// RPCholesky takes them, are left out.
type Criterion int

const (
	// GuardedEvidence is the default. It takes the λ with the largest marginal likelihood (evidence) among those whose
	// leave-one-out error exceeds the least by at most one standard error of the difference, row by row, and is at most
	// 1.1 + 25/n times the least. The guard matters for labels and for heavy tails, for which the marginal likelihood
	// alone takes far too small a λ. If fewer than 32 rows are kept, and not all, it is Evidence.
	GuardedEvidence Criterion = iota

	// Evidence takes the λ with the largest marginal likelihood, that is, the density of the targets with all weights
	// integrated out. Of two equal ones it takes the larger.
	Evidence

	// LeaveOneOut takes the λ with the least leave-one-out error.
	LeaveOneOut
)

// String returns the name of the criterion.
func (c Criterion) String() string {
	if c < GuardedEvidence || c > LeaveOneOut {
		return fmt.Sprintf("Criterion(%d)", int(c))
	}
	return [...]string{"GuardedEvidence", "Evidence", "LeaveOneOut"}[c]
}

// A choice is the choice of a λ for each of some groups of targets.
type choice struct {
	*normal.Facts
	equations solver
	criterion Criterion
	groups    [][]int   // of targets that share a λ
	given     []float64 // the λ of each group; nil: any of the path
	slack     float64   // Evidence takes the smallest λ whose log evidence is within slack of the largest
	left      *leftOut  // nil if there are no rows to leave out
	progress  func(rows int) error

	labels     bool // targets are those of Labels
	marksJudge bool // rows that are landmarks are left out as others are
}

// A solver solves for λ.
type solver interface {
	// Solve returns the solution for a λ, or an error if it cannot be computed to any accuracy.
	Solve(lambda float64) (*normal.Solution, error)

	// Solutions returns the solutions for those λ of a path that have one, in order. If no λ has one, it returns the
	// error of the largest λ.
	Solutions(path []float64) iter.Seq2[*normal.Solution, error]

	// Again returns a solution with its factor, if it has one, which the factor of another λ may have overwritten.
	Again(s *normal.Solution) *normal.Solution
}

// step calls Progress before each further step.
func (c *choice) step() error {
	if c.progress == nil {
		return nil
	}
	if err := c.progress(c.Rows); err != nil {
		return interrupted(err)
	}
	return nil
}

// solutions returns for each group the solution for the λ that the criterion takes; equal λ have the same one. Factors
// are not valid.
func (c *choice) solutions(lambdas []float64) ([]*normal.Solution, error) {
	if err := c.step(); err != nil {
		return nil, err
	}
	best, err := newPath(c, lambdas).best()
	if err != nil {
		return nil, err
	}
	solutions := make([]*normal.Solution, len(best))
	for g, a := range best {
		solutions[g] = a.Solution
	}
	return solutions, nil
}

// A candidate is a λ with what is needed to leave rows out.
type candidate struct {
	*normal.Solution
	weights   blas64.General // a row a target
	intercept []float64
	probes    blas64.General // rows whose mean squared product with centered features is the leverage
	guess     float64        // estimate of the sum of errors from few rows, while a path is searched
	groups    []standing
}

// A standing is what is known of a candidate for a group of targets.
type standing struct {
	evidence float64
	bound    float64   // lower bound of the sum of errors
	estimate float64   // estimate of that sum; it may be far off where leverages are large
	errors   []float64 // of the rows that are left out exactly; nil if no rows were
	sum      float64   // of the errors of all rows, estimated from these
	wrong    []float64 // 1 for rows whose largest prediction is not their label's, for Labels on the rows' side; nil: not known
}

// newCandidate returns the candidate for a solution. Only its evidence is known.
func (c *choice) newCandidate(s *normal.Solution) *candidate {
	a := &candidate{Solution: s, groups: make([]standing, len(c.groups))}
	for g, targets := range c.groups {
		a.groups[g].evidence = s.LogEvidence(targets)
		if c.left != nil && c.left.copies != nil {
			a.groups[g].evidence += c.left.copies.repeated(s, targets, c.Weight)
		}
	}
	return a
}

// likelier reports whether a has more evidence than b for a group, or as much and a larger λ; or b is nil.
func (a *candidate) likelier(b *candidate, g int) bool {
	if b == nil {
		return true
	}
	x, y := a.groups[g].evidence, b.groups[g].evidence
	return x > y || x == y && a.Lambda > b.Lambda
}

// least returns the candidate with the least leave-one-out error for a group; of two equal ones that with the larger λ.
// Candidates that are likely the best go first, and those that cannot be are not computed.
func (c *choice) least(all []*candidate, g int) (best *candidate, err error) {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *candidate) int {
		switch x, y := a.groups[g].estimate, b.groups[g].estimate; {
		case x < y || x == y && a.likelier(b, g):
			return -1
		case x == y && a.Lambda == b.Lambda:
			return 0
		}
		return 1
	})
	for _, a := range order {
		if best != nil && a.groups[g].bound > best.groups[g].sum {
			continue
		}
		if err := c.leaveOut(a); err != nil {
			return nil, err
		}
		if best == nil || a.groups[g].sum < best.groups[g].sum || a.groups[g].sum == best.groups[g].sum && a.Lambda > best.Lambda {
			best = a
		}
	}
	return best, nil
}

// cautious returns the candidate with the largest evidence for a group whose error is at most a standard error of the
// difference above the best one's.
func (c *choice) cautious(all []*candidate, best *candidate, g int) (*candidate, error) {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *candidate) int {
		switch {
		case a.likelier(b, g):
			return -1
		case b.likelier(a, g):
			return 1
		}
		return 0
	})
	for _, a := range order {
		if a == best || math.IsInf(best.groups[g].sum, 1) {
			return a, nil
		}
		if err := c.leaveOut(a); err != nil {
			return nil, err
		}
		if c.left.equalTo(&a.groups[g], &best.groups[g]) {
			return a, nil
		}
	}
	return best, nil
}

// leaveOut sets the errors of a candidate.
func (c *choice) leaveOut(a *candidate) error {
	if a.groups[0].errors != nil {
		return nil
	}
	a.Solution = c.equations.Again(a.Solution)
	c.left.set(a)
	return c.step()
}

// judge records the leave-one-out results of a model, if there are rows to leave out.
func (c *choice) judge(m *numbers, taken []taken, spans []span) (err error) {
	var by judgment
	switch {
	case c.left == nil:
		return nil
	case c.left.own != nil:
		by = c.left.own.judge(c.left, taken, spans)
	case m.given:
		m.stray, err = c.left.glance(taken, spans)
		return err
	case c.criterion == Evidence:
		m.stray, err = c.left.look(taken, spans, c.step)
		return err
	default:
		if by, err = c.left.judge(taken, spans, c.step); err != nil {
			return err
		}
	}
	m.stray = by.stray
	if m.given || c.criterion == Evidence {
		return nil
	}
	m.leftOut = by.squares
	if c.left.marks != nil {
		m.setByJudges(c, by.noise)
	}
	return nil
}
