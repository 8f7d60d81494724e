// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// http.Server's Shutdown loses requests of clients that go on sending: it drops, without an answer, a request that was
// read as Shutdown began, and one on a connection that was idle until then. So this server closes its listener, answers
// whatever comes on the connections that it has accepted, closes each with that answer, and waits until they are gone.
// Connections that the system has accepted, but not yet the program, are reset when the listener is closed. The queue
// of these is emptied first, so that only those of the very moment of closing are lost.

// A lastCall is a listener whose queue is emptied before it is closed.
type lastCall struct {
	net.Listener
	tcp     *net.TCPListener // the same listener, or nil if it has another type
	last    atomic.Bool      // it is being emptied
	emptied chan struct{}
	once    sync.Once
}

func newLastCall(l net.Listener) *lastCall {
	tcp, _ := l.(*net.TCPListener)
	return &lastCall{Listener: l, tcp: tcp, emptied: make(chan struct{})}
}

// Accept returns the next connection. While the listener is being emptied, it returns net.ErrClosed once the queue is
// empty.
func (l *lastCall) Accept() (net.Conn, error) {
	const looks, wait = 3, time.Millisecond // a deadline may pass before the queue was looked at
	for none := 0; none < looks; {
		last := l.last.Load()
		if last {
			l.tcp.SetDeadline(time.Now().Add(wait))
		}
		c, err := l.Listener.Accept()
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return c, err
		}
		if last {
			none++
		}
	}
	l.once.Do(func() { close(l.emptied) })
	return nil, net.ErrClosed
}

// empty accepts what is in the queue, for a short time if there are always more, and closes the listener. Further
// connections are refused.
func (l *lastCall) empty() {
	const most = 100 * time.Millisecond
	if l.tcp != nil {
		l.last.Store(true)
		l.tcp.SetDeadline(time.Now()) // wakes Accept
		select {
		case <-l.emptied:
		case <-time.After(most):
		}
	}
	l.Listener.Close()
}

// connections counts the connections of a server.
type connections struct {
	mu    sync.Mutex
	state map[net.Conn]http.ConnState
	all   int       // accepted so far
	last  time.Time // when the state of a connection last changed
}

// note records a new state of a connection.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == nil {
		c.state = make(map[net.Conn]http.ConnState)
	}
	c.last = time.Now()
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.state, conn)
		return
	case http.StateNew:
		c.all++
	}
	c.state[conn] = state
}

// accepted returns the number of connections that were accepted.
func (c *connections) accepted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// left returns the number of open connections, the number of them that are kept alive without a request, and the time
// since anything happened on any.
func (c *connections) left() (n, idle int, since time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, state := range c.state {
		if state == http.StateIdle {
			idle++
		}
	}
	return len(c.state), idle, time.Since(c.last)
}

// unused is the time that an accepted connection has to send its first byte when the server stops, as in Shutdown.
const unused = 5 * time.Second

// finish waits until all connections of a server that accepts no more are gone, at most for the time most, and reports
// whether they are. Idle connections are closed once nothing has happened on any connection for the time quiet.
func (c *connections) finish(h *http.Server, quiet, most time.Duration) bool {
	const look = 2 * time.Millisecond
	begin, closed := time.Now(), false
	for ; time.Since(begin) < most; time.Sleep(look) {
		n, idle, since := c.left()
		switch {
		case n == 0:
			return true
		case idle > 0 && since > quiet:
			h.SetKeepAlivesEnabled(false) // closes them
		case time.Since(begin) > unused && !closed:
			c.closeUnused()
			closed = true
		}
	}
	n, _, _ := c.left()
	return n == 0
}

// closeUnused closes the connections that have sent nothing.
func (c *connections) closeUnused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn, state := range c.state {
		if state == http.StateNew {
			conn.Close()
		}
	}
}
