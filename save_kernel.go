// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "errors"

// MarshalKernel returns a kernel as JSON: an object with one member, the name of its type or function, whose value has
// the fields or arguments by their names,
//
//	{"Sum": [{"Gaussian": {"LengthScale": 2}}, {"Scale": {"c": 0.1, "k": {"Linear": {}}}}]}
//
// docs/saving.md has an example of each. A matrix is {"rows": 2, "cols": 3, "values": […]}, by rows, or {"diagonal": […]}.
// Kernels and the like of other packages have the name that they are registered with.
//
// It returns an error if k is nil, or has a part that cannot be saved: see Encode.
func MarshalKernel(k Kernel) ([]byte, error) {
	if isNil(k) {
		return nil, errors.New("featuremap: kernel k = nil")
	}
	s := &saver{}
	return s.json(s.named(k))
}

// UnmarshalKernel returns the kernel of JSON, whether MarshalKernel or a person wrote it. Fields that are missing are
// zero. A FromMap draws its map, within the limits of DecodeOptions that are not set.
//
// It returns an error if data is no JSON, has a name or a field that is unknown, or a value of another kind. Values out of
// range are for the constructors to refuse, as those of a Go program.
func UnmarshalKernel(data []byte) (Kernel, error) {
	v, err := parse(data)
	if err != nil {
		return nil, err
	}
	return (&loader{budget: newBudget(nil)}).kernel(v)
}
