// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sets

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

func TestEmbedded(t *testing.T) {
	for _, c := range []struct {
		load                  func() (*Set, error)
		rows, d, classes, own int
	}{
		{Digits, 1797, 64, 10, 0},
		{Letter, 20000, 16, 26, 16000},
		{Nursery, 12960, 8, 5, 0},
		{Pendigits, 10992, 16, 10, 7494},
		{Spambase, 4601, 57, 2, 0},
	} {
		s, err := c.load()
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != c.rows || s.Dim() != c.d || s.Classes != c.classes || s.Train != c.own || len(s.Class) != c.rows {
			t.Errorf("%s: %d×%d, %d classes, %d to train on; want %+v", s.Name, s.Len(), s.Dim(), s.Classes, s.Train, c)
		}
		if s.Train > 0 {
			if train, test := s.Own(); train.Len() != s.Train || test.Len() != s.Len()-s.Train {
				t.Errorf("%s: parts of %d and %d", s.Name, train.Len(), test.Len())
			}
		}
	}
}

// zip writes a gzipped file to a folder.
func zip(t *testing.T, folder, name, text string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	folder := t.TempDir()
	zip(t, folder, "a9a.libsvm.gz", "-1 3:1 11:0.5\n+1 123:2 \n")
	zip(t, folder, "a9a.t.libsvm.gz", "+1 1:1\n")
	s, err := Adult(folder)
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 3 || s.Dim() != 123 || s.Train != 2 || !slices.Equal(s.Class, []int{0, 1, 1}) ||
		s.X.At(0, 2) != 1 || s.X.At(0, 10) != .5 || s.X.At(1, 122) != 2 || s.X.At(2, 0) != 1 || mat.Sum(s.X) != 4.5 {
		t.Errorf("Adult: %+v", s)
	}
	zip(t, folder, "cal_housing.csv.gz", "x,2,3,4,5,6,7,8,y\n1,2,3,4,5,6,7,8,9\n2,2,3,4,5,6,7,8,10\n")
	if s, err = CalHousing(folder); err != nil {
		t.Fatal(err)
	}
	if s.Len() != 2 || s.Dim() != 8 || s.X.At(1, 0) != 2 || s.Target.At(1, 0) != 10 {
		t.Errorf("CalHousing: %+v", s)
	}
	image := make([]byte, 2*3073)
	image[0], image[1], image[1+1024+32+5], image[3073] = 7, 200, 100, 9
	zip(t, folder, "cifar10_train4000_a.bin.gz", string(image))
	images, class, err := CIFAR10(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(images) != 2 || !slices.Equal(class, []int{7, 9}) || images[0][0][0][0] != 200 || images[0][1][1][5] != 100 {
		t.Errorf("CIFAR10: %d images of classes %v", len(images), class)
	}
}

func TestReadRefuses(t *testing.T) {
	folder := t.TempDir()
	if _, err := Adult(folder); err == nil || !strings.Contains(err.Error(), "a9a.libsvm.gz") {
		t.Errorf("without files: %v", err)
	}
	zip(t, folder, "a9a.t.libsvm.gz", "")
	for _, line := range []string{"", "x", "2 1:1", "-1 0:1", "-1 124:1", "-1 1:x", "-1 1", "\n"} {
		zip(t, folder, "a9a.libsvm.gz", line)
		if s, err := Adult(folder); err == nil {
			t.Errorf("Adult read %q as %+v", line, s)
		}
	}
	for _, text := range []string{"", "a,2,3,4,5,6,7,8,9\n", "1,2\n", "1,2,3,4,5,6,7,x,9\n"} {
		zip(t, folder, "cal_housing.csv.gz", text)
		if s, err := CalHousing(folder); err == nil {
			t.Errorf("CalHousing read %q as %+v", text, s)
		}
	}
	for _, text := range []string{"", "\x01", strings.Repeat("\x0a", 3073)} {
		zip(t, folder, "cifar10_train4000_a.bin.gz", text)
		if _, _, err := CIFAR10(folder); err == nil {
			t.Errorf("CIFAR10 read %d bytes", len(text))
		}
	}
}

func TestSplitAndScores(t *testing.T) {
	s := &Set{X: mat.NewDense(4, 1, []float64{0, 1, 2, 3}), Class: []int{0, 1, 0, 1}, Classes: 2, Target: mat.NewDense(4, 1, []float64{0, 1, 2, 3})}
	a, b := s.Split(3, featuremap.NewSampler(1))
	if a.Len() != 3 || b.Len() != 1 {
		t.Fatalf("parts of %d and %d", a.Len(), b.Len())
	}
	seen := make(map[float64]bool)
	for _, part := range []*Set{a, b} {
		for i := range part.Len() {
			v := part.X.At(i, 0)
			seen[v] = true
			if part.Class[i] != int(v)%2 || part.Target.At(i, 0) != v {
				t.Errorf("row %v has class %d and target %v", v, part.Class[i], part.Target.At(i, 0))
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("only %d of 4 rows", len(seen))
	}
	if got := s.Accuracy(mat.NewDense(4, 2, []float64{1, 0, 1, 0, 1, 0, 0, 1})); got != .75 {
		t.Errorf("accuracy %v, want 0.75", got)
	}
	if got := s.RMSE(mat.NewDense(4, 1, []float64{0, 1, 2, 5})); got != 1 {
		t.Errorf("RMSE %v, want 1", got)
	}
	train, test := mat.NewDense(2, 2, []float64{1, 5, 3, 5}), mat.NewDense(1, 2, []float64{5, 6})
	Standardize(train, test)
	if want := mat.NewDense(2, 2, []float64{-1, 0, 1, 0}); !mat.Equal(train, want) || test.At(0, 0) != 3 || math.Abs(test.At(0, 1)-1) > 0 {
		t.Errorf("standardized %v and %v", train, test)
	}
}
