// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap"
)

// The file of a map has a few hundred bytes, however many features it has: the weights are drawn again.
func ExampleEncode() {
	phi, err := featuremap.NewFourier(featuremap.Matern{Nu: 2.5, LengthScale: 1}, 10, 4096, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := featuremap.Encode(&file, phi); err != nil {
		log.Fatal(err)
	}
	fmt.Println("less than 1 kB:", file.Len() < 1000)

	again, err := featuremap.Decode(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{1, 0, 0, 2, 0, 0, 3, 0, 0, 4}
	fmt.Println("same features:", floats.Equal(phi.TransformVec(nil, x), again.TransformVec(nil, x)))
	// Output:
	// less than 1 kB: true
	// same features: true
}

// A file of an unknown author may demand too much memory. A limit refuses it before anything is drawn.
func ExampleDecode() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1000, 1000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := featuremap.Encode(&file, phi); err != nil {
		log.Fatal(err)
	}
	_, err = featuremap.Decode(&file, &featuremap.DecodeOptions{MaxBytes: 1 << 20})
	fmt.Println("refused:", err != nil)
	// Output:
	// refused: true
}

// A kernel is a field of a configuration that a person may write.
func ExampleKernelJSON() {
	var config struct {
		Features int
		Kernel   featuremap.KernelJSON
	}
	text := `{"Features": 100, "Kernel": {"ARD": {"lengthScales": [1, 10], "k": {"Matern": {"Nu": 1.5, "LengthScale": 1}}}}}`
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		log.Fatal(err)
	}
	plan, err := featuremap.NewPlan(config.Kernel, nil, config.Features, &featuremap.PlanOptions{In: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Kernel())
	config.Kernel.Kernel = featuremap.Sum(featuremap.Linear{}, featuremap.Scale(0.5, featuremap.Gaussian{LengthScale: 2}))
	document, err := json.Marshal(config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(document))
	fmt.Println(json.Unmarshal([]byte(`{"Kernel": {"Gaussian": {"LengthScal": 2}}}`), &config))
	// Output:
	// ARD([]float64{1, 10}, Matern{Nu: 1.5, LengthScale: 1})
	// {"Features":100,"Kernel":{"Sum":[{"Linear":{}},{"Scale":{"c":0.5,"k":{"Gaussian":{"LengthScale":2}}}}]}}
	// featuremap: saved data: there is no field "LengthScal" (in "Gaussian")
}

// triangle is a kernel of your own, the convolution of two boxes. Its fields are exported for encoding/json.
type triangle struct{ Width float64 }

func (k triangle) Eval(x, y []float64) float64 {
	value := 1.0
	for i := range x {
		value *= math.Max(0, 1-math.Abs(x[i]-y[i])/k.Width)
	}
	return value
}

func (triangle) Mass() float64 { return 1 }

// Frequency draws from the density (sin(ωw/2)/(ωw/2))²·w/2π, by rejection from a Cauchy distribution.
func (k triangle) Frequency(dst []float64, s *featuremap.Sampler) {
	for i := range dst {
		for {
			v := s.Normal() / s.Normal() // ωw/2
			if sinc := math.Sin(v) / v; s.Float64()*2 < sinc*sinc*(1+v*v) {
				dst[i] = 2 * v / k.Width
				break
			}
		}
	}
}

// A kernel of your own is saved under the name of its type. Register it in an init function, in the programs that write
// maps and in those that read them.
func ExampleRegister() {
	featuremap.Register("triangle", triangle{})
	phi, err := featuremap.NewFourier(triangle{Width: 2}, 1, 2000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := featuremap.Encode(&file, phi); err != nil {
		log.Fatal(err)
	}
	again, err := featuremap.Decode(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	estimate := floats.Dot(again.TransformVec(nil, []float64{0}), again.TransformVec(nil, []float64{1}))
	fmt.Printf("kernel %.2f, estimate %.2f\n", again.Kernel().Eval([]float64{0}, []float64{1}), estimate)
	// Output:
	// kernel 0.50, estimate 0.52
}
