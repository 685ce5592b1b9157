"""Settings: names, defaults and ranges are declared once, in Rust; this turns what was given here into their form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

from . import _merit

#: Declared name to Python's, where scikit-learn has a custom of its own.
PYTHON_NAMES: dict[str, str] = dict(_merit.python_names())
_DECLARED_NAMES = {python: declared for declared, python in PYTHON_NAMES.items()}


@lru_cache(maxsize=None)
def declared(of: str) -> dict[str, dict[str, Any]]:
    """The settings of ``factor``, ``topics``, ``tokens``, ``communities``, ``edges`` or ``unmix``, by their Python names."""
    return {PYTHON_NAMES.get(one["name"], one["name"]): one for one in _merit.declarations(of)}


def text_of(name: str, value: object, declaration: Mapping[str, Any]) -> str:
    """A value as it would be typed on the command line.

    >>> from merit_nmf._settings import declared, text_of
    >>> text_of("tol", None, declared("factor")["tol"]), text_of("tol", 1e-3, declared("factor")["tol"])
    ('off', '0.001')
    """
    if value is None:
        none = declaration["none"]
        return str(declaration["default"] if none is None else none)
    if isinstance(value, str):
        return value
    if isinstance(value, (bool,)) or type(value).__name__ == "bool_":
        yes = bool(value)
        return ("on" if yes else "off") if declaration["choices"] == ["on", "off"] else str(yes).lower()
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        text = repr(float(value))
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if declaration["list"] and isinstance(value, Iterable):
        return ",".join(str(item) for item in value)
    raise ValueError(f"`{name}` cannot be of type {type(value).__name__}: {declaration['help']}")


def given(of: str, values: Mapping[str, object], more: Mapping[str, object] | None = None) -> list[tuple[str, str]]:
    """Declared names and texts of those ``values`` that are settings of ``of``, and of ``more``, where all must be.

    ``more`` takes Python's names and declared ones.
    """
    known = declared(of)
    chosen = {name: value for name, value in values.items() if name in known}
    for name, value in (more or {}).items():
        name = PYTHON_NAMES.get(name, name)
        if name not in known:
            raise ValueError(f"there is no setting `{name}`: there are {', '.join(known)}")
        chosen[name] = value
    return [(_DECLARED_NAMES.get(name, name), text_of(name, value, known[name])) for name, value in chosen.items()]
