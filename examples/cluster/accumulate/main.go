// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Accumulate writes the sums of the rows of a shard, for the command merge. It is a filter, for any system that can
// start a process for each shard.
//
//	accumulate -map M <shard-0007.csv >shard-0007.sums
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

const usage = `Accumulate reads the rows of a shard from the standard input, lines of numbers of which the last is the target, and writes their sums
to the standard output: a file of 4·D² bytes for D features, which merge adds to others.

    accumulate -map M <rows.csv >sums

Nothing is written unless all rows are read.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("accumulate: ")
	mapName := flag.String("map", "", "`file` of the map, by featuremap.Encode: the same for all shards")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 || *mapName == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*mapName, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run writes the sums of the rows of r to w.
func run(mapName string, r io.Reader, w io.Writer) error {
	phi, err := shard.ReadMap(mapName)
	if err != nil {
		return err
	}
	a, err := shard.Accumulate(phi, shard.NewCSV(r, 0, 0))
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if _, err := a.WriteTo(b); err != nil {
		return err
	}
	return b.Flush()
}
