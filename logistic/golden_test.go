// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
)

// The bits of λ, loss, intercepts, weights and probabilities, which every architecture computes: of two classes and of five,
// with weights and without, features that are solved for by row and landmarks.
//
//	go test ./logistic -run Golden -update
//
// rewrites the file, which is right only when bits change on purpose.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	x, classes := rings(300)
	two, five, weights := make([]int, 300), make([]int, 300), make([]float64, 300)
	for i, c := range classes {
		two[i] = min(c, 1)
		five[i], weights[i] = c, float64(1+i%4)/2
		if c > 0 && x.At(i, 0) > 0 {
			five[i] = c + 2
		}
	}
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 20, featuremap.NewSampler(3), nil))
	many, distances := rings(4000)
	for _, c := range []struct {
		name    string
		phi     featuremap.FeatureMap
		classes []int
		o       Options
	}{
		{"two classes", fourier(2, 46), two, Options{}},
		{"two classes, balanced, to 1e-6", fourier(2, 46), two, Options{Balanced: true, Tolerance: 1e-6}},
		{"five classes", fourier(2, 102), five, Options{}},
		{"five classes, weights, λ = .3", fourier(2, 102), five, Options{Weights: weights, Lambda: 0.3}},
		{"five classes, landmarks", landmarks, five, Options{}},
		{"4000 rows", fourier(2, 20), distances, Options{}},
	} {
		x := x
		if len(c.classes) > 300 {
			x = many
		}
		m := must(Fit(c.phi, x, c.classes, &c.o))
		var p mat.Dense
		m.ProbabilityTo(&p, x)
		fmt.Fprintf(&b, "%s: λ %x, loss %x, intercepts %x\n", c.name, m.Lambda(), m.Loss(), m.Intercept())
		fmt.Fprintf(&b, "%s: first weights %x, all %x\n", c.name, m.Weights().RawRowView(0), digest(m.Weights()))
		fmt.Fprintf(&b, "%s: first probabilities %x, all %x\n", c.name, p.RawRowView(0), digest(&p))
	}
	golden.Compare(t, "models.golden", b.Bytes())
}

// digest returns a hash of the bits of a matrix, row by row.
func digest(m *mat.Dense) []byte {
	var all []byte
	n, _ := m.Dims()
	for i := range n {
		for _, v := range m.RawRowView(i) {
			all = binary.LittleEndian.AppendUint64(all, math.Float64bits(v))
		}
	}
	sum := sha256.Sum256(all)
	return sum[:]
}
