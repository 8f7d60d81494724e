// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// fake is set in the environment of this program when it acts as Python.
const fake = "ENDTOEND_FAKE"

func TestMain(m *testing.M) {
	switch os.Getenv(fake) {
	case "":
		os.Exit(m.Run())
	case "missing":
		fmt.Fprintln(os.Stderr, "Traceback:\nModuleNotFoundError: No module named 'sklearn'")
		os.Exit(1)
	}
	if os.Args[2] != script {
		fmt.Println("Python 0")
		os.Exit(0)
	}
	if err := answer(os.Getenv(fake)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// answer acts as peer.py: its results are the sums of rows and targets, and the seed. In the second
// round of "breaks" it fails.
func answer(how string) error {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	var d description
	if err := json.Unmarshal(line, &d); err != nil {
		return err
	}
	if os.Getenv("OPENBLAS_NUM_THREADS") == "" {
		return fmt.Errorf("no number of threads")
	}
	sum := 0.0
	for _, rows := range []int{d.Train, d.Test} {
		numbers := make([]float64, rows*(d.Coordinates+1))
		if err := binary.Read(in, binary.LittleEndian, numbers); err != nil {
			return err
		}
		for _, v := range numbers {
			sum += v
		}
	}
	for {
		var seed int
		if _, err := fmt.Fscanln(in, &seed); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if how == "breaks" && seed == 2 {
			return fmt.Errorf("MemoryError")
		}
		if err := json.NewEncoder(os.Stdout).Encode([]result{{Method: bySampler, Features: d.Features[0], Score: sum, Fit: float64(seed)}}); err != nil {
			return err
		}
	}
}

func quiet(string) {}

// small is a scope for tests.
var small = scope{python: "no such python", rounds: 1, rows: 80, features: []int{16, 64}, exact: 40}

// Without scikit-learn and a folder the program runs our methods on the embedded sets, and says
// what is left out. Classes are predicted better than by chance, and no worse with more features.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, quiet, small); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"no such python", "python3-sklearn", "Left out: cal_housing, cpu_act, adult"} {
		if !strings.Contains(out.String(), s) {
			t.Errorf("it does not say %q:\n%s", s, &out)
		}
	}
	scores := make(map[string]float64)
	for _, line := range strings.Split(out.String(), "\n") {
		fields := strings.Split(line, "|")
		if len(fields) != 13 || !strings.Contains(line, "%") {
			continue
		}
		var score float64
		if _, err := fmt.Sscan(fields[4], &score); err != nil {
			t.Fatal(err)
		}
		scores[strings.TrimSpace(fields[1])+strings.TrimSpace(fields[2])+strings.TrimSpace(fields[3])] = score
	}
	if len(scores) != 16 {
		t.Errorf("%d lines, want 16: %v", len(scores), scores)
	}
	for _, name := range []string{"letter", "pendigits"} {
		for _, method := range []string{byHeldOut, byEvidence, byLandmarks} {
			few, many := scores[name+method+"16"], scores[name+method+"64"]
			if chance := 10.0; !(few > chance && many >= few) {
				t.Errorf("%s, %s: %v and %v %%", name, method, few, many)
			}
		}
	}
}

// pendigits returns the task of a set.
func pendigits(t *testing.T, size scope) *task {
	t.Helper()
	tasks, _, err := load(size)
	if err != nil || tasks[1].name != "pendigits" {
		t.Fatal(err)
	}
	return tasks[1]
}

// A peer gets all rows and targets unchanged, and its results come back.
func TestPeer(t *testing.T) {
	t.Setenv(fake, "answers")
	python, missing := findPython(os.Args[0])
	if python == nil {
		t.Fatal(missing)
	}
	size := small
	size.rounds = 2
	task := pendigits(t, size)
	results, err := task.rounds(quiet, size, python)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, part := range [][]float64{numbers(task.train), numbers(task.test)} {
		for _, v := range part {
			want += v
		}
	}
	var fits []float64
	for _, r := range results {
		if r.Method == bySampler {
			fits = append(fits, r.Fit)
			if r.Score != want {
				t.Errorf("the sum of its numbers is %v, want %v", r.Score, want)
			}
		}
	}
	if !slices.Equal(fits, []float64{1, 2}) {
		t.Errorf("rounds of seeds %v", fits)
	}
	var out strings.Builder
	printRatios(&out, []table{newTable(task, results)})
	if !strings.Contains(out.String(), "| pendigits   |       16 |") || strings.Count(out.String(), "\n") != 11 {
		t.Errorf("ratios:\n%s", &out)
	}
}

// What a failing peer says is in the error, and in the reason for its absence.
func TestPeerFails(t *testing.T) {
	t.Setenv(fake, "breaks")
	python, _ := findPython(os.Args[0])
	p, err := python.start(pendigits(t, small), small)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.round(1); err != nil {
		t.Error(err)
	}
	if _, err := p.round(2); err == nil || !strings.Contains(err.Error(), "MemoryError") {
		t.Errorf("after a failure: %v", err)
	}
	t.Setenv(fake, "missing")
	if python, missing := findPython(os.Args[0]); python != nil || !strings.Contains(missing, "No module named 'sklearn'") {
		t.Errorf("without scikit-learn: %v, %q", python, missing)
	}
}

// With scikit-learn, its scores are like ours on the same rows.
func TestScikitLearn(t *testing.T) {
	python, missing := findPython("python3")
	if python == nil {
		t.Skip(missing)
	}
	size := small
	size.rows, size.nystroem = 400, 16
	results, err := pendigits(t, size).rounds(quiet, size, python)
	if err != nil {
		t.Fatal(err)
	}
	score := make(map[string]float64)
	for _, r := range results {
		score[fmt.Sprint(r.Method, r.Features)] = r.Score
	}
	if len(score) != 11 {
		t.Errorf("results %v", score)
	}
	if a, b := score[byHeldOut+"64"], score[bySampler+"64"]; !(math.Abs(a-b) < 0.08) {
		t.Errorf("ours %v, scikit-learn's %v", a, b)
	}
}

// A line shows medians of seconds and the scores of all rounds, in the order of the rounds.
func TestLine(t *testing.T) {
	l := newLine([]result{{Score: 3, Fit: 7, Predict: 1}, {Score: 1, Fit: 1, Predict: 2}, {Score: 2, Fit: 2, Predict: 9}})
	if !slices.Equal(l.scores, []float64{3, 1, 2}) || l.fit != 2 || l.predict != 2 || l.all != 8 || l.choose != 0 {
		t.Errorf("%+v", l)
	}
}

// Differences are of means, with the standard error of independent rounds, in percent for classes.
func TestDifferences(t *testing.T) {
	task := pendigits(t, small)
	var results []result
	for i, v := range []float64{0.5, 0.7} {
		results = append(results, result{Method: byLandmarks, Features: 16, Score: v}, result{Method: byNystroem, Features: 16, Score: 0.4 + 0.1*float64(i)})
	}
	var out strings.Builder
	printDifferences(&out, []table{newTable(task, results)})
	// √((0.02 + 0.005)/2) = 0.1118
	if !strings.Contains(out.String(), "| pendigits   |       16 |      2 | +15.0000 ± 11.1803 %") {
		t.Errorf("differences:\n%s", &out)
	}
	out.Reset()
	printDifferences(&out, []table{newTable(task, results[:2])})
	if out.Len() > 0 {
		t.Errorf("differences of one round:\n%s", &out)
	}
}

// With -landmarks there are no other methods.
func TestLandmarksAlone(t *testing.T) {
	size := small
	size.landmarks, size.set = true, "pendigits"
	var out strings.Builder
	if err := run(&out, quiet, size); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "| pendigits   | featuremap, landmarks"); n != 1 || strings.Contains(out.String(), byHeldOut) || strings.Contains(out.String(), "letter") {
		t.Errorf("it has\n%s", &out)
	}
}
