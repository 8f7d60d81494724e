// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// What experiments/fittime writes. Megabytes and error may be empty.
var fitColumns = []string{"method", "rows", "seconds", "megabytes", "error"}

// fittime draws seconds, memory and error of fits against the number of rows.
func fittime(t *table) *sheet {
	methods := t.values("method", nil)
	of := looks(methods)
	s := &sheet{width: full, legend: legend(methods), height: 230}
	var row []*panel
	for _, panel := range []struct{ column, title, unit string }{
		{"seconds", "time of a fit", "seconds"},
		{"megabytes", "memory of a fit", "megabytes"},
		{"error", "error on rows not fitted", "root mean square error"},
	} {
		given := func(rows []int) []int {
			if panel.column == "seconds" {
				return rows // none may be empty
			}
			return t.with(panel.column, rows)
		}
		if len(given(t.where(nil))) == 0 {
			continue
		}
		p := newPanel(panel.title, "number of rows n", panel.unit)
		p.Add(fineGrid())
		for _, m := range methods {
			points := t.curve(given(t.where(map[string]string{"method": m})), "rows", panel.column)
			add(p, points, of[m].line(points), of[m].glyphs(points))
		}
		logarithmic(&p.X, xTicks)
		logarithmic(&p.Y, yTicks)
		row = append(row, p)
	}
	s.panels = [][]*panel{row}
	return s
}
