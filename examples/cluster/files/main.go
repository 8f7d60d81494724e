// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Files fits a model to shards of rows, in goroutines that store all their progress in files. A run that was killed at
// any point continues where it was when it is started again, and ends with the same bits. The program needs only the
// standard library, featuremap and a folder.
//
//	go run ./examples/cluster/files -dir cluster -rows 1000000
//
// makes rows for a demonstration and learns from them. Run it with -h for all flags.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

const usage = `Files fits a model to the rows of DIR/shard-0000.csv, DIR/shard-0001.csv, …: lines of
numbers, of which the last is the target.

A worker turns the rows of a shard into sums, which it writes to DIR/shard-0000.acc every
so many rows and at the end. Then the sums of all shards are merged, in the order of
their numbers, and the model is fitted and written to DIR/model, which ridge.ReadModel reads.

Look at the last line, the SHA-256 of the model. It is the same with any -workers and
-checkpoint, and if you kill the program (kill -9, too) and start it again, which
takes up each shard at its last checkpoint. Delete or damage a file of sums, and
that shard is read again. On several machines that share DIR run it with -part 0/3,
-part 1/3 and -part 2/3, and then without: that merges and fits.

With -iterate, for more features than their products allow, each pass of conjugate gradients
is done so: shards become DIR/shard-0000.pass-0007, …, and these are merged to DIR/pass-0007,
from which a run that is started again goes on. With -part the machines wait for each other
after each pass, and each writes the same model.

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
	flag.BoolVar(&j.iterate, "iterate", false, "fit by passes of conjugate gradients, without sums of products of features")
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
	rows, shards, features int // of the demonstration; rows is 0 without a demonstration
	workers, every         int
	part, parts            int // parts is 0 if this run does everything
	iterate                bool

	phi featuremap.FeatureMap
	in  int

	mu   sync.Mutex
	out  io.Writer       // lines of progress
	seen map[int]version // of the shards, when this run first saw them
}

// run does all steps.
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
	if j.iterate {
		return j.fitPasses()
	}
	return j.fitSums()
}

// draw makes the map.
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

// say writes a line.
func (j *job) say(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.out, format+"\n", args...)
}
