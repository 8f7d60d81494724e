// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// limits bound what a client can make the server do, and for how long.
type limits struct {
	bytes  int64 // of the body of a request
	rows   int   // of a request
	atOnce int   // predictions in progress

	header, read, write, idle time.Duration // those of http.Server

	drain time.Duration // between not being ready and stopping, so that load balancers notice
	quiet time.Duration // without activity on any connection, after which idle ones are closed
	stop  time.Duration // for requests in progress to finish
}

// standard is the limits of the program. The time to stop is longer than any request may take.
var standard = limits{
	bytes: 1 << 20, rows: 1000, atOnce: 64,
	header: 5 * time.Second, read: 10 * time.Second, write: 20 * time.Second, idle: time.Minute,
	drain: time.Second, quiet: 250 * time.Millisecond, stop: 25 * time.Second,
}

// A server serves one model.
type server struct {
	limits   limits
	log      *log.Logger
	model    atomic.Pointer[loaded] // nil until it is loaded and has passed its test
	stopping atomic.Bool
	slots    chan struct{} // one element for each prediction in progress

	begun, answered atomic.Int64 // requests
	connections     connections
}

func newServer(l limits, logger *log.Logger) *server {
	return &server{limits: l, log: logger, slots: make(chan struct{}, l.atOnce)}
}

// run serves on the listener. Meanwhile it loads the model, and again whenever again says so. It stops when ctx is
// done: for the time limits.drain it still answers, but is not ready; then it accepts no new connections, and waits for
// requests in progress, including those still to come on accepted connections. It returns an error if the model cannot
// be loaded, if serving fails, or if requests had to be cut off.
func (s *server) run(ctx context.Context, listener net.Listener, load func() (*table.Model, error), again <-chan os.Signal) error {
	h := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: s.limits.header,
		ReadTimeout:       s.limits.read,
		WriteTimeout:      s.limits.write,
		IdleTimeout:       s.limits.idle,
		MaxHeaderBytes:    4 * mostHeader, // beyond it, the answer is net/http's, and not JSON
		ConnState:         s.connections.note,
		ErrorLog:          s.log,

		DisableGeneralOptionsHandler: true, // OPTIONS * is answered like all others
	}
	last := newLastCall(listener)
	failed, served := make(chan error, 2), make(chan struct{})
	go func() {
		defer close(served)
		failed <- h.Serve(last)
	}()
	go func() {
		if err := s.load(load); err != nil {
			failed <- err
			return
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-again:
				if err := s.load(load); err != nil {
					s.log.Printf("the model of before stays: %v", err)
				}
			}
		}
	}()
	select {
	case err := <-failed:
		return errors.Join(err, h.Close())
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.log.Printf("stopping")
	time.Sleep(s.limits.drain)
	last.empty()
	<-served // so that all accepted connections are known
	finished := s.connections.finish(h, s.limits.quiet, s.limits.stop)
	begun, answered := s.begun.Load(), s.answered.Load()
	s.log.Printf("stopped: %d requests on %d connections, %d answered, %d cut off", begun, s.connections.accepted(), answered, begun-answered)
	if !finished && begun > answered {
		return errors.Join(fmt.Errorf("%d requests were cut off after %v", begun-answered, s.limits.stop), h.Close())
	}
	return h.Close()
}

// load loads the model and tests it. Then the server is ready. Requests in progress finish with the model with which
// they began.
func (s *server) load(load func() (*table.Model, error)) error {
	m, err := load()
	if err != nil {
		return err
	}
	l := newLoaded(m)
	if l.logistic != nil {
		err = l.selfTestClasses()
	} else {
		err = selfTest(m.Ridge)
	}
	if err != nil {
		return fmt.Errorf("the model fails its test: %w", err)
	}
	s.model.Store(l)
	s.log.Printf("ready: %v", l.Map())
	return nil
}

// selfTest predicts a row of zeros alone and in a batch, in both precisions. The bits must be the same, and finite. A
// model without variances, such as one from MeanOnly, has no error bars to serve.
func selfTest(model *ridge.Model) error {
	if _, err := model.Posterior(); err != nil {
		return err
	}
	m := newLoaded(&table.Model{Ridge: model})
	in, _ := m.Map().Dims()
	single := blas32.General{Rows: 2, Cols: in, Stride: in, Data: make([]float32, 2*in)}
	x := &batch{wide: widened(single)}
	a, err := m.predict(x, question{deviations: true})
	if err != nil {
		return err
	}
	mean, deviation := model.Predict(make([]float64, in))
	for i := range a.Predictions {
		if !sameBits(a.Predictions[i], mean) || !sameBits(a.Deviations[i], deviation) {
			return fmt.Errorf("row %d of a batch has %v ± %v, alone %v ± %v", i, a.Predictions[i], a.Deviations[i], mean, deviation)
		}
	}
	if m.in32 == nil {
		return nil
	}
	x.single = single
	mean32 := m.in32.PredictVec(nil, make([]float32, in))
	for i, row := range m.means(x) {
		for t, v := range row {
			if float32(v) != mean32[t] {
				return fmt.Errorf("row %d of a batch of float32 has %v, alone %v", i, row, mean32)
			}
		}
	}
	return nil
}

// sameBits reports whether a and b have the same bits, including those of a NaN or a zero's sign.
func sameBits(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}
