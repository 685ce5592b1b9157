"""CommunityDetector: whatever the graph comes as."""

import os
import sys
import tempfile
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import coo_array
from sklearn.exceptions import NotFittedError

from merit_nmf import CommunityDetector, load
from merit_nmf.datasets import make_mmsb
from merit_nmf.metrics import src

from .conftest import same_bits


@pytest.fixture(scope="module")
def network():
    return make_mmsb(300, 3, mean_degree=40, concentration=0.1, random_state=1)


@pytest.fixture(scope="module")
def found(network):
    return CommunityDetector(3).fit(network.adjacency)


def edges_of(network):
    upper = coo_array(network.adjacency)
    pairs = zip(*upper.coords)
    return [(int(a), int(b)) for a, b in pairs if a < b]


def test_shares_are_right(network, found):
    shares = np.asarray(found.memberships_)
    assert shares.shape == (300, 3) and found.B_.shape == (3, 3) and found.nodes_ == list(range(300))
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-9)
    assert src(shares, network.memberships) > 0.75
    assert sorted(found.pure_nodes_) == found.pure_nodes_ or len(set(found.pure_nodes_)) == 3
    groups = found.communities(threshold=0.3)
    assert len(groups) == 3 and set().union(*groups) == set(range(300))
    labels = CommunityDetector(3).fit_predict(network.adjacency)
    assert labels.tolist() == shares.argmax(axis=1).tolist()


def test_every_form_of_a_graph_gives_the_same(network, found):
    edges, expected = edges_of(network), np.asarray(found.memberships_)
    nodes = set(sum(edges, ()))
    assert len(nodes) == 300, "no node is isolated"
    forms = {"dense": network.adjacency.toarray(), "csr": network.adjacency.tocsr(), "edges": edges, "generator": iter(edges)}
    networkx, igraph, pandas, polars = (pytest.importorskip(name) if name in ("networkx", "pandas") else _maybe(name)
                                        for name in ("networkx", "igraph", "pandas", "polars"))
    graph = networkx.Graph()
    graph.add_edges_from(edges)
    forms["networkx"] = graph
    forms["pandas"] = pandas.DataFrame(edges, columns=["from", "to"])
    if igraph:
        forms["igraph"] = igraph.Graph(n=300, edges=edges)
    if polars:
        forms["polars"] = polars.DataFrame(edges, schema=["from", "to"], orient="row")
    for name, form in forms.items():
        again = CommunityDetector(3).fit(form)
        assert again.nodes_ == list(range(300)), name
        assert same_bits(np.asarray(again.memberships_), expected), name


def _maybe(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def test_names_and_frames(network):
    pandas = pytest.importorskip("pandas")
    named = [(f"node {a}", f"node {b}") for a, b in edges_of(network)]
    model = CommunityDetector(3).fit(named)
    assert isinstance(model.memberships_, pandas.DataFrame) and model.memberships_.index.name == "node"
    assert set(model.memberships_.index) == {f"node {i}" for i in range(300)}
    assert all(model.memberships_.loc[node].idxmax() == k for k, node in enumerate(model.pure_nodes_))


def test_without_pandas_an_array(network, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(CommunityDetector(3).fit(network.adjacency).memberships_, np.ndarray)


def test_weights_count_where_there_are_any():
    edges = [("a", "b", 5.0), ("b", "c", 5.0), ("a", "c", 5.0), ("c", "x", 0.1), ("x", "y", 5.0), ("y", "z", 5.0), ("x", "z", 5.0)]
    model = CommunityDetector(2).fit(edges)
    assert sorted(sorted(group) for group in model.communities(0.5)) == [["a", "b", "c"], ["x", "y", "z"]]
    assert model.record_["input"]["record"]["weighted"] and any("unweighted" in note for note in model.notes_)
    plain = CommunityDetector(2).fit([edge[:2] for edge in edges])
    assert not plain.record_["input"]["record"]["weighted"]
    without = CommunityDetector(2, unweighted=True).fit(edges)
    assert same_bits(np.asarray(without.memberships_), np.asarray(plain.memberships_))


def test_directions(network):
    cites = [(f"{group}{i}", f"{group.upper()}{(i + r) % 12}") for group in "ab" for i in range(12) for r in (0, 1, 3, 6, 8)]
    model = CommunityDetector(4, directed="cocitation").fit(cites + [("a0", "B0")])
    labels = dict(zip(model.nodes_, model.labels_))
    assert len({labels[node] for node in ("a0", "b0", "A0", "B0")}) == 4 and model.record_["input"]["record"]["cocitation"]
    with pytest.raises(ValueError, match="`directed` must be one of"):
        CommunityDetector(2, directed="both").fit(cites)


def test_roles_and_stability():
    edges = [*combinations("abcde", 2), *combinations("pqrst", 2), ("m", "d"), ("m", "e"), ("m", "p"), ("m", "q")]
    model = CommunityDetector(2, stability=2).fit(edges)
    assert dict(zip(model.nodes_, model.roles_))["m"] == "bridge" and "core" in model.roles_
    assert model.stability_.shape == (2,) and (model.stability_ > 0.5).all() and model.record_["stability"]["repeats"] == 2
    assert CommunityDetector(2).fit(edges).stability_ is None


def test_what_is_not_known_is_said():
    cliques = [pair for names in ("abcde", "pqrst", "wxyz") for pair in combinations(names, 2)]
    model = CommunityDetector(2).fit(cliques)
    unknown = {node for node, known in zip(model.nodes_, model.known_) if not known}
    assert unknown == set("wxyz") and set(np.flatnonzero(model.labels_ < 0)) == set(np.flatnonzero(~model.known_))
    assert sorted("".join(sorted(group)) for group in model.communities()) == ["abcde", "pqrst"]
    with tempfile.TemporaryDirectory() as folder:
        model.save(os.path.join(folder, "model.npz"))
        again = load(os.path.join(folder, "model.npz"))
    assert again.known_.tolist() == model.known_.tolist() and again.communities() == model.communities()


def test_members_by_a_part_of_the_largest_share(found):
    shares = np.asarray(found.memberships_)
    for threshold in (0.2, 0.5, 1.0):
        members = [set(np.flatnonzero(column)) for column in (shares >= threshold * shares.max(axis=1, keepdims=True)).T]
        assert found.communities(threshold) == members
    assert found.communities() == found.communities(0.5)


@pytest.mark.parametrize("method", ["merit", "spa", "spoc", "geonmf", "xray"])
def test_methods(network, method):
    model = CommunityDetector(3, method=method).fit(network.adjacency)
    assert src(np.asarray(model.memberships_), network.memberships) > 0.5


@pytest.mark.parametrize(
    "graph, parameters, words",
    [
        ([(1, 2), (2, 3)], {"n_communities": 9}, "n_communities=9 must be between 1 and the number of nodes, 3"),
        ([(1, 1)], {}, "has no edges between different nodes"),
        ([], {}, "has no edges"),
        ([1, 2], {}, "a pair of nodes is expected"),
        (np.ones((2, 3)), {}, "an adjacency matrix is square"),
        ([(1, "1")], {}, "two nodes have the same name"),
        ([(1, 2)], {"operator": "magic"}, "`operator` must be adjacency, normalized, regularized"),
        (np.array([[0, np.nan], [np.nan, 0]]), {}, "contains NaN"),
        ([("a", "b", "much")], {}, "edge 0 has the weight 'much', which is not a number"),
        ([("a", "b", -1.0)], {}, "weights must be finite and not negative"),
    ],
)
def test_bad_graphs(graph, parameters, words):
    with pytest.raises(ValueError, match=words):
        CommunityDetector(**{"n_communities": 2, **parameters}).fit(graph)


def test_before_fit_files_pages(found, tmp_path):
    with pytest.raises(NotFittedError):
        CommunityDetector().communities()
    found.report(tmp_path / "graph.html")
    assert "<svg" in (tmp_path / "graph.html").read_text()
    assert "CommunityDetector, 300 nodes" in found._repr_html_()
    found.save(tmp_path / "graph.npz")
    again = load(tmp_path / "graph.npz")
    assert again.nodes_ == found.nodes_ and same_bits(again.B_, found.B_)
    assert np.array_equal(np.asarray(again.memberships_), np.asarray(found.memberships_))
    assert again.communities() == found.communities()


def test_cdlib(found, network):
    pytest.importorskip("cdlib")
    import networkx

    clustering = found.to_cdlib(networkx.Graph(edges_of(network)))
    assert len(clustering.communities) == 3 and clustering.overlap
