// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package program

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
)

// The values of the flags, and the start of the error, if any. -quick is applied last: a value that it would
// replace is refused, too.
func TestFlags(t *testing.T) {
	folder := t.TempDir()
	for _, test := range []struct {
		arguments    string
		maps, points int
		refused      string
	}{
		{"", 10, 2000, ""},
		{"-maps 2 -points 1", 2, 1, ""},
		{"-quick -maps 7", 3, 2000, ""},
		{"-quick=false -maps 7", 7, 2000, ""},
		{"-maps 1", 1, 2000, "-maps 1: must be at least 2"},
		{"-quick -maps 1", 1, 2000, "-maps 1: must be at least 2"},
		{"-points 0", 10, 0, "-points 0: must be at least 1"},
		{"-maps 4 more", 4, 2000, `unexpected argument "more"; -help lists the flags`},
		{"-points x", 10, 0, `invalid value "x" for flag -points`},
		{"-csv " + folder, 10, 2000, "-csv: open " + folder},
		{"-python " + folder, 10, 2000, "-python: no scikit-learn for " + folder},
	} {
		maps, points, path := 10, 2000, ""
		var python *peer.Python
		var missing error
		f := NewFlags("test", "Test tests.\n")
		f.Init("test", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.AtLeast(2, &maps, "maps", "`number` of maps")
		f.Quick(func() { maps = 3 }, "three maps")
		f.AtLeast(1, &points, "points", "`number` of points")
		f.CSV(&path, "`file` to write to")
		if strings.Contains(test.arguments, "-python") {
			f.Python(&python, &missing)
		}
		err := f.read(strings.Fields(test.arguments))
		if test.refused == "" && err != nil || test.refused != "" && (err == nil || !strings.HasPrefix(err.Error(), test.refused)) {
			t.Errorf("%s: error %v, want %s", test.arguments, err, test.refused)
		}
		if maps != test.maps || points != test.points {
			t.Errorf("%s: %d maps and %d points, want %d and %d", test.arguments, maps, points, test.maps, test.points)
		}
	}
}

// A file of -csv exists once the flags are read, but loses nothing before it is written.
func TestCSV(t *testing.T) {
	folder := t.TempDir()
	for name, want := range map[string]string{"new": "", "old": "a,b\n"} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(filepath.Join(folder, "old"), []byte("a,b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var path string
		f := NewFlags("test", "")
		f.CSV(&path, "")
		if err := f.read([]string{"-csv", file}); err != nil || path != file {
			t.Errorf("%s: path %q, %v", name, path, err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s: the file has %q, %v", name, text, err)
		}
	}
}

// The help starts with what the program is, and says the values that variables have.
func TestHelp(t *testing.T) {
	var help strings.Builder
	maps := 10
	f := NewFlags("test", "Test tests.\n")
	f.Init("test", flag.ContinueOnError)
	f.SetOutput(&help)
	f.AtLeast(2, &maps, "maps", "`number` of maps")
	if err := f.read([]string{"-help"}); err != flag.ErrHelp {
		t.Error(err)
	}
	if want := "Test tests.\n\n  -maps number\n    \tnumber of maps (default 10)\n"; help.String() != want {
		t.Errorf("the help is\n%s", &help)
	}
}
