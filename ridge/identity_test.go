// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// shifted is a kernel that cannot be saved.
type shifted struct{ featuremap.Gaussian }

func (k shifted) Eval(x, y []float64) float64 { return k.Gaussian.Eval(x, y) }

// Maps that are made from data far from 0 have the same features there: all 0, or 1. They are told apart all the same, in memory, in files
// and in passes; another map of the same data is the same map.
func TestMapsMadeFarFromZero(t *testing.T) {
	t.Parallel()
	x, y := data(60, 2, 1, 5)
	other := mat.DenseCopyOf(x)
	for _, m := range []*mat.Dense{x, other} {
		m.Apply(func(i, _ int, v float64) float64 { return v + 1e5 }, m)
	}
	other.Set(0, 0, other.At(0, 0)+2)
	landmarks := func(k featuremap.Kernel) func(x *mat.Dense) featuremap.FeatureMap {
		return func(x *mat.Dense) featuremap.FeatureMap {
			return must(featuremap.NewNystrom(k, x, 60, featuremap.NewSampler(1), nil))
		}
	}
	gaussian := featuremap.Gaussian{LengthScale: 1}
	for name, made := range map[string]func(x *mat.Dense) featuremap.FeatureMap{
		"landmarks":             landmarks(gaussian),
		"landmarks, all 1":      landmarks(featuremap.Sum(featuremap.Constant{Value: 1}, gaussian)),
		"of a caller's kernel":  landmarks(shifted{gaussian}),
		"landmarks, logarithms": landmarks(featuremap.SymLog([]float64{1e9, 1e9}, gaussian)),
		"a window":              func(x *mat.Dense) featuremap.FeatureMap { return planned(gaussian, x, 200) },
	} {
		phi, same, another := made(x), made(x), made(other)
		a := must(NewAccumulator(phi, 1))
		if err := a.Add(x, y); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what    string
			phi     featuremap.FeatureMap
			refused bool
		}{{"the same map", same, false}, {"another map", another, true}} {
			b := must(NewAccumulator(c.phi, 1))
			if err := b.Add(x, y); err != nil {
				t.Fatal(err)
			}
			read := must(ReadAccumulator(bytes.NewReader(written(b)), c.phi))
			if _, err := ReadAccumulator(bytes.NewReader(written(b)), phi); (err != nil) != c.refused {
				t.Errorf("%s: %s is read: %v", name, c.what, err)
			}
			for how, b := range map[string]*Accumulator{"": b, ", from a file": read} {
				if err := must(NewAccumulator(phi, 1)).Merge(b); (err != nil) != c.refused {
					t.Errorf("%s: %s%s: %v", name, c.what, how, err)
				}
			}
			_, err := FitPasses(phi, func(p *Pass) (*PassSums, error) {
				p, err := ReadPass(bytes.NewReader(written(p)), c.phi)
				if err != nil {
					return nil, err
				}
				s := p.NewSums(0)
				return s, s.Add(x, y)
			}, 1, &IterativeOptions{Lambda: 0.1})
			if (err != nil) != c.refused {
				t.Errorf("%s: a pass of %s: %v", name, c.what, err)
			}
			if in32, err := featuremap.Float32(phi); err == nil {
				b := must(NewAccumulator32(must(featuremap.Float32(c.phi)), 1))
				if err := must(NewAccumulator32(in32, 1)).Merge(b); (err != nil) != c.refused {
					t.Errorf("%s: float32 of %s: %v", name, c.what, err)
				}
			}
		}
	}
}
