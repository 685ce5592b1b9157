"""Models in files: arrays and JSON in an ``.npz``, nothing that can run code.

The file is a zip of ``.npy`` arrays, as ``numpy.load`` reads it: ``header`` is a text, JSON with ``format`` ("merit-nmf"),
``format_version`` (1), ``version`` of the package, ``class``, ``parameters`` and those attributes that are no arrays; all other
entries are attributes of that name.
"""

from __future__ import annotations

import copy
import io
import json
import os
from typing import Any, TypeVar

import numpy as np

from . import _merit

_FORMAT, _FORMAT_VERSION = "merit-nmf", 1
#: Parameters that a file cannot hold.
_LEFT_OUT = ("callback", "checkpoint")

Model = TypeVar("Model", bound="Saved")


class Saved:
    """``save`` and ``load``, and what becomes of the run behind a model: copies share it, files and pickles do not hold it."""

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_run"}

    def __deepcopy__(self: Model, memo: dict[int, Any]) -> Model:
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def _fitted_run(self) -> Any:
        run = getattr(self, "_run", None)
        if run is None:
            raise RuntimeError(
                "this model was loaded or unpickled, which keeps what it found but not the whole run: fit it again first"
            )
        return run

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted model to a file (an ``.npz`` without pickles), whole or not at all.

        Callbacks, and starts or random states that are objects, are not saved.

        >>> import os, tempfile
        >>> from merit_nmf import SeparableNMF, load
        >>> X = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
        >>> model = SeparableNMF(2).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "model.npz"))
        ...     again = load(os.path.join(folder, "model.npz"))
        >>> bool((again.transform(X) == model.transform(X)).all())
        True
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        parameters = {
            name: _plain(value)
            for name, value in self.get_params(deep=False).items()  # type: ignore[attr-defined]
            if name not in _LEFT_OUT and _is_plain(value)
        }
        arrays: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, value in self.__getstate__().items():
            if name in parameters or name in _LEFT_OUT or not (name.endswith("_") or name == "_labels"):
                continue
            if hasattr(value, "to_numpy"):  # a frame, which `_restored` makes again
                value = value.to_numpy()
            if isinstance(value, np.ndarray) and value.dtype != object:
                arrays[name] = value
            else:
                others[name] = _plain(value)
        header = {
            "format": _FORMAT,
            "format_version": _FORMAT_VERSION,
            "version": _merit.__version__,
            "class": type(self).__name__,
            "parameters": parameters,
            "attributes": others,
        }
        file = io.BytesIO()
        np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
        _merit.write_file(os.fspath(path), file.getvalue())

    def _restored(self) -> None:
        """After the attributes came from a file."""

    @classmethod
    def load(cls: type[Model], path: str | os.PathLike[str]) -> Model:
        """The model that :meth:`save` wrote to a file."""
        model = load(path)
        if not isinstance(model, cls):
            raise ValueError(f"`{os.fspath(path)}` holds a {type(model).__name__}, not a {cls.__name__}")
        return model


def load(path: str | os.PathLike[str]) -> Any:
    """The model that ``save`` wrote to a file. No code of the file is run."""
    import merit_nmf

    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            arrays = {name: file[name] for name in file.files if name != "header"}
        if header.get("format") != _FORMAT:
            raise KeyError("format")
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"`{os.fspath(path)}` is not a model that merit_nmf saved") from error
    if header["format_version"] != _FORMAT_VERSION:
        raise ValueError(
            f"`{os.fspath(path)}` has format {header['format_version']}, written by merit_nmf {header['version']}; this "
            f"version reads format {_FORMAT_VERSION}"
        )
    classes = {each.__name__: each for each in (merit_nmf.SeparableNMF, merit_nmf.TopicModel, merit_nmf.CommunityDetector, merit_nmf.Unmixer)}
    model: Any = classes[header["class"]](**header["parameters"])
    for name, value in {**header["attributes"], **arrays}.items():
        setattr(model, name, value)
    model._restored()
    return model


def _is_plain(value: object) -> bool:
    try:
        json.dumps(_plain(value))
    except TypeError:
        return False
    return True


def _plain(value: Any) -> Any:
    """The same in JSON's types."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [str(item) for item in value]
    return value
