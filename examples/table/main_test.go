// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// writeFile writes a file of records, and returns its path.
func writeFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// newJob returns the job of a file of some text, with lists as flags have them.
func newJob(t *testing.T, text, target, ignored, categories string) *job {
	t.Helper()
	j := &job{file: writeFile(t, text), level: 0.9}
	j.Target, j.Comma = target, ','
	if err := j.set(ignored, categories, "", ",NA"); err != nil {
		t.Fatal(err)
	}
	return j
}

var long = flag.Bool("long", false, "predict numbers, and not only classes")

// A file of 40 records in Latin-1 becomes a model that is saved, of numbers or of classes, and read again it says the same.
func TestRun(t *testing.T) {
	var text strings.Builder
	text.WriteString("key,gr\xf6\xdfe,color,price,dear\n")
	for i := range 40 {
		size, color := i%10, []string{"red", "blue", "gr\xfcn"}[i%3]
		price, dear := 2*size+5*(i%3), "no"
		if price > 14 {
			dear = "yes"
		}
		text.WriteString(strings.Join([]string{"k" + string(rune('A'+i)), string(rune('0' + size)), color, string(rune('0'+price/10)) + string(rune('0'+price%10)), dear}, ",") + "\n")
	}
	for target, wants := range map[string][]string{
		"price": {"größe  number from 0 to 9", "number from 0 to 28, the target", "regression of 40 rows", "RMSE "},
		"dear":  {"größe  number from 0 to 9", "category of 2 values: no, yes, the target", "classification of 40 rows", "classes: no, yes"},
	} {
		if target == "price" && !*long {
			continue // some seconds; the program of docs/cookbook/csv.md has the same calls
		}
		other := map[string]string{"price": "dear", "dear": "price"}[target]
		var out strings.Builder
		j := newJob(t, text.String(), target, "key, "+other, "")
		j.Encoding = "latin1"
		j.predict, j.predictions = writeFile(t, "color,more,gr\xf6\xdfe\ngr\xfcn,\"a,b\",7\n"), filepath.Join(t.TempDir(), "predicted.csv")
		m, err := j.run(&out)
		if err != nil {
			t.Fatal(err)
		}
		var predicted strings.Builder
		if err := j.fresh.write(&predicted, m, j.Comma, j.level); err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"price": "color,more,größe,predicted,lo,hi\ngrün,\"a,b\",7,2", "dear": "color,more,größe,predicted,probability\ngrün,\"a,b\",7,yes,0."}[target]; !strings.HasPrefix(predicted.String(), want) {
			t.Errorf("%s: predictions %q, want %q", target, &predicted, want)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: the output has no %q:\n%s", target, want, &out)
			}
		}
		var report strings.Builder
		if err := j.report(&report, out.String()); err != nil || !regexp.MustCompile(`^fitted on table.csv, SHA-256 [0-9a-f]{64}\nscore on held-out rows: \w+ .*\n\n`).MatchString(report.String()) || !strings.HasSuffix(report.String(), out.String()) {
			t.Errorf("%s: the file of the report is %q, %v", target, &report, err)
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
		read, err := table.ReadModel(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		row, err := read.Encoder.EncodeVec(nil, []string{"", "7", "grün", "", ""})
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

// Errors name what is wrong with a file, and the flag that may mend it.
func TestRefused(t *testing.T) {
	keys := "y,a\n"
	for i := range 12 {
		keys += "k" + strings.Repeat("x", i) + ",1\n"
	}
	for text, want := range map[string]string{
		"a,y\n":                      "has no records",
		"":                           "has no records",
		"a,b\n1,2\n3,x\n":            `"y" is no column: the names are ["a" "b"]`,
		"1,2\n3,x\n":                 `"y" is no column: the names are ["1" "2"]; if the file has no line of names, -header=false`,
		"0,0,1\n3,4,5\n":             `the name "0" is twice there: if the file has no line of names, -header=false`,
		"a;b;y\n1;2;3\n":             `"y" is no column: the names are ["a;b;y"]; what is between fields may be something else: -comma ';' or -comma '\t'`,
		"a,y\n1,2\n2\n":              "line 3 has 1 fields, and the first 2: wrong number of fields",
		"a,y\r1,2\r2,3\r":            "lines end with CR alone",
		"a,y\n1,no\n2,\n4,yes\n":     `row 1, column "y": "" is missing: leave records without a target out`,
		"a,y\nZ\xfcrich,2\nBern,3\n": `row 0, column "a": "Z\xfcrich" is not UTF-8: decode the text first, as examples/table does with -encoding latin1`,
		"\xff\xfea\x00":              "UTF-16",
		"a,y\n1,2\n?,3\n4,5\n":       "list texts for missing values in -missing",
		keys:                         "is it a key? Name the column in -ignore, or in -category",
	} {
		if _, err := newJob(t, text, "y", "", "").run(io.Discard); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Options.") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := new(job).set("a,b", "c,b", "", ""); err == nil || !strings.Contains(err.Error(), `column "b" is in -ignore and in -category`) {
		t.Errorf("a column in two flags: %v", err)
	}
	if _, err := newJob(t, keys+"k,2\n", "y", "", "y").run(io.Discard); err == nil || !strings.Contains(err.Error(), "class") {
		t.Errorf("classes of a row each: %v", err)
	}
	text := "a,g,y\n19,z,yes\n18,z,yes\n"
	for i := range 18 {
		text += fmt.Sprintf("%d,z,no\n", i)
	}
	j := newJob(t, text, "y", "", "")
	j.time = "a"
	if _, err := j.run(io.Discard); err == nil || !strings.Contains(err.Error(), `-time a: all rows of class "yes" are test rows`) {
		t.Errorf("a class of the last rows alone: %v", err)
	}
	j = newJob(t, "g,a,y\nb,1,2\n,2,3\nb,3,4\n", "y", "", "")
	j.group = "g"
	if _, err := j.run(io.Discard); err == nil || !strings.Contains(err.Error(), "-group g: row 1 has no value") {
		t.Errorf("a row without a group: %v", err)
	}
	j = &job{group: "g"}
	if err := j.validateHeld([]int{0, 1, 0, 2}, []int{3}, []string{"a", "b", "c"}); err == nil || !strings.Contains(err.Error(), `-group g: all rows of class "c" are test rows`) {
		t.Errorf("a class of one group: %v", err)
	}
	if err := j.validateHeld([]int{0, 1, 0, 2}, []int{0}, []string{"a", "b", "c"}); err != nil {
		t.Error(err)
	}
	j = newJob(t, "a,y\n1,2\n", "y", "", "")
	j.Encoding = "utf-16"
	if _, err := j.run(io.Discard); err == nil || !strings.Contains(err.Error(), "must be utf-8, latin1") {
		t.Errorf("another encoding: %v", err)
	}
	j.predict = "x"
	if _, err := j.run(io.Discard); err == nil || !strings.Contains(err.Error(), "-predict and -predictions: must both") {
		t.Errorf("-predict alone: %v", err)
	}
	j.predict, j.file = "", "no such file"
	if _, err := j.run(io.Discard); err == nil {
		t.Error("no error for no file")
	}
	if err := save(filepath.Join(t.TempDir(), "no", "model"), &table.Model{}); err == nil {
		t.Error("no error for no folder")
	}
	for _, comma := range []string{"", ";;", `\n`} {
		if err := j.SetComma(comma); err == nil || !strings.Contains(err.Error(), "-comma") {
			t.Errorf("-comma %q: %v", comma, err)
		}
	}
	if err := j.set(`"a`, "", "", ""); err == nil {
		t.Error("no error for a name of one quote")
	}
}

// Two values, and few whole numbers, may be classes.
func TestFewValues(t *testing.T) {
	for want, v := range map[int][]float64{0: {0, 1, 2.5}, 2: {.5, 1.5, .5}, 3: {0, 2, 1, 1}} {
		if got := fewValues(v); got != want {
			t.Errorf("%v: %d values, want %d", v, got, want)
		}
	}
	if got := fewValues([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); got != 0 {
		t.Errorf("11 values: %d", got)
	}
}

// With -group the intervals and the error of a number are for new groups, if there are enough of them; otherwise a line says that they are not.
func TestGroups(t *testing.T) {
	s := featuremap.NewSampler(1)
	for groups, want := range map[int]string{
		20: " test rows of ",
		6:  "-group who: 5 groups of training rows: with fewer than 10, error bars and intervals are for other rows of these groups.",
	} {
		text := "who,a,y\n"
		for i := range 120 {
			v := s.Normal()
			text += fmt.Sprintf("p%d,%.3f,%.3f\n", i%groups, v, v+float64(i%groups*7%5)+0.1*s.Normal())
		}
		j := newJob(t, text, "y", "", "")
		j.group = "who"
		if err := j.set("", "", "", ""); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if _, err := j.run(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), " groups (predicting") != (groups == 20) {
			t.Errorf("%d groups: want %q:\n%v", groups, want, &out)
		}
	}
}
