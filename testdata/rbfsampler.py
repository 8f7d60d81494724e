# Features by scikit-learn's RBFSampler, for TestNewFourierFromRBFSampler. It printed rbfsampler.json with
# scikit-learn 1.2.1 and numpy 1.24.2, by
#
#	python3 testdata/rbfsampler.py >testdata/rbfsampler.json
import json

import numpy
import sklearn
from sklearn.kernel_approximation import RBFSampler

random = numpy.random.RandomState(1)
x = 2 * random.normal(size=(5, 3))
of = RBFSampler(gamma=0.35, n_components=8, random_state=2).fit(x)
print(json.dumps({
    "Version": sklearn.__version__,
    "Gamma": of.gamma,
    "X": x.tolist(),
    "Weights": of.random_weights_.tolist(),
    "Offset": of.random_offset_.tolist(),
    "Features": of.transform(x).tolist(),
}, indent=1))
