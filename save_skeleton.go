// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "reflect"

// A savedSkeleton is a skeleton as it is saved.
type savedSkeleton struct {
	In    int            `save:"in"`
	Calls []skeletonCall `save:"calls"`
}

// skeleton returns a skeleton as it is saved.
func (s *saver) skeleton(g *graph) any {
	return s.value(reflect.ValueOf(savedSkeleton{g.in, g.steps}))
}
