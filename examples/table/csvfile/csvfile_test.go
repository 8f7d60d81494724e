// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package csvfile

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// Each of the 256 bytes of an encoding is the character that it stands for, by some of each kind: what is below 0x80, the euro and
// what else Windows has where Latin-1 has controls, and letters.
func TestDecoded(t *testing.T) {
	const bytes = "Z\xfcrich,\x80 5\x85 \x93\x99\x94 \x9f\xff \x81"
	for encoding, want := range map[string]string{
		"": bytes, "UTF-8": bytes, "latin1": "Zürich,\u0080 5\u0085 \u0093\u0099\u0094 \u009fÿ \u0081", "Windows-1252": "Zürich,€ 5… “™” Ÿÿ \u0081",
	} {
		r, err := decoded(strings.NewReader(bytes), encoding)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", encoding, got, err, want)
		}
	}
	// Of any length, with an error of reading after what was read.
	r, err := decoded(io.MultiReader(iotest.HalfReader(strings.NewReader(strings.Repeat("\xfc\n", 10_000))), iotest.ErrReader(io.ErrClosedPipe)), "latin1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != io.ErrClosedPipe || string(got) != strings.Repeat("ü\n", 10_000) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for i, c := range windows1252 {
		if slices.Contains(windows1252[:i], c) || c < 0x80 {
			t.Errorf("byte %#x is %q", 0x80+i, c)
		}
	}
}

// Flags set a format, whose zero value they do not keep.
func TestFlags(t *testing.T) {
	for line, want := range map[string]Format{
		"":                                   {',', false, "utf-8"},
		`-comma ; -header=false`:             {';', true, "utf-8"},
		`-comma \t -header -encoding latin1`: {'\t', false, "latin1"},
	} {
		var f Format
		set := flag.NewFlagSet("", flag.ContinueOnError)
		f.Flags(set)
		if err := set.Parse(strings.Fields(line)); err != nil || f != want {
			t.Errorf("%q: %v, %v", line, f, err)
		}
	}
}

// Records come in the order that is wanted. What is optional may be missing, and is empty.
func TestOrder(t *testing.T) {
	got, err := Order([]string{"b", "more", "a"}, [][]string{{"1", "2", "3"}}, []string{"a", "b", "c"}, func(name string) bool { return name == "c" })
	if err != nil || !slices.Equal(got[0], []string{"3", "1", ""}) {
		t.Errorf("%q, %v", got, err)
	}
}
