// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// The cases of the other tests have every name and field that a file can have.
func TestSaveCases(t *testing.T) {
	var all strings.Builder
	for _, m := range savedMaps() {
		document, _, err := Unsealed(encodedMap(t, m))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(document)
	}
	names := append(SavedNames(), "exact", "diagonal", "dot", "centered", "stationary", "normal", "folded", "paired",
		"Independent", "Orthogonal", "Structured", "RademacherSketch", "GaussianSketch", "TensorSRHT",
		"Input", "Unit", "WeightedUnit", "Image", "Patches", "Conv", "Dense")
	for _, name := range names {
		if !strings.Contains(all.String(), fmt.Sprintf("%q", name)) {
			t.Errorf("no case has %q", name)
		}
	}
}

// A kernel that was read has the values, the text and the JSON of the one that was saved.
func TestMarshalKernel(t *testing.T) {
	for _, c := range savedKernels() {
		b, err := MarshalKernel(c.kernel)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		k, err := UnmarshalKernel(b)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, b)
			continue
		}
		sameKernel(t, k, c.kernel, savedPoints(c.in))
		if g, w := textOf(k), textOf(c.kernel); g != w {
			t.Errorf("%s prints as %s, want %s", c.name, g, w)
		}
		for _, is := range []func(k Kernel) bool{
			func(k Kernel) bool { return stationary(k) != nil },
			func(k Kernel) bool { _, ok := stationary(k).(Radial); return ok },
			func(k Kernel) bool { return SeriesOf(k) != nil },
		} {
			if is(k) != is(c.kernel) {
				t.Errorf("%s: a %T was read as a %T", c.name, c.kernel, k)
			}
		}
	}
}

// Whatever takes kernels takes the one in a KernelJSON, in its place: as it is, behind a pointer, and in an expression.
func TestKernelJSON(t *testing.T) {
	g := Gaussian{LengthScale: 2}
	x := testkit.NormalPoints(1, 20, 2)
	for _, k := range []Kernel{KernelJSON{g}, &KernelJSON{g}, KernelJSON{&KernelJSON{&g}}} {
		for name, of := range map[string]func(k Kernel) any{
			"Sum":            func(k Kernel) any { return Sum(k, Linear{}) },
			"Sum of one":     func(k Kernel) any { return Sum(k) },
			"Product":        func(k Kernel) any { return Product(k, Linear{}) },
			"ARD":            func(k Kernel) any { return ARD([]float64{1, 2}, k) },
			"Scale":          func(k Kernel) any { return Scale(2, k) },
			"Compose":        func(k Kernel) any { return Compose(series.Exp{Rate: 1}, k) },
			"Weight":         func(k Kernel) any { return Weight(testkit.Norm{Scale: 2}, k) },
			"Parameters":     func(k Kernel) any { return Parameters(k) },
			"WithParameters": func(k Kernel) any { return testkit.Must(WithParameters(k, []float64{3})) },
			"New":            func(k Kernel) any { return testkit.Must(New(k, x, 10, NewSampler(1))).Kernel() },
			"NewPlan":        func(k Kernel) any { return testkit.Must(NewPlan(k, x, 10, nil)).Kernel() },
			"NewFourier":     func(k Kernel) any { return testkit.Must(NewFourier(k, 2, 10, NewSampler(1), nil)).Kernel() },
			"NewFourierFrom": func(k Kernel) any { return testkit.Must(NewFourierFrom(k, x, nil)).Kernel() },
			"NewNystrom":     func(k Kernel) any { return testkit.Must(NewNystrom(k, x, 5, NewSampler(1), nil)).Kernel() },
			"StationaryOf":   func(k Kernel) any { _, ok := StationaryOf(k); return ok },
			"JSON":           func(k Kernel) any { return string(testkit.Must(json.Marshal(KernelJSON{Product(k, k)}))) },
			"Gram": func(k Kernel) any {
				var dst mat.SymDense
				Gram(&dst, k, x)
				return dst.RawSymmetric().Data
			},
			"FourierBound": func(k Kernel) any { return testkit.Must(FourierBound{Kernel: k}.Tail()).Prob(0.2, 1000) },
		} {
			if got, want := fmt.Sprint(of(k)), fmt.Sprint(of(g)); got != want {
				t.Errorf("%s: %.200s, want %.200s", name, got, want)
			}
		}
	}
	for _, k := range []Kernel{KernelJSON{}, &KernelJSON{}, (*KernelJSON)(nil), Sum(KernelJSON{}), Sum(g, KernelJSON{}), Scale(1, KernelJSON{})} {
		if _, err := NewPlan(k, x, 10, nil); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("no kernel: error %v", err)
		}
	}
	// null stands for no kernel, and what is refused leaves the kernel that was there.
	var config struct{ Kernel KernelJSON }
	if text := string(testkit.Must(json.Marshal(config))); text != `{"Kernel":null}` {
		t.Errorf("no kernel is %s", text)
	}
	for text, want := range map[string]Kernel{`{"Kernel": null}`: nil, `{"Kernel": {"Linear": {}}}`: Linear{}, `{"Kernel": {"Gaussian": {"LengthScale": "1"}}}`: g, `{"Kernel": 3}`: g} {
		config.Kernel.Kernel = g
		if err := json.Unmarshal([]byte(text), &config); config.Kernel.Kernel != want || (err != nil) != (want == g) {
			t.Errorf("%s: %v, error %v", text, config.Kernel, err)
		}
	}
	if _, err := json.Marshal(KernelJSON{Weight(WeightFunc(func([]float64) float64 { return 1 }), g)}); err == nil || !strings.Contains(err.Error(), "WeightFunc") {
		t.Errorf("a WeightFunc: error %v", err)
	}
}

// Kernels that constructors refuse are saved and read, and refused then: but what cannot be written is an error.
func TestMarshalKernelRefused(t *testing.T) {
	for _, k := range []Kernel{
		Gaussian{LengthScale: -1}, Sum(), Scale(-2, Linear{}), ARD([]float64{0, 1}, Linear{}), Select([]int{1, 1}, Linear{}),
		Polynomial{Degree: -3}, Dot(series.Coefficients{-1}), Compose(series.SineDual{}, Linear{}), Categories{}, Constant{Value: 1e300},
		SpectralMixture{}, BlackBox{},
	} {
		b, err := MarshalKernel(k)
		if err != nil {
			t.Errorf("%v: %v", k, err)
			continue
		}
		read, err := UnmarshalKernel(b)
		if err != nil {
			t.Errorf("%v: %v", k, err)
			continue
		}
		_, want := NewPlan(k, nil, 10, &PlanOptions{In: 2})
		if _, got := NewPlan(read, nil, 10, &PlanOptions{In: 2}); got == nil || got.Error() != want.Error() {
			t.Errorf("%v: %v, want %v", k, got, want)
		}
		if again := testkit.Must(MarshalKernel(read)); !bytes.Equal(again, b) {
			t.Errorf("%v: a second encoding is %s, and the first %s", k, again, b)
		}
	}
	for want, k := range map[string]Kernel{
		"kernel k = nil":             nil,
		"WeightFunc":                 Weight(WeightFunc(first), Linear{}),
		"DrawFunc":                   BlackBox{Of: Linear{}, Draw: testkit.DrawFunc(nil2)},
		"testkit.OneSided":           Sum(Linear{}, Product(Linear{}, testkit.OneSided{Gaussian: Gaussian{LengthScale: 1}})),
		"featuremap_test.squaresMap": FromMap(squaresMap{}),
		"featuremap_test.notPSD":     Dot(notPSD{}),
		"list of kernels with a nil": Sum(Linear{}, nil),
		"Project A cannot be saved":  Project(nil, Linear{}),
		"Scale k cannot be saved":    Scale(2, nil),
		"Dot of nil":                 Dot(nil),
		"FromMap of nil":             FromMap(nil),
		"zero value":                 FromMap(new(Fourier)),
		"Compose f cannot be saved":  Compose(nil, Linear{}),
		"Weight w cannot be saved":   Weight(nil, Linear{}),
	} {
		if b, err := MarshalKernel(k); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is saved as %s: %v, want an error with %q", k, b, err, want)
		}
	}
}

// What is no kernel is refused, whoever wrote it.
func TestUnmarshalKernelRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                               "EOF",
		`{"Linear": {}} 1`:               "more than one JSON value",
		`{"Linear": {}} }`:               "more than one JSON value",
		`null`:                           "must be a Kernel",
		`"Linear"`:                       "must be a Kernel",
		`{"Linear": 1}`:                  "must be an object",
		`{"Linear": {"x": 1}}`:           `no field "x"`,
		`{"Linear": {}, "Gaussian": {}}`: "one member",
		`{"Exp": {"Rate": 1}}`:           `"Exp" is no Kernel`,
		`{"sum": [{"Linear": {}}, {"Linear": {}}]}`:                                              `"Linear" is no Series`,
		`{"Gaussian": {"LengthScale": 1e999}}`:                                                   "no float64",
		`{"Gaussian": {"LengthScale": "1"}}`:                                                     "must be a number",
		`{"Gaussian": {"lengthscale": 1}}`:                                                       `no field "lengthscale"`,
		`{"Polynomial": {"Degree": 1e-3}}`:                                                       "must be an integer",
		`{"Polynomial": {"Degree": 99999999999999999999}}`:                                       "must be an integer",
		`{"Scale": {"c": 2}}`:                                                                    `field "k"`,
		`{"Scale": {"k": {"Linear": {}}}}`:                                                       `field "c"`,
		`{"Scale": {"c": 1, "k": {"Linear": {}}, "l": 1}}`:                                       `no field "l"`,
		`{"Weight": {"w": null, "k": {"Linear": {}}}}`:                                           "null",
		`{"Weight": {"w": {"Gaussian": {}}, "k": {"Linear": {}}}}`:                               "no Weighter",
		`{"Project": {"A": {"rows": 2, "cols": 2, "values": [1]}, "k": {"Linear": {}}}}`:         "2×2 with 1 values",
		`{"Project": {"A": {"rows": -1, "cols": -1, "values": [1]}, "k": {"Linear": {}}}}`:       "-1×-1 with 1 values",
		`{"Project": {"A": {"diagonal": [1], "rows": 1}, "k": {"Linear": {}}}}`:                  "nothing but its diagonal",
		`{"Project": {"A": {"rows": 1, "cols": 1, "values": {"data": 0}}, "k": {"Linear": {}}}}`: "raw array 0",
		`{"Dot": {"dilated": {"c": -1, "f": {"ReLUDual": {}}}}}`:                                 "at least 0",
		`{"Dot": {"composed": [{"ReLUDual": {}}, {"ReLUDual": {}}]}}`:                            "is no series",
		`{"Dot": {"sum": [{"ReLUDual": {}}]}}`:                                                   "array of 2",
		`{"Dot": {"binomial": {"degree": -1}}}`:                                                  "Degree = -1",
		`{"Skeleton": {"in": 2, "calls": [{"call": "Paint"}]}}`:                                  `no call "Paint"`,
		`{"Skeleton": {"in": 2, "calls": [{"call": "Product", "children": [0]}]}}`:               "node 0: there are 0",
		`{"Skeleton": {"in": 2, "calls": [{"call": "Conv", "shape": [1, 1]}]}}`:                  "grid 0: there are 0",
		`{"Skeleton": {"in": 2, "calls": [{"call": "Image", "shape": [1, 1]}]}}`:                 "must have 3",
		`{"Skeleton": {"in": 2, "calls": [{"call": "Image", "shape": [1, 1, 3000000000]}]}}`:     "must be",
		`{"Skeleton": {"in": 2, "calls": []}}`:                                                   "no node",
		`{"FromMap": {"features": 1}}`:                                                           "a map has a plan",
		`{"FromMap": null}`:                                                                      "must be an object",
	} {
		if k, err := UnmarshalKernel([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is read as %v: %v, want an error with %q", text, k, err, want)
		}
	}
}

// Errors of names and of documents that are no kernels show an example of what would be right.
func TestUnmarshalKernelHints(t *testing.T) {
	const example, ofSeries = `{"Gaussian": {"LengthScale": 1}}`, `{"Exp": {"Rate": 1, "Shift": 0}}`
	for text, want := range map[string]string{
		`{"Gausian": {"LengthScale": 1}}`:                          example,
		`{"Scale": {"c": 1, "k": {"linear": {}}}}`:                 example,
		`{"sum": [{"Expp": {}}, {"Exp": {}}]}`:                     ofSeries,
		`{"Compose": {"f": {"Gaussan": {}}, "k": {"Linear": {}}}}`: ofSeries,
		`{"": {}}`: example,
		`{"` + strings.Repeat("Gaussian", 1000) + `": {}}`: example,
		`{"Exp": {"Rate": 1}}`:                             example,
		`{"Sum": ["Linear"]}`:                              example,
		``:                                                 example,
		`Gaussian`:                                         example,
		`{"Gaussian": `:                                    example,
		`null`:                                             example,
		`[]`:                                               example,
		`{}`:                                               example,
		`{"Linear": {}, "Gaussian": {}}`:                   example,
	} {
		k, err := UnmarshalKernel([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%.80s: %v, %v: want an error with %s", text, k, err, want)
		}
	}
	for _, right := range []string{example, `{"Dot": ` + ofSeries + `}`} {
		if _, err := UnmarshalKernel([]byte(right)); err != nil {
			t.Errorf("the example: %v", err)
		}
	}
}

func nil2(*Sampler) (func(x []float64) float64, error) { return nil, nil }

func first(x []float64) float64 { return x[0] }
