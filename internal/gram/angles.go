// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Angular is the function Jₙ(θ)/π of a chord c between points at the angle θ, for the order n = 0, 1 or 2 (Cho and Saul
// 2009):
//
//	J₀ = π − θ,    J₁ = sin θ + (π − θ)·cos θ,    J₂ = 3·sin θ·cos θ + (π − θ)(1 + 2·cos²θ).
//
// A chord is 2 − 2·cos θ up to θ = π/2, and −2 − 2·cos θ beyond. For α = min(θ, π − θ), |c| = 2 − 2·cos α.
//
// Jₙ is small for θ = π − α. There it is |c|ⁿ·√|c| times a function of |c|, which is a polynomial here, so that all
// digits are right. For θ = α it is this times (−1)ⁿ⁺¹, plus π times 1, cos α, or 1 + 2·cos²α.
type Angular struct{ Order int }

// To sets dst to the function of each of the elements of src.
func (f Angular) To(dst, src []float64) { f.in(tier.Best(), dst, src) }

func (f Angular) in(t tier.Tier, dst, src []float64) {
	done := 0
	if t != tier.Plain {
		done = angularAssembly(t, dst, src, f)
	}
	v := &angulars[f.Order]
	for i := done; i < len(src); i++ {
		a := math.Abs(src[i])
		w := a - 1
		p := v.series[0]
		for _, c := range v.series[1:] {
			p = math.FMA(p, w, c)
		}
		p *= math.Sqrt(a)
		p *= math.FMA(a, v.first, 1-v.first)
		p *= math.FMA(a, v.second, 1-v.second)
		if !math.Signbit(src[i]) {
			cos := math.FMA(-0.5, a, 1)
			p = math.FMA(p, v.sign, math.FMA(math.FMA(cos, v.more[2], v.more[1]), cos, v.more[0]))
		}
		dst[i] = p
	}
}

// angularTerms is the number of terms of the polynomials.
const angularTerms = 20

// angularOrder holds the constants of an order.
type angularOrder struct {
	first, second float64               // 1 where there are so many factors |c|, else 0
	sign          float64               // (−1)ⁿ⁺¹
	more          [3]float64            // of 1, cos α and cos²α
	series        [angularTerms]float64 // of the powers of |c| − 1, the highest first
}

// angulars lists the orders. The series interpolate Jₙ(π − α)/(π·|c|ⁿ·√|c|) at Chebyshev's nodes on 0 ≤ |c| ≤ 2. Their
// relative error is 4e-18, not counting the rounding of the coefficients (computed with 60 digits, by mpmath).
var angulars = [...]angularOrder{
	{0, 0, -1, [3]float64{1, 0, 0}, [...]float64{
		0x1.6f2b64294cb09p-40, 0x1.29296e440619bp-38, 0x1.fb0cded8ae81bp-38, 0x1.a13fe0b7ae583p-36,
		0x1.965a358db3b0dp-34, 0x1.51309302e3c5bp-32, 0x1.15609649cd626p-30, 0x1.d3f9cf151ef2bp-29,
		0x1.8f216fc541aa5p-27, 0x1.5819ccaaa6190p-25, 0x1.2ce73bb29ae3dp-23, 0x1.0bc7bbc8b4ee8p-21,
		0x1.e73151e6ecaf6p-20, 0x1.c7f8a105959c5p-18, 0x1.bb5f85df2bff7p-16, 0x1.c7154d716c46ep-14,
		0x1.fb39149c1cbfep-12, 0x1.4561cb085fd05p-9, 0x1.1852ff43c3627p-6, 0x1.5555555555555p-2,
	}},
	{1, 0, 1, [3]float64{0, 1, 0}, [...]float64{
		0x1.a91ed0fd56943p-46, 0x1.69af2506b4872p-44, 0x1.61f0e45cdc815p-43, 0x1.34c6da7f9d1fdp-41,
		0x1.3338ff40e4620p-39, 0x1.10176c5a30e3cp-37, 0x1.e284a21c43116p-36, 0x1.b6b330334d6d7p-34,
		0x1.95861c1af85cdp-32, 0x1.7dc44d217536bp-30, 0x1.6f9fd94377d95p-28, 0x1.6bedf57402b8bp-26,
		0x1.74e75c79a2af3p-24, 0x1.8f5bc0a48801fp-22, 0x1.c587c7192925bp-20, 0x1.176e9be1482d4p-17,
		0x1.84c4d33c3f6f8p-15, 0x1.4a361a8c420c9p-12, 0x1.9f7f629198696p-9, 0x1.be74750ebe9a4p-4,
	}},
	{1, 1, -1, [3]float64{1, 0, 2}, [...]float64{
		0x1.e1a2b324c8a42p-50, 0x1.ae4b661bcd97fp-48, 0x1.db13149aee917p-47, 0x1.b64cf5df8856ep-45,
		0x1.c1824d60274fap-43, 0x1.a7e25c130a993p-41, 0x1.933c2a0d3f0ffp-39, 0x1.89d035e4996e9p-37,
		0x1.8911c2ddbec0fp-35, 0x1.922e8c63fed72p-33, 0x1.a80c2f53f7407p-31, 0x1.cfb129a45b6ecp-29,
		0x1.0936eaa85ae2ap-26, 0x1.414384f381c65p-24, 0x1.a3835362c9526p-22, 0x1.2f941f381f9edp-19,
		0x1.fe492d933e97dp-17, 0x1.1042605da650dp-13, 0x1.c7684531fdbbdp-10, 0x1.62515069e218ap-4,
	}},
}
