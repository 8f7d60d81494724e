// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "fmt"

// maxSize bounds the number of kernels in an expression: one that has itself for both of its
// terms, forty times over, would take for ever to look at.
const maxSize = 1 << 16

// A sized expression has counted the kernels in it when it was made.
type sized interface{ size() int }

// sizeOf returns the number of kernels in a kernel.
func sizeOf(k any) int {
	switch k := k.(type) {
	case sized:
		return k.size()
	case dotKernel:
		return sizeOf(k.f)
	case projector:
		_, inner := k.projection()
		return 1 + sizeOf(inner)
	case selector:
		_, inner := k.selection()
		return 1 + sizeOf(inner)
	case weighted:
		return 1 + sizeOf(k.k)
	case sumSeries:
		return sizeOf(k.f) + sizeOf(k.g)
	case productSeries:
		return sizeOf(k.f) + sizeOf(k.g)
	case composedSeries:
		return sizeOf(k.f) + sizeOf(k.g)
	case scaledSeries:
		return 1 + sizeOf(k.f)
	}
	return 1
}

// sizes returns the sum of the sizes of kernels.
func sizes[K any](ks []K) (n int) {
	for _, k := range ks {
		n = min(n+sizeOf(k), maxSize+1)
	}
	return n
}

// tooLarge refuses kernels that are too many together.
func tooLarge[K any](name string, ks []K) (refused, bool) {
	if sizes(ks) <= maxSize {
		return refused{}, false
	}
	return refused{fmt.Errorf("featuremap: %s of more than %d kernels", name, maxSize)}, true
}
