// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
)

// A savedSampler is the saved form of a sampler: the state of its generator, and the Left signs that Rademacher returns
// next.
type savedSampler struct {
	State string `save:"state"`
	Signs string `save:"signs"`
	Left  int    `save:"left"`
}

// MarshalBinary returns the state of the sampler. UnmarshalBinary makes a sampler from it that continues with the same
// variates. It returns an error if s is the zero value.
func (s *Sampler) MarshalBinary() ([]byte, error) {
	if s == nil || !s.seeded {
		return nil, errors.New("featuremap: sampler s is nil or the zero value, which has no state")
	}
	state, err := s.src.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("featuremap: %w", err)
	}
	saver := &saver{data: new([][]float64)}
	saved := savedSampler{hex.EncodeToString(state), fmt.Sprintf("%016x", s.signs), s.signsLeft}
	return saver.file(samplerFile, saver.value(reflect.ValueOf(saved)))
}

// UnmarshalBinary sets s to the state that MarshalBinary returned, whatever s was before. It returns an error, and
// leaves s as it was, if data was changed.
func (s *Sampler) UnmarshalBinary(data []byte) error {
	l := newLoader(nil, noOptions)
	v, err := l.file(samplerFile, bytes.NewReader(data))
	if err != nil {
		return err
	}
	var d savedSampler
	if err := l.fields(v, reflect.ValueOf(&d).Elem()); err != nil {
		return err
	}
	state, err := samplerOf(d.State)
	if err != nil {
		return document.Under("state", err)
	}
	// Rademacher shifts out the bits that it has used, so that only the Left lowest bits can be set.
	state.signs, err = strconv.ParseUint(d.Signs, 16, 64)
	if err != nil || fmt.Sprintf("%016x", state.signs) != d.Signs || d.Left < 0 || d.Left > 63 || state.signs>>d.Left != 0 {
		return document.Refused("a sampler with left = %d of the signs %.40q: must be at most 63 bits, as 16 hexadecimal digits", d.Left, d.Signs)
	}
	state.signsLeft = d.Left
	if err := l.done(); err != nil {
		return err
	}
	*s = *state
	return nil
}

// MarshalJSON returns an error: use MarshalBinary.
func (s *Sampler) MarshalJSON() ([]byte, error) {
	return nil, errors.New("featuremap: a Sampler is saved by MarshalBinary, not as JSON")
}

const samplerFile = "sampler"

// samplerOf returns a sampler with the given state of its generator, which is in hexadecimal digits.
func samplerOf(state string) (*Sampler, error) {
	b, err := hex.DecodeString(state)
	if err != nil || len(b) != 16 || hex.EncodeToString(b) != state {
		return nil, document.Refused("a sampler with the state %.40q: must be 32 hexadecimal digits, in lower case", state)
	}
	return newSampler(binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])), nil
}
