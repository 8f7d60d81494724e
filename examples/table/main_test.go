// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/columns"
)

// write writes a file of records, and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

var long = flag.Bool("long", false, "predict numbers, and not only classes")

// A file of 40 records becomes a model that is saved, of numbers or of classes, and read again it says the same.
func TestRun(t *testing.T) {
	var text strings.Builder
	text.WriteString("key,size,colour,price,dear\n")
	for i := range 40 {
		size, colour := i%10, []string{"red", "blue", "green"}[i%3]
		price, dear := 2*size+5*(i%3), "no"
		if price > 14 {
			dear = "yes"
		}
		text.WriteString(strings.Join([]string{"k" + string(rune('A'+i)), string(rune('0' + size)), colour, string(rune('0'+price/10)) + string(rune('0'+price%10)), dear}, ",") + "\n")
	}
	file := write(t, text.String())
	for target, wants := range map[string][]string{
		"price": {"number from 0 to 28, the target", "regression of 40 rows", "rows held back: RMSE"},
		"dear":  {"category of 2 values: no, yes, the target", "classification of 40 rows", "classes: no, yes"},
	} {
		if target == "price" && !*long {
			continue // some seconds; examples/tasks has the same calls
		}
		o := &columns.Options{Target: target, Kinds: map[string]columns.Kind{"key": columns.Ignored}}
		if target == "price" {
			o.Kinds["dear"] = columns.Ignored
		} else {
			o.Kinds["price"] = columns.Ignored
		}
		var out strings.Builder
		m, err := run(&out, file, ',', o)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: the output has no %q:\n%s", target, want, &out)
			}
		}
		saved := filepath.Join(t.TempDir(), "model")
		if err := save(saved, m); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(saved)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		read, err := columns.ReadModel(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		row, err := read.Encoder.EncodeVec(nil, []string{"", "7", "green", "", ""})
		if err != nil {
			t.Fatal(err)
		}
		if target == "price" {
			if got := read.Ridge.PredictVec(nil, row)[0]; !(got > 20 && got < 28) { // 24
				t.Errorf("the price is %v", got)
			}
		} else if p := read.Logistic.ProbabilityVec(nil, row); !(p[1] > 0.6) {
			t.Errorf("the probability of yes is %v", p[1])
		}
	}
}

// Errors name what is wrong with a file.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n":                  "has 1 lines",
		"a,b\n1,2\n3,x\n":        `"y" is no column`,
		"a,y\n1,2\n2\n":          "wrong number of fields",
		"a,y\n1,no\n2,\n4,yes\n": `row 1, column "y": "" is missing: leave records without a target out`,
		"a,y\n1,2\n,3\n4,5\n":    `row 1, column "a": "" is missing: where a value may be missing, Options.Missing has to list this text`,
	} {
		if _, err := run(&strings.Builder{}, write(t, text), ',', &columns.Options{Target: "y"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := run(&strings.Builder{}, "no such file", ',', &columns.Options{Target: "y"}); err == nil {
		t.Error("no error for no file")
	}
	if err := save(filepath.Join(t.TempDir(), "no", "model"), &columns.Model{}); err == nil {
		t.Error("no error for no folder")
	}
}
