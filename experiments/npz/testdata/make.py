# Features by scikit-learn's RBFSampler, for the tests. It wrote rbf.npz and fortran.npz with
# scikit-learn 1.2.1 and numpy 1.24.2, by
#
#	cd testdata && python3 make.py
import numpy as np
from sklearn.kernel_approximation import RBFSampler

X = 2 * np.random.RandomState(1).normal(size=(7, 5))
s = RBFSampler(gamma=0.3, n_components=16, random_state=2).fit(X)
np.savez("rbf.npz", random_weights=s.random_weights_, random_offset=s.random_offset_, gamma=s.gamma,
         X=X, Z=s.transform(X))

# The same in Fortran order, compressed, with gamma as an array of one element and fewer points.
X = X[:4]
np.savez_compressed("fortran.npz", random_weights=np.asfortranarray(s.random_weights_),
                    random_offset=s.random_offset_, gamma=[s.gamma],
                    X=np.asfortranarray(X), Z=np.asfortranarray(s.transform(X)))
