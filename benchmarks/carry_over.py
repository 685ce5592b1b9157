"""How often a column needs no search, because its last winner cannot have lost: the margin of that winner exceeds twice what the
residual moved. (It does not pay; benchmarks/README.md has the figures.)

    python3 benchmarks/carry_over.py
"""

import numpy as np


def run(M, N, K, snr, lam, steps=100, seed=1, mu=1e-5):
    rng = np.random.default_rng(seed)
    W = rng.random((M, K))
    H = rng.dirichlet(np.ones(K), N).T
    H[:, :K] = np.eye(K)
    X = W @ H
    noise = rng.standard_normal(X.shape)
    X += noise * np.sqrt((X**2).sum() / (noise**2).sum() / 10 ** (snr / 10))
    radius = np.linalg.norm(X - X.mean(1, keepdims=True), axis=0).max()
    C, R, last = np.zeros((N, N)), -X.copy(), None
    for t in range(steps):
        Y = np.exp((C - C.max(1, keepdims=True)) / mu)
        Y *= lam / Y.sum(1, keepdims=True)
        G = X.T @ R + Y
        winner = G.argmin(0)
        best, second = np.partition(G, 1, axis=0)[:2]
        if last is not None and t in (20, 50, 99):
            R_last, margin, Y_last = last
            shrunk = 1 - 2 / (t + 1)  # a residual that only shrinks changes no winner
            moved = np.linalg.norm(R - shrunk * R_last, axis=0)
            settled = shrunk * margin > 2 * radius * moved + 2 * np.abs(Y - Y_last).max()
            print(f"M {M} N {N} K {K} {snr} dB lambda {lam}: iteration {t}, {settled.mean():.1%} settled")
        last = (R.copy(), second - best, Y)
        gamma = 2 / (t + 2)
        C *= 1 - gamma
        C[winner, np.arange(N)] += gamma
        R = (1 - gamma) * R + gamma * (X[:, winner] - X)


for arguments in [(50, 2000, 40, 10, 0.1), (50, 2000, 40, 10, 1.0), (50, 2000, 40, 30, 0.1), (20, 2000, 10, 20, 0.1), (4, 2000, 4, 25, 0.01)]:
    run(*arguments)
