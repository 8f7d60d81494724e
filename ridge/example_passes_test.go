// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"log"
	"math"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The rows are in two parts, for example on two machines. Each gets the pass as a file, and sends its sums back.
func ExampleFitPasses() {
	phi, rows := waves(400)
	worker := func(file []byte, part int) ([]byte, error) {
		p, err := ridge.ReadPass(bytes.NewReader(file), phi)
		if err != nil {
			return nil, err
		}
		s, row := p.NewSums(part), 0
		for b, err := range rows {
			if row += 100; (row > 500) == (part == 0) {
				continue // of the other part
			}
			if err == nil {
				err = s.AddWeighted(b.X, b.Y, b.Weights)
			}
			if err != nil {
				return nil, err
			}
		}
		var sums bytes.Buffer
		_, err = s.WriteTo(&sums)
		return sums.Bytes(), err
	}
	o := &ridge.IterativeOptions{Lambda: 1e-2, Tolerance: 1e-8}
	m, err := ridge.FitPasses(phi, func(p *ridge.Pass) (*ridge.PassSums, error) {
		var file bytes.Buffer
		if _, err := p.WriteTo(&file); err != nil {
			return nil, err
		}
		all := p.NewSums(0)
		for part := range 2 {
			sums, err := worker(file.Bytes(), part)
			if err != nil {
				return nil, err
			}
			s, err := p.ReadSums(bytes.NewReader(sums))
			if err != nil {
				return nil, err
			}
			if err := all.Merge(s); err != nil {
				return nil, err
			}
		}
		return all, nil
	}, 1, o)
	if err != nil {
		log.Fatal(err)
	}
	one, err := ridge.FitIterative(phi, rows, o)
	if err != nil {
		log.Fatal(err)
	}
	point := []float64{0.5, 2}
	fmt.Println("as on one machine:", math.Abs(m.PredictVec(nil, point)[0]-one.PredictVec(nil, point)[0]) < 1e-6)
	// Output:
	// as on one machine: true
}
