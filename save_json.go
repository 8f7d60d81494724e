// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// An object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// lineWidth is the length of a line up to which an object or an array is not broken.
const lineWidth = 100

// A jsonWriter writes values as JSON for people to read: objects and arrays on one line where they fit.
type jsonWriter struct {
	bytes.Buffer
	err error
}

// write writes a value at an indent. If most is positive, it is all on one line, and it stops after so many bytes.
func (w *jsonWriter) write(v any, indent, most int) {
	if most > 0 && w.Len() > most || w.err != nil {
		return
	}
	switch v := v.(type) {
	case object:
		w.list('{', '}', len(v), v, indent, most, func(i, indent int) {
			w.scalar(v[i].name)
			w.WriteString(": ")
			w.write(v[i].value, indent, most)
		})
	case []any:
		w.list('[', ']', len(v), v, indent, most, func(i, indent int) { w.write(v[i], indent, most) })
	default:
		w.scalar(v)
	}
}

// list writes n elements of v, between brackets.
func (w *jsonWriter) list(open, end byte, n int, v any, indent, most int, element func(i, indent int)) {
	line := most > 0
	if !line {
		var of jsonWriter
		of.write(v, indent, lineWidth)
		if line = of.Len() <= lineWidth-2*indent; line && of.err == nil {
			w.Write(of.Bytes())
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

func (w *jsonWriter) newLine(indent int) {
	w.WriteByte('\n')
	for range min(indent, lineWidth/4) {
		w.WriteString("  ")
	}
}

// scalar writes what encoding/json makes of a value, on one line.
func (w *jsonWriter) scalar(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		w.err = fmt.Errorf("featuremap: %w", err)
	}
	w.Write(raw)
}
