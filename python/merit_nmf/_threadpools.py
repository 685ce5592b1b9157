"""``threadpoolctl.threadpool_limits`` holds for this library too."""

from __future__ import annotations

from . import _merit, _watching


def register() -> None:
    """Tells threadpoolctl (which scikit-learn brings along) how to limit our threads."""
    try:
        from threadpoolctl import LibController, register as register_controller
    except ImportError:
        return

    class MeritController(LibController):
        """Our pools are made for each number of threads, so a limit is only remembered."""

        user_api = "merit"
        internal_api = "merit"
        filename_prefixes = ("_merit",)
        check_symbols = ("PyInit__merit",)

        def get_num_threads(self) -> int:
            return _watching.process_threads()

        def set_num_threads(self, num_threads: int) -> None:
            everything = num_threads >= _merit.available_threads()
            _watching.set_process_limit(None if everything else max(1, int(num_threads)))

        def get_version(self) -> str:
            return str(_merit.__version__)

    register_controller(MeritController)
