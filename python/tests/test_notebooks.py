"""What notebooks show."""

import re
import xml.dom.minidom

import numpy as np
import pytest

from merit_nmf import SeparableNMF, solve


def test_a_summary_with_charts(X):
    model = SeparableNMF(3).fit(X)
    html = model._repr_html_()
    assert "120 samples x 12 features" in html and "duality gap" in html and html.count("<svg") == 2
    assert model._repr_mimebundle_()["text/html"] == html and "SeparableNMF" in model._repr_mimebundle_()["text/plain"]
    assert len(html) < 20_000 and "<script" not in html and "http" not in html
    xml.dom.minidom.parseString(html)
    assert "background:transparent" in html and "currentColor" in html, "legible on any ground"
    assert not re.search(r"color:\s*(black|white|#000|#fff)", html)


def test_before_fit_it_is_scikit_learns():
    assert "sk-container" in SeparableNMF(3)._repr_html_()


def test_solutions_and_methods_without_a_path(X):
    assert "samples are columns" in solve(X.T, 3)._repr_html_()
    html = SeparableNMF(3, method="spa").fit(X)._repr_html_()
    assert "<svg" not in html and "spa" in html


def test_names_are_escaped(X):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, index=[f"<b>{i}</b>" for i in range(len(X))])
    frame.columns = [str(name) for name in frame.columns]
    html = SeparableNMF(3).fit(frame)._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html


def test_odd_numbers_draw_nothing_wrong():
    X = np.eye(3)
    assert "nan" not in SeparableNMF(3).fit(X)._repr_html_().lower().replace("nanmin", "")
