// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Parts of a kernel whose parameters are known.

package learn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
)

// A Fixed keeps a part of a kernel as it is. Put it around that part in the kernel that you give to Kernel, Regression
// or Classification: none of its parameters is learned, and no linear map is put in front of it. Use it for known
// periods, such as 12 months:
//
//	featuremap.Sum(
//		featuremap.Select([]int{0}, learn.Fixed{Kernel: featuremap.Periodic{Period: 12, LengthScale: 1}}),
//		featuremap.Gaussian{LengthScale: 50},
//	)
//
// The parts around it are learned as usual: the scale of the term (a Scale in front of Fixed is not a parameter of the
// Fixed), the other terms of a Sum, and the other factors of a Product if all factors are functions of x − y, such as a
// Gaussian by which a season fades. In any other Product, a Compose or a Weight that contains a Fixed, only the scale
// is learned. A linear map around a Fixed (ARD, Project, Select) stays as well. With a Fixed, Regression and
// Classification try no multiples of its length scales, no logarithms of columns, and no linear kernel for wide tables.
//
// Fixed has a meaning only in package learn, which removes it from all results: no returned kernel, map or file
// contains one, and the constructors of maps refuse it. A Fixed in a Fixed counts once. A Fixed of nil is refused.
type Fixed struct{ featuremap.Kernel }

// fixedKernel returns the kernel in a Fixed, and whether k is one.
func fixedKernel(k featuremap.Kernel) (featuremap.Kernel, bool) {
	switch f := k.(type) {
	case Fixed:
		return plain(f.Kernel), true
	case *Fixed:
		if f != nil {
			return plain(f.Kernel), true
		}
	}
	return nil, false
}

// plain returns the kernel in a KernelJSON, and other kernels as they are.
func plain(k featuremap.Kernel) featuremap.Kernel {
	switch j := k.(type) {
	case featuremap.KernelJSON:
		return plain(j.Kernel)
	case *featuremap.KernelJSON:
		if j != nil {
			return plain(j.Kernel)
		}
	}
	return k
}

// mostNodes bounds the nodes of an expression that are searched: constructors refuse larger ones.
const mostNodes = 1 << 12

// fixedParts returns the kernels in the outermost Fixed parts of k; nil if k is too large.
func fixedParts(k featuremap.Kernel) (parts []featuremap.Kernel) {
	next := []featuremap.Kernel{k}
	for seen := 0; len(next) > 0; seen++ {
		if seen == mostNodes {
			return nil
		}
		k, next = next[len(next)-1], next[:len(next)-1]
		if inner, ok := fixedKernel(k); ok {
			parts = append(parts, inner)
		} else if c, ok := k.(featuremap.Expression); ok && !isNil(k) {
			next = append(next, c.Parts()...)
		}
	}
	return parts
}

// hasFixed reports whether k contains a Fixed.
func hasFixed(k featuremap.Kernel) bool { return fixedParts(k) != nil }

// validateFixed refuses a Fixed of nil in k.
func validateFixed(k featuremap.Kernel) error {
	for _, inner := range fixedParts(k) {
		if isNil(inner) {
			return errors.New("learn: the Kernel of a Fixed is nil")
		}
		if err := validateFixed(inner); err != nil {
			return err
		}
	}
	return nil
}

// loose returns k with each Fixed replaced by its kernel.
func loose(k featuremap.Kernel) featuremap.Kernel {
	if inner, ok := fixedKernel(k); ok {
		return loose(inner)
	}
	if !hasFixed(k) {
		return k
	}
	c := k.(featuremap.Expression)
	parts := c.Parts()
	for i, part := range parts {
		parts[i] = loose(part)
	}
	return c.With(parts...)
}

// loose returns what was learned without Fixed parts.
func (l *Learned) loose() *Learned {
	c := *l
	c.Kernel, c.Stages = loose(l.Kernel), slices.Clone(l.Stages)
	for i, stage := range c.Stages {
		if stage.Kernel != nil {
			c.Stages[i].Kernel = loose(stage.Kernel)
		}
	}
	return &c
}

// A parted product is scale·∏ fixed·∏ free.
type parted struct {
	scale       float64
	fixed, free []featuremap.Kernel
}

// split returns k as a product of Fixed parts and others, and whether it is one.
func split(k featuremap.Kernel) (p parted, ok bool) {
	p.scale = 1
	if inner, is := fixedKernel(k); is {
		p.fixed = []featuremap.Kernel{loose(inner)}
		return p, true
	}
	if !hasFixed(k) {
		p.free = []featuremap.Kernel{k}
		return p, true
	}
	c := k.(featuremap.Expression)
	switch c.Op() {
	case "Product":
		for _, factor := range c.Parts() {
			q, ok := split(factor)
			if !ok {
				return p, false
			}
			p.scale *= q.scale
			p.fixed, p.free = append(p.fixed, q.fixed...), append(p.free, q.free...)
		}
		return p, true
	case "Scale":
		p, ok = split(c.Parts()[0])
		p.scale *= featuremap.Parameters(k)[0]
		return p, ok
	case "ARD", "Project", "Select":
		p, ok = split(c.Parts()[0])
		for _, factors := range [][]featuremap.Kernel{p.fixed, p.free} {
			for i, factor := range factors {
				factors[i] = c.With(factor)
			}
		}
		return p, ok
	}
	return p, false
}

// newFixedTerm returns the term scale·k(Ax, Ay) for a k that contains a Fixed. If k is a product of functions of x − y,
// its factors that are not Fixed are learned; otherwise the scale alone.
func newFixedTerm(k featuremap.Kernel, scale float64, w warp) (term, error) {
	whole := term{kind: other, scale: scale, warp: w, base: Fixed{loose(k)}}
	if inner, ok := fixedKernel(k); ok {
		t, err := newTerm(loose(inner), scale, w)
		if err != nil || t.kind == linear || t.kind == constant { // only the scale is learned
			return t, err
		}
		return whole, nil
	}
	p, ok := split(k)
	if !ok || p.free == nil {
		return whole, nil
	}
	held := featuremap.Product(p.fixed...)
	s, ok := featuremap.StationaryOf(held)
	if !ok {
		return whole, nil
	}
	if !(s.Mass() > 0) {
		return whole, fmt.Errorf("learn: kernel k has the factor %v of mass %v: must be positive, or the term has no effect", held, s.Mass())
	}
	terms, err := appendTerms(nil, featuremap.Product(p.free...), float64(scale*p.scale), w)
	if err != nil || len(terms) != 1 || terms[0].kind != stationary {
		return whole, err
	}
	t := terms[0]
	t.held = w.expression(Fixed{held})
	return t, nil
}

// asItIs reports whether the given kernel is meant for the raw columns of x, since it is not a function of x − y or has
// known parameters.
func (s *study) asItIs() bool {
	if s.Kernel == nil {
		return false
	}
	_, ok := featuremap.StationaryOf(s.Kernel)
	return !ok || hasFixed(s.Kernel)
}
