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

// A pilot that has lost more in one fold than another in all ends there, and would not have been taken; one that is as good, or has no rival, is
// judged by all folds.
func TestHopelessPilotsEnd(t *testing.T) {
	x, y := rowsFor(1, 100, 1, 1)
	s := &study{rows: 100, columns: 1, x: x, y: y, rest: numbers(100), sampler: featuremap.NewSampler(1), report: new(Report)}
	f := newField(s, s.folds(), featuremap.NewSampler(2))
	run := func(length float64, rival *pilot) *pilot {
		p := &pilot{kernel: featuremap.Gaussian{LengthScale: length}, way: clustered}
		if err := f.run(p, rival); err != nil {
			t.Fatal(err)
		}
		return p
	}
	good := run(1, nil)
	far := run(1e-3, nil)
	if len(f.folds) != 4 || good.LeftOut != "" || far.LeftOut != "" || len(far.losses) != 80 || !(far.Score > 2*good.Score) {
		t.Fatalf("%d folds, %d losses; scores %v and %v", len(f.folds), len(far.losses), good.Score, far.Score)
	}
	ended := run(1e-3, good)
	if !strings.Contains(ended.LeftOut, "lost more in 1 of 4 folds") || len(ended.losses) != 20 || !math.IsNaN(ended.Score) {
		t.Errorf("%d losses, score %v: %q", len(ended.losses), ended.Score, ended.LeftOut)
	}
	if best := f.best([]*pilot{ended, good}); best != good {
		t.Error("a pilot that ended is taken")
	}
	if same := run(1, good); same.LeftOut != "" || same.Score != good.Score {
		t.Errorf("score %v, want %v: %q", same.Score, good.Score, same.LeftOut)
	}
	if p := run(1, far); p.LeftOut != "" || p.Score != good.Score {
		t.Errorf("score %v, want %v: %q", p.Score, good.Score, p.LeftOut)
	}
}
