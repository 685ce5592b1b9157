"""Topics of texts, by words that belong to one topic alone."""

import random

from merit_nmf import TopicModel

# 150 short texts: most words of each are about one thing, some about another.
themes = ["bread butter flour sugar oven pan", "seeds soil roses water sun spade", "violin piano melody rhythm drums flute"]
draw = random.Random(0)
texts = []
for number in range(150):
    main, other = themes[number % 3].split(), themes[(number + 1) % 3].split()
    texts.append(" ".join(draw.choices(main, k=10) + draw.choices(other, k=2)))

model = TopicModel(n_topics=3).fit(texts)
for anchor, words, size in zip(model.anchor_words_, model.top_words(5), model.sizes_):
    print(f"{100 * size:4.1f} %  anchor {anchor:8} {', '.join(words)}")
print(f"coherence {model.coherence():.2f}, diversity {model.diversity(5):.2f}")

new = model.transform(["flour and sugar for the bread", "a new piano"])
print("new texts belong to topics", new.argmax(axis=1).tolist())
