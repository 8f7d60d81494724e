// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms are the prefixes of the package's files, from the ground floor up. What is written in a file may use
// what is in its own room, in others on its floor, and below.
var rooms = [][]string{
	{"doc", "sampler", "arithmetic"},
	{"featuremap", "validate", "source"},
	{"series"},
	{"kernel"},
	{"algebra"},
	{"map", "plan"},
	{"exact", "fourier", "maclaurin", "neurons", "feature"},
	{"skeleton"},
	{"compositional"},
	{"new"},
	{"interval", "bounds", "datadependent"},
	{"save", "load"},
}

// No reference leads upstairs.
func TestRooms(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: make(map[*ast.Ident]types.Object)}
	// Other packages are not looked at: what they leave unresolved has no room here.
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	pkg, _ := config.Check("featuremap", fset, files, &info)
	floor := func(pos token.Pos) int {
		name := fset.Position(pos).Filename
		prefix, _, _ := strings.Cut(strings.TrimSuffix(name, ".go"), "_")
		i := slices.IndexFunc(rooms, func(floor []string) bool { return slices.Contains(floor, prefix) })
		if i < 0 {
			t.Fatalf("%s: no room has this prefix", name)
		}
		return i
	}
	var up []string
	uses := 0
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		uses++
		if floor(object.Pos()) > floor(ident.Pos()) {
			up = append(up, fmt.Sprintf("%v: %s is upstairs, in %s", fset.Position(ident.Pos()), ident.Name, fset.Position(object.Pos()).Filename))
		}
	}
	slices.Sort(up)
	if len(up) > 0 {
		t.Errorf("%d references lead upstairs:\n%s", len(up), strings.Join(up, "\n"))
	}
	if uses < 10_000 {
		t.Errorf("only %d references were found", uses)
	}
}

// nothing imports no package but those without a path of their own.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, errors.New("not imported")
}
