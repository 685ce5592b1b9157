"""Who watches a run: callbacks, a progress bar, and how many threads it gets."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from . import _merit


@dataclass(frozen=True)
class Progress:
    """The numbers of one iteration, as a callback sees them. What was not computed is ``None``.

    >>> from merit_nmf import SeparableNMF
    >>> from merit_nmf.datasets import make_dirichlet
    >>> gaps = []
    >>> data = make_dirichlet(60, 8, 3, random_state=0)
    >>> model = SeparableNMF(3, regularization=0.1, max_iter=5, certificate="off", callback=lambda now: gaps.append(now.gap))
    >>> model = model.fit(data.X)
    >>> len(gaps), gaps[-1] == model.gap_
    (6, True)
    """

    stage: str
    iteration: int
    step: float | None
    objective: float | None
    gap: float | None
    nnz: int
    nonempty_rows: int
    seconds: float


#: Sees each iteration; ``True`` (or raising ``StopIteration``) ends the run, which keeps what it has.
Callback = Callable[[Progress], "bool | None"]


@dataclass(frozen=True)
class Watch:
    """What the compiled part asks for."""

    threads: int
    callback: Callable[[dict[str, Any]], bool | None] | None = None
    stage: Callable[[str, str, int | None], None] | None = None
    checkpoint: str | None = None
    checkpoint_every: float = 60.0


_LIMIT: ContextVar[int | None] = ContextVar("merit_nmf_threads", default=None)
#: Set by threadpoolctl, for the whole process.
_process_limit: int | None = None


@contextlib.contextmanager
def threads(limit: int) -> Iterator[None]:
    """Within the ``with`` block no call uses more threads than this. The results are the same for any number.

    >>> import merit_nmf
    >>> with merit_nmf.threads(1):
    ...     model = merit_nmf.SeparableNMF(2).fit([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> sorted(model.anchor_indices_.tolist())
    [0, 2]
    """
    if limit < 1:
        raise ValueError(f"the limit must be at least 1, but is {limit}")
    token = _LIMIT.set(int(limit))
    try:
        yield
    finally:
        _LIMIT.reset(token)


def number_of_threads(n_jobs: int | None) -> int:
    """Threads for a call: ``None`` is all that the process may use, -1 too, -2 all but one."""
    available = _merit.available_threads()
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: give None for all cores, or a number")
    if n_jobs is None:
        count = min([available, *_of_environment()])
    else:
        count = int(n_jobs) if n_jobs > 0 else max(1, available + 1 + int(n_jobs))
    limits = [limit for limit in (_LIMIT.get(), _process_limit) if limit is not None]
    return min([count, *limits])


def _of_environment() -> list[int]:
    """What these variables say; joblib sets the first for its workers, so that they share the cores."""
    found = (os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"))
    return [int(text) for text in found if text.isdigit() and int(text) > 0]


def set_process_limit(limit: int | None) -> None:
    """The limit for the whole process; ``None`` lifts it."""
    global _process_limit
    _process_limit = limit


def process_threads() -> int:
    """Threads that a call gets by default."""
    return number_of_threads(None)


@contextlib.contextmanager
def watching(
    n_jobs: int | None,
    verbose: int | bool,
    callback: Callback | None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
) -> Iterator[Watch]:
    """What a run is watched by."""
    bar = _bar() if verbose else None

    def each(numbers: dict[str, Any]) -> bool | None:
        if bar is not None:
            bar.iteration(numbers)
        return None if callback is None else callback(Progress(**numbers))

    watched = bar is not None or callback is not None
    try:
        yield Watch(
            number_of_threads(n_jobs),
            each if watched else None,
            bar.stage if bar is not None else None,
            None if checkpoint is None else os.fspath(checkpoint),
            float(checkpoint_every),
        )
    finally:
        if bar is not None:
            bar.close()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    return current is not None and "IPKernelApp" in current.config


def _bar() -> Any:
    """A progress bar, where it can be seen."""
    notebook = _in_notebook()
    if not notebook and not sys.stderr.isatty():
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None if notebook else _PlainBar()
    return _TqdmBar(tqdm)


class _TqdmBar:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def stage(self, _name: str, title: str, steps: int | None) -> None:
        self.close()
        if title:
            self._bar = self._tqdm(desc=title, total=steps, leave=False)

    def iteration(self, numbers: dict[str, Any]) -> None:
        if self._bar is not None:
            self._bar.update(numbers["iteration"] - self._bar.n)
            if numbers["gap"] is not None:
                self._bar.set_postfix_str(f"gap {numbers['gap']:.2e}", refresh=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _PlainBar:
    """One line that is written over, for terminals without tqdm."""

    def __init__(self) -> None:
        self._title = ""
        self._steps: int | None = None

    def stage(self, _name: str, title: str, steps: int | None) -> None:
        self._title, self._steps = title, steps
        self._show(title)

    def iteration(self, numbers: dict[str, Any]) -> None:
        gap = "" if numbers["gap"] is None else f", gap {numbers['gap']:.2e}"
        self._show(f"{self._title}: {numbers['iteration']} of {self._steps}{gap}")

    def _show(self, text: str) -> None:
        print(f"\r{text[:78]:<78}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)
