// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// year is a period that is known.
var year = featuremap.Periodic{Period: 12, LengthScale: 1}

// months returns n rows of a month, at irregular times of six times as many months as there are periods, and of a number; targets are a season
// that fades slowly, a trend, a function of the number, and noise of deviation .1.
func months(n int) (x, y *mat.Dense) {
	s := featuremap.NewSampler(7)
	x, y = mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		at, v := 72*s.Float64(), s.Normal()
		x.SetRow(i, []float64{at, v})
		season := math.Sin(2*math.Pi*at/12) + 0.5*math.Cos(4*math.Pi*at/12)
		y.Set(i, 0, season*(1-at/144)+at/36+math.Sin(v)+0.1*s.Normal())
	}
	return x, y
}

// shapeOf returns a kernel as it prints, with # for the numbers that are learned: scales, and lengths of Gaussian kernels.
func shapeOf(k featuremap.Kernel) string {
	text := strings.ReplaceAll(fmt.Sprint(k), "featuremap.", "")
	text = regexp.MustCompile(`Gaussian\{LengthScale: [-+.e0-9]+\}`).ReplaceAllString(text, "G")
	return regexp.MustCompile(`Scale\([-+.e0-9]+, `).ReplaceAllString(text, "Scale(#, ")
}

// What is Fixed has the bits that it was given, with nothing in front of it but what was there, and what stands around it is learned.
func TestFixed(t *testing.T) {
	fewFeatures(t)
	x, y := months(150)
	g, fixed := featuremap.Gaussian{LengthScale: 1000}, Fixed{year}
	week := Fixed{featuremap.Periodic{Period: 7, LengthScale: 2}}
	const p, q = "Periodic{Period: 12, LengthScale: 1}", "Periodic{Period: 7, LengthScale: 2}"
	first := func(k featuremap.Kernel) featuremap.Kernel { return featuremap.Select([]int{0}, k) }
	for _, c := range []struct {
		name  string
		k     featuremap.Kernel
		want  string
		moves bool
	}{
		{"alone", first(fixed), "Scale(#, Select([]int{0}, " + p + "))", false},
		{"twice", first(Fixed{fixed}), "Scale(#, Select([]int{0}, " + p + "))", false},
		{"pointer", first(&fixed), "Scale(#, Select([]int{0}, " + p + "))", false},
		{"outside", Fixed{first(year)}, "Scale(#, Select([]int{0}, " + p + "))", false},
		{"with a scale", Fixed{featuremap.Scale(3, first(year))}, "Scale(#, Scale(#, Select([]int{0}, " + p + ")))", false},
		{"sum", featuremap.Sum(first(fixed), first(g)), "Sum(Scale(#, Select([]int{0}, " + p + ")), Scale(#, Select([]int{0}, G)))", true},
		{"two of three", first(featuremap.Sum(featuremap.Scale(2, fixed), g, week)),
			"Sum(Scale(#, Select([]int{0}, " + p + ")), Scale(#, Select([]int{0}, G)), Scale(#, Select([]int{0}, " + q + ")))", true},
		{"product", first(featuremap.Product(g, fixed)), "Scale(#, Product(Select([]int{0}, " + p + "), Select([]int{0}, G)))", true},
		{"scaled product", featuremap.Product(featuremap.Scale(2, first(fixed)), featuremap.Product(first(week), first(g))),
			"Scale(#, Product(Product(Select([]int{0}, " + p + "), Select([]int{0}, " + q + ")), Select([]int{0}, G)))", true},
		{"product of fixed", first(featuremap.Product(fixed, week)), "Scale(#, Select([]int{0}, Product(" + p + ", " + q + ")))", false},
		{"product with other", featuremap.Product(first(fixed), featuremap.Linear{}), "Scale(#, Product(Select([]int{0}, " + p + "), Linear{}))", false},
		{"behind maps", featuremap.Sum(first(featuremap.ARD([]float64{1.5}, fixed)), g), "Sum(Scale(#, Select([]int{0}, ARD([]float64{1.5}, " + p + "))), Scale(#, G))", true},
		{"projected", featuremap.Project(mat.NewDense(1, 2, []float64{1, 0.25}), fixed), "Scale(#, Project(mat.NewDense(1, 2, []float64{1, 0.25}), " + p + "))", false},
		{"weighted", featuremap.Sum(featuremap.Compose(series.Exp{}, first(fixed)), g), "Sum(Scale(#, Compose(series.Exp{Rate: 0, Shift: 0}, Select([]int{0}, " + p + "))), Scale(#, G))", true},
		{"a length", featuremap.Sum(Fixed{featuremap.Gaussian{LengthScale: 3}}, featuremap.Linear{}), "Sum(Scale(#, G), Scale(#, Linear{}))", false},
		{"nothing to learn", featuremap.Sum(Fixed{featuremap.Constant{Value: 1}}, Fixed{featuremap.Linear{}}, g), "Sum(Constant{#}, Scale(#, Linear{}), Scale(#, G))", true},
	} {
		got, err := Kernel(c.k, x, y, &KernelOptions{Seed: 1, Features: 64, LengthScales: Isotropic})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		shape := regexp.MustCompile(`Value: [-+.e0-9]+`).ReplaceAllString(shapeOf(got.Kernel), "#")
		if shape != c.want {
			t.Errorf("%s: %s, want %s", c.name, shape, c.want)
		}
		if kept := fmt.Sprint(got.Kernel); c.name == "a length" && !strings.Contains(kept, "Gaussian{LengthScale: 3}") || c.name == "with a scale" && !strings.Contains(kept, "Scale(3, ") {
			t.Errorf("%s: %s", c.name, kept)
		}
		if last := got.Stages[len(got.Stages)-1]; c.moves != (last.Name == "one length") || c.moves && strings.Contains(fmt.Sprint(last.Kernel), "LengthScale: 1000}") {
			t.Errorf("%s: the last stage is %s: %v", c.name, last.Name, last.Kernel)
		}
		for _, s := range got.Stages {
			if s.Kernel != nil && hasFixed(s.Kernel) {
				t.Errorf("%s: stage %s has a Fixed", c.name, s.Name)
			}
		}
	}
}

// Without Fixed the period moves; with it, all stages being tried, it does not, and the lengths of others do. One column has no matrix.
func TestFixedPeriod(t *testing.T) {
	x, y := months(150)
	at, season := x.Slice(0, 150, 0, 1), mat.DenseCopyOf(y)
	season.Apply(func(i, _ int, v float64) float64 { return v - math.Sin(x.At(i, 1)) }, season)
	free, err := Kernel(featuremap.Product(year, featuremap.Gaussian{LengthScale: 5}), at, season, &KernelOptions{Features: 64})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Kernel(featuremap.Product(Fixed{year}, featuremap.Gaussian{LengthScale: 5}), at, season, &KernelOptions{Features: 64})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range []*Learned{free, got} {
		text := fmt.Sprint(l.Stages[1].Kernel)
		if moved := strings.Contains(text, "ARD("); moved != (i == 0) || strings.Contains(text, "Project(") || !strings.Contains(text, "Period: 12,") {
			t.Errorf("%s: %s", l.Stages[1].Name, text)
		}
		last := l.Stages[len(l.Stages)-1]
		if last.Name != "matrix" || last.Skipped == "" || last.Kernel != nil {
			t.Errorf("the matrix of one column: %+v", last)
		}
	}
	// The frequencies of a product are drawn in another way if one of its factors is Fixed: the evidence of the given kernel differs by
	// chance alone, .009 here, and up to .1 of six seeds.
	if a, b := free.Stages[0].LogEvidence, got.Stages[0].LogEvidence; !(math.Abs(a-b) < 0.03) {
		t.Errorf("evidence of the given kernel %v, with Fixed %v", a, b)
	}
	// The season fades over 144 months, which a length of 5 knows nothing of, and one of 80 to 100 does: .30 more evidence a row.
	if v := got.LogEvidence - got.Stages[0].LogEvidence; !(v > 0.2) {
		t.Errorf("gained %v by the length of a fading season", v)
	}
	sum := featuremap.Sum(featuremap.Select([]int{1}, featuremap.Gaussian{LengthScale: 3}), featuremap.Gaussian{LengthScale: 3})
	mixed, err := Kernel(sum, x, y, &KernelOptions{Seed: 1, Features: 32})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(mixed.Stages[3].Kernel); strings.Count(text, "Project(") != 1 || !strings.Contains(text, "Project(mat.NewDense(2, 2,") {
		t.Errorf("a term of one column and one of two: %s", text)
	}
}

// A known period stays through the folds and steps of Regression and Classification, and their models know nothing of Fixed.
func TestFixedReports(t *testing.T) {
	fewFeatures(t)
	x, y := months(80)
	classes := make([]int, 80)
	for i := range classes {
		if y.At(i, 0) > 1 {
			classes[i] = 1
		}
	}
	k := featuremap.Sum(featuremap.Select([]int{0}, featuremap.Product(Fixed{year}, featuremap.Gaussian{LengthScale: 900})), featuremap.Gaussian{LengthScale: 900})
	const want = "Select([]int{0}, Periodic{Period: 12, LengthScale: 1})"
	regression, err := Regression(x, y, &Options{Kernel: k, Features: 48, TestRows: numbers(80)[70:]})
	if err != nil {
		t.Fatal(err)
	}
	classification, err := Classification(x, classes, &Options{Kernel: k, Features: 48, TestRows: numbers(80)[70:]})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		model interface {
			io.WriterTo
			Map() featuremap.FeatureMap
		}
		kernel   featuremap.Kernel
		learning *Learned
		choices  []Choice
	}{
		{regression.Model, regression.Kernel, regression.Learning, regression.Choices},
		{classification.Model, classification.Kernel, classification.Learning, classification.Choices},
	} {
		kernels := []featuremap.Kernel{r.learning.Kernel, r.kernel}
		for _, s := range r.learning.Stages {
			if s.Kernel != nil {
				kernels = append(kernels, s.Kernel)
			}
		}
		kernels = append(kernels, r.model.Map().Kernel())
		if _, err := r.model.WriteTo(io.Discard); err != nil {
			t.Error(err)
		}
		for _, k := range kernels {
			if text := strings.ReplaceAll(fmt.Sprint(k), "featuremap.", ""); !strings.Contains(text, want) || hasFixed(k) {
				t.Errorf("kernel %s", text)
			}
		}
		if text := fmt.Sprint(kernels[len(kernels)-1]); strings.Contains(text, "LengthScale: 900}") {
			t.Errorf("lengths did not move: %s", text)
		}
		tried := 0
		for _, c := range r.choices {
			if c.Step == "length" && c.Skipped == "" {
				tried++
			}
		}
		if tried < 3 {
			t.Errorf("%d multiples of lengths were tried", tried)
		}
	}
	if r := regression.Score; !(r.RMSE[0] < 0.5*r.Baseline[0]) {
		t.Errorf("RMSE %v, of the mean %v", r.RMSE[0], r.Baseline[0])
	}
}

// What folds learn is Fixed until maps are made of it, for steps that change lengths.
func TestFixedStages(t *testing.T) {
	fewFeatures(t)
	x, y := months(60)
	s, err := newStudy(x, &Options{Kernel: featuremap.Sum(featuremap.Select([]int{0}, Fixed{year}), featuremap.Gaussian{LengthScale: 900})})
	if err != nil {
		t.Fatal(err)
	}
	s.y = y
	if err := s.hold(nil); err != nil {
		t.Fatal(err)
	}
	stages, err := s.learnStages(s.Kernel, s.folds())
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, g := range stages {
		for _, k := range g.kernels {
			if seen++; len(fixedParts(k)) != 1 || fmt.Sprint(fixedParts(k)[0]) != fmt.Sprint(year) {
				t.Errorf("%s: %v", g.Name, k)
			}
		}
	}
	if seen < 2*mostFolds {
		t.Errorf("%d kernels of %d folds", seen, mostFolds)
	}
}

// The scale of a Fixed factor is one of its parameters: four times of it is a quarter of the scale in front.
func TestFixedMass(t *testing.T) {
	x, y := months(60)
	var scales []float64
	for _, c := range []float64{1, 4} {
		fixed := featuremap.Select([]int{0}, Fixed{featuremap.Scale(c, year)})
		got, err := Kernel(featuremap.Product(fixed, featuremap.Gaussian{LengthScale: 50}), x, y, &KernelOptions{Seed: 1, Features: 32, LengthScales: Isotropic})
		if err != nil {
			t.Fatal(err)
		}
		scales = append(scales, c*featuremap.Parameters(got.Kernel)[0])
	}
	if !(math.Abs(scales[1]/scales[0]-1) < 1e-12) {
		t.Errorf("scales %v, want equal ones", scales)
	}
}

// Multiples of lengths leave what is Fixed as it is, and keep it so.
func TestFixedLonger(t *testing.T) {
	f := &field{study: &study{columns: 1}}
	g := featuremap.Gaussian{LengthScale: 10}
	got := f.longer(featuremap.Sum(Fixed{year}, featuremap.Scale(2, g), featuremap.Product(Fixed{year}, g)), 0.5)
	half := featuremap.Gaussian{LengthScale: 5}
	want := featuremap.Sum(Fixed{year}, featuremap.Scale(2, half), featuremap.Product(Fixed{year}, half))
	if fmt.Sprint(loose(got)) != fmt.Sprint(loose(want)) || len(fixedParts(got)) != 2 {
		t.Errorf("%v, want %v", got, want)
	}
	if !f.hasLength(got) || f.hasLength(Fixed{year}) || !f.hasLength(year) || f.hasLength(featuremap.Sum(got, featuremap.Linear{})) {
		t.Error("kernels with lengths that may be multiplied")
	}
}

// A kernel with a Fixed is for columns as they are; without it a function of x − y is tried in logarithms.
func TestFixedLogarithms(t *testing.T) {
	x, _ := rowsFor(1, 100, 1, 1)
	x.Set(3, 0, 1e6)
	s := &study{x: x, rows: 100, columns: 1, all: numbers(100), rest: numbers(100)}
	if s.Kernel = year; s.tailScales() == nil {
		t.Error("no logarithms")
	}
	if s.Kernel = (Fixed{year}); s.tailScales() != nil {
		t.Error("logarithms of a column with a known period")
	}
}

// A Fixed of nil is refused wherever it is, and so is what constructors refuse within one.
func TestFixedRefuses(t *testing.T) {
	x, y := months(20)
	var none *featuremap.Gaussian
	var nothing *Fixed
	g := featuremap.Gaussian{LengthScale: 1}
	large := featuremap.Kernel(Fixed{g})
	for range 40 {
		large = featuremap.Sum(large, large)
	}
	for _, c := range []struct {
		k    featuremap.Kernel
		want string
	}{
		{Fixed{}, "the Kernel of a Fixed is nil"},
		{featuremap.Sum(g, Fixed{}), "the Kernel of a Fixed is nil"},
		{featuremap.Product(g, Fixed{Fixed{none}}), "the Kernel of a Fixed is nil"},
		{featuremap.Sum(g, nothing), "Sum kernel 1 = nil"},
		{Fixed{featuremap.Gaussian{}}, "LengthScale = 0"},
		{featuremap.Sum(g, featuremap.Scale(0, Fixed{g})), "Gaussian{LengthScale: 1} of scale 0"},
		{featuremap.Sum(g, featuremap.Product(g, Fixed{featuremap.Constant{}})), "of mass 0"},
		{large, "of more than 4096 kernels"},
	} {
		if _, err := Kernel(c.k, x, y, &KernelOptions{Seed: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := Regression(x, y, &Options{Kernel: featuremap.Sum(g, Fixed{})}); err == nil || !strings.Contains(err.Error(), "the Kernel of a Fixed is nil") {
		t.Errorf("Regression: error %v", err)
	}
}
