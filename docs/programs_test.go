// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package docs

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	// wholeProgram matches a program of a page, and the output that follows it.
	wholeProgram = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n\n((?:    [^\n]*\n)+)")

	// programStart matches the beginning of a program, with output or without.
	programStart = regexp.MustCompile("(?m)^```go\n+package main$")

	packageMain  = regexp.MustCompile("(?m)^package main$")
	functionMain = regexp.MustCompile(`(?m)^func main\(\)`)
)

// longer are the programs that take a quarter of a second and more, all others together little more.
var longer = []string{
	"README0", "csv0", "start1", "trend_and_season0", "rare_class0", "stream0", "time_series0", "time_series1", "own_features0", "float320",
	"own_kernel0", "drift0", "calibrated_classes0", "bayesian_optimization0", "features_with_gonum0",
}

var long = flag.Bool("long", false, "link each program of a page by itself, and run all")

// Whole programs compile in a module of their own, and print what their pages say. Each page of the cookbook has at least one.
// Linking takes most of the time: without -long they are packages of one program, which runs the one that it is told.
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
			name := fmt.Sprintf("%s%d", strings.ReplaceAll(strings.TrimSuffix(filepath.Base(page), ".md"), "-", "_"), i)
			if _, ok := want[name]; ok {
				t.Fatalf("two pages named %s", page)
			}
			if !*long {
				m[1] = packageMain.ReplaceAllString(m[1], "package "+name)
				m[1] = functionMain.ReplaceAllString(m[1], "func Main()")
			}
			write(filepath.Join(name, "main.go"), m[1])
			want[name] = strings.ReplaceAll(m[2][4:], "\n    ", "\n")
		}
	}
	if !*long {
		write("main.go", mainOf(slices.Sorted(maps.Keys(want))))
	}
	arguments := []string{"build", "-mod=mod", "-ldflags=-s -w", "-o", filepath.Join(folder, "bin") + string(filepath.Separator), "./..."}
	if !*long { // programs of pages need not be fast, only the packages that they use
		arguments = slices.Insert(arguments, 1, "-gcflags=-N -l")
	}
	command := exec.Command("go", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for name, text := range want {
		if !*long && slices.Contains(longer, name) {
			continue
		}
		all.Add(1)
		go func() {
			defer all.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			command := exec.Command(filepath.Join(folder, "bin", "pages"), name)
			if *long {
				command = exec.Command(filepath.Join(folder, "bin", name))
			}
			out, err := command.CombinedOutput()
			printed := strings.ReplaceAll(string(out), name+".", "main.")
			if err != nil || printed != text {
				t.Errorf("%s prints\n%s(%v), and its page says\n%s", name, printed, err, text)
			}
		}()
	}
	all.Wait()
}

// mainOf returns a program that runs the Main of the package named by its argument.
func mainOf(packages []string) string {
	var imports, cases strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&imports, "\t\"example.com/pages/%s\"\n", p)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", p, p)
	}
	return fmt.Sprintf("package main\n\nimport (\n\t\"os\"\n%s)\n\nfunc main() {\n\tname := os.Args[1]\n\tos.Args = os.Args[:1]\n\tswitch name {\n%s\t}\n}\n", &imports, &cases)
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
