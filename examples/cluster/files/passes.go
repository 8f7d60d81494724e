// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// fitPasses fits a model by conjugate gradients. Between passes ridge.FitPasses computes the same bits, so a run that
// finds the sums of earlier passes in files gets to where another was killed without reading a row.
func (j *job) fitPasses() error {
	m, err := ridge.FitPasses(j.phi, j.pass, 1, nil)
	if err != nil {
		return err
	}
	j.say("a residual of %.1e after %d passes", m.Residual(), m.Passes())
	return j.write(m)
}

// pass returns the sums of a pass over all shards, from its file if it exists. Other runs may write it, too: the sums
// are the same.
func (j *job) pass(p *ridge.Pass) (*ridge.PassSums, error) {
	label := fmt.Sprintf("pass-%04d", p.Number())
	name := filepath.Join(j.dir, label)
	w := &work{
		name:  fmt.Sprintf(", pass %d", p.Number()),
		ext:   "." + label,
		empty: func(i int) (sums, error) { return p.NewSums(i), nil },
		load:  func(r io.Reader) (sums, error) { return p.ReadSums(r) },
	}
	if all, err := j.readPass(p, name); err == nil {
		j.say("pass %d: was done, %d rows", p.Number(), all.Rows())
		return all, j.removeShards(w)
	} else if !errors.Is(err, fs.ErrNotExist) {
		j.say("pass %d: %s is not used: %v", p.Number(), name, err)
		os.Remove(name) // another run may have removed it, or may be writing the right one, which is as good
	}
	if err := j.accumulateAll(w); err != nil {
		return nil, err
	}
	for {
		if all, err := j.readPass(p, name); err == nil {
			j.say("pass %d: done, %d rows", p.Number(), all.Rows())
			return all, j.removeShards(w)
		}
		all, versions, err := j.mergePass(p, w)
		i := len(versions) // the first shard that is not done
		switch {
		case err != nil:
		case i == j.shards:
			err = save(name, state{Rows: all.Rows(), Done: true, Shards: versions}, all)
		case j.parts == 0 || i%j.parts == j.part: // another run has replaced this one's sums, or has removed them
			err = j.accumulate(w, i)
		default: // another machine has to do it
			time.Sleep(20 * time.Millisecond)
		}
		if err != nil {
			return nil, err
		}
	}
}

// readPass reads the sums of a pass over all shards, if the shards have not changed.
func (j *job) readPass(p *ridge.Pass, name string) (*ridge.PassSums, error) {
	w := &work{
		empty: func(int) (sums, error) { return p.NewSums(0), nil },
		load:  func(r io.Reader) (sums, error) { return p.ReadSums(r) },
	}
	s, all, err := w.read(name, 0)
	if err != nil {
		return nil, err
	}
	if len(s.Shards) != j.shards {
		return nil, errors.New("there are more shards, or fewer")
	}
	for i, was := range s.Shards {
		v, err := j.version(i)
		if err == nil && v != was {
			err = fmt.Errorf("shard %d has changed", i)
		}
		if err != nil {
			return nil, err
		}
	}
	return all.(*ridge.PassSums), nil
}

// mergePass adds up the sums of all shards, in the order of their numbers, up to one whose current version is not done.
func (j *job) mergePass(p *ridge.Pass, w *work) (all *ridge.PassSums, versions []version, err error) {
	all = p.NewSums(0)
	for i := range j.shards {
		v, err := j.version(i)
		if errors.Is(err, fs.ErrNotExist) { // another machine has not made it yet
			break
		}
		if err != nil {
			return nil, nil, err
		}
		s, a, err := w.read(shard.Name(j.dir, i, w.ext), i)
		if err == nil && !(s.Done && s.version == v) || errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err == nil {
			err = all.Merge(a.(*ridge.PassSums))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", shard.Name(j.dir, i, w.ext), err)
		}
		versions = append(versions, s.version)
	}
	return all, versions, nil
}

// removeShards removes the files of the shards of a pass, whose sums are now in one file.
func (j *job) removeShards(w *work) error {
	for i := range j.shards {
		if err := os.Remove(shard.Name(j.dir, i, w.ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
