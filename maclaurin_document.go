// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

// A maclaurinDocument is a maclaurinRecipe as it is saved.
type maclaurinDocument struct {
	Law           DegreeLaw `save:"law,omitempty"`
	Sketch        string    `save:"sketch,omitempty"`
	ExactDegrees  int       `save:"exactDegrees,omitempty"` // how many of the lowest degrees are exact: 2 with ExactLow
	Complex       bool      `save:"complex,omitempty"`
	SumOfProducts bool      `save:"sumOfProducts,omitempty"`
}

func (r *maclaurinRecipe) document() any {
	d := maclaurinDocument{Sketch: r.opts.Sketch.String(), ExactDegrees: len(r.low.a), Complex: r.opts.Complex}
	if d.SumOfProducts = r.terms != nil; !d.SumOfProducts {
		d.Law = r.law
	}
	return d
}

func (d maclaurinDocument) recipe(asked request) (recipe, error) {
	f, w, ok := asked.series()
	if !ok {
		return nil, nil
	}
	sketch, err := option[Sketch](d.Sketch, "sketch", RademacherSketch, GaussianSketch, TensorSRHT)
	if err != nil {
		return nil, err
	}
	if d.ExactDegrees < 0 {
		return nil, under("exactDegrees", refused("exactDegrees = %d: must be at least 0", d.ExactDegrees))
	}
	return newMaclaurinWithin(f, w, asked.in, asked.columns, d.ExactDegrees, MaclaurinOptions{
		Law: d.Law, Sketch: sketch, Complex: d.Complex, SumOfProducts: d.SumOfProducts,
	}, asked.budget)
}

// work returns about how many multiply-adds a transform takes for a point.
func (r *maclaurinRecipe) work() float64 {
	if r.terms == nil {
		return r.frame.work()
	}
	return float64(r.draws()) * sumFactors(r.terms) * float64(r.in)
}

// drawWork returns about how many multiply-adds draw takes.
func (r *maclaurinRecipe) drawWork() float64 {
	factors := float64(r.draws()) * r.degrees.mean()
	if r.terms != nil {
		factors = float64(r.draws()) * sumFactors(r.terms)
	}
	return factors*(numberWork*float64(r.dim())+r.packing()) + r.low.count*float64(r.in)
}

// mean returns the mean degree.
func (d *degrees) mean() (mean float64) {
	for i, w := range d.w {
		mean += float64(d.from+i) * w / d.total
	}
	return mean
}
