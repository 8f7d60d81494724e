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

// http.Server's Shutdown loses requests of clients that go on sending: one that was read as Shutdown began is dropped without
// an answer, and so is one on a connection that was idle until then. So a server closes its listener, answers what comes on the
// connections that it has accepted, each of which ends with that answer, and waits until they are gone. Connections that the
// system has accepted, and the program not yet, are reset when the listener is closed: the queue of these is emptied
// first, so that it is only those of the very moment of closing.

// A lastCall is a listener whose queue is emptied before it is closed.
type lastCall struct {
	net.Listener
	tcp     *net.TCPListener // the same, or nil if it is of another type
	last    atomic.Bool      // it is being emptied
	emptied chan struct{}
	once    sync.Once
}

func newLastCall(l net.Listener) *lastCall {
	tcp, _ := l.(*net.TCPListener)
	return &lastCall{Listener: l, tcp: tcp, emptied: make(chan struct{})}
}

// Accept returns the next connection. When the listener is being emptied and there is none, it returns net.ErrClosed.
func (l *lastCall) Accept() (net.Conn, error) {
	const looks, wait = 3, time.Millisecond // a deadline may be over before the queue was looked at
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

// empty accepts what is in the queue, for a short time if there are always more, and closes the listener. Clients then find
// that their connections are refused.
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

// connections are those of a server.
type connections struct {
	mu    sync.Mutex
	state map[net.Conn]http.ConnState
	all   int       // accepted so far
	last  time.Time // when the state of one last changed
}

// note is told of a new state of a connection.
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

// accepted returns how many connections were accepted.
func (c *connections) accepted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// left returns how many connections there are, how many of them are kept alive without a request, and for how long nothing
// has happened on any.
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

// unused is how long a connection that was accepted may take to send its first byte when the server stops, as with Shutdown.
const unused = 5 * time.Second

// finish waits until all connections of a server that accepts no more are gone, for a time at most, and reports whether they
// are. Those that are idle are closed when nothing has happened on any connection for a time of quiet.
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
