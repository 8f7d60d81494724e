// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package examples tests that the programs in its folders can be copied.
package examples

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "vet the copies, for which they are compiled")

const module = "github.com/seed-0f95ebc1/featuremap"

// A user copies a program with what is below its folder, under another import path, and it compiles in a module that requires this
// one: it imports nothing internal but what is copied with it. (Tests do, and modules of their own have requirements of their own.)
// The go command finds such imports, and those of what is not there, from the files' heads alone.
func TestCopies(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	user := t.TempDir()
	programs := copyPrograms(t, user)
	if programs < 9 {
		t.Fatalf("only %d programs", programs)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module example.com/user\n\ngo 1.24.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", module, strconv.Quote(root))
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(user, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"list", "-mod=mod", "-deps", "./..."}
	if *long {
		args = []string{"vet", "-mod=mod", "./..."}
	}
	command := exec.Command("go", args...)
	command.Dir = user
	command.Env = append(command.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// copyPrograms copies the files of all programs, without tests, to a folder that is the module example.com/user, and returns their number.
func copyPrograms(t *testing.T, user string) (programs int) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(user, path)
		if entry.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir
			}
			return os.MkdirAll(to, 0o777)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Base(path) == "main.go" {
			programs++
		}
		folder, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		here, there := module+"/examples/"+folder+"/", "example.com/user/"+folder+"/"
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(text), `"`+here, `"`+there)), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return programs
}
