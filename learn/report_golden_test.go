// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// What is chosen, and the model, have the same bits in every tier and on every machine.
func TestGoldenReports(t *testing.T) {
	fewFeatures(t)
	mostFolds = 4
	x, y := plainRows(24) // few rows and features: a machine without fused multiply-add takes a hundred times as long
	classes := make([]int, 24)
	for i := range classes {
		if y.At(i, 0) > 0 {
			classes[i] = 1
		}
	}
	o := &Options{Seed: 3, Features: 12}
	regression, err := Regression(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	classification, err := Classification(x, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	far := mat.DenseCopyOf(x)
	far.Apply(func(_, j int, v float64) float64 {
		if j == 0 {
			return detmath.Exp(9 * v) // which is tried in logarithms
		}
		return v
	}, far)
	defer func(v float64) { tailed = v }(tailed)
	tailed = 3
	logarithms, err := Regression(far, y, o)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, choices := range [][]Choice{regression.Choices, classification.Choices, logarithms.Choices} {
		for _, c := range choices {
			text += fmt.Sprintf("%s: %s: %x %x %t %s\n", c.Step, c.Name, math.Float64bits(c.LogEvidence), math.Float64bits(c.Score), c.Taken, c.Skipped)
		}
	}
	for i := range 3 {
		row := x.RawRowView(i)
		text += fmt.Sprintf("row %d: %x %x\n", i, math.Float64bits(regression.Model.PredictVec(nil, row)[0]), math.Float64bits(classification.Model.ProbabilityVec(nil, row)[1]))
	}
	text += fmt.Sprintf("scores: %x %x\n", math.Float64bits(regression.Score.RMSE[0]), math.Float64bits(classification.Score.LogLoss))
	if scalesOf(logarithms.Kernel) == nil {
		t.Error("no logarithms are taken")
	}
	text += fmt.Sprintf("in logarithms: %x %x\n", math.Float64bits(logarithms.Model.PredictVec(nil, far.RawRowView(0))[0]), math.Float64bits(scalesOf(logarithms.Kernel)[0]))
	defer func(n int) { leastBank = n }(leastBank)
	leastBank = 10
	bank := must(Regression(far, y, o))
	for _, c := range bank.Choices {
		if c.Step == "bank" {
			text += fmt.Sprintf("%s: %s: %x %t\n", c.Step, c.Name, math.Float64bits(c.Score), c.Taken)
		}
	}
	mean, sd := bank.Model.Predict(far.RawRowView(0))
	text += fmt.Sprintf("with a bank: %x %x\n", math.Float64bits(mean[0]), math.Float64bits(sd[0]))
	golden.Compare(t, "reports.golden", []byte(text))
}
