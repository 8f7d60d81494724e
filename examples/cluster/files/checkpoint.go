// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

// A state is the progress of the sums of a shard. It is the first line of their file, as JSON after its own SHA-256.
// The accumulator or the sums of a pass follow, with a checksum of their own.
type state struct {
	Rows   int   // in the sums
	Offset int64 // of the next row in the shard
	Done   bool

	version           // of the shard: sums of a file that has changed since are not used
	Shards  []version `json:",omitempty"` // of all shards, for the sums of a pass over them
}

// A version distinguishes a shard from a changed one.
type version struct{ Size, Modified int64 }

// sums are the sums of a shard, for the normal equations or for a pass.
type sums interface {
	shard.Sums
	io.WriterTo
}

// A work is what is done with all rows: once for the normal equations, and in each pass.
type work struct {
	name  string                          // for lines of progress, with a space before it; may be empty
	ext   string                          // of files of sums
	empty func(i int) (sums, error)       // returns sums without rows for shard i
	load  func(r io.Reader) (sums, error) // reads the sums in a file, to continue with
}

// accumulate brings the sums of shard i up to its end, starting from its file of sums.
//
// A run that was killed and one that was not add the same rows to the same sums in the same order. The bits of an
// accumulator, and of the sums of a pass, do not depend on where they were written and read.
func (j *job) accumulate(w *work, i int) error {
	name, file := shard.Name(j.dir, i, ".csv"), shard.Name(j.dir, i, w.ext)
	if j.rows > 0 {
		if err := j.makeShard(i, name); err != nil {
			return err
		}
	}
	v, err := j.version(i)
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	a, now, err := w.resume(file, i, state{version: v})
	switch {
	case a == nil:
		return err
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		j.say("shard %d%s: %s is not used: %v", i, w.name, file, err)
	case now.Done:
		j.say("shard %d%s: was done, %d rows", i, w.name, now.Rows)
	case now.Rows > 0:
		j.say("shard %d%s: goes on after row %d", i, w.name, now.Rows)
	}
	if _, err := f.Seek(now.Offset, io.SeekStart); err != nil {
		return err
	}
	for r := shard.NewCSV(f, now.Rows, now.Offset); !now.Done; {
		if _, err := shard.Add(a, j.in, r, j.every); err == io.EOF {
			now.Done = true
		} else if err != nil {
			return err
		}
		now.Rows, now.Offset = a.Rows(), r.Offset()
		if err := save(file, now, a); err != nil {
			return err
		}
		if now.Done {
			j.say("shard %d%s: done, %d rows", i, w.name, now.Rows)
		} else {
			j.say("shard %d%s: %d rows", i, w.name, now.Rows)
		}
	}
	if j.rows > 0 && now.Rows != shard.DemoRows(j.rows, j.shards, i) {
		return fmt.Errorf("%s has %d rows, which are not those of -rows %d -shards %d: take another -dir", name, now.Rows, j.rows, j.shards)
	}
	return nil
}

// version returns the version of a shard. It refuses one that has changed since this run first saw it: the sums might
// contain rows of both versions, and passes need the same rows each time.
func (j *job) version(i int) (version, error) {
	info, err := os.Stat(shard.Name(j.dir, i, ".csv"))
	if err != nil {
		return version{}, err
	}
	v := version{info.Size(), info.ModTime().UnixNano()}
	j.mu.Lock()
	defer j.mu.Unlock()
	if was, ok := j.seen[i]; ok && was != v {
		return v, fmt.Errorf("shard %d has changed since the run was started: start it again", i)
	}
	if j.seen == nil {
		j.seen = make(map[int]version)
	}
	j.seen[i] = v
	return v, nil
}

// makeShard makes a shard of the demonstration if it is not there.
func (j *job) makeShard(i int, name string) error {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	rows := shard.DemoRows(j.rows, j.shards, i)
	err := shard.WriteNew(name, func(w io.Writer) error { // so that the file has one time even if two runs write it at once
		return shard.WriteCSV(w, shard.NewDemo(i), shard.Dim+1, rows)
	})
	if err == nil {
		j.say("shard %d: made, %d rows", i, rows)
	}
	return err
}

// resume returns the sums in the file of a shard, and their state. On an error, for example if they belong to another
// map or another shard than the fresh state says, they are empty and the state is the fresh one. If it returns no sums,
// they cannot be made.
func (w *work) resume(name string, i int, fresh state) (sums, state, error) {
	s, a, err := w.read(name, i)
	if err == nil && (s.version != fresh.version) {
		err = errors.New("the shard has changed")
	}
	if err == nil {
		return a, s, nil
	}
	a, failed := w.empty(i)
	if failed != nil {
		return nil, fresh, failed
	}
	return a, fresh, err
}

var errDamaged = errors.New("the file is damaged")

// read reads a file of sums.
func (w *work) read(name string, i int) (s state, a sums, err error) {
	f, s, err := openSums(name)
	if err != nil {
		return s, nil, err
	}
	defer f.Close()
	if a, err = w.load(f); err == nil && a.Rows() != s.Rows {
		err = errDamaged
	}
	return s, a, err
}

// A sumsFile is a file of sums behind its state.
type sumsFile struct {
	*bufio.Reader
	io.Closer
}

// openSums opens a file of sums, and reads its state.
func openSums(name string) (*sumsFile, state, error) {
	var s state
	f, err := os.Open(name)
	if err != nil {
		return nil, s, err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	line, err := r.ReadString('\n')
	sum, document, _ := strings.Cut(line, " ")
	if err != nil || sum != checksum([]byte(strings.TrimSuffix(document, "\n"))) || json.Unmarshal([]byte(document), &s) != nil {
		f.Close()
		return nil, s, errDamaged
	}
	return &sumsFile{r, f}, s, nil
}

// save writes a file of sums. Writing does not change their bits, so it may be done at any row.
func save(name string, s state, a io.WriterTo) error {
	document, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return shard.WriteFile(name, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "%s %s\n", checksum(document), document); err != nil {
			return err
		}
		_, err := a.WriteTo(w)
		return err
	})
}

func checksum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
