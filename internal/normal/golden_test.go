// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
)

// The bits of sums, weights and evidences, which every architecture computes: for few features, and for so many that
// there are several panels; added in one pass and merged. The numbers are rounded operation by operation.
//
//	go test ./internal/normal -update
//
// rewrites the file, which is right only if bits are meant to change.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	for _, c := range []struct{ n, features, targets int }{{40, 3, 1}, {400, 30, 2}} {
		rnd := rand.New(rand.NewPCG(uint64(c.n), 1))
		z := blas64.General{Rows: c.n, Cols: c.features + c.targets, Stride: c.features + c.targets}
		for range c.n {
			var sum float64
			for range c.features {
				v := rnd.Float64()
				z.Data = append(z.Data, v)
				sum += float64(v * v)
			}
			for range c.targets {
				z.Data = append(z.Data, sum+float64(0.1*rnd.Float64()))
			}
		}
		whole, merged, rest := New(c.features, c.targets), New(c.features, c.targets), New(c.features, c.targets)
		add(t, whole, z, c.n, c.n)
		add(t, merged, rowsOf(z, 0, c.n/3), c.n, c.n)
		add(t, rest, rowsOf(z, c.n/3, c.n), c.n, c.n)
		merged.Merge(rest)
		for k, s := range []*Sums{whole, merged} {
			name := fmt.Sprintf("%d rows, %d features, %s", c.n, c.features, [...]string{"one pass", "merged"}[k])
			var all []byte
			for _, v := range bits(s) {
				all = binary.LittleEndian.AppendUint64(all, v)
			}
			fmt.Fprintf(&b, "%s: sums %x\n", name, sha256.Sum256(all))
			if c.features < 10 {
				for column := range s.Columns() {
					fmt.Fprintf(&b, "%s: column %x\n", name, column)
				}
			}
			for _, intercept := range []bool{true, false} {
				e := NewEquations(s, intercept)
				fmt.Fprintf(&b, "%s, intercept %v: level %x, variances %x\n", name, intercept, e.Level, e.Variances)
				for s, err := range e.Solutions([]float64{0, 1e-4, 1, e.Path()[2], e.Path()[8]}) {
					if err != nil {
						t.Fatal(err)
					}
					w, level := e.Weights(s)
					fmt.Fprintf(&b, "%s, intercept %v, λ = %x: evidence %x, noise %x, condition %x, intercepts %x, weights %x\n",
						name, intercept, s.Lambda, s.LogEvidence(nil), s.Noise, s.Condition(), level, w.Data)
				}
			}
		}
	}
	golden.Compare(t, "equations.golden", b.Bytes())
}
