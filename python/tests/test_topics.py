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
    with pytest.raises(ValueError, match="the vocabulary has 1 words"):
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
