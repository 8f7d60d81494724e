// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Golden files hold the promise of bits: they were computed on amd64, and every architecture
// computes the same. They are rewritten by
//
//	go test . -bits -update
//
// which is right only when a stream is changed on purpose: every user's weights change.
var (
	update = flag.Bool("update", false, "rewrite the golden files")
	bits   = flag.Bool("bits", false, "only compare the golden files, and all of them")
)

// TestMain runs all tests, or with -bits those that compare golden files.
func TestMain(m *testing.M) {
	flag.Parse()
	if *bits {
		flag.Set("test.run", "^TestGolden")
	}
	code := m.Run()
	if *bits && code == 0 {
		files, err := os.ReadDir("testdata")
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".golden") && !compared[f.Name()] {
				err = fmt.Errorf("no test compares %s", f.Name())
			}
		}
		if err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// compared has the names of the golden files that tests have compared.
var compared = make(map[string]bool)

// golden compares got with the golden file of the given name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	compared[name] = true
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(gotLines), len(wantLines)) {
		if !bytes.Equal(gotLines[i], wantLines[i]) {
			t.Fatalf("%s:%d: got %s\nwant %s", path, i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%s: got %d lines, want %d", path, len(gotLines), len(wantLines))
}

func TestGoldenSampler(t *testing.T) {
	var b bytes.Buffer
	for _, seed := range []uint64{0, 1, 1<<64 - 1} {
		fmt.Fprintf(&b, "seed %d\n", seed)
		line := func(name string, draw func(s *Sampler) any) {
			s := NewSampler(seed)
			fmt.Fprintf(&b, "%s:", name)
			for range 8 {
				fmt.Fprintf(&b, " %x", draw(s))
			}
			// Further on, so that rare branches have been taken.
			for range 5000 {
				draw(s)
			}
			fmt.Fprintf(&b, " … %x\n", draw(s))
		}
		line("Uint64", func(s *Sampler) any { return s.Uint64() })
		line("Split", func(s *Sampler) any { return s.Split().Uint64() })
		line("IntN(1000)", func(s *Sampler) any { return s.IntN(1000) })
		line("Rademacher", func(s *Sampler) any { return s.Rademacher() })
		for _, v := range continuousVariates {
			line(v.name, func(s *Sampler) any { return v.draw(s) })
		}
	}
	golden(t, "sampler.golden", b.Bytes())
}

// The bits of frequencies, phases and features, for every kernel, design and form.
func TestGoldenFourier(t *testing.T) {
	var b bytes.Buffer
	for _, c := range stationaryKernels {
		for _, o := range allOptions {
			in := 3
			if c.dims != nil {
				in = c.dims[0]
			}
			f, err := NewFourier(c.kernel, in, 10, NewSampler(42), &o)
			if err != nil {
				continue // not radial
			}
			fmt.Fprintf(&b, "%s %s\n", c.name, optionsName(o))
			w := f.Frequencies()
			r, _ := w.Dims()
			for i := range r {
				fmt.Fprintf(&b, "frequency %x\n", w.RawRowView(i))
			}
			fmt.Fprintf(&b, "phases %x\n", f.Phases())
			fmt.Fprintf(&b, "features %x\n", f.TransformVec(nil, pointX[:in]))
		}
	}
	golden(t, "fourier.golden", b.Bytes())
}

// The bits of frequencies that are made of counts, of few events and of many, and of mixtures.
func TestGoldenWaves(t *testing.T) {
	var b bytes.Buffer
	for _, l := range []float64{3, 1, 0.3, 0.1, 0.01, 1e-4, 1e-7} {
		w := make([]float64, 40)
		Periodic{Period: 0.7, LengthScale: l}.Frequency(w, NewSampler(42))
		fmt.Fprintf(&b, "ℓ = %v %x\n", l, w)
	}
	for _, k := range []Kernel{mixture(3), Product(mixture(3), Periodic{Period: 2, LengthScale: 0.5})} {
		for _, o := range allOptions[:2] {
			f := must(NewFourier(k, 3, 10, NewSampler(42), &o))
			fmt.Fprintf(&b, "%s frequencies %x\n", optionsName(o), f.Frequencies().RawMatrix().Data)
			g := must(NewFourierFrom(k, f.Frequencies(), f.Phases()))
			fmt.Fprintf(&b, "features %x\n", f.TransformVec(nil, pointX))
			fmt.Fprintf(&b, "of given frequencies %x\n", g.TransformVec(nil, pointX))
		}
	}
	golden(t, "waves.golden", b.Bytes())
}

// Length scales go into weights, so their bits are part of the promise.
func TestGoldenMedianLengthScale(t *testing.T) {
	var b bytes.Buffer
	for seed := range uint64(40) {
		for _, n := range []int{50, 200} {
			x := mat.NewDense(n, 8, nil)
			s := NewSampler(seed)
			s.FillNormal(x.RawMatrix().Data)
			fmt.Fprintf(&b, "%x\n", must(MedianLengthScale(x, s)))
		}
	}
	golden(t, "median.golden", b.Bytes())
}

// One large map, whose features are folded to a few numbers by their bits.
func TestGoldenBatch(t *testing.T) {
	var b bytes.Buffer
	for _, o := range append(allOptions[:len(allOptions):len(allOptions)], structuredOptions...) {
		f, err := NewFourier(Matern{Nu: 1.5, LengthScale: 3}, 70, 300, NewSampler(7), &o)
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(40, 70, nil)
		NewSampler(8).FillNormal(x.RawMatrix().Data)
		var z mat.Dense
		f.TransformTo(&z, x)
		fmt.Fprintf(&b, "%s %016x\n", optionsName(o), foldBits(z.RawMatrix().Data))
		if o.Design == Structured {
			fmt.Fprintf(&b, "frequencies %016x\n", foldBits(f.Frequencies().RawMatrix().Data))
		}
	}
	golden(t, "batch.golden", b.Bytes())
}

// foldBits returns a hash (FNV-1a, by words) of the bits of x.
func foldBits(x []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range x {
		h = (h ^ math.Float64bits(v)) * 1099511628211
	}
	return h
}
