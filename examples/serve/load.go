// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// predictPath is the path of requests, which ask for standard deviations.
const predictPath = "/predict?deviations=true"

// A load is a load test of a server.
type load struct {
	url       string
	requests  int
	atOnce    int
	rows      int           // of a request
	malformed float64       // share of the requests
	model     *ridge.Model  // expected model, or nil
	patience  time.Duration // for a server that is starting

	client *http.Client
	of     description
	pool   [][]float64 // rows to send
	want   answer      // expected answers
}

// An outcome is the outcome of a request.
type outcome int

const (
	good       outcome = iota // predictions with the expected bits
	refused                   // malformed, with the expected status
	turnedAway                // 503
	unmet                     // the connection was refused or reset: no server accepted it
	wrong                     // any other answer
	lost                      // no complete answer
	outcomes
)

// A result is the outcome of all requests.
type result struct {
	counts    [outcomes]int
	reasons   []string        // of some that were wrong or lost
	latencies []time.Duration // of good requests, in order
	took      time.Duration
}

// prepare asks the server for its model, and finds the expected answers: from the model, or else from the server while
// nobody else asks, a row at a time.
func (l *load) prepare() error {
	l.url = strings.TrimSuffix(l.url, "/")
	l.client = &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: l.atOnce},
	}
	for end := time.Now().Add(l.patience); ; time.Sleep(100 * time.Millisecond) {
		status, _, err := l.send(http.MethodGet, "/readyz", "", nil)
		if err == nil && status == http.StatusOK || !time.Now().Before(end) {
			break
		}
	}
	if err := l.ask(http.MethodGet, "/model", nil, &l.of); err != nil {
		return err
	}
	if l.of.Inputs < 1 || l.of.MostRows < 1 || l.of.MostBytes < 1 {
		return fmt.Errorf("%s/model does not describe a model: %+v", l.url, l.of)
	}
	if l.of.Classes != nil {
		return fmt.Errorf("%s has a model of classes: must be one with deviations", l.url)
	}
	if l.rows > l.of.MostRows {
		return fmt.Errorf("-rows %d: the server takes %d", l.rows, l.of.MostRows)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for range 64 {
		row := make([]float64, l.of.Inputs)
		for j := range row {
			row[j] = 15 * random.Float64()
		}
		l.pool = append(l.pool, row)
	}
	if l.model != nil {
		if in, _ := l.model.Map().Dims(); in != l.of.Inputs {
			return fmt.Errorf("the server's model takes %d numbers, that of -model %d", l.of.Inputs, in)
		}
		if _, err := l.model.Posterior(); err != nil {
			return fmt.Errorf("-model: %w", err)
		}
	}
	for _, row := range l.pool {
		a := new(answer)
		if l.model != nil {
			mean, deviation := l.model.Predict(row)
			a.Predictions, a.Deviations = [][]float64{mean}, [][]float64{deviation}
		} else if err := l.ask(http.MethodPost, predictPath, encodeRows([][]float64{row}), a); err != nil {
			return err
		} else if len(a.Predictions) != 1 || len(a.Deviations) != 1 {
			return fmt.Errorf("%s%s: %d predictions and %d deviations for one row", l.url, predictPath, len(a.Predictions), len(a.Deviations))
		}
		l.want.Predictions = append(l.want.Predictions, a.Predictions[0])
		l.want.Deviations = append(l.want.Deviations, a.Deviations[0])
	}
	return nil
}

// run sends all requests and waits for all answers.
func (l *load) run() *result {
	var next atomic.Int64
	var mu sync.Mutex
	var wait sync.WaitGroup
	r := new(result)
	start := time.Now()
	for range l.atOnce {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := int(next.Add(1)) - 1; i < l.requests; i = int(next.Add(1)) - 1 {
				o, took, reason := l.request(i)
				mu.Lock()
				r.counts[o]++
				if o == good {
					r.latencies = append(r.latencies, took)
				}
				if reason != "" && len(r.reasons) < 5 {
					r.reasons = append(r.reasons, fmt.Sprintf("request %d: %s", i, reason))
				}
				mu.Unlock()
			}
		}()
	}
	wait.Wait()
	r.took = time.Since(start)
	l.client.CloseIdleConnections() // a server that stops waits 5 s for connections that were never used
	slices.Sort(r.latencies)
	return r
}

// report runs the test and writes its table to out. It returns an error if a request was wrong or lost.
func (l *load) report(out io.Writer) error {
	if err := l.prepare(); err != nil {
		return err
	}
	r := l.run()
	fmt.Fprintf(out, "%d requests, %d at a time, %d rows each; %d of them malformed, in %d ways.\n\n", l.requests, l.atOnce, l.rows, l.spoiled(l.requests), len(faults))
	for o, name := range []string{"good", "refused", "turned away", "no server", "wrong", "lost"} {
		fmt.Fprintf(out, "%-12s %7d\n", name, r.counts[o])
	}
	seconds := r.took.Seconds()
	fmt.Fprintf(out, "\n%.2f s: %.0f requests a second, %.0f rows predicted a second\n", seconds, float64(l.requests)/seconds, float64(r.counts[good]*l.rows)/seconds)
	if len(r.latencies) > 0 {
		ms := func(q float64) float64 { return 1e3 * r.quantile(q).Seconds() }
		fmt.Fprintf(out, "latency: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms\n", ms(0.5), ms(0.9), ms(0.99), ms(1))
	}
	if bad := r.counts[wrong] + r.counts[lost]; bad > 0 {
		return errors.New(fmt.Sprintf("%d requests were wrong or lost, among them:\n", bad) + strings.Join(r.reasons, "\n"))
	}
	return nil
}

// quantile returns the latency that a share q of the good requests did not exceed.
func (r *result) quantile(q float64) time.Duration {
	n := len(r.latencies)
	return r.latencies[max(0, int(math.Ceil(q*float64(n)))-1)]
}
