"""``Unmixer``: hyperspectral images to materials and abundances."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _merit
from ._estimator import PathLike
from ._html import HtmlSummary, summary_of_image
from ._saving import Saved
from ._settings import given
from ._watching import Callback, watching

#: Types that are taken as they are; all others become float64.
_KINDS = ("uint8", "int16", "uint16", "int32", "float32", "float64")


@dataclass(frozen=True)
class Image:
    """What the compiled part asks for."""

    shape: tuple[int, int, int]
    data: bytes
    kind: str
    mask: list[bool]
    wavelengths: list[float] | None
    units: str | None


class Unmixer(HtmlSummary, Saved, BaseEstimator):
    """The materials of a hyperspectral image, and how much of each a pixel has.

    ``fit`` takes an array of (lines, samples, bands) or (pixels, bands), or an image of Spectral Python. Pixels with NaN or infinity, and those that
    are zero in all bands, are left out; their abundances are NaN. For files that do not fit into memory there is ``merit unmix``.

    Parameters
    ----------
    n_endmembers : int, optional
        Number of materials (K); ``None`` guesses it.
    method : str, default="merit"
        How pure pixels are found: merit, exact, spa, snpa, sspa, vca, nfindr, xray, fast-anchor, norm-ratio, fast-gradient.
    average : int, optional
        Pixels whose mean is a spectrum; ``None`` stops where mixtures begin, 1 is the pure pixel itself.
    abundances : str, default="fcls"
        What abundances satisfy: fcls (at least 0, sum 1), nonnegative, relative (divided by their sum), unconstrained.
    search_pixels : int, default=10000
        Pixels that are searched at most: of larger images an even sample, and the outermost.
    regularization, smoothing, max_iter, tol, objective_tolerance, residual_tolerance, time_limit, start_iteration, kernel
        The search for pure pixels, as in :class:`SeparableNMF`.
    certificate, gap, passes, xray_criterion, projection, minimum_nonzeros, gradient_steps
        Of the search and of the other methods, as in :class:`SeparableNMF`.
    random_state : int, default=0
        Seed of what is drawn at random.
    n_jobs, verbose, callback, settings
        As in :class:`SeparableNMF`.

    Attributes
    ----------
    endmembers_ : array of shape (n_endmembers, n_bands)
        The spectrum of each material.
    abundances_ : array of shape (lines, samples, n_endmembers) or (pixels, n_endmembers)
        How much of each material a pixel has.
    residuals_ : array of shape (lines, samples) or (pixels,)
        Root of the mean square, over the bands, of what the materials do not explain.
    pure_pixels_ : array of shape (n_endmembers, 2) or (n_endmembers,)
        Line and sample (or row) of the pure pixel of each material.
    averaged_ : list of int
        How many pixels each spectrum is the mean of.
    n_endmembers_, gap_, objective_, regularization_, stop_reason_, n_iter_, trace_, notes_, record_
        As in :class:`SeparableNMF`.

    Examples
    --------
    >>> import numpy as np
    >>> from merit_nmf import Unmixer
    >>> rng = np.random.default_rng(0)
    >>> spectra = rng.random((3, 20))
    >>> shares = rng.dirichlet([0.3] * 3, (30, 40))
    >>> found = Unmixer(n_endmembers=3).fit(shares @ spectra)
    >>> found.endmembers_.shape, found.abundances_.shape
    ((3, 20), (30, 40, 3))
    >>> bool(np.allclose(found.abundances_.sum(axis=2), 1, atol=1e-6))
    True
    """

    def __init__(
        self,
        n_endmembers: int | None = None,
        *,
        method: str = "merit",
        average: int | None = None,
        abundances: str = "fcls",
        search_pixels: int = 10000,
        regularization: float | str = "auto",
        smoothing: float = 1e-5,
        max_iter: int = 100,
        tol: float | None = None,
        objective_tolerance: float | None = None,
        residual_tolerance: float | None = None,
        time_limit: float | None = None,
        start_iteration: int | None = None,
        kernel: str = "auto",
        certificate: int | str = "off",
        gap: float = 1e-3,
        passes: int = 500,
        xray_criterion: str = "max",
        projection: int | None = 1000,
        minimum_nonzeros: int = 1,
        gradient_steps: int = 150,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.n_endmembers = n_endmembers
        self.method = method
        self.average = average
        self.abundances = abundances
        self.search_pixels = search_pixels
        self.regularization = regularization
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.objective_tolerance = objective_tolerance
        self.residual_tolerance = residual_tolerance
        self.time_limit = time_limit
        self.start_iteration = start_iteration
        self.kernel = kernel
        self.certificate = certificate
        self.gap = gap
        self.passes = passes
        self.xray_criterion = xray_criterion
        self.projection = projection
        self.minimum_nonzeros = minimum_nonzeros
        self.gradient_steps = gradient_steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.settings = settings

    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        mask: ArrayLike | None = None,
        wavelengths: ArrayLike | None = None,
        units: str | None = None,
    ) -> Unmixer:
        """Finds the materials of an image. Returns the model itself.

        ``mask`` is true where pixels count; ``wavelengths``, one a band, and their ``units`` are for the page.
        """
        array, wavelengths, units = _array(X, wavelengths, units)
        self._flat = array.ndim == 2
        image = _image(array, mask, wavelengths, units)
        settings = given("unmix", self.get_params(deep=False), self.settings)
        with watching(self.n_jobs, self.verbose, self.callback) as watch:
            run, raised = _merit.unmix(watch, image, settings)
        if run is None:
            assert raised is not None
            raise raised
        self._take(run, image.shape)
        if raised is not None:
            raise raised
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Abundances of other pixels, of (lines, samples, bands) or (pixels, bands), by the spectra that were found."""
        check_is_fitted(self, "endmembers_")
        array = np.asarray(_array(X, None, None)[0], dtype=np.float64)
        settings = given("unmix", self.get_params(deep=False), self.settings)
        pixels = np.ascontiguousarray(array.reshape(-1, array.shape[-1]))
        if not np.isfinite(pixels).all():
            raise ValueError("Input X contains NaN or infinity")
        with watching(self.n_jobs, 0, None) as watch:
            found = _merit.abundances(watch, pixels, np.ascontiguousarray(self.endmembers_), settings)
        return np.asarray(found).reshape(*array.shape[:-1], len(self.endmembers_))

    def fit_transform(self, X: Any, y: object = None) -> NDArray[np.float32]:
        """``fit``, and then ``abundances_``."""
        abundances: NDArray[np.float32] = self.fit(X).abundances_
        return abundances

    def plot(self) -> Any:
        """A figure of matplotlib, which must be installed: the spectra, and a map for each material where there are lines and samples."""
        check_is_fitted(self, "endmembers_")
        import matplotlib.pyplot as plt

        count = len(self.endmembers_)
        maps = 0 if self.abundances_.ndim == 2 else count
        figure, axes = plt.subplots(1, 1 + maps, figsize=(4 * (1 + maps), 3.5), squeeze=False, layout="constrained")
        for number, spectrum in enumerate(self.endmembers_, 1):
            axes[0, 0].plot(spectrum, label=f"material {number}")
        axes[0, 0].set(title="spectra", xlabel="band")
        axes[0, 0].legend()
        for k in range(maps):
            shown = axes[0, 1 + k].imshow(self.abundances_[:, :, k], vmin=0, vmax=1)
            axes[0, 1 + k].set_title(f"material {k + 1}")
            figure.colorbar(shown, ax=axes[0, 1 + k])
        return figure

    def report(self, path: PathLike) -> None:
        """Writes a self-contained page with maps and charts, the same as ``merit unmix --report``."""
        check_is_fitted(self, "endmembers_")
        with watching(self.n_jobs, 0, None) as watch:
            page = self._fitted_run().page(watch)
        _merit.write_file(os.fspath(path), page.encode())

    def _take(self, run: Any, shape: tuple[int, int, int]) -> None:
        record = json.loads(run.json)
        self._run, self.record_ = run, record
        self.endmembers_ = run.spectra()
        grid = (shape[1],) if self._flat else shape[:2]
        self.abundances_ = run.abundances().reshape(*grid, len(self.endmembers_))
        self.residuals_ = run.residuals().reshape(grid)
        pixels = np.asarray(record["pure_pixels"], dtype=np.intp).reshape(-1, 2)
        self.pure_pixels_ = pixels[:, 1] if self._flat else pixels
        self.averaged_, self.n_endmembers_ = record["averaged_pixels"], record["endmembers"]
        self.regularization_, self.gap_ = record["regularization"], record["gap"]
        self.objective_, self.stop_reason_ = record["objective"], record["stop_reason"]
        self.n_iter_, self.trace_, self.notes_ = int(record["iterations"] or 1), run.trace(), record["notes"]

    def _restored(self) -> None:
        pass

    def _summary_html(self) -> str:
        return summary_of_image(self)


def _array(X: Any, wavelengths: Any, units: str | None) -> tuple[NDArray[Any], Any, str | None]:
    """The numbers of an image, and what else an image of Spectral Python knows."""
    bands = getattr(X, "bands", None)
    centers = getattr(bands, "centers", None)
    if wavelengths is None and centers:
        wavelengths, units = centers, units or getattr(bands, "band_unit", None)
    if hasattr(X, "load") and hasattr(X, "nbands"):
        X = X.load()
    array = np.asarray(X)
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise ValueError(f"an image is an array of (lines, samples, bands) or (pixels, bands), but this one has the shape {array.shape}")
    if array.dtype.kind not in "buif":
        raise ValueError(f"an image holds real numbers, but this one {array.dtype}")
    return array, wavelengths, units


def _image(array: NDArray[Any], mask: ArrayLike | None, wavelengths: Any, units: str | None) -> Image:
    shape = array.shape if array.ndim == 3 else (1, *array.shape)
    kind = array.dtype.name if array.dtype.name in _KINDS else "float64"
    data = np.ascontiguousarray(array, dtype=np.dtype(kind)).tobytes()
    kept: list[bool] = []
    if mask is not None:
        chosen = np.asarray(mask)
        if chosen.size != shape[0] * shape[1]:
            raise ValueError(f"the mask has {chosen.size} entries, but the image {shape[0] * shape[1]} pixels")
        kept = [bool(one) for one in chosen.ravel()]
    if wavelengths is not None:
        wavelengths = [float(one) for one in np.asarray(wavelengths).ravel()]
        if len(wavelengths) != shape[2]:
            raise ValueError(f"{len(wavelengths)} wavelengths, but {shape[2]} bands")
    return Image((int(shape[0]), int(shape[1]), int(shape[2])), data, kind, kept, wavelengths, units)
