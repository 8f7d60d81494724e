// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package document writes and reads the JSON of saved kernels, plans and maps. Its errors give the place in the
// document.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// An Object is a JSON object whose members keep their order.
type Object []Member

// A Member is a name in an object and its value.
type Member struct {
	Name  string
	Value any
}

// With returns an object of one member.
func With(name string, value any) Object { return Object{}.With(name, value) }

// With returns the object and one more member.
func (o Object) With(name string, value any) Object { return append(o, Member{name, value}) }

// lineWidth is the length up to which objects and arrays stay on one line.
const lineWidth = 100

// A Writer writes values as JSON for people to read: objects and arrays on one line where they fit.
type Writer struct {
	bytes.Buffer
	Err error
}

// WriteValue writes a value at an indent. If most is positive it writes on one line, and stops soon after most bytes.
func (w *Writer) WriteValue(v any, indent, most int) {
	if most > 0 && w.Len() > most || w.Err != nil {
		return
	}
	switch v := v.(type) {
	case Object:
		w.list('{', '}', len(v), v, indent, most, func(i, indent int) {
			w.scalar(v[i].Name)
			w.WriteString(": ")
			w.WriteValue(v[i].Value, indent, most)
		})
	case []any:
		w.list('[', ']', len(v), v, indent, most, func(i, indent int) { w.WriteValue(v[i], indent, most) })
	default:
		w.scalar(v)
	}
}

// list writes v, an object or array of n elements, between brackets. It writes one line if most is positive or if v
// fits.
func (w *Writer) list(open, end byte, n int, v any, indent, most int, element func(i, indent int)) {
	line := most > 0
	if !line {
		var oneLine Writer
		oneLine.WriteValue(v, indent, lineWidth)
		if line = oneLine.Len() <= lineWidth-2*indent; line && oneLine.Err == nil {
			w.Write(oneLine.Bytes())
			return
		}
	}
	w.WriteByte(open)
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		switch {
		case !line:
			w.newLine(indent + 1)
		case i > 0:
			w.WriteByte(' ')
		}
		element(i, indent+1)
	}
	if !line {
		w.newLine(indent)
	}
	w.WriteByte(end)
}

func (w *Writer) newLine(indent int) {
	w.WriteByte('\n')
	for range min(indent, lineWidth/4) {
		w.WriteString("  ")
	}
}

// scalar writes a value on one line, as encoding/json does.
func (w *Writer) scalar(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		w.Err = fmt.Errorf("featuremap: %w", err)
	}
	w.Write(raw)
}

// maxDepth is how deep JSON values may be nested, as in encoding/json.
const maxDepth = 10_000

// Parse returns a JSON document as nested map[string]any and []any, with numbers as json.Number. It refuses an object
// with two members of the same name; encoding/json would take the last.
func Parse(document []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	v, err := parseValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, Refused("there is more than one JSON value")
	}
	return v, nil
}

// parseValue returns the next value, which is nested in depth others.
func parseValue(d *json.Decoder, depth int) (any, error) {
	t, err := token(d)
	if err != nil {
		return nil, err
	}
	delimiter, ok := t.(json.Delim)
	switch {
	case !ok:
		return t, nil
	case depth == maxDepth:
		return nil, Refused("JSON values are nested more than %d deep", maxDepth)
	case delimiter == '{':
		return parseObject(d, depth+1)
	}
	return parseArray(d, depth+1)
}

// parseObject returns the object whose opening brace was just read.
func parseObject(d *json.Decoder, depth int) (any, error) {
	o := make(map[string]any)
	for d.More() {
		t, err := token(d)
		if err != nil {
			return nil, err
		}
		name := t.(string) // Token returns an error for any other member name
		if _, ok := o[name]; ok {
			return nil, Refused("the field %.40q is there twice", name)
		}
		if o[name], err = parseValue(d, depth); err != nil {
			return nil, Under(name, err)
		}
	}
	_, err := token(d)
	return o, err
}

// parseArray returns the array whose opening bracket was just read.
func parseArray(d *json.Decoder, depth int) (any, error) {
	a := []any{}
	for d.More() {
		v, err := parseValue(d, depth)
		if err != nil {
			return nil, At(len(a), err)
		}
		a = append(a, v)
	}
	_, err := token(d)
	return a, err
}

// token returns the next token.
func token(d *json.Decoder) (json.Token, error) {
	t, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, Refused("%w", err)
	}
	return t, nil
}

// Expect returns nil if ok, and otherwise an error that says what kind of value v must be.
func Expect(ok bool, v any, kind string) error {
	if ok {
		return nil
	}
	return Refused("%s must be %s", Brief(v), kind)
}

// Brief returns a short description of a value, for errors.
func Brief(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	case []any:
		return fmt.Sprintf("an array of %d elements", len(v))
	}
	return fmt.Sprintf("%.40q", fmt.Sprint(v))
}

func Float(v any) (float64, error) {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return 0, Refused("%s is no float64", Brief(v))
		}
		return f, nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), nil
		case "+Inf", "-Inf":
			return strconv.ParseFloat(v, 64)
		}
	}
	return 0, Expect(false, v, "a number")
}

// Int returns an integer, which may be written as 3, 3.0 or 30e-1.
func Int(v any) (int, error) {
	n, ok := v.(json.Number)
	if ok {
		var i int
		if i, ok = integer(string(n)); ok {
			return i, nil
		}
	}
	return 0, Expect(false, v, "an integer")
}

// integer returns the value of a JSON number, and whether it is an integer that an int can hold.
func integer(number string) (int, bool) {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	if strings.Trim(mantissa, "-0.") == "" {
		return 0, true // whatever the exponent is
	}
	const digits = 512 // bits of precision
	f, _, err := big.ParseFloat(number, 10, digits, big.ToZero)
	if err != nil || !f.IsInt() {
		return 0, false
	}
	i, accuracy := f.Int64()
	return int(i), accuracy == big.Exact && int64(int(i)) == i
}
