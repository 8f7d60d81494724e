// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Seeds of fuzzing are in testdata/fuzz, with what it has found, and run as tests.

// FuzzDecode reads a file as it is, and with the checksum made right.
func FuzzDecode(f *testing.F) {
	for name, b := range goldenFiles(f) {
		if strings.Contains(name, "plan-") || strings.Contains(name, "Skeleton") || strings.Contains(name, "Data") {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeHostile(t, b)
		preamble := bytes.LastIndex(b[:min(len(b), 1<<12)], []byte("\n{"))
		if preamble < 0 {
			return
		}
		document, rest := b[preamble+1:], []byte(nil)
		if end := bytes.Index(document, []byte("\n}\n")); end > 0 {
			document, rest = document[:end+2], document[end+3:]
		}
		var arrays [][]float64
		if len(rest) >= 8 {
			a := make([]float64, len(rest)/8)
			for i := range a {
				a[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
			}
			arrays = append(arrays, a)
		}
		if m, err := decodeHostile(t, Sealed(document, arrays)); err == nil {
			again := encodedMap(t, m)
			if _, err := Decode(bytes.NewReader(again), nil); err != nil {
				t.Errorf("%v:\n%s", err, again)
			}
		}
	})
}

// within fails if a function takes longer than a hang would.
func within(t *testing.T, what func() any, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > mostTime {
		t.Errorf("took %v: %v", took, what())
	}
}

// FuzzKernel reads a kernel, draws a map of it, and saves and reads that.
func FuzzKernel(f *testing.F) {
	for _, c := range savedKernels() {
		if len(c.name)%4 > 0 && !testkit.Long() {
			continue // TestSave has all of them
		}
		f.Add(testkit.Must(MarshalKernel(c.kernel)), uint8(c.in), uint8(24))
	}
	f.Fuzz(func(t *testing.T, b []byte, in, out uint8) {
		if len(b) > 4<<10 {
			return // what takes long then is planning
		}
		within(t, func() any { return string(b) }, func() {
			k, err := UnmarshalKernel(b)
			if err != nil {
				return
			}
			again, err := MarshalKernel(k)
			if err != nil {
				t.Fatalf("%v: %s", err, b)
			}
			if k2, err := UnmarshalKernel(again); err != nil || !bytes.Equal(testkit.Must(MarshalKernel(k2)), again) {
				t.Fatalf("%v: %s\nis read and saved as\n%s", err, b, again)
			}
			m, err := testkit.New(k, int(in), int(out), NewSampler(1))
			if err != nil {
				return
			}
			d, _ := m.Dims()
			m.TransformVec(nil, make([]float64, d))
			if err := Encode(io.Discard, m); err != nil {
				t.Errorf("%v: %s", err, b)
			}
		})
	})
}

// FuzzPlan reads a plan, and does with it all that plans do.
func FuzzPlan(f *testing.F) {
	plans, _ := goldenPlans(f)
	for i, p := range plans {
		if i%8 == 0 { // all take a second
			f.Add(testkit.Must(json.Marshal(p)))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) <= 4<<10 {
			within(t, func() any { return string(b) }, func() { planHolds(t, b) })
		}
	})
}

// numbersFrom makes parameters of bytes.
type numbersFrom struct{ b []byte }

func (n *numbersFrom) byte() byte {
	if len(n.b) == 0 {
		return 0
	}
	v := n.b[0]
	n.b = n.b[1:]
	return v
}

// float returns a number of a few kinds: one of those at the edges, a small one, or any.
func (n *numbersFrom) float() float64 {
	switch kind := n.byte(); kind % 4 {
	case 0:
		edges := []float64{0, 1, -1, math.Inf(1), math.NaN(), math.MaxFloat64, 5e-324, 1e-150, 1e150, 1e-7, 1e9, -1e9, 0.5, 2, 1e300, 1e-300}
		return edges[int(kind/4)%len(edges)]
	case 1, 2:
		return float64(n.byte()) / 32
	}
	var bits [8]byte
	for i := range bits {
		bits[i] = n.byte()
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(bits[:]))
}

// int returns an integer, most often a small one.
func (n *numbersFrom) int() int {
	switch kind := n.byte(); kind % 16 {
	case 0:
		edges := []int{-1, 1 << 20, 1 << 17, math.MaxInt32, math.MinInt32, 1000, 1 << 14, math.MaxInt}
		return edges[int(kind/16)%len(edges)]
	default:
		return int(n.byte() % 40)
	}
}

func (n *numbersFrom) floats() []float64 {
	v := make([]float64, n.byte()%8)
	for i := range v {
		v[i] = n.float()
	}
	return v
}

func (n *numbersFrom) matrix() mat.Matrix {
	r, c := int(n.byte()%6), int(n.byte()%6)
	if r*c == 0 {
		return nil
	}
	a := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			a.Set(i, j, n.float())
		}
	}
	return a
}

func (n *numbersFrom) series() series.Series {
	switch n.byte() % 10 {
	case 0:
		return series.Coefficients(n.floats())
	case 1:
		return series.Exp{Rate: n.float(), Shift: n.float()}
	case 2:
		return series.Geometric{Ratio: n.float()}
	case 3:
		return series.HermiteDual{N: n.int()}
	case 4:
		return series.SineDual{Rate: n.float()}
	case 5:
		return series.CosineDual{Rate: n.float()}
	case 6:
		return series.StepDual{}
	case 7:
		return series.ErfDual{}
	case 8:
		return Polynomial{Degree: n.int(), Gamma: n.float(), Offset: n.float()}.Series()
	}
	return series.ReLUDual{}
}

func (n *numbersFrom) law() series.Law {
	switch n.byte() % 5 {
	case 0:
		return series.GeometricLaw{P: n.float()}
	case 1:
		return series.OptimalLaw{Norm: n.float()}
	case 2:
		return series.TruncatedLaw{Law: series.OptimalLaw{Norm: n.float()}, Degree: n.int()}
	case 3:
		return series.TruncatedLaw{Degrees: []int{n.int(), n.int()}}
	}
	return nil
}

// kernel returns a kernel of the package, or made of such.
func (n *numbersFrom) kernel(depth int) Kernel {
	most := byte(26)
	if depth == 0 {
		most = 16
	}
	below := func() Kernel { return n.kernel(depth - 1) }
	switch n.byte() % most {
	case 0:
		return Gaussian{LengthScale: n.float()}
	case 1:
		return Laplacian{LengthScale: n.float()}
	case 2:
		return Cauchy{LengthScale: n.float()}
	case 3:
		return Matern{Nu: n.float(), LengthScale: n.float()}
	case 4:
		return RationalQuadratic{Alpha: n.float(), LengthScale: n.float()}
	case 5:
		return Periodic{Period: n.float(), LengthScale: n.float()}
	case 6:
		return SpectralMixture{Weights: n.floats(), Means: n.matrix(), Scales: n.matrix()}
	case 7:
		return Constant{Value: n.float()}
	case 8:
		return Polynomial{Degree: n.int(), Gamma: n.float(), Offset: n.float()}
	case 9:
		return ExpDot{LengthScale: n.float()}
	case 10:
		return Dot(series.Geometric{Ratio: n.float()})
	case 11:
		return ArcCosine{Order: n.int()}
	case 12:
		return []Kernel{Circle{}, Binary{}, Sphere{}, nil}[n.byte()%4]
	case 13:
		return Categories{N: n.int()}
	case 14:
		return Dot(n.series())
	case 16, 17:
		return Sum(below(), below())
	case 18, 19:
		return Product(below(), below())
	case 20:
		return Scale(n.float(), below())
	case 21:
		return Compose(n.series(), below())
	case 22:
		return Project(n.matrix(), below())
	case 23:
		return ARD(n.floats(), below())
	case 24:
		return Select([]int{n.int(), n.int()}, below())
	case 25:
		return Weight(savedWeight{n.float()}, below())
	}
	return Linear{}
}

// FuzzConstructors calls every constructor with parameters made of bytes: they end, and no error is a panic. What they return
// is saved and read.
func FuzzConstructors(f *testing.F) {
	s := NewSampler(1)
	for which := range 9 {
		for range 6 {
			b := make([]byte, 64)
			for i := range b {
				b[i] = byte(s.IntN(256))
			}
			f.Add(uint8(which), b)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		n := &numbersFrom{b}
		var what any
		within(t, func() any { return what }, func() {
			k := n.kernel(3)
			in, out := n.int()%1000, n.int()%1000
			what = []any{k, in, out, which % 9}
			m, err := n.construct(which, k, in, out)
			if err != nil || m == nil {
				return
			}
			d, _ := m.Dims()
			m.TransformVec(nil, make([]float64, d))
			if v, ok := m.(Variancer); ok {
				v.Variance(make([]float64, d), make([]float64, d))
			}
			var noJSON *json.UnsupportedValueError // of NaN in a weight of a caller's type
			if err := Encode(io.Discard, m); err != nil && !errors.As(err, &noJSON) {
				t.Errorf("%v: %v, %d, %d", err, k, in, out)
			}
		})
	})
}

// construct calls a constructor, and returns a map if it makes one.
func (n *numbersFrom) construct(which uint8, k Kernel, in, out int) (m FeatureMap, err error) {
	s := NewSampler(uint64(n.byte()))
	switch which % 9 {
	case 0:
		return notTyped(NewFourier(k, in, out, s, &FourierOptions{Design: Design(n.int()), RandomPhase: n.byte()%2 == 1}))
	case 1:
		return notTyped(NewMaclaurin(k, in, out, s, &MaclaurinOptions{Law: n.law(), Sketch: Sketch(n.int()), ExactDegree: n.int(),
			Complex: n.byte()%2 == 1, SumOfProducts: n.byte()%4 == 1}))
	case 2:
		return notTyped(NewNeurons(k, in, out, s, &NeuronsOptions{Orthogonal: n.byte()%2 == 1}))
	case 3:
		sk := NewSkeleton(in)
		a, b := sk.Input(k, n.int()), sk.Input(n.kernel(1), n.int(), n.int())
		sk.Image(2, 2, 1, k).Conv(n.series(), n.int(), n.int())
		sk.WeightedUnit(n.series(), n.floats(), a, b)
		sk.Unit(n.series(), a, sk.Product(a, b))
		return notTyped(NewCompositional(sk, out, s))
	case 4:
		var phases []float64
		if n.byte()%2 == 1 {
			phases = n.floats()
		}
		return notTyped(NewFourierFrom(k, n.matrix(), phases))
	case 5:
		base, err := testkit.New(k, in, min(out, 20), s)
		if err != nil {
			return nil, err
		}
		return notTyped(NewDataDependent(base, n.matrix(), &DataDependentOptions{Alpha: n.float(), Power: n.int(), Neighbors: n.int(), Affinity: n.matrix()}))
	case 6:
		p, err := NewPlan(k, n.matrix(), out, &PlanOptions{RMSE: n.float()})
		if err != nil {
			return nil, err
		}
		if _, out := p.Dims(); out > 1000 {
			return nil, nil
		}
		return p.Draw(s)
	case 7:
		return testkit.New(k, in, out, s)
	}
	n.bounds(k)
	return nil, nil
}

// notTyped returns a nil interface for a nil map.
func notTyped[M FeatureMap](m M, err error) (FeatureMap, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// bounds calls the constructors of bounds.
func (n *numbersFrom) bounds(k Kernel) {
	phase := n.byte()%2 == 1
	var bounds []*TailBound
	add := func(b *TailBound, err error) {
		if err == nil {
			bounds = append(bounds, b)
		}
	}
	add(HoeffdingBound{n.float()}.Tail())
	add(FourierBound{Kernel: k, RandomPhase: phase}.Tail())
	add(FourierBound{k, n.int(), n.float(), phase, n.float(), n.float()}.Tail())
	add(FourierBound{Kernel: k, In: n.int(), Diameter: n.float(), RandomPhase: phase}.Tail())
	add(MaclaurinBound{k, series.GeometricLaw{P: n.float()}, n.int(), n.float()}.Tail())
	add(MaclaurinBound{Dot(n.series()), series.GeometricLaw{P: n.float()}, n.int(), n.float()}.Tail())
	add(CompositionalBound{n.series(), series.GeometricLaw{P: n.float()}, n.int(), n.float(), n.float(), n.float(), n.float(), n.float()}.Tail())
	g := GramBound{Points: n.int(), Mass: n.float(), Norm: n.float(), RandomPhase: phase}
	add(g.Tail())
	g.Mean(n.int())
	g.DataDependent(n.float())
	StationaryOf(k)
	l := LearningBound{n.float(), n.float(), n.float(), n.int(), n.int()}
	l.Lambda()
	l.FunctionError()
	l.Excess(n.float())
	for _, b := range bounds {
		b.Prob(n.float(), n.int())
		b.Features(n.float(), n.float())
		b.Error(n.int(), n.float())
	}
}
