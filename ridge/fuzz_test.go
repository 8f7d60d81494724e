// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// addGolden adds the golden files, without their checksums.
func addGolden(f *testing.F, pattern string) {
	files, err := filepath.Glob(filepath.Join("testdata", "v1", pattern))
	if err != nil || len(files) == 0 {
		f.Fatal("no golden files ", pattern, err)
	}
	for _, name := range files {
		b := must(os.ReadFile(name))
		f.Add(b[:len(b)-sha256.Size])
	}
}

// both reads bytes as they are, and behind a right checksum. What is accepted then is written, and read again as the same, and it
// is returned; nil if it is refused.
func both[T io.WriterTo](t *testing.T, b []byte, read func(r io.Reader) (T, error)) (of T) {
	_, _ = read(bytes.NewReader(b)) // it may be refused, and does not panic
	of, err := read(bytes.NewReader(resealed(append(b[:len(b):len(b)], make([]byte, sha256.Size)...), func([]byte) {})))
	if err != nil {
		return of
	}
	first := written(of)
	again, err := read(bytes.NewReader(first))
	if err != nil {
		t.Fatalf("what was written is refused: %v", err)
	}
	if !bytes.Equal(written(again), first) {
		t.Fatal("other bytes the second time")
	}
	return of
}

// Bytes that were sealed by anyone are refused, or are an accumulator, which merges.
func FuzzAccumulator(f *testing.F) {
	addGolden(f, "*.accumulator")
	phi := fourier(2, 12)
	f.Fuzz(func(t *testing.T, b []byte) {
		if a := both(t, b, func(r io.Reader) (*Accumulator, error) { return ReadAccumulator(r, phi) }); a != nil {
			if err := must(ReadAccumulator(bytes.NewReader(written(a)), phi)).Merge(a); err != nil && int64(a.Rows()) < 1<<52 {
				t.Fatal(err)
			}
		}
	})
}

// So are those of models, which predict.
func FuzzModel(f *testing.F) {
	addGolden(f, "*.model")
	f.Fuzz(func(t *testing.T, b []byte) {
		if m := both(t, b, func(r io.Reader) (*Model, error) { return ReadModel(r, nil) }); m != nil {
			in, _ := m.Map().Dims()
			m.PredictVec(nil, make([]float64, in))
			if p, err := m.Posterior(); err == nil {
				p.VarianceVec(nil, make([]float64, in))
			}
		}
	})
}

// Bytes that were sealed by anyone are refused, or are sums of a pass, the first or a later one, which merge.
func FuzzPassSums(f *testing.F) {
	phi := fourier(2, 6)
	x, y := data(40, 2, 1, 70)
	var passes []*Pass
	must(FitPasses(phi, func(p *Pass) (*PassSums, error) {
		s := p.NewSums(0)
		err := s.Add(x, y)
		passes = append(passes, p)
		b := written(s)
		f.Add(b[:len(b)-sha256.Size])
		return s, err
	}, 1, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range passes[:2] {
			if s := both(t, b, p.ReadSums); s != nil {
				if err := p.NewSums(1).Merge(s); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
