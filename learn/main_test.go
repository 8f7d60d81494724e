// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"os"
	"runtime/debug"
	"testing"
)

// Tests keep little memory and use much for a short time: a heap that may grow to five times what is kept is collected less often, which
// saves a tenth of the time.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
