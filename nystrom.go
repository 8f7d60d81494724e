// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/nystrom"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A LandmarkChoice says how NewNystrom chooses landmarks from rows.
type LandmarkChoice int

const (
	// KMeans takes centers of clusters: seeds by k-means++ in blocks of 16 (Arthur and Vassilvitskii 2007), then three
	// steps of Lloyd's algorithm, on up to 6,000 of the points. Distances are as the kernel sees them, behind ARD,
	// Project and Select, so the units of columns do not matter there. For a kernel that is not a function of such
	// distances alone, such as Periodic, a dot product kernel or a skeleton's, the landmarks are the seeds: rows of the
	// points, chosen by the kernel's own distance k(x, x) + k(y, y) − 2k(x, y).
	KMeans LandmarkChoice = iota

	// RPCholesky takes rows by randomly pivoted Cholesky factorization of the kernel matrix, in blocks with rejection
	// (Chen, Epperly, Tropp and Webber 2022; Epperly, Tropp and Webber 2024), of up to 10,000 of the points. The next
	// landmark is a row with probability proportional to k(x, x) minus the part that the landmarks so far explain. For
	// smooth kernels the kernel error is lowest, but predictions are often worse than with KMeans.
	RPCholesky

	// RandomRows takes rows at random without replacement. It does not depend on the order of the points.
	RandomRows
)

// String returns the name of the constant.
func (c LandmarkChoice) String() string {
	if names := [...]string{"KMeans", "RPCholesky", "RandomRows"}; c >= 0 && int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("LandmarkChoice(%d)", int(c))
}

// NystromOptions are the options of NewNystrom; nil is the zero value.
type NystromOptions struct {
	// Landmarks says how landmarks are chosen from the rows; KMeans if zero.
	Landmarks LandmarkChoice
}

// String returns the Go expression that makes the options.
func (o NystromOptions) String() string { return gosyntax.Of(o) }

// Nystrom is the map of Nyström features for any kernel (Williams and Seeger 2001, "Using the Nyström method to speed
// up kernel machines"). It is made from m points, the landmarks S: with the Cholesky factor L of k(S, S) = LLᵀ,
//
//	φ(x) = L⁻¹k(S, x).
//
// ⟨φ(x), φ(y)⟩ is the kernel after projection on the span of the landmarks. It is at most k(x, x) for x = y, and
// exactly k(x, y) if x or y is a landmark. Whether Nyström or random features predict better is not known before there
// are targets: see docs/guide/choosing.md.
//
// Landmarks are points of the data, or means of some, and are saved with the map. A row takes m kernel values and m²/2
// multiply-adds. The bits are the same on every machine for kernels that Gram computes by tiles. The zero value is no
// map (see FeatureMap).
type Nystrom struct {
	noJSON

	kernel  Kernel
	in, out int
	set     nystrom.Set

	//lint:ignore U1000 nystrom.Of finds it
	hiddenLandmarks
}

// hiddenLandmarks is what other packages of the module need from a map.
type hiddenLandmarks = nystrom.Hidden

var (
	_ FeatureMap = (*Nystrom)(nil)
	_ Variancer  = (*Nystrom)(nil)
)

// NewNystrom returns a map R^in → R^m for any kernel k, with m at most the given number of features. A Split of s
// chooses the landmarks from the rows of x, n×in.
//
// If distinct rows do not outnumber features, all distinct rows are landmarks, for any LandmarkChoice. The map then
// has as many columns (Dims) and is exact at these rows. In this case, and with RandomRows, it does not depend on the
// order of rows. Rows with k(x, x) = 0 are never landmarks.
//
// A landmark s that depends on others to the precision of float64, with a pivot in k(S, S) of at most 1e-10·k(s, s), is
// dropped: its column is 0. ‖φ(s)‖² still is k(s, s), to about 1e-10 of it.
//
// It returns an error, and leaves s as it was, if k or x is nil, if a parameter of k or an option is refused, if
// features is less than 1, or if s is the zero value. x must have a row with positive k(x, x), and finite elements;
// elements that a Binary or a Categories reads must be among its values. Kernel values at landmarks must be finite,
// and the matrices must fit in memory.
func NewNystrom(k Kernel, x mat.Matrix, features int, s *Sampler, opts *NystromOptions) (*Nystrom, error) {
	k = plainKernel(k)
	var o NystromOptions
	if opts != nil {
		o = *opts
	}
	if err := o.validate(k, x, features); err != nil {
		return nil, err
	}
	s, err := givenSampler(s)
	if err != nil {
		return nil, err
	}
	before := *s
	split := s.Split()
	m, err := newNystrom(k, x, features, split, &o)
	if err != nil {
		*s = before
	}
	return m, err
}

// validate checks the arguments of NewNystrom.
func (o *NystromOptions) validate(k Kernel, x mat.Matrix, features int) error {
	if check.IsNil(x) {
		return errors.New("featuremap: x = nil")
	}
	n, in := x.Dims()
	if n == 0 || in == 0 {
		return fmt.Errorf("featuremap: x is %d×%d: must have a row and a column", n, in)
	}
	if features < 1 {
		return fmt.Errorf("featuremap: features = %d: must be at least 1", features)
	}
	if err := cmp.Or(validateSizes(k, in, min(features, n)), validateTerms(k, in)); err != nil {
		return err
	}
	if o.Landmarks < KMeans || o.Landmarks > RandomRows {
		return fmt.Errorf("featuremap: Landmarks = %v: must be KMeans, RPCholesky or RandomRows", o.Landmarks)
	}
	// Two triangles (the factor, and the matrix that it is made of), the landmarks twice, and what the choice takes.
	columns := float64(min(features, n))
	size := 8 * columns * (2*columns + 2*float64(in) + float64(min(n, nystrom.MostPivoted)))
	if limit := float64(memory.Limit()); size > limit {
		return fmt.Errorf("featuremap: features = %d: the matrices of %v landmarks of %d coordinates take %.3g bytes, and there are %.3g", features, columns, in, size, limit)
	}
	if err := check.Finite("x", x, 0); err != nil {
		return err
	}
	return validateOnSpaces("x", k, x)
}

// newNystrom is NewNystrom for valid arguments.
func newNystrom(k Kernel, x mat.Matrix, features int, s *Sampler, o *NystromOptions) (*Nystrom, error) {
	_, in := x.Dims()
	m := &Nystrom{kernel: k, in: in, set: nystrom.Set{Program: compileGram(k, in)}}
	program, at := m.set.Program, x
	scales, inner := outermost(k)
	if scales != nil { // landmarks are chosen in logarithms
		program, at = compileGram(inner, in), rows.Logarithms(x, scales)
	}
	chooser, err := nystrom.NewChooser(program, at, features, drawing{s.Split()})
	if err != nil {
		return nil, err
	}
	chosen, ordered, err := chooser.Choose(nystrom.Selection(o.Landmarks))
	if err != nil {
		return nil, err
	}
	if scales != nil {
		chooser.Return(x, chosen, func(v float64, column int) float64 { return rows.Exponential(v, scales[column]) })
	}
	if err := m.set.FactorizeChosen(chooser, chosen, ordered); err != nil {
		return nil, err
	}
	m.factorized()
	return m, nil
}

// factorized sets what follows from the factor of the landmarks.
func (m *Nystrom) factorized() {
	m.out = m.set.Size()
	m.hiddenLandmarks = nystrom.Hide(rawNystrom{m}, &m.set)
}

// Dims returns the numbers of coordinates in and features out.
func (m *Nystrom) Dims() (in, out int) { return m.in, m.out }

// Kernel returns the kernel that the map was made for.
func (m *Nystrom) Kernel() Kernel { return m.kernel }

// Landmarks returns a copy of the landmarks, one in each row.
func (m *Nystrom) Landmarks() *mat.Dense {
	if m.set.Points == nil {
		return new(mat.Dense)
	}
	return mat.DenseCopyOf(m.set.Dense())
}

// String returns the kernel, the dimensions, and the number of landmarks.
func (m *Nystrom) String() string {
	if m.set.Points == nil {
		return zeroMap
	}
	text := fmt.Sprintf("%s: R^%d → R^%d, %d landmark", gosyntax.Of(m.kernel), m.in, m.out, m.out)
	if m.out > 1 {
		text += "s"
	}
	if len(m.set.Dropped) > 0 {
		text += fmt.Sprintf(", of which %d depend on others", len(m.set.Dropped))
	}
	return text
}

// markNotFinite sets row i of dst to NaN if row i of x has an element that is not finite: kernels may be 0 there.
func markNotFinite(dst blas64.General, x *rows.Reader) {
	if _, _, _, found := x.NotFinite(); !found {
		return
	}
	for i := range dst.Rows {
		if !arith.FiniteAll(x.Row(i)) {
			fillNaN(dst.Data[i*dst.Stride:][:dst.Cols])
		}
	}
}

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with n ≥ 1: see FeatureMap.
func (m *Nystrom) TransformTo(dst *mat.Dense, x mat.Matrix) {
	if dense, ok := x.(mat.RawMatrixer); ok && m.set.Points != nil {
		if from := dense.RawMatrix(); from.Rows >= manyLandmarkRows {
			check.Transform(dst, x, m.in, m.out)
			m.transformMany(dst.RawMatrix(), from)
			return
		}
	}
	m.rawTo(dst, x)
	m.set.Factor.SolveTransVecs(dst.RawMatrix())
}

// Of many rows, a few at a time go all the way from coordinates to features, so they stay in the second-level cache.
const (
	landmarkRows     = 48
	manyLandmarkRows = 4 * landmarkRows
)

// A landmarkTask computes the features of dense rows; it is a parallel.Task.
type landmarkTask struct {
	m      *Nystrom
	dst, x blas64.General
}

var landmarkTasks = sync.Pool{New: func() any { return new(landmarkTask) }}

// transformMany sets the rows of dst to the features of the rows of x.
func (m *Nystrom) transformMany(dst, x blas64.General) {
	t := landmarkTasks.Get().(*landmarkTask)
	*t = landmarkTask{m, dst, x}
	parallel.Run(t, x.Rows, landmarkRows)
	*t = landmarkTask{}
	landmarkTasks.Put(t)
}

// Do computes the features of the rows [lo, hi).
func (t *landmarkTask) Do(lo, hi int) {
	dst, x := t.dst, t.x
	dst.Rows, dst.Data = hi-lo, dst.Data[lo*dst.Stride:]
	x.Rows, x.Data = hi-lo, x.Data[lo*x.Stride:]
	t.m.set.Matrix.BlockTo(dst, x)
	t.m.clearDropped(dst)
	for i := range x.Rows {
		if !arith.FiniteAll(x.Data[i*x.Stride:][:x.Cols]) {
			fillNaN(dst.Data[i*dst.Stride:][:dst.Cols])
		}
	}
	t.m.set.Factor.SolveTransVecs(dst)
}

// clearDropped sets the columns of dropped landmarks to 0.
func (m *Nystrom) clearDropped(dst blas64.General) {
	for _, j := range m.set.Dropped {
		for i := range dst.Rows {
			dst.Data[i*dst.Stride+j] = 0
		}
	}
}

// fillNaN sets all elements to NaN.
func fillNaN(v []float64) {
	for j := range v {
		v[j] = math.NaN()
	}
}

// rawTo sets row i of dst to the raw features of row i of x: k(S, xᵢ).
func (m *Nystrom) rawTo(dst *mat.Dense, x mat.Matrix) {
	if m.set.Points == nil {
		panic(mat.ErrShape)
	}
	check.Transform(dst, x, m.in, m.out)
	raw := dst.RawMatrix()
	m.set.Matrix.RowsTo(raw, x)
	m.clearDropped(raw)
	reader, ok := landmarkReaders.Get().(*rows.Reader)
	if !ok {
		reader = new(rows.Reader)
	}
	reader.Reset(x)
	markNotFinite(raw, reader)
	reader.Reset(nil)
	landmarkReaders.Put(reader)
}

var landmarkReaders sync.Pool // of *rows.Reader

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *Nystrom) TransformVec(dst, x []float64) []float64 {
	dst = m.rawVec(dst, x)
	m.set.Factor.SolveTransVec(dst)
	return dst
}

// rawVec writes the raw features of x to dst and returns it.
func (m *Nystrom) rawVec(dst, x []float64) []float64 {
	if m.set.Points == nil {
		panic(mat.ErrShape)
	}
	dst = check.Vector(dst, x, m.in, m.out)
	if !arith.FiniteAll(x) {
		fillNaN(dst)
		return dst
	}
	m.set.Matrix.RowTo(dst, x)
	for _, j := range m.set.Dropped {
		dst[j] = 0
	}
	return dst
}

// Raw returns the map of raw features r(x) = k(S, x), and the upper triangular U with φ(x) = U⁻ᵀr(x). A linear function
// wᵀφ is βᵀr with Uβ = w, so a linear model need not solve for each row; package ridge uses this. Columns of dropped
// landmarks are 0.
func (m *Nystrom) Raw() (raw FeatureMap, u *mat.TriDense) {
	if m.set.Points == nil {
		panic(mat.ErrShape)
	}
	u = mat.NewTriDense(m.out, mat.Upper, nil)
	for i, to := 0, u.RawTriangular(); i < m.out; i++ {
		m.set.Factor.Row(to.Data[i*to.Stride:][:m.out], i)
	}
	return rawNystrom{m}, u
}

// rawNystrom is the map of the raw features of a Nystrom map.
type rawNystrom struct{ m *Nystrom }

func (r rawNystrom) Dims() (in, out int)                      { return r.m.Dims() }
func (r rawNystrom) Kernel() Kernel                           { return FromMap(r) }
func (r rawNystrom) TransformTo(dst *mat.Dense, x mat.Matrix) { r.m.rawTo(dst, x) }
func (r rawNystrom) TransformVec(dst, x []float64) []float64  { return r.m.rawVec(dst, x) }
func (r rawNystrom) String() string                           { return "raw features of " + r.m.String() }

// Bias returns ⟨φ(x), φ(y)⟩ − k(x, y): minus what the projection on the landmarks loses.
func (m *Nystrom) Bias(x, y []float64) float64 {
	fx, fy := m.TransformVec(nil, x), m.TransformVec(nil, y)
	return arith.Inner(fx, fy) - m.kernel.Eval(x, y)
}

// Variance returns 0, because the landmarks are taken as given and nothing else is random.
func (m *Nystrom) Variance(x, y []float64) float64 {
	if m.set.Points == nil || len(x) != m.in || len(y) != m.in {
		panic(mat.ErrShape)
	}
	return 0
}

// DiagonalTo sets dst to k(x, x) for the rows of x, n×in. It panics with mat.ErrShape unless dst has length n and x has
// in columns.
func (m *Nystrom) DiagonalTo(dst []float64, x mat.Matrix) {
	if n, in := x.Dims(); m.set.Points == nil || len(dst) != n || in != m.in {
		panic(mat.ErrShape)
	}
	m.set.Matrix.DiagonalTo(dst, x)
}

// RemainderTo sets dst to k(x, x) − ‖φ(x)‖², the part of the kernel that the landmarks miss, for the rows of x, n×in.
// It is at least 0. features are the features of the rows, n×out; nil means that RemainderTo computes them. It panics
// with mat.ErrShape if dst does not have length n, or another shape differs.
func (m *Nystrom) RemainderTo(dst []float64, x mat.Matrix, features *mat.Dense) {
	n, in := x.Dims()
	if features == nil {
		features = new(mat.Dense)
		m.TransformTo(features, x)
	}
	if r, c := features.Dims(); m.set.Points == nil || len(dst) != n || in != m.in || r != n || c != m.out {
		panic(mat.ErrShape)
	}
	m.set.Matrix.DiagonalTo(dst, x)
	for i := range dst {
		phi := features.RawRowView(i)
		dst[i] = max(dst[i]-arith.Chain(phi, phi), 0)
	}
}
