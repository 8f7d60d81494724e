// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux

package memory

// physical returns 0, for not known.
func physical() uint64 { return 0 }

// available returns 0, for not known.
func available() uint64 { return 0 }
