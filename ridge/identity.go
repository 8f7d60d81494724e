// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/probe"
)

// An identity tells the features of maps apart: it is the SHA-256 of the features of some points, which are the same
// for all maps with as many coordinates. Features of maps that are made from data may all be 0 there, or 1: their
// identity also covers the output of featuremap.Encode, or the landmarks if that fails.
type identity [sha256.Size]byte

// identify returns the identity of the features of a map that are summed: its own, or its raw ones.
func identify(summed, phi featuremap.FeatureMap) (id identity) {
	features := probe.Sum(probe.Features(summed))
	made := phi
	if w, ok := phi.(*widened); ok {
		made = w.FeatureMap
	}
	if !linear.FromData(made) {
		return features
	}
	h := sha256.New()
	h.Write(features[:])
	fmt.Fprintln(h, summed != phi)
	if err := featuremap.Encode(h, made); err != nil { // the kernel is a caller's type
		if m, ok := made.(*featuremap.Nystrom); ok {
			binary.Write(h, binary.LittleEndian, m.Landmarks().RawMatrix().Data)
		}
	}
	h.Sum(id[:0])
	return id
}

// identityOf returns a function that computes an identity once it is asked for.
func identityOf(summed, phi featuremap.FeatureMap) func() identity {
	return sync.OnceValue(func() identity { return identify(summed, phi) })
}

// String returns the digits of the identity.
func (id identity) String() string { return hex.EncodeToString(id[:]) }

// parseIdentity returns the identity of the digits of a file.
func parseIdentity(digits string) (id identity, err error) {
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("ridge: the data has the map %.80q: must be a SHA-256", digits)
	}
	return identity(b), nil
}
