// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package document

import (
	"fmt"
	"strings"
)

// Refused returns an error that refuses saved data, formatted as by fmt.Errorf.
func Refused(format string, args ...any) error {
	return fmt.Errorf("featuremap: saved data: "+format, args...)
}

// A placed error is an error with the place in the JSON document of the value that is refused.
type placed struct {
	path []string // the names of members, and [i] for elements of arrays, from the innermost out
	err  error
}

func (e *placed) Error() string {
	const most = 16 // steps
	var path strings.Builder
	if len(e.path) > most {
		path.WriteString("…")
	}
	for i := min(len(e.path), most) - 1; i >= 0; i-- {
		if path.Len() > 0 && !strings.HasPrefix(e.path[i], "[") {
			path.WriteByte('.')
		}
		path.WriteString(e.path[i])
	}
	return fmt.Sprintf("%v (in %q)", e.err, path.String())
}

func (e *placed) Unwrap() error { return e.err }

// Under adds the name of a member to the path of an error about the member's value. It returns nil if err is nil.
func Under(name string, err error) error {
	if err == nil {
		return nil
	}
	step := fmt.Sprintf("%.40s", name)
	if p, ok := err.(*placed); ok {
		p.path = append(p.path, step)
		return p
	}
	return &placed{[]string{step}, err}
}

// At adds the index of an element of an array to the path of an error about that element, as Under does.
func At(i int, err error) error { return Under(fmt.Sprintf("[%d]", i), err) }
