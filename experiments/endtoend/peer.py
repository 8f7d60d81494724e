"""The side of scikit-learn in experiments/endtoend, which runs this as a child and speaks to it by pipes.

Standard input has a line of JSON that describes a task, then its rows and targets as little-endian
float64, and then a line with a seed for each round. Standard output has a line of JSON for each
round: results as in result of main.go.
"""
import json
import sys
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import Ridge, RidgeClassifier


def read_task(pipe):
    """Returns the task with its arrays."""
    task = json.loads(pipe.readline())

    def array(rows, columns):
        return np.frombuffer(pipe.read(8 * rows * columns), dtype="<f8").reshape(rows, columns)

    for part in "train", "test":
        rows = task[part]
        task[part] = array(rows, task["coordinates"]), array(rows, 1).ravel()
    return task


def score(task, model, z, y):
    """Returns the share of classes that are right, or the root mean square error."""
    predicted = model.predict(z)
    if task["classes"]:
        return float(np.mean(predicted == y))
    return float(np.sqrt(np.mean((predicted - y) ** 2)))


def sampler(method, length, features, seed):
    """Returns the map of the Gaussian kernel of this length scale."""
    return method(gamma=1 / (2 * length**2), n_components=features, random_state=seed)


def choose(task, linear, method, seed):
    """Returns the length scale and the ridge that are best on the rows held out."""
    x, y = task["train"]
    own = task["own"]
    best = None
    for length in task["lengths"]:
        phi = sampler(method, length, task["features"][0], seed)
        z, held = phi.fit_transform(x[:own]), phi.transform(x[own:])
        for ridge in task["ridges"]:
            value = score(task, linear(alpha=ridge).fit(z, y[:own]), held, y[own:])
            loss = -value if task["classes"] else value
            if best is None or loss < best[0]:
                best = loss, length, ridge
    return best[1:]


def results(task, seed):
    """Yields a result for each method and number of features."""
    linear = RidgeClassifier if task["classes"] else Ridge
    x, y = task["train"]
    for method in (m for m in (RBFSampler, Nystroem) if m.__name__ in task["methods"]):
        start = time.process_time()
        length, ridge = choose(task, linear, method, seed)
        chosen = time.process_time()
        for features in task["features"]:
            if method is Nystroem and features > task["nystroem"]:
                continue
            began = time.process_time()
            phi = sampler(method, length, features, seed)
            model = linear(alpha=ridge).fit(phi.fit_transform(x), y)
            fitted = time.process_time()
            value = score(task, model, phi.transform(task["test"][0]), task["test"][1])
            predicted = time.process_time()
            yield {
                "Method": f"scikit-learn, {method.__name__}",
                "Features": features,
                "Score": value,
                "Choose": chosen - start,
                "Fit": fitted - began,
                "Predict": predicted - fitted,
                "Length": length,
                "Ridge": ridge,
            }


if __name__ == "__main__":
    TASK = read_task(sys.stdin.buffer)
    for line in sys.stdin.buffer:
        print(json.dumps(list(results(TASK, int(line)))), flush=True)
