"""OpenBLAS's symmetric update and Cholesky factorization, GFLOP/s: see ridge."""
import sys
import time

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf

TURNS = 3


def seconds(f, *args, **kwargs):
    start = time.perf_counter()
    f(*args, **kwargs)
    return time.perf_counter() - start


rng = np.random.default_rng(1)
for n in map(int, sys.argv[1:]):
    rates = []
    for rows in (256, 2048):
        z, c = rng.random((rows, n)), np.zeros((n, n), order="F")
        best = min(seconds(dsyrk, 1.0, z.T, 1.0, c, overwrite_c=1) for _ in range(TURNS))
        rates.append(rows * n * (n + 1) / best / 1e9)
    print(f"update/{n} {max(rates):.2f}")
    z = rng.random((300, n))
    a = np.asfortranarray(z.T @ z + n * np.eye(n))
    best = min(seconds(dpotrf, b, overwrite_a=1, clean=0) for b in (a.copy(order="F") for _ in range(TURNS)))
    print(f"factor/{n} {n**3 / 3 / best / 1e9:.2f}")
