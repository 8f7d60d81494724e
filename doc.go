// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package featuremap makes random feature maps: write down a kernel, get an explicit
map φ whose inner products estimate it without bias, and the variance of the
estimate.

A kernel method on n points (a Gaussian process, a support vector machine, kernel
ridge regression) works with the n×n matrix of k between all pairs: n² numbers, n³
operations, and n kernel values for each prediction. A map φ: R^d → R^D with

	⟨φ(x), φ(y)⟩ ≈ k(x, y)

makes it a linear method on D features: n·D numbers, n·D² operations, and one
matrix-vector product for each prediction, which n does not enter.

# A first program

	x := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 1, 1}) // two points of R³
	s := featuremap.NewSampler(1)
	k := featuremap.Gaussian{LengthScale: 2}
	phi, err := featuremap.NewFourier(k, 3, 1000, s, nil) // R³ → R¹⁰⁰⁰
	if err != nil {
		log.Fatal(err)
	}
	var z mat.Dense
	phi.TransformTo(&z, x) // a row of 1000 features for each row of x

After this z goes wherever the points would go in a linear method. The example of
NewFourier compares the inner product of two rows with the kernel. Package ridge, below this one, is such
a method: it fits regression, classification and Gaussian processes on the features, batch by batch, and
the program examples/quickstart learns the letters from 16000 pictures with it.

# Kernels

A [Kernel] has one method, Eval. Kernels are small values, written as literals or made by
functions; they print as the Go expression that makes them. The stationary ones depend on
x − y:

	Gaussian{ℓ}, RBF(γ)      exp(−‖Δ‖²/2ℓ²)               smooth; the usual start
	Matern{ν, ℓ}             ν = ½: exp(−‖Δ‖/ℓ); any ν    as rough as ν says
	RationalQuadratic{α, ℓ}  (1 + ‖Δ‖²/(2αℓ²))^−α         many length scales at once
	Laplacian{ℓ}             exp(−‖Δ‖₁/ℓ)                 rough, by coordinate
	Cauchy{ℓ}                ∏ 1/(1 + (Δᵢ/ℓ)²)            heavy tails, by coordinate
	Periodic{p, ℓ}           ∏ exp(−2 sin²(πΔᵢ/p)/ℓ²)     what repeats, by coordinate
	SpectralMixture{w, μ, σ} Σ wᵢ·exp(…)·cos(μᵢ·Δ)        several periods
	Constant{c}              c                            the constant function

The first three and the last are [Radial]: mixtures of Gaussian kernels, which any
frequency design accepts. [Project] puts a matrix in front of a kernel, [ARD] a
length scale for each coordinate. [MedianLengthScale] guesses ℓ from data. A kernel
of your own works too, once it can draw its frequencies: see the examples of
[Stationary] and [Radial].

[Gram] and [CrossGram] compute the exact matrices, in parallel, to compare with.

# Maps

A [FeatureMap] transforms matrices (TransformTo) and single points (TransformVec).
Maps are immutable and safe for concurrent use.

[Fourier] is the map of Rahimi and Recht (2007) for stationary kernels. By Bochner's
theorem k(x, y) = k(0, 0)·E cos(ω·(x − y)) for frequencies ω from the kernel's
spectral measure, so that cosines and sines of random frequencies are features. It has two
forms, the pair cos(ω·x), sin(ω·x) and the single feature √2·cos(ω·x + b), and three
designs, [Independent], [Orthogonal] and [Structured] frequencies. Take the pair form.
Take Orthogonal for radial kernels: it costs more at construction and nothing at
transformation, and on handwritten digits a third of the features gives
the same error. Take Structured for radial kernels of points with hundreds of coordinates
or more: its error is about that of Orthogonal, and its time for a feature grows with the
logarithm of their number. [NewFourierFrom] takes frequencies as they are, without a draw.

[Maclaurin] is the map of Kar and Karnick (2012) for dot product kernels f(⟨x, y⟩), where f
is a [Series] Σ aₙtⁿ with aₙ ≥ 0: [Linear], [Polynomial], [ExpDot], [InfinitePolynomial],
[Dot] of any series, and sums, products, multiples and compositions of these. A feature of
degree n is a product of n random linear forms, and degrees are drawn at random. Take
OptimalLaw with the norm of your points, and ExactLow: on the digits as unit vectors,
exp(⟨x, y⟩) has 0.4 of the error of the paper's law, by as many features. Take the TensorSRHT
sketch for more than some tens of coordinates.

[Compositional] is the map of Daniely, Frostig, Gupta and Singer (2017) for kernels that are
written down as a graph, a [Skeleton]: base kernels of a few coordinates each, [Circle],
[Binary], [Categories], those of the sphere or any of the above, and over them units f(mean of
the children) and products, such as the layers of a convolutional network. A feature is a
product of base features of a handful of coordinates, so that it costs the same for images of
a thousand pixels and for points of three numbers; and draws come again, so that many of them
fit in few columns. [BlackBox] and [Compose] take in features that are not of this package.

[Neurons] are random layers of a network, for the arc-cosine kernels, with independent or orthogonal
weights. [DataDependent] is the map of Ionescu, Popa and Sminchisescu (2017): a map deformed by
points without labels, so that features vary little along what these have in common.

[New] picks the map for any kernel. Kernels are made from kernels by [Sum], [Product], [Scale],
[Compose], [Weight], [Project], [ARD], [Select] and [FromMap]. However a kernel is written, it gets
the same map: a product of stationary kernels has one frequency for each feature, kernels with
exact features get those, and a sum gets the features of its terms side by side. A [Plan] is that
map before its weights are drawn: [NewPlan] makes one for your points, with the maps of the least
error on these, or for an error. See docs/planning.md.

# Words

  - A term is a summand of a kernel written as a sum of scaled kernels; it has its own columns.
  - The mass of a stationary kernel, or of a node of a skeleton, is its value k(x, x).
  - A design says how the frequencies of a Fourier map, or the weights of neurons, depend on each
    other.
  - A pair is the cosine and the sine of one frequency; pairs of points are called so in full.
  - A draw is one random feature before equal ones are merged: one frequency, one product of
    random forms, one product of base features. With pairs it takes two columns.
  - A base is a kernel at an input of a skeleton; its scheme is how its random features are drawn.

# How good is it

Estimates are unbiased: their mean over the draw of the map is the kernel, but for two kinds of maps, a
Maclaurin map whose law leaves degrees out ([TruncatedLaw]; Maclaurin.Bias says by how much) and a
[DataDependent] map. Their variance is known, and a method: [Plan.Variance], [Fourier.Variance],
[Maclaurin.Variance], [Neurons.Variance] and [Compositional.Variance] give it for two points, before
any feature is computed. It is exact for independent frequencies of every kernel, and for every
Maclaurin, neurons and compositional map without a BlackBox; for orthogonal frequencies it is computed
to 1e-4 (products and series: to a per cent), for orthogonal neurons to 1e-5, for structured frequencies
it may be a fifth too small. It is of the order of k(x, x)²/D, whatever the dimension of the points, so that the root
mean square error falls as 1/√D.

An estimate may be negative where the kernel is not. Trigonometric features of points far from each
other have inner products of about ±1/√D, where the kernel has a tiny positive value. Methods that
divide by sums of such values fail with them: the degrees of spectral clustering, and the denominators
of attention, exp(⟨q, k⟩) summed over keys of large norm. There take features whose inner
products are not negative, such as neurons, or the exact kernel.

To know the error on your data use [RMSE], the root of the mean of Variance over pairs of
them. To choose the number of features for an error set RMSE in [PlanOptions]. For one pair of points
[Interval] gives a confidence interval from the features alone. Bounds that hold for every
kernel of a kind, such as [FourierBound] and [UniformFourierBound], are there to be compared with;
they ask for many times more features than exact variances do.

# Randomness, and one set of bits

All randomness comes through a [Sampler], made from a seed. The same seed gives the
same weights on every operating system and architecture, to the last bit. And the
same weights give the same features, to the last bit: by row or in batches, from a
matrix, a view or a transpose, on one goroutine or many, on any machine. Each output
has one fixed order of operations: for a dense form a chain of fused multiply-adds in the
order of the coordinates, for the cosine a fixed polynomial after an exact reduction. So features can be computed on one
machine, the model fitted on another, and predictions served from a third. The
result of MedianLengthScale is part of the promise.

The values of Kernel.Eval and Variance carry no such promise: they use package math,
whose last bits differ between architectures. Nor does the root in a DataDependent map, which is
gonum's: it is the same on one architecture. See docs/bits.md.

# Saved maps

[Encode] writes a map as the plan and the sampler's state that it was drawn from, some hundred bytes for a map
of any size, and [Decode] draws it again, bit for bit, on any machine. What data decided is in the file. [MarshalKernel] and
the JSON of a [Plan] are for configuration files. See docs/saving.md.

# Conventions

They are gonum's. Rows are samples. The destination comes first; an empty one is
sized. A destination of another shape or a matrix of another width panics with
[mat.ErrShape], no rows with [mat.ErrZeroLength], and overlapping arguments as
gonum's do. What comes from configuration returns an error: constructors name the
parameter and the value they refuse, leave the sampler as it was, and wrap
[ErrNotStationary], [ErrNotRadial], [ErrNotDotProduct], [ErrNotPSD], [ErrNoMap] or [ErrTooFew] where
these apply. Constructors of one kind of map take the number of features exactly or refuse it; for
[New] and [NewPlan] it is a maximum.

A NaN in a row makes that row's features NaN, but for those that do not read it, and no
other's.

# References

  - S. Bochner, Vorlesungen über Fouriersche Integrale, 1932.
  - D. J. C. MacKay, Introduction to Gaussian processes, 1998.
  - I. J. Schoenberg, Metric spaces and completely monotone functions, 1938.
  - A. Rahimi, B. Recht, Random features for large-scale kernel machines, 2007.
  - D. J. Sutherland, J. Schneider, On the error of random Fourier features, 2015.
  - F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar, Orthogonal
    random features, 2016.
  - K. Choromanski, M. Rowland, A. Weller, The unreasonable effectiveness of structured
    random orthogonal embeddings, 2017.
  - P. Kar, H. Karnick, Random feature maps for dot product kernels, 2012.
  - A. Daniely, R. Frostig, Y. Singer, Toward deeper understanding of neural networks,
    2016.
  - A. Daniely, R. Frostig, V. Gupta, Y. Singer, Random features for compositional kernels,
    2017.
  - Y. Cho, L. K. Saul, Kernel methods for deep learning, 2009.
  - C. Ionescu, A. Popa, C. Sminchisescu, Large-scale data-dependent kernel approximation, 2017.
  - J. Wacker, M. Kanagawa, M. Filippone, Improved random features for dot product
    kernels, 2022.
  - J. Wacker, R. Ohana, M. Filippone, Complex-to-real sketches for tensor products, 2022.
  - G. W. Stewart, The efficient generation of random orthogonal matrices, 1980.
  - A. G. Wilson, R. P. Adams, Gaussian process kernels for pattern discovery and
    extrapolation, 2013.
  - C. E. Rasmussen, C. K. I. Williams, Gaussian processes for machine learning, 2006.
*/
package featuremap
