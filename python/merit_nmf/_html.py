"""What notebooks show: a few numbers and small charts, drawn as SVG in the text's own color, so that they are legible on any ground."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any

_STYLE = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;border:1px solid currentColor;border-radius:6px;"
    "padding:10px 14px;display:inline-block;max-width:56em;color:inherit;background:transparent"
)
#: Readable on white and on black: contrast of at least 3 with both.
_LINE, _MARK = "#3987e5", "#d95926"


class HtmlSummary:
    """Notebooks show ``_summary_html``; before ``fit`` what scikit-learn shows."""

    def _summary_html(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        if not hasattr(self, "get_params"):
            return self._summary_html()
        from sklearn.utils.validation import _is_fitted

        if _is_fitted(self):
            return self._summary_html()
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **_kwargs: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _with_code(note: str) -> str:
    """A note with what stands between backquotes as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(note))


def card(title: str, facts: Sequence[tuple[str, str]], charts: Sequence[str], notes: Sequence[str]) -> str:
    """A frame with a title, facts, charts and notes."""
    cell = "padding:1px 14px 1px 0;text-align:left;vertical-align:top;background:transparent;color:inherit"
    rows = "".join(
        f'<tr style="background:transparent"><td style="{cell};opacity:.75">{escape(name)}</td>'
        f'<td style="{cell}">{escape(value)}</td></tr>'
        for name, value in facts
    )
    drawn = "".join(f'<div style="display:inline-block;margin:6px 18px 0 0">{chart}</div>' for chart in charts if chart)
    items = "".join(f"<li>{_with_code(note)}</li>" for note in notes)
    items = f'<ul style="margin:6px 0 0;padding-left:18px;opacity:.85">{items}</ul>' if items else ""
    table = f'<table style="border:none;border-collapse:collapse;margin:4px 0;font:inherit;color:inherit">{rows}</table>'
    return f'<div style="{_STYLE}"><div style="font-weight:600">{escape(title)}</div>{table}<div>{drawn}</div>{items}</div>'


def line_chart(title: str, values: Sequence[float | None]) -> str:
    """Positive values over their number, in powers of ten; empty if there are fewer than two."""
    points = [(i, math.log10(v)) for i, v in enumerate(values) if v is not None and v > 0 and math.isfinite(v)]
    if len(points) < 2:
        return ""
    low, high = min(y for _, y in points), max(y for _, y in points)
    span, last = (high - low) or 1.0, max(points[-1][0], 1)
    path = " ".join(f"{48 + 180 * i / last:.1f},{20 + 62 * (high - y) / span:.1f}" for i, y in points)
    first, end = f"{10**high:.1e}", f"{10**low:.1e}"
    return _svg(
        title,
        f'<polyline points="{path}" fill="none" stroke="{_LINE}" stroke-width="2"/>'
        + _text(44, 25, first, "end")
        + _text(44, 85, end, "end")
        + _text(48, 99, "1", "start")
        + _text(228, 99, f"{last + 1} iterations", "end"),
    )


def bar_chart(title: str, values: Sequence[float], marked: int, below: str) -> str:
    """Bars from the largest to the smallest, the first ``marked`` in another color; empty without values."""
    shown = [max(0.0, float(v)) for v in values[:60] if math.isfinite(v)]
    if not shown or max(shown) <= 0:
        return ""
    top, width = max(shown), 180 / len(shown)
    bars = "".join(
        f'<rect x="{48 + i * width:.1f}" y="{82 - 62 * v / top:.1f}" width="{max(width - 1, 0.8):.1f}" '
        f'height="{62 * v / top:.1f}" fill="{_MARK if i < marked else _LINE}"/>'
        for i, v in enumerate(shown)
    )
    return _svg(title, bars + _text(44, 25, f"{top:.3g}", "end") + _text(44, 85, "0", "end") + _text(48, 99, below, "start"))


def _svg(title: str, inside: str) -> str:
    axis = '<path d="M48 20V82H228" fill="none" stroke="currentColor" stroke-opacity=".4"/>'
    return (
        f'<svg width="240" height="104" viewBox="0 0 240 104" role="img" aria-label="{escape(title)}" '
        f'style="color:inherit;font:10px system-ui,sans-serif">{_text(48, 12, title, "start")}{axis}{inside}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" fill="currentColor" text-anchor="{anchor}">{escape(text)}</text>'


def certificate(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Objective, lower bound and gap, in words."""
    gap, objective, bound = record["gap"], record["objective"], record["lower_bound"]
    if objective is None:
        return []
    facts = [("objective", f"{objective:.6g}")]
    if bound is not None:
        words = f"no C is better by more than {100 * record['relative_gap']:.2g} % (the optimum is at least {bound:.6g})"
        facts.append(("certificate", words if bound > 0 else "the lower bound is zero, which says nothing"))
    if gap is not None:
        meaning = f"at most {100 * gap / objective:.2g} % above the minimum" if 0 < gap < objective else "says nothing yet"
        facts.append(("duality gap", f"{gap:.3g}" + (f" ({meaning})" if gap else "")))
    return facts


def first(items: Sequence[object], most: int = 12) -> str:
    """The first of many."""
    return ", ".join(str(item) for item in items[:most]) + (", ..." if len(items) > most else "")


def _of_search(record: dict[str, Any], trace: dict[str, list[float]], title: str, what: str, names: Sequence[object]) -> str:
    estimate = record.get("rank_estimate")
    how = "" if estimate is None else " (estimated, clear)" if estimate["clear"] else " (estimated, NOT clear)"
    facts = [(f"{len(record['anchors'])} anchors{how}", first(names)), ("method", str(record["settings"]["method"]))]
    if record["regularization"] is not None:
        facts.append(("regularization", f"{record['regularization']:.4g}"))
    facts += certificate(record)
    if record["stop_reason"]:
        facts.append(("stopped", f"{record['stop_reason']} after {record['iterations']} iterations"))
    facts.append(("fit", f"{record['factors']['rae']:.4f} (1 - ||X - WH|| / ||X||)"))
    charts = [
        line_chart("duality gap", trace["gap"]),
        bar_chart("row norms of C", record["row_norms_sorted"], len(record["anchors"]), what),
    ]
    return card(title, facts, charts, record["notes"])


def summary_of_factors(model: Any) -> str:
    """Of a :class:`SeparableNMF`."""
    shape = record_shape(model.record_, model.axis == "samples")
    names = getattr(model, "anchor_names_", model.anchor_indices_.tolist())
    return _of_search(model.record_, model.trace_, f"SeparableNMF, {shape}", f"{model.axis}, largest first", names)


def summary_of_solution(found: Any) -> str:
    """Of a :class:`Solution`."""
    size = found.record["input"]
    title = f"Solution, X is {size['rows']} x {size['cols']} (samples are columns)"
    return _of_search(found.record, found.trace, title, "columns, largest first", found.anchors.tolist())


def record_shape(record: dict[str, Any], by_samples: bool) -> str:
    """Samples and features."""
    rows, cols = record["input"]["rows"], record["input"]["cols"]
    samples, features = (cols, rows) if by_samples else (rows, cols)
    return f"{samples} samples x {features} features"


def summary_of_topics(model: Any) -> str:
    """Of a :class:`TopicModel`."""
    record = model.record_
    title = f"TopicModel, {record['input']['documents']} documents x {record['words']} words"
    facts = [
        (f"topic {k} ({100 * size:.1f} %)", ", ".join(words))
        for k, (words, size) in enumerate(zip(model.top_words(8), model.sizes_))
    ]
    facts.append(("coherence (NPMI)", f"{record['npmi']:.2f}"))
    charts = [line_chart("duality gap", model.trace_["gap"]), bar_chart("sizes of topics", list(model.sizes_), 0, "topics")]
    return card(title, facts, charts, model.notes_)


def summary_of_communities(model: Any) -> str:
    """Of a :class:`CommunityDetector`."""
    record = model.record_
    title = f"CommunityDetector, {record['input']['nodes']} nodes, {record['input']['edges']} edges"
    facts = [
        (f"community {k}", f"{size:.1f} nodes in sum, pure node {node}")
        for k, (size, node) in enumerate(zip(record["sizes"], model.pure_nodes_))
    ]
    charts = [line_chart("duality gap", model.trace_["gap"]), bar_chart("sizes", record["sizes"], 0, "communities")]
    return card(title, facts, charts, model.notes_)


def summary_of_image(model: Any) -> str:
    """Of an :class:`Unmixer`."""
    record = model.record_
    title = f"Unmixer, {record['input']['lines']} lines, {record['input']['samples']} samples, {record['input']['bands']} bands"
    facts = [
        (f"material {k + 1}", f"{100 * mean:.1f} % of the image, mean of {averaged} pixels")
        for k, (mean, averaged) in enumerate(zip(record["fit"]["means"], model.averaged_))
    ]
    charts = [line_chart("duality gap", model.trace_["gap"]), bar_chart("shares", record["fit"]["means"], 0, "materials")]
    return card(title, facts, charts, model.notes_)
