// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command tiles generates the kernels of dense projections: see the go:generate line of package
// projection.
//
// A function for r rows computes tiles of r rows by one panel of 3 vectors. For few rows it takes
// several panels at once, so that enough chains of multiply-adds run in parallel to hide their
// latency. All accumulators stay in registers from the biases to the epilogue.
package main

import (
	"flag"
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// wide is the width of a panel in vectors; panels for few forms are narrower.
const wide = 3

func main() {
	single := flag.Bool("single", false, "float32 instead of float64, for package single")
	flag.Parse()
	ConstraintExpr("amd64,!purego,!noasm")
	avx2, avx512 := vector.AVX2, vector.AVX512
	if *single {
		avx2, avx512 = vector.AVX2Single, vector.AVX512Single
	}
	for _, s := range []shape{{avx2, 1, 4, wide}, {avx2, 2, 2, wide}, {avx2, 4, 1, wide}} {
		tiles(s)
	}
	for _, s := range []shape{{avx512, 1, 4, wide}, {avx512, 2, 4, wide}, {avx512, 4, 2, wide}, {avx512, 8, 1, wide}} {
		tiles(s)
	}
	if !*single {
		list(shape{avx2, 1, 4, wide})
		list(shape{avx512, 1, 4, wide})
		for _, width := range []vector.Width{avx2, avx512} {
			for vectors := 1; vectors < wide; vectors++ {
				for rows := 1; rows <= 8 && rows*vectors < len(width.Regs); rows *= 2 {
					narrow(shape{width, rows, 1, vectors})
				}
			}
		}
	}
	Generate()
}

// signature returns the signature of all functions.
func (s shape) signature() string {
	text := "func(epilogue, k, panels int, w *float64, wStride int, start *float64, startRow int, " +
		"x *float64, xStride int, dst *float64, dstStride, sin int, table *float64)"
	if s.Size == 4 {
		return strings.ReplaceAll(text, "float64", "float32")
	}
	return text
}

// A shape is a tile of rows by panels, in vectors of a width.
type shape struct {
	vector.Width
	rows, panels int
	vectors      int // in a panel
}

// tiles generates the function for tiles of a shape.
func tiles(s shape) {
	name := fmt.Sprintf("tiles%sx%d", s.Name, s.rows)
	TEXT(name, NOSPLIT, s.signature())
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is tilesPlain for %s, in tiles of %s.", name, count(s.rows, "row"), s.doc()))

	newTiler(s).all()
}

// narrow generates the function for a panel of few forms, with the epilogue Store.
func narrow(s shape) {
	name := fmt.Sprintf("narrow%sx%dx%d", s.Name, s.rows, s.vectors)
	TEXT(name, NOSPLIT, s.signature())
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is tilesPlain for %s, in tiles of %s, with the epilogue Store.", name, count(s.rows, "row"), s.doc()))

	t := newTiler(s)
	t.store = true
	t.all()
}

// all generates the loops over panels. If several panels are processed at once, the last ones may be
// processed one by one.
func (t *tiler) all() {
	if t.panels > 1 {
		t.loop(t.panels)
	}
	t.loop(1)
	VZEROUPPER()
	RET()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (s shape) doc() string {
	return fmt.Sprintf("%s of %d forms", count(s.panels, "panel"), s.vectors*s.Lanes)
}

// A tiler generates the loops of one function.
type tiler struct {
	shape
	xStride, w, start, dst, panelsLeft reg.GPVirtual
	store                              bool // Store is the only epilogue

	// chains generates what the coordinates of rows, or the entries of one row, add to the
	// accumulators.
	chains func(label string, acc [][]reg.VecPhysical, free []reg.VecPhysical, panels int)
}

func newTiler(s shape) *tiler {
	t := &tiler{shape: s}
	t.chains = t.denseChains
	for _, p := range []struct {
		name string
		r    *reg.GPVirtual
	}{
		{"panels", &t.panelsLeft}, {"w", &t.w}, {"start", &t.start},
		{"xStride", &t.xStride}, {"dst", &t.dst},
	} {
		*p.r = GP64()
		Load(Param(p.name), *p.r)
	}
	return t
}

// loop generates the loop over panels, a number of them at a time.
func (t *tiler) loop(panels int) {
	label := fmt.Sprintf("panels%d", panels)
	done := label + "done"
	Label(label)
	CMPQ(t.panelsLeft, Imm(uint64(panels)))
	JLT(LabelRef(done))

	acc := make([][]reg.VecPhysical, t.rows) // by row and vector
	for r := range acc {
		acc[r] = t.Regs[r*panels*t.vectors : (r+1)*panels*t.vectors]
	}
	free := t.Regs[t.rows*panels*t.vectors:]
	t.begin(acc, panels)
	t.chains(label, acc, free, panels)
	t.end(label, acc, free)

	ADDQ(I32(panels*t.panelBytes()), t.dst)
	SUBQ(Imm(uint64(panels)), t.panelsLeft)
	JMP(LabelRef(label))
	Label(done)
}

func (t *tiler) panelBytes() int { return t.vectors * t.Bytes() }

// begin sets the accumulators to their starting values: the biases, or partial sums.
func (t *tiler) begin(acc [][]reg.VecPhysical, panels int) {
	Comment("The accumulators start at the biases, or at partial sums.")
	row, startRow, stride := GP64(), GP64(), GP64()
	MOVQ(t.start, row)
	Load(Param("startRow"), startRow)
	Load(Param("wStride"), stride)
	at := panelPointers(t.start, stride, panels)
	for r := range acc {
		if r > 0 {
			ADDQ(startRow, row)
			at = []reg.GPVirtual{row}
			if panels > 1 {
				at = panelPointers(row, stride, panels)
			}
		}
		for v, a := range acc[r] {
			VMOVUPD(Mem{Base: at[v/t.vectors], Disp: v % t.vectors * t.Bytes()}, a)
		}
	}
	for range panels {
		ADDQ(stride, t.start)
	}
}

// panelPointers returns pointers to consecutive panels.
func panelPointers(first, stride reg.GPVirtual, panels int) []reg.GPVirtual {
	at := []reg.GPVirtual{first}
	for i := 1; i < panels; i++ {
		next := GP64()
		MOVQ(at[i-1], next)
		ADDQ(stride, next)
		at = append(at, next)
	}
	return at
}

// unroll is the number of coordinates in a turn of the inner loop.
const unroll = 4

// ahead returns how far ahead of its use a panel is fetched, in bytes. Registers of 512 bits use a panel up as fast
// as the second-level cache delivers it, so data from the third-level cache must be requested early.
func (t *tiler) ahead() int {
	if t.Bytes() == 64 {
		return 4096
	}
	return 1024
}

// denseChains generates the loop over the coordinates: one multiply-add in each chain.
func (t *tiler) denseChains(label string, acc [][]reg.VecPhysical, free []reg.VecPhysical, panels int) {
	rows, weights := t.rowPointers(), t.weightPointers(panels)
	step := func(n int) {
		if n == unroll && panels == 1 {
			t.prefetch(rows)
		}
		for i := range n {
			t.step(acc, free,
				func(r int) Mem { return rows.at(r, t.Size*i) },
				func(v int) Mem { return weights.at(v/t.vectors, i*t.panelBytes()+v%t.vectors*t.Bytes()) })
		}
		for _, p := range rows.base {
			ADDQ(I32(t.Size*n), p)
		}
		ADDQ(I32(n*t.panelBytes()), t.w)
	}

	Comment("One multiply-add in each chain a coordinate.")
	k := GP64()
	Load(Param("k"), k)
	SUBQ(Imm(unroll), k)
	JLT(LabelRef(label + "rest"))
	if t.rows == 8 && !t.store {
		t.fetchRows(label, k, func() { step(unroll) })
	}
	Label(label + "k")
	step(unroll)
	SUBQ(Imm(unroll), k)
	JGE(LabelRef(label + "k"))
	Label(label + "rest")
	ADDQ(Imm(unroll), k)
	JEQ(LabelRef(label + "sums"))
	Label(label + "k1")
	step(1)
	DECQ(k)
	JNE(LabelRef(label + "k1"))
	Label(label + "sums")

	Comment("Skip the biases of the next panel.")
	ADDQ(I32(t.panelBytes()), t.w)
	for i := 1; i < panels; i++ {
		ADDQ(weights.stride, t.w)
	}
}

// prefetch generates fetches of data for later: the panel into the first-level cache and, with registers of 256 bits,
// the rows of the next strip, which follow this one's, into the second. (Without a next strip, fetching what is not
// there does nothing. With 512 bits these fetches cost more than they gain.)
func (t *tiler) prefetch(rows pointers) {
	for at := 0; at < unroll*t.panelBytes(); at += 64 {
		PREFETCHT0(Mem{Base: t.w, Disp: t.ahead() + at})
	}
	if t.Bytes() == 64 {
		return
	}
	next := pointers{stride: rows.stride, stride3: rows.stride3}
	for i := range rows.base {
		p := GP64()
		LEAQ(Mem{Base: rows.base[len(rows.base)-1], Index: t.xStride, Scale: 4}, p)
		if i > 0 {
			LEAQ(Mem{Base: next.base[i-1], Index: t.xStride, Scale: 4}, p)
		}
		next.base = append(next.base, p)
	}
	for r := range t.rows {
		PREFETCHT1(next.at(r, 0))
	}
}

// fetchCoords is the number of coordinates below which fetching the destination takes longer than waiting for it.
const fetchCoords = 96

// fetchRows generates the first turns of the loop over the coordinates. There is one for each row of the tile, which
// fetches its place in the destination. It leaves the last turn to the loop.
func (t *tiler) fetchRows(label string, k reg.Register, step func()) {
	at, stride, sin, end := GP64(), GP64(), GP64(), GP64()
	CMPQ(k, Imm(fetchCoords))
	JLT(LabelRef(label + "k"))
	MOVQ(t.dst, at)
	Load(Param("dstStride"), stride)
	XORQ(sin, sin)
	Load(Param("epilogue"), end)
	CMPQ(end, Imm(vector.EpilogueCosSin))
	JNE(LabelRef(label + "nosin"))
	Load(Param("sin"), sin)
	Label(label + "nosin")
	MOVQ(stride, end)
	SHLQ(Imm(3), end)
	ADDQ(at, end)
	Label(label + "fetch")
	CMPQ(k, Imm(unroll))
	JLT(LabelRef(label + "k"))
	for line := 0; line < t.panelBytes(); line += 64 {
		PREFETCHT0(Mem{Base: at, Disp: line})
		PREFETCHT0(Mem{Base: at, Index: sin, Scale: 1, Disp: line})
	}
	step()
	SUBQ(Imm(unroll), k)
	ADDQ(stride, at)
	CMPQ(at, end)
	JLT(LabelRef(label + "fetch"))
}

// pointers address up to four places, a stride apart, for each base.
type pointers struct {
	base            []reg.GPVirtual
	stride, stride3 reg.GPVirtual
}

// at returns the address of place n, plus disp bytes.
func (p pointers) at(n, disp int) Mem {
	m := Mem{Base: p.base[n/4], Disp: disp}
	switch n %= 4; n {
	case 1, 2:
		m.Index, m.Scale = p.stride, uint8(n)
	case 3:
		m.Index, m.Scale = p.stride3, 1
	}
	return m
}

// rowPointers points at the rows of x.
func (t *tiler) rowPointers() pointers {
	p := pointers{base: []reg.GPVirtual{GP64()}, stride: t.xStride}
	Load(Param("x"), p.base[0])
	if t.rows > 3 {
		p.stride3 = GP64()
		LEAQ(Mem{Base: p.stride, Index: p.stride, Scale: 2}, p.stride3)
	}
	if t.rows > 4 {
		p.base = append(p.base, GP64())
		LEAQ(Mem{Base: p.base[0], Index: p.stride, Scale: 4}, p.base[1])
	}
	return p
}

// weightPointers points at the weights of some panels.
func (t *tiler) weightPointers(panels int) pointers {
	p := pointers{base: []reg.GPVirtual{t.w}}
	if panels > 1 {
		p.stride = GP64()
		Load(Param("wStride"), p.stride)
	}
	if panels > 3 {
		p.stride3 = GP64()
		LEAQ(Mem{Base: p.stride, Index: p.stride, Scale: 2}, p.stride3)
	}
	return p
}

// step generates the multiply-adds of one coordinate. The fewer of rows and vectors are held in
// registers, and the others stream past.
func (t *tiler) step(acc [][]reg.VecPhysical, free []reg.VecPhysical, x func(r int) Mem, w func(v int) Mem) {
	nv := len(acc[0])
	if len(acc) < nv {
		for r := range acc {
			t.Broadcast(x(r), free[r])
		}
		for v := range nv {
			if len(acc) == 1 {
				t.FMA(w(v), free[0], acc[0][v])
				continue
			}
			VMOVUPD(w(v), free[len(acc)])
			for r := range acc {
				t.FMA(free[len(acc)], free[r], acc[r][v])
			}
		}
		return
	}
	for v := range nv {
		VMOVUPD(w(v), free[v])
	}
	for r := range acc {
		t.Broadcast(x(r), free[nv])
		for v := range nv {
			t.FMA(free[v], free[nv], acc[r][v])
		}
	}
}
