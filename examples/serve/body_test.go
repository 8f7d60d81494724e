// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// raw returns the body of numbers in a precision.
func raw(media string, v ...float64) (body []byte) {
	for _, v := range v {
		if media == float32Type {
			body = binary.LittleEndian.AppendUint32(body, math.Float32bits(float32(v)))
		} else {
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
		}
	}
	return body
}

// answerOf returns the answer to a request that should have one.
func answerOf(t *testing.T, h http.Handler, path, media string, body []byte) (a answer) {
	t.Helper()
	w := call(h, http.MethodPost, path, media, body)
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s of %s: status %d, %v: %s", path, media, w.Code, err, w.Body)
	}
	return a
}

// Rows of float64 get the answer of the same rows as JSON, rows of float32 the numbers of the model in float32, and deviations
// come where they are asked for.
func TestRawBodies(t *testing.T) {
	m := small()
	in32, err := m.Float32()
	if err != nil {
		t.Fatal(err)
	}
	h := ready(t, m, nil).handler()
	row := []float64{0.5, -0.25, 3}
	two := append(row[:3:3], 0.1, 5e-324, -2)
	want := answerOf(t, h, predictPath, jsonType, []byte(`{"rows":[[0.5,-0.25,3],[0.1,5e-324,-2]]}`))
	got := answerOf(t, h, predictPath, float64Type, raw(float64Type, two...))
	got32 := answerOf(t, h, predictPath, float32Type, raw(float32Type, two...))
	for i := range 2 {
		if !sameBits(got.Predictions[i], want.Predictions[i]) || !sameBits(got.Deviations[i], want.Deviations[i]) {
			t.Errorf("row %d: %v ± %v, as JSON %v ± %v", i, got.Predictions[i], got.Deviations[i], want.Predictions[i], want.Deviations[i])
		}
		narrow := []float32{float32(two[3*i]), float32(two[3*i+1]), float32(two[3*i+2])}
		for k, v := range in32.PredictVec(nil, narrow) {
			if got32.Predictions[i][k] != float64(v) || !(math.Abs(got32.Deviations[i][k]-want.Deviations[i][k]) < 1e-6) {
				t.Errorf("row %d in float32: %v ± %v, want %v ± %v", i, got32.Predictions[i][k], got32.Deviations[i][k], v, want.Deviations[i][k])
			}
		}
	}
	for _, path := range []string{"/predict", "/predict?deviations=false"} {
		for _, media := range []string{float32Type, float64Type} {
			if a := answerOf(t, h, path, media, raw(media, row...)); a.Deviations != nil || len(a.Predictions) != 1 {
				t.Errorf("%s: %+v", path, a)
			}
		}
		if w := call(h, http.MethodPost, path, jsonType, []byte(`{"rows":[[1,2,3]]}`)); strings.Contains(w.Body.String(), "deviations") {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// What is wrong with a raw body or a query gets a status and a reason.
func TestRawRefused(t *testing.T) {
	h := ready(t, small(), func(l *limits) { l.rows = 2 }).handler()
	for _, c := range []struct {
		path, media string
		body        []byte
		status      int
		want        string
	}{
		{"/predict", float32Type, raw(float32Type, 1, 2, 3, 4), 400, "the body has 16 bytes, and should have 12 for each row"},
		{"/predict", float64Type, raw(float32Type, 1, 2, 3), 400, "the body has 12 bytes, and should have 24 for each row"},
		{"/predict", float64Type, nil, 400, "there are no rows"},
		{"/predict", float32Type, raw(float32Type, 1, 2, 3, 1, math.NaN(), 3), 400, "row 1 has NaN, and should have finite numbers"},
		{"/predict", float64Type, raw(float64Type, 1, 2, math.Inf(-1)), 400, "row 0 has -Inf"},
		{"/predict", float32Type, raw(float32Type, 1, 2, 3, 1, 2, 3, 1, 2, 3), 413, "there are more than 2 rows"},
		{"/predict", "application/octet-stream", raw(float32Type, 1, 2, 3), 415, "should be application/json, application/x-float32 or application/x-float64"},
		{"/predict?deviations=yes", jsonType, []byte(oneRow), 400, "may have deviations = true or false"},
		{"/predict?deviations=true&deviations=true", jsonType, []byte(oneRow), 400, "may have deviations"},
		{"/predict?variance=true", jsonType, []byte(oneRow), 400, `the query has "variance"`},
		{"/predict?deviations=%zz", jsonType, []byte(oneRow), 400, "the query is malformed"},
	} {
		w := call(h, http.MethodPost, c.path, c.media, c.body)
		if got := errorOf(t, w); w.Code != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s of %s: status %d, %q, want %d, %q", c.path, c.media, w.Code, got, c.status, c.want)
		}
	}
}

// Rows of float32 are predicted in float64 where the map is not there in float32, and /model tells.
func TestFloat32OfNoMap(t *testing.T) {
	s := featuremap.NewSampler(seed)
	x, y := mat.NewDense(50, 3, nil), mat.NewDense(50, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	s.FillNormal(y.RawMatrix().Data)
	phi, err := testkit.New(featuremap.Polynomial{Degree: 2, Gamma: 1}, 3, 10, s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for in32, m := range map[bool]*ridge.Model{true: small(), false: m} {
		h := ready(t, m, nil).handler()
		var of description
		if err := json.Unmarshal(call(h, "GET", "/model", "", nil).Body.Bytes(), &of); err != nil || of.Float32 != in32 {
			t.Errorf("%+v, want float32 %v, %v", of, in32, err)
		}
		got := answerOf(t, h, "/predict", float32Type, raw(float32Type, 1, 0.5, 2)).Predictions[0]
		if want := m.PredictVec(nil, []float64{1, 0.5, 2}); sameBits(got, want) == in32 {
			t.Errorf("float32 %v: %v, of float64 %v", in32, got, want)
		}
	}
}
