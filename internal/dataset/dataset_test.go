// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dataset

import (
	"bytes"
	"compress/gzip"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
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

func TestLetter(t *testing.T) {
	x, class, err := Letter()
	if err != nil {
		t.Fatal(err)
	}
	if r, c := x.Dims(); r != 20000 || c != 16 || len(class) != 20000 {
		t.Fatalf("%d×%d with %d classes, want 20000×16 with 20000", r, c, len(class))
	}
	if lo, hi := mat.Min(x), mat.Max(x); lo != 0 || hi != 15 {
		t.Errorf("numbers from %v to %v, want 0 to 15", lo, hi)
	}
	// Class distribution of letter-recognition.names (UCI), A to Z.
	want := []int{
		789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792,
		783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734,
	}
	count := make([]int, 26)
	for _, c := range class {
		count[c]++
	}
	if !slices.Equal(count, want) {
		t.Errorf("counts by class = %v, want %v", count, want)
	}
	// The first row of the file, a T.
	if got := x.RawRowView(0); class[0] != 'T'-'A' || !slices.Equal(got, []float64{2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8}) {
		t.Errorf("row 0: class %d, %v", class[0], got)
	}
}

func TestNursery(t *testing.T) {
	x, class, err := Nursery()
	if err != nil {
		t.Fatal(err)
	}
	if r, c := x.Dims(); r != 12960 || c != 8 || len(class) != 12960 {
		t.Fatalf("%d×%d with %d classes, want 12960×8 with 12960", r, c, len(class))
	}
	// The instances cover the attribute space (nursery.names, UCI): each combination once.
	seen := make(map[[8]float64]bool)
	for i := range class {
		seen[[8]float64(x.RawRowView(i))] = true
	}
	if product := 3 * 5 * 4 * 4 * 3 * 2 * 3 * 3; len(seen) != product {
		t.Errorf("%d different rows, want %d", len(seen), product)
	}
	for j, values := range []float64{3, 5, 4, 4, 3, 2, 3, 3} {
		if v := mat.Col(nil, j, x); floats.Min(v) != 0 || floats.Max(v) != values-1 {
			t.Errorf("column %d: from %v to %v, want 0 to %v", j, floats.Min(v), floats.Max(v), values-1)
		}
	}
	// Class distribution of nursery.names: not_recom, recommend, very_recom, priority, spec_prior.
	var count [5]int
	for _, c := range class {
		count[c]++
	}
	if want := [5]int{4320, 2, 328, 4266, 4044}; count != want {
		t.Errorf("counts by class = %v, want %v", count, want)
	}
}

func TestPendigits(t *testing.T) {
	x, class, err := Pendigits()
	if err != nil {
		t.Fatal(err)
	}
	if r, c := x.Dims(); r != 10992 || c != 16 || len(class) != 10992 {
		t.Fatalf("%d×%d with %d classes, want 10992×16 with 10992", r, c, len(class))
	}
	if lo, hi := mat.Min(x), mat.Max(x); lo != 0 || hi != 100 {
		t.Errorf("numbers from %v to %v, want 0 to 100", lo, hi)
	}
	// Class distribution of pendigits.names (UCI), of the training and of the test file.
	var count [2][10]int
	for i, c := range class {
		part := 0
		if i >= 7494 {
			part = 1
		}
		count[part][c]++
	}
	if want := [2][10]int{
		{780, 779, 780, 719, 780, 720, 720, 778, 719, 719},
		{363, 364, 364, 336, 364, 335, 336, 364, 336, 336},
	}; count != want {
		t.Errorf("counts by class = %v, want %v", count, want)
	}
}

func TestSpambase(t *testing.T) {
	x, class, test, err := Spambase()
	if err != nil {
		t.Fatal(err)
	}
	// 4601 instances of 57 attributes, 1813 of them spam (UCI, spambase.DOCUMENTATION),
	// 1536 of them test points (The elements of statistical learning, section 9.1.2). The
	// 595 spam messages among these were counted in the file.
	if r, c := x.Dims(); r != 4601 || c != 57 || len(class) != 4601 || len(test) != 4601 {
		t.Fatalf("%d×%d with %d classes and %d flags, want 4601×57 with 4601", r, c, len(class), len(test))
	}
	var count [2][2]int
	for i, c := range class {
		count[c][test[i]]++
	}
	if want := [2][2]int{{2788 - 941, 941}, {1813 - 595, 595}}; count != want {
		t.Errorf("counts by class and flag = %v, want %v", count, want)
	}
	// Attribute statistics of spambase.DOCUMENTATION, in its digits.
	if lo := mat.Min(x); lo != 0 {
		t.Errorf("smallest value %v, want 0", lo)
	}
	for _, want := range []struct {
		column        int
		max, mean, by float64
	}{
		{0, 4.54, 0.10455, 5e-6},
		{54, 1102.5, 5.1915, 5e-5},
		{55, 9989, 52.173, 5e-4},
		{56, 15841, 283.29, 5e-3},
	} {
		v := mat.Col(nil, want.column, x)
		if hi, mean := floats.Max(v), floats.Sum(v)/4601; hi != want.max || !(math.Abs(mean-want.mean) <= want.by) {
			t.Errorf("column %d: largest %v, mean %v, want %v, %v", want.column, hi, mean, want.max, want.mean)
		}
	}
	// The first and the last row of the file, from column 54 on.
	for _, want := range []struct {
		row, class, test int
		capitals         []float64
	}{
		{0, 1, 1, []float64{3.756, 61, 278}},
		{4600, 0, 0, []float64{1.25, 5, 40}},
	} {
		got := x.RawRowView(want.row)[54:]
		if !floats.Equal(got, want.capitals) || class[want.row] != want.class || test[want.row] != want.test {
			t.Errorf("row %d ends in %v, %v, %v, want %+v", want.row, got, class[want.row], test[want.row], want)
		}
	}
}

// What a caller does to its copy changes no other.
func TestCopies(t *testing.T) {
	x, class, test, err := Spambase()
	if err != nil {
		t.Fatal(err)
	}
	x.Set(0, 0, -1)
	class[0], test[0] = -1, -1
	x, class, test, _ = Spambase()
	if x.At(0, 0) < 0 || class[0] < 0 || test[0] < 0 {
		t.Errorf("Spambase returns %v, %v, %v after a caller's change", x.At(0, 0), class[0], test[0])
	}
	x, class, err = Digits()
	if err != nil {
		t.Fatal(err)
	}
	x.Set(0, 0, -1)
	class[0] = -1
	x, class, _ = Digits()
	if x.At(0, 0) < 0 || class[0] < 0 {
		t.Errorf("Digits returns %v, %v after a caller's change", x.At(0, 0), class[0])
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"", "1\n", "1,2,x\n", "1,x,2\n", "1,2,3\n1,2\n"} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		if _, err := read(b.Bytes(), 1); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
	if _, err := read([]byte("not gzip"), 1); err == nil {
		t.Error("no error for what is not gzip")
	}
}
