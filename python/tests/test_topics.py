"""TopicModel: whatever the documents come as."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from merit_nmf import TopicModel, load

from .conftest import same_bits

THEMES = ["apple pear plum cherry peach grape", "ship wave harbor sailor anchor tide", "piano violin cello flute drum harp"]


def texts(count=120, seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for d in range(count):
        main, other = THEMES[d % 3].split(), THEMES[(d + 1) % 3].split()
        made.append(" ".join([*rng.choice(main, 12), *rng.choice(other, 3), "common"]))
    return made


@pytest.fixture(scope="module")
def model():
    return TopicModel(3).fit(texts())


def themes_of(groups):
    return sorted(sorted({k for k, theme in enumerate(THEMES) for word in group if word in theme.split()}) for group in groups)


def test_topics_are_the_themes(model):
    assert themes_of(model.top_words(5)) == [[0], [1], [2]] and themes_of([[w] for w in model.anchor_words_]) == [[0], [1], [2]]
    assert [len(words) for words in model.topics_] == [10, 10, 10]
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, atol=1e-12)
    assert model.components_.shape == (3, len(model.words_)) and model.document_topics_.shape == (120, 3)
    main = model.document_topics_.argmax(axis=1)
    assert all(len(set(main[k::3])) == 1 for k in range(3))
    assert model.sizes_.sum() == pytest.approx(1) and model.n_topics_ == 3
    assert np.isfinite(model.coherence()) and 0 < model.diversity(6) <= 1 and model.diversity(1) == 1


def test_new_texts(model):
    weights = model.transform(["pear and plum, pear!", "the cello of the violin", "nothing known"])
    main = [themes_of([words])[0][0] for words in model.top_words(5)]
    assert main[weights[0].argmax()] == 0 and main[weights[1].argmax()] == 2 and (weights[2] == weights[2][0]).all()
    np.testing.assert_allclose(model.transform(texts()), model.document_topics_, atol=1e-9)
    assert model.transform(iter(texts())).shape == (120, 3), "any iterable"


def test_counts_of_scikit_learn(model):
    vectorizer = CountVectorizer(token_pattern=r"\w{3,}", min_df=2, max_df=0.9)
    counts = vectorizer.fit_transform(texts())
    found = TopicModel(3).fit(counts, vocabulary=vectorizer.get_feature_names_out())
    assert found.anchor_words_ == model.anchor_words_ and same_bits(found.components_, model.components_)
    assert same_bits(found.transform(counts), model.document_topics_)
    same = TopicModel(3).fit(counts, vocabulary=vectorizer.vocabulary_)
    assert same.words_ == found.words_
    unnamed = TopicModel(3).fit(counts)
    assert unnamed.words_[0] == "word0"
    with pytest.raises(ValueError, match="the vocabulary has 1 word, "):
        TopicModel(3).fit(counts, vocabulary=["one"])


def test_gensims_bags(model):
    vectorizer = CountVectorizer(token_pattern=r"\w{3,}", min_df=2, max_df=0.9)
    counts = vectorizer.fit_transform(texts()).tocsr()
    bags = [list(zip(row.indices.tolist(), row.data.tolist())) for row in counts]
    names = dict(enumerate(vectorizer.get_feature_names_out()))
    found = TopicModel(3).fit(bags, vocabulary=names)
    assert same_bits(found.components_, model.components_) and same_bits(found.transform(bags), found.document_topics_)


def test_other_methods_and_settings():
    lda = TopicModel(3, method="lda", burn_in=20, samples=2, alpha=0.1).fit(texts())
    assert lda.anchor_words_ == [] and lda.gap_ is None and themes_of(lda.top_words(4)) == [[0], [1], [2]]
    chosen = TopicModel(3, anchors=["plum"], forbid=["pear"]).fit(texts())
    assert "plum" in chosen.anchor_words_ and "pear" not in chosen.anchor_words_
    assert TopicModel(method="spa").fit(texts()).n_topics_ == 3


@pytest.mark.parametrize(
    "documents, parameters, words",
    [
        ("one text", {}, "Iterable over raw text documents expected"),
        ([], {}, "0 texts were given"),
        ([1, 2], {}, "texts must be strings, but number 0 is of type int"),
        (["a", "b"], {}, "no word is left"),
        (texts(), {"n_topics": 500}, "give n_topics="),
        (texts(), {"anchors": ["zebra"]}, "`anchors` has `zebra`"),
        (texts(), {"stop_words": "klingon"}, "there is no list of stop words"),
        (np.array([[0.5, 1.0], [1.0, 2.0]]), {}, "counts are whole numbers"),
    ],
)
def test_bad_documents(documents, parameters, words):
    with pytest.raises(ValueError, match=words):
        TopicModel(**{"n_topics": 2, **parameters}).fit(documents)


def test_before_fit_and_from_a_file(model, tmp_path):
    with pytest.raises(NotFittedError):
        TopicModel().transform(["text"])
    model.save(tmp_path / "topics.npz")
    again = load(tmp_path / "topics.npz")
    assert again.words_ == model.words_ and same_bits(again.transform(texts()), model.transform(texts()))


def test_the_page_and_what_notebooks_show(model, tmp_path):
    model.report(tmp_path / "topics.html")
    page = (tmp_path / "topics.html").read_text()
    assert model.anchor_words_[0] in page and "<svg" in page
    assert model.anchor_words_[0] in model._repr_html_()


def test_pyldavis(model):
    pytest.importorskip("pyLDAvis")
    prepared = model.to_pyldavis()
    assert len(prepared.topic_coordinates) == 3 and prepared.topic_order == sorted(prepared.topic_order, key=lambda k: -model.sizes_[k - 1])
    import pyLDAvis

    assert "ldavis" in pyLDAvis.prepared_data_to_html(prepared)


def test_stop_words_and_phrases_that_were_found_hold_for_new_texts():
    themes = ["river boat harbor sail", "bread flour oven baker"]
    told = "It is said that the {} of all of us is with {} and for New York, {} too."
    documents = [told.format(*(themes[d % 2].split()[(d + i * i) % 4] for i in range(3))) for d in range(40)]
    model = TopicModel(n_topics=2, max_df=1.0, phrases=True).fit(documents)
    assert model.record_["tokens"]["stop_words"] == "en" and model.phrases_ == ["new york"]
    assert "new york" not in model.words_ and "the" not in model.words_  # in every document, and a stop word
    assert any("the texts are in English" in note and '`stop_words="none"`' in note for note in model.notes_)
    assert (model.transform(documents) == model.document_topics_).all()


def test_copies_are_told_and_left_out_on_request():
    words = "river boat harbor sail bread flour oven baker piano violin concert stage".split()
    documents = [" ".join(words[(d * 5 + i * i) % 12] for i in range(6)) for d in range(24)]
    documents.append(documents[3])
    model = TopicModel(n_topics=2).fit(documents)
    copies = model.record_["reading"]["copies"]
    assert copies >= 1 and any("`drop_duplicates`" in note for note in model.notes_)
    fewer = TopicModel(n_topics=2, drop_duplicates=True).fit(documents)
    assert fewer.document_topics_.shape == (25 - copies, 2)


def test_topics_are_merged_and_named_by_hand(model, tmp_path):
    before = model.document_topics_.copy()
    edited = model.edit(merge=[(1, 2)], names={0: "first", 2: "<both>"})
    assert edited is not model and model.n_topics_ == 3 and model.topic_names_ == [None, None, None]
    assert same_bits(model.document_topics_, before), "the model itself stays"
    both = edited.topic_names_.index("<both>")
    assert sorted(edited.topic_names_) == ["<both>", "first"] and edited.record_["edits"] == ["merge 1,2", "name 0=first", "name 2=<both>"]
    np.testing.assert_allclose(edited.document_topics_[:, both], before[:, 1] + before[:, 2], atol=1e-12)
    assert same_bits(edited.document_topics_[:, 1 - both].copy(), before[:, 0].copy())
    assert edited.components_.shape == (2, len(model.words_)) and edited.transform(["plum pear"]).shape == (1, 2)
    edited.report(tmp_path / "edited.html")
    assert "&lt;both&gt;" in (tmp_path / "edited.html").read_text()
    again = edited.edit(names={both: ""})
    assert again.topic_names_[both] is None and again.topic_names_[1 - both] == "first" and edited.topic_names_[both] == "<both>"
    assert edited.get_params() == model.get_params()


def test_other_anchors_need_no_search(model):
    word = next(word for word in THEMES[0].split() if word not in model.anchor_words_)
    edited = model.edit(anchors=[word])
    fitted = TopicModel(3, anchors=[word], minimum_documents=model.record_["settings"]["minimum_documents"]).fit(texts())
    assert sorted(edited.anchor_words_) == sorted(fitted.anchor_words_) and word in edited.anchor_words_
    np.testing.assert_allclose(edited.components_, fitted.components_, atol=1e-9)
    np.testing.assert_allclose(edited.document_topics_, fitted.document_topics_, atol=1e-9)
    assert themes_of(edited.top_words(5)) == [[0], [1], [2]] and word not in model.anchor_words_
    same = model.edit(anchors=model.anchor_words_)
    np.testing.assert_allclose(same.components_, model.components_, atol=1e-9)
    np.testing.assert_allclose(same.document_topics_, model.document_topics_, atol=1e-9)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({}, "there is nothing to edit"),
        ({"merge": [(0, 9)]}, "there is no topic 9: the topics are 0 to 2"),
        ({"merge": [(0, 0)]}, "topic 0 is named twice"),
        ({"merge": [(0,)]}, "groups of two topics or more"),
        ({"merge": [(-1, 1)]}, "numbered from 0 to 2"),
        ({"names": {9: "x"}}, "there is no topic 9"),
        ({"anchors": ["plun"]}, "`anchors` has `plun`, but the vocabulary of .* words does not; near it are `plum`"),
        ({"anchors": ["plum", "tide", "harp", "pear"]}, "4 anchor words were given for 3 topics"),
        ({"anchors": ["plum"], "names": {0: "x"}}, "merge and name these afterwards"),
    ],
)
def test_edits_that_make_no_sense(model, changes, words):
    with pytest.raises(ValueError, match=words):
        model.edit(**changes)


def test_edits_need_the_run_and_anchors_need_anchors(model, tmp_path):
    model.save(tmp_path / "topics.npz")
    with pytest.raises(RuntimeError, match="fit it again"):
        load(tmp_path / "topics.npz").edit(names={0: "x"})
    lda = TopicModel(3, method="lda", burn_in=5, samples=1).fit(texts())
    with pytest.raises(ValueError, match="lda has no anchors"):
        lda.edit(anchors=["plum"])
    assert lda.edit(merge=[(0, 1)]).n_topics_ == 2
    with pytest.raises(ValueError, match="were merged"):
        model.edit(merge=[(0, 1)]).edit(anchors=["plum"])


def test_topics_over_time(tmp_path):
    import datetime

    first = datetime.date(2024, 5, 1)
    times = [None if d == 7 else first + datetime.timedelta(days=d // 40 * 2) for d in range(120)]
    model = TopicModel(3).fit(texts(), times=times)
    assert model.periods_ == ["2024-05-01", "2024-05-02", "2024-05-03", "2024-05-04", "2024-05-05"]
    assert model.period_documents_.tolist() == [39, 0, 40, 0, 40] and np.isnan(model.period_shares_[1]).all()
    np.testing.assert_allclose(model.period_shares_[2], model.document_topics_[40:80].mean(axis=0), atol=1e-12)
    model.report(tmp_path / "times.html")
    assert "2024-05-03" in (tmp_path / "times.html").read_text()
    assert model.edit(merge=[(0, 1)]).period_shares_.shape == (5, 2)
    days = np.array(times[:7] + [np.datetime64("NaT")] + times[8:], dtype="datetime64[D]")
    assert TopicModel(3).fit(texts(), times=days).period_documents_.tolist() == [39, 0, 40, 0, 40]
    model.save(tmp_path / "topics.npz")
    again = load(tmp_path / "topics.npz")
    assert again.periods_ == model.periods_ and same_bits(again.period_shares_, model.period_shares_)
    assert TopicModel(3).fit(texts()).periods_ is None
    with pytest.raises(ValueError, match="`times` has 2 dates for 120 documents"):
        TopicModel(3).fit(texts(), times=["2024", "2025"])
    with pytest.raises(ValueError, match="`times` has `soon` for document 1, but a date such as 2024"):
        TopicModel(3).fit(texts(), times=["2024", "soon"] + ["2024"] * 118)
