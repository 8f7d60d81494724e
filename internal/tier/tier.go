// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package tier says which instructions the hot paths may use. Every tier gives the same bits; they
// differ in speed.
package tier

import (
	"fmt"
	"slices"
)

// Tier is a set of instructions for which there are kernels.
type Tier int

const (
	Plain  Tier = iota // plain Go: the specification, on any CPU
	AVX2               // AVX2 and FMA, 256 bits
	AVX512             // AVX-512 F, BW, DQ and VL, 512 bits
)

// String returns the name of the tier.
func (t Tier) String() string {
	switch t {
	case Plain:
		return "plain Go"
	case AVX2:
		return "AVX2"
	case AVX512:
		return "AVX-512"
	}
	return fmt.Sprintf("Tier(%d)", int(t))
}

// available lists tiers in ascending order. It does not change once the program has started.
var available = append([]Tier{Plain}, detect()...)

// Available returns the tiers that this machine and this build can run, in ascending order.
//
// On amd64 they are the tiers that the CPU and the operating system support, minus those that
// GODEBUG=cpu.avx512f=off, cpu.avx2=off, cpu.fma=off and the like forbid at the start of the
// program. With the build tag purego or noasm, and on other architectures, there is only Plain.
func Available() []Tier { return slices.Clone(available) }

// Best returns the best tier available.
func Best() Tier { return available[len(available)-1] }
