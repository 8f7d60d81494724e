// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Maps whose frequencies lie on a lattice, for products of Gaussian and Periodic kernels in few coordinates.
//
// A kernel of one coordinate with the period p is a Fourier series Σ wⱼcos(2πjΔ/p). Periodic is such a kernel. So is
// the sum Σ k(Δ + mp) over all m of a Gaussian kernel k with length scale ℓ; by Poisson's summation formula its weights
// are values of the spectral density (the trapezoidal rule). Where |Δ| is below p by several ℓ, the sum is k(Δ) to many
// digits. The series of a product is the product of the series. It keeps the largest weights, and all weights are
// positive.
//
// Far from the points that the map is made for, features fade to 0 along the axes of Gaussian factors, before the
// series repeats. There predictions go to the prior mean, and variances to the prior variance.

// An Axis is one linear function u of points, and the factor of the kernel that is a function of u(x) − u(y).
type Axis struct {
	Row      []float64 // u(x) = row·x, behind the warp of the kernel
	Periodic bool      // whether the factor is Periodic, not Gaussian
	Length   float64   // its length scale
	Step     float64   // between frequencies; for a Gaussian factor 2π over the distance after which the series repeats
	Fade     Fade      // for a Gaussian factor: a function of u without the warp's center
}

// Axes returns the axes of a kernel on R^dim that is a product of at most mostAxes Gaussian and Periodic kernels, each
// perhaps behind a linear map. ok is false for other kernels. The steps of Gaussian factors are 0.
func Axes(k expr.Kernel, dim int) (axes []Axis, ok bool) {
	add := func(length, step float64) ([]Axis, bool) {
		if dim > mostAxes {
			return nil, false
		}
		for i := range dim {
			row := make([]float64, dim)
			row[i] = 1
			axes = append(axes, Axis{Row: row, Periodic: step > 0, Length: length, Step: step})
		}
		return axes, true
	}
	switch k := k.(type) {
	case expr.Gaussian:
		return add(k.LengthScale, 0)
	case *expr.Leaf:
		if k.Length > 0 {
			return add(k.Length, k.Step)
		}
	case *expr.Scale:
		return Axes(k.K, dim)
	case expr.Product:
		for _, f := range k {
			more, ok := Axes(f, dim)
			if axes = append(axes, more...); !ok || len(axes) > mostAxes {
				return nil, false
			}
		}
		return axes, true
	case *expr.Behind:
		axes, ok = Axes(k.K, k.Warp.Dim(dim))
		for i, a := range axes {
			axes[i].Row = make([]float64, dim)
			k.Warp.Pull(axes[i].Row, a.Row)
		}
		return axes, ok
	}
	return nil, false
}

const (
	// mostAxes is the largest number of axes: two factors in each of three coordinates.
	mostAxes = 6

	// mostWaves is the largest number of frequencies on one axis.
	mostWaves = 1 << 12

	// leastCut is the least part of k(x, x) lost to omitted frequencies that models are told of.
	leastCut = 1e-6

	// leastWave is the smallest weight that is used, relative to the frequency 0. All smaller ones together are far
	// below the rounding error of a sum.
	leastWave = 0x1p-64
)

// weights returns the weights w₀, w₁, … of the frequencies 0, ±step, ±2·step, … of the axis, in a fixed order
// of operations.
func (a Axis) weights() (w []float64) {
	if !a.Periodic {
		h := float64(a.Step * a.Length)
		first := h / math.Sqrt(2*math.Pi)
		for j := range mostWaves {
			u := float64(float64(j) * h)
			v := float64(first * detmath.Exp(-0.5*float64(u*u)))
			if v < leastWave*first || v == 0 {
				break
			}
			w = append(w, v)
		}
		return w
	}
	// e^{−z}Iⱼ(z) for z = 1/ℓ²: first the ratios Iⱼ₊₁/Iⱼ = 1/(2(j+1)/z + Iⱼ₊₂/Iⱼ₊₁), downward from a j far beyond
	// the largest that counts, then w₀ from w₀ + 2Σwⱼ = 1.
	z := 1 / float64(a.Length*a.Length)
	most := int(min(24+10/a.Length, mostWaves))
	ratios, ratio := make([]float64, most), 0.0
	for j := 2*most + 64; j > 0; j-- {
		ratio = 1 / (float64(2*j)/z + ratio)
		if j <= most {
			ratios[j-1] = ratio
		}
	}
	w = []float64{1}
	sum, v := 1.0, 1.0
	for _, r := range ratios {
		if v = float64(v * r); v < leastWave {
			break
		}
		w = append(w, v)
		sum += float64(2 * v)
	}
	for j := range w {
		w[j] /= sum
	}
	return w
}

// waveGroup is the group of frequencies Σ ±jₐ·stepₐ·rowₐ for given numbers jₐ ≥ 0 of steps on the axes a. All of them
// have the same weight.
type waveGroup struct {
	numbers []int
	weight  float64
	Columns int // 1 for the frequency 0, else the number of combinations of signs
}

// waveGroups returns groups in descending order of their weights, as many as fit in a number of columns. With fewer
// columns it returns the first of the same groups. It returns nil if far more columns than that have nearly the same
// weight.
func waveGroups(weights [][]float64, columns int) (groups []waveGroup) {
	first := 1.0
	for _, w := range weights {
		if len(w) == 0 {
			return nil
		}
		first = float64(first * w[0])
	}
	numbers := make([]int, len(weights))
	for least := 0x1p-4; ; least *= 0x1p-4 {
		groups = groups[:0]
		total := 0
		var visit func(axis int, weight float64, columns int)
		visit = func(axis int, weight float64, count int) {
			if axis == len(weights) {
				groups = append(groups, waveGroup{slices.Clone(numbers), weight, count})
				total += count
				return
			}
			for j, w := range weights[axis] {
				v := float64(weight * w)
				relative := v
				for _, rest := range weights[axis+1:] {
					relative = float64(relative * rest[0])
				}
				if relative < least*first || total > 64*(columns+1) {
					return
				}
				numbers[axis] = j
				visit(axis+1, v, count<<min(j, 1))
			}
		}
		visit(0, 1, 1)
		if total > 64*(columns+1) {
			return nil
		}
		if total >= columns || least <= leastWave {
			break
		}
	}
	slices.SortFunc(groups, func(a, b waveGroup) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.numbers, b.numbers))
	})
	total := 0
	for i, g := range groups {
		if total += g.Columns; total > columns {
			return groups[:i]
		}
	}
	return groups
}

// Lattice is a Fourier map with frequencies on a lattice, times a window. Nothing is random; its error is a bias.
type Lattice struct {
	recipe.Frame
	spectrum.Spectrum // the spectrum of k in k(Ax, Ay), where A is the warp
	Axes              []Axis
	Groups            []waveGroup
	window            window  // empty if all factors are Periodic
	cut               float64 // the part of k(x, x) lost to omitted frequencies, the same at all points
}

// LatticeSide says how the frequencies and features of a Gaussian factor are spread: see Axis.
type LatticeSide struct {
	Step float64
	Fade Fade
}

// NewLattice returns the recipe with the largest weights that fit in a number of columns, or nil for a kernel that Axes
// does not accept. There is a side for each Gaussian axis.
func NewLattice(warped spectrum.Warped, in, columns int, sides []LatticeSide) (*Lattice, error) {
	axes, ok := Axes(warped.Kernel, warped.Warp.Dim(in))
	if !ok {
		return nil, nil
	}
	r := &Lattice{Frame: recipe.Frame{In: in, Warp: warped.Warp}, Spectrum: warped.Spectrum, Axes: axes}
	var weights [][]float64
	for i := range axes {
		if !axes[i].Periodic {
			if len(sides) == 0 {
				return nil, fmt.Errorf("featuremap: too few steps of a lattice: must be one for each coordinate of a Gaussian kernel")
			}
			if axes[i].Step, axes[i].Fade, sides = sides[0].Step, sides[0].Fade, sides[1:]; !(axes[i].Step > 0 && axes[i].Step <= math.MaxFloat64) {
				return nil, fmt.Errorf("featuremap: the step %v of a lattice: must be positive and finite", axes[i].Step)
			}
			if err := axes[i].Fade.validate(); err != nil {
				return nil, err
			}
			row := make([]float64, in)
			r.Warp.Pull(row, axes[i].Row)
			r.window = append(r.window, windowSide{row, axes[i].Fade})
		}
		weights = append(weights, axes[i].weights())
	}
	if len(sides) > 0 {
		return nil, fmt.Errorf("featuremap: too many steps of a lattice: must be one for each coordinate of a Gaussian kernel")
	}
	if r.Groups = waveGroups(weights, columns); len(r.Groups) == 0 {
		return nil, nil
	}
	r.cut = 1
	for _, g := range r.Groups {
		r.Columns += g.Columns
		r.cut -= float64(g.weight * float64(g.Columns))
	}
	if r.cut < leastCut {
		r.cut = 0
	}
	return r, r.Spectrum.Validate()
}

func (r *Lattice) String() string {
	s := "Fourier series"
	for i, side := range r.window {
		if i == 0 {
			s += ", for"
		} else {
			s += " ×"
		}
		s += fmt.Sprintf(" [%.4g, %.4g]", side.Middle-side.Flat, side.Middle+side.Flat)
	}
	return s
}

// Sides returns the sides of the Gaussian axes.
func (r *Lattice) Sides() (sides []LatticeSide) {
	for _, a := range r.Axes {
		if !a.Periodic {
			sides = append(sides, LatticeSide{a.Step, a.Fade})
		}
	}
	return sides
}

func (r *Lattice) Statistics() int                      { return 0 }
func (r *Lattice) Add([]float64, *sample.Pair, float64) {}
func (r *Lattice) Variance([]float64) float64           { return 0 }
func (r *Lattice) Key() any                             { return fmt.Sprint(r.Sides(), r.Columns) }
func (r *Lattice) Work() float64                        { return float64(r.Columns) * (float64(r.In)/2 + 5) }

func (r *Lattice) Bounded() bool { return true }

func (r *Lattice) Bias(p *sample.Pair) float64 {
	zero := make([]float64, r.Dim())
	delta := sample.Full(make([]float64, r.Dim()), p.Difference())
	g := r.fade(Ends(r.Axes, p.A.Coordinates(r.Dim()), r.Warp)) * r.fade(Ends(r.Axes, p.B.Coordinates(r.Dim()), r.Warp))
	return g*r.series(Along(r.Axes, delta, make([]float64, len(r.Axes))), NewCosineTable(r)) - r.Eval(delta, zero)
}

// Along sets dst to the components of a difference along axes, and returns it.
func Along(axes []Axis, delta, dst []float64) []float64 {
	for a, axis := range axes {
		dst[a] = arith.Inner(axis.Row, delta)
	}
	return dst
}

// fade returns the window at a point, given its components along the axes, without the warp's center.
func (r *Lattice) fade(u []float64) float64 {
	g := 1.0
	for a, axis := range r.Axes {
		if !axis.Periodic {
			g *= axis.Fade.at(u[a])
		}
	}
	return g
}

// Ends returns the components of a point behind a warp along axes, without the warp's center.
func Ends(axes []Axis, x []float64, w warp.Warp) []float64 {
	u := Along(axes, x, make([]float64, len(axes)))
	for a, axis := range axes {
		u[a] -= w.Bias(axis.Row)
	}
	return u
}

// Inside tells whether features have not begun to fade at a point x in front of the warp. Lost returns the part of k(x,
// x) that the map has lost there, by fading and by omitted frequencies.
func (r *Lattice) Inside(x []float64) bool { return r.window.inside(x) }

func (r *Lattice) Confined() bool { return len(r.window) > 0 }

func (r *Lattice) Lost(x []float64) float64 {
	return 1 - float64((1-r.cut)*arith.Square(r.window.Weight(x)))
}

func (r *Lattice) LostGradient(dst, x []float64) {
	r.window.gradientTo(dst, x)
	floats.Scale(-2*(1-r.cut)*r.window.Weight(x), dst)
}

// cosineTable holds the cosines of the multiples of the phases of each axis, and memory for sums over groups.
type cosineTable struct {
	Cosines [][]float64
	sums    []float64
}

func NewCosineTable(r *Lattice) cosineTable {
	t := cosineTable{make([][]float64, len(r.Axes)), make([]float64, len(r.Groups))}
	for a := range t.Cosines {
		most := 0
		for _, g := range r.Groups {
			most = max(most, g.numbers[a])
		}
		t.Cosines[a] = make([]float64, most+1)
	}
	return t
}

// series returns the value of the series, given the components of x − y along the axes. It overwrites the table.
func (r *Lattice) series(delta []float64, t cosineTable) float64 {
	return r.Mass * r.sums(delta, t)[len(r.Groups)-1]
}

// sums returns the sums of the first 1, 2, … groups, given the components of x − y along the axes. They are in the
// table, which it overwrites.
func (r *Lattice) sums(delta []float64, t cosineTable) []float64 {
	for a, axis := range r.Axes {
		FillCosines(t.Cosines[a], axis.Step*delta[a])
	}
	return r.SumsOf(t)
}

// SumsOf is sums for the cosines in the table.
func (r *Lattice) SumsOf(t cosineTable) []float64 {
	var sum float64
	for n, g := range r.Groups {
		product := g.weight * float64(g.Columns)
		for a, j := range g.numbers {
			product *= t.Cosines[a][j]
		}
		sum += product
		t.sums[n] = sum
	}
	return t.sums
}

// FillCosines sets c[j] to cos(j·phase), by a rotation that starts anew now and then because its errors add up.
func FillCosines(c []float64, phase float64) {
	const anew = 32
	sin1, cos1 := math.Sincos(phase)
	var sin, cos float64
	for j := range c {
		if j%anew == 0 {
			sin, cos = math.Sincos(float64(j) * phase)
		}
		c[j] = cos
		sin, cos = sin*cos1+cos*sin1, cos*cos1-sin*sin1
	}
}

func (r *Lattice) Draw(b *recipe.Builder, _ func() random.Sampler) (any, error) {
	if err := b.Reserve(8 * float64(r.Columns) * (float64(r.In) + 24)); err != nil {
		return nil, err
	}
	r.layout(b, 1)
	return nil, nil
}
