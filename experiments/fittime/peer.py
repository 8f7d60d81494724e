"""scikit-learn's KernelRidge: seconds, megabytes and the test error of a fit of the first N rows, for each line N.

Arguments: files of float64 with points and targets to train on, points and targets to test on, and with
the number of coordinates, the length scale and the ridge.
"""
import sys
import time
import tracemalloc

import numpy as np
from sklearn.kernel_ridge import KernelRidge

x, y, test, truth, (d, scale, ridge) = (np.fromfile(name) for name in sys.argv[1:])
x, test = x.reshape(-1, int(d)), test.reshape(-1, int(d))


def fit(rows):
    # An array of numpy is one allocation: to trace these costs no time.
    tracemalloc.start()
    start = time.perf_counter()
    model = KernelRidge(kernel="rbf", gamma=1 / (2 * scale**2), alpha=ridge).fit(x[:rows], y[:rows])
    seconds = time.perf_counter() - start
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, megabytes, np.sqrt(np.mean((model.predict(test) - truth) ** 2))


for line in sys.stdin:
    print(*fit(int(line)), flush=True)
