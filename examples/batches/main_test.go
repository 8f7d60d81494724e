// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"testing"
)

// Both models are as good as any, nearly, and read the file some times.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 5000, 100); err != nil {
		t.Fatal(err)
	}
	const want = `A file of 5000 rows, whose features would take 3 MB; allowed: 1 MB.

model      readings   error   least
logistic         14   0.070   0.050 of the rows, which class
ridge             7   0.100   0.100 root mean square, of the target
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}
