// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/laplacian"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Data-dependent maps: a map deformed by points without labels.

// DataDependentOptions are the options of NewDataDependent: M = Alpha·L^Power, where L is the normalized Laplacian of
// the matrix W from one source, Affinity, Neighbors or Features. The zero value and nil mean Alpha = 0: no deformation,
// and no source is needed.
type DataDependentOptions struct {
	// Alpha weighs the information in the points: finite and at least 0. The inner product of the reproducing kernel
	// Hilbert space becomes ⟨f, g⟩ + Alpha·Σᵢⱼ f(xᵢ)·(L^Power)ᵢⱼ·g(xⱼ) (Sindhwani, Niyogi and Belkin 2005), so
	// functions that vary along the edges of W cost more. The sum is over all N points and grows with N.
	Alpha float64

	// Power is the exponent of L, from 1 to 1000; 1 if 0.
	Power int

	// Affinity is W itself, N×N and symmetric, with elements that are finite and not negative. Mirrored elements may
	// differ by 1e-10 of the larger one; their mean is used. Affinity is copied.
	Affinity mat.Matrix

	// Neighbors is the number of nearest neighbors of each point in a heat graph, from 1 to N − 1: wᵢⱼ =
	// exp(−‖xᵢ−xⱼ‖²/2σ²) if j is a neighbor of i or i of j, and 0 otherwise. The width σ is the mean distance from a
	// point to its neighbors. Ties in distance go to the lower index.
	Neighbors int

	// Features is a map Ψ with W = ΨΨᵀ. Row sums of W must not be negative, and L must be positive semi-definite. It is
	// if no element of W is negative, as for a kernel without negative values and features that estimate it well
	// enough.
	Features FeatureMap
}

// String returns the Go expression that makes the options.
func (o DataDependentOptions) String() string { return gosyntax.Of(o) }

// DataDependent is a map deformed by N points without labels (Ionescu, Popa and Sminchisescu 2017, "Large-scale
// data-dependent kernel approximation"). Points of large affinity, such as neighbors in a graph, get similar features.
// This helps a classifier with few labels and many points without. With the N×D features Φ of the points under the base
// map φ, and M = αL^c, it is
//
//	φ̃(x) = R·φ(x),  R = C⁻¹,  CCᵀ = I + ΦᵀMΦ (Cholesky).
//
// ⟨φ̃(x), φ̃(y)⟩ is the kernel k̃ that Kernel returns, with ⟨φ(x), φ(y)⟩ instead of k (Proposition 2). It estimates k̃
// with a bias, because R is not linear in ΦΦᵀ, and with an unknown variance: DataDependent is no Variancer. At the N
// points the error is at most a multiple of the base map's: see GramBound.DataDependent.
//
// The zero value is no map (see FeatureMap): use NewDataDependent.
type DataDependent struct {
	noJSON

	base    FeatureMap
	in, out int
	kernel  Kernel
	points  int // N
	opts    DataDependentOptions

	matrix  *projection.Projection // R; nil if Alpha is 0
	root    *projection.Stack      // φ ↦ Rφ; nil if Alpha is 0
	buffers sync.Pool              // holds *rootBuffer
}

var _ FeatureMap = (*DataDependent)(nil)

// NewDataDependent returns base deformed by the rows of x, N×in. L = I − G^(−½)WG^(−½) is the normalized Laplacian of
// W, and G the diagonal matrix of its row sums. A point with row sum 0 is isolated, and L has a row of I there.
// Kernel keeps base, x and Features without a copy: they must not change.
//
// It takes about D³ operations, in addition to the cost of L (see docs/reference/maps.md). Results have the same bits
// on every machine.
//
// It returns an error if base or x is nil, if x has no rows or another number of columns than base takes, or if an
// element of x, or a feature of base or Features, is not finite. Elements that a Binary or a Categories reads must be
// among its values. Alpha must be finite and at least 0, Power from 0 to 1000, and exactly one source given (with
// Alpha = 0 at most one). DataDependentOptions says which sources are refused (with ErrNotPSD if L is not positive
// semi-definite, which only Features can cause). The matrices must fit in memory.
func NewDataDependent(base FeatureMap, x mat.Matrix, opts *DataDependentOptions) (*DataDependent, error) {
	m := &DataDependent{base: base}
	var o DataDependentOptions
	if opts != nil {
		o = *opts
	}
	if o.Power == 0 {
		o.Power = 1
	}
	if err := m.validate(x, &o); err != nil {
		return nil, err
	}
	m.kernel = base.Kernel()
	m.points, _ = x.Dims()
	m.opts = DataDependentOptions{Alpha: o.Alpha, Power: o.Power}
	if o.Alpha == 0 {
		return m, nil
	}
	l, err := laplacian.New(x, laplacian.Source{Features: o.Features, Neighbors: o.Neighbors, Affinity: o.Affinity})
	if err != nil {
		return nil, err
	}
	s, err := l.Penalty(base, x, o.Power)
	if err != nil {
		return nil, err
	}
	r, err := inverseRoot(s, o.Alpha)
	if err != nil {
		return nil, err
	}
	m.setRoot(r)
	m.kernel = deform(m.kernel, x, l, o.Alpha, o.Power)
	return m, nil
}

// maxPower bounds Power so that 2^Power, a bound on the norm of L^Power, is a float64.
const maxPower = 1000

// validate makes every check that does not need the features of x.
func (m *DataDependent) validate(x mat.Matrix, o *DataDependentOptions) error {
	if err := validateMap("base", m.base); err != nil {
		return err
	}
	if check.IsNil(m.base.Kernel()) {
		return fmt.Errorf("featuremap: base %T has Kernel = nil", m.base)
	}
	m.in, m.out = m.base.Dims()
	if check.IsNil(x) {
		return fmt.Errorf("featuremap: x = nil: base takes rows of %d columns", m.in)
	}
	n, d := x.Dims()
	if n == 0 {
		return fmt.Errorf("featuremap: x is %d×%d: it has no rows, and base takes %d columns", n, d, m.in)
	}
	if d != m.in {
		return fmt.Errorf("featuremap: x is %d×%d: base takes %d columns", n, d, m.in)
	}
	if a := o.Alpha; !(a >= 0 && a <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: Alpha = %v: must be finite and at least 0", a)
	}
	if c := o.Power; c < 0 || c > maxPower {
		return fmt.Errorf("featuremap: Power = %d: must be from 0 to %d", c, maxPower)
	}
	if err := o.validateSource(n, d); err != nil {
		return err
	}
	if err := m.validateSize(x, o); err != nil {
		return err
	}
	if err := check.Finite("x", x, 0); err != nil {
		return err
	}
	return validateOnSpaces("x", m.base.Kernel(), x)
}

// validateSource checks the source of W as far as its shape tells.
func (o *DataDependentOptions) validateSource(n, d int) error {
	sources := 0
	if !check.IsNil(o.Affinity) {
		sources++
		if r, c := o.Affinity.Dims(); r != n || c != n {
			return fmt.Errorf("featuremap: Affinity is %d×%d: must be %d×%d, for the rows of x", r, c, n, n)
		}
	}
	if k := o.Neighbors; k != 0 {
		sources++
		if k < 1 || k >= n {
			return fmt.Errorf("featuremap: Neighbors = %d: must be from 1 to %d, one less than the rows of x", k, n-1)
		}
	}
	if !check.IsNil(o.Features) {
		sources++
		if err := validateMap("Features", o.Features); err != nil {
			return err
		}
		if in, _ := o.Features.Dims(); in != d {
			return fmt.Errorf("featuremap: Features takes %d columns: x has %d", in, d)
		}
	}
	if sources > 1 || sources == 0 && o.Alpha > 0 {
		return fmt.Errorf("featuremap: %d of Affinity, Neighbors and Features are set: must be exactly one, for Alpha = %v", sources, o.Alpha)
	}
	return nil
}

// validateSize refuses matrices that do not fit in memory.
func (m *DataDependent) validateSize(x mat.Matrix, o *DataDependentOptions) error {
	if o.Alpha == 0 {
		return nil
	}
	n, in := x.Dims()
	points, out := float64(n), float64(m.out)
	// Five matrices as large as R: ΦᵀL^cΦ, I + ΦᵀMΦ (its factor takes its place), R twice, and R packed.
	size := 5 * out * out
	chunk := min(points, laplacian.GramRows)
	switch {
	case !check.IsNil(o.Features):
		_, features := o.Features.Dims()
		p := out + float64(features)
		size += p*p + 4*p*chunk + 5*float64(features)*p // F, G, and the powers and products that the reduction needs
	case !check.IsNil(o.Affinity):
		size += 2*points*points + 2*points*out + 6*out*chunk // an edge is two words
	default:
		size += 6*points*float64(o.Neighbors) + 2*points*out + 6*out*chunk
		if _, shown := x.(mat.RawMatrixer); !shown {
			size += points * float64(in) // rows are copied
		}
	}
	if limit := float64(memory.Limit()); 8*size > limit {
		return fmt.Errorf("featuremap: x has %d rows and base %d features: the matrices take %.3g bytes, and there are %.3g", n, m.out, 8*size, limit)
	}
	return nil
}

// String returns the options of the map, and its base.
func (m *DataDependent) String() string {
	if m.base == nil {
		return zeroMap
	}
	return fmt.Sprintf("DataDependent of %d points, Alpha %v, Power %d, of %v", m.points, m.opts.Alpha, m.opts.Power, m.base)
}

// Dims returns the numbers of coordinates in and features out, as in the base map.
func (m *DataDependent) Dims() (in, out int) { return m.in, m.out }

// Kernel returns the deformed kernel
//
//	k̃(x, y) = k(x, y) − k_xᵀ(I + MK)⁻¹M k_y
//
// for the base map's kernel k, with its N×N matrix K and the N values k_x of k(x, xᵢ), at any points x and y: equation
// (11) of the paper (Sindhwani, Niyogi and Belkin 2005). It is exact, and at most k for x = y. With Alpha = 0 it is the
// base map's kernel.
//
// It is computed as k(x, y) − ⟨h(x), h(y)⟩ with h(x) = C⁻¹E·k_x, EᵀE = M and CCᵀ = I + EKEᵀ, which is symmetric, and
// positive semi-definite up to rounding. The first Eval makes C⁻¹E from N² kernel values, with four N×N matrices, about
// N³ operations (half a minute for N = 1500), and N×m features with Features. Each Eval takes 2N kernel values and 4N²
// operations. Eval is NaN if a kernel value among the N points is not finite, or if the matrices do not fit in memory.
// docs/theory/papers.md lists corrections of the paper.
func (m *DataDependent) Kernel() Kernel { return m.kernel }

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with n ≥ 1: see FeatureMap. It takes D
// multiply-adds for each feature in addition to the base map.
func (m *DataDependent) TransformTo(dst *mat.Dense, x mat.Matrix) {
	if m.root == nil {
		m.drawnBase().TransformTo(dst, x)
		return
	}
	check.Transform(dst, x, m.in, m.out)
	n, _ := x.Dims()
	step := min(n, max(rootElements/m.out, minRootRows))
	b := m.buffer(step)
	b.from.Reset(x)
	b.to.Reset(dst)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		b.phi.SetRawMatrix(blas64.General{Rows: hi - lo, Cols: m.out, Stride: m.out, Data: b.features[:(hi-lo)*m.out]})
		m.base.TransformTo(&b.phi, b.from.Window(lo, hi))
		m.root.Transform(b.to.Matrix(lo, hi).(*mat.Dense), &b.phi)
	}
	b.from.Reset(nil)
	b.to.Reset(nil)
	m.buffers.Put(b)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *DataDependent) TransformVec(dst, x []float64) []float64 {
	if m.root == nil {
		return m.drawnBase().TransformVec(dst, x)
	}
	dst = check.Vector(dst, x, m.in, m.out)
	b := m.buffer(1)
	m.root.TransformVec(dst, m.base.TransformVec(b.features[:m.out], x))
	m.buffers.Put(b)
	return dst
}

// drawnBase returns the base map. A zero value, which takes no points, panics with mat.ErrShape.
func (m *DataDependent) drawnBase() FeatureMap {
	if m.base == nil {
		panic(mat.ErrShape)
	}
	return m.base
}

const (
	// rootElements is the number of base features that are held at a time: 4 MB.
	rootElements = 1 << 19

	// minRootRows is the least number of rows that are held at a time: enough for several goroutines.
	minRootRows = 256
)

// A rootBuffer is the memory of a transformation.
type rootBuffer struct {
	features []float64
	phi      mat.Dense // a view of features
	from, to rows.Reader
}

// buffer returns a buffer that has room for the base features of n rows.
func (m *DataDependent) buffer(n int) *rootBuffer {
	b, ok := m.buffers.Get().(*rootBuffer)
	if !ok {
		b = new(rootBuffer)
	}
	if need := n * m.out; len(b.features) < need {
		b.features = make([]float64, need)
	}
	return b
}

// setRoot compiles φ ↦ Rφ.
func (m *DataDependent) setRoot(r mat.Matrix) {
	p := projection.New(m.out, m.out, projection.Store, 1)
	row := make([]float64, m.out)
	for i := range m.out {
		p.Set(i, mat.Row(row, i, r), 0)
	}
	m.matrix, m.root = p, p.Stack()
}

// rootMatrix returns R.
func (m *DataDependent) rootMatrix() *mat.Dense {
	r := mat.NewDense(m.out, m.out, nil)
	for i := range m.out {
		m.matrix.Form(r.RawRowView(i), i)
	}
	return r
}
