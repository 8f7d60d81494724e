// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-0f95ebc1/featuremap"
)

func ExampleSampler() {
	s := featuremap.NewSampler(42)
	fmt.Printf("%.6f\n", s.Normal())

	// A split is unrelated to later variates, and just as reproducible.
	t := s.Split()
	fmt.Printf("%.6f\n", t.Normal())

	// A Sampler is a source for math/rand/v2, and for gonum's distributions.
	fmt.Println(rand.New(s).Perm(5))
	// Output:
	// -0.070877
	// -1.230698
	// [0 3 1 2 4]
}

// A Sampler is a Source of math/rand/v2, so gonum's distributions and samplers take it. One seed is then behind all
// random numbers of a program.
func ExampleSampler_distuv() {
	s := featuremap.NewSampler(1)
	noise := distuv.Normal{Mu: 0, Sigma: 0.1, Src: s}
	waiting := distuv.Weibull{K: 1.5, Lambda: 2, Src: s.Split()}
	fmt.Printf("%.4f %.4f\n", noise.Rand(), waiting.Rand())

	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 100, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(phi.Dims())
	// Output:
	// -0.0500 1.9309
	// 2 100
}

// One seed gives the same weights on every machine, and another seed gives an independent map.
func ExampleNewSampler() {
	x := []float64{1, 2}
	for _, seed := range []uint64{1, 1, 2} {
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 100, featuremap.NewSampler(seed), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.5f\n", phi.TransformVec(nil, x)[:3])
	}
	// Output:
	// [-0.05822 0.05097 -0.10359]
	// [-0.05822 0.05097 -0.10359]
	// [0.04065 -0.06059 0.05018]
}

// The state of a sampler in a file, from which a program continues.
func ExampleSampler_MarshalBinary() {
	s := featuremap.NewSampler(1)
	s.Normal()
	state, err := s.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	var resumed featuremap.Sampler
	if err := resumed.UnmarshalBinary(state); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Normal() == resumed.Normal())
	// Output:
	// true
}
