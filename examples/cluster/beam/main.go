// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Beam fits a model to shards of rows as an Apache Beam pipeline, on this machine or on a cluster.
//
//	go run . -in 'cluster/shard-*.csv' -map cluster/map -model cluster/beam.model
//
// Run it with -h for all flags.
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

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
)

const usage = `Beam fits a model to the rows of CSV or Parquet files: numbers, of which the last is the
target. It is the program examples/cluster/files as an Apache Beam pipeline, which runs
in this process, or on the runner that -runner names.

What moves through the pipeline are names of files. Every worker reads the map from -map,
adds the rows of a shard, and writes their sums under -sums. One step merges these, in the
order of the shards' names, fits the model and writes it; of more than 64 shards each 32 are
merged to a file first. All files have names that all workers must be able to read and write.

Look at what -compare says: the model is the other program's of the same rows, bit for bit,
for any number of workers, retries and order. -convert makes Parquet files of the CSV files,
for a third run. With -iterate each pass of conjugate gradients is a pipeline, whose sums are
T·D numbers.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("beam: ")
	var o order
	flag.StringVar(&o.in, "in", "", "`pattern` of the shards, such as 'DIR/shard-*.csv'; those called .parquet are Parquet")
	flag.StringVar(&o.mapName, "map", "", "`file` of the map, by featuremap.Encode, for all workers; written for the demonstration if it is not there")
	flag.IntVar(&o.features, "features", 500, "largest `number` of features of the map of the demonstration")
	flag.StringVar(&o.model, "model", "", "`file` to write the model to")
	flag.StringVar(&o.sums, "sums", "", "`folder` for the sums of shards, where all workers can write (default the folder of the model)")
	flag.Int64Var(&o.memory, "memory", 0, "`bytes` of memory of a worker (default GOMEMLIMIT, or all that this machine has)")
	flag.BoolVar(&o.merge, "merge", false, "write the merged sums, for ridge.ReadAccumulator, not a model")
	compare := flag.String("compare", "", "`file` of another model, to say how far the two are apart")
	iterate := flag.Bool("iterate", false, "fit by passes of conjugate gradients, a pipeline each")
	convert := flag.Bool("convert", false, "write the CSV files of -in as Parquet in the same folder, and no model")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	beam.Init()
	switch {
	case flag.NArg() > 0:
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	case o.in == "" || !*convert && (o.mapName == "" || o.model == ""):
		log.Fatal("-in, -map or -model is missing; -help says more")
	case o.merge && (*iterate || *compare != ""):
		log.Fatal("-merge: writes no model, so that -iterate and -compare have no meaning")
	}
	if *convert {
		if err := convertAll(os.Stdout, o.in); err != nil {
			log.Fatal(err)
		}
		return
	}
	fit := run
	if *iterate {
		fit = runPasses
	}
	if err := fit(o); err != nil {
		log.Fatal(err)
	}
	if *compare != "" {
		d, err := distance(o.in, o.model, *compare)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s and %s: predictions differ by %.1e of them\n", o.model, *compare, d)
	}
}

// distance returns the norm of the difference between the predictions of two models, relative to those of the second,
// for up to 1000 rows of the first shard that matches a pattern.
func distance(pattern, a, b string) (float64, error) {
	m, err := pipeline.ReadModel(a)
	if err != nil {
		return 0, err
	}
	of, err := pipeline.ReadModel(b)
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
	names, err := list(ctx, pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file is called %s", pattern)
	}
	r, closer, err := openShard(ctx, names[0])
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
