// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// planOf reads the plan of a map's document.
func planOf(text string) (*Plan, error) { return ReadPlan([]byte(text), nil) }

// Plans in which a term is missing or there twice, whose numbers are out of range, or that say two things, are refused, with
// the place in the document and the value.
func TestReadPlanRefuses(t *testing.T) {
	const (
		sum   = `"kernel": {"Sum": [{"Gaussian": {"LengthScale": 2}}, {"ExpDot": {"LengthScale": 1}}, {"Matern": {"Nu": 1.5, "LengthScale": 1}}]}, "in": 3`
		gauss = `"kernel": {"Gaussian": {"LengthScale": 2}}, "in": 3, "out": 8`
		split = `"kernel": {"Sum": [{"ExpDot": {"LengthScale": 1}}, {"Linear": {}}]}, "in": 3`
	)
	fourier := func(terms string, more ...string) string {
		return `{"terms": ` + terms + `, "map": "Fourier", "columns": 8` + strings.Join(append([]string{""}, more...), ", ") + `}`
	}
	maclaurin := func(terms string, more ...string) string {
		return strings.Replace(fourier(terms, more...), "Fourier", "Maclaurin", 1)
	}
	plan := func(kernel string, maps ...string) string {
		return fmt.Sprintf(`{%s, "out": %d, "maps": [%s]}`, kernel, 8*len(maps), strings.Join(maps, ", "))
	}
	one := func(more string) string {
		return `{` + gauss + `, "maps": [{"terms": [0], "map": "Fourier", "columns": 8, ` + more + `}]}`
	}
	exact := `{"terms": [%s], "split": true, "map": "exact", "columns": %d}`
	for text, want := range map[string]string{
		// Terms: 0 and 2 are stationary, 1 is not.
		plan(sum, fourier("[0]"), maclaurin("[1]")):                                                 `no map for term 2 of 3 (in "maps")`,
		plan(sum, fourier("[0]")):                                                                   `no map for term 1 of 3 (in "maps")`,
		plan(sum, fourier("[0, 2]")):                                                                `no map for term 1 of 3 (in "maps")`,
		plan(sum, fourier("[0]"), maclaurin("[1]"), fourier("[2]"), fourier("[2]")):                 `term 2 has a map already (in "maps[3].terms")`,
		plan(sum, fourier("[0, 2]"), maclaurin("[1]"), fourier("[0]")):                              `term 0 has a map already (in "maps[2].terms")`,
		plan(sum, fourier("[0, 0]"), maclaurin("[1]"), fourier("[2]")):                              `(in "maps[0].terms")`,
		plan(sum, fourier("[2, 0]"), maclaurin("[1]")):                                              `(in "maps[0].terms")`,
		plan(sum, fourier("[0]"), maclaurin("[1]"), fourier("[3]")):                                 `no term 3: the kernel has 3 (in "maps[2].terms")`,
		plan(sum, fourier("[0]"), maclaurin("[1]"), fourier("[-1]")):                                `no term -1: the kernel has 3 (in "maps[2].terms")`,
		plan(sum, fourier("[0, 1, 2]")):                                                             `(in "maps[0].terms")`,
		plan(sum, fourier("[]"), fourier("[0]")):                                                    `(in "maps`,
		plan(sum, fourier("[0]"), fourier("[]"), maclaurin("[1]"), fourier("[2]")):                  `(in "maps[1]`,
		plan(sum, fourier("[0]"), maclaurin("[1]"), fourier("[2]", `"split": true`)):                `split = true`,
		plan(gauss[:strings.Index(gauss, `, "out"`)], fourier("[0]", `"split": true`)):              `split = true`,
		`{` + split + `, "out": 11, "maps": [` + maclaurin("[0]", `"split": true`) + `]}`:           "no map for term 1 of 2",
		`{` + split + `, "out": 6, "maps": [` + fmt.Sprintf(exact+","+exact, "1", 3, "1", 3) + `]}`: "term 1 has a map already",

		// Numbers.
		one(`"squaredError": -0.1`):   `squaredError = -0.1: must be at least 0, or "NaN" (in "maps[0].squaredError")`,
		one(`"squaredError": "-Inf"`): `(in "maps[0].squaredError")`,
		one(`"reach": -1`):            `reach = -1: must be at least 0, or "NaN" (in "maps[0].reach")`,
		one(`"reach": "-Inf"`):        `(in "maps[0].reach")`,
		one(`"exactWith": -1`):        `exactWith = -1: must be at least 0 (in "maps[0].exactWith")`,
		one(`"draws": -1`):            `no field "draws" (in "maps[0]")`,
		one(`"exactDegrees": 0`):      `no field "exactDegrees" (in "maps[0]")`,
		one(`"form": "normal"`):       `no field "form" (in "maps[0]")`,
		one(`"design": 1`):            `must be a string (in "maps[0].design")`,
		`{` + gauss + `, "maps": [{"map": "fourier", "columns": 8, "design": "Orthogonal"}]}`:           `"fourier" is no kind of map (in "maps[0].map")`,
		`{` + gauss + `, "maps": [{"map": "Compositional", "columns": 8, "draws": 4}]}`:                 `no map "Compositional" of its own (in "maps[0]")`,
		`{` + split + `, "out": 3, "maps": [{"map": "exact", "columns": 3}]}`:                           `no map "exact" of its own (in "maps[0]")`,
		`{` + gauss + `, "maps": [{"terms": [0], "map": "Compositional", "columns": 8, "draws": 513}]}`: `draws = 513 in 8 columns: must be at most 512 (in "maps[0].draws")`,
		`{` + gauss + `, "rmse": -1, "maps": [` + fourier("[0]") + `]}`:                                 `rmse = -1: must be at least 0, or "NaN" (in "rmse")`,
		`{` + gauss + `, "rmse": "-Inf", "maps": [` + fourier("[0]") + `]}`:                             `(in "rmse")`,
		`{` + gauss + `, "forPoints": true, "maps": [{"map": "Fourier", "columns": 8}]}`:                `a map of the whole kernel`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "squaredError": 0}]}`:                `a map of the whole kernel`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "reach": 1}]}`:                       `a map of the whole kernel`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "split": true}]}`:                    `a map of the whole kernel`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "side": "dot"}]}`:                    `a map of the whole kernel`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "center": [1, 1, 1]}]}`:              `a map of the whole kernel`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "terms": [0], "columns": 8}]}`:       `"columns" is there twice (in "maps[0]")`,

		// Sides.
		one(`"side": "centered"`):                     `no side "centered" (in "maps[0].side")`,
		one(`"side": "stationary"`):                   `no side "stationary" (in "maps[0].side")`,
		one(`"side": "dot"`):                          `no map "Fourier"`,
		one(`"side": "dot", "center": [1, 2]`):        `(in "maps[0].center")`,
		one(`"side": "dot", "center": [1, "NaN", 2]`): `(in "maps[0].center[1]")`,
		one(`"side": "dot", "center": [1, 1e999, 2]`): `(in "maps[0].center[1]")`,
		one(`"center": [1, 2, 3]`):                    `has no center (in "maps[0].center")`,

		// Values.
		`{` + gauss + `, "maps": [{"map": null, "columns": 8}]}`:                                                                       `(in "maps[0].map")`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": null}]}`:                                                               `(in "maps[0].columns")`,
		`{` + gauss + `, "maps": [null]}`:                                                                                              `(in "maps[0]")`,
		`{` + gauss + `, "maps": {}}`:                                                                                                  `(in "maps")`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8.5}]}`:                                                                `8.5" must be an integer (in "maps[0].columns")`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": "8"}]}`:                                                                `(in "maps[0].columns")`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 1e400}]}`:                                                              `(in "maps[0].columns")`,
		`{` + gauss + `, "maps": [{"map": "Fourier", "columns": 8, "Columns": 8}]}`:                                                    `no field "Columns" (in "maps[0]")`,
		`{"kernel": null, "in": 3, "out": 8, "maps": [{"map": "Fourier", "columns": 8}]}`:                                              `k = nil`,
		`{"kernel": {"Linear": {}}, "in": 3, "out": 8}`:                                                                                `the plan has no maps`,
		`{"kernel": {"Linear": {}}, "in": 3, "out": 8, "maps": []}`:                                                                    `the plan has no maps`,
		`{"kernel": {"Sum": [{"Linear": {}}, null]}, "in": 3, "out": 8}`:                                                               `(in "kernel.Sum[1]")`,
		`{"kernel": {"Sum": [{"Linear": {}}, {"Gaussian": {"LengthScale": "x"}}]}, "in": 3, "out": 8}`:                                 `"x" must be a number (in "kernel.Sum[1].Gaussian.LengthScale")`,
		`{"kernel": {"Scale": {"c": 1, "c": 2, "k": {"Linear": {}}}}, "in": 3, "out": 8}`:                                              `"c" is there twice (in "kernel.Scale")`,
		`{"kernel": {"Linear": {}, "Linear": {}}, "in": 3, "out": 8}`:                                                                  `"Linear" is there twice (in "kernel")`,
		`{"kernel": {"Skeleton": {"in": 1, "calls": [{"call": "Input", "base": {"Linear": {}}, "weights": [1]}]}}, "in": 1, "out": 1}`: `no "weights" (in "kernel.Skeleton.calls[0].weights")`,
		`{"kernel": {"Skeleton": {"in": 1, "calls": [{"call": "Input", "base": {"Linear": {}}, "grid": 1}]}}, "in": 1, "out": 1}`:      `no "grid" (in "kernel.Skeleton.calls[0].grid")`,
		`{"in": 3, "kernel": {"Linear": {}}, "in": 4, "out": 8}`:                                                                       `"in" is there twice`,
		`{"\u0069n": 3, "kernel": {"Linear": {}}, "in": 4, "out": 8}`:                                                                  `"in" is there twice`,
	} {
		p, err := planOf(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
		if p != nil {
			t.Errorf("%s: refused, and read as %v", text, p)
		}
	}
}

// A constant is stationary and a dot product kernel also as a term.
func TestReadPlanOfKinds(t *testing.T) {
	for text, want := range map[string]string{
		`{"kernel": {"Constant": {"Value": 2}}, "in": 3, "out": 8, "maps": [{"terms": [0], "map": "Fourier", "columns": 8}]}`:   "Fourier, Independent frequencies in pairs",
		`{"kernel": {"Constant": {"Value": 2}}, "in": 3, "out": 8, "maps": [{"terms": [0], "map": "Maclaurin", "columns": 8}]}`: "Maclaurin, series.GeometricLaw",
	} {
		p, err := planOf(text)
		if err != nil || !strings.Contains(p.String(), want) {
			t.Errorf("%s: %v, %v, want %q", text, err, p, want)
			continue
		}
		again := testkit.Must(PlanJSON(p))
		if q, err := planOf(string(again)); err != nil || !bytes.Equal(testkit.Must(PlanJSON(q)), again) {
			t.Errorf("%s is saved as\n%s\nand read as %v, %v", text, again, q, err)
		}
	}
}

// Every plan of a sum, with any of its maps left out or there twice, is refused; in another order they are a plan of the kernel.
func TestReadPlanTermsOnce(t *testing.T) {
	kernels := map[string]Kernel{
		"kinds":  Sum(Gaussian{LengthScale: 2}, Linear{}, Matern{Nu: 0.5, LengthScale: 1}, ArcCosine{Order: 1}),
		"split":  Sum(ExpDot{LengthScale: 1}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}, Constant{Value: 2}),
		"circle": Sum(Product(Select([]int{0}, Circle{}), Select([]int{1, 2}, Gaussian{LengthScale: 1})), Constant{Value: 1}, ExpDot{LengthScale: 2}),
	}
	for name, k := range kernels {
		for _, out := range []int{16, 200}[:testkit.Times(1, 1, 2)] {
			p := testkit.Must(NewPlan(k, nil, out, &PlanOptions{In: 3}))
			document := jsonOf(t, testkit.Must(PlanJSON(p))).(map[string]any)
			maps := document["maps"].([]any)
			read := func(maps []any) (*Plan, error) {
				columns := 0
				for _, m := range maps {
					n, err := m.(map[string]any)["columns"].(json.Number).Int64()
					if err != nil {
						t.Fatal(err)
					}
					columns += int(n)
				}
				document["maps"], document["out"] = maps, columns
				return planOf(string(testkit.Must(json.Marshal(document))))
			}
			for i := range maps {
				without := append(append([]any(nil), maps[:i]...), maps[i+1:]...)
				if len(maps) > 1 {
					if _, err := read(without); err == nil || !strings.Contains(err.Error(), "no map for term") {
						t.Errorf("%s, %d columns: without map %d: %v", name, out, i, err)
					}
				}
				if _, err := read(append(append([]any(nil), maps...), maps[i])); err == nil || !strings.Contains(err.Error(), "has a map already") {
					t.Errorf("%s, %d columns: with map %d twice: %v", name, out, i, err)
				}
			}
			backward := make([]any, len(maps))
			for i, m := range maps {
				backward[len(maps)-1-i] = m
			}
			q, err := read(backward)
			if err != nil {
				t.Errorf("%s, %d columns: with its maps in another order: %v", name, out, err)
				continue
			}
			x, y := []float64{0.1, 0.2, -0.5}, []float64{0.3, -0.2, 0.4}
			if v, w := p.Variance(x, y), q.Variance(x, y); !(math.Abs(v-w) <= 1e-12*v) || p.Bias(x, y) != q.Bias(x, y) {
				t.Errorf("%s, %d columns: variance %v, and with the maps in another order %v", name, out, v, w)
			}
		}
	}
}

// planHolds reads a plan, and tells whether it is one. Then it has variances that are not negative, a text, and a document
// that is read as the same plan; and so have the maps that are drawn of it.
func planHolds(t testing.TB, document []byte) bool {
	t.Helper()
	const largest = 500 // columns of what is drawn
	p, err := ReadPlan(document, &hostile)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "featuremap: ") && !strings.HasPrefix(err.Error(), "node ") {
			t.Errorf("%v: %s", err, document)
		}
		return false
	}
	in, out := p.Dims()
	if in > 50 || out > largest {
		return true
	}
	x := savedPoints(in)
	variances := func(v Variancer) {
		for i := range 4 {
			for j := range 4 {
				if v := v.Variance(x.RawRowView(i), x.RawRowView(j)); v < 0 {
					t.Errorf("the variance %v: %s", v, document)
				}
			}
		}
	}
	variances(p)
	if PlanMaxNorm(p) < 0 || p.String() == "" {
		t.Errorf("reach %v, %v: %s", PlanMaxNorm(p), p, document)
	}
	p.Bias(x.RawRowView(0), x.RawRowView(1))
	again, err := PlanJSON(p)
	if err != nil {
		t.Errorf("%v: %s", err, document)
		return true
	}
	q, err := planOf(string(again))
	if err != nil || !bytes.Equal(testkit.Must(PlanJSON(q)), again) {
		t.Errorf("%v: %s\nis saved as\n%s\nand read as\n%v", err, document, again, q)
	}
	m, err := p.Draw(NewSampler(1))
	if err != nil {
		return true // a degree that is too high, for instance
	}
	if d, n := m.Dims(); d != in || n > out {
		t.Errorf("a map R^%d → R^%d of a plan R^%d → R^%d: %s", d, n, in, out, document)
	}
	m.TransformVec(nil, x.RawRowView(0))
	if v, ok := m.(Variancer); ok {
		variances(v)
	}
	var noJSON *json.UnsupportedValueError // of NaN in a value of a caller's type
	var b bytes.Buffer
	if err := Encode(&b, m); err != nil && !errors.As(err, &noJSON) {
		t.Errorf("Encode: %v: %s", err, document)
	}
	return true
}

// goldenPlans returns the documents of the plans of golden files without arrays.
func goldenPlans(t testing.TB) (plans []any, all []any) {
	t.Helper()
	files := goldenFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		document, arrays, err := Unsealed(files[name])
		if err != nil {
			t.Fatal(err)
		}
		v := jsonOf(t, document)
		all = parts(all, v)
		if p, ok := v.(map[string]any)["plan"]; ok && len(arrays) == 0 {
			plans = append(plans, p)
		}
	}
	return plans, all
}

// Plans that were changed anywhere are refused, or are plans.
func TestReadChangedPlans(t *testing.T) {
	plans, all := goldenPlans(t)
	m := &mutator{NewSampler(3), all}
	read := 0
	n := testkit.Times(30, 30, 2000)
	for i := range n {
		v := plans[m.IntN(len(plans))]
		for range 1 + i%3 {
			v = m.mutate(v)
		}
		if planHolds(t, testkit.Must(json.Marshal(v))) {
			read++
		}
	}
	if read < n/30 {
		t.Errorf("%d of %d were read: too few to tell", read, n)
	}
}
