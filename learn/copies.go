// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rows at the same point are left out together: if a copy stayed in the fit, it would reveal the target of the row left
// out.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A copies is some rows as groups with the same point. It is also a matrix of their targets, with the mean of its group
// for the first row of each: a regression on the first rows, with the weights of their groups, equals the regression on
// all.
type copies struct {
	targets mat.Matrix
	first   []int             // rows, the first of each group, in their order
	of      []int             // the first row of the group of each row; −1 for rows that are not among them
	weights []float64         // of groups, by their first rows
	means   map[int][]float64 // of the targets of groups with several rows, by their weights
	within  []float64         // of each target, the sum of the squared differences from these means, by weights
	free    float64           // what that is expected to be if the noise variance is 1
	more    int               // number of rows that are not the first of a group
}

// copiesOf returns rows as groups.
func (s *study) copiesOf(index []int) *copies {
	c := &copies{targets: s.targets(), of: slices.Repeat([]int{-1}, s.rows), weights: make([]float64, s.rows), means: make(map[int][]float64)}
	_, targets := c.targets.Dims()
	c.within = make([]float64, targets)
	var reader, other rows.Reader
	reader.Reset(s.x)
	other.Reset(s.x)
	weight := s.fitWeight()
	at, squares := make(map[uint64]int, len(index)), make(map[int]float64)
	for _, i := range index {
		sum := reader.Checksum(i)
		first, seen := at[sum]
		if !seen || !slices.Equal(reader.Row(i), other.Row(first)) {
			at[sum] = i
			c.first, c.of[i], c.weights[i] = append(c.first, i), i, weight(i)
			continue
		}
		c.of[i] = first
		before, w := c.weights[first], weight(i)
		c.weights[first] += w
		mean, share := c.mean(first), before/c.weights[first]
		for t := range mean {
			d := c.targets.At(i, t) - mean[t]
			c.within[t] = math.FMA(float64(share*w)*d, d, c.within[t])
			mean[t] = math.FMA(d, 1-share, mean[t])
		}
		c.means[first] = mean
		c.more++
		if _, ok := squares[first]; !ok {
			squares[first] = before * before
		}
		c.free = math.FMA(share*w, 1+squares[first]/before/before, c.free) // d has the variance of a row and of a mean
		squares[first] = math.FMA(w, w, squares[first])
	}
	return c
}

// noise returns the noise variance of a target between rows at the same point, and two standard errors below it; 0 and 0
// if fewer than half of the rows are copies of others.
func (c *copies) noise(target int) (v, low float64) {
	if c.more == 0 || c.more < len(c.first) {
		return 0, 0
	}
	v = c.within[target] / c.free
	return v, v * max(1-2*math.Sqrt(2/float64(c.more)), 0)
}

// mean returns the mean targets of the group of a first row.
func (c *copies) mean(first int) []float64 {
	if mean, ok := c.means[first]; ok {
		return mean
	}
	return mat.Row(nil, first, c.targets)
}

// Dims, At and T make it a matrix of targets.
func (c *copies) Dims() (rows, columns int) { return c.targets.Dims() }

func (c *copies) At(i, t int) float64 {
	if mean, ok := c.means[i]; ok {
		return mean[t]
	}
	return c.targets.At(i, t)
}

func (c *copies) T() mat.Matrix { return mat.Transpose{Matrix: c} }

// weight returns the weight of the group of a first row.
func (c *copies) weight(row int) float64 { return c.weights[row] }
