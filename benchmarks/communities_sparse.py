"""Would shares be better without the small ones? `merit communities` on the graphs of communities_compare.py, its shares as they are and with some set to 0.

    python3 benchmarks/communities_sparse.py --merit target/release/merit --data FOLDER

A node's largest share always stays, and shares sum to 1 again. SRC is given twice: with the mean of the others for nodes about which nothing is known, as
memberships.csv has it, and with 0 for them. Means of the graphs and of those kept aside; every graph with --each.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

import communities_compare
import communities_graphs


def without(shares, dropped):
    kept = np.where(dropped & (shares < shares.max(1, keepdims=True)), 0, shares)
    return kept / np.maximum(kept.sum(1, keepdims=True), 1e-300)


def costs(shares, degrees, edges):
    """The likelihood of a node's edges, less that without each of its shares (the others as they are)."""
    stubs = shares * degrees[:, None]
    received = stubs / np.maximum(stubs.sum(0), 1e-300)
    ends = np.concatenate([edges, edges[:, ::-1]])
    parts = shares[ends[:, 0]] * received[ends[:, 1]]
    rates = parts.sum(1)
    lost = np.log(np.maximum(rates, 1e-300)[:, None] / np.maximum(rates[:, None] - parts, 1e-12 * np.maximum(rates, 1e-300)[:, None]))
    sums = np.column_stack([np.bincount(ends[:, 0], lost[:, k], len(shares)) for k in range(shares.shape[1])])
    return sums + degrees[:, None] * np.log(np.maximum(1 - shares, 1e-12))


def rules(shares, degrees, edges):
    stubs, cost = shares * degrees[:, None], costs(shares, degrees, edges)
    yield "as they are", shares
    yield "less than a thousandth of an edge", without(shares, stubs < 0.001)
    yield "less than half an edge", without(shares, stubs < 0.5)
    yield "less than one edge", without(shares, stubs < 1)
    yield "less than 1/20", without(shares, shares < 0.05)
    yield "less than 1/10", without(shares, shares < 0.1)
    yield "less than a quarter of the largest", without(shares, shares < 0.25 * shares.max(1, keepdims=True))
    yield "worth less than 2 of log likelihood", without(shares, cost < 2)
    yield "worth less than half the log of the degree (BIC)", without(shares, cost < 0.5 * np.log(np.maximum(degrees, 1))[:, None])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--merit", default="target/release/merit")
    parser.add_argument("--data", default="target/communities-data")
    parser.add_argument("--each", action="store_true", help="every graph, not the means alone")
    args = parser.parse_args()
    Path(args.data).mkdir(parents=True, exist_ok=True)
    means = defaultdict(list)
    print("| shares set to 0 | graphs | AMI | NMI | SRC | SRC, unknown 0 |\n|---|---|---|---|---|---|")
    for load in communities_graphs.GRAPHS:
        try:
            graph = load(args.data)
        except Exception as reason:  # a graph that cannot be had is said and left out
            print(f"left out: {load.__name__} ({reason})")
            continue
        result = communities_compare.merit(args.merit, graph, ["--communities", str(graph.truth.shape[1])], 600)
        if result is None:
            continue
        shares, unknown = result[:2]
        degrees = np.bincount(graph.edges.ravel(), minlength=graph.nodes).astype(float)
        for rule, sparse in rules(shares, degrees, graph.edges):
            sparse = np.where(unknown[:, None], shares, sparse)
            row = (*communities_compare.scores(graph, sparse, unknown), communities_compare.scores(graph, np.where(unknown[:, None], 0, sparse), unknown)[2])
            means[rule, graph.aside].append(row)
            if args.each or graph.name.startswith("DBLP"):
                print(f"| {rule} | {graph.name} | " + " | ".join(f"{v:.4f}" for v in row) + " |", flush=True)
    for (rule, aside), rows in means.items():
        numbers = " | ".join(f"{v:.3f}" for v in np.mean(rows, 0))
        print(f"| {rule} | {len(rows)}{' aside' if aside else ''} | {numbers} |")


if __name__ == "__main__":
    main()
