"""Reference values for crates/merit/tests/metrics.rs, by NumPy, SciPy and scikit-learn.

    python scripts/metrics_reference.py

The inputs are written out below and in the test; nothing is random.
"""
import numpy as np
import scipy
import sklearn
from scipy.optimize import linear_sum_assignment
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import normalize

W_TRUE = np.array([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4], [0.1, 0.3, 0.7], [0.5, 0.6, 0.2]])
W_FOUND = np.array([[0.25, 0.85, 0.2], [0.5, 0.25, 0.7], [0.65, 0.05, 0.35], [0.3, 0.45, 0.65]])
H = np.array([[0.2, 1.0, 0.0, 0.3, 0.5], [0.3, 0.0, 0.6, 0.3, 0.5], [0.5, 0.0, 0.4, 0.4, 0.0]])
X = W_TRUE @ H + 0.01 * np.array(
    [[1, -2, 3, 0, 1], [0, 1, -1, 2, -2], [-3, 1, 0, 1, 2], [2, 0, -1, -1, 1]]
)


def mrsa(found, true, own_mean):
    axis = 0 if own_mean else 1
    found = found - found.mean(axis, keepdims=True)
    true = true - true.mean(axis, keepdims=True)
    cosines = (true / np.linalg.norm(true, axis=0)).T @ (found / np.linalg.norm(found, axis=0))
    angles = np.arccos(np.clip(cosines, -1.0, 1.0))
    return angles[linear_sum_assignment(angles)].mean()


def rae(x, w, h):
    return 1 - np.linalg.norm(x - w @ h) / np.linalg.norm(x)


def src(found, true):
    r = np.array([[spearmanr(a, b).statistic for b in true.T] for a in found.T])
    return r[linear_sum_assignment(-r)].mean()


def coherence(counts, topics):
    """`counts` is documents x words; dense, with the definition written out."""
    has = counts != 0
    def of_topic(words):
        pairs = [(n, m) for i, n in enumerate(words) for m in words[i + 1:]]
        return 2 * sum(np.log(((has[:, n] & has[:, m]).sum() + 0.01) / has[:, n].sum()) for n, m in pairs)
    return np.mean([of_topic(words) for words in topics])


def top_words(topics, count):
    return np.argsort(-topics, axis=1, kind="stable")[:, :count]


def clustering_accuracy(weights, labels):
    points = normalize(weights)
    kmeans = KMeans(n_clusters=len(set(labels)), n_init=10, random_state=0, tol=0).fit(points)
    table = contingency_matrix(labels, kmeans.labels_)
    return table[linear_sum_assignment(-table)].sum() / len(labels), kmeans.inertia_


TIED = (np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]), np.array([2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0]))
COUNTS = np.array([[(5 * d + 7 * w + d * w) % 4 % 3 for w in range(9)] for d in range(12)])
TOPICS = np.array([[((3 * k + 2) * (w + 1)) % 7 for w in range(9)] for k in range(3)], dtype=float)
DOCUMENT, TOPIC = np.arange(60)[:, None], np.arange(3)[None, :]
WEIGHTS = (DOCUMENT % 3 == TOPIC) + 0.7 * np.abs(np.sin(7 * DOCUMENT + 3 * TOPIC))
LABELS = np.where(np.arange(60) % 8 == 5, (np.arange(60) + 1) % 3, np.arange(60) % 3)

print(f"# NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}")
print(f"mrsa, mean column  {mrsa(W_FOUND, W_TRUE, own_mean=False):.17g}")
print(f"mrsa, own mean     {mrsa(W_FOUND, W_TRUE, own_mean=True):.17g}")
print(f"mrsa, two of three {mrsa(W_FOUND[:, :2], W_TRUE, own_mean=True):.17g}")
print(f"rae, true factors  {rae(X, W_TRUE, H):.17g}")
print(f"rae, found W       {rae(X, W_FOUND[:, [1, 2, 0]], H):.17g}")
print(f"spearman, ties     {spearmanr(*TIED).statistic:.17g}")
print(f"src, 3 and 3       {src(W_FOUND, W_TRUE):.17g}")
print(f"src, 2 of 3        {src(W_FOUND[:, :2], W_TRUE):.17g}")
print(f"top words          {top_words(TOPICS, 4).tolist()}")
print(f"coherence          {coherence(COUNTS, top_words(TOPICS, 4)):.17g}")
print("clustering         {:.17g}, inertia {:.17g}".format(*clustering_accuracy(WEIGHTS, LABELS)))
