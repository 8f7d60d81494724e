// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pipeline

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// Options are what to predict, and how.
type Options struct {
	Mean, SD, Interval bool
	Write              string  // what the user asks for, for errors
	Level              float64 // of intervals
	Float32            bool
	Progress           io.Writer // nil: no reports
}

// BlockBytes is the size of a block of input that is predicted at once.
const BlockBytes = 1 << 18

// A Predictor predicts blocks of rows. A copy of it is for another goroutine.
type Predictor struct {
	Options
	In      int            // the number of numbers of rows
	Encoder *table.Encoder // of records; nil: rows are numbers
	Classes []string       // names of classes; nil: numbers are predicted

	m       *ridge.Model
	classes *logistic.Model
	m32     *ridge.Model32
	targets int

	x, y, sds, lo, hi mat.Dense
	x32, y32          []float32
}

// NewPredictor returns a Predictor. It refuses options that the model cannot satisfy.
func NewPredictor(of *table.Model, o Options) (*Predictor, error) {
	m := of.Ridge
	p := &Predictor{Options: o, Encoder: of.Encoder, m: m, classes: of.Logistic}
	if p.classes != nil {
		if o.SD || o.Interval || o.Float32 {
			return nil, fmt.Errorf("-write %s: the model is of classes: leave -write and -float32 out", o.Write)
		}
		p.Classes = p.Encoder.ClassNames()
		p.In = columnsOf(p.classes.Map())
		return p, nil
	}
	p.targets, p.In = len(m.NoiseVariance()), columnsOf(m.Map())
	if o.Float32 {
		if o.SD || o.Interval {
			return nil, errors.New("-float32 has the mean alone: leave it out, or sd and interval")
		}
		var err error
		if p.m32, err = m.Float32(); err != nil {
			return nil, err
		}
	}
	if o.Interval && !(o.Level > 0 && o.Level < 1) {
		return nil, fmt.Errorf("-level = %v: must be between 0 and 1", o.Level)
	}
	if _, err := m.Posterior(); err != nil && (o.SD || o.Interval && m.IntervalRows() == 0) {
		return nil, err
	}
	return p, nil
}

// columnsOf returns the number of numbers that a map takes.
func columnsOf(phi featuremap.FeatureMap) int {
	in, _ := phi.Dims()
	return in
}

// Names returns the names of the columns to write: for each target its mean, sd, lo and hi, as far as they are wanted. Of
// classes it is the most probable one and its probability, named as examples/table does.
func (p *Predictor) Names() (names []string) {
	if p.classes != nil {
		return []string{"predicted", "probability"}
	}
	for t := range p.targets {
		target := ""
		if p.targets > 1 {
			target = strconv.Itoa(t)
		}
		if p.Mean {
			names = append(names, "mean"+target)
		}
		if p.SD {
			names = append(names, "sd"+target)
		}
		if p.Interval {
			names = append(names, "lo"+target, "hi"+target)
		}
	}
	return names
}

// Predict appends what to write for some rows, given their numbers, to out, row by row in the order of Names. A class is
// its place in Classes.
func (p *Predictor) Predict(out, numbers []float64) []float64 {
	rows := len(numbers) / p.In
	p.x = *mat.NewDense(rows, p.In, numbers)
	if p.classes != nil {
		p.y.Reset()
		p.classes.ProbabilityTo(&p.y, &p.x)
		for i, c := range p.classes.Classify(&p.x) {
			out = append(out, float64(c), p.y.At(i, c))
		}
		return out
	}
	if p.Float32 {
		p.predict32(rows, numbers)
	} else if p.Mean {
		p.y.Reset()
		p.m.PredictTo(&p.y, &p.x)
	}
	var columns []*mat.Dense
	if p.Mean {
		columns = append(columns, &p.y)
	}
	if p.SD {
		p.sds.Reset()
		p.m.StdDevTo(&p.sds, &p.x)
		columns = append(columns, &p.sds)
	}
	if p.Interval {
		p.lo.Reset()
		p.hi.Reset()
		p.m.IntervalTo(&p.lo, &p.hi, &p.x, p.Level)
		columns = append(columns, &p.lo, &p.hi)
	}
	for i := range rows {
		for t := range p.targets {
			for _, column := range columns {
				out = append(out, column.At(i, t))
			}
		}
	}
	return out
}

// predict32 sets y to the predictions of a model in float32.
func (p *Predictor) predict32(rows int, numbers []float64) {
	p.x32 = append(p.x32[:0], make([]float32, len(numbers))...)
	for i, v := range numbers {
		p.x32[i] = float32(v)
	}
	p.y32 = append(p.y32[:0], make([]float32, rows*p.targets)...)
	p.m32.PredictTo(blas32.General{Rows: rows, Cols: p.targets, Stride: p.targets, Data: p.y32},
		blas32.General{Rows: rows, Cols: p.In, Stride: p.In, Data: p.x32})
	p.y.Reset()
	p.y.ReuseAs(rows, p.targets)
	for i, v := range p.y32 {
		p.y.Set(i/p.targets, i%p.targets, float64(v))
	}
}
