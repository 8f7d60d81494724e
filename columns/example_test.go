// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package columns_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/columns"
	"github.com/seed-0f95ebc1/featuremap/logistic"
)

// A table of flowers: what their petals are like, and what they are. One length is not known.
const flowers = `petal,colour,seen,flower
1.4,white,2024-05-03,daisy
4.7,yellow,2024-04-11,tulip
?,white,2024-06-20,daisy
5.1,red,2024-04-28,tulip
`

// The records of a table become rows, and a classifier is saved with what makes them.
func Example() {
	records, err := csv.NewReader(strings.NewReader(flowers)).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	header, records := records[0], records[1:]
	e, err := columns.Fit(header, records, &columns.Options{
		Target:  "flower",
		Missing: []string{"?"},
		Kinds:   map[string]columns.Kind{"seen": columns.Ignored},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(e)
	fmt.Printf("%q\n", e.Names())
	x, err := e.Encode(records)
	if err != nil {
		log.Fatal(err)
	}
	classes, err := e.Classes(records)
	if err != nil {
		log.Fatal(err)
	}
	_, d := e.Dims()
	phi, err := featuremap.New(e.Kernel(), d, 64, featuremap.NewSampler(1)) // of more rows: learn.Classification
	if err != nil {
		log.Fatal(err)
	}
	m := columns.Model{Encoder: e}
	if m.Logistic, err = logistic.Fit(phi, x, classes, nil); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}

	served, err := columns.ReadModel(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	row, err := served.Encoder.EncodeVec(nil, []string{"4.9", "pink", "2024-05-01"}) // a colour that was not there
	if err != nil {
		log.Fatal(err)
	}
	p := served.Logistic.ProbabilityVec(nil, row)
	fmt.Println("more likely a tulip than a daisy:", p[1] > p[0], served.Encoder.ClassNames())
	// Output:
	// petal   number from 1.4 to 5.1, some missing
	// colour  category of 3 values: red, white, yellow
	// seen    ignored
	// flower  category of 2 values: daisy, tulip, the target
	// ["petal" "petal is missing" "colour = red" "colour = white" "colour = yellow"]
	// more likely a tulip than a daisy: true [daisy tulip]
}

// Counts of words are rows of which only what is not 0 is kept.
func ExampleSparse() {
	column := map[string]int{"bee": 0, "rose": 1, "thorn": 2, "honey": 3}
	x := columns.NewSparse(len(column))
	for _, text := range []string{"rose thorn rose", "bee honey"} {
		counts := make(map[int]float64)
		for _, word := range strings.Fields(text) {
			counts[column[word]]++
		}
		index := slices.Sorted(maps.Keys(counts))
		var values []float64
		for _, j := range index {
			values = append(values, counts[j])
		}
		if err := x.AppendRow(index, values); err != nil {
			log.Fatal(err)
		}
	}
	phi, err := featuremap.New(featuremap.Polynomial{Degree: 2, Gamma: 1}, len(column), 16, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	var z mat.Dense
	phi.TransformTo(&z, x) // reads lists
	fmt.Printf("%v\n%v\n", mat.Formatted(x), z.RawMatrix().Rows)
	// Output:
	// ⎡0  2  1  0⎤
	// ⎣1  0  0  1⎦
	// 2
}
