// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// savedModels32 returns models in float32 of each kind: fitted in float32, or in float64, directly, at a given λ, or iteratively.
func savedModels32(t *testing.T) map[string]*Model32 {
	x, y := portable(200, 2)
	phi := fourier(2, 12)
	a := must(NewAccumulator32(must(featuremap.Float32(phi)), 2))
	if err := a.AddWeighted(exactly(x), y, nil); err != nil {
		t.Fatal(err)
	}
	return map[string]*Model32{
		"fitted in float32":       must(must(a.Fit(nil)).Float32()),
		"fitted":                  must(must(Fit(phi, x, y, nil)).Float32()),
		"given, no intercept":     must(must(Fit(phi, x, y, &Options{Lambda: 0.1, NoIntercept: true})).Float32()),
		"iterative, with samples": must(must(FitIterative(phi, batchOf(x, y), &IterativeOptions{Samples: 2})).Float32()),
	}
}

// A model in float32 is saved in float64, and has the same bits and says the same of itself when it was read.
func TestSaveModel32(t *testing.T) {
	x, _ := portable(20, 2)
	x32 := exactly(x)
	for name, m := range savedModels32(t) {
		wide := m.Float64()
		file := written(wide)
		read := must(ReadModel(bytes.NewReader(file), nil))
		if again := written(read); !bytes.Equal(again, file) || read.String() != wide.String() {
			t.Errorf("%s: %v, %v was saved", name, read, wide)
		}
		again := must(read.Float32())
		equal(t, name, numbers32(again, x32), numbers32(m, x32))
		if again.String() != m.String() || again.Map().String() != m.Map().String() {
			t.Errorf("%s: %v, %v was saved", name, again, m)
		}
		if samples := bytes.Contains(file, []byte(`"samples":0`)); samples != strings.HasPrefix(name, "iterative") || len(file) > 4096 {
			t.Errorf("%s: a file of %d bytes, samples are left out: %v", name, len(file), samples)
		}
		// The model in float64 predicts the same, up to the error of features.
		var want mat.Dense
		wide.PredictTo(&want, x)
		limit := 2e-6 * (mat.Norm(wide.Weights(), 2) + mat.Norm(&want, math.Inf(1)))
		for i, v := range predicted(m, x32).Data {
			if off := math.Abs(float64(v) - want.At(i/2, i%2)); !(off <= limit) {
				t.Fatalf("%s: prediction %d is off by %v, limit %v", name, i, off, limit)
			}
		}
		for _, m := range []*Model{wide, wide.MeanOnly(), read} {
			if c := conditionOf(m); !math.IsNaN(c) {
				t.Errorf("%s: the condition %v, which is not known", name, c)
			}
		}
		if text := refused(wide); !strings.Contains(text, "of MeanOnly or float32") {
			t.Errorf("%s: %q of a model without a posterior", name, text)
		}
	}
	if m := new(Model32).Float64(); m != nil {
		t.Errorf("a zero value is %v", m)
	}
	if _, err := json.Marshal(new(Model32)); err == nil {
		t.Error("a model is saved as JSON")
	}
}

// A model that is saved in float64 and read serves in float32 with the bits that it had.
func TestSaveThenFloat32(t *testing.T) {
	x, y := portable(100, 1)
	x32 := exactly(x)
	m := must(Fit(fourier(2, 30), x, y, nil))
	read := must(ReadModel(bytes.NewReader(written(m)), nil))
	equal(t, "read", numbers32(must(read.Float32()), x32), numbers32(must(m.Float32()), x32))
}
