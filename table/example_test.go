// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"log"
	"strings"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A table of flowers: what their petals are like, and what they are. One length is not known.
const flowers = `petal,color,seen,flower
1.4,white,2024-05-03,daisy
4.7,yellow,2024-04-11,tulip
?,white,2024-06-20,daisy
5.1,red,2024-04-28,tulip
`

// Records of a table become rows, and a classifier is saved together with their encoder.
func Example() {
	records, err := csv.NewReader(strings.NewReader(flowers)).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	header, records := records[0], records[1:]
	e, err := table.Fit(header, records, &table.Options{
		Target:  "flower",
		Missing: []string{"?"},
		Kinds:   map[string]table.Kind{"seen": table.Ignored},
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

	phi, err := featuremap.New(e.Kernel(), x, 64, featuremap.NewSampler(1)) // of more rows: learn.Classification
	if err != nil {
		log.Fatal(err)
	}
	m := table.Model{Encoder: e}
	if m.Logistic, err = logistic.Fit(phi, x, classes, nil); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}

	served, err := table.ReadModel(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	row, err := served.Encoder.EncodeVec(nil, []string{"4.9", "pink", "2024-05-01"}) // a color that was not there
	if err != nil {
		log.Fatal(err)
	}
	p := served.Logistic.ProbabilityVec(nil, row)
	fmt.Println("more likely a tulip than a daisy:", p[1] > p[0], served.Encoder.ClassNames())
	// Output:
	// petal   number from 1.4 to 5.1, some missing
	// color   category of 3 values: red, white, yellow
	// seen    ignored
	// flower  category of 2 values: daisy, tulip, the target
	// ["petal" "petal is missing" "color = red" "color = white" "color = yellow"]
	// more likely a tulip than a daisy: true [daisy tulip]
}
