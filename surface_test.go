// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// documentation returns what go doc shows of the package.
func documentation(t *testing.T) *doc.Package {
	set := token.NewFileSet()
	var files []*ast.File
	for _, entry := range testkit.Must(os.ReadDir(".")) {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, testkit.Must(parser.ParseFile(set, name, nil, parser.ParseComments)))
		}
	}
	p, err := doc.NewFromFiles(set, files, "featuremap")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Names, fields and first sentences are as listed: one is changed, or lost, on purpose only.
func TestSurface(t *testing.T) {
	p := documentation(t)
	var lines []string
	add := func(name, text string) { lines = append(lines, strings.TrimSpace(name+": "+p.Synopsis(text))) }
	values := func(values []*doc.Value) {
		for _, v := range values {
			for _, spec := range v.Decl.Specs {
				if s, ok := spec.(*ast.ValueSpec); ok {
					for _, n := range s.Names {
						if n.IsExported() {
							add(n.Name, s.Doc.Text())
						}
					}
				}
			}
		}
	}
	functions := func(of string, all []*doc.Func) {
		for _, f := range all {
			add(of+f.Name, f.Doc)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions("", p.Funcs)
	for _, typ := range p.Types {
		add(typ.Name, typ.Doc)
		values(typ.Consts)
		values(typ.Vars)
		functions("", typ.Funcs)
		functions(typ.Name+".", typ.Methods)
		spec := typ.Decl.Specs[0].(*ast.TypeSpec)
		if spec.Assign.IsValid() {
			t.Errorf("%s is an alias", typ.Name)
		}
		var fields *ast.FieldList
		switch s := spec.Type.(type) {
		case *ast.StructType:
			fields = s.Fields
		case *ast.InterfaceType:
			fields = s.Methods
		default:
			continue
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				if n.IsExported() {
					add(typ.Name+"."+n.Name, f.Doc.Text()+f.Comment.Text())
				}
			}
		}
	}
	slices.Sort(lines)
	golden.Compare(t, "surface.txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// The sections of the package's documentation follow the groups of its index.
func TestSections(t *testing.T) {
	want := []string{"Kernels", "Combining kernels", "Maps and skeletons", "Plans", "Files"}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^# (.*)$`).FindAllStringSubmatch(documentation(t).Doc, -1) {
		if i := slices.IndexFunc(want, func(s string) bool { return strings.HasPrefix(m[1], s) }); i >= 0 {
			got = append(got, want[i])
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the sections are %q, and should be %q in this order", got, want)
	}
}
