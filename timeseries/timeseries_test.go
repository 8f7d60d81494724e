// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/timeseries"
)

// walks returns n random walks of d steps.
func walks(s *featuremap.Sampler, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		row := x.RawRowView(i)
		s.FillNormal(row)
		for j := 1; j < d; j++ {
			row[j] += row[j-1]
		}
	}
	return x
}

// rocket returns a MiniRocket of 12 rows, and hydra a Hydra.
func rocket(in, features int, s *featuremap.Sampler, opts *timeseries.Options) (featuremap.FeatureMap, error) {
	return timeseries.NewMiniRocket(walks(featuremap.NewSampler(1), 12, in), features, s, opts)
}

func hydra(in int, s *featuremap.Sampler, opts *timeseries.Options) (featuremap.FeatureMap, error) {
	return timeseries.NewHydra(walks(featuremap.NewSampler(1), 12, in), s, opts)
}

// Every map passes the suite, of one channel and of several.
func TestMaps(t *testing.T) {
	pairs := func(d int) []testkit.Pair { return testkit.Pairs(d, 1)[:8] }
	for channels, dims := range map[int][]int{1: {9, 30}, 3: {3 * 20}} {
		opts := &timeseries.Options{Channels: channels}
		t.Run(fmt.Sprintf("MiniRocket of %d channels", channels), func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New: func(in, out int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
					return rocket(in, out, s, opts)
				},
				Out: func(int) int { return 2 * 84 }, Dims: dims, Pairs: pairs, NoPlan: true, OwnKernel: true,
			})
		})
		t.Run(fmt.Sprintf("Hydra of %d channels", channels), func(t *testing.T) {
			testkit.Map(t, testkit.MapCase{
				New:  func(in, _ int, s *featuremap.Sampler) (featuremap.FeatureMap, error) { return hydra(in, s, opts) },
				Dims: dims, Pairs: pairs, NoPlan: true, OwnKernel: true,
			})
		})
	}
}

// A constructor refuses what it cannot use, says what to do, and leaves the sampler as it was.
func TestRefused(t *testing.T) {
	const n, d = 4, 12
	x := walks(featuremap.NewSampler(1), n, d)
	with := func(i, j int, v float64) mat.Matrix {
		bad := mat.DenseCopyOf(x)
		bad.Set(i, j, v)
		return bad
	}
	for _, c := range []struct {
		name     string
		x        mat.Matrix
		features int
		s        *featuremap.Sampler
		channels int
		want     string
	}{
		{"nil", nil, 84, nil, 0, "x = nil"},
		{"nil pointer", (*mat.Dense)(nil), 84, nil, 0, "x = nil"},
		{"one row", x.Slice(0, 1, 0, d), 84, nil, 0, "x has 1 rows: must have at least 2"},
		{"no rows", new(mat.Dense), 84, nil, 0, "x has 0 rows"},
		{"short", x.Slice(0, n, 0, 8), 84, nil, 0, "series of 8 values: must have at least 9, the taps of a kernel; resample"},
		{"short channels", x, 84, nil, 2, "series of 6 values: must have at least 9"},
		{"channels", x, 84, nil, 5, "12 columns: must be a multiple of Channels = 5"},
		{"no channels", x, 84, nil, -1, "Channels = -1: must be at least 1, or 0 for 1"},
		{"NaN", with(2, 11, math.NaN()), 84, nil, 0, "row 2, column 11 = NaN: must be finite, and at most 1e+300 in magnitude; cut series of other lengths, or resample"},
		{"Inf", with(3, 0, math.Inf(-1)), 84, nil, 0, "row 3, column 0 = -Inf"},
		{"huge", with(0, 3, 1e301), 84, nil, 0, "row 0, column 3 = 1e+301"},
		{"entry twice", &testkit.Lists{In: 12, Rows: [][]testkit.Entry{{}, {{J: 3, V: 1}, {J: 3, V: 2}}}}, 84, nil, 0, "row 1, column 3: featuremap: a row of a mat.RowNonZeroDoer has two entries"},
		{"entry outside", &testkit.Lists{In: 12, Rows: [][]testkit.Entry{{}, {{J: 12, V: 1}}}}, 84, nil, 0, "row 1 has an entry of column 12, of 12"},
		{"sampler", x, 84, new(featuremap.Sampler), 0, "sampler s is the zero value"},
		{"few features", x, 83, nil, 0, "features = 83: must be from 84 to 16777216"},
		{"many features", x, 1<<24 + 1, nil, 0, "features = 16777217"},
	} {
		s, before := c.s, featuremap.NewSampler(5)
		if s == nil {
			s = featuremap.NewSampler(5)
		}
		opts := &timeseries.Options{Channels: c.channels}
		m, err := timeseries.NewMiniRocket(c.x, c.features, s, opts)
		if err == nil || m != nil || !strings.HasPrefix(err.Error(), "timeseries: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: NewMiniRocket: %v, want an error with %q", c.name, err, c.want)
		}
		if !strings.Contains(c.name, "features") {
			h, err := timeseries.NewHydra(c.x, s, opts)
			if err == nil || h != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: NewHydra: %v, want an error with %q", c.name, err, c.want)
			}
		}
		if c.s == nil && s.Uint64() != before.Uint64() {
			t.Errorf("%s: the sampler is another", c.name)
		}
	}
}

// A nil sampler is that of seed 0, nil options are one channel, and features are rounded down to kernels.
func TestDefaults(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 5, 30)
	row := x.RawRowView(2)
	a := testkit.Must(timeseries.NewMiniRocket(x, 84*3+83, nil, nil))
	b := testkit.Must(timeseries.NewMiniRocket(x, 84*3, featuremap.NewSampler(0), &timeseries.Options{Channels: 1}))
	if !slices.Equal(a.TransformVec(nil, row), b.TransformVec(nil, row)) {
		t.Error("nil arguments give another MiniRocket")
	}
	h := testkit.Must(timeseries.NewHydra(x, nil, nil))
	g := testkit.Must(timeseries.NewHydra(x, featuremap.NewSampler(0), &timeseries.Options{Channels: 1}))
	if !slices.Equal(h.TransformVec(nil, row), g.TransformVec(nil, row)) {
		t.Error("nil arguments give another Hydra")
	}
}

// Zero values are no maps.
func TestZeroValues(t *testing.T) {
	for _, m := range []featuremap.FeatureMap{new(timeseries.MiniRocket), new(timeseries.Hydra)} {
		if in, out := m.Dims(); in != 0 || out != 0 || m.Kernel() != nil || fmt.Sprint(m) != "a zero value, which is no map" {
			t.Errorf("%T: Dims %d and %d, kernel %v: %v", m, in, out, m.Kernel(), m)
		}
		for _, f := range []func(){
			func() { m.TransformVec(nil, nil) },
			func() { m.TransformTo(new(mat.Dense), mat.NewDense(2, 9, nil)) },
		} {
			func() {
				defer func() {
					if v := recover(); v != mat.ErrShape {
						t.Errorf("%T: panic %v, want %v", m, v, mat.ErrShape)
					}
				}()
				f()
			}()
		}
		if _, err := featuremap.NewPlan(featuremap.FromMap(m), nil, 10, &featuremap.PlanOptions{In: 9}); err == nil {
			t.Errorf("%T: a plan of a zero value", m)
		}
	}
}

func TestString(t *testing.T) {
	s := featuremap.NewSampler(1)
	for want, m := range map[string]featuremap.FeatureMap{
		"MiniRocket of series of 50 values: 840 features, 6 dilations":                      testkit.Must(rocket(50, 900, s, nil)),
		"MiniRocket of series of 25 values in each of 2 channels: 84 features, 1 dilations": testkit.Must(rocket(50, 84, s, &timeseries.Options{Channels: 2})),
		"Hydra of series of 50 values: 3072 features, 3 dilations":                          testkit.Must(hydra(50, s, nil)),
	} {
		if got := fmt.Sprint(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := fmt.Sprint(m.Kernel()); got != "FromMap("+want+")" {
			t.Errorf("the kernel is %q", got)
		}
	}
}

// Constant series, of one level or several, have features that are finite, and zeros where nothing varies.
func TestConstant(t *testing.T) {
	for _, level := range []float64{0, 1} {
		x := mat.NewDense(6, 40, nil)
		x.Apply(func(i, _ int, _ float64) float64 { return level * float64(i) }, x)
		for _, m := range []featuremap.FeatureMap{
			testkit.Must(timeseries.NewMiniRocket(x, 840, nil, nil)),
			testkit.Must(timeseries.NewHydra(x, nil, nil)),
		} {
			for i := range 6 {
				for j, v := range m.TransformVec(nil, x.RawRowView(i)) {
					if math.Abs(v) > 1e3 || math.IsNaN(v) || level == 0 && v != 0 {
						t.Fatalf("%T, level %v: feature %d of row %d is %v", m, level, j, i, v)
					}
				}
			}
		}
	}
}

// A feature that all rows share says nothing of new rows: it is 0, not their distance in units of rounding, and saved as such.
func TestSharedFeatures(t *testing.T) {
	s := featuremap.NewSampler(1)
	one, other := walks(s, 1, 120), walks(s, 1, 120)
	x := mat.NewDense(5, 120, nil)
	for i := range 5 {
		x.SetRow(i, one.RawRowView(0))
	}
	for _, m := range []featuremap.FeatureMap{
		testkit.Must(timeseries.NewMiniRocket(x, 840, nil, nil)),
		testkit.Must(timeseries.NewHydra(x, nil, nil)),
	} {
		got := m.TransformVec(nil, other.RawRowView(0))
		for j, v := range got {
			if !(math.Abs(v) <= 120) || v == 0 && math.Signbit(v) {
				t.Fatalf("%T: feature %d is %v", m, j, v)
			}
		}
		var file bytes.Buffer
		if err := featuremap.Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		if read := testkit.Must(featuremap.Decode(&file, nil)); !slices.Equal(read.TransformVec(nil, other.RawRowView(0)), got) {
			t.Errorf("%T has other features as it is read", m)
		}
	}
}

// Series that are flat in parts, or zero, keep their features when a program that prepares them rounds otherwise: with
// values moved by up to 1e-12 of their magnitude, and with a level that is taken from each series.
func TestFlat(t *testing.T) {
	for _, scale := range []float64{1, 1e-5, 1e5} {
		s := featuremap.NewSampler(uint64(scale))
		const n, channels, length = 40, 2, 90
		x := mat.NewDense(n, channels*length, nil)
		for i := range n {
			for c := range channels {
				row, level := x.RawRowView(i)[c*length:][:length], scale*s.Float64()
				if (i+c)%7 == 0 {
					continue // a series of zeros
				}
				for p := range row {
					row[p] = level // from 30 + i%20 on, after a walk
				}
				for p := 30 + i%20; p > 0; p-- {
					row[p-1] = row[p] + scale*(s.Float64()-0.5)
				}
			}
		}
		moved := mat.NewDense(n, channels*length, nil)
		moved.Apply(func(_, _ int, v float64) float64 { return v + 1e-12*scale*(s.Float64()-0.5) }, x)
		for _, opts := range []*timeseries.Options{nil, {Channels: channels}} {
			for name, m := range map[string]featuremap.FeatureMap{
				"MiniRocket": testkit.Must(timeseries.NewMiniRocket(x, 84*50, nil, opts)),
				"Hydra":      testkit.Must(timeseries.NewHydra(x, nil, opts)),
			} {
				var z, of mat.Dense
				m.TransformTo(&z, x)
				m.TransformTo(&of, moved)
				of.Sub(&of, &z)
				// Sums of 90 responses that are off by 1e-12 each are off by 1e-10, and roots of sums that count, which are
				// above 1e-7, by 1e-7; deviations are above .01.
				if off := max(mat.Max(&of), -mat.Min(&of)); !(off <= 1e-5) {
					t.Errorf("%s of %v, scale %v: features differ by %v", name, opts, scale, off)
				}
			}
		}
	}
}

// A code for what is missing, or a level, far above the signal leaves the features that say something: rows of two classes, of which one has
// waves twice as fast, are told apart by the nearest center.
func TestSmallSignals(t *testing.T) {
	for name, c := range map[string]struct{ code, level float64 }{"codes": {-1e9, 0}, "large codes": {1e20, 0}, "level": {0, 1e6}} {
		s := featuremap.NewSampler(5)
		const n, length = 60, 80
		x := mat.NewDense(n, length, nil)
		for i := range n {
			phase := s.Float64()
			for p := range length {
				_, wave := math.Modf(float64(p*(1+i%2))/20 + phase)
				x.Set(i, p, c.level+math.Abs(wave-0.5)+0.1*s.Float64())
			}
			if c.code != 0 {
				x.Set(i, 40, c.code)
			}
		}
		for kind, m := range map[string]featuremap.FeatureMap{
			"MiniRocket": testkit.Must(timeseries.NewMiniRocket(x.Slice(0, 40, 0, length), 84*30, nil, nil)),
			"Hydra":      testkit.Must(timeseries.NewHydra(x.Slice(0, 40, 0, length), nil, nil)),
		} {
			var z mat.Dense
			m.TransformTo(&z, x)
			_, out := z.Dims()
			centers := mat.NewDense(2, out, nil)
			for i := range 40 {
				for j, v := range z.RawRowView(i) {
					centers.Set(i%2, j, centers.At(i%2, j)+v/20)
				}
			}
			right := 0
			for i := 40; i < n; i++ {
				var d [2]float64
				for k := range d {
					for j, v := range z.RawRowView(i) {
						d[k] += (v - centers.At(k, j)) * (v - centers.At(k, j))
					}
				}
				if d[i%2] < d[1-i%2] {
					right++
				}
			}
			if right < 19 {
				t.Errorf("%s, %s: %d of 20 rows", kind, name, right)
			}
		}
	}
}

// Values beyond 1e300 make the features of their row NaN; up to there all are finite.
func TestHuge(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 6, 40)
	for _, m := range []featuremap.FeatureMap{
		testkit.Must(timeseries.NewMiniRocket(x, 840, nil, &timeseries.Options{Channels: 2})),
		testkit.Must(timeseries.NewHydra(x, nil, &timeseries.Options{Channels: 2})),
	} {
		row := make([]float64, 40)
		for j := range row {
			row[j] = 1e300 * float64(1-j%2*2)
		}
		if z := m.TransformVec(nil, row); slices.ContainsFunc(z, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat64) }) {
			t.Errorf("%T: features of values of 1e300 are not finite", m)
		}
		row[7] = 1.1e300
		if z := m.TransformVec(nil, row); slices.ContainsFunc(z, func(v float64) bool { return !math.IsNaN(v) }) {
			t.Errorf("%T: features of a value of 1.1e300 are not NaN", m)
		}
	}
}

// Rows that are lists with an entry twice, or outside, panic as those of other maps.
func TestLists(t *testing.T) {
	for _, m := range []featuremap.FeatureMap{testkit.Must(rocket(9, 84, nil, nil)), testkit.Must(hydra(9, nil, nil))} {
		for want, row := range map[error][]testkit.Entry{
			featuremap.ErrDuplicate: {{J: 8, V: 1}, {J: 2, V: 0}, {J: 8, V: 3}},
			mat.ErrColAccess:        {{J: 9, V: 1}},
		} {
			func() {
				defer func() {
					if v := recover(); v != want {
						t.Errorf("%T: panic %v, want %v", m, v, want)
					}
				}()
				m.TransformTo(new(mat.Dense), &testkit.Lists{In: 9, Rows: [][]testkit.Entry{row}})
			}()
		}
	}
}

// Features have mean squares that their scaling says, over the rows that maps are made from.
func TestScaled(t *testing.T) {
	x := walks(featuremap.NewSampler(1), 40, 60)
	var z mat.Dense
	testkit.Must(timeseries.NewMiniRocket(x, 840, nil, nil)).TransformTo(&z, x)
	n, out := z.Dims()
	for j := range out {
		var sum, squares float64
		for i := range n {
			sum += z.At(i, j)
			squares += z.At(i, j) * z.At(i, j)
		}
		if variance := squares/float64(n) - sum/float64(n)*sum/float64(n); math.Abs(variance-1) > 1e-9 && !(sum == 0 && squares == 0) {
			t.Errorf("feature %d has the variance %v", j, variance)
		}
	}
}
