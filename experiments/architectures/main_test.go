// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

func TestDigits(t *testing.T) {
	var out bytes.Buffer
	shown := 0
	all, err := run(&out, func(string) { shown++ }, scope{images: 160, architectures: 1, step: 128, maps: 4})
	if err != nil {
		t.Fatal(err)
	}
	results := all[0]
	if len(results) != 5 || shown == 0 {
		t.Fatalf("%d results, progress shown %d times", len(results), shown)
	}
	for _, r := range results {
		if r.accuracy() < 0.8 || r.parts[0] < 0.5 {
			t.Errorf("%s: accuracy %v of all, %v of quarters", r.name, r.accuracy(), r.parts[0])
		}
	}
	for _, r := range architecturesOf(results) {
		if len(r.estimates) != 2 {
			t.Fatalf("%s: %d estimates, want those of 1 and 4 maps", r.name, len(r.estimates))
		}
		for _, e := range r.estimates {
			if ratio := e.measured / e.predicted; !(ratio > 0.3 && ratio < 2) || e.accuracy < 0.7 {
				t.Errorf("%s: %+v", r.name, e)
			}
		}
	}
	if !strings.Contains(out.String(), "| 2,2 | 512 |") || !strings.Contains(out.String(), "Left out: CIFAR-10") {
		t.Errorf("unexpected output:\n%s", &out)
	}
}

// writeImages writes images in the format of CIFAR-10. Image i has class i%10; pixels are random except for a
// square whose place depends on the class. It returns the folder and the bytes.
func writeImages(t *testing.T, n int) (folder string, data []byte) {
	const record = 1 + 3*32*32
	data = make([]byte, n*record)
	s := featuremap.NewSampler(5)
	for i := range n {
		image := data[i*record : (i+1)*record]
		image[0] = byte(i % 10)
		for j := range image[1:] {
			image[1+j] = byte(s.IntN(64))
			if r, c := j/32%32, j%32; r/4 == 2 && c/2 == 4+i%10 {
				image[1+j] = 255
			}
		}
	}
	folder = t.TempDir()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(data)
	w.Close()
	if err := os.WriteFile(filepath.Join(folder, "cifar10_train4000_a.bin.gz"), z.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder, data
}

func TestCIFAR(t *testing.T) {
	folder, data := writeImages(t, 40)
	var out bytes.Buffer
	all, err := run(&out, func(string) {}, scope{data: folder, images: 40, architectures: 3, step: 64, maps: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all[0] {
		if r.accuracy() < 0.3 { // chance is 0.1
			t.Errorf("%s: accuracy %v", r.name, r.accuracy())
		}
	}
	for _, want := range []string{"| RFS | network |", "| Full |", "ours and their networks"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}

	// Values are those of the central crop, of some image, standardized.
	s, err := cifar(folder, 1)
	if err != nil {
		t.Fatal(err)
	}
	row := s.x.RawRowView(0)
	if mean, deviation := stat.PopMeanStdDev(row, nil); math.Abs(mean) > 1e-12 || math.Abs(deviation-1) > 1e-12 {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
	found := false
	for i := range 40 {
		crop := make([]float64, len(row))
		for j := range crop {
			ch, r, c := j%3, 4+j/72, 4+j/3%24
			crop[j] = float64(data[i*3073+1+ch*1024+r*32+c])
		}
		found = found || stat.Correlation(crop, row, nil) > 1-1e-12
	}
	if !found {
		t.Error("the image is no crop of those of the file")
	}
}

// Points of circles and of spheres have the same kernel.
func TestLayers(t *testing.T) {
	list, err := studies(scope{images: 6, architectures: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list[0].architectures {
		e, err := list[0].entry(a)
		if err != nil {
			t.Fatal(err)
		}
		ofAngles, err := e.skeleton.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		var got, want mat.SymDense
		featuremap.Gram(&got, e.kernel, e.points)
		featuremap.Gram(&want, ofAngles, e.angles)
		if !mat.EqualApprox(&got, &want, 1e-12) || !(got.At(0, 1) > 0.4 && got.At(0, 1) < 0.95) {
			t.Errorf("%v: the kernels are\n%.4f\nand\n%.4f", a, mat.Formatted(&got), mat.Formatted(&want))
		}
	}
}

// A window that is two places to the right in another image has the same components.
func TestWindows(t *testing.T) {
	const side, channels, stride = 9, 2, 2
	x := mat.NewDense(20, side*side*channels, nil)
	featuremap.NewSampler(3).FillNormal(x.RawMatrix().Data)
	first, second := x.RawRowView(0), x.RawRowView(1)
	for r := range side {
		for j := range (side - 2*stride) * channels {
			second[r*side*channels+2*stride*channels+j] = first[r*side*channels+j]
		}
	}
	s := &collection{x: x, side: side, channels: channels}
	const components = 7
	angles, places := s.windows(3, stride, components)
	if _, d := angles.Dims(); places != 4 || d != places*places*components {
		t.Fatalf("%d places, %d columns", places, d)
	}
	for r := range places {
		for c := range places - 2 {
			a := angles.RawRowView(0)[(r*places+c)*components:][:components]
			b := angles.RawRowView(1)[(r*places+c+2)*components:][:components]
			if !floats.EqualApprox(a, b, 1e-12) {
				t.Errorf("row %d, place %d: %.3f and %.3f", r, c, a, b)
			}
		}
	}
	if mat.Max(angles) >= math.Pi/2 || mat.Min(angles) <= -math.Pi/2 {
		t.Errorf("angles from %v to %v", mat.Min(angles), mat.Max(angles))
	}
}

// The components are ordered by variance, the largest last, and omitted components have less.
func TestPrincipal(t *testing.T) {
	x := mat.NewDense(500, 3, nil)
	featuremap.NewSampler(4).FillNormal(x.RawMatrix().Data)
	x.Apply(func(_, j int, v float64) float64 { return v * []float64{2, 0.1, 9}[j] }, x)
	axes := principal(x, 2)
	for j, axis := range []int{0, 2} {
		if v := math.Abs(axes.At(axis, j)); v < 0.99 {
			t.Errorf("component %d:\n%.3f", j, mat.Formatted(axes))
		}
	}
}

// One fit gives the predictions of many.
func TestLeaveOneOut(t *testing.T) {
	const n, lo, hi, lambda = 14, 1, 13, 0.3
	s, err := digits(n)
	if err != nil {
		t.Fatal(err)
	}
	var gram mat.SymDense
	featuremap.Gram(&gram, featuremap.Gaussian{LengthScale: 8}, s.x)
	got, err := s.leaveOneOut(&gram, lo, hi, []float64{lambda})
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.0
	for i := range hi - lo {
		var others []int
		for j := range hi - lo {
			if j != i {
				others = append(others, lo+j)
			}
		}
		scores := predict(t, s, &gram, others, lo+i, lambda)
		for c := range scores {
			e := scores[c] - s.target(c, lo, hi)[i]
			loss += e * e / (hi - lo)
		}
		want := 0.0
		if floats.MaxIdx(scores) == s.class[lo+i] {
			want = 1
		}
		if got.right[i] != want {
			t.Errorf("image %d: right %v, want %v", i, got.right[i], want)
		}
	}
	if math.Abs(got.loss-loss) > 1e-12*loss {
		t.Errorf("loss %v, want %v", got.loss, loss)
	}
}

// predict returns the scores of an image by a fit to others.
func predict(t *testing.T, s *collection, k *mat.SymDense, others []int, image int, lambda float64) []float64 {
	n := len(others)
	a, y := mat.NewSymDense(n, nil), mat.NewDense(n, s.classes, nil)
	cross := mat.NewVecDense(n, nil)
	for i, p := range others {
		for j, q := range others[:i+1] {
			a.SetSym(i, j, k.At(p, q))
		}
		a.SetSym(i, i, k.At(p, p)+lambda)
		cross.SetVec(i, k.At(p, image))
		for c := range s.classes {
			y.Set(i, c, s.target(c, p, p+1)[0])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		t.Fatal("not positive definite")
	}
	var weights mat.VecDense
	if err := chol.SolveVecTo(&weights, cross); err != nil {
		t.Fatal(err)
	}
	var scores mat.VecDense
	scores.MulVec(y.T(), &weights)
	return scores.RawVector().Data
}

func TestSpearman(t *testing.T) {
	// 1 − 6·Σd²/(n(n²−1)) with the differences 0, 1, −1, 0.
	if got := spearman([]float64{1, 2, 3, 4}, []float64{10, 30, 20, 99}); math.Abs(got-0.8) > 1e-15 {
		t.Errorf("spearman = %v, want 0.8", got)
	}
	if got := ranks([]float64{5, 1, 5, 7}); !floats.Equal(got, []float64{1.5, 0, 1.5, 3}) {
		t.Errorf("ranks = %v", got)
	}
	if got := spearman([]float64{2, 2, 2}, []float64{1, 2, 3}); got != 0 {
		t.Errorf("spearman of equal elements = %v", got)
	}
}

// Components on a sphere instead of circles would be nearer to a network's inputs. But random features of them under a
// ReLU have an infinite variance: a sphere's features exceed 1, and degrees of the ReLU's series are not bounded.
func TestSphereVariance(t *testing.T) {
	sk := featuremap.NewSkeleton(12)
	sk.Unit(series.ReLUDual{}, sk.Input(featuremap.Sphere{}))
	phi, err := featuremap.NewCompositional(sk, 10, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 12)
	x[3] = 1
	if v := phi.Variance(x, x); !math.IsInf(v, 1) {
		t.Errorf("variance %v, want +Inf", v)
	}
}
