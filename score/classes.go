// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// validateLengths panics unless there are rows, and as many in all arguments.
func validateLengths(n int, others ...int) {
	if slices.ContainsFunc(others, func(m int) bool { return m != n }) {
		panic(mat.ErrShape)
	}
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
}

// validateClasses panics unless p has a row for each class, and a column for each class there is.
func validateClasses(name string, p mat.Matrix, classes []int) (n, columns int) {
	n, columns = p.Dims()
	validateLengths(n, len(classes))
	for i, c := range classes {
		if c < 0 || c >= columns {
			panic(fmt.Sprintf("score: %s: row %d: class %d: must be from 0 to %d", name, i, c, columns-1))
		}
	}
	return n, columns
}

// Accuracy returns the share of rows whose predicted class is the right one.
func Accuracy(predicted, classes []int) float64 {
	validateLengths(len(predicted), len(classes))
	right := 0
	for i, c := range classes {
		if predicted[i] == c {
			right++
		}
	}
	return float64(right) / float64(len(classes))
}

// LogLoss returns the mean of −log q over rows, in nats, where q is the probability that a row of p, n×K, gives to its
// own class, from 0 to K−1. Guessing K equally likely classes has a log loss of log K. Nothing is clipped: it is +Inf
// if a row gives its class the probability 0. It is NaN if a probability of a row's own class is NaN, negative or more
// than 1 + 1e-9. Whether the probabilities of a row add up to 1 is not checked.
//
// It panics with the row, the class and the range if a class is not in [0, K).
func LogLoss(p mat.Matrix, classes []int) float64 {
	n, _ := validateClasses("LogLoss", p, classes)
	const rounding = 1e-9
	var sum float64
	for i, c := range classes {
		v := p.At(i, c)
		if !(v >= 0 && v <= 1+rounding) {
			return math.NaN()
		}
		if v == 0 {
			sum = math.Inf(1)
			continue
		}
		sum -= detmath.Log(v)
	}
	return sum / float64(n)
}

// AUC returns the area under the ROC curve (stat.ROC), which plots the true positive rate against the false positive
// rate as the threshold on scores falls. It is the probability that a positive row has a larger score than a negative
// one, where a tie counts ½ (Hanley and McNeil, 1982). It is 1 if scores separate the two classes, and ½ if they carry
// no information. It is exact, to one rounding.
//
// It is NaN if all rows are positive, if all are negative, or if a score is NaN.
func AUC(scores []float64, positive []bool) float64 {
	n := len(scores)
	validateLengths(n, len(positive))
	if slices.ContainsFunc(scores, math.IsNaN) {
		return math.NaN()
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] < scores[b]:
			return -1
		case scores[a] > scores[b]:
			return 1
		}
		return 0
	})
	// Ranks replace scores, which may be infinite.
	ranks, classes, positives := make([]float64, n), make([]bool, n), 0.0
	for k, i := range order {
		if classes[k] = positive[i]; classes[k] {
			positives++
		}
		switch {
		case k > 0 && scores[i] == scores[order[k-1]]:
			ranks[k] = ranks[k-1]
		case k > 0:
			ranks[k] = ranks[k-1] + 1
		}
	}
	negatives := float64(n) - positives
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	// Rates times numbers of rows are whole numbers, except for rounding, and so the area is a number of pairs.
	truePositives, falsePositives, _ := stat.ROC(nil, ranks, classes, nil)
	var twice, x, y float64
	for k := range truePositives {
		nextX, nextY := math.Round(falsePositives[k]*negatives), math.Round(truePositives[k]*positives)
		twice += float64((nextX - x) * (nextY + y))
		x, y = nextX, nextY
	}
	return twice / (2 * positives * negatives)
}

// A Bin holds the rows whose largest probability is in [Low, High), or in [Low, 1] if High is 1.
type Bin struct {
	Low, High  float64
	Rows       int
	Confidence float64 // mean of their largest probabilities; NaN if there are no rows
	Accuracy   float64 // share of the rows whose class is the most probable one; NaN if there are no rows
}

// Calibration sorts rows into bins by their largest probability in p, n×K, and reports how often the most probable
// class is the right one. The bins are intervals of [0, 1] of equal width. For calibrated probabilities, Accuracy is
// close to Confidence in each bin, with a standard error of √(Accuracy·(1−Accuracy)/Rows). (Guo, Pleiss, Sun and
// Weinberger, On calibration of modern neural networks, 2017.)
//
// If several classes share the largest probability, the first one counts. Rows with a probability that is NaN, negative
// or more than 1 + 1e-9 are in no bin.
//
// It panics if bins is less than 1, and with the row, the class and the range if a class is not in [0, K).
func Calibration(p mat.Matrix, classes []int, bins int) []Bin {
	n, columns := validateClasses("Calibration", p, classes)
	if bins < 1 {
		panic(fmt.Sprintf("score: Calibration: bins = %d: must be at least 1", bins))
	}
	all, right := make([]Bin, bins), make([]int, bins)
	for k := range all {
		all[k].Low, all[k].High = float64(k)/float64(bins), float64(k+1)/float64(bins)
	}
	for i := range n {
		class, most, valid := 0, math.Inf(-1), true
		for j := range columns {
			v := p.At(i, j)
			valid = valid && v >= 0 && v <= 1+1e-9
			if v > most {
				class, most = j, v
			}
		}
		if !valid {
			continue
		}
		k := bins - 1
		for k > 0 && most < all[k].Low {
			k--
		}
		all[k].Rows++
		all[k].Confidence += most
		if class == classes[i] {
			right[k]++
		}
	}
	for k := range all {
		rows := float64(all[k].Rows)
		all[k].Confidence /= rows
		all[k].Accuracy = float64(right[k]) / rows
	}
	return all
}
