// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A row is a line of a table.
type row struct{ predicted, measured, accuracy float64 }

// A table is of one kernel.
type table struct {
	exact float64        // accuracy
	rows  map[string]row // by "D options"
}

// runTables runs the plan and reads the tables that it prints.
func runTables(t *testing.T, p plan) []table {
	var out bytes.Buffer
	shown := 0
	if err := run(&out, func(string) { shown++ }, p); err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	exact := regexp.MustCompile(`^exact kernel +([0-9.]+)%$`)
	line := regexp.MustCompile(`^ +([0-9]+)  (.*?) +([0-9.]+|\+Inf) +([0-9.]+) +([0-9.]+)% +[0-9]+$`)
	var tables []table
	for text := range strings.Lines(out.String()) {
		text = strings.TrimSuffix(text, "\n")
		if f := exact.FindStringSubmatch(text); f != nil {
			tables = append(tables, table{number(f[1]), map[string]row{}})
		} else if f := line.FindStringSubmatch(text); f != nil {
			tables[len(tables)-1].rows[f[1]+" "+f[2]] = row{number(f[3]), number(f[4]), number(f[5])}
		}
	}
	rows := 0
	for _, size := range p.sizes {
		rows += len(size.options)
	}
	if len(tables) != 2 || len(tables[0].rows) != rows || len(tables[1].rows) != rows {
		t.Fatalf("want two tables of %d rows:\n%s", rows, &out)
	}
	if want := 2 * (1 + rows); shown != want {
		t.Errorf("progress shown %d times, want %d: once before each row", shown, want)
	}
	return tables
}

// Measured errors agree with predicted ones, which come in the order of theory.
func checkErrors(t *testing.T, tables []table, size string) {
	var logs float64
	n := 0
	for _, table := range tables {
		// Maps whose errors have heavy tails (see the program's comment) are left out. Fifty of
		// the others show their mean within a half, at 108 features.
		for _, options := range []string{"OptimalLaw", "OptimalLaw, ExactDegree = 1", "OptimalLaw, ExactDegree = 1, Complex", "OptimalLaw, ExactDegree = 1, TensorSRHT"} {
			r := table.rows[size+" "+options]
			ratio := r.measured / r.predicted
			if !(ratio > 0.5 && ratio < 2) {
				t.Errorf("%s, %s: measured %v, predicted %v", size, options, r.measured, r.predicted)
			}
			logs += math.Log(ratio)
			n++
		}
		predicted := func(options string) float64 { return table.rows[size+" "+options].predicted }
		for _, pair := range [][2]string{
			{"OptimalLaw", "GeometricLaw"},
			{"OptimalLaw, ExactDegree = 1", "GeometricLaw, ExactDegree = 1"},
			{"OptimalLaw, ExactDegree = 1, Complex", "OptimalLaw, ExactDegree = 1"},
			{"OptimalLaw, ExactDegree = 1, TensorSRHT", "OptimalLaw, ExactDegree = 1"},
			{"OptimalLaw, ExactDegree = 1", "OptimalLaw, ExactDegree = 1, GaussianSketch"},
		} {
			if less, more := predicted(pair[0]), predicted(pair[1]); !(less < more) {
				t.Errorf("%s: predicted error %v of %s, %v of %s: want less", size, less, pair[0], more, pair[1])
			}
		}
	}
	if mean := math.Exp(logs / float64(n)); !(mean > 0.8 && mean < 1.25) {
		t.Errorf("%s: measured over predicted error, geometric mean of %d rows: %v", size, n, mean)
	}
}

func TestErrors(t *testing.T) {
	checkErrors(t, runTables(t, small), "108")
}

// The program as it is run.
func TestFull(t *testing.T) {
	if !testkit.Long() {
		t.Skip("fits 3065 points exactly, in a minute of one core: with -long")
	}
	tables := runTables(t, full)
	checkErrors(t, tables, "108")
	checkErrors(t, tables, "1000")
	for _, table := range tables {
		random, h01 := table.rows["500 GeometricLaw"].accuracy, table.rows["108 GeometricLaw, ExactDegree = 1"].accuracy
		if !(table.exact >= 93 && table.exact >= random && random >= h01) {
			t.Errorf("accuracy of the exact kernel, random features and H0/1 = %v, %v, %v %%: not in Kar and Karnick's order",
				table.exact, random, h01)
		}
		for _, o := range options {
			within := 2.0
			if strings.HasPrefix(o.name, "OptimalLaw") {
				within = 1
			}
			if a := table.rows["1000 "+o.name].accuracy; !(a >= table.exact-within) {
				t.Errorf("1000 features, %s: accuracy %v %%, the exact kernel has %v %%", o.name, a, table.exact)
			}
		}
	}
}
