// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
)

// deadly begins the names of files in the local file system, one of which is the death of the process that writes it.
const deadly = "deadly://"

func init() {
	filesystem.Register("deadly", func(ctx context.Context) filesystem.Interface { return deadlyFiles{local.New(ctx)} })
}

type deadlyFiles struct{ filesystem.Interface }

// lives is the number of files that are left to write.
var lives atomic.Int64

func (d deadlyFiles) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	f, err := d.Interface.OpenWrite(ctx, strings.TrimPrefix(name, deadly))
	if lives.Add(-1) == 0 {
		f = deadlyFile{f}
	}
	return f, err
}

func (d deadlyFiles) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	return d.Interface.OpenRead(ctx, strings.TrimPrefix(name, deadly))
}

func (d deadlyFiles) List(ctx context.Context, glob string) ([]string, error) {
	all, err := d.Interface.List(ctx, strings.TrimPrefix(glob, deadly))
	for i := range all {
		all[i] = deadly + all[i]
	}
	return all, err
}

func (d deadlyFiles) Remove(ctx context.Context, name string) error {
	return d.Interface.(filesystem.Remover).Remove(ctx, strings.TrimPrefix(name, deadly))
}

type deadlyFile struct{ io.WriteCloser }

// Write writes half of what it is given, and kills this process.
func (f deadlyFile) Write(p []byte) (int, error) {
	f.WriteCloser.Write(p[:len(p)/2])
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Kill()
	}
	select {}
}

// A process that is killed while it writes the list of shards, sums, a pass or the model leaves no model. The next run has the bits of one that was not
// disturbed, and removes what the killed one left, but nothing else.
func TestKilled(t *testing.T) {
	fit := func(o order, iterate bool) error {
		if iterate {
			return runPasses(o)
		}
		return run(o)
	}
	if dir := os.Getenv("DEADLY_DIR"); dir != "" { // the process to be killed
		files, _ := strconv.ParseInt(os.Getenv("DEADLY_FILES"), 10, 64)
		lives.Store(files)
		o := order{in: filepath.Join(dir, "shard-*.csv"), mapName: filepath.Join(dir, "map"), model: filepath.Join(dir, "model"), sums: os.Getenv("DEADLY_SUMS")}
		if o.sums == "" {
			o.model = deadly + o.model
		}
		t.Fatalf("it lives: %v", fit(o, os.Getenv("DEADLY_ITERATE") == "true"))
	}
	dir, sums := demo(t), t.TempDir()
	for _, other := range []string{"model.run-notes", "model.0123456789abcdef", "model2.run-0123456789abcdef.shards"} {
		if err := os.WriteFile(filepath.Join(dir, other), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, dir)
	for _, c := range []struct {
		files   int // the last of which kills: the list of shards, five sums and the model
		sums    string
		iterate bool
	}{{1, "", false}, {4, "", false}, {7, "", false}, {5, sums, false}, {11, "", true}} { // the last in its second pass: a list, a pass, five sums, all of them
		o := order{in: filepath.Join(dir, "shard-*.csv"), mapName: filepath.Join(dir, "map"), model: filepath.Join(dir, "model"), sums: c.sums}
		want := inOneProcess(t, dir, shards)
		if c.iterate {
			_, want = passesInOneProcess(t, dir)
		}
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), "DEADLY_DIR="+dir, fmt.Sprintf("DEADLY_FILES=%d", c.files), fmt.Sprintf("DEADLY_ITERATE=%v", c.iterate))
		if c.sums != "" {
			child.Env = append(child.Env, "DEADLY_SUMS="+deadly+c.sums)
		}
		text, err := child.CombinedOutput()
		left := append(names(t, dir), names(t, sums)...)
		if err == nil || bytes.Contains(text, []byte("it lives")) || len(left) <= len(before) || slices.Contains(left, "model") {
			t.Fatalf("%+v: %v, %q are left: %s", c, err, left, text)
		}
		if err := fit(o, c.iterate); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got, err := os.ReadFile(o.model); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: another model, %v", c, err)
		}
		if err := os.Remove(o.model); err != nil {
			t.Fatal(err)
		}
		if after := names(t, dir); !slices.Equal(after, before) || len(names(t, sums)) > 0 {
			t.Errorf("%+v: %q and %q are left of %q", c, after, names(t, sums), before)
		}
	}
}
