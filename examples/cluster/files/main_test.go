// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// asProgram is set for the test binary to be the program, so that there is something to kill.
const asProgram = "FEATUREMAP_CLUSTER_FILES"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError) // without those of tests
		main()
		os.Exit(0)
	}
	code := m.Run()
	os.RemoveAll(undisturbedDir)
	os.Exit(code)
}

// An undisturbed run is what one from the beginning to the end says, its folder, in which nothing is to be changed, and its model.
type undisturbed struct{ said, dir, model string }

var (
	undisturbedDir string                  // has the folders
	bySums         = sync.OnceValue(run()) // undisturbed
	byPasses       = sync.OnceValue(run(iterating...))
)

func run(args ...string) func() undisturbed {
	return func() undisturbed {
		var u undisturbed
		var err error
		if undisturbedDir == "" {
			undisturbedDir, err = os.MkdirTemp("", "files")
		}
		if err == nil {
			u.dir, err = os.MkdirTemp(undisturbedDir, "")
		}
		if err == nil {
			u.said, u.model, err = tryToFinish(u.dir, args...)
		}
		if err != nil {
			panic(err)
		}
		return u
	}
}

const (
	rows, shards = 800, 4 // more of a shard than a block of 144
	features     = 64
)

// program returns the program, to be run in a folder.
func program(dir string, args ...string) *exec.Cmd {
	base := []string{"-dir", dir, "-rows", strconv.Itoa(rows), "-shards", strconv.Itoa(shards), "-features", strconv.Itoa(features), "-checkpoint", "40"}
	cmd := exec.Command(os.Args[0], append(base, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// finish runs the program to its end, and returns what it says and the bytes of the model.
func finish(t *testing.T, dir string, args ...string) (said, model string) {
	t.Helper()
	said, model, err := tryToFinish(dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	return said, model
}

func tryToFinish(dir string, args ...string) (said, model string, err error) {
	out, err := program(dir, args...).CombinedOutput()
	if err != nil {
		return "", "", fmt.Errorf("%w\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "model"))
	return string(out), string(b), err
}

// copied returns a copy of a folder, whose files have the times that they had, by which the program knows shards.
func copied(t *testing.T, of string) string {
	dir := filepath.Join(t.TempDir(), "copy")
	err := os.CopyFS(dir, os.DirFS(of))
	files, _ := os.ReadDir(of)
	for _, f := range files {
		info, infoErr := f.Info()
		if err = errors.Join(err, infoErr); err == nil {
			err = os.Chtimes(filepath.Join(dir, f.Name()), time.Time{}, info.ModTime())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// kill starts the program, and kills it so long after its line of that number. It tells whether the program was killed
// before it was finished.
func kill(t *testing.T, dir string, line int, later time.Duration, args ...string) bool {
	t.Helper()
	cmd := program(dir, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); line > 0 && lines.Scan(); line-- {
	}
	time.Sleep(later)
	cmd.Process.Kill() // SIGKILL, on Unix
	cmd.Wait()
	return !cmd.ProcessState.Success()
}

// Whenever a run is killed, the next ends with the bits of one that was not.
func TestKilled(t *testing.T) {
	want := bySums().model
	lines := strings.Count(bySums().said, "\n")
	const kills = 6
	killed, partial, torn := 0, 0, 0
	rnd := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano()))) // how long a write takes is random anyway
	for i := range kills {
		dir := t.TempDir()
		if kill(t, dir, i*lines/kills, time.Duration(rnd.IntN(4000))*time.Microsecond) {
			killed++
		}
		temps, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
		if err != nil {
			t.Fatal(err)
		}
		torn += min(len(temps), 1)
		said, got := finish(t, dir)
		if strings.Contains(said, "goes on after row") {
			partial++
		}
		if strings.Contains(said, "is not used") {
			t.Errorf("killed after line %d of %d, a file was damaged:\n%s", i*lines/kills, lines, said)
		}
		if got != want {
			t.Errorf("killed after line %d of %d: another model. The run that followed said\n%s", i*lines/kills, lines, said)
		}
	}
	t.Logf("%d runs were killed: %d within a shard, %d while a file was written", killed, partial, torn)
	if killed < kills*3/4 || partial < kills/4 {
		t.Errorf("%d of %d runs were killed, %d within a shard: too few", killed, kills, partial)
	}
}

// A run may be killed, and the next, and the next.
func TestKilledAgainAndAgain(t *testing.T) {
	want := bySums().model
	dir := t.TempDir()
	const last = 1 + shards + 4 + 2 // lines of a run that finds all sums done: with one more it is not killed
	runs := 1
	for ; kill(t, dir, last+1, 0); runs++ {
		if runs > 100 {
			t.Fatal("100 runs, each of which was killed, have not finished")
		}
	}
	t.Logf("%d runs", runs)
	if runs < 3 {
		t.Errorf("only %d runs", runs)
	}
	if _, got := finish(t, dir); got != want { // which finds all done
		t.Error("another model")
	}
}

// The bits do not depend on workers, checkpoints, or the machines that did the parts.
func TestBits(t *testing.T) {
	want := bySums().model
	for _, args := range [][]string{
		{"-workers", "1"},
		{"-workers", "9", "-checkpoint", "1000000"},
		{"-checkpoint", "37"}, // within blocks of rows
	} {
		if _, got := finish(t, t.TempDir(), args...); got != want {
			t.Errorf("%v: another model", args)
		}
	}
	dir := t.TempDir()
	for _, part := range []string{"2/3", "0/3", "1/3"} {
		if out, err := program(dir, "-part", part).CombinedOutput(); err != nil {
			t.Fatalf("-part %s: %v\n%s", part, err, out)
		}
	}
	said, got := finish(t, dir)
	if got != want {
		t.Error("in parts: another model")
	}
	if n := strings.Count(said, "was done"); n != shards {
		t.Errorf("after all parts %d shards of %d were done:\n%s", n, shards, said)
	}
}

// Runs in one folder at once end with the bits of one alone, also if some of them are killed.
func TestAtOnce(t *testing.T) {
	want := bySums().model
	for _, killed := range []int{0, 2} {
		dir := t.TempDir()
		const runs = 4
		var said [runs]bytes.Buffer
		var cmds [runs]*exec.Cmd
		for i := range cmds {
			// Different checkpoints and workers, so that the runs are not in step.
			cmds[i] = program(dir, "-checkpoint", strconv.Itoa(60+40*i), "-workers", strconv.Itoa(1+i%2))
			cmds[i].Stdout, cmds[i].Stderr = &said[i], &said[i]
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		for i := range killed {
			time.Sleep(20 * time.Millisecond)
			cmds[i].Process.Kill()
		}
		for i, cmd := range cmds {
			if err := cmd.Wait(); err != nil && i >= killed {
				t.Errorf("run %d: %v\n%s", i, err, &said[i])
			}
			if s := said[i].String(); strings.Contains(s, "is not used") {
				t.Errorf("run %d:\n%s", i, s)
			}
		}
		if b, err := os.ReadFile(filepath.Join(dir, "model")); err != nil || string(b) != want {
			t.Errorf("with %d runs killed: another model: %v", killed, err)
		}
		if temps, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(temps) > killed*4 {
			t.Errorf("%d files are left of %d runs that were killed", len(temps), killed)
		}
	}
}

// Files of sums that were damaged, or of another shard or map, are noticed and computed again, and no others.
func TestDamaged(t *testing.T) {
	dir, want := copied(t, bySums().dir), bySums().model
	name := shard.Name(dir, 1, ".acc")
	read := func(dir string, i int) []byte {
		b, err := os.ReadFile(shard.Name(dir, i, ".acc"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := read(dir, 1)
	other := t.TempDir()
	finish(t, other, "-features", "40")
	state := func(b []byte) int { return bytes.IndexByte(b, '\n') } // ends there
	flip := func(b []byte, i int) []byte {
		b[i] ^= 4
		return b
	}
	cases := []struct {
		name   string
		damage func(b []byte, i int) []byte // b is what shard i has
	}{
		{"empty", func([]byte, int) []byte { return nil }},
		{"cut in the state", func(b []byte, _ int) []byte { return b[:state(b)/2] }},
		{"cut after the state", func(b []byte, _ int) []byte { return b[:state(b)+1] }},
		{"cut in the sums", func(b []byte, _ int) []byte { return b[:len(b)/2] }},
		{"cut by a byte", func(b []byte, _ int) []byte { return b[:len(b)-1] }},
		{"longer", func(b []byte, _ int) []byte { return append(b, 0) }},
		{"a bit of the checksum of the state", func(b []byte, _ int) []byte { return flip(b, 3) }},
		{"a bit of the state", func(b []byte, _ int) []byte { return flip(b, state(b)-20) }},
		{"a bit of the sums", func(b []byte, _ int) []byte { return flip(b, len(b)/2) }},
		{"a bit of the checksum of the sums", func(b []byte, _ int) []byte { return flip(b, len(b)-1) }},
		{"the state of another shard", func(b []byte, _ int) []byte {
			of := read(dir, 0)
			return append(of[:state(of)], b[state(b):]...)
		}},
		{"of another shard", func([]byte, int) []byte { return read(dir, 0) }},
		{"of another map", func(_ []byte, i int) []byte { return read(other, i) }},
	}
	for len(cases) > 0 { // of shards 1 and on, in one run
		damaged := cases[:min(shards-1, len(cases))]
		cases = cases[len(damaged):]
		for j, c := range damaged {
			if err := os.WriteFile(shard.Name(dir, j+1, ".acc"), c.damage(read(dir, j+1), j+1), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		said, got := finish(t, dir, "-checkpoint", strconv.Itoa(rows)) // none within a shard, which take time
		for j, c := range damaged {
			if !strings.Contains(said, fmt.Sprintf("shard %d: %s is not used", j+1, shard.Name(dir, j+1, ".acc"))) {
				t.Errorf("%s: not noticed:\n%s", c.name, said)
			}
		}
		if n := strings.Count(said, "was done"); n != shards-len(damaged) || got != want {
			t.Errorf("%d damaged, %d of %d shards were done, or another model:\n%s", len(damaged), n, shards, said)
		}
	}
	// What an interrupted write has left is not in the way.
	for _, name := range []string{name, filepath.Join(dir, "model")} {
		if err := os.WriteFile(name+".tmp", good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(name)
	if _, got := finish(t, dir); got != want {
		t.Error("with what an interrupted write has left: another model")
	}
	// The rows of a shard are other ones now.
	if err := os.WriteFile(shard.Name(dir, 1, ".csv"), []byte(strings.Repeat("1,2,3,4,5,6,7,8,9\n", rows/shards)), 0o666); err != nil {
		t.Fatal(err)
	}
	if said, got := finish(t, dir); !strings.Contains(said, "the shard has changed") || got == want {
		t.Errorf("a shard has changed, and the sums have not:\n%s", said)
	}
}

// The model is that of all rows at once, except for rounding.
func TestModel(t *testing.T) {
	dir, written := bySums().dir, bySums().model
	got, err := ridge.ReadModel(strings.NewReader(written), nil)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := os.ReadFile(filepath.Join(dir, "map"))
	if err != nil {
		t.Fatal(err)
	}
	phi, err := shard.Draw(recipe)
	if err != nil {
		t.Fatal(err)
	}
	x, y := mat.NewDense(rows, shard.Dim, nil), mat.NewDense(rows, 1, nil)
	row := make([]float64, shard.Dim+1)
	for i, n := 0, 0; i < shards; i++ {
		demo := shard.NewDemo(i)
		for range shard.DemoRows(rows, shards, i) {
			demo.Read(row)
			x.SetRow(n, row[:shard.Dim])
			y.Set(n, 0, row[shard.Dim])
			n++
		}
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, v := got.Weights(), m.Weights()
	if !mat.EqualApprox(w, v, 1e-9*mat.Norm(v, 2)) {
		t.Error("weights differ")
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	if !near(got.Lambda()[0], m.Lambda()[0]) || !near(got.NoiseVariance()[0], m.NoiseVariance()[0]) || !near(got.Intercept()[0], m.Intercept()[0]) {
		t.Errorf("λ %v, noise %v, intercept %v; want %v, %v, %v", got.Lambda()[0], got.NoiseVariance(), got.Intercept(), m.Lambda()[0], m.NoiseVariance(), m.Intercept())
	}
}

// What cannot be done is refused with a sentence.
func TestRefused(t *testing.T) {
	good := t.TempDir()
	finish(t, good)
	for _, c := range []struct {
		args []string
		file func(dir string) error
		want string
	}{
		{args: []string{"-rows", "0"}, want: "has no shard-0000.csv"},
		{args: []string{"-rows", "0"}, file: func(dir string) error {
			return os.WriteFile(shard.Name(dir, 1, ".csv"), nil, 0o666)
		}, want: "some are missing"},
		{args: []string{"-part", "3/3"}, want: "must be i/n"},
		{args: []string{"-rows", "0"}, file: func(dir string) error {
			return os.WriteFile(shard.Name(dir, 0, ".csv"), []byte("1,2,3,4,5,6,7,8,9\n1,2,3,4,5,x,7,8,9\n"), 0o666)
		}, want: "row 1, column 5"},
		{args: []string{"-rows", "0", "-checkpoint", "1"}, file: func(dir string) error {
			return os.WriteFile(shard.Name(dir, 0, ".csv"), []byte("1,2,3,4,5,6,7,8,9\n1,2,3,4,5,6,7,8\n"), 0o666)
		}, want: "row 1: 8 numbers: must be 9"},
		{args: []string{"-rows", "0"}, file: func(dir string) error {
			return os.WriteFile(shard.Name(dir, 0, ".csv"), []byte("1,2,3,4,5,6,7,8,NaN\n"), 0o666)
		}, want: "NaN"},
		{file: func(dir string) error {
			return os.WriteFile(shard.Name(dir, 0, ".csv"), []byte("1,2,3,4,5,6,7,8,9\n"), 0o666)
		}, want: "take another -dir"},
	} {
		dir := t.TempDir()
		if c.file != nil {
			if err := c.file(dir); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := program(dir, c.args...).CombinedOutput(); err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v, want %q in\n%s", c.args, err, c.want, out)
		}
	}
}
