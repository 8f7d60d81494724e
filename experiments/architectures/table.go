// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
)

// print writes the tables of a study.
func (t *study) print(w io.Writer, results []result) {
	n, _ := t.images.x.Dims()
	fmt.Fprintf(w, "## %s: %d images, %d×%d pixels, colors: %d\n\n", t.name, n, t.images.side, t.images.side, t.images.channels)
	fmt.Fprintf(w, "Exact kernels: accuracy in percent, each image predicted by a fit to all others of %d, %d or %d.\n\n", n/4, n/2, n)
	t.printExact(w, lines(results), n)
	if t.published {
		printCorrelations(w, results)
	}
	printFeatures(w, results)
}

// architecturesOf returns the results without baselines. The fully connected one is the last.
func architecturesOf(results []result) []result {
	i := slices.IndexFunc(results, func(r result) bool { return r.architecture == nil })
	return results[:i]
}

// line is the mean of some results.
type line struct {
	name    string
	results []result
}

// lines returns a line for each result, and the means of all convolutional architectures and of those with a first
// or a second window of each size. The first line is the mean of all, and the second the fully connected one.
func lines(results []result) []line {
	architectures := architecturesOf(results)
	last := len(architectures) - 1
	convolutional := architectures[:last]
	all := []line{{"convolutional, mean", convolutional}, {"Full", architectures[last : last+1]}}
	for i := range convolutional {
		all = append(all, line{results[i].name, results[i : i+1]})
	}
	for _, way := range []struct {
		format string
		size   func(*architecture) int
	}{
		{"%d,·", func(a *architecture) int { return a.first }},
		{"·,%d", func(a *architecture) int { return a.second }},
	} {
		by := make(map[int][]result)
		for _, r := range convolutional {
			by[way.size(r.architecture)] = append(by[way.size(r.architecture)], r)
		}
		for _, size := range slices.Sorted(maps.Keys(by)) {
			all = append(all, line{fmt.Sprintf(way.format, size) + ", mean", by[size]})
		}
	}
	for _, r := range results[last+1:] {
		all = append(all, line{r.name, []result{r}})
	}
	return all
}

// mean returns the mean of a measure.
func (l line) mean(measure func(r *result) float64) (mean float64) {
	for i := range l.results {
		mean += measure(&l.results[i]) / float64(len(l.results))
	}
	return mean
}

// less returns by how much this line's accuracy is above another line's, in percent, with its standard error
// over images.
func (l line) less(other line) string {
	if &l.results[0] == &other.results[0] && len(l.results) == len(other.results) {
		return ""
	}
	d := make([]float64, len(l.results[0].right)) // the images are the same
	for i := range d {
		right := func(r *result) float64 { return r.right[i] }
		d[i] = 100 * (l.mean(right) - other.mean(right))
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	return fmt.Sprintf("%+.1f ± %.1f", mean, stat.StdErr(deviation, float64(len(d))))
}

func (t *study) printExact(w io.Writer, all []line, n int) {
	fmt.Fprintf(w, "| kernel | %d | %d | %d | − Full | − mean |", n/4, n/2, n)
	rule := "\n|---|---:|---:|---:|---:|---:|"
	if t.published {
		fmt.Fprint(w, " RFS | network |")
		rule += "---:|---:|"
	}
	fmt.Fprintln(w, rule)
	for _, l := range all {
		fmt.Fprintf(w, "| %s |", l.name)
		for i := range l.results[0].parts {
			fmt.Fprintf(w, " %.1f |", 100*l.mean(func(r *result) float64 { return r.parts[i] }))
		}
		fmt.Fprintf(w, " %.1f | %s | %s |", 100*l.mean((*result).accuracy), l.less(all[1]), l.less(all[0]))
		switch {
		case t.published && l.results[0].architecture != nil:
			fmt.Fprintf(w, " %.1f |", l.mean(func(r *result) float64 { return r.architecture.rfs }))
			fmt.Fprintf(w, " %.1f |", l.mean(func(r *result) float64 { return r.architecture.net }))
		case t.published:
			fmt.Fprint(w, " | |")
		}
		fmt.Fprintln(w)
	}
}

// printFeatures writes the results for random features.
func printFeatures(w io.Writer, results []result) {
	fmt.Fprint(w, "\nRandom features: root mean square errors of the kernel, predicted and measured, and accuracy in percent.\n\n")
	fmt.Fprint(w, "| kernel | samples | columns | predicted | measured | accuracy | exact kernel |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range results {
		for _, e := range r.estimates {
			fmt.Fprintf(w, "| %s | %d | %d | %.3g | %.3g | %.1f | %.1f |\n",
				r.name, e.draws, e.columns, e.predicted, e.measured, 100*e.accuracy, 100*r.accuracy())
		}
	}
}

// printCorrelations writes rank correlations with the paper's accuracies.
func printCorrelations(w io.Writer, results []result) {
	const resamples = 1000
	architectures := architecturesOf(results)
	rfs, net := make([]float64, len(architectures)), make([]float64, len(architectures))
	for i, r := range architectures {
		rfs[i], net[i] = r.architecture.rfs, r.architecture.net
	}
	fmt.Fprint(w, "\nSpearman's rank correlations of accuracies, with the middle 95 % of those for images resampled with replacement.\n\n")
	fmt.Fprintf(w, "| | all %d | without Full |\n|---|---:|---:|\n", len(architectures))
	sampler := featuremap.NewSampler(seed)
	for _, with := range []struct {
		name     string
		accuracy []float64
	}{{"RFS", rfs}, {"networks", net}} {
		fmt.Fprintf(w, "| ours and their %s |", with.name)
		for _, part := range [][]result{architectures, architectures[:len(architectures)-1]} {
			theirs := with.accuracy[:len(part)]
			low, high := interval(part, resamples, sampler, func(ours []float64) float64 { return spearman(ours, theirs) })
			fmt.Fprintf(w, " %.2f (%.2f to %.2f) |", spearman(accuracies(part, nil), theirs), low, high)
		}
		fmt.Fprintln(w)
	}
	last := len(rfs) - 1
	fmt.Fprintf(w, "| their RFS and networks | %.2f | %.2f |\n", spearman(rfs, net), spearman(rfs[:last], net[:last]))
}

// accuracies returns the accuracies over the images with these numbers, or over all.
func accuracies(results []result, images []int) []float64 {
	all := make([]float64, len(results))
	for i, r := range results {
		if images == nil {
			all[i] = r.accuracy()
			continue
		}
		for _, m := range images {
			all[i] += r.right[m] / float64(len(images))
		}
	}
	return all
}

// interval returns the bounds of the middle 95 % of a statistic of accuracies, for images resampled with
// replacement.
func interval(results []result, resamples int, s *featuremap.Sampler, statistic func([]float64) float64) (low, high float64) {
	values := make([]float64, resamples)
	images := make([]int, len(results[0].right))
	for i := range values {
		for j := range images {
			images[j] = s.IntN(len(images))
		}
		values[i] = statistic(accuracies(results, images))
	}
	slices.Sort(values)
	return stat.Quantile(0.025, stat.Empirical, values, nil), stat.Quantile(0.975, stat.Empirical, values, nil)
}

// spearman returns the correlation of the ranks of x and y; 0 if all elements of x are equal.
func spearman(x, y []float64) float64 {
	if slices.Min(x) == slices.Max(x) {
		return 0
	}
	return stat.Correlation(ranks(x), ranks(y), nil)
}

// ranks returns the ranks of the elements of x, equal ones sharing the mean of theirs.
func ranks(x []float64) []float64 {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	r := make([]float64, len(x))
	for i, v := range x {
		first := sort.SearchFloat64s(sorted, v)
		last := first
		for last+1 < len(x) && sorted[last+1] == v {
			last++
		}
		r[i] = float64(first+last) / 2
	}
	return r
}
