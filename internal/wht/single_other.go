// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package wht

func (e Engine32) batch32(dst, src []float32, signs []uint64) bool { return false }

func (e Engine32) vectors32(dst, src []float32, m int, signs []uint32) int { return 0 }
