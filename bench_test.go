// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// The benchmarks transform n = 1000 rows, or one, to D = 4096 features. Compare the
// figures of one run with each other: machines differ, and are noisy. For one core,
//
//	go test -run - -bench . -cpu 1
const (
	benchRows     = 1000
	benchFeatures = 4096
)

var benchDims = []int{16, 64, 256, 784}

// benchForms are the forms of a Fourier map, with the number of frequencies of each.
var benchForms = []struct {
	name        string
	options     FourierOptions
	frequencies int
}{
	{"pairs", FourierOptions{}, benchFeatures / 2},
	{"phase", FourierOptions{RandomPhase: true}, benchFeatures},
}

// benchMaps are those forms, and structured pairs.
var benchMaps = append(benchForms[:len(benchForms):len(benchForms)], struct {
	name        string
	options     FourierOptions
	frequencies int
}{"structured", FourierOptions{Design: Structured}, benchFeatures / 2})

// benchMap returns a Gaussian map of R^d and points for it.
func benchMap(b *testing.B, d int, o FourierOptions) (*Fourier, *mat.Dense) {
	b.Helper()
	f, err := NewFourier(Gaussian{LengthScale: math.Sqrt(float64(d))}, d, benchFeatures, NewSampler(1), &o)
	if err != nil {
		b.Fatal(err)
	}
	x := mat.NewDense(benchRows, d, nil)
	NewSampler(2).FillNormal(x.RawMatrix().Data)
	return f, x
}

// report adds the time of a feature, and the rate of the 2·d·frequencies operations that
// the dense projection of each row takes.
func report(b *testing.B, rows, d, frequencies int) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(seconds*1e9/float64(rows)/benchFeatures, "ns/feature")
	b.ReportMetric(2*float64(d)*float64(frequencies)*float64(rows)/seconds/1e9, "GFLOP/s")
}

// measure runs f b.N times and reports the CPU time of one core, in addition to what report does. For dense maps it
// also reports the percentage of the core's peak rate of fused multiply-adds, which it then measures.
func measure(b *testing.B, rows, d, frequencies int, dense bool, f func(i int)) {
	b.ResetTimer()
	start := peak.CPU()
	for i := range b.N {
		f(i)
	}
	b.StopTimer()
	seconds := (peak.CPU() - start).Seconds() / float64(b.N)
	report(b, rows, d, frequencies)
	b.ReportMetric(seconds*1e9, "cpu-ns/op")
	if !dense {
		return
	}
	if peak := peak.FMA(tier.Best()); peak > 0 {
		rate := 2 * float64(d) * float64(frequencies) * float64(rows) / seconds / 1e9
		b.ReportMetric(100*rate/peak, "%peak")
		b.ReportMetric(peak, "peakGFLOP/s")
	}
}

func BenchmarkFourierBatch(b *testing.B) {
	for _, form := range benchMaps {
		for _, d := range benchDims {
			b.Run(fmt.Sprintf("%s/d=%d", form.name, d), func(b *testing.B) {
				f, x := benchMap(b, d, form.options)
				var z mat.Dense
				f.TransformTo(&z, x)
				b.ReportAllocs()
				measure(b, benchRows, d, form.frequencies, form.options.Design != Structured, func(int) {
					f.TransformTo(&z, x)
				})
			})
		}
	}
}

func BenchmarkFourierRow(b *testing.B) {
	for _, form := range benchMaps {
		for _, d := range benchDims {
			b.Run(fmt.Sprintf("%s/d=%d", form.name, d), func(b *testing.B) {
				f, x := benchMap(b, d, form.options)
				z := make([]float64, benchFeatures)
				b.ReportAllocs()
				measure(b, 1, d, form.frequencies, form.options.Design != Structured, func(i int) {
					f.TransformVec(z, x.RawRowView(i%benchRows))
				})
			})
		}
	}
}

// BenchmarkGonum is what one would write without this package: gonum's Mul by the transposed frequencies, then math.Cos
// and math.Sin.
func BenchmarkGonum(b *testing.B) {
	for _, form := range benchForms {
		for _, d := range benchDims {
			for _, rows := range []int{benchRows, 1} {
				b.Run(fmt.Sprintf("%s/d=%d/rows=%d", form.name, d, rows), func(b *testing.B) {
					f, points := benchMap(b, d, form.options)
					x := points.Slice(0, rows, 0, d)
					w, phases := f.Frequencies(), f.Phases()
					var t mat.Dense
					z := mat.NewDense(rows, benchFeatures, nil)
					measure(b, rows, d, form.frequencies, false, func(int) {
						t.Mul(x, w.T())
						plainFeatures(z, &t, phases)
					})
				})
			}
		}
	}
}

// plainFeatures sets z to the features whose projections are t: the random-phase form
// with phases, the pair form without.
func plainFeatures(z, t *mat.Dense, phases []float64) {
	scale := math.Sqrt(2.0 / benchFeatures)
	rows, frequencies := t.Dims()
	for i := range rows {
		row, tRow := z.RawRowView(i), t.RawRowView(i)
		if phases != nil {
			for j, v := range tRow {
				row[j] = scale * math.Cos(v+phases[j])
			}
			continue
		}
		for j, v := range tRow {
			sin, cos := math.Sincos(v)
			row[j], row[frequencies+j] = scale*cos, scale*sin
		}
	}
}

// The benchmark's plain gonum code computes the same features.
func TestPlainFeatures(t *testing.T) {
	for _, form := range benchForms {
		f, err := NewFourier(Gaussian{LengthScale: 2}, 5, benchFeatures, NewSampler(1), &form.options)
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(7, 5, nil)
		NewSampler(2).FillNormal(x.RawMatrix().Data)
		var want, projected mat.Dense
		f.TransformTo(&want, x)
		projected.Mul(x, f.Frequencies().T())
		got := mat.NewDense(7, benchFeatures, nil)
		plainFeatures(got, &projected, f.Phases())
		if !mat.EqualApprox(got, &want, 1e-14) {
			t.Errorf("%s: plain gonum code computes other features", form.name)
		}
	}
}

// BenchmarkNewFourier is the time of a construction.
func BenchmarkNewFourier(b *testing.B) {
	for _, design := range []Design{Independent, Orthogonal} {
		for _, form := range benchForms {
			for _, d := range benchDims {
				b.Run(fmt.Sprintf("%v/%s/d=%d", design, form.name, d), func(b *testing.B) {
					o := form.options
					o.Design = design
					for range b.N {
						if _, err := NewFourier(Gaussian{LengthScale: 1}, d, benchFeatures, NewSampler(1), &o); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkMaclaurin reports the time of a feature and of a factor. Factors are the linear forms whose products the
// features are. Compare one with a feature of the Fourier map with RandomPhase, which is one form.
func BenchmarkMaclaurin(b *testing.B) {
	k := ExpDot{LengthScale: 1}
	for _, c := range []struct {
		name    string
		options MaclaurinOptions
	}{
		{"geometric/Rademacher", MaclaurinOptions{}},
		{"geometric/Rademacher,complex", MaclaurinOptions{Complex: true}},
		{"geometric/TensorSRHT", MaclaurinOptions{Sketch: TensorSRHT}},
		{"geometric/TensorSRHT,complex", MaclaurinOptions{Sketch: TensorSRHT, Complex: true}},
		{"optimal/Rademacher", MaclaurinOptions{Law: series.OptimalLaw{}, ExactDegree: 1}},
		{"optimal/TensorSRHT", MaclaurinOptions{Law: series.OptimalLaw{}, ExactDegree: 1, Sketch: TensorSRHT}},
	} {
		for _, d := range benchDims {
			b.Run(fmt.Sprintf("%s/d=%d", c.name, d), func(b *testing.B) {
				m, err := NewMaclaurin(k, d, benchFeatures, NewSampler(1), &c.options)
				if err != nil {
					b.Fatal(err)
				}
				x := mat.NewDense(benchRows, d, nil)
				NewSampler(2).FillNormal(x.RawMatrix().Data)
				x.Scale(1/math.Sqrt(float64(d)), x)
				var z mat.Dense
				m.TransformTo(&z, x)
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					m.TransformTo(&z, x)
				}
				factors := 0
				for _, n := range m.Degrees() {
					factors += n
				}
				perRow := b.Elapsed().Seconds() * 1e9 / float64(b.N*benchRows)
				b.ReportMetric(perRow/benchFeatures, "ns/feature")
				b.ReportMetric(perRow/float64(factors), "ns/factor")
			})
		}
	}
}

// BenchmarkCompositional is a skeleton of two convolutions over 24×24 pixels of three channels,
// with some draws and with as many as give a million columns: the construction, by draw, and
// the transform of 64 images, by column.
func BenchmarkCompositional(b *testing.B) {
	sk := NewSkeleton(24 * 24 * 3)
	sk.Image(24, 24, 3, Circle{}).Conv(series.ExpDual(1), 5, 2).Conv(series.ReLUDual{}, 4, 2).Dense(series.ReLUDual{})
	for _, draws := range []int{10_000, 2_800_000} {
		b.Run(fmt.Sprintf("new/draws=%d", draws), func(b *testing.B) {
			for range b.N {
				if _, err := NewCompositional(sk, draws, NewSampler(1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*draws), "ns/draw")
		})
		b.Run(fmt.Sprintf("transform/draws=%d", draws), func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			m, err := NewCompositional(sk, draws, NewSampler(1))
			if err != nil {
				b.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			_, columns := m.Dims()
			const rows = 64
			x := mat.NewDense(rows, 24*24*3, nil)
			NewSampler(2).FillNormal(x.RawMatrix().Data)
			var z mat.Dense
			m.TransformTo(&z, x)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				m.TransformTo(&z, x)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*rows*columns), "ns/feature")
			b.ReportMetric(float64(columns), "columns")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(columns), "B/column")
		})
	}
}

// BenchmarkNew is the maps of New for kernels of every kind: a matrix of rows, and one row.
func BenchmarkNew(b *testing.B) {
	for _, d := range benchDims {
		g := Gaussian{LengthScale: math.Sqrt(float64(d))}
		for _, c := range []struct {
			name   string
			kernel Kernel
		}{
			{"Gaussian", g},
			{"ExpDot", ExpDot{LengthScale: 1}},
			{"ArcCosine0", ArcCosine{Order: 0}},
			{"ArcCosine1", ArcCosine{Order: 1}},
			{"ArcCosine2", ArcCosine{Order: 2}},
			{"Sum(Gaussian,Linear)", Sum(g, Linear{})},
			{"Product(Gaussian,ExpDot)", Product(g, ExpDot{LengthScale: 1})},
			{"Product(Gaussian,Linear)", Product(g, Linear{})},
			{"Weight(Gaussian)", Weight(WeightFunc(benchWeight), g)},
			{"Laplacian", Laplacian(g)},
		} {
			m, err := testkit.New(c.kernel, d, benchFeatures, NewSampler(1))
			if err != nil {
				b.Fatal(err)
			}
			x := mat.NewDense(benchRows, d, nil)
			NewSampler(2).FillNormal(x.RawMatrix().Data)
			x.Scale(1/math.Sqrt(float64(d)), x)
			_, columns := m.Dims()
			b.Run(fmt.Sprintf("%s/d=%d/batch", c.name, d), func(b *testing.B) {
				var z mat.Dense
				for range b.N {
					m.TransformTo(&z, x)
				}
				report(b, benchRows, d, columns)
			})
			b.Run(fmt.Sprintf("%s/d=%d/row", c.name, d), func(b *testing.B) {
				z := make([]float64, columns)
				for range b.N {
					m.TransformVec(z, x.RawRowView(0))
				}
				report(b, 1, d, columns)
			})
		}
	}
}

func benchWeight(x []float64) float64 { return 1 + x[0]*x[0] }

// BenchmarkSparseRows transforms 1000 rows of 10,000 coordinates, 50 of which are not zero, to 1024 Gaussian
// pairs: dense, and as lists of non-zeros.
func BenchmarkSparseRows(b *testing.B) {
	const in, pairs, nonZeros = 10_000, 1024, 50
	f, err := NewFourier(Gaussian{LengthScale: 100}, in, 2*pairs, NewSampler(1), nil)
	if err != nil {
		b.Fatal(err)
	}
	s := NewSampler(2)
	x := mat.NewDense(benchRows, in, nil)
	lists := &testkit.Lists{In: in, Rows: make([][]testkit.Entry, benchRows)}
	for i := range benchRows {
		for k := range nonZeros {
			j, v := k*in/nonZeros+s.IntN(in/nonZeros), s.Normal()
			x.Set(i, j, v)
			lists.Rows[i] = append(lists.Rows[i], testkit.Entry{J: j, V: v})
		}
	}
	dst := mat.NewDense(benchRows, 2*pairs, nil)
	for _, c := range []struct {
		name string
		x    mat.Matrix
	}{{"dense", x}, {"lists", lists}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				f.TransformTo(dst, c.x)
			}
		})
	}
}
