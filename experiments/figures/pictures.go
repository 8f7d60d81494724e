// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// A picture is drawn from what a program measures.
type picture struct {
	name    string
	title   string
	program string   // its folder in the repository
	data    bool     // whether the program takes a folder of data sets
	columns []string // of the table that it writes
	draw    func(t *table) *sheet
	caption string // in Markdown
}

var pictures = []picture{
	{
		name: "errorbars", title: "A prediction with its error bars",
		program: "examples/errorbars", columns: errorbarColumns, draw: errorbars,
		caption: `
A Gaussian process that was fitted to 45 observations of a function, none of them between 4 and 6: ridge regression on
200 features of a kernel that was learned. On the left is what ` + "`PredictTo`" + ` gives, with twice the deviations on both sides:
inside that of the function (` + "`Posterior.VarianceTo`" + `), outside that of a new observation, which has noise as well
(` + "`StdDevTo`" + `). On the right are functions drawn from the posterior, by ` + "`Posterior.Sample`" + `.

Look at the gap: where nothing was observed the deviation grows, and the functions go different ways, while the prediction is their
mean. The function itself is in the inner band at most places, which is what the band says.
`,
	},
	{
		name: "intervals", title: "Intervals that hold where noise differs",
		program: "experiments/intervals", columns: intervalColumns, draw: intervals,
		caption: `
Intervals of 90 % for new observations, of one fit of ridge regression to 500 observations whose noise is skewed and grows with x. On the left
are those of ` + "`Model.Interval`" + `, which are calibrated by rows that were left out, on the right Gaussian ones: the prediction ± 1.645 deviations. The titles
have the shares of new observations within them, in the quarters of least and of largest x.

Look at both ends of the band: calibrated ones follow the true quantiles, which are farther above the prediction than below. Gaussian
ones are as wide everywhere, so that they hold nearly all where there is little noise, and below the prediction all.
`,
	},
	{
		name: "learn", title: "Error against seconds, beside scikit-learn",
		program: "experiments/learn", data: true, columns: learnColumns, draw: pipelines,
		caption: `
One call of ` + "`learn.Regression` or `learn.Classification`" + `, with no option set, beside scikit-learn, on real data: down and to the
left is better. The **pipeline** standardizes the columns, takes RBFSampler or Nystroem with as many features as ` + "`learn`" + `, and Ridge or
LogisticRegression; a grid of 20 parameters is tried for both maps, and the better of the two counts. Its **Gaussian process** is exact,
with learned lengths, on some of the rows, for regression.

The **error** is the root mean square error, or the per cent of wrong classes, on rows that took no part, with one standard
error up and down; its axis begins at 0. **Seconds** are CPU time of all that was tried, the grid included.
[The table](../evidence/learn.md) has the numbers and the sets.
`,
	},
	{
		name: "speed", title: "Error against time",
		program: "experiments/designs", data: true, columns: designs, draw: speed,
		caption: `
How far the estimate of a kernel is off, against the time that it takes: down and to the left is better.
A random feature map turns a row of data into D numbers, its features. The inner product of the features
of two rows x and y estimates their kernel, here the Gaussian kernel exp(−‖x−y‖²/(2ℓ²)) of length scale ℓ.
A marker is a map of one number of features, and a line joins those of a method than which no faster one has less error.

- **Error**: the root mean square of estimate minus kernel, over pairs of rows and over several random maps.
- **Time**: microseconds of one processor core for the features of a row, when many rows are transformed in
  one call.
- **Single cosines** are features √(2/D)·cos(⟨ω, x⟩ + b) with random ω and b, which scikit-learn's RBFSampler
  has, too; **pairs** are cos⟨ω, x⟩ and sin⟨ω, x⟩ for each random ω.
- **Independent**: each ω is drawn by itself. **Orthogonal**: they are drawn in blocks of orthogonal ones.
  **Structured**: they are products of random signs and fast Walsh-Hadamard transforms, which for rows of
  many coordinates take a fraction of the time.
- **NewPlan's choice** is the map that NewPlan picks, by exact variances and for other rows of the same data,
  before it draws anything.

*Digits* are rows of 64 pixels, standardized; *smooth* is a length scale 2√2 times as large, with which the
kernel varies little from pair to pair. *CIFAR-10* are the 768 numbers in the middle of color photographs.
`,
	},
	{
		name: "error", title: "Error against the number of features",
		program: "experiments/designs", data: true, columns: designs, draw: predictions,
		caption: `
The error of the same maps, predicted and measured, against their number of features D. **Lines** are
predictions from exact variances, made before any feature is computed. **Markers** are measured, with bars of
one standard error up and down, most of which are smaller than the marker. Terms are as in the picture above.

Look at the slopes: the dashed line has slope −1/2, which means half the error for four times the features.
Look whether the markers are on the lines. Where methods have the same predicted error, as single cosines and
RBFSampler have, one line covers the other.
`,
	},
	{
		name: "fittime", title: "Time of a fit against the number of rows",
		program: "experiments/fittime", columns: fitColumns, draw: fittime,
		caption: `
What it takes to learn a function from n rows, by kernel ridge regression. An **exact** fit solves a system
of n equations with the n×n matrix of all kernel values: n² numbers and about n³ operations. A fit on D
**random features** solves one of D equations instead: D² numbers, and about n·D² operations. Axes are
logarithmic, so a slope of 3 is time in proportion to n³, and a slope of 1 is time in proportion to n.

The rows are drawn at random: points of 10 coordinates and Friedman's function of them, with noise of standard
deviation 1. All methods have the same Gaussian kernel and the same ridge. **Time** is seconds on the wall with all
cores, **memory** the megabytes that a fit takes besides the rows, and **error** the root mean square difference of
predictions and the function, without noise, at other points. Look where the curves of the exact fits cross the
others, and whether their error is smaller there.
`,
	},
	{
		name: "boundaries", title: "Boundaries of classifiers on random features",
		program: "experiments/sixways", columns: boundaryColumns, draw: boundaries,
		caption: `
Classifiers of points of the unit square, learned by stochastic gradient descent with a Gaussian kernel
exp(−γ‖x−y‖²), γ = 100. The data are those of the demonstration in lecture 16 of Cornell's course CS4787/5777,
a face: points in the eyes and in the mouth are of class −1, the others of class +1. The coordinates x₁ and x₂
have no unit.

A classifier gives each place a **decision value**; the class is its sign. It is negative where the picture is
tinted blue and positive where it is tinted yellow, and the black line between them is the boundary. **Gram
matrix** is the exact classifier, which reads the kernel of each training point with all others. The other
panels have D **random features** in place of the kernel, and learn from the same points in the same order.
Look how the boundary becomes the exact one as D grows.
`,
	},
	{
		name: "figure3", title: "Two kernels of images: error against the number of features",
		program: "experiments/figure3", data: true, columns: figure3Columns, draw: figure3,
		caption: `
Figure 3 of Daniely, Frostig, Gupta and Singer, *Random Features for Compositional Kernels* (2017), computed
again. Kernels compare crops of 24×24 pixels of CIFAR-10's photographs (without ` + "`-data`" + `, of embedded
handwritten digits). The **shallow kernel** is a Gaussian kernel of all pixels. The **deep kernel** has layers
as a neural network has: a Gaussian kernel of each window of 5×5 pixels, then two layers with the dual kernel of
ReLU, the first of windows of 4×4 places, the second of all.

- **RFS** is the paper's scheme: a random feature is a product of a few random inputs, drawn by walking down
  the layers; equal ones are merged. **RR** are Rahimi and Recht's random Fourier features, which exist for the
  shallow kernel only. **RFS+RR** walks down to a window, and draws random Fourier features of that.
- **Number of features**: columns of a map after merging. Methods are compared at the same number.
- **Errors** are of estimate minus kernel over all 128² pairs of a batch of images: mean absolute, root mean
  square (RMS) and maximal. **Correlation** is that of estimates and kernel values. Markers are means over ten
  batches with a map each; kernel values have no unit.
- **Dashed**: the RMS error that exact variances predict, before any feature is computed.

In the paper RFS is better in every comparison. Look at the left ends of the shallow kernel's curves, where the
two methods hardly differ in the mean absolute and the RMS error.
`,
	},
	{
		name: "locality", title: "Which pixels the features of a convolutional kernel read together",
		program: "experiments/locality", columns: localityColumns, draw: locality,
		caption: `
Figure 4 of Daniely, Frostig, Gupta and Singer, *Random Features for Compositional Kernels* (2017), computed
again. Each map is an image of 24×24 pixels, and shows how often random features read a pixel together with the
pixel that is marked by a cross, (row, column) above the map. The color is the **correlation** of two events
over 500,000 random features: that a feature reads the one pixel, and that it reads the other. Colors are of
its square root, so that small values can be told apart; the scale has the correlations themselves, and negative
ones are shown as 0.

Kernels are in rows: a **flat** one, a single unit over all pixels, and three with one, two and three layers
of **convolutions** below it, all with the dual kernel of ReLU. Windows of the layers cover 4×4, 8×8 and 16×16
pixels. Look at the squares around a cross: features of the flat kernel read all pixels alike, and each layer of
convolutions adds a larger square of pixels that are read together.
`,
	},
}
