// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A model's file has a modelDocument, the output of featuremap.Encode for its map, and the arrays of
// modelDocument.sizes.

// A modelDocument is a model's file without the map and the arrays.
type modelDocument struct {
	Features    int      `json:"features"`
	Targets     int      `json:"targets"`
	Rows        int      `json:"rows"`
	Lambda      []number `json:"lambda"` // of each target
	LogEvidence number   `json:"logEvidence"`
	Condition   []number `json:"condition,omitempty"` // of each different λ, in the order of the targets
	Intercept   bool     `json:"intercept"`
	Factor      bool     `json:"factor"`
	Sample      bool     `json:"sample"` // false: samples of a posterior have no files

	Criterion   string         `json:"criterion,omitempty"` // omitted if λ was given
	LeaveOneOut []number       `json:"leaveOneOut,omitempty"`
	Stray       *strayDocument `json:"stray,omitempty"`
	Weight      float64        `json:"weight,omitempty"`  // of all rows, if it is not their number
	Left        float64        `json:"left,omitempty"`    // mean of what the features miss of k(x, x)
	Free        []float64      `json:"free,omitempty"`    // with Left: share of the degrees of freedom that the features leave, for each λ
	Parts       []float64      `json:"parts,omitempty"`   // with Left: its share of σ² of each target, unless all rows count as its mean
	Prior       []number       `json:"prior,omitempty"`   // with Left: bound of the prior variance, in units of σ², of each target, if it is below 1/λ
	Beyond      int            `json:"beyond,omitempty"`  // rows outside the map's domain
	Unit        float64        `json:"unit,omitempty"`    // of λ, if the noise is known
	Misfit      float64        `json:"misfit,omitempty"`  // mean square error over the known noise, if it is far above 1
	Crowded     bool           `json:"crowded,omitempty"` // targets share λ for lack of memory

	RowSide *sideDocument `json:"rowSide,omitempty"` // of a fit on the rows' side

	Iterative *iterativeDocument `json:"iterative,omitempty"` // of a model of FitIterative
	Intervals *intervalsDocument `json:"intervals,omitempty"`
}

// An iterativeDocument is the further part of a model of FitIterative. LogEvidence and Condition are then 0 in the
// file, and not known.
type iterativeDocument struct {
	Residual  number   `json:"residual"`
	Tolerance float64  `json:"tolerance"`
	Passes    int      `json:"passes"`
	Samples   int      `json:"samples"`
	Held      int      `json:"held"`
	HeldError []number `json:"heldError,omitempty"`
}

// A strayDocument is a stray as it is saved.
type strayDocument struct {
	Target     int    `json:"target"`
	Prediction number `json:"prediction"`
	Least      number `json:"least"`
	Most       number `json:"most"`
}

const modelFile = "ridge model"

// ridges returns the number of different λ.
func (d *modelDocument) ridges() int {
	lambdas := slices.Sorted(slices.Values(d.Lambda))
	return len(slices.Compact(lambdas))
}

// sizes returns the sizes of the arrays: the weights of each target in turn; the intercepts; the noise variances; the
// mean of the features if there is an intercept; the factors of each different λ in turn, column after column down to
// the diagonal; after FitIterative the samples of the posterior, for each different λ in turn; and the numbers of
// intervals.
func (d *modelDocument) sizes() []int {
	sizes := []int{d.Features * d.Targets, d.Targets, d.Targets, 0, 0}
	if d.Intercept {
		sizes[3] = d.Features
	}
	if d.Factor {
		sizes[4] = triangle(d.order()) * d.ridges()
	}
	if d.Iterative != nil {
		sizes = append(sizes, d.Features*d.Iterative.Samples*d.ridges())
	}
	if d.RowSide != nil && d.Factor {
		sizes = append(sizes, d.RowSide.sizes(d.Rows)...)
	}
	return append(sizes, d.Intervals.sizes(d.Features)...)
}

// order returns the order of a factor: the number of features, or of rows on their side.
func (d *modelDocument) order() int {
	if d.RowSide != nil {
		return d.Rows
	}
	return d.Features
}

var _ io.WriterTo = (*Model)(nil)

var errZeroModel = errors.New("ridge: the model is the zero value")

// WriteTo writes the model to w, together with its map as featuremap.Encode writes it. The file contains all that
// another process needs to predict with the same bits. The factor from which variances come takes 4·D² bytes for each
// different λ; MeanOnly leaves it out. On the rows' side it takes 4·n² bytes, and the file contains the n rows of x:
// see Side. Intervals take about 33 kB a target at most, three times as much if rows are weighted, and 8·D bytes.
// Writing takes the time to make the map and to find the condition number.
//
// It returns an error if the model is a zero value, if featuremap.Encode does, or if w returns one.
func (m *Model) WriteTo(w io.Writer) (n int64, err error) {
	if m.phi == nil {
		return 0, errZeroModel
	}
	var phi bytes.Buffer
	if err := featuremap.Encode(&phi, m.phi); err != nil {
		return 0, err
	}
	return m.writeTo(w, phi.Bytes(), m.document())
}

// document returns the document of a model.
func (m *Model) document() modelDocument {
	d := modelDocument{
		Features: m.out, Targets: m.targets(), Rows: m.rows, LogEvidence: number(m.evidence),
		Intercept: m.mean != nil, Factor: m.ridges[0].inverse != nil, Weight: m.total, Left: m.left, Beyond: m.beyond, Crowded: m.crowded, Unit: m.unit, Misfit: m.misfit, Intervals: m.intervals.document(), RowSide: m.sideDocument(),
	}
	for t := range m.of {
		d.Lambda = append(d.Lambda, number(m.lambda(t)))
	}
	for _, r := range m.ridges {
		if m.left > 0 {
			d.Free = append(d.Free, r.free)
		}
		if r.condition != nil {
			d.Condition = append(d.Condition, number(r.condition()))
		}
	}
	if it := m.iterative; it != nil {
		d.LogEvidence = 0
		d.Iterative = &iterativeDocument{number(it.residual), it.tolerance, it.passes, m.samples(m.out), it.held, nil}
		for _, v := range it.heldError {
			d.Iterative.HeldError = append(d.Iterative.HeldError, number(v))
		}
	}
	if !m.given {
		d.Criterion = m.criterion.String()
	}
	for _, v := range m.leftOut {
		d.LeaveOneOut = append(d.LeaveOneOut, number(v))
	}
	for _, v := range m.prior {
		d.Prior = append(d.Prior, number(v))
	}
	d.Parts = m.parts
	if s := m.stray; s.distance > 0 {
		d.Stray = &strayDocument{s.target, number(s.prediction), number(s.span.least), number(s.span.most)}
	}
	return d
}

// writeTo writes a model by its document, with the file of its map.
func (m *Model) writeTo(w io.Writer, phi []byte, d modelDocument) (n int64, err error) {
	document, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("ridge: %w", err)
	}
	return sealed.Write(w, modelFile, document, phi, d.sizes(), func(f *sealed.Writer) {
		for _, v := range [][]float64{m.weights, m.intercept, m.noise, m.mean} {
			f.Floats(v)
		}
		if m.iterative != nil {
			f.Floats(nil)
			f.Floats(m.iterative.deltas)
		}
		for _, r := range m.ridges {
			writeFactor(f, r.savedFactor())
		}
		if s := m.rowSide(); s != nil {
			s.write(f)
		}
		m.intervals.write(f)
	})
}

// savedFactor returns the factor that is saved, nil if no factor is.
func (r *ridge) savedFactor() *tiled.Factor {
	if v, ok := r.inverse.(*byRows); ok {
		return v.factor
	}
	return r.factor()
}

// writeFactor writes a factor, unless it is nil.
func writeFactor(f *sealed.Writer, u *tiled.Factor) {
	if u == nil {
		return
	}
	column := make([]float64, u.Dim())
	for j := range column {
		u.Column(column, j)
		f.Floats(column[:j+1])
	}
}

// ReadModel reads a model that Model.WriteTo wrote to r, up to the end of r, and makes its map. The options bound the
// memory that the map may take; nil stands for the defaults of featuremap.Decode.
//
// It takes memory in proportion to the data that it reads, plus what featuremap.Decode allows for the map. It returns
// an error if a byte was changed, if data is missing or left over, if no model has such numbers, if featuremap.Decode
// does, or if r returns one.
func ReadModel(r io.Reader, opts *featuremap.DecodeOptions) (*Model, error) {
	f, numbers, err := openModel(r)
	if err != nil {
		return nil, err
	}
	phi, err := featuremap.Decode(bytes.NewReader(f.File), opts)
	if err != nil {
		return nil, err
	}
	in, out := phi.Dims()
	if r := numbers.rowSide(); r != nil {
		if r.phi = phi; r.in != in {
			return nil, fmt.Errorf("ridge: the data has rows of %d coordinates, and a map of %d", r.in, in)
		}
	}
	if out*len(numbers.noise) != len(numbers.weights) {
		return nil, fmt.Errorf("ridge: the data has %d weights for %d targets and %d features", len(numbers.weights), len(numbers.noise), out)
	}
	return newModel(phi, *numbers), nil
}

// openModel reads a model without its map, whose file it leaves in f.
func openModel(r io.Reader) (f *sealed.Reader, n *numbers, err error) {
	if f, err = sealed.NewReader(r, modelFile, math.MaxInt64); err != nil {
		return f, nil, fmt.Errorf("ridge: %w", err)
	}
	n, err = readNumbers(f)
	return f, n, err
}

// readNumbers reads a model without its map.
func readNumbers(f *sealed.Reader) (*numbers, error) {
	var d modelDocument
	if err := unmarshal(f.Document, &d); err != nil {
		return nil, err
	}
	if d.Features < 1 || d.Rows < 1 || d.Rows > normal.MaxRows || d.Factor && d.Sample {
		return nil, fmt.Errorf("ridge: the data is of a model of %d features and %d rows", d.Features, d.Rows)
	}
	if d.Weight < 0 {
		return nil, fmt.Errorf("ridge: the data is of a model of rows of weight %v: must be at least 0", d.Weight)
	}
	if !(d.Unit >= 0) {
		return nil, fmt.Errorf("ridge: the data has λ in units of %v: must be at least 0", d.Unit)
	}
	if !(d.Misfit >= 0) || d.Misfit > 0 && d.Unit == 0 {
		return nil, fmt.Errorf("ridge: the data has errors of %v times a noise of %v: must be at least 0, and 0 if the noise is not known", d.Misfit, d.Unit)
	}
	if d.Beyond < 0 || d.Beyond > d.Rows {
		return nil, fmt.Errorf("ridge: the data has %d rows outside of the domain, of %d", d.Beyond, d.Rows)
	}
	if d.Sample {
		return nil, errors.New("ridge: the data is of a function drawn from a posterior, not of a model")
	}
	if d.Left < 0 {
		return nil, fmt.Errorf("ridge: the data is of a model of landmarks that leave %v: must be at least 0", d.Left)
	}
	if err := errors.Join(d.validateSize(), d.Intervals.validate(d.Targets), d.RowSide.validate()); err != nil {
		return nil, err
	}
	if err := validateSizes(f, d.sizes()...); err != nil {
		return nil, err
	}
	n := &numbers{rows: d.Rows, total: d.Weight, left: d.Left, beyond: d.Beyond, crowded: d.Crowded, known: d.Unit > 0, unit: d.Unit, misfit: d.Misfit, evidence: float64(d.LogEvidence)}
	if err := errors.Join(n.setRidges(&d), n.choice(&d)); err != nil {
		return nil, err
	}
	sizes := d.sizes()
	n.weights, n.intercept, n.noise = f.Floats(sizes[0]), f.Floats(sizes[1]), f.Floats(sizes[2])
	if d.Intercept {
		n.mean = f.Floats(sizes[3])
	}
	if it := d.Iterative; it != nil {
		n.evidence = nan
		n.iterative = &iterated{residual: float64(it.Residual), tolerance: it.Tolerance, passes: it.Passes, held: it.Held}
		for _, v := range it.HeldError {
			n.iterative.heldError = append(n.iterative.heldError, float64(v))
		}
		f.Floats(0)
		n.iterative.deltas = f.Floats(sizes[5])
	}
	columns := make([][][]float64, len(n.ridges))
	for k := range columns {
		if d.Factor {
			columns[k] = readColumns(f, d.order())
		}
	}
	var err error
	var side *rowSide
	if n.side = FeatureSide; d.RowSide != nil {
		if n.side = RowSide; d.Factor {
			if side, err = d.RowSide.read(f, d.Rows, d.Intercept); err != nil {
				return nil, err
			}
		}
	}
	if n.intervals, err = d.Intervals.read(f, d.Features); err != nil {
		return nil, err
	}
	if v := n.intervals; v != nil && v.scores != nil && !v.noVariance && !d.Factor && (d.Iterative == nil || d.Iterative.Samples == 0) {
		return nil, errors.New("ridge: the data has intervals that need a variance, and none")
	}
	if _, err := f.Close(); err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	if err := n.validate(columns); err != nil {
		return nil, err
	}
	if d.Factor {
		n.setFactors(columns, side)
	}
	return n, nil
}

// setRidges sets what belongs to each λ, except factors.
func (n *numbers) setRidges(d *modelDocument) error {
	for _, v := range d.Lambda {
		lambda := float64(v)
		if !validLambda(lambda) {
			return fmt.Errorf("ridge: the data has lambda = %v", lambda)
		}
		k := slices.IndexFunc(n.ridges, func(r ridge) bool { return r.lambda == lambda })
		if k < 0 {
			k = len(n.ridges)
			n.ridges = append(n.ridges, ridge{lambda: lambda})
		}
		n.of = append(n.of, k)
	}
	conditions := len(n.ridges)
	if d.Condition == nil && !d.Factor { // of a fit by iterations, or in float32
		conditions = 0
	}
	if len(n.of) != d.Targets || len(d.Condition) != conditions {
		return fmt.Errorf("ridge: the data has %d λ and %d conditions for %d targets", len(n.of), len(d.Condition), d.Targets)
	}
	if d.Left > 0 && len(d.Free) != len(n.ridges) || d.Left == 0 && d.Free != nil {
		return fmt.Errorf("ridge: the data has %d parts of degrees of freedom for %d λ, where the features leave %v", len(d.Free), len(n.ridges), d.Left)
	}
	for k, v := range d.Free {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("ridge: the data has a part %v of degrees of freedom: must be from 0 to 1", v)
		}
		n.ridges[k].free = v
	}
	if d.Prior != nil && (len(d.Prior) != d.Targets || d.Left == 0 || d.Criterion == "") {
		return fmt.Errorf("ridge: the data has %d prior variances of what the features leave, %v, for %d targets", len(d.Prior), d.Left, d.Targets)
	}
	for _, v := range d.Prior {
		if !(v > 0) {
			return fmt.Errorf("ridge: the data has the prior variance %v: must be positive", float64(v))
		}
		n.prior = append(n.prior, float64(v))
	}
	if d.Parts != nil && (len(d.Parts) != d.Targets || d.Left == 0 || d.Criterion == "") {
		return fmt.Errorf("ridge: the data has %d parts of σ² for what the features leave, %v, for %d targets", len(d.Parts), d.Left, d.Targets)
	}
	for _, v := range d.Parts {
		if !(v >= 0 && v <= mostLeft) {
			return fmt.Errorf("ridge: the data has a part %v of σ² for what the features leave: must be from 0 to ½", v)
		}
	}
	n.parts = d.Parts
	for k, v := range d.Condition {
		condition := float64(v)
		n.ridges[k].condition = func() float64 { return condition }
	}
	return nil
}

// validateSize refuses numbers of targets and samples that no model has, and a factor that does not fit in memory.
func (d *modelDocument) validateSize() error {
	if it := d.Iterative; it != nil {
		if d.Targets < 1 || d.Factor || it.Samples < 0 || it.Samples > mostSamples || it.Passes < 0 || it.Held < 0 ||
			!(it.Residual >= 0) || !(it.Tolerance >= 0) || it.HeldError != nil && len(it.HeldError) != d.Targets {
			return fmt.Errorf("ridge: the data is of a model of %d targets, %d samples and %d passes", d.Targets, it.Samples, it.Passes)
		}
		return nil
	}
	if n := d.ridges(); n > mostFactors {
		return fmt.Errorf("ridge: the data has %d different λ: must be at most %d", n, mostFactors)
	}
	if d.RowSide != nil {
		return nil // everything is in the data
	}
	return validateSize(d.Features, d.Targets)
}

// choice sets how λ was chosen, the leave-one-out errors and the stray.
func (n *numbers) choice(d *modelDocument) error {
	switch d.Criterion {
	case "":
		n.given = true
	case GuardedEvidence.String():
	case Evidence.String():
		n.criterion = Evidence
	case LeaveOneOut.String():
		n.criterion = LeaveOneOut
	default:
		return fmt.Errorf("ridge: the data has the criterion %.40q", d.Criterion)
	}
	if d.LeaveOneOut != nil && len(d.LeaveOneOut) != d.Targets {
		return fmt.Errorf("ridge: the data has %d leave-one-out errors for %d targets", len(d.LeaveOneOut), d.Targets)
	}
	for t, v := range d.LeaveOneOut {
		if !(v >= 0) {
			return fmt.Errorf("ridge: the data has the leave-one-out error %v of target %d: must be at least 0", v, t)
		}
		n.leftOut = append(n.leftOut, float64(v))
	}
	if s := d.Stray; s != nil {
		n.stray = newStray(s.Target, float64(s.Prediction), span{float64(s.Least), float64(s.Most)})
		if s.Target < 0 || s.Target >= d.Targets || !(n.stray.distance > 0) {
			return fmt.Errorf("ridge: the data has the prediction %v of target %d, from %v to %v", s.Prediction, s.Target, s.Least, s.Most)
		}
	}
	return nil
}

// validate refuses numbers and columns of a factor that no model has.
func (n *numbers) validate(factors [][][]float64) error {
	if err := n.validateFinite(); err != nil {
		return fmt.Errorf("ridge: the data has %w", err)
	}
	for _, c := range slices.Concat(factors...) {
		if err := finite("factor", c); err != nil {
			return fmt.Errorf("ridge: the data has %w", err)
		}
		if j := len(c) - 1; !(c[j] > 0) {
			return fmt.Errorf("ridge: the data has %v for element %d of the diagonal of a factor: must be positive", c[j], j)
		}
	}
	if it := n.iterative; it != nil {
		if err := finite("samples", it.deltas); err != nil {
			return fmt.Errorf("ridge: the data has %w", err)
		}
		return nil
	}
	if math.IsNaN(n.evidence) || slices.ContainsFunc(n.ridges, func(r ridge) bool { return r.condition != nil && math.IsNaN(r.condition()) }) {
		return errors.New("ridge: the data has a log evidence or a condition of NaN")
	}
	return nil
}

// validateFinite refuses weights, intercepts, noise and means that are not finite, and noise that is negative.
func (n *numbers) validateFinite() error {
	for _, v := range []struct {
		name string
		of   []float64
	}{{"weights", n.weights}, {"intercepts", n.intercept}, {"noise", n.noise}, {"mean", n.mean}} {
		if err := finite(v.name, v.of); err != nil {
			return err
		}
	}
	for t, v := range n.noise {
		if v < 0 {
			return fmt.Errorf("the noise %v of target %d: must be at least 0", v, t)
		}
	}
	return nil
}

// finite refuses numbers that are infinite or NaN.
func finite(name string, v []float64) error {
	for i, v := range v {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return fmt.Errorf("%v for number %d of the %s: must be finite", v, i, name)
		}
	}
	return nil
}

// MarshalJSON returns an error: save models with WriteTo instead.
func (m *Model) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: a Model is saved by WriteTo, not as JSON")
}
