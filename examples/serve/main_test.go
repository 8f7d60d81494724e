// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "is needed"},
		{"-train a", ""},
		{"-train a -features 100", ""},
		{"-model a -addr :0 -at-once 3 -drain 0s", ""},
		{"-load http://a -model b -requests 3 -concurrency 2 -rows 4 -malformed 1", ""},
		{"-train a -model b", "-model has no effect"},
		{"-train a -load b", "-load has no effect"},
		{"-train a -addr b", "-addr has no effect"},
		{"-model a -requests 3", "-requests has no effect"},
		{"-model a -features 3", "-features has no effect"},
		{"-load a -at-once 3", "-at-once has no effect"},
		{"-train a -features 1", "-features 1"},
		{"-model a -at-once 0", "-at-once 0"},
		{"-model a -drain -1s", "-drain -1s"},
		{"-load a -requests 0", "-requests 0"},
		{"-load a -concurrency 0", "-concurrency 0"},
		{"-load a -rows 0", "-rows 0"},
		{"-load a -malformed 1.1", "-malformed 1.1"},
		{"-load a -malformed NaN", "-malformed NaN"},
		{"-model a b", `"b"`},
		{"-none", "-none"},
	} {
		_, err := parseFlags(strings.Fields(c.args), io.Discard)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.args, err, c.want)
		}
	}
	var help bytes.Buffer
	if _, err := parseFlags([]string{"-h"}, &help); !errors.Is(err, flag.ErrHelp) || !strings.HasPrefix(help.String(), title) || !strings.Contains(help.String(), "-concurrency number") {
		t.Errorf("%v: %s", err, &help)
	}
}

// lines are those of a log.
type lines struct{ heard chan string }

func (l *lines) Write(b []byte) (int, error) {
	l.heard <- string(b)
	return len(b), nil
}

// wait waits for a line of some beginning.
func (l *lines) wait(t *testing.T, begin string) {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case line := <-l.heard:
			if strings.HasPrefix(line, begin) {
				return
			}
		case <-deadline:
			t.Fatalf("no line %q", begin)
		}
	}
}

// The modes do what they say.
func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	var out bytes.Buffer
	logger := log.New(io.Discard, "", 0)
	f := &flags{train: path, features: 16}
	if err := f.run(&out, logger); err != nil || !strings.Contains(out.String(), "→ R^16,") {
		t.Fatalf("%v: %s", err, &out)
	}
	m, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(ready(t, m, nil).handler())
	defer server.Close()
	out.Reset()
	f = &flags{load: server.URL, model: path, requests: 30, concurrency: 3, rows: 2, malformed: 0.5}
	if err := f.run(&out, logger); err != nil || !strings.HasPrefix(out.String(), "30 requests, 3 at a time, 2 rows each; 15 of them malformed") {
		t.Errorf("%v: %s", err, &out)
	}
	if err := (&flags{model: path + "none", addr: "localhost:0", atOnce: 1}).run(&out, logger); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v without a file", err)
	}
	// SIGHUP has the file read again, and SIGINT ends the server.
	if runtime.GOOS != "windows" {
		said := &lines{heard: make(chan string, 100)}
		done := make(chan error, 1)
		go func() {
			done <- (&flags{model: path, addr: "localhost:0", atOnce: 1}).run(io.Discard, log.New(said, "", 0))
		}()
		process, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		for _, signal := range []os.Signal{nil, syscall.SIGHUP, os.Interrupt} {
			if signal != nil {
				if err := process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			if signal != os.Interrupt {
				said.wait(t, "ready: ")
			}
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := (&flags{model: path, addr: "localhost:-1"}).run(&out, logger); err == nil {
		t.Error("no error for an address that is none")
	}
}
