// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tier

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestAvailable(t *testing.T) {
	a := Available()
	t.Logf("available: %v", a)
	if a[0] != Plain || !slices.IsSorted(a) || a[len(a)-1] != Best() {
		t.Errorf("Available() = %v, Best() = %v", a, Best())
	}
	a[0] = AVX512
	if Available()[0] != Plain {
		t.Error("Available gives its own slice away")
	}
	for tier, want := range map[Tier]string{Plain: "plain Go", AVX2: "AVX2", AVX512: "AVX-512", 7: "Tier(7)"} {
		if got := tier.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// GODEBUG takes tiers away, in a process that starts with it.
func TestGODEBUG(t *testing.T) {
	const variable = "FEATUREMAP_TEST_TIER"
	if os.Getenv(variable) != "" {
		os.Stdout.WriteString("best tier: " + Best().String() + "\n")
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		godebug string
		limit   Tier // the best tier that may be left
	}{
		{"", AVX512},
		{"cpu.avx512f=off", AVX2},
		{"cpu.avx512dq=off", AVX2},
		{"cpu.avx2=off", Plain},
		{"cpu.fma=off", Plain},
		{"cpu.all=off", Plain},
	} {
		cmd := exec.Command(exe, "-test.run", "^TestGODEBUG$")
		cmd.Env = append(os.Environ(), variable+"=1", "GODEBUG="+os.Getenv("GODEBUG")+","+c.godebug)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want Tier
		for _, tier := range Available() {
			if tier <= c.limit {
				want = tier
			}
		}
		if !strings.Contains(string(out), "best tier: "+want.String()+"\n") {
			t.Errorf("GODEBUG=%s: %s, want %v", c.godebug, out, want)
		}
	}
}
