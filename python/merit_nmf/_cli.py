"""The command ``merit``: the same program as the one that Cargo builds."""

from __future__ import annotations

import sys

from . import _merit


def main() -> int:
    """Does what was typed."""
    return _merit.run_command(["merit", *sys.argv[1:]], [sys.executable, "-m", "merit_nmf"])
