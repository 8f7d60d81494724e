// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/timeseries"

	. "github.com/seed-0f95ebc1/featuremap"
)

// scaledMap multiplies coordinates by factors. Values of the type are maps.
type scaledMap struct{ factors string } // their bits, so that maps are comparable

// saved maps of a caller: pointers to one type, values of the other, which saves nothing if there is a factor of 1.
type (
	savedMap      struct{ scaledMap }
	savedMapValue struct{ scaledMap }

	// What it reads is no map, or another one than was saved.
	brokenMap struct{ scaledMap }

	// It cannot be saved.
	plainMap struct{ scaledMap }
)

func init() {
	Register("featuremap_test.savedMap", &savedMap{})
	Register("featuremap_test.savedMapValue", savedMapValue{})
	Register("featuremap_test.brokenMap", &brokenMap{})
}

// withFactors returns a map with some factors.
func withFactors(factors ...float64) scaledMap {
	var b []byte
	for _, f := range factors {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	return scaledMap{string(b)}
}

func (m scaledMap) factor(i int) float64 {
	return math.Float64frombits(binary.BigEndian.Uint64([]byte(m.factors[8*i:])))
}

func (m scaledMap) Dims() (in, out int) { return len(m.factors) / 8, len(m.factors) / 8 }
func (m scaledMap) Kernel() Kernel      { return Linear{} }

func (m scaledMap) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(x))
	}
	for i, v := range x {
		dst[i] = m.factor(i) * v
	}
	return dst
}

func (m scaledMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, d := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, d)
	}
	for i := range n {
		m.TransformVec(dst.RawRowView(i), mat.Row(nil, i, x))
	}
}

func (m scaledMap) marshal() ([]byte, error) {
	if m == withFactors(1) {
		return nil, nil
	}
	return append([]byte("factors:"), m.factors...), nil
}

func (m *scaledMap) unmarshal(data []byte) error {
	if len(data) == 0 {
		*m = withFactors(1)
		return nil
	}
	of, ok := bytes.CutPrefix(data, []byte("factors:"))
	if !ok || len(of)%8 != 0 {
		return fmt.Errorf("%.10q are no factors", data)
	}
	m.factors = string(of)
	return nil
}

func (m *savedMap) MarshalBinary() ([]byte, error)         { return m.marshal() }
func (m *savedMap) UnmarshalBinary(data []byte) error      { return m.unmarshal(data) }
func (m *savedMap) String() string                         { return "a savedMap" }
func (m savedMapValue) MarshalBinary() ([]byte, error)     { return m.marshal() }
func (m *savedMapValue) UnmarshalBinary(data []byte) error { return m.unmarshal(data) }
func (m *brokenMap) UnmarshalBinary(data []byte) error {
	if err := m.unmarshal(data); err != nil || m.factor(0) != 9 {
		return err
	}
	return errors.New("nine is no factor")
}

func (m *brokenMap) MarshalBinary() ([]byte, error) {
	switch m.factor(0) {
	case 7:
		return nil, errors.New("seven cannot be written")
	case 8:
		return withFactors(1, 2).marshal()
	}
	return m.marshal()
}

// savedRegistered adds maps of registered types.
func savedRegistered(add func(name string, m FeatureMap, err error)) {
	m := &savedMap{withFactors(1, -2, math.NaN(), 4)}
	add("registered", m, nil)
	add("registered value", savedMapValue{withFactors(2, 0.5)}, nil)
	add("registered of nothing", savedMapValue{withFactors(1)}, nil)
	sum, err := testkit.New(Sum(FromMap(m), Gaussian{LengthScale: 1}, Scale(2, FromMap(savedMapValue{withFactors(1, 2, 3, 4)}))), 4, 20, NewSampler(1))
	add("FromMap of registered", sum, err)
	x := testkit.NormalPoints(1, 8, 40)
	rocket, err := timeseries.NewMiniRocket(x, 84*3, NewSampler(1), nil)
	add("MiniRocket", rocket, err)
	channels, err := timeseries.NewMiniRocket(x, 84, NewSampler(1), &timeseries.Options{Channels: 4})
	add("MiniRocket of channels", channels, err)
	hydra, err := timeseries.NewHydra(x, NewSampler(1), &timeseries.Options{Channels: 4})
	add("Hydra", hydra, err)
	both, err := testkit.New(Sum(FromMap(channels), FromMap(hydra)), 40, 84+1024, NewSampler(1))
	add("MiniRocket and Hydra", both, err)
}

// Types that cannot be registered, and maps that cannot be saved, are refused with a sentence.
func TestRegisterMaps(t *testing.T) {
	base := testkit.Must(NewFourier(Gaussian{LengthScale: 1}, 2, 4, NewSampler(1), nil))
	for want, register := range map[string]func(){
		"plainMap): a map without MarshalBinary and UnmarshalBinary": func() { Register("x", plainMap{}) },
		"*featuremap.Fourier): no Kernel":                            func() { Register("x", base) },
		"savedMapValue): the name is that of *featuremap_test.savedMap": func() {
			defer func() { // without the %T of Register
				panic(strings.Replace(fmt.Sprint(recover()), ", featuremap_test.", ", ", 1))
			}()
			Register("featuremap_test.savedMap", savedMapValue{})
		},
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.Contains(v, want) {
					t.Errorf("a panic with %v, want one with %q", v, want)
				}
			}()
			register()
		}()
	}
	for want, m := range map[string]FeatureMap{
		"a featuremap_test.plainMap cannot be saved: it is no map of this package, and its type is not registered": plainMap{withFactors(1)},
		"a featuremap_test.savedMap cannot be saved: it is no map of this package, and its type is not registered": savedMap{withFactors(2)},
		"seven cannot be written":     &brokenMap{withFactors(7)},
		"not 1":                       &brokenMap{withFactors(8)},
		"nine is no factor":           &brokenMap{withFactors(9)},
		"zero value":                  &savedMap{},
		"zero value, which is no map": savedMapValue{},
	} {
		var b bytes.Buffer
		if err := Encode(&b, m); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("%T: %v, and %d bytes, want an error with %q", m, err, b.Len(), want)
		}
	}
}

// registeredFile returns the file of a registered map with some document of its data, and words.
func registeredFile(name, data string, words ...[]float64) []byte {
	return Sealed(fmt.Appendf(nil, `{"registered": {"name": %q, "data": %s}, "features": 2, "probe": {"sha256": "", "sums": [0, 0, 0, 0]}}`, name, data), words)
}

// Invalid files of registered maps are refused, in little time and memory.
func TestDecodeRegistered(t *testing.T) {
	words := func(b []byte) []float64 {
		all := make([]float64, (len(b)+7)/8)
		b = append(b, make([]byte, 8*len(all)-len(b))...)
		for i := range all {
			all[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return all
	}
	good, _ := withFactors(3, 4).marshal()
	// header returns a time series map's data: its shape, and so many pairs of numbers.
	header := func(name string, length, channels uint64, pairs int) []byte {
		b := []byte(name + " 1\n")
		for _, v := range []uint64{length, channels, 1} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		for range 2 * pairs {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(1))
		}
		return b
	}
	of := func(name string, data []byte) []byte {
		return registeredFile(name, fmt.Sprintf(`{"bytes": %d, "words": {"data": 0}}`, len(data)), words(data))
	}
	for want, file := range map[string][]byte{
		"features are not those":                    of("featuremap_test.savedMap", good),
		`"nobody" is no name: no map is registered`: of("nobody", good),
		`"featuremap_test.savedWeight" is no name`:  of("featuremap_test.savedWeight", good),
		"are no factors":                            of("featuremap_test.savedMap", good[1:]),
		"of Dims 0 and 0":                           of("featuremap_test.savedMap", good[:8]),
		"the map has 1 features, not 2":             registeredFile("featuremap_test.savedMapValue", `{"bytes": 0}`),
		"3 bytes of 24":                             registeredFile("featuremap_test.savedMap", `{"bytes": 3, "words": {"data": 0}}`, words(good)),
		"-1 bytes":                                  registeredFile("featuremap_test.savedMap", `{"bytes": -1}`),
		"25 bytes of 24":                            registeredFile("featuremap_test.savedMap", `{"bytes": 25, "words": {"data": 0}}`, words(good)),
		"more than 23 bytes":                        registeredFile("featuremap_test.savedMap", `{"bytes": 23, "words": {"data": 0}}`, words(append(good[:23:23], 5))),
		"illegal base64":                            registeredFile("featuremap_test.savedMap", `"A"`),
		"is used instead of":                        registeredFile("featuremap_test.savedMap", `{"bytes": 8, "words": {"data": 1}}`, words(good)),
		"must be an object":                         registeredFile("featuremap_test.savedMap", `[1, 2]`),
		"nine is no factor":                         of("featuremap_test.brokenMap", testkit.Must(withFactors(9, 1).marshal())),
		"bytes of memory":                           of("timeseries.MiniRocket", header("timeseries.MiniRocket", 1<<30, 1, 84)),
		"steps to make":                             of("timeseries.MiniRocket", header("timeseries.MiniRocket", 80_000, 1, 84*300)),
		"2048 numbers for series of 1000000 values": of("timeseries.Hydra", header("timeseries.Hydra", 1_000_000, 1, 1024)),
		"or registered":                             Sealed([]byte(`{"features": 2, "probe": {"sha256": "", "sums": []}}`), nil),
	} {
		m, err := decodeHostile(t, file)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v: want an error with %q", m, err, want)
		}
	}
}

// The JSON of a kernel has a registered map in base64.
func TestKernelJSONOfRegistered(t *testing.T) {
	m := &savedMap{withFactors(1, -2)}
	b, err := json.Marshal(KernelJSON{Sum(FromMap(m), Linear{})})
	if err != nil {
		t.Fatal(err)
	}
	if text := base64.StdEncoding.EncodeToString(testkit.Must(m.marshal())); !strings.Contains(string(b), `"data":"`+text+`"`) {
		t.Errorf("%s has no %s", b, text)
	}
	var k KernelJSON
	if err := json.Unmarshal(b, &k); err != nil {
		t.Fatal(err)
	}
	x, y := []float64{1, 2}, []float64{3, 5}
	if got, want := k.Eval(x, y), 3+40+13.0; got != want {
		t.Errorf("the kernel that was read is %v, want %v", got, want)
	}
}
