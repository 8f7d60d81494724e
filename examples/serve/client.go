// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"
)

// spoiled returns how many of the first n requests are malformed. They are evenly spread.
func (l *load) spoiled(n int) int { return int(math.Round(l.malformed * float64(n))) }

// request sends request i. It returns the outcome, the time, and the reason if the answer was wrong or lost.
func (l *load) request(i int) (o outcome, took time.Duration, reason string) {
	var first int // in the pool
	method, media, want := http.MethodPost, "application/json", http.StatusOK
	var body []byte
	if n := l.spoiled(i); l.spoiled(i+1) > n {
		f := faults[n%len(faults)]
		method, media, want, body = f.method, f.media, f.status, f.body(l.of)
	} else {
		first = i * l.rows % len(l.pool)
		rows := make([][]float64, l.rows)
		for j := range rows {
			rows[j] = l.pool[(first+j)%len(l.pool)]
		}
		body = encodeRows(rows)
	}
	start := time.Now()
	status, got, err := l.send(method, predictPath, media, body)
	took = time.Since(start)
	switch {
	case want == http.StatusRequestEntityTooLarge && (errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE)):
		// The server has answered and closed the connection while the body was still on its way. Package net/http
		// returns the answer, or the error of writing the body, whichever it sees first.
		return refused, took, ""
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return unmet, took, ""
	case err != nil:
		return lost, took, err.Error()
	case status == http.StatusServiceUnavailable:
		return turnedAway, took, ""
	case status != want:
		return wrong, took, fmt.Sprintf("status %d, want %d: %.200s", status, want, got)
	case want == http.StatusOK:
		if reason := l.check(got, first); reason != "" {
			return wrong, took, reason
		}
		return good, took, ""
	}
	var e struct{ Error string }
	if err := json.Unmarshal(got, &e); err != nil || e.Error == "" {
		return wrong, took, fmt.Sprintf("status %d without an error: %.200s", status, got)
	}
	return refused, took, ""
}

// check compares an answer with the expected one, for rows of the pool from first on. It returns what is wrong, or "".
func (l *load) check(body []byte, first int) string {
	var got answer
	if err := json.Unmarshal(body, &got); err != nil {
		return err.Error()
	}
	if len(got.Predictions) != l.rows || len(got.Deviations) != l.rows {
		return fmt.Sprintf("%d predictions and %d deviations for %d rows", len(got.Predictions), len(got.Deviations), l.rows)
	}
	for j := range l.rows {
		k := (first + j) % len(l.pool)
		if !sameBits(got.Predictions[j], l.want.Predictions[k]) || !sameBits(got.Deviations[j], l.want.Deviations[k]) {
			return fmt.Sprintf("row %d has %v ± %v, want %v ± %v", j, got.Predictions[j], got.Deviations[j], l.want.Predictions[k], l.want.Deviations[k])
		}
	}
	return ""
}

// send sends a request and returns the whole answer.
func (l *load) send(method, path, media string, body []byte) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, l.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", media)
	response, err := l.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// ask sends a request that should succeed, and stores the answer in value.
func (l *load) ask(method, path string, body []byte, value any) error {
	status, answer, err := l.send(method, path, "application/json", body)
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return fmt.Errorf("%s%s: status %d: %.200s", l.url, path, status, answer)
	}
	if err := json.Unmarshal(answer, value); err != nil {
		return fmt.Errorf("%s%s: %w", l.url, path, err)
	}
	return nil
}

// encodeRows returns the body of a request.
func encodeRows(rows [][]float64) []byte {
	b, err := json.Marshal(map[string][][]float64{"rows": rows})
	if err != nil {
		panic(err) // rows are finite
	}
	return b
}
