// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// savedIn names the directory of the files that TestSaveElsewhere, run again as another process, reads.
const savedIn = "FEATUREMAP_TEST_SAVED"

// Files are read by other processes, with the vector instructions of the machine and without: to the same bits of features
// and of variances.
func TestSaveElsewhere(t *testing.T) {
	if dir := os.Getenv(savedIn); dir != "" {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			m, err := Decode(bytes.NewReader(testkit.Must(os.ReadFile(filepath.Join(dir, f.Name())))), nil)
			if err != nil {
				t.Fatalf("%s: %v", f.Name(), err)
			}
			fmt.Println(hashOf(f.Name(), m))
		}
		return
	}
	dir := t.TempDir()
	var want []string
	for _, name := range slices.Sorted(maps.Keys(savedMaps())) {
		m := savedMaps()[name]
		name = filepath.Base(savedFile(name))
		if err := os.WriteFile(filepath.Join(dir, name), encodedMap(t, m), 0o600); err != nil {
			t.Fatal(err)
		}
		want = append(want, hashOf(name, m))
	}
	slices.Sort(want) // as files are in a directory
	tiers := []string{"cpu.avx512f=off,cpu.avx2=off", "", "cpu.avx512f=off"}
	switch {
	case !testkit.Long(): // another process and other instructions at once
		tiers = tiers[:1]
	case !cpu.X86.HasAVX512: // the last two are one
		tiers = tiers[:2]
	}
	for _, tier := range tiers {
		c := exec.Command(testkit.Must(os.Executable()), "-test.run", "^TestSaveElsewhere$")
		c.Env = append(os.Environ(), savedIn+"="+dir, "GODEBUG="+tier)
		got, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", tier, err, got)
		}
		lines := strings.Split(string(got), "\n")
		for i, w := range want {
			if lines[i] != w {
				t.Fatalf("%q: got %s\nwant %s", tier, lines[i], w)
			}
		}
	}
}

// hashOf returns a line with the hashes of the features and the variances of a map.
func hashOf(name string, m FeatureMap) string {
	in, _ := m.Dims()
	x := savedPoints(in)
	var z mat.Dense
	m.TransformTo(&z, x)
	var variances []float64
	if v, ok := m.(Variancer); ok {
		for i := range 5 {
			variances = append(variances, v.Variance(x.RawRowView(i), x.RawRowView(i+1)))
		}
	}
	return fmt.Sprintf("%s %016x %016x", name, golden.Fold(z.RawMatrix().Data), golden.Fold(variances))
}
