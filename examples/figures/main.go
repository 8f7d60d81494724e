// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Figures draws what the program examples/figure3 measured, as Figure 3 of Daniely, Frostig,
// Gupta and Singer 2017 has it: a row of panels for each kernel, and for each measure a panel
// with both methods against the number of columns. The dashed lines are the errors that the
// variance predicts.
//
//	go run ./examples/figure3 -data folder -csv figure3.csv
//	cd examples/figures && go run . -csv ../../figure3.csv -out ../../figure3.png
//
// It is a module of its own so that gonum/plot and the fonts and image libraries that this
// brings are not requirements of whoever uses featuremap. It reads a file and needs nothing of
// featuremap's, so it has no replace directive either.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	in := flag.String("csv", "figure3.csv", "file that examples/figure3 has written")
	out := flag.String("out", "figure3.png", "file to draw to")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := run(*in, *out); err != nil {
		log.Fatal(err)
	}
}

// run draws the file in to the file out.
func run(in, out string) error {
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	curves, err := read(f)
	if err != nil {
		return err
	}
	png, err := figure(curves)
	if err != nil {
		return err
	}
	return os.WriteFile(out, png, 0o666)
}
