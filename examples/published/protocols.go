// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/internal/sets"
)

// A protocol is a kernel on rows of a data set, and the maps to compare.
type protocol struct {
	title   string
	kernel  featuremap.Kernel
	x, y    *mat.Dense // the rows and the columns of the kernel matrix
	exact   *mat.Dense // the kernel matrix
	points  *mat.Dense // other rows, which plans and laws of degrees may look at
	maps    int
	entries []entry
}

// An entry is a line of a table: what others published, what this library has of that kind, or both.
type entry struct {
	columns         int // real ones
	name            string
	published, dev  float64 // mean of the relative error and its standard error; 0 if not published
	method          method
	ours, isPlanned bool // whether there is a method, and whether it is NewPlan's choice
}

// theirs is an entry without a map of this library.
func theirs(columns int, name string, published, dev float64) entry {
	return entry{columns: columns, name: name, published: published, dev: dev}
}

// both is an entry with one.
func both(columns int, name string, published, dev float64, m method) entry {
	return entry{columns: columns, name: name, published: published, dev: dev, method: m, ours: true}
}

// plan appends NewPlan's choice.
func (p *protocol) plan(columns int) error {
	m, err := p.planned(columns)
	p.entries = append(p.entries, entry{columns: columns, name: "NewPlan", method: m, ours: true, isPlanned: true})
	return err
}

func (p *protocol) dim() int {
	_, d := p.x.Dims()
	return d
}

// load returns the protocols.
func load(of scope) ([]*protocol, error) {
	letter, err := sets.Letter()
	if err != nil {
		return nil, err
	}
	var protocols []*protocol
	// Wacker et al. split letter anew in each of their ten runs.
	train, test := letter.Split(letter.Len()*9/10, featuremap.NewSampler(seed))
	p, err := median(train, test, of)
	if err != nil {
		return nil, err
	}
	if err := p.addLetter(); err != nil {
		return nil, err
	}
	protocols = append(protocols, p)
	if of.data != "" {
		adult, err := sets.Adult(of.data)
		if err != nil {
			return nil, err
		}
		train, test := adult.Own()
		if p, err = median(train, test, of); err != nil {
			return nil, err
		}
		if err := p.addAdult(); err != nil {
			return nil, err
		}
		protocols = append(protocols, p)
	}
	for _, add := range []func(*sets.Set, scope) (*protocol, error){quadratureGaussian, quadratureReLU} {
		if p, err = add(letter, of); err != nil {
			return nil, err
		}
		protocols = append(protocols, p)
	}
	return protocols, nil
}

// median is the protocol of Wacker et al.: columns are standardised by the training rows, the length
// scale is the median distance of two of them, and the kernel matrix is of test rows.
func median(train, test *sets.Set, of scope) (*protocol, error) {
	sets.Standardise(train.X, test.X)
	s := featuremap.NewSampler(seed)
	l, err := featuremap.MedianLengthScale(train.X, s)
	if err != nil {
		return nil, err
	}
	k := featuremap.Gaussian{LengthScale: l * math.Sqrt2} // see MedianLengthScale
	x, _ := test.Split(min(of.rows, test.Len()), s)
	p := &protocol{
		title:  fmt.Sprintf("%s, Gaussian kernel of length scale %.2f, the median distance", train.Name, k.LengthScale),
		kernel: k, x: x.X, y: x.X, points: train.X, maps: of.maps,
	}
	return p.withGram(), nil
}

func (p *protocol) withGram() *protocol {
	p.exact = new(mat.Dense)
	featuremap.CrossGram(p.exact, p.kernel, p.x, p.y)
	return p
}

// addLetter adds the maps on letter. Published are the means of k_rel_frob_error over ten runs at D = 80
// in csv/gaussian_approx/Letter_d16_n20000.csv of github.com/joneswack/dp-rfs: 80 real features, and
// 80 complex ones, which are 160 real columns.
func (p *protocol) addLetter() error {
	p.entries = append(p.entries,
		both(80, "Fourier, independent", .11887, .00433, p.fourier(80, featuremap.Independent)),
		both(80, "Fourier, orthogonal (theirs: three Hadamard products of constant length)", .05475, .00186, p.fourier(80, featuremap.Orthogonal)),
		both(80, "Maclaurin, Rademacher, exact to degree 1, without degrees above 2", .07086, .00280, p.maclaurin(80, 2, featuremap.RademacherSketch, false)),
		both(80, "Maclaurin, TensorSRHT, exact to degree 1, without degrees above 2", .02016, .00054, p.maclaurin(80, 2, featuremap.TensorSRHT, false)),
		both(80, "the same with all degrees", 0, 0, p.maclaurin(80, 0, featuremap.TensorSRHT, false)),
	)
	if err := p.plan(80); err != nil {
		return err
	}
	p.entries = append(p.entries,
		both(160, "Fourier, independent", .07834, .00237, p.fourier(160, featuremap.Independent)),
		both(160, "Fourier, orthogonal (theirs: three Hadamard products of constant length)", .03472, .00073, p.fourier(160, featuremap.Orthogonal)),
		both(160, "Maclaurin, complex Rademacher, exact to degree 1, without degrees above 2", .04879, .00173, p.maclaurin(160, 2, featuremap.RademacherSketch, true)),
		both(160, "Maclaurin, complex TensorSRHT, exact to degree 1, without degrees above 2", .01387, .00022, p.maclaurin(160, 2, featuremap.TensorSRHT, true)),
		both(160, "the same with all degrees", 0, 0, p.maclaurin(160, 0, featuremap.TensorSRHT, true)),
		both(160, "Taylor polynomial of degree 2", 0, 0, p.taylor()),
	)
	return p.plan(160)
}

// addAdult adds the maps on Adult. Published are the means over ten runs at D = 640 in
// csv/gaussian_approx/Adult_d128_n48842.csv of the same repository.
func (p *protocol) addAdult() error {
	p.entries = append(p.entries,
		both(640, "Fourier, independent", .04496, .00041, p.fourier(640, featuremap.Independent)),
		both(640, "Fourier, structured (theirs: of constant length)", .02825, .00033, p.fourier(640, featuremap.Structured)),
		both(640, "Fourier, orthogonal", 0, 0, p.fourier(640, featuremap.Orthogonal)),
		both(640, "Maclaurin, TensorSRHT, exact to degree 1, without degrees above 3", .01072, .00011, p.maclaurin(640, 3, featuremap.TensorSRHT, false)),
		both(640, "the same with all degrees", 0, 0, p.maclaurin(640, 0, featuremap.TensorSRHT, false)),
	)
	if err := p.plan(640); err != nil {
		return err
	}
	p.entries = append(p.entries,
		both(1280, "Fourier, independent", .03169, .00027, p.fourier(1280, featuremap.Independent)),
		both(1280, "Fourier, structured (theirs: of constant length)", .01846, .00022, p.fourier(1280, featuremap.Structured)),
		both(1280, "Fourier, orthogonal", 0, 0, p.fourier(1280, featuremap.Orthogonal)),
		both(1280, "Maclaurin, complex TensorSRHT, exact to degree 1, without degrees above 3", .00886, .00009, p.maclaurin(1280, 3, featuremap.TensorSRHT, true)),
		both(1280, "the same with all degrees", 0, 0, p.maclaurin(1280, 0, featuremap.TensorSRHT, true)),
	)
	return p.plan(1280)
}

// quadrature is the protocol of Munkhoeva et al.: two samples of 550 of the first 10000 rows, divided by
// the largest element, are the rows and the columns of the kernel matrix. The plan sees rows of the other
// half of letter.
func quadrature(letter *sets.Set, of scope, title string, k featuremap.Kernel) *protocol {
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
	s, rows := featuremap.NewSampler(seed), min(of.rows, 550)
	x, _ := first.Split(rows, s)
	y, _ := first.Split(rows, s)
	p := &protocol{title: title, kernel: k, x: x.X, y: y.X, points: points.X, maps: 10 * of.maps}
	return p.withGram()
}

// What follows is from paper_figures/data/All_KA of github.com/maremun/quffka, the results of figure 1 of
// the paper: means over 500 maps, with n·2(d + 1) points for n = 1, …, 5. The Gaussian kernel takes
// a cosine and a sine at each point, a layer of ReLUs one feature.

func quadratureGaussian(letter *sets.Set, of scope) (*protocol, error) {
	p := quadrature(letter, of, "letter over its maximum, Gaussian kernel of γ = 1/16", featuremap.RBF(1./16))
	p.entries = append(p.entries,
		both(68, "Fourier, independent", .012307, .000092, p.fourier(68, featuremap.Independent)),
		both(68, "Fourier, orthogonal (theirs: 34 × 16 with orthonormal columns)", .003353, .000044, p.fourier(68, featuremap.Orthogonal)),
	)
	for n, published := range [][2]float64{{.000538, .0000053}, {.000379, .0000029}, {.000312, .0000023}, {.000271, .0000020}, {.000240, .0000016}} {
		columns := 68 * (n + 1)
		p.entries = append(p.entries, theirs(columns, "quadrature", published[0], published[1]))
		if err := p.plan(columns); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func quadratureReLU(letter *sets.Set, of scope) (*protocol, error) {
	p := quadrature(letter, of, "letter over its maximum, a layer of ReLUs", featuremap.ArcCosine{Order: 1})
	p.entries = append(p.entries,
		both(34, "neurons, independent", .345087, .010631, p.neurons(34, featuremap.Independent)),
		both(34, "neurons, orthogonal (theirs: 34 × 16 with orthonormal columns)", .274218, .007184, p.neurons(34, featuremap.Orthogonal)),
	)
	for n, published := range [][2]float64{{.010472, .000054}, {.007406, .000038}, {.006058, .000033}, {.005195, .000028}, {.004675, .000025}} {
		columns := 34 * (n + 1)
		p.entries = append(p.entries, theirs(columns, "quadrature", published[0], published[1]))
		if err := p.plan(columns); err != nil {
			return nil, err
		}
	}
	return p, nil
}
