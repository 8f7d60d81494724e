// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	mostValues  = 256  // of a category; with more, the rarest share one number
	mostClasses = 4096 // of a target, at most
	longestName = 1024 // in bytes
	largest     = 1e145
	smallest    = 1 / largest // of a standard deviation above 0: the square of its inverse is finite
)

// A column is the saved description of a column.
type column struct {
	Name       string    `json:"name"`
	Kind       Kind      `json:"kind"`
	Values     []string  `json:"values,omitempty"` // of a category, in ascending order
	Others     int       `json:"others,omitempty"` // number of values of a category that share one number
	Mean       float64   `json:"mean"`             // of numbers, or of days since 1970
	Least      float64   `json:"least"`            // of the same
	Most       float64   `json:"most"`
	Times      bool      `json:"times"`      // whether a date had a time of the day
	Flag       bool      `json:"flag"`       // whether the last number indicates that the field is missing
	Deviations []float64 `json:"deviations"` // standard deviation of each number of an encoded row that stems from the column
}

// absent reports whether a field has no value.
func (e *Encoder) absent(field string) bool { return slices.Contains(e.missing, field) }

// fit sets a column by its fields.
func (e *fitting) fit(j int, fields []string) error {
	c := &e.columns[j]
	c.Deviations = []float64{}
	if c.Kind == Automatic {
		kind, err := e.kindOf(fields, j == e.target)
		if err != nil {
			return fmt.Errorf("table: column %q: %w", c.Name, err)
		}
		c.Kind = kind
	}
	switch c.Kind {
	case Ignored:
		return nil
	case Category:
		if j == e.target {
			for i, f := range fields {
				if f == "" || e.absent(f) {
					return fmt.Errorf("table: row %d, column %q: %w", i, c.Name, e.explained(fmt.Errorf("%q %w", f, errMissing), j))
				}
			}
		}
		return c.fitValues(e.joined(fields), j == e.target)
	}
	var known []float64
	for i, f := range fields {
		if e.absent(f) && j != e.target {
			c.Flag = true
			continue
		}
		v, times, err := e.value(c.Kind, f)
		if err != nil {
			return fmt.Errorf("table: row %d, column %q: %w", i, c.Name, e.explained(err, j))
		}
		c.Times, e.matched = c.Times || times, e.matched || c.Kind == Date
		known = append(known, v)
	}
	if known == nil {
		return fmt.Errorf("table: column %q has no value: set its Options.Kinds to Ignored", c.Name)
	}
	mean, _ := moments(known)
	c.Least, c.Most = slices.Min(known), slices.Max(known)
	c.Mean = min(max(mean, c.Least), c.Most)
	if j == e.target {
		return nil
	}
	return e.fitDeviations(c, fields)
}

// fitDeviations sets the deviations of the numbers of a column.
func (e *Encoder) fitDeviations(c *column, fields []string) error {
	c.Deviations = make([]float64, c.width())
	table := make([][]float64, len(c.Deviations))
	row := make([]float64, len(c.Deviations))
	for _, f := range fields {
		if err := e.set(row, c, f); err != nil {
			return fmt.Errorf("table: column %q: %w", c.Name, err)
		}
		for k, v := range row {
			table[k] = append(table[k], v)
		}
	}
	for k := range table {
		_, c.Deviations[k] = moments(table[k])
		if v := c.Deviations[k]; v < smallest && slices.Min(table[k]) < slices.Max(table[k]) {
			return fmt.Errorf("table: column %q: the standard deviation is %.3g: must be at least %v, or all numbers equal; multiply them", c.Name, v, smallest)
		}
	}
	return nil
}

// joined returns the fields of a category with the same text for each missing value.
func (e *Encoder) joined(fields []string) []string {
	if !slices.ContainsFunc(fields, e.absent) {
		return fields
	}
	fields = slices.Clone(fields)
	for i, f := range fields {
		if e.absent(f) {
			fields[i] = e.missing[0]
		}
	}
	return fields
}

// find returns the place of a field among the values of a category. Any text for a missing value has the place of one of them.
func (e *Encoder) find(c *column, field string) (place int, found bool) {
	place, found = slices.BinarySearch(c.Values, field)
	if found || !e.absent(field) {
		return place, found
	}
	place = slices.IndexFunc(c.Values, e.absent)
	return place, place >= 0
}

// fitValues sets the values of a category, and the deviations of the numbers that it becomes.
func (c *column) fitValues(fields []string, target bool) error {
	counts := make(map[string]int)
	for _, f := range fields {
		counts[f]++
	}
	c.Values = slices.Sorted(maps.Keys(counts))
	switch n := len(c.Values); {
	case target && n <= mostClasses:
		return nil
	case !target && n <= mostValues:
	case n == len(fields):
		return fmt.Errorf("table: column %q has another text in each row, such as %.40q: is it a key? Then set its Options.Kinds to Ignored. Dates of other layouts need Options.Layouts, numbers a decimal point",
			c.Name, fields[0])
	case target:
		return fmt.Errorf("table: column %q has %d different texts, such as %.40q: a target must have at most %d. If they are numbers, they need a decimal point",
			c.Name, n, fields[0], mostClasses)
	default:
		c.Others = n - (mostValues - 1)
		slices.SortStableFunc(c.Values, func(a, b string) int { return counts[b] - counts[a] })
		c.Values = slices.Clone(c.Values[:mostValues-1])
		slices.Sort(c.Values)
	}
	n := float64(len(fields))
	rest := len(fields)
	for _, v := range c.Values {
		rest -= counts[v]
		p := float64(counts[v]) / n
		c.Deviations = append(c.Deviations, math.Sqrt(p*(1-p)))
	}
	if c.Others > 0 {
		p := float64(rest) / n
		c.Deviations = append(c.Deviations, math.Sqrt(p*(1-p)))
	}
	return nil
}

// unseen reports whether no record of Fit had such a field: a new category, a number or date beyond their range, or a
// missing field where none was missing. The field can be read.
func (e *Encoder) unseen(c *column, field string) bool {
	switch c.Kind {
	case Ignored:
		return false
	case Category:
		_, ok := e.find(c, field)
		return !ok && c.Others == 0
	}
	if e.absent(field) {
		return !c.Flag
	}
	v, _, _ := e.value(c.Kind, field)
	return v < c.Least || v > c.Most
}

// set sets dst to the numbers of a field of a column.
func (e *Encoder) set(dst []float64, c *column, field string) error {
	clear(dst)
	switch {
	case c.Kind == Ignored:
		return nil
	case c.Kind == Category:
		if k, ok := e.find(c, field); ok || c.Others > 0 {
			if !ok {
				k = len(c.Values)
			}
			dst[k] = 1
		}
		return validateText(field)
	case e.absent(field):
		if dst[0] = c.Mean; c.Flag {
			dst[len(dst)-1] = 1
		}
		return nil
	case c.Kind == Number:
		v, err := number(field)
		dst[0] = v
		return err
	}
	date, _, err := e.date(field)
	if err != nil {
		return err
	}
	h, m, s := date.Clock()
	day := (float64(60*(60*h+m)+s) + float64(date.Nanosecond())/1e9) / daySeconds
	dst[0] = days(date)
	dst[1], dst[2] = turn((float64(date.YearDay()-1) + day) / 365.25)
	dst[3], dst[4] = turn((float64(date.Weekday()) + day) / 7)
	if c.Times {
		dst[5], dst[6] = turn(day)
	}
	return nil
}

// turn returns the sine and cosine of a share of a turn, with the same bits on every machine, unlike package math: by
// their series, for at most an eighth of a turn.
func turn(share float64) (sin, cos float64) {
	share -= math.Floor(share)
	quarters := math.RoundToEven(4 * share)
	t := 2 * math.Pi * (share - quarters/4)
	square := t * t
	sin, cos = 1, 1
	for k := 18.0; k >= 2; k -= 2 {
		sin = 1 - float64(square/(k*(k+1))*sin)
		cos = 1 - float64(square/(k*(k-1))*cos)
	}
	sin *= t
	switch math.Mod(quarters, 4) {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

// names returns the names of the numbers of a column.
func (c *column) names() (names []string) {
	switch c.Kind {
	case Ignored:
		return nil
	case Category:
		for _, v := range c.Values {
			names = append(names, c.Name+" = "+v)
		}
		if c.Others > 0 {
			names = append(names, c.Name+", other")
		}
		return names
	case Date:
		names = []string{c.Name + ", days", c.Name + ", sine of the year", c.Name + ", cosine of the year", c.Name + ", sine of the week", c.Name + ", cosine of the week"}
		if c.Times {
			names = append(names, c.Name+", sine of the day", c.Name+", cosine of the day")
		}
	default:
		names = []string{c.Name}
	}
	if c.Flag {
		names = append(names, c.Name+" is missing")
	}
	return names
}

// width returns the number of names, without making them.
func (c *column) width() int {
	n := 1
	switch c.Kind {
	case Ignored:
		return 0
	case Category:
		if n = len(c.Values); c.Others > 0 {
			n++
		}
		return n
	case Date:
		if n = 5; c.Times {
			n = 7
		}
	}
	if c.Flag {
		n++
	}
	return n
}

// description returns the values of a column, or their range, in words.
func (c *column) description() string {
	text := ""
	switch c.Kind {
	case Category:
		const most = 6
		text = fmt.Sprintf(" of %d values", len(c.Values)+c.Others)
		switch {
		case len(c.Values) == 1:
			text = " of 1 value"
		case c.Others > 0:
			text += fmt.Sprintf(", the %d most frequent and %d that are “other”", len(c.Values), c.Others)
		}
		text += ": " + strings.Join(c.Values[:min(most, len(c.Values))], ", ")
		if len(c.Values) > most {
			text += ", …"
		}
	case Number:
		digits := 6
		if width := c.Most - c.Least; width > 0 { // and three digits in which the ends differ
			digits = min(max(digits, 3+int(math.Ceil(math.Log10(max(-c.Least, c.Most)/width)))), 17)
		}
		text = fmt.Sprintf(" from %.*g to %.*g", digits, c.Least+0, digits, c.Most+0) // no −0
	case Date:
		layout := time.DateOnly
		if c.Times {
			layout = "2006-01-02 15:04:05.999"
		}
		at := func(days float64) string {
			return time.UnixMilli(int64(math.Round(days * 1000 * daySeconds))).UTC().Format(layout)
		}
		text = fmt.Sprintf(" from %s to %s", at(c.Least), at(c.Most))
	}
	if c.Flag {
		text += ", some missing"
	}
	return text
}

// moments returns the mean and the standard deviation of numbers, without overflow.
func moments(v []float64) (mean, deviation float64) {
	least, most := slices.Min(v), slices.Max(v)
	center, radius := 0.5*least+0.5*most, 0.5*most-0.5*least
	if !(radius > 0) {
		return least, 0
	}
	var sum, squares float64
	for _, u := range v {
		u = (u - center) / radius // from −1 to 1
		sum += u
		squares = math.FMA(u, u, squares)
	}
	n := float64(len(v))
	m := sum / n
	return math.FMA(m, radius, center), radius * math.Sqrt(max(squares/n-float64(m*m), 0))
}

// groups returns the number of groups of numbers that vary, the numbers in them, and the length scale of each.
func (e *Encoder) groups() (count int, index []int, lengths []float64) {
	at := 0
	for j := range e.columns {
		c := &e.columns[j]
		if j == e.target {
			continue
		}
		for lo := 0; lo < len(c.Deviations); {
			hi := lo + c.group(lo)
			var variance float64
			for _, v := range c.Deviations[lo:hi] {
				variance = math.FMA(v, v, variance)
			}
			if length := math.Sqrt(variance); length > 0 {
				count++
				for k := lo; k < hi; k++ {
					index, lengths = append(index, at+k), append(lengths, length)
				}
			}
			lo = hi
		}
		at += len(c.Deviations)
	}
	return count, index, lengths
}

// group returns how many numbers, from one on, form a group.
func (c *column) group(from int) int {
	switch {
	case c.Kind == Category:
		return len(c.Deviations)
	case c.Kind == Date && from > 0 && from+1 < c.width() && !(c.Flag && from == c.width()-1):
		return 2
	}
	return 1
}
