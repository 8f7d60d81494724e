// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// scores are the scores of the rows in a pass, without intercepts, times a scale. They are kept unless there are many
// classes and they would take most of the memory: then they are computed again from the features, with the same bits.
type scores struct {
	count int
	data  []float64 // n×K; nil if they are not kept
	at    functions // the functions that they belong to
	scale float64
}

// fewScores is the number of scores that are kept in any case: 32 MB. Tests keep fewer.
var fewScores = 1 << 22

// newScores returns scores for the rows of a training. They are kept if features are not, or if they take no more
// memory than the features do, or about as much as the search remembers.
func (t *training) newScores() *scores {
	s, n := &scores{count: t.count}, len(t.classes)
	if !t.keeping || t.count <= t.out || n <= (2*t.remembered()+12)*t.out || n*t.count <= fewScores {
		s.data = make([]float64, n*t.count)
	}
	return s
}

// of begins the scores of some functions, which must not change until the next call.
func (s *scores) of(at functions) {
	if s != nil {
		s.at, s.scale = at, 1
	}
}

// keep stores the scores of a row.
func (s *scores) keep(i int, row []float64) {
	if s != nil && s.data != nil {
		copy(s.data[i*s.count:], row)
	}
}

// scoresTo sets the rows of dst to the scores of as many rows from first on. It may be called from several goroutines.
func (t *training) scoresTo(dst blas64.General, first int) {
	s := t.scores
	if s.data != nil {
		copy(dst.Data[:dst.Rows*dst.Cols], s.data[first*dst.Cols:])
	} else {
		lo := 0
		for _, chunk := range t.kept {
			from, to := max(first, lo), min(first+dst.Rows, lo+chunk.Rows)
			if from < to {
				part, some := chunk, dst
				part.Rows, part.Data = to-from, chunk.Data[(from-lo)*chunk.Stride:]
				some.Rows, some.Data = to-from, dst.Data[(from-first)*dst.Stride:]
				tiled.SerialProducts(some, part, s.at.w.Data, s.at.w.Stride)
			}
			lo += chunk.Rows
		}
	}
	for i, v := range dst.Data[:dst.Rows*dst.Cols] {
		dst.Data[i] = v * s.scale
	}
}

// takeScores makes the scores those of some functions.
func (t *training) takeScores(at functions) error {
	t.scores.of(at)
	return t.parts(func(p *partial, first int, part blas64.General) {
		p.blocks(first, part, func(first int, features, scores blas64.General) {
			tasks(at, features, scores, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					t.scores.keep(first+i, scores.Data[i*scores.Stride:][:scores.Cols])
				}
			})
		})
	}, func(*partial) {})
}

// scaledLoss returns the sum of the losses for the scores of the last pass, with some intercepts, times a scale. It is
// given memory for the losses of all rows, and for scores of taskRows rows.
func (t *training) scaledLoss(losses []float64, buffers *sync.Pool, intercept []float64, scale float64) (sum float64) {
	parallel.Run(parallel.Func(func(lo, hi int) {
		buffer := buffers.Get().(*[]float64)
		defer buffers.Put(buffer)
		some := blas64.General{Cols: t.count, Stride: t.count, Data: *buffer}
		for i := lo; i < hi; i++ {
			if (i-lo)%taskRows == 0 {
				some.Rows = min(taskRows, hi-i)
				t.scoresTo(some, i)
			}
			w := t.weight(i)
			if losses[i] = 0; w == 0 {
				continue
			}
			row := some.Data[(i-lo)%taskRows*t.count:][:t.count]
			for c, v := range intercept {
				row[c] += v
			}
			shiftRow(row)
			score := row[t.classes[i]]
			gram.Exponential{Rate: scale}.To(row, row)
			losses[i] = w * (detmath.Log(normalize(row)) - float64(scale*score))
		}
	}), len(t.classes), 4*taskRows)
	for _, v := range losses {
		sum += v
	}
	return sum
}
