"""Separable nonnegative matrix factorization: exact, certified, in memory linear in the number of samples.

:class:`SeparableNMF` is a transformer of scikit-learn, :class:`TopicModel` turns texts into topics, :class:`CommunityDetector`
graphs into overlapping communities, :class:`Unmixer` hyperspectral images into materials. :func:`solve` is the same in the orientation of the paper, where samples are columns.

>>> from merit_nmf import SeparableNMF
>>> from merit_nmf.datasets import make_dirichlet
>>> data = make_dirichlet(n_samples=200, n_features=20, n_components=4, snr_db=30, random_state=1)
>>> model = SeparableNMF(n_components=4).fit(data.X)
>>> sorted(model.anchor_indices_.tolist()) == sorted(data.anchors.tolist())
True
"""

from . import _merit, _threadpools, datasets, metrics
from ._communities import CommunityDetector
from ._estimator import SeparableNMF
from ._files import Corpus, Graph, Matrix, read, report
from ._functions import (
    Solution,
    certify,
    fast_anchor,
    fast_gradient,
    nfindr,
    norm_ratio,
    plan,
    snpa,
    solve,
    spa,
    sspa,
    vca,
    xray,
)
from ._saving import load
from ._topics import TopicModel
from ._unmix import Unmixer
from ._watching import Progress, threads

__version__: str = _merit.__version__

__all__ = [
    "CommunityDetector",
    "Corpus",
    "Graph",
    "Matrix",
    "Progress",
    "SeparableNMF",
    "Solution",
    "TopicModel",
    "Unmixer",
    "__version__",
    "certify",
    "datasets",
    "fast_anchor",
    "fast_gradient",
    "load",
    "metrics",
    "nfindr",
    "norm_ratio",
    "plan",
    "read",
    "report",
    "snpa",
    "solve",
    "spa",
    "sspa",
    "threads",
    "vca",
    "xray",
]

_threadpools.register()
