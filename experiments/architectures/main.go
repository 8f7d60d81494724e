// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Architectures compares kernels of images by how well they classify, as Table 1 of Daniely, Frostig, Gupta and Singer
// 2017, "Random features for compositional kernels", does for CIFAR-10: nine kernels with two layers of local windows
// (convolutions) of different sizes, and one whose only unit reads all pixels (fully connected).
//
//	go -C experiments run ./architectures -data DIR
//
// DIR contains cifar10_train4000_a.bin.gz, 2000 images. The paper has 50,000 and augments them at random, so
// accuracies are far lower here, and only their order can be compared. Without -data the program uses the embedded
// handwritten digits, 8×8 pixels, with smaller windows.
//
// The exact kernels come first, with kernel ridge regression: each image is classified by a fit to all others. Then
// come random features of the same kernels, as in the paper: their error of the kernel, predicted by the variance and
// measured, and their accuracy.
package main

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const seed = 1

const usage = `Architectures classifies images with kernels of local windows and with fully connected ones,
as Table 1 of Daniely et al. 2017, "Random features for compositional kernels", does.

Columns:

    n/4, n/2, n  accuracy in percent of ridge regression with the exact kernel, each image predicted
                 from all others of a quarter, half or all of the images
    − Full       the accuracy for all images minus that of Full, the fully connected kernel, with the
                 standard error over images
    − mean       the same, minus the mean of the convolutional kernels
    RFS, network the paper's accuracies, of 10⁶ random features and of neural networks, on 50,000 images

The next table shows random features of the kernels.
Look at the first difference to Full, then at the rank correlations with the paper's columns.
`

// A scope says how much to compute.
type scope struct {
	data          string // folder of CIFAR-10, or ""
	images        int    // of each collection, at most
	architectures int    // of each collection, at most; the last one is always included
	step, maps    int    // random features: samples of a map, and maps
}

func main() {
	size := scope{images: 2000, architectures: 9, step: 1024, maps: 64}
	flags := program.NewFlags("architectures", usage)
	flags.StringVar(&size.data, "data", "", "`folder` with cifar10_train4000_a.bin.gz")
	flags.AtLeast(40, &size.images, "images", "largest `number` of images")
	flags.AtLeast(1, &size.maps, "maps", "largest `number` of maps of 1024 samples each: results are shown for 1, 4, 16, …")
	flags.Quick(size.quick, "200 images, four architectures and at most 1024 samples")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		_, err := run(w, show, size)
		return err
	})
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.images, size.architectures, size.step, size.maps = min(size.images, 200), 3, 256, min(size.maps, 4)
}

// A study is a collection of images with the kernels for it.
type study struct {
	name          string
	images        *collection
	stride        int         // of the first windows
	components    map[int]int // principal components of the first windows, by their size
	architectures []architecture
	published     bool // the paper has them
}

// studies returns the studies of a scope. Windows and components are those of section 6 of the
// paper.
func studies(size scope) ([]study, error) {
	if size.data == "" {
		s, err := digits(size.images)
		if err != nil {
			return nil, err
		}
		return []study{{"digits", s, 1, map[int]int{2: 3, 3: 5}, some(small, size), false}}, nil
	}
	s, err := cifar(size.data, size.images)
	if err != nil {
		return nil, err
	}
	return []study{{"CIFAR-10", s, 2, map[int]int{4: 10, 5: 12, 6: 16}, some(published, size), true}}, nil
}

// some returns the architectures of a scope: the first ones, and the last one, which is fully connected.
func some(all []architecture, size scope) []architecture {
	last := len(all) - 1
	return append(all[:min(size.architectures, last):min(size.architectures, last)], all[last])
}

// A result is the result for an entry.
type result struct {
	name         string
	architecture *architecture // nil for a baseline
	parts        [2]float64    // accuracies for a quarter and half of the images
	prediction
	estimates []estimate
}

// accuracy returns the accuracy for all images.
func (r *result) accuracy() float64 { return stat.Mean(r.right, nil) }

// run writes the tables to w, shows what it is doing meanwhile, and returns the results of each study.
func run(w io.Writer, show func(doing string), size scope) (all [][]result, err error) {
	show("reading the data …")
	list, err := studies(size)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		results, err := t.results(show, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		t.print(w, results)
		all = append(all, results)
	}
	if size.data == "" {
		fmt.Fprintln(w, "\nLeft out: CIFAR-10, for which the paper has accuracies. Its license allows no copy here; with -data it is read.")
	}
	return all, nil
}

// results classifies the images with every kernel.
func (t *study) results(show func(doing string), size scope) (all []result, err error) {
	sampler := featuremap.NewSampler(seed)
	for i, a := range t.architectures {
		e, err := t.entry(a)
		if err != nil {
			return nil, err
		}
		r, err := t.result(e, sampler, show, size)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", a, err)
		}
		r.architecture = &t.architectures[i]
		all = append(all, r)
	}
	baselines, err := t.baselines()
	if err != nil {
		return nil, err
	}
	for _, e := range baselines {
		r, err := t.result(e, sampler, show, size)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", e.name, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// result classifies the images with one kernel.
func (t *study) result(e entry, s *featuremap.Sampler, show func(doing string), size scope) (r result, err error) {
	r.name = e.name
	exact := t.gram(e, show)
	n := exact.SymmetricDim()
	show(fmt.Sprintf("%s: %s, ridge regression …", t.name, e.name))
	if r.prediction, err = t.images.leaveOneOut(exact, 0, n, lambdas); err != nil {
		return r, err
	}
	for i, parts := range []int{4, 2} {
		for part := range parts {
			p, err := t.images.leaveOneOut(exact, part*n/parts, (part+1)*n/parts, lambdas)
			if err != nil {
				return r, err
			}
			r.parts[i] += stat.Mean(p.right, nil) / float64(parts)
		}
	}
	if e.skeleton == nil {
		return r, nil
	}
	show(fmt.Sprintf("%s: %s, random features …", t.name, e.name))
	r.estimates, err = t.images.estimates(e, exact, r.lambda, size.step, size.maps, s)
	return r, err
}

// gram returns the kernel of all pairs of images. It is featuremap.Gram for a few rows at a time, to show progress.
func (t *study) gram(e entry, show func(doing string)) *mat.SymDense {
	const rows = 100
	n, d := e.points.Dims()
	k := mat.NewSymDense(n, nil)
	for from := 0; from < n; from += rows {
		show(fmt.Sprintf("%s: %s, the kernel of image %d of %d with the others …", t.name, e.name, from+1, n))
		to := min(from+rows, n)
		var part mat.Dense
		featuremap.CrossGram(&part, e.kernel, e.points.Slice(from, to, 0, d), e.points.Slice(from, n, 0, d))
		for i := from; i < to; i++ {
			for j := i; j < n; j++ {
				k.SetSym(i, j, part.At(i-from, j-from))
			}
		}
	}
	return k
}
