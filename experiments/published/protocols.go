// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A protocol is a kernel on rows of a data set, and the maps to compare.
type protocol struct {
	title   string
	kernel  featuremap.Kernel
	x, y    *mat.Dense // the rows and the columns of the kernel matrix
	exact   *mat.Dense // the kernel matrix
	points  *mat.Dense // other rows, which plans and laws of degrees may use
	maps    int
	entries []entry
}

// entry is a line of a table.
type entry struct {
	columns   int // real ones
	name      string
	published figure // of the relative error
	method    method
	planned   featuremap.Kernel // the kernel for which NewPlan chooses the method, if it does
}

// figure is a mean over maps and its standard error; 0 if nothing is published.
type figure struct {
	mean, dev float64
}

// add appends an entry.
func (p *protocol) add(columns int, name string, published figure, m method) {
	p.entries = append(p.entries, entry{columns: columns, name: name, published: published, method: m})
}

// addPlan appends NewPlan's choice for a kernel: the protocol's, or one that is almost the same.
func (p *protocol) addPlan(columns int, name string, k featuremap.Kernel) {
	p.entries = append(p.entries, entry{columns: columns, name: name, planned: k})
}

func (p *protocol) dim() int {
	_, d := p.x.Dims()
	return d
}

// load returns the protocols.
func load(size scope) ([]*protocol, error) {
	letter, err := sets.Letter()
	if err != nil {
		return nil, err
	}
	var protocols []*protocol
	// Wacker et al. split letter again in each of their ten runs.
	train, test := letter.Split(letter.Len()*9/10, featuremap.NewSampler(seed))
	p, err := median(train, test, size)
	if err != nil {
		return nil, err
	}
	p.addLetter()
	protocols = append(protocols, p)
	if size.data != "" {
		adult, err := sets.Adult(size.data)
		if err != nil {
			return nil, err
		}
		train, test := adult.Own()
		if p, err = median(train, test, size); err != nil {
			return nil, err
		}
		p.addAdult()
		protocols = append(protocols, p)
	}
	return append(protocols, quadratureGaussian(letter, size), quadratureReLU(letter, size)), nil
}

// median is the protocol of Wacker et al.: columns are standardized by the training rows, the length
// scale is the median distance of two of them, and the kernel matrix is over test rows.
func median(train, test *sets.Set, size scope) (*protocol, error) {
	sets.Standardize(train.X, test.X)
	s := featuremap.NewSampler(seed)
	l, err := featuremap.MedianLengthScale(train.X, s)
	if err != nil {
		return nil, err
	}
	k := featuremap.Gaussian{LengthScale: math.Round(l*math.Sqrt2*100) / 100} // see MedianLengthScale
	x := some(test, size.rows, s)
	p := &protocol{
		title:  fmt.Sprintf("%s, Gaussian kernel of length scale %v, the median distance", train.Name, k.LengthScale),
		kernel: k, x: x, y: x, points: train.X, maps: size.maps,
	}
	return p.withGram(), nil
}

// some returns a number of rows drawn at random, or all if there are fewer.
func some(set *sets.Set, rows int, s *featuremap.Sampler) *mat.Dense {
	return set.Rows(sets.Shuffle(set.Len(), s)[:min(rows, set.Len())]).X
}

// withGram sets the exact kernel matrix.
func (p *protocol) withGram() *protocol {
	p.exact = new(mat.Dense)
	featuremap.CrossGram(p.exact, p.kernel, p.x, p.y)
	return p
}

// gaussian lists the results of Wacker et al. for a Gaussian kernel, with as many real features as
// columns or half as many complex ones: means over ten runs of k_rel_frob_error in a file of
// csv/gaussian_approx of github.com/joneswack/dp-rfs.
type gaussian struct {
	columns                            int
	independent, structured, maclaurin figure
	complex                            bool
}

// addGaussian adds the maps. Their Maclaurin maps have no terms beyond a degree, which their optimization
// of the degrees chose.
func (p *protocol) addGaussian(g gaussian, degree int) {
	kind := ", real"
	if g.complex {
		kind = ", complex"
	}
	p.add(g.columns, "Fourier, Independent", g.independent, p.fourier(g.columns, featuremap.Independent))
	p.add(g.columns, "Fourier, Structured", g.structured, p.fourier(g.columns, featuremap.Structured))
	p.add(g.columns, fmt.Sprintf("Maclaurin, TensorSRHT, exact to degree 1, up to degree %d", degree)+kind,
		g.maclaurin, p.maclaurin(g.columns, degree, g.complex))
	p.addPlan(g.columns, "NewPlan", p.kernel)
	p.addPlan(g.columns, "NewPlan, as a weighted exponential", p.weighted())
	p.addPlan(g.columns, "NewPlan, as a weighted Taylor polynomial of degree 2", p.taylor(2))
	p.addPlan(g.columns, "NewPlan, as a weighted Taylor polynomial of degree 3", p.taylor(3))
}

// addLetter adds the maps on letter, from Letter_d16_n20000.csv with D = 80.
func (p *protocol) addLetter() {
	p.addGaussian(gaussian{80, figure{.11887, .00433}, figure{.05475, .00186}, figure{.02016, .00054}, false}, 2)
	p.addGaussian(gaussian{160, figure{.07834, .00237}, figure{.03472, .00073}, figure{.01387, .00022}, true}, 2)
}

// addAdult adds the maps on Adult, from Adult_d128_n48842.csv with D = 640.
func (p *protocol) addAdult() {
	p.addGaussian(gaussian{640, figure{.04496, .00041}, figure{.02825, .00033}, figure{.01072, .00011}, false}, 3)
	p.addGaussian(gaussian{1280, figure{.03169, .00027}, figure{.01846, .00022}, figure{.00886, .00009}, true}, 3)
}

// quadrature is the protocol of Munkhoeva et al.: two samples of 550 of the first 10000 rows, divided by
// the largest element, are the rows and the columns of the kernel matrix. The plan is made for rows of
// the other half of letter.
func quadrature(letter *sets.Set, size scope, title string, k featuremap.Kernel) *protocol {
	half := make([]int, 10000)
	for i := range half {
		half[i] = i
	}
	first := letter.Rows(half)
	for i := range half {
		half[i] = len(half) + i
	}
	points := letter.Rows(half)
	largest := mat.Max(first.X)
	first.X.Scale(1/largest, first.X)
	points.X.Scale(1/largest, points.X)
	s, rows := featuremap.NewSampler(seed), min(size.rows, 550)
	p := &protocol{
		title: title, kernel: k, x: some(first, rows, s), y: some(first, rows, s), points: points.X, maps: 20 * size.maps,
	}
	return p.withGram()
}

// The numbers below are from paper_figures/data/All_KA of github.com/maremun/quffka, the results behind the
// paper's figure of errors: means over 500 maps, with n·2(d + 1) points for n = 1, …, 5. The Gaussian kernel
// takes a cosine and a sine at each point, a layer of ReLUs one feature.

func quadratureGaussian(letter *sets.Set, size scope) *protocol {
	p := quadrature(letter, size, "letter over its maximum, Gaussian kernel of γ = 1/16", featuremap.RBF(1./16))
	p.add(68, "Fourier, Independent", figure{.012307, .000092}, p.fourier(68, featuremap.Independent))
	p.add(68, "Fourier, Orthogonal", figure{.003353, .000044}, p.fourier(68, featuremap.Orthogonal))
	published := []figure{{.000538, .0000053}, {.000379, .0000029}, {.000312, .0000023}, {.000271, .0000020}, {.000240, .0000016}}
	p.addRule(68, published, p.gaussianRule)
	return p
}

func quadratureReLU(letter *sets.Set, size scope) *protocol {
	p := quadrature(letter, size, "letter over its maximum, a layer of ReLUs", featuremap.ArcCosine{Order: 1})
	p.add(34, "neurons, Independent", figure{.345087, .010631}, p.neurons(34, featuremap.Independent))
	p.add(34, "neurons, Orthogonal", figure{.274218, .007184}, p.neurons(34, featuremap.Orthogonal))
	published := []figure{{.010472, .000054}, {.007406, .000038}, {.006058, .000033}, {.005195, .000028}, {.004675, .000025}}
	p.addRule(34, published, p.reluRule)
	return p
}

// addRule adds the rule and NewPlan's choice for n times as many columns, n = 1, 2, ….
func (p *protocol) addRule(columns int, published []figure, rule func(n int) method) {
	for i, f := range published {
		p.add((i+1)*columns, "quadrature", f, rule(i+1))
		p.addPlan((i+1)*columns, "NewPlan", p.kernel)
	}
}
