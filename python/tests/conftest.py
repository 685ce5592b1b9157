"""What several tests use."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from merit_nmf.datasets import make_dirichlet


@pytest.fixture(scope="session")
def data():
    return make_dirichlet(120, 12, 4, snr_db=25, random_state=3)


@pytest.fixture
def X(data):
    return data.X.copy()


@pytest.fixture
def merit(tmp_path):
    """Runs the command of the package in an empty folder."""

    def run(*words, ok=True):
        command = [sys.executable, "-m", "merit_nmf", *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert not ok or done.returncode == 0, done.stderr
        return done

    run.folder = Path(tmp_path)
    return run


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def script(code, *, timeout=120, **environment):
    """Runs Python code in a process of its own; gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
