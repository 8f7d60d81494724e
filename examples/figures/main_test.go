// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// header is the first line that examples/figure3 writes; a test there has it too.
const header = "setting,method,size,columns,draws,mean absolute error,RMS error,predicted RMS error,maximal error,correlation\n"

// table returns a file of two settings with two methods each.
func table() string {
	var b strings.Builder
	b.WriteString(header)
	for _, setting := range []string{"shallow", "deep"} {
		for i, columns := range []float64{99.5, 1000, 9997.25} {
			for j, method := range []string{"RFS", "RR"} {
				e := (1 + float64(j)) / columns
				fmt.Fprintf(&b, "%s,%s,%d,%g,%d,%g,%g,%g,%g,%g\n", setting, method, 100, columns, 70*(i+1), e, 1.3*e, 1.2*e, 4*e, 1-e)
			}
		}
	}
	return b.String()
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.csv"), filepath.Join(folder, "out.png")
	if err := os.WriteFile(in, []byte(table()), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(in, out); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	// Two rows of four panels, and in each both colours.
	size := img.Bounds().Size()
	for row := range 2 {
		for col := range 4 {
			for i, want := range colours {
				n := 0
				for x := col * size.X / 4; x < (col+1)*size.X/4; x++ {
					for y := row * size.Y / 2; y < (row+1)*size.Y/2; y++ {
						if color.RGBAModel.Convert(img.At(x, y)) == want {
							n++
						}
					}
				}
				if n < 50 {
					t.Errorf("panel %d, %d has %d dots of colour %d", row, col, n, i)
				}
			}
		}
	}
}

func TestRead(t *testing.T) {
	curves, err := read(strings.NewReader(table()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range curves {
		names = append(names, c.setting+" "+c.method)
	}
	if got := strings.Join(names, ", "); got != "shallow RFS, shallow RR, deep RFS, deep RR" {
		t.Errorf("curves are %s", got)
	}
	if p := curves[3].points[predicted]; len(p) != 3 || p[1].X != 1000 || p[1].Y != 0.0024 {
		t.Errorf("predicted errors of the last curve are %v", p)
	}
	for _, bad := range []string{
		"", header,
		strings.Replace(table(), "maximal error", "maximum", 1),
		strings.Replace(table(), "99.5", "none", 1),
		strings.Replace(table(), "99.5", "0", 1),
		strings.Replace(table(), "99.5", "NaN", 1),
		strings.Replace(table(), "99.5", "+Inf", 1),
	} {
		if c, err := read(strings.NewReader(bad)); err == nil {
			t.Errorf("no error, and %d curves, for\n%s", len(c), bad)
		}
	}
}
