// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Grid is a rectangle of nodes of a skeleton, like a layer of a convolutional network. See Image and Patches.
type Grid struct {
	sk         *Skeleton
	rows, cols int
	channels   int // nodes in each place
	nodes      []Node
	number     int // the number of the grid in its skeleton, from 0
}

// String returns the shape of the grid.
func (g *Grid) String() string {
	return fmt.Sprintf("grid of %d×%d places of %d nodes", g.rows, g.cols, g.channels)
}

// Image adds the inputs of an image of rows·cols pixels with the given number of channels. The column of channel ch of
// pixel (r, c) is (r·cols + c)·channels + ch. A base of one column (Binary, Circle, Categories) makes one node for each
// channel of a pixel. Any other base makes one node of all channels.
func (sk *Skeleton) Image(rows, cols, channels int, base Kernel) *Grid {
	defer sk.record(skeletonCall{Call: "Image", Shape: []int{rows, cols, channels}, Base: base})()
	g := sk.newGrid()
	if !sk.fits("Image", rows, cols, channels) {
		return g
	}
	g.rows, g.cols, g.channels = rows, cols, 1
	width := channels
	if oneColumn(base) {
		g.channels, width = channels, 1
	}
	input := sk.inputs(base, width)
	for at := 0; at < rows*cols*channels; at += width {
		columns := make([]int, width)
		for i := range columns {
			columns[i] = at + i
		}
		g.nodes = append(g.nodes, input(columns))
	}
	return g
}

// Patches adds one input for each window of size·size pixels of an image, stride pixels apart. Its columns are the
// columns of the window's pixels, numbered as by Image, row by row. Windows lie inside the image (valid borders), and
// pixels that no window reaches are ignored.
func (sk *Skeleton) Patches(rows, cols, channels, size, stride int, base Kernel) *Grid {
	defer sk.record(skeletonCall{Call: "Patches", Shape: []int{rows, cols, channels, size, stride}, Base: base})()
	g := sk.newGrid()
	if !sk.fits("Patches", rows, cols, channels) || !sk.windows("Patches", rows, cols, size, stride) {
		return g
	}
	g.rows, g.cols, g.channels = (rows-size)/stride+1, (cols-size)/stride+1, 1
	input := sk.inputs(base, size*size*channels)
	for i := range g.rows * g.cols {
		var columns []int
		for r := range size {
			first := ((i/g.cols*stride+r)*cols + i%g.cols*stride) * channels
			for j := range size * channels {
				columns = append(columns, first+j)
			}
		}
		g.nodes = append(g.nodes, input(columns))
	}
	return g
}

// newGrid returns an empty grid.
func (sk *Skeleton) newGrid() *Grid {
	sk.grids++
	return &Grid{sk: sk, number: sk.grids - 1}
}

// fits refuses an image that is empty or has more columns than the points.
func (sk *Skeleton) fits(name string, rows, cols, channels int) bool {
	for _, p := range []struct {
		name  string
		value int
	}{{"rows", rows}, {"cols", cols}, {"channels", channels}} {
		if p.value < 1 {
			sk.fail(name, "%s = %d: must be at least 1", p.name, p.value)
			return false
		}
	}
	if n := float64(rows) * float64(cols) * float64(channels); n > float64(sk.builder.In) {
		sk.fail(name, "%d×%d pixels of %d channels are %v columns, and the points have %d", rows, cols, channels, n, sk.builder.In)
		return false
	}
	return true
}

// windows refuses windows that are larger than their grid, and a size or stride below 1.
func (sk *Skeleton) windows(name string, rows, cols, size, stride int) bool {
	switch {
	case size < 1:
		sk.fail(name, "size = %d: must be at least 1", size)
	case size > rows || size > cols:
		sk.fail(name, "size = %d: a window is larger than its grid of %d×%d", size, rows, cols)
	case stride < 1:
		sk.fail(name, "stride = %d: must be at least 1", stride)
	default:
		return true
	}
	return false
}

// Conv adds a layer of units f(mean of the nodes in a window of size·size places), with windows stride places apart,
// and returns the grid of the units. Windows lie inside the grid (valid borders), and nodes that no window reaches are
// ignored.
func (g *Grid) Conv(f series.Series, size, stride int) *Grid {
	if g.sk == nil {
		return &Grid{}
	}
	defer g.sk.record(skeletonCall{Call: "Conv", Grid: g.number, Shape: []int{size, stride}, F: f})()
	out := g.sk.newGrid()
	if len(g.nodes) == 0 || !g.sk.windows("Conv", g.rows, g.cols, size, stride) {
		return out
	}
	layer := len(g.sk.builder.Nodes)
	out.rows, out.cols, out.channels = (g.rows-size)/stride+1, (g.cols-size)/stride+1, 1
	for i := range out.rows * out.cols {
		var window []Node
		for r := range size {
			first := ((i/out.cols*stride+r)*g.cols + i%out.cols*stride) * g.channels
			window = append(window, g.nodes[first:first+size*g.channels]...)
		}
		out.nodes = append(out.nodes, g.sk.unit("Conv", f, layer, nil, window))
	}
	return out
}

// Dense adds the unit f(mean of all nodes of the grid) and returns it.
func (g *Grid) Dense(f series.Series) Node {
	if g.sk == nil {
		return Node{}
	}
	defer g.sk.record(skeletonCall{Call: "Dense", Grid: g.number, F: f})()
	return g.sk.unit("Dense", f, -1, nil, g.nodes)
}

// Dims returns the numbers of rows, columns, and nodes in each place.
func (g *Grid) Dims() (rows, cols, channels int) { return g.rows, g.cols, g.channels }

// At returns the node of channel ch in row r and column c. Outside the grid it returns the zero Node, which belongs to
// no skeleton.
func (g *Grid) At(r, c, ch int) Node {
	if r < 0 || c < 0 || ch < 0 || r >= g.rows || c >= g.cols || ch >= g.channels {
		return Node{}
	}
	return g.nodes[(r*g.cols+c)*g.channels+ch]
}

// oneColumn tells whether a kernel is a base of one column.
func oneColumn(k Kernel) bool {
	f, err := canonical(k, 1)
	return err == nil && graph.TakesOneColumn(f)
}
