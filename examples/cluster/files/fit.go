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

// fitSums fits a model by the normal equations, which are summed up once.
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

// accumulateAll has workers accumulate all shards of the part. After an error no more are begun.
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

// merge adds up the sums of all shards. Sums of sums depend on the order, in their last bits: it is that of the numbers
// of the shards, whatever was finished first.
func (j *job) merge(w *work) (*ridge.Accumulator, error) {
	all, err := ridge.NewAccumulator(j.phi, 1)
	if err != nil {
		return nil, err
	}
	for i := range j.shards {
		a, err := j.finished(w, i)
		if err == nil {
			err = all.Merge(a.(*ridge.Accumulator))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shard.Name(j.dir, i, w.ext), err)
		}
		if (i+1)%max(j.shards/4, 1) == 0 {
			j.say("merged %d of %d shards: %d rows", i+1, j.shards, all.Rows())
		}
	}
	return all, nil
}

// finished returns the sums of shard i as it is. Another run in the same folder may have written its own over those of this one, which
// are as right as far as they go: then this run goes on from there.
func (j *job) finished(w *work, i int) (sums, error) {
	for {
		v, err := j.version(i)
		if err != nil {
			return nil, err
		}
		s, a, err := w.read(shard.Name(j.dir, i, w.ext), i)
		if err != nil || s.Done && s.version == v {
			return a, err
		}
		if err := j.accumulate(w, i); err != nil {
			return nil, err
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
