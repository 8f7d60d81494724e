// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A Kind is the type of a column.
type Kind int

const (
	Automatic Kind = iota // decided by the fields of the column
	Number
	Category
	Date
	Ignored // the column is left out
)

var kindNames = []string{"automatic", "number", "category", "date", "ignored"}

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Options are the options of Fit; nil stands for the zero value.
type Options struct {
	// Target is the name of the column to predict; "" if there is no such column.
	Target string

	// Kinds sets the kinds of columns by name. Use it for columns that Fit refuses to guess, and for columns that are
	// not what they look like, such as class labels that are numbers (Category).
	Kinds map[string]Kind

	// Missing lists the texts that stand for a missing value, such as "" and "NA"; spaces around them and around a field
	// are ignored.
	// With nil, a missing number or date is an error.
	Missing []string

	// Layouts are the layouts of dates in the notation of package time, tried in turn; nil: 2006-01-02, 2006-01-02
	// 15:04:05, 2006-01-02 15:04, the latter two with a T between date and time, time.RFC3339, and RFC3339 with a space
	// instead of its T. Fractions of seconds need no layout of their own.
	Layouts []string
}

// An Encoder turns records into rows of numbers. It is immutable, and safe for concurrent use. The zero value is for
// UnmarshalJSON: it has no columns, and refuses records.
type Encoder struct {
	columns []column // of the header, the target's among them
	target  int      // index of the column to predict; −1: none
	missing []string
	layouts []string
	numbers int
}

// A fitting is an Encoder during Fit.
type fitting struct {
	*Encoder
	dated   bool // whether the caller set Layouts
	matched bool // whether they have read a date
}

// Fit returns an encoder for records like the given ones, which have a field for each name of the header. A nil header
// is for tables without one: the columns are then named "0", "1", and so on. Errors number rows from 0. The package
// comment says what each kind of column becomes.
//
// Fit returns an error, with the row and the column, if there are no records or no columns, if a name is duplicate or
// longer than 1024 bytes, if a record has more or fewer fields, if an option names a column that does not exist, if
// a layout reads no date, if a name, a text of an option or a field that is not ignored is not UTF-8, if a number or
// date is unreadable or missing, if a standard deviation is below 1e-145 but not 0, if the target is a date, ignored,
// missing in a record or has more than 4096 classes, or if no column varies.
//
// Fit does not guess the kind of a column that Kinds does not name if more than half of its fields, but not all, are
// numbers or dates; if all are both; if nine in ten contain digits but half are neither; if nine in ten of ten or more
// different texts are numbers or dates or contain digits; or if ten texts or more are neither and nine in ten of them
// occur in one row only, as keys do. It returns an error that shows three of them and names the option that decides.
func Fit(header []string, records [][]string, opts *Options) (*Encoder, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Layouts == nil {
		o.Layouts = defaultLayouts
	}
	if header == nil && len(records) > 0 {
		for j := range records[0] {
			header = append(header, strconv.Itoa(j))
		}
	}
	e := &Encoder{target: -1, missing: trimmed(o.Missing), layouts: slices.Clone(o.Layouts)}
	if err := e.setHeader(header, &o); err != nil {
		return nil, err
	}
	if len(records) == 0 || len(header) == 0 {
		return nil, fmt.Errorf("table: %d records of %d columns: must have some", len(records), len(header))
	}
	for i, r := range records {
		if len(r) != len(header) {
			return nil, fmt.Errorf("table: row %d has %d fields: must have %d, as the header", i, len(r), len(header))
		}
	}
	if err := (&fitting{Encoder: e, dated: opts != nil && len(opts.Layouts) > 0}).fitAll(records); err != nil {
		return nil, err
	}
	e.count()
	if _, _, lengths := e.groups(); len(lengths) == 0 {
		return nil, errors.New("table: all columns other than the target are constant")
	}
	return e, nil
}

// trimmed returns texts without spaces around them, as fields are compared.
func trimmed(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = strings.TrimSpace(texts[i])
	}
	return texts
}

// setHeader sets the names of the columns, and what options say about them. It refuses invalid names, and options for
// columns that do not exist.
func (e *Encoder) setHeader(header []string, o *Options) error {
	at := make(map[string]int, len(header))
	for j, name := range header {
		if err := validateText(name); err != nil {
			return fmt.Errorf("table: the header has column %d: %w", j, err)
		}
		if len(name) > longestName {
			return fmt.Errorf("table: the header has column %d of a name of %d bytes, %.40q…: must be at most %d; a table without a header has nil for it", j, len(name), name, longestName)
		}
		if _, ok := at[name]; ok {
			return fmt.Errorf("table: the header has %q twice; a table without a header has nil for it", name)
		}
		at[name] = j
		e.columns = append(e.columns, column{Name: name, Kind: o.Kinds[name]})
		if name == o.Target && name != "" {
			e.target = j
		}
	}
	for name, texts := range map[string][]string{"Missing": o.Missing, "Layouts": o.Layouts} {
		for i, text := range texts {
			if err := validateText(text); err != nil {
				return fmt.Errorf("table: %s[%d]: %w", name, i, err)
			}
		}
	}
	return e.validateOptions(header, at, o)
}

// fitAll fits the columns, one after the other.
func (e *fitting) fitAll(records [][]string) error {
	fields := make([]string, len(records))
	for j := range e.columns {
		for i, r := range records {
			fields[i] = strings.TrimSpace(r[j])
			if err := validateText(fields[i]); err != nil && e.columns[j].Kind != Ignored {
				return fmt.Errorf("table: row %d, column %q: %w", i, e.columns[j].Name, err)
			}
		}
		if err := e.fit(j, fields); err != nil {
			return err
		}
	}
	if e.dated && !e.matched {
		return fmt.Errorf("table: Layouts %q read no field of a column that may be of dates: must be in the notation of package time, or nil if no column has dates", e.layouts)
	}
	return nil
}

// validateOptions refuses options that name no column, and kinds that do not exist.
func (e *Encoder) validateOptions(header []string, at map[string]int, o *Options) error {
	if o.Target != "" && e.target < 0 {
		return fmt.Errorf("table: Target %q is no column: the header is %q", o.Target, header)
	}
	for name, k := range o.Kinds {
		_, ok := at[name]
		switch {
		case !ok:
			return fmt.Errorf("table: Kinds has %q, which is no column: the header is %q", name, header)
		case k < Automatic || k > Ignored:
			return fmt.Errorf("table: Kinds[%q] = %v: must be from Automatic to Ignored", name, k)
		case name == o.Target && (k == Date || k == Ignored):
			return fmt.Errorf("table: Kinds[%q] = %v: a target must be of numbers or categories", name, k)
		}
	}
	return nil
}

// count sets the number of numbers of a row.
func (e *Encoder) count() {
	e.numbers = 0
	for j := range e.columns {
		if j != e.target {
			e.numbers += len(e.columns[j].Deviations)
		}
	}
}

// Dims returns the number of columns of the header, target included, and the length of an encoded row.
func (e *Encoder) Dims() (fields, numbers int) { return len(e.columns), e.numbers }

// Header returns the names of the columns of a record, target included.
func (e *Encoder) Header() []string {
	var names []string
	for _, c := range e.columns {
		names = append(names, c.Name)
	}
	return names
}

// Names returns a name for each number of an encoded row, such as "price", "city = Lima" and "date, sine of the year".
func (e *Encoder) Names() []string {
	var names []string
	for j := range e.columns {
		if j != e.target {
			names = append(names, e.columns[j].names()...)
		}
	}
	return names
}

// Encode returns a matrix with a row of numbers for each record. A record has a field for each column of the header.
// The field of the target is not read, and may be left out if it is the last. Encode returns an error if there are no
// records, and whenever EncodeVec does.
func (e *Encoder) Encode(records [][]string) (*mat.Dense, error) {
	if len(records) == 0 || e.numbers == 0 {
		return nil, fmt.Errorf("table: %d records, for an encoder of %d numbers: must have some", len(records), e.numbers)
	}
	x := mat.NewDense(len(records), e.numbers, nil)
	for i, r := range records {
		if err := e.encode(x.RawRowView(i), r); err != nil {
			return nil, fmt.Errorf("table: row %d%w", i, err)
		}
	}
	return x, nil
}

// EncodeVec sets dst to the numbers of a record and returns it; dst is nil or of the length that Dims returns. The
// target is not read, and may be left out if it is the last column. It returns an error, which names the column, if the
// record has another number of fields, if a number or date is unreadable or missing, or if a category is not UTF-8.
func (e *Encoder) EncodeVec(dst []float64, record []string) ([]float64, error) {
	if dst == nil {
		dst = make([]float64, e.numbers)
	}
	if len(dst) != e.numbers {
		return nil, fmt.Errorf("table: dst has %d elements: must have %d", len(dst), e.numbers)
	}
	if err := e.encode(dst, record); err != nil {
		return nil, fmt.Errorf("table: a record%w", err)
	}
	return dst, nil
}

// Unseen returns the names of the columns in which a record is unlike all records of Fit: the category is new, a number
// or date is beyond their range, or a field is missing that was never missing. A prediction for such a record is a
// guess, and its error bar is mostly too small: a model places an unknown category in the middle of the known ones. A category column with more
// than 256 values has a number for all others, so no value of it is unknown.
// Unseen returns an error whenever EncodeVec does.
func (e *Encoder) Unseen(record []string) ([]string, error) {
	if _, err := e.EncodeVec(nil, record); err != nil {
		return nil, err
	}
	var names []string
	for j := range e.columns {
		if c := &e.columns[j]; j != e.target && e.unseen(c, strings.TrimSpace(record[j])) {
			names = append(names, c.Name)
		}
	}
	return names, nil
}

// fieldNames returns the names of the columns, and says if the last may be left out.
func (e *Encoder) fieldNames() string {
	text := strings.Join(e.Header(), ", ")
	if n := len(e.columns); n > 0 && e.target == n-1 {
		text += " (which may be left out)"
	}
	return text
}

// encode sets dst to the numbers of a record. Its errors continue a text that names the row.
func (e *Encoder) encode(dst []float64, record []string) error {
	n := len(e.columns)
	if short := e.target == n-1 && len(record) == n-1; n == 0 || len(record) != n && !short {
		return fmt.Errorf(" has %d fields: must have %d: %s", len(record), n, e.fieldNames())
	}
	for j := range e.columns {
		if j == e.target {
			continue
		}
		c := &e.columns[j]
		if err := e.set(dst[:len(c.Deviations)], c, strings.TrimSpace(record[j])); err != nil {
			return fmt.Errorf(", column %q: %w", c.Name, e.explained(err, j))
		}
		dst = dst[len(c.Deviations):]
	}
	return nil
}

// Targets returns the targets of the records as a matrix of one column. It returns an error if there are no records, if
// there is no target or it is not a column of numbers, and if a target cannot be read.
func (e *Encoder) Targets(records [][]string) (*mat.Dense, error) {
	if err := e.wants(records, Number); err != nil {
		return nil, err
	}
	y := mat.NewDense(len(records), 1, nil)
	for i, r := range records {
		v, err := number(strings.TrimSpace(r[e.target]))
		if err != nil {
			return nil, fmt.Errorf("table: row %d, column %q: %w", i, e.columns[e.target].Name, e.explained(err, e.target))
		}
		y.Set(i, 0, v)
	}
	return y, nil
}

// Classes returns the class of each record, as an index into ClassNames. It returns an error if there are no records,
// if there is no target or it is not a column of categories, and if a class was not in the records of Fit.
func (e *Encoder) Classes(records [][]string) ([]int, error) {
	if err := e.wants(records, Category); err != nil {
		return nil, err
	}
	var classes []int
	for i, r := range records {
		class, ok := slices.BinarySearch(e.columns[e.target].Values, strings.TrimSpace(r[e.target]))
		if err := validateText(r[e.target]); err != nil {
			return nil, fmt.Errorf("table: row %d, column %q: %w", i, e.columns[e.target].Name, err)
		}
		if !ok {
			return nil, fmt.Errorf("table: row %d, column %q: %q is none of the classes that were fitted", i, e.columns[e.target].Name, r[e.target])
		}
		classes = append(classes, class)
	}
	return classes, nil
}

// ClassNames returns the classes of the target in ascending order, or nil if the target is not a column of categories.
func (e *Encoder) ClassNames() []string {
	if e.target < 0 || e.columns == nil {
		return nil
	}
	return slices.Clone(e.columns[e.target].Values)
}

// wants refuses records without targets of a kind.
func (e *Encoder) wants(records [][]string, k Kind) error {
	switch {
	case e.target < 0 || e.columns == nil:
		return errors.New("table: the encoder has no target")
	case e.columns[e.target].Kind != k:
		return fmt.Errorf("table: column %q is of kind %v: must be of kind %v, which Options.Kinds can say", e.columns[e.target].Name, e.columns[e.target].Kind, k)
	case len(records) == 0:
		return errors.New("table: no records")
	}
	for i, r := range records {
		if len(r) != len(e.columns) {
			return fmt.Errorf("table: row %d has %d fields: must have %d", i, len(r), len(e.columns))
		}
	}
	return nil
}

// String returns a line for each column: its kind, and its values or their range.
func (e *Encoder) String() string {
	var b strings.Builder
	width := 0
	for _, c := range e.columns {
		width = max(width, utf8.RuneCountInString(c.Name))
	}
	for j, c := range e.columns {
		target := ""
		if j == e.target {
			target = ", the target"
		}
		fmt.Fprintf(&b, "%-*s  %v%s%s\n", width, c.Name, c.Kind, c.description(), target)
	}
	return b.String()
}

// Kernel returns a Gaussian kernel on encoded rows in which every group of numbers counts alike:
//
//	k(x, y) = exp(−Σ |xᵍ−yᵍ|²/(2·vᵍ·G))
//
// The sum is over the G groups that vary, and vᵍ is the total variance of a group in the records of Fit. A group is a
// number, all numbers of a category, a sine with its cosine, or the indicator of a missing field. Use it as
// learn.Options.Kernel, which adapts its length scales.
func (e *Encoder) Kernel() featuremap.Kernel {
	count, index, lengths := e.groups()
	if count == 0 {
		return nil
	}
	k := featuremap.ARD(lengths, featuremap.Gaussian{LengthScale: math.Sqrt(float64(count))})
	if len(index) == e.numbers {
		return k
	}
	return featuremap.Select(index, k)
}
