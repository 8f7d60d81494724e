// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The sums have the bits of those rows, and read again all of them. Nothing is written of rows that are refused.
func TestRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "map")
	if _, err := shard.Recipe(name, 32); err != nil {
		t.Fatal(err)
	}
	var rows, sums, want bytes.Buffer
	if err := shard.WriteCSV(&rows, shard.NewDemo(1), shard.Dim+1, 300); err != nil {
		t.Fatal(err)
	}
	text := rows.String()
	if err := run(name, &rows, &sums); err != nil {
		t.Fatal(err)
	}
	phi, err := shard.ReadMap(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := shard.Accumulate(phi, shard.NewCSV(strings.NewReader(text), 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.WriteTo(&want); err != nil || !bytes.Equal(sums.Bytes(), want.Bytes()) {
		t.Error("other bits", err)
	}
	if read, err := ridge.ReadAccumulator(&sums, phi); err != nil || read.Rows() != 300 {
		t.Error(err)
	}
	for input, refused := range map[string]string{text + "1,2\n": "row 300: 2 numbers", "x\n": "row 0"} {
		sums.Reset()
		if err := run(name, strings.NewReader(input), &sums); err == nil || !strings.Contains(err.Error(), refused) || sums.Len() > 0 {
			t.Errorf("%v, and %d bytes are written", err, sums.Len())
		}
	}
	if err := run(name+".none", strings.NewReader(text), &sums); err == nil {
		t.Error("no error for no map")
	}
	if err := run(name, strings.NewReader(text), full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
