// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What fields look like, and how one is read.

const (
	leastKeys = 10 // number of different texts from which on a column may be a key
	shown     = 3  // texts in an error
	dayLength = 24 * time.Hour
)

var defaultLayouts = []string{
	time.DateOnly, time.DateTime, "2006-01-02 15:04", time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
}

// A look is what the fields of a column look like. Fields without information are not counted: empty ones, NaN, and
// missing ones.
type look struct {
	known, numbers, dates, both int // numbers of fields; those that are both numbers and dates are in all four
	digits                      int // fields that contain digits
	once                        int // texts, neither numbers nor dates, that occur in one field
	texts, others               []string
	number, date                string // the first of each
}

// looks returns what fields look like.
func (e *fitting) looks(fields []string) *look {
	type text struct {
		fields int
		date   bool
	}
	l, texts := new(look), make(map[string]text)
	for i, f := range fields {
		if uninformative(f) || e.absent(f) {
			continue
		}
		l.known++
		_, err := number(f)
		isNumber := err == nil || errors.Is(err, errLarge)
		t := texts[f]
		if !isNumber || e.dated {
			if t.fields == 0 {
				_, _, err = e.date(f)
				t.date = err == nil
			}
			t.fields++
			texts[f] = t
		}
		isText := !isNumber && !t.date
		l.numbers += one(isNumber)
		l.dates += one(t.date)
		l.both += one(isNumber && t.date)
		l.digits += one(strings.ContainsFunc(f, unicode.IsDigit))
		l.once += one(isText && t.fields == 1) - one(isText && t.fields == 2)
		if isNumber && l.number == "" {
			l.number = fmt.Sprintf("%.40q in row %d", f, i)
		}
		if !isNumber && t.date && l.date == "" {
			l.date = fmt.Sprintf("%.40q in row %d", f, i)
		}
		if len(l.texts) < shown {
			l.texts = append(l.texts, fmt.Sprintf("%.40q in row %d", f, i))
		}
		if isText && t.fields == 1 && len(l.others) < shown {
			l.others = append(l.others, fmt.Sprintf("%.40q in row %d", f, i))
		}
	}
	e.matched = e.matched || l.dates > 0
	return l
}

// uninformative reports whether a field does not tell the kind of its column.
func uninformative(field string) bool {
	return field == "" || strings.EqualFold(field, "nan") || strings.EqualFold(field, "na")
}

// one returns 1 for true, and 0 else.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// kindOf returns the kind of a column that Options.Kinds does not name. It refuses to guess if a column of numbers or
// dates could be taken for categories or for a key.
func (e *fitting) kindOf(fields []string, target bool) (Kind, error) {
	l := e.looks(fields)
	read := l.numbers + l.dates - l.both
	switch {
	case l.known == 0:
		return Category, nil
	case l.both == l.known:
		return 0, fmt.Errorf("%s are numbers, and dates of Options.Layouts as well: set Options.Kinds to Number or Date", sharesOf(l.texts, l.known, l.known))
	case l.numbers == l.known:
		return Number, nil
	case l.dates == l.known && target:
		return 0, fmt.Errorf("%s are dates, which cannot be a target: convert them to numbers, such as days, or set Options.Kinds to Category",
			sharesOf(l.texts, l.known, l.known))
	case l.dates == l.known:
		return Date, nil
	case read == l.known:
		return 0, fmt.Errorf("numbers in %d rows, such as %s, and dates in %d, such as %s: list those that stand for missing values in Options.Missing, or set Options.Kinds",
			l.numbers, l.number, l.known-l.numbers, l.date)
	case 2*read > l.known:
		return 0, fmt.Errorf("%s are neither numbers nor dates, unlike most of the column: list texts for missing values in Options.Missing, and layouts of dates in Options.Layouts; "+
			"numbers need a decimal point and no unit; or set Options.Kinds to Category or Ignored", sharesOf(l.others, l.known-read, l.known))
	case 10*l.digits >= 9*l.known:
		return 0, fmt.Errorf("%s are neither numbers nor dates, and nine of ten texts have digits: numbers need a decimal point, no other commas and no unit; list other layouts of dates in "+
			"Options.Layouts, and texts for missing values in Options.Missing; or set Options.Kinds to Category or Ignored",
			sharesOf(l.others, l.known-read, l.known))
	case l.known-read >= leastKeys && 10*l.once >= 9*(l.known-read):
		return 0, fmt.Errorf("%s are in one row each: is it a key? Set Options.Kinds to Ignored, or to Category if it is not a key",
			sharesOf(l.others, l.once, l.known))
	}
	return Category, e.refuseMixed(fields, l)
}

// refuseMixed refuses to take fields for categories if nearly all different texts among them, ten or more, are numbers
// or dates, or have digits, and only a few that occur often are not.
func (e *fitting) refuseMixed(fields []string, l *look) error {
	seen := make(map[string]bool)
	var read, digits int
	for _, f := range fields {
		if seen[f] || uninformative(f) || e.absent(f) {
			continue
		}
		seen[f] = true
		_, err := number(f)
		if err != nil && !errors.Is(err, errLarge) {
			_, _, err = e.date(f)
		}
		read += one(err == nil || errors.Is(err, errLarge))
		digits += one(strings.ContainsFunc(f, unicode.IsDigit))
	}
	texts := sharesOf(l.others, l.known-l.numbers-l.dates+l.both, l.known)
	switch {
	case read >= leastKeys && 10*read >= 9*len(seen):
		return fmt.Errorf("%s are neither numbers nor dates, but %d of %d different texts are numbers or dates: list texts for missing values in Options.Missing; "+
			"or set Options.Kinds to Category or Ignored", texts, read, len(seen))
	case digits >= leastKeys && 10*digits >= 9*len(seen):
		return fmt.Errorf("%s are neither numbers nor dates, and %d of %d different texts have digits: numbers need a decimal point, no other commas and no unit; list other layouts of dates in "+
			"Options.Layouts, and texts for missing values in Options.Missing; or set Options.Kinds to Category or Ignored", texts, digits, len(seen))
	}
	return nil
}

// sharesOf begins a sentence about some of the texts of a column, and shows the first of them.
func sharesOf(texts []string, some, all int) string {
	return fmt.Sprintf("%d of %d texts (%.3g %%), such as %s,", some, all, 100*float64(some)/float64(all), strings.Join(texts, ", "))
}

// value returns the number of a field, or the days of its date since 1970 and whether that has a time of the day.
func (e *Encoder) value(k Kind, field string) (v float64, times bool, err error) {
	if k == Number {
		v, err = number(field)
		return v, false, err
	}
	date, times, err := e.date(field)
	return days(date), times, err
}

// Why a field has no value.
var (
	errMissing  = errors.New("is missing")
	errNoNumber = errors.New("is no number")
	errLarge    = fmt.Errorf("must be at most %v in magnitude", largest)
)

// explained adds advice to an error.
func (e *Encoder) explained(err error, column int) error {
	switch {
	case column == e.target && errors.Is(err, errMissing):
		return fmt.Errorf("%w: leave records without a target out", err)
	case column != e.target && (errors.Is(err, errMissing) || errors.Is(err, errNoNumber)):
		return fmt.Errorf("%w: if it stands for a missing value, fit with it in Options.Missing", err)
	}
	return err
}

// number returns the number that a field is, in decimal digits without underscores: 1_11 and 11_1 are codes.
func number(field string) (float64, error) {
	if field == "" {
		return 0, fmt.Errorf("%q %w", field, errMissing)
	}
	v, err := strconv.ParseFloat(field, 64)
	if strings.ContainsAny(field, "_xX") {
		v, err = 0, strconv.ErrSyntax
	}
	switch {
	case math.IsNaN(v):
		return 0, fmt.Errorf("%q %w", field, errMissing)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		if strings.Contains(field, ",") {
			return 0, fmt.Errorf("%q must have a decimal point, and no comma", field)
		}
		return 0, fmt.Errorf("%q %w", field, errNoNumber)
	case !(math.Abs(v) <= largest):
		return 0, fmt.Errorf("%q: %w", field, errLarge)
	}
	return v, nil
}

// date returns the date in a field, as written on its clock, and whether it has a time of the day.
func (e *Encoder) date(field string) (date time.Time, times bool, err error) {
	if field == "" {
		return date, false, fmt.Errorf("%q %w", field, errMissing)
	}
	for _, layout := range e.layouts {
		if date, err = time.Parse(layout, field); err == nil {
			date = written(date)
			return date, date.Truncate(dayLength) != date, nil
		}
	}
	return date, false, fmt.Errorf("%q is no date of the layouts %q: set Options.Layouts for others", field, e.layouts)
}

// written returns the date that its clock shows, in whatever zone, as if it were UTC.
func written(date time.Time) time.Time {
	_, offset := date.Zone()
	return date.UTC().Add(time.Duration(offset) * time.Second)
}

const daySeconds = 24 * 60 * 60

// days returns the days of a date since 1970; a float64 keeps microseconds.
func days(date time.Time) float64 {
	return (float64(date.Unix()) + float64(date.Nanosecond())/1e9) / daySeconds
}

// validateText refuses bytes that are not UTF-8, which files of encoders cannot contain.
func validateText(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return fmt.Errorf("%.40q is not UTF-8: decode the text first, as examples/table does with -encoding latin1 or windows-1252", text)
}
