// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Beam fits a model to shards of rows as an Apache Beam pipeline, on this machine or on a cluster.
//
//	go run . -in 'cluster/shard-*.csv' -map cluster/map -model cluster/beam.model
//
// Its help says what to look at.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Beam fits a model to the rows of CSV or Parquet files: numbers, of which the last is the
target. It is the program examples/cluster/files as an Apache Beam pipeline, which runs
in this process, or on the runner that -runner names.

The map travels as its recipe, a file of some hundred bytes, and every worker draws it.
The rows of a bundle become sums where they are read; only sums move between workers.

Look at what -compare says: predictions of the other program's model of the same rows are
the same but for some 1e-13 of them, 1e-9 at most. The bits are not: sums of sums
depend on the order in their last bits, and a runner has an order of its own.
-convert makes Parquet files of the CSV files, for a third run. With -iterate each pass of
conjugate gradients is a pipeline, whose sums are T·D numbers.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("beam: ")
	in := flag.String("in", "", "`pattern` of the shards, such as 'DIR/shard-*.csv'; those called .parquet are Parquet")
	mapName := flag.String("map", "", "`file` of the map, by featuremap.Encode; written for the demonstration if it is not there")
	features := flag.Int("features", 500, "largest `number` of features of the map of the demonstration")
	model := flag.String("model", "", "`file` to write the model to")
	compare := flag.String("compare", "", "`file` of another model, to say how far the two are apart")
	iterate := flag.Bool("iterate", false, "fit by passes of conjugate gradients, a pipeline each")
	convert := flag.Bool("convert", false, "write the CSV files of -in as Parquet beside them, and no model")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	beam.Init()
	switch {
	case flag.NArg() > 0:
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	case *in == "" || !*convert && (*mapName == "" || *model == ""):
		log.Fatal("-in, -map or -model is missing; -help says more")
	}
	if *convert {
		if err := convertAll(os.Stdout, *in); err != nil {
			log.Fatal(err)
		}
		return
	}
	fit := run
	if *iterate {
		fit = runPasses
	}
	if err := fit(*in, *mapName, *features, *model); err != nil {
		log.Fatal(err)
	}
	if *compare != "" {
		d, err := distance(*in, *model, *compare)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s and %s: predictions differ by %.1e of them\n", *model, *compare, d)
	}
}

// run runs the pipeline.
func run(in, mapName string, features int, model string) error {
	recipe, err := shard.Recipe(mapName, features)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	build(s, in, recipe, model)
	return beamx.Run(context.Background(), p)
}

// distance returns the norm of the difference of the predictions of two models over that of the second's, for up to 1000
// rows of the first shard that matches a pattern.
func distance(pattern, a, b string) (float64, error) {
	m, err := readModel(a)
	if err != nil {
		return 0, err
	}
	of, err := readModel(b)
	if err != nil {
		return 0, err
	}
	in, _ := m.Map().Dims()
	if want, _ := of.Map().Dims(); in != want {
		return 0, fmt.Errorf("%s is of %d coordinates, and %s of %d", a, in, b, want)
	}
	x, err := head(context.Background(), pattern, in)
	if err != nil {
		return 0, err
	}
	var y, want, difference mat.Dense
	m.PredictTo(&y, x)
	of.PredictTo(&want, x)
	difference.Sub(&y, &want)
	return mat.Norm(&difference, 2) / mat.Norm(&want, 2), nil
}

// head returns the points of up to 1000 rows of the first shard that matches a pattern.
func head(ctx context.Context, pattern string, in int) (*mat.Dense, error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file is called %s", pattern)
	}
	r, closer, err := open(ctx, names[0])
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	var data []float64
	row := make([]float64, in+1)
	for len(data) < 1000*in {
		if err := r.Read(row); err == io.EOF && len(data) > 0 {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", names[0], err)
		}
		data = append(data, row[:in]...)
	}
	return mat.NewDense(len(data)/in, in, data), nil
}

// readModel reads a model from a file.
func readModel(name string) (*ridge.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := ridge.ReadModel(bufio.NewReader(f), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// convertAll writes the CSV files that match a pattern as Parquet, and their names to out.
func convertAll(out io.Writer, pattern string) error {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no file is called %s", pattern)
	}
	for _, name := range names {
		base, ok := strings.CutSuffix(name, ".csv")
		if !ok {
			return fmt.Errorf("%s is not called .csv", name)
		}
		if err := convertFile(name, base+".parquet"); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(out, base+".parquet")
	}
	return nil
}

// convertFile writes the rows of a CSV file as Parquet.
func convertFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	first, err := bufio.NewReader(f).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return shard.WriteFile(to, func(w io.Writer) error {
		return writeParquet(w, shard.NewCSV(f, 0, 0), strings.Count(first, ",")+1)
	})
}
