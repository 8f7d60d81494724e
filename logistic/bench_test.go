// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// BenchmarkLetter fits the 16,000 rows of letter, with 1024 features, and is tested on the other 4000.
func BenchmarkLetter(b *testing.B) {
	x, classes, err := dataset.Letter()
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, x, classes, 16000, 5, 1024)
}

// BenchmarkDigits fits 60,000 rows, with 2048 features: the small digits with normal noise on their pixels, of standard deviation 5
// where these are from 0 to 16. It is tested on 10,000 further rows.
func BenchmarkDigits(b *testing.B) {
	const rows, held = 60_000, 10_000
	digits, class, err := dataset.Digits()
	if err != nil {
		b.Fatal(err)
	}
	s := featuremap.NewSampler(1)
	x, classes := mat.NewDense(rows+held, 64, nil), make([]int, rows+held)
	s.FillNormal(x.RawMatrix().Data)
	for i := range classes {
		from := s.IntN(len(class))
		classes[i] = class[from]
		for j, v := range digits.RawRowView(from) {
			x.Set(i, j, v+float64(5*x.At(i, j)))
		}
	}
	benchmark(b, x, classes, rows, 50, 2048)
}

// benchmark fits the first rows, and reports the seconds of processors, λ, the loss that was reached, and the error and the log loss of
// the other rows. If LOGISTIC_FEATURES is set, it writes there, as little-endian float64, the features and the class of each
// row, which bench/logistic.py reads; if LOGISTIC_LAMBDA is, λ is not chosen.
func benchmark(b *testing.B, x *mat.Dense, classes []int, rows int, length float64, features int) {
	all, in := x.Dims()
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: length}, in, features, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		b.Fatal(err)
	}
	if name := os.Getenv("LOGISTIC_FEATURES"); name != "" {
		if err := writeFeatures(name, phi, x, classes); err != nil {
			b.Fatal(err)
		}
	}
	var m *logistic.Model
	passes := 0
	lambda, _ := strconv.ParseFloat(os.Getenv("LOGISTIC_LAMBDA"), 64) // 0: chosen
	o := &logistic.Options{Lambda: lambda, Progress: func(pass int, _ float64) error { passes = pass; return nil }}
	start := peak.CPU()
	for b.Loop() {
		if m, err = logistic.Fit(phi, x.Slice(0, rows, 0, in), classes[:rows], o); err != nil {
			b.Fatal(err)
		}
	}
	seconds := (peak.CPU() - start).Seconds() / float64(b.N)
	var p mat.Dense
	held := x.Slice(rows, all, 0, in)
	m.ProbabilityTo(&p, held)
	b.ReportMetric(seconds, "s")
	b.ReportMetric(m.Lambda(), "λ")
	b.ReportMetric(m.Loss(), "loss")
	b.ReportMetric(float64(passes), "passes")
	b.ReportMetric(100*(1-score.Accuracy(m.Classify(held), classes[rows:])), "%wrong")
	b.ReportMetric(score.LogLoss(&p, classes[rows:]), "log-loss")
}

// writeFeatures writes the features and the class of each row, in parts that fit in memory.
func writeFeatures(name string, phi featuremap.FeatureMap, x *mat.Dense, classes []int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	const part = 1000
	for lo := 0; lo < len(classes); lo += part {
		hi := min(lo+part, len(classes))
		var z, all mat.Dense
		_, in := x.Dims()
		phi.TransformTo(&z, x.Slice(lo, hi, 0, in))
		class := mat.NewDense(hi-lo, 1, nil)
		for i, c := range classes[lo:hi] {
			class.Set(i, 0, float64(c))
		}
		all.Augment(&z, class)
		if err := binary.Write(f, binary.LittleEndian, all.RawMatrix().Data); err != nil {
			return err
		}
	}
	return f.Close()
}

// BenchmarkProducts reports the products of features and weights, or of features and residuals, that letter takes: see products. A pass
// has two; the new factor after five steps, which is worth thirty passes at most, is not counted.
func BenchmarkProducts(b *testing.B) {
	for b.Loop() {
		for k, v := range products(b) {
			b.ReportMetric(float64(v), fmt.Sprintf("products-to-%.0e", parts[k]))
		}
	}
}

// parts are parts of the optimal loss above which a loss is.
var parts = []float64{1e-1, 1e-2, 1e-3, 1e-5}

// products fits the 16,000 rows of letter with λ = .016, a penalty of 1e-6 a row, to the optimum, and returns the products until the
// loss is above the optimum by each of the parts.
func products(tb testing.TB) (counts []int) {
	x, classes, err := dataset.Letter()
	if err != nil {
		tb.Fatal(err)
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 5}, 16, 1024, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		tb.Fatal(err)
	}
	losses := []float64{math.Inf(1)} // the least up to each pass
	o := &logistic.Options{Lambda: 0.016, Tolerance: 1e-7, Progress: func(pass int, loss float64) error {
		if pass == len(losses) {
			losses = append(losses, min(loss, losses[pass-1]))
		}
		return nil
	}}
	m, err := logistic.Fit(phi, x.Slice(0, 16000, 0, 16), classes[:16000], o)
	if err != nil {
		tb.Fatal(err)
	}
	for _, part := range parts {
		pass := slices.IndexFunc(losses, func(v float64) bool { return v <= m.Loss()*(1+part) })
		counts = append(counts, 2*pass)
	}
	return counts
}

// The products that L-BFGS with the preconditioner of the majoriser took on the same rows, features of the same law and penalty,
// measured by another program: 30, 82, 148 and 286. At most a fifth more.
func TestProducts(t *testing.T) {
	if !testkit.Long() {
		t.Skip("takes the seconds of a whole fit of letter; -long runs it")
	}
	got := products(t)
	t.Log(got)
	for k, most := range []int{36, 98, 177, 343} {
		if got[k] > most {
			t.Errorf("%d products to %.0e, at most %d", got[k], parts[k], most)
		}
	}
}
