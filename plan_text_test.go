// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// For exp(⟨x, y⟩) of digits of norm 3 no map is good, and a plan and its error say so.
func TestPlanWarning(t *testing.T) {
	t.Parallel()
	x := testkit.SpreadDigits(t, 40, 3)
	parts := []string{"norms 3 (median) to 3", "scale the points down", "larger length scale"}
	p := testkit.Must(NewPlan(ExpDot{LengthScale: 1}, x, 1024, nil))
	_, err := NewPlan(ExpDot{LengthScale: 1}, x, 1024, &PlanOptions{RMSE: p.RMSE() / 2})
	if few := (*TooFewError)(nil); !errors.As(err, &few) {
		t.Fatalf("error %v, want a TooFewError", err)
	}
	for _, part := range parts {
		for _, text := range []string{p.String(), err.Error()} {
			if !strings.Contains(text, part) {
				t.Errorf("%s\nwant %q", text, part)
			}
		}
	}
	for _, norm := range []float64{0.5, 1} {
		p := testkit.Must(NewPlan(ExpDot{LengthScale: 1}, testkit.SpreadDigits(t, 30, norm), 1024, nil))
		if text := p.String(); strings.Contains(text, "scale the points down") {
			t.Errorf("at norm %v: %s", norm, text)
		}
	}
}

// The standard error of a predicted error does not overflow where the error itself is finite.
func TestPlanStandardErrorOverflow(t *testing.T) {
	t.Parallel()
	for _, norm := range []float64{1e5, 1e7} {
		x := testkit.Cloud(12, 3, 1)
		for i := range 12 {
			floats.Scale(norm/floats.Norm(x.RawRowView(i), 2), x.RawRowView(i))
		}
		p := testkit.Must(NewPlan(Polynomial{Degree: 10, Gamma: 1, Offset: 1}, x, 40, nil))
		if s := p.String(); strings.Contains(s, "Inf") || strings.Contains(s, "NaN") {
			t.Errorf("norm %g: %s", norm, s)
		}
	}
}

// Where a few rows have most of an error, its text says so: of the fourth power of log-normal rows, not of a bounded kernel.
func TestPlanOfFewRows(t *testing.T) {
	t.Parallel()
	const says = "a few rows have most of it"
	x := heavyTails("log-normal", 11, 400, 8)
	few := testkit.Must(NewPlan(Polynomial{Degree: 4, Gamma: 0.1, Offset: 1}, x, 64, nil))
	many := testkit.Must(NewPlan(Laplacian{LengthScale: 10}, x, 64, nil))
	if text := few.String(); !strings.Contains(text, says) {
		t.Errorf("%s\nwant %q", text, says)
	}
	if text := many.String(); strings.Contains(text, says) {
		t.Errorf("%s\nand not %q", text, says)
	}
}

// A map that loses a row far out, where weighted features are 0, is not taken where others have less error; and its text does not panic there.
func TestPlanOthersFarOut(t *testing.T) {
	t.Parallel()
	x := testkit.NormalPoints(1, 40, 2)
	x.SetRow(3, []float64{60, 0})
	for _, out := range []int{100, 256} {
		p := testkit.Must(NewPlan(Gaussian{LengthScale: 1}, x, out, nil))
		if s := p.String(); p.Bias(x.RawRowView(3), x.RawRowView(3)) != 0 || !strings.Contains(s, "weighted by an exponential") {
			t.Errorf("a map that loses a row:\n%s", s)
		}
	}
}
