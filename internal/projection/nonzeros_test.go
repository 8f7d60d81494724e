// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// listed is a matrix of rows that are lists of entries.
type listed struct {
	in   int
	rows [][]nonZero
}

func (l listed) Dims() (int, int) { return len(l.rows), l.in }
func (l listed) T() mat.Matrix    { return mat.Transpose{Matrix: l} }
func (l listed) At(i, j int) float64 {
	for _, e := range l.rows[i] {
		if e.col == j {
			return e.v
		}
	}
	return 0
}

func (l listed) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for _, e := range l.rows[i] {
		fn(i, e.col, e.v)
	}
}

// listOf returns x as lists: without most of its zeros, and half of the lists out of order.
func listOf(rnd *rand.Rand, x mat.Matrix) listed {
	n, in := x.Dims()
	l := listed{in, make([][]nonZero, n)}
	for i := range n {
		for j := range in {
			if v := x.At(i, j); math.Float64bits(v) != 0 || rnd.IntN(16) == 0 {
				l.rows[i] = append(l.rows[i], nonZero{j, v})
			}
		}
		if row := l.rows[i]; rnd.IntN(2) == 0 {
			rnd.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
	}
	return l
}

// thin makes most elements of most rows zero.
func thin(rnd *rand.Rand, x *mat.Dense) {
	n, in := x.Dims()
	for i := range n {
		keep := [...]float64{0, 0.02, 0.1, 0.2, 0.5, 1}[rnd.IntN(6)]
		for j := range in {
			if rnd.Float64() >= keep {
				x.Set(i, j, 0)
			}
		}
	}
}

// awkward replaces weights and biases by some for which a sum may be −0, with some values.
func (q problem) awkward(rnd *rand.Rand) {
	pick := func(from []float64) float64 { return from[rnd.IntN(len(from))] }
	weights := []float64{0, math.Copysign(0, -1), -1, 1, 0x1p-500, -0x1.8p-500}
	biases := []float64{0, 5e-324, -5e-324}
	switch rnd.IntN(4) {
	case 0:
		weights = append(weights, 5e-324, -5e-324, 1e-200)
	case 1:
		biases = append(biases, math.Copysign(0, -1))
	}
	for i := range q.w {
		if rnd.IntN(2) == 0 {
			q.b[i] = pick(biases)
		}
		for k := range q.w[i] {
			if rnd.IntN(2) == 0 {
				q.w[i][k] = pick(weights)
			}
		}
		q.p.Set(i, q.w[i], q.b[i])
	}
}

// checkLists compares the transform of lists with the transform of the same rows as dense rows, for
// weights and values at which omitted zeros might matter. given holds some of the values.
func checkLists(rnd *rand.Rand, on tier.Tier, e Epilogue, rows, in, forms int, given []byte) error {
	q := newProblem(rnd, on, forms, in, e)
	q.p.fullRow = in
	if rnd.IntN(3) == 0 {
		q.p.listWeights = 1 + rnd.IntN(300)
	}
	if rnd.IntN(3) == 0 {
		q.p.callCoords = 1 + rnd.IntN(in)
	}
	if rnd.IntN(2) == 0 {
		q.awkward(rnd)
	}
	x := mat.NewDense(rows, in, nil)
	tiny := []float64{1, 0x1p-460, 0x1p-468, -0x1p-470, 0x1p-474, 1e-310, 5e-324}
	for i := range rows {
		row, scales := x.RawRowView(i), tiny[:1+rnd.IntN(len(tiny))]
		for k := range row {
			row[k] = rnd.NormFloat64() * scales[rnd.IntN(len(scales))]
		}
	}
	thin(rnd, x)
	if rnd.IntN(4) == 0 {
		x.Set(rnd.IntN(rows), rnd.IntN(in), special[rnd.IntN(len(special))])
	}
	for ; len(given) >= 8; given = given[8:] {
		x.Set(rnd.IntN(rows), rnd.IntN(in), math.Float64frombits(binary.LittleEndian.Uint64(given)))
	}
	got, want := filled(rows, q.p.outputs(), 1.5), filled(rows, q.p.outputs(), 1.5)
	s := q.p.Stack()
	s.Transform(got, listOf(rnd, x))
	s.Transform(want, x)
	for i := range rows {
		if !sameBits(got.RawRowView(i), want.RawRowView(i)) {
			return fmt.Errorf("row %d, %v: %v, want %v", i, x.RawRowView(i), got.RawRowView(i), want.RawRowView(i))
		}
	}
	return nil
}

func TestListsEqualDense(t *testing.T) {
	for _, on := range tiers() {
		for _, e := range epilogues {
			t.Run(fmt.Sprintf("%v/%v", on, e), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(11, 2))
				for forms := 1; forms <= 130; forms += 1 + forms/50 {
					rows, in := 1+rnd.IntN(70), 1+rnd.IntN(70)
					if err := checkLists(rnd, on, e, rows, in, forms, nil); err != nil {
						t.Fatalf("%d rows of R^%d, %d forms: %v", rows, in, forms, err)
					}
				}
			})
		}
	}
}

func FuzzLists(f *testing.F) {
	f.Add(uint64(1), byte(9), byte(17), byte(25), byte(2), []byte{0, 0, 0, 0, 0, 0, 0, 128})
	f.Fuzz(func(t *testing.T, seed uint64, rows, in, forms, e byte, given []byte) {
		for _, on := range tiers() {
			rnd := rand.New(rand.NewPCG(seed, 1))
			if err := checkLists(rnd, on, epilogues[e%4], 1+int(rows)%70, 1+int(in)%70, 1+int(forms)%130, given); err != nil {
				t.Fatalf("%v: %v", on, err)
			}
		}
	})
}

// Weights that are not finite make NaN of a zero, in lists too.
func TestListsBesideInfiniteWeights(t *testing.T) {
	for _, on := range tiers() {
		for _, e := range epilogues {
			for _, w := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
				p := NewIn(on, 30, 20, e, 1)
				row := make([]float64, 20)
				row[7] = w
				p.Set(3, row, 0)
				got, want := filled(1, p.outputs(), 1.5), filled(1, p.outputs(), 1.5)
				p.Stack().Transform(got, listed{20, [][]nonZero{{{2, 1}}}})
				x := mat.NewDense(1, 20, nil)
				x.Set(0, 2, 1)
				p.Stack().Transform(want, x)
				if !sameBits(got.RawRowView(0), want.RawRowView(0)) || !math.IsNaN(got.At(0, 3)) {
					t.Errorf("%v, %v, weight %v: %v, want %v", on, e, w, got.RawRowView(0), want.RawRowView(0))
				}
			}
		}
	}
}

// Many lists, long lists, and lists that are distributed by rows or by panels have the bits of dense rows,
// in concurrent calls too.
func TestListsInParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rnd := rand.New(rand.NewPCG(7, 9))
	for i, size := range [][3]int{{700, 40, 150}, {150, 2000, 26}, {5, 900, 1500}, {1, 300, 2500}, {200, 70, 300}} {
		rows, in, forms := size[0], size[1], size[2]
		for k, e := range []Epilogue{CosSin, Multiply} {
			if size[0] > 1 && k != i%2 {
				continue // how work is divided does not depend on the epilogue
			}
			q := newProblem(rnd, tier.Best(), forms, in, e)
			q.p.fullRow, q.p.shape.serialWork = in, 1 // so that all are shared out
			x := mat.NewDense(rows, in, nil)
			for i := range x.RawMatrix().Data {
				x.RawMatrix().Data[i] = rnd.NormFloat64()
			}
			if in < 1000 { // otherwise lists do not all fit in a buffer
				thin(rnd, x)
			}
			s, lists := q.p.Stack(), listOf(rnd, x)
			want := filled(rows, q.p.outputs(), 1.5)
			s.Transform(want, x)
			var wg sync.WaitGroup
			for range 2 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					got := filled(rows, q.p.outputs(), 1.5)
					s.Transform(got, lists)
					if !sameBits(got.RawMatrix().Data, want.RawMatrix().Data) {
						t.Errorf("%v, %d rows of R^%d, %d forms: differs", e, rows, in, forms)
					}
				}()
			}
			wg.Wait()
		}
	}
}

// A row with two entries of one coordinate, or with an entry outside, panics, and the stack can be
// used again.
func TestListsRefuse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	q := newProblem(rnd, tier.Best(), 50, 30, Store)
	stacks := map[string]*Stack{"forms": q.p.Stack(), "copy": NewStack(30, 30, Copy{Scale: 1})}
	for name, s := range stacks {
		out := s.Out()
		for _, c := range []struct {
			row  []nonZero
			want error
		}{
			{[]nonZero{{3, 1}, {3, 1}}, ErrDuplicate},
			{[]nonZero{{9, 1}, {3, 0}, {7, 1}, {9, 0}}, ErrDuplicate},
			{[]nonZero{{29, 1}, {30, 0}}, mat.ErrColAccess},
			{[]nonZero{{-1, 1}}, mat.ErrColAccess},
		} {
			for _, rows := range []int{1, 3, 2000} {
				lists := listed{30, make([][]nonZero, rows)}
				lists.rows[rows/2] = c.row
				func() {
					defer func() {
						if got := recover(); got != c.want {
							t.Errorf("%s, %d rows, %v: %v, want a panic with %v", name, rows, c.row, got, c.want)
						}
					}()
					s.Transform(mat.NewDense(rows, out, nil), lists)
				}()
			}
		}
		got, want := mat.NewDense(1, out, nil), mat.NewDense(1, out, nil)
		s.Transform(got, listed{30, [][]nonZero{{{4, 2}}}})
		x := mat.NewDense(1, 30, nil)
		x.Set(0, 4, 2)
		s.Transform(want, x)
		if !sameBits(got.RawRowView(0), want.RawRowView(0)) {
			t.Errorf("%s: differs after panics", name)
		}
	}
}

// Nothing is allocated once warm.
func TestListsAllocateNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(40, 50, nil)
	for i := range 40 {
		x.Set(i, i, 1)
	}
	var lists mat.Matrix = listOf(rnd, x)
	product, _, _ := productProblem(rnd, tier.Best(), 50, 30, true)
	q := newProblem(rnd, tier.Best(), 60, 50, CosSin)
	for _, s := range []*Stack{product, q.p.Stack()} {
		dst := mat.NewDense(40, s.Out(), nil)
		// A collection of garbage, and the race detector, empty the pools at times.
		least := math.Inf(1)
		for range 20 {
			least = min(least, testing.AllocsPerRun(1, func() { s.Transform(dst, lists) }))
		}
		if least != 0 {
			t.Errorf("%v allocations", least)
		}
	}
}
