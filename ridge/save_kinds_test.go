// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A kindOfFile is a file of version 1, with what reads it and writes it again.
type kindOfFile struct {
	data []byte
	read func(r io.Reader) (io.WriterTo, error)
}

// kindsOfFiles are files of the kinds that TestGoldenFiles has none of: sums of float32, a pass with its sums, and models of
// FitIterative, of labels and of float32.
func kindsOfFiles(t *testing.T) map[string]kindOfFile {
	t.Helper()
	phi := fourier(2, 12)
	x, y := portable(200, 2)
	model := func(r io.Reader) (io.WriterTo, error) { return ReadModel(r, nil) }
	files := make(map[string]kindOfFile)

	phi32 := must(featuremap.Float32(phi))
	a := must(NewAccumulator32(phi32, 2))
	add32(t, a, exactly(x), y, 100)
	files["float32.accumulator"] = kindOfFile{written(a), func(r io.Reader) (io.WriterTo, error) { return ReadAccumulator32(r, phi32) }}
	files["float32.model"] = kindOfFile{written(must(a.Fit(&Options{Intervals: &IntervalOptions{Off: true}}))), model}

	x, y = portable(200, 2)
	var pass *Pass
	iterative := must(FitPasses(phi, func(p *Pass) (*PassSums, error) {
		sums := p.NewSums(0)
		if err := sums.Add(x, y); err != nil {
			return nil, err
		}
		if pass == nil {
			pass = p
			files["first.pass"] = kindOfFile{written(p), func(r io.Reader) (io.WriterTo, error) { return ReadPass(r, phi) }}
			files["first.sums"] = kindOfFile{written(sums), func(r io.Reader) (io.WriterTo, error) { return pass.ReadSums(r) }}
		}
		return sums, nil
	}, 2, &IterativeOptions{Samples: 16}))
	files["iterative.model"] = kindOfFile{written(iterative), model}

	classes := make([]int, 200)
	for i := range classes {
		classes[i] = i % 3
	}
	files["labels.model"] = kindOfFile{written(must(Fit(phi, x, must(Labels(classes, 3)), nil))), model}
	return files
}

// A file of version 1 of each kind is read by every release, and is written again with the same bytes.
//
//	go test ./ridge -run GoldenKinds -update
//
// writes the files, which is for new ones only.
func TestGoldenKinds(t *testing.T) {
	for name, want := range kindsOfFiles(t) {
		path := filepath.Join("testdata", "v1", name)
		if golden.Update() {
			if err := os.WriteFile(path, want.data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := must(os.ReadFile(path))
		if !bytes.Equal(got, want.data) {
			t.Errorf("%s is not what is written now", path)
		}
		read, err := want.read(bytes.NewReader(got))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if !bytes.Equal(written(read), got) {
			t.Errorf("%s: other bytes when it is written again", path)
		}
	}
}
