// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package program has what the examples share: a help that starts with what the program is, flags
// without arguments after them, progress, and words for the features of a map.
package program

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-0f95ebc1/featuremap"
)

// Parse parses the flags that are defined so far, for a program of this name whose help starts
// with usage: a line that is its title, what the columns of its output mean, and where to look.
// An argument that is no flag ends the program.
func Parse(name, usage string) {
	log.SetFlags(0)
	log.SetPrefix(name + ": ")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q; -help lists the flags", flag.Arg(0))
	}
}

// Progress returns a function that writes to f what is being done, from two seconds on. On a
// terminal each line overwrites the one before.
func Progress(f *os.File) func(doing string) {
	end := "\n"
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		end = "\r"
	}
	return progress(f, end, time.Now().Add(2*time.Second))
}

func progress(w io.Writer, end string, from time.Time) func(doing string) {
	return func(doing string) {
		if !time.Now().Before(from) {
			fmt.Fprintf(w, "%-78s%s", doing, end)
		}
	}
}

// Features returns what the features of a map are, without its kernel and dimensions.
func Features(m featuremap.FeatureMap) string {
	_, out := m.Dims()
	_, features, _ := strings.Cut(fmt.Sprint(m), fmt.Sprintf("→ R^%d", out))
	parts := strings.Split(strings.TrimPrefix(features, ", "), "\n\t")
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
