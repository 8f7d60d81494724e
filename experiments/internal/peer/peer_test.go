// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package peer

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestProcess(t *testing.T) {
	if _, err := Find("python-that-is-not-there"); err == nil || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("a missing interpreter: %v", err)
	}
	python, err := Find("")
	if err != nil {
		t.Skip(err)
	}
	p, err := python.Start(`
import os, sys
import numpy as np
for line in sys.stdin:
    if line == "fail now\n":
        sys.exit("as it was told")
    print(os.environ["OPENBLAS_NUM_THREADS"], *np.fromfile(sys.argv[1])[[int(i) for i in line.split()]], flush=True)
`, 3, mat.NewDense(2, 2, []float64{1, 2.5, -3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := p.Ask(1, 2); err != nil || !slices.Equal(got, []float64{3, 2.5, -3}) {
			t.Errorf("%v, %v", got, err)
		}
	}
	many := make([]any, 30_000) // an answer longer than a scanner's usual line
	for i := range many {
		many[i] = 1
	}
	if got, err := p.Ask(many...); err != nil || len(got) != 1+len(many) {
		t.Errorf("%d numbers, %v", len(got), err)
	}
	if _, err := p.Ask("fail", "now"); err == nil || !strings.Contains(err.Error(), "as it was told") {
		t.Errorf("a process that ended: %v", err)
	}
	if _, err := os.Stat(p.folder); !os.IsNotExist(err) {
		t.Errorf("its files are left: %v", err)
	}
}
