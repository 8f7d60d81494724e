// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/timeseries"
)

// kinds are the maps that are measured.
var kinds = []string{"MiniRocket", "Hydra", "both"}

// result is the result for a set.
type result struct {
	set          string
	rows, length int
	accuracy     [3]float64 // of kinds, the means over seeds
	seconds      [3]float64 // of a seed
	published    float64    // NaN if it is not known
}

// measure trains and tests all kinds of maps on a set.
func measure(s *set, size scope) (result, error) {
	r := result{set: s.name, published: math.NaN()}
	r.rows, r.length = s.train.Dims()
	if v, err := strconv.ParseFloat(s.published, 64); err == nil {
		r.published = v
	}
	labels, err := ridge.Labels(s.classes, s.count)
	if err != nil {
		return r, err
	}
	for seed := range size.seeds {
		for kind := range kinds {
			start := time.Now()
			m, err := draw(kinds[kind], s.train, size, featuremap.NewSampler(uint64(seed)))
			if err != nil {
				return r, err
			}
			model, err := ridge.Fit(m, s.train, labels, nil)
			if err != nil {
				return r, err
			}
			var scores mat.Dense
			model.PredictTo(&scores, s.test)
			right := 0
			for i, want := range s.want {
				if floats.MaxIdx(scores.RawRowView(i)) == want {
					right++
				}
			}
			r.seconds[kind] += time.Since(start).Seconds() / float64(size.seeds)
			r.accuracy[kind] += float64(right) / float64(len(s.want)) / float64(size.seeds)
		}
	}
	return r, nil
}

// draw makes a map of a kind from rows.
func draw(kind string, x *mat.Dense, size scope, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
	var rocket, hydra featuremap.FeatureMap
	var err error
	if kind != "Hydra" {
		if rocket, err = timeseries.NewMiniRocket(x, size.features, s.Split(), nil); err != nil {
			return nil, err
		}
	}
	if kind != "MiniRocket" {
		if hydra, err = timeseries.NewHydra(x, s.Split(), nil); err != nil {
			return nil, err
		}
	}
	if rocket == nil || hydra == nil {
		return cmp.Or(rocket, hydra), nil
	}
	in, a := rocket.Dims()
	_, b := hydra.Dims()
	k := featuremap.Sum(featuremap.FromMap(rocket), featuremap.FromMap(hydra))
	plan, err := featuremap.NewPlan(k, nil, a+b, &featuremap.PlanOptions{In: in})
	if err != nil {
		return nil, err
	}
	return plan.Draw(s)
}

// means returns the result of the mean set. Seconds are sums.
func means(all []result) (mean result) {
	mean.set = "mean"
	for _, r := range all {
		for kind := range kinds {
			mean.accuracy[kind] += r.accuracy[kind] / float64(len(all))
			mean.seconds[kind] += r.seconds[kind]
		}
		mean.published += r.published / float64(len(all))
	}
	return mean
}

// cells returns the figures of a result as text.
func (r result) cells() []string {
	published := ""
	if !math.IsNaN(r.published) {
		published = fmt.Sprintf("%.4f", r.published)
	}
	shape := []string{"", ""}
	if r.rows > 0 {
		shape = []string{fmt.Sprint(r.rows), fmt.Sprint(r.length)}
	}
	return []string{shape[0], shape[1], fmt.Sprintf("%.4f", r.accuracy[0]), fmt.Sprintf("%.4f", r.accuracy[1]), fmt.Sprintf("%.4f", r.accuracy[2]), published,
		fmt.Sprintf("%.2f", r.seconds[0]), fmt.Sprintf("%.2f", r.seconds[2])}
}

var heads = []string{"rows", "length", "MiniRocket", "Hydra", "both", "published", "seconds", "seconds of both"}

// printTable writes a line for each set, and the means.
func printTable(w io.Writer, all []result) {
	all = append(all[:len(all):len(all)], means(all))
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.set
	}
	program.Table(w, append([]string{"set"}, heads...), names, func(row, column int) string { return all[row].cells()[column] })
}

// records returns the figures for a file.
func records(all []result) [][]string {
	records := [][]string{append([]string{"set"}, heads...)}
	for _, r := range all {
		records = append(records, append([]string{r.set}, r.cells()...))
	}
	return records
}
