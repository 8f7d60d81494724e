// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"strings"
	"testing"
)

// The program of the README is this one, except for its comments.
func TestReadme(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(program), "\nfunc main() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	if body == "" || !strings.Contains(string(page), "\nfunc main() {\n"+body+"\n}\n```\n") {
		t.Error("README.md has another program")
	}
	if lines := 1 + strings.Count(body, "\n"); lines >= 20 {
		t.Errorf("the program has %d lines", lines)
	}
}
