// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// The default λ is chosen by the log loss of rows held back, from a sample of all rows. Ridge regression's λ, which the squared errors
// of labels choose, says where to begin and no more: where those errors hardly depend on λ, the best λ is up to ten thousand times
// as large, and where labels have no noise, a hundredth. A fit of few rows needs a smaller λ than one of many: see chooseLambda.

const (
	pathStep  = 4    // the factor between neighbours on the path of λ
	pathStart = 1    // where it begins, in steps above ridge regression's λ
	pathLow   = -8   // where it ends
	pathHigh  = 14   //
	leastLoss = 1e-3 // of a loss of less there is nothing to gain
	leastGain = 5e-3 // a part of the loss that is worth another step
)

// chooseLambda sets λ. The best λ of the sample, between neighbours of the path by a parabola, is multiplied by the root of the
// number of rows over that of the sample's fits: this is between the λ of a fixed prior of the weights, which is the same for
// any number of rows, and the λ that is so many times as large, the best where features cannot represent the function.
func (d *descent) chooseLambda() error {
	s, err := d.newSample()
	if err != nil || len(s.fits) == 0 {
		return err
	}
	p := lambdaPath{losses: make(map[int]float64), loss: func(j int) (float64, error) {
		return s.loss(math.Ldexp(d.lambda/d.total, 2*j))
	}}
	best, err := p.best()
	if err != nil {
		return err
	}
	d.lambda *= detmath.Exp(best*math.Log(pathStep)) * math.Sqrt(s.effective()/d.effective())
	return nil
}

// A lambdaPath has losses of rows held back, for λ = 4ʲ times that of ridge regression.
type lambdaPath struct {
	loss   func(j int) (float64, error)
	losses map[int]float64
}

// at returns the loss at j.
func (p *lambdaPath) at(j int) (float64, error) {
	if v, ok := p.losses[j]; ok {
		return v, nil
	}
	v, err := p.loss(j)
	p.losses[j] = v
	return v, err
}

// best returns the place of the least loss: it goes down from the start as long as that is lower, or up if it never is, and takes the
// least of a parabola through the last three.
func (p *lambdaPath) best() (float64, error) {
	at, step := pathStart, -1
	value, err := p.at(at)
	for turned := false; err == nil; {
		var next float64
		if at+step < pathLow || at+step > pathHigh || value < leastLoss {
			break
		}
		if next, err = p.at(at + step); err != nil {
			break
		}
		switch {
		case next < value*(1-leastGain):
			at, value, turned = at+step, next, true
		case !turned:
			step, turned = -step, true
		default:
			return p.vertex(at), nil
		}
	}
	return float64(at), err
}

// vertex returns where a parabola through the losses at j and its neighbours is least, within half a step.
func (p *lambdaPath) vertex(j int) float64 {
	below, above := p.losses[j-1]-p.losses[j], p.losses[j+1]-p.losses[j]
	if offset := 0.5 * (below - above) / (below + above); math.Abs(offset) <= 0.5 {
		return float64(j) + offset
	}
	return float64(j)
}

// effective returns how many rows of equal weight tell as much as those of the training.
func (t *training) effective() float64 {
	var squares float64
	for i := range t.classes {
		w := t.weight(i)
		squares += float64(w * w)
	}
	return t.total / squares * t.total
}
