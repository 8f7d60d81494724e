// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package tasks has the programs of the pages in docs/cookbook: the body of each example is the program of a page, and its output is
// checked. The functions here prepare the data.
package tasks

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/sparse"
)

// must ends the program on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// digits returns the handwritten digits, 64 pixels each, and their classes.
func digits() (x *mat.Dense, classes []int) {
	x, classes, err := dataset.Digits()
	if err != nil {
		log.Fatal(err)
	}
	return x, classes
}

// pens returns digits of a pen, 16 numbers each: of 30 writers, and of 14 others.
func pens() (x, others *mat.Dense) {
	all, _, err := dataset.Pendigits()
	if err != nil {
		log.Fatal(err)
	}
	n, d := all.Dims()
	return all.Slice(0, 7494, 0, d).(*mat.Dense), all.Slice(7494, n, 0, d).(*mat.Dense)
}

// letters returns 6,000 letters to train on, 3,000 others, 16 numbers each, and whether they are a Q.
func letters() (x, others *mat.Dense, q, othersQ []int) {
	all, classes, err := dataset.Letter()
	if err != nil {
		log.Fatal(err)
	}
	is := make([]int, 9000)
	for i := range is {
		if classes[i] == 'Q'-'A' {
			is[i] = 1
		}
	}
	return all.Slice(0, 6000, 0, 16).(*mat.Dense), all.Slice(6000, 9000, 0, 16).(*mat.Dense), is[:6000], is[6000:]
}

// rowsOf returns the rows for which keep is true.
func rowsOf(x *mat.Dense, keep func(row int) bool) *mat.Dense {
	n, d := x.Dims()
	var data []float64
	for i := range n {
		if keep(i) {
			data = append(data, x.RawRowView(i)...)
		}
	}
	return mat.NewDense(len(data)/d, d, data)
}

// year returns the hours of a year, and temperatures: a wave a year, one a day that is larger in summer, weather, and noise.
func year(s *featuremap.Sampler) (hours, temperature *mat.Dense) {
	const n = 365 * 24
	hours, temperature = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	weather := 0.0
	for i := range n {
		hour := float64(i)
		weather = 0.98*weather + 0.3*s.Normal()
		season := -math.Cos(2 * math.Pi * hour / n)
		day := -math.Cos(2 * math.Pi * (hour - 3) / 24)
		hours.Set(i, 0, hour)
		temperature.Set(i, 0, 10+9*season+(4+2*season)*day+weather+0.5*s.Normal())
	}
	return hours, temperature
}

// Each page has the program of its example, which is no longer than 15 lines, and its output.
func TestPages(t *testing.T) {
	const pages = "../../docs/cookbook"
	source, err := os.ReadFile("tasks_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?s)\nfunc Example_(\w+)\(\) \{\n(.*?)\n\t// Output:\n(.*?)\n\}\n`).FindAllStringSubmatch(string(source), -1)
	for _, e := range examples {
		text, err := os.ReadFile(filepath.Join(pages, e[1]+".md"))
		if err != nil {
			t.Error(err)
			continue
		}
		program := strings.ReplaceAll(e[2], "\n\t", "\n")[1:]
		if !strings.Contains(string(text), "```go\n"+program+"\n```\n") {
			t.Errorf("%s.md has another program", e[1])
		}
		if lines := 1 + strings.Count(program, "\n"); lines > 15 {
			t.Errorf("%s.md has a program of %d lines", e[1], lines)
		}
		for _, line := range strings.Split(e[3], "\n") {
			if want := strings.TrimPrefix(line, "\t// "); !strings.Contains(string(text), "    "+want+"\n") {
				t.Errorf("%s.md has no line %q", e[1], want)
			}
		}
	}
	second := func(function string) []string {
		return regexp.MustCompile(`(?s)\nfunc ` + function + `\(.*?\{\n(.*?)\n\}\n`).FindStringSubmatch(string(source))
	}
	for page, program := range map[string]string{"csv": strings.ReplaceAll(second("classes")[1], "\n\t", "\n")[1:] + "\n", "optimization": second("likeliest")[0][1:]} {
		if text, err := os.ReadFile(filepath.Join(pages, page+".md")); err != nil || !strings.Contains(string(text), "```go\n"+program+"```\n") {
			t.Errorf("%s.md has another second program (%v)", page, err)
		}
	}
	_ = classes
	files, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil || len(files) != len(examples) || len(files) == 0 {
		t.Errorf("%d pages, %d examples (%v)", len(files), len(examples), err)
	}
}

// sum returns the sum of some numbers.
func sum(numbers []int) (total int) {
	for _, v := range numbers {
		total += v
	}
	return total
}

// The file of examples/table is that of the example here.
func TestSales(t *testing.T) {
	file, err := os.ReadFile("../table/sales.csv")
	if err != nil || string(file) != sales() {
		t.Errorf("sales.csv is another table: %v", err)
	}
}

// sales returns a table of comma-separated values: what was sold at a price, in a city, on a day. More is sold in summer (which in Lima
// is in January), and less of what is dear; the noise has the deviation 3.
func sales() string {
	s := featuremap.NewSampler(1)
	var b strings.Builder
	b.WriteString("price,city,date,sold\n")
	for range 400 {
		city, day, price := s.IntN(3), s.IntN(365), 5+10*s.Float64()
		season := -math.Cos(2 * math.Pi * float64(day) / 365)
		if city == 1 {
			season = -season
		}
		sold := []float64{60, 90, 120}[city] + 20*season - 4*price + 3*s.Normal()
		date := time.Date(2025, 1, 1+day, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&b, "%.2f,%s,%s,%.0f\n", price, []string{"Bergen", "Lima", "Osaka"}[city], date.Format(time.DateOnly), sold)
	}
	return b.String()
}

// letterTexts returns letters as rows of words, of a vocabulary of 420, and the desks that they go to: 3,000, and 1,000 others.
func letterTexts(s *featuremap.Sampler) (x *sparse.Rows, desks []int, others *sparse.Rows, othersDesks []int) {
	x, desks, err := writeLetters(3000, s)
	if err != nil {
		log.Fatal(err)
	}
	others, othersDesks, err = writeLetters(1000, s)
	if err != nil {
		log.Fatal(err)
	}
	return x, desks, others, othersDesks
}

// batch returns 2,000 rows of a stream, which begins at batch 0: 10 numbers each, and Friedman's function of them, with noise of
// deviation 1.
func batch(number int) (x, y *mat.Dense) {
	const n, d = 2000, 10
	s := featuremap.NewSampler(uint64(100 + number))
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		r := x.RawRowView(i)
		for j := range r {
			r[j] = s.Float64()
		}
		y.Set(i, 0, 10*math.Sin(math.Pi*r[0]*r[1])+20*(r[2]-0.5)*(r[2]-0.5)+10*r[3]+5*r[4]+s.Normal())
	}
	return x, y
}

// embeddings returns the first 1,400 digits as rows of float32, and the others, with their classes.
func embeddings() (x, others blas32.General, classes, othersClasses []int) {
	all, classes := digits()
	n, d := all.Dims()
	of := func(lo, hi int) blas32.General {
		g := blas32.General{Rows: hi - lo, Cols: d, Stride: d}
		for i := lo; i < hi; i++ {
			for _, v := range all.RawRowView(i) {
				g.Data = append(g.Data, float32(v))
			}
		}
		return g
	}
	return of(0, 1400), of(1400, n), classes[:1400], classes[1400:]
}

// yield is what an experiment brings: the function whose maximum is looked for. It has two peaks, the higher one of 1 at
// (.7, .3), and is dear to evaluate.
func yield(p []float64) float64 {
	peak := func(height, a, b, width float64) float64 {
		return height * math.Exp(-((p[0]-a)*(p[0]-a)+(p[1]-b)*(p[1]-b))/width)
	}
	return peak(1, 0.7, 0.3, 0.03) + peak(0.8, 0.2, 0.8, 0.08)
}

// experiments returns n places in the unit square, at random, their yields, and the sampler that drew them.
func experiments(n int) (x, y *mat.Dense, s *featuremap.Sampler) {
	s = featuremap.NewSampler(1)
	x, y = mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		p := []float64{s.Float64(), s.Float64()}
		x.SetRow(i, p)
		y.Set(i, 0, yield(p))
	}
	return x, y, s
}

// near returns a random place of the unit square, no further from p than the width in either direction.
func near(p []float64, width float64, s *featuremap.Sampler) []float64 {
	q := make([]float64, len(p))
	for j, v := range p {
		low, high := max(v-width, 0), min(v+width, 1)
		q[j] = low + (high-low)*s.Float64()
	}
	return q
}

// with returns the rows of x and one more.
func with(x *mat.Dense, row ...float64) *mat.Dense {
	n, d := x.Dims()
	return mat.NewDense(n+1, d, append(slices.Clone(x.RawMatrix().Data), row...))
}

// largest returns for each row the column of its largest number.
func largest(g blas32.General) (at []int) {
	for i := range g.Rows {
		row := g.Data[i*g.Stride:][:g.Cols]
		at = append(at, slices.Index(row, slices.Max(row)))
	}
	return at
}
