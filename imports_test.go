// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Packages under internal, and series, import only others of these. Those between kernels and maps are in order, and import only the ones
// before them; kinds of maps do not know each other. Two packages lie above the root: what tests share, and what linear models share.
func TestImports(t *testing.T) {
	const module = "github.com/seed-0f95ebc1/featuremap"
	floor := []string{
		"internal/arith", "internal/random", "internal/check", "internal/gosyntax", "internal/document", "internal/warp", "series", "internal/power",
		"internal/sample", "internal/matrix", "internal/arccosine", "internal/expr", "internal/spectrum", "internal/form", "internal/design",
		"internal/recipe", "internal/fourier", "internal/maclaurin", "internal/neurons", "internal/graph", "internal/plan",
		"internal/nystrom", "internal/laplacian",
	}
	kinds := []string{"internal/fourier", "internal/maclaurin", "internal/neurons", "internal/graph"}
	above := []string{"internal/testkit", "internal/linear"}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./internal/...", "./series").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module+"/")
		at := slices.Index(floor, name)
		if at >= 0 {
			seen++
		}
		for _, path := range fields[1:] {
			other, ok := strings.CutPrefix(path, module+"/")
			switch i := slices.Index(floor, other); {
			case slices.Contains(above, name):
			case path == module, ok && i < 0 && !strings.HasPrefix(other, "internal/"), slices.Contains(above, other):
				t.Errorf("%s imports %s", name, path)
			case at >= 0 && i > at:
				t.Errorf("%s imports %s, which is above it", name, other)
			case slices.Contains(kinds, name) && slices.Contains(kinds, other):
				t.Errorf("%s imports %s, another kind of map", name, other)
			case strings.HasPrefix(path, "golang.org/x/exp"):
				t.Errorf("%s imports %s: all randomness comes through a Sampler", name, path)
			}
		}
	}
	if seen != len(floor) {
		t.Errorf("%d of the packages %q were found", seen, floor)
	}
}

// The sums of package stat have other last bits on other machines: models, and what chooses them, have none of it.
func TestModelsWithoutStat(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./ridge", "./logistic", "./learn", "./internal/conformal", "./internal/dual").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		packages++
		if fields := strings.Fields(line); slices.Contains(fields[1:], "gonum.org/v1/gonum/stat") {
			t.Errorf("%s imports gonum's stat", fields[0])
		}
	}
	if packages != 5 {
		t.Errorf("%d packages were found, of 5", packages)
	}
}
