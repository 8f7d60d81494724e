// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// small returns a small table for a picture, as its program writes it.
func small(name string) string {
	var b strings.Builder
	switch name {
	case "speed", "error":
		b.WriteString("set,method,features,predicted RMSE,measured RMSE,standard error,microseconds a row\n")
		for _, set := range []string{"digits", "CIFAR-10"} {
			for i, e := range []float64{0.1, 0.05, 0.02} {
				fmt.Fprintf(&b, "%s,structured,%d,%g,%g,%g,%g\n", set, 100<<i, e, 1.1*e, e/10, 1/e)
				fmt.Fprintf(&b, "%s,scikit-learn RBFSampler,%d,,%g,%g,%g\n", set, 100<<i, 2*e, 3*e, 3/e)
			}
		}
	case "errorbars":
		b.WriteString("kind,number,x,value,standard deviation\n")
		for i := range 20 {
			x := float64(i)
			fmt.Fprintf(&b, "mean,0,%g,%g,%g\nfunction,0,%g,%g,0\nsample,1,%g,%g,0\n", x, x/10, 0.5, x, x/9, x, x/8)
		}
		b.WriteString("observation,0,3,0.3,0.4\nobservation,0,5,0.6,0.4\n")
	case "intervals":
		b.WriteString("kind,method,x,low,high\nobservation,,3,0.3,0.3\nobservation,,5,0.6,0.6\n")
		for i := range 20 {
			x := float64(i)
			fmt.Fprintf(&b, "quantile,,%g,%g,%g\n", x, -x/9, x/8)
			for _, method := range []string{"calibrated", "Gaussian"} {
				fmt.Fprintf(&b, "mean,%s,%g,%g,%g\ninterval,%s,%g,%g,%g\n", method, x, x/20, x/20, method, x, -x/10, x/5)
			}
		}
		b.WriteString("share,calibrated,2,0.9,0.9\nshare,calibrated,17,0.91,0.91\nshare,Gaussian,2,0.99,0.99\nshare,Gaussian,17,0.85,0.85\n")
	case "comparison":
		b.WriteString("set,method,unit,error,z\n")
		b.WriteString("servo,learn,RMSE,0.3,\nservo,ExtraTrees,RMSE,0.4,2\nservo,XGBoost,RMSE,0.5,3\n")
		b.WriteString("yacht,learn,RMSE,0.3,\nyacht,ExtraTrees,RMSE,0.2,-2\nyacht,XGBoost,RMSE,0.2,0\n")
		b.WriteString("digits,learn,log loss,0.01,\ndigits,ExtraTrees,log loss,0.9,0.5\n")
	case "fittime":
		b.WriteString("method,rows,seconds,megabytes,error\nexact,1000,0.1,8,0.5\nexact,2000,0.8,32,0.4\nfeatures,1000,0.2,,0.6\nfeatures,2000,0.4,,0.5\n")
	case "boundaries":
		b.WriteString("kind,method,x1,x2,value\npoint,,0.25,0.5,-1\npoint,,0.75,0.5,1\n")
		for _, method := range []string{"exact", "random"} {
			for i := range 5 {
				for j := range 5 {
					fmt.Fprintf(&b, "field,%s,%g,%g,%g\n", method, float64(i)/4, float64(j)/4, float64(i)-1.7)
				}
			}
		}
	case "figure3":
		b.WriteString("images,setting,method,size,columns,draws,mean absolute error,RMS error,predicted RMS error,maximal error,correlation\n")
		for _, setting := range []string{"shallow", "deep"} {
			for i, columns := range []float64{99.5, 1000, 9997.25} {
				for j, method := range []string{"RFS", "RR"} {
					e := (1 + float64(j)) / columns
					fmt.Fprintf(&b, "digits,%s,%s,%d,%g,%d,%g,%g,%g,%g,%g\n", setting, method, 100, columns, 70*(i+1), e, 1.3*e, 1.2*e, 4*e, 1-e)
				}
			}
		}
	case "locality":
		b.WriteString("kernel,row,column,other row,other column,correlation\n")
		for _, kernel := range []string{"flat", "1 convolution"} {
			for i := range 24 {
				for j := range 24 {
					if i != 5 || j != 7 {
						fmt.Fprintf(&b, "%s,5,7,%d,%d,%g\n", kernel, i, j, float64(i*24+j-10)/1000)
					}
				}
			}
		}
	}
	return b.String()
}

// write writes a file of its own, and returns its name.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// count returns how many dots of a part of an image have nearly a color.
func count(img image.Image, part image.Rectangle, c color.RGBA) int {
	n := 0
	for x := part.Min.X; x < part.Max.X; x++ {
		for y := part.Min.Y; y < part.Max.Y; y++ {
			if difference(color.RGBAModel.Convert(img.At(x, y)).(color.RGBA), c) < 16 {
				n++
			}
		}
	}
	return n
}

// Each picture has its colors in each of its parts.
func TestRun(t *testing.T) {
	defer func(was int) { resolution = was }(resolution)
	resolution = 96
	drawn := map[string]bool{}
	for _, test := range []struct {
		picture       string
		columns, rows int
		colors        []color.RGBA
	}{
		{"errorbars", 2, 1, []color.RGBA{red, functionBand, black}},
		{"intervals", 2, 1, []color.RGBA{blue, functionBand, black}},
		{"comparison", 1, 2, []color.RGBA{blue, black}},
		{"speed", 2, 1, []color.RGBA{blue, black}},
		{"error", 2, 1, []color.RGBA{blue, gray}},
		{"fittime", 3, 1, []color.RGBA{blue}},
		{"fittime", 1, 1, []color.RGBA{shadeColor}},
		{"boundaries", 2, 1, []color.RGBA{blue, tints[0], tints[1], black}},
		{"figure3", 4, 2, []color.RGBA{blue, red}},
		{"locality", 1, 2, []color.RGBA{{33, 145, 140, 255}, {68, 1, 84, 255}}},
	} {
		drawn[test.picture] = true
		var out bytes.Buffer
		folder := filepath.Join(t.TempDir(), "new")
		if err := run(&out, request{picture: test.picture, csv: write(t, small(test.picture)), out: folder}); err != nil {
			t.Errorf("%s: %v", test.picture, err)
			continue
		}
		p, _ := named(test.picture)
		if !strings.Contains(out.String(), strings.TrimSpace(p.caption)) {
			t.Errorf("%s: no caption:\n%s", test.picture, &out)
		}
		data, err := os.ReadFile(filepath.Join(folder, test.picture+".png"))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		w, h := img.Bounds().Dx()/test.columns, img.Bounds().Dy()/test.rows
		for i := range test.columns * test.rows {
			part := image.Rect(0, 0, w, h).Add(image.Pt(i%test.columns*w, i/test.columns*h))
			for _, c := range test.colors {
				if n := count(img, part, c); n < 4 {
					t.Errorf("%s: part %v has %d dots of %v", test.picture, part, n, c)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(folder, "README.md")); err == nil {
			t.Errorf("%s: a page in a folder of the caller's", test.picture)
		}
	}
	for _, p := range pictures {
		if !drawn[p.name] {
			t.Errorf("%s is not drawn here", p.name)
		}
	}
}

// Sets are in order, with the errors relative to the best other method, and one standard error of the logarithm.
func TestComparison(t *testing.T) {
	table, err := readTable(strings.NewReader(small("comparison")+"servo,learn of a commit,RMSE,0.1,2\n"), comparisonColumns)
	if err != nil {
		t.Fatal(err)
	}
	servo, yacht, digits := table.compare("servo"), table.compare("yacht"), table.compare("digits")
	if table.err != nil {
		t.Fatal(table.err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(servo.ratio, .75) || !near(servo.low, .75*math.Sqrt(.75)) || !near(servo.high, math.Sqrt(.75)) || !near(servo.others["XGBoost"], 1.25) || len(servo.others) != 2 {
		t.Errorf("servo %+v", servo)
	}
	if !near(yacht.ratio, 1.5) || !near(yacht.low, math.Sqrt(1.5)) || !near(yacht.high, 1.5*math.Sqrt(1.5)) || yacht.classes || !digits.classes {
		t.Errorf("yacht %+v, digits %+v", yacht, digits)
	}
	if low, high := standardError(.5, 0); low != .5 || high != .5 {
		t.Errorf("%v to %v without z", low, high)
	}
}

// The files that pictures are drawn from are in the repository.
func TestFiles(t *testing.T) {
	for _, p := range pictures {
		if p.file == "" {
			continue
		}
		folder := t.TempDir()
		if err := run(new(bytes.Buffer), request{picture: p.name, quick: true, out: folder}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(folder, p.name+".png")); err != nil {
			t.Error(err)
		}
	}
}

// NewPlan's choice is left out of a set where it is always nearly another method's map.
func TestPlanned(t *testing.T) {
	const text = `set,method,features,predicted RMSE,measured RMSE,standard error,microseconds a row
a,orthogonal,100,0.1,0.1,0.01,1
a,structured,100,0.2,0.2,0.01,2
a,structured,200,0.1,0.1,0.01,2
a,NewPlan's choice,100,0.104,0.1,0.01,1
a,NewPlan's choice,200,0.1,0.1,0.01,1
`
	for _, test := range []struct {
		more    string
		methods int
		rows    int
	}{{"", 2, 0}, {"b,orthogonal,100,0.1,0.1,0.01,1\nb,NewPlan's choice,100,0.09,0.1,0.01,1\n", 3, 1}} {
		table, err := readTable(strings.NewReader(text+test.more), designs)
		if err != nil {
			t.Fatal(err)
		}
		if m := table.drawnMethods(); len(m) != test.methods || len(table.drawnRows("a", planned)) != 0 || len(table.drawnRows("b", planned)) != test.rows || table.err != nil {
			t.Errorf("methods %q, %v", m, table.err)
		}
	}
}

// A curve is below others from where their lines cross, to the end.
func TestBelow(t *testing.T) {
	others := plotter.XYs{{X: 1, Y: 1}, {X: 10, Y: 10}, {X: 10, Y: 5}, {X: 100, Y: 1000}}
	for _, test := range []struct {
		y    [3]float64
		from float64
		ok   bool
	}{{[3]float64{.5, .5, .5}, 1, true}, {[3]float64{2, 2.5, 2}, math.Sqrt(10), true}, {[3]float64{.5, 6, 2000}, 0, false}, {[3]float64{.5, 10, 500}, 10 * math.Sqrt(10), true}} {
		from, ok := below(plotter.XYs{{X: 1, Y: test.y[0]}, {X: 10, Y: test.y[1]}, {X: 30, Y: 1}, {X: 100, Y: test.y[2]}}, others)
		if ok != test.ok || ok && math.Abs(from-test.from) > 1e-9 {
			t.Errorf("%v: from %v, %v, want %v, %v", test.y, from, ok, test.from, test.ok)
		}
	}
}

// A line of errors against time never runs backwards: points that are beaten by faster ones are left out, in any order.
func TestUnbeaten(t *testing.T) {
	points := plotter.XYs{{X: 2, Y: 9}, {X: 4, Y: 5}, {X: 9, Y: 4}, {X: 3, Y: 3}, {X: 3, Y: 6}, {X: 8, Y: 1}}
	if got, want := unbeaten(points), (plotter.XYs{{X: 2, Y: 9}, {X: 3, Y: 3}, {X: 8, Y: 1}}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(unbeaten(nil)) != 0 {
		t.Error("points of none")
	}
}

// The bars of errors as large as what was measured, or larger, end at the edge.
func TestLargeStandardErrors(t *testing.T) {
	text := strings.ReplaceAll(small("error"), ",0.01,", ",5,")
	drawn(t, "error", strings.ReplaceAll(text, ",0.005,", ",0.055,"))
}

// drawn draws the panels of a picture, without its dots.
func drawn(t *testing.T, name, text string) {
	t.Helper()
	p, _ := named(name)
	table, err := readTable(strings.NewReader(text), p.columns)
	if err != nil {
		t.Fatal(err)
	}
	s := p.draw(table)
	if table.err != nil {
		t.Fatal(table.err)
	}
	s.drawPanels(draw.NewCanvas(new(recorder.Canvas), 400, 400))
}

// Fields without a boundary, and with one through places of the grid, have a picture.
func TestOddFields(t *testing.T) {
	for _, value := range []func(i, j int) float64{
		func(i, j int) float64 { return 0 },
		func(i, j int) float64 { return 1 },
		func(i, j int) float64 { return float64((i+j)%2*2 - 1) },
		func(i, j int) float64 { return float64((i + j) % 2) },
		func(i, j int) float64 { return float64(i - j) },
		func(i, j int) float64 { return float64((i*7+j*5)%3 - 1) },
	} {
		var b strings.Builder
		b.WriteString("kind,method,x1,x2,value\n")
		for i := range 9 {
			for j := range 9 {
				fmt.Fprintf(&b, "field,m,%d,%d,%g\n", i, j, value(i, j))
			}
		}
		drawn(t, "boundaries", b.String())
	}
}

func TestRunRefuses(t *testing.T) {
	for _, r := range []request{
		{},
		{picture: "none"},
		{picture: "all", csv: "x.csv"},
		{picture: "speed", csv: "x.csv", quick: true},
		{picture: "speed", csv: "x.csv", data: "x"},
		{picture: "locality", data: "x"},
		{picture: "comparison", data: "x"},
		{picture: "speed", csv: filepath.Join(t.TempDir(), "missing.csv")},
	} {
		r.out = t.TempDir()
		if err := run(new(bytes.Buffer), r); err == nil {
			t.Errorf("no error for %+v", r)
		}
	}
}

// The tables that are refused, with what the error says.
func TestTablesRefused(t *testing.T) {
	for _, test := range []struct{ picture, old, new, want string }{
		{"speed", "", "", "no rows"},
		{"speed", "measured RMSE", "RMSE", "measured RMSE"},
		{"speed", ",10\n", ",NaN\n", "must be finite"},
		{"speed", ",10\n", ",none\n", "line 2, microseconds a row"},
		{"speed", ",10\n", ",0\n", "must be from"},
		{"speed", ",10\n", ",-1\n", "must be from"},
		{"speed", ",10\n", ",+Inf\n", "must be finite"},
		{"speed", ",10\n", ",1e300\n", "must be from"},
		{"speed", ",10\n", "\n", "wrong number of fields"},
		{"error", ",100,", ",,", "features"},
		{"error", ",0.01,", ",,", "standard error"},
		{"fittime", "0.1,8", ",8", "seconds"},
		{"boundaries", "field,exact,1,1,", "field,exact,1,0.9,", "no full grid"},
		{"boundaries", "field,exact,1,1,", "field,exact,1,0,", "no full grid"},
		{"boundaries", "field,", "fields,", "no line is a field"},
		{"boundaries", "point,,0.25,0.5,-1", "point,,0.25,x,-1", "line 2, x2"},
		{"boundaries", "point,,0.25,0.5,-1", "point,,0.25,0.5,2", "line 2, value"},
		{"intervals", "share,Gaussian", "other,Gaussian", "0 lines are shares of Gaussian"},
		{"intervals", "interval,", "none,", "no line is an interval"},
		{"figure3", "99.5", "0", "columns"},
		{"comparison", "servo,learn,", "servo,learned,", "servo has no line of learn"},
		{"comparison", "digits,ExtraTrees,log loss,0.9,0.5\n", "", "none of another method"},
		{"comparison", ",0.4,2", ",0.4,", "line 3, z"},
		{"locality", "5,7,0,0,", "5,7,24,0,", "line 2, other row"},
		{"locality", "5,7,0,0,", "5,7,0,-1,", "line 2, other column"},
		{"locality", "5,7,0,0,", "5,24,0,0,", "line 2, column"},
		{"locality", ",0.", ",-0.", "none is positive"},
	} {
		text := strings.ReplaceAll(small(test.picture), test.old, test.new)
		if test.old == "" {
			text = ""
		}
		err := run(new(bytes.Buffer), request{picture: test.picture, csv: write(t, text), out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with %q for %q: error %v, want %q", test.picture, test.new, test.old, err, test.want)
		}
	}
}

func TestArguments(t *testing.T) {
	m := measurements{request: request{data: "sets", quick: true}}
	speed, _ := named("speed")
	args, err := m.arguments(speed, "x.csv")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"run", module + "/experiments/designs", "-csv", "x.csv", "-quick", "-data", filepath.Join(here, "sets")}; !slices.Equal(args, want) {
		t.Errorf("arguments are %q, want %q", args, want)
	}
}

// The page of the pictures is what this program writes.
func TestPage(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "pictures", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, pageOf(pictures, foreigners)) {
		t.Error("docs/pictures/README.md is not what this program writes along with a picture: draw one again")
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		enough    int
		want      string
	}{
		{90, 40000, 2, "100 1,000 10,000"},
		{100, 9000, 2, "100 1,000"},
		{110, 9000, 2, "300 1,000 3,000"},
		{0.0002, 0.0011, 3, "0.0002 0.0005 0.001"},
		{0.022, 0.044, 3, "0.03 0.04"},
		{0.9e6, 1.1e7, 2, "1e+06 1e+07"},
	} {
		var labels []string
		for _, tick := range decades(test.enough)(test.low, test.high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("labels from %v to %v are %s, want %s", test.low, test.high, got, test.want)
		}
	}
}
