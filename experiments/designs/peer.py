"""scikit-learn's RBFSampler: CPU time and squared errors, for the lines "time D" and "errors D MAPS".

Arguments: files of float64 with the rows over whose pairs errors are measured, with the rows to
transform, and with the number of coordinates, the length scale and the least seconds of a sample.
"""
import sys
import time

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.metrics.pairwise import rbf_kernel

rows, batch, (d, scale, least) = (np.fromfile(name) for name in sys.argv[1:])
rows, batch, gamma = rows.reshape(-1, int(d)), batch.reshape(-1, int(d)), 1 / (2 * scale**2)
exact = rbf_kernel(rows, gamma=gamma)
pairs = np.tril_indices(len(rows), -1)
samplers = {}


def draw(features, seed):
    sampler = RBFSampler(gamma=gamma, n_components=features, random_state=features + 10_000 * seed)
    return sampler.fit(rows)


def microseconds(features):
    """A row's share of a transform, over calls that take at least so many seconds together."""
    if features not in samplers:
        samplers.clear()
        samplers[features] = draw(features, 0)
    transform = samplers[features].transform
    transform(batch)
    start, calls, spent = time.process_time(), 0, 0
    while spent < least:
        transform(batch)
        calls += 1
        spent = time.process_time() - start
    return spent / calls / len(batch) * 1e6


def squared_error(features, seed):
    z = draw(features, seed).transform(rows)
    return np.mean((z @ z.T - exact)[pairs] ** 2)


for line in sys.stdin:
    action, features, *maps = line.split()
    if action == "time":
        print(microseconds(int(features)), flush=True)
    else:
        print(*(squared_error(int(features), seed) for seed in range(int(maps[0]))), flush=True)
