// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-0f95ebc1/featuremap"
)

// A form is one of the two forms of a Fourier map.
type form struct {
	name string
	opts featuremap.FourierOptions
}

var forms = []form{
	{"cos(ω·x + b)", featuremap.FourierOptions{RandomPhase: true}}, // the lecture's
	{"cos ω·x, sin ω·x", featuremap.FourierOptions{}},
}

// draw samples a map of this form for a problem with a Gaussian kernel.
func (f form) draw(p *problem, columns int, s *featuremap.Sampler) (*featuremap.Fourier, error) {
	_, d := p.train.Dims()
	return featuremap.NewFourier(p.kernel, d, columns, s, &f.opts)
}

// bound returns Hoeffding's bound, as at the end of the lecture.
func (f form) bound() *featuremap.TailBound {
	b, err := featuremap.FourierBound{Kernel: featuremap.Gaussian{LengthScale: 1}, RandomPhase: f.opts.RandomPhase}.Tail()
	if err != nil {
		panic(err) // for independent features and a kernel of mass 1
	}
	return b
}

const (
	pairRows = 100  // test points whose pairs measure the error of a kernel
	tail     = 0.1  // the error of a kernel value for which bounds are computed
	level    = 0.95 // the probability of the opposite
)

// nearness holds how near some maps of a form are to the kernel: numbers for each map, and for each of its pairs of
// points.
type nearness struct {
	same, right, far           []float64 // by map: agreement, accuracy on the test points, farthest
	squares, variances, beyond []float64 // by pair: the squared error, its expectation, and whether it is in the tail
}

// add adds how near a map is to the kernel.
func (c *nearness) add(m *featuremap.Fourier, p *problem, order []int, want []float64) {
	l := inFeatures(p.train, m, true)
	p.fit(l, order)
	values := l.decide(p.test)
	c.same, c.far = append(c.same, agreement(values, want)), append(c.far, farthest(values, want))
	c.right = append(c.right, agreement(values, p.testLabels))
	c.addPairs(m, p)
}

// addPairs adds how well the map estimates the kernel between the first test points.
func (c *nearness) addPairs(m *featuremap.Fourier, p *problem) {
	n, d := p.test.Dims()
	n = min(n, pairRows)
	var z mat.Dense
	m.TransformTo(&z, p.test.Slice(0, n, 0, d))
	for i := range n {
		x := p.test.RawRowView(i)
		for j := range i {
			y := p.test.RawRowView(j)
			k := p.kernel.Eval(x, y)
			e := floats.Dot(z.RawRowView(i), z.RawRowView(j)) - k
			c.squares, c.variances = append(c.squares, e*e), append(c.variances, m.Variance(x, y))
			c.beyond = append(c.beyond, share(math.Abs(e) >= tail))
		}
	}
}

// share returns 1 for true and 0 for false; its mean is a share.
func share(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// normalTail returns the mean over pairs of the probability of an error in the tail, if errors are normal.
func (c *nearness) normalTail() float64 {
	sum := 0.0
	for _, v := range c.variances {
		sum += 2 * distuv.UnitNormal.CDF(-tail/math.Sqrt(v))
	}
	return sum / float64(len(c.variances))
}

// approximations prints how near learning with random features is to learning with the kernel, by the number of
// features.
func approximations(w io.Writer, show func(string), p *problem, size scope) error {
	n, _ := p.train.Dims()
	order := p.order(passes * n)
	exact := inKernel(p.train, p.kernel, true)
	p.fit(exact, order)
	want := exact.decide(p.test)
	fmt.Fprintf(w, "\n### %s with random features, by their number D\n\n", p.name)
	fmt.Fprintf(w, "Means over %d maps each. With the kernel itself the accuracy on the test points is %.2f %%.\n\n", size.maps, 100*agreement(want, p.testLabels))
	fmt.Fprintf(w, "| D | form | as 4, %% | worst map, %% | test, %% | farthest | RMS error, predicted | measured | P(error ≥ %v), bound | by variance | measured |\n", tail)
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
	var last [2]nearness // by form
	for _, columns := range size.columns {
		for i, f := range forms {
			show(fmt.Sprintf("%d random features, %s …", columns, f.name))
			var c nearness
			s := featuremap.NewSampler(mapSeed)
			for range size.maps {
				m, err := f.draw(p, columns, s)
				if err != nil {
					return err
				}
				c.add(m, p, order, want)
			}
			fmt.Fprintf(w, "| %d | %s | %.2f | %.2f | %.2f | %.2f | %.4f | %.4f | %.3f | %.4f | %.4f |\n", columns, f.name,
				100*stat.Mean(c.same, nil), 100*floats.Min(c.same), 100*stat.Mean(c.right, nil), stat.Mean(c.far, nil),
				math.Sqrt(stat.Mean(c.variances, nil)), math.Sqrt(stat.Mean(c.squares, nil)), f.bound().Prob(tail, columns), c.normalTail(), stat.Mean(c.beyond, nil))
			last[i] = c
		}
	}
	fmt.Fprintln(w)
	return printBounds(w, last, size.columns[len(size.columns)-1])
}

// printBounds says how many features the bound requires, and how many the variance.
func printBounds(w io.Writer, near [2]nearness, columns int) error {
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	for i, f := range forms {
		enough, err := f.bound().Features(tail, 1-level)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: for an error below %v with a probability of %v Hoeffding's bound requires D = %d. The largest variance of\n", f.name, tail, level, enough)
		fmt.Fprintf(w, "a pair requires %.0f.\n\n", math.Ceil(z*z*floats.Max(near[i].variances)*float64(columns)/(tail*tail)))
	}
	return nil
}
