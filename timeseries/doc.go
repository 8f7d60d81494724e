// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package timeseries makes feature maps of time series by random convolutions. Use them with the linear models of this module for
classification, regression and forecasting.

	m, err := timeseries.NewMiniRocket(x, 9996, nil, nil) // x: n×L, a row for each series of L values
	if err != nil {
		log.Fatal(err)
	}
	model, err := logistic.Fit(m, x, classes, nil)

A convolution slides a kernel of nine weights along a series. The weights lie a dilation d apart, and the value at position p
is Σⱼ wⱼ·x[p + (j − 4)d], with zeros beyond the ends. There are two maps:

	MiniRocket  84 fixed kernels at many dilations; features are shares of positions where a convolution is above a bias
	Hydra       random kernels in groups of eight that compete; features tell where each is the largest or the smallest

They are about equally accurate on most data, and more accurate together:

	k := featuremap.Sum(featuremap.FromMap(rocket), featuremap.FromMap(hydra))
	plan, err := featuremap.NewPlan(k, nil, rocketFeatures+hydraFeatures, &featuremap.PlanOptions{In: in})

A row holds one series, or several channels that were measured together, one channel after the other: see Options.Channels. All series and
all channels have the same length of 9 values or more. Cut longer ones, or resample all to one length. The maps use the level and the scale
of a series. If these carry no information, subtract the mean of each series and divide by its standard deviation first, as is done in the
UCR archive.

The rows that a map is made from also set the scales of its features: take the rows that you fit the model to. From two features a row on
(for classes 4/3), fits take n²·D/2 operations instead of n·D²/2.

Maps implement [featuremap.FeatureMap]. Their kernel is FromMap of the map, which they estimate without error. They have no derivative.
[featuremap.Encode] saves them, and so do the files of models; a program that reads such a file must import this package.
docs/cookbook/time-series.md shows a whole program, docs/evidence/timeseries.md the results on 41 data sets.
*/
package timeseries
