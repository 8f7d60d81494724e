// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package featuremap is for nonlinear regression, classification and Gaussian processes on tabular data. It approximates a kernel by random or
Nyström features and trains a linear model on them, so that training time is linear in the number of rows for a given
number of features. Regressions have error bars, and classifications probabilities.

	report, err := learn.Regression(x, y, nil) // x: a row for each observation; y: a column for each target
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Score)               // on test rows, which were held out
	mean, sd := report.Model.Predict(point) // sd: of a new observation

# Packages

	learn                  from rows to a scored model in one call; learned kernels: begin here
	ridge, logistic        regression and Gaussian processes; classification with probabilities
	featuremap             this one: kernels, their algebra, and the maps from rows to features
	table, sparse          rows from records of mixed columns; rows that are mostly zeros
	timeseries             random convolutions: MiniRocket and Hydra
	unsupervised           principal components, k-means, two-sample tests (MMD)
	score, series          model evaluation; power series of kernels

# Feature maps

A kernel k(x, y) says how alike two rows are, such as exp(−‖x − y‖²). A kernel method compares every row with every other: for n rows it takes n²
numbers and n³ operations. A map φ: R^d → R^D with

	⟨φ(x), φ(y)⟩ ≈ k(x, y)

makes it a linear method on D features, with n·D numbers and n·D² operations.

	k := featuremap.Gaussian{LengthScale: 1}
	phi, err := featuremap.New(k, x, 200, featuremap.NewSampler(1)) // x: n×5; R⁵ → R²⁰⁰
	if err != nil {
		log.Fatal(err)
	}
	phi.TransformTo(&z, x) // a row of features for each row of x, for any linear method

[New] picks the map with the least predicted error on your rows. The features are random, and their error is known before anything is sampled.

# Kernels

A [Kernel] has one method, Eval. Kernels are small values, which print as the Go expression that makes them. The usual ones, with Δ = x − y:

	Gaussian{ℓ}, RBF(γ)       exp(−‖Δ‖²/2ℓ²)            smooth functions: start here
	Matern{ν, ℓ}              ν = ½: exp(−‖Δ‖/ℓ)        functions as rough as ν says
	RationalQuadratic{α, ℓ}   (1 + ‖Δ‖²/(2αℓ²))^−α      several length scales at once
	Laplacian{ℓ}              exp(−‖Δ‖₁/ℓ)              rough in each coordinate
	Periodic{p, ℓ}            ∏ exp(−2 sin²(πΔᵢ/p)/ℓ²)  what repeats, such as seasons
	Linear{}, Constant{c}     ⟨x, y⟩, c                 a trend, an intercept
	Polynomial{p, γ, r}       (γ⟨x, y⟩ + r)^p           products of up to p coordinates
	ArcCosine{n}                                        wide layers of a network

docs/guide/kernels.md helps to choose one and lists all. For a kernel of your own see the examples of [Stationary], [Radial],
[DotProduct] and [FromMap].

# Combining kernels, and their parameters

[Sum], [Product], [Scale], [Compose], [Select], [Project] and [Weight] make kernels from kernels: an [Expression], whose
parts a program can walk and replace, as [Parameters] and [WithParameters] do with length scales. Columns of different
units are standardized by [ARD], with their standard deviations as length scales; [MedianLengthScale] guesses ℓ from
data. [Gram] and [CrossGram] compute the exact matrices.

# Maps and skeletons

[New] picks the map for any kernel with known random features. Maps are immutable and safe for concurrent use. Each kind has a constructor with all
of its options:

	Fourier        cosines and sines of random frequencies, for kernels of x − y
	Maclaurin      products of random linear forms, for kernels of ⟨x, y⟩
	Neurons        random neurons, for ArcCosine
	Compositional  products of a few simple features, for layers and local windows: see Skeleton
	DataDependent  another map, deformed by points without labels
	Nystrom        kernel values with some points of the data, exact with all of them; for any kernel

docs/reference/maps.md describes them column by column, docs/theory/papers.md has their papers, docs/evidence/performance.md their times.
Features of your own come in by [NewFourierFrom], [BlackBox] and [FromMap]. [Derivative] gives their gradients.

# Plans, errors, randomness and bounds

[New] picks the map with the least predicted error on your rows, bias included. [NewPlan] returns it as a [Plan], to print and to Draw,
and can find the number of features for an error. docs/theory/planning.md tells how it chooses.

The error of a kernel value falls as 1/√D. With Fourier maps it is of the order of k(x, x)/√D, whatever the points and
their dimension; with Maclaurin maps it grows with the norms of the points. The mean error is 0, except for a Maclaurin map with
a [series.TruncatedLaw], DataDependent, [Nystrom], and maps of New and NewPlan unless PlanOptions.Unbiased is set. The methods Variance give the variance of the error for two points,
before any feature is computed, and [PredictedRMSE] the root mean square error on your data. Variances are exact, except where frequencies
depend on each other: see docs/theory/variance.md. Worst-case bounds such as [FourierBound] call for many more features.

An estimate may be negative where the kernel is not: by about 1/√D where the kernel is tiny. Never divide by sums of estimates, such as the
degrees of spectral clustering and the denominators of attention. And exp(⟨x, y⟩) needs points of small norm: see ExpDot.

All randomness comes through a [Sampler], made from a seed; it is also a source for gonum's distuv. The same seed
gives the same weights on every operating system and architecture, to the last bit, and the same weights give the same
features: by row or in batches, on one goroutine or many, on any machine. The values of Kernel.Eval and Variance carry no such
promise. See docs/reference/bits.md.

# Files

[Encode] writes a random map as a file of a few hundred bytes, whatever its size, and [Decode] draws it again, bit for bit, on
any machine. Models have WriteTo and ReadModel: their files contain the map. [KernelJSON] is for configurations. See docs/reference/files.md.

# Vocabulary

  - A term is a summand of a kernel written as a sum of scaled kernels; it has its own features.
  - The mass of a stationary kernel (one of x − y), or of a node of a skeleton, is its value k(x, x).
  - A design says how the frequencies of a Fourier map, or the weights of neurons, depend on each other.
  - A pair is the cosine and the sine of one frequency. A draw is a random feature before equal ones are merged.
  - A law is the distribution from which the degrees of Maclaurin features are drawn.

# Conventions

The conventions are gonum's. Rows are samples. The destination comes first; an empty one is sized. A matrix of another
shape panics with [mat.ErrShape], no rows with [mat.ErrZeroLength], and overlapping arguments as in gonum. What comes from configuration
returns an error: constructors name the parameter and the value they
refuse, leave the sampler as it was, and wrap [ErrNotStationary], [ErrNotRadial], [ErrNotDotProduct], [ErrNotPSD] or
[ErrNoMap] where these apply. Constructors of one kind of map take the number of features exactly or refuse it; for New,
NewNystrom and NewPlan it is a maximum, and a [TooFewError] says how many it takes. A NaN in a row makes the features
that read it NaN, in this row only.
*/
package featuremap
