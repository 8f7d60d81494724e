// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	//lint:ignore SA1019 its PCGSource defines the stream: see docs/reference/bits.md.
	"golang.org/x/exp/rand"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// A Sampler is the only source of randomness of the package: nothing is drawn from global state. The same seed gives
// the same variates, bit for bit, on every operating system and architecture.
//
// A Sampler is a Source of math/rand/v2. You can pass it to rand.New and to the Src of gonum's distributions and
// samplers (stat/distuv, stat/sampleuv).
//
// A Sampler is not safe for concurrent use: call Split, once for each goroutine. Do not copy a Sampler, because the
// copy repeats the stream. Constructors refuse the zero value, which is one fixed stream.
//
// The generator is PCG XSL RR 128/64 (O'Neill 2014): see docs/reference/bits.md.
type Sampler struct {
	src rand.PCGSource

	// Rademacher uses one word for 64 signs. signs contains the signsLeft bits that are not yet used, the next one
	// lowest.
	signs     uint64
	signsLeft int

	seeded bool // whether it is not the zero value
}

// NewSampler returns a Sampler with the given seed. Any seed is as good as any other, and neighboring seeds give
// unrelated streams: SplitMix64 (Steele, Lea and Flood 2014) mixes the seed into all 128 bits of the generator's state.
//
// The functions of this package that take a Sampler take nil for NewSampler(0), so two maps made with nil have the same
// randomness.
func NewSampler(seed uint64) *Sampler {
	return newSampler(splitmix.Output(seed, 1), splitmix.Output(seed, 2))
}

// String returns "NewSampler(…)", without the state of the generator.
func (s *Sampler) String() string { return "NewSampler(…)" }

// GoString returns what String returns.
func (s *Sampler) GoString() string { return "NewSampler(…)" }

// Split returns a Sampler whose stream is unrelated to what s gives later. It takes two words from s. Constructors draw
// only from split samplers, so later variates of s do not depend on the size of a map.
func (s *Sampler) Split() *Sampler {
	high, low := s.Uint64(), s.Uint64()
	split := newSampler(splitmix.Output(high, 1), splitmix.Output(low, 2))
	split.seeded = s.seeded
	return split
}

// newSampler sets the generator's state through its binary form, because its Seed sets both halves alike.
func newSampler(high, low uint64) *Sampler {
	var state [16]byte
	binary.BigEndian.PutUint64(state[:8], high)
	binary.BigEndian.PutUint64(state[8:], low)
	s := &Sampler{seeded: true}
	if err := s.src.UnmarshalBinary(state[:]); err != nil {
		panic(err) // only for fewer than 16 bytes
	}
	return s
}

// Uint64 returns 64 uniform bits.
func (s *Sampler) Uint64() uint64 { return s.src.Uint64() }

// Float64 returns a uniform variate in [0, 1), a multiple of 2⁻⁵³.
func (s *Sampler) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// open returns a uniform variate in (0, 1), an odd multiple of 2⁻⁵³.
func (s *Sampler) open() float64 { return arith.OpenUnit(s.Uint64()) }

// IntN returns a uniform integer in [0, n), without bias (Lemire 2019). It returns 0 for n < 1.
func (s *Sampler) IntN(n int) int {
	if n < 1 {
		return 0
	}
	bound := uint64(n)
	high, low := bits.Mul64(s.Uint64(), bound)
	if low < bound {
		for reject := -bound % bound; low < reject; {
			high, low = bits.Mul64(s.Uint64(), bound)
		}
	}
	return int(high)
}

// Rademacher returns −1 or +1 with probability ½ each. 64 successive calls use one word of the generator.
func (s *Sampler) Rademacher() float64 {
	if s.signsLeft == 0 {
		s.signs, s.signsLeft = s.Uint64(), 64
	}
	bit := s.signs & 1
	s.signs >>= 1
	s.signsLeft--
	return float64(int64(bit)*2 - 1)
}

// exponential returns an exponential variate of mean 1, by inversion. It is never 0, and at most 36.8.
func (s *Sampler) exponential() float64 { return -detmath.Log(s.open()) }

// laplace returns a variate with density ½e^{−|x|}: an exponential variate with a random sign, from one word.
func (s *Sampler) laplace() float64 {
	u := s.Uint64()
	x := -detmath.Log(arith.OpenUnit(u))
	if u&1 == 0 {
		return x
	}
	return -x
}

// cauchy returns a variate with density 1/(π(1 + x²)): the ratio of the coordinates of a uniform point of the disc.
func (s *Sampler) cauchy() float64 {
	for {
		a := 2*s.Float64() - 1
		b := 2*s.Float64() - 1
		if b != 0 && float64(a*a)+float64(b*b) <= 1 {
			return a / b
		}
	}
}

// Gamma returns a variate of the Gamma distribution with the given shape and scale 1, by Marsaglia and Tsang (2000, "A
// simple method for generating gamma variables"). For tiny shapes it may round to 0. It is NaN unless the shape is
// positive and finite.
func (s *Sampler) Gamma(shape float64) float64 {
	if !(shape > 0) || math.IsInf(shape, 1) {
		return math.NaN()
	}
	if shape < 1 {
		// Gamma(a) is Gamma(a + 1) times U^{1/a}.
		g := s.Gamma(shape + 1)
		return float64(g * detmath.Exp(detmath.Log(s.open())/shape))
	}
	d := shape - 1.0/3
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := s.Normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = float64(float64(v*v) * v)
		// If it is accepted when log U < ½x² + d(1 − v + log v), d·v has the Gamma density.
		q := float64(0.5*float64(x*x)) + float64(d*((1-v)+detmath.Log(v)))
		if detmath.Log(s.open()) < q {
			return float64(d * v)
		}
	}
}

// chiSquared returns a chi-squared variate with k degrees of freedom, for any real k > 0. It is NaN for other k.
func (s *Sampler) chiSquared(k float64) float64 { return 2 * s.Gamma(k/2) }

// FillNormal fills dst with the variates that successive calls of Normal return.
func (s *Sampler) FillNormal(dst []float64) {
	for i := range dst {
		dst[i] = s.Normal()
	}
}

// FillRademacher fills dst with the signs that successive calls of Rademacher return.
func (s *Sampler) FillRademacher(dst []float64) {
	for i := range dst {
		dst[i] = s.Rademacher()
	}
}

// Normal returns a standard normal variate, by the ziggurat of 256 layers (Marsaglia and Tsang 2000, "The ziggurat
// method for generating random variables"). Different bits of a word choose the layer and the position.
func (s *Sampler) Normal() float64 {
	for {
		u := s.Uint64()
		i := u & (layers - 1)
		// A position in [−1, 1), a multiple of 2⁻⁵².
		v := float64(int64(u)>>11) * 0x1p-52
		x := v * ziggurat.edge[i]
		if math.Abs(x) < ziggurat.edge[i+1] {
			return x
		}
		if i == 0 {
			return math.Copysign(s.normalTail(), v)
		}
		// Between the inner and the outer edge, accept points under the curve.
		y := ziggurat.height[i] + float64(s.Float64()*(ziggurat.height[i+1]-ziggurat.height[i]))
		if y < gaussianBell(x) {
			return x
		}
	}
}

// normalTail returns |z| for a normal z given |z| > tailEdge (Marsaglia 1964).
func (s *Sampler) normalTail() float64 {
	for {
		x := s.exponential() / tailEdge
		y := s.exponential()
		if 2*y > float64(x*x) {
			return tailEdge + x
		}
	}
}

// gaussianBell returns exp(−½x²).
func gaussianBell(x float64) float64 { return detmath.Exp(-0.5 * float64(x*x)) }

// The ziggurat's layers, all of the same area, cover the region under exp(−½x²), x ≥ 0: layers 1 … 255 are rectangles,
// layer 0 is a rectangle and the tail beyond tailEdge. The constants solve Marsaglia and Tsang's equations to 25 digits.
const (
	layers    = 256
	tailEdge  = 3.65415288536100877164543
	layerArea = 0.004928673233974655347361775
)

// ziggurat.edge[i] is the right edge of layer i, and height[i] the height of the curve there. edge[0] is the width of a
// rectangle with the area of layer 0 and the height of its rectangle; height[0] is 0 and never compared with.
var ziggurat = func() (z struct{ edge, height [layers + 1]float64 }) {
	z.edge[0] = layerArea / gaussianBell(tailEdge)
	z.edge[1] = tailEdge
	z.height[1] = gaussianBell(tailEdge)
	for i := 2; i < layers; i++ {
		z.height[i] = z.height[i-1] + layerArea/z.edge[i-1]
		z.edge[i] = math.Sqrt(-2 * detmath.Log(z.height[i]))
	}
	z.edge[layers], z.height[layers] = 0, 1
	return z
}()

// signMasks returns n random signs as masks for the sign bit of a float64: 1<<63 for −1.
func (s *Sampler) signMasks(n int) []uint64 {
	masks := make([]uint64, n)
	for i := range masks {
		masks[i] = math.Float64bits(s.Rademacher()) & (1 << 63)
	}
	return masks
}

// permutation returns the numbers from 0 to n − 1 in random order (Fisher and Yates 1938).
func (s *Sampler) permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := s.IntN(i + 1)
		p[i], p[j] = p[j], i
	}
	return p
}

// A drawing is a Sampler as the packages below draw from it.
type drawing struct{ *Sampler }

func (s drawing) Split() random.Sampler { return drawing{s.Sampler.Split()} }
func (s drawing) Clone() random.Sampler {
	same := *s.Sampler
	return drawing{&same}
}

func (s drawing) Open() float64                { return s.open() }
func (s drawing) ChiSquared(k float64) float64 { return s.chiSquared(k) }
func (s drawing) Permutation(n int) []int      { return s.permutation(n) }
func (s drawing) SignMasks(n int) []uint64     { return s.signMasks(n) }

// seeded returns NewSampler of a seed.
func seeded(seed uint64) random.Sampler { return drawing{NewSampler(seed)} }

// samplerFrom returns the Sampler behind a random.Sampler, for the kernels of callers.
func samplerFrom(s random.Sampler) *Sampler { return s.(drawing).Sampler }

// givenSampler returns the sampler of a caller, and NewSampler(0) for nil. It refuses a sampler that neither NewSampler
// nor Split made.
func givenSampler(s *Sampler) (*Sampler, error) {
	if s == nil {
		return NewSampler(0), nil
	}
	if !s.seeded {
		return nil, errors.New("featuremap: sampler s is the zero value: must be made by NewSampler or Split")
	}
	return s, nil
}
