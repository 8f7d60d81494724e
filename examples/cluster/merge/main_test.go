// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The model is the one of the chain of the sums, in the order of the arguments. Errors name the file, and nothing is written then.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	mapName := filepath.Join(dir, "map")
	if _, err := shard.Recipe(mapName, 32); err != nil {
		t.Fatal(err)
	}
	phi, err := shard.ReadMap(mapName)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ridge.NewAccumulator(phi, 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 4 {
		var rows bytes.Buffer
		if err := shard.WriteCSV(&rows, shard.NewDemo(i), shard.Dim+1, 200); err != nil {
			t.Fatal(err)
		}
		a, err := shard.Accumulate(phi, shard.NewCSV(&rows, 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, shard.Name(dir, i, ".sums"))
		if err := shard.WriteFile(names[i], func(w io.Writer) error {
			_, err := a.WriteTo(w)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := all.Merge(a); err != nil {
			t.Fatal(err)
		}
	}
	m, err := all.Fit(nil)
	if err != nil {
		t.Fatal(err)
	}
	var want, got, say bytes.Buffer
	if _, err := m.WriteTo(&want); err != nil {
		t.Fatal(err)
	}
	if err := run(mapName, names, &got, &say); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) || !strings.HasPrefix(say.String(), "800 rows of 4 files: λ = ") {
		t.Errorf("another model: %s", &say)
	}
	if err := os.WriteFile(names[2], []byte("featuremap"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, names := range map[string][]string{
		names[2] + ": ridge: part 2: the data": names,
		names[0] + ".none: ridge: part 1":      {names[0], names[0] + ".none"},
	} {
		got.Reset()
		if err := run(mapName, names, &got, &say); err == nil || !strings.HasPrefix(err.Error(), want) || got.Len() > 0 {
			t.Errorf("%v, want %q; %d bytes are written", err, want, got.Len())
		}
	}
	if err := run(names[2], names, &got, &say); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprint(names[2], ": ")) {
		t.Errorf("a map that is none: %v", err)
	}
}
