// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

// An order is the values of the flags.
type order struct {
	in, mapName, model string
	sums               string // folder; "" is the folder of the model
	features           int    // of the map of the demonstration
	memory             int64  // of a worker in bytes; 0: as on this machine
	merge              bool   // write the sums instead of a model
}

// prepare checks, before a job starts, that it can end: the map can be decoded, a worker has memory for three sums if
// the job has any, and the results can be written. It removes what a killed run for the same model has left. It writes
// the names of the shards, in order, to a file for the workers.
func (o order) prepare(ctx context.Context, products bool) (Task, featuremap.FeatureMap, error) {
	t := Task{Map: o.mapName, Model: o.model, Memory: o.memory, Merge: o.merge}
	if !strings.Contains(o.mapName, "://") {
		if _, err := shard.Recipe(o.mapName, o.features); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return t, nil, err
		}
	}
	phi, err := readMap(ctx, o.mapName)
	if err != nil {
		return t, nil, err
	}
	if t.Memory == 0 {
		t.Memory = machineMemory()
	}
	_, features := phi.Dims()
	bytes := sumsBytes(features)
	if products && 3*bytes > t.Memory {
		return t, nil, fmt.Errorf("-map %s: %d features: three sums take %s, and a worker has %s: -iterate (ridge.FitIterative) needs none; -memory says what workers have",
			o.mapName, features, size(3*bytes), size(t.Memory))
	}
	names, err := list(ctx, o.in)
	if err != nil {
		return t, nil, err
	}
	if len(names) == 0 {
		return t, nil, fmt.Errorf("-in: no files matching %s", o.in)
	}
	t.Shards = len(names)
	stem := o.stem()
	if err := errors.Join(removeRuns(ctx, stem), removeRuns(ctx, o.model)); err != nil {
		return t, nil, err
	}
	t.Prefix = unique(stem) + "."
	if err := writeFile(ctx, t.Prefix+"shards", text(names)); err != nil {
		return t, nil, fmt.Errorf("-sums: %w", err)
	}
	if products {
		files := int64(len(names) + len(shard.Groups(len(names))))
		fmt.Printf("%d shards, %d features: their sums take up to %s, as %s*, until the model is there\n", len(names), features, size(files*bytes), t.Prefix)
	}
	return t, phi, nil
}

// stem returns what the names of sums begin with, which is the same in each run for a model, and another one for
// another model.
func (o order) stem() string {
	if o.sums == "" {
		return o.model
	}
	name := o.model
	if !strings.Contains(name, "://") {
		if full, err := filepath.Abs(name); err == nil {
			name = full
		}
	}
	hash := fnv.New64a()
	io.WriteString(hash, name)
	return fmt.Sprintf("%s/%016x", strings.TrimSuffix(o.sums, "/"), hash.Sum64())
}

// sumsBytes returns the size of sums for a number of features and one target.
func sumsBytes(features int) int64 {
	n := int64(features) + 2
	return 4 * n * (n + 1)
}

// size returns a number of bytes in words.
func size(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.3g MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.3g GB", float64(bytes)/1e9)
}

// machineMemory returns the bytes that this process may use: GOMEMLIMIT if it is set, otherwise all of the machine on
// Linux, and 1 TiB elsewhere.
func machineMemory() int64 {
	limit := min(debug.SetMemoryLimit(-1), 1<<40)
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return limit
	}
	_, rest, _ := bytes.Cut(info, []byte("MemTotal:"))
	var kilobytes int64
	if _, err := fmt.Fscan(bytes.NewReader(rest), &kilobytes); err != nil {
		return limit
	}
	return min(limit, kilobytes<<10)
}

// budget is the memory that sums of this process use. A runner may let a process work on many bundles at a time.
var budget struct {
	sync.Mutex
	taken int64
	given *sync.Cond
}

func init() { budget.given = sync.NewCond(&budget) }

// take waits until the given number of bytes of a memory is left, or nobody else uses any, and returns the function
// that gives them back.
func take(bytes, memory int64) (give func()) {
	budget.Lock()
	defer budget.Unlock()
	for budget.taken > 0 && budget.taken+bytes > memory {
		budget.given.Wait()
	}
	budget.taken += bytes
	return func() {
		budget.Lock()
		defer budget.Unlock()
		budget.taken -= bytes
		budget.given.Broadcast()
	}
}
