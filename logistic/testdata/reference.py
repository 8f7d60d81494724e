"""Writes reference.json: coefficients of scikit-learn's LogisticRegression on small data.

Run as `python3 reference.py > reference.json` with scikit-learn 1.2.1. For K classes of 3 or more its C is 1/lambda; for two
it is 2/lambda, and its one row of coefficients is the difference of those of the two classes.
"""
import json

import numpy as np
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(29)
cases = []
for count, lam in ((3, 0.7), (2, 0.3)):
    x = np.round(rng.normal(size=(60, 5)) + 1, 3)
    score = x @ rng.normal(size=(5, count)) + rng.gumbel(size=(60, count))
    y = score.argmax(1)
    m = LogisticRegression(C=(1 if count > 2 else 2) / lam, tol=1e-14, max_iter=100000, solver="newton-cg").fit(x, y)
    cases.append(dict(lam=lam, x=x.tolist(), y=y.tolist(), coef=m.coef_.tolist(), intercept=m.intercept_.tolist()))
print(json.dumps(cases))
