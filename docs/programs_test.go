// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var (
	// wholeProgram matches a program of a page, and the output that follows it.
	wholeProgram = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n\n((?:    [^\n]*\n)+)")

	// programStart matches the beginning of a program, with output or without.
	programStart = regexp.MustCompile("(?m)^```go\n+package main$")
)

// Whole programs compile in a module of their own, and print what their pages say. Each page of the cookbook has at least one.
func TestWholePrograms(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	writeModule(t, write)
	want := make(map[string]string)
	for page, text := range pages(t) {
		programs := wholeProgram.FindAllStringSubmatch(text, -1)
		if n := len(programStart.FindAllString(text, -1)); n != len(programs) {
			t.Errorf("%s: %d programs, and only %d of them with an output below", page, n, len(programs))
		}
		if filepath.Base(filepath.Dir(page)) == "cookbook" && len(programs) == 0 {
			t.Errorf("%s: no whole program", page)
		}
		for i, m := range programs {
			name := fmt.Sprintf("%s%d", strings.TrimSuffix(filepath.Base(page), ".md"), i)
			if _, ok := want[name]; ok {
				t.Fatalf("two pages named %s", page)
			}
			write(filepath.Join(name, "main.go"), m[1])
			want[name] = strings.ReplaceAll(m[2][4:], "\n    ", "\n")
		}
	}
	command := exec.Command("go", "build", "-mod=mod", "-ldflags=-s -w", "-o", filepath.Join(folder, "bin")+string(filepath.Separator), "./...")
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for name, text := range want {
		all.Add(1)
		go func() {
			defer all.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			out, err := exec.Command(filepath.Join(folder, "bin", name)).CombinedOutput()
			if err != nil || string(out) != text {
				t.Errorf("%s prints\n%s(%v), and its page says\n%s", name, out, err, text)
			}
		}()
	}
	all.Wait()
}

// writeModule writes the files of a module that requires this one.
func writeModule(t *testing.T, write func(name, text string)) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/seed-0f95ebc1/featuremap"
	text := strings.Replace(string(mod), "module "+module, "module example.com/pages", 1)
	write("go.mod", fmt.Sprintf("%s\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", text, module, root))
	write("go.sum", string(sums))
}
