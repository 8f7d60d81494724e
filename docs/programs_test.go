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
	"strings"
	"testing"
)

// whole matches a program of a page, and what it prints.
var whole = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n\n((?:    [^\n]*\n)+)")

// Whole programs compile in a module of their own, and print what their pages say.
func TestWholePrograms(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/seed-0f95ebc1/featuremap"
	text := strings.Replace(string(mod), "module "+module, "module example.com/pages", 1)
	write("go.mod", fmt.Sprintf("%s\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", text, module, root))
	write("go.sum", string(sums))
	want := make(map[string]string)
	for page, text := range pages(t) {
		for i, m := range whole.FindAllStringSubmatch(text, -1) {
			name := fmt.Sprintf("%s%d", strings.TrimSuffix(filepath.Base(page), ".md"), i)
			write(filepath.Join(name, "main.go"), m[1])
			want[name] = strings.ReplaceAll(m[2][4:], "\n    ", "\n")
		}
	}
	if len(want) < 3 {
		t.Fatalf("%d whole programs", len(want))
	}
	command := exec.Command("go", "build", "-mod=mod", "-o", filepath.Join(folder, "bin")+string(filepath.Separator), "./...")
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range want {
		out, err := exec.Command(filepath.Join(folder, "bin", name)).CombinedOutput()
		if err != nil || string(out) != text {
			t.Errorf("%s prints\n%s(%v), and its page says\n%s", name, out, err, text)
		}
	}
}
