// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// maxPlain is the most bytes of a map that data has no part in.
const maxPlain = 4 << 10

// encodedMap returns what Encode writes.
func encodedMap(t testing.TB, m FeatureMap) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, m); err != nil {
		t.Fatalf("%v: Encode: %v", m, err)
	}
	return b.Bytes()
}

// savedPlan returns the plan of a map of a plan that was saved and read.
func savedPlan(t testing.TB, p *Plan) *Plan {
	t.Helper()
	m, err := Decode(bytes.NewReader(encodedMap(t, testkit.Must(p.Draw(NewSampler(1))))), nil)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Must(PlanOf(m))
}

// A map that was read has the bits, the variance and the text of the one that was saved, and is saved as the same bytes.
func TestSave(t *testing.T) {
	for name, m := range savedMaps() {
		t.Run(name, func(t *testing.T) {
			b := encodedMap(t, m)
			if !bytes.Contains(b, []byte("\ndata ")) && len(b) > maxPlain {
				t.Errorf("%d bytes: want at most %d", len(b), maxPlain)
			}
			r := bytes.NewReader(b)
			read, err := Decode(r, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
			sameMap(t, read, m)
			if again := encodedMap(t, read); !bytes.Equal(again, b) {
				t.Errorf("a second encoding is\n%s\nand the first\n%s", again, b)
			}
		})
	}
}

// sameMap compares all that two maps have.
func sameMap(t *testing.T, got, want FeatureMap) {
	t.Helper()
	if g, w := fmt.Sprintf("%T", got)+textOf(got), fmt.Sprintf("%T", want)+textOf(want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
	in, out := want.Dims()
	if gotIn, gotOut := got.Dims(); gotIn != in || gotOut != out {
		t.Fatalf("Dims are %d, %d, want %d, %d", gotIn, gotOut, in, out)
	}
	var g, w mat.Dense
	x := savedPoints(in)
	got.TransformTo(&g, x)
	want.TransformTo(&w, x)
	for i := range 6 {
		if !testkit.SameFeatures(g.RawRowView(i), w.RawRowView(i)) || !testkit.SameFeatures(got.TransformVec(nil, x.RawRowView(i)), w.RawRowView(i)) {
			t.Fatalf("features of point %d differ", i)
		}
	}
	gv, ok := got.(Variancer)
	wv, want2 := want.(Variancer)
	if ok != want2 {
		t.Fatalf("is a Variancer: %v, want %v", ok, want2)
	}
	if ok {
		for i := range 5 {
			g, w := gv.Variance(x.RawRowView(i), x.RawRowView(i+1)), wv.Variance(x.RawRowView(i), x.RawRowView(i+1))
			if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
				t.Errorf("Variance = %v, want %v", g, w)
			}
		}
	}
	sameKernel(t, got.Kernel(), want.Kernel(), x)
}

// textOf returns what a value prints as. Pointers to what is of the package are saved as values.
func textOf(v any) string { return strings.ReplaceAll(fmt.Sprint(v), "&", "") }

// savedPoints are points of R^in, of signs, angles, categories and normal variates.
func savedPoints(in int) *mat.Dense {
	x := testkit.NormalPoints(77, 6, in)
	for j := range in {
		x.Set(0, j, float64(2*(j%2)-1))
		x.Set(1, j, float64(j%3))
	}
	return x
}

// sameKernel compares two kernels. That of a DataDependent that was read is another one.
func sameKernel(t *testing.T, got, want Kernel, x *mat.Dense) {
	t.Helper()
	g, err := MarshalKernel(got)
	w, wantErr := MarshalKernel(want)
	switch {
	case wantErr == nil:
	case strings.Contains(wantErr.Error(), "deformed"):
		return
	case !strings.Contains(wantErr.Error(), "ofLogarithms"): // which is saved with its map alone
		t.Errorf("MarshalKernel: %v", wantErr)
		return
	}
	if wantErr == nil && (err != nil || !bytes.Equal(g, w)) {
		t.Errorf("%v: kernel is\n%s\nwant\n%s", err, g, w)
	}
	for i := range 5 {
		g, w := got.Eval(x.RawRowView(i), x.RawRowView(i+1)), want.Eval(x.RawRowView(i), x.RawRowView(i+1))
		if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("Eval = %v, want %v", g, w)
		}
	}
}

// A sampler that was read goes on as the one that was saved.
func TestSaveSampler(t *testing.T) {
	for signs := range 67 {
		s := NewSampler(9)
		s.Normal()
		for range signs {
			s.Rademacher()
		}
		b, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		read := NewSampler(1) // what it was does not matter
		if err := read.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if again := testkit.Must(read.MarshalBinary()); !bytes.Equal(again, b) {
			t.Errorf("a second encoding is\n%s\nand the first\n%s", again, b)
		}
		for range 70 {
			if g, w := read.Rademacher(), s.Rademacher(); g != w {
				t.Fatalf("after %d signs: Rademacher = %v, want %v", signs, g, w)
			}
		}
		if g, w := read.Split().Normal(), s.Split().Normal(); g != w {
			t.Errorf("after %d signs: Normal = %v, want %v", signs, g, w)
		}
		if b[len(b)-1] ^= 1; read.UnmarshalBinary(b) == nil {
			t.Error("a changed sampler was read")
		}
		if g, w := read.Float64(), s.Float64(); g != w {
			t.Errorf("a sampler that refused data goes on with %v, want %v", g, w)
		}
	}
	if _, err := new(Sampler).MarshalBinary(); err == nil {
		t.Error("the zero Sampler was saved")
	}
}
