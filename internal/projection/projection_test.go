// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// problem is a projection with the forms it was made from.
type problem struct {
	p     *Projection
	w     [][]float64
	b     []float64
	scale float64
	e     Epilogue
}

var best = flag.Bool("best", false, "test the best tier alone, as on an emulated CPU, which is slow")

// tiers returns the tiers to test.
func tiers() []tier.Tier {
	if *best {
		return []tier.Tier{tier.Best()}
	}
	return tier.Available()
}

func newProblem(rnd *rand.Rand, t tier.Tier, forms, in int, e Epilogue) problem {
	q := problem{w: make([][]float64, forms), b: make([]float64, forms), scale: rnd.Float64(), e: e}
	q.p = NewIn(t, forms, in, e, q.scale)
	for i := range q.w {
		q.w[i] = make([]float64, in)
		for j := range q.w[i] {
			q.w[i][j] = rnd.NormFloat64()
		}
		q.b[i] = rnd.Float64()
		q.p.Set(i, q.w[i], q.b[i])
	}
	return q
}

// want is the specification, written as in the doc comments, for a row of x and what
// is in the destination before.
func (q problem) want(x, before []float64) []float64 {
	forms := len(q.w)
	out := make([]float64, q.p.outputs())
	for i, w := range q.w {
		t := q.b[i]
		for k, v := range x {
			t = math.FMA(w[k], v, t)
		}
		switch cos, sin := wantCosSin(t, q.scale); q.e {
		case Store:
			out[i] = t
		case Multiply:
			out[i] = before[i] * t
		case CosSin:
			out[i], out[forms+i] = cos, sin
		case Cos:
			out[i] = cos
		}
	}
	return out
}

// wantCosSin is scale·cos(2πt) and scale·sin(2πt) as specified.
func wantCosSin(t, scale float64) (cos, sin float64) {
	r := t - math.RoundToEven(t)
	poly := func(s float64) float64 {
		u := float64(s * s)
		p := unitSinTurns[8] * scale
		for k := 7; k >= 0; k-- {
			p = math.FMA(p, u, unitSinTurns[k]*scale)
		}
		return p * s
	}
	return poly(0.25 - math.Abs(r)), math.Copysign(poly(0.25-math.Abs(math.Abs(r)-0.25)), r)
}

// sameBits tells whether a and b are equal to the last bit, NaN's payload aside.
func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// columns is a matrix of columns, which shows its elements through At only.
type columns [][]float64

func (c columns) Dims() (int, int)    { return len(c[0]), len(c) }
func (c columns) At(i, j int) float64 { return c[j][i] }
func (c columns) T() mat.Matrix       { return mat.Transpose{Matrix: c} }

// special are the values at which arithmetic is apt to differ.
var special = []float64{
	0, math.Copysign(0, -1), 1e9, -1e9, 1e300, -1e300, 5e-324, -5e-324, 1e-310,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

// check transforms random rows, some of them with special values, by a projection in a
// tier, and compares every output with the specification. It says what is wrong.
func check(rnd *rand.Rand, on tier.Tier, e Epilogue, rows, in, forms int) error {
	q := newProblem(rnd, on, forms, in, e)
	if rnd.IntN(4) == 0 {
		q.p.fullRow = in
	}
	if rnd.IntN(4) == 0 {
		q.p.callCoords = 1 + rnd.IntN(in) // as if there were very many
		q.p.passCoords = 1 + rnd.IntN(in)
	}
	return checkTransform(rnd, q.p.Stack(), q.want, rows, in, q.p.outputs())
}

// transformer is what is tested.
type transformer interface {
	Transform(dst *mat.Dense, x mat.Matrix)
	TransformVec(dst, x []float64)
}

// checkTransform compares a transformer R^in → R^out with its specification, which
// says what it wants for a row of x and what is in the destination before.
func checkTransform(rnd *rand.Rand, p transformer, want func(x, before []float64) []float64, rows, in, out int) error {
	// Rows of a wider matrix. A stray read of its margins shows as a NaN.
	wide := filled(rows+2, in+3, math.NaN())
	x := wide.Slice(1, rows+1, 1, 1+in).(*mat.Dense)
	for i := range rows {
		for k := range in {
			x.Set(i, k, 3*rnd.NormFloat64())
		}
	}
	if rnd.IntN(2) == 0 {
		thin(rnd, x)
	}
	x.Set(rnd.IntN(rows), rnd.IntN(in), special[rnd.IntN(len(special))])
	byColumns := make(columns, in)
	for k := range byColumns {
		byColumns[k] = mat.Col(nil, k, x)
	}

	// Into a wider matrix, whose margins must stay.
	const canary, before = 12345.5, 1.5
	margin := filled(rows+2, out+2, canary)
	dst := margin.Slice(1, rows+1, 1, out+1).(*mat.Dense)
	start := make([]float64, out)
	for i := range start {
		start[i] = before
	}
	wanted := make([][]float64, rows)
	for i := range wanted {
		wanted[i] = want(mat.Row(nil, i, x), start)
	}
	for _, m := range []mat.Matrix{x, byColumns, mat.DenseCopyOf(x).T().T(), listOf(rnd, x)} {
		for i := range rows {
			dst.SetRow(i, start)
		}
		p.Transform(dst, m)
		for i, want := range wanted {
			if got := dst.RawRowView(i); !sameBits(got, want) {
				return fmt.Errorf("row %d of a %T:\n%v, want\n%v", i, m, got, want)
			}
			vec := append(append([]float64{canary}, start...), canary)
			p.TransformVec(vec[1:1+out], mat.Row(nil, i, x))
			if !sameBits(vec[1:1+out], want) {
				return fmt.Errorf("row %d by itself:\n%v, want\n%v", i, vec[1:1+out], want)
			}
			if vec[0] != canary || vec[1+out] != canary {
				return fmt.Errorf("row %d by itself wrote outside the destination", i)
			}
		}
	}
	for i := range rows + 2 {
		for j := range out + 2 {
			edge := i == 0 || j == 0 || i == rows+1 || j == out+1
			if edge && margin.At(i, j) != canary {
				return fmt.Errorf("wrote outside the destination at %d, %d", i-1, j-1)
			}
		}
	}
	return nil
}

func filled(r, c int, v float64) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = v
	}
	return m
}

var epilogues = []Epilogue{Store, Cos, CosSin, Multiply}

// Every tier equals the specification to the last bit, at all sizes around its tiles.
func TestTransformEqualsSpecification(t *testing.T) {
	edges := []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 49, 70}
	for _, on := range tiers() {
		for _, e := range epilogues {
			t.Run(fmt.Sprintf("%v/%v", on, e), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(1, 2))
				pick := func() int { return edges[rnd.IntN(len(edges))] }
				for forms := 1; forms <= 70; forms++ {
					for i, size := range [][2]int{{pick(), pick()}, {1 + rnd.IntN(70), 1 + rnd.IntN(70)}} {
						if i > 0 && (forms%4 > 0 || testing.Short()) { // short, as for an emulated machine
							break
						}
						rows, in := size[0], size[1]
						if err := check(rnd, on, e, rows, in, forms); err != nil {
							t.Fatalf("%d rows of R^%d, %d forms: %v", rows, in, forms, err)
						}
					}
				}
			})
		}
	}
}

// Work that is shared out by rows, by panels, or not at all has the same bits; so
// has a matrix of many blocks.
func TestTransformInParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, on := range tiers() {
		t.Run(on.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(7, 8))
			for i, size := range [][3]int{{50, 70, 700}, {5, 300, 1000}, {1, 800, 1300}, {250, 70, 130}, {1000, 1, 1}} {
				rows, in, forms := size[0], size[1], size[2]
				for k, e := range []Epilogue{CosSin, Multiply} {
					if rows > 1 && k != i%2 {
						continue // how work is divided does not depend on the epilogue
					}
					q := newProblem(rnd, on, forms, in, e)
					q.p.shape.serialWork = 1 // so that all are shared out
					x := mat.NewDense(rows, in, nil)
					for i := range x.RawMatrix().Data {
						x.RawMatrix().Data[i] = rnd.NormFloat64()
					}
					got := filled(rows, q.p.outputs(), 1.5)
					before := slices.Clone(got.RawRowView(0))
					q.p.Stack().Transform(got, x)
					for i := 0; i < rows; i += 1 + rows/20 {
						if !sameBits(got.RawRowView(i), q.want(x.RawRowView(i), before)) {
							t.Fatalf("%v, %d rows of R^%d, %d forms: row %d differs", e, rows, in, forms, i)
						}
					}
				}
			}
		})
	}
}

func FuzzTransform(f *testing.F) {
	f.Add(uint64(1), byte(9), byte(17), byte(25), byte(2))
	f.Fuzz(func(t *testing.T, seed uint64, rows, in, forms, e byte) {
		for _, on := range tiers() {
			rnd := rand.New(rand.NewPCG(seed, 0))
			if err := check(rnd, on, epilogues[e%4], 1+int(rows)%70, 1+int(in)%70, 1+int(forms)%70); err != nil {
				t.Fatalf("%v: %v", on, err)
			}
		}
	})
}

// refCosSin returns cos(2πr) and sin(2πr) to 150 bits or so, by their Taylor series.
func refCosSin(r float64) (cos, sin *big.Float) {
	const prec = 200
	// 60 digits of π (OEIS A000796).
	pi, _, err := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494", 10, prec, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	x := new(big.Float).SetPrec(prec).SetFloat64(2 * r)
	x.Mul(x, pi)
	term := new(big.Float).SetPrec(prec).SetInt64(1)
	cos, sin = new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec)
	for n := int64(0); n < 50; n++ {
		sum := cos
		if n%2 == 1 {
			sum = sin
		}
		if n%4 < 2 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetInt64(n+1))
	}
	return cos, sin
}

// The stated bound: cosine and sine are within 3e-16 of those of the phase t.
func TestCosSinAccuracy(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	phases := []float64{0, 0.125, 0.25, 0.375, 0.5, 0.75, 1, 1e-300, 1e9, 1e15 + 0.125, 1e300}
	random := 300
	if testing.Short() {
		random = 100
	}
	for range random {
		phases = append(phases, rnd.Float64(), 2e9*(rnd.Float64()-0.5), math.Exp(40*(rnd.Float64()-1)))
	}
	c := scaledSinTurns(1)
	var worst float64
	for _, phase := range phases {
		for _, phase := range []float64{phase, -phase} {
			cos, sin := c.cosSin(phase)
			if got := c.cos(phase); math.Float64bits(got) != math.Float64bits(cos) {
				t.Fatalf("cos(%v) = %x alone and %x with the sine", phase, got, cos)
			}
			// The reduction to [−½, ½] is exact, by math.Remainder's word.
			wantCos, wantSin := refCosSin(math.Remainder(phase, 1))
			for _, e := range []*big.Float{
				wantCos.Sub(wantCos, big.NewFloat(cos)),
				wantSin.Sub(wantSin, big.NewFloat(sin)),
			} {
				f, _ := e.Float64()
				worst = max(worst, math.Abs(f))
				if !(math.Abs(f) <= 3e-16) {
					t.Fatalf("phase %v: error %v", phase, f)
				}
			}
		}
	}
	t.Logf("largest error %.3g", worst)
}

func TestCosSinOfWhatHasNone(t *testing.T) {
	c := scaledSinTurns(1)
	for _, phase := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if cos, sin := c.cosSin(phase); !math.IsNaN(cos) || !math.IsNaN(sin) {
			t.Errorf("at %v: %v, %v, want NaN", phase, cos, sin)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	q := newProblem(rnd, tier.Best(), 20, 9, CosSin)
	x := mat.NewDense(40, 9, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	want := mat.NewDense(40, 40, nil)
	q.p.Stack().Transform(want, x)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var m mat.Matrix = x
			if g%2 == 1 {
				m = mat.DenseCopyOf(x.T()).T()
			}
			got := mat.NewDense(40, 40, nil)
			for range 20 {
				q.p.Stack().Transform(got, m)
				if !sameBits(got.RawMatrix().Data, want.RawMatrix().Data) {
					t.Error("concurrent calls differ")
					return
				}
			}
		}()
	}
	wg.Wait()
}
