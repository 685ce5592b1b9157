"""``python -m merit_nmf`` is the command ``merit``."""

import sys

from ._cli import main

sys.exit(main())
