// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// side is the number of points of the picture's grid along each side of the unit square, ends included.
const side = 101

// pictured are the numbers of random features of the picture's fields.
var pictured = []int{64, 256, 1024}

// picture returns the data for the picture of the decision boundaries: rows kind,method,x1,x2,value, where the
// value of a point is its label, and the value of a field the decision value of the method.
func picture(show func(string), p *problem) ([][]string, error) {
	n, _ := p.train.Dims()
	order := p.order(passes * n)
	records := [][]string{{"kind", "method", "x1", "x2", "value"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	add := func(kind, method string, x []float64, value float64) {
		records = append(records, []string{kind, method, number(x[0]), number(x[1]), number(value)})
	}
	for i, label := range p.labels {
		add("point", "", p.train.RawRowView(i), label)
	}
	grid := mat.NewDense(side*side, 2, nil)
	for i := range side * side {
		grid.SetRow(i, []float64{float64(i%side) / (side - 1), float64(i/side) / (side - 1)})
	}
	field := func(method string, l *learner) {
		show("picture: " + method + " …")
		p.fit(l, order)
		for i, v := range l.decide(grid) {
			add("field", method, grid.RawRowView(i), v)
		}
	}
	for _, columns := range pictured {
		with := *p
		with.columns = columns
		l, err := with.randomly(true)
		if err != nil {
			return nil, err
		}
		field(fmt.Sprintf("%d random features", columns), l)
	}
	field("exact kernel", inKernel(p.train, p.kernel, true))
	return records, nil
}
