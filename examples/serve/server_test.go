// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A running is a server that listens.
type running struct {
	*server
	url  string
	stop context.CancelFunc
	done chan error // what run returned
}

// start runs a server on a free port.
func start(t *testing.T, l limits, load func() (*ridge.Model, error)) *running {
	t.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{newServer(l, log.New(io.Discard, "", 0)), "http://" + listener.Addr().String(), stop, make(chan error, 1)}
	go func() {
		r.done <- r.run(ctx, listener, func() (*table.Model, error) {
			m, err := load()
			return &table.Model{Ridge: m}, err
		}, nil)
	}()
	t.Cleanup(stop)
	return r
}

// startReady runs a server and waits until it is ready.
func startReady(t *testing.T, change func(*limits)) *running {
	t.Helper()
	l := standard
	l.drain = 0
	if change != nil {
		change(&l)
	}
	r := start(t, l, func() (*ridge.Model, error) { return small(), nil })
	eventually(t, "the server is ready", func() bool { return r.status(t, "/readyz") == 200 })
	return r
}

// status returns that of a page, 0 if there is no answer.
func (r *running) status(t *testing.T, path string) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(r.url + path)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

// wait returns what run returns.
func (r *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not stop")
		return nil
	}
}

// eventually waits for something to happen.
func eventually(t *testing.T, what string, happens func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !happens(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// A slow is a request of which the first half has arrived.
type slow struct {
	rest     *io.PipeWriter
	response chan string // the status and the body, or the error
}

const oneRow = `{"rows":[[1,2,3]]}`

// begin sends half a request, and waits until the server is at it.
func (r *running) begin(t *testing.T) *slow {
	t.Helper()
	before := len(r.slots)
	body, rest := io.Pipe()
	s := &slow{rest, make(chan string, 1)}
	go func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Post(r.url+"/predict", "application/json", body)
		if err != nil {
			s.response <- err.Error()
			return
		}
		defer response.Body.Close()
		b, err := io.ReadAll(response.Body)
		s.response <- fmt.Sprintf("%d %s %v", response.StatusCode, b, err)
	}()
	io.WriteString(rest, oneRow[:7])
	eventually(t, "the request is in progress", func() bool { return len(r.slots) > before })
	return s
}

// finish sends the other half and returns the response.
func (s *slow) finish() string {
	io.WriteString(s.rest, oneRow[7:])
	s.rest.Close()
	return <-s.response
}

// While it loads a model the server is alive and not ready.
func TestLoading(t *testing.T) {
	loaded := make(chan struct{})
	r := start(t, standard, func() (*ridge.Model, error) { <-loaded; return small(), nil })
	eventually(t, "the server listens", func() bool { return r.status(t, "/healthz") == 200 })
	if got := r.status(t, "/readyz"); got != 503 {
		t.Errorf("status %d while loading", got)
	}
	close(loaded)
	eventually(t, "the server is ready", func() bool { return r.status(t, "/readyz") == 200 })
}

// A model that cannot be loaded, or has no error bars, ends the server.
func TestCannotLoad(t *testing.T) {
	none := errors.New("no such model")
	r := start(t, standard, func() (*ridge.Model, error) { return nil, none })
	if err := r.wait(t); !errors.Is(err, none) {
		t.Errorf("error %v, want %v", err, none)
	}
	r = start(t, standard, func() (*ridge.Model, error) { return small().MeanOnly(), nil })
	if err := r.wait(t); err == nil || !strings.Contains(err.Error(), "fails its test") {
		t.Errorf("error %v for a model without variances", err)
	}
	if r.status(t, "/healthz") != 0 {
		t.Error("the server goes on")
	}
}

// When the model is to be loaded again, no request is lost: each is answered by the old one or the new one. A file that is no model changes
// nothing.
func TestReload(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	models := []*ridge.Model{small(), model(2, 32), nil}
	var loads atomic.Int64
	again := make(chan os.Signal)
	ctx, stop := context.WithCancel(context.Background())
	l := standard
	l.drain = 0
	r := &running{newServer(l, log.New(io.Discard, "", 0)), "http://" + listener.Addr().String(), stop, make(chan error, 1)}
	go func() {
		r.done <- r.run(ctx, listener, func() (*table.Model, error) {
			if m := models[(loads.Add(1)-1)%3]; m != nil {
				return &table.Model{Ridge: m}, nil
			}
			return nil, errors.New("no model")
		}, again)
	}()
	eventually(t, "the server is ready", func() bool { return r.status(t, "/readyz") == 200 })
	row := []float64{1, 2, 3}
	var answered [2]atomic.Int64
	var stopped atomic.Bool
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for !stopped.Load() {
				response, err := http.Post(r.url+predictPath, "application/json", strings.NewReader(oneRow))
				if err != nil {
					t.Error(err)
					return
				}
				var a answer
				err = json.NewDecoder(response.Body).Decode(&a)
				response.Body.Close()
				known := false
				for k, m := range models[:2] {
					mean, deviation := m.Predict(row)
					if err == nil && len(a.Predictions) == 1 && sameBits(a.Predictions[0], mean) && sameBits(a.Deviations[0], deviation) {
						answered[k].Add(1)
						known = true
					}
				}
				if !known {
					t.Errorf("status %d, %v: %+v", response.StatusCode, err, a)
					return
				}
			}
		}()
	}
	for range 30 {
		again <- syscall.SIGHUP
		before := answered[0].Load() + answered[1].Load()
		eventually(t, "requests are answered", func() bool { return t.Failed() || answered[0].Load()+answered[1].Load() > before })
	}
	stopped.Store(true)
	wait.Wait()
	if a, b := answered[0].Load(), answered[1].Load(); a == 0 || b == 0 || loads.Load() < 30 {
		t.Errorf("%d loads; the models have answered %d and %d requests", loads.Load(), a, b)
	}
	stop()
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// Stopping, the server is not ready, answers on for a while, lets requests in progress finish, and is gone.
func TestStop(t *testing.T) {
	r := startReady(t, func(l *limits) { l.drain = time.Second })
	s := r.begin(t)
	r.stop()
	eventually(t, "the server is not ready", func() bool { return r.status(t, "/readyz") == 503 })
	if got := r.status(t, "/healthz"); got != 200 {
		t.Errorf("healthz has status %d while stopping", got)
	}
	response, err := http.Post(r.url+"/predict", "application/json", strings.NewReader(oneRow))
	if err != nil {
		t.Fatalf("a request while stopping: %v", err)
	}
	response.Body.Close()
	if response.StatusCode != 200 || !response.Close {
		t.Errorf("a request while stopping: status %d, the connection closes: %t", response.StatusCode, response.Close)
	}
	eventually(t, "the server does not listen", func() bool { return r.status(t, "/healthz") == 0 })
	select {
	case err := <-r.done:
		t.Fatalf("stopped, with a request in progress: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if got := s.finish(); !strings.HasPrefix(got, `200 {"predictions":`) {
		t.Errorf("the request in progress: %s", got)
	}
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// A request that does not finish in time is cut off, and the error says so.
func TestStopCutsOff(t *testing.T) {
	r := startReady(t, func(l *limits) { l.stop = 100 * time.Millisecond })
	s := r.begin(t)
	defer s.rest.Close()
	r.stop()
	if err := r.wait(t); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("error %v", err)
	}
}

// Clients that stop sending when the server is not ready lose nothing.
func TestStopUnderLoad(t *testing.T) {
	r := startReady(t, func(l *limits) { l.drain = time.Second })
	l := &load{url: r.url, atOnce: 8, rows: 5, malformed: 0.1, model: small()}
	if err := l.prepare(); err != nil {
		t.Fatal(err)
	}
	var next atomic.Int64
	var drained atomic.Bool
	var wait sync.WaitGroup
	for range l.atOnce {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for !drained.Load() {
				if o, _, reason := l.request(int(next.Add(1))); o != good && o != refused {
					t.Errorf("outcome %d: %s", o, reason)
				}
			}
		}()
	}
	eventually(t, "requests go in", func() bool { return next.Load() > 100 })
	r.stop()
	eventually(t, "the server is not ready", func() bool { return r.status(t, "/readyz") == 503 })
	drained.Store(true)
	wait.Wait()
	l.client.CloseIdleConnections()
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// The server turns away what is too much at a time, and takes more when there is room.
func TestOverload(t *testing.T) {
	r := startReady(t, func(l *limits) { l.atOnce = 2 })
	post := func() (status int, retry string) {
		t.Helper()
		response, err := http.Post(r.url+"/predict", "application/json", strings.NewReader(oneRow))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Header.Get("Retry-After")
	}
	a, b := r.begin(t), r.begin(t)
	if status, retry := post(); status != 503 || retry != "1" {
		t.Errorf("the third request: status %d, Retry-After %q", status, retry)
	}
	if got := r.status(t, "/readyz"); got != 200 {
		t.Errorf("readyz has status %d under load", got)
	}
	if got := a.finish(); !strings.HasPrefix(got, "200 ") {
		t.Errorf("the first request: %s", got)
	}
	if status, _ := post(); status != 200 {
		t.Errorf("a request when there is room: status %d", status)
	}
	if got := b.finish(); !strings.HasPrefix(got, "200 ") {
		t.Errorf("the second request: %s", got)
	}
}

// Clients that are slow do not keep a connection, or a slot, for ever.
func TestTimeouts(t *testing.T) {
	r := startReady(t, func(l *limits) {
		l.header, l.read, l.idle = 100*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond
	})
	// A body that does not end.
	s := r.begin(t)
	if got := <-s.response; !strings.HasPrefix(got, `408 {"error":`) {
		t.Errorf("half a body: %s", got)
	}
	s.rest.Close()
	eventually(t, "the slot is free", func() bool { return len(r.slots) == 0 })
	for name, text := range map[string]string{
		"half a header":      "POST /predict HTTP/1.1\r\nHost: a\r\n",
		"nothing":            "",
		"an idle connection": "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, text)
		c.SetDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.ReadAll(c); err != nil {
			t.Errorf("%s: the server does not close the connection: %v", name, err)
		}
		c.Close()
	}
}

// A client that does not read its answer, which is too long for the system's buffers, is given up.
func TestWriteTimeout(t *testing.T) {
	l := standard
	l.write, l.rows, l.drain = 300*time.Millisecond, 100_000, 0
	r := start(t, l, func() (*ridge.Model, error) { return model(1, 4), nil })
	eventually(t, "the server is ready", func() bool { return r.status(t, "/readyz") == 200 })
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.(*net.TCPConn).SetReadBuffer(1 << 12)
	sent := counts.requests.String()
	body := rows("[1,2,3]", 100_000)
	fmt.Fprintf(c, "POST /predict HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	eventually(t, "the answer is on its way", func() bool { return counts.requests.String() != sent })
	eventually(t, "the request is given up", func() bool { return counts.inFlight.Value() == 0 })
}

// Headers have a limit, and what is not HTTP gets an answer that says so.
func TestConnections(t *testing.T) {
	r := startReady(t, nil)
	for text, want := range map[string]int{
		"GET /healthz HTTP/1.1\r\nHost: a\r\nA: " + strings.Repeat("a", 1<<15) + "\r\n\r\n": 431,
		"hello\r\n\r\n": 400,
		"POST /predict HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2000000000\r\n\r\n" + strings.Repeat(" ", 1<<20+1): 413,
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(5 * time.Second))
		go io.WriteString(c, text)
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%.30q: %v", text, err)
		} else if response.StatusCode != want {
			t.Errorf("%.30q: status %d, want %d", text, response.StatusCode, want)
		}
		c.Close()
	}
}

// Requests at the same time do not mix.
func TestConcurrent(t *testing.T) {
	r := startReady(t, nil)
	var wait sync.WaitGroup
	for g := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 20 {
				row := []float64{float64(g), float64(i), 0.5}
				body := encodeRows([][]float64{row, row, row}[:1+i%3])
				response, err := http.Post(r.url+predictPath, "application/json", strings.NewReader(string(body)))
				if err != nil {
					t.Error(err)
					return
				}
				var a answer
				err = json.NewDecoder(response.Body).Decode(&a)
				response.Body.Close()
				mean, deviation := small().Predict(row)
				if err != nil || len(a.Predictions) != 1+i%3 {
					t.Errorf("%v: %d rows, %v", row, len(a.Predictions), err)
				}
				for k := range a.Predictions {
					if !sameBits(a.Predictions[k], mean) || !sameBits(a.Deviations[k], deviation) {
						t.Errorf("%v: %v ± %v, want %v ± %v", row, a.Predictions[k], a.Deviations[k], mean, deviation)
					}
				}
			}
		}()
	}
	wait.Wait()
}
