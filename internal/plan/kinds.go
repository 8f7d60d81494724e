// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/neurons"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// The table of kinds of maps. A new kind is a package with a recipe and a document (see package recipe), and a line
// here.

// kind is a kind of map: its name, its fields in documents of plans, and the candidates that plans have for a term.
type kind struct {
	Name     string
	Document recipe.Document

	// candidates returns candidates for a term; reference are those whose errors at far points are the safest (see
	// limit). It is nil for exact features, which plannedTerm has separately.
	candidates func(t *plannedTerm) (reference, others []candidate)
}

// Kinds are all kinds of maps, in the order in which their candidates are tried.
var Kinds = []kind{
	{"exact", exactDocument{}, nil},
	{"Fourier", fourier.Document{}, (*plannedTerm).fourierCandidates},
	{"Lattice", fourier.LatticeDocument{}, (*plannedTerm).latticeCandidates},
	{"Maclaurin", maclaurin.Document{}, (*plannedTerm).maclaurinCandidates},
	{"Taylor", maclaurin.TaylorDocument{}, nil}, // Maclaurin maps that are not random; they are among Maclaurin candidates
	{"Neurons", neurons.Document{}, (*plannedTerm).neuronsCandidates},
	{"Compositional", graph.Document{}, (*plannedTerm).compositionalCandidates},
}
