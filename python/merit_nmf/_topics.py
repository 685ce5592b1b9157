"""``TopicModel``: texts or counts to topics."""

from __future__ import annotations

import copy
import itertools
import json
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _merit
from ._estimator import PathLike
from ._html import HtmlSummary, summary_of_topics
from ._matrices import as_core, checked
from ._saving import Saved
from ._settings import given
from ._watching import Callback, watching


@dataclass(frozen=True)
class Documents:
    """What the compiled part asks for: texts, or counts with their words; perhaps dates."""

    texts: Iterable[str] | None = None
    counts: Any = None
    vocabulary: list[str] | None = None
    times: list[str] | None = None


class TopicModel(
    HtmlSummary, Saved, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Topics of texts by anchor words: words that appear in one topic only.

    ``fit`` takes texts (any iterable of strings), counts (documents x words, as ``CountVectorizer`` gives them, with
    ``vocabulary=vectorizer.get_feature_names_out()``), or gensim's bags of words (with ``vocabulary=dictionary``).

    Parameters
    ----------
    n_topics : int, optional
        Number of topics (K); ``None`` estimates it.
    method : str, default="merit"
        How topics are found: an anchor method as in :class:`SeparableNMF`, or lda.
    anchors : sequence of str, default=()
        Words to use as anchors; each replaces the nearest anchor.
    forbid : sequence of str, default=()
        Words that must not be anchors.
    merge_duplicates : {"on", "off"} or bool, default="on"
        Search among words that are copies of each other as if they were one.
    minimum_documents : int or float, optional
        Documents an anchor must be in: a number, or a fraction; ``None`` tries several.
    refine : int, default=0
        Steps of EM that refine the topics of the anchors by their likelihood.
    drop_duplicates : bool, default=False
        Leave out documents that are copies, or nearly copies, of an earlier one.
    stop_words : str, default="auto"
        Words left out: auto (by language), en, de, fr, es, it, pt, nl, sv, zh, ja, th, a file with one word per line, or none.
    stem : str, optional
        Reduce words to their stems: en, de, fr, es, it, pt, nl, sv, da, no, fi, ru.
    min_length : int, default=3
        Letters a word must have; in Chinese, Japanese and Korean 2 are enough.
    ngrams : int, default=1
        Longest run of neighboring words that also counts as a word.
    phrases : bool, default=False
        Join neighboring words that belong together, such as new york.
    min_df : int or float, default=2
        Documents a word must appear in, at least: a number, or a fraction such as 0.01.
    max_df : int or float, default=0.9
        Documents a word may appear in, at most: a number, or a fraction such as 0.5.
    max_vocabulary : int, optional
        Maximum number of words, keeping those in the most documents.
    regularization, smoothing, max_iter, tol, objective_tolerance, residual_tolerance, time_limit, start_iteration, kernel
        The search for anchors, as in :class:`SeparableNMF`; here the defaults are the paper's for topics.
    certificate, gap, passes, xray_criterion, projection, minimum_nonzeros, gradient_steps
        Of the other methods, as in :class:`SeparableNMF`.
    alpha : float, optional
        How evenly lda's documents mix topics; ``None`` is estimated during the burn-in.
    beta : float, default=0.1
        How evenly lda's topics mix words.
    burn_in : int, default=200
        Sweeps of lda before its first sample.
    samples : int, default=10
        Samples of lda that are averaged, 10 sweeps apart.
    random_state : int, default=0
        Seed of the random numbers.
    n_jobs, verbose, callback, checkpoint, checkpoint_every, settings
        As in :class:`SeparableNMF`.

    Attributes
    ----------
    topics_ : list of lists of str
        The ten heaviest words of each topic.
    components_ : array of shape (n_topics, n_words)
        The probability of each word in each topic; rows sum to 1.
    words_ : list of str
        The words, in the order of the columns of ``components_``.
    phrases_ : list of str
        The phrases that were joined, if ``phrases``.
    anchor_words_ : list of str
        The anchor of each topic; empty for lda.
    document_topics_ : array of shape (n_documents, n_topics)
        What the documents are made of.
    sizes_ : array of shape (n_topics,)
        The fraction of all documents that each topic has.
    topic_names_ : list of str or None
        Names given to the topics (:meth:`edit`).
    periods_ : list of str, or None
        If ``fit`` was given ``times``: days, months or years, one after the other (2024-05-17, 2024-05 or 2024).
    period_documents_ : array of shape (n_periods,), or None
        How many documents are of each.
    period_shares_ : array of shape (n_periods, n_topics), or None
        Their mean shares of the topics; NaN where there are no documents.
    n_topics_, gap_, objective_, regularization_, stop_reason_, n_iter_, trace_, notes_, record_
        As in :class:`SeparableNMF`.

    Examples
    --------
    >>> from merit_nmf import TopicModel
    >>> fruit, sea = "apple pear plum apple cherry", "ship wave harbor ship sailor"
    >>> texts = [fruit, sea, "pear plum apple", "wave ship harbor", "cherry apple pear", "sailor wave ship"] * 3
    >>> model = TopicModel(n_topics=2, min_df=1).fit(texts)
    >>> sorted(sorted(words)[0] for words in model.top_words(4))
    ['apple', 'harbor']
    >>> bool(model.transform(["a plum and a pear"]).argmax() == model.document_topics_[0].argmax())
    True
    """

    def __init__(
        self,
        n_topics: int | None = None,
        *,
        method: str = "merit",
        anchors: Sequence[str] = (),
        forbid: Sequence[str] = (),
        merge_duplicates: str | bool = "on",
        minimum_documents: int | float | None = None,
        refine: int = 0,
        drop_duplicates: bool = False,
        stop_words: str = "auto",
        stem: str | None = None,
        min_length: int = 3,
        ngrams: int = 1,
        phrases: bool = False,
        min_df: int | float = 2,
        max_df: int | float = 0.9,
        max_vocabulary: int | None = None,
        regularization: float | str = 5e-7,
        smoothing: float = 1e-5,
        max_iter: int = 100,
        tol: float | None = 0.25,
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
        alpha: float | None = None,
        beta: float = 0.1,
        burn_in: int = 200,
        samples: int = 10,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.method = method
        self.anchors = anchors
        self.forbid = forbid
        self.merge_duplicates = merge_duplicates
        self.minimum_documents = minimum_documents
        self.refine = refine
        self.drop_duplicates = drop_duplicates
        self.stop_words = stop_words
        self.stem = stem
        self.min_length = min_length
        self.ngrams = ngrams
        self.phrases = phrases
        self.min_df = min_df
        self.max_df = max_df
        self.max_vocabulary = max_vocabulary
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
        self.alpha = alpha
        self.beta = beta
        self.burn_in = burn_in
        self.samples = samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.settings = settings

    def fit(self, X: Any, y: object = None, *, vocabulary: Any = None, times: Iterable[Any] | None = None) -> TopicModel:
        """Finds the topics of texts or counts. Returns the model itself.

        ``vocabulary`` are the words of counts. ``times`` are the documents' dates, for ``period_shares_`` and the page: texts such as
        2024, 2024-05 or 2024-05-17, or anything that is written so (``datetime``, NumPy's, pandas'); ``None`` where there is none.
        """
        documents = replace(_documents(X, vocabulary), times=None if times is None else [_time(time) for time in times])
        values = self.get_params(deep=False)
        settings, tokens = given("topics", values, self.settings), given("tokens", values)
        with watching(self.n_jobs, self.verbose, self.callback, self.checkpoint, self.checkpoint_every) as watch:
            run, raised = _merit.topics(watch, documents, settings, tokens)
        if run is None:
            assert raised is not None
            raise raised
        self._take(run)
        self.vocabulary_ = documents.vocabulary
        if raised is not None:
            raise raised
        return self

    def fit_transform(
        self, X: Any, y: object = None, *, vocabulary: Any = None, times: Iterable[Any] | None = None
    ) -> NDArray[np.float64]:
        """``fit``, and then what the documents are made of."""
        self.fit(X, vocabulary=vocabulary, times=times)
        return np.asarray(self.document_topics_)

    def transform(self, X: Any, *, vocabulary: Any = None) -> NDArray[np.float64]:
        """What new documents are made of, of shape (n_documents, n_topics); words that the topics do not know are left out."""
        check_is_fitted(self, "components_")
        documents = _documents(X, self.vocabulary_ if vocabulary is None else vocabulary)
        if documents.counts is not None and documents.vocabulary is None:
            raise ValueError("counts need `vocabulary`, the words of their columns")
        found = {"stop_words": self.record_["tokens"]["stop_words"]}  # what was "auto" is a language
        tokens = given("tokens", self.get_params(deep=False), found)
        with watching(self.n_jobs, 0, None) as watch:
            weights = _merit.topic_weights(
                watch, documents, self.components_, self.words_, tokens, list(self.phrases_)
            )
        return np.asarray(weights)

    def edit(
        self,
        *,
        merge: Iterable[Iterable[int]] = (),
        names: Mapping[int, str] | None = None,
        anchors: Iterable[str] = (),
    ) -> TopicModel:
        """A new fitted model with topics changed by hand, without a new search; this one stays what it is.

        Parameters
        ----------
        merge : groups of topics
            Each group becomes one topic: ``[(3, 7)]``. All other topics stay what they are.
        names : mapping from topics to names
            What to call a topic, or the one that it is merged into: ``{3: "harbor"}``; an empty name takes its name away.
        anchors : words
            Words to use as anchors; each replaces the nearest anchor. All topics follow from the anchors, so they are merged and named in a second edit.

        Numbers refer to this model; in the new one topics are numbered by size again.

        >>> from merit_nmf import TopicModel
        >>> texts = ["apple pear plum", "ship wave tide", "drum harp flute", "pear plum apple", "tide ship wave", "harp flute drum"] * 3
        >>> model = TopicModel(n_topics=3, min_df=1).fit(texts)
        >>> edited = model.edit(merge=[(1, 2)], names={0: "the first"})
        >>> edited.n_topics_, sorted(map(str, edited.topic_names_))
        (2, ['None', 'the first'])
        """
        check_is_fitted(self, "components_")
        chosen = [anchors] if isinstance(anchors, str) else [str(word) for word in anchors]
        groups = [[operator.index(topic) for topic in group] for group in merge]
        called = [(operator.index(topic), str(name).strip()) for topic, name in (names or {}).items()]
        if any(topic < 0 for topic in itertools.chain(*groups, (topic for topic, _ in called))):
            raise ValueError(f"topics are numbered from 0 to {self.n_topics_ - 1}")
        if any(len(group) < 2 for group in groups):
            raise ValueError("`merge` takes groups of two topics or more, such as [(3, 7)]")
        with watching(self.n_jobs, self.verbose, self.callback) as watch:
            run = self._fitted_run().edited(watch, groups, called, chosen)
        twin = copy.copy(self)
        twin._take(run)
        return twin

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The ``n`` heaviest words of each topic, the heaviest first."""
        check_is_fitted(self, "components_")
        order = np.argsort(-self.components_, axis=1, kind="stable")[:, :n]
        return [[self.words_[word] for word in words] for words in order]

    def coherence(self) -> float:
        """How much the first words of the topics appear in the same documents: their mean NPMI, from -1 to 1."""
        check_is_fitted(self, "components_")
        return float(self.record_["npmi"])

    def diversity(self, n: int = 25) -> float:
        """The part of different words among the ``n`` heaviest of all topics: 1 if no two topics share one."""
        words = self.top_words(n)
        return len(set(itertools.chain(*words))) / max(1, sum(len(each) for each in words))

    def report(self, path: PathLike) -> None:
        """Writes a self-contained page with charts, the same as ``merit topics --report``."""
        check_is_fitted(self, "components_")
        with watching(self.n_jobs, 0, None) as watch:
            page = self._fitted_run().page(watch)
        _merit.write_file(os.fspath(path), page.encode())

    def to_pyldavis(self) -> Any:
        """``pyLDAvis.PreparedData``, for ``pyLDAvis.display``; pyLDAvis and pandas must be installed."""
        check_is_fitted(self, "components_")
        import pandas
        from pyLDAvis import PreparedData

        with watching(self.n_jobs, 0, None) as watch:
            data = json.loads(self._fitted_run().pyldavis(watch))
        coordinates = pandas.DataFrame(data["mdsDat"]).rename(columns={"topics": "topic"}).set_index("topic")
        coordinates.insert(2, "topics", range(1, len(coordinates) + 1))
        return PreparedData(
            coordinates,
            pandas.DataFrame(data["tinfo"]),
            pandas.DataFrame(data["token.table"]),
            data["R"],
            data["lambda.step"],
            data["plot.opts"],
            data["topic.order"],
        )

    @property
    def _n_features_out(self) -> int:
        return int(self.n_topics_)

    def _take(self, run: Any) -> None:
        record = json.loads(run.json)
        self._run, self.record_ = run, record
        self.components_ = np.ascontiguousarray(run.topics().T)
        self.document_topics_ = run.documents()
        self.words_, self.anchor_words_ = run.words(), record["anchor_words"]
        self.phrases_, self.topic_names_ = run.phrases(), run.names()
        over_time: tuple[Any, Any, Any] = run.over_time() or (None, None, None)
        self.periods_, documents, self.period_shares_ = over_time
        self.period_documents_ = None if documents is None else np.asarray(documents, dtype=np.int64)
        self.n_topics_, self.sizes_ = len(self.components_), np.asarray(record["sizes"])
        self.regularization_, self.gap_ = record["regularization"], record["gap"]
        self.objective_, self.stop_reason_ = record["objective"], record["stop_reason"]
        self.n_iter_, self.trace_, self.notes_ = int(record["iterations"] or 1), run.trace(), record["notes"]
        self.topics_ = self.top_words(10)

    def _summary_html(self) -> str:
        return summary_of_topics(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _time(time: Any) -> str:
    """A date as the compiled part reads it; nothing where there is none, which is also what NaN, NaT and pandas' NA are."""
    if time is None or not isinstance(time, str) and str(time) in ("nan", "NaT", "<NA>"):
        return ""
    return str(time)


def _documents(X: Any, vocabulary: Any) -> Documents:
    """Texts, counts or gensim's bags of words, whichever they are."""
    if isinstance(X, (str, bytes)):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    if hasattr(X, "tocsc") or hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2 or getattr(X, "ndim", 1) == 2:
        counts = checked(X)
        words = getattr(X, "columns", None) if vocabulary is None else vocabulary
        return Documents(counts=as_core(counts), vocabulary=_words(words, counts.shape[1]))
    items = iter(X)
    head = list(itertools.islice(items, 1))
    if head and not isinstance(head[0], str) and isinstance(head[0], (list, tuple)):
        return _of_bags(itertools.chain(head, items), vocabulary)
    return Documents(texts=itertools.chain(head, items))


def _words(vocabulary: Any, count: int) -> list[str] | None:
    """The words in the order of the columns: from a list, or a mapping either way round."""
    if vocabulary is None:
        return None
    if isinstance(vocabulary, Mapping) or hasattr(vocabulary, "id2token"):
        pairs = list(dict(vocabulary).items())
        by_word = bool(pairs) and isinstance(pairs[0][0], str)
        number = {int(n): str(word) for word, n in pairs} if by_word else {int(n): str(word) for n, word in pairs}
        words = [number.get(n, f"word{n}") for n in range(count)]
    else:
        words = [str(word) for word in vocabulary]
    if len(words) != count:
        raise ValueError(f"the vocabulary has {len(words)} word{'' if len(words) == 1 else 's'}, but the counts have {count} column{'' if count == 1 else 's'}")
    return words


def _of_bags(bags: Iterable[Any], vocabulary: Any) -> Documents:
    from scipy.sparse import csr_array

    rows, columns, counts, documents = [], [], [], 0
    for documents, bag in enumerate(bags, 1):
        for word, count in bag:
            rows.append(documents - 1)
            columns.append(int(word))
            counts.append(float(count))
    size = max(columns, default=-1) + 1
    if vocabulary is not None:
        size = max(size, len(vocabulary))
    matrix = csr_array((counts, (rows, columns)), shape=(documents, size))
    return Documents(counts=as_core(matrix), vocabulary=_words(vocabulary, size))
