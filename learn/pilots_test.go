// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
)

// testField returns a field of four folds of n rows and few features: sines of a column and noise.
func testField(n int) *field {
	x, y := rowsFor(1, n, 1, 1)
	s := &study{rows: n, columns: 1, x: x, y: y, rest: numbers(n), sampler: featuremap.NewSampler(1), report: new(report)}
	f := newField(s, s.folds(), featuremap.NewSampler(2))
	f.features = 64
	return f
}

// A pilot that has lost more in one fold than another in all ends there, and would not have been taken; one that is as good, or has no rival, is
// judged by all folds.
func TestHopelessPilotsEnd(t *testing.T) {
	f := testField(100)
	run := func(length float64, rival *pilot) *pilot {
		p := &pilot{kernel: featuremap.Gaussian{LengthScale: length}, way: clustered}
		if err := f.run(p, rival); err != nil {
			t.Fatal(err)
		}
		return p
	}
	good := run(1, nil)
	far := run(1e-3, nil)
	if len(f.folds) != 4 || good.Skipped != "" || far.Skipped != "" || len(far.losses) != 80 || !(far.Score > 2*good.Score) {
		t.Fatalf("%d folds, %d losses; scores %v and %v", len(f.folds), len(far.losses), good.Score, far.Score)
	}
	ended := run(1e-3, good)
	if !strings.Contains(ended.Skipped, "lost more in 1 of 4 folds") || len(ended.losses) != 20 || !math.IsNaN(ended.Score) {
		t.Errorf("%d losses, score %v: %q", len(ended.losses), ended.Score, ended.Skipped)
	}
	if best := f.best([]*pilot{ended, good}); best != good {
		t.Error("a pilot that ended is taken")
	}
	if same := run(1, good); same.Skipped != "" || same.Score != good.Score {
		t.Errorf("score %v, want %v: %q", same.Score, good.Score, same.Skipped)
	}
	if p := run(1, far); p.Skipped != "" || p.Score != good.Score {
		t.Errorf("score %v, want %v: %q", p.Score, good.Score, p.Skipped)
	}
}

// In a race a pilot ends after a fold of 30 rows or more where it is far behind, and the last that is left has its losses alone; of pilots that
// are near, and of few rows, all are judged by all folds, with the same result as otherwise.
func TestRace(t *testing.T) {
	const near, worse, far = 0.9, 0.1, 1e-3 // worse has lost 2.3 times as much in the first fold
	for _, c := range []struct {
		rows    int
		lengths []float64
		losses  []int
		taken   int
	}{
		{200, []float64{1, far}, []int{40, 40}, 0},
		{200, []float64{far, 1}, []int{40, 40}, 1},
		{200, []float64{1, far, near}, []int{160, 40, 160}, 0},
		{200, []float64{1, worse}, []int{160, 80}, 0},
		{100, []float64{1, near}, []int{80, 80}, 0},
		{100, []float64{far, 1}, []int{80, 80}, 1},
	} {
		f := testField(c.rows)
		var pilots []*pilot
		for _, length := range c.lengths {
			pilots = append(pilots, &pilot{kernel: featuremap.Gaussian{LengthScale: length}, way: clustered})
		}
		got, err := f.race(pilots...)
		if err != nil || got != pilots[c.taken] {
			t.Errorf("%d rows, lengths %v: %v, %v is taken", c.rows, c.lengths, err, got.kernel)
		}
		for i, p := range pilots {
			behind := c.rows == 200 && c.lengths[i] == far
			if len(p.losses) != c.losses[i] || behind != strings.Contains(p.Skipped, "in the first fold") || (p.Skipped != "") != math.IsNaN(p.Score) {
				t.Errorf("%d rows, length %v of %v: %d losses, score %v: %q", c.rows, c.lengths[i], c.lengths, len(p.losses), p.Score, p.Skipped)
			}
			if said := f.report.choices[p.at]; said.Skipped != p.Skipped || said.Score != p.Score && p.Skipped == "" {
				t.Errorf("the report has %+v of %+v", said, p.Choice)
			}
			alone := &pilot{kernel: p.kernel, way: clustered}
			if err := f.run(alone, nil); err != nil || len(p.losses) == len(f.weights) && alone.Score != p.Score {
				t.Errorf("%d rows, length %v: score %v, and %v alone: %v", c.rows, c.lengths[i], p.Score, alone.Score, err)
			}
		}
	}
}

// What is chosen by the first fold has the losses of the pilot before in all folds, from which noise and chance are told.
func TestWideLosses(t *testing.T) {
	f := testField(200)
	p := &pilot{kernel: featuremap.Gaussian{LengthScale: 3}, way: clustered}
	if err := f.run(p, nil); err != nil {
		t.Fatal(err)
	}
	best, err := f.chooseWide(p)
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for _, c := range f.report.choices {
		if c.Skipped != "" {
			ended++
		}
	}
	if ended != 2 || len(best.losses) != len(f.weights) || best.way != drawn || !f.report.choices[best.at].Taken {
		t.Errorf("%d ended; %d losses of %d, by %v: %+v", ended, len(best.losses), len(f.weights), best.way, f.report.choices)
	}
}
