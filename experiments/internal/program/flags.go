// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package program

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
)

// Flags are the flags of a program. Those that are defined by the methods here are checked, in the order
// of their definitions, before the program does anything. flag.FlagSet has the methods for all others.
type Flags struct {
	*flag.FlagSet
	checks []func() error
	shrink func() // what -quick does, if it is given
}

// NewFlags returns the flags of a program of this name. Its help starts with usage: a line that is its
// title, what the columns of its output mean, and where to look.
func NewFlags(name, usage string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(name, flag.ExitOnError), shrink: func() {}}
	f.Usage = func() {
		fmt.Fprintln(f.Output(), usage)
		f.PrintDefaults()
	}
	return f
}

// AtLeast defines an integer, by default the value of p. A value below least is refused.
func (f *Flags) AtLeast(least int, p *int, name, usage string) {
	f.IntVar(p, name, *p, usage)
	f.checks = append(f.checks, func() error {
		if *p < least {
			return fmt.Errorf("-%s %d: must be at least %d", name, *p, least)
		}
		return nil
	})
}

// Quick defines -quick, which calls shrink after the checks of all flags.
func (f *Flags) Quick(shrink func(), usage string) {
	quick := f.Bool("quick", false, usage)
	f.shrink = func() {
		if *quick {
			shrink()
		}
	}
}

// CSV defines -csv, the path of a file for WriteCSV. A file that cannot be written is refused. An existing
// file keeps its content until it is written.
func (f *Flags) CSV(path *string, usage string) {
	f.StringVar(path, "csv", "", usage)
	f.checks = append(f.checks, func() error {
		if *path == "" {
			return nil
		}
		file, err := os.OpenFile(*path, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return fmt.Errorf("-csv: %w", err)
		}
		return file.Close()
	})
}

// Python defines -python, an interpreter with scikit-learn. A named interpreter without it is refused. If the
// flag is not set and no interpreter is found, python is nil, and missing says why.
func (f *Flags) Python(python **peer.Python, missing *error) {
	name := f.String("python", "", "`interpreter` with scikit-learn; by default python3 or /usr/bin/python3")
	f.checks = append(f.checks, func() error {
		if *python, *missing = peer.Find(*name); *python == nil && *name != "" {
			return fmt.Errorf("-python: %w", *missing)
		}
		return nil
	})
}

// Main reads the command line and runs the program, which writes to w and shows what it is doing meanwhile. An error
// ends it with status 1.
func (f *Flags) Main(run func(w io.Writer, show func(doing string)) error) {
	log.SetFlags(0)
	log.SetPrefix(f.Name() + ": ")
	err := f.read(os.Args[1:])
	if err == nil {
		err = run(os.Stdout, progressOn(os.Stderr))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// read parses and checks the arguments of the command line. All of them must be flags.
func (f *Flags) read(arguments []string) error {
	if err := f.Parse(arguments); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; -help lists the flags", f.Arg(0))
	}
	for _, check := range f.checks {
		if err := check(); err != nil {
			return err
		}
	}
	f.shrink()
	return nil
}
