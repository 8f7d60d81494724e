// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/score"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// wellFormed fails unless a page is well-formed, with scripts and external resources nowhere, and has all sections.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	ids := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local == "script" || e.Name.Local == "link" || e.Name.Local == "img" {
			t.Errorf("the page has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if a.Name.Local == "src" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("an element %s has the attribute %s", e.Name.Local, a.Name.Local)
			}
			if a.Name.Local == "id" && e.Name.Local == "section" {
				ids++
			}
		}
	}
	if ids != 5 || strings.Contains(page, "url(") || strings.Contains(page, "@import") || strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || strings.Contains(page, "ZgotmplZ") {
		t.Errorf("the page has %d sections, or loads something, or has a NaN or Inf", ids)
	}
}

// near tells whether two numbers are equal to four digits.
func near(a, b float64) bool { return math.Abs(a-b) <= 6e-4*math.Abs(b) }

// loaded returns the study of a job, with its predictions.
func loaded(t *testing.T, j *job) *study {
	t.Helper()
	s, err := j.load(io.Discard)
	if err == nil {
		err = s.predict(j.folds)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The page of a regression that examples/table fitted has the scores of the model on the rows of the file, and says that they are new.
func TestRegression(t *testing.T) {
	j := sales()
	page := pageOf(t, j)
	wellFormed(t, page)
	s := loaded(t, j)
	var mean mat.Dense
	s.Ridge.PredictTo(&mean, s.x)
	y := mat.NewDense(len(s.y), 1, s.y)
	got := cells(t, page, "RMSE")
	want := score.RMSE(&mean, y)[0]
	if v := value(t, got[0]); !near(v, want) || !(want > 2 && want < 4) { // the noise has the deviation 3
		t.Errorf("RMSE %v, want %v", v, want)
	}
	baseline := 0.0
	average := mat.Sum(y) / float64(len(s.y))
	for _, v := range s.y {
		baseline += (v - average) * (v - average) / float64(len(s.y))
	}
	if v := value(t, got[2]); !near(v, math.Sqrt(baseline)) {
		t.Errorf("the baseline has %v, want %v", v, math.Sqrt(baseline))
	}
	if lo, hi, ok := strings.Cut(got[1], " to "); !ok || !(value(t, lo) < want && want < value(t, hi) && value(t, hi) < 1.3*want) {
		t.Errorf("RMSE from %s to %s", lo, hi)
	}
	var lo, hi mat.Dense
	s.Ridge.IntervalTo(&lo, &hi, s.x, 0.9)
	if v, want := value(t, cells(t, page, "Rows in their intervals")[0]), score.Coverage(&lo, &hi, y)[0]; math.Abs(v-want) > 5.1e-4 {
		t.Errorf("%v are in their intervals, want %v", v, want)
	}
	for _, text := range []string{"Predicting sold", "columns as 9 numbers", "Ridge: R^9 → ", "The model was fitted on another file, sales.csv", fitScore + "RMSE ", `<table class="steps">`, "Boxes reach", "90 % band of the function"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
	if n := strings.Count(page, "<figure>"); n != 1+3+1+3 {
		t.Errorf("%d figures", n)
	}
}

// On the rows that the model was fitted on the page says so, unless it is fitted again without parts of them: then each row is predicted by a fit
// of the others, and the error is larger.
func TestFolds(t *testing.T) {
	j := copyOf(sales(), func(j *job) { j.file = fitted() })
	page := pageOf(t, j)
	if !strings.Contains(page, "The model was fitted on these rows, so the scores are training scores") || !strings.Contains(page, fitScore+"RMSE ") {
		t.Error("the page does not say that its rows are those of the fit")
	}
	before := value(t, cells(t, page, "RMSE")[0])
	j.folds = 3
	page = pageOf(t, j)
	after := value(t, cells(t, page, "RMSE")[0])
	if !strings.Contains(page, "Each row is predicted by a fit without it") || !(after > 1.03*before && after < 2*before) {
		t.Errorf("RMSE %v, without the fitted rows %v", before, after)
	}
	s := loaded(t, j)
	for _, i := range []int{0, 150, 299} {
		// The fit without the row alone is near the one without its part.
		var rest []int
		for k := range s.y {
			if k != i {
				rest = append(rest, k)
			}
		}
		r, _, err := s.refit(rest)
		if err != nil {
			t.Fatal(err)
		}
		if v, sd := r.Predict(s.x.RawRowView(i)); math.Abs(v[0]-s.mean[i]) > 2*sd[0] || v[0] == s.mean[i] {
			t.Errorf("row %d: %v, without it alone %v ± %v", i, s.mean[i], v, sd)
		}
	}
	for _, folds := range []int{1, -1, 301} {
		j.folds = folds
		if err := j.run(io.Discard); err == nil || !strings.Contains(err.Error(), "-folds") {
			t.Errorf("-folds %d: %v", folds, err)
		}
	}
	// A class that only one part has, first or last, cannot be learned without it.
	for _, class := range []string{"a", "東京"} {
		j = classified(t, fruit(2)+"1,1,west,"+class+",k\n", "kind", nil)
		j.folds = 5
		if err := j.run(io.Discard); err == nil || !strings.Contains(err.Error(), "there are none of the class \""+class) {
			t.Errorf("class %s in one part: %v", class, err)
		}
	}
	// Of classes a fit without a part has the same map and λ.
	j = classified(t, fruit(2), "kind", nil)
	direct := loaded(t, j).measures()[1].value
	j.folds = 5
	if v := loaded(t, j).measures()[1].value; !(v > direct && v < 1.5*direct) {
		t.Errorf("log loss %v, without the fitted rows %v", direct, v)
	}
}

// Importances are the mean squares of differences of predictions, for numbers, categories, dates and fields that are missing.
func TestImportances(t *testing.T) {
	for name, j := range map[string]*job{"sales": sales(), "three classes": classified(t, fruit(3), "kind", nil), "two": classified(t, fruit(2), "kind", nil)} {
		page := pageOf(t, j)
		s := loaded(t, j)
		predict := func(x []float64) []float64 {
			if s.Logistic != nil {
				return s.Logistic.ProbabilityVec(nil, x)
			}
			return s.Ridge.PredictVec(nil, x)
		}
		for _, c := range s.columns {
			want := 0.0
			for i := range s.records {
				for k, sd := range c.Deviations {
					at := func(step float64) []float64 {
						x := slices.Clone(s.x.RawRowView(i))
						x[c.from+k] += step
						return predict(x)
					}
					h := 1e-4 * sd
					up, down := at(h), at(-h)
					for o := range up {
						want += math.Pow(sd*(up[o]-down[o])/(2*h), 2) / float64(len(s.records))
					}
				}
			}
			if got := value(t, cells(t, page, strings.ReplaceAll(c.Name, "&", "&amp;"))[0]); !(math.Abs(got-want) <= 2e-3*want) {
				t.Errorf("%s: column %s has %v, by differences %v", name, c.Name, got, want)
			}
		}
	}
}

// The page of classes has the scores of the probabilities, a row of the confusion table for each class, and curves.
func TestClasses(t *testing.T) {
	for _, kinds := range []int{2, 4} {
		j := classified(t, fruit(kinds), "kind", nil)
		page := pageOf(t, j)
		wellFormed(t, page)
		s := loaded(t, j)
		var p mat.Dense
		s.Logistic.ProbabilityTo(&p, s.x)
		if got, want := value(t, cells(t, page, "Log loss")[0]), score.LogLoss(&p, s.classes); !near(got, want) {
			t.Errorf("log loss %v, want %v", got, want)
		}
		if got, want := value(t, cells(t, page, "Log loss")[2]), math.Log(float64(kinds)); !near(got, want) {
			t.Errorf("log loss of the baseline %v, want %v", got, want)
		}
		predicted := s.Logistic.Classify(s.x)
		if got, want := value(t, cells(t, page, "Accuracy")[0]), score.Accuracy(predicted, s.classes); math.Abs(got-want) > 5.1e-4 {
			t.Errorf("accuracy %v, want %v", got, want)
		}
		if has := strings.Contains(page, ">AUC<"); has != (kinds == 2) {
			t.Errorf("%d classes, AUC is there: %v", kinds, has)
		}
		right := 0.0
		for i, c := range s.classes {
			if c == 0 && predicted[i] == 0 {
				right++
			}
		}
		if row := cells(t, page, "1 &#34;plum&#34;"); len(row) != kinds || value(t, row[0]) != right {
			t.Errorf("the confusion table has %q, want %v first", row, right)
		}
		if n := strings.Count(page, "<figure>"); n != 1+1+3 || strings.Contains(page, "<north>") || !strings.Contains(page, "&lt;north&gt;") {
			t.Errorf("%d figures, or names are not escaped", n)
		}
	}
}

// A map without a derivative leaves out what needs one, and says why. Curves are then along the columns of the largest change.
func TestWithoutDerivative(t *testing.T) {
	j := classified(t, fruit(2), "kind", func(e *table.Encoder) featuremap.FeatureMap {
		_, numbers := e.Dims()
		sk := featuremap.NewSkeleton(numbers)
		sk.Product(sk.Input(featuremap.Gaussian{LengthScale: 1}, 0), sk.Input(featuremap.Gaussian{LengthScale: 30}, 2))
		return must(featuremap.NewCompositional(sk, 100, featuremap.NewSampler(1)))
	})
	page := pageOf(t, j)
	wellFormed(t, page)
	if !strings.Contains(page, "This section is missing, since the features of the model have no derivative: ") || strings.Count(page, "<figure>") != 1+3 {
		t.Error("the page does not say that there is no derivative, or has no curves")
	}
}

// A model without a posterior has no intervals and bands, and one of numbers with missing fields has residuals of the others.
func TestWithoutPosterior(t *testing.T) {
	j := classified(t, strings.ReplaceAll(fruit(3), "NA,", "1,"), "weight & size", nil)
	wellFormed(t, pageOf(t, j))
	m := must(table.ReadModel(must(os.Open(j.model)), nil))
	m.Ridge = m.Ridge.MeanOnly()
	f := must(os.Create(j.model))
	must(m.WriteTo(f))
	f.Close()
	page := pageOf(t, j)
	wellFormed(t, page)
	if !strings.Contains(page, "Without prediction intervals: ") || strings.Contains(page, "Rows in their intervals") || strings.Contains(page, "band of the function") {
		t.Error("the page has intervals, or does not say why not")
	}
}

// Errors name the file, and what is wrong with it.
func TestRefused(t *testing.T) {
	j := sales()
	write := func(text string) func(j *job) {
		return func(j *job) {
			j.file = filepath.Join(t.TempDir(), "x.csv")
			must(0, os.WriteFile(j.file, []byte(text), 0o600))
		}
	}
	for want, change := range map[string]func(j *job){
		`"sold", the target of the model, is no column: the names are ["price" "city" "date"]`: write("price,city,date\n1,Lima,2025-01-01\n"),
		`"city" is no column: the names are ["price" "date" "sold"]. Is it the table`:          write("price,date,sold\n1,2025-01-01,7\n"),
		"has no records":                write("price,city,date,sold\n"),
		`row 0, column "price": "dear"`: write("price,city,date,sold\ndear,Lima,2025-01-01,7\n"),
		`column "sold": "" is missing`:  write("price,city,date,sold\n1,Lima,2025-01-01,\n"),
		"no such file":                  func(j *job) { j.file = "none.csv" },
		"-model none.featuremap: open":  func(j *job) { j.model = "none.featuremap" },
		"sales.csv: table: ":            func(j *job) { j.model = fitted() },
		"open none.txt":                 func(j *job) { j.report = "none.txt" },
	} {
		if err := copyOf(j, change).run(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	// Columns may be in any order, others may be there, and a single row is enough.
	page := pageOf(t, copyOf(j, write("sold,more,date,city,price\n7,x,2030-01-01,Atlantis,10\n")))
	if !strings.Contains(page, "1 of 1 rows have a value that the model was not fitted on, beyond the range or unknown, in: city, date.") {
		t.Error("the page does not say what is unseen")
	}
	wellFormed(t, page)
}
