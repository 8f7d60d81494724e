// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/seed-0f95ebc1/featuremap/learn" // which the program uses: a result of this test is not cached if it has changed
)

// The picture at the head of the README is what its program draws today. Rounding of another machine, or another version of the package
// that draws, may move the edge of a line by a dot: a dot counts as another one if its color is not within two dots of its place.
func TestHeroPicture(t *testing.T) {
	folder := t.TempDir()
	if err := run(io.Discard, request{picture: "errorbars", out: folder}); err != nil {
		t.Fatal(err)
	}
	got := decoded(t, filepath.Join(folder, "errorbars.png"))
	want := decoded(t, filepath.Join("..", "..", "docs", "pictures", "errorbars.png"))
	if got.Bounds() != want.Bounds() {
		t.Fatalf("the picture has the bounds %v, in docs/pictures %v", got.Bounds(), want.Bounds())
	}
	n := others(got, want) + others(want, got)
	if b := got.Bounds(); n > b.Dx()*b.Dy()/1000 {
		t.Errorf("%d dots are others than in docs/pictures/errorbars.png: go -C experiments run ./figures -picture errorbars", n)
	}
}

// decoded returns the picture of a file.
func decoded(t *testing.T, name string) image.Image {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// others returns how many dots of a have a color that b has nowhere near.
func others(a, b image.Image) (n int) {
	const near = 2
	color := func(img image.Image, x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	r := a.Bounds()
	for x := r.Min.X; x < r.Max.X; x++ {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			c, found := color(a, x, y), false
			for i := max(x-near, r.Min.X); i <= min(x+near, r.Max.X-1) && !found; i++ {
				for j := max(y-near, r.Min.Y); j <= min(y+near, r.Max.Y-1) && !found; j++ {
					found = difference(c, color(b, i, j)) < 48
				}
			}
			if !found {
				n++
			}
		}
	}
	return n
}
