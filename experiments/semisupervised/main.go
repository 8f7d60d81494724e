// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Semisupervised classifies images of which two in each class have labels, with a Fourier map and
// with the same map deformed by all images without their labels (Ionescu, Popa and Sminchisescu
// 2017).
//
// The images are the 1797 handwritten digits embedded in the program or, with -data, COIL-20: 1440
// photographs of 20 rotating objects, so that the images of an object form a closed curve. The
// folder must contain coil20.f32.gz, 32×32 float32 numbers from 0 to 1 for each image,
// little-endian, and coil20.labels.u8.gz, a byte for each; both gzipped.
//
// The classifier is ridge regression on the features of the labeled images. The number of
// neighbors, Power, Alpha and λ are chosen on some samples of labels, as is λ of the base map. Then
// the two maps are compared on other samples, the same for both. All images except the labeled ones
// are scored: the points that deform the map are the ones to be classified, which is its purpose.
package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Semisupervised classifies images of which two in each class have labels.

It compares a map of random features with the same map deformed by all images without their
labels (Ionescu, Popa and Sminchisescu 2017). The first table shows the accuracy for each choice of the
options of the deformation, on some samples of the labels. The second compares the two maps on other
samples, one a row, by the accuracy in percent on the images without labels. Look at the last two
lines: the mean difference, and its standard error.
`

const (
	seed   = 1
	labels = 2 // of each class
)

// A plan says how much to compute.
type plan struct {
	points   int // 0: all
	features int
	tuning   int // samples of labels to choose the options with
	draws    int // samples of labels to compare the maps on

	neighbors, powers []int
	alphas, ridges    []float64
}

// full is the plan of the program.
var full = plan{
	features:  512,
	tuning:    5,
	draws:     20,
	neighbors: []int{2, 3, 6, 12},
	powers:    []int{1, 2},
	alphas:    []float64{1, 10, 100, 1000},
	ridges:    []float64{1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100},
}

// small is the plan of -quick.
var small = plan{
	points: 400, features: 64, tuning: 2, draws: 8,
	neighbors: []int{5}, powers: []int{1, 2}, alphas: []float64{1, 100}, ridges: []float64{0.01, 1},
}

func main() {
	much := full
	flags := program.NewFlags("semisupervised", usage)
	folder := flags.String("data", "", "`folder` of coil20.f32.gz and coil20.labels.u8.gz, for COIL-20 instead of the embedded digits")
	flags.Quick(func() { much = small }, "400 images, 64 features and few options")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		p, err := loadDigits()
		if *folder != "" {
			p, err = loadCOIL(*folder)
		}
		if err != nil {
			return err
		}
		return run(w, show, p, much)
	})
}

// An option is a map, with λ of its classifier and its accuracy in tuning.
type option struct {
	featuremap.DataDependentOptions
	z               *mat.Dense // features of all points
	ridge, accuracy float64
}

// run chooses the options, compares the maps, and writes both to out. It shows what it is doing
// meanwhile.
func run(out io.Writer, show func(doing string), p *points, plan plan) error {
	p = p.first(plan.points)
	s := featuremap.NewSampler(seed)
	n, d := p.x.Dims()
	l, err := featuremap.MedianLengthScale(p.x, s)
	if err != nil {
		return err
	}
	kernel := featuremap.Gaussian{LengthScale: l}
	base, err := featuremap.NewFourier(kernel, d, plan.features, s, &featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d images of %d pixels, %d classes, %d labels of each.\n", p.name, n, d, p.classes, labels)
	fmt.Fprintf(out, "Kernel exp(−‖x−y‖²/2ℓ²), ℓ = %.3f, the median distance over √2; %d Fourier features; seed %d.\n", kernel.LengthScale, plan.features, seed)

	t := &trial{p: p, plan: plan, base: base, tuning: draws(p, plan.tuning, s)}
	identity, err := featuremap.NewPlan(featuremap.Linear{}, nil, plan.features, &featuremap.PlanOptions{In: plan.features})
	if err != nil {
		return err
	}
	if t.features, err = identity.Draw(featuremap.NewSampler(seed)); err != nil {
		return err
	}
	plain, err := t.option(featuremap.DataDependentOptions{})
	if err != nil {
		return err
	}
	deformed, err := t.choose(out, show)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nChosen on %d samples of labels: base map, λ %.0e; Neighbors %d, Power %d, Alpha %g, λ %.0e.\n",
		plan.tuning, plain.ridge, deformed.Neighbors, deformed.Power, deformed.Alpha, deformed.ridge)

	show("comparing …")
	return t.compare(out, plain, deformed, draws(p, plan.draws, s))
}

// draws returns n samples of labels.
func draws(p *points, n int, s *featuremap.Sampler) [][]int {
	all := make([][]int, n)
	for i := range all {
		all[i] = p.draw(labels, s)
	}
	return all
}

// A trial compares maps on some points.
type trial struct {
	p      *points
	plan   plan
	base   featuremap.FeatureMap
	tuning [][]int

	// The map of features to themselves, because those of all points are computed once.
	features featuremap.FeatureMap
}

// option returns a map with the λ that is best for it.
func (t *trial) option(o featuremap.DataDependentOptions) (*option, error) {
	m, err := featuremap.NewDataDependent(t.base, t.p.x, &o)
	if err != nil {
		return nil, err
	}
	best := &option{DataDependentOptions: o, z: new(mat.Dense), accuracy: -1}
	m.TransformTo(best.z, t.p.x)
	for _, ridge := range t.plan.ridges {
		accuracies := make([]float64, len(t.tuning))
		for i, labeled := range t.tuning {
			if accuracies[i], err = t.fit(best.z, labeled, ridge); err != nil {
				return nil, err
			}
		}
		if a := stat.Mean(accuracies, nil); a > best.accuracy {
			best.ridge, best.accuracy = ridge, a
		}
	}
	return best, nil
}

// choose returns the best deformed map, and writes the accuracies of all.
func (t *trial) choose(out io.Writer, show func(doing string)) (*option, error) {
	fmt.Fprintf(out, "\nAccuracy in tuning, with the best λ for each:\n")
	fmt.Fprint(out, "Neighbors  Power  Alpha")
	for _, a := range t.plan.alphas {
		fmt.Fprintf(out, "  %7g", a)
	}
	fmt.Fprintln(out)
	var best *option
	for _, k := range t.plan.neighbors {
		for _, c := range t.plan.powers {
			show(fmt.Sprintf("%d neighbors, power %d …", k, c))
			fmt.Fprintf(out, "%9d  %5d       ", k, c)
			for _, a := range t.plan.alphas {
				o, err := t.option(featuremap.DataDependentOptions{Alpha: a, Power: c, Neighbors: k})
				if err != nil {
					return nil, err
				}
				fmt.Fprintf(out, "  %6.2f%%", 100*o.accuracy)
				if best == nil || o.accuracy > best.accuracy {
					best = o
				}
			}
			fmt.Fprintln(out)
		}
	}
	return best, nil
}

// compare fits both maps to the same labels, sample by sample.
func (t *trial) compare(out io.Writer, plain, deformed *option, draws [][]int) error {
	fmt.Fprintln(out, "\nsample    base map  data-dependent  difference")
	var columns [3][]float64
	for i, labeled := range draws {
		a, err := t.fit(plain.z, labeled, plain.ridge)
		if err != nil {
			return err
		}
		b, err := t.fit(deformed.z, labeled, deformed.ridge)
		if err != nil {
			return err
		}
		for j, v := range []float64{a, b, b - a} {
			columns[j] = append(columns[j], 100*v)
		}
		fmt.Fprintf(out, "%5d  %10.2f%%  %13.2f%%  %+10.2f\n", i+1, 100*a, 100*b, 100*(b-a))
	}
	var mean, deviation [3]float64
	for j, c := range columns {
		mean[j], deviation[j] = stat.MeanStdDev(c, nil)
	}
	root := math.Sqrt(float64(len(draws)))
	fmt.Fprintf(out, " mean  %10.2f%%  %13.2f%%  %+10.2f\n", mean[0], mean[1], mean[2])
	fmt.Fprintf(out, "   ±   %10.2f   %13.2f   %10.2f   standard error\n", deviation[0]/root, deviation[1]/root, deviation[2]/root)
	return nil
}

// fit fits ridge regression, without an intercept, to the labeled rows of the features, and returns the accuracy
// of its scores at the other points. λ is share times the mean of ‖z‖² over the labeled rows.
func (t *trial) fit(z *mat.Dense, labeled []int, share float64) (float64, error) {
	_, out := z.Dims()
	zl := mat.NewDense(len(labeled), out, nil)
	class := make([]int, len(labeled))
	var squares float64
	for i, from := range labeled {
		row := z.RawRowView(from)
		zl.SetRow(i, row)
		class[i] = t.p.class[from]
		squares += floats.Dot(row, row)
	}
	y, err := ridge.Labels(class, t.p.classes)
	if err != nil {
		return 0, err
	}
	m, err := ridge.Fit(t.features, zl, y, &ridge.Options{
		Lambda:      share * squares / float64(len(labeled)),
		NoIntercept: true,
	})
	if err != nil {
		return 0, err
	}
	var scores mat.Dense
	m.PredictTo(&scores, z)
	return t.p.accuracy(&scores, labeled), nil
}
