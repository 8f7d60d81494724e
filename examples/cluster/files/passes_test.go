// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/examples/cluster/internal/shard"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// passRows are solved after two passes, as the one after the first finds, since eigenvectors are found in all of them: these are enough
// for files.
const passRows = 240

var iterating = []string{"-iterate", "-rows", strconv.Itoa(passRows), "-features", "40", "-checkpoint", "30"} // of fewer rows than other runs

// Whenever a run by passes is killed, the next ends with the bits of one that was not: after whole passes, which are not made again, and
// within them.
func TestPassesKilled(t *testing.T) {
	want := byPasses().model
	lines := strings.Count(byPasses().said, "\n")
	const kills = 3
	killed, later := 0, 0
	rnd := rand.New(rand.NewPCG(2, uint64(time.Now().UnixNano())))
	for i := range kills {
		dir := t.TempDir()
		if kill(t, dir, i*lines/kills, time.Duration(rnd.IntN(4000))*time.Microsecond, iterating...) {
			killed++
		}
		said, got := finish(t, dir, iterating...)
		if strings.Contains(said, "pass 0: was done") {
			later++
		}
		if strings.Contains(said, "is not used") {
			t.Errorf("killed after line %d of %d, a file was damaged:\n%s", i*lines/kills, lines, said)
		}
		if got != want {
			t.Errorf("killed after line %d of %d: another model. The run that followed said\n%s", i*lines/kills, lines, said)
		}
	}
	t.Logf("%d runs were killed, %d after the first pass", killed, later)
	if killed < kills-1 || later == 0 {
		t.Errorf("%d of %d runs were killed, %d after the first pass: too few", killed, kills, later)
	}
}

// A run that goes on adds no row again that is in the sums of a pass: with checkpoints within a shard, and with the passes before.
func TestPassesGoOn(t *testing.T) {
	want := byPasses().model
	dir := t.TempDir()
	runs, within := 1, 0
	for ; kill(t, dir, 15, 0, iterating...); runs++ {
		if parts, _ := filepath.Glob(filepath.Join(dir, "shard-*.pass-*")); len(parts) > 0 {
			within++
		}
		if runs > 100 {
			t.Fatal("100 runs, each of which was killed, have not finished")
		}
	}
	t.Logf("%d runs, %d killed within a pass", runs, within)
	if runs < 3 || within == 0 {
		t.Errorf("%d runs, %d killed within a pass: too few", runs, within)
	}
	if _, got := finish(t, dir, iterating...); got != want { // which finds all done
		t.Error("another model")
	}
}

// The bits do not depend on workers, checkpoints, other runs at once, or the machines that do parts of the shards, which wait for each other.
func TestPassesBits(t *testing.T) {
	want := byPasses().model
	for _, args := range [][][]string{
		{{"-part", "0/3"}, {"-part", "1/3"}, {"-part", "2/3", "-checkpoint", "1000"}},
		{{"-checkpoint", "17"}, {"-workers", "1", "-checkpoint", "1000"}},
	} {
		dir := t.TempDir()
		said := make([]bytes.Buffer, len(args))
		var cmds []*exec.Cmd
		for i, more := range args {
			cmd := program(dir, append(iterating, more...)...)
			cmd.Stdout, cmd.Stderr = &said[i], &said[i]
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			cmds = append(cmds, cmd)
		}
		for i, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %v\n%s", args[i], err, &said[i])
			}
		}
		if b, err := os.ReadFile(filepath.Join(dir, "model")); err != nil || string(b) != want {
			t.Errorf("%v at once: another model, %v", args, err)
		}
	}
}

// Sums of passes that were damaged, or are of another pass, are computed again, each of them and no others, and so are all passes where a shard has changed.
func TestPassesDamaged(t *testing.T) {
	dir, want := copied(t, byPasses().dir), byPasses().model
	pass := func(i int) string { return filepath.Join(dir, fmt.Sprintf("pass-%04d", i)) }
	last, err := os.ReadFile(pass(2))
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[int]func(good []byte) []byte{
		0: func([]byte) []byte { return last },
		1: func(good []byte) []byte { return good[:len(good)-1] },
		2: func(good []byte) []byte {
			good[len(good)/2] ^= 4
			return good
		},
	}
	for i, damage := range damaged {
		good, err := os.ReadFile(pass(i))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pass(i), damage(good), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	said, got := finish(t, dir, iterating...)
	for i := range damaged {
		if !strings.Contains(said, fmt.Sprintf("pass %d: %s is not used", i, pass(i))) {
			t.Errorf("pass %d: not noticed:\n%s", i, said)
		}
	}
	if strings.Count(said, "is not used") != len(damaged) || got != want {
		t.Errorf("other passes are not used, or another model:\n%s", said)
	}
	dir, want = copied(t, byPasses().dir), byPasses().model
	rows := strings.Repeat("1,2,3,4,5,6,7,8,9\n2,1,2,1,2,1,2,1,8\n", passRows/shards/2)
	if err := os.WriteFile(shard.Name(dir, 1, ".csv"), []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	if said, got := finish(t, dir, iterating...); !strings.Contains(said, "shard 1 has changed") || got == want {
		t.Errorf("a shard has changed, and the model has not:\n%s", said)
	}
}

// The model of passes is that of the sums at its λ, to a difference that is small compared with the error that the noise makes: the squares of differences add up to .07 of the noise times the
// degrees of freedom, which are at most the features, and to twice as much where the preconditioner's estimate is that far off.
func TestPassesModel(t *testing.T) {
	written := byPasses().model
	got, err := ridge.ReadModel(strings.NewReader(written), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := mat.NewDense(passRows, shard.Dim, nil), mat.NewDense(passRows, 1, nil)
	row := make([]float64, shard.Dim+1)
	for i, n := 0, 0; i < shards; i++ {
		demo := shard.NewDemo(i)
		for range shard.DemoRows(passRows, shards, i) {
			demo.Read(row)
			x.SetRow(n, row[:shard.Dim])
			y.Set(n, 0, row[shard.Dim])
			n++
		}
	}
	want, err := ridge.Fit(got.Map(), x, y, &ridge.Options{Lambda: got.Lambda()[0]})
	if err != nil {
		t.Fatal(err)
	}
	var a, b mat.Dense
	got.PredictTo(&a, x)
	want.PredictTo(&b, x)
	a.Sub(&a, &b)
	_, features := got.Map().Dims()
	limit := math.Sqrt(2 * 0.07 * want.NoiseVariance()[0] * float64(features))
	if d := mat.Norm(&a, 2); !(d <= limit) || !(d < 1e-2*mat.Norm(&b, 2)) || got.Passes() < 2 {
		t.Errorf("predictions differ by %.1e, limit %.1e, of %.1e, after %d passes", d, limit, mat.Norm(&b, 2), got.Passes())
	}
}
