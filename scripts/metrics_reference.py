"""Reference values for crates/merit/tests/metrics.rs, by NumPy and SciPy alone.

    python scripts/metrics_reference.py

The inputs are written out below and in the test; nothing is random.
"""
import numpy as np
import scipy
from scipy.optimize import linear_sum_assignment

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


print(f"# NumPy {np.__version__}, SciPy {scipy.__version__}")
print(f"mrsa, mean column  {mrsa(W_FOUND, W_TRUE, own_mean=False):.17g}")
print(f"mrsa, own mean     {mrsa(W_FOUND, W_TRUE, own_mean=True):.17g}")
print(f"mrsa, two of three {mrsa(W_FOUND[:, :2], W_TRUE, own_mean=True):.17g}")
print(f"rae, true factors  {rae(X, W_TRUE, H):.17g}")
print(f"rae, found W       {rae(X, W_FOUND[:, [1, 2, 0]], H):.17g}")
