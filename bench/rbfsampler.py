"""scikit-learn's RBFSampler: CPU time, ns per feature for 1000 rows and µs for one row. See compare and float32."""
import sys
import time

import numpy as np
from sklearn.kernel_approximation import RBFSampler

ROWS, FEATURES = 1000, 4096


def median(f, turns):
    f()
    times = []
    for _ in range(turns):
        start = time.process_time()
        f()
        times.append(time.process_time() - start)
    return sorted(times)[turns // 2]


single = sys.argv[1] == "float32"
for d in map(int, sys.argv[1 + single :]):
    x = np.random.RandomState(0).randn(ROWS, d).astype(np.float32 if single else np.float64)
    sampler = RBFSampler(gamma=0.5 / d, n_components=FEATURES, random_state=0).fit(x)
    batch = median(lambda: sampler.transform(x), 7) / ROWS / FEATURES
    row = median(lambda: sampler.transform(x[:1]), 99)
    print(f"{d} {batch * 1e9:.3f} {row * 1e6:.2f}")
