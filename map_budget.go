// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "fmt"

// A budget is what memory, in bytes, and work, in multiply-adds, there are left.
type budget struct {
	bytes, work       float64
	maxBytes, maxWork float64
}

// take takes memory and work from the budget, or returns an error. A nil budget has no limits.
func (b *budget) take(bytes, work float64) error {
	switch {
	case b == nil:
		return nil
	case !(bytes <= b.bytes):
		return fmt.Errorf("featuremap: it takes %.3g bytes of memory where %.3g are left of %.3g: see DecodeOptions", bytes, b.bytes, b.maxBytes)
	case !(work <= b.work):
		return fmt.Errorf("featuremap: it takes %.3g multiply-adds where %.3g are left of %.3g: see DecodeOptions", work, b.work, b.maxWork)
	}
	b.bytes -= max(bytes, 0)
	b.work -= max(work, 0)
	return nil
}
