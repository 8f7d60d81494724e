// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/table"
)

// A file is read as programs write it: with a byte order mark before a quoted name, spaces around names, names with commas, tabs, lines without
// values, without a line of names, with an index of pandas that has no name or the one that pandas gives it.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		text     string
		comma    string
		headless bool
		ignored  string
		header   string // joined by |, as are the records
		records  string
		left     string // columns that are ignored
	}{
		{"\ufeff\"size\",y\n1,2\n", ",", false, "", "size|y", "1|2", ""},
		{"\ufeffsize,y\n1,2\n", ",", false, "", "size|y", "1|2", ""},
		{" size , y\n1,2\n", ",", false, "size", "size|y", "1|2", "size"},
		{"\"Price, EUR\",unit price,y\n1,2,3\n", ",", false, `"Price, EUR", unit price`, "Price, EUR|unit price|y", "1|2|3", "Price, EUR|unit price"},
		{"a\ty\n1\t2\n", `\t`, false, "", "a|y", "1|2", ""},
		{"a\ty\n1\t2\n", "\t", false, "", "a|y", "1|2", ""},
		{"a;y\n1;2\n;\n\n3;4\n ;\n", ";", false, "", "a|y", "1|2|3|4", ""},
		{"sep=;\na;y\n1;2\n", ",", false, "", "a|y", "1|2", ""},
		{"sep=\t\r\na\ty\r\n1\t2\r\n", ",", false, "", "a|y", "1|2", ""},
		{"sep=a,y\n1,2\n", ",", false, "", "sep=a|y", "1|2", ""},
		{"1,2\n3,4\n", ",", true, "", "0|1", "1|2|3|4", ""},
		{",a,y\n0,5,6\n1,5,7\n", ",", false, "", "Unnamed: 0|a|y", "0|5|6|1|5|7", "Unnamed: 0"},
		{",a,y\n 0,5,6\n 1,5,7\n", ",", false, "", "Unnamed: 0|a|y", " 0|5|6| 1|5|7", "Unnamed: 0"},
		{"Unnamed: 0.1,Unnamed: 0,y\n0,7,6\n1,9,7\n", ",", false, "", "Unnamed: 0.1|Unnamed: 0|y", "0|7|6|1|9|7", "Unnamed: 0|Unnamed: 0.1"},
		{",a,y,\n1.5,5,6,\n1,5,7,\n", ",", false, "", "Unnamed: 0|a|y|Unnamed: 3", "1.5|5|6||1|5|7|", "Unnamed: 3"},
		{",y\n1,5\n1,6\n", ",", false, "Unnamed: 0", "Unnamed: 0|y", "1|5|1|6", "Unnamed: 0"},
	} {
		j := newJob(t, c.text, "y", "", "")
		if j.Headless = c.headless; c.headless {
			j.Target = "1"
		}
		if err := errors.Join(j.SetComma(c.comma), j.set(c.ignored, "", "", "")); err != nil {
			t.Fatal(err)
		}
		header, records, err := j.read(io.Discard)
		var left []string
		for name, kind := range j.Kinds {
			if kind == table.Ignored {
				left = append(left, name)
			}
		}
		slices.Sort(left)
		if got := strings.Join(slices.Concat(records...), "|"); err != nil || strings.Join(header, "|") != c.header || got != c.records || strings.Join(left, "|") != c.left {
			t.Errorf("%q: %v, %q, %q without %q", c.text, err, header, got, left)
		}
	}
	var out strings.Builder
	if _, _, err := newJob(t, ",y\n0,5\n1,6\n,\n", "y", "", "").read(&out); err != nil || !strings.Contains(out.String(), "Lines without any value are left out: 1.") || !strings.Contains(out.String(), "Column 0 has no name") {
		t.Errorf("%v: %s", err, &out)
	}
}

// days returns a file of so many days of the year 2025, the latest first, and two shops, with an amount.
func days(n int) string {
	text := "day,shop,amount\n"
	for i := n - 1; i >= 0; i-- {
		text += fmt.Sprintf("2025-%02d-%02d,%s,%d\n", 1+i/28, 1+i%28, []string{"north", "south", "west"}[i%3], i*i%17)
	}
	return text
}

// The test rows are the last tenth of the days, or whole groups, with the records so sorted that these are the last, and the others in the order of
// the days or groups. Days of several records, and groups, are not torn apart.
func TestHold(t *testing.T) {
	hold := func(text, time, group string) (held []int, records [][]string, said string, err error) {
		j := newJob(t, text, "amount", "", "")
		j.time, j.group = time, group
		if err := j.set("", "", "", ""); err != nil {
			t.Fatal(err)
		}
		header, records, err := j.read(io.Discard)
		if err != nil {
			return nil, nil, "", err
		}
		e, err := table.Fit(header, records, &j.Options)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		held, err = j.hold(&out, e, records)
		return held, records, out.String(), err
	}
	byDay := func(a, b []string) int { return strings.Compare(a[0], b[0]) }
	held, records, said, err := hold(days(50), "day", "")
	if err != nil || !slices.Equal(held, []int{45, 46, 47, 48, 49}) || !slices.IsSortedFunc(records, byDay) || said != "" {
		t.Errorf("by day: %v, %d, %q", err, held, said)
	}
	lines := strings.SplitAfter(days(50), "\n")
	if held, records, _, err = hold(strings.Join(append(lines, lines[1:8]...), ""), "day", ""); err != nil || len(held) != 6 || !slices.IsSortedFunc(records, byDay) || records[51][0] == records[50][0] {
		t.Errorf("by days of two records: %v, %d", err, held) // 57 records, of which the last 5 begin within a day
	}
	held, records, said, err = hold(days(50), "", "shop")
	if err != nil || said != "" {
		t.Fatal(err, said)
	}
	counts := make(map[string]int)
	for k, r := range records {
		if k > 0 && r[1] != records[k-1][1] && counts[r[1]] > 0 {
			t.Errorf("the records of %s are not together", r[1])
		}
		counts[r[1]]++
	}
	if group := records[49][1]; len(held) != counts[group] || held[0] != 50-len(held) {
		t.Errorf("by shop: %d of %d records of %s are held back", len(held), counts[group], group)
	}
	// Spaces around its name do not tear a group apart.
	if _, records, _, err = hold(strings.ReplaceAll(days(50), "-12,", "-12, "), "", "shop"); err != nil {
		t.Fatal(err)
	}
	changes := 0
	for k, r := range records[1:] {
		if strings.TrimSpace(r[1]) != strings.TrimSpace(records[k][1]) {
			changes++
		}
	}
	if changes != 2 {
		t.Errorf("three shops are in %d parts", changes+1)
	}
	// A warning says what may be wrong with random test rows.
	if held, _, said, err = hold(days(50), "", ""); err != nil || held != nil || !strings.Contains(said, `day is a date, and the test rows are random, among others of the same time. To predict later rows, use -time "day".`) || strings.Contains(said, "rows equal others") {
		t.Errorf("%v, %d, %q", err, held, said)
	}
	if _, _, said, err = hold("a,b,amount\n1,x,2\n1,x,3\n2,x,4\n3,y,5\n", "", ""); err != nil || !strings.Contains(said, "1 of 4 rows equal others except for the target") {
		t.Errorf("%v, %q", err, said)
	}
	// A number column with a comma in its name is no date, and not the column before the comma.
	held, records, said, err = hold("\"wait, days\",wait,amount\n1,4,2\n2,3,3\n3,2,4\n4,1,5\n", "wait", "")
	if err != nil || said != "" || !slices.Equal(held, []int{3}) || records[3][1] != "4" {
		t.Errorf("%v, %d, %q, %q", err, held, records, said)
	}
	if _, _, said, err = hold("\"wait, days\",amount\n1,2\n2,3\n3,4\n4,5\n", "", ""); err != nil || said != "" {
		t.Errorf("%v, %q", err, said)
	}
	for _, c := range []struct{ time, group, want string }{
		{"day", "shop", "only one of them"},
		{"shop", "", "must be a column of dates or numbers"},
		{"amount", "", "and not the target"},
		{"", "hour", `"hour" is no column`},
		{"", "shop", "the column has one value in nearly all rows"},
		{"day", "", "row 2 has no value"},
	} {
		text := days(50)
		if strings.HasPrefix(c.want, "row") {
			text = "day,shop,amount\n2025-01-02,a,1\n2025-01-03,a,2\n ,a,3\n"
		}
		if strings.HasPrefix(c.want, "the column") {
			text = "shop,day,amount\nnorth,1,2\nnorth,2,3\n"
		}
		if _, _, _, err := hold(text, c.time, c.group); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("-time %q -group %q: %v, want %q", c.time, c.group, err, c.want)
		}
	}
}
