"""Beside scikit-learn's NMF: parts that are samples of the data, and the same result every time."""

import numpy as np
from sklearn.decomposition import NMF

from merit_nmf import SeparableNMF
from merit_nmf.datasets import make_dirichlet
from merit_nmf.metrics import mrsa

data = make_dirichlet(1000, 30, 5, snr_db=25, random_state=1)
X = np.maximum(data.X, 0)  # NMF takes no negative numbers, which noise may make

merit = SeparableNMF(n_components=5).fit(X)
print(f"Merit: fit {merit.score(X):.4f}, angle to the true parts {mrsa(merit.components_, data.components):.4f} rad")

for seed in range(3):
    nmf = NMF(n_components=5, init="random", random_state=seed, max_iter=1000)
    weights = nmf.fit_transform(X)
    fit = 1 - np.linalg.norm(X - weights @ nmf.components_) / np.linalg.norm(X)
    print(f"NMF, seed {seed}: fit {fit:.4f}, angle {mrsa(nmf.components_, data.components):.4f} rad")
