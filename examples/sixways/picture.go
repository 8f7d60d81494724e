// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"
)

// side is the number of points of the picture's grid along each side of the unit square, ends included.
const side = 101

// pictured are the numbers of random features of the picture's fields.
var pictured = []int{64, 256, 1024}

// writePicture writes what the picture of the decision boundaries is drawn from: rows kind,method,x1,x2,value, where
// the value of a point is its label, and that of a field the decision value of the method.
func writePicture(w io.Writer, show func(string), p *problem) error {
	n, _ := p.train.Dims()
	order := p.order(passes * n)
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "kind,method,x1,x2,value")
	for i, label := range p.labels {
		fmt.Fprintf(out, "point,,%g,%g,%g\n", p.train.At(i, 0), p.train.At(i, 1), label)
	}
	grid := mat.NewDense(side*side, 2, nil)
	for i := range side * side {
		grid.SetRow(i, []float64{float64(i%side) / (side - 1), float64(i/side) / (side - 1)})
	}
	field := func(method string, l *learner) {
		show("picture: " + method + " …")
		p.fit(l, order)
		for i, v := range l.decide(grid) {
			fmt.Fprintf(out, "field,%s,%g,%g,%g\n", method, grid.At(i, 0), grid.At(i, 1), v)
		}
	}
	field("Gram matrix", inKernel(p.train, p.kernel, true))
	for _, columns := range pictured {
		with := *p
		with.columns = columns
		l, err := with.randomly(true)
		if err != nil {
			return err
		}
		field(fmt.Sprintf("random features D = %d", columns), l)
	}
	return out.Flush()
}
