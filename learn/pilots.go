// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Pilot fits, on some of the rows and with few features, judged by other rows: they choose the kernel and the map.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const (
	pilotRows     = 10_000 // to learn kernels and to fit pilots on, at most
	pilotJudged   = 4000   // to judge them by, at most
	pilotFeatures = 512    // of a pilot fit, at most
	landmarkRows  = 20_000 // to choose landmarks from, at most
)

// A way is a way to make features of a kernel.
type way int

const (
	clustered way = iota // landmarks, the centres of k-means
	drawn                // landmarks, rows at random
	planned              // random features
)

func (w way) String() string {
	return [...]string{"landmarks, k-means", "landmarks, rows at random", "random features"}[w]
}

// newMap returns features of a kernel made in some way, at most so many, for points like those given.
func newMap(w way, k featuremap.Kernel, points *mat.Dense, features int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
	if w == planned {
		_, d := points.Dims()
		plan, err := featuremap.NewPlan(k, d, features, &featuremap.PlanOptions{Points: points})
		if err != nil {
			return nil, err
		}
		return plan.Draw(s)
	}
	o := &featuremap.LandmarksOptions{Selection: featuremap.KMeans}
	if rows := different(points); features >= rows {
		features, w = rows, drawn // all of them
	}
	if w == drawn {
		o.Selection = featuremap.RandomRows
	}
	return featuremap.NewLandmarks(k, points, features, s, o)
}

// A pilot is a kernel and a way to make features of it, with the loss of each row that it was judged by.
type pilot struct {
	Choice
	at     int // of the report's choices
	kernel featuremap.Kernel
	way    way
	lambda float64 // of logistic regression; 0: chosen by the fit, which sets it
	losses []float64
}

// A field is the pilots and the rows that they are fitted on and judged by.
type field struct {
	*study
	fit, check *part
	weights    []float64 // of the rows of check
	scales     []float64 // 1/variance of targets
	features   int
	stream     *featuremap.Sampler // the same for all pilots
}

// newField returns the field of some rows.
func newField(s *study, fit, check *part, stream *featuremap.Sampler) *field {
	f := &field{study: s, fit: fit, check: check, features: min(pilotFeatures, s.width(len(s.rest))), stream: stream}
	f.weights = check.weights
	if f.weights == nil {
		f.weights = make([]float64, check.rows())
		for i := range f.weights {
			f.weights[i] = 1
		}
	}
	if s.Balanced {
		f.weights = balanced(f.weights, check.classes, s.count)
	}
	if s.classes == nil {
		for _, c := range spreads(fit.y, all(fit.rows())) {
			v := c.deviation
			if v == 0 {
				v = 1
			}
			f.scales = append(f.scales, 1/v)
		}
	}
	return f
}

// all returns the numbers below n.
func all(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// balanced returns weights under which all classes count alike, those that have rows.
func balanced(weights []float64, classes []int, count int) []float64 {
	sums := make([]float64, count)
	for i, c := range classes {
		sums[c] += weights[i]
	}
	w := make([]float64, len(weights))
	for i, c := range classes {
		w[i] = weights[i] / sums[c]
	}
	return w
}

// run fits a pilot and judges it. What cannot be fitted is left out and says why.
func (f *field) run(p *pilot) error {
	if err := f.begin(p.title()); err != nil {
		return err
	}
	stream := *f.stream
	phi, err := newMap(p.way, p.kernel, f.fit.x, f.features, &stream)
	if err == nil && f.classes == nil {
		err = f.squares(phi, p)
	} else if err == nil {
		err = f.logs(phi, p)
	}
	if f.stopped != nil {
		return f.stopped
	}
	p.Score = math.NaN()
	if err != nil {
		p.LeftOut = err.Error()
	} else {
		p.Score, _ = f.mean(p.losses, nil)
		if f.classes == nil {
			p.Score = math.Sqrt(p.Score)
		}
		if math.IsNaN(p.Score) {
			p.LeftOut = "its predictions are no numbers"
		}
	}
	p.at = len(f.report.Choices)
	f.choose(p.Choice)
	return nil
}

// title returns the name of a pilot for Progress.
func (p *pilot) title() string { return fmt.Sprintf("%s: %s", p.Step, p.Name) }

// squares sets the losses of a pilot to the squared errors of a ridge regression on its features: of several targets the mean, in
// units of their variances.
func (f *field) squares(phi featuremap.FeatureMap, p *pilot) error {
	m, err := ridge.Fit(phi, f.fit.x, f.fit.y, &ridge.Options{Weights: f.fit.weights, Progress: func(int) error { return f.tell(p.title()) }})
	if err != nil {
		return err
	}
	var predicted mat.Dense
	m.PredictTo(&predicted, f.check.x)
	p.losses = make([]float64, f.check.rows())
	for i := range p.losses {
		for t, v := range predicted.RawRowView(i) {
			e := (v - f.check.y.At(i, t)) * f.scales[t]
			p.losses[i] = math.FMA(e, e, p.losses[i])
		}
		p.losses[i] /= float64(len(f.scales))
	}
	return nil
}

// leastProbability bounds the log loss of a row.
const leastProbability = 1e-9

// logs sets the losses of a pilot to the log losses of a logistic regression on its features.
func (f *field) logs(phi featuremap.FeatureMap, p *pilot) error {
	m, err := logistic.Fit(phi, f.fit.x, f.fit.classes, &logistic.Options{
		Lambda:   p.lambda,
		Weights:  f.fit.weights,
		Balanced: f.Balanced,
		Progress: func(int, float64) error { return f.tell(p.title()) },
	})
	if err != nil {
		return err
	}
	p.lambda = m.Lambda()
	var probabilities mat.Dense
	m.ProbabilityTo(&probabilities, f.check.x)
	p.losses = make([]float64, f.check.rows())
	for i := range p.losses {
		p.losses[i] = -detmath.Log(max(probabilities.At(i, f.check.classes[i]), leastProbability))
	}
	return nil
}

// mean returns the mean of a less b over the rows, by their weights, and its standard error. A nil b is 0.
func (f *field) mean(a, b []float64) (mean, deviation float64) {
	var total, sum, squares float64
	at := func(i int) float64 {
		if b == nil {
			return a[i]
		}
		return a[i] - b[i]
	}
	for i, w := range f.weights {
		total += w
		sum = math.FMA(w, at(i), sum)
	}
	mean = sum / total
	for i, w := range f.weights {
		d := w / total * (at(i) - mean)
		squares = math.FMA(d, d, squares)
	}
	return mean, math.Sqrt(squares)
}

// best returns the pilot to take: the first one that was not left out, unless another has less loss by more than one standard
// error of the difference, row by row; of those the one of least loss.
func (f *field) best(pilots []*pilot) *pilot {
	var first, least *pilot
	for _, p := range pilots {
		if p.LeftOut != "" {
			continue
		}
		if first == nil {
			first, least = p, p
		}
		if p.Score < least.Score {
			least = p
		}
	}
	if least != first {
		if gain, deviation := f.mean(first.losses, least.losses); gain > deviation {
			return least
		}
	}
	return first
}

// choosePilot runs some pilots and returns the best of them and of the one before, if any. It is an error if none can be fitted.
func (f *field) choosePilot(before *pilot, pilots ...*pilot) (*pilot, error) {
	for _, p := range pilots {
		if err := f.run(p); err != nil {
			return nil, err
		}
	}
	if before != nil {
		pilots = append([]*pilot{before}, pilots...)
	}
	p := f.best(pilots)
	if p == nil {
		return nil, fmt.Errorf("learn: no pilot can be fitted: %s: %s", pilots[0].title(), pilots[0].LeftOut)
	}
	return p, nil
}

// take marks a pilot as taken.
func (f *field) take(p *pilot) { f.report.Choices[p.at].Taken = true }
