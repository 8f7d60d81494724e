// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
)

const (
	zoom = 8  // dots of the picture for a pixel, each way
	gap  = 16 // dots between maps
)

var blue = color.RGBA{0x20, 0x60, 0xff, 0xff}

// picture returns the maps of the pixels shown, side by side. Grey is the square root of the
// correlation, or the tiers above the first could hardly be told from black; white is the
// given correlation.
func picture(c *correlation, white float64) image.Image {
	const size = side * zoom
	img := image.NewRGBA(image.Rect(0, 0, len(shown)*(size+gap)-gap, size))
	for x := range img.Rect.Dx() {
		for y := range size {
			img.Set(x, y, color.White)
			panel, at := x/(size+gap), x%(size+gap)
			if at >= size {
				continue
			}
			if p := (pixel{y / zoom, at / zoom}); p != shown[panel] {
				v := math.Sqrt(max(c.of.At(p.index(), shown[panel].index()), 0) / white)
				img.Set(x, y, color.Gray{uint8(math.Round(255 * min(v, 1)))})
			} else {
				img.Set(x, y, blue)
			}
		}
	}
	return img
}

// brightest returns the largest correlation in any of the maps.
func brightest(correlations []*correlation) float64 {
	most := 0.0
	for _, c := range correlations {
		for _, p := range shown {
			for i := range side * side {
				if i != p.index() {
					most = max(most, c.of.At(i, p.index()))
				}
			}
		}
	}
	return most
}

// write saves a picture, in a folder that is made if there is none.
func write(path string, img image.Image) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	return png.Encode(f, img)
}
