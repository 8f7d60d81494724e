// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

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
	golden.Compare(t, "fourier.golden", b.Bytes())
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
			f := testkit.Must(NewFourier(k, 3, 10, NewSampler(42), &o))
			fmt.Fprintf(&b, "%s frequencies %x\n", optionsName(o), f.Frequencies().RawMatrix().Data)
			g := testkit.Must(NewFourierFrom(k, f.Frequencies(), f.Phases()))
			fmt.Fprintf(&b, "features %x\n", f.TransformVec(nil, pointX))
			fmt.Fprintf(&b, "of given frequencies %x\n", g.TransformVec(nil, pointX))
		}
	}
	golden.Compare(t, "waves.golden", b.Bytes())
}

// One large map, whose features are folded to a few numbers by their bits.
func TestGoldenBatch(t *testing.T) {
	var b bytes.Buffer
	for _, o := range append(allOptions[:len(allOptions):len(allOptions)], structuredOptions...) {
		f, err := NewFourier(Matern{Nu: 1.5, LengthScale: 3}, 70, 300, NewSampler(7), &o)
		if err != nil {
			t.Fatal(err)
		}
		x := testkit.NormalPoints(8, 40, 70)
		var z mat.Dense
		f.TransformTo(&z, x)
		fmt.Fprintf(&b, "%s %016x\n", optionsName(o), golden.Fold(z.RawMatrix().Data))
		if o.Design == Structured {
			fmt.Fprintf(&b, "frequencies %016x\n", golden.Fold(f.Frequencies().RawMatrix().Data))
		}
	}
	golden.Compare(t, "batch.golden", b.Bytes())
}
