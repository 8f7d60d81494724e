// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/timeseries"
	"github.com/seed-0f95ebc1/featuremap/unsupervised"
)

// cases are maps of the first 30 rows of 54 values, by name.
var cases = sync.OnceValue(func() map[string]featuremap.FeatureMap {
	x, s := walks(featuremap.NewSampler(1), 30, 54), featuremap.NewSampler(7)
	three := &timeseries.Options{Channels: 3}
	rocket, hydra := testkit.Must(timeseries.NewMiniRocket(x, 420, s, nil)), testkit.Must(timeseries.NewHydra(x, s, three))
	both := featuremap.Sum(featuremap.FromMap(rocket), featuremap.FromMap(hydra))
	plan := testkit.Must(featuremap.NewPlan(both, nil, 420+2048, &featuremap.PlanOptions{In: 54}))
	return map[string]featuremap.FeatureMap{
		"MiniRocket":             rocket,
		"MiniRocket, 3 channels": testkit.Must(timeseries.NewMiniRocket(x, 200, s, three)),
		"Hydra":                  testkit.Must(timeseries.NewHydra(x, s, nil)),
		"Hydra, 3 channels":      hydra,
		"MiniRocket and Hydra":   testkit.Must(plan.Draw(s)),
	}
})

// The file holds the promise that features have the same bits on every machine, from the draw of kernels and the choice of biases on.
//
//	go test ./timeseries -run Golden -update
//
// rewrites it, which is right only when bits change on purpose.
func TestGolden(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 30, 54)
	maps := cases()
	var b bytes.Buffer
	for _, name := range []string{"MiniRocket", "MiniRocket, 3 channels", "Hydra", "Hydra, 3 channels", "MiniRocket and Hydra"} {
		var z mat.Dense
		maps[name].TransformTo(&z, x)
		fmt.Fprintf(&b, "%s: %016x, first %v, last %v\n", name, golden.Fold(z.RawMatrix().Data), z.At(0, 0), z.At(29, z.RawMatrix().Cols-1))
	}
	golden.Compare(t, "maps.golden", b.Bytes())
}

// Maps go through what takes a FeatureMap: models and their files, novelty, components.
func TestModels(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 40, 54)
	y, classes := mat.NewDense(40, 1, nil), make([]int, 40)
	for i := range classes {
		row := x.RawRowView(i)
		y.Set(i, 0, row[53]-row[20])
		if y.At(i, 0) > 0 {
			classes[i] = 1
		}
	}
	for name, m := range cases() {
		if _, out := m.Dims(); out > 500 && name != "MiniRocket and Hydra" {
			continue
		}
		row := x.RawRowView(3)
		model := testkit.Must(ridge.Fit(m, x, y, nil))
		var file bytes.Buffer
		testkit.Must(model.WriteTo(&file))
		read := testkit.Must(ridge.ReadModel(&file, nil))
		if !slices.Equal(read.PredictVec(nil, row), model.PredictVec(nil, row)) {
			t.Errorf("%s: a ridge model that was read predicts something else", name)
		}
		if v := testkit.Must(model.Posterior()).VarianceVec(nil, row); !(v[0] > 0) {
			t.Errorf("%s: a variance of %v", name, v)
		}
		if name == "MiniRocket and Hydra" {
			continue
		}
		classifier := testkit.Must(logistic.Fit(m, x, classes, &logistic.Options{Lambda: 1}))
		testkit.Must(classifier.WriteTo(&file))
		readClassifier := testkit.Must(logistic.ReadModel(&file, nil))
		if !slices.Equal(readClassifier.ProbabilityVec(nil, row), classifier.ProbabilityVec(nil, row)) {
			t.Errorf("%s: a logistic model that was read predicts something else", name)
		}
		if name == "MiniRocket" {
			var z mat.Dense
			testkit.Must(unsupervised.FitPCA(m, x, 2)).TransformTo(&z, x)
			if r, c := z.Dims(); r != 40 || c != 2 {
				t.Errorf("components are %d×%d", r, c)
			}
		}
	}
}

// What was written is read as the same map, within the memory that it takes some times over, and nothing else is.
func TestSave(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 30, 54)
	for name, m := range cases() {
		var file bytes.Buffer
		if err := featuremap.Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		_, out := m.Dims()
		read, err := featuremap.Decode(bytes.NewReader(file.Bytes()), &featuremap.DecodeOptions{MaxBytes: int64(1<<17 + 1000*out)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		row := x.RawRowView(5)
		if fmt.Sprint(read) != fmt.Sprint(m) || !slices.Equal(read.TransformVec(nil, row), m.TransformVec(nil, row)) {
			t.Errorf("%s: %v, read as %v, has other features", name, m, read)
		}
		if _, err := featuremap.Decode(bytes.NewReader(file.Bytes()), &featuremap.DecodeOptions{MaxBytes: int64(10 * out)}); err == nil || !strings.Contains(err.Error(), "see DecodeOptions") {
			t.Errorf("%s: with little memory: %v", name, err)
		}
	}
	if b, err := json.Marshal(cases()["Hydra"]); err == nil {
		t.Errorf("JSON of a map is %s", b)
	}
}

// binaryMap is what both maps have.
type binaryMap interface {
	featuremap.FeatureMap
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

// UnmarshalBinary refuses what is damaged, and leaves the map as it was.
func TestUnmarshalBinary(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 10, 20)
	for _, m := range []binaryMap{
		testkit.Must(timeseries.NewMiniRocket(x, 84, nil, nil)),
		testkit.Must(timeseries.NewHydra(x, nil, nil)),
	} {
		good := testkit.Must(m.MarshalBinary())
		head := bytes.IndexByte(good, '\n') + 1
		want := m.TransformVec(nil, x.RawRowView(0))
		put := func(at int, b byte) []byte {
			changed := bytes.Clone(good)
			changed[at] = b
			return changed
		}
		nan := bytes.Clone(good)
		for i := range 8 {
			nan[len(nan)-1-i] = 0xff
		}
		for name, data := range map[string][]byte{
			"nothing":            nil,
			"another version":    put(head-2, '2'),
			"another name":       put(11, 'x'),
			"the line alone":     good[:head],
			"a byte less":        good[:len(good)-1],
			"two numbers less":   good[:len(good)-16],
			"two numbers more":   append(bytes.Clone(good), make([]byte, 16)...),
			"a length of 8":      put(head, 8),
			"a length of 2³⁹":    put(head+4, 0x80),
			"no channels":        put(head+8, 0),
			"channels of 2³⁹":    put(head+12, 0x80),
			"channels of 2⁵⁶":    put(head+15, 1),
			"NaN":                nan,
			"no divisor":         slices.Concat(good[:len(good)-8], make([]byte, 8)),
			"a negative divisor": put(len(good)-1, good[len(good)-1]|0x80),
		} {
			if _, ok := m.(*timeseries.MiniRocket); ok && (name == "no divisor" || bytes.Equal(good[len(good)-8:], make([]byte, 8)) && name == "a negative divisor") {
				continue // a scale may be 0
			}
			err := m.UnmarshalBinary(data)
			if err == nil || !strings.HasPrefix(err.Error(), "timeseries: data of a ") {
				t.Errorf("%T: %s: %v", m, name, err)
			}
			if !slices.Equal(m.TransformVec(nil, x.RawRowView(0)), want) {
				t.Fatalf("%T: %s: the map has changed", m, name)
			}
		}
		other := walks(featuremap.NewSampler(2), 10, 30)
		into := binaryMap(testkit.Must(timeseries.NewMiniRocket(other, 168, nil, nil)))
		if _, ok := m.(*timeseries.Hydra); ok {
			into = testkit.Must(timeseries.NewHydra(other, nil, nil))
		}
		if err := into.UnmarshalBinary(good); err != nil || !slices.Equal(into.TransformVec(nil, x.RawRowView(0)), want) {
			t.Errorf("%T: read into another map: %v", m, err)
		}
	}
	for _, m := range []binaryMap{new(timeseries.MiniRocket), new(timeseries.Hydra)} {
		if _, err := m.MarshalBinary(); err == nil || !strings.Contains(err.Error(), "zero value") {
			t.Errorf("%T: %v", m, err)
		}
	}
}

// Whatever UnmarshalBinary reads is a map that it writes as the same bytes.
func FuzzUnmarshalBinary(f *testing.F) {
	x := walks(featuremap.NewSampler(1), 4, 9)
	f.Add(testkit.Must(testkit.Must(timeseries.NewMiniRocket(x, 84, nil, nil)).MarshalBinary()))
	f.Add(testkit.Must(testkit.Must(timeseries.NewHydra(x, nil, nil)).MarshalBinary()))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range []binaryMap{new(timeseries.MiniRocket), new(timeseries.Hydra)} {
			if m.UnmarshalBinary(data) != nil {
				continue
			}
			if again, err := m.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
				t.Errorf("%T is written as %q, %v, and was %q", m, again, err, data)
			}
			if in, _ := m.Dims(); in < 1<<16 {
				m.TransformVec(nil, make([]float64, in))
			}
		}
	})
}
