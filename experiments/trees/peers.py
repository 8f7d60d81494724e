#!/usr/bin/env python3
"""What users of tables would take instead of learn, for experiments/trees.

    peers.py ROWS PEERS [-sets a,b] [-splits 0,1] [-methods a,b] [-tuned]

ROWS is the folder that `go -C experiments run ./trees -export ROWS` has filled: a file for each set and split. The predictions of each
method go to a file of PEERS, with its seconds of CPU time, fit and predictions together, on one core. What is there is not done again,
so that the program can be stopped. With -tuned two boosters are chosen by five folds from 25 random configurations each, which is slow.
It needs scikit-learn, and for XGBoost xgboost (Debian: python3-sklearn, python3-xgboost).
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"  # before anything reads it

import argparse
import pathlib
import time
import warnings

import numpy as np
from scipy.stats import loguniform, randint, uniform
from sklearn import ensemble
from sklearn.compose import TransformedTargetRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

try:
    import xgboost
except ImportError:
    xgboost = None
    print("XGBoost is left out: there is no module xgboost")

SMALL = 2000  # rows, at most, of the methods that take their cube

HIST_SPACE = {
    "learning_rate": loguniform(0.02, 0.3),
    "max_iter": randint(100, 1001),
    "max_leaf_nodes": randint(7, 128),
    "min_samples_leaf": randint(2, 51),
    "l2_regularization": loguniform(1e-3, 10),
}
XGB_SPACE = {
    "learning_rate": loguniform(0.02, 0.3),
    "n_estimators": randint(100, 1001),
    "max_depth": randint(3, 11),
    "min_child_weight": loguniform(0.5, 20),
    "subsample": uniform(0.5, 0.5),
    "colsample_bytree": uniform(0.5, 0.5),
    "reg_lambda": loguniform(0.1, 10),
}


def hist(classes):
    kind = ensemble.HistGradientBoostingClassifier if classes else ensemble.HistGradientBoostingRegressor
    return kind(random_state=0)


def xgb(classes):
    kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
    return kind(n_jobs=1, random_state=0, verbosity=0)


class Conformal:
    """Intervals of 90 % of quantile regression, made longer by a quarter of the rows (Romano, Patterson, Candès 2019)."""

    def fit(self, x, y):
        order = np.random.default_rng(0).permutation(len(y))
        check, fit = order[: len(y) // 4], order[len(y) // 4 :]
        self.ends = [
            ensemble.HistGradientBoostingRegressor(loss="quantile", quantile=q, random_state=0).fit(x[fit], y[fit]) for q in (0.05, 0.95)
        ]
        lo, hi = (m.predict(x[check]) for m in self.ends)
        rank = min(int(np.ceil(0.9 * (len(check) + 1))), len(check))
        self.longer = np.sort(np.maximum(lo - y[check], y[check] - hi))[rank - 1]
        return self

    def predict(self, x):
        lo, hi = (m.predict(x) for m in self.ends)
        return np.column_stack([(lo + hi) / 2, lo - self.longer, hi + self.longer])


class Tuned:
    """A model with the best of 25 random configurations, by five folds."""

    def __init__(self, model, space, classes):
        self.model, self.space, self.classes = model, space, classes

    def fit(self, x, y):
        rows = np.arange(len(y))
        if self.classes:  # those of fewer rows than folds take no part in the search, or a fold would miss them
            frequent = np.flatnonzero(np.bincount(y) >= 5)
            rows = rows[np.isin(y, frequent)]
        labels = np.searchsorted(frequent, y[rows]) if self.classes else y
        folds = 5 if self.classes else KFold(5, shuffle=True, random_state=0)  # those of classes have their share of each
        loss = "neg_log_loss" if self.classes else "neg_mean_squared_error"
        search = RandomizedSearchCV(self.model, self.space, n_iter=25, cv=folds, scoring=loss, random_state=0, refit=False)
        best = search.fit(x[rows], labels).best_params_
        self.model.set_params(**best).fit(x, y)
        return self

    def predict(self, x):
        return self.model.predict(x)

    def predict_proba(self, x):
        return self.model.predict_proba(x)


def methods(classes, n, d, tuned):
    """The methods for n rows of d columns, by name, the fast ones first."""
    forests = (ensemble.ExtraTreesClassifier, ensemble.RandomForestClassifier) if classes else (
        ensemble.ExtraTreesRegressor, ensemble.RandomForestRegressor)
    linear = LogisticRegression(max_iter=1000) if classes else RidgeCV()
    landmarks = Nystroem(random_state=0, n_components=min(100, n))
    all = {"HistGradientBoosting": hist(classes)}
    if xgboost:
        all["XGBoost"] = xgb(classes)
    all["Nystroem"] = make_pipeline(StandardScaler(), landmarks, linear)
    all["ExtraTrees"] = forests[0](n_jobs=1, random_state=0)
    all["RandomForest"] = forests[1](n_jobs=1, random_state=0)
    if not classes and n <= SMALL:
        kernel = ConstantKernel(1) * RBF(np.full(d, np.sqrt(d))) + WhiteKernel(0.1)
        all["SVR"] = TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler())
        all["GaussianProcess"] = make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True, random_state=0))
    if not classes and n >= 40:
        all["HistGradientBoosting-CQR"] = Conformal()
    if tuned:
        all["HistGradientBoosting-tuned"] = Tuned(hist(classes), HIST_SPACE, classes)
        if xgboost:
            all["XGBoost-tuned"] = Tuned(xgb(classes), XGB_SPACE, classes)
    return all


def predict(name, model, classes, x, y, test):
    """The predictions of the test rows, a row each: probabilities, or the mean, of the Gaussian process with its deviation."""
    model.fit(x, y)
    if classes:
        return model.predict_proba(test)
    if name == "HistGradientBoosting-CQR":
        return model.predict(test)
    if name == "GaussianProcess":
        return np.column_stack(model.predict(test, return_std=True))
    return model.predict(test)[:, None]


def read(path):
    """The kind of a task, its key, rows to train on, their targets, and test rows."""
    with open(path) as f:
        _, kind, train, key = f.readline().split()
        rows = np.loadtxt(f, delimiter=",", ndmin=2)
    x, y = rows[:, :-1], rows[: int(train), -1]
    classes = kind == "classes"
    return classes, key, x[: len(y)], y.astype(int) if classes else y, x[len(y) :]


def done(path, key):
    """Whether a file has the predictions of these rows."""
    if not path.exists():
        return False
    with open(path) as f:
        return f.readline().split()[1:2] == [key]


def chosen(text, value):
    return not text or value in text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("peers", type=pathlib.Path)
    parser.add_argument("-sets", help="names between commas; by default all that are there")
    parser.add_argument("-splits", help="numbers between commas; by default all that are there")
    parser.add_argument("-methods", help="names between commas; by default all")
    parser.add_argument("-tuned", action="store_true", help="also the boosters that are tuned")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    options.peers.mkdir(parents=True, exist_ok=True)
    for path in sorted(options.rows.glob("*.csv"), key=lambda p: p.stat().st_size):
        name, split = path.stem.rsplit("_", 1)
        if not chosen(options.sets, name) or not chosen(options.splits, split):
            continue
        classes, key, x, y, test = read(path)
        for method, model in methods(classes, *x.shape, options.tuned).items():
            out = options.peers / f"{path.stem}.{method}.csv"
            if not chosen(options.methods, method) or done(out, key):
                continue
            start = time.process_time()
            predictions = predict(method, model, classes, x, y, test)
            seconds = time.process_time() - start
            part = out.with_suffix(".part")
            np.savetxt(part, predictions, delimiter=",", fmt="%.9g", header=f"{key} {seconds:.6g}", comments="# ")
            part.rename(out)  # so that a file is whole, or not there
            print(f"{path.stem} {x.shape[0]} × {x.shape[1]}: {method}, {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
