// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package timeseries makes feature maps of time series by random convolutions, for the linear models of this module: classification,
regression, forecasting.

	m, err := timeseries.NewMiniRocket(x, 9996, nil, nil) // x: n×L, a row for each series of L values
	if err != nil {
		log.Fatal(err)
	}
	model, err := logistic.Fit(m, x, classes, nil)

A convolution slides a kernel of nine weights, whose taps lie a dilation d apart, along a series: at position p its value is
Σⱼ wⱼ·x[p + (j − 4)d], with zeros beyond the ends. There are two maps:

	MiniRocket  84 fixed kernels at many dilations: for each, the shares of positions above some limits
	Hydra       random kernels in groups of eight that compete: at which positions which one is largest, or smallest

Both are about as accurate, and together more so, on most data:

	k := featuremap.Sum(featuremap.FromMap(rocket), featuremap.FromMap(hydra))
	plan, err := featuremap.NewPlan(k, nil, rocketFeatures+hydraFeatures, &featuremap.PlanOptions{In: in})

A row holds one series, or several channels that were measured together, one after the other: Options.Channels. All series and all channels
have one length of 9 values or more. Cut longer ones, or resample all to one length. The maps take levels and scales as they are: if these
tell nothing, subtract the mean of each series and divide by its standard deviation first, as the sets of the UCR archive are.

Features are scaled by the rows that a map is made from, which should be those that the model is fitted to. With more features than rows,
ridge regression takes the time of rows.

Maps are a [featuremap.FeatureMap]: their kernel is FromMap of themselves, and its estimate has no error. They have no derivative. They are
saved by [featuremap.Encode] and in the files of models; a program that reads these must import this package. docs/cookbook/time-series.md has
programs, docs/evidence/timeseries.md what they get on 41 sets.
*/
package timeseries
