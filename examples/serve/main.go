// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Serve puts a saved model behind HTTP: rows in as JSON or raw numbers, predictions with error bars out.
//
// It has three modes. With -train it fits a model to letters that are embedded in the program, and saves it. With
// -model it serves a saved model until it is interrupted. With -load it tests a server: it sends many requests at a
// time, some of them malformed, and checks every answer.
//
// README.md describes the requests and the answers, and what to put in front of the server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
	_ "github.com/seed-0f95ebc1/featuremap/timeseries" // its maps may be in a model's file
)

const title = `Serve puts a saved model behind HTTP: rows in as JSON or raw numbers, predictions with error bars out.

    serve -train FILE          fit a model to the embedded letters and save it
    serve -model FILE          serve a saved model, of package ridge, logistic or table; interrupt to stop,
                               SIGHUP to load the file again
    serve -load URL            test a server under load; with -model FILE, against that file, of package ridge

-train prints the error on 4000 test letters, and the share of them within two standard
deviations: about 95 % if the error bars are right. -load prints the numbers of requests that were
good (predictions as they should be, bit for bit), refused (malformed, with the right status), turned
away (503: too many at a time), without a server (the connection was refused or reset), wrong, and lost (no
complete answer). Look at the last two: they should be 0, and the program fails if they are not. Latencies are those of the good ones.

`

// flags are the command line.
type flags struct {
	train, model, load string
	features           int
	addr               string
	atOnce             int
	drain              time.Duration
	requests, rows     int
	concurrency        int
	malformed          float64
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("serve: ")
	f, err := parseFlags(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		log.Fatal(err)
	}
	if err := f.run(os.Stdout, log.Default()); err != nil {
		log.Fatal(err)
	}
}

// parseFlags returns the flags in args, and an error if they conflict. Help goes to out.
func parseFlags(args []string, out io.Writer) (*flags, error) {
	var f flags
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller prints errors
	set.StringVar(&f.train, "train", "", "fit a model and save it to this `file`")
	set.IntVar(&f.features, "features", 512, "with -train: the largest `number` of features")
	set.StringVar(&f.model, "model", "", "the `file` of the model to serve, or that -load compares with")
	set.StringVar(&f.addr, "addr", "localhost:8080", "to serve: the `address` to listen on")
	set.IntVar(&f.atOnce, "at-once", 64, "to serve: the largest `number` of predictions in progress; more requests are turned away")
	set.DurationVar(&f.drain, "drain", time.Second, "to serve: how long to answer on, but not be ready, before stopping")
	set.StringVar(&f.load, "load", "", "the `URL` of a server to test under load")
	set.IntVar(&f.requests, "requests", 2000, "with -load: the `number` of requests")
	set.IntVar(&f.concurrency, "concurrency", 32, "with -load: the `number` of requests at a time")
	set.IntVar(&f.rows, "rows", 10, "with -load: the `number` of rows of a request")
	set.Float64Var(&f.malformed, "malformed", 0.1, "with -load: the `share` of requests that are malformed")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			set.SetOutput(out)
			fmt.Fprint(out, title)
			set.PrintDefaults()
		}
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	if err := f.validate(); err != nil {
		return nil, err
	}
	return &f, f.unused(set)
}

// validate refuses values that no mode takes.
func (f *flags) validate() error {
	switch {
	case f.train == "" && f.model == "" && f.load == "":
		return errors.New("one of -train, -model and -load is needed: see -h")
	case f.features < 2:
		return fmt.Errorf("-features %d: must be at least 2", f.features)
	case f.atOnce < 1:
		return fmt.Errorf("-at-once %d: must be at least 1", f.atOnce)
	case f.drain < 0:
		return fmt.Errorf("-drain %v: must be at least 0", f.drain)
	case f.requests < 1:
		return fmt.Errorf("-requests %d: must be at least 1", f.requests)
	case f.concurrency < 1:
		return fmt.Errorf("-concurrency %d: must be at least 1", f.concurrency)
	case f.rows < 1:
		return fmt.Errorf("-rows %d: must be at least 1", f.rows)
	case !(f.malformed >= 0 && f.malformed <= 1):
		return fmt.Errorf("-malformed %v: must be between 0 and 1", f.malformed)
	}
	return nil
}

// unused refuses flags that were set but would have no effect.
func (f *flags) unused(set *flag.FlagSet) (err error) {
	used := []string{"model", "addr", "at-once", "drain"}
	switch {
	case f.train != "":
		used = []string{"train", "features"}
	case f.load != "":
		used = []string{"load", "model", "requests", "concurrency", "rows", "malformed"}
	}
	set.Visit(func(g *flag.Flag) {
		if err == nil && !slices.Contains(used, g.Name) {
			err = fmt.Errorf("-%s has no effect here: see -h", g.Name)
		}
	})
	return err
}

// run does what the flags say.
func (f *flags) run(out io.Writer, logger *log.Logger) error {
	switch {
	case f.train != "":
		return train(out, f.train, f.features)
	case f.load != "":
		var m *ridge.Model
		if f.model != "" {
			var err error
			if m, err = read(f.model); err != nil {
				return err
			}
		}
		l := &load{url: f.load, requests: f.requests, atOnce: f.concurrency, rows: f.rows, malformed: f.malformed, model: m, patience: 30 * time.Second}
		return l.report(out)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	listener, err := net.Listen("tcp", f.addr)
	if err != nil {
		return err
	}
	l := standard
	l.atOnce, l.drain = f.atOnce, f.drain
	logger.Printf("listening on http://%s", listener.Addr())
	return newServer(l, logger).run(ctx, listener, func() (*table.Model, error) { return open(f.model) }, again)
}
