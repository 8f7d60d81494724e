// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms are the prefixes of the package's files, from the ground floor up. What is written in a file may use
// what is in its own room, in others on its floor, and below.
var rooms = [][]string{
	{"doc", "sampler", "errors"},
	{"validate"},
	{"series"},
	{"kernels", "kernel", "featuremap"},
	{"gram"},
	{"algebra"},
	{"plan", "derivative"},
	{"exact", "fourier", "maclaurin", "neurons", "feature"},
	{"skeleton"},
	{"compositional"},
	{"new"},
	{"rmse", "bounds", "datadependent", "landmarks", "logarithms", "float32"},
	{"save"},
}

// A house is the package without its tests, type-checked. Other packages are not looked at: what they leave unresolved
// has no room here.
type house struct {
	t     *testing.T
	fset  *token.FileSet
	files []*ast.File
	info  types.Info
	pkg   *types.Package
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, info: types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}}
	h.fset, h.files = parsedFiles(t)
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	h.pkg, _ = config.Check("featuremap", h.fset, h.files, &h.info)
	return h
}

// room returns the prefix of the file of a position.
func (h *house) room(pos token.Pos) string {
	prefix, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(h.fset.Position(pos).Filename), ".go"), "_")
	return prefix
}

// floor returns the number of the floor of a position.
func (h *house) floor(pos token.Pos) int {
	i := slices.IndexFunc(rooms, func(floor []string) bool { return slices.Contains(floor, h.room(pos)) })
	if i < 0 {
		h.t.Fatalf("%v: no room has this prefix", h.fset.Position(pos))
	}
	return i
}

// No reference leads upstairs, those to fields and methods included.
func TestRooms(t *testing.T) {
	h := newHouse(t)
	var up []string
	uses := 0
	for ident, object := range h.info.Uses {
		if object.Pkg() != h.pkg || !object.Pos().IsValid() {
			continue
		}
		uses++
		if h.floor(object.Pos()) > h.floor(ident.Pos()) {
			up = append(up, fmt.Sprintf("%v: %s is upstairs, in %s", h.fset.Position(ident.Pos()), ident.Name, h.fset.Position(object.Pos()).Filename))
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

// callsUp are the interfaces that have types on floors above some caller, between New and the drawn map, and why.
var callsUp = map[string]string{
	"Kernel":                          "the kernel of a skeleton is one, and so is what a caller has",
	"Radial":                          "that of an expression is what its spectrum says",
	"validator":                       "the kernel of a skeleton checks the number of coordinates itself",
	"base":                            "the kernel of a skeleton is taken apart no further",
	"imageKernel":                     "a skeleton knows which of its inputs are stationary",
	"Weighter":                        "the weights of the other side of an exponential are one, as those of callers",
	"FeatureMap":                      "FromMap takes any map",
	"derivable":                       "and so its derivative is that of any map",
	"Differentiable":                  "which a map of data has, too",
	"interface{drawnLoss() confined}": "the same of maps without a cut",
	"confined":                        "recipes say where their maps are good",
	"WeightGradienter":                "that of the other side of an exponential is one",
	"recipe":                          "a plan has recipes of all kinds of maps, which stand on it",
}

// Between New and the drawn map no call goes upstairs, but through the interfaces that say why.
func TestCallsFromNew(t *testing.T) {
	h := newHouse(t)
	methods := make(map[string][]*types.Func) // by name, of the types of the package
	for _, name := range h.pkg.Scope().Names() {
		named, ok := h.pkg.Scope().Lookup(name).Type().(*types.Named)
		if !ok || types.IsInterface(named) {
			continue
		}
		for m := range named.Methods() {
			methods[m.Name()] = append(methods[m.Name()], m)
		}
	}
	bodies := make(map[types.Object]*ast.FuncDecl)
	for _, f := range h.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				bodies[h.info.Defs[fn.Name]] = fn
			}
		}
	}
	// callees returns the functions that a use may call: for a method of an interface all that implement it.
	callees := func(f *types.Func) (all []*types.Func, of types.Type) {
		recv := f.Signature().Recv()
		if recv == nil || !types.IsInterface(recv.Type()) {
			return []*types.Func{f}, nil
		}
		of = recv.Type()
		for _, m := range methods[f.Name()] {
			t := m.Signature().Recv().Type()
			if types.Implements(t, of.Underlying().(*types.Interface)) {
				all = append(all, m)
			}
		}
		return all, of
	}
	seen, up := make(map[types.Object]bool), make(map[string]string)
	var queue []types.Object
	visit := func(o types.Object) {
		if !seen[o] && bodies[o] != nil {
			seen[o] = true
			queue = append(queue, o)
		}
	}
	visit(h.pkg.Scope().Lookup("New"))
	for len(queue) > 0 {
		o := queue[0]
		queue = queue[1:]
		ast.Inspect(bodies[o], func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			f, ok := h.info.Uses[id].(*types.Func)
			if !ok || f.Pkg() != h.pkg {
				return true
			}
			all, of := callees(f.Origin())
			for _, callee := range all {
				if of != nil && h.floor(callee.Pos()) > h.floor(id.Pos()) {
					name := types.TypeString(of, func(*types.Package) string { return "" })
					up[name] = fmt.Sprintf("%v calls %s.%s in %v", h.fset.Position(id.Pos()), name, f.Name(), h.fset.Position(callee.Pos()))
				}
				visit(callee)
			}
			return true
		})
	}
	for name, where := range up {
		if callsUp[name] == "" {
			t.Errorf("upstairs: %s", where)
		}
	}
	for name := range callsUp {
		if up[name] == "" {
			t.Errorf("%s is listed, and calls nothing upstairs", name)
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d functions were found", len(seen))
	}
	t.Logf("%d functions", len(seen))
}

// methodsAway are the rooms with methods of types of others, and why.
var methodsAway = map[string]string{
	"save":          "how types are written and read is in one place",
	"exact":         "exact features are a kind of map, which forms below know nothing of",
	"new":           "what the planner asks of forms and of points",
	"plan":          "what the text of a plan asks of forms",
	"algebra":       "what kernels mean is the algebra's to say",
	"kernel":        "series made from others print as the kernels that make them",
	"neurons":       "and what the arc-cosine kernel is for neurons",
	"skeleton":      "what points of skeletons' base spaces may be",
	"compositional": "what drawing needs of graphs and features",
}

// Methods are in the rooms of their types.
func TestMethodsAtHome(t *testing.T) {
	h := newHouse(t)
	away := make(map[string][]string)
	for _, f := range h.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			recv := h.info.Defs[fn.Name].(*types.Func).Signature().Recv().Type()
			if p, ok := recv.(*types.Pointer); ok {
				recv = p.Elem()
			}
			named := recv.(*types.Named).Obj()
			if home, at := h.room(named.Pos()), h.room(fn.Pos()); home != at {
				away[at] = append(away[at], fmt.Sprintf("%s.%s of %s", named.Name(), fn.Name.Name, home))
			}
		}
	}
	for room, methods := range away {
		if methodsAway[room] == "" {
			slices.Sort(methods)
			t.Errorf("%d methods away from home in %s: %s", len(methods), room, strings.Join(methods, ", "))
		}
	}
}

// The words between a kernel and a tile, which docs/extending.md lists, are types, and few.
func TestWordsToTile(t *testing.T) {
	const most = 25
	page, err := os.ReadFile("docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n## The words between a kernel and a tile\n")
	list, _, _ = strings.Cut(list, "\n## ")
	h := newHouse(t)
	var words []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(list, -1) {
		words = append(words, m[1])
		if _, ok := h.pkg.Scope().Lookup(m[1]).(*types.TypeName); !ok && !slices.Contains([]string{"Series", "Warp", "Sample", "Pair", "Part", "Stack", "Projection"}, m[1]) {
			t.Errorf("%s is no type", m[1])
		}
	}
	if len(words) > most || len(words) < most/2 {
		t.Errorf("%d words, and there may be %d: %q", len(words), most, words)
	}
}

// Names say what a thing is: these words, by themselves, have meant several. docs/extending.md lists others with their one
// meaning.
func TestWords(t *testing.T) {
	h := newHouse(t)
	for id, object := range h.info.Defs {
		if object != nil && slices.Contains([]string{"of", "near", "reach"}, id.Name) {
			t.Errorf("%v: %s says nothing by itself", h.fset.Position(id.Pos()), id.Name)
		}
	}
	page, err := os.ReadFile("docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n## Words that mean one thing\n")
	list, _, _ = strings.Cut(list, "\n## ")
	names := make(map[string]bool) // parts of names too
	part := regexp.MustCompile(`[A-Z]?[a-z]+`)
	for id := range h.info.Defs {
		names[strings.ToLower(id.Name)] = true
		for _, p := range part.FindAllString(id.Name, -1) {
			names[strings.ToLower(p)] = true
		}
	}
	words := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(list, -1)
	for _, m := range words {
		if !names[strings.ToLower(m[1])] {
			t.Errorf("docs/extending.md has the word %s, and no name does", m[1])
		}
	}
	if len(words) < 10 {
		t.Errorf("%d words", len(words))
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
