"""scikit-learn's rbf_kernel: seconds of CPU time for the matrix of a number of rows. See gram."""
import sys
import time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

rows = int(sys.argv[1])
for d in map(int, sys.argv[2:]):
    x = np.random.RandomState(0).randn(rows, d)
    rbf_kernel(x[:1000], gamma=0.5 / d)
    start = time.process_time()
    rbf_kernel(x, gamma=0.5 / d)
    print(f"sklearn/{d} {time.process_time() - start:.4f}")
