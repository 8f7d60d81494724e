// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

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
	var laws []string
	for i := range 40 {
		laws = append(laws, fmt.Sprintf(`{"terms": [%d], "map": "Maclaurin", "columns": 8, %s}`, i, slow))
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
		"laws of 40 terms":                  plan(sum(listed(40, `{"ARD": {"lengthScales": [%d, 1], "k": {"Dot": {"product": [`+relu+`, `+relu+`]}}}}`)), 2, strings.Join(laws, ",")),
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

// mostOfPlan is how long a document of costlyPlans may take to be read, as a map's file. It is ten times what it takes, for machines
// that do other things.
const mostOfPlan = 10 * time.Second

// What reading a document takes is added up before it is done, wherever it is: in a plan, in the map of one, and in the map in a
// kernel. So all ends soon, and no table, form or map is beyond MaxBytes. Without -long each document is in one of the three.
func TestDecodeCostlyPlans(t *testing.T) {
	limits := &DecodeOptions{MaxBytes: 64 << 20}
	documents := costlyPlans()
	if !testkit.Long() { // tables as those of "a degree for an Error"
		delete(documents, "a law of a product")
	}
	for i, name := range slices.Sorted(maps.Keys(documents)) {
		t.Run(name, func(t *testing.T) {
			document := documents[name]
			for of, read := range map[string]func() error{
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
			} {
				if !testkit.Long() && of != []string{"plan", "map", "FromMap"}[i%3] {
					continue
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				err := read()
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				allocated := after.TotalAlloc - before.TotalAlloc
				t.Logf("%s: %v, %d MB: %.150v", of, took, allocated>>20, err)
				if took > mostOfPlan || allocated > 2*uint64(limits.MaxBytes) {
					t.Errorf("%s: took %v and %d bytes", of, took, allocated)
				}
				if err == nil && of != "plan" { // the probe is of no map
					t.Errorf("%s: is read", of)
				}
			}
		})
	}
}

// costlyFiles are files of maps, of some kilobytes except for their data, that would take seconds to hours to be drawn. Without -long
// nested and doubled products are only in costlyPlans.
func costlyFiles() map[string][]byte {
	const g, slow = `{"Gaussian": {"LengthScale": 1}}`, `"law": {"GeometricLaw": {"P": 1.0055}}`
	one := func(kernel string, in, out int64, options string) []byte {
		return fileOf(kernel, in, out, fmt.Sprintf(`{"columns": %d, %s}`, out, options))
	}
	geometric, relu := `{"Geometric": {"Ratio": 0.9}}`, `{"ReLUDual": {}}`
	products := func(n int, f, inner string) string { return wrapped(n, `{"product": [`+f+`, `, inner, `]}`) }
	maternOf := func(n int) string {
		return `{"Sum": [` + listed(n, `{"Matern": {"Nu": 0.001, "LengthScale": %d}}`) + `]}`
	}
	compositional := func(in int64, calls string, draws int) []byte {
		return one(fmt.Sprintf(`{"Skeleton": {"in": %d, "calls": [%s]}}`, in, calls), in, 1000, fmt.Sprintf(`"map": "Compositional", "draws": %d`, draws))
	}
	image := func(base string) string {
		return `{"call": "Image", "shape": [90, 90, 1], "base": ` + base + `}, {"call": "Dense", "f": {"HermiteDual": {"N": 1}}}`
	}
	circle := `{"call": "Input", "base": {"Circle": {}}, "columns": [0]}`
	data := make([]float64, 100_000)
	for i := range data {
		data[i] = 1 / float64(i+1)
	}
	landmarks := func(kernel string) []byte {
		return Sealed(fmt.Appendf(nil, `{"nystrom": {"kernel": %s, "landmarks": {"rows": 1000, "cols": 100, "values": {"data": 0}}}, "features": 1000, "probe": {"sha256": "", "sums": []}}`, kernel), [][]float64{data})
	}
	images := 100
	if !testkit.Long() {
		images = 50
	}
	// Of frequencies of a product so many that few lattices are left, which are made one after the other.
	const frequencies = 490_000
	lattices := []string{fmt.Sprintf(`{"terms": [0], "map": "Fourier", "columns": %d}`, frequencies)}
	for i := range 4 {
		lattices = append(lattices, fmt.Sprintf(`{"terms": [%d], "map": "Lattice", "columns": 8001}`, i+1))
	}
	product := `{"Product": [` + listed(30, `{"Matern": {"Nu": 0.5, "LengthScale": %d}}`) + `]}`
	laws := make([]string, 20)
	for i := range laws {
		laws[i] = fmt.Sprintf(`{"terms": [%d], "map": "Maclaurin", "columns": 20, %s}`, i, slow)
	}
	all := map[string][]byte{
		"a slow law of each of 20 terms": fileOf(`{"Sum": [`+listed(20, `{"ARD": {"lengthScales": [%d], "k": {"Dot": `+products(3, relu, `{"ErfDual": {}}`)+`}}}`)+`]}`, 1, 400, strings.Join(laws, ",")),
		"a slow law of nested products":  one(`{"Dot": `+products(100, geometric, geometric)+`}`, 2, 200, `"map": "Maclaurin", `+slow),
		"a slow law of doubled products": one(`{"Dot": `+doubled("product", 6, relu)+`}`, 2, 200, `"map": "Maclaurin", `+slow),
		"frequencies that are sums":      one(`{"Compose": {"f": {"Exp": {"Rate": 16000, "Shift": -16000}}, "k": `+g+`}}`, 100, 1000, `"map": "Fourier"`),
		"frequencies of a product":       one(product, 2, 1_000_000, `"map": "Fourier"`),
		"frequencies of a mixture":       mixtureFile(data),
		"radii of many laws":             one(maternOf(300), 2, 20, `"map": "Fourier", "design": "Orthogonal", "stratified": true`),
		"quantiles of many laws":         one(maternOf(300), 2, 20, `"map": "Fourier", "design": "Sobol"`),
		"a product of itself":            compositional(1, circle+repeatedProducts(14), 64_000),
		"a unit of a high degree":        compositional(1, circle+`, {"call": "Unit", "f": {"Exp": {"Rate": 16000, "Shift": -16000}}, "children": [0]}`, 64_000),
		"units with tables":              compositional(1, circle+units(3000), 4),
		"inputs with tables":             compositional(8100, image(`{"Dot": {"SineDual": {"Rate": 100}}}`), 4),
		"inputs of nested series":        compositional(8100, image(`{"Dot": `+products(100, geometric, `{"Geometric": {"Ratio": 0.01}}`)+`}`), 4),
		"lattices":                       fileOf(`{"Sum": [`+product+`,`+listed(4, `{"Product": [{"Periodic": {"Period": %[1]d, "LengthScale": 0.01}}, {"Periodic": {"Period": %[1]d.5, "LengthScale": 0.01}}]}`)+`]}`, 1, frequencies+4*8001, strings.Join(lattices, ",")),
		"monomials without columns":      one(`{"Dot": {"scaled": {"c": 1e-300, "f": {"HermiteDual": {"N": 1000}}}}}`, 3, 501501, `"terms": [0], "map": "exact"`),
		"comparing skeletons":            one(`{"Sum": [`+listed(images, `{"Scale": {"c": %d, "k": {"Skeleton": {"in": 900, "calls": [`+strings.ReplaceAll(image(`{"Circle": {}}`), "90, 90", "30, 30")+`]}}}}`)+`]}`, 900, 8, `"terms": [0], "map": "Compositional", "draws": 4`),
		"landmarks of many kernels":      landmarks(`{"Sum": [` + listed(1000, `{"Matern": {"Nu": 2.7, "LengthScale": %d}}`) + `]}`),
	}
	if !testkit.Long() {
		delete(all, "a slow law of nested products")
		delete(all, "a slow law of doubled products")
	}
	return all
}

// mixtureFile returns the file of a Fourier map of a SpectralMixture.
func mixtureFile(data []float64) []byte {
	matrix := func(array int) string {
		return fmt.Sprintf(`{"rows": %d, "cols": 1, "values": {"data": %d}}`, len(data), array)
	}
	return Sealed(fmt.Appendf(nil, `{"plan": {"kernel": {"SpectralMixture": {"Weights": {"data": 0}, "Means": %s, "Scales": %s}}, "in": 1, "out": 10000,
		"maps": [{"map": "Fourier", "columns": 10000}]}, "features": 10000, "sampler": {"state": "00000000000000000000000000000001", "splits": 0},
		"probe": {"sha256": "", "sums": []}}`, matrix(1), matrix(2)), [][]float64{data, data, data})
}

// Such files are refused by what they declare, before anything is drawn.
func TestDecodeCostlyFiles(t *testing.T) {
	for name, file := range costlyFiles() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Decode(bytes.NewReader(file), nil)
			took := time.Since(start)
			t.Logf("%v: %.200v", took, err)
			if took > mostOfPlan || err == nil {
				t.Errorf("took %v: %.200v", took, err)
			}
			refused := strings.Contains(err.Error(), "steps to make what it describes") || strings.Contains(err.Error(), "bytes of memory")
			if slow := strings.HasPrefix(name, "a slow law"); !refused && !slow { // tables of a law have a limit of their own
				t.Errorf("%.200v, want that it takes too much", err)
			}
		})
	}
}

// Maps that take long, except for good reason, are saved and read.
func TestDecodeLarge(t *testing.T) {
	g := Gaussian{LengthScale: 3}
	var many []Kernel
	for i := range 100 {
		many = append(many, Scale(float64(i+1), Select([]int{i % 10}, Matern{Nu: 1.5, LengthScale: float64(i + 1)})))
	}
	x := testkit.NormalPoints(1, 400, 10)
	sk := NewSkeleton(20 * 20)
	sk.Image(20, 20, 1, Dot(series.ExpDual(1))).Conv(series.ReLUDual{}, 5, 3).Conv(series.ReLUDual{}, 3, 2).Dense(series.ExpDual(1))
	for name, m := range map[string]FeatureMap{
		"orthogonal":    testkit.Must(NewFourier(Sum(many[:20]...), 10, 20_000, NewSampler(1), nil)),
		"stratified":    testkit.Must(NewFourier(Sum(Matern{Nu: 1.5, LengthScale: 1}, Matern{Nu: 2.5, LengthScale: 9}, g), 10, 2000, NewSampler(1), &FourierOptions{Design: Orthogonal, Stratified: true})),
		"Sobol":         testkit.Must(NewFourier(RationalQuadratic{Alpha: 0.3, LengthScale: 1}, 10, 2000, NewSampler(1), &FourierOptions{Design: Sobol})),
		"composed":      testkit.Must(NewFourier(Compose(series.ExpDual(10), g), 10, 4000, NewSampler(1), nil)),
		"mixture":       testkit.Must(NewFourier(Sum(many...), 10, 4000, NewSampler(1), nil)),
		"a product":     testkit.Must(NewMaclaurin(Product(Dot(series.ReLUDual{}), Dot(series.ErfDual{}), ExpDot{LengthScale: 1}), 10, 2000, NewSampler(1), &MaclaurinOptions{Law: series.OptimalLaw{Norm: 0.7}})),
		"a slow law":    testkit.Must(NewMaclaurin(ExpDot{LengthScale: 0.3}, 10, 1000, NewSampler(1), &MaclaurinOptions{Law: series.OptimalLaw{Norm: 1}, Sketch: TensorSRHT})),
		"exact degrees": testkit.Must(NewMaclaurin(ExpDot{LengthScale: 1}, 10, 2000, NewSampler(1), &MaclaurinOptions{ExactDegree: 4})),
		"images":        testkit.Must(NewCompositional(sk, 500, NewSampler(1))),
		"landmarks":     testkit.Must(NewNystrom(Sum(g, Laplacian{LengthScale: 2}, Linear{}), x, 200, NewSampler(1), nil)),
	} {
		if _, err := Decode(bytes.NewReader(encodedMap(t, m)), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
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

// All maps that are kept as files are read within a limit that fits what they are.
func TestDecodeTakesLittle(t *testing.T) {
	for name, file := range goldenFiles(t) {
		if strings.HasSuffix(name, ".other") {
			continue
		}
		if _, err := Decode(bytes.NewReader(file), &DecodeOptions{MaxBytes: 8 << 20}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
