// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

// Files are read and written by name, in any file system that Beam knows.

// A stored is a file that is being read, with its file system.
type stored struct {
	*bufio.Reader
	file io.ReadCloser
	fs   filesystem.Interface
}

func (s stored) Close() error { return errors.Join(s.file.Close(), s.fs.Close()) }

// openFile opens a file.
func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := fs.OpenRead(ctx, name)
	if err != nil {
		fs.Close()
		return nil, err
	}
	return stored{bufio.NewReaderSize(f, 1<<16), f, fs}, nil
}

// readFile returns the contents of a file.
func readFile(ctx context.Context, name string) ([]byte, error) {
	f, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// readMap returns the map in a file.
func readMap(ctx context.Context, name string) (featuremap.FeatureMap, error) {
	recipe, err := readFile(ctx, name)
	if err != nil {
		return nil, err
	}
	phi, err := shard.Draw(recipe)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return phi, nil
}

// writeFile writes a file. After an error the file does not exist, or nobody knows its name.
func writeFile(ctx context.Context, name string, from io.WriterTo) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	f, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	_, err = from.WriteTo(b)
	if err == nil {
		err = b.Flush()
	}
	return errors.Join(err, f.Close())
}

// replace writes a file under a new name, and then renames it, so that name never stands for a partial file.
func replace(ctx context.Context, name string, from io.WriterTo) error {
	temp := unique(name)
	if err := writeFile(ctx, temp, from); err != nil {
		return err
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	return filesystem.Rename(ctx, fs, temp, name)
}

// unique returns a name that no other call returns.
func unique(name string) string { return fmt.Sprintf("%s.run-%016x", name, rand.Uint64()) }

// removeRuns removes the files that killed runs have left under names of unique(name), or such with more after them.
func removeRuns(ctx context.Context, name string) error {
	return removeAll(ctx, name+".run-"+strings.Repeat("[0-9a-f]", 16))
}

// list returns the names that match a pattern, in order.
func list(ctx context.Context, pattern string) ([]string, error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	slices.Sort(names)
	return names, err
}

// removeAll removes the files whose names begin with prefix, which may be a pattern.
func removeAll(ctx context.Context, prefix string) error {
	names, err := list(ctx, prefix+"*")
	if err != nil || len(names) == 0 {
		return err
	}
	fs, err := filesystem.New(ctx, prefix)
	if err != nil {
		return err
	}
	defer fs.Close()
	r, ok := fs.(filesystem.Remover)
	if !ok {
		return fmt.Errorf("%s*: this file system removes nothing: %d files are left", prefix, len(names))
	}
	for _, name := range names {
		err = errors.Join(err, r.Remove(ctx, name))
	}
	return err
}

// openShard opens a shard, Parquet or CSV by its extension.
func openShard(ctx context.Context, name string) (shard.Reader, io.Closer, error) {
	f, err := openFile(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if path.Ext(name) != ".parquet" {
		return shard.NewCSV(f, 0, 0), f, nil
	}
	of := f.(stored)
	size, err := of.fs.Size(ctx, name)
	at, ok := of.file.(io.ReaderAt)
	if err == nil && !ok { // a stream, such as from an object store
		var b []byte
		b, err = io.ReadAll(f)
		at, size = bytes.NewReader(b), int64(len(b))
	}
	var r shard.Reader
	if err == nil {
		r, err = newParquetReader(at, size)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, f, nil
}

// text is a file of lines.
type text []string

// WriteTo implements io.WriterTo.
func (t text) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, strings.Join(t, "\n")+"\n")
	return int64(n), err
}
