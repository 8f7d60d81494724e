// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// savedModels are models of every kind: of maps that are drawn, given and made from data, of several targets, with and
// without an intercept and the factor, and of least squares, whose evidence is −Inf.
func savedModels() map[string]*Model {
	x, y := portable(300, 1)
	_, y3 := portable(300, 3)
	w := must(featuremap.NewFourierFrom(featuremap.Gaussian{LengthScale: 1}, mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), nil))
	d := must(featuremap.NewDataDependent(fourier(2, 6), x, &featuremap.DataDependentOptions{Alpha: 0.1, Neighbors: 4}))
	gaussian := &IntervalOptions{Off: true}
	m := must(Fit(fourier(2, 40), x, y, &Options{Intervals: gaussian}))
	weights := make([]float64, 300)
	for i := range weights {
		weights[i] = float64(i%5) / 2
	}
	return map[string]*Model{
		"one target":     m,
		"three targets":  must(Fit(fourier(2, 33), x, y3, &Options{Intervals: gaussian})),
		"no intercept":   must(Fit(fourier(2, 33), x, y3, &Options{NoIntercept: true, Intervals: gaussian})),
		"least squares":  must(Fit(fourier(2, 4), x, y, &Options{Path: []float64{0}, Intervals: gaussian})),
		"mean only":      m.MeanOnly(),
		"given":          must(Fit(w, x, y, &Options{Intervals: gaussian})),
		"data-dependent": must(Fit(d, x, y, nil)),
		"wide":           must(Fit(fourier(2, 200), x, y, nil)),

		"intervals":          must(Fit(fourier(2, 12), x, y3, nil)),
		"constant noise":     must(Fit(fourier(2, 12), x, y, &Options{Intervals: &IntervalOptions{Constant: true}})),
		"mean and intervals": must(Fit(fourier(2, 12), x, y, &Options{Intervals: &IntervalOptions{NoVariance: true}})).MeanOnly(),
		"weighted intervals": must(Fit(fourier(2, 12), x, y3, &Options{Weights: weights})),
		"rows":               must(Fit(fourier(2, 60), x.Slice(0, 20, 0, 2), y3.Slice(0, 20, 0, 3), &Options{Weights: weights[:20]})),
		"few rows":           must(Fit(fourier(2, 12), x.Slice(0, 18, 0, 2), y.Slice(0, 18, 0, 1), nil)),
	}
}

// portable returns points and targets that have the same bits on every architecture.
func portable(n, targets int) (x, y *mat.Dense) {
	s := featuremap.NewSampler(60)
	x, y = mat.NewDense(n, 2, nil), mat.NewDense(n, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		for t := range targets { // sums and products that are rounded one by one
			y.Set(i, t, float64(10*t)+float64(x.At(i, 0)*x.At(i, 1))+float64(0.1*s.Normal()))
		}
	}
	return x, y
}

// What was written is read back: the same bytes again, and the same predictions, variances and samples.
func TestModelFile(t *testing.T) {
	x, _ := data(7, 2, 1, 61)
	for name, m := range savedModels() {
		want := written(m)
		var b bytes.Buffer
		if n, err := m.WriteTo(&b); err != nil || n != int64(len(want)) || !bytes.Equal(b.Bytes(), want) {
			t.Fatalf("%s: WriteTo = %d, %v; its file has %d bytes", name, n, err, len(want))
		}
		read := must(ReadModel(iotest.HalfReader(bytes.NewReader(want)), nil))
		for _, of := range []*Model{read, must(ReadModel(bytes.NewReader(want), nil))} {
			equal(t, name, modelBits(of, x), modelBits(m, x))
			if !bytes.Equal(written(of), want) {
				t.Errorf("%s: other bytes the second time", name)
			}
			if !strings.HasPrefix(name, "mean") {
				equal(t, name, sampleBits(of, 4, x), sampleBits(m, 4, x))
			}
			equal(t, name, modelBits(of.MeanOnly(), x), modelBits(m.MeanOnly(), x))
		}
		if got, want := fmt.Sprint(read.Map()), fmt.Sprint(m.Map()); got != want {
			t.Errorf("%s: map %s, want %s", name, got, want)
		}
	}
	_, err := new(Model).WriteTo(io.Discard)
	expectError(t, err, "ridge: the model is the zero value")
	for _, v := range []any{new(Model), new(Accumulator)} {
		if _, err := json.Marshal(v); err == nil {
			t.Errorf("a %T as JSON: no error, and nothing in it", v)
		}
	}
	m := must(Fit(callersMap{fourier(2, 4)}, x, mat.NewVecDense(7, nil), nil))
	if _, err := m.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), "ridge_test.callersMap") {
		t.Errorf("a map of another package: %v", err)
	}
}

// What a map may take when a model is read is the reader's to say.
func TestReadModel(t *testing.T) {
	x, y := data(30, 2, 1, 63)
	m := must(Fit(fourier(2, 40), x, y, nil))
	file := written(m)
	for name, o := range map[string]*featuremap.DecodeOptions{"none": nil, "zero": {}, "enough": {MaxBytes: 1 << 16}} {
		read, err := ReadModel(iotest.HalfReader(bytes.NewReader(file)), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		equal(t, name, modelBits(read, x), modelBits(m, x))
	}
	if read, err := ReadModel(bytes.NewReader(file), &featuremap.DecodeOptions{MaxBytes: 100}); read != nil || err == nil || !strings.Contains(err.Error(), "DecodeOptions") {
		t.Errorf("few bytes: %v, %v", read, err)
	}
	if read, err := ReadModel(bytes.NewReader(file[:100]), nil); read != nil || err == nil {
		t.Errorf("part of a file: %v, %v", read, err)
	}
}

type callersMap struct{ featuremap.FeatureMap }

// A file of version 1 is read by every release, and gives the numbers that it gave. Features of the maps are compared by
// featuremap.Decode.
//
//	go test ./ridge -run GoldenFiles -update
//
// writes the files, which is for new ones only.
func TestGoldenFiles(t *testing.T) {
	files := map[string][]byte{}
	for name, m := range savedModels() {
		if name != "data-dependent" && name != "wide" { // its matrix differs between architectures; it is large
			files[strings.ReplaceAll(name, " ", "-")+".model"] = written(m)
		}
	}
	for name, targets := range map[string]int{"one.accumulator": 1, "three.accumulator": 3} {
		a := must(NewAccumulator(fourier(2, 12), targets))
		x, y := portable(200, targets)
		addBatches(t, a, x, y, 100)
		files[name] = encoded(a)
	}
	counting := must(NewAccumulator(fourier(2, 12), 1)) // of copies, and 20 targets at a point
	if err := counting.KeepRows(20); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		x, y := portable(60, 1)
		for i := range 20 {
			x.SetRow(40+i, x.RawRowView(39))
		}
		addBatches(t, counting, x, y, 60)
	}
	files["counting.accumulator"] = encoded(counting)
	weighted, weights := must(NewAccumulator(fourier(2, 12), 1)), make([]float64, 200)
	for i := range weights {
		weights[i] = float64(i%5) / 2
	}
	x, y := portable(200, 1)
	if err := weighted.AddWeighted(x, y, weights); err != nil {
		t.Fatal(err)
	}
	files["weighted.accumulator"] = encoded(weighted)
	files["weighted.model"] = written(must(weighted.Fit(&Options{Intervals: &IntervalOptions{Off: true}})))
	for name, want := range files {
		path := filepath.Join("testdata", "v1", name)
		if golden.Update() {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what is written now", path)
		}
		if strings.HasSuffix(name, ".model") {
			_, err = ReadModel(bytes.NewReader(got), nil)
		} else {
			_, err = readBytes(t, got, fourier(2, 12))
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// No changed, missing or additional byte of a model is accepted.
func TestModelMutations(t *testing.T) {
	data := written(savedModels()["no intercept"])
	rnd := rand.New(rand.NewPCG(5, 6))
	refuse := func(bad []byte) {
		t.Helper()
		if m, err := ReadModel(bytes.NewReader(bad), nil); err == nil || m != nil {
			t.Fatal("accepted")
		} else if !strings.HasPrefix(err.Error(), "ridge: ") {
			t.Fatal(err)
		}
	}
	for range testkit.Times(400, 400, 2000) {
		bad := bytes.Clone(data)
		bad[rnd.IntN(len(bad))] ^= 1 << rnd.IntN(8)
		refuse(bad)
		refuse(data[:rnd.IntN(len(data))])
	}
	refuse(append(bytes.Clone(data), 0))
	refuse(append(bytes.Clone(data), data...))
}

// Numbers that are no model's are refused behind a right checksum too, and memory is taken for what is there only.
func TestModelHostile(t *testing.T) {
	data := written(savedModels()["one target"]) // 40 features
	numbers := len(data) - sha256.Size - 8*(40+1+1+40+40*41/2)
	float := func(i int, v float64) []byte {
		return resealed(data, func(b []byte) { binary.LittleEndian.PutUint64(b[numbers+8*i:], math.Float64bits(v)) })
	}
	const factor = 40 + 1 + 1 + 40
	hostile := map[string][]byte{
		"a weight of NaN":    float(0, math.NaN()),
		"an intercept":       float(40, math.Inf(1)),
		"noise of NaN":       float(41, math.NaN()),
		"noise of −1":        float(41, -1),
		"a mean":             float(42, math.Inf(-1)),
		"a diagonal of 0":    float(factor, 0),
		"a diagonal of −1":   float(factor+2, -1),
		"a diagonal of NaN":  float(factor+2, math.NaN()),
		"an element of +Inf": float(factor+1, math.Inf(1)),
		"another map":        resealed(bytes.Replace(data, []byte(`"LengthScale": 2`), []byte(`"LengthScale": 3`), 1), func([]byte) {}),
	}
	for name, change := range map[string][2]string{
		"features 0":    {`"features":40`, `"features":0`},
		"features 41":   {`"features":40`, `"features":41`},
		"features 2⁴⁰":  {`"features":40`, `"features":1099511627776`},
		"targets 0":     {`"targets":1`, `"targets":0`},
		"targets 2":     {`"targets":1`, `"targets":2`},
		"targets 2⁶²":   {`"targets":1`, `"targets":4611686018427387904`},
		"rows 0":        {`"rows":300`, `"rows":0`},
		"lambda −1":     {`"lambda":`, `"lambda":-`},
		"lambda NaN":    {`"lambda":`, `"lambda":"NaN","rows":`},
		"no intercept":  {`"intercept":true`, `"intercept":false`},
		"no factor":     {`"factor":true`, `"factor":false`},
		"a function":    {`"sample":false`, `"sample":true`},
		"unknown field": {`"rows":300`, `"rows":300,"row":300`},
	} {
		hostile[name] = withDocument(data, change[0], change[1])
	}
	for name, bad := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadModel(bytes.NewReader(bad), nil)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
		// Some copies of the data, and buffers.
		if m := after.TotalAlloc - before.TotalAlloc; m > 1_000_000 {
			t.Errorf("%s: %d bytes of memory for %d of data", name, m, len(bad))
		}
	}
}
