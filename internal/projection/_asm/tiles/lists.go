// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An entry of a row: its size, and the place of its value. Its coordinate comes first.
const (
	entryBytes = 16
	entryValue = 8
)

// list generates the function for a row that is a list of entries, in tiles of a shape. It has the arguments
// of the other functions. x points to the entries, k is their number, and strides of rows are ignored.
func list(s shape) {
	name := "list" + s.Name
	TEXT(name, NOSPLIT, s.signature())
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is listPlain, in tiles of %s. The entries are at x.", name, s.doc()))
	t := newTiler(s)
	t.chains = t.listChains
	t.all()
}

// listChains generates the loop over the entries: one multiply-add in each chain, with the weights of the
// entry's coordinate.
func (t *tiler) listChains(label string, acc [][]reg.VecPhysical, free []reg.VecPhysical, panels int) {
	Comment("One multiply-add in each chain an entry.")
	entries, k := GP64(), GP64()
	Load(Param("x"), entries)
	weights := t.weightPointers(panels)
	weights.base[0] = GP64()
	Load(Param("k"), k)
	TESTQ(k, k)
	JEQ(LabelRef(label + "sums"))
	Label(label + "k")
	IMUL3Q(I32(t.panelBytes()), Mem{Base: entries}, weights.base[0])
	ADDQ(t.w, weights.base[0])
	t.step(acc, free,
		func(int) Mem { return Mem{Base: entries, Disp: entryValue} },
		func(v int) Mem { return weights.at(v/t.vectors, v%t.vectors*t.Bytes()) })
	ADDQ(Imm(entryBytes), entries)
	DECQ(k)
	JNE(LabelRef(label + "k"))
	Label(label + "sums")

	Comment("The next panel.")
	stride := GP64()
	Load(Param("wStride"), stride)
	for range panels {
		ADDQ(stride, t.w)
	}
}
