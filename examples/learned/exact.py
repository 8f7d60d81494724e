"""scikit-learn's exact Gaussian process, with a length scale for each column, for examples/learned.

Arguments: the files of points to learn from, their targets, and points to predict, as float64. A line of input has the number of
columns and the length to begin with. The answer is the seconds of CPU time, the predictions, and their variances with the noise.
"""
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

for line in sys.stdin:
    words = line.split()
    columns, length = int(words[0]), float(words[1])
    x, y, new = (np.fromfile(path) for path in sys.argv[1:])
    x, new = x.reshape(-1, columns), new.reshape(-1, columns)
    kernel = ConstantKernel(1, (1e-4, 1e6)) * RBF(np.full(columns, length), (1e-2, 1e5)) + WhiteKernel(0.1, (1e-6, 1e2))
    start = time.process_time()
    model = GaussianProcessRegressor(kernel, normalize_y=True).fit(x, y)
    mean, deviation = model.predict(new, return_std=True)
    seconds = time.process_time() - start
    print(*map(repr, [seconds, *mean.tolist(), *(deviation**2).tolist()]), flush=True)
