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

// Packages under internal import only others there, and those of the ground floor only those before them. Two lie above the
// root: what tests share, and what ridge lends to logistic.
func TestImports(t *testing.T) {
	const module = "github.com/seed-0f95ebc1/featuremap"
	floor := []string{"arith", "check", "gosyntax", "warp", "sample", "matrix"}
	above := []string{"testkit", "linear"}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./internal/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module+"/internal/")
		at := slices.Index(floor, name)
		if at >= 0 {
			seen++
		}
		for _, path := range fields[1:] {
			inside, ok := strings.CutPrefix(path, module+"/internal/")
			switch i := slices.Index(floor, inside); {
			case slices.Contains(above, name):
			case !ok && (path == module || strings.HasPrefix(path, module+"/")):
				t.Errorf("internal/%s imports %s", name, path)
			case slices.Contains(above, inside):
				t.Errorf("internal/%s imports internal/%s", name, inside)
			case at >= 0 && i > at:
				t.Errorf("internal/%s imports internal/%s, which is above it", name, inside)
			}
		}
	}
	if seen != len(floor) {
		t.Errorf("%d of the packages %q were found", seen, floor)
	}
}
