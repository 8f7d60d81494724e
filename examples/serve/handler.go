// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"
)

// A refusal is an error with the status that the client gets.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// An action answers a request with a value, which is sent as JSON, or with an error. It writes only headers.
type action func(w http.ResponseWriter, r *http.Request) (any, error)

// pages are handlers by path. A path must match exactly: http.ServeMux would answer other forms, such as /../x and //x,
// by a redirection in HTML.
type pages map[string]http.HandlerFunc

// ServeHTTP answers a request by its page, or by the page of "/".
func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := p[r.URL.Path]
	if !ok {
		page = p["/"]
	}
	page(w, r)
}

// mostHeader is the largest number of bytes of a header.
const mostHeader = 1 << 14

// headerSize returns the number of bytes of the path and the header of a request, as http.Server counts them.
func headerSize(r *http.Request) (n int) {
	n = len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + len(": \r\n")
		}
	}
	return n
}

// handler returns the server's pages.
func (s *server) handler() http.Handler {
	p := make(pages)
	s.handle(p, "/predict", http.MethodPost, s.predict)
	s.handle(p, "/model", http.MethodGet, s.describe)
	s.handle(p, "/healthz", http.MethodGet, func(http.ResponseWriter, *http.Request) (any, error) {
		return map[string]bool{"alive": true}, nil
	})
	s.handle(p, "/readyz", http.MethodGet, func(http.ResponseWriter, *http.Request) (any, error) {
		if s.stopping.Load() {
			return nil, refuse(http.StatusServiceUnavailable, "the server is stopping")
		}
		_, err := s.ready()
		return map[string]bool{"ready": true}, err
	})
	p["/debug/vars"] = func(w http.ResponseWriter, r *http.Request) { // it does not count itself
		s.answer(w, r, http.MethodGet, variables, func(int) {})
	}
	s.handle(p, "/", "", func(_ http.ResponseWriter, r *http.Request) (any, error) {
		return nil, refuse(http.StatusNotFound, "there is no page %.80q", r.URL.Path)
	})
	return p
}

// handle makes an action answer a path, for requests of one method, or of all if it is "".
func (s *server) handle(p pages, path, method string, act action) {
	p[path] = func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		counts.inFlight.Add(1)
		defer counts.inFlight.Add(-1)
		s.answer(w, r, method, act, func(status int) { counts.request(path, status, time.Since(start)) })
	}
}

// answer answers a request by an action. It calls told before it writes, so that an answer is counted before the client
// has it.
func (s *server) answer(w http.ResponseWriter, r *http.Request, method string, act action, told func(status int)) {
	s.begun.Add(1)
	defer s.answered.Add(1)
	status, body := encode(s.try(w, r, method, act))
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	if status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "1")
	}
	if s.stopping.Load() {
		header.Set("Connection", "close") // so that no further request comes on a connection that Shutdown is about to close
	}
	told(status)
	w.WriteHeader(status)
	w.Write(body) // fails only if the client is gone
}

// variables answers /debug/vars.
func variables(http.ResponseWriter, *http.Request) (any, error) {
	vars := make(map[string]json.RawMessage)
	expvar.Do(func(v expvar.KeyValue) { vars[v.Key] = json.RawMessage(v.Value.String()) })
	return vars, nil
}

// try returns the result of the action. After a panic the client gets an error, and the log the stack.
func (s *server) try(w http.ResponseWriter, r *http.Request, method string, act action) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			counts.panics.Add(1)
			s.log.Printf("panic: %v\n%s", p, debug.Stack())
			err = refuse(http.StatusInternalServerError, "the server failed")
		}
	}()
	if n := headerSize(r); n > mostHeader {
		return nil, refuse(http.StatusRequestHeaderFieldsTooLarge, "the header has %d bytes, and may have %d", n, mostHeader)
	}
	if method != "" && r.Method != method && !(method == http.MethodGet && r.Method == http.MethodHead) {
		w.Header().Set("Allow", method)
		return nil, refuse(http.StatusMethodNotAllowed, "the method is %.20q, and should be %s", r.Method, method)
	}
	return act(w, r)
}

// encode returns the status and the body of an answer.
func encode(value any, err error) (status int, body []byte) {
	status = http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		var r *refusal
		if errors.As(err, &r) {
			status = r.status
		}
		value = map[string]string{"error": err.Error()}
	}
	body, err = json.Marshal(value)
	if err != nil {
		return encode(nil, err)
	}
	return status, append(body, '\n')
}

// ready returns the model, or a refusal until there is one.
func (s *server) ready() (*loaded, error) {
	if m := s.model.Load(); m != nil {
		return m, nil
	}
	return nil, refuse(http.StatusServiceUnavailable, "the model is not loaded yet")
}

// A description is the answer to /model.
type description struct {
	Map       string    `json:"map"`
	Inputs    int       `json:"inputs"` // numbers of a row
	Features  int       `json:"features"`
	Targets   int       `json:"targets"`           // numbers of a prediction
	Classes   []string  `json:"classes,omitempty"` // of a model of classes, in the order of their probabilities
	Lambda    []float64 `json:"lambda"`            // of each target
	Noise     []float64 `json:"noise"`             // variances, of each target
	Float32   bool      `json:"float32"`           // whether rows of float32 are predicted in float32
	Records   string    `json:"records,omitempty"` // the columns of records, if the model has an encoder
	MostRows  int       `json:"mostRows"`          // of a request
	MostBytes int64     `json:"mostBytes"`         // of a request
}

// describe answers /model.
func (s *server) describe(http.ResponseWriter, *http.Request) (any, error) {
	m, err := s.ready()
	if err != nil {
		return nil, err
	}
	in, out := m.Map().Dims()
	d := description{Map: fmt.Sprint(m.Map()), Inputs: in, Features: out, Float32: m.in32 != nil, MostRows: s.limits.rows, MostBytes: s.limits.bytes}
	if m.logistic != nil {
		d.Targets, d.Classes, d.Lambda = len(m.classes), m.classes, []float64{m.logistic.Lambda()}
	} else {
		d.Noise, d.Lambda = m.NoiseVariance(), m.Lambda()
		d.Targets = len(d.Noise)
	}
	if m.encoder != nil {
		d.Records = m.encoder.String()
	}
	return d, nil
}
