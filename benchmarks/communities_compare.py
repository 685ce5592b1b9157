"""merit communities beside what people use, on graphs with a known truth.

    python3 benchmarks/communities_compare.py --merit target/release/merit --data FOLDER [--aside] [--only TEXT] [--methods a,b] [--markdown]

Needs numpy, scipy, scikit-learn, networkx, igraph, leidenalg, infomap, and cdlib or karateclub for what they have; what is not installed is left out and
said. FOLDER keeps what is downloaded, and `dblp/` if there is one. Each method runs in a process of its own: its seconds and its peak of memory
(with the interpreter, about 150 MB). merit, spectral clustering and NMF are told the true number of communities, the others find their own.

AMI: of the largest shares. Overlapping NMI (max): of the sets of members, a node being a member where it has at least half of its largest share.
SRC: rank correlation of shares over all nodes; of methods that return another number of communities the best pairs are taken, which flatters them.
"""

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata
from sklearn.metrics import adjusted_mutual_info_score

import communities_graphs

warnings.filterwarnings("ignore")


def adjacency(graph):
    ones = np.ones(len(graph.edges))
    half = sp.coo_matrix((ones, (graph.edges[:, 0], graph.edges[:, 1])), shape=(graph.nodes, graph.nodes))
    return (half + half.T).tocsr()


def of_sets(sets, nodes):
    shares = np.zeros((nodes, max(1, len(sets))))
    for k, members in enumerate(sets):
        shares[list(members), k] = 1.0
    return shares


def leiden(graph, _):
    import igraph
    import leidenalg

    network = igraph.Graph(n=graph.nodes, edges=graph.edges.tolist())
    return of_sets(list(leidenalg.find_partition(network, leidenalg.ModularityVertexPartition, seed=1)), graph.nodes)


def infomap(graph, _):
    from infomap import Infomap

    found = Infomap("--two-level --silent --seed 1")
    for i, j in graph.edges.tolist():
        found.add_link(i, j)
    found.run()
    sets = defaultdict(list)
    for i, k in found.get_modules().items():
        sets[k].append(i)
    return of_sets(list(sets.values()), graph.nodes)


def spectral(graph, communities):
    from sklearn.cluster import SpectralClustering

    labels = SpectralClustering(communities, affinity="precomputed", assign_labels="kmeans", random_state=1).fit_predict(adjacency(graph))
    return np.eye(communities)[labels]


def nmf(graph, communities):
    from sklearn.decomposition import NMF

    return NMF(communities, init="nndsvd", random_state=1, max_iter=300).fit_transform(adjacency(graph))


def ego_splitting(graph, _):
    """Epasto, Lattanzi, Paes Leme 2017: label propagation in every ego net, then in the graph of the pieces."""
    import igraph

    network = igraph.Graph(n=graph.nodes, edges=graph.edges.tolist())
    persona, personas = {}, []
    for i in range(graph.nodes):
        friends = network.neighbors(i)
        inner = network.induced_subgraph(friends)
        for part in inner.connected_components() if friends else [[]]:
            for a in part:
                persona[(i, friends[a])] = len(personas)
            personas.append(i)
    split = igraph.Graph(n=len(personas), edges=[(persona[(i, j)], persona[(j, i)]) for i, j in graph.edges.tolist()])
    sets = [{personas[p] for p in members} for members in split.community_multilevel()]
    return of_sets(sets, graph.nodes)


def bigclam(graph, communities):
    """Yang, Leskovec 2013: edges with probability 1 - exp(-f_i f_j), by multiplicative steps, which need no step size (karateclub's does not run with
    numpy 2)."""
    rng = np.random.default_rng(1)
    a = adjacency(graph)
    rows, cols = a.nonzero()
    f = 2 * rng.random((graph.nodes, communities)) * np.sqrt(a.nnz / graph.nodes**2 / communities)
    for _ in range(200):
        inner = np.clip((f[rows] * f[cols]).sum(1), 1e-6, 50)
        product = sp.csr_matrix((1 / (1 - np.exp(-inner)), (rows, cols)), shape=a.shape)
        f = np.clip(f * (product @ f) / np.maximum(f.sum(0) - f, 1e-12), 1e-9, 100)
    return f


OTHERS = {"leiden": leiden, "infomap": infomap, "spectral": spectral, "nmf": nmf, "ego-splitting": ego_splitting, "bigclam": bigclam}


def in_child(work, graph, communities, limit):
    """Result, seconds and bytes of a function in a process of its own; None if it fails or takes too long."""
    with tempfile.TemporaryDirectory() as folder:

        def child():
            start = time.time()
            shares = work(graph, communities)
            np.save(Path(folder) / "shares.npy", shares)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            (Path(folder) / "cost.json").write_text(json.dumps([time.time() - start, peak]))

        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join(limit)
        if process.is_alive():
            process.terminate()
            process.join()
        cost = Path(folder) / "cost.json"
        if not cost.exists():
            return None
        return np.load(Path(folder) / "shares.npy"), *json.loads(cost.read_text())


def merit(binary, graph, options, limit):
    """The command line as a user runs it, from file to folder."""
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder) / "edges.txt"
        edges.write_text("".join(f"{i} {j}\n" for i, j in graph.edges.tolist()))
        run = Path(folder) / "run"
        command = [binary, "communities", str(edges), "--output", str(run), "--quiet", *options]
        start = time.time()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        seconds = time.time() - start
        if done.returncode != 0:
            print(done.stderr.strip(), file=sys.stderr)
            return None
        record = json.loads((run / "run.json").read_text())
        lines = (run / "memberships.csv").read_text().splitlines()
        count = record["communities"]
        shares = np.zeros((graph.nodes, count))
        unknown = np.ones(graph.nodes, dtype=bool)
        for line in lines[1:]:
            fields = line.split(",")
            shares[int(fields[0])] = [float(v) for v in fields[1 : 1 + count]]
            unknown[int(fields[0])] = fields[-1] == "0"
        return shares, unknown, seconds, record["peak_rss_bytes"]


def rank_correlation(found, truth):
    def ranks(matrix):
        rows = np.array([rankdata(column) for column in matrix.T])
        rows -= rows.mean(1, keepdims=True)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms > 0, norms, 1)

    correlations = ranks(found) @ ranks(truth).T
    i, j = linear_sum_assignment(-correlations)
    return correlations[i, j].sum() / min(correlations.shape)


def terms(counts, nodes):
    return np.where(counts > 0, -(counts / nodes) * np.log2(np.maximum(counts, 1e-300) / nodes), 0.0)


def overlapping_nmi(x, y):
    """McDaid, Greene, Hurley: normalized by the larger entropy."""
    x, y, nodes = x[:, x.any(0)].astype(float), y[:, y.any(0)].astype(float), len(x)
    if x.shape[1] == 0 or y.shape[1] == 0:
        return 0.0
    sx, sy, both = x.sum(0), y.sum(0), x.T @ y
    hx, hy = terms(sx, nodes) + terms(nodes - sx, nodes), terms(sy, nodes) + terms(nodes - sy, nodes)

    def conditional(both, a, b, ha, hb):
        only_a, only_b = a[:, None] - both, b[None] - both
        parts = [terms(v, nodes) for v in (both, nodes - both - only_a - only_b, only_a, only_b)]
        given = np.where(parts[0] + parts[1] > parts[2] + parts[3], sum(parts) - hb[None], ha[:, None])
        return np.minimum(given.min(1), ha).sum()

    shared = hx.sum() - conditional(both, sx, sy, hx, hy) + hy.sum() - conditional(both.T, sy, sx, hy, hx)
    return max(0.0, shared / 2 / max(hx.sum(), hy.sum()))


def scores(graph, shares, unknown):
    named = graph.truth.sum(1) > 0
    labels = np.where(unknown, shares.shape[1], shares.argmax(1))
    nowhere = (shares.max(1) <= 0) | unknown

    def sets(table):
        return table >= 0.5 * table.max(1, keepdims=True) - 1e-12

    cover = sets(shares) & ~nowhere[:, None]
    ami = adjusted_mutual_info_score(graph.truth[named].argmax(1), labels[named])
    nmi = overlapping_nmi(cover[named], sets(graph.truth)[named])
    largest = np.argsort(-shares.sum(0))[:300]  # of a thousand communities the best pairs are among the largest
    return ami, nmi, rank_correlation(shares[named][:, largest], graph.truth[named])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--merit", default="target/release/merit")
    parser.add_argument("--data", default="target/communities-data")
    parser.add_argument("--aside", action="store_true", help="the graphs kept aside, instead of the others")
    parser.add_argument("--only", default="", help="graphs whose names hold this text")
    parser.add_argument("--methods", default="merit,merit-published," + ",".join(OTHERS))
    parser.add_argument("--limit", type=float, default=300, help="seconds of a run at most")
    args = parser.parse_args()
    Path(args.data).mkdir(parents=True, exist_ok=True)
    means = defaultdict(list)
    print(f"| {'graph':28} | {'method':15} | K | AMI | NMI | SRC | s | MB |\n|---|---|---|---|---|---|---|---|")
    for load in communities_graphs.GRAPHS:
        try:
            graph = load(args.data)
        except Exception as reason:  # a graph that cannot be had is said and left out
            print(f"left out: {load.__name__} ({reason})", file=sys.stderr)
            continue
        if graph.aside != args.aside or args.only not in graph.name:
            continue
        communities = graph.truth.shape[1]
        for method in args.methods.split(","):
            if method in OTHERS:
                result = in_child(OTHERS[method], graph, communities, args.limit)
                result = result and (result[0], np.zeros(graph.nodes, dtype=bool), *result[1:])
            else:
                options = {"merit": [], "merit-published": ["--published"], "merit-estimated": []}[method]
                options = options + ([] if method == "merit-estimated" else ["--communities", str(communities)])
                result = merit(args.merit, graph, options, args.limit)
            if result is None:
                print(f"| {graph.name:28} | {method:15} | failed, or took more than {args.limit:.0f} s |", flush=True)
                continue
            shares, unknown, seconds, peak = result
            row = scores(graph, shares, unknown)
            means[method].append((*row, seconds))
            numbers = " | ".join(f"{v:.3f}" for v in row)
            print(f"| {graph.name:28} | {method:15} | {shares.shape[1]} | {numbers} | {seconds:.1f} | {peak / 1e6:.0f} |", flush=True)
    for method, rows in means.items():
        numbers = " | ".join(f"{v:.3f}" for v in np.mean(rows, 0)[:3])
        print(f"| mean of {len(rows)} | {method} | | {numbers} | {np.sum([row[3] for row in rows]):.0f} | |")


if __name__ == "__main__":
    main()
