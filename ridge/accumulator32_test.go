// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/golden"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// exactly returns x in float32, with a gap between the rows, and makes x these numbers.
func exactly(x *mat.Dense) blas32.General {
	n, d := x.Dims()
	g := blas32.General{Rows: n, Cols: d, Stride: d + 2, Data: make([]float32, (n-1)*(d+2)+d)}
	for i := range n {
		for j := range d {
			v := float32(x.At(i, j))
			g.Data[i*g.Stride+j] = v
			x.Set(i, j, float64(v))
		}
	}
	return g
}

// part returns the rows [lo, hi).
func part(x blas32.General, lo, hi int) blas32.General {
	x.Rows, x.Data = hi-lo, x.Data[lo*x.Stride:(hi-1)*x.Stride+x.Cols]
	return x
}

// add32 adds rows in batches.
func add32(t testing.TB, a *Accumulator32, x blas32.General, y *mat.Dense, batch int) {
	t.Helper()
	_, targets := y.Dims()
	for lo := 0; lo < x.Rows; lo += batch {
		hi := min(lo+batch, x.Rows)
		if err := a.Add(part(x, lo, hi), y.Slice(lo, hi, 0, targets)); err != nil {
			t.Fatal(err)
		}
	}
}

// predicted returns the predictions of a model for some rows.
func predicted(m *Model32, x blas32.General) blas32.General {
	dst := blas32.General{Rows: x.Rows, Cols: len(m.NoiseVariance()), Stride: len(m.NoiseVariance()), Data: make([]float32, x.Rows*len(m.NoiseVariance()))}
	m.PredictTo(dst, x)
	return dst
}

// numbers32 returns the bits of all numbers of a model, its predictions at some points included.
func numbers32(m *Model32, x blas32.General) []uint64 {
	all := bits(slices.Concat(m.NoiseVariance(), m.Intercept(), m.Weights().RawMatrix().Data, m.Lambda()))
	all = append(all, bits(leftOutOf(m))...)
	for _, v := range predicted(m, x).Data {
		all = append(all, uint64(math.Float32bits(v)))
	}
	return all
}

// apart returns ‖v − w‖/‖w‖.
func apart(v, w *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(v, w)
	return mat.Norm(&d, 2) / mat.Norm(w, 2)
}

// Weights and noise agree with float64 to 5e-8 times the condition of A, and predictions to less than a fifth of the noise, down
// to the least λ that is taken. With -long a table by condition follows.
func TestFit32Error(t *testing.T) {
	type set struct {
		n, in, out, targets int
		length              float64
	}
	sets := []set{{60, 2, 30, 1, 2}, {700, 3, 101, 2, 2}, {2000, 4, 128, 1, 2}, {150, 3, 300, 1, 2}}
	if testkit.Long() {
		sets = append(sets, set{100, 3, 256, 1, 1}, set{1000, 3, 256, 1, 1}, set{10000, 3, 256, 1, 1}, set{10000, 3, 256, 1, 4}, set{300, 8, 1024, 1, 2},
			set{2000, 8, 1024, 1, 8}, set{5000, 8, 1024, 1, 4}, set{1000, 2, 1024, 1, 1})
	}
	largest := make(map[int][3]float64) // error of weights, predictions and noise, by the power of ten of the condition
	for _, c := range sets {
		phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: c.length}, c.in, c.out, featuremap.NewSampler(1), &featuremap.FourierOptions{RandomPhase: true}))
		x, y := data(c.n, c.in, c.targets, 30)
		x32 := exactly(x)
		a, a32 := must(NewAccumulator(phi, c.targets)), must(NewAccumulator32(must(featuremap.Float32(phi)), c.targets))
		if err := a.Add(x, y); err != nil {
			t.Fatal(err)
		}
		add32(t, a32, x32, y, c.n)
		least := math.Inf(1)
		for _, power := range []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1} {
			o := &Options{Lambda: power * float64(c.n) / float64(c.out), NoIntercept: c.targets == 2}
			fitted, err := a32.Fit(o)
			if err != nil {
				if !strings.Contains(err.Error(), "is too small for sums of float32") || power > 1e-5 {
					t.Error(err)
				}
				continue
			}
			least = min(least, power)
			m, want := must(fitted.Float32()), must(a.Fit(o))
			condition := conditionOf(want)
			off := [3]float64{apart(m.Weights(), want.Weights()), rootMeanSquare(predicted(m, x32), want, x) / math.Sqrt(want.NoiseVariance()[0]),
				math.Abs(m.NoiseVariance()[0]/want.NoiseVariance()[0] - 1)}
			t.Logf("%+v, λ = %.0e: condition %.1e, off by %.1e", c, power, condition, off)
			if !(off[0] < 5e-8*condition+1e-7) || !(off[1] < 0.2) || !(off[2] < 5e-8*condition+1e-6) {
				t.Errorf("%+v, λ = %.0e: condition %.1e, weights, predictions and noise are off by %.2g", c, power, condition, off)
			}
			decade := int(math.Floor(math.Log10(condition)))
			worst := largest[decade]
			for i, v := range off {
				worst[i] = max(worst[i], v)
			}
			largest[decade] = worst
		}
		if least > 1e-4 {
			t.Errorf("%+v: no λ below %v was taken", c, least)
		}
	}
	for decade := range 11 {
		t.Logf("condition from 1e%d: %.1e", decade, largest[decade])
	}
}

// rootMeanSquare returns the root mean square of the differences of predictions from a model in float64.
func rootMeanSquare(got blas32.General, m *Model, x *mat.Dense) float64 {
	var want mat.Dense
	m.PredictTo(&want, x)
	var square float64
	for i, v := range got.Data {
		square += math.Pow(float64(v)-want.At(i/got.Cols, i%got.Cols), 2)
	}
	return math.Sqrt(square / float64(len(got.Data)))
}

// Sums and models have the same bits for any batches, of more than a block and of less, and any number of goroutines, whoever
// reads them meanwhile, and after a batch that is refused.
func TestFloat32BitsOfBatches(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct{ n, in, out, targets int }{{1000, 2, 5, 1}, {500, 3, 60, 2}} {
		phi := must(featuremap.Float32(fourier(c.in, c.out)))
		x, y := data(c.n, c.in, c.targets, 20)
		x32, test := exactly(x), exactly(mat.DenseCopyOf(x.Slice(0, 50, 0, c.in)))
		var want []byte
		var wantModel []uint64
		for i, batch := range []int{c.n, 1, 7, 144, 200} {
			runtime.GOMAXPROCS(1 + i%4)
			a := must(NewAccumulator32(phi, c.targets))
			for lo := 0; lo < c.n; lo += batch {
				hi := min(lo+batch, c.n)
				if batch == 200 { // between blocks
					bad := mat.NewDense(300, c.targets, nil)
					bad.Set(299, 0, 0x1p60)
					expectError(t, a.Add(part(x32, 0, 300), bad), fmt.Sprintf("ridge: y: row 299, column 0 = %v: must be finite and less than 2^59 in magnitude", 0x1p60))
					if a.Rows() > 0 {
						must(a.Fit(&Options{Lambda: 1}))
						written(a)
					}
				}
				add32(t, a, part(x32, lo, hi), mat.DenseCopyOf(y.Slice(lo, hi, 0, c.targets)), hi-lo)
			}
			got, model := written(a), numbers32(must(must(a.Fit(nil)).Float32()), test)
			if want == nil {
				want, wantModel = got, model
			}
			if !bytes.Equal(got, want) || a.Rows() != c.n {
				t.Errorf("%+v, batches of %d: the sums have other bits", c, batch)
			}
			equal(t, fmt.Sprintf("%+v, batches of %d", c, batch), model, wantModel)
		}
	}
}

// Saved sums have the same bits, and can be merged; shards together are the whole up to rounding.
func TestFloat32Merge(t *testing.T) {
	phi := must(featuremap.Float32(fourier(3, 40)))
	x, y := data(500, 3, 2, 8)
	x32 := exactly(x)
	whole, merged := must(NewAccumulator32(phi, 2)), must(NewAccumulator32(phi, 2))
	add32(t, whole, x32, y, 500)
	for _, rows := range [][2]int{{0, 200}, {200, 500}} {
		shard := must(NewAccumulator32(phi, 2))
		add32(t, shard, part(x32, rows[0], rows[1]), mat.DenseCopyOf(y.Slice(rows[0], rows[1], 0, 2)), 50)
		file := written(shard)
		decoded := must(ReadAccumulator32(bytes.NewReader(file), phi))
		if again := written(decoded); !bytes.Equal(again, file) || decoded.Rows() != shard.Rows() {
			t.Error("a file that was read is written differently")
		}
		if err := merged.Merge(decoded); err != nil {
			t.Fatal(err)
		}
		if rows[0] == 0 && !bytes.Equal(written(merged), file) {
			t.Error("merging into no rows changes bits")
		}
		equal(t, "model", bits(must(decoded.Fit(nil)).Weights().RawMatrix().Data), bits(must(shard.Fit(nil)).Weights().RawMatrix().Data))
		if err := decoded.Add(part(x32, 0, 1), y.Slice(0, 1, 0, 2)); err != nil || decoded.Rows() != shard.Rows()+1 {
			t.Errorf("an accumulator that was read: %d rows, %v", decoded.Rows(), err)
		}
	}
	o := &Options{Lambda: 0.1}
	if off := apart(must(merged.Fit(o)).Weights(), must(whole.Fit(o)).Weights()); !(off < 2e-4) || merged.Rows() != 500 {
		t.Errorf("weights of shards are off by %v", off)
	}
	// Rows that are added after reading a file begin a block; after a fit they do not.
	if err := whole.Merge(whole); err != nil || whole.Rows() != 1000 {
		t.Errorf("an accumulator and itself: %d rows, %v", whole.Rows(), err)
	}
	other := must(NewAccumulator32(must(featuremap.Float32(fourier(3, 42))), 2))
	same := must(NewAccumulator32(must(featuremap.Float32(must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 3, 40, featuremap.NewSampler(9), nil)))), 2))
	for _, c := range []struct {
		b    *Accumulator32
		want string
	}{
		{nil, "ridge: b = nil"}, {new(Accumulator32), "ridge: the accumulator is the zero value"},
		{other, "ridge: b is of a map R^3 → R^42: must be one R^3 → R^40"}, {same, "ridge: b is of another map, whose features differ"},
	} {
		expectError(t, merged.Merge(c.b), c.want)
	}
}

// Files of the two precisions are not mixed, and a file with a byte changed is refused.
func TestFloat32Files(t *testing.T) {
	phi := fourier(2, 12)
	x, y := data(20, 2, 1, 8)
	x32 := exactly(x)
	a, a32 := must(NewAccumulator(phi, 1)), must(NewAccumulator32(must(featuremap.Float32(phi)), 1))
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	add32(t, a32, x32, y, 20)
	file, file32 := encoded(a), written(a32)
	in32 := must(featuremap.Float32(phi))
	read32 := func(data []byte, phi *featuremap.Map32) error {
		a, err := ReadAccumulator32(bytes.NewReader(data), phi)
		if (a == nil) != (err != nil) {
			t.Errorf("%v, and an accumulator: %v", err, a != nil)
		}
		return err
	}
	_, err := ReadAccumulator(bytes.NewReader(file32), phi)
	expectError(t, err, "ridge: the data is of an accumulator in float32: ReadAccumulator32 reads it")
	expectError(t, read32(file, in32), "ridge: the data is of an accumulator in float64: ReadAccumulator reads it")
	expectError(t, read32(file32, nil), "ridge: phi = nil")
	expectError(t, read32(file32, must(featuremap.Float32(fourier(2, 14)))), "ridge: the data is of a map R^2 → R^12: phi is R^2 → R^14")
	for i := range file32 {
		bad := bytes.Clone(file32)
		bad[i] ^= 1 << (i % 8)
		if err := read32(bad, in32); err == nil {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	if _, err := a32.MarshalJSON(); err == nil {
		t.Error("it is saved as JSON")
	}
	if _, err := new(Accumulator32).WriteTo(io.Discard); err == nil {
		t.Error("a zero value is saved")
	}
}

// Rows with weights count as often, 0 leaves a row out, and few rows are kept.
func TestFloat32Weights(t *testing.T) {
	phi := must(featuremap.Float32(fourier(2, 20)))
	x, y := data(40, 2, 1, 9)
	x32 := exactly(x)
	weighted, twice := must(NewAccumulator32(phi, 1)), must(NewAccumulator32(phi, 1))
	weights := make([]float64, 40)
	for i := range 40 {
		weights[i] = float64(i % 3)
		for range i % 3 {
			add32(t, twice, part(x32, i, i+1), mat.DenseCopyOf(y.Slice(i, i+1, 0, 1)), 1)
		}
	}
	if err := weighted.KeepRows(0); err != nil {
		t.Fatal(err)
	}
	if err := weighted.AddWeighted(x32, y, weights); err != nil {
		t.Fatal(err)
	}
	o := &Options{Lambda: 0.1}
	if off := apart(must(weighted.Fit(o)).Weights(), must(twice.Fit(o)).Weights()); !(off < 2e-4) || weighted.Rows() != 26 {
		t.Errorf("weights of %d rows are off by %v", weighted.Rows(), off)
	}
	if _, err := weighted.Fit(&Options{Criterion: LeaveOneOut}); err == nil {
		t.Error("rows are left out where none were kept")
	}
}

// What is refused, and that it leaves no trace.
func TestFloat32Refuses(t *testing.T) {
	phi := must(featuremap.Float32(must(testkit.New(featuremap.Sum(featuremap.Gaussian{LengthScale: 2}, featuremap.Linear{}), 2, 12, featuremap.NewSampler(1)))))
	_, err := NewAccumulator32(nil, 1)
	expectError(t, err, "ridge: phi = nil")
	_, err = NewAccumulator32(new(featuremap.Map32), 1)
	expectError(t, err, "ridge: phi: R^0 → R^0 is no map")
	_, err = NewAccumulator32(phi, 0)
	expectError(t, err, "ridge: targets = 0: must be at least 1")
	a := must(NewAccumulator32(phi, 1))
	_, err = a.Fit(nil)
	expectError(t, err, "ridge: no rows: must be at least 1")
	x, y := data(30, 2, 1, 9)
	x32 := exactly(x)
	add32(t, a, x32, y, 30)
	before := written(a)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	row := func(v ...float32) blas32.General {
		return blas32.General{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
	}
	one := mat.NewDense(1, 1, nil)
	for _, c := range []struct {
		x    blas32.General
		y    mat.Matrix
		want string
	}{
		{row(nan, 1), one, "ridge: x: row 0, column 0 = NaN: must be finite"},
		{row(1, inf), one, "ridge: x: row 0, column 1 = +Inf: must be finite"},
		{row(1e20, 1), one, "must be finite and less than 2^59 in magnitude"},
		{row(1, 1, 1), one, "ridge: x has 3 columns, phi takes 2: must be as many"},
		{row(1, 1), nil, "ridge: y = nil"},
		{row(1, 1), mat.NewDense(2, 1, nil), "ridge: x has 1 rows, y 2: must be as many"},
		{row(1, 1), mat.NewDense(1, 1, []float64{0x1p59}), "less than 2^59 in magnitude"},
		{blas32.General{}, one, "ridge: x is 0×0: must have a row and a column"},
		{blas32.General{Rows: 2, Cols: 2, Stride: 1, Data: make([]float32, 9)}, one, "ridge: x is 2×2 with a stride of 1 and 9 numbers: must have a stride of 2 at least, and all rows"},
		{blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 3)}, one, "ridge: x is 2×2 with a stride of 2 and 3 numbers: must have a stride of 2 at least, and all rows"},
	} {
		if err := a.Add(c.x, c.y); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: want %q", err, c.want)
		}
	}
	for _, lambda := range []float64{1e-9, 0} {
		if _, err := a.Fit(&Options{Path: []float64{lambda}}); err == nil || !strings.Contains(err.Error(), "is too small for sums of float32") {
			t.Errorf("λ = %v: %v", lambda, err)
		}
	}
	if !bytes.Equal(written(a), before) {
		t.Error("the accumulator changed")
	}
	// Subnormal numbers are taken, and squares that underflow are told of.
	if err := a.Add(row(1e-44, 1e-40), one); err != nil {
		t.Error(err)
	}
	tiny := must(NewAccumulator32(phi, 1))
	y.Scale(1e-20, y)
	add32(t, tiny, x32, y, 30)
	if _, err := tiny.Fit(nil); err == nil || !strings.Contains(err.Error(), "underflow: multiply the column by a power of ten") {
		t.Errorf("tiny targets: %v", err)
	}
}

// The bits of sums, weights and predictions, which every tier and architecture computes.
func TestGoldenFloat32(t *testing.T) {
	var b bytes.Buffer
	for _, c := range []struct{ n, in, out, targets int }{{100, 2, 9, 1}, {300, 3, 55, 2}} {
		phi := must(featuremap.Float32(fourier(c.in, c.out)))
		x, y := mat.NewDense(c.n, c.in, nil), mat.NewDense(c.n, c.targets, nil)
		s := featuremap.NewSampler(4)
		fillUniform(s, x.RawMatrix().Data)
		fillUniform(s, y.RawMatrix().Data)
		x32 := exactly(x)
		a := must(NewAccumulator32(phi, c.targets))
		add32(t, a, x32, y, 70)
		fmt.Fprintf(&b, "%+v: sums %x\n", c, sha256.Sum256(written(a)))
		for _, o := range []*Options{nil, {Lambda: 0.01, NoIntercept: true}} {
			m := must(must(a.Fit(o)).Float32())
			fmt.Fprintf(&b, "%+v, λ = %x: noise %x, intercept %x, weights %x, predictions %x\n", c, m.Lambda()[0], m.NoiseVariance(), m.Intercept(),
				m.Weights().RawMatrix().Data[:5], predicted(m, part(x32, 0, 5)).Data)
		}
	}
	golden.Compare(t, "float32.golden", b.Bytes())
}
