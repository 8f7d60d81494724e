// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package program

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var early, late bytes.Buffer
	progress(&early, "\n", time.Now().Add(time.Hour))("reading …")
	if early.Len() != 0 {
		t.Errorf("before its time it wrote %q", &early)
	}
	progress(&late, "\r", time.Now())("reading …")
	if want := fmt.Sprintf("%-78s\r", "reading …"); late.String() != want {
		t.Errorf("it wrote %q, not %q", &late, want)
	}
}
