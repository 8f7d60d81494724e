// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package special computes special functions that the kernels need and gonum does not have.
package special

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// Matern returns the Matérn correlation of smoothness nu > 0 at rho = r²/2ℓ² ≥ 0,
//
//	2^{1−ν}/Γ(ν)·z^ν·K_ν(z),  z = √(2ν)·r/ℓ = 2√(ν·rho).
//
// For ν = ½, 3/2 and 5/2 it is a polynomial times e^{−z}. For other ν it is the mean of
// exp(−rho·ν/γ) over γ with the Gamma distribution of shape ν: a Matérn kernel is this mixture of
// Gaussian kernels. With γ = ν·e^u,
//
//	∫ exp(ν(1 + u − e^u) − rho·e^{−u}) du / ∫ exp(ν(1 + u − e^u)) du,
//
// where the denominator is Γ(ν)·(e/ν)^ν. The integrand is analytic for |Im u| < π/2 and decays fast
// in both directions, so the trapezoidal rule converges exponentially, and the quotient loses
// nothing for large ν. The relative error is below 1e-12 for rho ≥ 1e-300 and results above 1e-300.
// It has the same bits on every machine.
func Matern(nu, rho float64) float64 {
	switch {
	case !(nu > 0) || math.IsNaN(rho):
		return math.NaN()
	case rho == 0:
		return 1
	case math.IsInf(rho, 1):
		return 0
	case nu > 1e22:
		return detmath.Exp(-rho) // to within rho²/ν
	}
	if z := 2 * math.Sqrt(nu) * math.Sqrt(rho); z < 800 { // e^{−800} is 0
		switch nu {
		case 0.5:
			return detmath.Exp(-z)
		case 1.5:
			return (1 + z) * detmath.Exp(-z)
		case 2.5:
			return (1 + z + float64(z*z)/3) * detmath.Exp(-z)
		}
	}
	// The exponent has its only maximum where ν(1 − e^u) + rho·e^{−u} = 0, at e^u = m = ½(1 + √(1 +
	// 4·rho/ν)). At peak + v it is lower by νm·E(v) + (rho/m)·E(−v), E(v) = e^v − 1 − v.
	q := rho / nu
	if math.IsInf(q, 1) {
		return 0
	}
	m := 1 + q/(0.5+math.Sqrt(0.25+q))
	peak := log1p(m - 1)
	right, left := float64(nu*m), rho/m
	// The integral along Im u = θ grows by at most cos^{−ν}θ. So the error of a step h is
	// e^{−2πθ/h}·cos^{−ν}θ for the best θ: below 1e-15 for every ν with this h.
	h := min(0.5/math.Sqrt(right+left), 0.18)
	sum := 1.0
	for _, step := range [2]float64{h, -h} {
		for v := step; ; v += step {
			t := detmath.Exp(-float64(right*expm1Minus(v)) - float64(left*expm1Minus(-v)))
			sum += t
			if t < 1e-18*sum {
				break
			}
		}
	}
	return min(1, h*sum*detmath.Exp(-float64(nu*expm1Minus(peak))-left-logGammaRest(nu)))
}

// MaternSlope returns the derivative of Matern with respect to rho,
//
//	−2ν·2^{1−ν}/Γ(ν)·z^{ν−1}·K_{ν−1}(z).
//
// For ν > 1 this is −ν/(ν−1) times the Matérn correlation of smoothness ν − 1 at the same z, and for ν < 1 it follows
// from the one of smoothness 1 − ν. At rho = 0 it is infinite for ν ≤ 1; there the function returns 0. The relative
// error is about 1e-7 within 1e-8 of ν = 1, and otherwise as for Matern.
func MaternSlope(nu, rho float64) float64 {
	const least = 1e-8
	rest := nu - 1
	if math.Abs(rest) < least {
		rest = least
	}
	if rest > 0 {
		if rho == 0 && nu <= 1+least {
			return 0
		}
		return -nu / rest * Matern(rest, nu*rho/rest)
	}
	if rho == 0 {
		return 0
	}
	// −2ν·2^{1−2ν}·Γ(1−ν)/Γ(ν)·z^{2ν−2}, with log Γ(ν) = logGammaRest(ν) − ν + ν·log ν.
	logs := logGamma(1-nu) - logGamma(nu) + float64((1-2*nu)*math.Ln2) + float64((nu-1)*detmath.Log(4*nu*rho))
	return -2 * nu * detmath.Exp(logs) * Matern(1-nu, nu*rho/(1-nu))
}

// logGamma returns log Γ(ν) for ν > 0.
func logGamma(nu float64) float64 { return logGammaRest(nu) + float64(nu*(detmath.Log(nu)-1)) }

// MaternNear returns the Matérn correlation of smoothness 0 < nu < 1 at a distance of r length scales,
// given log r, for 0 ≤ r < 1e-10·√nu. It uses the first terms of the series of K_ν (DLMF 10.27.4 and
// 10.25.2):
//
//	1 − Γ(1−ν)/Γ(1+ν)·(z/2)^{2ν} + O(z²),  z = √(2ν)·r.
func MaternNear(nu, logR float64) float64 {
	up, _ := math.Lgamma(1 - nu)
	down, _ := math.Lgamma(1 + nu)
	return -math.Expm1(2*nu*(0.5*math.Log(nu/2)+logR) + up - down)
}

// expm1Minus returns e^u − 1 − u without cancellation.
func expm1Minus(u float64) float64 {
	if math.Abs(u) > 0.5 {
		return detmath.Expm1(u) - u
	}
	// The Taylor series; u²⁰/20! is below 4e-25.
	t := u * u / 2
	sum := t
	for n := 3.0; n < 20; n++ {
		t = float64(t * (u / n))
		before := sum
		if sum += t; sum == before {
			break // later terms are smaller
		}
	}
	return sum
}

// logGammaRest returns log(Γ(ν)·(e/ν)^ν). For large ν it is Stirling's series ½log(2π/ν) + 1/(12ν)
// − 1/(360ν³) + 1/(1260ν⁵) − …, whose first omitted term is below 1e-17 there.
func logGammaRest(nu float64) float64 {
	if nu < 25 {
		// With Γ(ν) = Γ(m)/(ν·(ν + 1)⋯(m − 1)), m = ν + n, it is the result for m plus the logarithms of (m/ν)^ν
		// and of e^{−n}·m/ν·m/(ν + 1)⋯m/(m − 1), which is a number of moderate size.
		n := int(math.Ceil(25 - nu))
		m := nu + float64(n)
		p := detmath.NewWide(m).Pow(n).Mul(detmath.WideExp(-float64(n)))
		for i := range n {
			p = p.Div(detmath.NewWide(nu + float64(i)))
		}
		return logGammaRest(m) + float64(nu*detmath.Log(m/nu)) + detmath.Log(p.Float64())
	}
	r := 1 / (nu * nu)
	s := 1.0/1680 - float64(r*(1.0/1188))
	s = 1.0/1260 - float64(r*s)
	s = 1.0/360 - float64(r*s)
	s = 1.0/12 - float64(r*s)
	return float64(0.5*detmath.Log(2*math.Pi/nu)) + s/nu
}

// log1p returns log(1 + x) for x ≥ 0.
func log1p(x float64) float64 {
	w := 1 + x
	return detmath.Log(w) + (x-(w-1))/w
}

// OrthogonalCovariance returns the covariance of cos(ω₁·Δ) and cos(ω₂·Δ) for two frequencies ω₁, ω₂
// of R^d, d ≥ 2, that are orthogonal, each standard normal, with independent lengths, at w =
// ‖Δ‖²/2:
//
//	₁F₁(d; d/2; −w) − e^{−2w} = e^{−w}·[₁F₁(−d/2; d/2; w) − e^{−w}],
//
// by Kummer's transformation. Choromanski, Rowland and Weller 2017 ("The unreasonable effectiveness
// of structured random orthogonal embeddings") give the series of the left side; its terms cancel,
// and those of the right side do not. With ρₖ = (a)(a−1)…(a−k+1)/((a)(a+1)…(a+k−1)), a = d/2, it is
//
//	Σ_{k≥2} (−1)^k·(ρₖ − 1)·e^{−w}wᵏ/k!,
//
// a mean over the Poisson distribution with bounded terms. Its absolute error is a few units of
// 1e-16. The relative error is as small near 0, where the result is −w²/(a+1).
func OrthogonalCovariance(d int, w float64) float64 {
	switch {
	case math.IsNaN(w):
		return w
	case w > 600:
		return orthogonalTail(d, w)
	}
	a := float64(d) / 2
	var sum float64
	poisson := math.Exp(-w) // e^{−w}wᵏ/k!
	rho, gap := 1.0, 0.0    // ρₖ and 1 − ρₖ
	sign := 1.0             // (−1)^k
	for k := 0.0; ; k++ {
		sum -= sign * gap * poisson
		// Beyond the mode the Poisson terms fall, by more than half from k = 2w on.
		if k > 2*w && k > 2 && poisson < 1e-18*math.Abs(sum) {
			return sum
		}
		if poisson == 0 && k > w {
			return sum
		}
		gap += rho * 2 * k / (a + k)
		rho *= (a - k) / (a + k)
		poisson *= w / (k + 1)
		sign = -sign
	}
}

// orthogonalTail is OrthogonalCovariance at large w, where e^{−2w} is 0 and
//
//	₁F₁(d; d/2; −w) ~ Γ(a)/Γ(−a)·w^{−d}·Σₙ (d)ₙ(a+1)ₙ/n!·w^{−n}
//
// (Abramowitz and Stegun 13.5.1). It is 0 for even d, and below 1e-16 for odd d > 5.
func orthogonalTail(d int, w float64) float64 {
	if d%2 == 0 || d > 5 || math.IsInf(w, 1) {
		return 0
	}
	a := float64(d) / 2
	sum, t := 0.0, 1.0
	for n := 0.0; n < 8; n++ {
		sum += t
		t *= (2*a + n) * (a + 1 + n) / ((n + 1) * w)
	}
	return math.Gamma(a) / math.Gamma(-a) * math.Pow(w, -2*a) * sum
}
