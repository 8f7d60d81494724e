// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package shard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// WriteFile writes a file so that its name stands for all of it or for what it was before, whenever the process or the
// machine stops. It writes under a new name first, then to the disk, renames the file, and writes the folder to the
// disk. Any number of processes may write a file at a time: its name stands for the file of one of them.
func WriteFile(name string, write func(w io.Writer) error) error {
	return put(name, write, os.Rename)
}

// WriteNew writes a file like WriteFile, unless the file exists once the data are written: the first one stays.
func WriteNew(name string, write func(w io.Writer) error) error {
	return put(name, write, func(temp, name string) error {
		err := os.Link(temp, name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			// The file system has no links. Between these two calls another process may write the file.
			if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				return os.Rename(temp, name)
			}
		}
		return os.Remove(temp)
	})
}

// put writes a file under a new name, and calls rename to make it the file.
func put(name string, write func(w io.Writer) error, rename func(temp, name string) error) error {
	removeLeft(name)
	f, err := createTemp(name)
	if err != nil {
		return err
	}
	temp := f.Name()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = rename(temp, name)
	}
	if err != nil {
		os.Remove(temp)
		return err
	}
	return syncFolder(filepath.Dir(name))
}

// createTemp creates a file with a unique name, and with the permissions of any new file.
func createTemp(name string) (*os.File, error) {
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s.%016x.tmp", name, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// left is the age of a file from which it counts as left by an interrupted write. No write takes as long.
const left = 24 * time.Hour

// removeLeft removes what interrupted writes of a file have left.
func removeLeft(name string) {
	all, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.tmp"))
	if err != nil {
		return // the folder has a name that is a malformed pattern
	}
	for _, temp := range all {
		if ok, _ := filepath.Match(filepath.Base(name)+".*.tmp", filepath.Base(temp)); !ok {
			continue
		}
		if info, err := os.Stat(temp); err == nil && time.Since(info.ModTime()) > left {
			os.Remove(temp)
		}
	}
}

// syncFolder writes a folder to the disk, so that a renamed file has its new name when the machine stops. It is a
// variable for tests.
var syncFolder = func(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // the system cannot do it
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) { // on some file systems
		return err
	}
	return nil
}
