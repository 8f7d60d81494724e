// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package wht

func (Engine) batch(dst, src []float64, signs []uint64) { plainBatch(dst, src, signs) }

func (Engine) vector(dst, src []float64, signs []uint64) { plainVector(dst, src, signs) }
