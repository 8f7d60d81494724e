// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package tier

import "golang.org/x/sys/cpu"

// detect returns the tiers above Plain. A tier also needs everything that the one below needs, so
// that switching AVX2 off leaves only plain Go.
func detect() []Tier {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return nil
	}
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL {
		return []Tier{AVX2}
	}
	return []Tier{AVX2, AVX512}
}
