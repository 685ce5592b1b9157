"""Unmixer: images as arrays, their abundances, and what is refused."""

import numpy as np
import pytest

from merit_nmf import Unmixer, load


@pytest.fixture(scope="module")
def scene():
    rng = np.random.default_rng(3)
    spectra = np.abs(np.cumsum(rng.normal(size=(3, 25)), axis=1)) + 0.5
    shares = rng.dirichlet([0.2] * 3, (24, 31))
    return spectra, shares, shares @ spectra + 0.01 * rng.normal(size=(24, 31, 25))


def test_materials_and_abundances_are_found(scene):
    spectra, shares, cube = scene
    model = Unmixer(3).fit(cube)
    assert model.endmembers_.shape == (3, 25) and model.abundances_.shape == (24, 31, 3)
    cosine = spectra @ model.endmembers_.T / np.outer(np.linalg.norm(spectra, axis=1), np.linalg.norm(model.endmembers_, axis=1))
    order = cosine.argmax(axis=1)
    assert sorted(order) == [0, 1, 2] and cosine.max(axis=1).min() > 0.99
    assert np.abs(model.abundances_[:, :, order] - shares).mean() < 0.05
    line, sample = model.pure_pixels_[0]
    assert model.abundances_[line, sample].max() > 0.9
    assert model.residuals_.shape == (24, 31) and model.record_["kind"] == "unmix"


def test_pixels_types_and_threads_do_not_matter(scene):
    cube = scene[2]
    whole = Unmixer(3).fit(cube)
    flat = Unmixer(3, n_jobs=1).fit(cube.reshape(-1, 25))
    assert np.array_equal(flat.endmembers_, whole.endmembers_)
    assert np.array_equal(flat.abundances_, whole.abundances_.reshape(-1, 3))
    single = cube.astype(np.float32)
    assert np.array_equal(Unmixer(3).fit(single).endmembers_, Unmixer(3).fit(single.astype(float)).endmembers_)
    assert np.allclose(whole.transform(cube), whole.abundances_, atol=1e-6)
    assert whole.transform(cube[0]).shape == (31, 3)


def test_pixels_may_be_left_out(scene, tmp_path):
    cube = scene[2].copy()
    cube[0, 0, 3] = np.nan
    mask = np.ones((24, 31), bool)
    mask[5] = False
    model = Unmixer(3, abundances="relative").fit(cube, mask=mask, wavelengths=np.linspace(400, 900, 25), units="Nanometers")
    assert np.isnan(model.abundances_[5]).all() and np.isnan(model.abundances_[0, 0]).all()
    assert np.isfinite(model.abundances_[1:5]).all()
    assert any("32 of 744 pixels are left out" in note for note in model.notes_)
    model.report(tmp_path / "page.html")
    assert "wavelength (Nanometers)" in (tmp_path / "page.html").read_text()
    model.save(tmp_path / "model.npz")
    assert np.array_equal(load(tmp_path / "model.npz").endmembers_, model.endmembers_)
    assert "Unmixer, 24 lines" in model._repr_html_()


class Spectral:
    """What an image of Spectral Python has, as far as it matters."""

    class bands:
        centers = [float(nm) for nm in range(25)]
        band_unit = "nm"

    nbands = 25

    def __init__(self, cube):
        self.cube = cube

    def load(self):
        return self.cube


def test_images_of_spectral_python(scene):
    model = Unmixer(3).fit(Spectral(scene[2]))
    assert np.array_equal(model.endmembers_, Unmixer(3).fit(scene[2]).endmembers_)


@pytest.mark.parametrize(
    "X, parameters, words",
    [
        (np.ones(5), {}, "an image is an array of"),
        (np.ones((2, 2, 2), complex), {}, "holds real numbers"),
        (np.zeros((3, 4, 5)), {}, "no pixel of 12 is left: 12 all zero"),
        (np.ones((3, 4, 5)), {"n_endmembers": 9}, "9 endmembers, but with 5 bands at most 6"),
        (np.ones((3, 4, 5)), {"abundances": "some"}, "abundances"),
        (np.ones((3, 4, 5)), {"n_endmembers": 0}, "n_endmembers"),
    ],
)
def test_what_cannot_be_unmixed_is_told(X, parameters, words):
    with pytest.raises(ValueError, match=words):
        Unmixer(**{"n_endmembers": 2, **parameters}).fit(X)


def test_a_mask_must_fit(scene):
    with pytest.raises(ValueError, match="the mask has 3 entries, but the image 744 pixels"):
        Unmixer(3).fit(scene[2], mask=[1, 0, 1])
    with pytest.raises(ValueError, match="2 wavelengths, but 25 bands"):
        Unmixer(3).fit(scene[2], wavelengths=[1, 2])


def test_a_figure_is_drawn(scene):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(Unmixer(3).fit(scene[2]).plot().axes) == 7
