"""Ridge regression on scikit-learn's RBFSampler by numpy and scipy, in seconds: see ridge."""
import sys
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.kernel_approximation import RBFSampler

LAMBDA = 0.1

for case in sys.argv[1:]:
    n, d, features, targets = map(int, case.split("x"))
    rng = np.random.default_rng(1)
    x, y = rng.random((n, d)), rng.standard_normal((n, targets))
    times = [time.perf_counter()]
    z = RBFSampler(gamma=1 / d, n_components=features, random_state=1).fit(x).transform(x)
    times.append(time.perf_counter())
    # numpy computes only one half of the product of a matrix and its transpose (dsyrk).
    a, b = z.T @ z, z.T @ y
    times.append(time.perf_counter())
    a.flat[:: features + 1] += LAMBDA
    cho_solve(cho_factor(a, overwrite_a=True, check_finite=False), b)
    times.append(time.perf_counter())
    steps = np.diff(times)
    print(case, *(f"{s:.4f}" for s in (*steps, steps.sum())))
