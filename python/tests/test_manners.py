"""Interrupts, callbacks, bars, threads, forks, copies and files."""

import copy
import json
import pickle
import signal
import sys
import threading
import time

import joblib
import numpy as np
import pytest

import merit_nmf
from merit_nmf import SeparableNMF, TopicModel, load
from merit_nmf.datasets import make_dirichlet

from .conftest import same_bits, script


@pytest.fixture(scope="module")
def long():
    """Data on which a hundred thousand iterations take minutes."""
    return make_dirichlet(3000, 20, 5, snr_db=10, random_state=0).X


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_leaves_what_there_is(long):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests were started in the background
    model = SeparableNMF(5, regularization=0.1, max_iter=1_000_000)
    seen = []

    def press(progress):
        seen.append(time.monotonic())
        if len(seen) == 20:
            signal.raise_signal(signal.SIGINT)

    model.set_params(callback=press)
    with pytest.raises(KeyboardInterrupt):
        model.fit(long)
    assert model.stop_reason_ == "interrupted" and model.components_.shape == (5, 20)
    assert 20 <= model.n_iter_ < 1_000_000 and len(seen) >= 20
    assert model.transform(long[:3]).shape == (3, 5)


def test_the_interpreter_lock_is_released(long):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    SeparableNMF(5, regularization=0.1, max_iter=30).fit(long)
    stop.set()
    thread.join()
    assert len(ticks) >= 5, "other threads ran meanwhile"


def test_a_callback_sees_each_iteration_and_can_end_the_run(X):
    seen = []
    model = SeparableNMF(3, regularization=0.1, callback=lambda now: seen.append(now) or now.iteration == 7).fit(X)
    assert [now.iteration for now in seen] == list(range(8)) and model.n_iter_ == 7
    assert model.stop_reason_ == "interrupted" and seen[-1].gap == model.gap_
    assert {now.stage for now in seen} == {"solve"}

    def enough(now):
        if now.iteration == 4:
            raise StopIteration

    assert SeparableNMF(3, regularization=0.1, callback=enough).fit(X).n_iter_ == 4


def test_what_a_callback_raises_arrives(X):
    def fails(now):
        if now.iteration == 3:
            raise LookupError("mine")

    model = SeparableNMF(3, regularization=0.1, callback=fails)
    with pytest.raises(LookupError, match="mine"):
        model.fit(X)
    assert model.n_iter_ == 3 and model.stop_reason_ == "interrupted"


def test_verbose_prints_nothing_where_nobody_looks(X, capfd):
    SeparableNMF(3, verbose=1).fit(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_a_bar_in_a_terminal(X, monkeypatch, capsys, with_tqdm):
    if with_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)
    SeparableNMF(3, regularization=0.1, verbose=1).fit(X)
    out, err = capsys.readouterr()
    assert out == "" and "solving at regularization" in err and ("gap" in err or with_tqdm), "tqdm may have no time to show it"


@pytest.mark.parametrize("jobs", [1, 2, 3, -1])
def test_any_number_of_threads_gives_the_same_bits(X, jobs):
    one, other = SeparableNMF(4, n_jobs=1).fit(X), SeparableNMF(4, n_jobs=jobs).fit(X)
    assert same_bits(one.components_, other.components_) and one.gap_ == other.gap_
    assert same_bits(one.transform(X), other.transform(X)) and same_bits(one.row_norms_, other.row_norms_)


def test_limits_of_threads(X, monkeypatch):
    from merit_nmf._watching import number_of_threads, process_threads

    def threads(*args, **kwargs):
        return SeparableNMF(2, max_iter=2, **kwargs).fit(X).record_["threads"]

    assert threads(n_jobs=3) == 3 and threads(n_jobs=1) == 1, "nobody is bound by who came first"
    with merit_nmf.threads(2):
        assert threads(n_jobs=3) == 2 and threads(n_jobs=1) == 1
    assert threads(n_jobs=3) == 3
    with pytest.raises(ValueError, match="at least 1"), merit_nmf.threads(0):
        pass
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert process_threads() == 1 and number_of_threads(3) == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    threadpoolctl = pytest.importorskip("threadpoolctl")
    with threadpoolctl.threadpool_limits(1):
        assert process_threads() == 1 and threads(n_jobs=3) == 1
    assert number_of_threads(3) == 3
    assert "merit" in {each["user_api"] for each in threadpoolctl.threadpool_info()}


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
def test_a_fork_does_not_wait_for_threads_it_has_not(X):
    # In a process of its own: forking one with threads is what is to be tried.
    code = """
import os, sys, warnings
warnings.simplefilter("ignore")
from merit_nmf import SeparableNMF
from merit_nmf.datasets import make_dirichlet
X = make_dirichlet(300, 10, 3, snr_db=20).X
before = SeparableNMF(3, n_jobs=2).fit(X)
child = os.fork()
if child == 0:
    after = SeparableNMF(3, n_jobs=2).fit(X)
    os._exit(0 if (after.components_ == before.components_).all() else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert script(code, timeout=60).strip() == "0"


def test_other_processes_by_joblib(X):
    ranks = (2, 3, 4)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(SeparableNMF(rank).fit)(X) for rank in ranks)
    for rank, model in zip(ranks, found):
        assert model.anchor_indices_.tolist() == SeparableNMF(rank).fit(X).anchor_indices_.tolist()


COPIES = {
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, folder: copy.deepcopy(model),
    "joblib": lambda model, folder: joblib.load(joblib.dump(model, folder / "model.joblib")[0]),
    "save": lambda model, folder: (model.save(folder / "model.npz"), load(folder / "model.npz"))[1],
}


@pytest.mark.parametrize("how", COPIES)
def test_copies_are_the_same_model(X, how, tmp_path):
    model = SeparableNMF(3, normalize="l1").fit(X)
    again = COPIES[how](model, tmp_path)
    assert type(again) is SeparableNMF and again.get_params() == model.get_params()
    assert same_bits(again.transform(X), model.transform(X)) and same_bits(again.components_, model.components_)
    assert again.anchor_indices_.tolist() == model.anchor_indices_.tolist() and again.trace_ == model.trace_
    assert again.record_ == model.record_ and again.score(X) == model.score(X)
    if how == "deepcopy":
        again.report(tmp_path / "page.html")
    else:
        with pytest.raises(RuntimeError, match="fit it again first"):
            again.report(tmp_path / "page.html")


def test_saved_files_hold_no_code(X, tmp_path):
    SeparableNMF(3, callback=print).fit(X).save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        assert header["format"] == "merit-nmf" and header["parameters"]["n_components"] == 3
        assert "callback" not in header["parameters"] and "components_" in file.files
    with pytest.raises(ValueError, match="holds a SeparableNMF, not a TopicModel"):
        TopicModel.load(tmp_path / "model.npz")
    (tmp_path / "other.npz").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="is not a model that merit_nmf saved"):
        load(tmp_path / "other.npz")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.npz")


def test_import_touches_no_signal_handler():
    code = "import signal; before = signal.getsignal(signal.SIGINT); import merit_nmf; print(signal.getsignal(signal.SIGINT) is before)"
    assert script(code).strip() == "True"


def test_a_run_that_was_ended_goes_on_from_its_checkpoint(X, tmp_path):
    whole = SeparableNMF(3, regularization=0.1).fit(X)
    parts = SeparableNMF(3, regularization=0.1, checkpoint=tmp_path / "state", checkpoint_every=0)
    assert parts.set_params(callback=lambda now: now.iteration == 7).fit(X).n_iter_ == 7
    assert (tmp_path / "state" / "checkpoint.json").exists()
    with pytest.raises(ValueError, match="the data are not the same; .*another .checkpoint"):
        parts.fit(X[1:])
    with pytest.raises(ValueError, match="was 3, and is 4"):
        SeparableNMF(4, regularization=0.1, checkpoint=tmp_path / "state").fit(X)
    seen = []
    parts.set_params(callback=lambda now: seen.append(now.iteration)).fit(X)
    assert seen[: len(set(seen))] == list(range(101)), "the steps before are seen again"
    assert np.array_equal(parts.components_, whole.components_) and parts.gap_ == whole.gap_
    assert parts.objective_ == whole.objective_ and not (tmp_path / "state").exists()
    state = tmp_path / "state"
    state.mkdir()
    (state / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not a checkpoint of merit"):
        parts.fit(X)
