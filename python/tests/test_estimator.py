"""SeparableNMF: as scikit-learn wants it, whatever form the data have."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import check_estimator

from merit_nmf import SeparableNMF
from merit_nmf.metrics import success

from .conftest import same_bits


@pytest.mark.parametrize(
    "estimator", [SeparableNMF(), SeparableNMF(axis="features"), SeparableNMF(method="spa", normalize="l1")]
)
def test_scikit_learns_own_checks(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail="raise")
    skipped = {each["check_name"] for each in results if each["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}, "what scikit-learn itself skips without SCIPY_ARRAY_API"
    assert all(each["status"] != "xfail" for each in results)


def test_the_true_anchors_are_found(data):
    model = SeparableNMF(4).fit(data.X)
    assert success(model.anchor_indices_, data.anchors)
    assert model.components_.shape == (4, 12) and same_bits(model.components_, data.X[model.anchor_indices_])
    assert model.gap_ >= 0 and model.objective_ > 0 and model.regularization_ > 0
    assert model.n_iter_ == 100 and model.stop_reason_ == "iteration-limit"
    assert model.row_norms_.shape == (120,) and len(model.trace_["gap"]) == 100
    assert model.dual_gap_ == model.gap_ and model.history_ is model.trace_
    assert model.record_["anchors"] == model.anchor_indices_.tolist()


def test_without_a_number_it_is_estimated(data):
    model = SeparableNMF().fit(data.X)
    assert model.n_components_ == model.rank_estimate_["rank"] == 4
    assert SeparableNMF(3).fit(data.X).rank_estimate_ is None


def test_weights_sum_to_one_and_give_the_data_again(data):
    model = SeparableNMF(4).fit(data.X)
    weights = model.transform(data.X)
    assert weights.shape == (120, 4) and (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-9)
    assert same_bits(SeparableNMF(4).fit_transform(data.X), weights)
    left = np.linalg.norm(data.X - model.inverse_transform(weights)) / np.linalg.norm(data.X)
    assert model.score(data.X) == pytest.approx(1 - left, abs=1e-12)
    assert model.score(data.X) == pytest.approx(model.record_["factors"]["rae"], abs=1e-12)


@pytest.mark.parametrize("method", ["merit", "spa", "snpa", "sspa", "vca", "nfindr", "xray", "fast-anchor", "fast-gradient", "norm-ratio"])
def test_every_method(data, method):
    model = SeparableNMF(4, method=method).fit(data.X)
    assert len(set(model.anchor_indices_.tolist())) == 4
    assert (model.gap_ is None) == (method != "merit") and model.n_iter_ >= 1


def test_features_as_anchors(data):
    words = data.X.T  # samples are columns now
    model = SeparableNMF(4, axis="features").fit(words)
    assert success(model.anchor_indices_, data.anchors) and model.components_.shape == (4, 120)
    expected = SeparableNMF(4).fit(data.X)
    assert same_bits(model.anchor_indices_, expected.anchor_indices_)
    np.testing.assert_array_equal(model.components_, expected.transform(data.X).T)
    np.testing.assert_allclose(words[:, model.anchor_indices_] @ model.components_, words, atol=0.2)
    weights = model.fit_transform(words)
    assert same_bits(weights, model.transform(words)) and (weights >= 0).all()
    assert model.score(words) > 0.9


def test_scaled_features_are_scaled_back(data):
    words = data.X.T * np.linspace(0.1, 5, 120)
    model = SeparableNMF(4, axis="features", normalize="l1").fit(words)
    assert model.score(words) > 0.9


FORMS = {
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda X: X[::-1].copy()[::-1],
    "big-endian": lambda X: X.astype(">f8"),
    "objects": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "coo_array": sp.coo_array,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("axis", ["samples", "features"])
def test_the_form_of_the_data_changes_no_anchor(X, form, axis):
    expected = SeparableNMF(3, regularization=0.05, axis=axis).fit(X)
    found = SeparableNMF(3, regularization=0.05, axis=axis).fit(FORMS[form](X))
    if "sp" in type(FORMS[form](X)).__module__ and "sparse" in type(FORMS[form](X)).__module__:
        assert found.anchor_indices_.tolist() == expected.anchor_indices_.tolist()
        assert found.gap_ == pytest.approx(expected.gap_, rel=1e-9)
    else:
        assert found.gap_ == expected.gap_ and same_bits(found.components_, expected.components_)
    np.testing.assert_allclose(found.transform(FORMS[form](X)), expected.transform(X), atol=1e-9)


def test_single_precision_is_taken_as_it_is(X):
    small = X.astype(np.float32)
    found, expected = SeparableNMF(3).fit(small), SeparableNMF(3).fit(small.astype(np.float64))
    assert same_bits(found.components_, expected.components_) and found.gap_ == expected.gap_


def test_the_data_are_neither_changed_nor_needed_to_be_writable(X):
    before = X.copy()
    X.setflags(write=False)
    SeparableNMF(3, normalize="l1").fit(X).transform(X)
    assert same_bits(X, before)


def test_frames(X):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"band{i}" for i in range(12)], index=[f"pixel{i}" for i in range(120)])
    model = SeparableNMF(3).set_output(transform="pandas").fit(frame)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.anchor_names_ == [f"pixel{i}" for i in model.anchor_indices_]
    weights = model.transform(frame)
    assert list(weights.columns) == ["separablenmf0", "separablenmf1", "separablenmf2"]
    assert list(weights.index) == list(frame.index)
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(frame.rename(columns={"band0": "other"}))
    assert SeparableNMF(3, axis="features").fit(frame).anchor_names_[0].startswith("band")
    assert list(pandas.DataFrame(model.trace_).columns)[:4] == ["iteration", "step", "objective", "gap"]


def test_polars_frames(X):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({f"band{i}": X[:, i] for i in range(12)})
    model = SeparableNMF(3).set_output(transform="polars").fit(frame)
    assert model.feature_names_in_.tolist() == frame.columns
    assert isinstance(model.transform(frame), polars.DataFrame)
    assert model.anchor_indices_.tolist() == SeparableNMF(3).fit(X).anchor_indices_.tolist()


def test_a_gap_that_was_asked_for_and_not_reached_is_told(X):
    with pytest.warns(ConvergenceWarning, match=r"stopped \(iteration-limit\) after 3 iterations with a duality gap of"):
        SeparableNMF(3, tol=1e-9, max_iter=3).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SeparableNMF(3, max_iter=3).fit(X)
        model = SeparableNMF(3, tol=1e9, regularization=0.1).fit(X)
    assert model.stop_reason_ == "gap-reached"


def test_an_initial_c(X):
    from merit_nmf import solve

    C = solve(X.T, 3, regularization=0.05, max_iter=20).C
    model = SeparableNMF(3, regularization=0.05, init=C, max_iter=5).fit(X)
    assert model.stop_reason_ == "iteration-limit"
    with pytest.raises(ValueError, match="the initial C is 4 x 4, but X has 120 columns"):
        SeparableNMF(3, init=np.eye(4)).fit(X)


BAD = {
    "nan": (lambda X: np.where(X == X.max(), np.nan, X), {}, ValueError, "Input X contains NaN"),
    "infinity": (lambda X: np.where(X == X.max(), np.inf, X), {}, ValueError, "Input X contains infinity"),
    "text": (lambda X: X.astype(str).astype(object) + "x", {}, ValueError, "could not convert string to float"),
    "one dimension": (lambda X: X[0], {}, ValueError, "Expected 2D array, got 1D array instead"),
    "three": (lambda X: X.reshape(2, 60, 12), {}, ValueError, "Found array with dim 3"),
    "no samples": (lambda X: X[:0], {}, ValueError, r"Found array with 0 sample\(s\)"),
    "no features": (lambda X: X[:, :0], {}, ValueError, r"0 feature\(s\)"),
    "complex": (lambda X: X + 1j, {}, ValueError, "Complex data not supported"),
    "too many": (lambda X: X, {"n_components": 121}, ValueError, "n_components=121 must be between 1 and n_samples=120"),
    "none": (lambda X: X, {"n_components": 0}, ValueError, "n_components=0 must be between 1 and n_samples=120"),
    "half": (lambda X: X, {"n_components": 2.5}, ValueError, "`n_components` must be a whole number, at least 1, or None"),
    "method": (lambda X: X, {"method": "magic"}, ValueError, "`method` must be one of merit"),
    "tol": (lambda X: X, {"tol": -1}, ValueError, "`tol` must be a number, at least 0, or None, but is -1"),
    "iterations": (lambda X: X, {"max_iter": 0}, ValueError, "`max_iter` must be a whole number, at least 1"),
    "axis": (lambda X: X, {"axis": "rows"}, ValueError, '`axis` must be "samples" or "features"'),
    "jobs": (lambda X: X, {"n_jobs": 0}, ValueError, "n_jobs=0 has no meaning"),
    "setting": (lambda X: X, {"settings": {"magic": 1}}, ValueError, "there is no setting `magic`"),
    "type": (lambda X: X, {"smoothing": object()}, ValueError, "`smoothing` cannot be of type object"),
    "equal": (lambda X: np.ones_like(X), {"n_components": 3}, ValueError, "only 1 sample is nonzero and not a copy"),
    "huge": (lambda X: X * 1e200, {"n_components": 3}, ValueError, "divide X by its largest entry"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_message(X, case):
    change, parameters, error, words = BAD[case]
    with pytest.raises(error, match=words):
        SeparableNMF(**parameters).fit(change(X))


def test_sparse_nan(X):
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SeparableNMF(3).fit(sp.csr_array(X))


def test_before_fit_and_with_other_features(X):
    with pytest.raises(NotFittedError):
        SeparableNMF().transform(X)
    model = SeparableNMF(3).fit(X)
    with pytest.raises(ValueError, match="X has 11 features, but SeparableNMF is expecting 12 features"):
        model.transform(X[:, :11])
    with pytest.raises(ValueError, match="X has 2 columns, but the model has 3 components"):
        model.inverse_transform(X[:, :2])


def test_pipeline_and_grid_search(X):
    pipeline = make_pipeline(MaxAbsScaler(), SeparableNMF(max_iter=20))
    search = GridSearchCV(pipeline, {"separablenmf__n_components": [2, 4]}, cv=3).fit(X)
    assert search.best_params_ == {"separablenmf__n_components": 4}


def test_random_states(X):
    a, b = (SeparableNMF(3, method="fast-anchor", projection=5, random_state=s).fit(X) for s in (7, np.random.RandomState(7)))
    assert len(a.anchor_indices_) == len(b.anchor_indices_) == 3
    assert same_bits(
        SeparableNMF(3, method="fast-anchor", projection=5, random_state=None).fit(X).components_,
        SeparableNMF(3, method="fast-anchor", projection=5).fit(X).components_,
    )
