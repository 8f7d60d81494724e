// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// work is the folder of what all tests share.
var work string

func TestMain(m *testing.M) {
	var err error
	if work, err = os.MkdirTemp("", "report"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(work)
	os.Exit(code)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sales has examples/table fit a model to the first 300 records of its sales.csv, and returns the job of a page on the other 100.
var sales = sync.OnceValue(func() *job {
	lines := strings.SplitAfter(string(must(os.ReadFile("../table/sales.csv"))), "\n")
	j := &job{model: filepath.Join(work, "sales.featuremap"), report: filepath.Join(work, "sales.txt"), file: filepath.Join(work, "new.csv"), out: filepath.Join(work, "sales.html")}
	j.Comma = ','
	must(0, os.WriteFile(fitted(), []byte(strings.Join(lines[:301], "")), 0o600))
	must(0, os.WriteFile(j.file, []byte(lines[0]+strings.Join(lines[301:], "")), 0o600))
	cmd := exec.Command("go", "run", "./examples/table", "-target", "sold", "-model", j.model, "-report", j.report, fitted())
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	return j
})

// fitted is the file that the model of sales is fitted on.
func fitted() string { return filepath.Join(work, "sales.csv") }

// fruit returns a table of 300 records with names that HTML must escape, numbers of which some are missing, and a target of kinds classes.
func fruit(kinds int) string {
	rng := rand.New(rand.NewPCG(7, 0))
	names := []string{"apple <&> pear", `"plum"`, "Quitte", "東京"}[:kinds]
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"weight & size", "a rather long name of a column", "farm", "kind", "key"})
	for i := range 300 {
		c, farm := i%kinds, rng.IntN(3)
		weight := strconv.FormatFloat(float64(c)+0.7*rng.NormFloat64(), 'f', 3, 64)
		if rng.IntN(20) == 0 {
			weight = "NA"
		}
		w.Write([]string{weight, strconv.FormatFloat(100*rng.Float64(), 'f', 1, 64), []string{"<north>", "south", "west"}[(farm+c)%3], names[c], fmt.Sprint("k", i)})
	}
	w.Flush()
	return b.String()
}

// classified fits a model of the classes of a table, or of its numbers in the column "weight & size", to its records, and returns the job of a
// page on them.
func classified(t *testing.T, text, target string, phi func(e *table.Encoder) featuremap.FeatureMap) *job {
	t.Helper()
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	j := &job{model: at("fruit.featuremap"), file: at("fruit.csv"), out: at("fruit.html")}
	j.Comma = ','
	must(0, os.WriteFile(j.file, []byte(text), 0o600))
	header, records, err := j.Read(io.Discard, j.file)
	if err != nil {
		t.Fatal(err)
	}
	opts := &table.Options{Target: target, Missing: []string{"NA"}}
	if slices.Contains(header, "key") {
		opts.Kinds = map[string]table.Kind{"key": table.Ignored}
	}
	e := must(table.Fit(header, records, opts))
	x := must(e.Encode(records))
	if phi == nil {
		phi = func(e *table.Encoder) featuremap.FeatureMap {
			return must(featuremap.NewNystrom(e.Kernel(), x, 60, featuremap.NewSampler(1), nil))
		}
	}
	m := &table.Model{Encoder: e}
	if e.ClassNames() != nil {
		m.Logistic = must(logistic.Fit(phi(e), x, must(e.Classes(records)), nil))
	} else {
		m.Ridge = must(ridge.Fit(phi(e), x, must(e.Targets(records)), nil))
	}
	f := must(os.Create(j.model))
	must(m.WriteTo(f))
	must(0, f.Close())
	return j
}

// pageOf runs a job and returns its page.
func pageOf(t *testing.T, j *job) string {
	t.Helper()
	if err := j.run(io.Discard); err != nil {
		t.Fatal(err)
	}
	return string(must(os.ReadFile(j.out)))
}

// cells returns the texts of the cells of the row of a page that begins with a name.
func cells(t *testing.T, page, name string) (all []string) {
	t.Helper()
	row := regexp.MustCompile(`<tr><td data-name="[^"]*">` + regexp.QuoteMeta(name) + `</td>(.*)</tr>`).FindStringSubmatch(page)
	if row == nil {
		t.Fatalf("the page has no row %q", name)
	}
	for _, c := range regexp.MustCompile(`<td data-name="[^"]*">([^<]*)</td>`).FindAllStringSubmatch(row[1], -1) {
		all = append(all, c[1])
	}
	return all
}

// value returns a cell as a number.
func value(t *testing.T, cell string) float64 {
	t.Helper()
	text, percent := strings.CutSuffix(cell, "\u00a0%")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	if percent {
		v /= 100
	}
	return v
}

// copyOf returns a job with changes.
func copyOf(j *job, change func(j *job)) *job {
	c := *j
	c.out = filepath.Join(work, "copy.html")
	change(&c)
	return &c
}
