// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Validation fits, called pilots here: fits to some of the rows with few features, judged by other rows. They choose
// the kernel and the map.

package learn

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const (
	pilotRows    = 10_000 // to learn kernels and to fit pilots, at most
	pilotJudged  = 4000   // to judge them by, at most
	landmarkRows = 20_000 // to choose landmarks from, at most
	pilotPasses  = 150    // of a descent of a pilot, at most: few take more, with a small λ, and then gain little
)

// pilotFeatures is the largest number of features of a pilot fit. Tests use fewer, to save time.
var pilotFeatures = 512

// A way is a method to make features of a kernel.
type way int

const (
	clustered way = iota // landmarks, the centers of k-means
	drawn                // landmarks, rows at random
	planned              // random features
)

func (w way) String() string {
	return [...]string{"landmarks, k-means", "landmarks, rows at random", "random features"}[w]
}

// newMap returns at most the given number of features of a kernel, made in some way, for points like the given ones.
func newMap(w way, k featuremap.Kernel, points mat.Matrix, features int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
	k = loose(k)
	if w == planned {
		return featuremap.New(k, points, features, s)
	}
	o := &featuremap.NystromOptions{Landmarks: featuremap.KMeans}
	if w == drawn {
		o.Landmarks = featuremap.RandomRows
	}
	return featuremap.NewNystrom(k, points, features, s, o)
}

// A pilot is a kernel and a way to make features of it, with the loss of each row that judged it.
type pilot struct {
	Choice
	at          int // of the report's choices
	kernel      featuremap.Kernel
	kernels     []featuremap.Kernel // learned in each fold from its own rows, not from those that judge; nil: kernel in all
	way         way
	factor      float64             // of λ of logistic regression, relative to the choice of that package; 0: 1
	lambdas     []float64           // by that choice, one for each fold; nil: not known yet
	losses      []float64           // of all checks
	squares     [][]float64         // with fewer than fewFitted rows the squared errors of each target, in units of its variance
	scales      []float64           // of columns in logarithms; nil: raw columns
	stages      []*learnedStage     // of the kernels it was chosen from
	before      *pilot              // the pilot from before the bank
	lambda      []float64           // of each target, with the least leave-one-out error; nil: not known
	leastLambda float64             // below which no λ is to be tried
	features    int                 // number that it had
	stream      *featuremap.Sampler // of the field where it was chosen
}

// with returns a pilot of another step, with the kernel of each fold changed.
func (p *pilot) with(step, name string, change func(k featuremap.Kernel) featuremap.Kernel) *pilot {
	q := &pilot{kernel: change(p.kernel), way: p.way, Choice: Choice{Step: step, Name: name, LogEvidence: math.NaN()}}
	for _, k := range p.kernels {
		q.kernels = append(q.kernels, change(k))
	}
	return q
}

// unchangedKernel returns a kernel as it is.
func unchangedKernel(k featuremap.Kernel) featuremap.Kernel { return k }

// A field is a set of pilots, with the rows that they are fitted to and judged by.
type field struct {
	*study
	folds    []fold
	fit      *part     // of the first fold
	weights  []float64 // of the rows of all checks
	scales   []float64 // 1/(standard deviation) of targets; 0 for constant ones, which do not count in scores
	varying  float64   // number of targets that are not constant
	features int
	stream   *featuremap.Sampler // the same for all pilots
}

// newField returns the field of some folds.
func newField(s *study, folds []fold, stream *featuremap.Sampler) *field {
	f := &field{study: s, folds: folds, fit: s.part(folds[0].fit), features: min(pilotFeatures, s.width(len(s.rest)), max(widthOf(len(s.rest)), s.Features)), stream: stream}
	var classes []int
	for _, o := range folds {
		for _, i := range o.check {
			f.weights = append(f.weights, s.weight(i))
			if s.classes != nil {
				classes = append(classes, s.classes[i])
			}
		}
	}
	if s.Balanced {
		f.weights = balanced(f.weights, classes, s.count)
	}
	if s.classes == nil {
		all := rows.Spreads(s.y, s.rest)
		for t, c := range rows.Spreads(s.y, folds[0].fit) {
			if c.Deviation == 0 {
				c = all[t]
			}
			if f.scales = append(f.scales, 0); c.Deviation > 0 {
				f.scales[len(f.scales)-1] = 1 / c.Deviation
				f.varying++
			}
		}
	}
	return f
}

// balanced returns weights under which all classes that have rows count alike.
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

// run fits a pilot, once for each fold, and judges it.
func (f *field) run(p, rival *pilot) error {
	if err := f.begin(p.title()); err != nil {
		return err
	}
	if err := f.judge(p, rival, 0); err != nil {
		return err
	}
	p.at = len(f.report.choices)
	f.choose(p.Choice)
	return nil
}

// judge fits a pilot for each fold from one on, and scores it. A pilot that cannot be fitted is skipped, with the
// reason. A pilot is also skipped, before its last fold, if it has already lost more than rival has in all folds:
// losses are not negative, so it cannot be the best. rival may be nil.
func (f *field) judge(p, rival *pilot, from int) error {
	var err error
	p.features = f.features
	for k := from; k < len(f.folds) && err == nil; k++ {
		err = f.runFold(p, k)
		if err == nil && k+1 < len(f.folds) && rival != nil && f.lost(p) > f.lost(rival) {
			err = fmt.Errorf("it lost more in %d of %d folds than the best in all", k+1, len(f.folds))
		}
	}
	if f.stopped != nil {
		return f.stopped
	}
	p.Score = math.NaN()
	if err != nil {
		p.Skipped = err.Error()
		return nil
	}
	p.Score, _ = f.mean(p.losses, nil)
	if f.classes == nil {
		p.Score = math.Sqrt(p.Score)
	}
	if math.IsNaN(p.Score) {
		p.Skipped = "its predictions are no numbers"
	}
	return nil
}

// lost returns the loss of a pilot so far, summed with the weights of rows.
func (f *field) lost(p *pilot) (sum float64) {
	for i, loss := range p.losses {
		sum = math.FMA(f.weights[i], loss, sum)
	}
	return sum
}

// runFold adds the losses of a fold to those of a pilot.
func (f *field) runFold(p *pilot, k int) error {
	fit, check := f.fit, f.part(f.folds[k].check)
	if k > 0 {
		fit = f.part(f.folds[k].fit)
	}
	kernel := p.kernel
	if p.kernels != nil {
		kernel = p.kernels[k]
	}
	stream := *f.stream
	phi, err := newMap(p.way, kernel, fit.x, f.features, &stream)
	if err != nil {
		return err
	}
	if f.classes == nil {
		return f.squares(phi, p, fit, check)
	}
	return f.logs(phi, p, k, fit, check)
}

// title returns the name of a pilot for Progress.
func (p *pilot) title() string { return fmt.Sprintf("%s: %s", p.Step, p.Name) }

// squares adds the squared errors of a ridge regression to the losses of a pilot: a mean over targets that are not
// constant, in units of their variances.
func (f *field) squares(phi featuremap.FeatureMap, p *pilot, fit, check *part) error {
	o := &ridge.Options{Weights: fit.weights, Beyond: true, Intervals: &ridge.IntervalOptions{Off: true}, Progress: func(int) error { return f.tell(p.title()) }}
	lent.Of(o).MarksJudge = true
	m, err := ridge.Fit(phi, fit.x, fit.y, o)
	if err != nil {
		return err
	}
	var predicted mat.Dense
	m.PredictTo(&predicted, check.x)
	if p.squares == nil && len(f.rest) < fewFitted {
		p.squares = make([][]float64, len(f.scales))
	}
	for i := range check.rows() {
		var loss float64
		for t, v := range predicted.RawRowView(i) {
			e := (v - check.y.At(i, t)) * f.scales[t]
			loss = math.FMA(e, e, loss)
			if p.squares != nil {
				p.squares[t] = append(p.squares[t], e*e)
			}
		}
		p.losses = append(p.losses, loss/max(f.varying, 1))
	}
	return nil
}

// leastProbability bounds the log loss of a row.
const leastProbability = 1e-9

// logs adds the log losses of a logistic regression for fold k to the losses of a pilot.
func (f *field) logs(phi featuremap.FeatureMap, p *pilot, k int, fit, check *part) error {
	var lambda float64
	if k < len(p.lambdas) {
		lambda = p.factor * p.lambdas[k]
	}
	o := &logistic.Options{
		Lambda:   lambda,
		Weights:  fit.weights,
		Balanced: f.Balanced,
		Progress: func(int, float64) error { return f.tell(p.title()) },
	}
	work := pilotWork
	if f.some {
		work = fewWork
	}
	lent.Of(o).MostPasses = passesOf(work, pilotPasses, fit.rows(), phi, f.count)
	m, err := logistic.Fit(phi, fit.x, fit.classes, o)
	if err != nil {
		return err
	}
	if k == len(p.lambdas) {
		p.lambdas = append(p.lambdas, m.Lambda())
	}
	var probabilities mat.Dense
	m.ProbabilityTo(&probabilities, check.x)
	for i := range check.rows() {
		p.losses = append(p.losses, -detmath.Log(max(probabilities.At(i, check.classes[i]), leastProbability)))
	}
	return nil
}

// mean returns the mean of a − b over the rows, by their weights, and its standard error. A nil b is 0.
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

// chance reports whether the log loss of a pilot is not less than that of the class frequencies by more than one
// standard error of the difference.
func (f *field) chance(p *pilot) bool {
	var losses []float64
	for _, o := range f.folds {
		counts := make([]float64, f.count)
		for _, i := range o.fit {
			counts[f.classes[i]]++
		}
		for _, i := range o.check {
			losses = append(losses, detmath.Log(float64(len(o.fit))/counts[f.classes[i]]))
		}
	}
	gain, deviation := f.mean(losses, p.losses)
	return !(gain > deviation)
}

// firstAndLeast returns the first pilot that was not skipped, and the one of least loss; nil if all were skipped.
func firstAndLeast(pilots []*pilot) (first, least *pilot) {
	for _, p := range pilots {
		if p.Skipped != "" {
			continue
		}
		if first == nil {
			first, least = p, p
		}
		if p.Score < least.Score {
			least = p
		}
	}
	return first, least
}

// best returns the pilot to take: the first one that was not skipped, unless others have less loss by more than one
// standard error of the difference, row by row; of those the one of least loss.
func (f *field) best(pilots []*pilot) *pilot {
	first, least := firstAndLeast(pilots)
	if least != first {
		if gain, deviation := f.mean(first.losses, least.losses); gain > deviation {
			return least
		}
	}
	return first
}

// choosePilot runs some pilots and returns the best of them and of the one before, if any. It returns an error if all
// fail.
func (f *field) choosePilot(before *pilot, pilots ...*pilot) (*pilot, error) {
	var all []*pilot
	if before != nil {
		all = append(all, before)
	}
	for _, p := range pilots {
		_, rival := firstAndLeast(all)
		if err := f.run(p, rival); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return f.bestOf(all)
}

// bestOf is best, with an error if all pilots failed.
func (f *field) bestOf(pilots []*pilot) (*pilot, error) {
	p := f.best(pilots)
	if p == nil {
		return nil, fmt.Errorf("learn: all validation fits failed: %s: %s", pilots[0].title(), pilots[0].Skipped)
	}
	return p, nil
}

// A pilot is far behind if its loss in the first fold is so many times that of the best, and larger by so many standard
// errors: if a single row makes the difference it is one, and with two rows √2. With fewer rows there is no such
// decision.
const (
	behindTimes      = 3
	behindDeviations = 1.5
	behindRows       = 30
)

// race is choosePilot, except that pilots that are far behind in the first fold are dropped. The others are judged by
// all folds, unless only one is left, which keeps the losses of the first fold.
func (f *field) race(pilots ...*pilot) (*pilot, error) {
	if len(f.folds) == 1 || len(f.folds[0].check) < behindRows {
		return f.choosePilot(nil, pilots...)
	}
	first := *f
	first.folds, first.weights = f.folds[:1], f.weights[:len(f.folds[0].check)]
	for _, p := range pilots {
		if err := first.run(p, nil); err != nil {
			return nil, err
		}
	}
	_, least := firstAndLeast(pilots)
	var left []*pilot
	for _, p := range pilots {
		if p.Skipped == "" && first.farBehind(p, least) {
			p.Skipped, p.Score = fmt.Sprintf("it lost %d times as much as the best in the first fold", behindTimes), math.NaN()
			f.amend(p, 0)
		}
		if p.Skipped == "" {
			left = append(left, p)
		}
	}
	if len(left) == 1 {
		return left[0], nil
	}
	for i, p := range left {
		if err := f.begin(p.title()); err != nil {
			return nil, err
		}
		_, rival := firstAndLeast(left[:i])
		if err := f.judge(p, rival, 1); err != nil {
			return nil, err
		}
		f.amend(p, time.Since(f.started).Seconds())
	}
	return f.bestOf(pilots)
}

// farBehind reports whether a pilot has lost far more than another.
func (f *field) farBehind(p, least *pilot) bool {
	mean, _ := f.mean(p.losses, nil)
	other, _ := f.mean(least.losses, nil)
	more, deviation := f.mean(p.losses, least.losses)
	return mean > behindTimes*other && more > behindDeviations*deviation
}

// amend updates the score of a pilot in the report, and adds its further seconds.
func (f *field) amend(p *pilot, seconds float64) {
	c := &f.report.choices[p.at]
	c.Score, c.Skipped, c.Seconds = p.Score, p.Skipped, c.Seconds+seconds
}

// take marks a pilot as taken.
func (f *field) take(p *pilot) { f.report.choices[p.at].Taken = true }
