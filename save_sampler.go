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
)

// A savedSampler is a sampler as it is saved: the state of its generator, and the signs that Rademacher has left.
type savedSampler struct {
	State string `save:"state"`
	Signs string `save:"signs"`
	Left  int    `save:"left"`
}

// MarshalBinary returns the state of the sampler, from which UnmarshalBinary makes one whose variates go on as those of s
// would. It returns an error if s is the zero value.
func (s *Sampler) MarshalBinary() ([]byte, error) {
	if err := validateSampler(s); err != nil {
		return nil, err
	}
	state, err := s.src.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("featuremap: %w", err)
	}
	of := &saver{data: new([][]float64)}
	saved := savedSampler{hex.EncodeToString(state), fmt.Sprintf("%016x", s.signs), s.signsLeft}
	return of.file(samplerFile, of.value(reflect.ValueOf(saved)))
}

// UnmarshalBinary sets s to the state that MarshalBinary returned, whatever s was. It returns an error, and leaves s as
// it was, if data was changed.
func (s *Sampler) UnmarshalBinary(data []byte) error {
	l := &loader{budget: newBudget(nil)}
	v, err := l.file(samplerFile, bytes.NewReader(data))
	if err != nil {
		return err
	}
	var d savedSampler
	if err := l.fields(reflect.ValueOf(&d).Elem(), v); err != nil {
		return err
	}
	of, err := samplerOf(d.State)
	if err != nil {
		return err
	}
	if of.signs, err = strconv.ParseUint(d.Signs, 16, 64); err != nil || len(d.Signs) != 16 || d.Left < 0 || d.Left > 64 {
		return refused("a sampler with %d signs of %.40q", d.Left, d.Signs)
	}
	of.signsLeft = d.Left
	if err := l.done(); err != nil {
		return err
	}
	*s = *of
	return nil
}

// MarshalJSON returns an error: use MarshalBinary.
func (s *Sampler) MarshalJSON() ([]byte, error) {
	return nil, errors.New("featuremap: a Sampler is saved by MarshalBinary, not as JSON")
}

const samplerFile = "sampler"

// samplerOf returns the sampler of a state of the generator, in hexadecimal digits.
func samplerOf(state string) (*Sampler, error) {
	b, err := hex.DecodeString(state)
	if err != nil || len(b) != 16 {
		return nil, refused("a sampler with the state %.40q: must be 32 hexadecimal digits", state)
	}
	return newSampler(binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])), nil
}
