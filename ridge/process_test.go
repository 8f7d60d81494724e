// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// A process is the Gaussian process of a model by the dense formulas on n points: targets have the covariance σ²M,
// M = I + ΦΦᵀ/λ, and their common mean, if any, a flat prior.
type process struct {
	inverse   *mat.SymDense // M⁻¹
	logDet    float64       // of M
	ones      *mat.VecDense
	precision float64 // 1ᵀM⁻¹1; 0 without an intercept
	z         *mat.Dense
	lambda    float64
}

func newProcess(t *testing.T, z *mat.Dense, lambda float64, intercept bool) *process {
	n, _ := z.Dims()
	var m mat.SymDense
	m.SymOuterK(1/lambda, z)
	for i := range n {
		m.SetSym(i, i, m.At(i, i)+1)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&m) {
		t.Fatal("not positive definite")
	}
	p := &process{inverse: new(mat.SymDense), logDet: chol.LogDet(), ones: mat.NewVecDense(n, nil), z: z, lambda: lambda}
	if err := chol.InverseTo(p.inverse); err != nil {
		t.Fatal(err)
	}
	if intercept {
		for i := range n {
			p.ones.SetVec(i, 1)
		}
		p.precision = mat.Inner(p.ones, p.inverse, p.ones)
	}
	return p
}

// level is the estimate of the common mean by generalized least squares.
func (p *process) level(y mat.Vector) float64 {
	if p.precision == 0 {
		return 0
	}
	return mat.Inner(p.ones, p.inverse, y) / p.precision
}

// residual is yᵀM⁻¹y, where the flat prior takes off what the mean explains.
func (p *process) residual(y mat.Vector) float64 {
	c := p.level(y)
	return mat.Inner(y, p.inverse, y) - c*c*p.precision
}

// freedom is the number of targets, less the mean.
func (p *process) freedom() float64 {
	if p.precision == 0 {
		return float64(p.ones.Len())
	}
	return float64(p.ones.Len() - 1)
}

// logEvidence is the log density of y, with the mean integrated out:
//
//	−½(yᵀPy/σ² + log|σ²M| + (n−1 or n)·log 2π − log σ² + log(1ᵀM⁻¹1))
//
// P = M⁻¹ − M⁻¹11ᵀM⁻¹/(1ᵀM⁻¹1), the last two terms with an intercept.
func (p *process) logEvidence(y mat.Vector, noise float64) float64 {
	l := p.residual(y)/noise + p.logDet + p.freedom()*math.Log(2*math.Pi*noise)
	if p.precision != 0 {
		l += math.Log(p.precision)
	}
	return -l / 2
}

// predict is the mean at a point and the variance over σ², by conditioning; with a mean of flat prior, universal kriging.
func (p *process) predict(f []float64, y mat.Vector) (mean, variance float64) {
	fv := mat.NewVecDense(len(f), f)
	n := p.ones.Len()
	k, r := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	k.MulVec(p.z, fv)
	k.ScaleVec(1/p.lambda, k)
	c := p.level(y)
	r.AddScaledVec(y, -c, p.ones)
	mean = mat.Inner(k, p.inverse, r)
	variance = mat.Dot(fv, fv)/p.lambda - mat.Inner(k, p.inverse, k)
	if p.precision != 0 {
		mean += c
		rest := 1 - mat.Inner(p.ones, p.inverse, k)
		variance += rest * rest / p.precision
	}
	return mean, variance
}

// Noise, evidence, mean and variance of the posterior are those of a Gaussian process on n points, with the common
// mean integrated out under a flat prior. M has a condition number of at most 1 + ‖ΦΦᵀ‖/λ ≤ 1e6 here, so that both
// sides are right to about 1e-9.
func TestGaussianProcess(t *testing.T) {
	const limit = 1e-8
	for _, c := range []struct{ n, in, out, targets int }{
		{40, 2, 60, 1}, {40, 2, 60, 3}, {90, 3, 30, 1}, {90, 3, 30, 3}, {31, 1, 32, 2},
	} {
		phi := fourier(c.in, c.out)
		x, y := data(c.n, c.in, c.targets, 5)
		test, _ := data(20, c.in, 1, 6)
		z := features(phi, x)
		for _, noIntercept := range []bool{false, true} {
			for _, lambda := range []float64{1e-3, 0.3, 50} {
				name := fmt.Sprintf("%+v, NoIntercept %v, λ = %v", c, noIntercept, lambda)
				m := must(Fit(phi, x, y, &Options{Lambda: lambda, NoIntercept: noIntercept}))
				p := newProcess(t, z, lambda, !noIntercept)
				var means, variances mat.Dense
				m.PredictTo(&means, test)
				posteriorOf(m).VarianceTo(&variances, test)
				var evidence float64
				for target, noise := range m.NoiseVariance() {
					v := y.ColView(target)
					want := p.residual(v) / p.freedom()
					near(t, name+": noise", noise, want, limit*want)
					evidence += p.logEvidence(v, noise)
					for i := range 20 {
						mean, variance := p.predict(phi.TransformVec(nil, test.RawRowView(i)), v)
						near(t, name+": mean", means.At(i, target), mean, limit*(1+math.Abs(mean)))
						near(t, name+": variance", variances.At(i, target), noise*variance, limit*noise*(variance+1/lambda))
					}
				}
				near(t, name+": evidence", evidenceOf(m), evidence, limit*(math.Abs(evidence)+float64(c.n)))
			}
		}
	}
}

// near checks that got is within limit of want.
func near(t *testing.T, name string, got, want, limit float64) {
	t.Helper()
	if !(math.Abs(got-want) <= limit) {
		t.Errorf("%s = %v, want %v ± %.1e", name, got, want, limit)
	}
}

// The intercept's prior is flat: it is the limit of ever wider normal ones, where a constant feature of size c has the
// prior variance σ²c²/λ. Its variance adds an error of about λ/(c²n) to a function's variance, and the noise is of n
// degrees of freedom instead of n − 1; with c² = 1e7·λ rounding costs as much as that.
func TestFlatPrior(t *testing.T) {
	x, y := data(50, 2, 1, 7)
	phi := fourier(2, 30)
	const lambda, c = 0.5, 1e3
	m := must(Fit(phi, x, y, &Options{Lambda: lambda}))
	wide := must(Fit(withConstant{phi, c}, x, y, &Options{Lambda: lambda, NoIntercept: true}))
	test, _ := data(20, 2, 1, 8)
	for i := range 20 {
		row := test.RawRowView(i)
		near(t, "mean", wide.PredictVec(nil, row)[0], m.PredictVec(nil, row)[0], 1e-6)
		got, want := posteriorOf(wide).VarianceVec(nil, row)[0]/wide.NoiseVariance()[0], posteriorOf(m).VarianceVec(nil, row)[0]/m.NoiseVariance()[0]
		near(t, "variance over noise", got, want, 1e-6)
	}
	near(t, "noise", wide.NoiseVariance()[0]*50, m.NoiseVariance()[0]*49, 1e-6)
}

// withConstant is a map with one more feature, c.
type withConstant struct {
	featuremap.FeatureMap
	c float64
}

func (m withConstant) Dims() (in, out int) {
	in, out = m.FeatureMap.Dims()
	return in, out + 1
}

func (m withConstant) TransformTo(dst *mat.Dense, x mat.Matrix) { transformRows(m, dst, x) }

func (m withConstant) TransformVec(dst, x []float64) []float64 {
	_, out := m.FeatureMap.Dims()
	if dst == nil {
		dst = make([]float64, out+1)
	}
	m.FeatureMap.TransformVec(dst[:out], x)
	dst[out] = m.c
	return dst
}

// transformRows is TransformTo for maps that have TransformVec only.
func transformRows(m featuremap.FeatureMap, dst *mat.Dense, x mat.Matrix) {
	n, in := x.Dims()
	_, out := m.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	row := make([]float64, in)
	for i := range n {
		mat.Row(row, i, x)
		m.TransformVec(dst.RawRowView(i), row)
	}
}

// Functions drawn from the posterior have its moments. With R draws, a mean m, variances v and covariances c the scores are
//
//	(m̂ − m)/√(v/R),  (v̂/v − 1)/√(2/R),  (ĉ − c)/√((v₁v₂ + c²)/R)
//
// and exceed 5 with probability 6e-7 each. With R = 4000 a variance off by 11 % is out, and a correlation off by
// .08. The covariance is that of the dense formula, by polarization of a quadratic form.
func TestSample(t *testing.T) {
	const limit, points = 5, 4
	draws := testkit.Times(1000, 1000, 20_000)
	for _, noIntercept := range []bool{false, true} {
		phi := fourier(2, 24)
		x, y := data(60, 2, 2, 9)
		test, _ := data(points, 2, 1, 10)
		m := must(Fit(phi, x, y, &Options{Lambda: 0.2, NoIntercept: noIntercept}))
		p := newProcess(t, features(phi, x), 0.2, !noIntercept)
		zero := mat.NewVecDense(60, nil)
		s := featuremap.NewSampler(11)
		sums := make([]float64, 2*points)
		products := mat.NewSymDense(2*points, nil)
		want := predictions(m, test)
		for range draws {
			f := targetwise(values(must(posteriorOf(m).Sample(s)), test))
			for i := range f {
				f[i] -= want[i]
				sums[i] += f[i]
			}
			products.SymRankOne(products, 1, mat.NewVecDense(len(f), f))
		}
		r := float64(draws)
		covariance := func(i, j int) float64 {
			if i/points != j/points {
				return 0
			}
			f, g := phi.TransformVec(nil, test.RawRowView(i%points)), phi.TransformVec(nil, test.RawRowView(j%points))
			half := make([]float64, len(f))
			for k := range half {
				half[k] = (f[k] + g[k]) / 2
			}
			_, vf := p.predict(f, zero)
			_, vg := p.predict(g, zero)
			_, vh := p.predict(half, zero)
			return m.NoiseVariance()[i/points] * (2*vh - vf/2 - vg/2) // Var((f+g)/2) = (Vf + Vg + 2C)/4
		}
		for i := range sums {
			v := covariance(i, i)
			for j := range i {
				c, w := covariance(i, j), covariance(j, j)
				if z := (products.At(i, j)/r - c) / math.Sqrt((v*w+c*c)/r); !(math.Abs(z) < limit) {
					t.Errorf("NoIntercept %v: covariance of %d and %d is %v, want %v: score %.1f", noIntercept, i, j, products.At(i, j)/r, c, z)
				}
			}
			if z := sums[i] / r / math.Sqrt(v/r); !(math.Abs(z) < limit) {
				t.Errorf("NoIntercept %v: the mean of %d is off by a score of %.1f", noIntercept, i, z)
			}
			if z := (products.At(i, i)/r/v - 1) / math.Sqrt(2/r); !(math.Abs(z) < limit) {
				t.Errorf("NoIntercept %v: the variance of %d is %v, want %v: score %.1f", noIntercept, i, products.At(i, i)/r, v, z)
			}
		}
	}
}

// predictions returns the predictions of a model, target by target.
func predictions(m *Model, x mat.Matrix) []float64 {
	var p mat.Dense
	m.PredictTo(&p, x)
	return targetwise(&p)
}

// targetwise returns the columns of values, one after another.
func targetwise(v *mat.Dense) []float64 { return mat.DenseCopyOf(v.T()).RawMatrix().Data }

// values returns the values of a function, n×T.
func values(f *Function, x mat.Matrix) *mat.Dense {
	var v mat.Dense
	f.EvalTo(&v, x)
	return &v
}

// sampleBits returns the bits of the values of a function that is drawn from a model.
func sampleBits(m *Model, seed uint64, x mat.Matrix) []uint64 {
	return bits(values(must(posteriorOf(m).Sample(featuremap.NewSampler(seed))), x).RawMatrix().Data)
}

// Draws are those documented, from one Split.
func TestSampleDraws(t *testing.T) {
	x, y := data(40, 2, 3, 12)
	m := must(Fit(fourier(2, 20), x, y, nil))
	s, again := featuremap.NewSampler(3), featuremap.NewSampler(3)
	f := values(must(posteriorOf(m).Sample(s)), x)
	again.Split()
	if s.Uint64() != again.Uint64() {
		t.Error("Sample took something else than one Split")
	}
	child := featuremap.NewSampler(3).Split()
	normals := make([]float64, 3*21)
	child.FillNormal(normals)
	z := features(m.Map(), x)
	z = centered(z, columnMeans(z))
	for target := range 3 {
		var u, want mat.VecDense
		if err := u.SolveVec(cholesky(t, m, x, target), mat.NewVecDense(20, normals[target*21:][:20])); err != nil {
			t.Fatal(err)
		}
		want.MulVec(z, &u)
		for i := range 40 {
			v := m.PredictVec(nil, x.RawRowView(i))[target] + math.Sqrt(m.NoiseVariance()[target])*(want.AtVec(i)+normals[target*21+20]/math.Sqrt(40))
			near(t, "value of a sample", f.At(i, target), v, 1e-8*(math.Abs(v)+1))
		}
	}
}

// cholesky returns gonum's U of A = UᵀU of a model with an intercept, for a target.
func cholesky(t *testing.T, m *Model, x mat.Matrix, target int) *mat.TriDense {
	z := features(m.Map(), x)
	z = centered(z, columnMeans(z))
	var a mat.SymDense
	a.SymOuterK(1, z.T())
	for i := range a.SymmetricDim() {
		a.SetSym(i, i, a.At(i, i)+m.Lambda()[target])
	}
	var c mat.Cholesky
	if !c.Factorize(&a) {
		t.Fatal("not positive definite")
	}
	var u mat.TriDense
	c.UTo(&u)
	return &u
}

// MeanOnly predicts the same, and knows no variance.
func TestMeanOnly(t *testing.T) {
	x, y := data(40, 2, 2, 12)
	m := must(Fit(fourier(2, 20), x, y, nil))
	o := m.MeanOnly()
	equal(t, "predictions", bits(predictions(o, x)), bits(predictions(m, x)))
	const text = "ridge: no posterior: the model is of MeanOnly or float32, without the factors for it: take the model that was fitted in float64; PredictVec has the mean"
	if got := refused(o); got != text {
		t.Errorf("%q, want %q", got, text)
	}
	if o.Lambda()[0] != m.Lambda()[0] || conditionOf(o) != conditionOf(m) || evidenceOf(o) != evidenceOf(m) || o.Map() != m.Map() {
		t.Error("another model")
	}
}

// Predict has the bits of PredictVec and of StdDevTo, whose squares are the variances of the function and of the noise, added up.
func TestPredict(t *testing.T) {
	x, y := data(60, 2, 2, 14)
	test, _ := data(5, 2, 2, 15)
	landmarks := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 10, featuremap.NewSampler(1), nil))
	for name, m := range map[string]*Model{
		"features": must(Fit(fourier(2, 20), x, y, nil)), "landmarks": must(Fit(landmarks, x, y, nil)), "λ given": must(Fit(landmarks, x, y, &Options{Lambda: 0.1})),
		"noise known": must(Fit(fourier(2, 20), x, y, &Options{NoiseVariance: []float64{0.5}})),
	} {
		var sds mat.Dense
		m.StdDevTo(&sds, test)
		for i := range 5 {
			row := test.RawRowView(i)
			mean, sd := m.Predict(row)
			equal(t, name+": mean", bits(mean), bits(m.PredictVec(nil, row)))
			equal(t, name+": sd", bits(sd), bits(sds.RawRowView(i)))
			for k, v := range posteriorOf(m).VarianceVec(nil, row) {
				near(t, name+": sd", sd[k]*sd[k], v+m.NoiseVariance()[k], 1e-15*(v+m.NoiseVariance()[k])*4)
			}
		}
	}
	m := must(Fit(fourier(2, 20), x, y, nil))
	expectPanic(t, "a length", mat.ErrShape, func() { m.Predict([]float64{1}) })
	expectPanic(t, "a length, of a mean", mat.ErrShape, func() { m.MeanOnly().Predict([]float64{1}) })
	expectPanic(t, "a width, of a mean", mat.ErrShape, func() { m.MeanOnly().StdDevTo(new(mat.Dense), mat.NewDense(1, 3, nil)) })
}

// equal compares bits.
func equal(t *testing.T, name string, got, want []uint64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: number %d of %d is %v, want %v", name, i, len(got), math.Float64frombits(got[i]), math.Float64frombits(want[i]))
		}
	}
}

// expectPanic checks that f panics with want.
func expectPanic(t *testing.T, name string, want any, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("%s: panic %v, want %v", name, got, want)
		}
	}()
	f()
}
