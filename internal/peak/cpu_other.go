// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !unix

package peak

import "time"

var started = time.Now()

// CPU returns the time since the process started, because its CPU time is not known here.
func CPU() time.Duration { return time.Since(started) }
