// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"sync"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/probe"
)

// A fingerprint tells maps apart.
type fingerprint struct {
	phi      featuremap.FeatureMap
	features [sha256.Size]byte // checksum of the features of some points

	// document returns the checksum of the output of featuremap.Encode for the map, and whether it can be encoded. It
	// distinguishes maps whose features are 0 at the points, such as landmarks far from them.
	document func() (sum [sha256.Size]byte, ok bool)
}

// fingerprintOf returns the fingerprint of a map.
func fingerprintOf(phi featuremap.FeatureMap) fingerprint {
	return fingerprint{
		phi:      phi,
		features: probe.Sum(probe.Features(phi)),
		document: sync.OnceValues(func() (sum [sha256.Size]byte, ok bool) {
			var b bytes.Buffer
			if err := featuremap.Encode(&b, phi); err != nil {
				return sum, false
			}
			return sha256.Sum256(b.Bytes()), true
		}),
	}
}

// equal reports whether two maps are the same.
func (a fingerprint) equal(b fingerprint) bool {
	switch {
	case a.features != b.features:
		return false
	case reflect.ValueOf(a.phi).Kind() == reflect.Pointer && a.phi == b.phi:
		return true
	}
	left, ok := a.document()
	right, also := b.document()
	return left == right || !ok || !also
}
