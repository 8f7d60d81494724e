// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dataset

import (
	"bytes"
	"compress/gzip"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestDigits(t *testing.T) {
	x, class, err := Digits()
	if err != nil {
		t.Fatal(err)
	}
	// 1797 instances of 64 attributes from 0 to 16 (UCI, "Number of Instances" of
	// optdigits.tes), and scikit-learn's figures: 178, 182, 177, 183, 181, 182, 181, 179,
	// 174, 180 of each class.
	if r, c := x.Dims(); r != 1797 || c != 64 || len(class) != 1797 {
		t.Fatalf("%d×%d with %d classes, want 1797×64 with 1797", r, c, len(class))
	}
	if lo, hi := mat.Min(x), mat.Max(x); lo != 0 || hi != 16 {
		t.Errorf("pixels from %v to %v, want 0 to 16", lo, hi)
	}
	var count [10]int
	for _, c := range class {
		count[c]++
	}
	if want := [10]int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}; count != want {
		t.Errorf("counts by class = %v, want %v", count, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"", "1,2,x\n", "1,x,2\n", "1,2,3\n1,2\n"} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		if _, _, err := readClassLast(b.Bytes()); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
	if _, _, err := readClassLast([]byte("not gzip")); err == nil {
		t.Error("no error for what is not gzip")
	}
}
