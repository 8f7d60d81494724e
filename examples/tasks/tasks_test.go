// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tasks

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
	"github.com/seed-0f95ebc1/featuremap/table"
	"github.com/seed-0f95ebc1/featuremap/unsupervised"
)

func Example_novelty() {
	s := featuremap.NewSampler(1)
	x, classes := digits()
	known := rowsOf(x, func(i int) bool { return i < 1000 && classes[i] != 9 }) // no nine
	k := featuremap.Gaussian{LengthScale: must(featuremap.MedianLengthScale(known, s)) / 2}
	phi := must(featuremap.NewNystrom(k, known, 300, s, nil))
	n, _ := known.Dims()
	target := mat.NewDense(n, 1, nil)
	s.FillNormal(target.RawMatrix().Data) // any that vary: variances depend on them by a factor alone
	posterior := must(must(ridge.Fit(phi, known, target, &ridge.Options{Lambda: 0.01})).Posterior())
	variances, nine := []float64{}, []bool{}
	for i := 1000; i < len(classes); i++ {
		variances = append(variances, posterior.VarianceVec(nil, x.RawRowView(i))[0])
		nine = append(nine, classes[i] == 9)
	}
	fmt.Printf("a nine is stranger than another digit: %.3f of pairs\n", score.AUC(variances, nine))
	// Output:
	// a nine is stranger than another digit: 0.887 of pairs
}

func Example_drift() {
	s := featuremap.NewSampler(1)
	x, others := pens()
	k := featuremap.ARD(featuremap.StdDevs(x), featuremap.Gaussian{LengthScale: 4})
	phi := must(featuremap.New(k, x, 256, s))
	before, same, now := x.Slice(0, 6000, 0, 16), x.Slice(6000, 7494, 0, 16), others.Slice(0, 1500, 0, 16)
	t := must(unsupervised.TwoSample(phi, before, same, nil))
	fmt.Printf("writers of before: distance %.5f, P = %.3f\n", t.SquaredMMD, t.P)
	t = must(unsupervised.TwoSample(phi, before, now, nil))
	fmt.Printf("other writers: distance %.5f, P = %.3f; chance exceeds %.5f once in a hundred\n", t.SquaredMMD, t.P, t.Threshold(0.01))
	// Output:
	// writers of before: distance -0.00023, P = 0.927
	// other writers: distance 0.00248, P = 0.001; chance exceeds 0.00064 once in a hundred
}

func Example_components() {
	s := featuremap.NewSampler(1)
	x, classes := digits()
	k := featuremap.Gaussian{LengthScale: must(featuremap.MedianLengthScale(x, s))}
	phi := must(featuremap.NewNystrom(k, x, 300, s, nil))
	c := must(unsupervised.FitPCA(phi, x, 2))
	variances, total := c.Variances()
	var picture mat.Dense
	c.TransformTo(&picture, x) // a row a digit: its place in the plane
	fmt.Printf("two components have %.0f %% of the variance\n", 100*(variances[0]+variances[1])/total)
	for i := range 3 {
		fmt.Printf("%d at %5.2f, %5.2f\n", classes[i], picture.At(i, 0), picture.At(i, 1))
	}
	// Output:
	// two components have 21 % of the variance
	// 0 at  0.12,  0.45
	// 1 at -0.22, -0.35
	// 2 at -0.16, -0.16
}

func Example_clusters() {
	s := featuremap.NewSampler(1)
	x, classes := digits()
	k := featuremap.Gaussian{LengthScale: must(featuremap.MedianLengthScale(x, s))}
	phi := must(featuremap.NewNystrom(k, x, 300, s, nil))
	clusters := must(unsupervised.FitKMeans(phi, x, 10, nil))
	var counts [10][10]int // of each cluster, its digits
	for i, c := range clusters.Assign(x) {
		counts[c][classes[i]]++
	}
	right := 0
	for _, of := range counts {
		right += slices.Max(of[:])
	}
	fmt.Printf("%.0f %% are in a cluster where their digit is the most frequent one\n", 100*float64(right)/float64(len(classes)))
	// Output:
	// 80 % are in a cluster where their digit is the most frequent one
}

func Example_seasons() {
	s := featuremap.NewSampler(1)
	hours, temperature := year(s) // 8760 hours; the last 60 days are to be predicted
	day, season := featuremap.Periodic{Period: 24, LengthScale: 2}, featuremap.Periodic{Period: 8760, LengthScale: 2}
	k := featuremap.Sum(featuremap.Scale(100, season), featuremap.Scale(20, featuremap.Product(day, season)))
	phi := must(featuremap.New(k, hours, 200, s))
	n := 8760 - 60*24
	m := must(ridge.Fit(phi, hours.Slice(0, n, 0, 1), temperature.Slice(0, n, 0, 1), nil))
	var predicted, variance, sd mat.Dense
	m.PredictTo(&predicted, hours.Slice(n, 8760, 0, 1))
	must(m.Posterior()).VarianceTo(&variance, hours.Slice(n, 8760, 0, 1))
	m.StdDevTo(&sd, hours.Slice(n, 8760, 0, 1))
	truth, before := temperature.Slice(n, 8760, 0, 1), temperature.Slice(n-60*24, n, 0, 1)
	fmt.Printf("error %.1f °C, 60 days before %.1f\n", score.RMSE(&predicted, truth)[0], score.RMSE(before, truth)[0])
	fmt.Printf("± %.2f for the function, ± %.1f for an hour\n", math.Sqrt(variance.At(0, 0)), sd.At(0, 0))
	// Output:
	// error 1.8 °C, 60 days before 7.2
	// ± 0.25 for the function, ± 1.4 for an hour
}

func Example_rare() {
	s := featuremap.NewSampler(1)
	x, others, q, othersQ := letters() // one in 26 is a Q
	k := featuremap.ARD(featuremap.StdDevs(x), featuremap.Gaussian{LengthScale: 2.7})
	phi := must(featuremap.NewNystrom(k, x, 300, s, nil))
	for _, balanced := range []bool{false, true} {
		m := must(logistic.Fit(phi, x, q, &logistic.Options{Balanced: balanced}))
		found, wrong := 0, 0
		for i, c := range m.Classify(others) {
			found, wrong = found+c*othersQ[i], wrong+c*(1-othersQ[i])
		}
		fmt.Printf("balanced %v: %d of %d found, and %d that are none\n", balanced, found, sum(othersQ), wrong)
	}
	// Output:
	// balanced false: 109 of 122 found, and 4 that are none
	// balanced true: 115 of 122 found, and 24 that are none
}

func Example_csv() {
	records := must(csv.NewReader(strings.NewReader(sales())).ReadAll())
	e := must(table.Fit(records[0], records[1:], &table.Options{Target: "sold"}))
	fmt.Print(e)
	x, y := must(e.Encode(records[1:])), must(e.Targets(records[1:]))
	report := must(learn.Regression(x, y, &learn.Options{Kernel: e.Kernel()}))
	fmt.Printf("RMSE %.1f on %d rows held back; the mean of the others has %.1f\n", report.Score.RMSE[0], report.Score.Rows, report.Score.Baseline[0])

	var file bytes.Buffer
	must((&table.Model{Encoder: e, Ridge: report.Model}).WriteTo(&file))
	m := must(table.ReadModel(&file, nil)) // elsewhere, to serve
	row := must(m.Encoder.EncodeVec(nil, []string{"7.50", "Lima", "2025-12-24"}))
	sold, sd := m.Ridge.Predict(row)
	fmt.Printf("on 24 December, in Lima, at 7.50: %.0f ± %.0f\n", sold[0], sd[0])
	// Output:
	// price  number from 5 to 14.99
	// city   category of 3 values: Bergen, Lima, Osaka
	// date   date from 2025-01-01 to 2025-12-31
	// sold   number from -17 to 118, the target
	// RMSE 2.8 on 40 rows held back; the mean of the others has 31.2
	// on 24 December, in Lima, at 7.50: 80 ± 3
}

// classes is the second program of csv.md, for a target of texts. TestPages compares it, and examples/table does the same.
func classes(e *table.Encoder, records [][]string, x mat.Matrix, row []float64, file bytes.Buffer) {
	classes := must(e.Classes(records[1:]))
	report := must(learn.Classification(x, classes, &learn.Options{Kernel: e.Kernel()}))
	must((&table.Model{Encoder: e, Logistic: report.Model}).WriteTo(&file))
	m := must(table.ReadModel(&file, nil))
	for c, p := range m.Logistic.ProbabilityVec(nil, row) {
		fmt.Printf("%s %.3f\n", m.Encoder.ClassNames()[c], p)
	}
}

func Example_text() {
	s := featuremap.NewSampler(1)
	x, desks, others, othersDesks := letterTexts(s) // rows of words, nearly all 0
	for _, k := range []featuremap.Kernel{featuremap.Linear{}, featuremap.Polynomial{Degree: 2, Gamma: 1}} {
		phi := must(featuremap.New(k, x, 500, s))
		m := must(logistic.Fit(phi, x, desks, nil))
		fmt.Printf("%v: %.1f %% right\n", k, 100*score.Accuracy(m.Classify(others), othersDesks))
	}
	// Output:
	// Linear{}: 27.8 % right
	// Polynomial{Degree: 2, Gamma: 1, Offset: 0}: 92.5 % right
}

func Example_stream() {
	first, _ := batch(0)
	k := featuremap.ARD(featuremap.StdDevs(first), featuremap.Gaussian{LengthScale: 6})
	plan := must(featuremap.NewPlan(k, first, 500, nil))
	a := must(ridge.NewAccumulator(must(plan.Draw(featuremap.NewSampler(1))), 1))
	for i := range 20 { // as many as there are: the memory is that of 500×500 sums
		x, y := batch(i)
		if err := a.Add(x, y); err != nil {
			log.Fatal(err)
		}
	}
	m := must(a.Fit(nil))
	x, y := batch(1000)
	var predicted mat.Dense
	m.PredictTo(&predicted, x)
	fmt.Printf("%d rows; error %.2f, of which 1 is noise\n", a.Rows(), score.RMSE(&predicted, y)[0])
	// Output:
	// 40000 rows; error 1.06, of which 1 is noise
}

func Example_float32() {
	x, others, classes, othersClasses := embeddings() // blas32.General
	k := featuremap.Gaussian{LengthScale: 25}
	phi := must(featuremap.Float32(must(featuremap.NewFourier(k, x.Cols, 1000, featuremap.NewSampler(1), nil))))
	a := must(ridge.NewAccumulator32(phi, 10))
	if err := a.Add(x, must(ridge.Labels(classes, 10))); err != nil {
		log.Fatal(err)
	}
	m := must(must(a.Fit(&ridge.Options{SharedLambda: true})).Float32()) // one λ for all classes
	predicted := blas32.General{Rows: others.Rows, Cols: 10, Stride: 10, Data: make([]float32, 10*others.Rows)}
	m.PredictTo(predicted, others)
	fmt.Printf("%.1f %% right\n", 100*score.Accuracy(largest(predicted), othersClasses))
	// Output:
	// 95.5 % right
}

func Example_optimization() {
	x, y, s := experiments(5)
	lengths := []float64{0.5, 0.5}
	for n := 5; n < 25; n++ {
		m := likeliest(lengths, x, y, s)
		weight := 2 * float64(n%2) // every second place refines the best so far
		bound := func(p []float64) float64 { mean, sd := m.Predict(p); return mean[0] + weight*sd[0] }
		next := near([]float64{0.5, 0.5}, 1, s)
		for i := range 1000 { // the place that promises most: all over, then ever nearer to the best found
			if p := near(next, math.Exp(-float64(i)/150), s); bound(p) > bound(next) {
				next = p
			}
		}
		x, y = with(x, next...), with(y, yield(next))
	}
	fmt.Printf("the best of 25: %.3f\n", mat.Max(y))
	// Output:
	// the best of 25: 1.002
}

// likeliest returns the Gaussian process through the values y at x with the likeliest lengths found near those given, which become these.
func likeliest(lengths []float64, x, y *mat.Dense, s *featuremap.Sampler) (best *ridge.Model) {
	most := math.Inf(-1)
	for range 30 {
		tried := slices.Clone(lengths)
		for j := range tried {
			if best != nil { // those before come first, then others near them
				tried[j] *= math.Exp(0.3 * s.Normal())
			}
		}
		phi := must(featuremap.NewNystrom(featuremap.ARD(tried, featuremap.Gaussian{LengthScale: 1}), x, x.RawMatrix().Rows, s, nil))
		m := must(ridge.Fit(phi, x, y, &ridge.Options{NoiseVariance: []float64{0}}))
		evidence, _ := m.LogEvidence()
		for _, v := range tried {
			evidence -= 0.5 * math.Pow(math.Log(2*v), 2) // a prior: lengths are about half
		}
		if best == nil || evidence > most {
			best, most = m, evidence
			copy(lengths, tried)
		}
	}
	return best
}
