// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// fitSums fits a model by the normal equations, which are summed once.
func (j *job) fitSums() error {
	w := &work{ext: ".acc", empty: j.newAccumulator, load: j.loadAccumulator}
	if err := j.accumulateAll(w); err != nil {
		return err
	}
	if j.parts > 0 {
		for i := j.part; i < j.shards; i += j.parts {
			if _, err := j.version(i); err != nil {
				return err
			}
		}
		j.say("part %d of %d is done; without -part the model is fitted", j.part, j.parts)
		return nil
	}
	all, err := j.merge(w)
	if err != nil {
		return err
	}
	m, err := all.Fit(nil)
	if err != nil {
		return err
	}
	return j.write(m)
}

func (j *job) newAccumulator(int) (sums, error) { return ridge.NewAccumulator(j.phi, 1) }

func (j *job) loadAccumulator(r io.Reader) (sums, error) { return ridge.ReadAccumulator(r, j.phi) }

// accumulateAll lets workers accumulate all shards of the part. After an error no further shards are started.
func (j *job) accumulateAll(w *work) error {
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		next   int
		failed error
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		for next++; j.parts > 0 && (next-1)%j.parts != j.part; next++ {
		}
		if failed != nil || next > j.shards {
			return -1
		}
		return next - 1
	}
	for range j.workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := take(); i >= 0; i = take() {
				if err := j.accumulate(w, i); err != nil {
					mu.Lock()
					failed = errors.Join(failed, fmt.Errorf("shard %d: %w", i, err))
					mu.Unlock()
				}
			}
		}()
	}
	wait.Wait()
	return failed
}

// merge adds up the sums of all shards. The last bits of sums depend on the order: it is the order of the shards'
// numbers, whichever was finished first.
func (j *job) merge(w *work) (*ridge.Accumulator, error) {
	rows := 0
	all, err := shard.Merge(j.phi, j.shards, j.dir, func(i int) (io.ReadCloser, error) {
		r, n, err := j.finished(w, i)
		rows += n
		return r, err
	}, func(i, _ int) {
		if i > 0 && i%max(j.shards/4, 1) == 0 {
			j.say("merged %d of %d shards: %d rows", i, j.shards, rows)
		}
	})
	var of *shard.PartError
	switch {
	case errors.As(err, &of):
		return nil, fmt.Errorf("%s: %w", shard.Name(j.dir, of.Part, w.ext), of.Err)
	case err != nil:
		return nil, err
	case all.Rows() != rows:
		return nil, fmt.Errorf("sums are of %d rows: files say that they are of %d", all.Rows(), rows)
	}
	j.say("merged %d of %d shards: %d rows", j.shards, j.shards, rows)
	return all, nil
}

// finished returns the file of the sums of shard i, positioned behind its state, and their number of rows. Another run
// in the same folder may have replaced them by its own, which are valid as far as they go: then this run continues from
// there.
func (j *job) finished(w *work, i int) (io.ReadCloser, int, error) {
	for {
		v, err := j.version(i)
		if err != nil {
			return nil, 0, err
		}
		f, s, err := openSums(shard.Name(j.dir, i, w.ext))
		if err != nil {
			return nil, 0, err
		}
		if s.Done && s.version == v {
			return f, s.Rows, nil
		}
		f.Close()
		if err := j.accumulate(w, i); err != nil {
			return nil, 0, err
		}
	}
}

// write writes the model.
func (j *job) write(m *ridge.Model) error {
	j.say("fitted: λ = %.2g, and the noise has a standard deviation of %.4f", m.Lambda()[0], math.Sqrt(m.NoiseVariance()[0]))
	name, sum := filepath.Join(j.dir, "model"), sha256.New()
	if err := shard.WriteFile(name, func(w io.Writer) error {
		_, err := m.WriteTo(io.MultiWriter(w, sum))
		return err
	}); err != nil {
		return err
	}
	j.say("%s: SHA-256 %x", name, sum.Sum(nil))
	return nil
}
