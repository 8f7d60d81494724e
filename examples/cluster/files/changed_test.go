// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

// A touching gives shard 1 another time when a run has said a line of some beginning.
type touching struct {
	dir, line string
	done      bool
}

func (t *touching) Write(b []byte) (int, error) {
	if !t.done && strings.HasPrefix(string(b), t.line) {
		t.done = true
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(shard.Name(t.dir, 1, ".csv"), later, later); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// A shard that changes while a run lasts, within a shard or after it, within a pass or between two, ends the run, and all runs of parts that
// wait for each other. The next run, of sums, has the bits of one that was not disturbed.
func TestChangedMeanwhile(t *testing.T) {
	undisturbed := ""
	for _, c := range []struct {
		line    string // after which the shard is touched; "": never
		iterate bool
		parts   int
	}{
		{"", false, 0},
		{"shard 1: 30 rows", false, 0},
		{"shard 1: done", false, 0},
		{"shard 1, pass 1: 30 rows", true, 0},
		{"shard 3, pass 1: done", true, 2},
		{"pass 1: done", true, 0},
	} {
		dir, ended := t.TempDir(), make(chan error)
		start := func(part, parts int, line string) {
			j := &job{dir: dir, rows: passRows, shards: shards, features: 40, workers: 1, every: 30, part: part, parts: parts, iterate: c.iterate}
			j.out = &touching{dir: dir, line: line}
			ended <- j.run()
		}
		wait := func() error {
			select {
			case err := <-ended:
				return err
			case <-time.After(20 * time.Second):
				t.Fatalf("%q, in %d parts: the run has not ended", c.line, c.parts)
				return nil
			}
		}
		if c.line != "" {
			for part := range max(c.parts, 1) {
				go start(part, c.parts, c.line)
			}
			for range max(c.parts, 1) {
				if err := wait(); err == nil || !strings.Contains(err.Error(), "shard 1 has changed since the run was started") {
					t.Errorf("%q, in %d parts: %v", c.line, c.parts, err)
				}
			}
		}
		if c.iterate {
			continue // some seconds; TestPassesDamaged goes on after a change
		}
		go start(0, 0, "no line")
		if err := wait(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "model"))
		if err != nil {
			t.Fatal(err)
		}
		if undisturbed == "" {
			undisturbed = string(b)
		} else if string(b) != undisturbed {
			t.Errorf("%q, in %d parts: another model", c.line, c.parts)
		}
	}
}
