"""The main job on a matrix: which samples are pure, and what are the others made of?"""

import tempfile
from pathlib import Path

from merit_nmf import SeparableNMF, metrics
from merit_nmf.datasets import make_dirichlet

# 500 samples (rows) of 40 features, mixtures of 5 pure ones that are among them, with noise.
data = make_dirichlet(500, 40, 5, snr_db=20, random_state=0)

model = SeparableNMF().fit(data.X)  # the number of components is estimated
print("components", model.n_components_, "clear" if model.rank_estimate_["clear"] else "not clear")
print("anchors found", metrics.anchors_right(model.anchor_indices_, data.anchors), "of 5")
print(f"gap {model.gap_:.3g}: the objective {model.objective_:.4g} is at most this far above its minimum")

weights = model.transform(data.X)  # rows sum to 1
print(f"fit {model.score(data.X):.4f}; the first sample is {weights[0].round(2).tolist()}")

with tempfile.TemporaryDirectory() as folder:
    model.report(Path(folder) / "page.html", data.X)  # open it in a browser
    model.save(Path(folder) / "model.npz")
    print("loaded", SeparableNMF.load(Path(folder) / "model.npz").n_components_, "components")
