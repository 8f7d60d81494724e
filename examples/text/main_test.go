// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"testing"
)

// The linear model of words knows nothing, as two desks of three are wrong for one who guesses, and the pairs tell most.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 1500, 400); err != nil {
		t.Fatal(err)
	}
	const want = `1500 letters of 60 words each, from a vocabulary of 420.

model                  features   wrong, %   log loss
words                       420       68.9      1.102
pairs of words              400       15.7      0.404
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}
