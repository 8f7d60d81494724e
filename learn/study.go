// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Steps that Regression and Classification share.

package learn

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// A study is the state of a call of Regression or Classification.
type study struct {
	Options
	x             mat.Matrix
	rows, columns int
	sparse        bool // the rows of x are lists, and stay so

	y       mat.Matrix // n×T targets; nil for classes
	classes []int      // nil for targets
	count   int        // of classes
	some    bool       // it has some of the classes, for validation fits
	widest  int        // default bound on the number of features, for many classes; 0: no bound

	all, rest, held []int // rows of positive weight: rest and held together; training rows; test rows
	counted         int   // number of rows of positive weight, with copies that were merged

	ties         *tying // of columns of categories; nil: no such columns
	sampler      *featuremap.Sampler
	factor       float64        // of λ of logistic regression, chosen by validation fits
	lambda       float64        // of it, chosen by validation fits with some of the classes; 0: chosen with all
	judged       int            // number of rows that have judged pilots
	pilotSquares []float64      // mean squared error of the pilot taken, for each target, in its variances; nil with fewFitted rows or more
	optimism     float64        // by which factor errors of new rows exceed those of rows that are left out, as far as validation tells
	chance       bool           // validation fits did not predict classes better than their frequencies
	room         any            // memory that one descent leaves to the next
	features     *lent.Features // memory for features, for the fits of a classification; nil: each has its own
	report       *report
	started      time.Time // of the step
	stopped      error     // the error of Progress, wrapped
	prefix       string    // of steps, for Progress
}

// tell calls Progress, and returns its error, wrapped.
func (s *study) tell(step string) error {
	if s.stopped == nil && s.Progress != nil {
		if err := s.Progress(s.prefix + step); err != nil {
			s.stopped = interrupted(err)
		}
	}
	return s.stopped
}

// begin begins a step.
func (s *study) begin(step string) error {
	s.started = time.Now()
	return s.tell(step)
}

// choose adds a choice to the report, with the seconds since its beginning.
func (s *study) choose(c Choice) {
	c.Seconds = time.Since(s.started).Seconds()
	s.started = time.Now()
	s.report.choices = append(s.report.choices, c)
}

// note adds a choice without evidence and score.
func (s *study) note(step, name string, taken bool) {
	s.choose(Choice{Step: step, Name: name, Taken: taken, LogEvidence: math.NaN(), Score: math.NaN()})
}

// A part is some rows, copied unless they are lists.
type part struct {
	x       mat.Matrix // lists if the study's are
	y       *mat.Dense // targets; nil for classes
	classes []int      // nil for targets
	weights []float64  // of rows; nil: 1
}

// mostElements bounds the elements of a part: 240 MB.
const mostElements = 30_000_000

// most returns the number of rows that a part may have, at most wanted.
func (s *study) most(wanted int) int {
	if s.sparse {
		return wanted
	}
	return min(wanted, max(mostElements/s.columns, 200))
}

// points returns some rows of x, copied unless they are lists.
func (s *study) points(index []int) mat.Matrix {
	if s.sparse {
		return rows.Select(s.x, index)
	}
	return dense(s.x, index)
}

// dense returns rows of a matrix as a matrix of their own.
func dense(a mat.Matrix, index []int) *mat.Dense {
	m := new(mat.Dense)
	m.SetRawMatrix(gather(a, index, nil))
	return m
}

// part returns some rows.
func (s *study) part(index []int) *part {
	p := &part{x: s.points(index)}
	if s.Weights != nil {
		for _, i := range index {
			p.weights = append(p.weights, s.Weights[i])
		}
	}
	if s.classes == nil {
		p.y = dense(s.y, index)
		return p
	}
	for _, i := range index {
		p.classes = append(p.classes, s.classes[i])
	}
	return p
}

// targets returns the targets of a part; for classes the labels, with the given number of columns.
func (p *part) targets(classes int) mat.Matrix {
	if p.y != nil {
		return p.y
	}
	return &labels{p.classes, classes}
}

// fitWeight returns a function with the weights of rows in a fit.
func (s *study) fitWeight() func(row int) float64 {
	if s.Balanced {
		return s.balancedWeight()
	}
	return s.weight
}

// some returns up to most of the rows of a list, in its order, by a fixed pseudo-random rule.
func some(list []int, most int) []int {
	if len(list) <= most {
		return list
	}
	index := subset.Rows(len(list), most)
	for k, i := range index {
		index[k] = list[i]
	}
	return index
}

// heavy is the number of standard deviations from the mean from which the report says that a target has heavy tails.
const heavy = 20

// tails returns the columns with values beyond a number of standard deviations. Columns of two values are not among
// them: they are rare categories.
func tails(columns []rows.Spread, deviations float64) (tails []int) {
	for j, c := range columns {
		if c.Farthest > deviations && !c.Two {
			tails = append(tails, j)
		}
	}
	return tails
}

// start returns the kernels to start from, and reports what the columns are like. It is the given kernel; or a Gaussian
// of standardized columns, which is taken in doubt, and one of raw columns, which suits pixels and other columns of one
// unit. The second is skipped if standard deviations hardly differ.
func (s *study) start(p *part) ([]featuremap.Kernel, error) {
	if err := s.begin("columns"); err != nil {
		return nil, err
	}
	if s.sparse {
		s.note("columns", "as they are, of sparse rows", true)
		if s.Kernel != nil {
			return []featuremap.Kernel{s.Kernel}, nil
		}
		return []featuremap.Kernel{featuremap.Gaussian{LengthScale: medianLength(p.x, 1, s.sampler)}}, nil
	}
	columns := rows.Spreads(s.x, s.rest)
	var varying, constant []int
	var deviations []float64
	for j, c := range columns {
		if c.Deviation > 0 {
			varying, deviations = append(varying, j), append(deviations, c.Deviation)
		} else {
			constant = append(constant, j)
		}
	}
	if varying == nil {
		return nil, fmt.Errorf("learn: all %d columns of x are constant in the %d training rows", s.columns, len(s.rest))
	}
	if tails := tails(columns, tailed); tails != nil && s.asItIs() {
		s.note("columns", fmt.Sprintf("of heavy tails, beyond %v deviations, which logarithms may help: %s", tailed, list(tails)), false)
	}
	if s.Kernel != nil {
		s.note("columns", "as they are, for the kernel that was given", true)
		return []featuremap.Kernel{s.Kernel}, nil
	}
	if constant != nil {
		s.note("columns", "constant ones are left out: "+list(constant), true)
	}
	few := dense(p.x, subset.Rows(p.rows(), 2000))
	stream := *s.sampler
	plain := onColumns(varying, s.columns, featuremap.Gaussian{LengthScale: medianLength(few, len(varying), &stream)})
	for i := range few.RawMatrix().Rows {
		row := few.RawRowView(i)
		for j, c := range columns {
			if row[j] /= c.Deviation; c.Deviation == 0 {
				row[j] = 0
			}
		}
	}
	length := medianLength(few, len(varying), s.sampler)
	standardized := onColumns(varying, s.columns, featuremap.ARD(deviations, featuremap.Gaussian{LengthScale: length}))
	if slices.Max(deviations) <= alike*slices.Min(deviations) {
		return []featuremap.Kernel{standardized}, nil
	}
	return []featuremap.Kernel{standardized, plain}, nil
}

// alike is the ratio of standard deviations up to which raw columns are not tried.
const alike = 1.5

// onColumns returns a kernel on some of all columns.
func onColumns(index []int, columns int, k featuremap.Kernel) featuremap.Kernel {
	if len(index) == columns {
		return k
	}
	return featuremap.Select(index, k)
}

// medianLength returns the median distance of two rows, or the root of the number of columns that vary if that is not a
// valid length scale.
func medianLength(x mat.Matrix, varying int, s *featuremap.Sampler) float64 {
	if median, err := featuremap.MedianLengthScale(x, s); err == nil {
		return median
	}
	return math.Sqrt(float64(varying))
}

// rows returns the number of rows.
func (p *part) rows() int {
	n, _ := p.x.Dims()
	return n
}

// list returns the first of some numbers, in words.
func list(numbers []int) string {
	const most = 8
	text := ""
	for k, j := range numbers {
		if k == most {
			return fmt.Sprintf("%s and %d more", text, len(numbers)-most)
		}
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprint(j)
	}
	return text
}

// different returns the number of different rows of a matrix, or fewer.
func different(x *mat.Dense) int {
	seen := make(map[uint64]bool)
	n, _ := x.Dims()
	for i := range n {
		h := uint64(14695981039346656037) // Fowler, Noll and Vo, by words
		for _, v := range x.RawRowView(i) {
			h = (h ^ math.Float64bits(v+0)) * 1099511628211 // 0 for −0
			h ^= h >> 29
		}
		seen[h] = true
	}
	return len(seen)
}
