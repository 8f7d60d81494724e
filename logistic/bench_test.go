// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"encoding/binary"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// BenchmarkLetter fits the 16,000 rows of letter and reports λ, the loss that was reached, and the error and the log loss of the
// other 4000 rows. If LOGISTIC_FEATURES is set, it writes there, as little-endian float64, the 20,000 rows of 1024 features and
// a class that bench/logistic.py reads.
func BenchmarkLetter(b *testing.B) {
	x, classes, err := dataset.Letter()
	if err != nil {
		b.Fatal(err)
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 5}, 16, 1024, featuremap.NewSampler(1),
		&featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		b.Fatal(err)
	}
	if name := os.Getenv("LOGISTIC_FEATURES"); name != "" {
		var z, all mat.Dense
		phi.TransformTo(&z, x)
		class := mat.NewDense(len(classes), 1, nil)
		for i, c := range classes {
			class.Set(i, 0, float64(c))
		}
		all.Augment(&z, class)
		f, err := os.Create(name)
		if err == nil {
			err = binary.Write(f, binary.LittleEndian, all.RawMatrix().Data)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	var m *logistic.Model
	passes := 0
	o := &logistic.Options{Progress: func(pass int, _ float64) error { passes = pass; return nil }}
	for b.Loop() {
		if m, err = logistic.Fit(phi, x.Slice(0, 16000, 0, 16), classes[:16000], o); err != nil {
			b.Fatal(err)
		}
	}
	var p mat.Dense
	m.ProbabilityTo(&p, x.Slice(16000, 20000, 0, 16))
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
	b.ReportMetric(m.Lambda(), "λ")
	b.ReportMetric(m.Loss(), "loss")
	b.ReportMetric(float64(passes), "passes")
	b.ReportMetric(100*(1-score.Accuracy(m.Classify(x.Slice(16000, 20000, 0, 16)), classes[16000:])), "%wrong")
	b.ReportMetric(score.LogLoss(&p, classes[16000:]), "log-loss")
}
