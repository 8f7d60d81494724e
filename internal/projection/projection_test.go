// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// problem is a projection with the forms it was made from.
type problem struct {
	p     *Projection
	w     [][]float64
	b     []float64
	scale float64
	e     Epilogue
}

func newProblem(rnd *rand.Rand, forms, in int, e Epilogue) problem {
	q := problem{w: make([][]float64, forms), b: make([]float64, forms), scale: rnd.Float64(), e: e}
	q.p = New(forms, in, e, q.scale)
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

// out is the number of outputs of a row.
func (q problem) out() int {
	if q.e == CosSin {
		return 2 * len(q.w)
	}
	return len(q.w)
}

// want is the specification, written as in the doc comments.
func (q problem) want(x []float64) []float64 {
	forms := len(q.w)
	out := make([]float64, q.out())
	for i, w := range q.w {
		t := q.b[i]
		for k, v := range x {
			t = math.FMA(w[k], v, t)
		}
		r := t - math.RoundToEven(t)
		sin := func(s float64) float64 {
			u := s * s
			p := unitSinTurns[8] * q.scale
			for k := 7; k >= 0; k-- {
				p = math.FMA(p, u, unitSinTurns[k]*q.scale)
			}
			return p * s
		}
		out[i] = sin(0.25 - math.Abs(r))
		if q.e == CosSin {
			out[forms+i] = math.Copysign(sin(0.25-math.Abs(math.Abs(r)-0.25)), r)
		}
	}
	return out
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

func TestTransformEqualsSpecification(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1e9, -1e9, 1e300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, procs := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, e := range []Epilogue{Cos, CosSin} {
			for _, forms := range []int{1, 7, 8, 9, 17, 40} {
				for _, in := range []int{1, 2, 7, 8, 70} {
					for _, rows := range []int{1, 2, 15, 16, 17, 50} {
						q := newProblem(rnd, forms, in, e)
						name := fmt.Sprintf("%d procs, epilogue %d, %d forms of R^%d, %d rows", procs, e, forms, in, rows)

						// Rows of a wider matrix; the last one reads something special.
						wide := mat.NewDense(rows, in+3, nil)
						for i := range wide.RawMatrix().Data {
							wide.RawMatrix().Data[i] = 3 * rnd.NormFloat64()
						}
						wide.Set(rows-1, 1+rnd.IntN(in), special[rnd.IntN(len(special))])
						x := wide.Slice(0, rows, 1, 1+in).(*mat.Dense)
						byColumns := make(columns, in)
						for j := range byColumns {
							byColumns[j] = mat.Col(nil, j, x)
						}

						// Into columns of a wider matrix, whose margins must stay.
						const canary = 12345.5
						out := q.out()
						margin := mat.NewDense(rows+2, out+2, nil)
						for i := range margin.RawMatrix().Data {
							margin.RawMatrix().Data[i] = canary
						}
						inner := margin.Slice(1, rows+1, 1, out+1).(*mat.Dense)
						for _, m := range []mat.Matrix{x, byColumns, mat.DenseCopyOf(x).T().T()} {
							q.p.Transform(inner, m)
							for i := range rows {
								row := q.want(mat.Row(nil, i, x))
								if !sameBits(inner.RawRowView(i), row) {
									t.Fatalf("%s: row %d of a %T differs from the specification", name, i, m)
								}
								vec := make([]float64, out)
								q.p.TransformVec(vec, mat.Row(nil, i, x))
								if !sameBits(vec, row) {
									t.Fatalf("%s: row %d by itself differs from the specification", name, i)
								}
							}
						}
						for i := range rows + 2 {
							for j := range out + 2 {
								edge := i == 0 || j == 0 || i == rows+1 || j == out+1
								if edge && margin.At(i, j) != canary {
									t.Fatalf("%s: wrote outside the destination at %d, %d", name, i-1, j-1)
								}
							}
						}
					}
				}
			}
		}
	}
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
	for range 20_000 {
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
	q := newProblem(rnd, 20, 9, CosSin)
	x := mat.NewDense(40, 9, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	want := mat.NewDense(40, 40, nil)
	q.p.Transform(want, x)
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
				q.p.Transform(got, m)
				if !sameBits(got.RawMatrix().Data, want.RawMatrix().Data) {
					t.Error("concurrent calls differ")
					return
				}
			}
		}()
	}
	wg.Wait()
}
