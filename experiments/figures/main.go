// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Figures draws the pictures of the documentation. Each is one command:
//
//	go -C experiments run ./figures -picture speed -data DIR
//
// runs a program that measures, here experiments/designs, draws what it has measured to docs/pictures, and prints
// the caption. The picture comparison is drawn from docs/evidence/trees.csv. The captions are in docs/pictures/README.md,
// too, which is written along with a picture.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// A request is for pictures.
type request struct {
	picture string // a name, or "all"
	csv     string // file to draw from, or "" to measure
	data    string // folder of data sets, or ""
	quick   bool
	out     string // folder, or "" for docs/pictures
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	var r request
	flag.StringVar(&r.picture, "picture", "", "`name` of the picture to draw, or all")
	flag.StringVar(&r.csv, "csv", "", "`file` that the program has written; without it the program runs")
	flag.StringVar(&r.data, "data", "", "`folder` of data sets, for the program")
	flag.BoolVar(&r.quick, "quick", false, "let the program measure less, to try it")
	flag.StringVar(&r.out, "out", "", "`folder` to draw to; by default docs/pictures, whose README.md is written, too")
	flag.Usage = func() { usage(flag.CommandLine.Output()) }
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q; -help lists the flags", flag.Arg(0))
	}
	if err := run(os.Stdout, r); err != nil {
		log.Fatal(err)
	}
}

// usage writes the help.
func usage(w io.Writer) {
	fmt.Fprintln(w, "Figures draws a picture of the documentation, as PNG, from what another program measures, and prints its\ncaption. The pictures, and the programs or files that they come from:")
	fmt.Fprintln(w)
	for _, p := range pictures {
		fmt.Fprintf(w, "  %-11s %s (%s)\n", p.name, p.title, p.source())
	}
	fmt.Fprintln(w)
	flag.PrintDefaults()
}

// run draws what is asked for and writes the captions to w.
func run(w io.Writer, r request) error {
	chosen, err := r.choose()
	if err != nil {
		return err
	}
	page := r.out == ""
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if page {
		r.out = filepath.Join(root, "docs", "pictures")
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	measured := measurements{request: r, root: root, files: map[string]string{}}
	defer measured.remove()
	for _, p := range chosen {
		file, err := measured.file(p)
		if err != nil {
			return err
		}
		png, err := p.drawFile(file)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		to := filepath.Join(r.out, p.name+".png")
		if err := os.WriteFile(to, png, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n\n%s\n\n%s\n", to, p.title, strings.TrimSpace(p.caption))
	}
	if page {
		return os.WriteFile(filepath.Join(r.out, "README.md"), pageOf(pictures, foreigners), 0o666)
	}
	return nil
}

// choose returns the pictures that are asked for.
func (r request) choose() ([]picture, error) {
	if r.picture == "all" {
		if r.csv != "" {
			return nil, fmt.Errorf("-csv is for one picture, not for all")
		}
		return pictures, nil
	}
	p, ok := named(r.picture)
	switch {
	case !ok:
		return nil, fmt.Errorf("-picture %q: must be all or one of %s", r.picture, names())
	case r.csv != "" && (r.data != "" || r.quick):
		return nil, fmt.Errorf("-data and -quick are for measuring, and -csv is instead of it")
	case r.data != "" && !p.data:
		return nil, fmt.Errorf("-data: %s needs no data sets", p.source())
	}
	return []picture{p}, nil
}

// names returns the names of all pictures.
func names() string {
	var all []string
	for _, p := range pictures {
		all = append(all, p.name)
	}
	return strings.Join(all, ", ")
}

// drawFile returns the picture of a file that the program has written.
func (p picture) drawFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := readTable(f, p.columns)
	if err != nil {
		return nil, err
	}
	s := p.draw(t)
	if t.err != nil {
		return nil, t.err
	}
	return s.png()
}
