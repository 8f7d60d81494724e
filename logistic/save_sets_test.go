// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
)

// calibrated returns models whose prediction sets are by rows that weigh alike, with weights, and by knots.
var calibrated = sync.OnceValue(func() map[string]*Model {
	x, classes := rings(60)
	many, of := rings(4200)
	weights := make([]float64, 60)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	return map[string]*Model{
		"alike":   must(Fit(fourier(2, 6), x, classes, &Options{PredictionSets: true})),
		"weights": must(Fit(fourier(2, 6), x, classes, &Options{PredictionSets: true, Weights: weights})),
		"knots":   must(Fit(fourier(2, 4), many, of, &Options{PredictionSets: true, Lambda: 1, Tolerance: 0.5})),
	}
})

// A file of version 1 with prediction sets is read by every release, and has the bits that it had.
//
//	go test ./logistic -run GoldenSets -update
//
// writes it, which is right only when the model changes on purpose.
func TestGoldenSets(t *testing.T) {
	x, classes := rings(60)
	want := written(must(Fit(fourier(2, 6), x, classes, &Options{PredictionSets: true, Lambda: 0.125})))
	path := filepath.Join("testdata", "v1", "sets.model")
	if golden.Update() {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := must(os.ReadFile(path))
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is written now", path)
	}
	if m, err := ReadModel(bytes.NewReader(got), nil); err != nil || !bytes.Equal(written(m), got) {
		t.Errorf("read: %v, %v", m, err)
	}
}

// Sets are read back as they were written; a changed byte is refused.
func TestSetsFile(t *testing.T) {
	x, _ := rings(60)
	for name, m := range calibrated() {
		file := written(m)
		read := must(ReadModel(bytes.NewReader(file), nil))
		if !bytes.Equal(written(read), file) || read.String() != m.String() {
			t.Errorf("%s: read back, %v is %v", name, m, read)
		}
		if n := len(file); n > 20_000 {
			t.Errorf("%s: a file of %d bytes", name, n)
		}
		for i := range 60 {
			for _, level := range []float64{0.01, 0.3, 0.6, 0.9, 0.97, 0.9999} {
				if got, want := read.PredictionSet(x.RawRowView(i), level), m.PredictionSet(x.RawRowView(i), level); !slices.Equal(got, want) {
					t.Errorf("%s: read back, the set of row %d at %v is %v, want %v", name, i, level, got, want)
				}
			}
		}
		for i := 0; i < len(file); i += 1 + i/100 {
			changed := slices.Clone(file)
			changed[i] ^= 0x21
			if _, err := ReadModel(bytes.NewReader(changed), nil); err == nil {
				t.Errorf("%s: byte %d changed: no error", name, i)
			}
		}
	}
}

// Files with sets and changes behind a right checksum are refused, or are models with sets.
func TestHostileSets(t *testing.T) {
	s := featuremap.NewSampler(4)
	taken := 0
	for _, m := range calibrated() {
		file := written(m)
		file = file[:len(file)-sha256.Size]
		head := bytes.IndexByte(file, '}')
		changes := 200
		if testkit.Long() {
			changes = 700
		}
		for i := range changes {
			b := slices.Clone(file)
			at := s.IntN(head)
			if i%2 == 0 {
				at = len(b) - 1 - s.IntN(len(b)-head)
			}
			switch s.IntN(4) {
			case 0:
				b[at] ^= 1 << s.IntN(8)
			case 1:
				b[at] = "0123456789-e.,"[s.IntN(14)]
			case 2:
				b = slices.Insert(b, at, byte('0'+s.IntN(10)))
			case 3:
				b = slices.Delete(b, at, min(at+1+s.IntN(8), len(b)))
			}
			if hostile(t, resealed(b)) {
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("no file was read: nothing but the checksum was tested")
	}
}

// Sets that no rows have are refused behind a right checksum.
func TestHostileSetNumbers(t *testing.T) {
	models := calibrated()
	put := func(file []byte, fromEnd int, v float64) { // a number, from the end
		for i := range 8 {
			file[len(file)-8*fromEnd+i] = byte(math.Float64bits(v) >> (8 * i))
		}
	}
	for _, c := range []struct {
		model   string
		fromEnd int
		v       float64
	}{
		{"alike", 1, math.NaN()}, {"alike", 1, math.Inf(1)}, {"alike", 60, math.Inf(-1)}, {"alike", 60, 1e9}, {"alike", 1, -1e9}, // odds
		{"weights", 1, math.NaN()}, {"weights", 1, math.Inf(1)}, {"weights", 1, 1}, // all
		{"weights", 2, math.NaN()}, {"weights", 2, 1e9}, {"weights", 46, 0}, {"weights", 46, -1}, {"weights", 46, 1e6}, // from above
		{"weights", 47, math.NaN()}, {"weights", 47, 1e9}, {"weights", 47, 0}, {"weights", 91, -1}, {"weights", 91, 1e6}, // from below
		{"weights", 92, math.NaN()}, {"weights", 92, -1e9}, {"weights", 136, 1e9}, {"weights", 136, math.Inf(-1)}, // odds
		{"knots", 1, 0}, {"knots", 2, 5000}, {"knots", 3, -1},
	} {
		file := written(models[c.model])
		file = file[:len(file)-sha256.Size]
		put(file, c.fromEnd, c.v)
		if hostile(t, resealed(file)) {
			t.Errorf("%s: %v for number %d from the end was read", c.model, c.v, c.fromEnd)
		}
	}
	for _, c := range []struct{ model, old, new string }{
		{"alike", `,"sets":60`, ``},
		{"alike", `"sets":60`, `"sets":0`},
		{"alike", `"sets":60`, `"sets":-60`},
		{"alike", `"sets":60`, `"sets":59`},
		{"alike", `"sets":60`, `"sets":61`},
		{"alike", `"rows":60`, `"rows":59`},
		{"alike", `"sets":60`, `"sets":60,"sets":60`},
		{"alike", "data 18 3 60", "data 18 3 60 0"},
		{"alike", "data 18 3 60", "data 18 3 30 30"},
		{"weights", `"sets":45`, `"sets":44`},
		{"weights", `"sets":45`, `"sets":31`},
		{"weights", "data 18 3 136", "data 18 3 135"},
		{"weights", "data 18 3 136", "data 18 3 133"},
		{"weights", "data 18 3 136", "data 18 3 45"},
		{"weights", "data 18 3 136", "data 18 3 45 91"},
		{"weights", "data 18 3 136", "data 18 3 0 136"},
		{"weights", "data 18 3 136", "data 18 3 4611686018427387903"},
		{"knots", `"sets":4200`, `"sets":100`},
	} {
		file := written(models[c.model])
		file = file[:len(file)-sha256.Size]
		b := bytes.Replace(file, []byte(c.old), []byte(c.new), 1)
		if bytes.Equal(b, file) {
			t.Fatalf("%s: the file has no %q: %.300q", c.model, c.old, file)
		}
		if hostile(t, resealed(b)) {
			t.Errorf("%s: %s was read", c.model, c.new)
		}
	}
}

// Sets have one set of bits: in batches, with features kept or not, on any number of goroutines.
func TestBitsOfSets(t *testing.T) {
	x, classes := rings(300)
	weights := make([]float64, 300)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 20, featuremap.NewSampler(3), nil))
	for k, phi := range []featuremap.FeatureMap{fourier(2, 46), landmarks} {
		for l, w := range [][]float64{nil, weights} {
			if k != l && !testkit.Long() {
				continue
			}
			o := Options{Weights: w, PredictionSets: true, Lambda: 0.1}
			want := written(must(Fit(phi, x, classes, &o)))
			for _, procs := range []int{1, 4} {
				before := runtime.GOMAXPROCS(procs)
				again := o
				again.Memory = 1
				models := []*Model{must(Fit(phi, x, classes, &o)), must(Fit(phi, x, classes, &again))}
				for _, memory := range []int64{0, 1, 100 * 8 * 48} {
					again.Weights, again.Memory = nil, memory
					models = append(models, must(FitBatches(phi, batches(x, classes, w, 99), 3, &again)))
				}
				runtime.GOMAXPROCS(before)
				for k, m := range models {
					if !bytes.Equal(written(m), want) {
						t.Errorf("%v: weights %v, %d goroutines, fit %d: other bits", phi, w != nil, procs, k)
					}
				}
			}
		}
	}
	// Elsewhere, too.
	file := written(must(Fit(fourier(2, 46), x, classes, &Options{PredictionSets: true, Lambda: 0.1})))
	if got, want := fmt.Sprintf("%x", sha256.Sum256(file[len(file)-sha256.Size-300*8:len(file)-sha256.Size])), goldenOdds; got != want {
		t.Errorf("the odds have the sum %s, want %s", got, want)
	}
}

// goldenOdds is the SHA-256 of the last odds of TestBitsOfSets as a file has them, as they were on amd64 with AVX-512.
const goldenOdds = "5d40df845d18990e5b945e80c346fa980c6f2d6ccf08031df936880814bdff83"
