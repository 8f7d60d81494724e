// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Clients that go on sending while the server stops lose no request: each is answered, or its connection is refused, or reset
// if it came as the listener was closed. The log has as many answers as the clients. They keep their connections alive, or make one for each request.
// All requests are small and as they should be: of a body that is answered before its end, a client cannot tell whether the
// answer or the end of the connection came first. No client is taken for idle, however long this machine lets it wait.
func TestStopLosesNothing(t *testing.T) {
	const repeats, clients = 6, 8 // each time to drain with each kind of connection
	for i := range repeats {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := startReady(t, func(l *limits) {
				l.drain, l.quiet = time.Duration(i%3)*20*time.Millisecond, time.Minute
			})
			var logged bytes.Buffer
			r.log.SetOutput(&logged)
			transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableKeepAlives: i%2 == 1}
			l := &load{url: r.url, atOnce: clients, rows: 2, model: small()}
			if err := l.prepare(); err != nil {
				t.Fatal(err)
			}
			l.client.CloseIdleConnections()
			l.client.Transport = transport
			before := r.answered.Load()
			var next, answers atomic.Int64
			var counts [outcomes]atomic.Int64
			var wait sync.WaitGroup
			for range clients {
				wait.Add(1)
				go func() {
					defer wait.Done()
					for {
						o, _, reason := l.request(int(next.Add(1)))
						counts[o].Add(1)
						switch o {
						case unmet:
							return
						case lost, wrong:
							t.Errorf("outcome %d: %s", o, reason)
							return
						}
						answers.Add(1)
					}
				}()
			}
			eventually(t, "requests go in", func() bool { return next.Load() > 200 })
			r.stop()
			if err := r.wait(t); err != nil {
				t.Error(err)
			}
			wait.Wait()
			if got := counts[unmet].Load(); got != clients {
				t.Errorf("%d clients were refused, want %d", got, clients)
			}
			want := fmt.Sprintf("%d answered, 0 cut off", before+answers.Load())
			if !strings.Contains(logged.String(), want) {
				t.Errorf("the log has %q, want %q", &logged, want)
			}
		})
	}
}

// A connection that the system has accepted before the server stops is answered, though its request comes later; one that is
// kept alive and not used is closed.
func TestStopAnswersAccepted(t *testing.T) {
	r := startReady(t, nil)
	var logged bytes.Buffer
	r.log.SetOutput(&logged)
	before := r.answered.Load()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(5 * time.Second))
		return c
	}
	const request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
	answer := func(c net.Conn) string {
		b := make([]byte, 1000)
		n, _ := c.Read(b)
		return string(b[:n])
	}
	idle, late := dial(), dial()
	defer idle.Close()
	defer late.Close()
	fmt.Fprint(idle, request)
	if got := answer(idle); !strings.HasPrefix(got, "HTTP/1.1 200") || strings.Contains(got, "Connection: close") {
		t.Fatalf("%q", got)
	}
	r.stop()
	eventually(t, "the server does not listen", func() bool {
		c, err := net.DialTimeout("tcp", strings.TrimPrefix(r.url, "http://"), 10*time.Millisecond)
		if err == nil {
			c.Close()
		}
		return err != nil && strings.Contains(err.Error(), "refused")
	})
	fmt.Fprint(late, request)
	if got := answer(late); !strings.HasPrefix(got, "HTTP/1.1 200") || !strings.Contains(got, "Connection: close") {
		t.Errorf("%q", got)
	}
	if got := answer(idle); got != "" {
		t.Errorf("%q on a connection that was idle", got)
	}
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
	if want := fmt.Sprintf("%d answered, 0 cut off", before+2); !strings.Contains(logged.String(), want) {
		t.Errorf("the log has %q, want %q", &logged, want)
	}
}

// What is cut off is in the log.
func TestStopCountsCutOff(t *testing.T) {
	r := startReady(t, func(l *limits) { l.stop = 100 * time.Millisecond })
	var logged bytes.Buffer
	r.log.SetOutput(&logged)
	before := r.answered.Load()
	s, u := r.begin(t), r.begin(t)
	defer s.rest.Close()
	defer u.rest.Close()
	r.stop()
	if err := r.wait(t); err == nil || !strings.Contains(err.Error(), "2 requests were cut off") {
		t.Errorf("error %v", err)
	}
	if want := fmt.Sprintf("%d answered, 2 cut off", before); !strings.Contains(logged.String(), want) {
		t.Errorf("the log has %q, want %q", &logged, want)
	}
}
