// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pipeline

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// Stream predicts blocks of rows on all cores. It calls read once, which passes blocks to do until do returns false. It
// calls worker once for each core, for a function that predicts a block. It calls write for the predicted blocks in their
// order, which returns the number of rows. At most about three blocks for each core are in memory.
func Stream[B any](progress io.Writer, read func(do func(B) bool) error, worker func() func(B) error, write func(B) (int, error)) error {
	type task struct {
		block B
		err   error
		done  chan struct{}
	}
	workers := runtime.GOMAXPROCS(0)
	todo, order := make(chan *task, workers), make(chan *task, 2*workers)
	stop := make(chan struct{})
	for range workers {
		predict := worker()
		go func() {
			for t := range todo {
				t.err = predict(t.block)
				close(t.done)
			}
		}()
	}
	var failed error // while reading
	go func() {
		defer close(todo)
		defer close(order)
		failed = read(func(b B) bool {
			t := &task{block: b, done: make(chan struct{})}
			select {
			case order <- t:
				todo <- t
				return true
			case <-stop:
				return false
			}
		})
	}()
	m := meter{to: progress, begun: time.Now(), last: time.Now()}
	err := func() error {
		defer close(stop)
		for t := range order {
			if <-t.done; t.err != nil {
				return t.err
			}
			rows, err := write(t.block)
			if err != nil {
				return err
			}
			m.report(rows, false)
		}
		return nil
	}()
	for t := range order { // after an error, so that the reader ends
		<-t.done
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	m.report(0, true)
	return nil
}

// A meter reports progress, once a second at most.
type meter struct {
	to    io.Writer // nil: no reports
	begun time.Time
	last  time.Time
	rows  int
}

// report adds rows.
func (m *meter) report(rows int, last bool) {
	m.rows += rows
	now := time.Now()
	if m.to == nil || !last && now.Sub(m.last) < time.Second {
		return
	}
	m.last = now
	seconds := now.Sub(m.begun).Seconds()
	fmt.Fprintf(m.to, "%d rows in %.0f s, %.2f µs a row\n", m.rows, seconds, 1e6*seconds/float64(max(m.rows, 1)))
}
