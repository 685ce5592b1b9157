"""Reference values for crates/topics/tests/coherence.rs, by gensim 4.4 on the texts that it brings along.

    pip install gensim
    python scripts/coherence_reference.py
"""
from gensim.corpora import Dictionary
from gensim.models.coherencemodel import CoherenceModel
from gensim.test.utils import common_texts

TOPICS = [["human", "computer", "system", "interface"], ["graph", "minors", "trees", "user"], ["eps", "response", "time", "survey"]]

print("texts", common_texts)
dictionary = Dictionary(common_texts)
corpus = [dictionary.doc2bow(text) for text in common_texts]
for measure, window in [("c_v", 110), ("c_v", 3), ("c_npmi", 110), ("c_npmi", 2), ("u_mass", None)]:
    model = CoherenceModel(topics=TOPICS, texts=common_texts, corpus=corpus, dictionary=dictionary, coherence=measure, window_size=window, topn=4, processes=1)
    print(measure, window, [float(value) for value in model.get_coherence_per_topic()])
