"""The log marginal likelihood of a Gaussian process on features and its gradient in numpy: seconds of CPU time. See evidence."""
import sys
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve

N, COLUMNS, REPEATS = 4000, 16, 5


def gradient(x, y, a, frequencies, penalty):
    """Returns the log marginal likelihood, and minus its gradient by the matrix a and by the logarithm of the penalty."""
    n, half = len(x), len(frequencies)
    phases = x @ (a.T @ frequencies.T)
    c, s = np.cos(phases) / np.sqrt(half), np.sin(phases) / np.sqrt(half)
    phi = np.hstack([c, s])
    phi -= phi.mean(axis=0)
    y = y - y.mean()
    width = phi.shape[1]
    factor = cho_factor(phi.T @ phi + penalty * np.eye(width))
    b = phi.T @ y
    w = cho_solve(factor, b)
    noise = (y @ y - b @ w) / (n - 1)
    logdet = 2 * np.log(np.diag(factor[0])).sum()
    evidence = -0.5 * ((n - 1) * (1 + np.log(2 * np.pi * noise)) + logdet - width * np.log(penalty) + np.log(n))
    inverse = cho_solve(factor, np.eye(width))
    p = phi @ inverse - np.outer(y - phi @ w, w) / noise
    h = p[:, half:] * c - p[:, :half] * s
    slope = penalty / 2 * (np.trace(inverse) - width / penalty + w @ w / noise)
    return evidence, frequencies.T @ (h.T @ x), slope


random = np.random.RandomState(0)
x = random.randn(N, COLUMNS)
y = np.sin(x[:, 0]) + 0.1 * random.randn(N)
for features in map(int, sys.argv[1:]):
    arguments = x, y, 0.3 * np.eye(COLUMNS), random.randn(features // 2, COLUMNS), np.exp(-2)
    gradient(*arguments)
    start = time.process_time()
    for _ in range(REPEATS):
        gradient(*arguments)
    print(f"numpy/{features} {(time.process_time() - start) / REPEATS:.4f}")
