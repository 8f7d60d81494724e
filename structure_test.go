// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// The types of kernels are looked at in meaning.go, which says what they mean, and where the cost of a saved one is added up.
// Everything else takes descriptions. What a type switch or an assertion on an exported type of kernel or map names is counted here.
func TestTypeSwitches(t *testing.T) {
	kernels := []string{"Gaussian", "Laplacian", "Cauchy", "Matern", "RationalQuadratic", "Constant", "Periodic", "SpectralMixture", "Linear", "Polynomial", "ExpDot",
		"ArcCosine", "Binary", "Circle", "Categories", "Sphere", "BlackBox"}
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
			if found && set.Position(fn.Pos()).Filename != "meaning.go" && fn.Name.Name != "weighLeaf" {
				places = append(places, fn.Name.Name+" in "+set.Position(fn.Pos()).Filename)
			}
		}
	}
	slices.Sort(places)
	if len(places) > 0 {
		t.Errorf("these functions look at the types of kernels or maps: %q", places)
	}
}

// No package sets a variable of another one: what one of them has to say to another is an argument, or in a struct that both know.
func TestSetVariables(t *testing.T) {
	const module = "github.com/seed-0f95ebc1/featuremap"
	set := token.NewFileSet()
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		files++
		imported := make(map[string]bool) // packages of the module, by their names in the file
		for _, i := range f.Imports {
			if of := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(of, module) {
				local := path.Base(of)
				if i.Name != nil {
					local = i.Name.Name
				}
				imported[local] = true
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var to []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				to = n.Lhs
			case *ast.IncDecStmt:
				to = []ast.Expr{n.X}
			case *ast.RangeStmt:
				to = []ast.Expr{n.Key, n.Value}
			}
			for _, e := range to {
				if v := variableOf(e, imported); v != "" {
					t.Errorf("%v sets %s", set.Position(n.Pos()), v)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

// variableOf returns the variable of an imported package that an expression is, or is a part of, or "".
func variableOf(e ast.Expr, imported map[string]bool) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if p, ok := e.X.(*ast.Ident); ok && p.Obj == nil && imported[p.Name] {
			return p.Name + "." + e.Sel.Name
		}
		return variableOf(e.X, imported)
	case *ast.IndexExpr:
		return variableOf(e.X, imported)
	case *ast.StarExpr:
		return variableOf(e.X, imported)
	case *ast.ParenExpr:
		return variableOf(e.X, imported)
	}
	return ""
}

// No struct embeds error: go/doc then no longer takes error for the predeclared type, and lists constructors that return (T, error) apart
// from their types.
func TestNoErrorIsEmbedded(t *testing.T) {
	set, seen := token.NewFileSet(), 0
	alone := regexp.MustCompile("error[ \\t]*[\n};/\"`]") // only such files need be parsed
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if seen++; !alone.Match(source) {
			return nil
		}
		f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if id, ok := field.Type.(*ast.Ident); ok && id.Name == "error" && len(field.Names) == 0 {
					t.Errorf("%v: a struct embeds error; give the field a name", set.Position(field.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("%d files were looked at", seen)
	}
}
