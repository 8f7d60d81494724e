"""scikit-learn's LogisticRegression and SGDClassifier on kept features: see logistic."""
import sys
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, SGDClassifier, _logistic
from sklearn.metrics import log_loss

warnings.filterwarnings("ignore")
EPOCHS = 20
name, N, FEATURES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lam, target = float(sys.argv[4]), float(sys.argv[5])
data = np.fromfile(name).reshape(-1, FEATURES + 1)
z, y = np.ascontiguousarray(data[:N, :-1]), data[:N, -1].astype(int)
held, truth = np.ascontiguousarray(data[N:, :-1]), data[N:, -1].astype(int)


class Reached(Exception):
    pass


# LogisticRegression has no option to end at a given loss, so its objective is watched.
minimize = _logistic.optimize.minimize
start, evaluations, best = 0.0, 0, np.inf


def watched(f, w0, *args, **options):
    def g(w, *rest):
        global evaluations, best
        value, gradient = f(w, *rest)
        evaluations += 1
        best = min(best, value / N)
        if best <= target:
            raise Reached
        return value, gradient

    return minimize(g, w0, *args, **options)


_logistic.optimize.minimize = watched
start = time.process_time()
try:
    LogisticRegression(C=1 / lam, max_iter=2000, tol=1e-12).fit(z, y)
except Reached:
    pass
print("LogisticRegression", f"{time.process_time() - start:.3f}", evaluations, f"{best:.6f}")

start = time.process_time()
sgd = SGDClassifier(loss="log_loss", alpha=lam / N, max_iter=EPOCHS, tol=None, random_state=1).fit(z, y)
seconds = time.process_time() - start
p = sgd.predict_proba(held)
print("SGDClassifier", f"{seconds:.3f}", f"{100 * np.mean(sgd.predict(held) != truth):.2f}", f"{log_loss(truth, p):.4f}")
