// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What Regression and Classification return, and the table that it prints as.

package learn

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// A RegressionReport is the result of Regression: a model, its score on the test set, and the choices that led to it.
// It prints as a table.
type RegressionReport struct {
	// Model is fitted on all rows, with features of Kernel, which contains a featuremap.SymLog if columns are taken in
	// logarithms.
	Model  *ridge.Model
	Kernel featuremap.Kernel

	// Score is the test score of the same kernel, features and λ, fitted on all other rows. The intervals of
	// Model may be longer or shorter than those that it scores: see Regression.
	Score RegressionScore

	// Learning is what func Kernel returned, for logarithms of columns if these are taken. The Kernel above may be from
	// another stage that predicted better.
	Learning *Learned

	// Choices lists all that was tried, in order, including what was not taken.
	Choices []Choice

	title string
}

// String returns a table of what was taken in each step, from how many, and the score. Choices lists everything.
func (r *RegressionReport) String() string {
	return printed(r.title, "RMSE", ", in standard deviations of the targets", r.Choices, r.Score.String())
}

// A ClassificationReport is the result of Classification: a model, its score on the test set, and the choices that led
// to it. It prints as a table.
type ClassificationReport struct {
	// Model is fitted on all rows, with features of Kernel, which contains a featuremap.SymLog if columns are taken in
	// logarithms.
	Model  *logistic.Model
	Kernel featuremap.Kernel

	// Score is the test score of the same kernel, features and λ, fitted on all other rows.
	Score ClassificationScore

	// Learning is what func Kernel returned, for logarithms of columns if these are taken. The Kernel above may be from
	// another stage that predicted better.
	Learning *Learned

	// Choices lists all that was tried, in order, including what was not taken.
	Choices []Choice

	title string
}

// String returns a table of what was taken in each step, from how many, and the score. Choices lists everything.
func (r *ClassificationReport) String() string {
	return printed(r.title, "log loss", "", r.Choices, r.Score.String())
}

// A report is what a study finds.
type report struct {
	learning *Learned
	choices  []Choice
	title    string

	ridge      *ridge.Model // of Regression
	regression RegressionScore

	logistic       *logistic.Model // of Classification
	classification ClassificationScore
}

// A RegressionScore holds the scores of a regression on the test set, for each target, computed by package score.
type RegressionScore struct {
	Rows   int // number of test rows
	groups int // number of their groups; 0: rows are independent

	worst []float64 // the largest share of one row in the squared error of each target

	RMSE, RMSEError []float64 // root mean square error, and its standard error, by groups if there are some
	Baseline        []float64 // RMSE of the constant prediction with the mean of the training rows, for comparison
	NLL             []float64 // negative log likelihood, by StdDevTo of the model; NaN for a target that is constant in the training rows
	Coverage, Width []float64 // share of targets in the model's 90 % Interval, and its mean length; NaN where NLL is

	GaussianCoverage, GaussianWidth []float64 // the same for the mean ± 1.645 standard deviations by StdDevTo
}

// A ClassificationScore holds the scores of a classification on the test set, computed by package score.
type ClassificationScore struct {
	Rows int // number of test rows

	Accuracy, AccuracyError   float64     // share of right answers, and its standard error
	Majority                  float64     // share of the most frequent class of the training rows, for comparison
	LogLoss, FrequencyLogLoss float64     // log loss of the model, and of the class frequencies of the training rows
	AUC                       float64     // for two classes the area under the ROC curve of class 1, else NaN
	Calibration               []score.Bin // calibration of the probabilities, in ten bins
}

// A Choice is something that was tried.
type Choice struct {
	Step string // "columns", "learn", "kernel", "length", "features", "wide", "λ", "logarithms", "bank", "shape", "size", "few features", "groups", "fit" or "file"
	Name string // what was tried

	// Logarithms is set if columns with heavy tails were taken in logarithms. Each step then has a choice that is taken
	// with logarithms and one without, and the step "logarithms" chooses between the two.
	Logarithms bool

	// LogEvidence is the log marginal likelihood of a kernel, per row and target; else NaN.
	LogEvidence float64

	// Score is the score of a validation fit, lower is better: the RMSE in standard deviations of the targets, or the
	// log loss. It is NaN if there was no fit, or if it was skipped.
	Score float64

	Taken   bool
	Skipped string  // the reason why there is no result; "" if there is one
	Seconds float64 // time that it took; the only field of a report that differs from run to run
}

// printed returns a table, under a title, of what was taken in each step and from how many, with the score below it.
// unit and deviations describe the scores of validation fits.
func printed(title, unit, deviations string, choices []Choice, scored string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", title)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "step\ttaken\tof\tlog evidence\t%s\tnext best\tseconds\n", unit)
	for len(choices) > 0 {
		n := 1
		for n < len(choices) && choices[n].Step == choices[0].Step && choices[n].Logarithms == choices[0].Logarithms {
			n++
		}
		printStep(w, choices[:n])
		choices = choices[n:]
	}
	w.Flush()
	fmt.Fprintf(&b, "\nlog evidence: log marginal likelihood per row; higher is better. %s: of validation fits, on held-out rows or by leave-one-out%s;\n"+
		"lower is better. In doubt the first candidate of a step is taken.\n\n%s", unit, deviations, scored)
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// printStep prints the choices of a step: remarks as they are, and of what was tried the one taken, or the best.
func printStep(w io.Writer, choices []Choice) {
	name := choices[0].Step
	if choices[0].Logarithms {
		name += " (logarithms)"
	}
	var tried []Choice
	var seconds float64
	for _, c := range choices {
		switch {
		case c.judged() || c.Skipped != "":
			tried = append(tried, c)
			seconds += c.Seconds
		default:
			fmt.Fprintf(w, "%s\t%s\t\t\t\t\t%.2f\n", name, c.Name, c.Seconds)
			name = ""
		}
	}
	if tried == nil {
		return
	}
	slices.SortStableFunc(tried, func(a, b Choice) int {
		if a.Taken != b.Taken {
			return map[bool]int{true: -1, false: 1}[a.Taken]
		}
		return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(-a.LogEvidence, -b.LogEvidence))
	})
	best, next := tried[0], ""
	if len(tried) > 1 && tried[1].judged() {
		next = tried[1].Name
		if tried[1].Score > 0 && best.Score > 0 {
			next += fmt.Sprintf(" %+.1f %%", 100*(tried[1].Score/best.Score-1))
		}
	}
	text := best.Name
	if best.Skipped != "" {
		text += ": left out, " + shorten(best.Skipped)
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%.2f\n", name, text, len(tried), number(best.LogEvidence), number(best.Score), next, seconds)
}

// judged reports whether a choice has evidence or a score.
func (c Choice) judged() bool {
	return c.Skipped == "" && (!math.IsNaN(c.LogEvidence) || !math.IsNaN(c.Score))
}

// order returns the score by which choices are sorted: those that were skipped come last.
func (c Choice) order() float64 {
	if !c.judged() {
		return math.Inf(1)
	}
	if math.IsNaN(c.Score) {
		return 0
	}
	return c.Score
}

// number returns a number of the table; – for NaN and infinities.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf("%.4f", v)
}

// shorten returns the beginning of a text.
func shorten(text string) string {
	const most = 70
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// digits returns a number with count digits, without an exponent up to ten million.
func digits(v float64, count int) string {
	text := strconv.FormatFloat(v, 'g', count, 64)
	if !strings.Contains(text, "e+") || !(v < 1e7) {
		return text
	}
	v, _ = strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// fewScored is the number of test rows below which a score is printed with an interval instead of a standard error: if
// there are few, all may be right.
const fewScored = 30

// normal95 is the number of standard deviations within which a normal variable is in 95 of 100 cases.
const normal95 = 1.96

// intervalOfShare returns the 95 % interval for a share of n rows (Wilson 1927, "Probable inference, the law of succession, and
// statistical inference").
func intervalOfShare(p float64, n int) (lo, hi float64) {
	z := normal95 * normal95 / float64(n)
	middle, radius := (p+z/2)/(1+z), math.Sqrt(z*(float64(p*(1-p))+z/4))/(1+z)
	return max(middle-radius, 0), min(middle+radius, 1)
}

// intervalOfRMSE returns the 95 % interval for the root mean square of n normal errors: n times the ratio of mean
// squares is chi-squared, with the quantiles of Wilson and Hilferty 1931, and for a single error those of its magnitude.
func intervalOfRMSE(rmse float64, n int) (lo, hi float64) {
	if n == 1 { // 95 of 100 normal numbers are between these in magnitude, and as many below as above
		return rmse / 2.2414, rmse / 0.031338
	}
	spread := 2 / (9 * float64(n))
	at := func(z float64) float64 {
		root := max(1-spread+float64(z*math.Sqrt(spread)), 0)
		return rmse / (root * math.Sqrt(root))
	}
	return at(normal95), at(-normal95)
}

// dominates is the share of one row in the squared error from which the standard error of the RMSE is mentioned as too small. Of
// 30 normal errors one has that much in 2 of 100 draws, of 60 in none of 20,000.
const dominates = 1. / 3

// String returns the scores in words, with standard errors, or with 95 % intervals if there are fewer than 30 test
// rows, or groups of them. It tells if a row has a third of the squared error, so that the standard error is of no use.
func (s RegressionScore) String() string {
	var b strings.Builder
	for t, v := range s.RMSE {
		target := ""
		if len(s.RMSE) > 1 {
			target = fmt.Sprintf("target %d: ", t)
		}
		spread := " ± " + digits(s.RMSEError[t], 2)
		rows, n := fmt.Sprintf("%d test rows", s.Rows), s.Rows
		if s.groups > 0 {
			rows, n = fmt.Sprintf("%s of %d groups", rows, s.groups), s.groups
		}
		if lo, hi := intervalOfRMSE(v, n); n < fewScored && v > 0 {
			spread = fmt.Sprintf(" (95 %% interval %s to %s, if errors are normal)", digits(lo, 3), digits(hi, 3))
		}
		fmt.Fprintf(&b, "%sRMSE %s%s on %s (predicting the mean: %s)", target, digits(v, 4), spread, rows, digits(s.Baseline[t], 4))
		if math.IsNaN(s.NLL[t]) {
			b.WriteString(", constant in the training rows: no intervals\n")
			continue
		}
		fmt.Fprintf(&b, ", negative log likelihood %.3f\n", s.NLL[t])
		if len(s.worst) > t && s.worst[t] > dominates && n >= fewScored {
			fmt.Fprintf(&b, "%sone test row has %.0f %% of the squared error: the RMSE of other rows may differ by far more than ±\n", target, 100*s.worst[t])
		}
		fmt.Fprintf(&b, "%s90 %% intervals cover %.1f %%, mean length %s (Gaussian: %.1f %%, %s)\n",
			target, 100*s.Coverage[t], digits(s.Width[t], 4), 100*s.GaussianCoverage[t], digits(s.GaussianWidth[t], 4))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fewOfEach is the number of right or of wrong answers below which an accuracy is printed with an interval.
const fewOfEach = 5

// String returns the scores in words, with a standard error, or with a 95 % interval if there are fewer than 30 test
// rows, or fewer than 5 of them are right, or wrong.
func (s ClassificationScore) String() string {
	var b strings.Builder
	spread := fmt.Sprintf(" ± %.2f", 100*s.AccuracyError)
	if lo, hi := intervalOfShare(s.Accuracy, s.Rows); s.Rows < fewScored {
		spread = fmt.Sprintf(" (95 %% interval %.0f to %.0f)", 100*lo, 100*hi)
	} else if right := s.Accuracy * float64(s.Rows); math.Round(min(right, float64(s.Rows)-right)) < fewOfEach {
		spread = fmt.Sprintf(" (95 %% interval %.1f to %.1f)", 100*lo, 100*hi)
	}
	fmt.Fprintf(&b, "accuracy %.2f %%%s on %d test rows (most frequent class: %.2f), log loss %.4f (class frequencies: %.4f)",
		100*s.Accuracy, spread, s.Rows, 100*s.Majority, s.LogLoss, s.FrequencyLogLoss)
	if !math.IsNaN(s.AUC) {
		fmt.Fprintf(&b, ", AUC %.4f", s.AUC)
	}
	return b.String()
}
