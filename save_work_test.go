// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	. "github.com/seed-0f95ebc1/featuremap"
)

// doubled returns JSON in a tree of pairs of arrays of a name, depth deep.
func doubled(name string, depth int, inner string) string {
	for range depth {
		inner = `{"` + name + `": [` + inner + `, ` + inner + `]}`
	}
	return inner
}

// listed returns JSON n times, with the number of each.
func listed(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i+1)
	}
	return strings.Join(all, ",")
}

// costlyPlans are plans of some kilobytes whose tables, canonical forms or exact features take seconds.
func costlyPlans() map[string][]byte {
	const (
		relu, g, slow = `{"ReLUDual": {}}`, `{"Gaussian": {"LengthScale": 1}}`, `"law": {"GeometricLaw": {"P": 1.002}}`
		fourier       = `{"terms": [0], "map": "Fourier", "columns": 8}`
		compositional = `{"terms": [0], "map": "Compositional", "columns": 8, "draws": 4}`
	)
	plan := func(kernel string, in int, maps string) []byte {
		return fmt.Appendf(nil, `{"kernel": %s, "in": %d, "out": 8, "maps": [%s]}`, kernel, in, maps)
	}
	maclaurin := func(series, more string) []byte {
		return plan(`{"Dot": `+series+`}`, 2, `{"map": "Maclaurin", "columns": 8, `+more+`}`)
	}
	sum := func(terms string) string { return `{"Sum": [` + terms + `]}` }
	numbers := strings.TrimSuffix(strings.Repeat("1,", 1000), ",")
	products := sum(listed(300, `{"Product": [{"Gaussian": {"LengthScale": %d}}, {"Linear": {}}]}`))
	var maps []string
	for i := range 40 {
		maps = append(maps, fmt.Sprintf(`{"terms": [%d], "map": "Maclaurin", "columns": 8, %s}`, i, slow))
	}
	skeleton := func(calls string) []byte {
		return plan(`{"Skeleton": {"in": 2, "calls": [`+calls+`]}}`, 2, `{"map": "Compositional", "columns": 8, "draws": 4}`)
	}
	return map[string][]byte{
		"a law of a product":                maclaurin(doubled("product", 1, relu), slow),
		"a law of products":                 maclaurin(doubled("product", 9, relu), slow),
		"a law of nested products":          maclaurin(wrapped(100, `{"product": [`+relu+`, `, relu, `]}`), slow),
		"a law of sums":                     maclaurin(doubled("sum", 10, relu), slow),
		"a law of compositions":             maclaurin(wrapped(30, `{"composed": [{"Exp": {"Rate": 1, "Shift": -1}}, `, relu, `]}`), slow),
		"laws of 40 terms":                  plan(sum(listed(40, `{"ARD": {"lengthScales": [%d, 1], "k": {"Dot": {"product": [`+relu+`, `+relu+`]}}}}`)), 2, strings.Join(maps, ",")),
		"a degree for an Error":             maclaurin(doubled("product", 1, relu), `"law": {"TruncatedLaw": {"Error": 1e-300, "Norm": 1}}`),
		"a degree of sums for an Error":     maclaurin(doubled("sum", 10, relu), `"law": {"TruncatedLaw": {"Error": 1e-300, "Norm": 1}}`),
		"a law of high degrees":             maclaurin(relu, `"law": {"TruncatedLaw": {"Degrees": [131072]}}`),
		"a high power":                      maclaurin(`{"HermiteDual": {"N": 131000}}`, `"law": {"GeometricLaw": {"P": 1.0001}}`),
		"an optimal law of exact degrees":   maclaurin(`{"product": [{"Geometric": {"Ratio": 1}}, `+relu+`]}`, `"exactDegrees": 8000, "law": {"OptimalLaw": {"Norm": 0.8}}`),
		"a radius":                          maclaurin(wrapped(50, `{"scaled": {"c": 0.2, "f": {"composed": [{"Geometric": {"Ratio": 0.5}}, `, doubled("sum", 10, `{"scaled": {"c": 1e-5, "f": `+relu+`}}`), `]}}}`), `"law": {"OptimalLaw": {"Norm": 0.5}}`),
		"monomials of a high degree":        plan(`{"Dot": {"scaled": {"c": 1e-300, "f": {"HermiteDual": {"N": 300}}}}}`, 3, `{"terms": [0], "map": "exact", "columns": 8}`),
		"monomials below a law":             maclaurin(`{"Exp": {"Rate": 1}}`, `"exactDegrees": 1000`),
		"compositions":                      plan(sum(strings.Repeat(`{"Compose": {"f": {"SineDual": {"Rate": 10000}}, "k": `+g+`}},`, 500)+g), 2, fourier),
		"compositions of slow tails":        plan(sum(strings.Repeat(`{"Compose": {"f": {"dilated": {"c": 0.999999, "f": `+relu+`}}, "k": `+g+`}},`, 100)+g), 2, fourier),
		"nested compositions":               plan(wrapped(800, `{"Compose": {"f": {"Exp": {"Rate": 0.1}}, "k": `, `{"Linear": {}}`, `}}`), 2, `{"terms": [0], "map": "exact", "columns": 8}`),
		"a composition behind many columns": plan(wrapped(3000, `{"Select": {"cols": [1, 0], "k": `, `{"Compose": {"f": {"dilated": {"c": 0.9999999999, "f": {"StepDual": {}}}}, "k": `+g+`}}`, `}}`), 2, fourier),
		"a sum of 1500":                     plan(sum(listed(1500, `{"Gaussian": {"LengthScale": %d}}`)), 2, fourier),
		"a sum behind many columns":         plan(wrapped(1000, `{"Select": {"cols": [1, 0], "k": `, products, `}}`), 2, fourier),
		"a sum with many scales":            plan(wrapped(1000, `{"Scale": {"c": 1, "k": `, products, `}}`), 2, fourier),
		"products of products":              plan(wrapped(1000, `{"Product": [{"ArcCosine": {"Order": 1}}, {"Select": {"cols": [1, 0], "k": `, g, `}}]}`), 2, compositional),
		"matrices":                          plan(`{"Project": {"A": {"rows": 1, "cols": 1000, "values": [`+numbers+`]}, "k": {"Project": {"A": {"rows": 1000, "cols": 1, "values": [`+numbers+`]}, "k": `+products+`}}}}`, 1000, fourier),
		"many maps of units":                skeleton(`{"call": "Input", "base": {"Circle": {}}, "columns": [0]}` + units(500)),
	}
}

// units are units of a series with a table, side by side, and one of all.
func units(n int) (calls string) {
	all := "0"
	for i := range n {
		calls += fmt.Sprintf(`, {"call": "Unit", "f": {"SineDual": {"Rate": %d}}, "children": [0]}`, 100+i)
		all += fmt.Sprintf(", %d", i+1)
	}
	return calls + `, {"call": "Unit", "f": {"HermiteDual": {"N": 1}}, "children": [` + all + `]}`
}

// What reading a document takes is counted before it is done, wherever it is: in a plan, in the map of one, in the map in a
// kernel, and in a model. Nothing is tabulated, compared or multiplied beyond MaxWork.
func TestDecodeCountsWork(t *testing.T) {
	limits := &DecodeOptions{MaxBytes: 64 << 20, MaxWork: 1e7}
	// Of 1e7 multiply-adds: a table has 512 of them for each of its numbers, and what is parsed some dozens of bytes for one.
	allocated := func(document []byte) uint64 { return 8<<20 + 128*uint64(len(document)) }
	for name, document := range costlyPlans() {
		t.Run(name, func(t *testing.T) {
			readers := map[string]func() error{
				"plan": func() error {
					_, err := ReadPlan(document, limits)
					return err
				},
				"map": func() error {
					_, err := Decode(bytes.NewReader(mapOfPlan(document)), limits)
					return err
				},
				"FromMap": func() error {
					inner, _, err := Unsealed(mapOfPlan(document))
					if err != nil {
						t.Fatal(err)
					}
					of := fmt.Sprintf(`{"kernel": {"FromMap": %s}, "in": 2, "out": 8, "maps": [{"terms": [0], "map": "exact", "columns": 8}]}`, inner)
					_, err = ReadPlan([]byte(of), limits)
					return err
				},
			}
			for of, read := range readers {
				within(t, func() any { return of }, func() {
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					err := read()
					runtime.ReadMemStats(&after)
					if err == nil && of == "plan" && name == "many maps of units" {
						return // it is drawing that takes long
					}
					if err == nil || !strings.Contains(err.Error(), "multiply-adds where") && !strings.Contains(err.Error(), "bytes of memory where") {
						t.Errorf("%s: %.300v, want an error of what it takes", of, err)
					}
					if n := after.TotalAlloc - before.TotalAlloc; n > allocated(document) {
						t.Errorf("%s: %d bytes were allocated for %d", of, n, len(document))
					}
				})
			}
		})
	}
}

// mapOfPlan returns the file of a map with a plan.
func mapOfPlan(plan []byte) []byte {
	splits := 0
	if bytes.Contains(plan, []byte(`"terms"`)) {
		splits = 1
	}
	return Sealed(fmt.Appendf(nil, `{"plan": %s, "features": 8, "sampler": {"state": "00000000000000000000000000000001", "splits": %d},
		"probe": {"sha256": "", "sums": []}}`, plan, splits), nil)
}

// All maps that are kept as files are read within limits that fit what they are: the counts are not too high by orders.
func TestDecodeCountsLittle(t *testing.T) {
	for name, file := range goldenFiles(t) {
		if strings.HasSuffix(name, ".other") {
			continue
		}
		if _, err := Decode(bytes.NewReader(file), &DecodeOptions{MaxBytes: 8 << 20, MaxWork: 1e7}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
