// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"compress/gzip"
	"encoding/csv"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

var dataFolder = flag.String("data", "", "the folder of cal_housing.csv.gz, for TestFloat32Splits with -long")

// Over splits of the letters, and of California's housing where there is -data, a fit by default has the error of float64 to
// .1 % in float32. It takes a quarter of an hour:
//
//	go test ./ridge -run Float32Splits -long -v -timeout 1h
func TestFloat32Splits(t *testing.T) {
	if !testkit.Long() {
		t.Skip("only with -long")
	}
	letters, class, err := dataset.Letter()
	if err != nil {
		t.Fatal(err)
	}
	y := mat.NewDense(len(class), 26, nil)
	y.Apply(func(i, k int, _ float64) float64 {
		if k == class[i] {
			return 1
		}
		return -1
	}, y)
	for i, features := range []int{256, 1024} {
		splits := uint64(3 - 2*i)
		if *dataFolder != "" {
			splits = 12
		}
		for seed := range splits {
			testSplit(t, "letters", letters, y, 6, features, seed)
		}
		if *dataFolder == "" {
			continue
		}
		x, price := housing(t)
		for seed := range uint64(20) {
			testSplit(t, "housing", x, price, 2, features, seed)
		}
	}
}

// housing returns the rows of California's housing, each column with mean 0 and deviation 1, and their prices.
func housing(t *testing.T) (x, y *mat.Dense) {
	file, err := os.Open(filepath.Join(*dataFolder, "cal_housing.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records := must(csv.NewReader(must(gzip.NewReader(file))).ReadAll())
	n, d := len(records), len(records[0])-1
	all := mat.NewDense(n, d+1, nil)
	for i, record := range records {
		for j, s := range record {
			all.Set(i, j, must(strconv.ParseFloat(s, 64)))
		}
	}
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 1, mat.Col(nil, d, all))
	for j := range d {
		column := mat.Col(nil, j, all)
		mean, deviation := stat.PopMeanStdDev(column, nil)
		for i, v := range column {
			x.Set(i, j, (v-mean)/deviation)
		}
	}
	return x, y
}

// testSplit fits four fifths of the rows in both precisions, and compares the errors on the others.
func testSplit(t *testing.T, name string, x, y *mat.Dense, length float64, features int, seed uint64) {
	n, d := x.Dims()
	_, targets := y.Dims()
	shuffledX, shuffledY := mat.NewDense(n, d, nil), mat.NewDense(n, targets, nil)
	for i, from := range rand.New(rand.NewPCG(seed, 3)).Perm(n) {
		shuffledX.SetRow(i, x.RawRowView(from))
		shuffledY.SetRow(i, y.RawRowView(from))
	}
	fitted := n * 4 / 5
	wide := mat.DenseCopyOf(shuffledX) // exactly rounds the others
	x32 := exactly(shuffledX)
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: length}, d, features, featuremap.NewSampler(seed), nil))
	a, a32 := must(NewAccumulator(phi, targets)), must(NewAccumulator32(must(featuremap.Float32(phi)), targets))
	own := mat.DenseCopyOf(shuffledY.Slice(0, fitted, 0, targets))
	if err := a.Add(wide.Slice(0, fitted, 0, d), own); err != nil {
		t.Fatal(err)
	}
	add32(t, a32, part(x32, 0, fitted), own, fitted)
	m, m32 := must(a.Fit(nil)), must(must(a32.Fit(nil)).Float32())
	var p mat.Dense
	m.PredictTo(&p, wide.Slice(fitted, n, 0, d))
	q := predicted(m32, part(x32, fitted, n))
	rest := shuffledY.Slice(fitted, n, 0, targets)
	want := errorsOf(p.At, rest)
	got := errorsOf(func(i, k int) float64 { return float64(q.Data[i*q.Stride+k]) }, rest)
	t.Logf("%s, %d features, seed %d: λ = %.4g and %.4g, root mean square error and share of wrong rows %.6g and %.6g", name, features, seed, m.Lambda()[0], m32.Lambda()[0], want, got)
	if !(math.Abs(got[0]/want[0]-1) < 1e-3) || !(math.Abs(got[1]-want[1]) <= 1e-3) {
		t.Errorf("%s, %d features, seed %d: %.6g in float32, %.6g in float64", name, features, seed, got, want)
	}
}

// errorsOf returns the root mean square error of predictions, and the share of rows whose largest target is not that of the
// largest prediction.
func errorsOf(p func(i, k int) float64, y mat.Matrix) (e [2]float64) {
	n, targets := y.Dims()
	for i := range n {
		predicted, best := 0, 0
		for k := range targets {
			e[0] += math.Pow(p(i, k)-y.At(i, k), 2)
			if p(i, k) > p(i, predicted) {
				predicted = k
			}
			if y.At(i, k) > y.At(i, best) {
				best = k
			}
		}
		if predicted != best {
			e[1]++
		}
	}
	return [2]float64{math.Sqrt(e[0] / float64(n*targets)), e[1] / float64(n)}
}
