// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "github.com/seed-0f95ebc1/featuremap/series"

// A skeleton is saved as the calls that made it: a convolution of thousands of units is one.

// A skeletonCall is a call of a method of a Skeleton or a Grid.
type skeletonCall struct {
	Call     string        `save:"call"`
	Grid     int           `save:"grid,omitempty"`     // the number of the grid of a Conv or Dense, in the order of making
	Shape    []int         `save:"shape,omitempty"`    // the integer arguments
	Columns  []int         `save:"columns,omitempty"`  // the columns of an Input
	Children []int         `save:"children,omitempty"` // the numbers of nodes, in the order of making
	Weights  []float64     `save:"weights,omitempty"`
	Base     Kernel        `save:"base,omitempty"`
	F        series.Series `save:"f,omitempty"`
}

// record keeps a call, unless another recorded method makes it. The method must call done when it returns.
func (sk *Skeleton) record(s skeletonCall) (done func()) {
	if sk.depth == 0 && sk.builder.Err == nil { // a skeleton with an error makes no kernel
		sk.steps = append(sk.steps, s)
	}
	sk.depth++
	return func() { sk.depth-- }
}

// numbersOf returns the numbers of nodes.
func numbersOf(nodes []Node) []int {
	ids := make([]int, len(nodes))
	for i, n := range nodes {
		ids[i] = n.id
	}
	return ids
}
