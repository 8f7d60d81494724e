// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Npz transfers Fourier features from scikit-learn to Go, and from Go to numpy, in .npz files.
//
//	cd experiments/npz
//	go run . from testdata/rbf.npz
//	go run . to map.npz && python3 check.py map.npz
//
// The first command reads a fitted RBFSampler. For points x, its weights wⱼ, which are columns of
// random_weights_, and offsets bⱼ of random_offset_, the features in both libraries are
//
//	zⱼ(x) = √(2/D)·cos(wⱼ·x + bⱼ),  j = 1 … D.
//
// The second command makes a map and writes what numpy needs to evaluate it. README.md says which
// arrays the files have.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
)

const title = `Npz takes Fourier features from scikit-learn to Go, and from Go to numpy, in .npz files.

  npz from [flags] FILE  evaluates the map in FILE: a fitted RBFSampler, or what "npz to" wrote
  npz to [flags] FILE    draws a map, and writes it to FILE with points and their features

"npz from -h" and "npz to -h" list the flags. README.md has the Python side.
`

const fromTitle = `npz from [flags] FILE

Evaluates the map in FILE at the points X, a row of the table for each point:

  point       the row of X, counted from 0
  z0, z1, …   the first features of the point
  difference  the largest |feature − Z| of the point, if there are features Z to compare with

It fails if a difference is above 1e-12. README.md says which arrays FILE has.

`

const toTitle = `npz to [flags] FILE

Draws orthogonal frequencies for the kernel exp(−γ‖x−y‖²), and writes them to FILE with points
and their features. "python3 check.py FILE" evaluates them in numpy. README.md says which arrays
FILE has.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("npz: ")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), title) }
	flag.Parse()
	var err error
	switch command := flag.Arg(0); command {
	case "from":
		var of evaluation
		flags := newFlags(command, fromTitle)
		flags.StringVar(&of.points, "points", "", "`file` with the points X, and features Z if it has them (default FILE)")
		flags.IntVar(&of.show, "show", 4, "largest `number` of features to print of each point")
		of.file = parse(flags)
		if of.show < 0 {
			log.Fatalf("-show %d: must not be negative", of.show)
		}
		err = from(os.Stdout, of)
	case "to":
		var of drawing
		flags := newFlags(command, toTitle)
		flags.StringVar(&of.points, "points", "", "`file` with points X (default 7 normal points of 5 coordinates)")
		flags.Float64Var(&of.gamma, "gamma", 0.3, "`γ` of the kernel")
		flags.IntVar(&of.features, "features", 16, "`number` of features: even, or any with -phases")
		flags.BoolVar(&of.phases, "phases", false, "one feature cos(ω·x + b) for each frequency, instead of the pair cos(ω·x), sin(ω·x)")
		flags.Uint64Var(&of.seed, "seed", 1, "`number` that seeds the random ones")
		of.file = parse(flags)
		if !(of.gamma > 0) {
			log.Fatalf("-gamma %v: must be positive", of.gamma)
		}
		if of.features%2 != 0 && !of.phases {
			log.Fatalf("-features %d: must be even without -phases", of.features)
		}
		err = to(os.Stdout, of)
	case "":
		flag.Usage()
		os.Exit(2)
	default:
		log.Fatalf("unknown command %q: must be from or to", command)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// newFlags returns the empty set of flags of a command, whose help begins with a title.
func newFlags(command, title string) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), title)
		flags.PrintDefaults()
	}
	return flags
}

// parse parses the arguments of the command, and returns the one argument after its flags.
func parse(flags *flag.FlagSet) (file string) {
	flags.Parse(flag.Args()[1:])
	if flags.NArg() != 1 {
		log.Fatalf("%s: %d arguments after the flags: must be one, FILE", flags.Name(), flags.NArg())
	}
	return flags.Arg(0)
}
