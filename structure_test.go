// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parsedFiles returns the files of the package without its tests.
func parsedFiles(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	packages, err := parser.ParseDir(set, ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, f := range packages["featuremap"].Files {
		files = append(files, f)
	}
	return set, files
}

// The types of kernels and maps are looked at in one place each: leafForm takes kernels as they are
// written, and everything else their canonical form. What a type switch or an assertion on an
// exported type of kernel or map names is counted here.
func TestTypeSwitches(t *testing.T) {
	kernels := []string{"Gaussian", "Laplacian", "Cauchy", "Matern", "RationalQuadratic", "Constant", "Periodic", "SpectralMixture", "Linear", "Polynomial", "ExpDot",
		"InfinitePolynomial", "ArcCosine", "Binary", "Circle", "Categories", "Sphere", "BlackBox"}
	maps := []string{"Fourier", "Maclaurin", "Neurons", "Compositional", "DataDependent"}
	named := func(e ast.Expr) string {
		if p, ok := e.(*ast.StarExpr); ok {
			e = p.X
		}
		if id, ok := e.(*ast.Ident); ok && (slices.Contains(kernels, id.Name) || slices.Contains(maps, id.Name)) {
			return id.Name
		}
		return ""
	}
	set, files := parsedFiles(t)
	var places []string
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			found := false
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CaseClause:
					for _, e := range n.List {
						found = found || named(e) != ""
					}
				case *ast.TypeAssertExpr:
					found = found || n.Type != nil && named(n.Type) != ""
				}
				return true
			})
			if found {
				places = append(places, fn.Name.Name+" in "+set.Position(fn.Pos()).Filename)
			}
		}
	}
	slices.Sort(places)
	if len(places) > 2 {
		t.Errorf("%d functions look at the types of kernels or maps, and should be at most two: %q", len(places), places)
	}
	t.Logf("%q", places)
}

// No file looks at the type of a recipe or of a recipe's document but those of that kind of map, which have its prefix: there
// the types that implement the interfaces are named in switches and assertions, and nowhere else.
func TestRecipeSwitches(t *testing.T) {
	set, files := parsedFiles(t)
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	pkg, _ := config.Check("featuremap", set, files, &info)
	prefix := func(pos token.Pos) string {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(set.Position(pos).Filename), ".go"), "_")
		return name
	}
	home := make(map[types.Type]string) // the prefix of the file with a type that implements an interface
	for _, name := range []string{"recipe", "recipeDocument"} {
		of := pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface)
		implement := 0
		for _, name := range pkg.Scope().Names() {
			object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if ok && !types.IsInterface(object.Type()) && types.Implements(types.NewPointer(object.Type()), of) {
				home[object.Type()] = prefix(object.Pos())
				implement++
			}
		}
		if implement < 5 {
			t.Errorf("only %d types implement %s: %v", implement, name, home)
		}
	}
	look := func(e ast.Expr) {
		of := info.TypeOf(e)
		if p, ok := of.(*types.Pointer); ok {
			of = p.Elem()
		}
		if room, ok := home[of]; ok && room != prefix(e.Pos()) {
			t.Errorf("%v looks for %v, which only %s*.go should know", set.Position(e.Pos()), of, room)
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSwitchStmt:
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						look(e)
					}
				}
			case *ast.TypeAssertExpr:
				if n.Type != nil {
					look(n.Type)
				}
			}
			return true
		})
	}
}
