"""The command that comes with the package, and that results are the same to the last bit."""

import json
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from merit_nmf import SeparableNMF, solve
from merit_nmf.datasets import make_dirichlet

from .conftest import same_bits

CASES = [
    ({"n_components": 4}, []),
    ({}, []),
    ({"n_components": 4, "regularization": 0.02, "max_iter": 37}, ["--regularization", "0.02", "--iterations", "37"]),
    ({"n_components": 3, "regularization": 0}, ["--regularization", "0"]),
    ({"n_components": 4, "regularization": "paper", "smoothing": 1e-4}, ["--regularization", "paper", "--smoothing", "1e-4"]),
    ({"n_components": 4, "init": "spa", "tol": 0.5}, ["--init", "spa", "--gap-tolerance", "0.5"]),
    ({"n_components": 4, "normalize": "l1", "weights": "nonnegative"}, ["--normalize", "l1", "--weights", "nonnegative"]),
    ({"n_components": 4, "reduce": "pca:5", "merge_duplicates": 0}, ["--reduce", "pca:5", "--merge-duplicates", "0"]),
    ({"n_components": 4, "method": "xray", "xray_criterion": "dist"}, ["--method", "xray", "--xray-criterion", "dist"]),
    (
        {"n_components": 4, "method": "fast-anchor", "projection": 6, "random_state": 5},
        ["--method", "fast-anchor", "--projection", "6", "--seed", "5"],
    ),
    ({"n_components": 4, "method": "fast-gradient", "gradient_steps": 30}, ["--method", "fast-gradient", "--gradient-steps", "30"]),
    ({"n_components": 4, "method": "spa"}, ["--method", "spa"]),
    ({"n_components": 4, "precision": "f32"}, ["--precision", "f32"]),
]


@pytest.mark.parametrize("parameters, flags", CASES)
def test_the_same_bits_as_the_command_line(merit, data, parameters, flags):
    np.save(merit.folder / "x.npy", data.X)
    rank = ["--rank", parameters["n_components"]] if "n_components" in parameters else []
    merit("factor", "x.npy", "--samples", "rows", "--output", "run", "--quiet", *rank, *flags)
    record = json.loads((merit.folder / "run/run.json").read_text())
    model = SeparableNMF(**parameters)
    weights = model.fit_transform(data.X)
    assert record["anchors"] == model.anchor_indices_.tolist()
    for key in ("gap", "objective", "regularization", "iterations", "stop_reason", "scores", "nnz", "row_norms_sorted"):
        assert record[key] == model.record_[key], key
    assert same_bits(np.load(merit.folder / "run/W.npy").T.copy(), model.components_)
    assert same_bits(np.load(merit.folder / "run/H.npy").T.copy(), weights)
    if parameters.get("method", "merit") == "merit":
        C = sp.load_npz(merit.folder / "run/C.npz")
        found = solve(data.X.T, parameters.get("n_components"), **{k: v for k, v in parameters.items() if k != "n_components"})
        assert same_bits(C.data, found.C.data) and (C.indices == found.C.indices).all() and (C.indptr == found.C.indptr).all()


def test_sparse_data_too(merit):
    X = sp.random_array((80, 15), density=0.3, rng=np.random.default_rng(0), format="csr")
    sp.save_npz(merit.folder / "x.npz", X)
    merit("factor", "x.npz", "--samples", "rows", "--rank", 3, "--output", "run", "--quiet")
    record = json.loads((merit.folder / "run/run.json").read_text())
    model = SeparableNMF(3).fit(X)
    assert record["anchors"] == model.anchor_indices_.tolist() and record["gap"] == model.gap_
    assert record["objective"] == model.objective_ and model.record_["input"]["sparse"]


def test_merit_is_on_the_path():
    program = shutil.which("merit", path=sysconfig.get_path("scripts"))
    if program is None:
        pytest.skip("the package is not installed, only found")
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("merit ")


def test_exit_codes_and_words(merit):
    done = merit("factor", "nothing.npy", ok=False)
    assert done.returncode == 1 and "nothing.npy" in done.stderr and done.stdout == ""
    done = merit("factor", "--magic", ok=False)
    assert done.returncode == 2 and "--magic" in done.stderr
    assert merit("--help").stdout.startswith("Separable nonnegative matrix factorization")


def test_commands_that_start_the_program_again(merit):
    np.save(merit.folder / "x.npy", make_dirichlet(40, 6, 3, random_state=0).X.T)
    said = merit("compare", "x.npy", "--rank", 3, "--methods", "spa,xray", "--quiet").stdout
    assert "spa" in said and "xray" in said
    record = json.loads(merit("factor", "x.npy", "--rank", 3, "--json", "--quiet").stdout)
    assert record["command"][:3] == ["merit", "factor", "x.npy"]


def test_the_examples_folder_is_covered():
    examples = Path(__file__).parents[1] / "examples"
    assert {path.name for path in examples.glob("*.py")} >= {
        "matrix.py", "texts.py", "graph.py", "compare_with_nmf.py", "grid_search.py"
    }
