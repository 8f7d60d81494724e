// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package splitmix

import "testing"

// The first outputs for the seed 1234567, as Vigna's splitmix64.c (2015, public domain) gives them.
func TestOutput(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := Output(1234567, uint64(i+1)); got != want {
			t.Errorf("output %d: %d, want %d", i+1, got, want)
		}
	}
}
