// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Files fits a model to shards of rows, in goroutines that leave all they know in files: a run that was killed at any
// point goes on where it was when it is started again, and ends with the same bits as one that was not. It needs
// nothing but the standard library, featuremap and a folder.
//
//	go run ./examples/cluster/files -dir cluster -rows 1000000
//
// makes rows for a demonstration and learns from them. Its help says what to look at.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Files fits a model to the rows of DIR/shard-0000.csv, DIR/shard-0001.csv, …: lines of
numbers, of which the last is the target.

A worker turns the rows of a shard into sums, which it writes to DIR/shard-0000.acc every
so many rows and at the end. Then the sums of all shards are merged, in the order of
their numbers, and the model is fitted and written to DIR/model, which ridge.Model.ReadFrom reads.

Look at the last line, the SHA-256 of the model. It is the same with any -workers and
-checkpoint, and if you kill the program (kill -9, too) and start it again, which
takes up each shard at its last checkpoint. Delete or damage a file of sums, and
that shard is read again. On several machines that share DIR run it with -part 0/3,
-part 1/3 and -part 2/3, and then without: that merges and fits.

With -rows there are shards for a demonstration, whose targets have noise of standard
deviation 0.1: the model should say nearly that.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("files: ")
	j := &job{out: os.Stdout}
	flag.StringVar(&j.dir, "dir", "", "`folder` of the shards, and of all that is written")
	flag.IntVar(&j.rows, "rows", 0, "make shards of this `number` of rows in all, where they are not there")
	flag.IntVar(&j.shards, "shards", 8, "`number` of shards that -rows makes")
	flag.StringVar(&j.mapName, "map", "", "`file` of the map, by featuremap.Encode; written for the demonstration if it is not there (default DIR/map)")
	flag.IntVar(&j.features, "features", 500, "largest `number` of features of the map of the demonstration")
	flag.IntVar(&j.workers, "workers", runtime.GOMAXPROCS(0), "`number` of shards at a time; each takes the memory of its sums")
	flag.IntVar(&j.every, "checkpoint", 100_000, "`number` of rows of a shard after which its sums are written")
	part := flag.String("part", "", "do only the shards whose number is `i/n`: i modulo n, and do not merge")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if *part != "" {
		if n, err := fmt.Sscanf(*part, "%d/%d", &j.part, &j.parts); n != 2 || err != nil || j.parts < 1 || j.part < 0 || j.part >= j.parts {
			log.Fatalf("-part %s: must be i/n with 0 ≤ i < n", *part)
		}
	}
	switch {
	case flag.NArg() > 0:
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	case j.dir == "":
		log.Fatal("-dir is missing; -help says more")
	case j.rows < 0 || j.shards < 1 || j.workers < 1 || j.every < 1:
		log.Fatal("-rows must not be negative; -shards, -workers and -checkpoint must be at least 1")
	}
	if err := j.run(); err != nil {
		log.Fatal(err)
	}
}

// A job is what there is to do.
type job struct {
	dir, mapName           string
	rows, shards, features int // of the demonstration; rows is 0 if there is none
	workers, every         int
	part, parts            int // parts is 0 if all is to be done here

	phi featuremap.FeatureMap
	in  int

	mu  sync.Mutex
	out io.Writer // lines of progress
}

// run does all of it.
func (j *job) run() error {
	if err := os.MkdirAll(j.dir, 0o777); err != nil {
		return err
	}
	if err := j.draw(); err != nil {
		return err
	}
	if j.rows == 0 {
		var err error
		if j.shards, err = count(j.dir); err != nil {
			return err
		}
	}
	if err := j.accumulateAll(); err != nil {
		return err
	}
	if j.parts > 0 {
		j.say("part %d of %d is done; without -part the model is fitted", j.part, j.parts)
		return nil
	}
	sums, err := j.merge()
	if err != nil {
		return err
	}
	return j.fit(sums)
}

// draw draws the map.
func (j *job) draw() error {
	if j.mapName == "" {
		j.mapName = filepath.Join(j.dir, "map")
	}
	recipe, err := shard.Recipe(j.mapName, j.features)
	if err != nil {
		return err
	}
	if j.phi, err = shard.Draw(recipe); err != nil {
		return fmt.Errorf("%s: %w", j.mapName, err)
	}
	in, features := j.phi.Dims()
	if j.in = in; j.rows > 0 && in != shard.Dim {
		return fmt.Errorf("%s: a map of %d coordinates: the demonstration has %d", j.mapName, in, shard.Dim)
	}
	j.say("%d features, from a map in %d bytes", features, len(recipe))
	return nil
}

// count returns the number of shards in a folder, numbered from 0 on.
func count(dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	shards, last := 0, -1
	for _, e := range entries {
		i := -1
		fmt.Sscanf(e.Name(), "shard-%d.csv", &i)
		if i >= 0 && e.Name() == filepath.Base(shard.Name(dir, i, ".csv")) {
			shards, last = shards+1, max(last, i)
		}
	}
	if shards == 0 {
		return 0, fmt.Errorf("%s has no shard-0000.csv; -rows makes shards for a demonstration", dir)
	}
	if shards <= last {
		return 0, fmt.Errorf("%s has %d shards, the last of which is shard %d: some are missing", dir, shards, last)
	}
	return shards, nil
}

// accumulateAll has workers accumulate all shards of the part. After an error no more are begun.
func (j *job) accumulateAll() error {
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
				if err := j.accumulate(i); err != nil {
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
func (j *job) merge() (*ridge.Accumulator, error) {
	sums, err := ridge.NewAccumulator(j.phi, 1)
	if err != nil {
		return nil, err
	}
	for i := range j.shards {
		a, err := j.finished(i)
		if err == nil {
			err = sums.Merge(a)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shard.Name(j.dir, i, ".acc"), err)
		}
		if (i+1)%max(j.shards/4, 1) == 0 {
			j.say("merged %d of %d shards: %d rows", i+1, j.shards, sums.Rows())
		}
	}
	return sums, nil
}

// finished returns the sums of shard i. Another run in the same folder may have written its own over those of this one, which
// are as right as far as they go: then this run goes on from there.
func (j *job) finished(i int) (*ridge.Accumulator, error) {
	for {
		s, a, err := load(shard.Name(j.dir, i, ".acc"))
		if err != nil || s.Done {
			return a, err
		}
		if err := j.accumulate(i); err != nil {
			return nil, err
		}
	}
}

// fit fits the model and writes it.
func (j *job) fit(sums *ridge.Accumulator) error {
	m, err := sums.Fit(nil)
	if err != nil {
		return err
	}
	j.say("fitted: λ = %.2g, and the noise has a standard deviation of %.4f", m.Lambda(), math.Sqrt(m.Noise()[0]))
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

// say writes a line.
func (j *job) say(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.out, format+"\n", args...)
}
