// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package ridge fits linear models on features: kernel ridge regression, and the Gaussian process whose mean it is, at
// n·D² operations and D² memory in place of n³ and n².
package ridge
