// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

const (
	seed    = 1
	trained = 16000 // of the 20000 letters, as in the split by Frey and Slate
	height  = 3     // the column of a letter's height
	ink     = 4     // the column of the number of its black pixels
)

// letterFile has 20000 letters, a line each with 16 numbers and the letter, from 0 for A to 25 for Z: Letter Recognition (Slate, UCI,
// CC BY 4.0, doi:10.24432/C5ZP40).
//
//go:embed letter.csv.gz
var letterFile []byte

// letters returns 14 of the 16 numbers of each letter, and its height and ink as targets.
func letters() (x, y *mat.Dense, err error) {
	z, err := gzip.NewReader(bytes.NewReader(letterFile))
	if err != nil {
		return nil, nil, err
	}
	records, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	x, y = mat.NewDense(len(records), 14, nil), mat.NewDense(len(records), 2, nil)
	for i, record := range records {
		var row [16]float64
		for j := range row {
			if row[j], err = strconv.ParseFloat(record[j], 64); err != nil {
				return nil, nil, err
			}
		}
		copy(x.RawRowView(i), row[:height])
		copy(x.RawRowView(i)[height:], row[ink+1:])
		copy(y.RawRowView(i), row[height:ink+1])
	}
	return x, y, nil
}

// fit fits a model to the training letters.
func fit(x, y *mat.Dense, features int) (*ridge.Model, error) {
	_, in := x.Dims()
	_, targets := y.Dims()
	rows := x.Slice(0, trained, 0, in)
	s := featuremap.NewSampler(seed)
	median, err := featuremap.MedianLengthScale(rows, s)
	if err != nil {
		return nil, err
	}
	plan, err := featuremap.NewPlan(featuremap.Gaussian{LengthScale: median}, nil, features, &featuremap.PlanOptions{In: in})
	if err != nil {
		return nil, err
	}
	phi, err := plan.Draw(s)
	if err != nil {
		return nil, err
	}
	return ridge.Fit(phi, rows, y.Slice(0, trained, 0, targets), nil)
}

// train fits a model, saves it, and writes its errors to out.
func train(out io.Writer, path string, features int) error {
	x, y, err := letters()
	if err != nil {
		return err
	}
	m, err := fit(x, y, features)
	if err != nil {
		return err
	}
	size, err := save(path, m)
	if err != nil {
		return err
	}
	n, in := x.Dims()
	a, err := newLoaded(&table.Model{Ridge: m}).predict(&batch{wide: x.Slice(trained, n, 0, in).(*mat.Dense)}, question{deviations: true})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v\nfitted to %d letters, λ = %.2g and %.2g; saved to %s, %d bytes.\n\n", m.Map(), trained, m.Lambda()[0], m.Lambda()[1], path, size)
	fmt.Fprintf(out, "On %d other letters:\n\n", n-trained)
	fmt.Fprintln(out, "          rms error   noise of the model   within two deviations")
	for t, name := range []string{"height", "ink"} {
		var squares, inside float64
		for i := range a.Predictions {
			e := a.Predictions[i][t] - y.At(trained+i, t)
			squares += e * e
			if math.Abs(e) < 2*a.Deviations[i][t] {
				inside++
			}
		}
		held := float64(n - trained)
		fmt.Fprintf(out, "%-8s  %9.3f  %19.3f  %21.1f %%\n", name, math.Sqrt(squares/held), math.Sqrt(m.NoiseVariance()[t]), 100*inside/held)
	}
	return nil
}

// save saves a model completely, or leaves the file at path as it was. Servers that read the file meanwhile get the old
// one or the new one.
func save(path string, m *ridge.Model) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	size, err = m.WriteTo(b)
	if err = errors.Join(err, b.Flush()); err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return 0, err
	}
	return size, syncFolder(filepath.Dir(path))
}

// syncFolder writes a folder to the disk, if the system can, so that a renamed file has its name when the machine
// stops.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	f.Sync() // Windows and some file systems cannot do it
	return f.Close()
}

// read returns the model of a file.
func read(path string) (*ridge.Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := ridge.ReadModel(bufio.NewReaderSize(f, 1<<16), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// open returns the model of a file, with the encoder of its rows if it has one.
func open(path string) (*table.Model, error) {
	m, plain := read(path)
	if plain == nil {
		return &table.Model{Ridge: m}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := table.ReadModel(bufio.NewReaderSize(f, 1<<16), nil)
	if err == nil {
		return c, nil
	}
	if _, again := f.Seek(0, io.SeekStart); again != nil {
		return nil, again
	}
	l, of := logistic.ReadModel(bufio.NewReaderSize(f, 1<<16), nil)
	if of != nil {
		return nil, errors.Join(plain, fmt.Errorf("%s: %w", path, err), fmt.Errorf("%s: %w", path, of))
	}
	return &table.Model{Logistic: l}, nil
}
