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
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A state is how far the sums of a shard are. It is the first line of their file, as JSON after its own SHA-256; the
// accumulator, which has a checksum of its own, follows.
type state struct {
	Rows   int   // that are in the sums
	Offset int64 // of the next row in the shard
	Done   bool

	// The shard: sums of a file that has changed since are not used.
	Size, Modified int64
}

// accumulate brings the sums of shard i up to its end, from where its file of sums is.
//
// A run that was killed and one that was not add the same rows to the same sums in the same order: an accumulator that
// is merged into an empty one, as load's is here, is copied bit by bit.
func (j *job) accumulate(i int) error {
	name, sums := shard.Name(j.dir, i, ".csv"), shard.Name(j.dir, i, ".acc")
	if j.rows > 0 {
		if err := j.makeShard(i, name); err != nil {
			return err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fresh := state{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	a, err := ridge.NewAccumulator(j.phi, 1)
	if err != nil {
		return err
	}
	now, err := resume(sums, a, fresh)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		j.say("shard %d: %s is not used: %v", i, sums, err)
	case now.Done:
		j.say("shard %d: was done, %d rows", i, now.Rows)
	case now.Rows > 0:
		j.say("shard %d: goes on after row %d", i, now.Rows)
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
		if err := save(sums, now, a); err != nil {
			return err
		}
		if now.Done {
			j.say("shard %d: done, %d rows", i, now.Rows)
		} else {
			j.say("shard %d: %d rows", i, now.Rows)
		}
	}
	if j.rows > 0 && now.Rows != shard.DemoRows(j.rows, j.shards, i) {
		return fmt.Errorf("%s has %d rows, which are not those of -rows %d -shards %d: take another -dir", name, now.Rows, j.rows, j.shards)
	}
	return nil
}

// makeShard makes a shard of the demonstration if it is not there.
func (j *job) makeShard(i int, name string) error {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	rows := shard.DemoRows(j.rows, j.shards, i)
	err := shard.WriteNew(name, func(w io.Writer) error { // of two runs at once too, the file has one time
		return shard.WriteCSV(w, shard.NewDemo(i), shard.Dim+1, rows)
	})
	if err == nil {
		j.say("shard %d: made, %d rows", i, rows)
	}
	return err
}

// resume brings what a file of sums has into a, which is empty, and returns its state. On an error, as when it is of
// another map or another shard than the fresh state says, a is empty as before and the state is the fresh one.
func resume(name string, a *ridge.Accumulator, fresh state) (state, error) {
	s, b, err := load(name)
	switch {
	case err != nil:
		return fresh, err
	case s.Size != fresh.Size || s.Modified != fresh.Modified:
		return fresh, errors.New("the shard has changed")
	}
	if err := a.Merge(b); err != nil {
		return fresh, err
	}
	return s, nil
}

var errDamaged = errors.New("the file is damaged")

// load reads a file of sums.
func load(name string) (s state, a *ridge.Accumulator, err error) {
	f, err := os.Open(name)
	if err != nil {
		return s, nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	line, err := r.ReadString('\n')
	if err != nil {
		return s, nil, errDamaged
	}
	sum, document, _ := strings.Cut(line, " ")
	if sum != checksum([]byte(strings.TrimSuffix(document, "\n"))) || json.Unmarshal([]byte(document), &s) != nil {
		return s, nil, errDamaged
	}
	a = new(ridge.Accumulator)
	if _, err := a.ReadFrom(r); err != nil {
		return s, nil, err
	}
	if a.Rows() != s.Rows {
		return s, nil, errDamaged
	}
	return s, a, nil
}

// save writes a file of sums. To write an accumulator changes nothing in its bits, so that it may be done at any row.
func save(name string, s state, a *ridge.Accumulator) error {
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
