// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "fmt"

// What reading a file may take of memory and work. See plan_recipe.go for what transforms and draws cost.

// A budget is the memory, in bytes, and the work, in multiply-adds, that are left for reading saved data. A demand beyond it
// is refused before anything is allocated or done, and so are all later ones.
type budget struct {
	bytes, work       float64
	maxBytes, maxWork float64
	more              string // tells in errors how more is allowed
	closed            bool   // reading is over, and there are no limits any more
	err               error  // the first refusal, or nil
}

// take takes memory and work from the budget, or returns an error. A nil budget has no limits.
func (b *budget) take(bytes, work float64) error {
	switch {
	case b == nil || b.closed:
		return nil
	case b.err != nil:
	case !(bytes <= b.bytes):
		b.err = fmt.Errorf("featuremap: it takes %.3g bytes of memory where %.3g are left of %.3g: %s", bytes, b.bytes, b.maxBytes, b.more)
	case !(work <= b.work):
		b.err = fmt.Errorf("featuremap: it takes %.3g multiply-adds where %.3g are left of %.3g: %s", work, b.work, b.maxWork, b.more)
	default:
		b.bytes -= max(bytes, 0)
		b.work -= max(work, 0)
	}
	return b.err
}

// refused returns the error of the first demand beyond the budget, or nil if there was none.
func (b *budget) refused() error {
	if b == nil {
		return nil
	}
	return b.err
}

// close lifts the limits when reading is over, since kernels that were read may keep the budget and call take later.
func (b *budget) close() { b.closed = true }
