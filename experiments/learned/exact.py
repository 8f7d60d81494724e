"""scikit-learn's exact Gaussian process, with a length scale for each column, for experiments/learned.

Arguments: the files of points to learn from, their targets, and points to predict, as float64. A line of input has the number of
columns, the length to begin with, and the most steps of L-BFGS, from this one start. The answer is the seconds of CPU time, the predictions, and their variances with the noise.
"""
import sys
import time

import numpy as np
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel


def steps(most):
    """Returns scikit-learn's own optimizer, which ends after so many steps."""

    def optimize(objective, start, bounds):
        found = minimize(objective, start, method="L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": most})
        return found.x, found.fun

    return optimize


for line in sys.stdin:
    words = line.split()
    columns, length, most = int(words[0]), float(words[1]), int(words[2])
    x, y, new = (np.fromfile(path) for path in sys.argv[1:])
    x, new = x.reshape(-1, columns), new.reshape(-1, columns)
    kernel = ConstantKernel(1, (1e-4, 1e6)) * RBF(np.full(columns, length), (1e-2, 1e5)) + WhiteKernel(0.1, (1e-6, 1e2))
    start = time.process_time()
    model = GaussianProcessRegressor(kernel, normalize_y=True, optimizer=steps(most)).fit(x, y)
    mean, deviation = model.predict(new, return_std=True)
    seconds = time.process_time() - start
    print(*map(repr, [seconds, *mean.tolist(), *(deviation**2).tolist()]), flush=True)
