// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// A write that fails leaves the file as it was, and nothing else.
func TestWriteFileFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	failed := errors.New("failed")
	for _, err := range []error{nil, failed} {
		if got := WriteFile(name, func(w io.Writer) error {
			io.WriteString(w, "old")
			return err
		}); got != err {
			t.Errorf("%v, want %v", got, err)
		}
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	if names, _ := filepath.Glob(name + "*"); len(names) != 1 {
		t.Errorf("files %v", names)
	}
}

// Many writes of one file at a time: the file is what one of them wrote, nobody sees another, and nothing is left.
func TestWriteFileAtOnce(t *testing.T) {
	const writers, size = 8, 1 << 16
	contents := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, size) }
	for what, put := range map[string]func(string, func(io.Writer) error) error{"WriteFile": WriteFile, "WriteNew": WriteNew} {
		name := filepath.Join(t.TempDir(), "file")
		var wait sync.WaitGroup
		var seen [writers]string
		for i := range writers {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for range 5 {
					err := put(name, func(w io.Writer) error {
						for part := contents(i); len(part) > 0; part = part[size/16:] { // a little at a time
							if _, err := w.Write(part[:size/16]); err != nil {
								return err
							}
						}
						return nil
					})
					b, got := os.ReadFile(name)
					if err != nil || got != nil || len(b) != size || !bytes.Equal(b, contents(int(b[0]-'a'))) {
						t.Errorf("%s: %v, and %d bytes are read: %v", what, err, len(b), got)
						return
					}
					seen[i] = string(b[:1])
				}
			}()
		}
		wait.Wait()
		if what == "WriteNew" && slices.ContainsFunc(seen[:], func(v string) bool { return v != seen[0] }) {
			t.Errorf("the first file did not stay: %v", seen)
		}
		if names, _ := filepath.Glob(name + "*"); len(names) != 1 {
			t.Errorf("%s: files %v", what, names)
		}
	}
}

// The folder is written to the disk when the file has its name, and the error of that is returned.
func TestWriteFileSyncsFolder(t *testing.T) {
	was := syncFolder
	defer func() { syncFolder = was }()
	dir := t.TempDir()
	failed := errors.New("failed")
	for i, put := range []func(string, func(io.Writer) error) error{WriteFile, WriteNew} {
		name := filepath.Join(dir, fmt.Sprint("file", i))
		calls := 0
		syncFolder = func(of string) error {
			if b, err := os.ReadFile(name); err != nil || string(b) != "new" || of != dir {
				t.Errorf("the folder %s is synced when the file has %q: %v", of, b, err)
			}
			calls++
			return failed
		}
		err := put(name, func(w io.Writer) error {
			_, err := io.WriteString(w, "new")
			return err
		})
		if err != failed || calls != 1 {
			t.Errorf("%v, and the folder was synced %d times", err, calls)
		}
	}
	if err := was(dir); err != nil {
		t.Error(err)
	}
	if err := was(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for no folder")
	}
}

// What interrupted writes have left long ago is removed; what may be another process's is not, nor are other files.
func TestWriteFileRemovesLeft(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-2 * left)
	for name, keep := range map[string]bool{"file.0123.tmp": false, "file.0124.tmp": true, "file2.0123.tmp": true, "file": true, "file.0125": true} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if name != "file.0124.tmp" {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteFile(filepath.Join(dir, "file"), func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != keep {
			t.Errorf("%s: %v", name, err)
		}
	}
}
