// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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
