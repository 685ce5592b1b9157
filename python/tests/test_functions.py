"""The paper's orientation, metrics, data and files."""

import numpy as np
import pytest
import scipy.sparse as sp

import merit_nmf
from merit_nmf import SeparableNMF, certify, metrics, read, report, solve
from merit_nmf.datasets import make_dirichlet, make_midpoints, make_mmsb


def test_solve_gives_everything(data):
    X = data.X.T
    found = solve(X, 4, regularization=0.05)
    assert metrics.success(solve(X, 4).anchors, data.anchors)
    np.testing.assert_array_equal(found.W, X[:, found.anchors])
    assert found.H.shape == (4, 120) and isinstance(found.C, sp.csc_array) and found.C.shape == (120, 120)
    np.testing.assert_allclose(found.C.sum(axis=0), 1, atol=1e-12)
    np.testing.assert_allclose(abs(found.C).max(axis=1).toarray().ravel(), found.row_norms, atol=0)
    assert found.regularization == 0.05 and found.trace["gap"][-1] == found.gap
    residual = X - X @ found.C
    assert found.objective == pytest.approx(0.5 * np.sum(residual**2) + 0.05 * found.row_norms.sum(), rel=0.05)
    assert solve(X, 4, method="spa").C is None


def test_a_start_goes_on(data):
    X = data.X.T
    first = solve(X, 4, regularization=0.05, max_iter=30)
    again = solve(X, 4, regularization=0.05, max_iter=30, init=first.C, start_iteration=30)
    assert again.objective <= first.objective


def test_unknown_settings_are_told(data):
    with pytest.raises(ValueError, match="there is no setting `magic`"):
        solve(data.X.T, 4, magic=1)


@pytest.mark.parametrize("name", ["spa", "snpa", "sspa", "vca", "nfindr", "xray", "fast_anchor", "fast_gradient", "norm_ratio"])
def test_every_method_has_a_function(data, name):
    X = data.X.T
    anchors = getattr(merit_nmf, name)(X, 4)
    assert anchors.dtype == np.intp and len(set(anchors.tolist())) == 4
    assert anchors.tolist() == solve(X, 4, method=name.replace("_", "-")).anchors.tolist()
    with pytest.raises(ValueError, match="n_components=121 must be between 1 and n_columns=120"):
        getattr(merit_nmf, name)(X, 121)


def test_certificates(data):
    X = data.X.T
    found = solve(X, 4)
    told = certify(X, found)
    assert told["quantities"]["rank"] == 4 and told["conditions"] and told["regularization"] == found.regularization
    assert told == merit_nmf.SeparableNMF(4).fit(data.X).certify(data.X)


def test_metrics_by_hand():
    rng = np.random.default_rng(0)
    X, weights, components = rng.random((6, 5)), rng.random((6, 2)), rng.random((2, 5))
    expected = 1 - np.linalg.norm(X - weights @ components) / np.linalg.norm(X)
    assert metrics.rae(X, weights, components) == pytest.approx(expected, abs=1e-12)
    from scipy.stats import spearmanr

    a, b = rng.random(30), rng.integers(0, 5, 30).astype(float)
    assert metrics.spearman(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert metrics.mrsa(components, components[::-1]) == pytest.approx(0, abs=1e-7)
    for wrong in (lambda: metrics.rae(X, weights, X), lambda: metrics.spearman([1.0], [1.0, 2.0]),
                  lambda: metrics.spearman([np.nan], [1.0]), lambda: metrics.anchors_right([-1], [0]),
                  lambda: metrics.coherence([[1, 2]], [[2]]), lambda: metrics.mrsa(X, components.T),
                  lambda: metrics.clustering_accuracy(weights, [0])):
        with pytest.raises(ValueError):
            wrong()


def test_made_data_have_their_truth():
    data = make_dirichlet(50, 8, 3)
    np.testing.assert_allclose(data.weights @ data.components, data.X, atol=1e-12)
    np.testing.assert_allclose(data.X[data.anchors], data.components, atol=1e-12)
    assert make_midpoints(10, 5, random_state=1).X.shape == (15, 10)
    network = make_mmsb(300, 3, random_state=2)
    assert (network.adjacency != network.adjacency.T).nnz == 0
    np.testing.assert_allclose(network.memberships.sum(axis=1), 1)
    with pytest.raises(ValueError):
        make_dirichlet(2, 8, 3)
    with pytest.raises(ValueError):
        make_midpoints(noise="loud")


def test_files_of_every_kind(tmp_path, X):
    np.save(tmp_path / "x.npy", X)
    assert np.array_equal(read(tmp_path / "x.npy").X, X)
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(X))
    assert (read(tmp_path / "x.npz").X != sp.csc_array(X)).nnz == 0
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n")
    table = read(tmp_path / "x.csv")
    assert table.X.tolist() == [[1, 2], [3, 4]] and table.labels == ["a", "b"]
    (tmp_path / "edges.txt").write_text("ann bob\nbob cat\n")
    graph = read(tmp_path / "edges.txt", kind="graph")
    assert graph.nodes == ["ann", "bob", "cat"] and graph.adjacency.sum() == 4
    (tmp_path / "texts.txt").write_text("apple pear\napple plum\npear plum\n")
    corpus = read(tmp_path / "texts.txt", kind="corpus", min_df=1)
    assert corpus.vocabulary == ["apple", "pear", "plum"] and corpus.counts.sum() == 6
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing.npy")
    (tmp_path / "bad.npy").write_bytes(b"nonsense")
    with pytest.raises(ValueError):
        read(tmp_path / "bad.npy")
    with pytest.raises(TypeError, match="no option `magic`"):
        read(tmp_path / "x.npy", magic=1)


def test_pages(tmp_path, X):
    found = solve(X.T, 3)
    report(found, tmp_path / "a.html", X.T)
    report(found, tmp_path / "b.html")
    model = merit_nmf.SeparableNMF(3).fit(X)
    report(model, tmp_path / "c.html")
    with_theory, without = (tmp_path / "a.html").read_text(), (tmp_path / "b.html").read_text()
    assert 'id="theory"' in with_theory and 'id="theory"' not in without
    assert "<svg" in without and "https://" not in without and "http://" not in without.replace("http://www.w3.org", "")
    with pytest.raises(OSError):
        report(found, tmp_path)
    with pytest.raises(TypeError, match="an? ?int has no page"):
        report(3, tmp_path / "d.html")


def test_notes_name_settings_as_python_does(tmp_path):
    X = np.array([[1.0, 0.5, 0.0, 0.0], [0.0, 0.5, 1.0, 0.0]])
    found = solve(X, 2, regularization=1e-3)
    (note,) = [note for note in found.notes if "zero column" in note]
    assert '`zero_columns="drop"`' in note and "--" not in note
    assert "<code>zero_columns=&quot;drop&quot;</code>" in found._repr_html_()
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "--zero-columns" not in page and "<code>zero_columns=&quot;drop&quot;</code>" in page


def test_the_certificate_is_told():
    data = make_dirichlet(80, 12, 4, snr_db=15, random_state=1)
    found = solve(data.X.T, 4)
    assert 0 < found.lower_bound < found.record["unsmoothed_objective"] and 0 < found.relative_gap < 1
    assert "no C is better by more than" in found._repr_html_()
    model = merit_nmf.SeparableNMF(4).fit(data.X)
    assert (model.lower_bound_, model.relative_gap_) == (found.lower_bound, found.relative_gap)
    off = solve(data.X.T, 4, certificate="off")
    assert off.lower_bound is None and off.relative_gap is None
    assert "certificate" not in off._repr_html_()


def test_outliers_are_no_mixtures():
    data = make_dirichlet(60, 12, 4, outliers=2)
    assert len(data.outliers) == 2 and (data.weights[data.outliers] == 0).all()


def test_single_precision(X):
    """An array of float32 gives what its numbers give in double precision, and is not copied on the way."""
    single = np.asfortranarray(X.T, dtype=np.float32)
    found = solve(single, 4, precision="f32", regularization=0.02)
    twin = solve(single.astype(np.float64), 4, regularization=0.02, stored_residuals="never")
    assert found.anchors.tolist() == twin.anchors.tolist() and found.gap == twin.gap
    assert (found.H == twin.H).all() and (found.W == twin.W).all() and (found.C != twin.C).nnz == 0
    assert found.record["settings"]["precision"] == "f32" and not found.record["search_kind"]["stored_residuals"]
    copied = solve(np.ascontiguousarray(single), 4, precision="f32", regularization=0.02)
    rounded = solve(X.T, 4, precision="f32", regularization=0.02)
    assert copied.gap == found.gap == rounded.gap
    assert SeparableNMF(4, precision="f32", regularization=0.02).fit(X.astype(np.float32)).gap_ == found.gap


def test_single_precision_says_what_it_cannot_hold(X):
    large, small = X.T.copy(), X.T.copy()
    large[1, 7] = 1e39
    with pytest.raises(ValueError, match=r"X\[1, 7\] is 1e39, but single precision ends"):
        solve(large, 4, precision="f32")
    small[:, 3] *= 1e-42
    with pytest.raises(ValueError, match="number 3 of the columns has no value larger"):
        solve(small, 4, precision="f32")
    with pytest.raises(ValueError, match="precision"):
        solve(X.T, 4, precision="f16")
