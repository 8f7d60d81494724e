// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Merge fits a model to sums that the command accumulate has written.
//
//	merge -map M shard-*.sums >model
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

const usage = `Merge adds up the sums of all shards, fits a model to them and writes it to the standard output, as ridge.ReadModel reads it.

    merge -map M shard-*.sums >model

Sums are added in the order of the arguments, on which the last bits of the model depend, and on nothing else: a shell sorts the names of a
pattern. Of more than 64 files each 32 are merged first. It takes the memory of two sums, 8·D² bytes for D features.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("merge: ")
	mapName := flag.String("map", "", "`file` of the map that accumulate had")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 || *mapName == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*mapName, flag.Args(), os.Stdout, os.Stderr); err != nil {
		log.Fatal(err)
	}
}

// run writes the model of the sums in the files to w, and messages to say.
func run(mapName string, files []string, w, say io.Writer) error {
	phi, err := shard.ReadMap(mapName)
	if err != nil {
		return err
	}
	all, err := shard.Merge(phi, len(files), "", func(i int) (io.ReadCloser, error) { return os.Open(files[i]) }, nil)
	var part *shard.PartError
	if errors.As(err, &part) {
		return fmt.Errorf("%s: %w", files[part.Part], part.Err)
	}
	if err != nil {
		return err
	}
	m, err := all.Fit(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(say, "%d rows of %d files: λ = %.2g, and the noise has a standard deviation of %.4f\n",
		all.Rows(), len(files), m.Lambda()[0], math.Sqrt(m.NoiseVariance()[0]))
	b := bufio.NewWriterSize(w, 1<<16)
	if _, err := m.WriteTo(b); err != nil {
		return err
	}
	return b.Flush()
}
