// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// predict answers /predict.
func (s *server) predict(w http.ResponseWriter, r *http.Request) (any, error) {
	m, err := s.ready()
	if err != nil {
		return nil, err
	}
	if err := checkType(r.Header); err != nil {
		return nil, err
	}
	// The place is taken before the body is read: so many bodies, and no more, are ever in memory.
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return nil, refuse(http.StatusServiceUnavailable, "%d predictions are in progress: try again", s.limits.atOnce)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.bytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refuse(http.StatusRequestTimeout, "the body took more than %v", s.limits.read)
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body broke off")
	}
	in, _ := m.Map().Dims()
	x, err := parse(body, in, s.limits.rows)
	if err != nil {
		return nil, err
	}
	a, err := predict(m, x)
	if err != nil {
		return nil, err
	}
	counts.rows.Add(int64(len(a.Predictions)))
	return a, nil
}

// checkType refuses what is not said to be JSON in UTF-8.
func checkType(h http.Header) error {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset, given := params["charset"]
	if err != nil || media != "application/json" || given && !strings.EqualFold(charset, "utf-8") {
		return refuse(http.StatusUnsupportedMediaType, "the content type is %.80q, and should be application/json", h.Get("Content-Type"))
	}
	if coding := h.Get("Content-Encoding"); coding != "" {
		return refuse(http.StatusUnsupportedMediaType, "the content has the coding %.20q, and should have none", coding)
	}
	return nil
}

// An answer is that of /predict: a row for each row of the request, and in it a number for each target.
type answer struct {
	Predictions [][]float64 `json:"predictions"`
	Deviations  [][]float64 `json:"deviations"` // standard, of a target yet to be seen: √(variance of the function + that of the noise)
}

// predict returns the predictions for the rows of x, and refuses rows for which they are not finite.
func predict(m *ridge.Model, x *mat.Dense) (*answer, error) {
	var mean, deviation mat.Dense
	m.PredictTo(&mean, x)
	m.VarianceTo(&deviation, x)
	noise := m.Noise()
	deviation.Apply(func(_, t int, v float64) float64 { return math.Sqrt(v + noise[t]) }, &deviation)
	n, _ := x.Dims()
	a := &answer{make([][]float64, n), make([][]float64, n)}
	for i := range n {
		a.Predictions[i], a.Deviations[i] = mean.RawRowView(i), deviation.RawRowView(i)
		for t, v := range a.Predictions[i] {
			if d := a.Deviations[i][t]; !(math.Abs(v) <= math.MaxFloat64 && d <= math.MaxFloat64) {
				return nil, refuse(http.StatusUnprocessableEntity, "the model has %v ± %v for row %d: the numbers must be finite", v, d, i)
			}
		}
	}
	return a, nil
}
