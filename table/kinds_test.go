// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// twoColumns returns n records of two columns, "c" of a function of the row, and "y" of numbers.
func twoColumns(n int, text func(i int) string) [][]string {
	var all [][]string
	for i := range n {
		all = append(all, []string{text(i), fmt.Sprint(i % 7)})
	}
	return all
}

// every returns a for one of so many rows, and b for the others.
func every(rows int, a string, b func(i int) string) func(i int) string {
	return func(i int) string {
		if i%rows == min(3, rows-1) {
			return a
		}
		return b(i)
	}
}

// What may be numbers, dates or keys is not taken for categories without a word: errors show some texts with their row and share, and
// name the options that decide, of which each does.
func TestNoGuess(t *testing.T) {
	day := func(layout string) func(i int) string {
		return func(i int) string { return time.Date(2025, 1, 1+i, i%24, 0, 0, 0, time.UTC).Format(layout) }
	}
	number := func(i int) string { return fmt.Sprintf("%d.5", i*i%83) }
	for name, c := range map[string]struct {
		text    func(i int) string
		wants   []string
		options Options // that go on
		kind    Kind
	}{
		"unlisted ?": {every(8, "?", number), []string{`13 of 100 texts (13 %), such as "?" in row 3,`, "Options.Missing"}, Options{Missing: []string{"?"}}, Number},
		"half of them": {func(i int) string { return []string{"3", "none", "4", "null", "5"}[i%5] }, []string{
			`40 of 100 texts (40 %), such as "none" in row 1, "null" in row 3,`}, Options{Missing: []string{"none", "null"}}, Number},
		"most unknown": {func(i int) string { return []string{"unknown", number(i), " unknown"}[i%3] }, []string{
			`67 of 100 texts (67 %), such as "unknown" in row 0,`, "19 of 20 different texts are numbers or dates", "Options.Missing"}, Options{Missing: []string{" unknown "}}, Number},
		"most days unknown": {every(4, "never", func(i int) string { return []string{"never", day("02.01.2006")(i)}[i%2] }), []string{
			`"never" in row 0`, "25 of 26 different texts have digits", "Options.Layouts"}, Options{Missing: []string{"never"}, Layouts: []string{"02.01.2006"}}, Date},
		"plates":           {func(i int) string { return fmt.Sprintf("%d_%d", i%12, i%11) }, []string{`"0_0" in row 0`, "have digits"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"hexadecimal":      {func(i int) string { return fmt.Sprintf("0x%xp3", i) }, []string{`"0x0p3" in row 0`, "have digits"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"one ? in 100":     {every(100, "?", number), []string{`1 of 100 texts (1 %), such as "?" in row 3,`}, Options{Missing: []string{"?"}}, Number},
		"house numbers":    {every(3, "7a", func(i int) string { return fmt.Sprint(i % 9) }), []string{"Options.Kinds", "Category"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"thousands":        {func(i int) string { return fmt.Sprintf("1,%03d.24", i%50) }, []string{`100 of 100 texts (100 %), such as "1,000.24" in row 0, "1,001.24" in row 1, "1,002.24" in row 2,`, "decimal point"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"currency":         {func(i int) string { return fmt.Sprintf("$%d", i%50) }, []string{`"$0" in row 0`, "no unit"}, Options{Kinds: map[string]Kind{"c": Ignored}}, Ignored},
		"decimal comma":    {func(i int) string { return fmt.Sprintf("81,%d", i%40) }, []string{`"81,0" in row 0`, "decimal point"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"Arabic digits":    {func(i int) string { return string([]rune("٠١٢٣٤٥٦٧٨٩")[i%10]) }, []string{"have digits"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"other dates":      {day("02.01.2006"), []string{`"01.01.2025" in row 0`, "Options.Layouts"}, Options{Layouts: []string{"02.01.2006"}}, Date},
		"mixed dates":      {every(5, "01.02.2025", day(time.DateOnly)), []string{`20 of 100 texts (20 %), such as "01.02.2025" in row 3,`, "Options.Layouts"}, Options{Layouts: []string{time.DateOnly, "02.01.2006"}}, Date},
		"one date":         {func(i int) string { return []string{"1.5", "2025-01-02"}[i/99] }, []string{`numbers in 99 rows, such as "1.5" in row 0, and dates in 1, such as "2025-01-02" in row 99`, "Missing"}, Options{Missing: []string{"2025-01-02"}}, Number},
		"numbers as dates": {day("20060102"), nil, Options{Layouts: []string{"20060102"}, Kinds: map[string]Kind{"c": Date}}, Date},
		"key":              {func(i int) string { return strings.Repeat("x", i+1) }, []string{"100 of 100 texts", "is it a key?"}, Options{Kinds: map[string]Kind{"c": Ignored}}, Ignored},
		"key, some empty":  {every(2, "", func(i int) string { return strings.Repeat("x", i+1) }), []string{"are in one row each"}, Options{Kinds: map[string]Kind{"c": Category}}, Category},
		"key except three": {func(i int) string { return strings.Repeat("x", 1+max(i, 3)) }, []string{"96 of 100 texts"}, Options{Kinds: map[string]Kind{"c": Ignored}}, Ignored},
	} {
		e, err := Fit([]string{"c", "y"}, twoColumns(100, c.text), &Options{Target: "y"})
		for _, want := range append(c.wants, `column "c"`) {
			if c.wants != nil && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, %v: want %q", name, e, err, want)
			}
		}
		c.options.Target = ""
		if e, err = Fit([]string{"c", "y"}, twoColumns(100, c.text), &c.options); err != nil || e.columns[0].Kind != c.kind {
			t.Errorf("%s: %v, %v: want kind %v", name, e, err, c.kind)
		}
		// As a target no column is guessed either.
		if e, err = Fit([]string{"c", "y"}, twoColumns(100, c.text), &Options{Target: "c"}); c.wants != nil && (err == nil || !strings.Contains(err.Error(), `column "c"`)) {
			t.Errorf("%s, as a target: %v, %v", name, e, err)
		}
	}
}

// What Python's isoformat and pandas write are dates.
func TestWrittenDates(t *testing.T) {
	for _, text := range []string{"2025-03-04T05:06:07", "2025-03-04T05:06:07.123456", "2025-03-04T05:06", "2025-03-04T05:06:07+00:00", "2025-03-04T05:06:07.123456+02:00",
		"2025-03-04 05:06:07+00:00", "2025-03-04 05:06:07.123456+00:00", "2025-03-04 05:06:07Z", "2025-03-04 05:06", "2025-03-04 05:06:07.5", "2025-03-04"} {
		e, err := Fit([]string{"at"}, [][]string{{text}, {"2025-03-05"}}, nil)
		if err != nil || e.columns[0].Kind != Date || text != "2025-03-04" && !e.columns[0].Times {
			t.Errorf("%q: %v, %v", text, e, err)
		}
	}
}

// Dates are no target, layouts that read nothing are refused, and so are numbers that are dates as well.
func TestRefusedDates(t *testing.T) {
	day := func(layout string) func(i int) string {
		return func(i int) string { return time.Date(2025, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(layout) }
	}
	for want, c := range map[string]struct {
		text    func(i int) string
		options Options
	}{
		`column "c": 153 of 153 texts (100 %), such as "2025-01-01" in row 0, "2025-01-02" in row 1, "2025-01-03" in row 2, are dates, which cannot be a target`: {day(time.DateOnly), Options{Target: "c"}},
		`Layouts ["Monday"] read no field`:                  {func(i int) string { return []string{"May", "June"}[i%2] }, Options{Layouts: []string{"Monday"}, Kinds: map[string]Kind{"y": Ignored}}},
		`are numbers, and dates of Options.Layouts as well`: {day("20060102"), Options{Layouts: []string{"20060102"}}},
	} {
		if e, err := Fit([]string{"c", "y"}, twoColumns(153, c.text), &c.options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v: want %q", e, err, want)
		}
	}
	e, err := Fit([]string{"c", "y"}, twoColumns(153, day("20060102")), &Options{Layouts: []string{"20060102"}, Kinds: map[string]Kind{"c": Date}})
	if err != nil || e.columns[0].Kind != Date {
		t.Errorf("%v, %v", e, err)
	}
}

// Of more than 256 values the most frequent have numbers, and all others one: also those that were not there.
func TestOthers(t *testing.T) {
	// Value i is there 1 + ⌊i/60⌋ times, so that of those that are there once the first 15 in order are among the 255, and 45 are not.
	var records [][]string
	for i := range 300 {
		for range 1 + i/60 {
			records = append(records, []string{"v" + strings.Repeat("x", i/17) + string(rune('a'+i%17)), fmt.Sprint(i % 7)})
		}
	}
	e, err := Fit([]string{"c", "y"}, records, &Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	names := e.Names()
	if len(names) != 256 || names[255] != "c, other" || len(e.columns[0].Values) != 255 || !slices.IsSorted(e.columns[0].Values) {
		t.Fatalf("%d names, the last %q", len(names), names[len(names)-1])
	}
	if want := "category of 300 values, the 255 most frequent and 45 that are “other”: "; !strings.Contains(e.String(), want) {
		t.Errorf("%v has no %q", e, want)
	}
	x, err := e.Encode(append(records, []string{"unknown", "1"}))
	if err != nil {
		t.Fatal(err)
	}
	var once []string // in order
	for i := range 60 {
		once = append(once, records[i][0])
	}
	slices.Sort(once)
	others := 0
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		if k := slices.Index(row, 1); names[k] == "c, other" {
			if at := slices.Index(once, append(records, []string{"unknown"})[i][0]); i < n-1 && at < 15 {
				t.Errorf("row %d, %q, is another", i, records[i][0])
			}
			others++
		} else if names[k] != "c = "+records[i][0] || slices.Contains(row[k+1:], 1) {
			t.Errorf("row %d, %q, is %q", i, records[i][0], names[k])
		}
	}
	if others != 46 {
		t.Errorf("%d rows are others: want 45 and the unknown", others)
	}
	// Deviations are those of the rows, and the kernel has them.
	for k, d := range e.columns[0].Deviations {
		var count float64
		for i := range len(records) {
			count += x.At(i, k)
		}
		if p := count / float64(len(records)); !(d*d-p*(1-p) < 1e-15 && p*(1-p)-d*d < 1e-15) {
			t.Errorf("%s: deviation %v, of the share %v", names[k], d, p)
		}
	}
	if unseen, err := e.Unseen([]string{"unknown", "1"}); err != nil || unseen != nil {
		t.Errorf("unseen: %q, %v", unseen, err)
	}
	// A target keeps its classes, and a key is refused whatever Kinds says.
	if e, err = Fit([]string{"c", "y"}, records, &Options{Target: "c"}); err != nil || len(e.ClassNames()) != 300 {
		t.Errorf("%d classes, %v", len(e.ClassNames()), err)
	}
	key := twoColumns(257, func(i int) string { return fmt.Sprint("k", i) })
	if e, err = Fit([]string{"c", "y"}, key, &Options{Kinds: map[string]Kind{"c": Category}}); err == nil || !strings.Contains(err.Error(), "is it a key?") {
		t.Errorf("a key: %v, %v", e, err)
	}
}

// Numbers whose squares are 0 in float64 are not constant, and have no kernel: they are refused, and those nearby are not.
func TestTiny(t *testing.T) {
	for scale, ok := range map[string]bool{"e-200": false, "e-160": false, "e-320": false, "e-140": true} {
		records := twoColumns(60, func(i int) string { return fmt.Sprint(i) + scale })
		e, err := Fit([]string{"c", "y"}, records, &Options{Target: "y"})
		if !ok {
			if err == nil || !strings.Contains(err.Error(), `column "c": the standard deviation is`) {
				t.Errorf("%s: %v, %v", scale, e, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if far := e.Kernel().Eval([]float64{0}, []float64{59e-140}); !(far > 0.001 && far < 0.01) {
			t.Errorf("%s: the kernel is %v at the largest distance", scale, far)
		}
	}
}

// A few texts that are numbers may be categories: levels, for example.
func TestLevels(t *testing.T) {
	for _, texts := range [][]string{{"low", "1", "low", "2", "low", "3"}, {"1", "a", "b", "c", "2"}} {
		e, err := Fit([]string{"c", "y"}, twoColumns(60, func(i int) string { return texts[i%len(texts)] }), &Options{Target: "y"})
		if err != nil || e.columns[0].Kind != Category {
			t.Errorf("%q: %v, %v", texts, e, err)
		}
	}
}

// Far from 0 a range has the digits in which its ends differ.
func TestFarRange(t *testing.T) {
	e, err := Fit([]string{"a", "b", "c"}, [][]string{{"2460000.25", "1", "1e9"}, {"2460001", "1234567.5", "1e9"}, {"2460000.5", "2", "1e9"}}, nil)
	if want := "a  number from 2460000.25 to 2460001\nb  number from 1 to 1.23457e+06\nc  number from 1e+09 to 1e+09\n"; err != nil || e.String() != want {
		t.Errorf("%q, %v, want %q", e, err, want)
	}
}

// One value is not some.
func TestOneValue(t *testing.T) {
	e, err := Fit([]string{"a", "b"}, [][]string{{"1", "x"}, {"2", "x"}}, nil)
	if err != nil || !strings.Contains(e.String(), "b  category of 1 value: x\n") {
		t.Errorf("%v, %v", e, err)
	}
}

// Bytes that are not UTF-8 are refused, wherever they would be saved, with row and column and what to do, and by records to be encoded;
// UTF-8 of any kind, in a name, a value, a class or a text of Missing, is saved and read.
func TestText(t *testing.T) {
	const bad, good = "Z\xfcrich", "Zürich\u2028<\x00>\U0001F600\ufffd"
	fit := func(name, value, class, missing string) (*Encoder, error) {
		return Fit([]string{name, "n", "kind"}, [][]string{{value, "1", class}, {"Bern", missing, "b"}}, &Options{Target: "kind", Missing: []string{missing}})
	}
	for want, texts := range map[string][4]string{
		`the header has column 0: "Z\xfcrich" is not UTF-8`:      {bad, good, good, good},
		`row 0, column "a": "Z\xfcrich" is not UTF-8`:            {"a", bad, good, good},
		`row 0, column "kind": "Z\xfcrich" is not UTF-8: decode`: {good, good, bad, good},
		`Missing[0]: "Z\xfcrich" is not UTF-8`:                   {good, good, good, bad},
	} {
		if e, err := fit(texts[0], texts[1], texts[2], texts[3]); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "-encoding latin1") {
			t.Errorf("%v, %v: want %q", e, err, want)
		}
	}
	if e, err := Fit([]string{"a"}, [][]string{{"x"}, {"y"}}, &Options{Layouts: []string{bad}}); err == nil || !strings.Contains(err.Error(), "Layouts[0]") {
		t.Errorf("%v, %v", e, err)
	}
	e, err := fit(good, good, good+"!", good)
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var read Encoder
	if err := read.UnmarshalJSON(data); err != nil || read.String() != e.String() || !slices.Equal(read.ClassNames(), e.ClassNames()) {
		t.Errorf("%v: %v, want %v", err, &read, e)
	}
	if v, err := e.EncodeVec(nil, []string{bad, "1", ""}); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("a record that is not UTF-8: %v, %v", v, err)
	}
	if c, err := e.Classes([][]string{{good, "1", bad}}); err == nil || !strings.Contains(err.Error(), "row 0") || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("a class that is not UTF-8: %v, %v", c, err)
	}
	// What is left out may have any bytes.
	if _, err := Fit([]string{"a", "b"}, [][]string{{"1", bad}, {"2", bad}}, &Options{Kinds: map[string]Kind{"b": Ignored}}); err != nil {
		t.Error(err)
	}
}
