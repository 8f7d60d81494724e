// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

// refitRows is the largest number of rows of a refit.
const refitRows = 8000

// refitFeatures is the largest number of random features of a refit. Tests use fewer, to save time.
var refitFeatures = 1000

// A learner is the state of a call of Kernel.
type learner struct {
	options *KernelOptions
	terms   []term
	model   *model // to learn with: its features are Features, and for a matrix half as many again
	fresh   *model // with fresh frequencies, for refits
	targets []int  // those of all that are not constant
	count   int    // of all targets
	labels  bool   // targets are labels
	unseen  bool   // the rows of fresh are not those of model
	random  *featuremap.Sampler
	ties    *tying // of columns; nil: no columns are tied

	latest    *refit            // the one whose features fresh has
	equations *normal.Equations // of these

	stages []Stage
	best   int // of stages
	priced int // the number of parameters of the best stage
	noise  []float64
	losses []float64 // of rows left out, with the best stage
}

// newLearner makes all random choices.
func newLearner(k featuremap.Kernel, x, y mat.Matrix, s *featuremap.Sampler, o *KernelOptions) (*learner, error) {
	n, d := x.Dims()
	l := &learner{options: o, random: s, ties: o.ties}
	var err error
	if l.terms, err = termsOf(k, d); err != nil {
		return nil, err
	}
	learned, compared := l.rows(n)
	if err := l.setTargets(y, learned, compared); err != nil {
		return nil, err
	}
	more := l.newTable(x, y, compared)
	some := more
	if n > o.Rows {
		some = l.newTable(x, y, learned)
	}
	if !slices.ContainsFunc(some.columns.unit, func(u float64) bool { return u > 0 }) {
		return nil, errors.New("learn: all columns of x are constant")
	}
	if l.model, err = newModel(some, l.terms, o.Features, s); err != nil {
		return nil, err
	}
	l.labels = areLabels(gather(y, compared, nil))
	l.fresh, err = newModel(more, l.terms, max(o.Features, min(refitFeatures, 4*len(compared))), s)
	return l, err
}

// rows returns the numbers of the rows to learn from, and of the rows on which stages are compared: others if there are
// half as many as to learn from, and otherwise all.
func (l *learner) rows(n int) (learned, compared []int) {
	most := l.options.Rows
	learned = subset.Rows(n, most)
	if n-len(learned) < most/2 || n == len(learned) {
		return learned, subset.Rows(n, max(refitRows, most))
	}
	l.unseen = true
	var others []int
	next := learned
	for i := range n {
		if len(next) > 0 && next[0] == i {
			next = next[1:]
		} else {
			others = append(others, i)
		}
	}
	for _, i := range subset.Rows(len(others), refitRows) {
		compared = append(compared, others[i])
	}
	return learned, compared
}

// setTargets finds the targets that are not constant in any of several parts of the rows.
func (l *learner) setTargets(y mat.Matrix, parts ...[]int) error {
	var reader rows.Reader
	reader.Reset(y)
	l.count = reader.Cols
	constant := make([]bool, l.count) // in some part
	for _, part := range parts {
		first := slices.Clone(reader.Row(part[0]))
		varies := make([]bool, l.count)
		for _, i := range part {
			for t, v := range reader.Row(i) {
				varies[t] = varies[t] || v != first[t]
			}
		}
		for t, v := range varies {
			constant[t] = constant[t] || !v
		}
	}
	for t, c := range constant {
		if !c {
			l.targets = append(l.targets, t)
		}
	}
	if l.targets == nil {
		return errors.New("learn: all targets are constant")
	}
	return nil
}

// newTable returns the table of some rows.
func (l *learner) newTable(x, y mat.Matrix, index []int) *table {
	t := &table{y: gather(y, index, l.targets), ties: l.ties}
	t.setPoints(x, index)
	t.targets = newUnits(t.y)
	t.intercept = !slices.ContainsFunc(l.terms, func(k term) bool { return k.kind == constant })
	if !t.intercept {
		clear(t.targets.center)
	}
	t.targets.unit = t.targets.scales()
	t.targets.apply(t.y)
	return t
}

// gather returns some rows of a, of some columns, or all if they are nil.
func gather(a mat.Matrix, index, columns []int) blas64.General {
	var reader rows.Reader
	reader.Reset(a)
	if columns == nil {
		for j := range reader.Cols {
			columns = append(columns, j)
		}
	}
	g := newGeneral(len(index), len(columns), len(columns))
	for i, r := range index {
		row := reader.Row(r)
		for j, c := range columns {
			g.Data[i*g.Stride+j] = row[c]
		}
	}
	return g
}

// run goes through the stages.
func (l *learner) run() error {
	start := time.Now()
	set := l.start()
	if err := l.finish("given", start, 0, 0, l.refitted(set)); err != nil {
		return err
	}
	if !slices.ContainsFunc(l.terms, func(t term) bool { return t.kind == stationary }) {
		if len(l.terms) == 1 {
			return nil
		}
		_, err := l.stage("scales", unchanged, 15, set)
		return err
	}
	set, err := l.stage("one length", oneLength, 15, l.scan(&set))
	if err != nil {
		return err
	}
	if l.options.LengthScales >= PerColumn && l.model.table.lists != nil {
		l.stages = append(l.stages, Stage{Name: "lengths", LogEvidence: noEvidence, Skipped: "sparse rows: one length for all columns"})
		return nil
	}
	if l.options.LengthScales >= PerColumn {
		if set, err = l.lengths(set); err != nil {
			return err
		}
	}
	if l.options.LengthScales >= Matrix {
		if why := l.noMatrix(&set); why != "" {
			l.stages = append(l.stages, Stage{Name: "matrix", LogEvidence: noEvidence, Skipped: why})
			return nil
		}
		if l.model, err = newModel(l.model.table, l.terms, l.options.Features*3/2, l.random); err != nil {
			return err
		}
		_, err = l.stage("matrix", matrix, 120, set)
	}
	return err
}

// lengths goes through the stages of length scales: one for each group of tied columns, if there are any, and one for
// each column, if these have five rows each or no columns are tied. (With 3.4 rows a column, house prices gain less
// evidence by length scales of columns than their number costs.) The second stage starts where the first did: from the
// length scales of 185 countries and three numbers it ends at a smaller evidence.
func (l *learner) lengths(set setting) (setting, error) {
	if ties := l.ties; ties != nil {
		tied, err := l.stage(tiedStage, categories, 60, l.deviations(&set, ties))
		if err != nil {
			return set, err
		}
		if n := l.model.table.x.Rows; n < rowsAColumn*ties.columns {
			why := fmt.Sprintf("%d columns of %d rows: at least %d rows a column", ties.columns, n, rowsAColumn)
			l.stages = append(l.stages, Stage{Name: "lengths", LogEvidence: noEvidence, Skipped: why})
			return tied, nil
		}
	}
	return l.stage("lengths", lengths, 60, l.deviations(&set, nil))
}

// noMatrix returns the reason why no matrix is learned; "" if one is.
func (l *learner) noMatrix(set *setting) string {
	least := math.MaxInt
	for i, t := range l.terms {
		if w := set.warps[i].width(); t.kind == stationary && w > 1 {
			least = min(least, w)
		}
	}
	if least == math.MaxInt {
		return "one column: has no more than a length"
	}
	if least > mostMatrix {
		return fmt.Sprintf("%d columns: at most %d", least, mostMatrix)
	}
	if p, n := newSpace(l.model, matrix, set).freedom(), l.model.table.x.Rows; p > n {
		return fmt.Sprintf("%d parameters: more than the %d rows", p, n)
	}
	return ""
}

// stage searches from a setting, records what it finds, and returns it. The search for a matrix is refitted every few
// steps. It ends when the refit has less evidence than the time before, since from there on it fits the noise of its
// rows and frequencies, and the setting before is kept; and when it would be too dear in the end.
func (l *learner) stage(name string, f form, steps int, from setting) (setting, error) {
	start := time.Now()
	unit, shift := l.model.table.perRow()
	taken := 0
	var last *refit
	var refits []float64 // evidence
	p := newSpace(l.model, f, &from)
	set, err := p.maximize(steps, func(step int, value float64, theta []float64) error {
		taken = step
		if err := l.options.Progress(name, step, float64(value/unit)-shift); err != nil {
			return err
		}
		if f != matrix || step%between != 0 {
			return nil
		}
		set, _ := p.setting(theta)
		next := l.refitted(set)
		if last != nil && !(next.evidence > last.evidence) {
			return errEnough
		}
		last = next
		if refits = append(refits, next.evidence); l.hopeless(refits, p.freedom(), steps-step) {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return set, interrupted(err)
	}
	found := last
	if last == nil || taken%between != 0 {
		if found = l.refitted(set); last != nil && last.evidence >= found.evidence {
			found = last
		}
	}
	return found.set, l.finish(name, start, taken, p.freedom(), found)
}

// between is the number of steps between refits in the search for a matrix. There may be 300 parameters, and on rows
// and frequencies that it has not seen most of the gain comes with the first 10 to 40 steps.
const between = 10

// hopeless reports whether a stage would be too dear even if each of the steps that are left gained as much as the
// fastest of the last two refits. A search gains less and less, except that one refit may see little of a gain.
func (l *learner) hopeless(refits []float64, parameters, steps int) bool {
	k := len(refits) - 1
	if k < 1 || l.noise == nil {
		return false
	}
	gain := refits[k] - refits[k-1]
	if k > 1 {
		gain = max(gain, refits[k-1]-refits[k-2])
	}
	return l.tooDear(refits[k]+gain*float64(steps)/between, parameters) != ""
}

// perRow returns the number of rows times targets, and how much the log evidence of each is smaller because of the unit
// of targets.
func (t *table) perRow() (count, shift float64) {
	for _, u := range t.targets.unit {
		shift += detmath.Log(u)
	}
	freedom := t.x.Rows
	if t.intercept {
		freedom--
	}
	shift *= float64(freedom) / (float64(t.x.Rows) * float64(t.y.Cols))
	return float64(t.x.Rows) * float64(t.y.Cols), shift
}

// finish adds the result of a stage, with its number of parameters, to the stages.
func (l *learner) finish(name string, start time.Time, steps, parameters int, found *refit) error {
	stage := Stage{Name: name, LogEvidence: noEvidence, Skipped: found.leftOut}
	if found.solution != nil {
		if stage.Skipped = l.tooDear(found.evidence, parameters); stage.Skipped == "" {
			stage.LogEvidence = found.evidence
			l.add(&stage, parameters, found)
		}
		if err := l.options.Progress(name, steps, found.evidence); err != nil {
			return interrupted(err)
		}
	}
	stage.Seconds = time.Since(start).Seconds()
	l.stages = append(l.stages, stage)
	return nil
}

// tooDear returns the reason why a stage with more evidence than all before is skipped; "" if it is not. If stages are
// compared on the rows that they have learned from, a stage must gain more log evidence than it adds parameters (Akaike
// 1974, "A new look at the statistical model identification").
func (l *learner) tooDear(evidence float64, parameters int) string {
	if l.unseen || l.noise == nil {
		return ""
	}
	count, _ := l.fresh.table.perRow()
	gain, further := (evidence-l.stages[l.best].LogEvidence)*count, parameters-l.priced
	if gain <= 0 || gain > float64(further) {
		return ""
	}
	return fmt.Sprintf("%d further parameters: log evidence %.3g more in all", further, gain)
}

// better reports whether a stage is to replace the best one. It must have more evidence, and its leave-one-out loss
// must not be larger by more than one standard error of the difference. With labels, for which evidence is no measure,
// the loss must not be larger at all, and with few rows a column there are no length scales of columns.
func (l *learner) better(stage *Stage, parameters int, losses []float64) bool {
	best, x := l.stages[l.best], l.model.table.x
	if l.labels && !l.unseen && parameters > len(l.terms) && x.Rows < rowsForLength*x.Cols {
		return false
	}
	more, most := moreLoss(losses, l.losses)
	if l.labels {
		most = 0
	}
	return stage.LogEvidence > best.LogEvidence && !(more > most)
}

// add sets the kernel of a stage.
func (l *learner) add(stage *Stage, parameters int, found *refit) {
	var noise []float64
	noise, stage.Kernel = l.outcome(&found.set, found.solution)
	losses := l.leaveOneOut(found)
	for _, v := range losses {
		stage.LeaveOneOut += v
	}
	stage.LeaveOneOut /= float64(len(losses))
	if l.noise == nil || l.better(stage, parameters, losses) {
		l.best, l.priced, l.noise, l.losses = len(l.stages), parameters, noise, losses
	}
}

// result returns what was learned, or an error if no stage has a solution.
func (l *learner) result() (*Learned, error) {
	if l.noise == nil {
		return nil, fmt.Errorf("learn: kernel k has no finite log marginal likelihood: %s", l.stages[0].Skipped)
	}
	best := l.stages[l.best]
	return &Learned{Kernel: best.Kernel, NoiseVariance: l.noise, LogEvidence: best.LogEvidence, Stages: l.stages}, nil
}
