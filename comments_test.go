// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// documented returns the documentation of a package, with its examples.
func documented(t *testing.T, dir string) (*token.FileSet, *doc.Package) {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(filepath.Base(name), "example") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(set, files, "github.com/seed-0f95ebc1/featuremap/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return set, p
}

// What go doc prints of a function or a method fits on a screen of 24 lines, what it prints of a type with the list of
// its functions and methods in 40, and the first page of a package in 150. What is longer goes to a page of docs.
func TestCommentsFitScreen(t *testing.T) {
	for _, dir := range []string{".", "ridge", "score", "logistic", "learn", "unsupervised", "table", "sparse", "timeseries"} {
		set, p := documented(t, dir)
		printer := p.Printer()
		printer.TextPrefix, printer.TextWidth = "    ", 76
		height := func(comment string) int { return bytes.Count(printer.Text(p.Parser().Parse(comment)), []byte("\n")) }
		check := func(name string, lines, most int) {
			if lines > most {
				t.Errorf("go doc %s has %d lines, and should have at most %d", name, lines, most)
			}
		}
		functions := func(of string, fs []*doc.Func) {
			for _, f := range fs {
				check(of+f.Name, 3+height(f.Doc), 24) // below the package, an empty line and the signature
			}
		}
		check(p.Name, height(p.Doc), 150)
		functions("", p.Funcs)
		for _, typ := range p.Types {
			functions("", typ.Funcs)
			functions(typ.Name+".", typ.Methods)
			typ.Decl.Doc = nil
			var declaration bytes.Buffer
			if err := format.Node(&declaration, set, typ.Decl); err != nil {
				t.Fatal(err)
			}
			list := len(typ.Consts) + len(typ.Funcs) + len(typ.Methods)
			check(typ.Name, 4+bytes.Count(declaration.Bytes(), []byte("\n"))+height(typ.Doc)+list, 40)
		}
	}
}

// Every exported function is used in an example, and every exported type has one or is used in one. A Drawer is
// shown by the example of BlackBox, and a Weighter by a WeightFunc.
func TestExamplesUseEverything(t *testing.T) {
	for _, dir := range []string{".", "ridge", "score", "logistic", "learn", "unsupervised", "table", "sparse", "timeseries"} {
		_, p := documented(t, dir)
		if len(p.Examples) == 0 {
			t.Errorf("package %s has no example", p.Name)
		}
		used := map[string]bool{"Drawer": true, "Weighter": true}
		use := func(examples []*doc.Example) {
			for _, e := range examples {
				ast.Inspect(e.Code, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						used[id.Name] = true
					}
					return true
				})
			}
		}
		use(p.Examples)
		functions := p.Funcs
		for _, typ := range p.Types {
			functions = slices.Concat(functions, typ.Funcs)
			use(typ.Examples)
			for _, m := range typ.Methods {
				use(m.Examples)
				used[typ.Name] = used[typ.Name] || len(m.Examples) > 0
			}
			used[typ.Name] = used[typ.Name] || len(typ.Examples) > 0
		}
		for _, f := range functions {
			use(f.Examples)
		}
		for _, f := range functions {
			if !used[f.Name] {
				t.Errorf("no example uses %s", f.Name)
			}
		}
		for _, typ := range p.Types {
			made := slices.ContainsFunc(typ.Funcs, func(f *doc.Func) bool { return used[f.Name] })
			if !used[typ.Name] && !made {
				t.Errorf("no example has a %s", typ.Name)
			}
		}
	}
}
