// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "slices"

// A picture is drawn from what a program measures, or from a file.
type picture struct {
	name    string
	title   string
	program string   // its folder in the repository, or ""
	file    string   // in the repository, if there is no program
	data    bool     // whether the program takes a folder of data sets
	columns []string // of the table that it writes
	draw    func(t *table) *sheet
	caption string // in Markdown
}

// source returns the program or the file.
func (p picture) source() string { return p.program + p.file }

// named returns the picture of a name.
func named(name string) (p picture, ok bool) {
	if i := slices.IndexFunc(pictures, func(p picture) bool { return p.name == name }); i >= 0 {
		return pictures[i], true
	}
	return picture{}, false
}

// A foreign picture is in docs/pictures, and another program makes it.
type foreign struct{ name, title, caption, command string }

var foreigners = []foreign{
	{
		name: "report", title: "A report on a saved model",
		caption: `
The program ` + "`examples/report`" + ` writes an HTML page about a saved model. Here the model is fitted to 300 rows of sales, and
scored on 100 others. The command needs Chromium.
`,
		command: "```bash\ngo -C examples/report test -run TestBrowser -update .\n```",
	},
}

var pictures = []picture{
	{
		name: "errorbars", title: "A prediction with its error bars",
		program: "examples/errorbars", columns: errorbarColumns, draw: errorbars,
		caption: `
A Gaussian process with 200 random features and a learned Matérn kernel is fitted to 45 observations, none of them
between 4 and 6. The band of the function comes from ` + "`Posterior.VarianceTo`" + `. The band of a new observation includes
the noise (` + "`StdDevTo`" + `). The gray lines come from ` + "`Posterior.Sample`" + `.
`,
	},
	{
		name: "intervals", title: "Intervals that hold where noise differs",
		program: "experiments/intervals", columns: intervalColumns, draw: intervals,
		caption: `
One ridge regression is fitted to 500 observations, whose noise is skewed and grows with x. ` + "`Model.Interval`" + ` (left)
calibrates 90 % intervals on left-out rows, and follows the true quantiles. Gaussian intervals (right) have the same
width everywhere. The titles give the coverage of new observations in the lowest and in the highest quarter of x.
`,
	},
	{
		name: "comparison", title: "Error compared with gradient boosting, forests and others",
		file: "docs/evidence/trees.csv", columns: comparisonColumns, draw: comparison,
		caption: `
One call of ` + "`learn.Regression`" + ` or ` + "`learn.Classification`" + ` with default options predicts the same test rows as methods
of scikit-learn and XGBoost. On each data set errors are divided by the best other method's. A bar shows one
standard error of the difference. Ratios above 3 are drawn at 3. [Methods and numbers](../evidence/trees.md).
`,
	},
	{
		name: "fittime", title: "Time of a fit against the number of rows",
		program: "experiments/fittime", columns: fitColumns, draw: fittime,
		caption: `
Kernel ridge regression fits n rows of Friedman's function with noise. An exact fit takes about n³ operations and memory for n² numbers,
and a fit on D features n·D² and D². The program stops exact fits where they take too long. Time is wall time on two cores. All fits share the λ that is chosen for 1,024 features.
`,
	},
	{
		name: "boundaries", title: "Boundaries of classifiers on random features",
		program: "experiments/sixways", columns: boundaryColumns, draw: boundaries,
		caption: `
Four classifiers learn the same points by stochastic gradient descent with a Gaussian kernel. The points form a face: its eyes and mouth are of class −1. The last panel uses the exact kernel, and the others random features. With
more features the boundary approaches the exact one.
`,
	},
	{
		name: "speed", title: "Error against time",
		program: "experiments/designs", data: true, columns: designs, draw: speed,
		caption: `
The error of the estimated Gaussian kernel is plotted against CPU time on one core: down and to the left is better. A
map is left out if another map of the same method is faster and more accurate. ` + "`NewPlan`" + `'s choice is drawn only where
its error is not within 5 % of another method's: a Maclaurin map for the smooth kernel.
[Terms and numbers](../evidence/designs.md).
`,
	},
	{
		name: "error", title: "Error against the number of features",
		program: "experiments/designs", data: true, columns: designs, draw: predictions,
		caption: `
Maps are as in the previous picture. Lines are predicted, before any feature is computed.
Markers are measured, with bars of ± one standard error. Errors of
Maclaurin maps scatter. A slope of −1/2 means half the error with four times as many features.
`,
	},
	{
		name: "figure3", title: "Two kernels of images: error against the number of features",
		program: "experiments/figure3", data: true, columns: figure3Columns, draw: figure3,
		caption: `
This is Figure 3 of Daniely, Frostig, Gupta and Singer (*Random Features for Compositional Kernels*, 2017), computed
again. The shallow kernel is a Gaussian kernel of all 24×24 pixels. The deep kernel has Gaussian kernels of 5×5-pixel
windows, then ReLU's dual kernel over windows of 4×4 places, then over all places. [More](../evidence/figure3.md).
`,
	},
	{
		name: "locality", title: "Which pixels the features of a convolutional kernel read together",
		program: "experiments/locality", columns: localityColumns, draw: locality,
		caption: `
This is Figure 4 of Daniely et al. (2017), computed again. The color is the correlation of two events: a random
feature reads the pixel, and it reads the pixel at the cross. Features of the flat kernel read all pixels equally. Each
layer of convolutions, with windows of 4×4, 8×8 and 16×16 pixels, adds a square. [More](../evidence/locality.md).
`,
	},
}
