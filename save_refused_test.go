// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// failing fails in writing or reading.
type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }
func (w failing) Read([]byte) (int, error)  { return 0, w.err }

// embeddedMap is another map than the one that it embeds.
type embeddedMap struct{ *Fourier }

func (embeddedMap) TransformVec(dst, x []float64) []float64 { return dst }

// What cannot be saved is refused, by the name of its type, and nothing is written.
func TestEncodeRefuses(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	base := testkit.Must(NewFourier(g, 2, 4, NewSampler(1), nil))
	x := testkit.NormalPoints(1, 8, 2)
	deformed := testkit.Must(NewDataDependent(base, x, &DataDependentOptions{Alpha: 1, Neighbors: 2}))
	oneWay := testkit.DrawFunc(func(*Sampler) (func(x []float64) float64, error) {
		return func(x []float64) float64 { return x[0] }, nil
	})
	for want, m := range map[string]FeatureMap{
		"map m = nil":                 nil,
		"m = nil":                     (*Neurons)(nil),
		"zero value":                  new(Maclaurin),
		"a zero value":                new(DataDependent),
		"featuremap_test.squaresMap":  squaresMap{},
		"featuremap_test.embeddedMap": embeddedMap{base},
		"WeightFunc cannot be saved: it is a function": testkit.Must(testkit.New(Weight(WeightFunc(first), g), 2, 8, NewSampler(1))),
		"DrawFunc cannot be saved":                     testkit.Must(testkit.New(BlackBox{Of: Linear{}, Draw: oneWay}, 1, 8, NewSampler(1))),
		"a testkit.OneSided":                           testkit.Must(NewFourier(testkit.OneSided{Gaussian: g}, 2, 8, NewSampler(1), nil)),
		"a featuremap_test.callersSeries":              testkit.Must(NewMaclaurin(Dot(callersSeries{series.Exp{Rate: 1}}), 2, 8, NewSampler(1), nil)),
		"a featuremap_test.everyOther":                 testkit.Must(NewMaclaurin(ExpDot{LengthScale: 1}, 2, 8, NewSampler(1), &MaclaurinOptions{Law: everyOther{}})),
		"features are not those":                       testkit.Must(testkit.New(Weight(hiddenWeight{1}, g), 2, 8, NewSampler(1))),
		"a featuremap.deformed":                        testkit.Must(testkit.New(BlackBox{Of: deformed.Kernel(), Draw: &savedDrawer{1}}, 2, 8, NewSampler(1))),
		"a featuremap_test.squaresMap":                 testkit.Must(NewDataDependent(squaresMap{}, x, nil)),
	} {
		var b bytes.Buffer
		err := Encode(&b, m)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("%T: %v, and %d bytes: want an error with %q", m, err, b.Len(), want)
		}
	}
	full := errors.New("disk full")
	if err := Encode(failing{full}, base); err != full {
		t.Errorf("%v, want that of the writer", err)
	}
	if _, err := Decode(failing{full}, nil); !errors.Is(err, full) {
		t.Errorf("%v, want that of the reader", err)
	}
	for _, v := range []FeatureMap{new(Fourier), new(Maclaurin), new(Neurons), new(Compositional), new(DataDependent), new(Nystrom)} {
		if err := Encode(io.Discard, v); err == nil || !strings.Contains(err.Error(), "zero") {
			t.Errorf("a zero %T: %v", v, err)
		}
	}
}

// A registered type whose JSON has not all that matters is found when it is saved.
func TestSaveOfHiddenFields(t *testing.T) {
	m := testkit.Must(testkit.New(Weight(hiddenWeight{1}, Gaussian{LengthScale: 1}), 2, 8, NewSampler(1)))
	if err := Encode(io.Discard, m); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
		t.Errorf("%v", err)
	}
}

// Register refuses names that are taken or empty, and types that are taken or cannot be saved.
func TestRegister(t *testing.T) {
	for want, register := range map[string]func(){
		`the name ""`:                            func() { Register("", savedWeight{}) },
		`"Gaussian"`:                             func() { Register("Gaussian", savedKernel{}) },
		`"Sum"`:                                  func() { Register("Sum", savedKernel{}) },
		`"Scale"`:                                func() { Register("Scale", savedKernel{}) },
		`"dilated"`:                              func() { Register("dilated", savedSeries{}) },
		`"composed"`:                             func() { Register("composed", savedSeries{}) },
		`"Skeleton"`:                             func() { Register("Skeleton", savedKernel{}) },
		`"lawByData"`:                            func() { Register("lawByData", savedLaw{}) },
		"<nil>":                                  func() { Register("x", nil) },
		"bytes.Buffer":                           func() { Register("x", bytes.Buffer{}) },
		"*int":                                   func() { Register("x", new(int)) },
		"Gaussian":                               func() { Register("x", Gaussian{}) },
		"*series.Exp":                            func() { Register("x", &series.Exp{}) },
		"WeightFunc":                             func() { Register("x", WeightFunc(first)) },
		"is that of featuremap_test.savedWeight": func() { Register("featuremap_test.savedWeight", savedLaw{}) },
		`registered as "featuremap_test.savedWeight"`: func() { Register("featuremap_test.another", savedWeight{}) },
		`is that of *featuremap_test.savedDrawer`:     func() { Register("featuremap_test.savedDrawer", savedWeight{}) },
	} {
		func() {
			defer func() {
				if v := recover(); v == nil || !strings.HasPrefix(fmt.Sprint(v), "featuremap: Register") || !strings.Contains(fmt.Sprint(v), want) {
					t.Errorf("a panic with %v, want one with %q", v, want)
				}
			}()
			register()
		}()
	}
	Register("featuremap_test.savedWeight", savedWeight{5}) // as before
}

// A type that has changed since a map was saved is found by the features. To 1e-9 it may.
func TestDecodeOfChangedTypes(t *testing.T) {
	m := testkit.Must(testkit.New(Weight(savedWeight{1}, Gaussian{LengthScale: 1}), 2, 8, NewSampler(1)))
	document, arrays, err := Unsealed(encodedMap(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for offset, same := range map[string]bool{"1": true, "1.00000000001": true, "1.0000001": false} {
		changed := bytes.Replace(document, []byte(`"Offset":1`), []byte(`"Offset":`+offset), 1)
		_, err := Decode(bytes.NewReader(Sealed(changed, arrays)), nil)
		if (err == nil) != same {
			t.Errorf("Offset %s: %v", offset, err)
		}
	}
	own := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 2, 8, NewSampler(1), nil))
	document, arrays, err = Unsealed(encodedMap(t, own))
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(document, []byte(`"LengthScale": 1`), []byte(`"LengthScale": 1.0000000000000002`), 1)
	if _, err := Decode(bytes.NewReader(Sealed(changed, arrays)), nil); err == nil || !strings.Contains(err.Error(), "features are not those") {
		t.Errorf("a kernel of this package that is changed by a bit: %v", err)
	}
}

// A map and a Sampler, which are no JSON, say so, by the name of the method to call; no text shows a generator's state.
func TestNothingLeaks(t *testing.T) {
	k := Sum(Gaussian{LengthScale: 1}, ExpDot{LengthScale: 1})
	for by, v := range map[string]any{"by Encode": testkit.Must(testkit.New(k, 2, 40, NewSampler(1))), "saved by Encode": struct{ M Fourier }{}, "by MarshalBinary": NewSampler(1)} {
		if b, err := json.Marshal(v); err == nil || !strings.Contains(err.Error(), by) {
			t.Errorf("a %T marshals as %s, %v, want an error that says how to save it", v, b, err)
		}
	}
	for _, v := range []any{NewSampler(1), Sum(sampling{Gaussian{LengthScale: 1}, NewSampler(5)}, k)} {
		if s := fmt.Sprint(v); strings.Contains(s, "PCG") || !strings.Contains(s, "NewSampler(…)") {
			t.Errorf("prints as %s", s)
		}
	}
}

type sampling struct {
	Gaussian
	S *Sampler
}

// callersSeries is a series of another package.
type callersSeries struct{ series.Series }
