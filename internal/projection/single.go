// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "github.com/seed-0f95ebc1/featuremap/internal/single"

// singlePart is a Part that also exists in float32.
type singlePart interface {
	Part

	// single returns the part in float32, with its weights rounded once, or nil if there is no such
	// part.
	single() single.Part
}

// Single returns the stack in float32, or the index of the first part that does not exist in
// float32.
func (s *Stack) Single() (in32 *single.Stack, without int) {
	parts := make([]single.Part, len(s.parts))
	for i, part := range s.parts {
		p, ok := part.(singlePart)
		if ok {
			parts[i] = p.single()
		}
		if parts[i] == nil {
			return nil, i
		}
	}
	return single.NewStack(s.in, s.out, parts...), -1
}

// narrow returns the projection in float32. Its epilogue is not Multiply.
func (p *Projection) narrow() *single.Projection {
	to := single.New(p.forms, p.in, single.Epilogue(p.epilogue), p.table.scale)
	w := make([]float64, p.in)
	for i := range p.forms {
		b := p.Form(w, i)
		to.Set(i, w, b)
	}
	return to
}

func (f Forms) single() single.Part {
	if f.epilogue == Multiply {
		return nil
	}
	return single.Forms{Projection: f.narrow(), At: f.At}
}

func (n Neurons) single() single.Part {
	return single.Neurons{
		Forms:      single.Forms{Projection: n.narrow(), At: n.At},
		Activation: single.Activation(n.Activation), Scale: float32(n.Scale), Opposite: n.Opposite,
	}
}

func (c Constants) single() single.Part {
	return single.Constants{At: c.At, Values: single.Rounded(c.Values)}
}

func (c Copy) single() single.Part {
	return single.Copy{At: c.At, Scale: float32(c.Scale), Center: single.Rounded(c.Center)}
}

func (f Rows) single() single.Part {
	if !f.Rounded {
		return nil
	}
	return single.Rows{At: f.At, Columns: f.Columns, Of: f.Of}
}

func (w Weighted) single() single.Part {
	return single.Weighted{At: w.At, Columns: w.Columns, Weight: w.Weight}
}

func (s *Structured) single() single.Part {
	before := single.Before{Diagonal: single.Rounded(s.before.Diagonal), Center: single.Rounded(s.before.Center)}
	if s.before.Linear != nil {
		before.Linear = s.before.Linear.narrow()
	}
	return single.NewStructured(s.at, s.forms, s.in, s.p, single.Epilogue(s.epilogue), s.table.scale, before,
		single.Block{Signs: s.signs, Scale: s.scale, Bias: s.bias})
}
